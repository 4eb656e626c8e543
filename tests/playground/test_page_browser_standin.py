"""The page in a real browser over the real stand-in, which holds people to Discord's rules."""

from __future__ import annotations

from collections.abc import AsyncIterator

import pytest
import pytest_asyncio
from playwright.async_api import Browser, Page, expect

from bot.playground.page.server import Page as Server
from bot.playground.page.standin_port import StandinPort
from bot.playground.standin import Permission, Standin
from tests.browser import chromium_path, watched_page

pytestmark = [
    pytest.mark.asyncio(loop_scope="module"),
    pytest.mark.skipif(chromium_path() is None, reason="Chromium is not installed (Debian: apt-get install chromium)"),
]


@pytest_asyncio.fixture(loop_scope="module")
async def standin() -> AsyncIterator[Standin]:
    async with Standin() as running:
        yield running


@pytest_asyncio.fixture(loop_scope="module")
async def page(browser: Browser, standin: Standin) -> AsyncIterator[Page]:
    """Speaking as Bo, who may do in #general what a member may."""
    server = Server(StandinPort(standin))
    await server.start(port=0)
    try:
        async with watched_page(browser, server.url) as opened:
            await opened.locator("#identity").select_option(label="Bo")
            await expect(opened.locator("#my-avatar")).to_have_text("B")
            yield opened
    finally:
        await server.stop()


async def test_what_is_said_is_in_the_world(page: Page, standin: Standin) -> None:
    """By whom the page speaks as, with the mention that the bot listens for."""
    await page.locator("#text").fill("@Parley hello")
    await page.locator("#text").press("Enter")
    await expect(page.locator(".message .mention")).to_have_text("@Parley")
    (message,) = standin.messages(standin.channel("general"))
    assert (message["author"]["id"], message["content"]) == (standin.user("Bo").id, f"{standin.mention} hello")


async def test_a_refused_text_comes_back_with_its_reply_before_what_was_typed_since(
    page: Page, standin: Standin
) -> None:
    """Nothing that a person typed is lost, and Discord's reason is said."""
    general = standin.channel("general")
    original = await standin.say(standin.user("Ada"), general, "the question")
    standin.set_permissions(general, standin.user("Bo"), deny=Permission.SEND_MESSAGES)
    await page.locator(f"#message-{original['id']}").hover()
    await page.locator(f"#message-{original['id']}").get_by_role("button", name="Reply", exact=True).click()
    await page.locator("#text").fill("my reply")
    await page.evaluate(
        """() => {
            document.getElementById("composer").requestSubmit();
            document.getElementById("text").value = "typed since";
        }"""
    )
    await expect(page.locator("#toast")).to_contain_text("Missing Permissions")
    await expect(page.locator("#text")).to_have_value("my reply\ntyped since")
    await expect(page.locator("#reply-name")).to_have_text("Ada")
    standin.set_permissions(general, standin.user("Bo"), allow=Permission.SEND_MESSAGES)
    await page.locator("#text").press("Enter")
    await expect(page.locator(".message .reply")).to_contain_text("the question")
    await expect(page.locator("#text")).to_have_value("")


async def test_a_text_that_mentions_make_too_long_comes_back(page: Page) -> None:
    """Discord counts the ids, not the names."""
    too_long = "@Ada " * 399 + "hi"
    await page.locator("#text").fill(too_long)
    await page.locator("#text").press("Enter")
    await expect(page.locator("#toast")).to_contain_text("too long")
    await expect(page.locator("#text")).to_have_value(too_long)


async def test_a_reply_to_what_was_deleted_meanwhile_comes_back(page: Page, standin: Standin) -> None:
    """Without its original, so that it can be sent as it is."""
    original = await standin.say(standin.user("Ada"), standin.channel("general"), "the question")
    await page.locator(f"#message-{original['id']}").hover()
    await page.locator(f"#message-{original['id']}").get_by_role("button", name="Reply", exact=True).click()
    await page.locator("#text").fill("my reply")
    await standin.delete(original["id"], by=standin.user("Ada"))
    await expect(page.locator("#reply-bar")).to_be_hidden()
    await page.locator("#text").press("Enter")
    await expect(page.locator(".message .content")).to_have_text("my reply")


async def test_a_refused_reaction_is_said(page: Page, standin: Standin) -> None:
    """And nothing is counted."""
    general = standin.channel("general")
    message = await standin.say(standin.user("Ada"), general, "hi")
    standin.set_permissions(general, standin.user("Bo"), deny=Permission.ADD_REACTIONS)
    await page.locator(f"#message-{message['id']}").hover()
    await page.locator(f"#message-{message['id']}").get_by_role("button", name="React with 👍").click()
    await expect(page.locator("#toast")).to_contain_text("Missing Permissions")
    await expect(page.locator(".reactions")).to_have_count(0)
