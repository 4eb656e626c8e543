"""Transport against a real server on this machine: every way in which an answer can come, or not."""

from __future__ import annotations

import asyncio
import gzip
import inspect
import sys
import threading
import tracemalloc
import zlib
from collections.abc import AsyncIterator, Awaitable, Callable, Sequence
from contextlib import asynccontextmanager, suppress
from datetime import datetime
from pathlib import Path
from typing import Any

import msgspec
import pytest

from adapters import transport as transport_module
from adapters.contract import (
    Closing,
    DoneChunk,
    Endpoint,
    EndpointError,
    ErrorChunk,
    ErrorReason,
    FinishReason,
    FunctionCallChunk,
    GenerationRequest,
    GrowingField,
    HttpRequest,
    LiveCall,
    ProcessedChunk,
    ProviderError,
    Role,
    Signer,
    TextChunk,
    text_message,
)
from adapters.deadlines import DEFAULT_DEADLINES, Deadlines
from adapters.degradation import MAX_DROPS
from adapters.providers.chat.adapter import OpenAIChat
from adapters.providers.chat.custom import CUSTOM
from adapters.transport import Transport
from tests.adapters.providers.chat.chat_bodies import DONE, delta, event, finish, text

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
        if body:
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


async def test_a_connection_that_the_server_closed_while_it_lay_idle_is_no_fault() -> None:
    """Found out only by using it: the request takes another one. A new connection that is closed is a fault."""
    connections = 0

    async def handler(client: Client) -> None:
        nonlocal connections
        connections += 1
        if connections > 2:
            return
        await client.head()
        await client.send(text(f"{connections}") + DONE)
        await client.end()
        await client.next_request()

    async with serving(handler) as base_url, Transport() as transport:
        answers = []
        for _ in range(3):
            async with transport.open(CUSTOM, REQUEST, Endpoint(base_url)) as stream:
                answers.append([chunk async for chunk in stream])
    assert [text_in(chunks) for chunks in answers] == ["1", "2", ""]
    assert error_in(answers[2]).error.reason is ErrorReason.CONNECTION
    assert connections == 3


async def test_a_request_that_the_server_began_to_answer_is_not_sent_again() -> None:
    """Also on a connection that was used before: the work was done, and is paid for."""
    asked = 0

    async def handler(client: Client) -> None:
        nonlocal asked
        asked += 1
        await client.head()
        await client.send(text("a") + DONE)
        await client.end()
        await client.next_request()
        asked += 1
        await client.raw(b"HTTP/1.1 200 OK\r\nX-Half: a he")

    async with serving(handler) as base_url, Transport() as transport:
        for _ in range(2):
            async with transport.open(CUSTOM, REQUEST, Endpoint(base_url)) as stream:
                ending = [chunk async for chunk in stream][-1]
    assert isinstance(ending, ErrorChunk)
    assert "X-Half" not in ending.error.message
    assert asked == 2


UNASKED = [
    b"HTTP/1.1 408 Request Timeout\r\nContent-Length: 0\r\n\r\n",
    b"HTTP/1.1 200 OK\r\nContent-Length: 5\r\n\r\nstale",
    b"no HTTP at all\r\n\r\n",
]


@pytest.mark.parametrize("unasked", UNASKED)
async def test_what_a_server_says_unasked_is_not_the_next_answer(unasked: bytes) -> None:
    """It may be meant for somebody else: the idle connection is left alone."""
    idle = asyncio.Event()
    connections = 0

    async def handler(client: Client) -> None:
        nonlocal connections
        connections += 1
        await client.head()
        await client.send(text(f"{connections}") + DONE)
        await client.end()
        if connections == 1:
            await idle.wait()
            await client.raw(unasked)
            said.set()
        await client.gone()

    said = asyncio.Event()
    async with serving(handler) as base_url, Transport() as transport:
        answers = []
        for _ in range(2):
            async with transport.open(CUSTOM, REQUEST, Endpoint(base_url)) as stream:
                answers.append(text_in([chunk async for chunk in stream]))
            idle.set()
            await said.wait()
            # Another question over another connection: when it is answered, the client has read this one too.
            await transport.probe(CUSTOM, Endpoint("http://127.0.0.1:1"))
    assert answers == ["1", "2"]


async def test_cookies_are_not_kept() -> None:
    """What came with one person's answer does not go out with another's question."""
    requests: list[bytes] = []

    async def handler(client: Client) -> None:
        requests.append(client.request)
        await client.head("200 OK", "Set-Cookie: session=1; Path=/")
        await client.send(text("a") + DONE)
        await client.end()

    async with serving(handler) as base_url, Transport() as transport:
        for _ in range(2):
            async with transport.open(CUSTOM, REQUEST, Endpoint(base_url)) as stream:
                await anext(stream)
    assert len(requests) == 2
    assert not [request for request in requests if b"cookie" in request.lower()]


@pytest.mark.parametrize("key", [None, KEY])
async def test_no_login_is_taken_out_of_netrc(key: str | None, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """It is nobody's order to send it, and it is not to keep the key from being sent."""
    (tmp_path / "netrc").write_text("default login me password from-netrc\n", "utf-8")
    (tmp_path / "netrc").chmod(0o600)
    monkeypatch.setenv("NETRC", str(tmp_path / "netrc"))
    heads: list[bytes] = []

    async def handler(client: Client) -> None:
        heads.append(client.request.lower())
        await client.head()
        await client.send(text("a") + DONE)
        await client.end()

    async with (
        serving(handler) as base_url,
        Transport() as transport,
        transport.open(CUSTOM, REQUEST, Endpoint(base_url, key)) as stream,
    ):
        assert text_in([chunk async for chunk in stream]) == "a"
    assert heads[0].count(b"authorization:") == (key is not None)
    assert b"basic" not in heads[0]


async def test_a_login_in_the_address_goes_out_as_a_header() -> None:
    """A local model behind a proxy with a password."""
    heads: list[bytes] = []

    async def handler(client: Client) -> None:
        heads.append(client.request)
        await client.head()
        await client.send(text("a") + DONE)
        await client.end()

    async with serving(handler) as base_url, Transport() as transport:
        base_url = base_url.replace("://", "://me:p%20w@")
        async with transport.open(CUSTOM, REQUEST, Endpoint(base_url)) as stream:
            assert text_in([chunk async for chunk in stream]) == "a"
    assert b"Authorization: Basic bWU6cCB3\r\n" in heads[0]
    assert b"@" not in heads[0].partition(b"\r\n\r\n")[0]


@pytest.mark.parametrize("variable", ["{proxy}", "http://me:secret@{proxy}"])
async def test_a_proxy_of_the_environment_is_asked(variable: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """With or without scheme, and its login. NO_PROXY names hosts, with or without port."""
    monkeypatch.delenv("http_proxy", raising=False)
    monkeypatch.delenv("no_proxy", raising=False)
    requests: list[bytes] = []

    async def handler(client: Client) -> None:
        requests.append(client.request)
        await client.head()
        await client.send(text("a") + DONE)
        await client.end()

    async with serving(handler) as base_url:
        proxy = base_url.removeprefix("http://").removesuffix("/v1")
        monkeypatch.setenv("HTTP_PROXY", variable.format(proxy=proxy))
        monkeypatch.setenv("NO_PROXY", "")
        assert text_in(await ask("http://model.invalid/v1")) == "a"
        for but in ("model.invalid", "model.invalid:80", "*"):
            monkeypatch.setenv("NO_PROXY", but)
            assert error_in(await ask("http://model.invalid/v1")).error.reason is ErrorReason.CONNECTION
    (request,) = requests
    assert request.startswith(b"POST http://model.invalid/v1/chat/completions HTTP/1.1\r\n")
    assert (b"Proxy-Authorization: Basic" in request) == ("@" in variable)


@pytest.mark.parametrize("proxy", ["socks5://me:secret@127.0.0.1:1", "http://me:sec/ret@127.0.0.1:1", "http://[::1"])
async def test_a_proxy_that_cannot_be_one_is_an_error_event(proxy: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """And its password is not told."""
    monkeypatch.setenv("HTTP_PROXY", proxy)
    monkeypatch.setenv("http_proxy", proxy)
    monkeypatch.setenv("NO_PROXY", "")
    monkeypatch.setenv("no_proxy", "")
    error = error_in(await ask("http://model.invalid/v1")).error
    assert error.reason is ErrorReason.BAD_REQUEST
    assert "sec" not in error.message


async def test_the_address_goes_out_as_it_was_built() -> None:
    """A signature covers it; `%3A` is not `:` there."""
    requests: list[bytes] = []

    async def handler(client: Client) -> None:
        requests.append(client.request)
        await client.head()
        await client.send(text("a") + DONE)
        await client.end()

    async with serving(handler) as base_url:
        await ask(f"{base_url}/a%3Ab%20c%2F")
    assert requests[0].startswith(b"POST /v1/a%3Ab%20c%2F/chat/completions HTTP/1.1\r\n")


async def test_an_answer_may_have_long_headers() -> None:
    """Firewalls in front of providers send long policies."""
    handler = body_answer("200 OK", "Content-Security-Policy: " + "x" * 20_000, body=text("a") + DONE)
    assert text_in(await answer(handler)) == "a"


@pytest.mark.parametrize("head", [b"HTTP/1.1 abc\r\n\r\n", b"\x16\x03\x01\x00", b"HTTP/1.1 200 OK\r\nno colon\r\n\r\n"])
async def test_a_server_that_does_not_speak_http_is_a_connection_error(head: bytes) -> None:
    async def handler(client: Client) -> None:
        await client.raw(head)

    assert error_in(await answer(handler)).error.reason is ErrorReason.CONNECTION


async def test_a_compressed_answer_is_read() -> None:
    """The encodings that httpx asks for."""
    chunks = await answer(body_answer("200 OK", "Content-Encoding: gzip", body=gzip.compress(text("a") + DONE)))
    assert text_in(chunks) == "a"


def packed(wbits: int) -> list[bytes]:
    """An answer that was flushed after every delta."""
    packer = zlib.compressobj(wbits=wbits)
    parts = [text("a"), text("b"), finish() + DONE]
    return [*(packer.compress(part) + packer.flush(zlib.Z_SYNC_FLUSH) for part in parts), packer.flush()]


PACKED = [("gzip", 31), ("deflate", 15), ("deflate", -15)]
"""The last is what some servers send by that name: without zlib's head."""


@pytest.mark.parametrize(("encoding", "wbits"), PACKED)
@pytest.mark.parametrize("size", [1, 10_000])
async def test_a_compressed_answer_streams(encoding: str, wbits: int, size: int) -> None:
    """Whatever was flushed is shown, and does not wait for the rest; however it is cut."""
    told = asyncio.Event()

    async def handler(client: Client) -> None:
        await client.head("200 OK", f"Content-Encoding: {encoding}")
        for part in packed(wbits):
            for at in range(0, len(part), size):
                await client.send(part[at : at + size])
            await told.wait()
        await client.end()

    async with (
        serving(handler) as base_url,
        Transport() as transport,
        transport.open(CUSTOM, REQUEST, Endpoint(base_url)) as stream,
    ):
        assert await anext(stream) == TextChunk("a")
        told.set()
        assert [chunk async for chunk in stream][:-1] == [TextChunk("b")]


@pytest.mark.parametrize("encoding", ["gzip", "deflate"])
async def test_an_answer_that_is_not_compressed_as_it_says_is_malformed(encoding: str) -> None:
    ending = error_in(await answer(body_answer("200 OK", f"Content-Encoding: {encoding}", body=b"data: plain\n\n")))
    assert ending.error.reason is ErrorReason.MALFORMED_RESPONSE


async def test_a_small_body_that_unpacks_to_much_is_broken_off(monkeypatch: pytest.MonkeyPatch) -> None:
    """In pieces, so that the limit counts before the memory is full."""
    monkeypatch.setattr(transport_module, "MAX_BODY_BYTES", 1_000_000)
    body = gzip.compress(b": " + b"x" * 30_000_000)
    tracemalloc.start()
    try:
        chunks = await answer(body_answer("200 OK", "Content-Encoding: gzip", body=body))
        _, most = tracemalloc.get_traced_memory()
    finally:
        tracemalloc.stop()
    assert error_in(chunks).error.reason is ErrorReason.MALFORMED_RESPONSE
    assert most < 10_000_000


INFORMATION = b"HTTP/1.1 100 Continue\r\n\r\nHTTP/1.1 103 Early Hints\r\nLink: </a>\r\n\r\n"
CHUNKED = b"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n"
WHOLE = text("a") + finish() + DONE
CHUNK = b"%x;ext=1\r\n%b\r\n" % (len(WHOLE), WHOLE)
SHAPES = {
    "HTTP/1.0, ended by close": b"HTTP/1.0 200 OK\r\n\r\n" + WHOLE,
    "no length, ended by close": b"HTTP/1.1 200 OK\r\n\r\n" + WHOLE,
    "with a length": b"HTTP/1.1 200 OK\r\nContent-Length: %d\r\n\r\n%b" % (len(WHOLE), WHOLE),
    "after information": INFORMATION + CHUNKED + CHUNK + b"0\r\n\r\n",
    "trailers": CHUNKED + CHUNK + b"0\r\nX-Sum: 1\r\nX-Late: 2\r\n\r\n",
    "doubled headers": CHUNKED[:-2] + b"Date: a\r\nDate: b\r\nX: \xff\r\n\r\n" + CHUNK + b"0\r\n\r\n",
    "two answers": (CHUNKED + CHUNK + b"0\r\n\r\n") * 2,
}


@pytest.mark.parametrize("shape", SHAPES)
@pytest.mark.parametrize("size", [1, 10_000])
async def test_an_answer_is_read_in_every_shape_that_http_has(shape: str, size: int) -> None:
    async def handler(client: Client) -> None:
        for at in range(0, len(SHAPES[shape]), size):
            await client.raw(SHAPES[shape][at : at + size])

    assert await answer(handler) == [TextChunk("a"), DoneChunk(FinishReason.STOP, Closing("stop"))]


@pytest.mark.parametrize("how", ["reset", "close", "no chunk"])
async def test_what_came_before_a_fault_is_read_however_late(how: str) -> None:
    """A reader that takes its time has the text first and the fault then, without waiting for a deadline."""
    begun, over = asyncio.Event(), asyncio.Event()

    async def handler(client: Client) -> None:
        await client.head()
        await client.send(text("one "))
        await begun.wait()
        await client.send(text("two "))
        if how == "no chunk":
            await client.raw(b"ZZ\r\n")
            over.set()
            await client.gone()
        elif how == "reset":
            client.reset()
        over.set()

    async with (
        serving(handler) as base_url,
        Transport() as transport,
        transport.open(CUSTOM, REQUEST, Endpoint(base_url)) as stream,
    ):
        first = await anext(stream)
        begun.set()
        await over.wait()
        # Other work of the reader, during which the client hears of the end.
        await transport.probe(CUSTOM, Endpoint("http://127.0.0.1:1"))
        chunks = [first, *[chunk async for chunk in stream]]
    assert text_in(chunks) == error_in(chunks).partial_text == "one two "
    assert error_in(chunks).error.reason is ErrorReason.CONNECTION


async def test_a_transport_that_is_closed_ends_the_answers_that_run() -> None:
    """They do not wait for their deadlines."""
    async with serving(repeating(b": ping\n\n", first=text("a"))) as base_url:
        transport = Transport()
        async with transport.open(CUSTOM, REQUEST, Endpoint(base_url)) as stream:
            await anext(stream)
            reading = asyncio.ensure_future(anext(stream))
            await asyncio.wait([reading], timeout=0)
            await transport.__aexit__(None, None, None)
            ending = await reading
    assert isinstance(ending, ErrorChunk)
    assert (ending.error.reason, ending.partial_text) == (ErrorReason.CONNECTION, "a")


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


def repeating(piece: bytes, *, first: bytes = b"", times: int = sys.maxsize, last: bytes = b"") -> Handler:
    """Sends the same again and again, ten times in each SOON."""

    async def handler(client: Client) -> None:
        await client.head()
        await client.send(first or b": hello\n\n")
        gone = asyncio.create_task(client.gone())
        left = times
        while not gone.done() and left:
            await client.send(piece)
            left -= 1
            await asyncio.wait([gone], timeout=SOON / 10)
        if last:
            await client.send(last)
            await client.end()
        await gone

    return handler


async def test_a_call_can_be_looked_at_while_it_arrives() -> None:
    """Its pieces give no chunk of their own; whoever shows them looks when there is time to."""
    looked = asyncio.Event()

    async def handler(client: Client) -> None:
        await client.head()
        function = {"name": "draw", "arguments": '{"size": 3, "prompt": "a cat'}
        await client.send(delta(tool_calls=[{"index": 0, "id": "c", "function": function}]) + text("…"))
        await looked.wait()
        await client.send(delta(tool_calls=[{"index": 0, "function": {"arguments": '"}'}}]) + finish() + DONE)
        await client.end()

    async with serving(handler) as base_url, Transport() as transport:
        stream = transport.open(CUSTOM, REQUEST, Endpoint(base_url))
        assert list(stream.live_calls()) == []
        async with stream:
            assert await anext(stream) == TextChunk("…")
            assert list(stream.live_calls()) == [LiveCall("draw", {"size": 3}, GrowingField("prompt", "a cat", 5))]
            looked.set()
            assert [type(chunk) async for chunk in stream] == [FunctionCallChunk, DoneChunk]
            assert list(stream.live_calls()) == []


PINGS = [b": ping\n\n", event({"choices": []}), delta(content=""), delta(role="assistant"), b"data: keep-alive\n\n"]


@pytest.mark.parametrize("ping", PINGS)
async def test_keep_alives_are_no_sign_of_the_model(ping: bytes) -> None:
    """Neither before the first word, where it may think for long, nor after one."""
    before = error_in(await answer(repeating(ping), Deadlines(first_byte=SOON, idle=60)))
    assert (before.error.reason, before.error.retryable) == (ErrorReason.IDLE, True)
    chunks = await answer(repeating(ping, first=text("a")), Deadlines(first_byte=60, idle=SOON))
    assert text_in(chunks) == "a"
    assert error_in(chunks).error.reason is ErrorReason.IDLE


SIGNS = [
    text("a"),
    delta(reasoning_content="hm"),
    delta(tool_calls=[{"index": 0, "id": "a", "function": {"name": "f", "arguments": " "}}]),
]


@pytest.mark.parametrize("sign", SIGNS)
async def test_whatever_the_model_says_moves_the_idle_deadline(sign: bytes) -> None:
    """Text, thoughts, and pieces of a call, from which nothing can be shown yet."""
    chunks = await answer(repeating(sign, times=30, last=text("z") + finish() + DONE), Deadlines(idle=SOON))
    assert isinstance(chunks[-1], DoneChunk)


@pytest.mark.parametrize("piece", [b": ping\n\n", text("a")])
async def test_nothing_stretches_the_whole(piece: bytes) -> None:
    """Neither keep-alives nor a model that never stops."""
    ending = error_in(await answer(repeating(piece), Deadlines(idle=60, total=SOON * 4)))
    assert ending.error.reason is ErrorReason.TOTAL


async def test_a_reader_that_takes_its_time_does_not_stretch_the_whole() -> None:
    """What lies ready is read without a wait, and has its deadline all the same."""
    batches = 0
    async with (
        serving(repeating(text("a"))) as base_url,
        Transport() as transport,
        transport.open(CUSTOM, REQUEST, Endpoint(base_url), Deadlines(total=SOON * 2, idle=60)) as stream,
    ):
        async for batch in stream.batches():
            batches += 1
            assert batches < 100
            last = batch[-1]
            with suppress(TimeoutError):
                async with asyncio.timeout(SOON / 5):
                    await asyncio.Event().wait()
    assert isinstance(last, ErrorChunk)
    assert last.error.reason is ErrorReason.TOTAL


async def test_the_deadline_that_passed_is_the_one_that_is_told() -> None:
    """Pieces of a call are signs of the model, though nothing of them is shown."""

    async def handler(client: Client) -> None:
        await client.head()
        await client.send(SIGNS[-1])
        await client.gone()

    ending = error_in(await answer(handler, Deadlines(first_byte=60, idle=SOON)))
    assert ending.error.message == f"the model was not heard for {SOON:g} s"


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


async def test_a_probe_has_an_end(monkeypatch: pytest.MonkeyPatch) -> None:
    """A server that takes the connection and says nothing does not hold up the start."""
    monkeypatch.setattr(transport_module, "PROBE_SECONDS", SOON)

    async def handler(client: Client) -> None:
        await client.gone()

    async with serving(handler) as base_url, Transport() as transport:
        assert await transport.probe(CUSTOM, Endpoint(base_url)) is not None


LOGINS = [
    "http://me:hunter2@[::1",
    "http://me:hun/ter2@host/v1",
    "me:hunter2@host/v1",
    "ftp://me:hunter2@host/v1",
    "http://me:hunter2@host:99999/v1",
    "http://me:hunter2@a..b/v1",
    "http://me:hunter2@xn--.invalid/v1",
    "http://me:hunter2@" + "a" * 64 + ".invalid/v1",
    "//me:hunter2@host",
]


@pytest.mark.parametrize("base_url", LOGINS)
async def test_an_address_that_is_none_is_told_without_its_login(base_url: str) -> None:
    """As a value, by each of the three ways to ask."""
    endpoint = Endpoint(base_url, KEY)
    async with Transport() as transport:
        async with transport.open(CUSTOM, REQUEST, endpoint) as stream:
            ending = error_in([chunk async for chunk in stream])
        found = [ending.error, await transport.probe(CUSTOM, endpoint), await transport.models(CUSTOM, endpoint)]
    for error in found:
        assert isinstance(error, ProviderError)
        assert (error.reason, error.retryable) == (ErrorReason.BAD_REQUEST, False)
        assert "hun" not in error.message


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


@pytest.mark.parametrize("encoding", ["identity", "gzip"])
@pytest.mark.parametrize("reads", [0, 1, 2])
async def test_nothing_is_left_behind(encoding: str, reads: int) -> None:
    """No task of ours runs for an answer, nor after it."""

    async def handler(client: Client) -> None:
        parts = packed(31) if encoding == "gzip" else [text("a"), text("b"), finish() + DONE]
        await client.head("200 OK", f"Content-Encoding: {encoding}")
        for part in parts:
            await client.send(part)
        await client.gone()

    made: list[object] = []

    def noting(loop: asyncio.AbstractEventLoop, work: Any, **more: Any) -> asyncio.Task[Any]:
        made.append(work)
        return asyncio.Task(work, loop=loop, **more)

    async with serving(handler) as base_url, Transport() as transport:
        asyncio.get_running_loop().set_task_factory(noting)
        async with transport.open(CUSTOM, REQUEST, Endpoint(base_url)) as stream:
            for _ in range(reads):
                await anext(stream)
        await transport.probe(CUSTOM, Endpoint("http://127.0.0.1:1"))  # what the loop was to do later is done
        asyncio.get_running_loop().set_task_factory(None)
    assert not [work for work in made if inspect.isasyncgen(work) or "async_generator" in repr(work)]


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


# ------------------------------------------------------------------------------------------------ in another form


class Picky:
    """A server whose model refuses options, one at a time, and else answers."""

    def __init__(self, *refused: str, streams_error: bytes | None = None) -> None:
        self._refused = refused
        self._streams_error = streams_error
        self.bodies: list[dict[str, object]] = []

    async def __call__(self, client: Client) -> None:
        body = msgspec.json.decode(client.request.partition(b"\r\n\r\n")[2], type=dict[str, object])
        self.bodies.append(body)
        name = next((name for name in self._refused if name in body), None)
        error = {
            "error": {"message": f"Unsupported parameter: '{name}'", "code": "unsupported_parameter", "param": name}
        }
        if name is None:
            await client.head()
            await client.send(text("a") + finish() + DONE)
        elif self._streams_error is not None:
            await client.head()
            await client.send(self._streams_error + event(error))
        else:
            await client.head("400 Bad Request")
            await client.send(msgspec.json.encode(error))
        await client.end()


WARM = msgspec.structs.replace(REQUEST, temperature=0.5, seed=7, presence_penalty=1.0, frequency_penalty=1.0, top_p=0.5)


async def ask_twice(server: Picky, request: GenerationRequest) -> list[list[ProcessedChunk]]:
    async with serving(server) as base_url, Transport() as transport:
        answers = []
        for _ in range(2):
            async with transport.open(CUSTOM, request, Endpoint(base_url, KEY)) as stream:
                answers.append([chunk async for chunk in stream])
        return answers


async def test_an_option_that_the_model_refuses_is_left_out() -> None:
    """Each once, the rest stays, and the next request knows."""
    server = Picky("temperature", "seed")
    first, second = await ask_twice(server, WARM)
    assert text_in(first) == text_in(second) == "a"
    assert [sorted({"temperature", "seed", "top_p"} & set(body)) for body in server.bodies] == [
        ["seed", "temperature", "top_p"],
        ["seed", "top_p"],
        ["top_p"],
        ["top_p"],
    ]


async def test_a_refusal_inside_the_stream_counts_only_before_the_first_word() -> None:
    """After it the text stands, and is not told a second time."""
    early, late = Picky("seed", streams_error=b": hi\n\n"), Picky("seed", streams_error=text("Once"))
    assert [text_in(chunks) for chunks in await ask_twice(early, WARM)] == ["a", "a"]
    told = (await ask_twice(late, WARM))[0]
    assert text_in(told) == "Once"
    assert error_in(told).error.retryable is False
    assert len(late.bodies) == 2


async def test_leaving_out_has_an_end() -> None:
    """A model that refuses everything is the wrong one, and the person hears why."""
    server = Picky("temperature", "seed", "presence_penalty", "frequency_penalty", "top_p", "stream_options", "model")
    first, _ = await ask_twice(server, WARM)
    assert error_in(first).error.param == "top_p"
    assert len(server.bodies) == 2 * (1 + MAX_DROPS)


async def test_what_the_question_is_about_is_never_left_out() -> None:
    server = Picky("messages")
    first, _ = await ask_twice(server, REQUEST)
    assert error_in(first).error.reason is ErrorReason.MODEL_UNSUPPORTED
    assert len(server.bodies) == 2


# ------------------------------------------------------------------------------------------------ signing, listing


class Signed(OpenAIChat):
    """A provider whose requests need the time."""

    def __init__(self, signer: Signer) -> None:
        super().__init__(msgspec.structs.replace(CUSTOM.dialect, name="signed"))
        self._signer = signer

    def build(self, request: GenerationRequest, endpoint: Endpoint) -> HttpRequest:
        return msgspec.structs.replace(super().build(request, endpoint), signer=self._signer)


async def ask_signed(signer: Signer, server: Handler) -> list[ProcessedChunk]:
    async with (
        serving(server) as base_url,
        Transport() as transport,
        transport.open(Signed(signer), REQUEST, Endpoint(base_url)) as stream,
    ):
        return [chunk async for chunk in stream]


async def test_a_request_is_signed_just_before_it_is_sent() -> None:
    """Away from the event loop, since a token may have to be fetched."""
    server = Picky()
    seen: list[tuple[datetime, bool]] = []

    def sign(request: HttpRequest, now: datetime) -> HttpRequest:
        seen.append((now, threading.current_thread() is threading.main_thread()))
        return msgspec.structs.replace(request, body=request.body.replace(b'"m"', b'"signed"'))

    assert text_in(await ask_signed(sign, server)) == "a"
    assert server.bodies[0]["model"] == "signed"
    ((now, on_the_loop),) = seen
    assert now.tzinfo is not None
    assert not on_the_loop


async def test_credentials_that_cannot_sign_are_an_error_event() -> None:
    def sign(request: HttpRequest, now: datetime) -> HttpRequest:
        raise EndpointError("the service account's key is not valid")

    ending = error_in(await ask_signed(sign, Picky()))
    assert (ending.error.reason, ending.error.message) == (
        ErrorReason.BAD_REQUEST,
        "the service account's key is not valid",
    )


async def models_of(handler: Handler) -> object:
    async with serving(handler) as base_url, Transport() as transport:
        return await transport.models(CUSTOM, Endpoint(base_url, KEY))


async def test_a_provider_lists_its_models() -> None:
    listing = msgspec.json.encode({"object": "list", "data": [{"id": "small"}, {"id": "large"}]})
    found = await models_of(body_answer("200 OK", body=listing))
    assert isinstance(found, Sequence)
    assert [model.id for model in found] == ["small", "large"]


@pytest.mark.parametrize(
    ("handler", "reason"),
    [
        (body_answer("401 Unauthorized", body=b'{"error": {"message": "bad key ' + KEY.encode() + b'"}}'), "auth"),
        (body_answer("200 OK", "Content-Encoding: gzip", body=b"no gzip"), "malformed_response"),
    ],
)
async def test_a_list_that_cannot_be_had_is_an_error_value(handler: Handler, reason: str) -> None:
    found = await models_of(handler)
    assert isinstance(found, ProviderError)
    assert found.reason == reason
    assert "very-secret" not in found.message
