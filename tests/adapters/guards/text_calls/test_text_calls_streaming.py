"""The guard that finds calls which the model wrote as text: what waits and how long, how a text ends, and the laws of guards."""

from __future__ import annotations

import json
from collections.abc import Sequence
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from adapters.contract import ToolSpec
from adapters.guards.guard import WrittenCall
from adapters.guards.row import GuardRow
from adapters.guards.text_calls.block_reader import BLOCK_LIMIT, DOUBT_LIMIT
from adapters.guards.text_calls.judge import DOUBTS
from adapters.guards.text_calls.readers import TEXT_LIMIT
from adapters.guards.think_tags import ThinkTags
from tests.adapters.cuts import places
from tests.adapters.guards import laws
from tests.adapters.guards.text_calls.calls_in_text import BLOCK, BROKEN, CALL, M, outcome, plain, read, text_calls
from tests.shared import SHARED

# ------------------------------------------------------------------------------------------------ what waits, and how long


def held(*pieces: str) -> list[tuple[str, str]]:
    """Each piece, and what came out at it."""
    guard = text_calls()
    return [(piece, "".join(laws.words(guard.feed(piece)))) for piece in pieces]


def test_text_waits_only_while_it_may_begin_a_call() -> None:
    assert held("say r", "eally", " `r", "ed` ", "**", "bold** ", "read_file", " me", " <", "3 <tool", "box>") == [
        ("say r", "say "),
        ("eally", "really"),
        (" `r", " "),
        ("ed` ", "`red` "),
        ("**", ""),
        ("bold** ", "**bold** "),
        ("read_file", ""),
        (" me", "read_file me"),
        (" <", " "),
        ("3 <tool", "<3 "),
        ("box>", "<toolbox>"),
    ]


def test_code_and_json_that_can_be_no_call_stream() -> None:
    assert held("```py\n", "import", " x\n```\n", '{"na', 'me": "J', 'ohn"}\n', '{"id": 1, "tit') == [
        ("```py\n", ""),
        ("import", "```py\nimport"),
        (" x\n```\n", " x\n```\n"),
        ('{"na', ""),
        ('me": "J', '{"name": "J'),
        ('ohn"}\n', 'ohn"}\n'),
        ('{"id": 1, "tit', '{"id": 1, "tit'),
    ]


def test_what_is_spoken_of_between_marks_streams() -> None:
    assert held("Use <tool_call>", " tags", " for it.") == [
        ("Use <tool_call>", "Use "),
        (" tags", ""),
        (" for it.", "<tool_call> tags for it."),
    ]


def test_no_part_of_a_call_flashes_up() -> None:
    for call in (
        *('read_file("m")', '**`read_file("m")`**', BLOCK, CALL),
        *('```python\nread_file("m")\n```', "[list_rooms()]", '```tool_code\nprint(read_file("m"))\n```'),
    ):
        guard = text_calls()
        assert [given for piece in call for given in guard.feed(piece) if isinstance(given, str)] == []


@pytest.mark.parametrize(
    ("begun", "limit"),
    [
        ('read_file("', TEXT_LIMIT),
        ('{"name": "read_file", "arguments": "', TEXT_LIMIT),
        ('```\nread_file("', TEXT_LIMIT),
        ('<tool_call>{"name": "', BLOCK_LIMIT),
    ],
)
def test_what_never_ends_is_text_at_a_limit(begun: str, limit: int) -> None:
    guard = text_calls()
    whole = begun + "x" * (limit + 10)
    pieces = [whole[at : at + 1000] for at in range(0, len(whole), 1000)]
    assert "".join(laws.words([given for piece in pieces for given in guard.feed(piece)])) == whole


def test_broken_quotation_marks_hold_the_answer_up_for_a_while_only() -> None:
    guard = text_calls()
    guard.feed(BROKEN)
    guard.feed("x" * DOUBT_LIMIT)
    assert [plain(given) for given in guard.feed("y")] == [("read_file",), "x" * DOUBT_LIMIT + "y"]


def test_quotation_marks_that_were_broken_often_are_trusted_no_more() -> None:
    guard = text_calls()
    for _ in range(DOUBTS):
        guard.feed(BROKEN)
        guard.settle(ended=True)
    assert [plain(given) for given in guard.feed(f"{BROKEN} So")] == [("read_file",), " So"]


@pytest.mark.parametrize(
    "piece",
    [
        *(
            "<",
            "`",
            "[",
            "{",
            "(",
            '"',
            "\\",
            "*",
            "\n",
            "r",
            "read_file",
            "read_file(",
            'read_file("m") ',
            "<tool_call>",
        ),
        *(
            '<tool_call>{"',
            "\n{",
            '\n{"id": "',
            "[TOOL_CALLS]",
            "[list_rooms(), ",
            "```\n",
            "```tool_code\nprint(",
            "</tool_call>",
            '`read_file("',
            'find(q="""',
        ),
    ],
)
def test_long_runs_of_what_may_begin_a_call_end(piece: str) -> None:
    """Each character is looked at a bounded number of times, so a long run of it costs what it is long."""
    laws.check_cut(text_calls, piece * (20_000 // len(piece)), ())


# ------------------------------------------------------------------------------------------------------------- the ends


def test_a_cut_answer_runs_nothing_that_may_go_on() -> None:
    assert outcome('read_file("m")', ended=False) == [M]
    for whole in ('read_file("m"', '```\nread_file("m")', CALL[:-1]):
        assert outcome(whole, ended=False) == [whole]


def test_text_goes_on_after_a_part_of_it_has_settled() -> None:
    """What was before still leads to what comes."""
    guard = text_calls()
    out = [*guard.feed("For example "), *guard.settle(ended=True), *guard.feed('read_file("m")')]
    assert laws.joined([*out, *guard.settle(ended=True)]) == ['For example read_file("m")']


def test_text_that_was_reasoning_leads_to_nothing() -> None:
    """What was held of it comes back, and what follows begins a new text."""
    guard = text_calls()
    assert guard.feed("For example `x` and\n```\nread_") == ["For example `x` and\n```\nread_"]
    assert guard.take_back() == ""
    assert guard.feed(f"So\n{CALL}") == ["So\n"]
    assert guard.take_back() == CALL
    assert [plain(each) for each in [*guard.feed('read_file("m")'), *guard.settle(ended=True)]] == [M]


def test_a_call_in_a_thought_is_not_run() -> None:
    row = GuardRow([ThinkTags(), text_calls()])
    out = [*row.feed(f"<think>I could {BLOCK}</think>No need."), *row.settle(ended=True)]
    assert not [each for each in out if isinstance(each, WrittenCall)]
    assert laws.outcome(out)[0] == "No need."


@pytest.mark.parametrize(
    "whole",
    [
        'read_file("\ud800")',
        'read_file(id="\ud800")',
        "<function=read_file><parameter=id>\ud800</parameter></function>",
        CALL.replace('"m"', '"\ud800"'),
    ],
)
def test_half_a_character_breaks_nothing(whole: str) -> None:
    assert outcome(whole) == [("read_file", {"id": "\ufffd"})]


# ---------------------------------------------------------------------------------------------------------------- laws

FRAGMENTS = st.lists(
    st.sampled_from(
        [
            *(
                'read_file("m")',
                "read_file",
                "(",
                ")",
                '"m"',
                '"',
                "'",
                '"""',
                "list_rooms()",
                "set_count(n=5)",
                "functions.",
            ),
            *(
                "`",
                "``",
                "```",
                "```\n",
                "```python\n",
                "~~~\n",
                "**",
                "*",
                "\n",
                "\n\n",
                " ",
                "> ",
                "- ",
                "\\",
                ";",
                ",",
                ".",
            ),
            *(
                CALL,
                BLOCK,
                BROKEN,
                "<tool_call>",
                "</tool_call>",
                "<tool",
                "{",
                "}",
                "[",
                "]",
                '{"name": "read_file"',
                ", ",
            ),
            *(
                '"arguments": {"id": "m"}}',
                '{"id": "c", ',
                "[TOOL_CALLS]",
                "[list_rooms()]",
                "[list_rooms(), ",
                "```tool_code\n",
                "print(",
                "<function=read_file>",
                "<parameter=id>m</parameter>",
            ),
            *(
                "</function>",
                "<|im_end|>",
                "<|python_tag|>",
                "e.g. ",
                "call ",
                "The ",
                "and ",
                "now. ",
                "a",
                "B",
                "使用",
                "。",
            ),
        ]
    ),
    max_size=20,
)
TEXTS = FRAGMENTS.map("".join)


@given(TEXTS, places)
def test_the_result_does_not_depend_on_the_cut(whole: str, cuts: Sequence[int]) -> None:
    laws.check_cut(text_calls, whole, cuts)


@given(TEXTS, places)
def test_nothing_is_lost(whole: str, cuts: Sequence[int]) -> None:
    laws.check_nothing_lost(text_calls, whole, cuts)


@given(st.text(st.sampled_from("ab <>/\n*#.,:[]{}`~\"'()"), max_size=60), places)
def test_text_without_a_call_is_not_changed(whole: str, cuts: Sequence[int]) -> None:
    laws.check_untouched(text_calls, whole, cuts)


@given(TEXTS, places)
def test_what_passes_unread_comes_out_as_if_it_had_been_read(whole: str, cuts: Sequence[int]) -> None:
    laws.check_unread(text_calls, whole, cuts)


@given(TEXTS, TEXTS)
def test_after_taking_back_all_begins_anew(whole: str, then: str) -> None:
    laws.check_anew(text_calls, whole, then)


@given(TEXTS)
def test_a_settled_guard_holds_nothing(whole: str) -> None:
    laws.check_settled(text_calls, whole)


# ------------------------------------------------------------------------------------------------------------- vectors


def _vectors() -> list[Any]:
    path = SHARED / "tools" / "fixtures" / "vectors.jsonl"
    lines = path.read_text("utf-8").splitlines() if path.exists() else []
    return [vector for vector in map(json.loads, lines) if vector["id"].startswith("VC-")]


def test_the_vectors_of_calls_in_text() -> None:
    """They lie beside the checkout (tests/shared.py)."""
    vectors = _vectors()
    if not vectors:
        pytest.skip(f"no vectors under {SHARED}; PARLEY_SHARED names another folder")
    for vector in vectors:
        offered = [each["function"] for each in vector["config"]["tool_list"]]
        tools = [ToolSpec(each["name"], "", each["parameters"]) for each in offered]
        given = read(*vector["input"]["deltas"], tools=tools)
        text = "".join(each for each in given if isinstance(each, str))
        calls = [plain(each) for each in given if isinstance(each, WrittenCall)]
        right = [
            (one["text"].strip(), [(call["name"], call["arguments"]) for call in one["tool_calls"]])
            for one in (vector["expected"], *vector["alternatives"])
        ]
        assert (text.strip(), calls) in right, vector["id"]
