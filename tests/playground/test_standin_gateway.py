"""The gateway, as the real discord.py client meets it on the stand-in."""

from __future__ import annotations

import json
import zlib
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from typing import Any

import aiohttp
import discord
import pytest

from bot.playground.standin import Intent, Permission, Standin, StandinConfig
from bot.playground.standin.world import Draft
from tests.playground.standin_dialogue import (
    INTENTS,
    Listener,
    MovedClock,
    ShardedListener,
    dialogue,
    running,
    standin_under_oracle,
)


async def test_a_dropped_session_resumes_and_hears_what_it_missed_exactly_once() -> None:
    async with dialogue() as (standin, client):
        ada, general = standin.user("Ada"), standin.channel("general")
        await standin.say(ada, general, "before")
        await client.until_heard("message")
        await standin.drop_gateway(4000)
        await standin.say(ada, general, "while away")
        await client.until_heard("resumed")
        await standin.say(ada, general, "after")
        await client.until_heard("message", 3)
        assert client.contents() == ["before", "while away", "after"]
        assert (standin.identifies, standin.resumes) == (1, 1)


async def test_a_torn_connection_resumes_too() -> None:
    async with dialogue() as (standin, client):
        await standin.drop_gateway(None)
        await standin.say(standin.user("Ada"), standin.channel("general"), "while away")
        await client.until_heard("message")
        assert client.contents() == ["while away"]
        assert (standin.identifies, standin.resumes) == (1, 1)


async def test_opcode_7_makes_the_client_resume() -> None:
    async with dialogue() as (standin, client):
        await standin.request_reconnect()
        await client.until_heard("resumed")
        assert (standin.identifies, standin.resumes) == (1, 1)


async def test_an_invalidated_session_identifies_anew() -> None:
    async with dialogue() as (standin, client):
        await standin.invalidate_sessions(resumable=False)
        await client.until_heard("ready", 2)
        assert (standin.identifies, standin.resumes) == (2, 0)
        await standin.say(standin.user("Ada"), standin.channel("general"), "still there?")
        await client.until_heard("message")
        assert client.contents() == ["still there?"]


async def test_a_wrong_token_fails_the_login() -> None:
    async with standin_under_oracle() as standin:
        client = Listener()
        with pytest.raises(discord.LoginFailure):
            await client.login("wrong")
        await client.close()
        assert standin.calls[-1].status == 401


async def test_a_privileged_intent_that_is_switched_off_is_refused() -> None:
    async with standin_under_oracle() as standin:
        standin.deny_intents(Intent.MESSAGE_CONTENT)
        with pytest.raises(discord.PrivilegedIntentsRequired):
            async with running(standin, Listener()):
                pass
        assert standin.identifies == 0


async def test_without_message_content_only_mentions_and_dms_have_text() -> None:
    intents = discord.Intents(INTENTS.value)
    intents.message_content = False
    async with dialogue(intents=intents) as (standin, client):
        ada, general = standin.user("Ada"), standin.channel("general")
        await standin.say(ada, general, "plain")
        await standin.say(ada, general, f"{standin.mention} mention")
        await standin.say(ada, standin.dm(ada), "direct")
        await client.until_heard("message", 3)
        assert client.contents() == ["", f"{standin.mention} mention", "direct"]


async def test_what_no_intent_asks_for_is_not_told() -> None:
    intents = discord.Intents(guilds=True, guild_messages=True, message_content=True)
    async with dialogue(intents=intents) as (standin, client):
        ada, general = standin.user("Ada"), standin.channel("general")
        await standin.typing(ada, general)
        await standin.say(ada, standin.dm(ada), "direct")
        said = await standin.say(ada, general, "asked for")
        await standin.react(ada, said["id"], "👍")
        await standin.say(ada, general, "last")
        await client.until_heard("message", 2)
        assert client.heard[1:] == [("message", "asked for"), ("message", "last")]


async def test_shards_come_from_the_rest_and_each_guild_is_on_its_own() -> None:
    config = StandinConfig(shards=2, buckets={})
    async with standin_under_oracle(config) as standin:
        client = ShardedListener()
        async with running(standin, client):
            assert len(client.shards) == 2
            (guild,) = client.guilds
            assert guild.shard_id == (guild.id >> 22) % 2
            await standin.wait_for(lambda s: s.connected_sessions == 2)
            await standin.say(standin.user("Ada"), standin.channel("general"), "once")
            await client.until_heard("message")
            assert client.contents() == ["once"]


async def test_a_permission_change_reaches_the_clients_cache() -> None:
    async with dialogue() as (standin, client):
        standin.set_permissions(standin.channel("random"), standin.bot_id, deny=Permission.ADD_REACTIONS)
        await client.until_heard("channel_update")
        channel = client.text_channel("random")
        assert not channel.permissions_for(channel.guild.me).add_reactions


@asynccontextmanager
async def raw_gateway(standin: Standin, query: str = "v=10&encoding=json") -> AsyncIterator[RawGateway]:
    async with aiohttp.ClientSession() as session, session.ws_connect(f"{standin.gateway_url}?{query}") as socket:
        yield RawGateway(socket)


class RawGateway:
    """A websocket without a library, for what discord.py never sends."""

    def __init__(self, socket: aiohttp.ClientWebSocketResponse) -> None:
        self._socket = socket
        self._inflate = zlib.decompressobj()

    async def send(self, opcode: int, data: Any) -> None:
        await self.send_json({"op": opcode, "d": data})

    async def send_json(self, payload: dict[str, Any]) -> None:
        await self._socket.send_json(payload)

    async def send_text(self, text: str) -> None:
        await self._socket.send_str(text)

    async def identify(self) -> str:
        """The session's id; takes what comes up to READY."""
        await self.send(2, IDENTIFY)
        while (payload := await self.receive())["t"] != "READY":
            pass
        session_id: str = payload["d"]["session_id"]
        return session_id

    async def receive(self) -> dict[str, Any]:
        message = await self._socket.receive(timeout=5)
        if message.type is aiohttp.WSMsgType.BINARY:
            assert message.data.endswith(b"\x00\x00\xff\xff")
            payload: dict[str, Any] = json.loads(self._inflate.decompress(message.data))
        else:
            payload = json.loads(message.data)
        return payload

    async def close_code(self) -> int | None:
        while not self._socket.closed:
            await self._socket.receive(timeout=5)
        return self._socket.close_code


TOKEN = "known"  # so that a table of payloads can hold it
KNOWN_TOKEN = StandinConfig(token=TOKEN, buckets={})
IDENTIFY: dict[str, Any] = {
    "token": TOKEN,
    "intents": 1,
    "properties": {"os": "linux", "browser": "test", "device": "test"},
}


@pytest.mark.parametrize("compress", ["", "&compress=zlib-stream"], ids=["plain", "zlib-stream"])
async def test_the_gateway_says_hello_ready_and_guild_create_with_and_without_compression(compress: str) -> None:
    query = f"v=10&encoding=json{compress}"
    async with standin_under_oracle(KNOWN_TOKEN) as standin, raw_gateway(standin, query) as gateway:
        hello = await gateway.receive()
        assert (hello["op"], hello["d"]["heartbeat_interval"]) == (10, 41250)
        await gateway.send(1, None)
        assert (await gateway.receive())["op"] == 11
        await gateway.send(2, IDENTIFY)
        ready, guild = await gateway.receive(), await gateway.receive()
        assert [(p["t"], p["s"]) for p in (ready, guild)] == [("READY", 1), ("GUILD_CREATE", 2)]
        assert ready["d"]["resume_gateway_url"] == standin.gateway_url


@pytest.mark.parametrize(
    ("payloads", "code"),
    [
        ([{"op": 2, "d": {**IDENTIFY, "token": "wrong"}}], 4004),
        ([{"op": 2, "d": {**IDENTIFY, "intents": 1 << 40}}], 4013),
        ([{"op": 2, "d": {**IDENTIFY, "shard": [3, 2]}}], 4010),
        ([{"op": 2, "d": IDENTIFY}, {"op": 2, "d": IDENTIFY}], 4005),
        ([{"op": 2, "d": {**IDENTIFY, "shard": "0"}}], 4010),
        ([{"op": 2, "d": {**IDENTIFY, "shard": [0]}}], 4010),
        ([{"op": 2, "d": {**IDENTIFY, "shard": [0, 0]}}], 4010),
        ([{"op": 2, "d": {**IDENTIFY, "shard": [None, 1]}}], 4010),
        ([{"op": 2, "d": {"token": TOKEN}}], 4002),
        ([{"op": 2, "d": {**IDENTIFY, "intents": "1"}}], 4002),
        ([{"op": 2, "d": {**IDENTIFY, "token": 5}}], 4002),
        ([{"op": 2, "d": []}], 4002),
        ([{"op": 6, "d": {"token": TOKEN, "session_id": [], "seq": 1}}], 4002),
        ([{"op": 6, "d": {"token": TOKEN, "session_id": "s", "seq": None}}], 4002),
        ([{"op": 2, "d": IDENTIFY}, {"op": 6, "d": {"token": TOKEN, "session_id": "s", "seq": 1}}], 4005),
        ([{"op": 2, "d": IDENTIFY}, {"op": 8, "d": {"guild_id": {}}}], 4002),
        ([{"op": 2, "d": IDENTIFY}, {"op": 8, "d": {"guild_id": "1", "user_ids": [[]]}}], 4002),
        ([{"op": 1, "d": {}}], 4002),
        ([{"op": [], "d": None}], 4001),
        ([{"op": 3, "d": {}}], 4003),
        ([{"op": 99, "d": {}}], 4001),
        ([{"d": {}}], 4002),
        ([{"op": 1, "d": "x" * 4096}], 4002),
        ([{"op": 1, "d": None}] * 121, 4008),
    ],
)
async def test_what_a_client_must_not_send_closes_the_connection(payloads: list[dict[str, Any]], code: int) -> None:
    async with Standin(KNOWN_TOKEN) as standin, raw_gateway(standin) as gateway:
        for payload in payloads:
            await gateway.send_json(payload)
        assert await gateway.close_code() == code


@pytest.mark.parametrize("text", ["", "{", "[]", "5", "[" * 4000, '{"op": 1, "d": NaN}', '"\\ud83d"'])
async def test_what_is_no_json_object_closes_the_connection(text: str) -> None:
    async with Standin() as standin, raw_gateway(standin) as gateway:
        await gateway.send_text(text)
        assert await gateway.close_code() == 4002


async def test_120_sends_a_minute_are_allowed_for_ever() -> None:
    time = MovedClock()
    async with Standin(StandinConfig(clock=time.clock())) as standin, raw_gateway(standin) as gateway:
        assert (await gateway.receive())["op"] == 10
        for _ in range(2):
            for _ in range(120):
                await gateway.send(1, None)
            for _ in range(120):
                assert (await gateway.receive())["op"] == 11
            time.seconds += 60


async def test_a_resume_of_an_unknown_session_is_invalid() -> None:
    async with Standin() as standin, raw_gateway(standin) as gateway:
        assert (await gateway.receive())["op"] == 10
        await gateway.send(6, {"token": standin.token, "session_id": "unknown", "seq": 1})
        assert await gateway.receive() == {"op": 9, "d": False, "s": None, "t": None}


async def test_a_resume_ahead_of_what_was_told_is_refused() -> None:
    async with Standin(KNOWN_TOKEN) as standin:
        async with raw_gateway(standin) as gateway:
            session_id = await gateway.identify()
            await standin.drop_gateway(4000)
        async with raw_gateway(standin) as gateway:
            await gateway.send(6, {"token": standin.token, "session_id": session_id, "seq": 99})
            assert await gateway.close_code() == 4007


async def test_an_ack_comes_only_after_the_client_had_time_to_note_its_heartbeat() -> None:
    """discord.py takes an ACK that is faster than its own thread for one that is an interval late."""
    async with Standin(KNOWN_TOKEN) as standin, raw_gateway(standin) as gateway:
        assert (await gateway.receive())["op"] == 10
        await gateway.send(1, None)
        await gateway.send(2, IDENTIFY)
        names = [(payload["op"], payload["t"]) for payload in [await gateway.receive() for _ in range(3)]]
        assert names == [(0, "READY"), (0, "GUILD_CREATE"), (11, None)]


async def test_a_connection_without_heartbeats_is_closed_and_its_session_over() -> None:
    time = MovedClock()
    async with Standin(StandinConfig(token=TOKEN, clock=time.clock())) as standin:
        async with raw_gateway(standin) as gateway:
            session_id = await gateway.identify()
            time.seconds += 60
            time.ring()
            await gateway.send(1, None)
            while (await gateway.receive())["op"] != 11:
                pass
            time.seconds += 60
            time.ring()
            assert standin.connected_sessions == 1, "the heartbeat counts"
            time.seconds += 2
            time.ring()
            assert await gateway.close_code() == 4009
        async with raw_gateway(standin) as gateway:
            await gateway.receive()
            await gateway.send(6, {"token": TOKEN, "session_id": session_id, "seq": 1})
            assert (await gateway.receive())["op"] == 9


async def test_a_resume_takes_the_session_from_its_older_connection() -> None:
    async with Standin(KNOWN_TOKEN) as standin, raw_gateway(standin) as older, raw_gateway(standin) as newer:
        session_id = await older.identify()
        await newer.receive()
        await newer.send(6, {"token": TOKEN, "session_id": session_id, "seq": 2})
        assert (await newer.receive())["t"] == "RESUMED"
        assert await older.close_code() == 4000
        assert standin.connected_sessions == 1


async def test_after_an_invalid_session_the_same_connection_may_identify() -> None:
    async with Standin(KNOWN_TOKEN) as standin, raw_gateway(standin) as gateway:
        first = await gateway.identify()
        await standin.invalidate_sessions(resumable=False)
        while (await gateway.receive())["op"] != 9:
            pass
        assert await gateway.identify() != first
        assert standin.connected_sessions == 1


@pytest.mark.parametrize(("away", "answer"), [(299, "RESUMED"), (301, None)], ids=["in time", "too late"])
async def test_a_lost_session_can_be_resumed_for_five_minutes(away: float, answer: str | None) -> None:
    time = MovedClock()
    async with Standin(StandinConfig(token=TOKEN, clock=time.clock())) as standin:
        async with raw_gateway(standin) as gateway:
            session_id = await gateway.identify()
            await standin.drop_gateway(4000)
        time.seconds += away
        async with raw_gateway(standin) as gateway:
            await gateway.receive()
            await gateway.send(6, {"token": TOKEN, "session_id": session_id, "seq": 2})
            assert (await gateway.receive())["t"] == answer


@pytest.mark.parametrize(
    "headers",
    [{"Origin": "https://example.org"}, {"Origin": "null"}, {"Host": "evil.example:80"}, {"Host": ""}],
    ids=str,
)
async def test_a_browsers_connection_is_refused(headers: dict[str, str]) -> None:
    async with Standin() as standin, aiohttp.ClientSession() as session:
        with pytest.raises(aiohttp.WSServerHandshakeError) as refused:
            await session.ws_connect(f"{standin.gateway_url}?v=10&encoding=json", headers=headers)
        assert refused.value.status == 403


async def test_the_bot_is_not_told_that_an_ephemeral_message_is_gone() -> None:
    async with dialogue() as (standin, client):
        ada, general = standin.user("Ada"), standin.channel("general")
        own = standin.world.create_message(standin.bot_id, general.id, Draft(content="x", ephemeral_to=ada.id))
        await standin.delete(own["id"], by=ada)
        await standin.say(ada, general, "last")
        await client.until_heard("message")
        assert client.heard[1:] == [("message", "last")]


@pytest.mark.parametrize("denied", [Intent.MESSAGE_CONTENT, Intent(0)], ids=["denied", "granted"])
async def test_the_applications_flags_tell_which_privileged_intents_it_has(denied: Intent) -> None:
    intents = discord.Intents(guilds=True, guild_messages=True)
    async with standin_under_oracle() as standin:
        standin.deny_intents(denied)
        client = Listener(intents)
        async with running(standin, client):
            flags = (await client.application_info()).flags
            assert flags.gateway_message_content_limited is not bool(denied)
            assert client.application_flags.gateway_message_content_limited is not bool(denied)


async def test_without_message_content_the_rest_has_no_text_of_others_either() -> None:
    intents = discord.Intents(guilds=True, guild_messages=True, dm_messages=True)
    async with standin_under_oracle() as standin:
        standin.deny_intents(Intent.MESSAGE_CONTENT)
        client = Listener(intents)
        async with running(standin, client):
            ada, general = standin.user("Ada"), standin.channel("general")
            said = await standin.say(ada, general, "secret")
            await standin.say(ada, general, f"{standin.mention} hi")
            channel = client.text_channel()
            own = await channel.get_partial_message(int(said["id"])).reply("own", mention_author=False)
            assert own.reference is not None
            assert isinstance(own.reference.resolved, discord.Message)
            assert own.reference.resolved.content == ""
            assert [m.content async for m in channel.history()] == ["own", f"{standin.mention} hi", ""]
            assert (await channel.fetch_message(int(said["id"]))).content == ""
            direct = await standin.say(ada, standin.dm(ada), "between us")
            dm = await client.create_dm(discord.Object(int(ada.id)))
            assert (await dm.fetch_message(int(direct["id"]))).content == "between us"
            assert standin.message(said["id"])["content"] == "secret"
