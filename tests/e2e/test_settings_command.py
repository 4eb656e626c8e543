"""`/settings conversation` and `/settings admission`, as who manages a server types them."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from bot.playground.standin import Channel, Permission, User
from bot.preferences import (
    ADMISSION_DEFAULTS,
    CONVERSATION_DEFAULTS,
    AdmissionPreferences,
    Answering,
    Bots,
    ConversationPreferences,
    FollowUp,
    Location,
)
from tests.e2e.house import House, open_house


async def settings(house: House, topic: str, *, by: Any = None, channel: Any = None, **options: Any) -> str:
    """What the person is told."""
    person: User = by or house.ada
    place: Channel = channel or house.general
    count = len([text for text in house.whispers(person, place) if text])
    await house.standin.slash(person, place, f"settings {topic}", options)
    await house.standin.wait_for(lambda _: len([t for t in house.whispers(person, place) if t]) > count)
    return [text for text in house.whispers(person, place) if text][-1]


def at(channel: Channel) -> Location:
    parent_id = int(channel.parent_id) if channel.parent_id else None
    return Location(int(channel.id), int(channel.guild_id or 0), parent_id)


async def conversation(house: House, channel: Channel | None = None) -> ConversationPreferences:
    return await house.preferences.conversation(at(channel or house.general))


async def test_every_option_of_conversation_is_kept_and_told(tmp_path: Path) -> None:
    async with open_house(tmp_path) as house:
        told = await settings(
            house,
            "conversation",
            answering="always",
            trigger_words="Parley, 小助手",
            follow_up="supersede",
            burst=2.5,
            bots="mentions",
            bot_turns=5,
            server_prompt="Be kind.",
            channel_prompt="About `cats`.",
            note="Be brief.",
            messages=20,
            compaction=True,
            threads=True,
            webhooks=False,
            time_zone="Europe/Berlin",
        )
        assert await conversation(house) == ConversationPreferences(
            answering=Answering.ALWAYS,
            trigger_words=("Parley", "小助手"),
            follow_up=FollowUp.SUPERSEDE,
            burst_seconds=2.5,
            bots=Bots.MENTIONS,
            bot_turns=5,
            server_prompt="Be kind.",
            channel_prompt="About `cats`.",
            note="Be brief.",
            messages=20,
            compaction=True,
            threads=True,
            webhooks=False,
            time_zone="Europe/Berlin",
        )
        assert told.splitlines() == [
            "Conversation here:",
            "`answering` **always**",
            "`trigger_words` `Parley, 小助手`",
            "`follow_up` **supersede**",
            "`burst` **2.5**",
            "`bots` **mentions**",
            "`bot_turns` **5**",
            "`server_prompt` `Be kind.`",
            "`channel_prompt` `About 'cats'.`",
            "`note` `Be brief.`",
            "`messages` **20**",
            "`compaction` **on**",
            "`threads` **on**",
            "`webhooks` **off**",
            "`time_zone` **Europe/Berlin**",
        ]


async def test_none_empties_a_list_or_a_text(tmp_path: Path) -> None:
    async with open_house(tmp_path) as house:
        texts = ("trigger_words", "server_prompt", "channel_prompt", "note")
        await settings(house, "conversation", time_zone="Asia/Tokyo", **dict.fromkeys(texts, "word"))
        told = await settings(house, "conversation", time_zone="none", **dict.fromkeys(texts, "none"))
        assert [f"`{name}` –" in told for name in texts] == [True] * 4
        now = await conversation(house)
        assert (now.trigger_words, now.server_prompt, now.channel_prompt, now.note) == ((), "", "", "")
        assert now.time_zone == "UTC"


async def test_a_channel_may_choose_otherwise_and_goes_back_to_what_its_server_chose(tmp_path: Path) -> None:
    async with open_house(tmp_path) as house:
        other = house.standin.channel("random")
        thread = await house.standin.start_thread(house.ada, house.general, "talk")
        told = await settings(house, "conversation", answering="always", where="here")
        assert "`answering` **always** (only here)" in told
        told = await settings(house, "conversation", answering="never", messages=9)
        assert "`answering` **always** (only here)" in told, (
            "who sets it for the server sees why it does not count here"
        )
        assert "`messages` **9**\n" in told
        chosen = [(await conversation(house, place)).answering for place in (house.general, thread, other)]
        assert chosen == [Answering.ALWAYS, Answering.ALWAYS, Answering.NEVER]
        assert "**never** (only here)" in await settings(
            house, "conversation", channel=thread, answering="never", where="here"
        )
        told = await settings(house, "conversation", where="here", reset=True, bot_turns=7)
        assert [line in told for line in ("`answering` **never**\n", "`bot_turns` **7** (only here)")] == [True, True]
        assert (await conversation(house, other)).bot_turns == CONVERSATION_DEFAULTS.bot_turns
        assert (await conversation(house)).messages == 9


async def test_a_channels_prompt_is_the_channels_and_a_servers_the_servers_whatever_where_says(tmp_path: Path) -> None:
    async with open_house(tmp_path) as house:
        other = house.standin.channel("random")
        await settings(house, "conversation", channel_prompt="Cats.", server_prompt="Be kind.", where="server")
        await settings(
            house, "conversation", channel=other, channel_prompt="Dogs.", server_prompt="Be nice.", where="here"
        )
        prompts = [await conversation(house, place) for place in (house.general, other)]
        assert [(place.server_prompt, place.channel_prompt) for place in prompts] == [
            ("Be nice.", "Cats."),
            ("Be nice.", "Dogs."),
        ]
        await settings(house, "conversation", reset=True)
        assert [(await conversation(house)).server_prompt, (await conversation(house)).channel_prompt] == ["", "Cats."]


async def test_a_reset_leaves_what_other_commands_chose(tmp_path: Path) -> None:
    async with open_house(tmp_path) as house:
        await house.choose(persona="Miso")
        await settings(house, "conversation", answering="always")
        await settings(house, "conversation", reset=True)
        assert await conversation(house) == ConversationPreferences(persona="Miso")


@pytest.mark.parametrize(
    ("topic", "options", "words"),
    [
        ("conversation", {"time_zone": "Berlin"}, "I do not know that time zone"),
        ("conversation", {"trigger_words": ",".join(map(str, range(21)))}, "at most 20 words"),
        ("conversation", {"answering": "always", "trigger_words": "a" * 51}, "each of at most 50 characters"),
        ("admission", {"channels": "#general"}, "mention channels (at most 50)"),
        ("admission", {"roles": "<#123456789012345678>"}, "mention roles (at most 50)"),
        ("admission", {"blocked": "Bo", "per_hour": 3}, "mention people (at most 200)"),
    ],
)
async def test_what_cannot_be_is_told_and_nothing_changes(
    tmp_path: Path, topic: str, options: dict[str, Any], words: str
) -> None:
    async with open_house(tmp_path) as house:
        before = await conversation(house)
        assert words in await settings(house, topic, **options)
        assert await conversation(house) == before
        assert await house.preferences.admission(at(house.general)) == ADMISSION_DEFAULTS


async def test_every_option_of_admission_is_kept_and_told_and_reset(tmp_path: Path) -> None:
    async with open_house(tmp_path) as house:
        random, role = house.standin.channel("random"), house.standin.add_role("Members")
        told = await settings(
            house,
            "admission",
            channels=f"<#{house.general.id}> {random.id}",
            closed_channels=f"<#{random.id}>",
            roles=f"<@&{role.id}>",
            blocked=f"<@{house.bo.id}>",
            cooldown=5,
            per_hour=10,
            per_day=20,
        )
        general_id, random_id, role_id, bo_id = map(int, (house.general.id, random.id, role.id, house.bo.id))
        assert await house.preferences.admission(at(house.general)) == AdmissionPreferences(
            channel_ids=(general_id, random_id),
            closed_channel_ids=(random_id,),
            role_ids=(role_id,),
            blocked_user_ids=(bo_id,),
            cooldown_seconds=5,
            questions_per_hour=10,
            questions_per_day=20,
        )
        assert told.splitlines() == [
            "Admission in this server:",
            f"`channels` <#{general_id}> <#{random_id}>",
            f"`closed_channels` <#{random_id}>",
            f"`roles` <@&{role_id}>",
            f"`blocked` <@{bo_id}>",
            "`cooldown` **5**",
            "`per_hour` **10**",
            "`per_day` **20**",
        ]
        assert "`roles` –\n" in await settings(house, "admission", roles="none")
        await settings(house, "admission", reset=True)
        assert await house.preferences.admission(at(house.general)) == ADMISSION_DEFAULTS


async def test_nobody_can_be_locked_out_who_could_undo_it(tmp_path: Path) -> None:
    """Neither oneself nor the owner; and no list, role or quota holds who manages the server."""
    async with open_house(tmp_path) as house:
        await allow_bo_to_manage(house)
        for person in (house.ada, house.bo):  # Ada is the owner
            told = await settings(house, "admission", by=house.bo, blocked=f"<@{person.id}>", cooldown=5)
            assert "You cannot block yourself or the owner" in told
        assert await house.preferences.admission(at(house.general)) == ADMISSION_DEFAULTS
        role = house.standin.add_role("Nobody")
        choice = {"channels": house.standin.channel("random").id, "roles": f"<@&{role.id}>", "per_hour": 1}
        await settings(house, "admission", by=house.bo, **choice)
        assert "`channels` –" in await settings(house, "admission", by=house.bo, reset=True)


async def allow_bo_to_manage(house: House) -> None:
    role = house.standin.add_role("Managers", Permission.MANAGE_GUILD)
    house.standin.give_role(house.bo, role)


async def test_in_german(tmp_path: Path) -> None:
    async with open_house(tmp_path) as house:
        greta = house.standin.add_person("Greta", locale="de")
        await allow_bo_to_manage(house)
        house.standin.give_role(
            greta, next(role for role in house.standin.world.roles.values() if role.name == "Managers")
        )
        told = await settings(house, "conversation", by=greta, threads=True, where="here")
        assert "`answering` **Erwähnungen**" in told
        assert [told.splitlines()[0], "`threads` **an** (nur hier)" in told] == ["Gespräch hier:", True]
        assert "Das konnte ich nicht lesen. Erwähne Kanäle" in await settings(
            house, "admission", by=greta, channels="x"
        )
        assert "Diese Zeitzone kenne ich nicht" in await settings(house, "conversation", by=greta, time_zone="x")
        assert "Du kannst weder dich selbst" in await settings(house, "admission", by=greta, blocked=f"<@{greta.id}>")
        assert (await settings(house, "admission", by=greta, reset=True)).startswith("Zugang auf diesem Server:")
