"""Headless Chromium for the page's tests and picture: the system's own package, driven by Playwright."""

from __future__ import annotations

import shutil
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

from playwright.async_api import Browser, ConsoleMessage, Page, Request, async_playwright

# --no-sandbox: containers and CI run as root. The rest keeps Chromium from calling home.
_ARGUMENTS = (
    "--no-sandbox",
    "--disable-gpu",
    "--disable-quic",
    "--no-first-run",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
)


def chromium_path() -> str | None:
    """Where the installed Chromium is; None where there is none."""
    installed = "/usr/bin/chromium"
    return installed if Path(installed).exists() else shutil.which("chromium")


@asynccontextmanager
async def chromium() -> AsyncIterator[Browser]:
    """A running browser. Raises FileNotFoundError where Chromium is not installed."""
    path = chromium_path()
    if path is None:
        raise FileNotFoundError("Chromium is not installed (Debian: apt-get install chromium)")
    async with async_playwright() as playwright:
        browser = await playwright.chromium.launch(executable_path=path, args=_ARGUMENTS)
        try:
            yield browser
        finally:
            await browser.close()


@asynccontextmanager
async def watched_page(browser: Browser, url: str, **context: Any) -> AsyncIterator[Page]:
    """The page at `url`, opened at 1100x760 or as `context` says (Browser.new_page's options).

    AssertionError at the end if anything stood in its console, or if it asked any other origin.
    """
    page = await browser.new_page(**{"viewport": {"width": 1100, "height": 760}, **context})
    problems: list[str] = []

    def hear(message: ConsoleMessage) -> None:
        if message.type in ("error", "warning"):
            problems.append(message.text)

    def see(request: Request) -> None:
        if not request.url.startswith(url):
            problems.append(request.url)

    page.on("console", hear)
    page.on("pageerror", lambda error: problems.append(str(error)))
    page.on("request", see)
    try:
        await page.goto(url)
        yield page
        assert problems == []
    finally:
        await page.close()
