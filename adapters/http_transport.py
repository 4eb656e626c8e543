"""aiohttp under httpx's face: its parser is C, and with many answers at a time its reads cost far less and come far sooner than
httpx's own (docs/performance.md, "Over sockets").

What goes out is what httpx built, byte for byte: no other escaping of the address (signatures cover it), no cookies, no
redirects, no logins out of `~/.netrc`. What goes wrong is one of httpx's exceptions, so nobody above knows what is below. A
connection that the server closed while it lay idle is no fault: the request takes another one. `HTTP_PROXY`, `HTTPS_PROXY` and
`NO_PROXY` are honoured, and the system's certificates are the trusted ones, as with discord.py, which brings aiohttp along.
"""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Sequence
from io import BytesIO
from types import SimpleNamespace
from typing import Final
from urllib.request import getproxies, proxy_bypass
from weakref import WeakSet

import aiohttp
import httpx
import msgspec
from aiohttp.abc import AbstractResolver
from aiohttp.client_proto import ResponseHandler
from aiohttp.connector import Connection
from aiohttp.http_exceptions import ContentEncodingError
from aiohttp.tracing import Trace
from yarl import URL

ACCEPT_ENCODING: Final = "gzip, deflate"
"""What a body may be packed in; it is given unpacked, in bounded pieces."""

MAX_HEADER_BYTES: Final = 64 * 1024
"""Of one header. Firewalls in front of providers send long policies."""


class AiohttpTransport(httpx.AsyncBaseTransport):
    """For httpx.AsyncClient(transport=…). `keep_alive`: seconds for which an idle connection waits.

    `resolver`, which stays its owner's, and `socket_factory` are aiohttp's. `proxies`: those of the environment are asked.
    """

    def __init__(
        self,
        keep_alive: float,
        *,
        resolver: AbstractResolver | None = None,
        socket_factory: aiohttp.SocketFactoryType | None = None,
        proxies: bool = True,
    ) -> None:
        self._keep_alive = keep_alive
        self._resolver = resolver
        self._socket_factory = socket_factory
        self._proxies = proxies
        self._session: aiohttp.ClientSession | None = None

    async def handle_async_request(self, request: httpx.Request) -> httpx.Response:
        body = await request.aread()
        try:
            answer = await self._send(request, body)
        except _FAULTS as fault:
            raise _as_httpx_says_it(fault, request) from fault
        return httpx.Response(
            answer.status,
            headers=[(name, value) for name, value in answer.raw_headers if name.lower() not in _OF_THE_PACKED_BODY],
            stream=_Body(answer, request),
            extensions={"http_version": b"HTTP/1.1"},
        )

    async def aclose(self) -> None:
        if self._session is not None:
            await self._session.close()

    async def _send(self, request: httpx.Request, body: bytes) -> aiohttp.ClientResponse:
        connect = request.extensions.get("timeout", {}).get("connect")
        try:
            address = _address(request.url)
            proxy = _proxy_for(address) if self._proxies else None
        except ValueError as fault:
            raise aiohttp.InvalidURL(request.url.host) from fault
        while True:
            connection = _Connection()
            try:
                return await self._connected().request(
                    request.method,
                    address,
                    headers=[(name.decode("ascii"), value.decode("ascii")) for name, value in request.headers.raw],
                    # Not the bytes themselves: a body with pictures then goes out in pieces, and the loop runs between them.
                    data=BytesIO(body) if body else None,
                    allow_redirects=False,
                    timeout=aiohttp.ClientTimeout(connect=connect),
                    proxy=proxy,
                    trace_request_ctx=connection,
                )
            except (aiohttp.ServerDisconnectedError, aiohttp.ClientOSError) as fault:
                if not connection.reused or isinstance(fault, aiohttp.ClientConnectorError) or _began(fault):
                    raise

    def _connected(self) -> aiohttp.ClientSession:
        if self._session is None:
            watch = aiohttp.TraceConfig()
            watch.on_connection_reuseconn.append(_note_reuse)
            watch.on_connection_create_start.append(_note_new)
            self._session = aiohttp.ClientSession(
                # Every running turn holds one connection, so a bound here would be a queue that nobody sees.
                connector=_Connector(
                    limit=0,
                    keepalive_timeout=self._keep_alive,
                    resolver=self._resolver,
                    socket_factory=self._socket_factory,
                ),
                cookie_jar=aiohttp.DummyCookieJar(),
                skip_auto_headers=("user-agent", "accept", "accept-encoding", "content-type"),
                max_line_size=MAX_HEADER_BYTES,
                max_field_size=MAX_HEADER_BYTES,
                trace_configs=[watch],
            )
        return self._session


class _Connector(aiohttp.TCPConnector):
    """Leaves alone an idle connection on which the server went on speaking: that would be taken for the next answer."""

    def __init__(
        self,
        *,
        limit: int,
        keepalive_timeout: float,
        resolver: AbstractResolver | None,
        socket_factory: aiohttp.SocketFactoryType | None,
    ) -> None:
        super().__init__(
            limit=limit, keepalive_timeout=keepalive_timeout, resolver=resolver, socket_factory=socket_factory
        )
        self._used: WeakSet[ResponseHandler] = WeakSet()

    async def connect(
        self,
        req: aiohttp.ClientRequest,
        traces: list[Trace],
        timeout: aiohttp.ClientTimeout,  # noqa: ASYNC109  (aiohttp's own signature)
    ) -> Connection:
        while True:
            connection = await super().connect(req, traces, timeout)
            protocol = connection.protocol
            if protocol is None or protocol not in self._used:
                break
            if not protocol.should_close:
                return connection
            connection.close()
        if protocol is not None:
            self._used.add(protocol)
        return connection


class _Body(httpx.AsyncByteStream):
    """The body as it arrives, a piece for each read. Closing it early closes the connection."""

    def __init__(self, answer: aiohttp.ClientResponse, request: httpx.Request) -> None:
        self._answer = answer
        self._request = request
        self._closed: asyncio.Future[None] | None = None
        protocol = answer.connection.protocol if answer.connection is not None else None
        if protocol is not None:
            self._closed = protocol.closed
            if self._closed is None:
                self._on_closed()
            else:
                # The future outlives this body, and its exception must have been looked at, by whoever.
                self._closed.remove_done_callback(_look_at)
                self._closed.add_done_callback(_look_at)
                self._closed.add_done_callback(self._on_closed)

    def __aiter__(self) -> AsyncIterator[bytes]:
        return self

    async def __anext__(self) -> bytes:
        try:
            piece = await self._answer.content.readany()
        except _FAULTS as fault:
            # aiohttp tells of a fault first, and what had come before it lies there still.
            piece = self._answer.content._read_nowait(-1)
            if not piece:
                raise _as_httpx_says_it(fault, self._request) from fault
        if not piece:
            raise StopAsyncIteration
        return piece

    async def aclose(self) -> None:
        if self._closed is not None:
            self._closed.remove_done_callback(self._on_closed)
        self._answer.close()

    def _on_closed(self, _: object = None) -> None:
        """aiohttp does not tell the body of every end: not of chunks that are none, nor of a session that is closed."""
        content = self._answer.content
        if not content.is_eof() and content.exception() is None:
            content.set_exception(aiohttp.ClientPayloadError("the connection was closed before the body was over"))


def _look_at(closed: asyncio.Future[None]) -> None:
    if not closed.cancelled():
        closed.exception()


class _Connection(msgspec.Struct):
    """What the connector tells of the connection that it took for a request."""

    reused: bool = False


async def _note_reuse(_: aiohttp.ClientSession, context: SimpleNamespace, __: object) -> None:
    context.trace_request_ctx.reused = True


async def _note_new(_: aiohttp.ClientSession, context: SimpleNamespace, __: object) -> None:
    context.trace_request_ctx.reused = False


def _began(fault: Exception) -> bool:
    """The server had begun to answer: it has done the work, and is not to do it twice."""
    return isinstance(fault, aiohttp.ServerDisconnectedError) and not isinstance(fault.message, str)


def _address(url: httpx.URL) -> URL:
    """Without a login, which httpx made a header of."""
    return URL(str(url.copy_with(userinfo=b"") if url.userinfo else url), encoded=True)


def _proxy_for(address: URL) -> URL | None:
    """By the environment. Not aiohttp's `trust_env`: that also takes logins out of `~/.netrc`, for whoever is asked."""
    host, port, proxy = address.host or "", address.port, getproxies().get(address.scheme)
    if not proxy or proxy_bypass(host) or proxy_bypass(f"{host}:{port}"):
        return None
    found = URL(proxy if "://" in proxy else f"http://{proxy}")
    if found.scheme not in ("http", "https"):
        raise ValueError("a proxy of a kind that aiohttp does not speak with")
    return found


_OF_THE_PACKED_BODY: Final = frozenset((b"content-encoding", b"content-length"))

_FAULTS: Final = (aiohttp.ClientError, OSError, ValueError)

_NAMES: Final[Sequence[tuple[type[Exception] | tuple[type[Exception], ...], type[httpx.TransportError]]]] = (
    # aiohttp's is a TimeoutError, which would be taken for one of the answer's own deadlines.
    (TimeoutError, httpx.ConnectTimeout),
    # Names of hosts are encoded as late as when they are looked up.
    ((aiohttp.InvalidURL, aiohttp.NonHttpUrlClientError, UnicodeError), httpx.UnsupportedProtocol),
    (aiohttp.ClientConnectorError, httpx.ConnectError),
    (
        (aiohttp.ClientPayloadError, aiohttp.ClientResponseError, aiohttp.ServerDisconnectedError),
        httpx.RemoteProtocolError,
    ),
    ((aiohttp.ClientError, OSError), httpx.ReadError),
)


def _as_httpx_says_it(fault: Exception, request: httpx.Request) -> httpx.RequestError:
    if isinstance(fault.__cause__, ContentEncodingError):
        return httpx.DecodingError(fault.__cause__.message, request=request)
    for kinds, name in _NAMES:
        if isinstance(fault, kinds):
            return name(_words(fault), request=request)
    return httpx.LocalProtocolError("the address or a header breaks a rule of HTTP", request=request)


def _words(fault: Exception) -> str:
    """Without the address, and without the headers that had come: neither is for people to read."""
    if _began(fault):
        return "the server closed the connection in the middle of its answer's head"
    return fault.message if isinstance(fault, aiohttp.ClientResponseError) else str(fault)
