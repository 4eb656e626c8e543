"""The one place with a socket: sends what an adapter built, and reads the answer through its decoder as an EventStream.

No fault of a provider or of the network is raised: it is the stream's ErrorChunk, after whatever text had come. Three
deadlines run on the loop's clock: until the model is first heard, between two signs of it, and over all. A sign is a chunk or
a piece of one (StreamDecoder.heard_nr); a provider's keep-alives are none. Redirects are not followed: a key goes to no other
host. A request whose option the model refuses is sent again without it (adapters.degradation). An endpoint that is
`public_only` is reached over connections of its own, which lead to public addresses only (adapters.public_connections).
"""

from __future__ import annotations

import asyncio
import logging
from collections.abc import AsyncGenerator, AsyncIterator, Callable, Sequence
from contextlib import AbstractAsyncContextManager, AsyncExitStack, aclosing, suppress
from datetime import UTC, datetime
from email.utils import formatdate
from http.cookiejar import CookieJar, DefaultCookiePolicy
from types import TracebackType
from typing import Final, Self, TypeVar, cast

import httpx
import msgspec
from aiohttp.abc import AbstractResolver

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
from adapters.deadlines import DEFAULT_DEADLINES, Deadlines, Watch
from adapters.degradation import Degradation
from adapters.errors import error_of, without_secrets
from adapters.event_stream import EventStream, Source
from adapters.http_transport import ACCEPT_ENCODING, AiohttpTransport
from adapters.public_addresses import NOTHING_MORE, AllowedHosts
from adapters.public_connections import NotPublicError, PublicTransport

MAX_BODY_BYTES: Final = 64 * 1024 * 1024
"""Largest answer that is read. The largest ones known carry generated pictures as base64, some ten megabytes."""

MAX_ERROR_BYTES: Final = 64 * 1024
"""How much of an error's body is read: its beginning holds the reason, the rest may be a web page."""

Result = TypeVar("Result")

_log = logging.getLogger(__name__)

USER_AGENT: Final = "parley"

LINGER: Final = 0.25
"""Seconds for the rest of a body after the ending. Most servers close it at once; some never do."""

KEEP_ALIVE: Final = 60.0
"""Seconds for which an idle connection waits for the next turn, which then begins without a TLS handshake."""

MAX_LISTING_BYTES: Final = 16 * 1024 * 1024
"""OpenRouter's list of all models has about one megabyte."""

LISTING_SECONDS: Final = 20.0
SIGNING_SECONDS: Final = 30.0

PROBE: Final = GenerationRequest(model="", messages=())
PROBE_SECONDS: Final = 5.0


class Transport:
    """One shared HTTP client for the operator's endpoints, and one for those of others. Use as `async with Transport() as transport`.

    `allowed`: what endpoints that are `public_only` may reach besides public addresses. `resolver`: looks up their hosts in
    place of the system's; it stays its owner's.
    """

    def __init__(self, allowed: AllowedHosts = NOTHING_MORE, resolver: AbstractResolver | None = None) -> None:
        self._degradation = Degradation()
        self._client = _client(AiohttpTransport(KEEP_ALIVE))
        self._public_client = _client(PublicTransport(KEEP_ALIVE, allowed, resolver))

    async def __aenter__(self) -> Self:
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        async with AsyncExitStack() as stack:
            stack.push_async_callback(self._client.aclose)
            stack.push_async_callback(self._public_client.aclose)

    async def probe(self, adapter: StreamAdapter, endpoint: Endpoint) -> ProviderError | None:
        """Does anything answer at this address? None if so, else why not. Asks for the root, without the key."""
        try:
            url = httpx.URL(adapter.build(PROBE, endpoint).url)
            async with asyncio.timeout(PROBE_SECONDS):
                await self._client_for(endpoint).head(url.copy_with(raw_path=b"/"), timeout=PROBE_SECONDS)
        except EndpointError as fault:
            return error_of(ErrorReason.BAD_REQUEST, str(fault))
        except TimeoutError:
            return error_of(ErrorReason.CONNECTION, f"nothing answered within {PROBE_SECONDS:g} s")
        except _NETWORK_FAULTS as fault:
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

        def tell(decoder: StreamDecoder) -> None:
            stream.decoder = decoder

        stream = EventStream(self._answer(adapter, request, endpoint, deadlines, tell))
        return stream

    async def models(self, adapter: StreamAdapter, endpoint: Endpoint) -> Sequence[ModelInfo] | ProviderError:
        """Which models the provider lists; () where it lists none."""
        try:
            http = adapter.list_models(endpoint)
            if http is None:
                return ()
            http = await _signed(http, endpoint)
            sending = _send(self._client_for(endpoint), http, LISTING_SECONDS)
            async with asyncio.timeout(LISTING_SECONDS), sending as answer:
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
        tell: Callable[[StreamDecoder], None],
    ) -> Source:
        ends = asyncio.get_running_loop().time() + deadlines.total
        asked = known = self._degradation.begin(adapter, request, endpoint)
        while True:
            try:
                http = adapter.build(asked, endpoint)
                decoder = adapter.open(asked)
                tell(decoder)
                signed = await _signed(http, endpoint)
                exchange = _Exchange(self._client_for(endpoint), adapter, decoder, signed, deadlines, ends)
            except EndpointError as fault:
                yield (ErrorChunk(error_of(ErrorReason.BAD_REQUEST, str(fault))),)
                return
            async with aclosing(exchange.run()) as batches:
                async for batch in batches:
                    if asked is not known:
                        self._degradation.remember(adapter, asked, endpoint)
                        known = asked
                    yield batch
            if exchange.refusal is None:
                return
            refused = exchange.refusal.error
            less = self._degradation.narrower(adapter, asked, endpoint, http, refused)
            if less is None:
                yield (exchange.refusal,)
                return
            _log.info("option_dropped", extra={"model": asked.model, "option": refused.param})
            asked = less

    def _client_for(self, endpoint: Endpoint) -> httpx.AsyncClient:
        return self._public_client if endpoint.public_only else self._client


def _client(transport: httpx.AsyncBaseTransport) -> httpx.AsyncClient:
    return httpx.AsyncClient(
        transport=transport,
        follow_redirects=False,
        headers={"user-agent": USER_AGENT, "accept-encoding": ACCEPT_ENCODING},
        # One person's answer must not carry what came with another's.
        cookies=CookieJar(DefaultCookiePolicy(allowed_domains=())),
    )


def _send(client: httpx.AsyncClient, http: HttpRequest, connect: float) -> AbstractAsyncContextManager[httpx.Response]:
    timeout = httpx.Timeout(None, connect=connect)
    return client.stream(http.method, http.url, headers=dict(http.headers), content=http.body, timeout=timeout)


class _Exchange:
    """One request and its answer.

    An error before the model has said anything is not given out but kept as `refusal`: the request may be sent again in
    another form.
    """

    def __init__(
        self,
        client: httpx.AsyncClient,
        adapter: StreamAdapter,
        decoder: StreamDecoder,
        http: HttpRequest,
        deadlines: Deadlines,
        ends: float,
    ) -> None:
        self._client = client
        self._adapter = adapter
        self._decoder = decoder
        self._http = http
        self._deadlines = deadlines
        self._watch = Watch(deadlines, ends)
        self._has_data = False
        self._answered = False
        self._over = False
        self._left = MAX_BODY_BYTES
        self._heard_nr = decoder.heard_nr
        self._refused: httpx.Response | None = None
        self._refusal_body = b""
        self.refusal: ErrorChunk | None = None

    async def run(self) -> Source:
        error: ProviderError | None = None
        try:
            async with AsyncExitStack() as stack:
                sending = _send(self._client, self._http, self._deadlines.connect)
                answer = await self._watch.until(stack.enter_async_context(sending))
                body = _pieces(answer)
                stack.push_async_callback(body.aclose)
                if answer.is_success:
                    try:
                        while not self._over and (data := await self._watch.until(anext(body, None))) is not None:
                            if batch := self._read(data):
                                yield batch
                                self._watch.heard()
                    finally:
                        if self._over:
                            await _linger(body)
                else:
                    self._refused = answer
                    await self._read_refusal(body)
        except TimeoutError:
            error = self._deadline_error()
        except _NETWORK_FAULTS as fault:
            error = _network_error(fault)
        finally:
            self._watch.end()
        if not self._over and (last := self._given(self._ending(error))):
            yield last

    def _read(self, data: bytes) -> Sequence[ProcessedChunk]:
        """What these bytes give to the reader."""
        self._has_data = True
        fits = data[: self._left]
        self._left -= len(fits)
        chunks = self._decoder.feed(fits)
        heard_nr, self._heard_nr = self._heard_nr, self._decoder.heard_nr
        if len(fits) < len(data):
            too_much = f"the answer is larger than {MAX_BODY_BYTES} bytes"
            chunks = [*chunks, *self._decoder.fail(error_of(ErrorReason.MALFORMED_RESPONSE, too_much))]
        if chunks:
            return self._given(chunks)
        if self._heard_nr != heard_nr:
            self._watch.heard()
        return ()

    async def _read_refusal(self, body: AsyncIterator[bytes]) -> None:
        # Into a field: should the body break off, its beginning still tells the reason.
        while (left := MAX_ERROR_BYTES - len(self._refusal_body)) > 0:
            data = await self._watch.until(anext(body, None))
            if data is None:
                return
            self._refusal_body += data[:left]

    def _ending(self, error: ProviderError | None) -> Sequence[ProcessedChunk]:
        """The body is over. What a refusing status says stands, even where its body broke off or never ended."""
        if self._refused is not None:
            refusal = self._adapter.classify(self._refused.status_code, _headers(self._refused), self._refusal_body)
            return (ErrorChunk(refusal),)
        return self._decoder.close() if error is None else self._decoder.fail(error)

    def _given(self, chunks: Sequence[ProcessedChunk]) -> Sequence[ProcessedChunk]:
        last = chunks[-1] if chunks else None
        if isinstance(last, ErrorChunk):
            last = msgspec.structs.replace(last, error=without_secrets(last.error, self._http.secrets))
            chunks = [*chunks[:-1], last]
            self._over = True
            if not self._answered and len(chunks) == 1:
                self.refusal = last
                return ()
        self._over = self._over or isinstance(last, DoneChunk)
        self._answered = self._answered or bool(chunks)
        return chunks

    def _deadline_error(self) -> ProviderError:
        if self._watch.is_over:
            return error_of(ErrorReason.TOTAL, f"the answer took longer than {self._deadlines.total:g} s")
        if not self._has_data:
            return error_of(ErrorReason.FIRST_BYTE, f"no answer began within {self._deadlines.first_byte:g} s")
        return error_of(ErrorReason.IDLE, f"the model was not heard for {self._watch.limit:g} s")


async def _linger(body: AsyncIterator[bytes]) -> None:
    """A body that is read to its end leaves a connection that can be used again."""
    with suppress(TimeoutError, *_NETWORK_FAULTS):
        async with asyncio.timeout(LINGER):
            async for _ in body:
                pass


async def _signed(http: HttpRequest, endpoint: Endpoint) -> HttpRequest:
    """Signing may fetch a token, so it gets a thread. Raises EndpointError."""
    if http.signer is None:
        return http
    if endpoint.public_only and not (endpoint.api_key or "").strip():
        raise EndpointError("there is no key, and the credentials of this machine are its operator's")
    try:
        async with asyncio.timeout(SIGNING_SECONDS):
            return await asyncio.to_thread(http.signer, http, datetime.now(UTC))
    except TimeoutError:
        raise EndpointError(f"the credentials could not be had within {SIGNING_SECONDS:g} s") from None


def _headers(answer: httpx.Response) -> dict[str, str]:
    # A server without a clock sends no date (RFC 9110, 6.6.1); the time of reception stands for it.
    return {"date": formatdate(usegmt=True), **answer.headers}


def _pieces(answer: httpx.Response) -> AsyncGenerator[bytes, None]:
    """The body as it arrives. The client's own way around costs more than decoding a chunk."""
    assert isinstance(answer.stream, httpx.AsyncByteStream)
    # A generator, whatever httpx calls it.
    return cast(AsyncGenerator[bytes, None], aiter(answer.stream))


async def _read_up_to(answer: httpx.Response, size: int) -> bytes:
    body = bytearray()
    async with aclosing(_pieces(answer)) as pieces:
        async for data in pieces:
            body += data
            if len(body) >= size:
                break
    return bytes(body[:size])


_NETWORK_FAULTS: Final = (httpx.HTTPError, httpx.InvalidURL, httpx.StreamError, OSError, UnicodeError)


def _network_error(fault: Exception) -> ProviderError:
    if isinstance(fault, NotPublicError):
        return msgspec.structs.replace(error_of(ErrorReason.CONNECTION, str(fault)), retryable=False)
    message = f"{type(fault).__name__}: {fault}" if str(fault) else type(fault).__name__
    if isinstance(fault, UnicodeEncodeError):
        return error_of(ErrorReason.AUTH, "the API key holds characters that no HTTP header may hold")
    if isinstance(fault, httpx.LocalProtocolError):
        # Its text quotes the header at fault, and that is the one with the key.
        return error_of(ErrorReason.BAD_REQUEST, "the request cannot be sent: a header holds what HTTP forbids")
    if isinstance(fault, httpx.UnsupportedProtocol | httpx.InvalidURL | UnicodeError):
        # Their texts quote the address, and a login may stand in it.
        return error_of(ErrorReason.BAD_REQUEST, "the address of the provider, or of the proxy before it, is not valid")
    if isinstance(fault, httpx.DecodingError):
        return error_of(ErrorReason.MALFORMED_RESPONSE, message)
    return error_of(ErrorReason.CONNECTION, message)
