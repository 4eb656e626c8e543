"""The guard against reasoning that stands in the text."""

from __future__ import annotations

from collections.abc import Sequence

import pytest
from hypothesis import given
from hypothesis import strategies as st

from adapters.contract import (
    Endpoint,
    ErrorChunk,
    ErrorReason,
    ProcessedChunk,
    TextChunk,
    TextPart,
    ThoughtLogEntry,
    ThoughtPart,
)
from adapters.decoder import Decoder, GuardOutput
from adapters.errors import error_of
from adapters.event_stream import EventStream, Source
from adapters.guards.reasoning_tags import LONGEST, MARKS, mark_at
from adapters.guards.think_tags import SPAN_LIMIT, think_tags
from adapters.record import TurnRecord
from adapters.wire.stage import pipeline
from tests.adapters.cuts import cut_at, places, run

Piece = str | ThoughtLogEntry


def guarded(*pieces: str) -> list[Piece]:
    """What the guard gives, pieces of one kind in a row joined."""
    out: list[Piece] = []
    for piece in run(think_tags(), pieces):
        last = out[-1] if out else None
        if isinstance(piece, str) and isinstance(last, str):
            out[-1] = last + piece
        elif isinstance(piece, ThoughtLogEntry) and isinstance(last, ThoughtLogEntry) and not piece.takes_back:
            out[-1] = ThoughtLogEntry(last.text + piece.text, takes_back=last.takes_back)
        else:
            out.append(piece)
    return out


def outcome(*pieces: str) -> tuple[str, str]:
    """The visible text and the thoughts, at the end."""
    text, thoughts = "", ""
    for piece in run(think_tags(), pieces):
        if isinstance(piece, str):
            text += piece
        else:
            if piece.takes_back:
                text, thoughts = "", thoughts + text
            thoughts += piece.text
    return text, thoughts


FENCE = "Like this:\n```xml\n<think>a</think>\n```\n"

OUTCOMES = [
    # ---- no mark
    ("Hello world", "Hello world", ""),
    ("I ❤ you <", "I ❤ you <", ""),
    ("a < b, <_x, <5, <div> and <|im_end|> stay", "a < b, <_x, <5, <div> and <|im_end|> stay", ""),
    ("<thinkable>a</thinkable> <thi", "<thinkable>a</thinkable> <thi", ""),
    ("ok <think tags here> and <think", "ok <think tags here> and <think", ""),
    ("&lt;think&gt;a&lt;/think&gt;", "&lt;think&gt;a&lt;/think&gt;", ""),
    ("[think](https://a.b) [THINKING]", "[think](https://a.b) [THINKING]", ""),
    # ---- spoken of
    ('The "<think>" and "</think>" marks', 'The "<think>" and "</think>" marks', ""),
    ('["[THINK]", "[/THINK]"], s = \'<think>\'', '["[THINK]", "[/THINK]"], s = \'<think>\'', ""),
    ("“<think>” «</think>» (<think>) **</think>**", "“<think>” «</think>» (<think>) **</think>**", ""),
    ('"<think>plan</think>"Yes"', '""Yes"', "plan"),
    ('He said "<think>', 'He said "', ""),
    ('<think>a "</think>" b</think>c', "c", 'a "" b'),
    ('He said `"<think>" x` and "', 'He said `"<think>" x` and "', ""),
    # ---- shapes
    ("<think>a</think>b", "b", "a"),
    ("<THINK>a</Think>b", "b", "a"),
    ("<mm:think>a</mm:think>b", "b", "a"),
    ("<mm:think>a</think>b", "b", "a"),
    ("<think>a</thought>b", "b", "a"),
    ("<think >a</think\n>b", "b", "a"),
    ("a< think >b< / think >c", "ac", "b"),
    ('<think id="q" n=1>a</think>b', "b", "a"),
    ("<think></think>b", "b", ""),
    ("<think/>b<think />c", "bc", ""),
    *(
        (f"<{name}>a</{name}>b", "b", "a")
        for name in ("thinking", "thought", "reasoning", "antthinking", "seed:think", "antml:thinking")
    ),
    ("[THINK]a[/THINK]b", "b", "a"),
    ("◁think▷a◁/think▷b", "b", "a"),
    ("<|channel>thought\na<channel|>b", "b", "\na"),
    ("<|begin_of_thought|>a<|end_of_thought|><|begin_of_solution|>b<|end_of_solution|>", "b", "a"),
    ("<|START_THINKING|>a<|END_THINKING|><|START_RESPONSE|>b<|END_RESPONSE|>", "b", "a"),
    # ---- harmony
    ("<|channel|>analysis<|message|>a<|end|><|start|>assistant<|channel|>final<|message|>b<|return|>", "b", "a"),
    ("<|channel|>analysis<|message|>a<|channel|>final<|message|>b", "b", "a"),
    ("<|channel|>commentary<|message|>b<|end|><|start|>assistant<|channel|>final<|message|>c", "bc", ""),
    ('<|channel|>commentary to=functions.f <|constrain|>json<|message|>{"a":1}<|call|>',) * 2 + ("",),
    ("ends in <|end|>", "ends in <|end|>", ""),
    # ---- several, nested, open
    ("<think>a</think>B<think>c</think>D", "BD", "ac"),
    ("<think>a<think>b</think>c</think>d", "d", "abc"),
    ("<think>a <think> tag</think>b", "b", "a  tag"),
    ("<think>never closed", "", "never closed"),
    ("x<think>plan</th", "x", "plan</th"),
    # ---- the opening mark was in the prompt
    ("plan</think>b", "b", "plan"),
    ("</think>\n\nb", "b", "\n\n"),
    ("A</think>B</think>C", "C", "AB"),
    ("<think>plan</think>\n</think>\nb", "b", "plan\n\n"),
    # ---- white space
    ("<think>a</think>\n\n b", "b", "a\n\n "),
    ("Hi <think>a</think> there", "Hi there", "a "),
    ("Hi<think>a</think> there", "Hi there", "a"),
    ("One.\n\n<think>a</think>\n\nTwo.", "One.\n\nTwo.", "a\n\n"),
    # ---- code
    ("Use `<think>` tags", "Use `<think>` tags", ""),
    ("Use ``a ` <think>`` tags", "Use ``a ` <think>`` tags", ""),
    ("Use `<think>` and `</think>`:\n" + FENCE, "Use `<think>` and `</think>`:\n" + FENCE, ""),
    (FENCE + "<think>b</think>c", FENCE + "c", "b"),
    ("~~~\n<think>a</think>\n```\n<think>\n~~~\nb", "~~~\n<think>a</think>\n```\n<think>\n~~~\nb", ""),
    ("1. So:\n   ```\n\n   <think>\n   ```\n2. b", "1. So:\n   ```\n\n   <think>\n   ```\n2. b", ""),
    ("> ````\n> ```\n> <think>", "> ````\n> ```\n> <think>", ""),
    ("```a``` <think>b</think>c", "```a``` c", "b"),
    ("a ` tick <think>b</think>c", "a ` tick c", "b"),
    ("a ` tick\n\n<think>b</think>c `", "a ` tick\n\nc `", "b"),
    ("a ` tick <think>" + "b" * SPAN_LIMIT + "</think>c`", "a ` tick c`", "b" * SPAN_LIMIT),
    ("<think>a `</think>` b", "` b", "a `"),
    ("It is\n```\nx\n```</think>\nb", "b", "It is\n```\nx\n```\n"),
    ("It is\n```\nx\n```<think>a</think> <think>b</think>", "It is\n```\nx\n``` ", "ab"),
    ("```</think>b", "b", "```"),
    ("    <think>a</think>\nb", "    b", "a\n"),
]


@pytest.mark.parametrize(("whole", "text", "thoughts"), OUTCOMES)
def test_what_stands_between_marks_is_thought_and_the_rest_is_text(whole: str, text: str, thoughts: str) -> None:
    """Whole, and character by character."""
    assert outcome(whole) == (text, thoughts)
    assert outcome(*whole) == (text, thoughts)


@pytest.mark.parametrize("mark", MARKS)
def test_no_mark_is_the_beginning_of_another(mark: str) -> None:
    """So the longest match is the only one."""
    assert not any(other.startswith(mark) for other in MARKS if other != mark)
    assert len(mark) < LONGEST


def test_text_is_given_as_it_comes() -> None:
    """Only what may become a mark waits, and only until it cannot."""
    guard = think_tags()
    steps = [
        (piece, guard.feed(piece)) for piece in ("a", " <", "3 <d", "iv> <thi", "s <", "think>x", "</think", "ing>y")
    ]
    assert steps == [
        ("a", ["a"]),
        (" <", [" "]),
        ("3 <d", ["<3 "]),
        ("iv> <thi", ["<div> "]),
        ("s <", ["<this "]),
        ("think>x", [ThoughtLogEntry("x")]),
        ("</think", []),
        ("ing>y", ["y"]),
    ]


def test_behind_a_back_tick_only_a_mark_waits() -> None:
    """Until the inline code ends; without a mark, inline code streams like any text."""
    guard = think_tags()
    assert "".join(map(str, guard.feed("Use `code and <b> "))) == "Use `code and <b> "
    assert guard.feed("<think> ") == []
    assert guard.feed("x`") == []
    assert guard.feed(" y") == ["<think> x` y"]


def test_an_opening_mark_that_was_in_the_prompt_takes_the_text_back() -> None:
    """Once, at the closing mark; no word is given twice."""
    assert guarded("The user greets me.", "</th", "ink>", "\nHi") == [
        "The user greets me.",
        ThoughtLogEntry("\n", takes_back=True),
        "Hi",
    ]
    assert guarded("</think>Hi") == ["Hi"]


# ------------------------------------------------------------------------------------------------------------ laws

FRAGMENTS = st.lists(
    st.sampled_from(
        [
            *("<think>", "</think>", "<mm:think>", "</Thinking >", "<think/>", '<think a="b">', "[THINK]", "[/THINK]"),
            *('"', "*", "(", ")"),
            *("◁think▷", "<|channel|>analysis<|message|>", "<|start|>assistant<|channel|>final<|message|>", "<|end|>"),
            *(
                "<",
                "</",
                "<thi",
                "nk>",
                "[",
                "<|",
                "a",
                "b c",
                " ",
                "  ",
                "\n",
                "\n\n",
                "`",
                "``",
                "```",
                "~~~",
                "> ",
                "- ",
            ),
        ]
    ),
    max_size=24,
)
TEXTS = FRAGMENTS.map("".join) | st.text(st.sampled_from("<>/ht:think`~[\n "), max_size=40)


@given(TEXTS, places)
def test_the_result_does_not_depend_on_the_cut(whole: str, cuts: Sequence[int]) -> None:
    """Whole, cut anywhere, character by character."""
    assert guarded(*cut_at(whole, cuts)) == guarded(whole) == guarded(*whole)


@given(TEXTS, places)
def test_nothing_is_lost_but_the_marks_themselves(whole: str, cuts: Sequence[int]) -> None:
    """Text and thoughts, in the order in which they are given, are the input without marks."""
    pieces = map(_words, run(think_tags(), cut_at(whole, cuts)))
    rests = {0}
    for piece in pieces:
        rests = {at + len(piece) for at in _past_marks(whole, rests) if whole.startswith(piece, at)}
    assert len(whole) in _past_marks(whole, rests)


def _words(piece: GuardOutput) -> str:
    assert isinstance(piece, str | ThoughtLogEntry)
    return piece if isinstance(piece, str) else piece.text


def _past_marks(whole: str, starts: set[int]) -> set[int]:
    """These places, and those behind marks that stand there."""
    reached, news = set(starts), set(starts)
    while news:
        news = {found[1] for at in news if (found := mark_at(whole, at))} - reached
        reached |= news
    return reached


@given(st.text(st.sampled_from("ab <>/\n*#.,:[]"), max_size=60), places)
def test_text_without_a_mark_is_not_changed(whole: str, cuts: Sequence[int]) -> None:
    """The name of every mark has letters that are missing here."""
    assert "".join(map(str, run(think_tags(), cut_at(whole, cuts)))) == whole


@given(TEXTS)
def test_no_more_is_held_than_a_mark_may_be_long(whole: str) -> None:
    """After a back-tick, no more than inline code may be."""
    guard = think_tags()
    guard.feed(whole)
    held = "".join(map(_words, guard.close()))
    assert len(held) <= (SPAN_LIMIT if "`" in whole else LONGEST)


@pytest.mark.parametrize(
    "piece",
    ["<", "<think a=", "<think ", "`<think>x", "``` ~~~", "`<", "<a:", "[THIN", "a</think>", '"<think>', "(</think"],
)
def test_long_runs_of_what_may_become_a_mark_end(piece: str) -> None:
    """Each character is looked at a bounded number of times, so a long run of it costs what it is long."""
    whole = "`" + piece * (50_000 // len(piece))
    assert outcome(*whole) == outcome(whole)
    assert sum(map(len, outcome(whole))) <= len(whole)


# -------------------------------------------------------------------------------------------- taking back, further on


class Words(Decoder[str, str]):
    """A protocol whose messages are text; `.` ends the answer."""

    def __init__(self) -> None:
        super().__init__(pipeline(_Characters()), [think_tags()])

    def read_chunk(self, message: str) -> str | None:
        return message

    def process_chunk(self, raw: str) -> None:
        self.show(raw)

    def at_end(self, error: object) -> None:
        self.break_off(error_of(ErrorReason.SERVER, "broken"))


class _Characters:
    def feed(self, item: bytes) -> Sequence[str]:
        return [item.decode()]

    def close(self) -> Sequence[str]:
        return ()


def decode(*texts: str) -> list[ProcessedChunk]:
    return list(run(Words(), [text.encode() for text in texts]))


def test_text_that_was_taken_back_was_not_visible() -> None:
    """A stream that breaks before the answer may be asked for again."""
    *_, taken = decode("plan", "</think>")
    *_, answered = decode("plan", "</think>Hi")
    assert isinstance(taken, ErrorChunk)
    assert isinstance(answered, ErrorChunk)
    assert answered.error.retryable is False
    assert taken.error.retryable is error_of(ErrorReason.SERVER, "").retryable


def test_the_record_of_the_turn_has_it_as_a_thought() -> None:
    """So it does not go back to the model as its answer."""
    record = TurnRecord()
    record.add(decode("I pl", "an</thi", "nk>\nHi"))
    parts = record.message(Endpoint().origin("p", "m")).parts
    assert [type(part) for part in parts] == [ThoughtPart, ThoughtPart, TextPart]
    assert [part.text for part in parts if isinstance(part, TextPart | ThoughtPart)] == ["I plan", "\n", "Hi"]


async def test_the_partial_text_of_an_error_leaves_it_out() -> None:
    """Only what still counts as text travels with the ending."""

    async def source() -> Source:
        yield decode("plan", "</think>Hi")

    *chunks, last = [chunk async for chunk in EventStream(source())]
    assert TextChunk(thoughts=(ThoughtLogEntry("", takes_back=True),)) in chunks
    assert isinstance(last, ErrorChunk)
    assert last.partial_text == "Hi"
