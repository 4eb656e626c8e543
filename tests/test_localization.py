"""Locales: complete, alike in what they fill in, and never an error for a reader's language."""

import re
from pathlib import Path

import pytest
from fluent.syntax import FluentParser
from fluent.syntax.ast import Junk, Message

from adapters.contract import ErrorReason
from bot.localization import LOCALES, SOURCE_LOCALE, Translator, messages

SOURCE = messages(LOCALES / SOURCE_LOCALE)
OTHERS = sorted(path.name for path in LOCALES.iterdir() if path.is_dir() and path.name != SOURCE_LOCALE)


def placeables(pattern: str) -> set[str]:
    return set(re.findall(r"\$\w+", pattern))


@pytest.mark.parametrize("locale", OTHERS)
def test_a_locale_has_every_message_of_the_source_with_the_same_placeables(locale: str) -> None:
    translated = messages(LOCALES / locale)
    assert set(translated) == set(SOURCE)
    assert {key: placeables(text) for key, text in translated.items()} == {
        key: placeables(text) for key, text in SOURCE.items()
    }


@pytest.mark.parametrize("path", sorted(LOCALES.glob("*/*.ftl")), ids=lambda path: f"{path.parent.name}/{path.name}")
def test_everything_in_a_file_can_be_read_and_no_message_is_there_twice(path: Path) -> None:
    entries = FluentParser().parse(path.read_text(encoding="utf-8")).body
    assert [entry.content for entry in entries if isinstance(entry, Junk)] == []
    names = [entry.id.name for entry in entries if isinstance(entry, Message)]
    assert len(names) == len(set(names))


def test_every_reason_of_a_provider_error_has_words() -> None:
    assert {f"error-{reason.replace('_', '-')}" for reason in ErrorReason} <= set(SOURCE)


@pytest.fixture
def translator(tmp_path: Path) -> Translator:
    for locale, text in {
        "en-US": "hello = Hello { $name }\nonly-source = here\n",
        "es-ES": "hello = Hola { $name }\n",
        "de": "hello = Hallo { $name }\n",
    }.items():
        (tmp_path / locale).mkdir()
        (tmp_path / locale / "a.ftl").write_text(text)
    return Translator("en-US", tmp_path)


@pytest.mark.parametrize(
    ("wished", "given"),
    [
        ("es-ES", "es-ES"),
        ("es-419", "es-ES"),
        ("en-GB", "en-US"),
        ("de", "de"),
        ("pt-BR", "en-US"),
        ("xx", "en-US"),
        ("", "en-US"),
        (None, "en-US"),
    ],
)
def test_the_nearest_locale_is_taken(translator: Translator, wished: str | None, given: str) -> None:
    assert translator.nearest(wished) == given


def test_words_are_filled_in_without_isolation_marks(translator: Translator) -> None:
    assert translator.text("es-419", "hello", name="Ada") == "Hola Ada"


def test_what_a_locale_lacks_comes_from_the_source(translator: Translator) -> None:
    assert translator.text("de", "only-source") == "here"


def test_an_unknown_key_is_a_mistake_of_ours(translator: Translator) -> None:
    with pytest.raises(KeyError):
        translator.text("de", "no-such-key")


def test_a_default_locale_that_is_not_there_is_refused_with_what_there_is(tmp_path: Path) -> None:
    with pytest.raises(ValueError, match=r"no locale 'fr'; there are .*en-US"):
        Translator("fr")


@pytest.mark.parametrize(("seconds", "text"), [(1, "in one second."), (20, "in 20 seconds.")])
def test_numbers_take_their_plural(seconds: int, text: str) -> None:
    assert Translator().text("en-US", "error-retry-after", seconds=seconds).endswith(text)
