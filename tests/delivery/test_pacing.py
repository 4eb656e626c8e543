"""Pacing: learnt from headers, even, with a reserve for what must arrive."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from bot.delivery.pacing import DEFAULT_GAP, SMALLEST_GAP, Budget, Pacing, PacingBook, Route


class Window:
    """Discord's side: a fixed window that starts with its first call."""

    def __init__(self, limit: int, period: float) -> None:
        self._limit, self._period = limit, period
        self._left, self._ends = limit, float("-inf")
        self.refused = 0

    def call(self, now: float) -> Budget:
        if now >= self._ends:
            self._left, self._ends = self._limit, now + self._period
        if self._left == 0:
            self.refused += 1
        self._left = max(0, self._left - 1)
        return Budget(self._left, self._ends - now)


def test_the_first_operation_of_each_route_goes_out_at_once() -> None:
    pacing = Pacing()
    assert [pacing.wait(route, 100.0, final=False) for route in Route] == [0.0, 0.0, 0.0]


def test_until_an_answer_tells_more_previews_keep_the_default_distance() -> None:
    pacing = Pacing()
    pacing.sent(Route.EDIT, 10.0)
    assert pacing.wait(Route.EDIT, 10.0, final=False) == DEFAULT_GAP
    assert pacing.wait(Route.EDIT, 10.0 + DEFAULT_GAP, final=False) == 0.0
    assert pacing.wait(Route.CREATE, 10.0, final=False) == 0.0


@pytest.mark.parametrize(
    ("remaining", "reset_after", "preview", "final"),
    [
        (4, 5.0, 1.25, 0.0),
        (1, 1.25, 1.25, 0.0),
        (0, 2.0, 2.0, 2.0),
        (49, 1.0, SMALLEST_GAP, 0.0),
        (4, -0.1, SMALLEST_GAP, 0.0),
    ],
)
def test_what_is_left_is_spread_over_the_time_that_is_left(
    remaining: int, reset_after: float, preview: float, final: float
) -> None:
    pacing = Pacing()
    pacing.answered(Route.EDIT, Budget(remaining, reset_after), 0.0)
    assert pacing.wait(Route.EDIT, 0.0, final=False) == pytest.approx(preview)
    assert pacing.wait(Route.EDIT, 0.0, final=True) == pytest.approx(final)


def test_after_a_429_nothing_goes_out_until_discord_said() -> None:
    pacing = Pacing()
    pacing.limited(Route.EDIT, 3.0, 1.0)
    assert (pacing.wait(Route.EDIT, 2.0, final=False), pacing.wait(Route.EDIT, 2.0, final=True)) == (2.0, 2.0)


@given(st.integers(2, 30), st.floats(0.5, 60.0), st.lists(st.floats(0.0, 10.0), max_size=60))
def test_previews_are_never_refused_and_always_leave_room_for_the_final_text(
    limit: int, period: float, idle: list[float]
) -> None:
    pacing, window, now = Pacing(), Window(limit, period), 0.0
    for pause in idle:
        now += pause
        now += pacing.wait(Route.EDIT, now, final=False)
        budget = window.call(now)
        pacing.answered(Route.EDIT, budget, now)
        assert budget.remaining >= 1
        assert pacing.wait(Route.EDIT, now, final=True) == 0.0
    assert window.refused == 0


def test_the_book_forgets_the_channel_that_was_quiet_longest() -> None:
    book = PacingBook()
    first, second = book.of(1), book.of(2)
    for channel_id in range(3, PacingBook.MOST + 1):
        book.of(channel_id)
    assert book.of(1) is first
    book.of(PacingBook.MOST + 1)
    assert book.of(1) is first
    assert book.of(2) is not second
