"""Who there is beside the bot: people with roles and nicknames, other bots, servers that come and go."""

from __future__ import annotations

import discord

from bot.playground.standin import Permission
from tests.playground.standin_dialogue import INTENTS, dialogue
from tests.playground.test_standin_threads import code_of

WITH_MEMBERS = discord.Intents(INTENTS.value)
WITH_MEMBERS.members = True


async def test_another_bot_writes_as_people_do_and_is_known_as_one() -> None:
    async with dialogue() as (standin, client):
        other = standin.add_bot("Rival")
        await standin.say(other, standin.channel("general"), f"{standin.mention} hello")
        message = await client.next_message()
        assert (message.author.bot, message.author.display_name, message.webhook_id) == (True, "Rival", None)
        assert client.user in message.mentions


async def test_two_people_may_look_the_same_and_differ_by_nickname_and_id() -> None:
    async with dialogue() as (standin, client):
        general = standin.channel("general")
        twin = standin.add_person("Ada", username="ada2")
        nicked = standin.add_person("Dora", nick="Ada")
        for person in (standin.user("Ada"), twin, nicked):
            await standin.say(person, general, "it is me")
        authors = [(await client.next_message()).author for _ in range(3)]
        assert [author.display_name for author in authors] == ["Ada", "Ada", "Ada"]
        assert len({author.id for author in authors}) == 3
        assert [author.global_name for author in authors] == ["Ada", "Ada", "Dora"]


async def test_roles_stand_on_the_members_of_messages_and_of_interactions() -> None:
    async with dialogue() as (standin, client):
        bo, general = standin.user("Bo"), standin.channel("general")
        role = standin.add_role("helpers", Permission.MANAGE_GUILD)
        standin.give_role(bo, role)
        await standin.say(bo, general, "hello")
        author = (await client.next_message()).author
        assert isinstance(author, discord.Member)
        assert [role.name for role in author.roles] == ["@everyone", "helpers"]
        assert author.guild_permissions.manage_guild
        standin.take_role(bo, role)
        await standin.say(bo, general, "bye")
        author = (await client.next_message()).author
        assert isinstance(author, discord.Member)
        assert [role.name for role in author.roles] == ["@everyone"]


async def test_a_new_nickname_is_told_to_a_bot_that_asked_for_members() -> None:
    async with dialogue(intents=WITH_MEMBERS) as (standin, client):
        dora = standin.add_person("Dora")
        await client.until_heard("member")
        standin.set_nick(dora, "Dorothea")
        await client.until_heard("member_update")
        assert client.heard[1:] == [("member", "Dora"), ("member_update", "Dorothea")]


async def test_the_bots_own_roles_are_told_without_that_intent() -> None:
    async with dialogue() as (standin, client):
        standin.give_role(standin.bot_id, standin.add_role("moderators", Permission.MANAGE_MESSAGES))
        await client.until_heard("member_update")
        assert client.guilds[0].me.guild_permissions.manage_messages


async def test_the_bot_comes_to_a_server_and_is_thrown_out() -> None:
    async with dialogue() as (standin, client):
        other = standin.add_guild("Elsewhere", standin.user("Bo"))
        hall = standin.add_channel("hall", guild=other)
        await client.until_heard("channel")
        await standin.say(standin.user("Bo"), hall, "welcome")
        assert (await client.next_message()).guild == client.get_guild(int(other.id))
        channel = discord.utils.get(client.get_all_channels(), name="hall")
        assert isinstance(channel, discord.TextChannel)
        standin.remove_bot(other)
        await client.until_heard("guild_gone")
        assert await code_of(channel.send("hello?")) == 50001


async def test_of_a_server_without_the_bot_and_of_peoples_own_dms_nothing_is_heard() -> None:
    async with dialogue() as (standin, client):
        ada, bo, chi = (standin.user(name) for name in ("Ada", "Bo", "Chi"))
        outside = standin.add_channel("hall", guild=standin.add_guild("Elsewhere", bo, with_bot=False))
        for place in (outside, standin.private(ada, bo), standin.private(ada, bo, chi, name="trio")):
            await standin.say(bo, place, "in private")
            assert await code_of(client.http.get_channel(place.id)) == 50001
        await standin.say(bo, standin.channel("general"), "in public")
        assert client.contents() == [] or client.contents() == ["in public"]
        assert (await client.next_message()).content == "in public"
        assert len(client.guilds) == 1


async def test_a_message_may_be_dispatched_again() -> None:
    async with dialogue() as (standin, client):
        said = await standin.say(standin.user("Ada"), standin.channel("general"), "once")
        standin.repeat_message(said["id"])
        first, again = await client.next_message(), await client.next_message()
        assert first.id == again.id
