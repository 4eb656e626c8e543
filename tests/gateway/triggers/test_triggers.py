"""Who is answered: people who speak to us, by name, word or place, as the server wants; other bots hardly, ourselves never."""

import itertools
from typing import Any

import pytest

from bot.gateway.triggers.rules import Incoming, Trigger, trigger_of, words_in_force
from bot.persona import Persona
from bot.preferences import Answering, Bots, ConversationPreferences

ME, MY_ROLE = 77, 88
MENTIONS = ConversationPreferences()
ALWAYS = ConversationPreferences(answering=Answering.ALWAYS)
NEVER = ConversationPreferences(answering=Answering.NEVER)
BOTS = ConversationPreferences(bots=Bots.MENTIONS)


def incoming(**facts: Any) -> Incoming:
    return Incoming(**{"me": ME, "my_role": MY_ROLE, "text": "hello", **facts})


@pytest.mark.parametrize(
    ("facts", "trigger"),
    [
        ({}, None),
        ({"text": f"<@{ME}> hello"}, Trigger.MENTION),
        ({"text": f"hello <@!{ME}>"}, Trigger.MENTION),
        ({"text": f"hello <@&{MY_ROLE}>"}, Trigger.MENTION),
        ({"text": f"hello <@&{MY_ROLE}>", "my_role": None}, None),
        ({"text": f"hello <@{ME}0> <@&{ME}> <#{ME}> {ME}"}, None),
        ({"text": f"write `<@{ME}>` to mention it"}, None),
        ({"replies_to_me": True}, Trigger.REPLY),
        ({"replies_to_me": True, "text": f"<@{ME}>"}, Trigger.REPLY),
        ({"is_direct": True}, Trigger.DIRECT_MESSAGE),
        ({"is_direct": True, "replies_to_me": True}, Trigger.DIRECT_MESSAGE),
        ({"in_my_thread": True}, Trigger.THREAD),
        ({"text": "well, Ann?"}, Trigger.WORD),
        ({"text": "well, Ann?", "in_my_thread": True}, Trigger.WORD),
        ({"text": "well, Anna?"}, None),
        ({"text": ""}, None),
    ],
)
def test_what_makes_us_answer(facts: dict[str, Any], trigger: Trigger | None) -> None:
    assert trigger_of(incoming(**facts), MENTIONS, ["ann"]) is trigger


@pytest.mark.parametrize(
    ("facts", "trigger"),
    [
        ({}, Trigger.ALWAYS),
        ({"text": ""}, Trigger.ALWAYS),
        ({"text": f"<@{ME}>"}, Trigger.MENTION),
        ({"text": "ann"}, Trigger.WORD),
    ],
)
def test_in_some_channels_everything_is_for_us(facts: dict[str, Any], trigger: Trigger) -> None:
    assert trigger_of(incoming(**facts), ALWAYS, ["ann"]) is trigger


def test_only_who_speaks_to_us_expects_an_answer() -> None:
    addressed = {trigger for trigger in Trigger if trigger.is_addressed}
    assert addressed == {Trigger.DIRECT_MESSAGE, Trigger.REPLY, Trigger.MENTION}


@pytest.mark.parametrize(
    ("never", "preferences"),
    [
        ({}, NEVER),
        ({"is_mine": True}, ALWAYS),
        ({"is_mine": True, "is_bot": True}, BOTS),
        ({"is_written": False}, ALWAYS),
        ({"is_bot": True}, MENTIONS),
        ({"is_bot": True}, ALWAYS),
    ],
    ids=[
        "where nothing is answered",
        "our own",
        "our own webhook's",
        "system messages",
        "bots",
        "bots in free channels",
    ],
)
def test_what_is_never_answered_is_not_whatever_it_says(
    never: dict[str, Any], preferences: ConversationPreferences
) -> None:
    for direct, replies, thread in itertools.product((False, True), repeat=3):
        facts = {"is_direct": direct, "replies_to_me": replies, "in_my_thread": thread, "text": f"ann <@{ME}>"}
        assert trigger_of(incoming(**{**facts, **never}), preferences, ["ann"]) is None


@pytest.mark.parametrize(
    ("facts", "trigger"),
    [
        ({"text": "Understood.", "replies_to_me": True}, None),
        ({"text": f"<@{ME}> what do you think?"}, Trigger.MENTION),
        ({"text": f"<@{ME}> what do you think?", "replies_to_me": True}, Trigger.MENTION),
        ({"text": f"<@&{MY_ROLE}> what do you think?"}, None),
        ({"text": f"`<@{ME}>`", "replies_to_me": True}, None),
        ({"text": "ann"}, None),
        ({"text": "hello", "in_my_thread": True}, None),
        ({"text": "hello", "is_direct": True}, None),
    ],
)
@pytest.mark.parametrize("answering", [Answering.MENTIONS, Answering.ALWAYS])
def test_of_other_bots_only_a_mention_in_the_text_counts(
    facts: dict[str, Any], trigger: Trigger | None, answering: Answering
) -> None:
    preferences = ConversationPreferences(answering=answering, bots=Bots.MENTIONS)
    assert trigger_of(incoming(is_bot=True, **facts), preferences, ["ann"]) is trigger


def test_the_words_in_force_are_those_of_the_place_and_of_who_speaks_there() -> None:
    chosen = ConversationPreferences(trigger_words=("parley", "hey bot"))
    ann = Persona("Captain Ann", trigger_words=("ann",))
    assert words_in_force(chosen, None) == ("parley", "hey bot")
    assert words_in_force(chosen, ann) == ("parley", "hey bot", "Captain Ann", "ann")


@pytest.mark.parametrize(
    ("facts", "by_person"),
    [({}, True), ({"is_bot": True}, False), ({"is_mine": True}, False), ({"is_written": False}, False)],
)
def test_a_persons_word_is_what_no_bot_and_not_discord_wrote(facts: dict[str, Any], by_person: bool) -> None:
    assert incoming(**facts).is_by_person is by_person
