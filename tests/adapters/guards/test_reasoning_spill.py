"""The guard against the end of the reasoning that a server glued to the answer."""

from __future__ import annotations

from collections.abc import Sequence

import pytest
from hypothesis import given
from hypothesis import strategies as st

from adapters.contract import ThoughtLogEntry
from adapters.guards.guard import GuardOutput
from adapters.guards.reasoning_spill import LIMIT, WINDOW, ReasoningSpill
from tests.adapters.cuts import places
from tests.adapters.guards import laws


def after_thought() -> ReasoningSpill:
    guard = ReasoningSpill()
    guard.heard_thought()
    return guard


SPILLS = [
    ("the reveal.", "Wrrrf... lemme chew on this bone."),
    ("s either.", "Yes indeed I have!"),
    ("wait.", "Actually let me reconsider"),
    ("hello there!", "General"),
    ("hmm?!", "Yes"),
    ("let me wait...", "Hello"),
    # ---- the answer in lower case, or with a number: behind several words
    ("g it out.", "hey master 👋"),
    ("that's it.", "no worries"),
    ("so ok.", "5 apples"),
    # ---- other beginnings of an answer
    ("s.", "I am fine"),
    ("lemme think.", "😊 hi there"),
    ("ok.", "❤ you"),
    ("ok.", "\U0001fae8 hm"),
    ("ok.", "*waves*"),
    ("ok.", "(sure)"),
    ("ok.", "{sure}"),
    ("ok.", "「はい」"),
    ("i really mean it.", "**Bold** words"),
    ("the format.", "JSON is text"),
    ("the capital.", "Paris[1] is it"),
    ("the plan.", "<b>Hi</b>"),
    ("some_name is set.", "_Hi_"),
    # ---- other scripts
    ("must do.", "こんにちは"),
    ("set my_var.", "你好"),
    ("ok。", "Hi"),
    ("the word is 猫.", "Hello"),
    ("да.", "Привет"),
    ("μια σκέψη.", "Γεια σου"),
    ("über gut.", "Ja"),
    ("düşünelim.", "İyi"),
    ("que faire ?", "Oui"),
    # ---- white space goes with the thought
    ("\n\nthe end.", "Hi"),
    ("   the\nend.", "Hi\n"),
    # ---- dots before it that end no sentence
    ("totaling $1.20.", "Bel"),
    ("see `a` and b.", "Go now"),
    ("use the `obj.Method` here.", "Sure"),
    ("visit apple.com for this.", "Sure"),
    ("it is at apple.com.", "Sure"),
    ("see e.g, this one.", "Hello"),
    # ---- quotation marks and brackets that the sentence closes
    ('he said "stop."', "Yes"),
    ("he said ‘stop.’", "Yes"),
    ("he said “stop.”", "Yes"),
    ("he said «stop.»", "Yes"),
    ("he said 'stop.'", "Yes"),
    ("it is _so._", "Yes"),
    ("it is [so.]", "Yes"),
    ("use `a.b`.", "Use it"),
    ("that's all.", "1. First"),
    ("it is so (really!)", "Yes"),
    ("it is **so.**", "Yes"),
]


@pytest.mark.parametrize(("thought", "answer"), SPILLS)
def test_a_sentence_in_lower_case_with_no_blank_behind_it_was_a_thought(thought: str, answer: str) -> None:
    """It goes to the thoughts as it is; its white space too."""
    whole = thought + answer
    assert laws.joined(laws.run_guard(after_thought(), [whole])) == [ThoughtLogEntry(thought), answer]
    assert laws.joined(laws.run_guard(after_thought(), whole)) == [ThoughtLogEntry(thought), answer]


ANSWERS = [
    "the ball costs five cents. The bat costs $1.05.",
    "wait. Actually let me reconsider",
    "the end.\nHi",
    "the end.   ",
    "the end.",
    "hello there",
    "well…Hello",
    # ---- no lower-case letter first
    "Hello.World",
    "123.Hello",
    '"quoted".Hi',
    "`obj.Method` works",
    "ね。はい",
    "Hi.the end.Yo",
    # ---- one word, and what may go on with it
    "apple.com is nice",
    "ok.5 apples",
    "ok.-dash",
    "ok.then we go",
    # ---- names of hosts and files, addresses
    "visit apple.com now",
    "see docs.python.org for more",
    "mail bob.smith@uni.example now",
    "mail bob@uni.wien now",
    "on host.local:80 now",
    "see ~/notes.old now",
    "see ./notes.old now",
    "see /etc/notes.old now",
    "see c:\\notes.old now",
    "use src/../lib now",
    "use src\\..\\lib now",
    "edit .bashrc now",
    "use .NET here",
    "see https://a.example/c?d=e!f and",
    "see t.me/parley now",
    "check main.py first",
    "read README.md first",
    "run it on ASP.NET there",
    "write to .env now",
    "run ../build please",
    "use Node.js here",
    # ---- code
    "pd.DataFrame is good",
    "pd.Series is good",
    "call foo.bar() please",
    "use np.array([1]) please",
    "use row.cells[1] now",
    "set app.mode=x now",
    "so a!=b here",
    "the list.forEach loop",
    "call model.to_dict there",
    'set "$foo.bar" to it',
    "in (v1.2.Yes)",
    "set my_var.Value to it",
    "set someVar.Value to it",
    "it is x.y there",
    "use self._x there",
    "its type.__name__ is it",
    "java.util.List is one",
    "a foo().Bar of it",
    "say obj?.prop here",
    "so if a != b then",
    "open `code.Method",
    "use the `obj.Method` helper",
    "set $foo.bar to it",
    "pass --cfg.debug there",
    "use std::vec.Foo there",
    'so println!("hi") prints it',
    # ---- numbers and versions
    "the no.1 pick",
    "v1.2.Yes",
    "in v1.2.Yes",
    "at 12.30 we meet",
    "from 0..10 it is",
    "the list:\n1.First",
    # ---- abbreviations
    "e.g. this is fine",
    "i.e.This",
    "for e.g. apples",
    "the U.S. has it",
    "at 5 p.m. sharp",
    "a Ph.D. in law",
    "ask dr.Who about it",
    "г.Москва большая",
    "the U.K.'s capital",
    "the U.K.’s capital",
    "from eq.(3) it follows",
    "so ...and then",
    "pears etc., and more",
    "at 5 p.m.; then",
    "as e.g.: this",
    "well i guess...maybe so",
    "ask @john.doe about it",
    # ---- sentences that close what they opened
    'he said "stop." and left',
    "i am (really!) happy",
    "i *really mean it.* so",
    # ---- scripts that put no blank between sentences, or have no use for capitals
    "python 是一种语言。它很流行。",
    "iphone很好!我喜欢",
    "win10。好",
    "გამარჯობა. კარგი",
    "",
    "  \n ",
]


@pytest.mark.parametrize("whole", ANSWERS)
def test_all_other_text_is_not_changed(whole: str) -> None:
    laws.check_untouched(after_thought, whole, ())
    laws.check_untouched(after_thought, whole, range(len(whole)))


@pytest.mark.parametrize("text", ["the end.Hi", "must do.こんにちは"])
def test_without_a_thought_there_is_nothing_to_spill(text: str) -> None:
    guard = ReasoningSpill()
    assert guard.feed("\n") == ("\n",)
    assert not guard.spent
    assert guard.feed(text) == (text,)
    assert guard.spent


def test_a_thought_that_comes_after_the_first_words_changes_nothing() -> None:
    guard = ReasoningSpill()
    guard.feed("Hi")
    guard.heard_thought()
    assert guard.feed("the end.Hi") == ("the end.Hi",)


def test_a_blank_before_the_thought_is_no_visible_text() -> None:
    guard = ReasoningSpill()
    guard.feed("\n")
    guard.heard_thought()
    assert guard.feed("the end.Hi ") == (ThoughtLogEntry("the end."), "Hi ")


@pytest.mark.parametrize(
    ("pieces", "given"),
    [
        (["Hi"], ["Hi"]),
        (["hello", " there", "!", " General"], ["", "", "", "hello there! General"]),
        (["the end.", "\n"], ["", "the end.\n"]),
        (["ok.", "-"], ["", "ok.-"]),
        (["ok!", "t"], ["", "ok!t"]),
        (["python 很好", "。", "它"], ["", "", "python 很好。它"]),
        (["the end", "?", "Y"], ["", "", "the end?|Y"]),
        (["the end.", "Y", "es"], ["", "", ""]),
        (["the end.", "Yes", ",", " so"], ["", "", "the end.|Yes,", " so"]),
        (["the end.", "👋"], ["", "the end.|👋"]),
        (["the end.", "こ"], ["", "the end.|こ"]),
        (["კარგი"], ["კარგი"]),
        (["see a.py", " ", "or b.", " "], ["", "", "", "see a.py or b. "]),
    ],
)
def test_no_text_waits_longer_than_it_is_in_doubt(pieces: Sequence[str], given: Sequence[str]) -> None:
    """What each piece sets free; a bar stands behind a thought. One more character may tell a name from a word."""
    guard = after_thought()
    shown = ["".join(f"{x.text}|" if isinstance(x, ThoughtLogEntry) else str(x) for x in guard.feed(p)) for p in pieces]
    assert shown == given


@pytest.mark.parametrize(
    ("length", "given"),
    [
        (LIMIT - 1, [ThoughtLogEntry("a" * (LIMIT - 1) + "."), "Hello "]),
        (LIMIT, ["a" * LIMIT + ".Hello "]),
    ],
)
def test_the_sentence_has_to_end_within_the_limit(length: int, given: list[GuardOutput]) -> None:
    whole = "a" * length + ".Hello "
    assert laws.joined(laws.run_guard(after_thought(), [whole])) == given
    assert laws.joined(laws.run_guard(after_thought(), whole)) == given


def test_long_text_without_a_mark_waits_no_longer_than_the_limit() -> None:
    guard = after_thought()
    assert guard.feed("a" * (LIMIT - 1)) == ()
    assert guard.feed("a") == ("a" * LIMIT,)


def test_what_settles_is_decided_as_it_stands() -> None:
    """A blank decides nothing; a sentence does."""
    guard = after_thought()
    guard.feed("\n")
    assert guard.settle(ended=False) == ("\n",)
    assert guard.feed("the end.Bel") == ()
    assert guard.settle(ended=False) == (ThoughtLogEntry("the end."), "Bel")
    assert guard.spent
    assert guard.feed("the end.Hi") == ("the end.Hi",)


def test_text_that_is_taken_back_takes_the_guard_with_it() -> None:
    """Reasoning between marks ends at its mark: nothing spills over that."""
    guard = after_thought()
    guard.feed("the end.")
    assert guard.take_back() == "the end."
    assert guard.feed("the end.Hi") == ("the end.Hi",)


# ------------------------------------------------------------------------------------------------------------ laws

WORDS = [
    "the end",
    "apple",
    "com",
    "pd",
    "DataFrame",
    "v1",
    "e",
    "g",
    "Hi",
    "hey",
    "I",
    "日本",
    "да",
    "Да",
    "foo()",
    "x_y",
]
MARKS = [".", "..", "?", "!", "。", "…", "`", "``", '"', "'", "*", "(", ")", "[", "/", "://", "@", ":", "👋", "1", "20"]
TEXTS = st.lists(st.sampled_from([*WORDS, *MARKS, *MARKS, " ", "\n"]), max_size=16).map("".join) | st.text(max_size=30)
LONG = st.tuples(st.integers(LIMIT - 20, WINDOW), TEXTS).map(lambda parts: "a" * parts[0] + parts[1])


@given(TEXTS | LONG, places)
def test_the_result_does_not_depend_on_the_cut(whole: str, cuts: Sequence[int]) -> None:
    laws.check_cut(after_thought, whole, cuts)
    laws.check_cut(ReasoningSpill, whole, cuts)


@given(TEXTS | LONG, places)
def test_nothing_is_lost(whole: str, cuts: Sequence[int]) -> None:
    laws.check_nothing_lost(after_thought, whole, cuts)


@given(TEXTS | LONG, places)
def test_what_passes_unread_comes_out_as_if_it_had_been_read(whole: str, cuts: Sequence[int]) -> None:
    laws.check_unread(after_thought, whole, cuts)
    laws.check_unread(ReasoningSpill, whole, cuts)


@given(TEXTS | LONG)
def test_no_more_is_held_than_the_window(whole: str) -> None:
    laws.check_held(after_thought, whole, WINDOW)
    laws.check_settled(after_thought, whole)


@given(TEXTS, places)
def test_text_that_begins_with_a_capital_is_not_changed(whole: str, cuts: Sequence[int]) -> None:
    laws.check_untouched(after_thought, "A" + whole, cuts)
    laws.check_untouched(ReasoningSpill, whole, cuts)
