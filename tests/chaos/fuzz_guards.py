"""Random answers through all guards in a row, and random arguments through the judge of calls, for as long as one likes.

    python -m tests.chaos.fuzz_guards --seconds 600

Every law is one function over a text and a source of chance. When one breaks, the text is made shorter as long as it breaks
still, and printed; the seed makes the same chances again.
"""

from __future__ import annotations

import argparse
import json
import sys
import time
from collections.abc import Callable, Iterable, Sequence
from random import Random
from typing import Any, Final, NamedTuple

from adapters.contract import FunctionCall, MalformedCall, ThoughtLogEntry
from adapters.guards.guard import GuardOutput
from adapters.guards.reasoning_tags import mark_at
from adapters.guards.row import GuardRow
from adapters.guards.text_guards import text_guards
from adapters.tool_calls.live_arguments import DEEPEST, LiveArguments
from adapters.tool_calls.verdict import Verdicts
from tests.adapters.cuts import cut_at
from tests.adapters.guards import laws
from tests.chaos.material import TOOLS, answer, arguments, mutated, plain


class Law(NamedTuple):
    make: Callable[[Random], str]
    check: Callable[[str, Random], None]
    """Raises whatever it likes where the law does not hold."""


# --------------------------------------------------------------------------------------------------------- the guards


def row(*, spills: bool) -> GuardRow:
    guards = text_guards(tags=True, spills=spills, calls=Verdicts(TOOLS, make_id=lambda: "id"))
    assert guards is not None
    if spills:
        guards.heard_thought()
    return guards


def through(guards: GuardRow, pieces: Iterable[str], *, ended: bool, settles: bool = False) -> list[GuardOutput]:
    """All that a decoder gets for these pieces. `settles`: the text settles at every cut."""
    out: list[GuardOutput] = []
    for piece in pieces:
        out += [piece] if guards.lets_pass(piece) else guards.feed(piece)
        out += guards.settle(ended=False) if settles else ()
    return [given for given in (*out, *guards.settle(ended=ended)) if given != ""]


def places(whole: str, chance: Random) -> Sequence[int]:
    return [chance.randrange(len(whole) + 1) for _ in range(chance.randrange(8))]


def the_cut_does_not_matter(whole: str, chance: Random) -> None:
    spills, ended = chance.random() < 0.5, chance.random() < 0.5
    given = _in_the_end(through(row(spills=spills), [whole], ended=ended))
    assert _in_the_end(through(row(spills=spills), whole, ended=ended)) == given, "by characters"
    pieces = cut_at(whole, places(whole, chance))
    assert _in_the_end(through(row(spills=spills), pieces, ended=ended)) == given, pieces


def nothing_is_lost(whole: str, chance: Random) -> None:
    """Text, thoughts and calls, as the model wrote them, are the whole without marks of thoughts."""
    pieces = cut_at(whole, places(whole, chance))
    spills, settles = chance.random() < 0.5, chance.random() < 0.5
    given = through(row(spills=spills), pieces, ended=True, settles=settles)
    assert laws.leaves_out_marks_only("".join(laws.words(given)), whole, _marks_at), given


def plain_text_is_not_changed(whole: str, chance: Random) -> None:
    pieces = cut_at(whole, places(whole, chance))
    assert laws.joined(through(row(spills=False), pieces, ended=True)) == ([whole] if whole else []), pieces


def _in_the_end(given: Iterable[GuardOutput]) -> list[GuardOutput]:
    """When all is over: what was taken back is a thought, whether it had come out or was held."""
    out: list[GuardOutput] = []
    for piece in given:
        if isinstance(piece, ThoughtLogEntry) and piece.takes_back:
            out = [ThoughtLogEntry(word) for word in laws.words(out)]
            piece = ThoughtLogEntry(piece.text)
        out.append(piece)
    return laws.joined(piece for piece in out if piece != ThoughtLogEntry(""))


def _marks_at(whole: str, at: int) -> Iterable[int]:
    found = mark_at(whole, at)
    return (found[1],) if found else ()


# ---------------------------------------------------------------------------------------------------------- the calls


def what_parses_is_not_changed(raw: str, chance: Random) -> None:
    """And nothing raises, whatever comes."""
    name, ended = chance.choice(TOOLS).name, chance.random() < 0.5
    offered = Verdicts(TOOLS).judge("c", name, raw, ended=ended)
    unknown = Verdicts().judge("c", name, raw, ended=ended)
    assert isinstance(offered, FunctionCall | MalformedCall)
    known = _strict(raw)
    if known is not None:
        assert isinstance(unknown, FunctionCall), unknown
        assert _written(unknown.args) == _written(known)
        if isinstance(offered, FunctionCall) and not offered.notes:
            assert _written(offered.args) == _written(known)


def a_call_that_was_cut_does_not_run(raw: str, chance: Random) -> None:
    cut = raw.rstrip()[: chance.randrange(max(len(raw.rstrip()), 1))]
    for judge in (Verdicts(TOOLS), Verdicts()):
        for tool in TOOLS:
            call = judge.judge("c", tool.name, cut, ended=False)
            assert isinstance(call, MalformedCall), (cut, call)


def what_is_shown_of_arguments_is_what_they_are(raw: str, chance: Random) -> None:
    """However they were cut, and whoever looked meanwhile."""
    whole, pieces, characters = LiveArguments(), LiveArguments(), LiveArguments()
    whole.feed(raw)
    for piece in cut_at(raw, places(raw, chance)):
        pieces.feed(piece)
    for character in raw:
        characters.feed(character)
        _ = characters.fields, characters.growing
    assert _state(whole) == _state(pieces) == _state(characters)
    known = _strict(raw)
    if known is not None and _depth(known) < DEEPEST:
        assert _state(whole) == (_written(known), None)


def _strict(raw: str) -> dict[str, Any] | None:
    """The object that this is by strict JSON, with no half of a surrogate pair; else None."""
    try:
        found = json.loads(raw, parse_constant=lambda word: 1 / 0)
        json.dumps(found, ensure_ascii=False).encode()
        raw.encode()
    except (ValueError, RecursionError, ZeroDivisionError):
        return None
    return found if isinstance(found, dict) else None


def _written(found: object) -> str:
    """Tells 1 from 1.0 and from true, as == does not."""
    return json.dumps(found, sort_keys=True)


def _state(live: LiveArguments) -> tuple[str | None, object]:
    fields = live.fields
    return None if fields is None else _written(dict(fields)), live.growing


def _depth(found: object) -> int:
    inside = found.values() if isinstance(found, dict) else found if isinstance(found, list) else ()
    return 1 + max(map(_depth, inside), default=0)


# ------------------------------------------------------------------------------------------------------------ the run

LAWS: Final = (
    Law(answer, the_cut_does_not_matter),
    Law(answer, nothing_is_lost),
    Law(plain, plain_text_is_not_changed),
    Law(mutated, what_parses_is_not_changed),
    Law(arguments, a_call_that_was_cut_does_not_run),
    Law(mutated, what_is_shown_of_arguments_is_what_they_are),
)


def fault_of(law: Law, text: str, seed: int) -> str | None:
    try:
        law.check(text, Random(seed))
    except Exception as fault:  # whatever breaks a law is a finding
        return f"{type(fault).__name__}: {fault}"
    return None


def shrunk(law: Law, text: str, seed: int) -> str:
    """The text without all that the fault does not need."""
    size = len(text)
    while size := size // 2:
        at = 0
        while at < len(text):
            shorter = text[:at] + text[at + size :]
            if fault_of(law, shorter, seed) is None:
                at += size
            else:
                text = shorter
    return text


def main(argv: Sequence[str]) -> int:
    """Exit status 0; 1 where a law broke."""
    command = argparse.ArgumentParser(prog="python -m tests.chaos.fuzz_guards", description=__doc__)
    command.add_argument("--seconds", type=float, default=60.0, help="how long (60)")
    command.add_argument("--seed", type=int, default=None, help="the chances of an earlier run")
    chosen = command.parse_args(argv)
    seed = Random().randrange(2**32) if chosen.seed is None else chosen.seed
    print(f"seed {seed}", flush=True)
    chance, ends, tried = Random(seed), time.monotonic() + chosen.seconds, 0
    while time.monotonic() < ends:
        for law in LAWS:
            text, cuts = law.make(chance), chance.randrange(2**32)
            tried += 1
            if (fault := fault_of(law, text, cuts)) is not None:
                text = shrunk(law, text, cuts)
                print(f"{law.check.__name__} broke after {tried} texts: {text!r}\n{fault_of(law, text, cuts) or fault}")
                return 1
    print(f"{tried} texts, no law broke: {', '.join(law.check.__name__ for law in LAWS)}")
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
