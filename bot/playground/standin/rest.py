"""The REST API on HTTP: reads a request, holds it to authorization and rate limits, lets a handler answer, writes it out.

https://docs.discord.com/developers/reference#http-api
"""

from __future__ import annotations

import asyncio
import json
from collections.abc import Callable, Mapping
from typing import Any

import msgspec
from aiohttp import web

from bot.playground.standin import (
    account_endpoints,
    emoji_endpoints,
    interaction_endpoints,
    message_endpoints,
    thread_endpoints,
    webhook_endpoints,
)
from bot.playground.standin.backend import Backend
from bot.playground.standin.errors import INVALID_JSON, TOO_LARGE, UNAUTHORIZED, ApiError
from bot.playground.standin.faults import Fault, FaultPlan, default_body
from bot.playground.standin.rate_limits import TooManyRequests
from bot.playground.standin.recent import keep_recent
from bot.playground.standin.routing import ApiAnswer, ApiRequest, Match, Router, UploadedFile
from bot.playground.standin.validation import REQUEST_BYTES_LIMIT
from bot.playground.standin.wiretap import Wiretap

API_BASE = "/api/v10"
_MODULES = (
    account_endpoints,
    emoji_endpoints,
    interaction_endpoints,
    message_endpoints,
    thread_endpoints,
    webhook_endpoints,
)
_INVALID_STATUSES = frozenset({401, 403, 429})
_FAULT_RETRY_AFTER = 0.05
_DEPTH_LIMIT = 64
"""Levels of a body's JSON; no request that Discord knows comes near it, and copying deeper ones would overflow the stack."""

# discord.py takes a 429 without Via for a ban by the proxy, and does not try again.
_ALWAYS = {"Via": "1.1 standin"}


class SentFile(msgspec.Struct, frozen=True):
    """What is remembered of an uploaded file."""

    field: str
    filename: str
    size: int
    """Bytes."""


class Call(msgspec.Struct, frozen=True):
    """One REST call, written down when it is over."""

    method: str
    path: str
    """Without the API base, percent-encoded."""
    route: str | None
    """The path with placeholders; None where the API has no such path."""
    query: Mapping[str, str]
    body: Any
    """The request's JSON."""
    files: tuple[SentFile, ...]
    status: int | None
    """None where the connection was dropped."""
    answer: Any
    """The answer's JSON; None where it had none."""
    at: float
    """When it arrived, on the clock's `now`."""


class RestApi:
    def __init__(self, backend: Backend, token: str, wiretap: Wiretap, changed: Callable[[], None]) -> None:
        self.calls: list[Call] = []
        self.in_flight = 0
        """Calls that have arrived and are not over."""
        self.invalid_requests = 0
        """Answers of 401, 403 and 429; at 10,000 in ten minutes Discord bans the address."""
        self.faults = FaultPlan()
        self._backend = backend
        self._token = token
        self._wiretap = wiretap
        self._changed = changed
        self._router = Router(endpoint for module in _MODULES for endpoint in module.ENDPOINTS)

    async def handle(self, http: web.Request) -> web.StreamResponse:
        at = self._backend.clock.now()
        path = http.rel_url.raw_path.removeprefix(API_BASE)
        request = ApiRequest(http.method, path, dict(http.query), None, (), http.content_type)
        match: Match | None = None
        answer: ApiAnswer | None = None
        self.in_flight += 1
        self._changed()
        try:
            request = await _read(http, request)
            match = self._router.match(request.method, path)
            self._wiretap.request(request.method, path, request.body, request.content_type)
            request = msgspec.structs.replace(request, params=match.params)
            answer, headers = await self._answer(http, request, match)
        except ApiError as error:
            answer, headers = ApiAnswer(error.kind.status, error.body), {}
        finally:
            self.in_flight -= 1
            keep_recent(self.calls, _call(request, match, answer, at))
            self._changed()
        if answer is None:
            return web.Response()  # its connection is gone
        self.invalid_requests += answer.status in _INVALID_STATUSES
        self._wiretap.response(request.method, path, answer.status, answer.body)
        return _write(answer, headers)

    async def _answer(
        self, http: web.Request, request: ApiRequest, match: Match
    ) -> tuple[ApiAnswer | None, Mapping[str, str]]:
        fault = self.faults.take(request.method, request.path)
        if fault is None:
            return self._serve(http, request, match)
        if fault.hold is not None:
            await fault.hold.wait()
        await asyncio.sleep(fault.delay)
        breaks = fault.drop or fault.status is not None
        if fault.after_effect or not breaks:
            served = self._serve(http, request, match)
            if not breaks:
                return served
        if fault.status is not None:
            return _faulty(fault.status, fault)
        if http.transport is not None:
            http.transport.abort()
        return None, {}

    def _serve(self, http: web.Request, request: ApiRequest, match: Match) -> tuple[ApiAnswer, Mapping[str, str]]:
        headers: dict[str, str] = {}
        endpoint, limiter = match.endpoint, self._backend.limiter
        try:
            if not endpoint.by_token:
                if http.headers.get("Authorization") != f"Bot {self._token}":
                    raise ApiError(UNAUTHORIZED)
                verdict = limiter.take_global()
                if not verdict.allowed:
                    raise TooManyRequests(verdict)
            if endpoint.bucket is not None:
                major = "/".join(match.params[name] for name in endpoint.major)
                bucket = limiter.take(endpoint.bucket, major)
                if bucket is not None:
                    headers = bucket.headers()
                    if not bucket.allowed:
                        raise TooManyRequests(bucket)
            return endpoint.handler(self._backend, request), headers
        except TooManyRequests as refused:
            return ApiAnswer(429, refused.body), headers | refused.headers()
        except ApiError as error:
            return ApiAnswer(error.kind.status, error.body), headers


def _call(request: ApiRequest, match: Match | None, answer: ApiAnswer | None, at: float) -> Call:
    return Call(
        method=request.method,
        path=request.path,
        route=match.endpoint.route if match else None,
        query=request.query,
        body=request.body,
        files=tuple(SentFile(file.field, file.filename, len(file.data)) for file in request.files),
        status=answer.status if answer else None,
        answer=answer.body if answer else None,
        at=at,
    )


async def _read(http: web.Request, request: ApiRequest) -> ApiRequest:
    """The request with its body. Raises ApiError: not JSON or no text that can be stored, too large."""
    if (http.content_length or 0) > REQUEST_BYTES_LIMIT:
        raise ApiError(TOO_LARGE)
    try:
        if http.content_type == "multipart/form-data":
            form = await http.post()
            files = tuple(
                UploadedFile(name, part.filename, part.file.read())
                for name, part in form.items()
                if isinstance(part, web.FileField)
            )
            for file in files:
                file.filename.encode()  # aiohttp passes bytes that are no UTF-8 on as lone surrogates
            payload = form.get("payload_json", "{}")
            body = _parsed(payload if isinstance(payload, str) else "")
            return msgspec.structs.replace(request, body=body, files=files)
        raw = await http.read()
        return msgspec.structs.replace(request, body=_parsed(raw) if raw else None)
    except web.HTTPRequestEntityTooLarge:
        raise ApiError(TOO_LARGE) from None
    except (ValueError, RecursionError):
        raise ApiError(INVALID_JSON) from None


def _parsed(raw: str | bytes) -> Any:
    """JSON as the standard has it: unlike `json`, msgspec takes no lone surrogates, which Discord never stores.

    Raises ValueError, RecursionError.
    """
    body = msgspec.json.decode(raw)
    level = [body]
    for _ in range(_DEPTH_LIMIT):
        level = [child for parent in level for child in _children(parent)]
    if level:
        raise RecursionError
    return body


def _children(parent: Any) -> list[Any]:
    if isinstance(parent, dict):
        return list(parent.values())
    return parent if isinstance(parent, list) else []


def _faulty(status: int, fault: Fault) -> tuple[ApiAnswer, Mapping[str, str]]:
    headers = dict(fault.headers)
    if status == 429:
        headers = {"Retry-After": "1", "X-RateLimit-Scope": "user"} | headers
    body = fault.body if fault.body is not None else default_body(status, _FAULT_RETRY_AFTER)
    return ApiAnswer(status, body), headers


def _write(answer: ApiAnswer, headers: Mapping[str, str]) -> web.Response:
    if answer.body is None:
        return web.Response(status=answer.status, headers={**_ALWAYS, **headers})
    if isinstance(answer.body, str):
        content_type, data = "text/plain", answer.body
    else:
        # Exactly this: discord.py reads a body whose type has a charset parameter as plain text.
        content_type, data = "application/json", json.dumps(answer.body)
    headers = {**_ALWAYS, "Content-Type": content_type, **headers}
    return web.Response(status=answer.status, headers=headers, body=data.encode())
