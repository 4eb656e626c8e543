"""Keys of Amazon: which is what, and the signature, computed once more by the published algorithm."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta, timezone
from hashlib import sha256
from hmac import new as hmac
from urllib.parse import quote, urlsplit

import httpx
import pytest

from adapters.contract import Endpoint, EndpointError, GenerationRequest, HttpRequest, Role, text_message
from adapters.providers.bedrock.adapter import BEDROCK

NOW = datetime(2026, 11, 30, 8, 9, 10, tzinfo=UTC)
BASE = "https://bedrock-runtime.eu-central-1.amazonaws.com"
ASKED = GenerationRequest("eu.anthropic.claude-haiku-4-5-20251001-v1:0", (text_message(Role.USER, "hi"),))
ACCESS, SECRET, TOKEN = "AKIAIOSFODNN7EXAMPLE", "wJalrXUtnFEMI/K7MDENG+bPxRfiCYEXAMPLEKEY", "FwoGZXIvYXdzEJr//token=="


def built(key: str | None, base: str = BASE) -> HttpRequest:
    return BEDROCK.build(ASKED, Endpoint(base, key))


def signed(http: HttpRequest, now: datetime = NOW) -> HttpRequest:
    assert http.signer is not None
    return http.signer(http, now)


def signature_of(http: HttpRequest, region: str, secret: str) -> str:
    """Signature Version 4 as docs.aws.amazon.com/IAM/latest/UserGuide/reference_sigv-create-signed-request.html has it."""
    stamp = http.headers["x-amz-date"]
    address = urlsplit(http.url)
    names = http.headers["authorization"].partition("SignedHeaders=")[2].partition(",")[0].split(";")
    headers = {**http.headers, "host": address.netloc}
    canonical = "\n".join(
        [
            http.method,
            quote(address.path, safe="/-_.~"),
            address.query,
            *(f"{name}:{headers[name].strip()}" for name in names),
            "",
            ";".join(names),
            sha256(http.body).hexdigest(),
        ]
    )
    scope = f"{stamp[:8]}/{region}/bedrock/aws4_request"
    text = "\n".join(["AWS4-HMAC-SHA256", stamp, scope, sha256(canonical.encode()).hexdigest()])
    key = b"AWS4" + secret.encode()
    for piece in (stamp[:8], region, "bedrock", "aws4_request"):
        key = hmac(key, piece.encode(), sha256).digest()
    return hmac(key, text.encode(), sha256).hexdigest()


@pytest.mark.parametrize(
    ("base", "region"),
    [
        (BASE, "eu-central-1"),
        ("https://bedrock-runtime-fips.us-gov-west-1.amazonaws.com/", "us-gov-west-1"),
        ("https://bedrock-runtime.cn-north-1.amazonaws.com.cn", "cn-north-1"),
        ("https://bedrock-runtime.us-east-1.api.aws", "us-east-1"),
        ("https://vpce-0a-1b.bedrock-runtime.ap-southeast-2.vpce.amazonaws.com", "ap-southeast-2"),
        ("http://bedrock-runtime.us-west-2.localhost:4566", "us-west-2"),
    ],
)
@pytest.mark.parametrize("token", [None, TOKEN])
def test_the_signature_is_the_one_of_the_published_algorithm(base: str, region: str, token: str | None) -> None:
    """At the time that the signer is told, for the region in the address, with the session's token where there is one."""
    http = signed(built(":".join(filter(None, (ACCESS, SECRET, token))), base))
    assert http.headers["x-amz-date"] == "20261130T080910Z"
    assert http.headers.get("x-amz-security-token") == token
    expected = signature_of(http, region, SECRET)
    scope = f"Credential={ACCESS}/20261130/{region}/bedrock/aws4_request"
    assert http.headers["authorization"].startswith(f"AWS4-HMAC-SHA256 {scope}, SignedHeaders=")
    assert http.headers["authorization"].endswith(f"Signature={expected}")
    assert "host" in http.headers["authorization"]


def test_the_listing_is_signed_too() -> None:
    """It has a query, no body, and another host."""
    http = BEDROCK.list_models(Endpoint(BASE, f"{ACCESS}:{SECRET}"))
    assert http is not None
    assert http.url == "https://bedrock.eu-central-1.amazonaws.com/foundation-models?byOutputModality=TEXT"
    http = signed(http)
    assert http.headers["authorization"].endswith(f"Signature={signature_of(http, 'eu-central-1', SECRET)}")


def test_the_time_may_be_told_in_any_zone() -> None:
    """And a second signature replaces the first."""
    there = NOW.astimezone(timezone(timedelta(hours=9)))
    once = signed(built(f"{ACCESS}:{SECRET}"))
    assert signed(built(f"{ACCESS}:{SECRET}"), there).headers == once.headers
    assert signed(once, there).headers == once.headers


def test_the_address_is_sent_as_it_was_signed() -> None:
    """The model's colon and an ARN's slash are written as escapes, which the HTTP client must leave alone."""
    model = "arn:aws:bedrock:us-east-1:123456789012:inference-profile/us.anthropic.claude-x-v1:0"
    url = BEDROCK.build(GenerationRequest(model, ()), Endpoint(BASE, "k")).url
    assert "/model/arn%3Aaws%3Abedrock%3Aus-east-1%3A123456789012%3Ainference-profile%2Fus.anthropic" in url
    assert str(httpx.URL(url)) == url


def test_a_key_without_a_colon_is_a_bedrock_api_key() -> None:
    """It needs no signature."""
    http = built("ABSKQmVkcm9ja0FQSUtleS1leGFtcGxl=")
    assert http.headers["authorization"] == "Bearer ABSKQmVkcm9ja0FQSUtleS1leGFtcGxl="
    assert http.signer is None
    assert http.secrets == ("ABSKQmVkcm9ja0FQSUtleS1leGFtcGxl=",)


def test_every_part_of_a_key_is_a_secret() -> None:
    """Before the signature and after it; and nothing of it shows."""
    key = f"{ACCESS}:{SECRET}:{TOKEN}"
    for http in (built(key), signed(built(key))):
        assert {ACCESS, SECRET, TOKEN, key} <= set(http.secrets)
        assert ACCESS not in repr(http)
        assert SECRET not in http.url + repr(http.headers)


@pytest.mark.parametrize(
    ("key", "base", "words"),
    [
        ("AKIAIOSFODNN7EXAMPLE:", BASE, "ACCESS_KEY_ID:SECRET"),
        ("secret:AKIAIOSFODNN7EXAMPLE", BASE, "ACCESS_KEY_ID:SECRET"),
        (f"{ACCESS}:{SECRET}", "https://gateway.example/bedrock", "region"),
        (None, "https://something.amazonaws.com", "region"),
    ],
)
def test_keys_that_cannot_be_used_are_told_in_one_sentence(key: str | None, base: str, words: str) -> None:
    """Which holds nothing of the key."""
    with pytest.raises(EndpointError, match=words) as fault:
        built(key, base)
    assert key is None or not any(part and part in str(fault.value) for part in key.split(":"))


def test_without_a_key_the_machine_is_asked(monkeypatch: pytest.MonkeyPatch) -> None:
    """Here by its environment. What it gives is a secret as well."""
    monkeypatch.delenv("AWS_BEARER_TOKEN_BEDROCK", raising=False)
    monkeypatch.setenv("AWS_ACCESS_KEY_ID", ACCESS)
    monkeypatch.setenv("AWS_SECRET_ACCESS_KEY", SECRET)
    http = signed(built(None))
    assert http.headers["authorization"].endswith(f"Signature={signature_of(http, 'eu-central-1', SECRET)}")
    assert {ACCESS, SECRET} <= set(http.secrets)
    monkeypatch.setenv("AWS_BEARER_TOKEN_BEDROCK", "ABSKfromtheenvironment")
    http = signed(built(None))
    assert http.headers["authorization"] == "Bearer ABSKfromtheenvironment"
    assert "ABSKfromtheenvironment" in http.secrets


@pytest.mark.parametrize(
    "base",
    [
        "https://gateway.example/bedrock",
        "http://bedrock-runtime.us-east-1.amazonaws.com",
        "https://bedrock-runtime.us-east-1.amazonaws.com.evil.example",
        "https://evilamazonaws.com",
    ],
)
def test_what_the_machine_may_use_goes_to_amazon_only(base: str) -> None:
    """Whoever chooses the address does not thereby get the machine's keys."""
    http = built(None, base)
    assert (http.signer, http.secrets) == (None, ())
    assert "authorization" not in http.headers


def test_an_address_is_needed() -> None:
    """The region stands in it."""
    with pytest.raises(EndpointError, match="base URL"):
        BEDROCK.build(ASKED, Endpoint(api_key="k"))
    assert BEDROCK.list_models(Endpoint("https://gateway.example", "k")) is None
    assert BEDROCK.list_models(Endpoint(api_key="k")) is None
