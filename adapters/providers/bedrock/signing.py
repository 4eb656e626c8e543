"""Who may ask Amazon: a Bedrock API key, the keys of an AWS account, or what the machine itself is allowed.

    ACCESS_KEY_ID:SECRET[:SESSION_TOKEN]   Signature Version 4 (docs.aws.amazon.com/IAM, "AWS Signature Version 4 for API requests")
    any other key                          a Bedrock API key: `Authorization: Bearer`
    none                                   botocore's chain: environment, profile, role of the machine

The signature holds the time, so it is made by the request's signer, with botocore, which is imported only there. What the
machine is allowed goes to Amazon's own hosts and to nobody else: the address may be chosen by who has no right to it.
"""

from __future__ import annotations

import os
import re
from collections.abc import Callable
from datetime import UTC, datetime
from functools import lru_cache
from typing import Any, Final
from urllib.parse import urlsplit

import msgspec

from adapters.contract import EndpointError, HttpRequest

SERVICE: Final = "bedrock"
"""The name for signing, of both hosts (bedrock-runtime and bedrock)."""

_ACCESS_KEY: Final = re.compile(r"[A-Z0-9]{16,128}")
_REGION: Final = re.compile(r"(?:^|\.)bedrock(?:-runtime)?(?:-fips)?\.([a-z]{2,}(?:-[a-z]+)+-\d+)\.")
_AMAZON: Final = re.compile(r"\.(?:amazonaws\.com(?:\.cn)?|api\.aws)$")


class Keys(msgspec.Struct, frozen=True):
    """Credentials of an AWS account."""

    access_key: str
    secret_key: str
    token: str | None = None

    def __repr__(self) -> str:
        return "Keys(***)"


def authorized(request: HttpRequest, api_key: str | None) -> HttpRequest:
    """The request with its key, or with the signer that completes it. Raises EndpointError where it cannot be."""
    if api_key and ":" not in api_key:
        return _with_bearer(request, api_key)
    address = urlsplit(request.url)
    host = address.hostname or ""
    if not api_key and not (address.scheme == "https" and _AMAZON.search(host)):
        # A gateway that needs no key, or adds its own.
        return request
    region = _REGION.search(host)
    if region is None:
        raise EndpointError(
            "AWS keys need the region in the base URL, such as https://bedrock-runtime.us-east-1.amazonaws.com"
        )
    keys = _read_keys(api_key) if api_key else None
    return msgspec.structs.replace(
        request, secrets=_secrets(api_key, keys), signer=_Signer(region[1], keys or machine_keys)
    )


class _Signer:
    """contract.Signer. `keys`: given, or where to get them (which may block)."""

    def __init__(self, region: str, keys: Keys | Callable[[], Keys | str]) -> None:
        self._region = region
        self._keys = keys

    def __call__(self, request: HttpRequest, now: datetime) -> HttpRequest:
        keys = self._keys if isinstance(self._keys, Keys) else self._keys()
        return _with_bearer(request, keys) if isinstance(keys, str) else signed(request, keys, self._region, now)


def signed(request: HttpRequest, keys: Keys, region: str, now: datetime) -> HttpRequest:
    """The request with its signature of Version 4, made at `now` (aware of its zone)."""
    from botocore.auth import SIGV4_TIMESTAMP, SigV4Auth
    from botocore.awsrequest import AWSRequest
    from botocore.credentials import Credentials

    question = AWSRequest(request.method, request.url, dict(request.headers), request.body)
    auth = SigV4Auth(Credentials(keys.access_key, keys.secret_key, keys.token), SERVICE, region)
    # SigV4Auth.add_auth() does the same, at a time that it takes from the machine's clock.
    question.context["timestamp"] = now.astimezone(UTC).strftime(SIGV4_TIMESTAMP)
    auth._modify_request_before_signing(question)
    text = auth.string_to_sign(question, auth.canonical_request(question))
    auth._inject_signature_to_request(question, auth.signature(text, question))
    headers = {name.lower(): value for name, value in question.headers.items()}
    secrets = dict.fromkeys((*request.secrets, *_secrets(None, keys)))
    return msgspec.structs.replace(request, headers=headers, secrets=tuple(secrets))


def machine_keys() -> Keys | str:
    """What the machine itself may use: keys, or a Bedrock API key from the environment. Raises EndpointError. May block."""
    token = os.environ.get("AWS_BEARER_TOKEN_BEDROCK")
    if token:
        return token
    from botocore.exceptions import BotoCoreError

    try:
        found = _session().get_credentials()
        frozen: Any = None if found is None else found.get_frozen_credentials()
    except BotoCoreError as fault:
        raise EndpointError(f"the AWS credentials of this machine cannot be used: {type(fault).__name__}") from fault
    if frozen is None:
        raise EndpointError("there is no key, and this machine has no AWS credentials")
    return Keys(frozen.access_key, frozen.secret_key, frozen.token)


@lru_cache(maxsize=1)
def _session() -> Any:
    """One for the process: it renews the credentials of a role before they end."""
    from botocore.session import Session

    return Session()


def _read_keys(text: str) -> Keys:
    access_key, _, rest = text.strip().partition(":")
    secret_key, _, token = rest.partition(":")
    if not _ACCESS_KEY.fullmatch(access_key) or not secret_key:
        raise EndpointError(
            "AWS keys are written as ACCESS_KEY_ID:SECRET or ACCESS_KEY_ID:SECRET:SESSION_TOKEN; a Bedrock API key has no colon"
        )
    return Keys(access_key, secret_key, token or None)


def _secrets(api_key: str | None, keys: Keys | None) -> tuple[str, ...]:
    parts = (api_key, keys.access_key, keys.secret_key, keys.token) if keys else (api_key,)
    return tuple(part for part in parts if part)


def _with_bearer(request: HttpRequest, key: str) -> HttpRequest:
    headers = {**request.headers, "authorization": f"Bearer {key}"}
    return msgspec.structs.replace(request, headers=headers, secrets=(*request.secrets, key))
