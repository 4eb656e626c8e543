"""Headless Chromium for the page's tests and picture: the system's own package, driven by Playwright."""

from __future__ import annotations

import shutil
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path

from playwright.async_api import Browser, async_playwright

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
