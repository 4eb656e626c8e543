"""Transport against a real server on this machine: every way in which an answer can come, or not."""

from __future__ import annotations

import asyncio
import gzip
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager

import msgspec
import pytest

from adapters import transport as transport_module
from adapters.contract import (
    Closing,
    DoneChunk,
    Endpoint,
    ErrorChunk,
    ErrorReason,
    FinishReason,
    GenerationRequest,
    ProcessedChunk,
    Role,
    TextChunk,
    text_message,
)
from adapters.providers.custom import CUSTOM
from adapters.transport import DEFAULT_DEADLINES, Deadlines, Transport
from tests.adapters.providers.chat_bodies import DONE, finish, text

REQUEST = GenerationRequest("m", (text_message(Role.USER, "hi"),))
KEY = "hunter2-very-secret-key"
"""Of no known shape, so that only knowing it takes it out of a text."""
SOON = 0.05
"""A deadline that a test waits for."""


class Client:
    """The server's side of one connection, after it has read the request."""

    def __init__(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter, request: bytes) -> None:
        self._reader = reader
        self._writer = writer
        self.request = request

    async def head(self, status: str = "200 OK", *headers: str) -> None:
        await self.raw("\r\n".join([f"HTTP/1.1 {status}", *headers, "Transfer-Encoding: chunked", "", ""]).encode())

    async def send(self, body: bytes) -> None:
        await self.raw(b"%x\r\n%b\r\n" % (len(body), body))

    async def end(self) -> None:
        await self.raw(b"0\r\n\r\n")

    async def raw(self, data: bytes) -> None:
        self._writer.write(data)
        await self._writer.drain()

    def reset(self) -> None:
        self._writer.transport.abort()

    async def next_request(self) -> None:
        """Reads another request on the same connection."""
        self.request = await read_request(self._reader)

    async def gone(self) -> None:
        """Returns when the client has closed the connection."""
        while await self._reader.read(65536):
            pass


async def read_request(reader: asyncio.StreamReader) -> bytes:
    """Head and body. Raises IncompleteReadError when the client closes instead."""
    head = await reader.readuntil(b"\r\n\r\n")
    lengths = (line for line in head.split(b"\r\n") if line.lower().startswith(b"content-length"))
    return head + await reader.readexactly(int(next(lengths, b":0").split(b":")[1]))


Handler = Callable[[Client], Awaitable[None]]


@asynccontextmanager
async def serving(handler: Handler) -> AsyncIterator[str]:
    """A server that answers every request by `handler`; gives the base URL."""

    async def serve(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        try:
            await handler(Client(reader, writer, await read_request(reader)))
        finally:
            writer.close()

    server = await asyncio.start_server(serve, "127.0.0.1", 0)
    async with server:
        yield f"http://127.0.0.1:{server.sockets[0].getsockname()[1]}/v1"


async def ask(base_url: str, deadlines: Deadlines = DEFAULT_DEADLINES) -> list[ProcessedChunk]:
    async with (
        Transport() as transport,
        transport.open(CUSTOM, REQUEST, Endpoint(base_url, KEY), deadlines) as stream,
    ):
        return [chunk async for chunk in stream]


async def answer(handler: Handler, deadlines: Deadlines = DEFAULT_DEADLINES) -> list[ProcessedChunk]:
    async with serving(handler) as base_url:
        return await ask(base_url, deadlines)


def error_in(chunks: list[ProcessedChunk]) -> ErrorChunk:
    ending = chunks[-1]
    assert isinstance(ending, ErrorChunk)
    return ending


def text_in(chunks: list[ProcessedChunk]) -> str:
    return "".join(chunk.content for chunk in chunks if isinstance(chunk, TextChunk))


def body_answer(status: str, *headers: str, body: bytes) -> Handler:
    async def handler(client: Client) -> None:
        await client.head(status, *headers)
        await client.send(body)
        await client.end()

    return handler


async def test_an_answer_streams_from_request_to_ending() -> None:
    """The server sees the request, the reader the chunks; a character may be cut between two reads."""
    requests: list[bytes] = []

    async def handler(client: Client) -> None:
        requests.append(client.request)
        await client.head("200 OK", "Content-Type: text/event-stream")
        body = text("smile 😀") + finish() + DONE
        cut = body.index("😀".encode()) + 2
        await client.send(body[:cut])
        await client.send(body[cut:])
        await client.end()

    assert await answer(handler) == [TextChunk(content="smile 😀"), DoneChunk(FinishReason.STOP, Closing("stop"))]
    (request,) = requests
    head, _, body = request.partition(b"\r\n\r\n")
    assert head.startswith(b"POST /v1/chat/completions HTTP/1.1")
    assert f"authorization: bearer {KEY}".encode() in head.lower()
    assert msgspec.json.decode(body)["model"] == "m"


async def test_the_end_mark_ends_the_stream_though_the_connection_stays_open() -> None:
    """Some servers never close."""
    closed = asyncio.Event()

    async def handler(client: Client) -> None:
        await client.head()
        await client.send(text("a") + DONE)
        await client.gone()
        closed.set()

    async with serving(handler) as base_url:
        assert await ask(base_url) == [TextChunk(content="a"), DoneChunk(FinishReason.STOP)]
        await closed.wait()


async def test_the_next_answer_takes_the_same_connection() -> None:
    """So it begins without another handshake."""
    connections: list[Client] = []

    async def handler(client: Client) -> None:
        connections.append(client)
        for last in (False, True):
            await client.head()
            await client.send(text("a") + DONE)
            await client.end()
            if not last:
                await client.next_request()

    async with serving(handler) as base_url, Transport() as transport:
        for _ in range(2):
            async with transport.open(CUSTOM, REQUEST, Endpoint(base_url)) as stream:
                assert text_in([chunk async for chunk in stream]) == "a"
    assert len(connections) == 1


async def test_a_compressed_answer_is_read() -> None:
    """The encodings that httpx asks for."""
    chunks = await answer(body_answer("200 OK", "Content-Encoding: gzip", body=gzip.compress(text("a") + DONE)))
    assert text_in(chunks) == "a"


async def test_a_connection_cut_in_the_middle_keeps_the_text() -> None:
    """An error event with the partial text, not retryable because something was shown."""

    async def handler(client: Client) -> None:
        await client.head()
        await client.send(text("Half ") + b'data: {"choices":[{"del')
        client.reset()

    chunks = await answer(handler)
    ending = error_in(chunks)
    assert text_in(chunks) == ending.partial_text == "Half "
    assert (ending.error.reason, ending.error.retryable) == (ErrorReason.CONNECTION, False)


async def test_a_server_that_is_not_there_is_a_connection_error() -> None:
    """Nothing is raised; another try may help."""
    async with serving(body_answer("200 OK", body=b"")) as base_url:
        pass
    ending = error_in(await ask(base_url))
    assert (ending.error.reason, ending.error.retryable) == (ErrorReason.CONNECTION, True)


@pytest.mark.parametrize("silent_after", ["connect", "head"])
async def test_the_first_byte_has_its_deadline(silent_after: str) -> None:
    """Headers alone are no answer yet."""

    async def handler(client: Client) -> None:
        if silent_after == "head":
            await client.head()
        await client.gone()

    ending = error_in(await answer(handler, Deadlines(first_byte=SOON)))
    assert (ending.error.reason, ending.error.retryable) == (ErrorReason.FIRST_BYTE, True)


async def test_silence_after_text_is_idle() -> None:
    """What came stays."""

    async def handler(client: Client) -> None:
        await client.head()
        await client.send(text("a"))
        await client.gone()

    chunks = await answer(handler, Deadlines(idle=SOON))
    assert text_in(chunks) == "a"
    assert error_in(chunks).error.reason is ErrorReason.IDLE


async def test_keep_alives_do_not_stretch_the_whole() -> None:
    """A server that pings for ever meets the total deadline, not the idle one."""

    async def handler(client: Client) -> None:
        await client.head()
        gone = asyncio.create_task(client.gone())
        while not gone.done():
            await client.send(b": ping\n\n")
            await asyncio.wait([gone], timeout=SOON / 10)

    ending = error_in(await answer(handler, Deadlines(idle=60, total=SOON * 4)))
    assert ending.error.reason is ErrorReason.TOTAL


async def test_silence_after_the_finish_reason_is_no_error() -> None:
    """The answer was complete; only the end mark is missing."""

    async def handler(client: Client) -> None:
        await client.head()
        await client.send(text("a") + finish())
        await client.gone()

    assert (await answer(handler, Deadlines(idle=SOON)))[-1] == DoneChunk(FinishReason.STOP, Closing("stop"))


async def test_a_refused_request_is_classified_with_its_headers() -> None:
    """Status, body and Retry-After."""
    body = msgspec.json.encode({"error": {"message": "slow down", "code": "rate_limit_exceeded"}})
    ending = error_in(await answer(body_answer("429 Too Many Requests", "Retry-After: 7", body=body)))
    assert (ending.error.reason, ending.error.retry_after) == (ErrorReason.RATE_LIMIT, 7)
    assert (ending.error.code, ending.error.message) == ("rate_limit_exceeded", "slow down")


async def test_a_date_to_wait_for_counts_from_now_where_the_server_has_no_clock() -> None:
    """The stand-in for a missing Date header is the time of reception."""
    past = "Retry-After: Wed, 21 Oct 2015 07:28:00 GMT"
    assert error_in(await answer(body_answer("429 Too Many Requests", past, body=b"{}"))).error.retry_after == 0.0


@pytest.mark.parametrize("status", ["200 OK", "404 Not Found", "500 Internal Server Error"])
async def test_whatever_answers_a_probe_is_there(status: str) -> None:
    """Only its being there is asked, and the key is not told."""
    asked: list[bytes] = []

    async def handler(client: Client) -> None:
        asked.append(client.request)
        await client.raw(f"HTTP/1.1 {status}\r\nContent-Length: 0\r\n\r\n".encode())

    async with serving(handler) as base_url, Transport() as transport:
        assert await transport.probe(CUSTOM, Endpoint(base_url, KEY)) is None
    assert asked[0].startswith(b"HEAD / ")
    assert KEY.encode() not in asked[0]


@pytest.mark.parametrize("base_url", ["http://127.0.0.1:1/v1", "http://[", "nonsense", None])
async def test_a_probe_tells_why_nothing_answers(base_url: str | None) -> None:
    """As a value, not an exception."""
    async with Transport() as transport:
        assert await transport.probe(CUSTOM, Endpoint(base_url)) is not None


@pytest.mark.parametrize("how", ["resets", "stalls", "floods"])
async def test_what_a_refusing_status_says_stands_whatever_its_body_does(how: str) -> None:
    """A body that breaks off, never ends or is too large changes nothing."""

    async def handler(client: Client) -> None:
        await client.head("401 Unauthorized")
        await client.send(b"x" * (300_000 if how == "floods" else 10))
        if how == "resets":
            client.reset()
        else:
            await client.gone()

    ending = error_in(await answer(handler, Deadlines(first_byte=SOON)))
    assert ending.error.reason is ErrorReason.AUTH


async def test_a_web_page_with_status_200_is_a_malformed_response() -> None:
    """The base URL is wrong; asking again does not help."""
    ending = error_in(await answer(body_answer("200 OK", body=b"<!doctype html><title>Hi</title>")))
    assert (ending.error.reason, ending.error.retryable) == (ErrorReason.MALFORMED_RESPONSE, False)


async def test_a_redirect_is_not_followed() -> None:
    """The key must not travel to another host."""
    ending = error_in(await answer(body_answer("307 Temporary Redirect", "Location: http://127.0.0.1:1/", body=b"")))
    assert ending.error.reason is ErrorReason.BAD_REQUEST


async def test_a_key_that_the_provider_echoes_is_taken_out() -> None:
    """In refusals and in the middle of a stream."""
    echo = msgspec.json.encode({"error": {"message": f"bad key {KEY}", "code": KEY}})
    for handler in (body_answer("400 Bad Request", body=echo), body_answer("200 OK", body=b"data: " + echo + b"\n\n")):
        ending = error_in(await answer(handler))
        assert "very-secret" not in repr(ending)
        assert "bad key" in ending.error.message


async def test_an_answer_larger_than_the_limit_is_broken_off(monkeypatch: pytest.MonkeyPatch) -> None:
    """A server that never stops does not fill the memory."""
    monkeypatch.setattr(transport_module, "MAX_BODY_BYTES", 1000)

    async def handler(client: Client) -> None:
        await client.head()
        await client.send(text("a"))
        await client.send(b": " + b"x" * 2000)
        await client.gone()

    chunks = await answer(handler)
    assert text_in(chunks) == "a"
    assert error_in(chunks).error.reason is ErrorReason.MALFORMED_RESPONSE


async def test_a_reader_that_leaves_early_closes_the_connection() -> None:
    """The server sees it, so the provider stops generating."""
    closed = asyncio.Event()

    async def handler(client: Client) -> None:
        await client.head()
        await client.send(text("a"))
        await client.gone()
        closed.set()

    async with serving(handler) as base_url, Transport() as transport:
        async with transport.open(CUSTOM, REQUEST, Endpoint(base_url)) as stream:
            async for chunk in stream:
                assert chunk == TextChunk(content="a")
                break
        await closed.wait()


@pytest.mark.parametrize(
    ("endpoint", "reason"),
    [
        (Endpoint(), ErrorReason.BAD_REQUEST),
        (Endpoint("ftp://host/v1"), ErrorReason.BAD_REQUEST),
        (Endpoint("http://host:port/v1"), ErrorReason.BAD_REQUEST),
        (Endpoint("http://127.0.0.1:1/v1", "kéy with ✓"), ErrorReason.AUTH),
    ],
)
async def test_an_endpoint_that_cannot_work_is_an_error_event(endpoint: Endpoint, reason: ErrorReason) -> None:
    """Mistakes of the set-up are told like any other error."""
    async with Transport() as transport, transport.open(CUSTOM, REQUEST, endpoint) as stream:
        chunks = [chunk async for chunk in stream]
    ending = error_in(chunks)
    assert (ending.error.reason, ending.error.retryable) == (reason, False)


async def test_a_key_that_no_header_may_hold_is_not_quoted() -> None:
    """The HTTP library names the header at fault; we don't."""
    async with (
        serving(body_answer("200 OK", body=DONE)) as base_url,
        Transport() as transport,
        transport.open(CUSTOM, REQUEST, Endpoint(base_url, "a line\nbreak secret")) as stream,
    ):
        ending = error_in([chunk async for chunk in stream])
    assert (ending.error.reason, ending.error.retryable) == (ErrorReason.BAD_REQUEST, False)
    assert "secret" not in repr(ending)


async def test_many_answers_share_one_transport() -> None:
    """Each stream has its own state."""

    async def handler(client: Client) -> None:
        model = msgspec.json.decode(client.request.partition(b"\r\n\r\n")[2])["model"]
        await client.head()
        for piece in (model, "-", model):
            await client.send(text(piece))
        await client.send(DONE)
        await client.end()

    async def one(transport: Transport, base_url: str, model: str) -> str:
        request = msgspec.structs.replace(REQUEST, model=model)
        async with transport.open(CUSTOM, request, Endpoint(base_url)) as stream:
            return text_in([chunk async for chunk in stream])

    async with serving(handler) as base_url, Transport() as transport:
        models = [f"m{number}" for number in range(20)]
        assert await asyncio.gather(*(one(transport, base_url, model) for model in models)) == [
            f"{m}-{m}" for m in models
        ]
