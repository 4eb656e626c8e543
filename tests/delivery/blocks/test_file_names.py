"""What a file is called: as the model says, else after the language."""

from __future__ import annotations

import pytest

from bot.delivery.blocks.file_names import LONGEST_NAME, FileNames, file_name


@pytest.mark.parametrize(
    ("info", "name"),
    [
        ('python title="a.py"', "a.py"),
        ("python title='my file.py'", "my_file.py"),
        ("js file=src/x.js", "x.js"),
        ("js filename: x.js", "x.js"),
        ('{.python title="x.py"}', "x.py"),
        ("a.py", "a.py"),
        ("python:src/app.py", "app.py"),
        ("python src\\app.py", "app.py"),
        ("Dockerfile", "Dockerfile"),
        ('python title="An example"', "An_example.py"),
        ("vb.net", "code.vb"),
    ],
)
def test_the_info_string_names_the_file(info: str, name: str) -> None:
    assert file_name(info, "") == name


@pytest.mark.parametrize(
    ("line", "language", "name"),
    [
        ("**app.py**", "python", "app.py"),
        ("`src/app.py`:", "python", "app.py"),
        ("### app.py", "python", "app.py"),
        ("File: app.py", "", "app.py"),
        ("Here is app.py:", "py", "app.py"),
        ("Save this as “docker-compose.yml”.", "yaml", "docker-compose.yml"),
        ("1. Create [`src/App.tsx`](src/App.tsx)", "tsx", "App.tsx"),
        ("The **Makefile**:", "make", "Makefile"),
        ("**notes.md**", "text", "notes.md"),
        ("Save `run.sh` beside `app.py`:", "python", "app.py"),
        ("First app.py, then util.py:", "python", "code.py"),
        ("Create `app.py`:", "bash", "code.sh"),
        ("Here is the Node.js server:", "js", "code.js"),
        ("As of version 1.2 of example.com, e.g. this:", "python", "code.py"),
        ("", "python", "code.py"),
    ],
)
def test_the_line_before_names_the_file_where_it_fits_the_language(line: str, language: str, name: str) -> None:
    assert file_name(language, line) == name


@pytest.mark.parametrize(
    ("language", "name"),
    [
        ("python", "code.py"), ("js", "code.js"), ("typescript", "code.ts"), ("tsx", "code.tsx"), ("c++", "code.cpp"),
        ("c", "code.c"), ("csharp", "code.cs"), ("rust", "code.rs"), ("go", "code.go"), ("java", "code.java"),
        ("kotlin", "code.kt"), ("ruby", "code.rb"), ("r", "code.r"), ("bash", "code.sh"), ("shell", "code.sh"),
        ("powershell", "code.ps1"), ("sql", "code.sql"), ("json", "code.json"), ("jsonc", "code.json"),
        ("yaml", "code.yaml"), ("html", "code.html"), ("css", "code.css"), ("markdown", "code.md"), ("diff", "code.diff"),
        ("Python", "code.py"), ("dockerfile", "Dockerfile"), ("makefile", "Makefile"), ("text", "code.txt"),
        ("", "code.txt"), ("klingon", "code.txt"),
    ],
)  # fmt: skip
def test_without_a_name_the_language_gives_the_extension(language: str, name: str) -> None:
    assert file_name(language, "") == name


@pytest.mark.parametrize(
    ("wished", "name"),
    [
        ("../../etc/cron.sh", "cron.sh"),
        ("C:\\temp\\run.sh", "run.sh"),
        (".hidden.sh", "hidden.sh"),
        ("..", "code.sh"),
        ("/", "code.sh"),
        ("a b\u202e?*|.sh", "a_b_.sh"),
        ("größe-日本.sh", "größe-日本.sh"),
        ("x" * 300 + ".sh", "x" * 97 + ".sh"),
    ],
)
def test_a_name_is_safe_whatever_the_model_wishes(wished: str, name: str) -> None:
    assert file_name(f'bash title="{wished}"', "") == name


def test_two_files_never_have_the_same_name() -> None:
    names = FileNames()
    wished = ["a.py", "A.py", "a.py", "a-2.py", "Makefile", "Makefile", "x" * 97 + ".py", "x" * 97 + ".py"]
    given = [names.reserve(name) for name in wished]
    assert given == [
        "a.py",
        "A-2.py",
        "a-3.py",
        "a-2-2.py",
        "Makefile",
        "Makefile-2",
        "x" * 97 + ".py",
        "x" * 95 + "-2.py",
    ]
    assert max(map(len, given)) == LONGEST_NAME
