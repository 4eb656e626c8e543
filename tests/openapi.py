"""Discord's published schemas as an oracle for both directions of the wire.

`openapi.json` is Discord's own document of HTTP API v10 (discord/discord-api-spec); the gateway is not in it, so
`gateway_schemas.json` (from npm discord-api-types) stands for that. Both lie in a directory that not every machine has:
where it is absent, tests run without the oracle (`Contract.load()` is None) and prove less; only what asserts about the
oracle itself is skipped (`Contract()`).
"""

from __future__ import annotations

import json
import os
import re
from collections import Counter
from functools import cache
from pathlib import Path
from typing import Any

import msgspec
import pytest
from jsonschema import Draft7Validator, Draft202012Validator
from jsonschema.protocols import Validator

from bot.playground.standin.wiretap import Direction

_DOCUMENTS = ("openapi.json", "gateway_schemas.json")


def _path(name: str) -> Path:
    shared = Path(os.environ.get("PARLEY_SHARED", Path(__file__).parents[2] / "shared"))
    return shared / "discord" / name


class KnownDeviation(msgspec.Struct, frozen=True):
    """Where Discord's documentation and behaviour are wider than the schema (its README: follow the docs)."""

    pattern: str
    reason: str


KNOWN_DEVIATIONS = (
    KnownDeviation(
        r"request .*message_reference/(message|channel|guild)_id: \d+ is not of type",
        "discord.py sends the snowflakes of message_reference as JSON integers, and Discord takes them",
    ),
    KnownDeviation(
        r"request .*attachments/\d+/id: \d+ is not of type 'string'",
        "reference, Uploading Files: the id of a new file is a placeholder, a snowflake or a number",
    ),
    KnownDeviation(
        r"response .*_errors/\d+/code: '[A-Z0-9_]+' is not of type 'integer'",
        "reference, Error Messages: the inner code is a string",
    ),
    KnownDeviation(
        r"response .*message_reference/type: 0 was expected",
        "reference, Message Reference Types: 1 is a forward, which the document leaves out",
    ),
    KnownDeviation(
        r"request POST /users/@me/channels: recipient_id: \d+ is not of type",
        "discord.py sends the recipient as a JSON integer, and Discord takes it",
    ),
)


@cache
def _document(name: str) -> dict[str, Any]:
    document: dict[str, Any] = json.loads(_path(name).read_text())
    return document


@cache
def _operations() -> tuple[tuple[re.Pattern[str], str, dict[str, Any]], ...]:
    paths = sorted(_document("openapi.json")["paths"].items(), key=lambda item: item[0].count("{"))
    return tuple((re.compile(re.sub(r"\{[^}]+\}", "[^/]+", path)), path, operations) for path, operations in paths)


@cache
def _rest_validator(schema: str) -> Validator:
    components = _document("openapi.json")["components"]
    return Draft202012Validator({**json.loads(schema), "components": components})


@cache
def _gateway_validator(event: str) -> Validator | None:
    definitions = _document("gateway_schemas.json")["definitions"]
    schema = definitions["Gateway"]["properties"].get(event)
    return None if schema is None else Draft7Validator({**schema, "definitions": definitions})


class Contract:
    """A Wiretap that holds each payload to its schema. `violations` is what a test asserts to be empty."""

    def __init__(self) -> None:
        """Skips the test where Discord's schemas are absent."""
        if missing := [path for path in map(_path, _DOCUMENTS) if not path.exists()]:
            pytest.skip(f"Discord's schemas are not on this machine ({missing[0]})")
        self.violations: list[str] = []
        self.checked: Counter[str] = Counter()
        """How often each kind of payload was held to its schema."""
        self.unchecked: Counter[str] = Counter()
        """How often each kind of payload passed for want of a schema."""

    @classmethod
    def load(cls) -> Contract | None:
        """None where Discord's schemas are absent: for tests that run all the same."""
        return cls() if all(_path(name).exists() for name in _DOCUMENTS) else None

    def request(self, method: str, path: str, body: Any, content_type: str) -> None:
        route, operation = _find_operation(method, path)
        if operation is None:
            self.violations.append(f"{method} {path}: no such operation")
        elif body is not None and "requestBody" in operation:
            # The JSON part of a multipart request is held to the JSON schema: the same without the files.
            schema = operation["requestBody"]["content"]["application/json"]["schema"]
            self._check(f"request {method} {route}", _rest_validator(json.dumps(schema)), body)
        elif body is not None:
            self.unchecked[f"request {method} {route}"] += 1

    def response(self, method: str, path: str, status: int, body: Any) -> None:
        route, operation = _find_operation(method, path)
        kind = f"response {method} {route} {status}"
        if operation is None or isinstance(body, str):
            self.unchecked[kind] += 1
            return
        answers = operation["responses"]
        answer = answers.get(str(status)) or (answers["4XX"] if 400 <= status < 500 else None)
        if answer is None:
            if status < 400:
                self.violations.append(f"{kind} is not documented")
            self.unchecked[kind] += 1
            return
        if "$ref" in answer:
            answer = _document("openapi.json")["components"]["responses"][answer["$ref"].rsplit("/", 1)[1]]
        schema = answer.get("content", {}).get("application/json", {}).get("schema")
        if schema is not None:
            self._check(kind, _rest_validator(json.dumps(schema)), body)
        elif body is not None:
            self.violations.append(f"{kind}: has a body")

    def gateway(self, event: str, payload: Any, direction: Direction) -> None:
        validator = _gateway_validator(event)
        if validator is not None:
            self._check(f"gateway {event}", validator, payload)
        else:
            self.unchecked[f"gateway {event}"] += 1

    def _check(self, what: str, validator: Validator, payload: Any) -> None:
        self.checked[what] += 1
        for error in validator.iter_errors(payload):
            while error.context:  # into anyOf and oneOf, to the alternative that came furthest
                error = max(error.context, key=lambda inner: len(inner.absolute_path))
            text = f"{what}: {'/'.join(map(str, error.absolute_path))}: {error.message[:200]}"
            if not any(re.search(known.pattern, text) for known in KNOWN_DEVIATIONS):
                self.violations.append(text)


def _find_operation(method: str, path: str) -> tuple[str, dict[str, Any] | None]:
    for pattern, route, operations in _operations():
        if method.lower() in operations and pattern.fullmatch(path):
            return route, operations[method.lower()]
    return path, None
