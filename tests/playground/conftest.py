"""What the page's tests share: a browser and a visit to the page in it, or the page without a browser."""

from __future__ import annotations

from collections.abc import AsyncIterator

import aiohttp
import pytest_asyncio
from playwright.async_api import Browser, expect

from bot.playground.page.server import Page as Server
from bot.playground.page.standin_port import StandinPort
from tests.browser import chromium, watched_page
from tests.playground.page_chat import ScriptedChat
from tests.playground.page_tab import Served
from tests.playground.page_visit import Visit


@pytest_asyncio.fixture(loop_scope="module", scope="module")
async def browser() -> AsyncIterator[Browser]:
    async with chromium() as running:
        yield running


@pytest_asyncio.fixture(loop_scope="module")
async def visit(browser: Browser) -> AsyncIterator[Visit]:
    """The loaded page. Afterwards: no error in the console, and no request to any other origin."""
    chat = ScriptedChat()
    server = Server(StandinPort(chat), notice="A small model answers.")
    await server.start(port=0)
    try:
        async with watched_page(browser, server.url) as page:
            await expect(page.locator("#channel-name")).to_contain_text("general")
            yield Visit(chat, page)
    finally:
        await server.stop()


@pytest_asyncio.fixture
async def served() -> AsyncIterator[Served]:
    chat = ScriptedChat()
    page = Server(StandinPort(chat), notice="A <small> model answers.")
    await page.start(port=0)
    try:
        async with aiohttp.ClientSession() as http:
            yield Served(chat, page, http)
    finally:
        await page.stop()
