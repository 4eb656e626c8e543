"""`python -m bot.catalogues`: the catalogues follow the English ones, and what is amiss is found."""

import json
from pathlib import Path
from typing import Any

import pytest

from bot.catalogues.__main__ import CODE, main
from bot.catalogues.faults import problems
from bot.catalogues.files import dumped, filled, misfits, updated, write
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


def wrote(folder: Path, locale: str, messages: Messages, name: str = "a") -> None:
    (folder / locale).mkdir(parents=True, exist_ok=True)
    entries = [f'msgctxt "{key}"\nmsgid "{english}"\nmsgstr "{text}"\n' for key, (english, text) in messages.items()]
    (folder / locale / f"{name}.po").write_text("\n".join(entries), "utf-8")


def update(folder: Path) -> None:
    write(folder, updated(folder))


def said(folder: Path, locale: str, *keys: str) -> list[str]:
    return [Translator("en-US", folder).text(locale, key) for key in keys]


def test_ours_are_whole() -> None:
    assert list(problems(LOCALES, CODE)) == []


def test_the_source_is_said_as_it_is_written_and_a_second_update_changes_nothing(folder: Path) -> None:
    wrote(folder, "en-US", {"a": ("Hello", ""), "b": ("New", "Old")})
    update(folder)
    assert said(folder, "en-US", "a", "b") == ["Hello", "New"]
    before = (folder / "en-US" / "a.po").read_bytes()
    update(folder)
    assert (folder / "en-US" / "a.po").read_bytes() == before


def test_other_languages_follow(folder: Path, code: Path) -> None:
    wrote(folder, "en-US", {"same": ("Same", ""), "changed": ("After", ""), "new": ("New", "")})
    wrote(folder, "de", {"same": ("Same", "Gleich"), "changed": ("Before", "Vorher"), "gone": ("Gone", "Weg")})
    update(folder)
    assert said(folder, "de", "same", "changed", "new") == ["Gleich", "After", "New"]
    (code / "x.py").write_text("words('same'), words('changed'), words('new')")
    assert list(problems(folder, code)) == [
        "de/a.po: changed: fuzzy: the English has changed",
        "de/a.po: new: not translated",
    ]
    assert list(dumped(folder, "de")) == [
        {"key": "changed", "english": "After", "was": "Vorher"},
        {"key": "new", "english": "New"},
    ]


def test_a_translation_follows_its_message_into_another_file(folder: Path, code: Path) -> None:
    wrote(folder, "en-US", {"here": ("Here", "")}, name="new")
    wrote(folder, "de", {"here": ("Here", "Hier")}, name="old")
    (code / "x.py").write_text("words('here')")
    assert "de/old.po: en-US has no such file (make locales)" in problems(folder, code)
    update(folder)
    assert list(problems(folder, code)) == []
    assert (said(folder, "de", "here"), (folder / "de" / "old.po").exists()) == (["Hier"], False)


@pytest.mark.parametrize(
    ("english", "text", "problem"),
    [
        ("Hi {name}", "Hallo {nmae}", "its placeholders are ['nmae'] instead of ['name']"),
        ("Hi {name}", "Hallo", "its placeholders are [] instead of ['name']"),
        ("Hi {name}", "Hallo {name", "its placeholders are ['(not readable: a single brace)'] instead of ['name']"),
        ("Hi {name}", "Hallo {name.secret}", "its placeholders are ['name.secret'] instead of ['name']"),
        ("Hi {name}", "Hallo {name:>999999}", "its placeholders are ['name:>999999'] instead of ['name']"),
    ],
)
def test_other_placeholders_are_found(folder: Path, code: Path, english: str, text: str, problem: str) -> None:
    (code / "x.py").write_text("words('hi', name=name)")
    wrote(folder, "en-US", {"hi": (english, english)})
    wrote(folder, "de", {"hi": (english, text)})
    update(folder)
    assert list(problems(folder, code)) == [f"de/a.po: hi: {problem}"]


@pytest.mark.parametrize("name", ["Zwei Worte", "groß/klein", "x" * 33, "Groß", ""])
def test_a_name_that_discord_does_not_take_for_a_command_is_found(folder: Path, code: Path, name: str) -> None:
    (code / "x.py").write_text("said(translator, 'command-hi')")
    wrote(folder, "en-US", {"command-hi": ("hi", "hi")})
    wrote(folder, "de", {"command-hi": ("hi", name)})
    update(folder)
    assert list(problems(folder, code))


def test_a_key_that_is_nowhere_and_one_that_nobody_says_are_found(folder: Path, code: Path) -> None:
    wrote(folder, "en-US", {"error-a": ("A", "A"), "unused": ("U", "U"), "used": ("V", "V")})
    update(folder)
    (code / "x.py").write_text('words(f"error-{reason}"), words("used"), words("not-there"), said(t, "nor-there")')
    assert list(problems(folder, code)) == [
        "en-US: unused: the code never says it",
        "code/x.py:1: 'not-there' is in no catalogue",
        "code/x.py:1: 'nor-there' is in no catalogue",
    ]


@pytest.mark.parametrize(
    ("call", "told"),
    [
        ("words('hi-you', name=name)", []),
        ("words_of(interaction)('hi-you', name=name)", []),
        ("words('hi-you', **arguments)", []),
        ("words('hi-you' if known else 'bye-all', name=name)", []),
        ("words('hi-you')", ["code/x.py:1: filled with [] instead of ['name']"]),
        ("self._words('bye-all', name=name)", ["code/x.py:1: filled with ['name'] instead of []"]),
        ("words('hi-all' if known else 'bye-all')", ["code/x.py:1: 'hi-all' is in no catalogue"]),
    ],
)
def test_a_call_that_fills_a_message_with_other_things_than_it_holds_is_found(
    folder: Path, code: Path, call: str, told: list[str]
) -> None:
    wrote(folder, "en-US", {"hi-you": ("Hi {name}", ""), "bye-all": ("Bye", "")})
    update(folder)
    (code / "x.py").write_text(f"{call}; KEYS = 'hi-you', 'bye-all'")
    assert list(problems(folder, code)) == told


PLURAL = 'msgctxt "files"\nmsgid "one file"\nmsgid_plural "{count} files"\nmsgstr[0] ""\nmsgstr[1] ""\n'


@pytest.fixture
def with_plural(folder: Path) -> Path:
    (folder / "en-US").mkdir(parents=True)
    (folder / "en-US" / "a.po").write_text(f"#. Under an answer.\n{PLURAL}")
    update(folder)
    return folder


def test_a_translator_is_told_which_numbers_take_which_form_and_what_is_too_long(with_plural: Path) -> None:
    wrote(with_plural, "en-US", {"command-hi": ("hi", ""), "button-hi": ("Hi", "")}, name="b")
    assert list(dumped(with_plural, "pl")) == [
        {
            "key": "files",
            "english": ("one file", "{count} files"),
            "forms": [
                "for 1 …",
                "for 2, 3, 4, 22, 23, 24, 102 …",
                "for 0, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16, 17, 18, 19, 20, 21, 25, 26, 27, 28, 29, 100, 101, 1000000 …",
            ],
            "comment": "Under an answer.",
        },
        {
            "key": "command-hi",
            "english": "hi",
            "most_characters": 32,
            "is_command_name": "lower case, no spaces; letters, digits, - and _ only",
        },
        {"key": "button-hi", "english": "Hi", "most_characters": 80},
    ]


def test_a_translators_texts_become_catalogues(with_plural: Path) -> None:
    given = {"files": ["{count} plik", "{count} pliki", "{count} plików"]}
    write(with_plural, filled(with_plural, "pl", given))
    translator = Translator("en-US", with_plural)
    assert [translator.text("pl", "files", count=count) for count in (1, 3, 5)] == ["1 plik", "3 pliki", "5 plików"]
    assert list(dumped(with_plural, "pl")) == []


@pytest.mark.parametrize(
    ("given", "told"),
    [
        ({"files": ["a", "b"]}, "pl: files: 2 forms instead of 3"),
        ({"files": ["a", "b", "c", "d"]}, "pl: files: 4 forms instead of 3"),
        ({"files": "a"}, "pl: files: 1 forms instead of 3"),
        ({"files": 3}, "pl: files: neither a text nor a list of texts"),
        ({"files": []}, "pl: files: neither a text nor a list of texts"),
        ({"flies": "a"}, "pl: flies: there is no such message"),
    ],
)
def test_what_does_not_fit_is_told_and_not_taken(with_plural: Path, given: dict[str, Any], told: str) -> None:
    assert list(misfits(with_plural, "pl", given)) == [told]
    write(with_plural, filled(with_plural, "pl", given))
    assert [left["key"] for left in dumped(with_plural, "pl")] == ["files"]


def test_by_command_all_of_it(
    with_plural: Path, code: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (code / "x.py").write_text("words('files', count=count)\nKEYS = 'files'")
    given = tmp_path / "vi.json"
    given.write_text('{"files": "{count} tệp", "flies": ""}', "utf-8")
    assert main(["fill", "vi", str(given)], with_plural, code) == 1
    assert capsys.readouterr().out == "vi: flies: there is no such message\n"
    assert main(["check"], with_plural, code) == 0
    assert main(["dump", "vi"], with_plural, code) == 0
    assert json.loads(capsys.readouterr().out) == []
    (with_plural / "vi" / "a.po").unlink()
    assert main(["update"], with_plural, code) == 1
    assert capsys.readouterr().out == "vi/a.po: files: not translated\n"
