"""Files come from Discord's servers and no others, bounded, and also when their address has ended."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator

import discord
import msgspec
import pytest
from aiohttp import web
from discord.http import Route

from bot.conversation.history import Attachment, FileUnreadable
from bot.gateway.reading.files import DiscordFiles
from bot.gateway.reading.messages import Reader, sent_along
from bot.playground.standin import Standin
from tests.playground.standin_dialogue import Listener, dialogue

NOBODY = discord.Client(intents=discord.Intents.none())


class Room:
    def __init__(self, standin: Standin, client: Listener) -> None:
        self.standin, self.client = standin, client
        self.ada, self.general = standin.user("Ada"), standin.channel("general")

    async def posted(self, *contents: bytes) -> tuple[Attachment, ...]:
        files = [(f"{number}.bin", content) for number, content in enumerate(contents)]
        said = await self.standin.say(self.ada, self.general, attachments=files)
        message = await self.client.text_channel().fetch_message(int(said["id"]))
        return Reader(self.client, message).of_somebody(message, sent_along(message)).attachments

    def files(self) -> DiscordFiles:
        return DiscordFiles(lambda: self.client)


@pytest.fixture
async def room() -> AsyncIterator[Room]:
    async with dialogue() as (standin, client):
        yield Room(standin, client)


async def test_a_file_is_its_bytes(room: Room) -> None:
    (file,) = await room.posted(b"\x00miso" * 50_000)
    assert await room.files().fetch(file, 250_000) == b"\x00miso" * 50_000


async def test_what_is_too_large_is_not_read_whatever_it_says_of_its_size(room: Room) -> None:
    (file,) = await room.posted(b"12345")
    with pytest.raises(FileUnreadable, match="5 bytes, and 4 allowed"):
        await room.files().fetch(file, 4)
    with pytest.raises(FileUnreadable, match="more than 4 bytes"):
        await room.files().fetch(msgspec.structs.replace(file, size=1), 4)


async def test_an_address_that_has_ended_is_renewed_once_for_all_files_of_the_message(room: Room) -> None:
    first, second = await room.posted(b"one", b"two")
    room.standin.expire_files(str(first.message_id))
    before, files = len(room.standin.calls), room.files()
    contents = await asyncio.gather(files.fetch(first, 10), files.fetch(second, 10))
    assert tuple(contents) == (b"one", b"two")
    assert len(room.standin.calls) == before + 1


async def test_a_file_in_a_forwarded_message_is_renewed_through_the_one_that_forwards_it(room: Room) -> None:
    said = await room.standin.say(room.ada, room.general, attachments=[("a.bin", b"one")])
    forwards = await room.standin.say(room.ada, room.general, forward=said["id"])
    message = await room.client.text_channel().fetch_message(int(forwards["id"]))
    forwarded = Reader(room.client, message).of_somebody(message, None).forwarded
    assert forwarded is not None
    room.standin.expire_files(forwards["id"])
    assert await room.files().fetch(forwarded.attachments[0], 10) == b"one"


async def test_a_file_whose_message_is_gone_is_unreadable(room: Room) -> None:
    (file,) = await room.posted(b"one")
    await room.standin.delete(str(file.message_id), by=room.ada)
    with pytest.raises(FileUnreadable, match="NotFound"):
        await room.files().fetch(file, 10)


FILE = Attachment(attachment_id=1, message_id=2, channel_id=3, name="a", size=1, url="")


@pytest.mark.parametrize(
    "url",
    [
        "https://example.org/a.png",
        "http://cdn.discordapp.com/a.png",
        "https://cdn.discordapp.com.evil.org/a.png",
        "https://cdn.discordapp.com:8443/a.png",
        "https://cdn.discordapp.com@evil.org/a.png",
        "http://127.0.0.1:1/a.png",
        "http://169.254.169.254/latest/meta-data",
        "file:///etc/passwd",
        "https://[",
        "",
    ],
)
async def test_no_other_server_is_ever_asked(url: str) -> None:
    with pytest.raises(FileUnreadable, match="address"):
        await DiscordFiles(lambda: NOBODY).fetch(msgspec.structs.replace(FILE, url=url), 10)


@pytest.fixture
async def server(monkeypatch: pytest.MonkeyPatch) -> AsyncIterator[str]:
    """In the stand-in's place, one that behaves as no Discord should. Its origin."""

    async def moved(_: web.Request) -> web.Response:
        raise web.HTTPFound("http://169.254.169.254/latest/meta-data")

    async def broken(_: web.Request) -> web.Response:
        raise web.HTTPBadGateway

    async def endless(request: web.Request) -> web.StreamResponse:
        response = web.StreamResponse()
        await response.prepare(request)
        while True:
            await response.write(b"x" * 1000)

    async def silent(_: web.Request) -> web.Response:
        await asyncio.Event().wait()
        raise AssertionError

    app = web.Application()
    for handler in (moved, broken, endless, silent):
        app.router.add_get(f"/{handler.__name__}", handler)
    runner = web.AppRunner(app, access_log=None, shutdown_timeout=0.1)
    await runner.setup()
    site = web.TCPSite(runner, "127.0.0.1", 0)
    await site.start()
    host, port = runner.addresses[0][:2]
    monkeypatch.setattr(Route, "BASE", f"http://{host}:{port}/api/v10")
    yield f"http://{host}:{port}"
    await runner.cleanup()


@pytest.mark.parametrize(
    ("path", "why"),
    [
        ("moved", "status 302"),
        ("broken", "status 502"),
        ("endless", "more than 5000 bytes"),
        ("silent", "not within"),
    ],
)
async def test_a_server_that_misbehaves_costs_no_more_than_the_file(server: str, path: str, why: str) -> None:
    file = msgspec.structs.replace(FILE, url=f"{server}/{path}")
    with pytest.raises(FileUnreadable, match=why):
        await DiscordFiles(lambda: NOBODY, deadline=0.2 if path == "silent" else 30.0).fetch(file, 5000)
