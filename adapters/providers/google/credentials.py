"""How a request to Vertex proves who sends it: five kinds of key, told apart by their looks.

    AIza…, AQ.…, any other word    an API key (express mode): a header, and nothing else
    ya29.…, eyJ….….…              an access token, or a JSON web token that somebody signed: a bearer
    {"type": "service_account"…}   a service account's key file, as it is or in base64 (lists of keys are comma separated):
                                   signs a web token itself (https://google.aip.dev/auth/4111), so no other server is asked
    nothing                        the machine's own credentials (application default), fetched and renewed by google-auth

Key files of other kinds name addresses or commands to fetch a token from. Whoever may set a key must not choose those, so they
are refused. The machine's own credentials go to Google's hosts only.
"""

from __future__ import annotations

import re
from base64 import b64decode
from collections import OrderedDict
from collections.abc import Callable
from datetime import datetime
from threading import Lock
from typing import Any, Final, Protocol

import msgspec

from adapters.contract import EndpointError, HttpRequest, Signer

SCOPE: Final = "https://www.googleapis.com/auth/cloud-platform"
LIFETIME: Final = 3600
"""Seconds: the longest that Google takes."""
MARGIN: Final = 300
"""Seconds before its end from which on a token is not used any more."""
MAX_SOURCES: Final = 32
"""Key files kept ready, the ones used last."""


class Credentials(msgspec.Struct, frozen=True):
    """What goes into a request for a key: headers at once, or a signer for later. `secrets` must never be shown."""

    headers: tuple[tuple[str, str], ...] = ()
    signer: Signer | None = None
    secrets: tuple[str, ...] = ()
    is_key: bool = False
    """A plain API key, for which Vertex needs no project."""


class _Source(Protocol):
    secrets: tuple[str, ...]

    def headers(self, now: datetime) -> dict[str, str]: ...


class Keyring:
    """Makes Credentials of keys, and keeps the sources of tokens, so that a token serves until it ends. Used from threads."""

    def __init__(self) -> None:
        self._sources: OrderedDict[str, _Source] = OrderedDict()
        self._lock = Lock()

    def credentials(self, key: str | None, base_url: str) -> Credentials:
        """Raises EndpointError, whose text holds nothing of the key."""
        key = (key or "").strip()
        if not key:
            if not _is_google(base_url):
                raise EndpointError("this machine's own Google credentials are sent to Google's hosts only; set a key")
            return self._signed("", MachineCredentials)
        if key.startswith("ya29.") or (key.startswith("eyJ") and key.count(".") == 2):
            return Credentials((("authorization", f"Bearer {key}"),), secrets=(key,))
        info = _key_file(key)
        if info is None:
            return Credentials((("x-goog-api-key", key),), secrets=(key,), is_key=True)
        return self._signed(key, lambda: ServiceAccount(info))

    def _signed(self, key: str, make: Callable[[], _Source]) -> Credentials:
        with self._lock:
            source = self._sources.get(key) or make()
            self._sources[key] = source
            self._sources.move_to_end(key)
            if len(self._sources) > MAX_SOURCES:
                self._sources.popitem(last=False)
        secrets = (*source.secrets, *((key,) if key else ()))

        def sign(request: HttpRequest, now: datetime) -> HttpRequest:
            headers = source.headers(now)
            token = headers.get("authorization", "").removeprefix("Bearer ")
            return msgspec.structs.replace(
                request,
                headers={**request.headers, **headers},
                secrets=(*request.secrets, token) if token else request.secrets,
                signer=None,
            )

        return Credentials(signer=sign, secrets=secrets)


class ServiceAccount:
    """Signs with a service account's key."""

    def __init__(self, info: dict[str, Any]) -> None:
        """Raises EndpointError where the key file is no such one."""
        email, private_key = info.get("client_email"), info.get("private_key")
        if info.get("type") != "service_account" or not isinstance(email, str) or not isinstance(private_key, str):
            raise EndpointError("the key is no API key, access token, or key file of a service account")
        self.email = email
        self.secrets: tuple[str, ...] = (private_key,)
        self._info = info
        self._token = ""
        self._ends = 0.0
        self._lock = Lock()

    def headers(self, now: datetime) -> dict[str, str]:
        """Raises EndpointError where the private key cannot sign."""
        with self._lock:
            seconds = now.timestamp()
            # A clock that was set back must not keep a token that is not valid yet.
            if not self._ends - LIFETIME <= seconds < self._ends - MARGIN:
                self._token = self._sign(int(seconds))
                self._ends = int(seconds) + LIFETIME
            return {"authorization": f"Bearer {self._token}"}

    def _sign(self, seconds: int) -> str:
        from google.auth import crypt, jwt

        claims = {
            "iss": self.email,
            "sub": self.email,
            "scope": SCOPE,
            "iat": seconds,
            "exp": seconds + LIFETIME,
        }
        try:
            signer = crypt.RSASigner.from_service_account_info(self._info)  # type: ignore[no-untyped-call]
            token: bytes = jwt.encode(signer, claims)  # type: ignore[no-untyped-call]
        except Exception:  # whatever the parsers of keys raise may quote the key
            raise EndpointError("the private key of the service account cannot be used") from None
        return token.decode("ascii")


class MachineCredentials:
    """Application default credentials: GOOGLE_APPLICATION_CREDENTIALS, gcloud's login, or the metadata server."""

    secrets: tuple[str, ...] = ()

    def __init__(self) -> None:
        self._credentials: Any = None
        self._lock = Lock()

    def headers(self, now: datetime) -> dict[str, str]:
        """Blocks while a token is fetched. google-auth reads the clock itself. Raises EndpointError."""
        from google.auth.exceptions import GoogleAuthError

        with self._lock:
            try:
                return self._headers()
            except GoogleAuthError:
                raise EndpointError("this machine has no Google credentials that work; set a key, or log in") from None

    def _headers(self) -> dict[str, str]:
        import google.auth
        from google.auth.transport.requests import Request

        if self._credentials is None:
            credentials, _ = google.auth.default(scopes=[SCOPE])
            if hasattr(credentials, "with_always_use_jwt_access"):
                credentials = credentials.with_always_use_jwt_access(True)
            self._credentials = credentials
        if not self._credentials.valid:
            self._credentials.refresh(Request())
        headers: dict[str, str] = {}
        self._credentials.apply(headers)
        return headers


def _key_file(key: str) -> dict[str, Any] | None:
    """The object, of JSON or of base64 of JSON; None where the key is neither. Raises EndpointError where it is cut off."""
    text = key.encode()
    if not key.startswith("{"):
        try:
            text = b64decode("".join(key.split()), validate=True)
        except ValueError:
            return None
        if not text.lstrip().startswith(b"{"):
            return None
    try:
        info = msgspec.json.decode(text)
    except (msgspec.MsgspecError, RecursionError):
        raise EndpointError("the key begins like a key file but is not valid JSON") from None
    return info if isinstance(info, dict) else None


def _is_google(base_url: str) -> bool:
    return re.match(r"https://[\w.-]+\.googleapis\.com(?::443)?/", base_url, re.ASCII) is not None
