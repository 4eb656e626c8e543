"""The marks between which models write calls."""

from __future__ import annotations

import re

import pytest
import regex
from hypothesis import given
from hypothesis import strategies as st

from adapters.guards.call_syntax.marks import (
    LONGEST,
    LOOK_AHEAD,
    ROWS,
    SECONDS,
    Opening,
    may_become_opening,
    may_become_stray,
    opening_at,
    plausible,
    stray_at,
)
from tests.adapters.guards.call_syntax.call_examples import BLOCKS

MARKS = [
    ("<tool_call>", ("</tool_call>", "</function_call>"), ""),
    ("<Tool_Call >", ("</Tool_Call>", "</tool_call>", "</function_call>"), ""),
    ("<minimax:tool_call>", ("</minimax:tool_call>", "</tool_call>", "</function_call>"), ""),
    ('<tool_call id="7" name="f">', ("</tool_call>", "</function_call>"), "f"),
    ("<tool_calls>", ("</tool_calls>",), ""),
    ("<function_calls>", ("</function_calls>",), ""),
    ("<｜DSML｜function_calls>", ("</｜DSML｜function_calls>", "</function_calls>"), ""),
    ('<｜DSML｜invoke name="f">', ("</｜DSML｜invoke>", "</invoke>"), "f"),
    ('<invoke name="f" id="1">', ("</invoke>",), "f"),
    ("<function=get_weather>", ("</function>", "</tool_call>"), "get_weather"),
    ("<function name='f'>", ("</function>",), "f"),
    ("<｜tool▁calls▁begin｜>", ("<｜tool▁calls▁end｜>",), ""),
    ("<|tool_call_begin|>", ("<|tool_call_end|>",), ""),
    ("<|python_tag|>", ("<|eom_id|>", "<|eot_id|>"), ""),
]


@pytest.mark.parametrize(("mark", "closes", "name"), MARKS)
def test_a_mark_says_what_closes_its_block_and_which_tool_it_calls(
    mark: str, closes: tuple[str, ...], name: str
) -> None:
    assert opening_at(f"so: {mark}...", 4) == Opening(4 + len(mark), closes, name)


@pytest.mark.parametrize(
    "text",
    [
        "",
        "tool_call>",
        "<tool>",
        "<div>",
        "<tool_caller>",
        "</tool_call>",
        "<invoke>",
        "<function>",
        "<think>",
        "[link](https://a.b)",
        "[TOOL_CALLS] are made",
        "<|channel|>commentary<|message|>Let me see",
        "<|channel|>commentary to=functions.f<|message|>Let me see",
        "[Calling tool: f]",
        "<function=" + "f" * LONGEST + ">",
    ],
)
def test_what_only_resembles_a_mark_is_none(text: str) -> None:
    assert opening_at(text, 0) is None


@pytest.mark.parametrize(("block", "_"), BLOCKS.values(), ids=BLOCKS)
def test_the_beginning_of_a_mark_waits_for_the_rest(block: str, _: object) -> None:
    opening = opening_at(block, 0)
    assert opening is not None
    begun = [block[:end] for end in range(1, LONGEST) if opening_at(block[:end], 0) is None]
    assert begun == [block[:end] for end in range(1, len(begun) + 1)]
    assert all(may_become_opening(text, 0) for text in begun)
    assert not may_become_opening(block[: len(begun) + 1], 0)
    assert opening.end in (len(begun), len(begun) + 1)


@pytest.mark.parametrize(("block", "_"), BLOCKS.values(), ids=BLOCKS)
def test_every_real_payload_stays_plausible_while_it_comes(block: str, _: object) -> None:
    opening = opening_at(block, 0)
    assert opening is not None
    payload = block[opening.end :]
    verdicts = [plausible(opening, payload[:end]) for end in range(len(payload) + 1)]
    assert False not in verdicts
    assert verdicts[-1] is True
    assert verdicts == sorted(verdicts, key=lambda verdict: verdict is True)


@pytest.mark.parametrize(
    ("mark", "payload", "verdict"),
    [
        ("<tool_call>", "", None),
        ("<tool_call>", "\n{", None),
        ("<tool_call>", "get_wea", None),
        ("<tool_call>", " tag is what it writes", False),
        ("<tool_call>", " and </tool_call>", False),
        ("<tool_call>", "</tool_call>", False),
        ("<tool_call>", "...</tool_call>", False),
        ("<tool_call>", "{...}</tool_call>", False),
        ("<tool_call>", ", [1] or so", False),
        ("<tool_call>", "\n" * LOOK_AHEAD, False),
        ("<tool_call>", "f" * LOOK_AHEAD, False),
        ("<|tool_call>", " starts it", False),
        ("<function=f>", " is used", False),
        ("<function=f>", "</function>", True),
        ("<function=f>", "\n<parameter=a>", True),
        ('<invoke name="f">', "\n", None),
    ],
)
def test_a_mark_that_is_only_spoken_of_is_let_go_early(mark: str, payload: str, verdict: bool | None) -> None:
    opening = opening_at(mark, 0)
    assert opening is not None
    assert plausible(opening, payload) is verdict


@pytest.mark.parametrize(("block", "_"), BLOCKS.values(), ids=BLOCKS)
def test_every_closing_mark_may_also_trail_behind_a_call(block: str, _: object) -> None:
    opening = opening_at(block, 0)
    assert opening is not None
    for close in opening.closes:
        assert stray_at(f"{close}.", 0) == len(close)
        assert all(may_become_stray(close[:end], 0) for end in range(1, len(close)))
        assert not may_become_stray(close, 0)


@pytest.mark.parametrize(
    "mark", ["<|im_end|>", "<|call|>", "<｜end▁of▁sentence｜>", "</s>", "<|eom_id|>", "<|/tool_call|>"]
)
def test_end_marks_may_trail_behind_a_call(mark: str) -> None:
    assert stray_at(f"call {mark} more", 5) == 5 + len(mark)


@pytest.mark.parametrize("text", ["", "<", "</div>", "<tool_call>", "</think>", "]", "x</tool_call>"])
def test_other_marks_are_not_swallowed(text: str) -> None:
    assert stray_at(text, 0) is None


def test_every_row_has_an_example_and_begins_with_a_known_character() -> None:
    blocks = [block for block, _ in BLOCKS.values()]
    assert {block[0] for block in blocks} == set(SECONDS)
    assert [row for row in ROWS if not any(regex.match(row.pattern, block, regex.ASCII) for block in blocks)] == []


PIECES = st.sampled_from(
    [
        *(
            "<",
            ">",
            "/",
            "=",
            '"',
            "|",
            "｜",
            "[",
            "]",
            "{",
            ":",
            " ",
            "\n",
            "f",
            "name",
            "tool_call",
            "tool▁call▁begin",
        ),
        *("function", "invoke", "[TOOL_CALLS]", "[ARGS]", "<|channel|>commentary to=f", "<|message|>", "]<]minimax[>["),
        *("</tool_call>", "<|call|>", "with arguments:", "[Calling tool: "),
    ]
)


@given(st.lists(PIECES, max_size=12).map("".join))
def test_a_mark_is_the_same_wherever_the_text_is_cut(text: str) -> None:
    whole = opening_at(text, 0)
    for end in range(1, len(text)):
        part = opening_at(text[:end], 0)
        if part is None and whole is not None and end < whole.end:
            assert may_become_opening(text[:end], 0)
        if part is not None:
            assert part == whole
    assert whole is None or 0 < whole.end <= LONGEST


@given(st.lists(PIECES, max_size=12).map("".join), st.lists(PIECES, max_size=12).map("".join))
def test_a_verdict_on_a_payload_stands(payload: str, more: str) -> None:
    for mark in ("<tool_call>", "<function=f>"):
        opening = opening_at(mark, 0)
        assert opening is not None
        verdict = plausible(opening, payload)
        assert verdict is None or plausible(opening, payload + more) is verdict


def test_the_second_characters_of_marks_are_those_that_are_told() -> None:
    """Text is passed on by them, unread."""
    characters = [*map(chr, range(0x250)), *"｜▁「“"]
    for first, seconds in SECONDS.items():
        told = [each for each in characters if re.match(f"[{seconds}]", each)]
        assert told == [each for each in characters if may_become_opening(first + each, 0)]
