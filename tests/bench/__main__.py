"""`python -m tests.bench`: ours against its peers, on the same bytes. Figures and verdicts, not tests.

Prints Markdown; with `--write`, into docs/performance.md. Exit status 1 where a ratio misses its goal by more than the slack.
"""

from __future__ import annotations

import argparse
import sys
from collections.abc import Iterator, Mapping, Sequence

from adapters import registry
from tests.bench import costs, live_arguments, report
from tests.bench.contestants import ORJSON, OURS, TYPED, Contestant, ours, split_and_orjson, split_and_typed
from tests.bench.goals import Goal, goals_of, goals_of_live_arguments
from tests.bench.measuring import Race, race
from tests.bench.peers import peers_of
from tests.bench.report import Results
from tests.bench.samples import SAMPLES, Sample, chat_prose, chat_text
from tests.bench.simulated import RATE, STREAMS, Load, load_in_a_process


def main() -> int:
    parser = argparse.ArgumentParser(prog="python -m tests.bench", description=__doc__)
    parser.add_argument(
        "--quick", action="store_true", help="fewer chunks; ours, the floors, the OpenAI SDK and jiter only"
    )
    parser.add_argument("--write", action="store_true", help="put the figures into docs/performance.md")
    parser.add_argument("--only", default="", help="samples whose names begin so, and nothing else")
    parser.add_argument("--rounds", type=int, default=5)
    options = parser.parse_args()
    deltas = 2_000 if options.quick else 10_000
    races = list(_races(options.only, deltas, options.rounds, quick=options.quick))
    if options.only:
        return _finish(goals_of(races))
    live, live_growth = live_arguments.races(options.rounds, quick=options.quick), live_arguments.growth(options.rounds)
    growth = costs.growth(options.rounds)
    loads = _loads(quick=options.quick)
    observed = costs.observing(options.rounds, deltas)
    guarded = {
        sample.name: costs.guarding(sample, options.rounds) for sample in (chat_prose(deltas), chat_text(deltas))
    }
    goals = [
        *goals_of(races),
        *goals_of_live_arguments(live, live_growth),
        *_goals_of_costs(growth, guarded),
        *_goals_of_loads(loads),
    ]
    results = Results(races, live, growth, observed, guarded, loads, goals)
    figures = report.markdown(results)
    print(figures, "\n")
    if options.write:
        report.write(figures)
    return _finish(goals)


def _races(only: str, deltas: int, rounds: int, *, quick: bool) -> Iterator[Race]:
    for name, make in SAMPLES.items():
        if not name.startswith(only):
            continue
        sample = make(deltas)
        if sample.provider not in registry.NAMES:
            print(f"{name}: there is no adapter {sample.provider} yet", file=sys.stderr)
            continue
        result = race(sample, dict(_contestants(sample, quick=quick)), rounds)
        _print_race(result)
        yield result


def _contestants(sample: Sample, *, quick: bool) -> Iterator[tuple[str, Contestant]]:
    yield TYPED, split_and_typed
    yield ORJSON, split_and_orjson
    yield OURS, ours
    yield from peers_of(sample, quick=quick)


def _print_race(result: Race) -> None:
    """While it runs, for who waits; the Markdown goes to standard output at the end."""
    costs_ = (f"{name} {result.per_chunk(name):.2f}" for name in result.seconds)
    print(f"{result.sample}: {result.chunks_nr} reads, µs each: {', '.join(costs_)}", file=sys.stderr)


def _goals_of_costs(growth: Mapping[int, float], guarded: Mapping[str, tuple[float, ...]]) -> Iterator[Goal]:
    bare, _, with_guards = guarded["chat-prose"]
    yield Goal("all guards on plain text, for each delta", with_guards - bare, 1.5, unit="µs", decides=False)
    first, last = min(growth), max(growth)
    yield Goal(f"a chunk of {last:,} / one of {first:,}", growth[last] / growth[first], 1.1)


def _loads(*, quick: bool) -> Sequence[Load]:
    names = ("timers", "ours") if quick else ("timers", "ours", "openai")
    return [load_in_a_process(name, STREAMS, 2.0 if quick else 5.0) for name in names]


def _goals_of_loads(loads: Sequence[Load]) -> Iterator[Goal]:
    """Times of this machine, so they decide nothing."""
    floor, ours_ = loads[0], loads[1]
    what = f"{STREAMS:,} streams of {RATE:g} deltas/s"
    above = ours_.per_chunk - floor.per_chunk
    yield Goal(f"{what}: a chunk, above the timers", above, 8, unit="µs", decides=False)
    yield Goal(f"{what}: loop lag p99", ours_.lags[1] * 1e3, 5, unit="ms", decides=False)


def _finish(goals: Sequence[Goal]) -> int:
    for goal in goals:
        print(goal)
    return int(any(goal.failed for goal in goals))


if __name__ == "__main__":
    sys.exit(main())
