"""Macros: expanded for what is told once, put in words for what must stay the same, and never out of a stranger's name."""

from __future__ import annotations

from collections.abc import Callable
from datetime import UTC, datetime, timedelta

import msgspec
import pytest
from hypothesis import given
from hypothesis import strategies as st

from bot.conversation.macros import Macros, for_newest, for_system

HERE = Macros("Luna", "Bo", "general", "Tea House", datetime(2026, 11, 30, 20, 5, tzinfo=UTC), "70")
LATER = msgspec.structs.replace(HERE, user="Ada", now=HERE.now + timedelta(days=1, hours=1))
DIRECT = msgspec.structs.replace(HERE, channel="", server="")


@pytest.mark.parametrize(
    ("written", "newest", "system"),
    [
        ("{{char}} and {{bot}}", "Luna and Luna", "Luna and Luna"),
        ("{{user}}'s tea", "Bo's tea", "the user's tea"),
        ("in {{channel}} of {{server}}", "in general of Tea House", "in general of Tea House"),
        ("{{date}}", "2026-11-30", "today's date"),
        ("{{time}}", "20:05", "the present time"),
        ("{{weekday}}", "Monday", "today's weekday"),
        (
            "{{USER}}, {{ Char }}, <user>, <BOT>, <Char>",
            "Bo, Luna, Bo, Luna, Luna",
            "the user, Luna, the user, Luna, Luna",
        ),
        ("Hi{{// only the author reads this }}!", "Hi!", "Hi!"),
        ("{{random::tea}} {{pick:coffee}}", "tea coffee", "tea coffee"),
        ("{{random: a\\, b }}", "a, b", "a, b"),
        ("{{random::{{char}} waves at {{user}}}}", "Luna waves at Bo", "Luna waves at the user"),
        ("{{random::{{random::a::a}}::{{pick:a,a}}}}", "a", "a"),
    ],
)
def test_macros_are_expanded(written: str, newest: str, system: str) -> None:
    assert (for_newest(written, HERE), for_system(written, HERE)) == (newest, system)


@pytest.mark.parametrize(
    "text",
    [
        "",
        "plain",
        "{{roll:d6}}",
        "{{unknown}}",
        "{{}}",
        "{user}",
        "{{random}}",
        "{{pick}}",
        "{{#if user}}",
        "<users>",
        "{{user",
        "user}}",
    ],
)
def test_what_is_no_macro_of_ours_stays_as_it_is(text: str) -> None:
    assert for_newest(text, HERE) == for_system(text, HERE) == text


def test_a_direct_message_has_words_for_its_place() -> None:
    assert for_newest("{{channel}}, {{server}}", DIRECT) == "a direct message, no server"


CHANCE = " ".join(["{{random::a::b::c}}"] * 20)
ONCE = " ".join(["{{pick::a::b::c}}"] * 20)


def test_in_the_system_prompt_chance_and_people_do_not_change_from_question_to_question() -> None:
    """Else providers could not cache the request's beginning."""
    text = f"{CHANCE} {ONCE} {{{{user}}}} {{{{date}}}} {{{{time}}}} {{{{weekday}}}}"
    assert for_system(text, HERE) == for_system(text, LATER)


def test_beside_the_newest_message_random_changes_with_the_time_and_pick_with_the_conversation_only() -> None:
    elsewhere = msgspec.structs.replace(HERE, seed="71")
    assert for_newest(CHANCE, HERE) == for_newest(CHANCE, HERE) != for_newest(CHANCE, LATER)
    assert for_newest(ONCE, HERE) == for_newest(ONCE, LATER) != for_newest(ONCE, elsewhere)
    assert for_system(CHANCE, HERE) != for_system(CHANCE, elsewhere)


def test_each_draw_is_one_of_its_own_and_all_options_come_up() -> None:
    assert set(for_system(CHANCE, HERE).split()) == set("abc")


@pytest.mark.parametrize("expand", [for_newest, for_system])
def test_what_is_written_in_a_name_is_not_expanded(expand: Callable[[str, Macros], str]) -> None:
    hostile = Macros("{{user}}", "{{char}}", "{{server}}", "{{random::a::b}}", HERE.now, "70")
    assert "{{" not in expand("{{char}}{{user}}{{channel}}{{server}}", hostile)


@given(st.text(), st.text(), st.text())
def test_a_name_stays_in_its_line_and_opens_no_brackets(user: str, channel: str, server: str) -> None:
    macros = Macros("Luna", user, channel, server, HERE.now, "70")
    told = for_newest("{{user}}|{{channel}}|{{server}}", macros)
    assert len(told.splitlines()) == 1
    assert not set("[]{}<>") & set(told)


@given(st.text(st.sampled_from("{}:,/\\ ab"), max_size=200))
def test_any_text_is_expanded_and_the_same_each_time(text: str) -> None:
    assert for_newest(text, HERE) == for_newest(text, HERE)
    assert for_system(text, HERE) == for_system(text, LATER)


@given(st.lists(st.sampled_from(["{{", "}}", "::", "random", "user", "char", " ", "x"]), max_size=30).map("".join))
def test_text_without_whole_braces_is_untouched(text: str) -> None:
    opened = text.replace("}}", "")
    assert for_newest(opened, HERE) == opened
