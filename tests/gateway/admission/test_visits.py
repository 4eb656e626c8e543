"""What is read off Discord's messages and interactions: what a message is, who stands where, and what we may do there."""

from collections.abc import AsyncIterator
from datetime import timedelta

import discord
import pytest

from bot.gateway.admission.visits import Place, Visit, place_of
from bot.gateway.triggers.rules import trigger_of
from bot.playground.standin import Channel, Permission
from bot.preferences import Answering, Bots, ConversationPreferences, Location
from tests.gateway.admission.listening import Listener, listening

ALL = ConversationPreferences(answering=Answering.ALWAYS, bots=Bots.MENTIONS)


@pytest.fixture
async def client() -> AsyncIterator[Listener]:
    async with listening() as opened:
        yield opened


async def test_a_persons_message_is_what_it_is(client: Listener) -> None:
    standin = client.standin
    ada, general = standin.user("Ada"), standin.channel("general")
    plain = await client.incoming(await standin.say(ada, general, "hello"))
    assert (plain.is_by_person, plain.is_direct, plain.replies_to_me, plain.in_my_thread) == (True, False, False, False)
    assert plain.text == "hello"
    direct = await client.incoming(await standin.say(ada, standin.dm(ada), "hello"))
    assert (direct.is_by_person, direct.is_direct) == (True, True)


async def test_a_reply_to_us_is_one_whatever_it_pings_and_a_forwarded_message_is_none(client: Listener) -> None:
    standin = client.standin
    ada, general = standin.user("Ada"), standin.channel("general")
    ours = await client.http.send_message(int(general.id), params=discord.http.handle_message_parameters("hi"))
    theirs = await standin.say(ada, general, "hi")

    async def replies(**how: object) -> bool:
        message = await standin.say(ada, general, "yes", **how)  # type: ignore[arg-type]
        return (await client.incoming(message)).replies_to_me

    assert await replies(reply_to=str(ours["id"]))
    assert await replies(reply_to=str(ours["id"]), ping_replied=False)
    assert await replies(reply_to=str(ours["id"]), is_reply_resolved=False)
    assert not await replies(reply_to=theirs["id"])
    assert not await replies(forward=ours["id"])


async def test_our_own_words_are_ours_by_whatever_webhook(client: Listener) -> None:
    """Else personas that speak by webhook would talk to themselves for ever."""
    standin = client.standin
    ada, general = standin.user("Ada"), standin.channel("general")
    ours = await client.http.send_message(int(general.id), params=discord.http.handle_message_parameters("hello"))
    assert (await client.incoming(dict(ours))).is_mine

    foreign = standin.add_webhook(general, "News", by=ada)
    news = await standin.execute_webhook(foreign, f"hello <@{standin.bot_id}>")
    heard = await client.incoming(news)
    assert (heard.is_mine, heard.is_bot) == (False, True)
    client.own_webhooks = {int(foreign.id)}
    persona = await standin.execute_webhook(foreign, f"hello <@{standin.bot_id}>", username="Ann")
    heard = await client.incoming(persona)
    assert heard.is_mine
    assert trigger_of(heard, ALL, ["hello"]) is None
    reply = await client.incoming(await standin.say(ada, general, "well, Ann?", reply_to=persona["id"]))
    assert reply.replies_to_me


async def test_webhooks_of_our_application_are_ours_without_being_named(client: Listener) -> None:
    standin = client.standin
    ada, general = standin.user("Ada"), standin.channel("general")
    standin.set_permissions(general, standin.bot_id, allow=Permission.MANAGE_WEBHOOKS)
    made = await client.http.create_webhook(int(general.id), name="Persona")
    message = await standin.execute_webhook(standin.world.webhooks[str(made["id"])], "I am Ann.", username="Ann")
    assert (await client.incoming(message)).is_mine
    reply = await standin.say(ada, general, "well, Ann?", reply_to=message["id"], ping_replied=False)
    assert (await client.incoming(reply)).replies_to_me


async def test_two_bots_do_not_talk_by_reply(client: Listener) -> None:
    """A reply pings whom it answers, which is no address."""
    standin = client.standin
    robot, ada, general = standin.add_bot("Other"), standin.user("Ada"), standin.channel("general")
    ours = await client.http.send_message(int(general.id), params=discord.http.handle_message_parameters("hi"))

    async def triggers(preferences: ConversationPreferences) -> list[str | None]:
        messages = [
            await standin.say(robot, general, "Understood.", reply_to=str(ours["id"])),
            await standin.say(robot, general, f"<@{standin.bot_id}> what do you think?"),
            await standin.say(ada, general, "ok", reply_to=str(ours["id"])),
        ]
        return [trigger_of(await client.incoming(message), preferences) for message in messages]

    assert await triggers(ConversationPreferences()) == [None, None, "reply"]
    assert await triggers(ConversationPreferences(bots=Bots.MENTIONS)) == [None, "mention", "reply"]


@pytest.mark.parametrize("kind", [6, 7, 18, 20, 21, 23, 24, 46])
async def test_what_discord_says_of_itself_is_for_nobody(client: Listener, kind: int) -> None:
    standin = client.standin
    message = standin.system_message(standin.user("Ada"), standin.channel("general"), kind, f"hello {standin.mention}")
    heard = await client.incoming(message)
    assert not heard.is_written
    assert trigger_of(heard, ALL, ["hello"]) is None


async def test_threads_that_we_started_are_ours(client: Listener) -> None:
    standin = client.standin
    ada, general = standin.user("Ada"), standin.channel("general")
    theirs = await standin.start_thread(ada, general, "Theirs")
    ours = standin.world.start_thread(general, "Ours", standin.bot_id)
    for thread, is_ours in ((theirs, False), (ours, True)):
        heard, visit = await client.heard(await standin.say(ada, thread, "hello"))
        assert heard.in_my_thread is is_ours
        assert visit.location == Location(int(thread.id), int(general.guild_id or 0), int(general.id))


async def test_the_role_that_discord_made_for_us_is_known(client: Listener) -> None:
    guild = client.guilds[0]
    heard = await client.incoming(
        await client.standin.say(client.standin.user("Ada"), client.standin.channel("general"), "hi")
    )
    assert heard.my_role == (guild.self_role.id if guild.self_role else None)


# ------------------------------------------------------------------------------------------------------------- visits


def who(visit: Visit) -> tuple[int, bool, bool]:
    return visit.user_id, visit.is_bot, visit.manages_server


async def test_who_comes_is_known_with_roles_and_whether_they_manage_the_server(client: Listener) -> None:
    standin = client.standin
    general, ada, bo = standin.channel("general"), standin.user("Ada"), standin.user("Bo")
    members = standin.add_role("Members")
    managers = standin.add_role("Managers", Permission.MANAGE_GUILD)
    chi, robot = standin.user("Chi"), standin.add_bot("Other")
    standin.give_role(bo, members)
    standin.give_role(chi, managers)
    guild_id = int(general.guild_id or 0)
    for person, manages, roles in (
        (ada, True, set()),
        (bo, False, {int(members.id)}),
        (chi, True, {int(managers.id)}),
        (robot, False, set()),
    ):
        visit = await client.visit(await standin.say(person, general, "hello"))
        assert who(visit) == (int(person.id), person is robot, manages)
        assert visit.role_ids >= roles
        assert visit.location == Location(int(general.id), guild_id)
        assert visit.place == Place()


async def test_a_direct_message_is_in_no_server(client: Listener) -> None:
    standin = client.standin
    ada = standin.user("Ada")
    dm = standin.dm(ada)
    visit = await client.visit(await standin.say(ada, dm, "hello"))
    assert (visit.location, visit.place, visit.manages_server) == (Location(int(dm.id)), Place(), False)
    assert visit.role_ids == frozenset()


async def test_commands_tell_the_same_as_messages(client: Listener) -> None:
    standin = client.standin
    ada, bo, general = standin.user("Ada"), standin.user("Bo"), standin.channel("general")
    await register(client)
    thread = await standin.start_thread(ada, general, "Thread")
    for person, channel in ((ada, general), (bo, general), (bo, thread), (ada, standin.dm(ada))):
        by_message = await client.visit(await standin.say(person, channel, "hello"))
        by_command = await client.visit(await standin.slash(person, channel, "ping"))
        assert who(by_command) == who(by_message)
        assert (by_command.location, by_command.place) == (by_message.location, by_message.place)
        assert by_command.role_ids == by_message.role_ids


async def test_where_somebody_brought_the_app_along_nothing_is_known_of_the_place(client: Listener) -> None:
    standin = client.standin
    ada, bo = standin.user("Ada"), standin.user("Bo")
    await register(client)
    standin.install_for(ada)
    elsewhere = standin.add_guild("Elsewhere", ada, with_bot=False)
    channel = standin.add_channel("there", guild=elsewhere)
    visit = await client.visit(await standin.slash(ada, channel, "ping"))
    assert (visit.location, visit.place) == (Location(int(channel.id), int(elsewhere.id)), Place(is_known=False))
    assert visit.manages_server
    private = standin.private(ada, bo)
    visit = await client.visit(await standin.slash(ada, private, "ping"))
    assert (visit.location, visit.place) == (Location(int(private.id)), Place(is_known=False))


async def register(client: Listener) -> None:
    """A command that can be used everywhere."""
    ping = {"name": "ping", "description": "x", "type": 1, "integration_types": [0, 1], "contexts": [0, 1, 2]}
    assert client.application_id is not None
    await client.http.bulk_upsert_global_commands(client.application_id, [ping])


# ------------------------------------------------------------------------------------------------- what we may do there


async def place(client: Listener, channel: Channel) -> Place:
    """As it is for a message that comes now."""
    return (await client.visit(await client.standin.say(client.standin.user("Ada"), channel, "hello"))).place


async def test_what_we_may_do_is_known_of_channels_and_of_threads_apart(client: Listener) -> None:
    standin = client.standin
    general = standin.channel("general")
    thread = await standin.start_thread(standin.user("Ada"), general, "Thread")
    standin.set_permissions(general, standin.bot_id, deny=Permission.SEND_MESSAGES)
    assert [await place(client, where) for where in (general, thread)] == [Place(may_write=False), Place()]
    standin.set_permissions(general, standin.bot_id, deny=Permission.SEND_MESSAGES_IN_THREADS)
    assert [await place(client, where) for where in (general, thread)] == [Place(), Place(may_write=False)]


async def test_in_a_locked_thread_only_moderators_write(client: Listener) -> None:
    standin = client.standin
    general = standin.channel("general")
    thread = await standin.start_thread(standin.user("Ada"), general, "Thread")
    standin.lock_thread(thread)
    assert await place(client, thread) == Place(may_write=False)
    standin.set_permissions(general, standin.bot_id, allow=Permission.MANAGE_THREADS)
    assert await place(client, thread) == Place()


async def test_in_time_out_we_write_nowhere_in_the_server(client: Listener) -> None:
    """No permission shows it (communication_disabled_until)."""
    me = client.guilds[0].me
    for minutes, is_timed_out in ((1, True), (-1, False)):
        me.timed_out_until = discord.utils.utcnow() + timedelta(minutes=minutes)
        here = await place(client, client.standin.channel("general"))
        assert here == (Place(may_write=False, is_timed_out=True) if is_timed_out else Place())


async def test_of_a_thread_whose_channel_is_unknown_nothing_is_known(client: Listener) -> None:
    standin = client.standin
    general = standin.channel("general")
    thread = await standin.start_thread(standin.user("Ada"), general, "Thread")
    await place(client, thread)
    guild = client.guilds[0]
    cached = guild.get_thread(int(thread.id))
    assert cached is not None
    guild._channels.pop(int(general.id))
    assert place_of(cached, guild) == Place(is_known=False)
    assert place_of(cached, None) == Place(is_known=False)
