"""What an error object says, whoever wrote it: the words, the codes and the fields beside them, out of any shape in use.

    {"error": {"message", "type", "code", "param"}}    OpenAI and its likes, Anthropic, Google ("status", "details")
    {"error": "…", "code": "…"}                         Ollama, LM Studio, xAI
    {"message", "__type"}, {"originalMessage"}         Amazon
    {"detail": […]}, {"message": {"detail": […]}}      FastAPI, Mistral
    {"status", "title", "detail"}                      NVIDIA (RFC 9457)
    {"errors": [{…}]}, [{"error": {…}}]                Cloudflare, Google's OpenAI endpoint
    {"error_code", "message"}, {"reason", "message"}   Databricks, Novita
    {"base_resp": {"status_code", "status_msg"}}       MiniMax

Routers put the error of the host behind them, as JSON or as text, inside their own (`metadata.raw`, a `message` that is JSON):
both speak, the inner one where it knows more. Nothing here decides what it all means.
"""

from __future__ import annotations

import re
from codecs import BOM_UTF8
from collections.abc import Iterator, Mapping
from typing import Any, Final

import msgspec

from adapters.wire.loose_json import read_json
from adapters.wire.surrogates import without_halves

MAX_DEPTH: Final = 4
"""How deep routers may be nested in routers."""

MAX_SEARCHED_CHARS: Final = 20_000
"""How much of a text is searched for JSON and for names: transport.MAX_ERROR_BYTES is the bound of the whole."""


class Failure(msgspec.Struct, frozen=True):
    """What an error object says."""

    message: str
    codes: tuple[str, ...] = ()
    """The provider's own words for it, the most telling first."""
    keys: tuple[str, ...] = ()
    """The same for looking up: without numbers that mean something else at another vendor."""
    status: int | None = None
    fine_print: str = ""
    """Words that tell the reason but are not for reading: names of quotas, reasons of a moderation."""
    objects: tuple[Mapping[str, Any], ...] = ()
    """The error objects themselves, the outer one first."""
    relayed: bool = False
    """A router passes on what another host said, which does not know the router's key."""


def read_body(status: int, body: bytes) -> Failure:
    """The failure of an answer whose status is not 2xx."""
    if is_web_page(body):
        hint = "; is the base URL right?" if status in (404, 405) else ""
        return Failure(f"{describe_web_page(body)} (HTTP {status}){hint}")
    text = body.removeprefix(BOM_UTF8).decode("utf-8", "replace").strip()
    if not text:
        return Failure(f"HTTP {status} without a body")
    value = _json(text)
    return Failure(text) if value is None and text != "null" else read_object(value)


def read_object(value: Any, depth: int = 0) -> Failure:
    """The failure of a value decoded from JSON, of any shape."""
    if isinstance(value, list) and value:
        value = value[0]
    if not isinstance(value, dict):
        return Failure(str(value) if value else "the provider gave no reason")
    outer, error = value, _inner_object(value)
    if isinstance(error, str):
        inner = _decoded(error, depth)
        message = inner.message if inner else _message_of(outer, default=error)
        return _joined(outer, outer, message, inner, replaced=True)
    inner = _wrapped(error, depth)
    replaced = inner is not None and inner.message.strip() != "" and not _says_something(error)
    message = _message_of(error, default="") or (_message_of(outer, default="") if outer is not error else "")
    if inner is None:
        message = message or _text(error)
    elif not replaced:
        message = f"{message}: {inner.message}" if message else inner.message
    return _joined(outer, error, inner.message if replaced and inner else message, inner)


def is_web_page(body: bytes) -> bool:
    """Whether this begins like HTML or XML, maybe behind a byte order mark."""
    start = body.removeprefix(BOM_UTF8)[:64].lstrip().lower()
    return start.startswith((b"<!doctype", b"<html", b"<head", b"<?xml", b"<!--"))


def describe_web_page(body: bytes) -> str:
    """The page in one clause: its title, and nothing else of it."""
    title = re.search(rb"<title[^>]*>([^<]{1,200})", body, re.IGNORECASE)
    named = f" titled {title[1].decode('utf-8', 'replace').strip()!r}" if title else ""
    return f"the server answered with a web page{named}"


def detail_entries(error: Mapping[str, Any]) -> Iterator[Mapping[str, Any]]:
    """The objects in the lists of an error: Google's `details`, the `detail` of FastAPI, `errors`."""
    for name in ("details", "detail", "errors", "message"):
        value = error.get(name)
        if isinstance(value, dict):
            value = value.get("detail")
        if isinstance(value, list):
            yield from (entry for entry in value if isinstance(entry, dict))


def _joined(
    outer: Mapping[str, Any], error: Mapping[str, Any], message: str, inner: Failure | None, *, replaced: bool = False
) -> Failure:
    codes, keys = _codes_of(error)
    if outer is not error:
        more_codes, more_keys = _codes_of(outer)
        codes, keys = (*codes, *more_codes), (*keys, *more_keys)
    objects = (error,) if outer is error else (error, outer)
    status = _status_of(error) or _status_of(outer)
    if inner is not None:
        # The number of a router says what it passes on; a word of the host says why.
        words = tuple(code for code in codes if not code.isdecimal())
        numbers = tuple(code for code in codes if code.isdecimal())
        codes, keys = (*words, *inner.codes, *numbers), (*keys, *inner.keys)
        objects = (*objects, *inner.objects)
        status = (inner.status if replaced else None) or status or inner.status
    return Failure(
        message=message,
        codes=codes,
        keys=keys,
        status=status,
        fine_print=" ".join(filter(None, (*_fine_print(error), inner.fine_print if inner else ""))),
        objects=objects,
        relayed=_is_relayed(error),
    )


def _inner_object(value: dict[str, Any]) -> dict[str, Any] | str:
    """The object that speaks: `error` where there is one, the value itself otherwise."""
    error = value.get("error") or value.get("errors")
    if isinstance(error, list) and error:
        error = error[0]
    if not error:
        response = value.get("response")  # OpenAI Responses: response.failed
        error = response.get("error") if isinstance(response, dict) else None
    if isinstance(error, str):
        return error
    if isinstance(error, dict):
        # litellm and others wrap once more.
        deeper = error.get("error")
        return deeper if isinstance(deeper, dict) and not _message_of(error, default="") else error
    return value


def _wrapped(error: Mapping[str, Any], depth: int) -> Failure | None:
    metadata = error.get("metadata")
    candidates = [
        metadata.get("raw") if isinstance(metadata, dict) else None,
        error.get("originalMessage"),
        error.get("message"),
    ]
    for candidate in candidates[:2]:
        if isinstance(candidate, dict) and candidate and depth < MAX_DEPTH:
            return read_object(candidate, depth + 1)
        if isinstance(candidate, str) and candidate.strip():
            return _decoded(candidate, depth) or Failure(candidate)
    message = candidates[2]
    return _decoded(message, depth) if isinstance(message, str) else None


def _decoded(text: str, depth: int) -> Failure | None:
    """The failure in a text that is or that ends with a JSON object; None where it holds none."""
    start = text.find("{", 0, MAX_SEARCHED_CHARS)
    if start < 0 or depth >= MAX_DEPTH:
        return None
    value = _json(text[start : text.rfind("}") + 1])
    if not isinstance(value, dict) or not any(name in value for name in ("error", "message", "detail", "errors")):
        return None
    return read_object(value, depth + 1)


def _json(text: str) -> Any:
    """The value, or None where this is no JSON. Servers that quote the request back may cut an emoji of it in two."""
    try:
        return msgspec.json.decode(text)
    except (msgspec.MsgspecError, RecursionError, UnicodeEncodeError):
        return without_halves(read_json(text))


def _says_something(error: Mapping[str, Any]) -> bool:
    """Whether an object has words of its own around the error that it carries."""
    message = error.get("message")
    return isinstance(message, str) and bool(message) and message.lstrip()[:1] != "{"


_MESSAGES: Final = ("message", "Message", "detail", "msg", "error_description", "errorMessage", "error_msg", "title")


def _message_of(error: Mapping[str, Any], default: str) -> str:
    for name in _MESSAGES:
        value = error.get(name)
        if isinstance(value, str) and value:
            return value
        if value and not isinstance(value, str):
            return _text(value)
    base = error.get("base_resp")
    said = base.get("status_msg") if isinstance(base, dict) else None
    return said if isinstance(said, str) and said else default


def _text(value: object) -> str:
    return msgspec.json.encode(value).decode()


def _codes_of(error: Mapping[str, Any]) -> tuple[tuple[str, ...], tuple[str, ...]]:
    """The codes to show and the keys to look up."""
    inner, metadata, base = error.get("innererror"), error.get("metadata"), error.get("base_resp")
    metadata = metadata if isinstance(metadata, dict) else {}
    candidates = [
        error.get("code"),
        error.get("error_code"),
        error.get("reason"),
        *(entry.get("reason") for entry in detail_entries(error)),
        inner.get("code") if isinstance(inner, dict) else None,
        metadata.get("error_type"),
        metadata.get("limit_source"),
        error.get("status"),
        error.get("type"),
        error.get("__type"),
    ]
    names: list[str] = []
    numbers: list[str] = []
    for candidate in candidates:
        if isinstance(candidate, str) and candidate not in ("", "error"):
            (numbers if candidate.isdecimal() else names).append(candidate)
        elif isinstance(candidate, int) and not isinstance(candidate, bool):
            numbers.append(str(candidate))
    keys = list(names)
    if "type" not in error or error.get("type") in numbers:
        # Mistral's 1300 is a rate limit and Z.ai's is a filter; Mistral has a `type` beside it.
        keys += numbers
    number = base.get("status_code") if isinstance(base, dict) else None
    if isinstance(number, int) and number:
        numbers.append(str(number))
        keys.append(f"base_resp {number}")
    return (*names, *numbers), tuple(keys)


_STATUSES: Final = (
    *("originalStatusCode", "status_code", "statusCode", "http_code", "http_status", "raw_status_code"),
    *("code", "status"),
)


def _status_of(error: Mapping[str, Any]) -> int | None:
    for name in _STATUSES:
        value = error.get(name)
        if isinstance(value, str) and value.isascii() and value.isdecimal() and len(value) == 3:
            value = int(value)
        if isinstance(value, int) and 400 <= value < 600:
            return value
    return None


def _fine_print(error: Mapping[str, Any]) -> Iterator[str]:
    """Google names the quota by its time (`GenerateRequestsPerDayPerProject…`), OpenRouter what a moderation found."""
    for entry in detail_entries(error):
        violations = entry.get("violations")
        for violation in violations if isinstance(violations, list) else ():
            if isinstance(violation, dict):
                yield f"{violation.get('quotaId', '')} "
    metadata = error.get("metadata")
    reasons = metadata.get("reasons") if isinstance(metadata, dict) else None
    if isinstance(reasons, list) and reasons:
        yield "was flagged"


def _is_relayed(error: Mapping[str, Any]) -> bool:
    metadata = error.get("metadata")
    return isinstance(metadata, dict) and bool(metadata.get("provider_name")) and metadata.get("raw") is not None
