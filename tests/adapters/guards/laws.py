"""What holds for every guard, whatever it looks for. A guard's tests call these with texts made of its own marks.

`make` gives a new guard; two of them, fed the same, must give the same, the ids of calls included.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from typing import TypeAlias

from adapters.contract import ThoughtLogEntry
from adapters.guards.guard import Guard, GuardOutput
from tests.adapters.cuts import cut_at

Make: TypeAlias = Callable[[], Guard]


def run_guard(guard: Guard, pieces: Iterable[str]) -> list[GuardOutput]:
    """All that a guard gives for a text that the model ended, as it gave it."""
    out = [given for piece in pieces for given in guard.feed(piece)]
    return [*out, *guard.settle(ended=True)]


def joined(given: Iterable[GuardOutput]) -> list[GuardOutput]:
    """Pieces of one kind in a row as one: what does not depend on the cut."""
    out: list[GuardOutput] = []
    for piece in given:
        last = out[-1] if out else None
        if isinstance(piece, str) and isinstance(last, str):
            out[-1] = last + piece
        elif isinstance(piece, ThoughtLogEntry) and isinstance(last, ThoughtLogEntry) and not piece.takes_back:
            out[-1] = ThoughtLogEntry(last.text + piece.text, takes_back=last.takes_back)
        else:
            out.append(piece)
    return out


def outcome(given: Iterable[GuardOutput]) -> tuple[str, str]:
    """The visible text and the thoughts, when all is over."""
    text, thoughts = "", ""
    for piece in given:
        if isinstance(piece, str):
            text += piece
        elif isinstance(piece, ThoughtLogEntry):
            if piece.takes_back:
                text, thoughts = "", thoughts + text
            thoughts += piece.text
    return text, thoughts


def words(given: Iterable[GuardOutput]) -> list[str]:
    """What the model wrote, in text, thoughts and calls alike."""
    return [piece if isinstance(piece, str) else piece.text for piece in given]


def check_cut(make: Make, whole: str, places: Sequence[int]) -> None:
    """Whole, cut anywhere, character by character: the same comes out."""
    given = joined(run_guard(make(), [whole]))
    assert joined(run_guard(make(), cut_at(whole, places))) == given
    assert joined(run_guard(make(), whole)) == given


def check_untouched(make: Make, whole: str, places: Sequence[int]) -> None:
    """Text without a mark is given as it came."""
    assert joined(run_guard(make(), cut_at(whole, places))) == ([whole] if whole else [])


def check_nothing_lost(
    make: Make, whole: str, places: Sequence[int], marks_at: Callable[[str, int], Iterable[int]] = lambda whole, at: ()
) -> None:
    """All comes out in its order, also where the text settles at every cut. `marks_at`: where the marks end that begin at a place,
    for a guard that drops them."""
    pieces = cut_at(whole, places)
    assert leaves_out_marks_only(words(run_guard(make(), pieces)), whole, marks_at)
    guard = make()
    settled = [given for piece in pieces for given in (*guard.feed(piece), *guard.settle(ended=False))]
    assert leaves_out_marks_only(words(settled), whole, marks_at)
    guard = make()
    fed = [given for piece in pieces for given in guard.feed(piece)]
    assert leaves_out_marks_only([*words(fed), guard.take_back()], whole, marks_at)


def check_anew(make: Make, whole: str, then: str) -> None:
    """After taking back, a guard is like a new one."""
    guard = make()
    guard.feed(whole)
    guard.take_back()
    assert joined(run_guard(guard, [then])) == joined(run_guard(make(), [then]))


def check_settled(make: Make, whole: str) -> None:
    """A settled guard holds nothing."""
    guard = make()
    guard.feed(whole)
    guard.settle(ended=False)
    assert guard.settle(ended=True) in ((), [])


def check_held(make: Make, whole: str, bound: int) -> None:
    """No more waits than so many characters."""
    guard = make()
    guard.feed(whole)
    assert len("".join(words(guard.settle(ended=True)))) <= bound


def check_unread(make: Make, whole: str, places: Sequence[int]) -> None:
    """What passes a calm guard unread comes out as if it had read it; what is spent changes nothing any more."""
    guard = make()
    given: list[GuardOutput] = []
    for piece in cut_at(whole, places):
        if guard.spent or (guard.calm and guard.ignores(piece)):
            given.append(piece)
            if piece:
                guard.passed(piece)
        else:
            given += guard.feed(piece)
    given += guard.settle(ended=True)
    assert joined(piece for piece in given if piece) == joined(run_guard(make(), cut_at(whole, places)))


def leaves_out_marks_only(pieces: Iterable[str], whole: str, marks_at: Callable[[str, int], Iterable[int]]) -> bool:
    places = _past_marks(whole, {0}, marks_at)
    for piece in pieces:
        places = _past_marks(whole, {at + len(piece) for at in places if whole.startswith(piece, at)}, marks_at)
    return len(whole) in places


def _past_marks(whole: str, places: set[int], marks_at: Callable[[str, int], Iterable[int]]) -> set[int]:
    """These places, and those behind marks that stand there."""
    reached, news = set(places), set(places)
    while news:
        news = {end for at in news for end in marks_at(whole, at)} - reached
        reached |= news
    return reached
