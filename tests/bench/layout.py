r"""`python -m tests.bench.layout`: what it costs to turn a model's text into messages while it streams in.

A text comes in deltas of DELTA characters through `TextFlow`, and the messages are looked at every LOOK deltas, which is more often
than Discord lets anybody edit. Some texts are of one kind each, some are what nobody writes who means well. CPU time of this
process; linear means that a text twice as long takes twice as long.

Prints Markdown; with `--write`, into docs/performance.md. Exit status 1 where it does not grow linearly.
"""

from __future__ import annotations

import argparse
import gc
import sys
import time
from collections.abc import Callable, Mapping
from statistics import median

import msgspec

from bot.delivery.layout.measure import PLAIN
from bot.delivery.text_flow import TextFlow
from bot.preferences import DEFAULTS
from tests.bench import report
from tests.bench.goals import Goal

DELTA = 4
LOOK = 100
SIZE = 100_000
LONGER = 2
MOST_SECONDS = 0.5
MOST_GROWTH = 1.1

BEGIN = "<!-- layout: made by `make bench ARGS=--write` -->"
END = "<!-- end of layout -->"

SENTENCE = "The quick answer is that **every** message stays below the limit, and [nothing](https://example.org/x) of it gets lost. "
ROW = "| item {nr} | {nr} | a **note** about `it` |\n"
FUNCTION = "def step_{nr}(items):\n    # what is left\n    return sorted(items)[:{nr}]\n\n"

KINDS: Mapping[str, Callable[[int], str]] = {
    "prose": lambda nr: SENTENCE * (nr % 7 + 1) + "\n\n",
    "lists": lambda nr: f"- item {nr} with **bold** words and `code`\n  - below it [a link](https://example.org/{nr})\n",
    "code": lambda nr: f"Step {nr}:\n\n```python\n{FUNCTION.format(nr=nr) * 30}```\n\n",
    "code as a file": lambda nr: ("" if nr else "```python\n") + FUNCTION.format(nr=nr),
    "tables": lambda nr: f"\n| Name | Value | Note |\n|:--|--:|---|\n{''.join(ROW.format(nr=n) for n in range(nr % 40))}",
    "one table": lambda nr: ("" if nr else "| Name | Value | Note |\n|:--|--:|---|\n") + ROW.format(nr=nr),
    "formulas": lambda nr: rf"So $x^2 + y_{nr} = z$ and \(\frac{{a}}{{b}}\), thus" + "\n\n$$\n\\sum_{n=0}^\\infty a_n\n$$\n\n",
    "Japanese": lambda _: "日本語の文章は空白なしで続きますので、切る場所は句読点の後がよいです。",
    "emoji": lambda _: "👩‍👩‍👧‍👦🏳️‍🌈🇩🇪👍🏽",
    "hostile: one word": lambda _: "x",
    "hostile: back-ticks": lambda _: "`",
    "hostile: pipes": lambda _: "|",
    "hostile: brackets": lambda _: "[",
    "hostile: stars": lambda _: "***a **b *c ",
    "hostile: fences": lambda _: "```\na\n",
}  # fmt: skip
"""Kind of text → its n-th part."""


class Cost(msgspec.Struct, frozen=True):
    seconds: float
    """CPU for SIZE characters."""
    growth: float
    """How much more a character costs in a text LONGER times as long."""
    messages_nr: int


def text_of(kind: str, size: int) -> str:
    parts: list[str] = []
    length = 0
    while length < size:
        parts.append(KINDS[kind](len(parts)))
        length += len(parts[-1])
    return "".join(parts)[:size]


def laid_out(text: str) -> int:
    """How many messages came of it."""
    flow = TextFlow(DEFAULTS, PLAIN)
    for nr, at in enumerate(range(0, len(text), DELTA), 1):
        flow.feed(text[at : at + DELTA])
        if nr % LOOK == 0:
            flow.messages()
    return len(flow.close())


def seconds(text: str) -> float:
    gc.collect()
    begin = time.process_time()
    laid_out(text)
    return time.process_time() - begin


def cost(kind: str, rounds: int) -> Cost:
    text, longer = text_of(kind, SIZE), text_of(kind, SIZE * LONGER)
    messages_nr = laid_out(text)
    times = [(seconds(text), seconds(longer)) for _ in range(rounds)]
    growth = median(after / before for before, after in times) / LONGER
    return Cost(median(before for before, _ in times), growth, messages_nr)


def markdown(costs: Mapping[str, Cost]) -> str:
    head = [
        f"{SIZE:,} characters",
        "messages",
        "CPU s",
        "µs a delta",
        f"a character of {SIZE * LONGER:,} / of {SIZE:,}",
    ]
    rows = [
        [kind, str(each.messages_nr), f"{each.seconds:.2f}", f"{each.seconds / SIZE * DELTA * 1e6:.1f}", f"{each.growth:.2f}"]
        for kind, each in costs.items()
    ]  # fmt: skip
    return report.table(head, rows)


def main() -> int:
    parser = argparse.ArgumentParser(prog="python -m tests.bench.layout", description=__doc__)
    parser.add_argument("--quick", action="store_true", help="one round")
    parser.add_argument("--write", action="store_true", help="put the figures into docs/performance.md")
    options = parser.parse_args()
    costs = {kind: cost(kind, 1 if options.quick else 3) for kind in KINDS}
    figures = markdown(costs)
    print(figures, "\n")
    goals = [
        goal
        for kind, each in costs.items()
        for goal in (
            Goal(f"{kind}: {SIZE:,} characters", each.seconds, MOST_SECONDS, unit="s", decides=False),
            Goal(f"{kind}: growth", each.growth, MOST_GROWTH),
        )
    ]
    for goal in goals:
        print(goal)
    if options.write:
        report.write(figures, BEGIN, END)
    return int(any(goal.failed for goal in goals))


if __name__ == "__main__":
    sys.exit(main())
