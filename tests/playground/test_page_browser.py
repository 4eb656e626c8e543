"""The page in a real browser: what a person sees and can do."""

from __future__ import annotations

from collections.abc import AsyncIterator

import pytest
import pytest_asyncio
from playwright.async_api import Browser, ConsoleMessage, Locator, Page, Request, expect

from bot.playground.page.server import Page as Server
from bot.playground.page.standin_port import StandinPort
from tests.browser import chromium, chromium_path
from tests.playground.page_chat import ScriptedChat, button, row

pytestmark = [
    pytest.mark.asyncio(loop_scope="module"),
    pytest.mark.skipif(chromium_path() is None, reason="Chromium is not installed (Debian: apt-get install chromium)"),
]


@pytest_asyncio.fixture(loop_scope="module", scope="module")
async def browser() -> AsyncIterator[Browser]:
    async with chromium() as running:
        yield running


class Visit:
    """A person at the page, and the bot behind it."""

    def __init__(self, chat: ScriptedChat, server: Server, page: Page) -> None:
        self.chat, self.server, self.page = chat, server, page

    def message(self, message_id: str) -> Locator:
        return self.page.locator(f"#message-{message_id}")

    async def say(self, text: str) -> None:
        await self.page.locator("#text").fill(text)
        await self.page.locator("#text").press("Enter")


@pytest_asyncio.fixture(loop_scope="module")
async def visit(browser: Browser) -> AsyncIterator[Visit]:
    """The loaded page. Afterwards: no error in the console, and no request to any other origin."""
    chat = ScriptedChat()
    server = Server(StandinPort(chat), notice="A small model answers.")
    await server.start(port=0)
    page = await browser.new_page(viewport={"width": 1100, "height": 760})
    problems: list[str] = []

    def hear(message: ConsoleMessage) -> None:
        if message.type in ("error", "warning"):
            problems.append(message.text)

    def see(request: Request) -> None:
        if not request.url.startswith(server.url):
            problems.append(request.url)

    page.on("console", hear)
    page.on("pageerror", lambda error: problems.append(str(error)))
    page.on("request", see)
    try:
        await page.goto(server.url)
        await expect(page.locator("#channel-name")).to_contain_text("general")
        yield Visit(chat, server, page)
        assert problems == []
    finally:
        await page.close()
        await server.stop()


async def test_the_page_shows_server_channels_and_notice(visit: Visit) -> None:
    """What a newcomer sees first."""
    await expect(visit.page.locator("#server")).to_have_text("Playground")
    await expect(visit.page.locator(".channel")).to_contain_text(["general", "random", "help", "Parley"])
    await expect(visit.page.locator("#notice")).to_have_text("A small model answers.")
    await expect(visit.page.locator("#welcome h3")).to_have_text("Welcome to #general!")


async def test_enter_sends_and_shift_enter_breaks_the_line(visit: Visit) -> None:
    """The message appears with the name and the mention; the composer is empty again."""
    text = visit.page.locator("#text")
    await text.fill("@Parley one")
    await text.press("Shift+Enter")
    await text.press_sequentially("two <b>")
    await text.press("Enter")
    message = visit.page.locator(".message")
    await expect(message.locator(".name")).to_have_text("Ada")
    await expect(message.locator(".mention")).to_have_text("@Parley")
    assert await message.locator(".content p").inner_text() == "@Parley one\ntwo <b>"
    await expect(text).to_have_value("")


async def test_an_edit_changes_the_one_message_in_place(visit: Visit) -> None:
    """The other message is not drawn again, and what is being typed stays."""
    answer, other = visit.chat.answer("Hel"), visit.chat.answer("other")
    await expect(visit.message(other)).to_be_visible()
    await visit.message(other).evaluate("node => { node.dataset.untouched = 'yes' }")
    await visit.page.locator("#text").fill("half a sent")
    await expect(visit.message(answer)).not_to_contain_text("(edited)")
    for length in range(4, 12):
        visit.chat.edit(answer, "Hello world"[:length])
    await expect(visit.message(answer).locator(".content")).to_have_text("Hello world (edited)")
    await expect(visit.page.locator(".message")).to_have_count(2)
    assert await visit.message(other).get_attribute("data-untouched") == "yes"
    await expect(visit.page.locator("#text")).to_have_value("half a sent")
    await expect(visit.page.locator("#text")).to_be_focused()


async def test_the_bottom_stays_in_sight_unless_one_has_scrolled_up(visit: Visit) -> None:
    """Who reads older messages is not pulled away, but told."""
    last = [visit.chat.answer(f"line {number}") for number in range(60)][-1]
    await expect(visit.message(last)).to_be_in_viewport()
    visit.chat.edit(last, "grown\n" * 30 + "end")
    await expect(visit.page.get_by_text("end (edited)")).to_be_in_viewport()
    await visit.page.locator("#scroller").evaluate("node => { node.scrollTop = 0 }")
    newest = visit.chat.answer("newest")
    await expect(visit.page.locator("#jump")).to_be_visible()
    await expect(visit.message(newest)).not_to_be_in_viewport()
    await visit.page.locator("#jump").click()
    await expect(visit.message(newest)).to_be_in_viewport()
    await expect(visit.page.locator("#jump")).to_be_hidden()


async def test_a_reply_carries_its_original(visit: Visit) -> None:
    """The bar above the composer names whom; Escape takes it back."""
    original = visit.chat.answer("the question")
    await visit.message(original).hover()
    await visit.message(original).get_by_role("button", name="Reply", exact=True).click()
    await expect(visit.page.locator("#reply-bar")).to_contain_text("Replying to Parley")
    await visit.page.locator("#text").press("Escape")
    await expect(visit.page.locator("#reply-bar")).to_be_hidden()
    await visit.message(original).hover()
    await visit.message(original).get_by_role("button", name="Reply", exact=True).click()
    await visit.say("my reply")
    await expect(visit.page.locator(".message .reply")).to_contain_text("the question")
    await expect(visit.page.locator("#reply-bar")).to_be_hidden()


async def test_a_pressed_button_waits_then_is_answered_or_fails(visit: Visit) -> None:
    """The round trip through the bot, and Discord's words when it does not answer in time."""
    answer = visit.chat.answer("choose", components=(row(button("go", "Go")),))
    go = visit.message(answer).get_by_role("button", name="Go")
    await go.click()
    await expect(go).to_have_attribute("aria-busy", "true")
    visit.chat.answer_press()
    await expect(go).not_to_have_attribute("aria-busy", "true")
    await go.click()
    await expect(go).to_have_attribute("aria-busy", "true")
    visit.chat.miss_press()
    await expect(visit.message(answer)).to_contain_text("This interaction failed")


async def test_typing_is_shown_until_the_message(visit: Visit) -> None:
    """Parley is typing…"""
    visit.chat.bot_types()
    await expect(visit.page.locator("#typing")).to_have_text("Parley is typing…")
    visit.chat.answer("here")
    await expect(visit.page.locator("#typing")).to_be_empty()


async def test_a_message_can_be_deleted_by_who_may(visit: Visit) -> None:
    """Ada owns the server and may delete all; Bo only what Bo wrote."""
    answer = visit.chat.answer("an answer")
    own = await visit.chat.say(visit.chat.bo.id, visit.chat.general.id, "Bo's own")
    delete = visit.page.get_by_role("button", name="Delete")
    await expect(delete).to_have_count(2)
    await visit.message(answer).hover()
    await visit.message(answer).get_by_role("button", name="Delete").click()
    await expect(visit.message(answer)).to_have_count(0)
    visit.chat.answer("another answer")
    await visit.page.locator("#identity").select_option(label="Bo")
    await expect(delete).to_have_count(1)
    await expect(visit.message(own["id"]).get_by_role("button", name="Delete")).to_have_count(1)


async def test_a_spoiler_opens_by_mouse_or_key_and_stays_open(visit: Visit) -> None:
    """An edit of the message does not close it again."""
    answer = visit.chat.answer("||first|| ||second||")
    first, second = visit.page.locator(".spoiler").nth(0), visit.page.locator(".spoiler").nth(1)
    await expect(first).to_have_css("color", "rgba(0, 0, 0, 0)")
    await first.click()
    await expect(first).to_have_class("spoiler revealed")
    await second.press("Enter")
    await expect(second).to_have_class("spoiler revealed")
    visit.chat.edit(answer, "||first|| ||second|| ||third||")
    await expect(visit.page.locator(".spoiler")).to_have_count(3)
    await expect(visit.page.locator(".spoiler.revealed")).to_have_count(2)


async def test_an_at_sign_offers_names(visit: Visit) -> None:
    """Arrow keys choose, Enter takes; the bot is first."""
    text = visit.page.locator("#text")
    await text.press_sequentially("hi @")
    await expect(visit.page.locator("#mention-picker li")).to_have_count(4)
    await text.press_sequentially("a")
    await expect(visit.page.locator("#mention-picker li")).to_have_text(["AAda"])
    await text.press("Enter")
    await expect(text).to_have_value("hi @Ada ")
    await visit.page.locator("#mention-bot").click()
    await expect(text).to_have_value("hi @Ada @Parley ")


async def test_another_person_can_be_spoken_as(visit: Visit) -> None:
    """And sees no ephemeral message of the first."""
    secret = visit.chat.answer("secret", flags=64, ephemeral_to=visit.chat.ada.id)
    await expect(visit.message(secret)).to_contain_text("Only you can see this")
    await visit.page.locator("#identity").select_option(label="Bo")
    await expect(visit.message(secret)).to_have_count(0)
    await visit.say("I am Bo")
    await expect(visit.page.locator(".message .name")).to_have_text("Bo")


async def test_an_ephemeral_message_can_be_dismissed(visit: Visit) -> None:
    """It is gone for this person."""
    secret = visit.chat.answer("secret", flags=64, ephemeral_to=visit.chat.ada.id)
    await visit.message(secret).get_by_role("button", name="Dismiss message").click()
    await expect(visit.message(secret)).to_have_count(0)


async def test_channels_are_marked_unread_and_opened(visit: Visit) -> None:
    """A click shows the other channel's messages."""
    elsewhere = visit.chat.answer("there", visit.chat.random)
    random = visit.page.locator(".channel", has_text="random")
    await expect(random).to_have_class("channel text unread")
    await random.click()
    await expect(visit.message(elsewhere)).to_be_visible()
    await expect(random).to_have_attribute("aria-current", "page")
    await expect(random).not_to_have_class("channel text unread")


async def test_markup_in_names_embeds_and_buttons_is_text(visit: Visit) -> None:
    """No script of a message runs and no element of it comes to be."""
    attack = "<img src=x onerror=document.title='owned'>"
    embed = {"title": attack, "description": attack, "footer": {"text": attack}, "author": {"name": attack}}
    fields = [{"name": attack, "value": attack}]
    answer = visit.chat.answer(
        attack, embeds=({**embed, "fields": fields},), components=(row(button("x", attack, emoji={"name": attack})),)
    )
    await expect(visit.message(answer).get_by_text(attack)).to_have_count(8)
    await expect(visit.page.locator("#messages img")).to_have_count(0)
    await expect(visit.page).to_have_title("Parley playground")


async def test_a_refused_message_comes_back_into_the_composer(visit: Visit) -> None:
    """Nothing that a person typed is lost."""
    too_long = "@Ada " * 399 + "hi"
    await visit.say(too_long)
    await expect(visit.page.locator("#toast")).to_contain_text("too long")
    await expect(visit.page.locator("#text")).to_have_value(too_long)


async def test_the_page_fits_a_phone(visit: Visit) -> None:
    """Nothing is wider than 380 pixels; the channels are a drawer."""
    await visit.page.set_viewport_size({"width": 380, "height": 760})
    visit.chat.answer("x" * 200 + "\n```py\n" + "y" * 200 + "\n```\nhttps://a.example/" + "z" * 200)
    await expect(visit.page.locator(".message pre")).to_be_visible()
    assert await visit.page.evaluate("document.documentElement.scrollWidth") <= 380
    assert await visit.page.locator("#scroller").evaluate("node => node.scrollWidth <= node.clientWidth")
    await expect(visit.page.locator("#sidebar")).to_be_hidden()
    await visit.page.locator("#menu").click()
    await visit.page.locator(".channel", has_text="help").click()
    await expect(visit.page.locator("#channel-name")).to_contain_text("help")
    await expect(visit.page.locator("#sidebar")).to_be_hidden()
