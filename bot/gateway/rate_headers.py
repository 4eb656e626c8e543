"""Listens to discord.py's HTTP calls and tells the pacer what goes out and what the answers' headers say.

discord.py keeps those numbers to itself; aiohttp's tracing, which it lets through (`http_trace`), shows each call and
its answer's headers as soon as they are there, also those of the tries that discord.py makes by itself. A call by a webhook's
or an interaction's token has windows of its own, wherever it writes: its place is made of the token.
"""

from __future__ import annotations

import re
from types import SimpleNamespace

import aiohttp
import discord
import yarl

from bot.delivery.pacing.buckets import Budget, Route
from bot.delivery.pacing.pacer import Pacer
from bot.delivery.webhook_calls import pacing_place

ROUNDING = 0.01
"""Seconds put on the time that is left of a window: headers are rounded, and no call must come a moment too early."""
LONGEST_LIMIT = 600.0
"""Seconds for which a header is believed: a number that makes no sense must not silence a channel, or the bot, for ever."""
_OWN_LIMITS = ("/webhooks/", "/interactions/")
"""Calls by a token of their own do not count for the bot's global limit (https://docs.discord.com/developers/topics/rate-limits)."""
_IN_CHANNEL = re.compile(r"/channels/(\d+)/(messages|messages/\d+|typing)$")
_BY_TOKEN = re.compile(r"/webhooks/(\d+)/([^/]+?)(?:/messages/(\d+|@original))?$")
_ROUTES = {
    ("POST", "messages"): Route.CREATE,
    ("PATCH", "message"): Route.EDIT,
    ("DELETE", "message"): Route.DELETE,
    ("POST", "typing"): Route.TYPING,
}
_ROUTES_BY_TOKEN = {
    ("POST", ""): Route.CREATE,
    # An answer's first message fills the deferred response; later it is edited by its id.
    ("PATCH", "@original"): Route.CREATE,
    ("PATCH", "message"): Route.EDIT,
    ("DELETE", "message"): Route.DELETE,
}


def rate_header_trace(pacer: Pacer) -> aiohttp.TraceConfig:
    async def started(
        _session: aiohttp.ClientSession, _context: SimpleNamespace, params: aiohttp.TraceRequestStartParams
    ) -> None:
        if (place := _place(params.method, params.url)) is not None:
            pacer.went_out(*place)
        elif _counts_globally(params.url):
            pacer.other_went_out()

    async def answered(
        _session: aiohttp.ClientSession, _context: SimpleNamespace, params: aiohttp.TraceRequestEndParams
    ) -> None:
        place = _place(params.method, params.url)
        if params.response.status == 429:
            _limited(pacer, place, params.response)
        elif place is not None:
            pacer.answered(*place, _budget(params.response))

    async def failed(
        _session: aiohttp.ClientSession, _context: SimpleNamespace, params: aiohttp.TraceRequestExceptionParams
    ) -> None:
        if (place := _place(params.method, params.url)) is not None:
            pacer.answered(*place, None)

    trace = aiohttp.TraceConfig()
    trace.on_request_start.append(started)
    trace.on_request_end.append(answered)
    trace.on_request_exception.append(failed)
    return trace


def _place(method: str, url: yarl.URL) -> tuple[int, Route] | None:
    """Place and route, where the call is one that lanes ask for."""
    if (found := _BY_TOKEN.search(url.path)) is not None:
        webhook_id, token, message = found.groups("")
        route = _ROUTES_BY_TOKEN.get((method, "message" if message.isdigit() else message))
        return None if route is None else (pacing_place(int(webhook_id), token), route)
    found = _IN_CHANNEL.search(url.path)
    if found is None:
        return None
    channel_id, what = found.groups()
    route = _ROUTES.get((method, "message" if what.startswith("messages/") else what))
    return None if route is None else (int(channel_id), route)


def _counts_globally(url: yarl.URL) -> bool:
    """The client fetches files and opens the gateway through the same session; those are no calls of the API."""
    base = discord.http.Route.BASE
    return str(url).startswith(base) and not url.path.removeprefix(yarl.URL(base).path).startswith(_OWN_LIMITS)


def _budget(response: aiohttp.ClientResponse) -> Budget | None:
    headers = response.headers
    try:
        remaining, limit = int(headers["X-RateLimit-Remaining"]), int(headers["X-RateLimit-Limit"])
        left = _seconds(headers["X-RateLimit-Reset-After"]) + ROUNDING
        return Budget(remaining, left, limit, headers.get("X-RateLimit-Bucket", ""))
    except (KeyError, ValueError):
        return None


def _seconds(header: str) -> float:
    """ValueError for what is no number. "NaN" is one, and none that is larger than 0."""
    return min(max(0.0, float(header)), LONGEST_LIMIT)


def _limited(pacer: Pacer, place: tuple[int, Route] | None, response: aiohttp.ClientResponse) -> None:
    try:
        retry_after = _seconds(response.headers["Retry-After"])
    except (KeyError, ValueError):
        retry_after = 0.0
    scope = response.headers.get("X-RateLimit-Scope")
    if scope == "global":
        pacer.globally_limited(retry_after)
    if place is not None and scope == "global":
        pacer.answered(*place, None)
    elif place is not None:
        pacer.limited(*place, retry_after, shared=scope == "shared")
