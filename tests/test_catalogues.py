"""`python -m bot.catalogues`: the catalogues follow the English ones, and what is amiss is found."""

import json
from pathlib import Path
from typing import Any

import pytest

from bot import catalogues
from bot.catalogues import dumped, filled, problems, updated
from bot.localization import LOCALES, Translator

Messages = dict[str, tuple[str, str]]
"""By key: English, and how it is said there."""


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    return tmp_path / "locales"


@pytest.fixture
def code(tmp_path: Path) -> Path:
    (tmp_path / "code").mkdir()
    return tmp_path / "code"


def write(folder: Path, locale: str, messages: Messages) -> None:
    (folder / locale).mkdir(parents=True, exist_ok=True)
    entries = [f'msgctxt "{key}"\nmsgid "{english}"\nmsgstr "{text}"\n' for key, (english, text) in messages.items()]
    (folder / locale / "a.po").write_text("\n".join(entries), "utf-8")


def update(folder: Path) -> None:
    catalogues._write({path: catalogues._text(made) for path, made in updated(folder).items()})


def said(folder: Path, locale: str, *keys: str) -> list[str]:
    return [Translator("en-US", folder).text(locale, key) for key in keys]


def test_ours_are_whole() -> None:
    assert list(problems(LOCALES, catalogues.CODE)) == []


def test_the_source_is_said_as_it_is_written_and_a_second_update_changes_nothing(folder: Path) -> None:
    write(folder, "en-US", {"a": ("Hello", ""), "b": ("New", "Old")})
    update(folder)
    assert said(folder, "en-US", "a", "b") == ["Hello", "New"]
    before = (folder / "en-US" / "a.po").read_bytes()
    update(folder)
    assert (folder / "en-US" / "a.po").read_bytes() == before


def test_other_languages_follow(folder: Path, code: Path) -> None:
    write(folder, "en-US", {"same": ("Same", ""), "changed": ("After", ""), "new": ("New", "")})
    write(folder, "de", {"same": ("Same", "Gleich"), "changed": ("Before", "Vorher"), "gone": ("Gone", "Weg")})
    update(folder)
    assert said(folder, "de", "same", "changed", "new") == ["Gleich", "After", "New"]
    (code / "x.py").write_text("words('same'), words('changed'), words('new')")
    assert list(problems(folder, code)) == [
        "de/a.po: changed: fuzzy: the English has changed",
        "de/a.po: new: not translated",
    ]
    assert [told["key"] for told in dumped(folder, "de")] == ["changed", "new"]


@pytest.mark.parametrize(
    ("english", "text", "problem"),
    [
        ("Hi {name}", "Hallo {nmae}", "its placeholders are ['nmae'] instead of ['name']"),
        ("Hi {name}", "Hallo", "its placeholders are [] instead of ['name']"),
        ("Hi {name}", "Hallo {name", "its placeholders are ['(not readable: a single brace)'] instead of ['name']"),
        ("Hi {name}", "Hallo {name.secret}", "its placeholders are ['name.secret'] instead of ['name']"),
    ],
)
def test_other_placeholders_are_found(folder: Path, code: Path, english: str, text: str, problem: str) -> None:
    (code / "x.py").write_text("words('hi')")
    write(folder, "en-US", {"hi": (english, english)})
    write(folder, "de", {"hi": (english, text)})
    update(folder)
    assert list(problems(folder, code)) == [f"de/a.po: hi: {problem}"]


@pytest.mark.parametrize("name", ["Zwei Worte", "groß/klein", "x" * 33, "Groß", ""])
def test_a_name_that_discord_does_not_take_for_a_command_is_found(folder: Path, code: Path, name: str) -> None:
    (code / "x.py").write_text("said(translator, 'command-hi')")
    write(folder, "en-US", {"command-hi": ("hi", "hi")})
    write(folder, "de", {"command-hi": ("hi", name)})
    update(folder)
    assert list(problems(folder, code))


def test_a_key_that_is_nowhere_and_one_that_nobody_says_are_found(folder: Path, code: Path) -> None:
    write(folder, "en-US", {"error-a": ("A", "A"), "unused": ("U", "U"), "used": ("V", "V")})
    update(folder)
    (code / "x.py").write_text('words(f"error-{reason}"), words("used"), words("not-there"), said(t, "nor-there")')
    assert list(problems(folder, code)) == [
        "en-US: unused: the code never says it",
        "code/x.py:1: 'not-there' is in no catalogue",
        "code/x.py:1: 'nor-there' is in no catalogue",
    ]


def test_a_translators_texts_become_catalogues(folder: Path, code: Path, tmp_path: Path) -> None:
    (folder / "en-US").mkdir(parents=True)
    (folder / "en-US" / "a.po").write_text(
        'msgctxt "files"\nmsgid "one file"\nmsgid_plural "{count} files"\nmsgstr[0] ""\nmsgstr[1] ""\n'
    )
    update(folder)
    (told,) = dumped(folder, "pl")
    assert (told["key"], told["forms"][:1]) == ("files", "3")
    given: dict[str, Any] = json.loads('{"files": ["{count} plik", "{count} pliki", "{count} plików"]}')
    catalogues._write({path: catalogues._text(made) for path, made in filled(folder, "pl", given).items()})
    translator = Translator("en-US", folder)
    assert [translator.text("pl", "files", count=count) for count in (1, 3, 5)] == ["1 plik", "3 pliki", "5 plików"]
    assert list(dumped(folder, "pl")) == []
