"""Several guards in a row are one: text passes all of them, unread where it concerns none."""

from __future__ import annotations

from collections.abc import Sequence

from hypothesis import given
from hypothesis import strategies as st

from adapters.contract import ThoughtLogEntry
from adapters.guards.guard import GuardOutput
from adapters.guards.row import UNTOLD_LIMIT, GuardRow


class Marks:
    """A guard for tests: it takes its mark for a thought where a word has gone before, and writes down what it is told."""

    def __init__(self, mark: str, *, spends: bool = False) -> None:
        self._mark = mark
        self.spent = False
        self.calm = True
        self.seen = ""
        self.feeds_nr = 0
        self._spends = spends

    def ignores(self, text: str) -> bool:
        return self._mark not in text

    def passed(self, text: str) -> None:
        assert text
        self.seen += text

    def feed(self, text: str) -> Sequence[GuardOutput]:
        self.feeds_nr += 1
        out: list[GuardOutput] = []
        for character in text:
            if character == self._mark and self.seen:
                self.spent = self._spends
                out.append(ThoughtLogEntry(character))
            else:
                out.append(character)
            self.seen += character
        return out

    def settle(self, *, ended: bool) -> Sequence[GuardOutput]:
        return (f"{self._mark} over",)

    def take_back(self) -> str:
        return ""


def through(row: GuardRow, *texts: str) -> list[GuardOutput]:
    out: list[GuardOutput] = []
    for text in texts:
        out += [text] if row.lets_pass(text) else row.feed(text)
    return out


def test_text_that_all_ignore_is_read_by_none_and_all_know_of_it() -> None:
    one, other = Marks("!"), Marks("?")
    assert through(GuardRow([one, other]), "a", "b!") == ["a", "b", ThoughtLogEntry("!")]
    assert (one.feeds_nr, one.seen, other.seen) == (1, "ab!", "ab")


def test_a_guard_sees_what_the_one_before_it_left() -> None:
    other = Marks("?")
    assert through(GuardRow([Marks("!"), other]), "a!?") == ["a", ThoughtLogEntry("!"), ThoughtLogEntry("?")]
    assert other.seen == "a?"


class Hoarder(Marks):
    """Holds all, until it settles."""

    def __init__(self) -> None:
        super().__init__("!")
        self.calm = False
        self._held = ""

    def feed(self, text: str) -> Sequence[GuardOutput]:
        self._held += text
        return ()

    def settle(self, *, ended: bool) -> Sequence[GuardOutput]:
        return (self.take_back(),)

    def take_back(self) -> str:
        held, self._held = self._held, ""
        return held


def test_what_a_later_guard_holds_comes_out_before_the_thought_that_stood_behind_it() -> None:
    """However the text was cut, all comes out in the order in which it was written."""
    assert through(GuardRow([Marks("!"), Hoarder()]), "a!") == ["a", ThoughtLogEntry("!")]


def test_what_an_earlier_guard_held_to_the_end_passes_the_later_ones() -> None:
    last = Marks("?")
    assert GuardRow([Marks("!"), last]).settle(ended=True) == ["! over", "? over"]
    assert last.seen == "! over"


def test_a_spent_guard_is_gone() -> None:
    once = Marks("!", spends=True)
    row = GuardRow([once])
    assert through(row, "a!", "b!") == ["a", ThoughtLogEntry("!"), "b!"]
    assert once.feeds_nr == 1


def test_a_guard_that_is_not_calm_reads_everything() -> None:
    busy = Marks("!")
    busy.calm = False
    assert not GuardRow([busy]).lets_pass("a")


@given(st.lists(st.text("ab!", max_size=3), max_size=3 * UNTOLD_LIMIT))
def test_a_guard_is_told_all_text_in_order_however_much_passes(texts: list[str]) -> None:
    guard = Marks("!")
    row = GuardRow([guard])
    through(row, *texts)
    row.settle(ended=True)
    assert guard.seen == "".join(texts)


def test_who_wants_to_know_of_the_first_thought_is_told_once() -> None:
    told: list[None] = []
    row = GuardRow([], lambda: told.append(None))
    row.heard_thought()
    row.heard_thought()
    assert len(told) == 1
