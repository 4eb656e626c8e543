"""Which handler answers which request of the REST API, and what kind of request and answer they exchange."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Mapping
from typing import Any
from urllib.parse import unquote

import msgspec

from bot.playground.standin.backend import Backend
from bot.playground.standin.errors import METHOD_NOT_ALLOWED, NOT_FOUND, ApiError
from bot.playground.standin.rate_limits import BucketRule


class UploadedFile(msgspec.Struct, frozen=True):
    field: str
    """Name of the form field, such as `files[0]`."""
    filename: str
    data: bytes

    @property
    def placeholder_id(self) -> str:
        """The number by which `attachments` of the request speaks of this file."""
        return self.field.removeprefix("files[").removesuffix("]")


class ApiRequest(msgspec.Struct, frozen=True):
    method: str
    path: str
    """Still percent-encoded, without the API base."""
    query: Mapping[str, str]
    body: Any
    """Parsed JSON; of a multipart request its `payload_json`."""
    files: tuple[UploadedFile, ...]
    content_type: str
    params: Mapping[str, str] = {}
    """What stands for the placeholders of the route."""


class ApiAnswer(msgspec.Struct, frozen=True):
    status: int
    body: Any = None
    """JSON, or None for an answer without a body."""


NO_CONTENT = ApiAnswer(204)

Handler = Callable[[Backend, ApiRequest], ApiAnswer]


class Endpoint(msgspec.Struct, frozen=True):
    method: str
    route: str
    """Path with `{name}` for what varies; the first of them is the major parameter of the rate limit."""
    handler: Handler
    bucket: BucketRule | None = None
    major: tuple[str, ...] = ("channel_id",)
    by_token: bool = False
    """An interaction's or webhook's token in the path authorizes, and the global rate limit does not count it."""


class Match(msgspec.Struct, frozen=True):
    endpoint: Endpoint
    params: Mapping[str, str]


class Router:
    def __init__(self, endpoints: Iterable[Endpoint]) -> None:
        # Literal parts win over placeholders: `messages/@original` before `messages/{message_id}`.
        ordered = sorted(endpoints, key=lambda endpoint: endpoint.route.count("{"))
        self._routes = [(_pattern(endpoint.route), endpoint) for endpoint in ordered]

    def match(self, method: str, path: str) -> Match:
        """Raises ApiError 404 or 405."""
        path_exists = False
        for pattern, endpoint in self._routes:
            if found := pattern.fullmatch(path):
                path_exists = True
                if endpoint.method == method:
                    return Match(endpoint, {name: unquote(value) for name, value in found.groupdict().items()})
        raise ApiError(METHOD_NOT_ALLOWED if path_exists else NOT_FOUND)


def _pattern(route: str) -> re.Pattern[str]:
    return re.compile(re.sub(r"\{(\w+)\}", r"(?P<\1>[^/]+)", route))
