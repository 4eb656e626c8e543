"""One route's window in one channel: learnt from headers, used up evenly, with a reserve for what must arrive."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from bot.delivery.pacing.buckets import COOL_OFF, FRESH, FRESH_PACE, RELEASE, Bucket, Budget, pace


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
        return Budget(self._left, self._ends - now, self._limit)


def told(remaining: int, reset_after: float, limit: int = 5, at: float = 0.0) -> Bucket:
    """One call has gone out and this is what its answer said, both in the same moment."""
    bucket = Bucket()
    bucket.promise(at)
    bucket.answered(Budget(remaining, reset_after, limit), at)
    return bucket


def test_a_window_of_which_nothing_is_known_is_open() -> None:
    bucket = Bucket()
    assert (bucket.preview_at(100.0), bucket.final_at(100.0)) == (100.0, 100.0)


@pytest.mark.parametrize(
    ("remaining", "reset_after", "limit", "preview", "final"),
    [
        pytest.param(4, 5.0, 5, 1.0, 0.0, id="five in five seconds, one of them used"),
        pytest.param(2, 3.0, 5, 1.0, 0.0, id="in the middle"),
        pytest.param(1, 4.0, 5, 3.0, 0.0, id="the last one is kept until the window is nearly over"),
        pytest.param(1, 1.0, 5, 0.5, 0.0, id="when it is nearly over there is nothing to keep"),
        pytest.param(0, 2.0, 5, 2.0, 2.0, id="all used up"),
        pytest.param(49, 1.0, 50, 0.02, 0.0, id="a generous window"),
        pytest.param(4, -0.1, 5, 0.0, 0.0, id="the window is over"),
        pytest.param(0, 60.0, 1, 60.0, 60.0, id="one in a minute leaves nothing to keep"),
    ],
)
def test_what_is_left_is_spread_over_the_time_that_is_left(
    remaining: int, reset_after: float, limit: int, preview: float, final: float
) -> None:
    bucket = told(remaining, reset_after, limit)
    assert bucket.preview_at(0.0) == pytest.approx(preview)
    assert bucket.final_at(0.0) == pytest.approx(final)


def test_all_calls_of_every_window_are_used() -> None:
    bucket, window = Bucket(), Window(5, 5.0)
    now = 0.0
    times: list[float] = []
    while len(times) < 15:
        now = bucket.preview_at(now)
        times.append(round(now, 3))
        bucket.promise(now)
        bucket.answered(window.call(now), now)
    assert times == [float(second) for second in range(15)]
    assert window.refused == 0


def test_what_others_write_in_the_channel_counts_from_when_it_goes_out() -> None:
    bucket = Bucket()
    for _ in range(5):
        assert bucket.went_out(0.0) is False
    assert bucket.final_at(0.0) == 5.0


def test_a_call_that_was_let_go_counts_once() -> None:
    bucket = told(3, 4.0)
    bucket.promise(1.0)
    assert bucket.went_out(1.0) is True
    bucket.answered(Budget(2, 3.0), 1.0)
    bucket.promise(1.0)
    bucket.promise(1.0)
    assert bucket.final_at(1.0) == 4.0


def test_a_call_that_is_not_made_after_all_does_not_count() -> None:
    bucket = told(1, 4.0)
    bucket.promise(1.0)
    assert bucket.final_at(1.0) == 4.0
    bucket.withdraw()
    assert bucket.final_at(1.0) == 1.0


def test_a_call_whose_answer_never_comes_does_not_count_for_ever() -> None:
    bucket = Bucket()
    for second in range(100):
        bucket.promise(float(second))
        bucket.went_out(float(second))
    assert bucket.final_at(120.0) == 120.0
    bucket.promise(120.0)
    assert bucket.preview_at(120.0) == 121.0


def test_an_answer_that_was_overtaken_does_not_undo_what_a_later_one_said() -> None:
    bucket = Bucket()
    for now in (0.0, 0.1, 0.2):
        bucket.promise(now)
    bucket.answered(Budget(2, 4.8), 0.4)
    bucket.answered(Budget(4, 5.0), 0.5)
    bucket.answered(Budget(3, 4.9), 0.5)
    assert bucket.preview_at(0.2) == pytest.approx(0.2 + (5.2 - 0.2) / 3)
    bucket.answered(Budget(4, 5.0), 6.0)
    bucket.answered(Budget(0, 0.1), 6.0)
    assert bucket.final_at(6.2) == 6.2


def test_after_a_429_nothing_goes_out_until_discord_said_and_previews_come_back_slowly() -> None:
    bucket = Bucket()
    bucket.promise(0.0)
    bucket.limited(3.0, 1.0)
    assert (bucket.preview_at(2.0), bucket.final_at(2.0)) == (4.0, 4.0)
    gaps = []
    for now in (4.0, 4.0 + COOL_OFF / 2, 4.0 + COOL_OFF):
        bucket.promise(now)
        bucket.answered(Budget(4, 5.0), now)
        gaps.append(round(bucket.preview_at(now) - now, 3))
        assert bucket.final_at(now) == now
    assert gaps == [2.0, 1.5, 1.0]


def test_a_limit_that_others_used_up_is_waited_out_and_that_is_all() -> None:
    bucket = Bucket()
    bucket.promise(0.0)
    bucket.limited(3.0, 1.0, shared=True)
    assert bucket.final_at(2.0) == 4.0
    bucket.promise(4.0)
    bucket.answered(Budget(4, 5.0), 4.0)
    assert bucket.preview_at(4.0) == 5.0


def test_a_young_answer_writes_faster_and_never_slower_than_an_old_one() -> None:
    assert [pace(age) for age in (0.0, FRESH / 2, FRESH, 100.0)] == [FRESH_PACE, (1 + FRESH_PACE) / 2, 1.0, 1.0]


@given(
    limit=st.integers(2, 30),
    period=st.floats(0.5, 60.0),
    idle=st.lists(st.floats(0.0, 10.0), max_size=60),
    stretch=st.floats(FRESH_PACE, 1.0),
    delay=st.floats(0.0, 0.4),
)
def test_previews_are_never_refused_and_a_final_text_waits_no_longer_than_the_release(
    limit: int, period: float, idle: list[float], stretch: float, delay: float
) -> None:
    """`delay`: from the call to its effect; the answer takes as long again."""
    bucket, window, now = Bucket(), Window(limit, period), 0.0
    bucket.answered(Budget(limit - 1, 0.0, limit), now)
    for pause in idle:
        now = bucket.preview_at(now + pause, stretch)
        bucket.promise(now)
        budget = window.call(now + delay)
        now += 2 * delay
        bucket.answered(budget, now)
        assert bucket.final_at(now) - now <= RELEASE + 1e-6
    assert window.refused == 0
