"""A provider that wants a key, for tests: the scripted one, which refuses who has none of its keys."""

from __future__ import annotations

from collections.abc import Callable

from aiohttp import web

from bot.playground.scripted_provider import Script, ScriptedProvider


class KeyedProvider(ScriptedProvider):
    """`keys` are those that it accepts. What it refuses, it quotes with the key, as some do."""

    def __init__(self, choose: Callable[[str], Script], *keys: str) -> None:
        super().__init__(choose)
        self.keys = set(keys)
        self.listed = [self.MODEL]

    async def _models(self, request: web.Request) -> web.Response:
        if (refusal := self._refusal(request)) is not None:
            return refusal
        return web.json_response({"object": "list", "data": [{"id": name, "object": "model"} for name in self.listed]})

    async def _answer(self, request: web.Request) -> web.StreamResponse:
        return self._refusal(request) or await super()._answer(request)

    def _refusal(self, request: web.Request) -> web.Response | None:
        given = request.headers.get("Authorization", "").removeprefix("Bearer ")
        if given in self.keys:
            return None
        error = {"message": f"Incorrect API key provided: {given}", "code": "invalid_api_key"}
        return web.json_response({"error": error}, status=401)
