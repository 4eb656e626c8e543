"""The one place with a socket: sends what an adapter built, and pumps the answer through its decoder into an EventStream.

No fault of a provider or of the network is raised: it is the stream's ErrorChunk, after whatever text had come. Three
deadlines run on the loop's clock: until the model is first heard, between two signs of it, and over all. A sign is a chunk or
a piece of one (StreamDecoder.heard_nr); a provider's keep-alives are none. Redirects are not followed: a key goes to no other
host. A request whose option the model refuses is sent again without it (adapters.degradation).
"""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Sequence
from contextlib import AbstractAsyncContextManager
from datetime import UTC, datetime
from email.utils import formatdate
from types import TracebackType
from typing import Final, Self

import httpx
import msgspec

from adapters.contract import (
    DoneChunk,
    Endpoint,
    EndpointError,
    ErrorChunk,
    ErrorReason,
    GenerationRequest,
    HttpRequest,
    ModelInfo,
    ProcessedChunk,
    ProviderError,
    StreamAdapter,
    StreamDecoder,
)
from adapters.degradation import Degradation
from adapters.errors import error_of, without_secrets
from adapters.event_stream import LINGER, EventStream

MAX_BODY_BYTES: Final = 64 * 1024 * 1024
"""Largest answer that is read. The largest ones known carry generated pictures as base64, some ten megabytes."""

MAX_ERROR_BYTES: Final = 64 * 1024
"""How much of an error's body is read: its beginning holds the reason, the rest may be a web page."""

_log = logging.getLogger(__name__)

USER_AGENT: Final = "parley"

KEEP_ALIVE: Final = 60.0
"""Seconds for which an idle connection waits for the next turn, which then begins without a TLS handshake."""

MAX_LISTING_BYTES: Final = 16 * 1024 * 1024
"""OpenRouter's list of all models has about one megabyte."""

LISTING_SECONDS: Final = 20.0

PROBE: Final = GenerationRequest(model="", messages=())
PROBE_SECONDS: Final = 5.0


class Deadlines(msgspec.Struct, frozen=True):
    """Seconds."""

    connect: float = 10.0
    first_byte: float = 120.0
    """From the request to the first sign of the model: reasoning models think before they write, and some providers send
    keep-alives meanwhile."""
    idle: float = 60.0
    """Between two signs of the model. Keep-alives do not count."""
    total: float = 600.0


DEFAULT_DEADLINES: Final = Deadlines()


class Transport:
    """One shared HTTP client. Use as `async with Transport() as transport`."""

    def __init__(self) -> None:
        self._degradation = Degradation()
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
                await self._answer(adapter, request, endpoint, deadlines, stream)
            except EndpointError as fault:
                stream.push((ErrorChunk(error_of(ErrorReason.BAD_REQUEST, str(fault))),))

        return EventStream(produce)

    async def models(self, adapter: StreamAdapter, endpoint: Endpoint) -> Sequence[ModelInfo] | ProviderError:
        """Which models the provider lists; () where it lists none."""
        try:
            http = adapter.list_models(endpoint)
            if http is None:
                return ()
            http = await _signed(http)
            async with asyncio.timeout(LISTING_SECONDS), self._send(http, LISTING_SECONDS) as answer:
                body = await _read_up_to(answer, MAX_LISTING_BYTES)
        except EndpointError as fault:
            return error_of(ErrorReason.BAD_REQUEST, str(fault))
        except TimeoutError:
            return error_of(ErrorReason.TOTAL, f"the list of models took longer than {LISTING_SECONDS:g} s")
        except _NETWORK_FAULTS as fault:
            return without_secrets(_network_error(fault), http.secrets if http else ())
        if not answer.is_success:
            return without_secrets(adapter.classify(answer.status_code, _headers(answer), body), http.secrets)
        return adapter.read_models(body)

    async def _answer(
        self,
        adapter: StreamAdapter,
        request: GenerationRequest,
        endpoint: Endpoint,
        deadlines: Deadlines,
        stream: EventStream,
    ) -> None:
        ends = asyncio.get_running_loop().time() + deadlines.total
        asked = self._degradation.begin(adapter, request, endpoint)
        while True:
            http = adapter.build(asked, endpoint)
            exchange = _Exchange(self, adapter, adapter.open(asked), await _signed(http), deadlines, ends, stream)
            refusal = await exchange.run()
            if refusal is None:
                self._degradation.remember(adapter, asked, endpoint)
                return
            less = self._degradation.narrower(adapter, asked, endpoint, http, refusal.error)
            if less is None:
                stream.push((refusal,))
                return
            _log.info("option_dropped", extra={"model": asked.model, "option": refusal.error.param})
            asked = less

    def _send(self, http: HttpRequest, connect: float) -> AbstractAsyncContextManager[httpx.Response]:
        timeout = httpx.Timeout(None, connect=connect)
        return self._client.stream(
            http.method, http.url, headers=dict(http.headers), content=http.body, timeout=timeout
        )


class _Exchange:
    """One request and its answer."""

    def __init__(
        self,
        transport: Transport,
        adapter: StreamAdapter,
        decoder: StreamDecoder,
        http: HttpRequest,
        deadlines: Deadlines,
        ends: float,
        stream: EventStream,
    ) -> None:
        self._transport = transport
        self._adapter = adapter
        self._decoder = decoder
        self._http = http
        self._deadlines = deadlines
        self._ends = ends
        self._stream = stream
        self._has_data = False
        self._answered = False
        self._over = False
        self._answer: httpx.Response | None = None
        self._refusal_body = b""
        self._refusal: ErrorChunk | None = None

    async def run(self) -> ErrorChunk | None:
        """Pushes the answer, to its ending. An error before the model has said anything is given back instead: the request
        may be sent again in another form."""
        loop = asyncio.get_running_loop()
        try:
            async with asyncio.timeout_at(min(loop.time() + self._deadlines.first_byte, self._ends)) as timer:
                await self._exchange(timer)
        except TimeoutError:
            self._end(self._deadline_error(over=loop.time() >= self._ends))
        except _NETWORK_FAULTS as fault:
            self._end(_network_error(fault))
        else:
            self._end(None)
        return self._refusal

    async def _exchange(self, timer: asyncio.Timeout) -> None:
        async with self._transport._send(self._http, self._deadlines.connect) as answer:
            if answer.is_success:
                await self._read_answer(answer, timer)
            else:
                self._answer = answer
                # Into a field: should the body break off, its beginning still tells the reason.
                async for data in answer.aiter_bytes():
                    self._refusal_body += data[: MAX_ERROR_BYTES - len(self._refusal_body)]
                    if len(self._refusal_body) >= MAX_ERROR_BYTES:
                        return

    async def _read_answer(self, answer: httpx.Response, timer: asyncio.Timeout) -> None:
        silence = _Silence(timer, self._deadlines.idle, self._ends)
        try:
            await self._read_body(answer, silence)
        finally:
            silence.end()

    async def _read_body(self, answer: httpx.Response, silence: _Silence) -> None:
        decoder = self._decoder
        feed, heard_nr, left = decoder.feed, decoder.heard_nr, MAX_BODY_BYTES
        async for data in answer.aiter_bytes():
            if self._over:
                continue
            self._has_data = True
            left -= len(data)
            if left < 0:
                self._end(error_of(ErrorReason.MALFORMED_RESPONSE, f"the answer is larger than {MAX_BODY_BYTES} bytes"))
                return
            chunks = feed(data)
            if chunks:
                silence.broken()
                if self._push(chunks):
                    # A body that is read to its end leaves a connection that can be used again.
                    silence.only(LINGER)
            elif decoder.heard_nr != heard_nr:
                heard_nr = decoder.heard_nr
                silence.broken()

    def _end(self, error: ProviderError | None) -> None:
        """The body is over. What a refusing status says stands, even where its body broke off or never ended."""
        if self._over:
            return
        if self._answer is not None:
            refusal = self._adapter.classify(self._answer.status_code, _headers(self._answer), self._refusal_body)
            self._push((ErrorChunk(refusal),))
        else:
            self._push(self._decoder.close() if error is None else self._decoder.fail(error))

    def _push(self, chunks: Sequence[ProcessedChunk]) -> bool:
        """True where the answer is over."""
        last = chunks[-1] if chunks else None
        if isinstance(last, ErrorChunk):
            last = msgspec.structs.replace(last, error=without_secrets(last.error, self._http.secrets))
            chunks = [*chunks[:-1], last]
            self._over = True
            if not self._answered and len(chunks) == 1:
                self._refusal = last
                return True
        self._over = self._over or isinstance(last, DoneChunk)
        self._answered = self._answered or bool(chunks)
        self._stream.push(chunks)
        return self._over

    def _deadline_error(self, *, over: bool) -> ProviderError:
        if over:
            return error_of(ErrorReason.TOTAL, f"the answer took longer than {self._deadlines.total:g} s")
        if not self._has_data:
            return error_of(ErrorReason.FIRST_BYTE, f"no answer began within {self._deadlines.first_byte:g} s")
        seconds = self._deadlines.idle if self._answered else self._deadlines.first_byte
        return error_of(ErrorReason.IDLE, f"the model was not heard for {seconds:g} s")


class _Silence:
    """The deadline between two signs of the model. A sign costs a look at the clock; the timer is moved only when it is due."""

    def __init__(self, timer: asyncio.Timeout, seconds: float, ends: float) -> None:
        self._timer = timer
        self._seconds = seconds
        self._ends = ends
        self._loop = asyncio.get_running_loop()
        self._heard = 0.0
        self._watch: asyncio.TimerHandle | None = None

    def broken(self) -> None:
        """The model was heard."""
        self._heard = self._loop.time()
        if self._watch is None:
            self._timer.reschedule(self._ends)
            self._look()

    def only(self, seconds: float) -> None:
        """From now on there is no more than this much time."""
        self.end()
        self._timer.reschedule(self._loop.time() + seconds)

    def end(self) -> None:
        if self._watch is not None:
            self._watch.cancel()

    def _look(self) -> None:
        due = self._heard + self._seconds
        if due > self._loop.time():
            self._watch = self._loop.call_at(due, self._look)
        else:
            self._timer.reschedule(due)


async def _signed(http: HttpRequest) -> HttpRequest:
    """Signing may fetch a token, so it gets a thread. Raises EndpointError."""
    return http if http.signer is None else await asyncio.to_thread(http.signer, http, datetime.now(UTC))


def _headers(answer: httpx.Response) -> dict[str, str]:
    # A server without a clock sends no date (RFC 9110, 6.6.1); the time of reception stands for it.
    return {"date": formatdate(usegmt=True), **answer.headers}


async def _read_up_to(answer: httpx.Response, size: int) -> bytes:
    body = bytearray()
    async for data in answer.aiter_bytes():
        body += data
        if len(body) >= size:
            break
    return bytes(body[:size])


_NETWORK_FAULTS: Final = (httpx.HTTPError, httpx.InvalidURL, httpx.StreamError, OSError, UnicodeEncodeError)


def _network_error(fault: Exception) -> ProviderError:
    message = f"{type(fault).__name__}: {fault}" if str(fault) else type(fault).__name__
    if isinstance(fault, UnicodeEncodeError):
        return error_of(ErrorReason.AUTH, "the API key holds characters that no HTTP header may hold")
    if isinstance(fault, httpx.LocalProtocolError):
        # Its text quotes the header at fault, and that is the one with the key.
        return error_of(ErrorReason.BAD_REQUEST, "the request cannot be sent: a header holds what HTTP forbids")
    if isinstance(fault, httpx.UnsupportedProtocol | httpx.InvalidURL):
        return error_of(ErrorReason.BAD_REQUEST, message)
    if isinstance(fault, httpx.DecodingError):
        return error_of(ErrorReason.MALFORMED_RESPONSE, message)
    return error_of(ErrorReason.CONNECTION, message)
