"""The least mean lag that any pacing could reach for one answer alone in its channel, by search over all plans.

The planner knows when every character will come and when the answer ends. It may use five edits in a window of five seconds
that opens with its first edit; the first text is a message of its own and the last edit shows all. Times on a grid of GRID.
"""

from __future__ import annotations

import math
import sys
from collections.abc import Sequence
from functools import cache

from bot.delivery.pacing.buckets import DEFAULT_LIMIT, DEFAULT_PERIOD, SMALLEST_GAP

GRID = 0.1
"""Seconds."""
LONGEST_GAP = 5.0

Deltas = Sequence[tuple[int, int]]
"""(milliseconds since the first, characters)."""


def mean_lag(answers: Sequence[Deltas], latency: float) -> float:
    """Seconds, over all characters. `latency`: from a call to its effect."""
    characters = sum(size for deltas in answers for _, size in deltas)
    return latency + sum(_least_lag(deltas) for deltas in answers) / characters


def _least_lag(deltas: Deltas) -> float:
    """Character-seconds."""
    last = math.ceil(deltas[-1][0] / 1000 / GRID)
    arrived, moments = [0.0] * (last + 1), [0.0] * (last + 1)
    for milliseconds, size in deltas:
        step = math.ceil(milliseconds / 1000 / GRID)
        arrived[step] += size
        moments[step] += size * milliseconds / 1000
    for step in range(last):
        arrived[step + 1] += arrived[step]
        moments[step + 1] += moments[step]
    nearest, furthest, window = (round(each / GRID) for each in (SMALLEST_GAP, LONGEST_GAP, DEFAULT_PERIOD))

    @cache
    def least(shown: int, opened: int, used: int) -> float:
        """Of what comes after step `shown`, with a window opened at a step and so many of its edits used."""
        if shown >= last:
            return 0.0
        best = math.inf
        for step in range(min(last, shown + nearest), min(last, shown + furthest) + 1):
            fresh = step >= opened + window
            if not fresh and used == DEFAULT_LIMIT:
                continue
            waiting = (arrived[step] - arrived[shown]) * step * GRID - (moments[step] - moments[shown])
            best = min(best, waiting + (least(step, step, 1) if fresh else least(step, opened, used + 1)))
        return best

    depth = sys.getrecursionlimit()
    sys.setrecursionlimit(max(depth, 10_000))
    try:
        return least(0, -window, DEFAULT_LIMIT)
    finally:
        sys.setrecursionlimit(depth)
