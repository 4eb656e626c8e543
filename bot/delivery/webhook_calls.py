"""One call by a webhook's token: sent once, never waited for, never repeated.

discord.py's own way to webhooks repeats whatever was answered with a 5xx, and a message that is posted so has no nonce: it
would stand there twice. It also sleeps through rate limits of any length. Both are for who calls to decide here.
"""

from __future__ import annotations

import hashlib
from collections.abc import Mapping
from typing import Any

import aiohttp
import discord
import msgspec
from discord.http import MultipartParameters, Route, json_or_text

NEVER_SENT = (aiohttp.ClientConnectorError, aiohttp.ConnectionTimeoutError)
"""The connection was not there yet, so nothing of the call can have arrived."""


class Credentials(msgspec.Struct, frozen=True):
    """Of a webhook, or of an interaction: then the id is the application's."""

    id: int
    token: str

    def __repr__(self) -> str:
        return f"Credentials(id={self.id}, token=***)"


class TokenDead(Exception):
    """Discord does not know the webhook, or its token, any more; it must not be asked again."""


_UNKNOWN_WEBHOOK, _INVALID_TOKEN = 10015, 50027


def is_dead(error: discord.HTTPException) -> bool:
    """https://docs.discord.com/developers/topics/opcodes-and-status-codes#json; 50027 also 15 minutes after an interaction."""
    return error.code in (_UNKNOWN_WEBHOOK, _INVALID_TOKEN) or error.status == 401


def pacing_place(webhook_id: int, token: str) -> int:
    """Where such calls are paced (`Pacer.lane`): each token has windows of its own, in no channel. Negative, as no channel is."""
    digest = hashlib.blake2b(f"{webhook_id}/{token}".encode(), digest_size=8).digest()
    return -1 - (int.from_bytes(digest) >> 1)


async def call(
    client: discord.Client,
    method: str,
    credentials: Credentials,
    message: int | str | None = None,
    *,
    parameters: MultipartParameters | None = None,
    query: Mapping[str, int] | None = None,
) -> Any:
    """What Discord answers, decoded. `message`: an id or "@original"; None: a new one.

    Raises discord.HTTPException for every answer but a 2xx, and what aiohttp raises where there was none."""
    path = "/webhooks/{webhook_id}/{webhook_token}" + ("" if message is None else f"/messages/{message}")
    route = Route(method, path, webhook_id=credentials.id, webhook_token=credentials.token)
    webhook = discord.Webhook.partial(credentials.id, credentials.token, client=client)
    sent = _body(parameters) if parameters is not None else {}
    async with webhook.session.request(
        method,
        route.url,
        params={name: str(value) for name, value in (query or {}).items()},
        proxy=client.http.proxy,
        proxy_auth=client.http.proxy_auth,
        **sent,
    ) as response:
        answer = await json_or_text(response)
        if 200 <= response.status < 300:
            return answer
        raise discord.HTTPException(response, answer)


def _body(parameters: MultipartParameters) -> dict[str, Any]:
    if not parameters.multipart:
        return {"json": parameters.payload}
    form = aiohttp.FormData(quote_fields=False)
    for part in parameters.multipart:
        form.add_field(**part)
    return {"data": form}
