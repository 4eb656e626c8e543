"""The page's web server: static files, attachments, and one WebSocket for each open tab.

A port on this machine can be reached by every web page that its browser has open. So each request must name a loopback
host (else a rebound DNS name would do), and a WebSocket or an upload must come from this very origin (browsers hold
neither WebSockets nor simple POST requests to the same-origin policy).
"""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import suppress
from importlib.resources import files
from typing import TypeVar
from urllib.parse import urlsplit

from aiohttp import WSCloseCode, WSMsgType, web

from bot.playground.page import highlighting, protocol
from bot.playground.page.file_views import is_drawable
from bot.playground.page.port import ActionRefused, ChatPort
from bot.playground.page.session import Session
from bot.playground.page.uploads import File, Uploads
from bot.playground.standin.events import WorldEvent
from bot.playground.standin.records import FILE_BYTES_LIMIT

CONTENT_SECURITY_POLICY = "; ".join(
    (
        "default-src 'none'",
        "script-src 'self'",
        "style-src 'self'",
        "img-src 'self' data:",
        "connect-src 'self'",
        "base-uri 'none'",
        "form-action 'none'",
        "frame-ancestors 'none'",
    )
)
_HEADERS = {
    "Content-Security-Policy": CONTENT_SECURITY_POLICY,
    "X-Content-Type-Options": "nosniff",
    "Referrer-Policy": "no-referrer",
    "Cross-Origin-Resource-Policy": "same-origin",
    "Cross-Origin-Opener-Policy": "same-origin",
    "Cache-Control": "no-cache",
}
_Response = TypeVar("_Response", bound=web.StreamResponse)
_LOOPBACK_NAMES = frozenset({"127.0.0.1", "localhost", "::1"})
_STATIC_TYPES = {"html": "text/html", "css": "text/css", "js": "text/javascript", "svg": "image/svg+xml"}


class Page:
    """Serves the playground's page until `stop`. `notice` stands in the strip above the channel, as plain text."""

    def __init__(self, chat: ChatPort, *, notice: str = "") -> None:
        self._chat = chat
        self._notice = notice
        self._runner: web.AppRunner | None = None
        self._sockets: set[web.WebSocketResponse] = set()
        self._url = ""
        self._hosts = _LOOPBACK_NAMES
        self._static = _static_responses()
        self._uploads = Uploads()

    @property
    def url(self) -> str:
        """Such as `http://127.0.0.1:8642`; empty before `start`."""
        return self._url

    async def start(self, host: str = "127.0.0.1", port: int = 8642) -> None:
        """Listen; port 0 takes any free one. Raises OSError where the port is taken."""
        self._hosts = _LOOPBACK_NAMES | {host}
        app = web.Application(middlewares=[self._guard], client_max_size=FILE_BYTES_LIMIT)
        app.on_shutdown.append(self._close_sockets)
        app.router.add_get("/", self._serve_static)
        app.router.add_get("/static/{name}", self._serve_static)
        app.router.add_get("/attachments/{message_id}/{attachment_id}/{filename}", self._serve_attachment)
        app.router.add_post("/uploads/{filename}", self._take_upload)
        app.router.add_get("/ws", self._serve_socket)
        self._runner = web.AppRunner(app, access_log=None, shutdown_timeout=1)
        await self._runner.setup()
        try:
            await web.TCPSite(self._runner, host, port).start()
        except OSError:
            await self.stop()
            raise
        self._url = f"http://{host}:{self._runner.addresses[0][1]}"

    async def stop(self) -> None:
        """Close all tabs' connections and the port."""
        if self._runner is not None:
            await self._runner.cleanup()
            self._runner = None

    @web.middleware
    async def _guard(
        self, request: web.Request, handler: Callable[[web.Request], Awaitable[web.StreamResponse]]
    ) -> web.StreamResponse:
        if _hostname(request) not in self._hosts:
            raise _protected(web.HTTPForbidden(text="This page is served on this machine only."))
        try:
            return _protected(await handler(request))
        except web.HTTPException as error:
            _protected(error)
            raise

    async def _serve_static(self, request: web.Request) -> web.Response:
        found = self._static.get(request.match_info.get("name", "index.html"))
        if found is None:
            raise web.HTTPNotFound
        text, content_type = found
        return web.Response(text=text, content_type=content_type)

    async def _serve_attachment(self, request: web.Request) -> web.Response:
        try:
            found = await self._chat.attachment(request.match_info["message_id"], request.match_info["attachment_id"])
        except ActionRefused as refusal:
            raise web.HTTPNotFound(text=str(refusal)) from refusal
        # A file of anybody's must not become a document of this origin.
        drawable = is_drawable(found.media_type)
        return web.Response(
            body=found.body,
            content_type=found.media_type.partition(";")[0] if drawable else "application/octet-stream",
            headers={
                "Content-Security-Policy": "default-src 'none'; sandbox",
                "Content-Disposition": "inline" if drawable else "attachment",
            },
        )

    async def _take_upload(self, request: web.Request) -> web.Response:
        _require_own_origin(request)
        upload_id = self._uploads.add(File(request.match_info["filename"], await request.read()))
        return web.json_response({"id": upload_id})

    async def _serve_socket(self, request: web.Request) -> web.StreamResponse:
        _require_own_origin(request)
        # A sleeping tab does not answer a close; `stop` is not to wait long for it.
        socket = web.WebSocketResponse(max_msg_size=protocol.MAX_FRAME_BYTES, heartbeat=30, timeout=1)
        await socket.prepare(request)
        self._sockets.add(socket)
        try:
            place = {"user_id": request.query.get("user"), "channel_id": request.query.get("channel")}
            session = Session(self._chat, self._notice, uploads=self._uploads, **place)
            await self._converse(socket, session)
        finally:
            self._sockets.discard(socket)
        return socket

    async def _converse(self, socket: web.WebSocketResponse, session: Session) -> None:
        # While a snapshot is drawn, events wait: it would be older than they are and undo them in the browser.
        turn = asyncio.Lock()
        # Subscribed before the snapshot is taken, so that nothing can fall between the two.
        with self._chat.subscribe() as events:
            await _send(socket, await session.snapshot())
            async with asyncio.TaskGroup() as tasks:
                teller = tasks.create_task(_tell(socket, session, events, turn))
                async for frame in socket:
                    if frame.type is WSMsgType.TEXT:
                        async with turn:
                            if answer := await session.obey(frame.data):
                                await _send(socket, answer)
                teller.cancel()

    async def _close_sockets(self, app: web.Application) -> None:
        await asyncio.gather(*(socket.close(code=WSCloseCode.GOING_AWAY) for socket in self._sockets))


async def _tell(
    socket: web.WebSocketResponse, session: Session, events: AsyncIterator[WorldEvent], turn: asyncio.Lock
) -> None:
    async for event in events:
        async with turn:
            if told := session.translate(event):
                await _send(socket, told)
    # Events were missed. The browser connects again, and its new snapshot has them all.
    await socket.close(code=WSCloseCode.TRY_AGAIN_LATER)


async def _send(socket: web.WebSocketResponse, event: protocol.Event) -> None:
    # A tab may be closed at any time; the loop that reads from it sees that and ends the conversation.
    with suppress(ConnectionResetError):
        await socket.send_str(protocol.encode_event(event))


def _require_own_origin(request: web.Request) -> None:
    if request.headers.get("Origin") != f"http://{request.host}":
        raise web.HTTPForbidden(text="Only the page itself may connect here.")


def _protected(response: _Response) -> _Response:
    if not response.prepared:
        for name, value in _HEADERS.items():
            response.headers.setdefault(name, value)
    return response


def _hostname(request: web.Request) -> str | None:
    try:
        return urlsplit(f"//{request.host}").hostname
    except ValueError:  # such as a bracket without its pair
        return None


def _static_responses() -> dict[str, tuple[str, str]]:
    """File name → text and media type. Read once: the files are few and small."""
    served = {
        file.name: (file.read_text("utf-8"), _STATIC_TYPES[file.name.rpartition(".")[2]])
        for file in (files(__package__) / "static").iterdir()
    }
    return served | {"highlight.css": (highlighting.style_sheet(), "text/css")}
