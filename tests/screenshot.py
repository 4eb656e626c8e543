"""Makes docs/playground.png: `python -m tests.screenshot [FILE]`."""

from __future__ import annotations

import argparse
import asyncio
from pathlib import Path

from playwright.async_api import expect

from bot.playground.page.server import Page
from bot.playground.page.standin_port import StandinPort
from tests.browser import chromium
from tests.playground.page_chat import ScriptedChat, button, row

ROOT = Path(__file__).parent.parent

ANSWER = """\
Read it **row by row**. `csv` gives you an iterator, so one row at a time is in memory:
```python
import csv

def rows(path: str):
    with open(path, newline="") as file:
        yield from csv.DictReader(file)

total = sum(float(row["price"]) for row in rows("orders.csv"))
```
When that is too slow:
- [Polars](https://pola.rs) with `scan_csv` is lazy and uses all cores
- DuckDB takes SQL: `SELECT sum(price) FROM 'orders.csv'`
-# demo · 214 tokens · 1.8 s"""


async def shoot(url: str, path: Path, *, size: tuple[int, int] = (1100, 760)) -> None:
    """A picture of the page at `url` as it is once its messages are there. `size` is in CSS pixels."""
    async with chromium() as browser:
        width, height = size
        page = await browser.new_page(viewport={"width": width, "height": height})
        await page.goto(url)
        await expect(page.locator(".message").first).to_be_attached()
        path.parent.mkdir(parents=True, exist_ok=True)
        await page.screenshot(path=path)


async def write_conversation(chat: ScriptedChat) -> None:
    parley = f"<@{chat.world.bot.id}>"
    await chat.say(chat.bo.id, chat.general.id, "Good morning! Has anybody worked with files of 40 GB?")
    question = await chat.say(
        chat.ada.id,
        chat.general.id,
        f"{parley} how do I sum a column of a big CSV file in Python without filling the memory?",
    )
    buttons = row(button("again", "Regenerate", emoji={"name": "🔄"}), button("delete", "Delete", emoji={"name": "🗑️"}))
    answer = chat.answer(
        ANSWER, reply_to=question["id"], components=(buttons,), allowed_mentions={"parse": [], "replied_user": False}
    )
    await chat.react(chat.bo.id, answer, "🎉")
    await chat.say(chat.bo.id, chat.general.id, "That is exactly what I was about to ask.")


async def main(path: Path) -> None:
    chat = ScriptedChat()
    await write_conversation(chat)
    page = Page(
        StandinPort(chat), notice="A scripted demo answers here. Set LLM_PROVIDER and LLM_MODEL for a real model."
    )
    await page.start(port=0)
    try:
        await shoot(page.url, path)
    finally:
        await page.stop()


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("path", nargs="?", type=Path, default=ROOT / "docs" / "playground.png")
    asyncio.run(main(parser.parse_args().path))
