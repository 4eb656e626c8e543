"""Connections to public addresses only, for URLs that come from strangers (adapters.public_addresses has the rule).

The rule is asked where it cannot be gone around: when the socket is made, of the address that this socket then connects to.
There is no second look-up, so an answer of a name server that changes helps nobody, and an address in the URL itself, which
is not looked up at all, meets the same question. What a name leads to is also sorted before, so that one private address among
public ones does not spoil them, and so that "no such host" and "a host in the inner network" are one and the same refusal, made
before any packet: nothing tells a stranger which names, hosts and ports there are inside.

The environment's proxies are not asked: a proxy looks the name up itself, and would connect to what it finds. Hosts that the operator
allows by name are reached as the operator's own endpoints are, proxies included, but over connections of their own.
"""

from __future__ import annotations

import socket
from http.cookiejar import CookieJar, DefaultCookiePolicy
from typing import Final

import aiohttp
import httpx
from aiohttp.abc import AbstractResolver, ResolveResult

from adapters.http_transport import ACCEPT_ENCODING, AiohttpTransport
from adapters.public_addresses import NOTHING_MORE, AllowedHosts, UrlProblem, check_url, may_connect

MAX_REDIRECTS: Final = 3


class NotPublicError(httpx.ConnectError):
    """The URL, or what its host leads to, is not for strangers. The text holds nothing of what was found."""

    def __init__(self, problem: UrlProblem, request: httpx.Request) -> None:
        super().__init__(f"the address is refused ({problem.value})", request=request)
        self.problem = problem


class PublicTransport(httpx.AsyncBaseTransport):
    """For httpx.AsyncClient(transport=…). Each hop of a redirect is a request, and so is asked anew.

    `keep_alive`: seconds for which an idle connection waits. `resolver`: looks names up, once for each connection at the
    most; it stays its owner's. Without one, the system's.
    """

    def __init__(
        self, keep_alive: float, allowed: AllowedHosts = NOTHING_MORE, resolver: AbstractResolver | None = None
    ) -> None:
        self._allowed = allowed
        self._resolver = _PublicResolver(allowed, resolver)
        self._guarded = AiohttpTransport(
            keep_alive, resolver=self._resolver, socket_factory=public_sockets(allowed), proxies=False
        )
        self._named = AiohttpTransport(keep_alive, resolver=resolver)

    async def handle_async_request(self, request: httpx.Request) -> httpx.Response:
        problem = check_url(str(request.url), self._allowed)
        if problem is not None:
            raise NotPublicError(problem, request)
        is_named = self._allowed.has_name(request.url.raw_host.decode("ascii"))
        transport = self._named if is_named else self._guarded
        try:
            answer = await transport.handle_async_request(request)
        except httpx.ConnectError as fault:
            raise _without_addresses(fault, request) from None
        if answer.has_redirect_location:
            # httpx would read its body to the end, whatever its size, and out of its caller's sight.
            await answer.aclose()
            answer = httpx.Response(answer.status_code, headers={"location": answer.headers["location"]}, content=b"")
        return answer

    async def aclose(self) -> None:
        await self._guarded.aclose()
        await self._named.aclose()
        await self._resolver.close()


def public_client(
    *,
    keep_alive: float = 10.0,
    timeout: float = 10.0,
    allowed: AllowedHosts = NOTHING_MORE,
    resolver: AbstractResolver | None = None,
) -> httpx.AsyncClient:
    """A client for pages and files of strangers: public addresses, at most MAX_REDIRECTS redirects, no cookies.

    `timeout`: seconds to connect; the whole, and how much is read, are the caller's to bound (`client.stream(…)`, and stop). Raises
    NotPublicError, and what httpx raises. Keys do not belong into its headers: httpx takes only `Authorization` off when a
    redirect leads to another host.
    """
    return httpx.AsyncClient(
        transport=PublicTransport(keep_alive, allowed, resolver),
        timeout=timeout,
        follow_redirects=True,
        max_redirects=MAX_REDIRECTS,
        headers={"accept-encoding": ACCEPT_ENCODING},
        cookies=CookieJar(DefaultCookiePolicy(allowed_domains=())),
        trust_env=False,
    )


def public_sockets(allowed: AllowedHosts = NOTHING_MORE) -> aiohttp.SocketFactoryType:
    """Makes sockets for TCPConnector(socket_factory=…), which connects each to the address that it was made for."""

    def make(target: aiohttp.AddrInfoType) -> socket.socket:
        family, kind, protocol, _, address = target
        if not may_connect(address[0], allowed):
            raise _Refused
        return socket.socket(family, kind, protocol)

    return make


class _Refused(OSError):
    """What aiohttp carries up from where names are looked up and sockets are made."""


class _PublicResolver(AbstractResolver):
    """Of what a name leads to, the addresses that may be connected to. Where there are none, and where there is no such name,
    it is the same refusal."""

    def __init__(self, allowed: AllowedHosts, resolver: AbstractResolver | None) -> None:
        self._allowed = allowed
        self._resolver = resolver
        self._own: AbstractResolver | None = None

    async def resolve(
        self, host: str, port: int = 0, family: socket.AddressFamily = socket.AF_UNSPEC
    ) -> list[ResolveResult]:
        try:
            found = await self._looking_up().resolve(host, port, family)
        except OSError:
            raise _Refused from None
        found = [target for target in found if may_connect(target["host"], self._allowed)]
        if not found:
            raise _Refused
        return found

    async def close(self) -> None:
        if self._own is not None:
            await self._own.close()

    def _looking_up(self) -> AbstractResolver:
        if self._resolver is not None:
            return self._resolver
        if self._own is None:
            # Not earlier: it belongs to the loop that runs.
            self._own = aiohttp.DefaultResolver()
        return self._own


def _without_addresses(fault: httpx.ConnectError, request: httpx.Request) -> httpx.ConnectError:
    """The operating system names the address in its words."""
    below = fault.__cause__
    if isinstance(below, aiohttp.ClientConnectorError) and isinstance(below.os_error, _Refused):
        return NotPublicError(UrlProblem.NOT_PUBLIC, request)
    if isinstance(below, aiohttp.ClientSSLError):
        return httpx.ConnectError("the host's certificate, or its way to speak TLS, is not accepted", request=request)
    return httpx.ConnectError("nothing answers there", request=request)
