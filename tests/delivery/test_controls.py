"""Buttons: which stand under an answer when, what their ids say, and words that stop like a button."""

import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from adapters.contract import FinishReason
from bot.delivery.controls import (
    TEMPLATE,
    Action,
    AnswerState,
    Control,
    custom_id,
    final_buttons,
    is_stop_word,
    live_buttons,
    page_buttons,
    parse,
)
from bot.delivery.plan import Button, ButtonColour
from bot.localization import Translator
from bot.preferences import ThoughtLog

TRANSLATOR = Translator()
ENGLISH, GERMAN = TRANSLATOR.say("en-US"), TRANSLATOR.say("de")
TURN = "ab12cd34ef56"


@pytest.mark.parametrize(
    ("control", "written"),
    [
        (Control(Action.STOP, TURN), "parley:1:stop:ab12cd34ef56"),
        (Control(Action.NEXT, TURN, 3), "parley:1:next:ab12cd34ef56:3"),
        (Control(Action.PAGE, TURN, 0), "parley:1:page:ab12cd34ef56:0"),
    ],
)
def test_an_id_says_what_to_do_with_which_answer(control: Control, written: str) -> None:
    assert custom_id(control.action, control.turn_id, control.argument) == written
    assert parse(written) == control
    assert len(written) <= 100


@pytest.mark.parametrize(
    "written",
    [
        "",
        "parley",
        "parley:2:stop:ab",
        "parley:1:explode:ab",
        "parley:1:stop:",
        "parley:1:stop:ab:",
        "parley:1:stop:ab:x",
        "parley:1:stop:ab:-1",
        "parley:1:stop:ab:1:2",
        "parley:1:stop:ab\n",
        " parley:1:stop:ab",
        "PARLEY:1:stop:ab",
        "parley:1:stop:ab:١",
        "parley:1:stop:äb",
        "parley:1:page:ab:1234567",
        "parley:1:stop:" + "a" * 33,
        "parley:1:position:ab",
    ],
)
def test_nothing_else_is_an_id_of_ours(written: str) -> None:
    assert parse(written) is None


@given(st.one_of(st.text(), st.from_regex(r"parley:1:.{0,40}"), st.from_regex(TEMPLATE)))
def test_any_text_is_read_or_refused(written: str) -> None:
    control = parse(written)
    if control is not None and not re.search(r":0\d+\Z", written):
        assert custom_id(control.action, control.turn_id, control.argument) == written


@given(st.sampled_from(Action), st.from_regex(r"[0-9a-f]{12}", fullmatch=True), st.none() | st.integers(0, 999_999))
def test_every_id_that_is_made_is_read_back(action: Action, turn_id: str, argument: int | None) -> None:
    assert parse(custom_id(action, turn_id, argument)) == Control(action, turn_id, argument)


@pytest.mark.parametrize(("turn_id", "argument"), [("", None), ("a:b", None), ("ab", -1), ("ab", 10**6)])
def test_an_id_that_would_not_be_read_back_is_not_made(turn_id: str, argument: int | None) -> None:
    with pytest.raises(ValueError, match="no button"):
        custom_id(Action.STOP, turn_id, argument)


# ------------------------------------------------------------------------------------------------------ which stand when


def shown(buttons: tuple[Button, ...]) -> list[str]:
    return [(f"{button.emoji} {button.label}".strip()) for button in buttons]


def test_while_the_model_writes_there_is_one_red_button() -> None:
    assert live_buttons(TURN, GERMAN) == (Button("parley:1:stop:ab12cd34ef56", "⏹️", "Stopp", ButtonColour.RED),)


@pytest.mark.parametrize(
    ("state", "expected"),
    [
        (AnswerState("completed"), ["🔁", "🗑️"]),
        (AnswerState("completed", has_thoughts=True), ["🔁", "💭", "🗑️"]),
        (AnswerState("completed", has_thoughts=True, thoughts=ThoughtLog.SPOILER), ["🔁", "💭", "🗑️"]),
        (AnswerState("completed", has_thoughts=True, thoughts=ThoughtLog.FILE), ["🔁", "💭", "🗑️"]),
        (AnswerState("completed", has_thoughts=True, thoughts=ThoughtLog.OFF), ["🔁", "🗑️"]),
        (AnswerState("completed", finish=FinishReason.STOP), ["🔁", "🗑️"]),
        (AnswerState("completed", finish=FinishReason.LENGTH), ["🔁", "⏩ Continue", "🗑️"]),
        (AnswerState("completed", finish=FinishReason.INCOMPLETE), ["🔁", "⏩ Continue", "🗑️"]),
        (AnswerState("completed", finish=FinishReason.CONTENT_FILTER), ["🔁", "🗑️"]),
        (AnswerState("error"), ["🔁", "⏩ Continue", "🗑️"]),
        (AnswerState("timeout"), ["🔁", "⏩ Continue", "🗑️"]),
        (AnswerState("stopped"), ["🔁", "⏩ Continue", "🗑️"]),
        (AnswerState("superseded"), ["🔁", "⏩ Continue", "🗑️"]),
        (AnswerState("error", has_text=False), ["🔁 Retry", "🗑️"]),
        (AnswerState("empty", has_text=False, has_thoughts=True), ["🔁 Retry", "💭", "🗑️"]),
        (AnswerState("completed", version_nr=2, version_count=3), ["◀️", "2/3", "▶️", "🔁", "🗑️"]),
        (
            AnswerState("error", has_thoughts=True, version_nr=1, version_count=2),
            ["◀️", "1/2", "▶️", "🔁", "⏩ Continue", "💭", "🗑️"],
        ),
    ],
)
def test_the_buttons_of_an_answer_that_is_over(state: AnswerState, expected: list[str]) -> None:
    assert shown(final_buttons(TURN, ENGLISH, state)) == expected


def test_arrows_lead_to_the_next_versions_and_end_at_the_last_ones() -> None:
    first = final_buttons(TURN, ENGLISH, AnswerState("completed", version_nr=1, version_count=2))[:3]
    last = final_buttons(TURN, ENGLISH, AnswerState("completed", version_nr=2, version_count=2))[:3]
    assert [button.disabled for button in first] == [True, True, False]
    assert [button.disabled for button in last] == [False, True, True]
    assert parse(first[2].custom_id) == Control(Action.NEXT, TURN, 2)
    assert parse(last[0].custom_id) == Control(Action.PREVIOUS, TURN, 1)


def test_pages_are_turned_the_same_way_and_a_single_one_is_not() -> None:
    buttons = page_buttons(TURN, 2, 7)
    assert shown(buttons) == ["◀️", "2/7", "▶️"]
    assert [parse(button.custom_id) for button in buttons] == [
        Control(Action.PAGE, TURN, 1),
        None,
        Control(Action.PAGE, TURN, 3),
    ]
    assert page_buttons(TURN, 1, 1) == ()


@given(
    st.builds(
        AnswerState,
        status=st.sampled_from(["completed", "error", "stopped", "superseded", "timeout", "empty", "function_call"]),
        has_text=st.booleans(),
        finish=st.none() | st.sampled_from(FinishReason),
        has_thoughts=st.booleans(),
        thoughts=st.sampled_from(ThoughtLog),
        version_nr=st.integers(1, 9),
        version_count=st.integers(1, 9),
    ),
    st.sampled_from(TRANSLATOR.locales),
)
def test_whatever_the_answer_discord_takes_its_buttons(state: AnswerState, locale: str) -> None:
    buttons = final_buttons(TURN, TRANSLATOR.say(locale), state)
    assert len({button.custom_id for button in buttons}) == len(buttons) <= 25
    for button in buttons:
        assert button.emoji or button.label
        assert len(button.label) <= 80
        assert len(button.custom_id) <= 100
        assert button.disabled or parse(button.custom_id) is not None


# --------------------------------------------------------------------------------------------------------------- words


@pytest.mark.parametrize("text", ["stop", "Stop!", " STOP ", "stop.", "¡stop!", "stop 🛑", "**stop**", "halt", "HALT…"])
def test_a_whole_message_of_a_stop_word_stops(text: str) -> None:
    assert is_stop_word(text, ENGLISH)


@pytest.mark.parametrize(
    "text", ["", "!", "stop it", "don't stop", "stopping", "s top", "stop" + " " * 40 + "x", "stopp"]
)
def test_and_no_other_message_does(text: str) -> None:
    assert not is_stop_word(text, ENGLISH)


def test_the_words_of_several_languages_count_where_they_are_given() -> None:
    assert is_stop_word("Abbrechen!", ENGLISH, GERMAN)
    assert is_stop_word("stopp", GERMAN)
    assert not is_stop_word("stop")
