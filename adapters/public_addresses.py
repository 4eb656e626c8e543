"""Which addresses and URLs of strangers the bot may connect to: those of the public Internet, and no door into its own network.

The rule is a table of IANA's special-purpose registries. Of IPv4 the listed ranges are refused. Of IPv6 only global unicast is
public, less its listed ranges, so a range that is assigned tomorrow is refused until somebody looks at it. An IPv6 address that
merely carries an IPv4 one is what it carries. `check_url` says what can be said before a name is looked up, and takes one
plain spelling of each address: what two parsers could read in two ways is refused. Pure: no look-up, no socket.

Not known here: a network's own NAT64 prefix out of global unicast (RFC 6052). A host behind such a translator must filter there.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from enum import StrEnum
from ipaddress import IPv4Address, IPv4Network, IPv6Address, IPv6Network, ip_address, ip_network
from typing import Final, TypeAlias

import msgspec

Address: TypeAlias = IPv4Address | IPv6Address
Network: TypeAlias = IPv4Network | IPv6Network

# https://www.iana.org/assignments/iana-ipv4-special-registry, and multicast.
_NOT_PUBLIC_V4: Final = tuple(
    IPv4Network(network)
    for network in (
        "0.0.0.0/8",  # this network; Linux takes 0.0.0.0 for the machine itself
        "10.0.0.0/8",  # private
        "100.64.0.0/10",  # behind a carrier's NAT; also metadata services of some clouds
        "127.0.0.0/8",  # loopback
        "169.254.0.0/16",  # link-local, and with it the metadata service of most clouds
        "172.16.0.0/12",  # private
        "192.0.0.0/24",  # protocol assignments; Oracle's metadata service
        "192.0.2.0/24",  # documentation
        "192.88.99.0/24",  # relays of 6to4, withdrawn
        "192.168.0.0/16",  # private
        "198.18.0.0/15",  # benchmarking
        "198.51.100.0/24",  # documentation
        "203.0.113.0/24",  # documentation
        "224.0.0.0/4",  # multicast
        "240.0.0.0/4",  # reserved, and broadcast
    )
)

_GLOBAL_UNICAST: Final = IPv6Network("2000::/3")

# https://www.iana.org/assignments/iana-ipv6-special-registry, what lies in global unicast.
_NOT_PUBLIC_V6: Final = tuple(
    IPv6Network(network)
    for network in (
        "2001::/23",  # protocol assignments: Teredo, benchmarking, ORCHID
        "2001:db8::/32",  # documentation
        "2002::/16",  # 6to4, which carries any IPv4 address and serves nobody any more (RFC 7526)
        "3fff::/20",  # documentation
    )
)

_CARRIES_V4: Final = (
    IPv6Network("::ffff:0:0/96"),  # IPv4-mapped
    IPv6Network("64:ff9b::/96"),  # NAT64: all that a host without IPv4 of its own gets for a name that has only IPv4
)


def is_public(address: Address | str) -> bool:
    """Whether this address belongs to the public Internet. A text that is no address does not; nor does one with a zone."""
    found = _read(address)
    if found is None:
        return False
    if isinstance(found, IPv4Address):
        return not any(found in network for network in _NOT_PUBLIC_V4)
    return found in _GLOBAL_UNICAST and not any(found in network for network in _NOT_PUBLIC_V6)


def _read(address: Address | str) -> Address | None:
    """The address that packets will go to; None where that depends on the machine, or where it is none."""
    if isinstance(address, str):
        try:
            address = ip_address(address)
        except ValueError:
            return None
    if isinstance(address, IPv4Address):
        return address
    if address.scope_id is not None:
        return None
    if any(address in network for network in _CARRIES_V4):
        return IPv4Address(address.packed[-4:])
    return address


class AllowedHosts(msgspec.Struct, frozen=True):
    """What the operator lets through though it is not public. `names` are exact and lower-case."""

    names: frozenset[str] = frozenset()
    networks: tuple[Network, ...] = ()

    @classmethod
    def of(cls, entries: Iterable[str]) -> AllowedHosts:
        """From host names (`llm.corp`), addresses (`10.0.0.5`) and ranges (`10.0.0.0/8`, `fd00::/8`).

        Raises ValueError, whose text names the entry, where one is neither.
        """
        names: set[str] = set()
        networks: list[Network] = []
        for entry in map(str.strip, entries):
            try:
                networks.append(ip_network(entry))
            except ValueError:
                if not _NAME.fullmatch(entry) or _ENDS_IN_A_NUMBER.search(entry):
                    raise ValueError(f"{entry!r} is no host name, address, or range of addresses") from None
                names.add(entry.lower())
        return cls(frozenset(names), tuple(networks))

    def has_name(self, host: str) -> bool:
        """A host of this name may be reached wherever it is."""
        return host.lower() in self.names

    def has_address(self, address: Address | str) -> bool:
        found = _read(address)
        return found is not None and any(found in network for network in self.networks)


NOTHING_MORE: Final = AllowedHosts()


def may_connect(address: Address | str, allowed: AllowedHosts = NOTHING_MORE) -> bool:
    """Whether a socket may go to this address."""
    return is_public(address) or allowed.has_address(address)


class UrlProblem(StrEnum):
    """Why a URL is not taken: keys, for words in the reader's language."""

    NOT_A_URL = "not_a_url"
    """Or with characters that parsers disagree about: spaces, control characters, backslashes, and what is not ASCII."""
    NOT_HTTPS = "not_https"
    HAS_LOGIN = "has_login"
    BAD_HOST = "bad_host"
    """None, or an address in another spelling than the usual one, or a name with a dot at its end."""
    BAD_PORT = "bad_port"
    NOT_PUBLIC = "not_public"


_PLAIN: Final = re.compile(r"[!-\[\]-~]+")
_URL: Final = re.compile(r"(?P<scheme>[a-z][a-z0-9+.-]*)://(?P<authority>[^/?#]*)(?:[/?#].*)?", re.IGNORECASE)
_AUTHORITY: Final = re.compile(r"(?P<host>\[[^\[\]]*\]|[^:\[\]]*)(?::(?P<port>.*))?")
_PORT: Final = re.compile(r"[1-9][0-9]{0,4}")
MAX_PORT: Final = 65535

_LABEL: Final = r"(?!-)[a-z0-9_-]{1,63}(?<!-)"
_NAME: Final = re.compile(rf"(?=.{{1,253}}$){_LABEL}(?:\.{_LABEL})*", re.IGNORECASE)

_ENDS_IN_A_NUMBER: Final = re.compile(r"(?:^|\.)(?:[0-9]+|0x[0-9a-f]*)$", re.IGNORECASE)
"""What resolvers take for an IPv4 address: `127.1`, `2130706433`, `0x7f.1` (https://url.spec.whatwg.org/#ends-in-a-number-checker)."""

_NEVER_PUBLIC_NAMES: Final = re.compile(
    # A name without a dot is looked up in the machine's own domains. The rest: RFC 6761, 6762, 7686, 8375, 9476, the root zone's
    # own `.internal`, and what routers and offices took by themselves.
    r"[^.]+|.*\.(?:localhost|local|internal|localdomain|home\.arpa|lan|home|corp|intranet|private"
    r"|test|invalid|example|onion|alt)"
)


def check_url(url: str, allowed: AllowedHosts = NOTHING_MORE) -> UrlProblem | None:
    """What is wrong with a URL that a stranger gave; None where it may be tried.

    A name can still lead to any address: whoever connects asks `may_connect` about the address that it connects to.
    """
    found = _URL.fullmatch(url) if _PLAIN.fullmatch(url) else None
    if found is None:
        return UrlProblem.NOT_A_URL
    scheme, authority = found["scheme"].lower(), found["authority"]
    if scheme not in ("https", "http"):
        return UrlProblem.NOT_HTTPS
    if "@" in authority:
        return UrlProblem.HAS_LOGIN
    parts = _AUTHORITY.fullmatch(authority)
    if parts is None:
        return UrlProblem.BAD_HOST
    is_allowed = _is_allowed(parts["host"].lower(), allowed)
    if isinstance(is_allowed, UrlProblem):
        return is_allowed
    port = parts["port"]
    if port is not None and not (_PORT.fullmatch(port) and int(port) <= MAX_PORT):
        return UrlProblem.BAD_PORT
    return None if scheme == "https" or is_allowed else UrlProblem.NOT_HTTPS


def _is_allowed(host: str, allowed: AllowedHosts) -> bool | UrlProblem:
    """True: let through by the operator. False: public, as far as can be seen."""
    bare = host[1:-1] if host.startswith("[") else host
    try:
        address = ip_address(bare)
    except ValueError:
        if not _NAME.fullmatch(host) or _ENDS_IN_A_NUMBER.search(host):
            return UrlProblem.BAD_HOST
        if allowed.has_name(host):
            return True
        return UrlProblem.NOT_PUBLIC if _NEVER_PUBLIC_NAMES.fullmatch(host) else False
    if isinstance(address, IPv6Address) is (bare == host):
        return UrlProblem.BAD_HOST
    if allowed.has_address(address):
        return True
    return False if is_public(address) else UrlProblem.NOT_PUBLIC
