"""Listens to discord.py's HTTP answers and tells the pacing what their rate-limit headers say.

discord.py keeps those numbers to itself; aiohttp's tracing, which it lets through (`http_trace`), shows each answer as
soon as its headers are there.
"""

from __future__ import annotations

import asyncio
import re
from types import SimpleNamespace

import aiohttp

from bot.delivery.pacing import Budget, PacingBook, Route

_MESSAGES = re.compile(r"/channels/(\d+)/messages(/\d+)?$")
_ROUTES = {
    ("POST", False): Route.CREATE,
    ("PATCH", True): Route.EDIT,
    ("DELETE", True): Route.DELETE,
}


def rate_header_trace(book: PacingBook) -> aiohttp.TraceConfig:
    async def answered(
        _session: aiohttp.ClientSession, _context: SimpleNamespace, params: aiohttp.TraceRequestEndParams
    ) -> None:
        found = _MESSAGES.search(params.url.path)
        if found is None or (route := _ROUTES.get((params.method, found[2] is not None))) is None:
            return
        headers, now = params.response.headers, asyncio.get_running_loop().time()
        pacing = book.of(int(found[1]))
        try:
            if params.response.status == 429:
                pacing.limited(route, float(headers["Retry-After"]), now)
            else:
                budget = Budget(int(headers["X-RateLimit-Remaining"]), float(headers["X-RateLimit-Reset-After"]))
                pacing.answered(route, budget, now)
        except (KeyError, ValueError):
            return  # an answer without numbers teaches nothing

    trace = aiohttp.TraceConfig()
    trace.on_request_end.append(answered)
    return trace
