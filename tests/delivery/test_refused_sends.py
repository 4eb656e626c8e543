"""A channel that refused a message is left alone for a quarter of an hour, or until it takes one."""

from bot.delivery.refused_sends import MOST, SECONDS, RefusedSends


def test_a_channel_that_refused_is_tried_again_after_a_while() -> None:
    sends = RefusedSends()
    sends.refused(1, now=100.0)
    assert sends.is_refused(1, 100.0)
    assert sends.is_refused(1, 100.0 + SECONDS - 1)
    assert not sends.is_refused(1, 100.0 + SECONDS)
    assert not sends.is_refused(2, 100.0)


def test_a_channel_that_refuses_again_is_left_alone_anew() -> None:
    sends = RefusedSends()
    sends.refused(1, now=0.0)
    sends.refused(1, now=500.0)
    assert sends.is_refused(1, SECONDS + 1)


def test_a_message_that_was_taken_opens_the_channel() -> None:
    sends = RefusedSends()
    sends.refused(1, now=0.0)
    sends.sent(1)
    sends.sent(2)
    assert not sends.is_refused(1, 1.0)


def test_of_very_many_channels_the_latest_are_remembered() -> None:
    sends = RefusedSends()
    for channel in range(MOST + 1):
        sends.refused(channel, now=float(channel) / MOST)
    assert not sends.is_refused(0, 2.0)
    assert sends.is_refused(1, 2.0)
    assert sends.is_refused(MOST, 2.0)
