"""A browser tab's end of the page's WebSocket, and the page with its chat behind it."""

from __future__ import annotations

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from typing import Any

import aiohttp

from bot.playground.page.server import Page
from tests.playground.page_chat import ScriptedChat


class Tab:
    """A browser's end of the WebSocket."""

    def __init__(self, socket: aiohttp.ClientWebSocketResponse) -> None:
        self._socket = socket

    async def told(self) -> dict[str, Any]:
        return dict(await self._socket.receive_json(timeout=10))

    async def tell(self, type: str, **fields: Any) -> None:  # noqa: A002 - the protocol's name
        await self._socket.send_json({"type": type, **fields})

    async def ask(self, type: str, **fields: Any) -> dict[str, Any]:  # noqa: A002 - the protocol's name
        await self.tell(type, **fields)
        return await self.told()

    async def send_raw(self, frame: str) -> dict[str, Any]:
        await self._socket.send_str(frame)
        return await self.told()


class Served:
    def __init__(self, chat: ScriptedChat, page: Page, http: aiohttp.ClientSession) -> None:
        self.chat, self.page, self.http = chat, page, http

    @asynccontextmanager
    async def tab(self, **place: str) -> AsyncIterator[tuple[Tab, dict[str, Any]]]:
        """A connected tab and its first snapshot. `place`: the `user` and `channel` where it was before."""
        async with self.http.ws_connect(f"{self.page.url}/ws", origin=self.page.url, params=place) as socket:
            tab = Tab(socket)
            yield tab, await tab.told()
