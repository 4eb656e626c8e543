"""Words for people: in the nearest language, in the right plural, with numbers as they are written there; never an error."""

from datetime import UTC, datetime
from decimal import Decimal
from pathlib import Path

import pytest
from babel.messages.catalog import Catalog
from structlog.testing import capture_logs

from adapters.contract import ErrorReason
from bot.localization import LOCALES, Translator

ALL = [
    "en-US",
    "de",
    "es-ES",
    "es-419",
    "fr",
    "it",
    "ja",
    "ko",
    "pl",
    "pt-BR",
    "ru",
    "tr",
    "uk",
    "vi",
    "zh-CN",
    "zh-TW",
]
"""What Parley is to speak."""


def test_every_reason_of_a_provider_error_has_words() -> None:
    assert {f"error-{reason.replace('_', '-')}" for reason in ErrorReason} <= Translator().keys


def made(folder: Path, locale: str, *messages: str, plural: str = "nplurals=2; plural=(n != 1);") -> None:
    (folder / locale).mkdir(exist_ok=True)
    header = f'msgid ""\nmsgstr ""\n"Content-Type: text/plain; charset=utf-8\\n"\n"Plural-Forms: {plural}\\n"\n'
    (folder / locale / "a.po").write_text("\n".join([header, *messages]), "utf-8")


def message(key: str, english: str, text: str) -> str:
    return f'msgctxt "{key}"\nmsgid "{english}"\nmsgstr "{text}"\n'


@pytest.fixture
def translator(tmp_path: Path) -> Translator:
    made(tmp_path, "en-US", message("hello", "Hello {name}", "Hello {name}"), message("only-source", "here", "here"))
    for locale in ALL[1:]:
        made(tmp_path, locale, message("hello", "Hello {name}", f"{locale} {{name}}"))
    return Translator("en-US", tmp_path)


@pytest.mark.parametrize(
    ("wished", "given"),
    [
        *((locale, locale) for locale in ALL),
        ("es-MX", "es-419"),
        ("es-AR", "es-419"),
        ("es-US", "es-419"),
        ("es", "es-ES"),
        ("es-GQ", "es-ES"),
        ("pt-PT", "pt-BR"),
        ("pt", "pt-BR"),
        ("zh-HK", "zh-TW"),
        ("zh-Hant", "zh-TW"),
        ("zh", "zh-CN"),
        ("zh-SG", "zh-CN"),
        ("en-GB", "en-US"),
        ("de-AT", "de"),
        ("no", "en-US"),
        ("sr-Latn", "en-US"),
        ("xx", "en-US"),
        ("../..", "en-US"),
        ("a" * 5000, "en-US"),
        ("", "en-US"),
        (None, "en-US"),
    ],
)
def test_the_nearest_locale_is_taken(translator: Translator, wished: str | None, given: str) -> None:
    assert translator.nearest(wished) == given


def test_the_first_wish_that_can_be_met_counts(translator: Translator) -> None:
    assert translator.say(None, "no", "de-CH", "fr").locale == "de"
    assert translator.say("no", None).locale == "en-US"


def test_what_a_locale_lacks_comes_from_the_source(translator: Translator) -> None:
    assert translator.text("de", "hello", name="Ada") == "de Ada"
    assert translator.text("de", "only-source") == "here"


def test_a_translation_that_cannot_be_filled_in_is_said_in_english_and_logged_once(tmp_path: Path) -> None:
    made(tmp_path, "en-US", message("hello", "Hello {name}", "Hello {name}"))
    texts = {"de": "Hallo {nmae}", "fr": "Bonjour {name", "it": "Ciao {name.secret}", "pl": "Cześć {name[x]}"}
    for locale, text in texts.items():
        made(tmp_path, locale, message("hello", "Hello {name}", text))
    translator = Translator("en-US", tmp_path)
    with capture_logs() as logged:
        for locale in ("de", "de", "fr", "it", "pl"):
            assert translator.text(locale, "hello", name="Ada") == "Hello Ada"
    assert [entry["locale"] for entry in logged] == ["de", "fr", "it", "pl"]


def test_a_person_sees_open_braces_rather_than_nothing(translator: Translator) -> None:
    with capture_logs() as logged:
        assert translator.text("de", "hello") == "Hello {name}"
    assert [entry["event"] for entry in logged] == ["message_not_filled_in"] * 2


def test_fuzzy_and_empty_translations_do_not_count(tmp_path: Path) -> None:
    made(tmp_path, "en-US", message("a", "A", "A"), message("b", "B", "B"))
    made(tmp_path, "de", "#, fuzzy\n" + message("a", "A", "old"), message("b", "B", ""))
    assert [Translator("en-US", tmp_path).text("de", key) for key in "ab"] == ["A", "B"]


def test_an_unknown_key_is_a_mistake_of_ours(translator: Translator) -> None:
    with pytest.raises(KeyError):
        translator.text("de", "no-such-key")


def test_a_default_locale_that_is_not_there_is_refused_with_what_there_is() -> None:
    with pytest.raises(ValueError, match=r"no locale 'xx'; there are .*en-US"):
        Translator("xx")


PLURALS = {
    **dict.fromkeys(("en-US", "de", "tr"), "1"),
    **dict.fromkeys(("es-ES", "es-419", "it"), "1|1000000"),
    **dict.fromkeys(("fr", "pt-BR"), "0 1|1000000"),
    **dict.fromkeys(("ru", "uk"), "1 21 101|2 22"),
    "pl": "1|2 22",
    **dict.fromkeys(("ja", "ko", "vi", "zh-CN", "zh-TW"), ""),
}
"""By locale: of all forms but the last, which of NUMBERS take them (CLDR's rules)."""
NUMBERS = (0, 1, 2, 5, 11, 12, 21, 22, 100, 101, 111, 1_000_000)


@pytest.mark.parametrize("locale", ALL)
def test_numbers_take_the_plural_of_their_language(tmp_path: Path, locale: str) -> None:
    catalogue = Catalog(locale=locale.replace("-", "_"))
    forms = "".join(f'msgstr[{nr}] "form {nr}"\n' for nr in range(catalogue.num_plurals))
    plural = f'msgctxt "files"\nmsgid "one file"\nmsgid_plural "{{count}} files"\n{forms}'
    made(tmp_path, "en-US", plural if locale == "en-US" else "")
    made(tmp_path, locale, plural, plural=catalogue.plural_forms)
    translator = Translator("en-US", tmp_path)
    first = [set(map(int, numbers.split())) for numbers in PLURALS[locale].split("|") if numbers]
    for number in NUMBERS:
        wanted = next((nr for nr, takes in enumerate(first) if number in takes), catalogue.num_plurals - 1)
        assert translator.text(locale, "files", count=number) == f"form {wanted}", number


def test_numbers_money_and_times_are_written_as_in_the_language() -> None:
    german, english = Translator().say("de"), Translator().say("en-US")
    moment = datetime(2026, 3, 5, 14, 7, tzinfo=UTC)
    assert english("waiting-ahead", count=12_345) == "⏳ 12,345 before you"
    assert german("waiting-ahead", count=12_345) == "⏳ 12.345 Fragen vor dir"
    assert (german.number(3.25), german.number(2, digits=1), german.percent(0.8)) == ("3,25", "2,0", "80\xa0%")
    assert (english.money(Decimal("12.5")), english.money(Decimal("0.0042"))) == ("$12.50", "$0.0042")
    assert german.money(Decimal("1234.5")) == "1.234,50\xa0$"
    assert (english.date(moment), german.date(moment)) == ("Mar 5, 2026", "05.03.2026")
    assert german.moment(moment) == "05.03.26, 14:07"
    assert (english.duration(180), german.duration(7200)) == ("3 minutes", "2 Stunden")
    assert (english.list(["a", "b", "c"]), german.list(["a", "b"])) == ("a, b, and c", "a und b")


def test_text_among_the_arguments_stays_as_it_is() -> None:
    assert "{count}" in Translator().text("en-US", "error-turn", turn="{count}")


def test_there_is_a_folder_for_every_locale_that_the_catalogues_name() -> None:
    assert {path.name for path in LOCALES.iterdir() if path.is_dir()} <= set(ALL)
