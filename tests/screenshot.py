"""Makes docs/playground.png: `python -m tests.screenshot [FILE]`. The real bot writes what is to be seen, from recorded answers."""

from __future__ import annotations

import argparse
import asyncio
from pathlib import Path

from playwright.async_api import expect

from bot.playground.run import DEMO, open_playground
from bot.playground.standin import Standin
from tests.browser import chromium
from tests.e2e.house import House

ROOT = Path(__file__).parent.parent


async def shoot(url: str, path: Path, *, size: tuple[int, int] = (1100, 1040)) -> None:
    """A picture of the page at `url` as it is once its messages are there. `size` is in CSS pixels."""
    async with chromium() as browser:
        width, height = size
        page = await browser.new_page(viewport={"width": width, "height": height})
        await page.goto(url)
        await expect(page.locator(".message").first).to_be_attached()
        path.parent.mkdir(parents=True, exist_ok=True)
        await page.screenshot(path=path)


async def hold_conversation(standin: Standin) -> None:
    house = House(standin, None)
    await standin.wait_for(lambda _: standin.connected_sessions == 1)
    await standin.say(house.bo, house.general, "Good morning! Has anybody worked with a CSV file of 40 GB?")
    await house.ask("Can you show us code that sums one column without filling the memory?")
    await house.answered()
    await standin.react(house.bo, house.answers()[0]["id"], "🎉")
    await standin.say(house.bo, house.general, "That is exactly what I was about to ask.")


async def main(path: Path) -> None:
    async with open_playground(DEMO, port=0) as playground:
        await hold_conversation(playground.standin)
        await shoot(playground.page.url, path)


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("path", nargs="?", type=Path, default=ROOT / "docs" / "playground.png")
    asyncio.run(main(parser.parse_args().path))
