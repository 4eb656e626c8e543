"""Which addresses are public, and which URLs of strangers are tried at all."""

from __future__ import annotations

from ipaddress import IPv4Address, IPv6Address, IPv6Network

import pytest
from hypothesis import given
from hypothesis import strategies as st

from adapters.public_addresses import AllowedHosts, UrlProblem, check_url, is_public, may_connect

NOT_PUBLIC = [
    ("0.0.0.0", "unspecified: this machine, on Linux"),
    ("0.1.2.3", "this network"),
    ("10.0.0.1", "private"),
    ("100.64.0.1", "behind a carrier's NAT"),
    ("100.100.100.200", "Alibaba's metadata"),
    ("127.0.0.1", "loopback"),
    ("127.255.255.254", "loopback, at its end"),
    ("169.254.169.254", "the metadata of most clouds"),
    ("172.16.0.1", "private"),
    ("172.31.255.255", "private, at its end"),
    ("192.0.0.192", "Oracle's metadata"),
    ("192.0.2.1", "documentation"),
    ("192.88.99.1", "a relay of 6to4"),
    ("192.168.1.1", "private"),
    ("198.18.0.1", "benchmarking"),
    ("198.19.255.255", "benchmarking, at its end"),
    ("198.51.100.1", "documentation"),
    ("203.0.113.1", "documentation"),
    ("224.0.0.1", "multicast"),
    ("239.255.255.250", "multicast"),
    ("240.0.0.1", "reserved"),
    ("255.255.255.255", "broadcast"),
    ("::", "unspecified"),
    ("::1", "loopback"),
    ("::7f00:1", "IPv4-compatible"),
    ("::8.8.8.8", "IPv4-compatible, of a public one"),
    ("::ffff:127.0.0.1", "IPv4-mapped"),
    ("::ffff:a9fe:a9fe", "IPv4-mapped"),
    ("::ffff:0:7f00:1", "IPv4-translated"),
    ("64:ff9b::7f00:1", "NAT64"),
    ("64:ff9b::10.0.0.1", "NAT64"),
    ("64:ff9b:1::1", "NAT64 of the place"),
    ("64:ff9b:1:ffff::8.8.8.8", "NAT64 of the place, of a public one"),
    ("100::1", "discarded"),
    ("2001::1", "Teredo"),
    ("2001:2::1", "benchmarking"),
    ("2001:10::1", "ORCHID"),
    ("2001:20::1", "ORCHID"),
    ("2001:db8::1", "documentation"),
    ("2002:7f00:1::", "6to4"),
    ("2002:808:808::", "6to4, of a public one"),
    ("3fff::1", "documentation"),
    ("4000::1", "not assigned"),
    ("5f00::1", "segment routing"),
    ("fc00::1", "private"),
    ("fd00:ec2::254", "Amazon's metadata"),
    ("fe80::1", "link-local"),
    ("fe80::1%eth0", "link-local, with a zone"),
    ("2606:4700::1111%eth0", "with a zone"),
    ("::ffff:8.8.8.8%1", "with a zone"),
    ("fec0::1", "site-local"),
    ("ff02::1", "multicast"),
    ("", "nothing"),
    ("example.com", "a name"),
    ("127.1", "another spelling"),
    ("8.8.8.008", "another spelling"),
    (" 8.8.8.8", "another spelling"),
    ("\uff18.8.8.8", "digits of another width"),
]

PUBLIC = [
    "1.1.1.1",
    "8.8.8.8",
    "9.255.255.255",
    "11.0.0.0",
    "100.63.255.255",
    "100.128.0.0",
    "126.255.255.255",
    "128.0.0.0",
    "169.253.255.255",
    "172.15.255.255",
    "172.32.0.0",
    "192.0.1.0",
    "198.17.255.255",
    "198.20.0.0",
    "223.255.255.255",
    "2001:200::1",
    "2001:4860:4860::8888",
    "2606:4700:4700::1111",
    "2a00:1450:4001::1",
    "::ffff:8.8.8.8",
    "64:ff9b::8.8.8.8",
]


@pytest.mark.parametrize(("address", "why"), NOT_PUBLIC)
def test_what_is_not_public(address: str, why: str) -> None:
    """In each of the special ranges, and whatever is no address."""
    assert not is_public(address), why


@pytest.mark.parametrize("address", PUBLIC)
def test_what_is_public(address: str) -> None:
    """Also just outside of the special ranges."""
    assert is_public(address)


V4 = st.integers(0, 2**32 - 1).map(IPv4Address)
SPECIAL_V4 = st.sampled_from([IPv4Address(address) for address, _ in NOT_PUBLIC[:22]])


def embeddings(address: IPv4Address) -> list[IPv6Address]:
    """All ways to carry an IPv4 address in an IPv6 one that have a prefix of their own."""
    v4 = int(address)
    return [
        IPv6Address(v4),  # IPv4-compatible
        IPv6Address(0xFFFF << 32 | v4),  # IPv4-mapped
        IPv6Address(0xFFFF << 48 | v4),  # IPv4-translated
        IPv6Address(int(IPv6Address("64:ff9b::")) | v4),
        IPv6Address(int(IPv6Address("64:ff9b:1::")) | v4),
        IPv6Address(int(IPv6Address("64:ff9b:1:ffff::")) | v4),
        IPv6Address(0x2002 << 112 | v4 << 80),  # 6to4
        IPv6Address(0x20010000 << 96 | v4 << 64),  # Teredo's server
        IPv6Address(0x20010000 << 96 | (v4 ^ 0xFFFFFFFF)),  # Teredo's client
        IPv6Address(int(IPv6Address("fe80::5efe:0:0")) | v4),  # ISATAP
    ]


@given(V4 | SPECIAL_V4)
def test_no_embedding_makes_an_address_public(address: IPv4Address) -> None:
    """What is not public does not become so by being carried."""
    if not is_public(address):
        assert not [carried for carried in embeddings(address) if is_public(carried)]


@given(
    V4
    | st.integers(0, 2**128 - 1).map(IPv6Address)
    | st.integers(0, 2**125 - 1).map(lambda it: IPv6Address(2**125 + it))
)
def test_it_is_no_wider_than_the_standard_library(address: IPv4Address | IPv6Address) -> None:
    """What is public here is global there, and nothing that it has another word for."""
    carried = any(address in network for network in (IPv6Network("::ffff:0:0/96"), IPv6Network("64:ff9b::/96")))
    if is_public(address) and not carried:
        other_words = (address.is_private, address.is_multicast, address.is_reserved, address.is_link_local)
        assert (address.is_global, any(other_words)) == (True, False)


P = UrlProblem

URLS: list[tuple[str, UrlProblem | None]] = [
    ("https://api.example.com/v1", None),
    ("HTTPS://API.Example.Com/v1", None),
    ("https://api.example.com", None),
    ("https://api.example.com:8443/v1?a=b#c", None),
    ("https://api.example.com/a@b:c", None),
    ("https://xn--bcher-kva.example.com", None),
    ("https://8.8.8.8/v1", None),
    ("https://[2606:4700:4700::1111]:443/v1", None),
    ("http://api.example.com/v1", P.NOT_HTTPS),
    ("ftp://api.example.com", P.NOT_HTTPS),
    ("file:///etc/passwd", P.NOT_HTTPS),
    ("gopher://api.example.com", P.NOT_HTTPS),
    ("https://me:secret@api.example.com", P.HAS_LOGIN),
    ("https://api.example.com@127.0.0.1/", P.HAS_LOGIN),
    ("https://@api.example.com", P.HAS_LOGIN),
    ("", P.NOT_A_URL),
    ("api.example.com/v1", P.NOT_A_URL),
    ("//api.example.com/v1", P.NOT_A_URL),
    ("https:api.example.com", P.NOT_A_URL),
    ("javascript:alert(1)", P.NOT_A_URL),
    (" https://api.example.com", P.NOT_A_URL),
    ("https://api.example.com/\n", P.NOT_A_URL),
    ("https://api.exa\tmple.com/", P.NOT_A_URL),
    ("https://api.example.com\\@127.0.0.1/", P.NOT_A_URL),
    ("https://api.example.com\x00.evil/", P.NOT_A_URL),
    ("https://b\u00fccher.example.com", P.NOT_A_URL),
    ("https://127\u30020\u30020\u30021", P.NOT_A_URL),
    ("https://\uff11\uff12\uff17.0.0.1", P.NOT_A_URL),
    ("https://\u24db\u24de\u24d2al\u24d7ost", P.NOT_A_URL),
    ("https://", P.BAD_HOST),
    ("https:///v1", P.BAD_HOST),
    ("https://:443/v1", P.BAD_HOST),
    ("https://api.example.com./v1", P.BAD_HOST),
    ("https://api..example.com", P.BAD_HOST),
    ("https://.example.com", P.BAD_HOST),
    ("https://-a.example.com", P.BAD_HOST),
    ("https://" + "a" * 64 + ".example.com", P.BAD_HOST),
    ("https://" + "a." * 126 + "com", P.BAD_HOST),
    ("https://api.example.com%2eevil.com", P.BAD_HOST),
    ("https://%31%32%37.0.0.1", P.BAD_HOST),
    ("https://0x7f.1", P.BAD_HOST),
    ("https://0x7f000001", P.BAD_HOST),
    ("https://0x", P.BAD_HOST),
    ("https://2130706433", P.BAD_HOST),
    ("https://127.1", P.BAD_HOST),
    ("https://127.0.0.1.", P.BAD_HOST),
    ("https://0177.0.0.1", P.BAD_HOST),
    ("https://127.000.000.001", P.BAD_HOST),
    ("https://1.2.3.4.5", P.BAD_HOST),
    ("https://256.1.1.1", P.BAD_HOST),
    ("https://::1/", P.BAD_HOST),
    ("https://[::1", P.BAD_HOST),
    ("https://[8.8.8.8]", P.BAD_HOST),
    ("https://[api.example.com]", P.BAD_HOST),
    ("https://[]", P.BAD_HOST),
    ("https://[2606:4700::1111]x", P.BAD_HOST),
    ("https://api.example.com:0", P.BAD_PORT),
    ("https://api.example.com:65536", P.BAD_PORT),
    ("https://api.example.com:", P.BAD_PORT),
    ("https://api.example.com:0443", P.BAD_PORT),
    ("https://api.example.com:-1", P.BAD_PORT),
    ("https://api.example.com:4x", P.BAD_PORT),
    ("https://127.0.0.1", P.NOT_PUBLIC),
    ("http://169.254.169.254/latest/meta-data/", P.NOT_PUBLIC),
    ("https://0.0.0.0", P.NOT_PUBLIC),
    ("https://[::1]", P.NOT_PUBLIC),
    ("https://[::ffff:127.0.0.1]", P.NOT_PUBLIC),
    ("https://[64:ff9b::169.254.169.254]", P.NOT_PUBLIC),
    ("https://[fe80::1%25eth0]", P.NOT_PUBLIC),
    ("https://localhost", P.NOT_PUBLIC),
    ("https://LocalHost:8080", P.NOT_PUBLIC),
    ("https://a.localhost", P.NOT_PUBLIC),
    ("https://printer.local", P.NOT_PUBLIC),
    ("https://metadata.google.internal/computeMetadata/v1/", P.NOT_PUBLIC),
    ("https://metadata", P.NOT_PUBLIC),
    ("https://router.home.arpa", P.NOT_PUBLIC),
    ("https://nas.lan", P.NOT_PUBLIC),
    ("https://git.corp", P.NOT_PUBLIC),
]


@pytest.mark.parametrize(("url", "problem"), URLS)
def test_what_is_wrong_with_a_url(url: str, problem: UrlProblem | None) -> None:
    """One plain spelling of each address is taken, and only https."""
    assert check_url(url) is problem


@given(st.text(max_size=60) | st.text(max_size=30).map("https://".__add__))
def test_any_text_may_be_asked_about(url: str) -> None:
    """A verdict, never an exception; what passes is plain ASCII."""
    assert check_url(url) is not None or url.isascii()


ALLOWED = AllowedHosts.of(["llm.corp", "Ollama", "gpu_1", "10.0.0.0/8", "192.168.1.5", "fd00::/8", " 127.0.0.2 "])


@pytest.mark.parametrize(
    ("url", "problem"),
    [
        ("http://llm.corp/v1", None),
        ("https://LLM.corp:8080", None),
        ("http://ollama:11434", None),
        ("http://gpu_1:8000", None),
        ("http://10.1.2.3:8080/v1", None),
        ("http://192.168.1.5", None),
        ("http://[fd00::1]:8080", None),
        ("http://[::ffff:10.1.2.3]", None),
        ("http://me@llm.corp", P.HAS_LOGIN),
        ("http://llm.corp.", P.BAD_HOST),
        ("http://llm.corp:0", P.BAD_PORT),
        ("https://a.llm.corp", P.NOT_PUBLIC),
        ("https://192.168.1.6", P.NOT_PUBLIC),
        ("https://127.0.0.1", P.NOT_PUBLIC),
        ("http://8.8.8.8", P.NOT_HTTPS),
        ("http://api.example.com", P.NOT_HTTPS),
    ],
)
def test_what_the_operator_lets_through(url: str, problem: UrlProblem | None) -> None:
    """By exact name or by range, without TLS too, and no neighbour of it."""
    assert check_url(url, ALLOWED) is problem


def test_a_socket_may_go_to_what_is_public_or_allowed() -> None:
    """A range that is allowed is so in each way to carry it that leads there."""
    addresses = [
        "8.8.8.8",
        "10.1.2.3",
        "::ffff:10.1.2.3",
        "fd12::1",
        "192.168.1.6",
        "2002:a01:203::",
        "fd12::1%1",
        "llm.corp",
    ]
    assert [it for it in addresses if may_connect(it, ALLOWED)] == ["8.8.8.8", "10.1.2.3", "::ffff:10.1.2.3", "fd12::1"]


@pytest.mark.parametrize(
    "entry", ["", "10.0.0.5/8", "10.0.0.0/33", "*.corp", "http://llm.corp", "llm.corp:80", "127.1", "llm.corp."]
)
def test_an_entry_that_is_no_host_is_named(entry: str) -> None:
    """A typing error must not open more, or less, than was meant."""
    with pytest.raises(ValueError, match="no host name, address, or range"):
        AllowedHosts.of(["llm.corp", entry])
