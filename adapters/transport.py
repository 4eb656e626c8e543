"""The one place with a socket: sends what an adapter built, and pumps the answer through its decoder into an EventStream.

No fault of a provider or of the network is raised: it is the stream's ErrorChunk, after whatever text had come. Three
deadlines run one after the other on the loop's clock: up to the first byte of the answer, between two reads, and over all.
Keep-alives of a provider are bytes too and push the second one on. Redirects are not followed: a key goes to no other host.
"""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from email.utils import formatdate
from types import TracebackType
from typing import Final, Self

import httpx
import msgspec

from adapters.contract import (
    Endpoint,
    EndpointError,
    ErrorChunk,
    ErrorReason,
    GenerationRequest,
    HttpRequest,
    ProcessedChunk,
    ProviderError,
    StreamAdapter,
    StreamDecoder,
)
from adapters.errors import error_of, without_secrets
from adapters.event_stream import LINGER, EventStream

MAX_BODY_BYTES: Final = 64 * 1024 * 1024
"""Largest answer that is read. The largest ones known carry generated pictures as base64, some ten megabytes."""

MAX_ERROR_BYTES: Final = 64 * 1024
"""How much of an error's body is read: its beginning holds the reason, the rest may be a web page."""

USER_AGENT: Final = "parley"

KEEP_ALIVE: Final = 60.0
"""Seconds for which an idle connection waits for the next turn, which then begins without a TLS handshake."""

PROBE: Final = GenerationRequest(model="", messages=())
PROBE_SECONDS: Final = 5.0


class Deadlines(msgspec.Struct, frozen=True):
    """Seconds."""

    connect: float = 10.0
    first_byte: float = 120.0
    """From the request to the first byte of the answer's body: reasoning models think before they write."""
    idle: float = 60.0
    """Between two reads. Most providers send keep-alives every 10 to 15 seconds."""
    total: float = 600.0


DEFAULT_DEADLINES: Final = Deadlines()


class Transport:
    """One shared HTTP client. Use as `async with Transport() as transport`."""

    def __init__(self) -> None:
        self._client = httpx.AsyncClient(
            follow_redirects=False,
            headers={"user-agent": USER_AGENT},
            # Every running turn holds one connection, so a bound here would be a queue that nobody sees.
            limits=httpx.Limits(max_connections=None, max_keepalive_connections=32, keepalive_expiry=KEEP_ALIVE),
        )

    async def __aenter__(self) -> Self:
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        await self._client.aclose()

    async def probe(self, adapter: StreamAdapter, endpoint: Endpoint) -> ProviderError | None:
        """Does anything answer at this address? None if so, else why not. Asks for the root, without the key."""
        try:
            url = httpx.URL(adapter.build(PROBE, endpoint).url)
            await self._client.head(url.copy_with(raw_path=b"/"), timeout=PROBE_SECONDS)
        except EndpointError as fault:
            return error_of(ErrorReason.BAD_REQUEST, str(fault))
        except (httpx.HTTPError, httpx.InvalidURL, OSError) as fault:
            return _network_error(fault)
        return None

    def open(
        self,
        adapter: StreamAdapter,
        request: GenerationRequest,
        endpoint: Endpoint,
        deadlines: Deadlines = DEFAULT_DEADLINES,
    ) -> EventStream:
        """The answer to a request. Nothing is sent before the stream is entered:

        async with transport.open(adapter, request, endpoint) as stream:
            async for chunk in stream: ...
        """

        async def produce(stream: EventStream) -> None:
            try:
                http = adapter.build(request, endpoint)
            except EndpointError as fault:
                stream.push((ErrorChunk(error_of(ErrorReason.BAD_REQUEST, str(fault))),))
                return
            await _Exchange(self._client, adapter, adapter.open(request), http, deadlines, stream).run()

        return EventStream(produce)


class _Exchange:
    """One request and its answer."""

    def __init__(
        self,
        client: httpx.AsyncClient,
        adapter: StreamAdapter,
        decoder: StreamDecoder,
        http: HttpRequest,
        deadlines: Deadlines,
        stream: EventStream,
    ) -> None:
        self._client = client
        self._adapter = adapter
        self._decoder = decoder
        self._http = http
        self._deadlines = deadlines
        self._stream = stream
        self._has_data = False
        self._refusal: httpx.Response | None = None
        self._refusal_body = b""

    async def run(self) -> None:
        now = asyncio.get_running_loop().time
        ends = now() + self._deadlines.total
        try:
            async with asyncio.timeout_at(min(now() + self._deadlines.first_byte, ends)) as timer:
                await self._exchange(timer, ends)
        except TimeoutError:
            self._end(self._deadline_error(over=now() >= ends))
        except (httpx.HTTPError, httpx.InvalidURL, httpx.StreamError, OSError) as fault:
            self._end(_network_error(fault))
        except UnicodeEncodeError:
            self._end(error_of(ErrorReason.AUTH, "the API key holds characters that no HTTP header may hold"))
        else:
            self._end(None)

    async def _exchange(self, timer: asyncio.Timeout, ends: float) -> None:
        timeout = httpx.Timeout(None, connect=self._deadlines.connect)
        http = self._http
        async with self._client.stream(
            http.method, http.url, headers=dict(http.headers), content=http.body, timeout=timeout
        ) as answer:
            if answer.is_success:
                await self._read_answer(answer, timer, ends)
            else:
                self._refusal = answer
                await self._read_refusal(answer)

    async def _read_answer(self, answer: httpx.Response, timer: asyncio.Timeout, ends: float) -> None:
        now, idle, feed, stream = (
            asyncio.get_running_loop().time,
            self._deadlines.idle,
            self._decoder.feed,
            self._stream,
        )
        left = MAX_BODY_BYTES
        async for data in answer.aiter_bytes():
            if stream.ended:
                continue
            self._has_data = True
            timer.reschedule(min(now() + idle, ends))
            left -= len(data)
            if left < 0:
                self._end(error_of(ErrorReason.MALFORMED_RESPONSE, f"the answer is larger than {MAX_BODY_BYTES} bytes"))
                return
            if self._push(feed(data)):
                # A body that is read to its end leaves a connection that can be used again.
                timer.reschedule(now() + LINGER)

    async def _read_refusal(self, answer: httpx.Response) -> None:
        async for data in answer.aiter_bytes():
            self._refusal_body += data[: MAX_ERROR_BYTES - len(self._refusal_body)]
            if len(self._refusal_body) >= MAX_ERROR_BYTES:
                return

    def _end(self, error: ProviderError | None) -> None:
        """The body is over. What a refusing status says stands, even where its body broke off or never ended."""
        if self._stream.ended:
            return
        if self._refusal is not None:
            # A server without a clock sends no date (RFC 9110, 6.6.1); the time of reception stands for it.
            headers = {"date": formatdate(usegmt=True), **self._refusal.headers}
            refusal = self._adapter.classify(self._refusal.status_code, headers, self._refusal_body)
            self._push((ErrorChunk(refusal),))
        else:
            self._push(self._decoder.close() if error is None else self._decoder.fail(error))

    def _push(self, chunks: Sequence[ProcessedChunk]) -> bool:
        """True where the stream has ended."""
        if chunks and isinstance(chunks[-1], ErrorChunk):
            ending = chunks[-1]
            safe = msgspec.structs.replace(ending, error=without_secrets(ending.error, self._http.secrets))
            chunks = [*chunks[:-1], safe]
        self._stream.push(chunks)
        return self._stream.ended

    def _deadline_error(self, *, over: bool) -> ProviderError:
        if over:
            return error_of(ErrorReason.TOTAL, f"the answer took longer than {self._deadlines.total:g} s")
        if self._has_data:
            return error_of(ErrorReason.IDLE, f"nothing came for {self._deadlines.idle:g} s")
        return error_of(ErrorReason.FIRST_BYTE, f"no answer began within {self._deadlines.first_byte:g} s")


def _network_error(fault: Exception) -> ProviderError:
    message = f"{type(fault).__name__}: {fault}" if str(fault) else type(fault).__name__
    if isinstance(fault, httpx.LocalProtocolError):
        # Its text quotes the header at fault, and that is the one with the key.
        return error_of(ErrorReason.BAD_REQUEST, "the request cannot be sent: a header holds what HTTP forbids")
    if isinstance(fault, httpx.UnsupportedProtocol | httpx.InvalidURL):
        return error_of(ErrorReason.BAD_REQUEST, message)
    if isinstance(fault, httpx.DecodingError):
        return error_of(ErrorReason.MALFORMED_RESPONSE, message)
    return error_of(ErrorReason.CONNECTION, message)
