"""The figures of a run as Markdown, and into docs/performance.md between its two marks."""

from __future__ import annotations

import os
import platform
from collections.abc import Mapping, Sequence
from datetime import date
from importlib.metadata import version
from pathlib import Path
from typing import Final

import msgspec

from tests.bench.contestants import ORJSON, OURS
from tests.bench.goals import Goal
from tests.bench.live_arguments import PIECE
from tests.bench.measuring import Race
from tests.bench.peers import PACKAGES
from tests.bench.simulated import Load

PAGE: Final = Path(__file__).parents[2] / "docs" / "performance.md"
BEGIN: Final = "<!-- figures: made by `make bench ARGS=--write` -->"
END: Final = "<!-- end of the figures -->"


class Results(msgspec.Struct, frozen=True):
    """All that a run found."""

    races: Sequence[Race]
    live: Mapping[str, Mapping[int, Race]]
    """Arguments while they arrive: shape -> characters -> race."""
    growth: Mapping[int, float]
    """Deltas -> microseconds a chunk."""
    observed: tuple[float, float]
    """Microseconds a chunk: nobody looks, somebody looks."""
    guarded: Mapping[str, tuple[float, ...]]
    """Sample -> microseconds a chunk: without guards, with those for reasoning, with all of them."""
    loads: Sequence[Load]
    goals: Sequence[Goal]


def markdown(results: Results) -> str:
    return "\n\n".join(
        [
            _circumstances(),
            *(_race_table(race) for race in results.races),
            *(live_table(shape, races) for shape, races in results.live.items()),
            _growth_table(results.growth),
            _cost_table(results),
            _load_table(results.loads),
            _goal_table(results.goals),
        ]
    )


def into_page(page: str, figures: str, begin: str = BEGIN, end: str = END) -> str:
    """The page with these figures between its marks. Raises ValueError where it has none."""
    before, found_begin, rest = page.partition(begin)
    _, found_end, after = rest.partition(end)
    if not found_begin or not found_end:
        raise ValueError("the page has no place for figures")
    return f"{before}{begin}\n\n{figures}\n\n{end}{after}"


def write(figures: str, begin: str = BEGIN, end: str = END) -> None:
    """Into the page, between its marks."""
    PAGE.write_text(into_page(PAGE.read_text(encoding="utf-8"), figures, begin, end), encoding="utf-8")


def _circumstances() -> str:
    packages = ", ".join(f"{name} {version(name)}" for name in PACKAGES)
    return (
        f"{date.today().isoformat()}; {_processor()}, {os.cpu_count()} cores; {platform.system()}, "
        f"{platform.python_implementation()} {platform.python_version()}; {packages}."
    )


def _processor() -> str:
    try:
        lines = Path("/proc/cpuinfo").read_text(encoding="utf-8").splitlines()
    except OSError:
        return platform.processor() or platform.machine()
    names = (line.partition(":")[2].strip() for line in lines if line.startswith("model name"))
    return next(names, platform.machine())


def table(head: Sequence[str], rows: Sequence[Sequence[str]]) -> str:
    rule = ["---", *("---:" for _ in head[1:])]
    return "\n".join("| " + " | ".join(row) + " |" for row in (head, rule, *rows))


def _race_table(race: Race) -> str:
    rows = [
        [
            f"**{name}**" if name == OURS else name,
            f"{race.per_chunk(name):.2f}",
            f"{race.megabytes_a_second(name):.0f}",
            f"{race.ratio(name, ORJSON):.2f}",
            f"{race.ratio(name, OURS):.2f}",
        ]
        for name in sorted(race.seconds, key=race.per_chunk)
    ]
    head = [f"`{race.sample}`: {race.chunks_nr:,} reads", "µs a read", "MB/s", f"x {ORJSON}", "x ours"]
    return table(head, rows)


def live_table(shape: str, races: Mapping[int, Race]) -> str:
    """Who reads arguments while they arrive, and what a piece costs at each size; the slowest have not been asked for all."""
    names = dict.fromkeys(name for race in races.values() for name in race.seconds)
    rows = [
        [f"**{name}**" if name == OURS else name, *(_live_cell(race, name) for race in races.values())]
        for name in names
    ]
    head = [f"arguments, `{shape}`: µs a piece of {PIECE} characters", *(f"{size:,} characters" for size in races)]
    return table(head, rows)


def _live_cell(race: Race, name: str) -> str:
    if name not in race.seconds:
        return ""
    cost = f"{race.per_chunk(name):,.2f}"
    return cost if name == OURS else f"{cost} ({race.ratio(name, OURS):,.0f}x)"


def _growth_table(growth: Mapping[int, float]) -> str:
    rows = [[f"{size:,}", f"{cost:.2f}"] for size, cost in growth.items()]
    return table(["deltas in an answer (`chat-text`)", "µs a chunk"], rows)


def _cost_table(results: Results) -> str:
    observed = ("an observer that looks at every layer (`chat-text`)", *results.observed)
    guarded = [
        row
        for sample, (without, tags, every) in results.guarded.items()
        for row in (
            (f"the guards for reasoning (`{sample}`)", without, tags),
            (f"all guards, calls in the text too (`{sample}`)", without, every),
        )
    ]
    rows = [[title, f"{without:.2f}", f"{with_it:.2f}"] for title, without, with_it in (*guarded, observed)]
    return table(["what it adds", "µs a chunk without", "with"], rows)


def _load_table(loads: Sequence[Load]) -> str:
    rows = [
        [
            load.name,
            f"{load.per_chunk:.1f}",
            f"{load.cores:.2f}",
            *(f"{lag * 1e3:.1f}" for lag in load.lags),
            f"{load.wall_seconds:.1f}",
        ]
        for load in loads
    ]
    head = [
        *("streams side by side, no sockets", "µs CPU a chunk", "cores"),
        *("loop lag p50 ms", "p99 ms", "max ms", "took s"),
    ]
    return table(head, rows)


def _goal_table(goals: Sequence[Goal]) -> str:
    rows = [
        [goal.title, f"{goal.figure:.2f} {goal.unit}", f"{'≥' if goal.at_least else '≤'} {goal.bound:g}", goal.verdict]
        for goal in goals
    ]
    return table(["goal", "figure", "bound", ""], rows)
