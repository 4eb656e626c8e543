"""How a request to Vertex proves who sends it."""

from __future__ import annotations

import json
from base64 import b64encode
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import msgspec
import pytest
from cryptography.hazmat.primitives import serialization
from cryptography.hazmat.primitives.asymmetric import rsa
from google.auth import jwt

from adapters.contract import Endpoint, EndpointError, GenerationRequest, HttpRequest, Role, text_message
from adapters.providers.google.adapter import VERTEX, Vertex

PLACE = "https://europe-west4-aiplatform.googleapis.com/v1/projects/p/locations/europe-west4"
REQUEST = GenerationRequest("gemini-2.5-flash", (text_message(Role.USER, "hi"),))
NOW = datetime(2026, 5, 4, 12, 0, 0, 600_000, tzinfo=UTC)

_KEY = rsa.generate_private_key(public_exponent=65537, key_size=2048)
PRIVATE = _KEY.private_bytes(
    serialization.Encoding.PEM, serialization.PrivateFormat.PKCS8, serialization.NoEncryption()
).decode()
PUBLIC = _KEY.public_key().public_bytes(serialization.Encoding.PEM, serialization.PublicFormat.SubjectPublicKeyInfo)


def key_file(**fields: Any) -> str:
    info = {
        "type": "service_account",
        "project_id": "p",
        "private_key_id": "id-1",
        "private_key": PRIVATE,
        "client_email": "bot@p.iam.gserviceaccount.com",
        "token_uri": "https://oauth2.googleapis.com/token",
    }
    return json.dumps({**info, **fields}, indent=2)


def signed(key: str | None, now: datetime = NOW, vertex: Vertex = VERTEX) -> HttpRequest:
    http = vertex.build(REQUEST, Endpoint(PLACE, key))
    return http if http.signer is None else http.signer(http, now)


def token(http: HttpRequest) -> str:
    return http.headers["authorization"].removeprefix("Bearer ")


def claims(http: HttpRequest) -> Any:
    return jwt.decode(token(http), certs=PUBLIC, verify=False)  # type: ignore[no-untyped-call]


@pytest.mark.parametrize("wrap", [str, lambda text: b64encode(text.encode()).decode()])
def test_a_service_account_signs_its_own_token(wrap: Any) -> None:
    """As it is or in base64; the signature verifies, and nobody else is asked."""
    http = signed(wrap(key_file()))
    head, payload, signature = token(http).split(".")
    assert all((head, payload, signature))
    assert claims(http) == {
        "iss": "bot@p.iam.gserviceaccount.com",
        "sub": "bot@p.iam.gserviceaccount.com",
        "scope": "https://www.googleapis.com/auth/cloud-platform",
        "iat": int(NOW.timestamp()),
        "exp": int(NOW.timestamp()) + 3600,
    }


def test_the_signature_is_the_accounts() -> None:
    """Checked against the public key, at a time when the token is valid."""
    now = datetime.now(UTC)
    found: Any = jwt.decode(  # type: ignore[no-untyped-call]
        token(signed(key_file(), now, Vertex())), certs=PUBLIC, clock_skew_in_seconds=5
    )
    assert found["iss"] == "bot@p.iam.gserviceaccount.com"


def test_a_token_serves_until_shortly_before_its_end() -> None:
    """Then, or when the clock was set back, another one is made."""
    vertex = Vertex()
    first = token(signed(key_file(), NOW, vertex))
    assert token(signed(key_file(), NOW + timedelta(minutes=54), vertex)) == first
    assert token(signed(key_file(), NOW + timedelta(minutes=56), vertex)) != first
    assert token(signed(key_file(), NOW - timedelta(hours=1), vertex)) != first


def test_neither_the_key_nor_the_token_may_be_shown() -> None:
    """Both are secrets of the request, should the provider echo them."""
    http = signed(key_file())
    assert {PRIVATE, key_file(), token(http)} <= set(http.secrets)
    assert http.signer is None
    assert token(http) not in repr(http)


@pytest.mark.parametrize("key", ["ya29.abc", "ya29.c.abc", "eyJhbGciOi.eyJpc3Mi.c2ln"])
def test_a_token_is_a_bearer(key: str) -> None:
    """An access token, or a web token that somebody else signed."""
    http = signed(key)
    assert http.headers["authorization"] == f"Bearer {key}"
    assert http.secrets == (key,)


@pytest.mark.parametrize("key", ["AIzaSyAbc", "AQ.Ab8abc", "x", " AIzaSyAbc\n"])
def test_any_other_word_is_an_api_key(key: str) -> None:
    """It goes into its own header."""
    http = signed(key)
    assert http.headers["x-goog-api-key"] == key.strip()
    assert "authorization" not in http.headers


@pytest.mark.parametrize(
    "key",
    [
        "{",
        key_file()[:-50],
        b64encode(key_file().encode()[:-50]).decode(),
        key_file(type="authorized_user"),
        key_file(type="external_account", credential_source={"executable": {"command": "/bin/sh"}}),
        key_file(private_key=None),
        key_file(client_email=7),
        "{}",
    ],
)
def test_a_key_file_that_cannot_be_used_is_refused_before_anything_is_sent(key: str) -> None:
    """Files of other kinds name addresses or commands to ask, and whoever may set a key must not choose those."""
    with pytest.raises(EndpointError) as refusal:
        VERTEX.build(REQUEST, Endpoint(PLACE, key))
    assert "PRIVATE" not in str(refusal.value)


def test_a_private_key_that_cannot_sign_is_one_sentence_without_the_key() -> None:
    """Found when the request is signed."""
    with pytest.raises(EndpointError, match="private key of the service account") as refusal:
        signed(key_file(private_key="-----BEGIN PRIVATE KEY-----\nc2VjcmV0\n-----END PRIVATE KEY-----\n"))
    assert "c2VjcmV0" not in str(refusal.value)
    assert refusal.value.__suppress_context__


def test_without_a_key_the_machine_answers_for_itself(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Application default credentials; here a service account's file, for which no network is needed."""
    file = tmp_path / "key.json"
    file.write_text(key_file())
    monkeypatch.setenv("GOOGLE_APPLICATION_CREDENTIALS", str(file))
    http = signed(None, datetime.now(UTC), Vertex())
    assert claims(http)["iss"] == "bot@p.iam.gserviceaccount.com"
    assert claims(http)["scope"] == "https://www.googleapis.com/auth/cloud-platform"
    assert token(http) in http.secrets


def test_a_machine_without_credentials_says_so(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """In one sentence."""
    monkeypatch.setenv("GOOGLE_APPLICATION_CREDENTIALS", str(tmp_path / "missing.json"))
    with pytest.raises(EndpointError, match="no Google credentials"):
        signed("", NOW, Vertex())


@pytest.mark.parametrize(
    "base",
    [
        "https://gateway.example/v1/projects/p/locations/l",
        "http://x.googleapis.com/v1/projects/p/locations/l",
        "https://evil.example/x.googleapis.com/v1/projects/p/locations/l",
        "https://x.googleapis.com@evil.example/v1/projects/p/locations/l",
        "https://[x/v1/projects/p/locations/l",
    ],
)
def test_the_machines_own_credentials_go_to_google_only(base: str) -> None:
    """Whoever may set an address must not get them."""
    with pytest.raises(EndpointError, match="Google's hosts only"):
        VERTEX.build(REQUEST, Endpoint(base))


def test_building_again_makes_the_same_request() -> None:
    """The transport compares bodies."""
    one, other = (VERTEX.build(REQUEST, Endpoint(PLACE, key_file())) for _ in range(2))
    assert msgspec.structs.asdict(one) | {"signer": None} == msgspec.structs.asdict(other) | {"signer": None}
