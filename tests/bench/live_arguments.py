"""Arguments while they arrive: what a call's fields cost to know after every piece of its text.

Ours reads each piece once and is asked each time. The others parse the text so far anew, which is all that they offer, so one
piece costs them as much as the text is long by then. All of it would take hours: their cost is taken at evenly spaced lengths.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Mapping, Sequence
from functools import partial
from importlib import import_module
from itertools import cycle
from random import Random
from statistics import median
from typing import Any, Final, TypeAlias

import msgspec

from adapters.tool_calls.live_arguments import LiveArguments
from tests.bench.contestants import OURS
from tests.bench.measuring import LEAST_SECONDS, Race, WrongAnswerError, cpu_seconds
from tests.bench.samples import SEED, words

SIZES: Final = (10_000, 100_000, 1_000_000)
"""Characters of the argument text."""

PIECE: Final = 20
"""Characters that come at once: a few tokens."""

LENGTHS: Final = 4
"""At so many lengths of the text a parser is measured."""

Parse: TypeAlias = Callable[[str], Any]

# ----------------------------------------------------------------------------------------------------------- shapes


def long_string(size: int) -> str:
    """write_file(path, mode, content): one long string, full of what JSON must escape."""
    content: list[str] = []
    length = 60
    for word in cycle(words(1_000)):
        length += len(_json(word)) - 2
        if length > size:
            break
        content.append(word)
    return _json({"path": "src/app/main.py", "mode": "overwrite", "content": "".join(content)})


def many_items(size: int) -> str:
    """add_rows(table, rows): thousands of small values."""
    random = Random(SEED)
    rows: list[dict[str, Any]] = []
    length = 25
    while length < size:
        row = {
            "id": len(rows),
            "name": " ".join(random.choices(["alpha", "beta", "gamma", "delta"], k=3)),
            "score": round(random.random(), 4),
            "tags": ["a", 'b"c'],
            "ok": True,
            "none": None,
        }
        rows.append(row)
        length += len(_json(row)) + 1
    return _json({"table": "t", "rows": rows})


SHAPES: Final[Mapping[str, Callable[[int], str]]] = {"long-string": long_string, "many-items": many_items}


def _json(value: object) -> str:
    return msgspec.json.encode(value).decode()


# ------------------------------------------------------------------------------------------------------ contestants


def read_live(pieces: Sequence[str]) -> Any:
    live = LiveArguments()
    for piece in pieces:
        live.feed(piece)
        _ = live.fields, live.growing
    return live.fields


JITER: Final = "jiter"
PARTIAL_JSON_PARSER: Final = "partial-json-parser"
JSON_REPAIR: Final = "json-repair"


def jiter() -> Parse:
    """In Rust; pydantic and the OpenAI and Anthropic SDKs use it."""
    from_json = import_module("jiter").from_json
    return lambda text: from_json(text.encode(), partial_mode="trailing-strings")


def partial_json_parser() -> Parse:
    loads: Parse = import_module("partial_json_parser").loads
    return loads


def json_repair() -> Parse:
    loads: Parse = import_module("json_repair").loads
    return loads


PARSERS: Final[Mapping[str, tuple[Callable[[], Parse], int]]] = {
    JITER: (jiter, SIZES[-1]),
    PARTIAL_JSON_PARSER: (partial_json_parser, 100_000),
    JSON_REPAIR: (json_repair, 100_000),
}
"""Name -> how to get it, and the largest size at which waiting for it is worth while."""


def parsers_for(size: int, *, quick: bool) -> Iterator[tuple[str, Parse]]:
    for name, (get, largest) in PARSERS.items():
        if size <= largest and (name == JITER or not quick):
            yield name, get()


# -------------------------------------------------------------------------------------------------------- measuring


def races(rounds: int, *, quick: bool) -> Mapping[str, Mapping[int, Race]]:
    """Shape -> size -> what came of it; a read is a piece. Raises WrongAnswerError."""
    return {
        shape: {
            size: race(f"{shape} {size}", make(size), dict(parsers_for(size, quick=quick)), rounds) for size in SIZES
        }
        for shape, make in SHAPES.items()
    }


def growth(rounds: int) -> Mapping[str, float]:
    """Shape -> how many times as long a piece takes ours in the largest text as in the smallest; the median of the rounds."""
    found: dict[str, float] = {}
    for shape, make in SHAPES.items():
        small, large = _pieces(make(SIZES[0])), _pieces(make(SIZES[-1]))
        times = len(large) // len(small)
        ratios = []
        for _ in range(rounds):
            short = cpu_seconds(partial(read_live, small), times) / len(small)
            long = cpu_seconds(partial(read_live, large)) / len(large)
            ratios.append(long / short)
        found[shape] = median(ratios)
    return found


def race(name: str, text: str, parsers: Mapping[str, Parse], rounds: int, least: float = LEAST_SECONDS) -> Race:
    """Ours against these. Raises WrongAnswerError where somebody reads the whole text wrongly."""
    pieces = _pieces(text)
    beginnings = [text[: len(text) * (2 * at + 1) // (2 * LENGTHS)] for at in range(LENGTHS)]
    value = msgspec.json.decode(text)
    _check(OURS, name, read_live(pieces), value)
    for parser, parse in parsers.items():
        _check(parser, name, parse(text), value)
    runs: dict[str, Callable[[], object]] = {OURS: partial(read_live, pieces)}
    runs |= {parser: _parsing(parse, beginnings) for parser, parse in parsers.items()}
    times = {runner: max(1, math.ceil(least / max(cpu_seconds(run), 1e-6))) for runner, run in runs.items()}
    seconds: dict[str, list[float]] = {runner: [] for runner in runs}
    for _ in range(rounds):
        for runner, run in runs.items():
            share = 1 if runner == OURS else len(pieces) / LENGTHS
            seconds[runner].append(cpu_seconds(run, times[runner]) * share)
    return Race(name, len(pieces), len(text.encode()), {runner: tuple(each) for runner, each in seconds.items()})


def _pieces(text: str) -> Sequence[str]:
    return [text[at : at + PIECE] for at in range(0, len(text), PIECE)]


def _parsing(parse: Parse, beginnings: Sequence[str]) -> Callable[[], object]:
    return lambda: [parse(beginning) for beginning in beginnings]


def _check(contestant: str, name: str, found: object, value: object) -> None:
    if found != value:
        raise WrongAnswerError(f"{contestant} read something else than {name} holds")
