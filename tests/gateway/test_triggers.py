"""Who is answered: people who mention us, reply to us, or write to us; nobody else, and never ourselves."""

import itertools

import pytest

from bot.gateway.triggers import Incoming, Trigger, trigger_of


def incoming(**facts: bool) -> Incoming:
    plain = dict.fromkeys(("from_me", "from_bot", "from_webhook", "direct", "mentions_me", "replies_to_me"), False)
    return Incoming(**{**plain, "written_by_a_person": True, **facts})


@pytest.mark.parametrize(
    ("facts", "trigger"),
    [
        ({}, None),
        ({"mentions_me": True}, Trigger.MENTION),
        ({"replies_to_me": True}, Trigger.REPLY),
        ({"replies_to_me": True, "mentions_me": True}, Trigger.REPLY),
        ({"direct": True}, Trigger.DIRECT_MESSAGE),
    ],
)
def test_what_makes_us_answer(facts: dict[str, bool], trigger: Trigger | None) -> None:
    assert trigger_of(incoming(**facts)) is trigger


@pytest.mark.parametrize(
    "never", [{"from_me": True}, {"from_bot": True}, {"from_webhook": True}, {"written_by_a_person": False}]
)
def test_bots_webhooks_system_messages_and_ourselves_are_never_answered(never: dict[str, bool]) -> None:
    for direct, mentions, replies in itertools.product((False, True), repeat=3):
        facts = {"direct": direct, "mentions_me": mentions, "replies_to_me": replies, **never}
        assert trigger_of(incoming(**facts)) is None
