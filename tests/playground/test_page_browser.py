"""The page in a real browser: what a person sees and can do."""

from __future__ import annotations

import pytest
from playwright.async_api import Browser, expect

from bot.playground.page.server import Page as Server
from bot.playground.page.standin_port import StandinPort
from tests.browser import chromium_path, watched_page
from tests.playground.page_chat import ScriptedChat
from tests.playground.page_visit import Visit

pytestmark = [
    pytest.mark.asyncio(loop_scope="module"),
    pytest.mark.skipif(chromium_path() is None, reason="Chromium is not installed (Debian: apt-get install chromium)"),
]


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


async def test_an_at_sign_offers_names(visit: Visit) -> None:
    """Arrow keys choose, Enter takes; the bot is first."""
    text = visit.page.locator("#text")
    await text.press_sequentially("hi @")
    await expect(visit.page.locator("#picker li")).to_have_count(4)
    await text.press_sequentially("a")
    await expect(visit.page.locator("#picker li")).to_have_text(["AAda"])
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
    await visit.page.locator("#menu").click()
    await expect(visit.page.locator("#sidebar")).to_be_visible()
    await visit.page.keyboard.press("Escape")
    await expect(visit.page.locator("#sidebar")).to_be_hidden()
    await expect(visit.page.locator("#menu")).to_be_focused()


async def test_a_finger_reaches_a_messages_actions(browser: Browser) -> None:
    """A tap shows them, another tap acts; they go when another message is tapped."""
    chat = ScriptedChat()
    server = Server(StandinPort(chat))
    await server.start(port=0)
    phone = {"width": 380, "height": 760}
    async with watched_page(browser, server.url, viewport=phone, has_touch=True, is_mobile=True) as page:
        first, second = chat.answer("first"), chat.answer("second")
        actions = page.locator(f"#message-{first} .actions")
        await expect(actions).to_have_css("opacity", "0")
        await page.locator(f"#message-{first} .content").tap()
        await expect(actions).to_have_css("opacity", "1")
        await page.locator(f"#message-{second} .content").tap()
        await expect(actions).to_have_css("opacity", "0")
        await page.locator(f"#message-{first} .content").tap()
        await actions.get_by_role("button", name="Delete").tap()
        await expect(page.locator(f"#message-{first}")).to_have_count(0)
    await server.stop()


async def test_person_and_channel_stay_over_a_lost_connection_and_a_reload(visit: Visit) -> None:
    """One is not suddenly somebody else, somewhere else."""
    identity, name = visit.page.locator("#identity"), visit.page.locator("#channel-name")
    await identity.select_option(label="Bo")
    await visit.page.locator(".channel", has_text="random").click()
    await expect(name).to_contain_text("random")
    visit.chat.miss_events()
    await expect(visit.page.locator("#toast")).to_contain_text("Connection lost")
    await expect(visit.page.locator("#toast")).to_be_hidden()
    missed = visit.chat.answer("missed", visit.chat.random)
    await expect(visit.message(missed)).to_be_visible()
    await expect(name).to_contain_text("random")
    assert await identity.evaluate("node => node.selectedOptions[0].text") == "Bo"
    await visit.page.reload()
    await expect(visit.message(missed)).to_be_visible()
    await expect(name).to_contain_text("random")
    assert await identity.evaluate("node => node.selectedOptions[0].text") == "Bo"


async def test_text_that_was_on_its_way_comes_back_when_the_connection_is_lost(visit: Visit) -> None:
    """All of it, in its order, before what has been typed since, and the reply it was."""
    original = visit.chat.answer("the question")
    await visit.message(original).hover()
    await visit.message(original).get_by_role("button", name="Reply", exact=True).click()
    visit.chat.takes_messages.clear()
    await visit.say("one")
    await visit.say("two")
    await visit.page.locator("#text").fill("three")
    visit.chat.miss_events()
    await expect(visit.page.locator("#text")).to_have_value("one\ntwo\nthree")
    await expect(visit.page.locator("#reply-name")).to_have_text("Parley")
    visit.chat.takes_messages.set()


async def test_a_newcomer_is_told_to_mention_the_bot(visit: Visit) -> None:
    """By the placeholder, and by a hint where a message went unheard; it can be dismissed for good."""
    text, hint = visit.page.locator("#text"), visit.page.locator("#hint")
    await expect(text).to_have_attribute("placeholder", "Write @Parley and a question")
    await visit.say("hello")
    await expect(hint).to_contain_text("Parley answers when you mention it: @Parley")
    await visit.say("@Parley hello")
    await expect(hint).to_be_hidden()
    await visit.say("hello again")
    await hint.get_by_role("button").click()
    await expect(hint).to_be_hidden()
    await visit.say("and again")
    await expect(visit.page.get_by_text("and again")).to_be_visible()
    await expect(hint).to_be_hidden()


async def test_in_a_dm_nobody_need_be_mentioned(visit: Visit) -> None:
    """The control for it is not there, and no hint comes."""
    await expect(visit.page.get_by_role("button", name="Mention Parley")).to_be_visible()
    await visit.page.locator(".channel.dm").click()
    await expect(visit.page.locator("#text")).to_have_attribute("placeholder", "Message Parley")
    await expect(visit.page.locator("#mention-bot")).to_be_hidden()
    await visit.say("hello")
    await expect(visit.page.locator(".message")).to_contain_text("hello")
    await expect(visit.page.locator("#hint")).to_be_hidden()


async def test_a_button_sends_what_can_be_sent(visit: Visit) -> None:
    """Neither an empty text nor one that is too long."""
    text, send = visit.page.locator("#text"), visit.page.get_by_role("button", name="Send message")
    await expect(send).to_be_disabled()
    await text.fill("x" * 2001)
    await expect(send).to_be_disabled()
    await expect(visit.page.locator("#remaining")).to_have_text("-1")
    await text.fill("a line")
    await send.click()
    await expect(visit.page.locator(".message .content")).to_have_text("a line")
    await expect(text).to_have_value("")
    await expect(send).to_be_disabled()
