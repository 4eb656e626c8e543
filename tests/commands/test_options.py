"""A setting in a person's hands: what is given is kept, what is kept is shown, and what cannot be is told with what can."""

from __future__ import annotations

from typing import Annotated, Any, get_args
from zoneinfo import available_timezones

import pytest
from hypothesis import given
from hypothesis import strategies as st

from bot.commands.options import BadValue, Input, Offer, Option, option, read_words
from bot.localization import Translator
from bot.preferences import SETTINGS, Mention, Setting, Thinking, kinds
from tests.commands.made_settings import made_setting

ID, OTHER = 123456789012345678, 123456789012345679
TRANSLATOR = Translator("en-US")
OFFER = Offer(TRANSLATOR.locales, ("Miso", "Old Sage"))
LOCALES = st.sampled_from(TRANSLATOR.locales)

WHOLE = kinds.Number(0, 100_000)
BROKEN = kinds.Number(-2, 2, whole=False)
SECONDS, MONEY = kinds.Seconds(10.0), kinds.Money(500)
WORDS = kinds.Words(most=3, longest=10)
CHANNELS = kinds.Ids(Mention.CHANNEL, most=3)
ROLES = kinds.Ids(Mention.ROLE)
PEOPLE = kinds.Ids(Mention.PERSON, most=200)


def of(kind: kinds.Kind, type_: Any = str, locale: str = "en-US") -> Option:
    return option(made_setting(Annotated[type_, kind]), TRANSLATOR.say(locale), OFFER)


@pytest.mark.parametrize(
    ("kind", "typed", "kept"),
    [
        (WHOLE, " 20 ", 20),
        (WHOLE, "6,000", 6000),
        (WHOLE, " ", None),
        (BROKEN, "-1.5", -1.5),
        (BROKEN, "1,5", 1.5),
        (SECONDS, "2.5", 2.5),
        (SECONDS, "3", 3.0),
        (WORDS, "Parley, old friend ,, parley", ("Parley", "old friend", "parley")),
        (WORDS, "小助手、パーレイ，파를리", ("小助手", "パーレイ", "파를리")),
        (WORDS, "Parley, Parley", ("Parley",)),
        (WORDS, " ", ()),
        (CHANNELS, f"<#{ID}> and <#{OTHER}>", (ID, OTHER)),
        (CHANNELS, f"{ID},{ID}", (ID,)),
        (CHANNELS, "", ()),
        (ROLES, f"<@&{ID}>", (ID,)),
        (PEOPLE, f"<@{ID}><@!{OTHER}>", (ID, OTHER)),
        (kinds.ChannelId(), f"<#{ID}>", ID),
        (kinds.ChannelId(), "", None),
        (kinds.Text(9), " Be kind. ", "Be kind."),
        (kinds.TimeZone(), " Europe/Berlin ", "Europe/Berlin"),
        (kinds.TimeZone(), "", None),
        (kinds.Persona(), "old sage", "Old Sage"),
        (kinds.Persona(), "-", ""),
        (kinds.Locale(), "de", "de"),
    ],
)
def test_what_is_given_is_kept(kind: kinds.Kind, typed: str, kept: Any) -> None:
    assert of(kind).read(typed) == kept


@pytest.mark.parametrize(
    ("locale", "kind", "typed", "kept"),
    [
        ("de", WHOLE, "6.000", 6000),
        ("de", SECONDS, "2,5", 2.5),
        ("de", SECONDS, "2.5", 2.5),
        ("fr", SECONDS, "2,5", 2.5),
        ("it", WHOLE, "6.000", 6000),
    ],
)
def test_numbers_are_read_as_they_are_written_in_the_readers_language(
    locale: str, kind: kinds.Kind, typed: str, kept: Any
) -> None:
    assert of(kind, locale=locale).read(typed) == kept


@pytest.mark.parametrize(
    ("kind", "typed", "told"),
    [
        (WHOLE, "100001", "A whole number from 0 to 100,000."),
        (WHOLE, "-1", "A whole number from 0 to 100,000."),
        (WHOLE, "6.000", "A whole number from 0 to 100,000."),
        (WHOLE, "1e3", "A whole number from 0 to 100,000."),
        (WHOLE, "NaN", "A whole number from 0 to 100,000."),
        (WHOLE, "٣", "A whole number from 0 to 100,000."),
        (WHOLE, "twenty", "A whole number from 0 to 100,000."),
        (BROKEN, "2.01", "A number from -2 to 2."),
        (BROKEN, "Infinity", "A number from -2 to 2."),
        (SECONDS, "10.5", "Seconds, from 0 to 10; fractions too."),
        (WORDS, "one, two, three, four", "At most 3 words or phrases with commas between, each of at most 10 characters."),
        (WORDS, "a" * 11, "At most 3 words or phrases with commas between, each of at most 10 characters."),
        (CHANNELS, "#general", "At most 3 channels, mentioned or by their ids; left empty: none."),
        (CHANNELS, f"<@{ID}>", "At most 3 channels, mentioned or by their ids; left empty: none."),
        (CHANNELS, f"<#{ID}> <@&{OTHER}>", "At most 3 channels, mentioned or by their ids; left empty: none."),
        (CHANNELS, " ".join(f"<#{ID + n}>" for n in range(4)), "At most 3 channels, mentioned or by their ids; left empty: none."),
        (ROLES, "@everyone", "At most 50 roles, mentioned or by their ids; left empty: none."),
        (PEOPLE, "Bo", "At most 200 people, mentioned or by their ids; left empty: none."),
        (kinds.ChannelId(), f"<@{ID}>", "A text channel in which I can write; left empty: none."),
        (kinds.Text(3), "four", "Text of at most 3 characters; left empty: none."),
        (kinds.TimeZone(), "Berlin", "The name of a time zone, such as Europe/Berlin or Asia/Tokyo."),
        (kinds.TimeZone(), "../../etc/passwd", "The name of a time zone, such as Europe/Berlin or Asia/Tokyo."),
        (kinds.TimeZone(), "/etc/localtime", "The name of a time zone, such as Europe/Berlin or Asia/Tokyo."),
        (kinds.TimeZone(), "Europe", "The name of a time zone, such as Europe/Berlin or Asia/Tokyo."),
        (kinds.Flag(), "perhaps", "One of: on, off."),
        (kinds.Persona(), "Nobody", "The name of a persona of this server."),
        (kinds.Locale(), "tlh", "A language that I speak."),
        (kinds.Model(), "gpt", "A model that `/model` offers; it is chosen there."),
    ],
)  # fmt: skip
def test_what_cannot_be_kept_is_refused_with_what_is_allowed(kind: kinds.Kind, typed: str, told: str) -> None:
    with pytest.raises(BadValue) as error:
        of(kind).read(typed)
    assert TRANSLATOR.say("en-US")(error.value.key, **error.value.arguments) == told == of(kind).allowed


@pytest.mark.parametrize(
    ("kind", "type_", "value", "shown"),
    [
        (WHOLE, int, 6000, "**6.000**"),
        (BROKEN, float, 0.5, "**0,5**"),
        (BROKEN, float, None, "–"),
        (kinds.Flag(), bool, True, "**an**"),
        (kinds.Text(100), str, "Be\n`kind`.", "`Be 'kind'.`"),
        (kinds.Text(100), str, "", "–"),
        (kinds.Text(4000), str, "x" * 4000, f"`{'x' * 100}…`"),
        (WORDS, tuple, ("a", "b"), "`a, b`"),
        (CHANNELS, tuple, (ID,), f"<#{ID}>"),
        (ROLES, tuple, (ID,), f"<@&{ID}>"),
        (kinds.ChannelId(), int, ID, f"<#{ID}>"),
        (kinds.Locale(), str, "de", "**Deutsch**"),
        (kinds.Locale(), str, "`<@1>`", "`'<@1>'`"),
        (kinds.Persona(), str, "", "**Parley selbst**"),
        (kinds.Persona(), str, "@everyone", "`@everyone`"),
    ],
)
def test_what_is_kept_is_shown_in_one_line_and_marks_of_strangers_do_nothing(
    kind: kinds.Kind, type_: Any, value: Any, shown: str
) -> None:
    assert of(kind, type_, "de").shown(value) == shown


def test_a_long_list_is_shown_as_far_as_it_can_be_read() -> None:
    assert of(PEOPLE).shown(tuple(range(ID, ID + 200))).endswith(f"<@{ID + 14}> and 185 more")


def test_of_more_personas_than_a_select_takes_one_is_named_in_a_form() -> None:
    setting = made_setting(Annotated[str, kinds.Persona()])
    names = tuple(f"Persona {nr}" for nr in range(25))
    many = option(setting, TRANSLATOR.say("en-US"), Offer(personas=names))
    few = option(setting, TRANSLATOR.say("en-US"), Offer(personas=names[:24]))
    assert (many.given_by, few.given_by) == (Input.FORM, Input.CHOICE)
    assert many.read("persona 24") == "Persona 24"


# ----------------------------------------------------------------------------------------- the law of all that there are


def fitting(setting: Setting) -> st.SearchStrategy[Any]:
    """Values that can be chosen, as a person can give them: one word has no comma, a text no blank ends."""
    match setting.kind:
        case kinds.OneOf():
            return st.sampled_from(list(setting.type))
        case kinds.Flag():
            return st.booleans()
        case kinds.Number(least, most, whole):
            return st.integers(int(least), int(most)) if whole else st.floats(least, most).map(_as_written)
        case kinds.Seconds(most) | kinds.Money(most):
            return st.floats(0, most).map(_as_written)
        case kinds.Text(longest):
            return st.text(max_size=min(longest, 200)).map(str.strip)
        case kinds.Words(most, longest):
            word = st.from_regex(r"[^\W_]+( [^\W_]+)?", fullmatch=True).filter(lambda text: len(text) <= longest)
            return st.lists(word, max_size=most, unique=True).map(tuple)
        case kinds.Ids(_, most):
            return st.lists(st.integers(10**14, 10**19 - 1), max_size=most, unique=True).map(tuple)
        case kinds.ChannelId():
            return st.none() | st.integers(10**14, 10**19 - 1)
        case kinds.TimeZone():
            return st.sampled_from(sorted(available_timezones() - {"localtime"}))
        case kinds.Locale():
            return st.sampled_from(["", *TRANSLATOR.locales])
        case kinds.Persona():
            return st.sampled_from(["", *OFFER.personas])
    raise AssertionError(setting.kind)


def _as_written(number: float) -> float:
    """Nobody types more digits."""
    return round(number, 6)


GIVEN = [
    setting for setting in SETTINGS.values() if option(setting, TRANSLATOR.say("en-US")).input is not Input.COMMAND
]


@pytest.mark.parametrize("setting", GIVEN, ids=lambda setting: setting.name)
@given(data=st.data(), locale=LOCALES)
def test_what_stands_in_the_form_is_read_as_the_value_that_there_is(
    setting: Setting, data: st.DataObject, locale: str
) -> None:
    value = data.draw(fitting(setting))
    given_by = option(setting, TRANSLATOR.say(locale), OFFER)
    text = given_by.text(value)
    assert given_by.read(text) == value == setting.converted(value)
    assert len(text) <= max(given_by.longest, 4 if given_by.input is Input.CHOICE else 0)
    assert "\n" not in given_by.shown(value)


@given(st.text())
def test_whatever_is_typed_is_refused_or_can_be_chosen(typed: str) -> None:
    for setting in GIVEN:
        try:
            value = option(setting, TRANSLATOR.say("en-US"), OFFER).read(typed)
        except BadValue:
            continue
        assert value is None or setting.converted(value) == value


def test_words_are_read_once_each() -> None:
    assert read_words(" a,  b  c ,a,, ") == ("a", "b c")


def test_every_kind_there_is_can_be_shown_and_given() -> None:
    there_are: list[kinds.Kind] = [
        *(kinds.OneOf(), kinds.Flag(), WHOLE, SECONDS, MONEY, kinds.Text(9), WORDS, CHANNELS, kinds.ChannelId()),
        *(kinds.TimeZone(), kinds.Locale(), kinds.Persona(), kinds.Model()),
    ]
    assert {type(kind) for kind in there_are} == set(get_args(kinds.Kind))
    assert all(of(kind, Thinking).allowed for kind in there_are)
