"""Whom endpoints and pages of strangers may reach: real servers on this machine, of which one address stands for the Internet.

`PUBLIC` is let through as an operator lets a range through; the same machine's other addresses are the inner network. Where a name is
looked up, the scheme is https, and that a TLS greeting came is what tells that somebody was reached.
"""

from __future__ import annotations

import asyncio
import socket
from collections.abc import AsyncIterator, Mapping, Sequence
from contextlib import asynccontextmanager

import httpx
import pytest
from aiohttp.abc import AbstractResolver, ResolveResult

from adapters import public_connections
from adapters.contract import Endpoint, ErrorReason, GenerationRequest, ProviderError, Role, TextChunk, text_message
from adapters.http_transport import AiohttpTransport
from adapters.providers.chat.custom import CUSTOM
from adapters.providers.google.adapter import VERTEX
from adapters.public_addresses import AllowedHosts, UrlProblem
from adapters.public_connections import MAX_REDIRECTS, NotPublicError, public_client, public_sockets
from adapters.transport import Transport
from tests.adapters.providers.chat.chat_bodies import DONE, text

REQUEST = GenerationRequest("m", (text_message(Role.USER, "hi"),))
PUBLIC = "127.0.0.2"
PRIVATE = "127.0.0.1"
INTERNET = AllowedHosts.of([PUBLIC])
HOST = "api.example.com"


class Server:
    """Answers each request on one address by `answers[path]`, else by a stream of one word; counts who connects."""

    def __init__(self, answers: Mapping[str, bytes]) -> None:
        self.answers = answers
        self.port = 0
        self.connections = 0
        self.paths: list[str] = []
        self.greetings: list[bytes] = []

    async def serve(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        self.connections += 1
        try:
            while first := await reader.read(1):
                if first == b"\x16":  # TLS: record type "handshake"
                    self.greetings.append(await reader.read(4096))
                    return
                head = await reader.readuntil(b"\r\n\r\n")
                length = next(
                    (line for line in head.lower().split(b"\r\n") if line.startswith(b"content-length")), b":0"
                )
                await reader.readexactly(int(length.split(b":")[1]))
                self.paths.append(head.split(b" ")[1].decode())
                writer.write(self.answers.get(self.paths[-1], WORD))
                await writer.drain()
        finally:
            writer.close()


def answer(status: str, *headers: str, body: bytes = b"") -> bytes:
    return "\r\n".join([f"HTTP/1.1 {status}", *headers, f"Content-Length: {len(body)}", "", ""]).encode() + body


WORD = answer("200 OK", body=text("a") + DONE)


@asynccontextmanager
async def serving(address: str, port: int = 0, *, answers: Mapping[str, bytes] | None = None) -> AsyncIterator[Server]:
    """`::`: all addresses of this machine, of both families, on one port."""
    server = Server(answers or {})
    family = socket.AF_INET6 if ":" in address else socket.AF_INET
    with socket.create_server((address, port), family=family, dualstack_ipv6=address == "::") as listening:
        server.port = listening.getsockname()[1]
        async with await asyncio.start_server(server.serve, sock=listening):
            yield server


class Names(AbstractResolver):
    """A name server: each question takes the next of its answers, the last one for good. A name that it does not have is none."""

    def __init__(self, **answers: Sequence[Sequence[str]]) -> None:
        self._answers = {name.replace("_", "."): list(addresses) for name, addresses in answers.items()}
        self.asked: list[str] = []

    async def resolve(
        self, host: str, port: int = 0, family: socket.AddressFamily = socket.AF_UNSPEC
    ) -> list[ResolveResult]:
        self.asked.append(host)
        answers = self._answers.get(host)
        if answers is None:
            raise socket.gaierror(socket.EAI_NONAME, "Name or service not known")
        addresses = answers.pop(0) if len(answers) > 1 else answers[0]
        return [ResolveResult(hostname=host, host=it, port=port, family=family, proto=0, flags=0) for it in addresses]

    async def close(self) -> None:
        raise AssertionError("it stays its owner's")


async def ask(transport: Transport, base_url: str, *, public_only: bool = True) -> str | ProviderError:
    """What the model said, or why it could not be asked."""
    endpoint = Endpoint(base_url, "key", public_only=public_only)
    async with transport.open(CUSTOM, REQUEST, endpoint) as stream:
        chunks = [chunk async for chunk in stream]
    ending = chunks[-1]
    if hasattr(ending, "error"):
        return ending.error
    return "".join(chunk.content for chunk in chunks if isinstance(chunk, TextChunk))


def refusal(problem: UrlProblem) -> ProviderError:
    return ProviderError(ErrorReason.CONNECTION, f"the address is refused ({problem})", retryable=False)


INSIDE = [
    "127.0.0.1",
    "127.0.0.3",
    "0.0.0.0",
    "localhost",
    "127.1",
    "2130706433",
    "0x7f000001",
    "0x7f.1",
    "017700000001",
    "[::ffff:127.0.0.1]",
    "[::127.0.0.1]",
    "[::]",
    "[::1]",
    "127\u30020\u30020\u30021",
    "\uff11\uff12\uff17.0.0.1",
]


@pytest.mark.parametrize("scheme", ["http", "https"])
@pytest.mark.parametrize("host", INSIDE)
async def test_no_spelling_of_an_address_leads_inside(host: str, scheme: str) -> None:
    """Though a server listens on all addresses there; by each of the three ways to ask."""
    async with serving("::") as server, Transport(INTERNET) as transport:
        url = f"{scheme}://{host}:{server.port}/v1"
        endpoint = Endpoint(url, "key", public_only=True)
        found = [
            await ask(transport, url),
            await transport.probe(CUSTOM, endpoint),
            await transport.models(CUSTOM, endpoint),
        ]
    assert [isinstance(error, ProviderError) and error.retryable for error in found] == [False] * 3
    assert server.connections == 0


@pytest.mark.parametrize("host", INSIDE)
async def test_the_lock_behind_the_url_holds_alone(host: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """Should a URL ever be read in two ways: what is connected to is asked about too."""
    monkeypatch.setattr(public_connections, "check_url", lambda *_: None)
    async with serving("::") as server, Transport(INTERNET) as transport:
        assert isinstance(await ask(transport, f"http://{host}:{server.port}/v1"), ProviderError)
    assert server.connections == 0


@pytest.mark.parametrize("host", ["127.0.0.1", "[::1]", "[::ffff:127.0.0.1]", "0.0.0.0"])
async def test_the_socket_itself_refuses_what_the_url_leads_to(host: str) -> None:
    """aiohttp does not look up an address that stands in the URL: it is checked all the same, in each family."""

    async def fetch(allowed: AllowedHosts) -> None:
        transport = AiohttpTransport(1.0, socket_factory=public_sockets(allowed), proxies=False)
        async with httpx.AsyncClient(transport=transport) as client:
            await client.get(f"http://{host}:{server.port}/")

    async with serving("::") as server:
        await fetch(AllowedHosts.of(["0.0.0.0/0", "::1"]))
        with pytest.raises(httpx.ConnectError):
            await fetch(AllowedHosts())
    assert server.connections == 1


@pytest.mark.parametrize("address", [PUBLIC, "::1"])
async def test_an_allowed_address_is_reached_without_tls(address: str) -> None:
    async with serving(address) as server, Transport(AllowedHosts.of([address])) as transport:
        host = f"[{address}]" if ":" in address else address
        assert await ask(transport, f"http://{host}:{server.port}/v1") == "a"


async def test_a_host_that_is_allowed_by_name_is_reached_wherever_it_is() -> None:
    names = Names(llm_corp=[[PRIVATE]], other_corp=[[PRIVATE]])
    async with serving(PRIVATE) as server, Transport(AllowedHosts.of(["llm.corp"]), names) as transport:
        assert await ask(transport, f"http://llm.corp:{server.port}/v1") == "a"
        assert await ask(transport, f"https://other.corp:{server.port}/v1") == refusal(UrlProblem.NOT_PUBLIC)
    assert names.asked == ["llm.corp"]


async def test_a_name_is_looked_up_once_and_what_was_found_is_connected_to() -> None:
    """A name server that says another thing the next time changes nothing about this time."""
    names = Names(api_example_com=[[PUBLIC], [PRIVATE]])
    async with serving(PUBLIC) as outside, serving(PRIVATE, outside.port) as inside:
        async with Transport(INTERNET, names) as transport:
            error = await ask(transport, f"https://{HOST}:{outside.port}/v1")
            assert isinstance(error, ProviderError)
            assert error.message != refusal(UrlProblem.NOT_PUBLIC).message
        assert (names.asked, outside.connections, inside.connections) == ([HOST], 1, 0)
        assert HOST.encode() in outside.greetings[0]
        async with Transport(INTERNET, names) as transport:
            assert await ask(transport, f"https://{HOST}:{outside.port}/v1") == refusal(UrlProblem.NOT_PUBLIC)
        assert (names.asked, outside.connections, inside.connections) == ([HOST, HOST], 1, 0)


@pytest.mark.parametrize("addresses", [[PRIVATE, PUBLIC], [PUBLIC, PRIVATE], ["::1", PRIVATE, PUBLIC, "fe80::1%lo"]])
async def test_of_several_addresses_only_the_public_ones_are_tried(addresses: list[str]) -> None:
    """Also where nothing answers at the public one, and aiohttp goes on to the next."""
    names = Names(api_example_com=[addresses])
    async with serving(PRIVATE) as inside, Transport(INTERNET, names) as transport:
        error = await ask(transport, f"https://{HOST}:{inside.port}/v1")
        assert inside.connections == 0
        async with serving(PUBLIC, inside.port) as outside:
            await ask(transport, f"https://{HOST}:{inside.port}/v1")
            assert (outside.connections, inside.connections) == (1, 0)
    assert isinstance(error, ProviderError)
    assert (error.reason, error.message) == (ErrorReason.CONNECTION, "ConnectError: nothing answers there")


@pytest.mark.parametrize(
    "address", ["10.0.0.1", "169.254.169.254", "::1", "::ffff:127.0.0.1", "64:ff9b::7f00:1", "fe80::1%lo"]
)
async def test_a_name_of_something_inside_is_refused(address: str) -> None:
    names = Names(api_example_com=[[address]])
    async with Transport(INTERNET, names) as transport:
        assert await ask(transport, f"https://{HOST}/v1") == refusal(UrlProblem.NOT_PUBLIC)


async def test_nothing_tells_what_there_is_inside() -> None:
    """A port that is open, one that is closed, and a name that nobody has: one and the same answer."""
    names = Names(here_example_com=[[PRIVATE]])
    async with serving(PRIVATE) as server, Transport(INTERNET, names) as transport:
        errors = [
            await ask(transport, f"https://{host}:{port}/v1")
            for host, port in (
                ("here.example.com", server.port),
                ("here.example.com", 1),
                ("nowhere.example.com", server.port),
                (PRIVATE, server.port),
                ("10.255.255.1", 1),
            )
        ]
    assert errors == [refusal(UrlProblem.NOT_PUBLIC)] * 5
    assert server.connections == 0


@pytest.mark.parametrize("first", [True, False])
async def test_connections_are_not_shared_with_the_operators_endpoints(first: bool) -> None:
    """Else the one that the operator's request left open would lead inside. Among themselves they are."""
    async with serving(PUBLIC) as server, Transport(INTERNET) as transport:
        for public_only in (first, first, not first, not first):
            assert await ask(transport, f"http://{PUBLIC}:{server.port}/v1", public_only=public_only) == "a"
    assert (server.connections, len(server.paths)) == (2, 4)


async def test_an_open_connection_of_the_operator_opens_nothing() -> None:
    async with serving(PRIVATE) as server, Transport() as transport:
        assert await ask(transport, f"http://{PRIVATE}:{server.port}/v1", public_only=False) == "a"
        assert await ask(transport, f"http://{PRIVATE}:{server.port}/v1") == refusal(UrlProblem.NOT_PUBLIC)
    assert len(server.paths) == 1


async def test_a_proxy_of_the_environment_is_asked_for_the_operators_hosts_only(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """It looks names up by itself, and would connect to whatever it finds."""
    monkeypatch.delenv("no_proxy", raising=False)
    monkeypatch.setenv("NO_PROXY", "")
    names = Names(api_example_com=[[PRIVATE]])
    async with serving(PUBLIC) as proxy, Transport(AllowedHosts.of([PUBLIC, "llm.corp"]), names) as transport:
        for variable in ("http_proxy", "https_proxy", "HTTP_PROXY", "HTTPS_PROXY"):
            monkeypatch.setenv(variable, f"http://{PUBLIC}:{proxy.port}")
        assert await ask(transport, f"https://{HOST}/v1") == refusal(UrlProblem.NOT_PUBLIC)
        assert isinstance(await ask(transport, f"http://{PUBLIC}:1/v1"), ProviderError)
        assert proxy.connections == 0
        assert await ask(transport, "http://llm.corp/v1") == "a"
    assert proxy.paths == ["http://llm.corp/v1/chat/completions"]


@pytest.mark.parametrize(
    "status",
    ["301 Moved Permanently", "302 Found", "303 See Other", "307 Temporary Redirect", "308 Permanent Redirect"],
)
async def test_a_provider_does_not_lead_on(status: str) -> None:
    """Not even to a public address: the key would go along."""
    async with serving(PRIVATE) as inside, serving(PUBLIC) as other:
        for goal in (f"http://{PRIVATE}:{inside.port}/", f"http://{PUBLIC}:{other.port}/"):
            hop = answer(status, f"Location: {goal}")
            async with (
                serving(PUBLIC, answers={"/v1/chat/completions": hop}) as server,
                Transport(INTERNET) as transport,
            ):
                error = await ask(transport, f"http://{PUBLIC}:{server.port}/v1")
                assert isinstance(error, ProviderError)
                assert (error.reason, error.code) == (ErrorReason.BAD_REQUEST, status[:3])
    assert (inside.connections, other.connections) == (0, 0)


async def test_the_machines_own_credentials_are_not_for_strangers() -> None:
    """They come from the metadata service, and are the operator's."""
    endpoint = Endpoint("https://aiplatform.googleapis.com/v1/projects/p/locations/global", public_only=True)
    async with Transport() as transport, transport.open(VERTEX, REQUEST, endpoint) as stream:
        (ending,) = [chunk async for chunk in stream]
    assert hasattr(ending, "error")
    assert ending.error.reason is ErrorReason.BAD_REQUEST
    assert "operator" in ending.error.message


def redirect(goal: str, *, body: bytes = b"") -> bytes:
    return answer("302 Found", f"Location: {goal}", "Set-Cookie: a=b", body=body)


async def test_a_fetcher_follows_few_redirects() -> None:
    hops = {f"/hop{nr}": redirect(f"/hop{nr - 1}") for nr in range(1, 10)}
    async with serving(PUBLIC, answers=hops) as server, public_client(allowed=INTERNET) as client:
        page = await client.get(f"http://{PUBLIC}:{server.port}/hop{MAX_REDIRECTS}")
        assert (page.content, page.url.path) == (text("a") + DONE, "/hop0")
        with pytest.raises(httpx.TooManyRedirects):
            await client.get(f"http://{PUBLIC}:{server.port}/hop{MAX_REDIRECTS + 1}")


@pytest.mark.parametrize(
    ("goal", "problem"),
    [
        ("http://127.0.0.1:{port}/", UrlProblem.NOT_PUBLIC),
        ("//127.0.0.1:{port}/", UrlProblem.NOT_PUBLIC),
        ("https://inside.example.com:{port}/", UrlProblem.NOT_PUBLIC),
        ("https://127.1:{port}/", UrlProblem.BAD_HOST),
        ("http://api.example.com/", UrlProblem.NOT_HTTPS),
        ("https://me:you@127.0.0.1:{port}/", UrlProblem.HAS_LOGIN),
        ("file:///etc/passwd", UrlProblem.NOT_HTTPS),
    ],
)
async def test_each_hop_is_asked_anew(goal: str, problem: UrlProblem) -> None:
    names = Names(inside_example_com=[[PRIVATE]])
    async with serving(PRIVATE) as inside, public_client(allowed=INTERNET, resolver=names) as client:
        hop = redirect(goal.format(port=inside.port))
        async with serving(PUBLIC, answers={"/start": hop}) as server:
            with pytest.raises(NotPublicError) as refused:
                await client.get(f"http://{PUBLIC}:{server.port}/start")
    assert refused.value.problem is problem
    assert inside.connections == 0


async def test_the_body_of_a_redirect_is_not_read() -> None:
    """Else it would be read to its end, which need not come."""
    endless = b"HTTP/1.1 302 Found\r\nLocation: /end\r\nContent-Length: 99999999999\r\n\r\n" + b"x" * 1000
    async with serving(PUBLIC, answers={"/start": endless}) as server, public_client(allowed=INTERNET) as client:
        async with asyncio.timeout(10):
            page = await client.get(f"http://{PUBLIC}:{server.port}/start")
        assert page.content == text("a") + DONE
        assert [hop.content for hop in page.history] == [b""]


async def test_a_fetcher_keeps_no_cookies() -> None:
    async with (
        serving(PUBLIC, answers={"/start": redirect("/end")}) as server,
        public_client(allowed=INTERNET) as client,
    ):
        await client.get(f"http://{PUBLIC}:{server.port}/start")
        assert not list(client.cookies.jar)
