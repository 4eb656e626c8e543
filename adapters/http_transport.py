"""aiohttp under httpx's face: its parser is C, and with many answers at a time its reads cost far less and come far sooner than
httpx's own (docs/performance.md, "Over sockets").

What goes out is what httpx built, byte for byte: no other escaping of the address (signatures cover it), no cookies, no
redirects. What goes wrong is one of httpx's exceptions, so nobody above knows what is below. A connection that the server
closed while it lay idle is no fault: the request takes another one. `HTTP_PROXY`, `HTTPS_PROXY` and `NO_PROXY` are honoured,
and the system's certificates are the trusted ones, as with discord.py, which brings aiohttp along.
"""

from __future__ import annotations

from collections.abc import AsyncIterator, Sequence
from io import BytesIO
from types import SimpleNamespace
from typing import Final

import aiohttp
import httpx
import msgspec
from yarl import URL

MAX_HEADER_BYTES: Final = 64 * 1024
"""Of one header. Firewalls in front of providers send long policies."""


class AiohttpTransport(httpx.AsyncBaseTransport):
    """For httpx.AsyncClient(transport=…). `keep_alive`: seconds for which an idle connection waits."""

    def __init__(self, keep_alive: float) -> None:
        self._keep_alive = keep_alive
        self._session: aiohttp.ClientSession | None = None

    async def handle_async_request(self, request: httpx.Request) -> httpx.Response:
        body = await request.aread()
        try:
            answer = await self._send(request, body)
        except _FAULTS as fault:
            raise _as_httpx_says_it(fault, request) from fault
        return httpx.Response(
            answer.status,
            headers=list(answer.raw_headers),
            stream=_Body(answer, request),
            extensions={"http_version": b"HTTP/1.1"},
        )

    async def aclose(self) -> None:
        if self._session is not None:
            await self._session.close()

    async def _send(self, request: httpx.Request, body: bytes) -> aiohttp.ClientResponse:
        connect = request.extensions.get("timeout", {}).get("connect")
        while True:
            connection = _Connection()
            try:
                return await self._connected().request(
                    request.method,
                    _address(request.url),
                    headers=[(name.decode("ascii"), value.decode("ascii")) for name, value in request.headers.raw],
                    # Not the bytes themselves: a body with pictures then goes out in pieces, and the loop runs between them.
                    data=BytesIO(body) if body else None,
                    allow_redirects=False,
                    timeout=aiohttp.ClientTimeout(connect=connect),
                    trace_request_ctx=connection,
                )
            except (aiohttp.ServerDisconnectedError, aiohttp.ClientOSError) as fault:
                if not connection.reused or isinstance(fault, aiohttp.ClientConnectorError):
                    raise

    def _connected(self) -> aiohttp.ClientSession:
        if self._session is None:
            watch = aiohttp.TraceConfig()
            watch.on_connection_reuseconn.append(_note_reuse)
            self._session = aiohttp.ClientSession(
                # Every running turn holds one connection, so a bound here would be a queue that nobody sees.
                connector=aiohttp.TCPConnector(limit=0, keepalive_timeout=self._keep_alive),
                cookie_jar=aiohttp.DummyCookieJar(),
                skip_auto_headers=("user-agent", "accept", "accept-encoding", "content-type"),
                auto_decompress=False,
                max_line_size=MAX_HEADER_BYTES,
                max_field_size=MAX_HEADER_BYTES,
                trace_configs=[watch],
                trust_env=True,
            )
        return self._session


class _Body(httpx.AsyncByteStream):
    """The body as it arrives, a piece for each read. Closing it early closes the connection."""

    def __init__(self, answer: aiohttp.ClientResponse, request: httpx.Request) -> None:
        self._answer = answer
        self._request = request

    def __aiter__(self) -> AsyncIterator[bytes]:
        return self

    async def __anext__(self) -> bytes:
        try:
            piece = await self._answer.content.readany()
        except _FAULTS as fault:
            raise _as_httpx_says_it(fault, self._request) from fault
        if not piece:
            raise StopAsyncIteration
        return piece

    async def aclose(self) -> None:
        self._answer.close()


class _Connection(msgspec.Struct):
    """What the connector tells of the connection that it took for a request."""

    reused: bool = False


async def _note_reuse(_: aiohttp.ClientSession, context: SimpleNamespace, __: object) -> None:
    context.trace_request_ctx.reused = True


def _address(url: httpx.URL) -> URL:
    return URL(str(url), encoded=True)


_FAULTS: Final = (aiohttp.ClientError, OSError, ValueError)

_NAMES: Final[Sequence[tuple[type[Exception] | tuple[type[Exception], ...], type[httpx.TransportError]]]] = (
    # aiohttp's is a TimeoutError, which would be taken for one of the answer's own deadlines.
    (TimeoutError, httpx.ConnectTimeout),
    ((aiohttp.InvalidURL, aiohttp.NonHttpUrlClientError), httpx.UnsupportedProtocol),
    (aiohttp.ClientConnectorError, httpx.ConnectError),
    (
        (aiohttp.ClientPayloadError, aiohttp.ClientResponseError, aiohttp.ServerDisconnectedError),
        httpx.RemoteProtocolError,
    ),
    ((aiohttp.ClientError, OSError), httpx.ReadError),
)


def _as_httpx_says_it(fault: Exception, request: httpx.Request) -> httpx.TransportError:
    for kinds, name in _NAMES:
        if isinstance(fault, kinds):
            return name(str(fault), request=request)
    return httpx.LocalProtocolError("the address or a header breaks a rule of HTTP", request=request)
