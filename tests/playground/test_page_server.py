"""The page's server over real sockets: who may connect, what a tab is told, what it may ask for."""

from __future__ import annotations

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from typing import Any

import aiohttp
import msgspec
import pytest
import pytest_asyncio

from bot.playground.page.server import CONTENT_SECURITY_POLICY, Page
from bot.playground.page.standin_port import StandinPort
from tests.playground.page_chat import ScriptedChat, button, row

SVG = b"<svg xmlns='http://www.w3.org/2000/svg'><script>alert(1)</script></svg>"


class Tab:
    """A browser's end of the WebSocket."""

    def __init__(self, socket: aiohttp.ClientWebSocketResponse) -> None:
        self._socket = socket

    async def told(self) -> dict[str, Any]:
        return dict(await self._socket.receive_json(timeout=10))

    async def tell(self, type: str, **fields: Any) -> None:  # noqa: A002 - the protocol's name
        await self._socket.send_json({"type": type, **fields})

    async def ask(self, type: str, **fields: Any) -> dict[str, Any]:  # noqa: A002 - the protocol's name
        await self.tell(type, **fields)
        return await self.told()

    async def send_raw(self, frame: str) -> dict[str, Any]:
        await self._socket.send_str(frame)
        return await self.told()


class Served:
    def __init__(self, chat: ScriptedChat, page: Page, http: aiohttp.ClientSession) -> None:
        self.chat, self.page, self.http = chat, page, http

    @asynccontextmanager
    async def tab(self) -> AsyncIterator[tuple[Tab, dict[str, Any]]]:
        """A connected tab and its first snapshot."""
        async with self.http.ws_connect(f"{self.page.url}/ws", origin=self.page.url) as socket:
            tab = Tab(socket)
            yield tab, await tab.told()


@pytest_asyncio.fixture
async def served() -> AsyncIterator[Served]:
    chat = ScriptedChat()
    page = Page(StandinPort(chat), notice="A <small> model answers.")
    await page.start(port=0)
    try:
        async with aiohttp.ClientSession() as http:
            yield Served(chat, page, http)
    finally:
        await page.stop()


@pytest.mark.parametrize(
    ("path", "media_type"),
    [
        ("/", "text/html"),
        ("/static/page.css", "text/css"),
        ("/static/highlight.css", "text/css"),
        ("/static/page.js", "text/javascript"),
        ("/static/icon.svg", "image/svg+xml"),
    ],
)
async def test_files_come_with_the_content_policy(served: Served, path: str, media_type: str) -> None:
    """Nothing outside the page's own origin may be loaded, whatever a message holds."""
    async with served.http.get(served.page.url + path) as response:
        assert (response.status, response.content_type) == (200, media_type)
        assert response.headers["Content-Security-Policy"] == CONTENT_SECURITY_POLICY
        assert response.headers["X-Content-Type-Options"] == "nosniff"
    assert CONTENT_SECURITY_POLICY.startswith("default-src 'none'; script-src 'self'; style-src 'self'")


@pytest.mark.parametrize("path", ["/static/nothing.js", "/static/..%2Fserver.py", "/attachments/1/2/x.png", "/other"])
async def test_what_is_not_there_is_404(served: Served, path: str) -> None:
    """Only the named files are served."""
    async with served.http.get(served.page.url + path) as response:
        assert response.status == 404


@pytest.mark.parametrize("host", ["evil.example", "evil.example:8642", "127.0.0.1.evil.example", "[", ""])
async def test_a_foreign_host_is_refused(served: Served, host: str) -> None:
    """A DNS name that was bound to this machine gets nothing."""
    for path in ("/", "/ws"):
        async with served.http.get(served.page.url + path, headers={"Host": host}) as response:
            assert response.status == 403


@pytest.mark.parametrize(
    "origin", ["https://evil.example", "http://127.0.0.1", "http://localhost:1", "null", "http://127.0.0.1.evil"]
)
async def test_a_socket_from_another_origin_is_refused(served: Served, origin: str) -> None:
    """Any web page could open a WebSocket to a local port."""
    with pytest.raises(aiohttp.WSServerHandshakeError) as refused:
        await served.http.ws_connect(f"{served.page.url}/ws", origin=origin)
    assert refused.value.status == 403


async def test_a_socket_without_an_origin_is_refused(served: Served) -> None:
    """Browsers always send one."""
    with pytest.raises(aiohttp.WSServerHandshakeError) as refused:
        await served.http.ws_connect(f"{served.page.url}/ws")
    assert refused.value.status == 403


async def test_the_first_event_is_all_that_is_shown(served: Served) -> None:
    """Server, people, channels with the DM, the first channel's messages, the notice."""
    served.chat.answer("**hi**")
    async with served.tab() as (_, snapshot):
        assert snapshot["type"] == "snapshot"
        assert (snapshot["server"], snapshot["notice"]) == ("Playground", "A <small> model answers.")
        assert [person["name"] for person in snapshot["people"]] == ["Ada", "Bo", "Chi"]
        assert (snapshot["me"]["name"], snapshot["bot"]["name"]) == ("Ada", "Parley")
        shown = [(channel["kind"], channel["name"]) for channel in snapshot["channels"]]
        assert sorted(shown) == [("dm", "Parley"), ("text", "general"), ("text", "help"), ("text", "random")]
        assert snapshot["channel"]["name"] == "general"
        assert [message["html"] for message in snapshot["messages"]] == ["<p><strong>hi</strong></p>"]


async def test_what_is_said_appears_with_mentions_as_ids(served: Served) -> None:
    """A typed @Parley is the mention that the bot listens for."""
    async with served.tab() as (tab, _):
        told = await tab.ask("say", content="@Parley hello")
        assert told["type"] == "message.create"
        assert told["message"]["html"] == '<p><span class="mention">@Parley</span> hello</p>'
    (message,) = served.chat.world.messages(served.chat.general.id)
    assert message["content"] == f"<@{served.chat.world.bot.id}> hello"
    assert message["author"]["id"] == served.chat.ada.id


async def test_a_reply_names_its_original(served: Served) -> None:
    """The line above the message."""
    first = served.chat.answer("first")
    async with served.tab() as (tab, _):
        told = await tab.ask("say", content="second", reply_to=first)
        assert told["message"]["reply"] == {"message_id": first, "author": "Parley", "text_html": "first"}


async def test_edits_reactions_and_deletions_are_told_by_id(served: Served) -> None:
    """Each event names the one message that changed."""
    message_id = served.chat.answer("a")
    async with served.tab() as (tab, _):
        served.chat.edit(message_id, "b")
        told = await tab.told()
        assert (told["type"], told["message"]["id"]) == ("message.update", message_id)
        assert (told["message"]["html"], told["message"]["edited"]) == ("<p>b</p>", True)
        told = await tab.ask("react", message_id=message_id, emoji="👍")
        assert told["message"]["reactions"] == [{"emoji": "👍", "count": 1, "custom": False}]
        assert await tab.ask("delete", message_id=message_id) == {"type": "message.delete", "message_id": message_id}


async def test_a_press_is_pending_until_the_bot_answers_or_fails(served: Served) -> None:
    """The button waits; then the mark goes, or people read that it failed."""
    message_id = served.chat.answer("a", components=(row(button("go", "Go")),))
    async with served.tab() as (tab, _):
        pending = {"type": "press.pending", "message_id": message_id, "custom_id": "go"}
        assert await tab.ask("press", message_id=message_id, custom_id="go") == pending
        served.chat.answer_press()
        assert await tab.told() == {"type": "press.answered", "message_id": message_id}
        assert await tab.ask("press", message_id=message_id, custom_id="go") == pending
        served.chat.miss_press()
        assert await tab.told() == {"type": "press.failed", "message_id": message_id}


async def test_another_persons_press_is_not_ones_own(served: Served) -> None:
    """Its failure is shown to who pressed."""
    message_id = served.chat.answer("a", components=(row(button("go", "Go")),))
    async with served.tab() as (tab, _):
        await served.chat.press(served.chat.bo.id, message_id, "go")
        served.chat.miss_press()
        served.chat.answer("next")
        assert (await tab.told())["type"] == "message.create"


async def test_typing_is_told_of_others_only(served: Served) -> None:
    """One knows that one types oneself."""
    async with served.tab() as (tab, _):
        await served.chat.typing(served.chat.ada.id, served.chat.general.id)
        served.chat.bot_types()
        assert await tab.told() == {"type": "typing.start", "user_id": served.chat.world.bot.id, "name": "Parley"}


async def test_an_ephemeral_message_is_for_one_person(served: Served) -> None:
    """Another identity sees nothing of it, neither live nor in the snapshot."""
    async with served.tab() as (tab, _):
        served.chat.answer("secret", flags=64, ephemeral_to=served.chat.bo.id)
        served.chat.answer("open")
        assert (await tab.told())["message"]["html"] == "<p>open</p>"
        as_bo = await tab.ask("identity", user_id=served.chat.bo.id)
        assert [message["ephemeral"] for message in as_bo["messages"]] == [True, False]


async def test_another_channel_is_marked_unread_and_can_be_opened(served: Served) -> None:
    """Only the shown channel's messages are sent."""
    async with served.tab() as (tab, _):
        served.chat.answer("there", served.chat.random)
        assert await tab.told() == {"type": "unread", "channel_id": served.chat.random.id}
        snapshot = await tab.ask("switch", channel_id=served.chat.random.id)
        assert snapshot["channel"]["name"] == "random"
        assert [message["html"] for message in snapshot["messages"]] == ["<p>there</p>"]


async def test_another_identity_leaves_a_dm_that_is_not_its_own(served: Served) -> None:
    """A DM belongs to one person and the bot."""
    async with served.tab() as (tab, snapshot):
        dm = next(channel for channel in snapshot["channels"] if channel["kind"] == "dm")
        assert (await tab.ask("switch", channel_id=dm["id"]))["channel"] == dm
        as_bo = await tab.ask("identity", user_id=served.chat.bo.id)
        assert as_bo["channel"]["kind"] == "text"
        assert dm not in as_bo["channels"]
        assert (await tab.ask("switch", channel_id=dm["id"]))["type"] == "error"


async def test_a_new_thread_is_listed(served: Served) -> None:
    """It hangs on its channel."""
    async with served.tab() as (tab, _):
        served.chat.world.start_thread(served.chat.general, "aside", served.chat.ada.id)
        told = await tab.told()
        assert told["type"] == "channels"
        thread = next(channel for channel in told["channels"] if channel["kind"] == "thread")
        assert (thread["name"], thread["parent_id"]) == ("aside", served.chat.general.id)


@pytest.mark.parametrize(
    "frame",
    [
        "",
        "no json",
        "[]",
        "{}",
        '{"type": "unknown"}',
        '{"type": "say"}',
        '{"type": "say", "content": ""}',
        '{"type": "say", "content": 5}',
        msgspec.json.encode({"type": "say", "content": "x" * 2001}).decode(),
        '{"type": "press", "message_id": "x", "custom_id": "y"}',
        '{"type": "press", "message_id": "1", "custom_id": "y"}',
        '{"type": "delete", "message_id": "1"}',
        '{"type": "react", "message_id": "1", "emoji": "👍"}',
        '{"type": "switch", "channel_id": "1"}',
        '{"type": "identity", "user_id": "1"}',
    ],
)
async def test_what_is_no_command_is_answered_with_an_error(served: Served, frame: str) -> None:
    """The tab is told why, nothing happens in the chat, and the connection stays."""
    async with served.tab() as (tab, _):
        assert (await tab.send_raw(frame))["type"] == "error"
        assert (await tab.ask("say", content="still here"))["type"] == "message.create"


async def test_a_message_that_mentions_make_too_long_is_refused(served: Served) -> None:
    """Discord counts the ids, not the names."""
    async with served.tab() as (tab, _):
        refused = await tab.ask("say", content="@Ada " * 400)
        assert refused["type"] == "error"
        assert "too long" in refused["text"]


async def test_a_huge_frame_closes_the_connection(served: Served) -> None:
    """No command is that long."""
    async with served.http.ws_connect(f"{served.page.url}/ws", origin=served.page.url) as socket:
        await socket.receive(timeout=10)
        await socket.send_str("x" * 100_000)
        assert (await socket.receive(timeout=10)).type is aiohttp.WSMsgType.CLOSE
        assert socket.close_code == aiohttp.WSCloseCode.MESSAGE_TOO_BIG


async def test_stopping_ends_all_connections(served: Served) -> None:
    """And nothing is left subscribed."""
    async with served.http.ws_connect(f"{served.page.url}/ws", origin=served.page.url) as socket:
        await socket.receive(timeout=10)
        await served.page.stop()
        assert (await socket.receive(timeout=10)).type is aiohttp.WSMsgType.CLOSE
    assert served.chat.queues == []


@pytest.mark.parametrize(
    ("media_type", "body", "served_as", "disposition"),
    [("image/png", b"png", "image/png", "inline"), ("image/svg+xml", SVG, "application/octet-stream", "attachment")],
)
async def test_an_attachment_is_never_a_document_of_this_origin(
    served: Served, media_type: str, body: bytes, served_as: str, disposition: str
) -> None:
    """Pictures are drawn, everything else is a download; both without any right to run."""
    attachment = {"id": "1", "filename": "f", "size": len(body), "content_type": media_type, "url": ""}
    served.chat.files["1"] = body
    message_id = served.chat.answer("", attachments=(attachment,))
    async with served.http.get(f"{served.page.url}/attachments/{message_id}/1/f") as response:
        assert await response.read() == body
        assert response.content_type == served_as
        assert response.headers["Content-Disposition"] == disposition
        assert response.headers["Content-Security-Policy"] == "default-src 'none'; sandbox"
