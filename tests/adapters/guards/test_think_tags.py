"""The guard against reasoning that stands in the text."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

import pytest
from hypothesis import given
from hypothesis import strategies as st

from adapters.contract import ThoughtLogEntry
from adapters.guards.reasoning_tags import LONGEST, MARKS, START, mark_at
from adapters.guards.think_tags import SPAN_LIMIT, ThinkTags, visible
from tests.adapters.cuts import places
from tests.adapters.guards import laws


def outcome(*pieces: str) -> tuple[str, str]:
    """The visible text and the thoughts, at the end."""
    return laws.outcome(laws.run_guard(ThinkTags(), pieces))


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
    ("„<think>“, „</think>”, ›<think>‹, ‹<think>›", "„<think>“, „</think>”, ›<think>‹, ‹<think>›", ""),
    ("『<think>』と《</think>》、（<think>）", "『<think>』と《</think>》、（<think>）", ""),
    ("_<think>_ or |<think>|", "_<think>_ or |<think>|", ""),
    ("*waves*<think>*hm*</think>*sits*", "*waves**sits*", "*hm*"),
    ('"Hi."<think>"hm"</think>"Bye"', '"Hi.""Bye"', '"hm"'),
    ("用**<think>**和“</think>”", "用**<think>**和“</think>”", ""),
    ('"<think>plan</think>"Yes"', '""Yes"', "plan"),
    ('He said "<think>', 'He said "', ""),
    ('<think>a "</think>" b</think>c', "c", 'a "" b'),
    ("(<think>a</think><think>)b</think>c", "(c", "a)b"),
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
        for name in ("thinking", "thought", "reasoning", "scratchpad", "antthinking", "seed:think", "antml:thinking")
    ),
    ("<longcat_think>a</longcat_think>b", "b", "a"),
    ("[THINK]a[/THINK]b", "b", "a"),
    ("<|inner_prefix|>a<|inner_suffix|>b", "b", "a"),
    ("<|think:start|>a<|think:end|>b", "b", "a"),
    ("<unused94>thought\na<unused95>b", "b", "\na"),
    ("[unused16]a[unused17]b", "b", "a"),
    ("<ifm|think_fast>a</ifm|think>b", "b", "a"),
    ("<think>a</think><|begin_of_box|>b<|end_of_box|>", "b", "a"),
    ("a in <|begin_of_box|>5<|end_of_box|>.", "a in 5.", ""),
    ("◁think▷a◁/think▷b", "b", "a"),
    ("<|channel>thought\na<channel|>b", "b", "\na"),
    ("<|begin_of_thought|>a<|end_of_thought|><|begin_of_solution|>b<|end_of_solution|>", "b", "a"),
    ("<|START_THINKING|>a<|END_THINKING|><|START_RESPONSE|>b<|END_RESPONSE|>", "b", "a"),
    # ---- harmony
    ("<|channel|>analysis<|message|>a<|end|><|start|>assistant<|channel|>final<|message|>b<|return|>", "b", "a"),
    ("<|channel|>analysis<|message|>a<|channel|>final<|message|>b", "b", "a"),
    ("<|channel|>commentary<|message|>b<|end|><|start|>assistant<|channel|>final<|message|>c", "bc", ""),
    ('<|channel|>commentary to=functions.f <|constrain|>json<|message|>{"a":1}<|call|>',) * 2 + ("",),
    ("<think>a<|channel|>final<|message|>b<|return|>", "b", "a"),
    ("ends in <|end|>", "ends in <|end|>", ""),
    # ---- several, nested, open
    ("<think>a</think>B<think>c</think>D", "BD", "ac"),
    ("<think>a<think>b</think>c</think>d", "d", "abc"),
    ("<think>a <think> tag</think>b", "b", "a  tag"),
    ("<think>never closed", "", "never closed"),
    ("<think>a<think/>b", "", "ab"),
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
    ("Use `<think>`", "Use `<think>`", ""),
    ("Use ``a ` <think>`` tags", "Use ``a ` <think>`` tags", ""),
    ("Use `<think>` and `</think>`:\n" + FENCE, "Use `<think>` and `</think>`:\n" + FENCE, ""),
    (FENCE + "<think>b</think>c", FENCE + "c", "b"),
    ("~~~\n<think>a</think>\n```\n<think>\n~~~\nb", "~~~\n<think>a</think>\n```\n<think>\n~~~\nb", ""),
    ("1. So:\n   ```\n\n   <think>\n   ```\n2. b", "1. So:\n   ```\n\n   <think>\n   ```\n2. b", ""),
    ("```\nx\n``` not\n<think>", "```\nx\n``` not\n<think>", ""),
    ("> ````\n> ```\n> <think>", "> ````\n> ```\n> <think>", ""),
    ("```a``` <think>b</think>c", "```a``` c", "b"),
    ("```a``` <think>b</think>c ``` d", "```a``` c ``` d", "b"),
    ("a ` tick <think>b</think>c", "a ` tick c", "b"),
    ("a ` tick\n\n<think>b</think>c `", "a ` tick\n\nc `", "b"),
    ("a ` tick <think>" + "b" * SPAN_LIMIT + "</think>c`", "a ` tick c`", "b" * SPAN_LIMIT),
    ("<think>a `</think>` b", "` b", "a `"),
    ("<think>`</think>`b", "`b", "`"),
    ("<think>\n```\n</think>\n```\n</think>b", "b", "\n```\n\n```\n"),
    ("<think>\n```\n</think>\n```\nok</think>b\n" + FENCE, "b\n" + FENCE, "\n```\n\n```\nok"),
    ("<think>\n```\nx\n```\n</think>" + FENCE, FENCE, "\n```\nx\n```\n"),
    ("<think>\n```\nx\n```</think>" + FENCE, FENCE, "\n```\nx\n```"),
    ("<think>\nx```\n</think>\n" + FENCE, FENCE, "\nx```\n\n"),
    ("<think>\n```\n</think> more</think>b", "b", "\n```\n more"),
    ("<think>x</think>a<think>```\nb\n</think>c\n```\n<think>d</think>e", "ac\n```\ne", "x```\nb\nd"),
    ("a ` b <think>\n\n</think>c <think>d</think> ` e", "a ` b c ` e", "\n\nd "),
    ("```\nx\n```<think>a</think>y\n<think>b</think>", "```\nx\n```y\n", "ab"),
    ("It is\n```\nx\n```</think>\nb", "b", "It is\n```\nx\n```\n"),
    ("It is\n```\nx\n```<think>a</think> <think>b</think>", "It is\n```\nx\n``` ", "ab"),
    ("```</think>b", "b", "```"),
    ("plan</think>```\n<think>\n\n```", "```\n<think>\n\n```", "plan"),
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
    assert START.match(mark)


def test_text_is_given_as_it_comes() -> None:
    """Only what may become a mark waits, and only until it cannot."""
    guard = ThinkTags()
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
    guard = ThinkTags()
    assert "".join(map(str, guard.feed("Use `code and <b> "))) == "Use `code and <b> "
    assert guard.feed("<think> ") == []
    assert guard.feed("x`") == []
    assert guard.feed(" y") == ["<think> x` y"]
    assert guard.feed("or `<think> and so on") == ["or `"]
    assert guard.feed("` or `</think>` z") == ["<think> and so on` or `</think>` z"]


def test_an_opening_mark_that_was_in_the_prompt_takes_the_text_back() -> None:
    """Once, at the closing mark; no word is given twice."""
    given = laws.run_guard(ThinkTags(), ["The user greets me.", "</th", "ink>", "\nHi"])
    assert laws.joined(given) == [
        "The user greets me.",
        ThoughtLogEntry("\n", takes_back=True),
        "Hi",
    ]
    assert laws.run_guard(ThinkTags(), ["</think>Hi"]) == ["Hi"]
    assert laws.run_guard(ThinkTags(), ["a</think></think>b"]) == ["a", ThoughtLogEntry("", takes_back=True), "b"]


def test_a_text_that_settles_goes_on_where_it_was() -> None:
    """What is held comes out as it stands; a thought stays open until a mark closes it."""
    guard = ThinkTags()
    assert [*guard.feed("a <th"), *guard.settle(ended=False)] == ["a ", "<th"]
    assert guard.feed("ink>b<think>c</th") == ["ink>b", ThoughtLogEntry("c")]
    assert guard.settle(ended=False) == [ThoughtLogEntry("</th")]
    assert guard.feed("d</think>e") == [ThoughtLogEntry("d"), "e"]


@pytest.mark.parametrize(
    ("whole", "text"),
    [
        ("<think>secret plan</think>Hello!", "Hello!"),
        ("secret plan</think>\n\nHello!", "Hello!"),
        ("One.\n\n<think>more</think>\n\nTwo.", "One.\n\nTwo."),
        (FENCE, FENCE),
        ("<think>cut off", ""),
        ("", ""),
    ],
)
def test_a_stored_answer_goes_back_to_the_model_without_thoughts(whole: str, text: str) -> None:
    assert visible(whole) == text


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


def marks_at(whole: str, at: int) -> Iterable[int]:
    """Where the mark ends that begins here."""
    found = mark_at(whole, at)
    return (found[1],) if found else ()


@given(TEXTS, places)
def test_the_result_does_not_depend_on_the_cut(whole: str, cuts: Sequence[int]) -> None:
    laws.check_cut(ThinkTags, whole, cuts)


@given(TEXTS, places)
def test_nothing_is_lost_but_the_marks_themselves(whole: str, cuts: Sequence[int]) -> None:
    laws.check_nothing_lost(ThinkTags, whole, cuts, marks_at)


@given(TEXTS, places)
def test_what_passes_unread_comes_out_as_if_it_had_been_read(whole: str, cuts: Sequence[int]) -> None:
    laws.check_unread(ThinkTags, whole, cuts)


@given(TEXTS, TEXTS)
def test_after_taking_back_all_begins_anew(whole: str, then: str) -> None:
    laws.check_anew(ThinkTags, whole, then)


@given(TEXTS)
def test_a_settled_guard_holds_nothing(whole: str) -> None:
    laws.check_settled(ThinkTags, whole)


@given(st.text(st.sampled_from("ab <>/\n*#.,:[]`~"), max_size=60), places)
def test_text_without_a_mark_is_not_changed(whole: str, cuts: Sequence[int]) -> None:
    """The name of every mark has letters that are missing here."""
    laws.check_untouched(ThinkTags, whole, cuts)


@given(TEXTS)
def test_no_more_is_held_than_a_mark_may_be_long(whole: str) -> None:
    """After a back-tick, no more than inline code may be."""
    laws.check_held(ThinkTags, whole, SPAN_LIMIT if "`" in whole else LONGEST)


def test_no_more_is_held_of_a_tag_than_the_longest_may_have() -> None:
    laws.check_held(ThinkTags, '<think a="' + "b" * 2 * LONGEST, LONGEST)


def test_no_more_is_held_behind_a_back_tick_than_inline_code_may_be_long() -> None:
    laws.check_held(ThinkTags, "`<think>" + "a" * 2 * SPAN_LIMIT, SPAN_LIMIT)


@given(TEXTS)
def test_a_stored_text_is_swept_as_if_it_streamed(whole: str) -> None:
    assert visible(whole) == outcome(whole)[0]


@pytest.mark.parametrize(
    "piece",
    ["<", "<think a=", "<think ", "`<think>x", "``` ~~~", "`<", "<a:", "[THIN", "a</think>", '"<think>', "(</think"],
)
def test_long_runs_of_what_may_become_a_mark_end(piece: str) -> None:
    """Each character is looked at a bounded number of times, so a long run of it costs what it is long."""
    whole = "`" + piece * (50_000 // len(piece))
    laws.check_cut(ThinkTags, whole, ())
    assert sum(map(len, outcome(whole))) <= len(whole)
