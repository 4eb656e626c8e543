"""A person at the page, and the bot behind it."""

from __future__ import annotations

from playwright.async_api import Locator, Page

from tests.playground.page_chat import ScriptedChat


class Visit:
    """`page` is the browser's; through `chat` the test plays the bot and other people."""

    def __init__(self, chat: ScriptedChat, page: Page) -> None:
        self.chat, self.page = chat, page

    def message(self, message_id: str) -> Locator:
        return self.page.locator(f"#message-{message_id}")

    async def press_down_on(self, control: Locator) -> None:
        """The mouse button goes down and is not released."""
        await control.hover()
        await self.page.mouse.down()

    async def say(self, text: str) -> None:
        await self.page.locator("#text").fill(text)
        await self.page.locator("#text").press("Enter")
