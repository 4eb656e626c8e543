"""When a message is answered, and who is admitted: over sockets, as people write and press.

/ask, *Ask about this* and what people bring along are in tests/e2e/test_ask.py; that no entrance goes by the gate, in
tests/e2e/test_entrances.py; the rules one by one in tests/gateway.
"""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from pathlib import Path
from typing import Any

import pytest

from bot.gateway.client import ParleyClient
from bot.persona import Persona
from bot.playground.standin import Channel, Permission, User
from bot.preferences import AdmissionPreferences, Answering, Bots
from bot.store import Scope
from tests.e2e.house import EPHEMERAL, House, open_house, running_bot, said

Say = Callable[[House], Awaitable[Any]]

LAST = "And the last one?"


async def asked_only(house: House, *expected: str, channel: Channel | None = None) -> None:
    """The model was asked these questions and no others, of all that was said in the channel up to now."""
    place = channel or house.general
    if all(expected):
        await house.standin.wait_for(lambda _: len(house.provider.requests) >= len(expected))
    # A channel's messages are handled in their order: when this one is answered, those before it have been judged.
    await house.standin.say(house.standin.user("Chi"), place, f"{house.standin.mention} {LAST}")
    await house.standin.wait_for(
        lambda _: any(LAST in question(house, nr) for nr in range(len(house.provider.requests)))
    )
    await house.app.idle()
    questions = [question(house, nr) for nr in range(len(house.provider.requests))]
    assert [words in asked for words, asked in zip((*expected, LAST), questions, strict=True)] == [True] * len(
        questions
    )


def question(house: House, nr: int) -> str:
    """What is new in a request: the last thing said."""
    return str(said(house.provider.requests[nr])[-1]["content"]).rpartition("\n\n")[2]


async def admit(house: House, **choices: Any) -> None:
    guild_id = int(house.general.guild_id or 0)
    await house.preferences.change(AdmissionPreferences, Scope.SERVER, guild_id, **choices)


async def told(house: House, words: str, channel: Channel | None = None) -> None:
    """In the channel, in small text."""
    await house.standin.wait_for(
        lambda _: any(text.startswith("-# ") and words in text for text in house.texts(channel))
    )


# ----------------------------------------------------------------------------------------------------------------- when


async def test_a_mention_is_answered(tmp_path: Path) -> None:
    async with open_house(tmp_path) as house:
        await house.standin.say(house.ada, house.general, "hello all, @everyone")
        await house.standin.say(house.ada, house.general, f"`<@{house.standin.bot_id}>` is how it is written")
        await house.standin.say(house.ada, house.general, f"{house.bo.mention} are you there?")
        await house.standin.say(house.ada, house.general, f"One? <@{house.standin.bot_id}>")
        await asked_only(house, "One?")


async def test_a_reply_to_one_of_our_messages_is_answered_with_or_without_its_ping(tmp_path: Path) -> None:
    async with open_house(tmp_path) as house:
        theirs = await house.ask("One?")
        await house.answered()
        ours = house.answers()[0]["id"]
        await house.standin.say(house.bo, house.general, "To Ada.", reply_to=theirs)
        await house.standin.say(house.bo, house.general, "Two?", reply_to=ours, ping_replied=False)
        await house.answered(2)
        await house.standin.say(house.ada, house.general, "Three?", reply_to=ours)
        await asked_only(house, "One?", "Two?", "Three?")


async def test_a_direct_message_is_answered(tmp_path: Path) -> None:
    async with open_house(tmp_path) as house:
        direct = house.standin.dm(house.bo)
        await house.standin.say(house.bo, direct, "Just us?")
        await house.answered(channel=direct)
        assert question(house, 0).endswith("Just us?")


async def test_in_a_thread_of_ours_nobody_needs_to_mention_us_and_in_one_of_somebody_else_they_do(
    tmp_path: Path,
) -> None:
    async with open_house(tmp_path) as house:
        theirs = await house.standin.start_thread(house.ada, house.general, "theirs")
        await house.standin.say(house.bo, theirs, "Not for us.")
        await asked_only(house, channel=theirs)
        ours = await house.standin.start_thread(house.standin.world.bot, house.general, "ours")
        await house.standin.say(house.bo, ours, "For us?")
        await house.answered(channel=ours)
        assert [question(house, nr).endswith(words) for nr, words in enumerate((LAST, "For us?"))] == [True, True]


async def test_in_a_channel_that_is_set_to_always_everything_that_people_say_is_answered_once(tmp_path: Path) -> None:
    async with open_house(tmp_path) as house:
        await house.choose(house.general, answering=Answering.ALWAYS)
        other, robot = house.standin.channel("random"), house.standin.add_bot("Robot")
        await house.standin.say(house.bo, other, "Not there.")
        await asked_only(house, channel=other)
        await house.standin.say(robot, house.general, "I am a bot.")
        house.standin.system_message(house.bo, house.general, 7)
        await house.standin.say(house.bo, house.general, "One?")
        await asked_only(house, LAST, "One?")


@pytest.mark.parametrize(
    ("words", "silent", "spoken"),
    [
        (("Parley", "old friend"), "We are parleying, my old friends.", "Hey PARLEY, are you there?"),
        (("old friend",), "`old friend` https://old.example/friend", "Well, old\nfriend?"),
        (("パーレイ",), "パーティー", "ねえパーレイさん、元気?"),
        (("小助手",), "小手助", "你好小助手在吗?"),
    ],
)
async def test_a_trigger_word_calls_us(tmp_path: Path, words: tuple[str, ...], silent: str, spoken: str) -> None:
    async with open_house(tmp_path) as house:
        await house.choose(trigger_words=words)
        await house.standin.say(house.bo, house.general, silent)
        await house.standin.say(house.bo, house.general, spoken)
        await asked_only(house, spoken.splitlines()[-1])


async def test_where_we_answer_never_only_commands_are_answered(tmp_path: Path) -> None:
    async with open_house(tmp_path) as house:
        await house.choose(house.general, answering=Answering.NEVER)
        await house.ask("One?", by=house.bo)
        await house.standin.slash(house.bo, house.general, "ask", {"question": "Two?"})
        await house.answered()
        assert len(house.provider.requests) == 1
        assert "Two?" in question(house, 0)


# ------------------------------------------------------------------------------------------------------------- only once


async def test_a_message_that_discord_tells_twice_is_answered_once(tmp_path: Path) -> None:
    async with open_house(tmp_path) as house:
        await house.choose(house.general, answering=Answering.ALWAYS)
        message = await house.standin.say(house.bo, house.general, "One?")
        house.standin.repeat_message(message["id"])
        await house.answered()
        house.standin.repeat_message(message["id"])
        await asked_only(house, "One?")


async def test_nor_is_it_answered_by_the_next_process(tmp_path: Path) -> None:
    async with open_house(tmp_path, connected=False) as house:
        async with running_bot(house, tmp_path):
            message = await house.ask("One?", by=house.bo)
            await house.answered()
        async with running_bot(house, tmp_path):
            house.standin.repeat_message(message)
            await asked_only(house, "One?")


async def test_a_thread_and_the_message_that_it_was_opened_at_are_no_second_question(tmp_path: Path) -> None:
    async with open_house(tmp_path) as house:
        await house.choose(answering=Answering.ALWAYS)
        message = await house.standin.say(house.bo, house.general, "One?")
        await house.answered()
        thread = await house.standin.start_thread(house.bo, house.general, "about it", message_id=message["id"])
        house.standin.system_message(house.bo, thread, 21)
        await asked_only(house, "One?", channel=thread)


async def test_a_post_in_a_forum_is_one_question(tmp_path: Path) -> None:
    async with open_house(tmp_path) as house:
        await house.choose(answering=Answering.ALWAYS)
        post = await house.standin.post(house.bo, house.standin.add_forum("help"), "Help", "One?")
        house.standin.repeat_message(post.id)
        await house.answered(channel=post)
        await asked_only(house, "One?", channel=post)


# ----------------------------------------------------------------------------------------------------------------- bots


async def test_bots_are_not_answered_unless_the_server_wants_it(tmp_path: Path) -> None:
    async with open_house(tmp_path) as house:
        robot = house.standin.add_bot("Robot")
        webhook = house.standin.add_webhook(house.general, "News", by=house.ada)
        await house.ask("Beep?", by=robot)
        await house.standin.execute_webhook(webhook, f"{house.standin.mention} News?")
        await asked_only(house)
        assert len(house.answers()) == 1, "and bots are told nothing"


async def test_bots_that_mention_us_are_answered_a_few_times_until_a_person_speaks(tmp_path: Path) -> None:
    async with open_house(tmp_path) as house:
        await house.choose(bots=Bots.MENTIONS, bot_turns=2)
        robot = house.standin.add_bot("Robot")
        webhook = house.standin.add_webhook(house.general, "News", by=house.ada)
        await house.ask("One?", by=robot)
        await house.answered()
        await house.standin.say(robot, house.general, "A reply.", reply_to=house.answers()[0]["id"])
        await house.standin.execute_webhook(webhook, f"{house.standin.mention} Two?")
        await house.answered(2)
        await house.ask("Three?", by=robot)
        await house.ask("stop", by=robot)
        await house.standin.say(house.bo, house.general, "Bots, really.")
        await house.ask("Four?", by=robot)
        await asked_only(house, "One?", "Two?", "Four?")


async def test_our_own_words_are_never_a_question(tmp_path: Path) -> None:
    """Answers, and notices too: here one that somebody is not admitted."""
    async with open_house(tmp_path) as house:
        await house.choose(answering=Answering.ALWAYS, bots=Bots.MENTIONS, trigger_words=("Hello", "blocked"))
        await admit(house, blocked_user_ids=[int(house.bo.id)])
        await house.ask("One?", by=house.bo)
        await told(house, "You are blocked here")
        await house.ask("Two?")
        await asked_only(house, "Two?")


# ------------------------------------------------------------------------------------------------------------- admission


async def everywhere_refused(house: House, words: str, *, answer: str, modal: Any = None) -> None:
    """Bo is told so at every entrance, and the model hears nothing."""
    asked = len(house.provider.requests)
    await house.ask("By message?", by=house.bo)
    await told(house, words)
    by_interaction: list[Callable[[], Awaitable[Any]]] = [
        lambda: house.standin.slash(house.bo, house.general, "ask", {"question": "By command?"}),
        lambda: house.standin.message_command(house.bo, answer, "Ask about this"),
        lambda: house.standin.press(house.bo, answer, button_of(house, answer, "regenerate")),
    ]
    if modal is not None:
        by_interaction.append(lambda: house.standin.submit_modal(modal, {}))
    for enter in by_interaction:
        for told_before in [message["id"] for message in private(house)]:
            await house.standin.delete(told_before, by=house.bo)
        await (await enter()).answered()
        await house.whispered(house.bo, words)
    assert await suggestions(house) == []
    await house.app.idle()
    assert len(house.provider.requests) == asked


def private(house: House) -> list[Any]:
    """What only Bo sees."""
    return [m for m in house.standin.messages(house.general, house.bo) if m["flags"] & EPHEMERAL]


def button_of(house: House, message_id: str, action: str) -> str:
    (row,) = house.standin.message(message_id)["components"]
    return next(str(button["custom_id"]) for button in row["components"] if f":{action}:" in button["custom_id"])


async def suggestions(house: House) -> list[Any]:
    typing = await house.standin.autocomplete(house.bo, house.general, "persona use", {"name": ""}, focused="name")
    return list((await typing.answered()).choices)


async def add_persona(house: House) -> None:
    client = house.app.client
    assert isinstance(client, ParleyClient)
    await client.personas.put(int(house.general.guild_id or 0), Persona("Miso"), by=1)


RULES: dict[str, tuple[Callable[[House], dict[str, Any]], str]] = {
    "blocked": (lambda house: {"blocked_user_ids": [int(house.bo.id)]}, "You are blocked here"),
    "closed channel": (lambda house: {"closed_channel_ids": [int(house.general.id)]}, "not answer in this channel"),
    "other channels only": (
        lambda house: {"channel_ids": [int(house.standin.channel("random").id)]},
        "not answer in this channel",
    ),
    "role": (lambda house: {"role_ids": [int(house.standin.add_role("Members").id)]}, "only people with certain roles"),
}


@pytest.mark.parametrize("rule", RULES)
async def test_what_a_server_lays_down_holds_at_every_entrance(tmp_path: Path, rule: str) -> None:
    choices, words = RULES[rule]
    async with open_house(tmp_path) as house:
        await add_persona(house)
        assert len(await suggestions(house)) == 1
        await house.ask("One?", by=house.bo)
        await house.answered()
        answer = house.answers()[0]["id"]
        modal = await house.standin.message_command(house.bo, answer, "Ask about this")
        await modal.answered()
        await admit(house, **choices(house))
        await everywhere_refused(house, words, answer=answer, modal=modal)
        asked = len(house.provider.requests)
        if rule == "role":
            house.standin.give_role(
                house.bo, next(r for r in house.standin.world.roles.values() if r.name == "Members")
            )
        else:
            await admit(house, **dict.fromkeys(choices(house)))
        await house.ask("Again?", by=house.bo)
        await house.standin.wait_for(lambda _: len(house.provider.requests) == asked + 1)


async def test_a_role_and_a_list_bind_nobody_who_manages_the_server(tmp_path: Path) -> None:
    async with open_house(tmp_path) as house:
        role = house.standin.add_role("Members")
        await admit(house, role_ids=[int(role.id)], closed_channel_ids=[int(house.general.id)], questions_per_hour=1)
        for nr in range(1, 3):
            await house.ask("One?", by=house.ada)
            await house.answered(nr)
        assert len(house.provider.requests) == 2


@pytest.mark.parametrize(
    ("settings", "words"),
    [
        (lambda bo, _: {"blocked_user_ids": frozenset({bo})}, "You are blocked here"),
        (lambda _, server: {"server_ids": frozenset({server + 1})}, "has not opened it for this server"),
    ],
)
async def test_what_the_operator_lays_down_holds_at_every_entrance(
    tmp_path: Path, settings: Callable[[int, int], dict[str, Any]], words: str
) -> None:
    async with open_house(tmp_path, connected=False) as house:
        async with running_bot(house, tmp_path):
            await house.ask("One?", by=house.bo)
            await house.answered()
            answer = house.answers()[0]["id"]
        async with running_bot(house, tmp_path, **settings(int(house.bo.id), int(house.general.guild_id or 0))):
            await everywhere_refused(house, words, answer=answer)


@pytest.mark.parametrize(("people", "refused"), [("nobody", True), ("1,2", True), ("everyone", False), ("bo", False)])
async def test_direct_messages_are_for_whom_the_operator_wants(tmp_path: Path, people: str, refused: bool) -> None:
    async with open_house(tmp_path, connected=False) as house:
        chosen = house.bo.id if people == "bo" else people
        async with running_bot(house, tmp_path, direct_messages=chosen):
            direct = house.standin.dm(house.bo)
            await house.standin.say(house.bo, direct, "Just us?")
            await told(house, "I do not answer direct messages", direct) if refused else await house.answered(
                channel=direct
            )
            await house.standin.slash(house.bo, direct, "ask", {"question": "By command?"})
            if refused:
                await house.standin.wait_for(
                    lambda _: any(
                        "I do not answer direct messages" in text for text in house.whispers(house.bo, direct)
                    )
                )
            else:
                await house.answered(2, direct)
            assert len(house.provider.requests) == (0 if refused else 2)


async def test_a_pause_between_two_questions_holds_for_messages_and_commands_together(tmp_path: Path) -> None:
    async with open_house(tmp_path) as house:
        await admit(house, cooldown_seconds=3600)
        await house.ask("One?", by=house.bo)
        await house.answered()
        await house.ask("Two?", by=house.bo)
        await told(house, "Please leave a pause")
        await house.standin.slash(house.bo, house.general, "ask", {"question": "Three?"})
        await house.whispered(house.bo, "Please leave a pause")
        await asked_only(house, "One?")


async def test_a_quota_counts_messages_commands_and_buttons_together_and_each_person_alone(tmp_path: Path) -> None:
    async with open_house(tmp_path) as house:
        await admit(house, questions_per_day=3)
        await house.ask("One?", by=house.bo)
        await house.answered()
        await house.standin.slash(house.bo, house.general, "ask", {"question": "Two?"})
        await house.answered(2)
        await house.app.idle()
        await house.press("regenerate", by=house.bo, nr=0)
        await house.standin.wait_for(lambda _: len(house.provider.requests) == 3)
        await house.app.idle()
        await house.ask("Four?", by=house.bo)
        await told(house, "as much as you may in a day")
        await house.press("regenerate", by=house.bo, nr=0)
        await house.whispered(house.bo, "as much as you may in a day")
        await asked_only(house, "One?", "Two?", "One?")


async def test_stop_with_nothing_to_stop_is_a_question_that_counts(tmp_path: Path) -> None:
    async with open_house(tmp_path) as house:
        await admit(house, questions_per_hour=1)
        await house.ask("stop", by=house.bo)
        await house.answered()
        await house.ask("stop", by=house.bo)
        await told(house, "as much as you may in an hour")
        await asked_only(house, "stop")


async def test_who_keeps_asking_is_told_once(tmp_path: Path) -> None:
    async with open_house(tmp_path) as house:
        await admit(house, blocked_user_ids=[int(house.bo.id)])
        for _ in range(3):
            await house.ask("One?", by=house.bo)
        await asked_only(house)
        assert len(house.answers()) == 2


# ------------------------------------------------------------------------------------------------------ what we may do


async def test_where_we_may_not_write_the_model_is_not_asked_and_discord_neither(tmp_path: Path) -> None:
    async with open_house(tmp_path) as house:
        await admit(house, blocked_user_ids=[int(house.bo.id)])
        await deny(house, Permission.SEND_MESSAGES)
        await house.ask("One?")
        await house.ask("I am blocked.", by=house.bo)
        await house.standin.slash(house.ada, house.general, "ask", {"question": "Two?"})
        await house.whispered(house.ada, "I may not write here")
        await allow(house)
        await asked_only(house)
        assert house.standin.invalid_requests == 0


async def test_where_discord_refused_a_message_the_model_is_not_asked_again_soon(tmp_path: Path) -> None:
    """What we may do is known beforehand, as a rule. Here it is not."""
    async with open_house(tmp_path) as house:
        house.standin.fail("POST", rf"/channels/{house.general.id}/messages$", status=403, body=MISSING, times=50)
        await house.ask("One?", by=house.bo)
        await house.standin.wait_for(lambda _: house.provider.requests)
        await house.app.idle()
        refused = house.standin.invalid_requests
        await house.ask("Two?", by=house.bo)
        await house.standin.slash(house.bo, house.general, "ask", {"question": "Three?"})
        await house.whispered(house.bo, "Discord did not let me write here a moment ago")
        await house.app.idle()
        assert (len(house.provider.requests), house.standin.invalid_requests) == (1, refused)
        await asked_only(house, "One?", channel=house.standin.channel("random"))


MISSING = {"code": 50013, "message": "Missing Permissions"}


async def deny(house: House, permissions: Permission) -> None:
    house.standin.set_permissions(house.general, house.standin.bot_id, deny=permissions)


async def allow(house: House) -> None:
    house.standin.set_permissions(house.general, house.standin.bot_id)


async def test_people_who_share_a_name_are_told_apart_by_the_gate(tmp_path: Path) -> None:
    async with open_house(tmp_path) as house:
        other: User = house.standin.add_person("Bo")
        await admit(house, blocked_user_ids=[int(house.bo.id)])
        await house.ask("One?", by=house.bo)
        await house.ask("Two?", by=other)
        await asked_only(house, "Two?")
