"""Messages in a real browser: how they are drawn, and that an edit leaves the rest of them alone."""

from __future__ import annotations

import pytest
from playwright.async_api import expect

from bot.playground.page.session import SNAPSHOT_MESSAGES
from bot.playground.standin.events import MessageCreated, MessageUpdated
from tests.browser import chromium_path
from tests.playground.page_chat import button, row
from tests.playground.page_visit import Visit

pytestmark = [
    pytest.mark.asyncio(loop_scope="module"),
    pytest.mark.skipif(chromium_path() is None, reason="Chromium is not installed (Debian: apt-get install chromium)"),
]


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


async def test_a_click_survives_an_edit_between_press_and_release(visit: Visit) -> None:
    """While an answer streams, its buttons and actions stay the ones that the mouse went down on."""
    answer = visit.chat.answer("Hel", components=(row(button("stop", "Stop")),))
    content = visit.message(answer).locator(".content")
    await visit.press_down_on(visit.message(answer).get_by_role("button", name="Stop"))
    visit.chat.edit(answer, "Hello")
    await expect(content).to_have_text("Hello (edited)")
    await visit.page.mouse.up()
    await expect(visit.message(answer).locator("[aria-busy]")).to_have_text("Stop")
    await visit.press_down_on(visit.message(answer).get_by_role("button", name="Delete"))
    visit.chat.answer_press()
    visit.chat.edit(answer, "Hello world")
    await expect(content).to_have_text("Hello world (edited)")
    await visit.page.mouse.up()
    await expect(visit.message(answer)).to_have_count(0)


async def test_a_click_that_began_on_another_button_does_nothing(visit: Visit) -> None:
    """Where Stop became Retry under the mouse, neither is pressed."""
    answer = visit.chat.answer("Hello", components=(row(button("stop", "Stop")),))
    await visit.press_down_on(visit.message(answer).get_by_role("button", name="Stop"))
    visit.chat.edit(answer, "Hello", components=(row(button("retry", "Stop")),))
    await expect(visit.message(answer).locator("[data-custom-id=retry]")).to_be_visible()
    await visit.page.mouse.up()
    await visit.say("after it")
    await expect(visit.page.get_by_text("after it")).to_be_visible()
    assert visit.chat.presses == []


async def test_what_is_selected_or_focused_stays_so_while_the_answer_grows(visit: Visit) -> None:
    """One can copy from an answer, or have its link in focus, before it is complete."""
    answer = visit.chat.answer("https://a.example last")
    content = visit.message(answer).locator(".content")
    await content.evaluate("node => getSelection().selectAllChildren(node)")
    await content.locator("a").focus()
    for length in range(1, 6):
        visit.chat.edit(answer, "https://a.example last" + " word"[:length])
    await expect(content).to_have_text("https://a.example last word (edited)")
    assert (await visit.page.evaluate("getSelection().toString()")).startswith("https://a.example last")
    await expect(content.locator("a")).to_be_focused()


async def test_growing_text_is_no_new_node(visit: Visit) -> None:
    """A screen reader reads what is added to the log; it must not begin the message again at every edit."""
    answer = visit.chat.answer("**Hello**\n\na")
    visit.chat.edit(answer, "**Hello**\n\nab")
    await expect(visit.message(answer)).to_contain_text("(edited)")
    await visit.page.evaluate(
        """() => {
            window.added = [];
            new MutationObserver((records) => {
                for (const record of records) for (const node of record.addedNodes) window.added.push(node.textContent);
            }).observe(document.getElementById("messages"), { childList: true, subtree: true });
        }"""
    )
    for text in ("abc", "abc d", "abc de", "abc de\n\nfresh"):
        visit.chat.edit(answer, f"**Hello**\n\n{text}")
    await expect(visit.message(answer)).to_contain_text("fresh")
    assert await visit.page.evaluate("window.added.join('')") == "fresh (edited)"


async def test_a_message_that_cannot_be_drawn_leaves_the_others(visit: Visit) -> None:
    """The browser's own guard: a date that is none passes the server."""
    answer = visit.chat.answer("before")
    broken = {**visit.chat.world.message(answer), "id": "7", "timestamp": "yesterday"}
    visit.chat.world.tell(MessageCreated(broken))
    after = visit.chat.answer("after")
    await expect(visit.message("7")).to_have_text("This message cannot be shown.")
    await expect(visit.message(after)).to_contain_text("after")
    visit.chat.world.tell(MessageUpdated({**broken, "timestamp": "2026-01-01T00:00:00Z"}))
    await expect(visit.message("7")).to_contain_text("before")


async def test_only_new_messages_are_announced_as_new(visit: Visit) -> None:
    """An edit of an older one is none."""
    ids = [visit.chat.answer(f"line {number}") for number in range(60)]
    await expect(visit.message(ids[-1])).to_be_in_viewport()
    await visit.page.locator("#scroller").evaluate("node => { node.scrollTop = 0 }")
    visit.chat.edit(ids[0], "changed")
    await expect(visit.message(ids[0])).to_contain_text("changed")
    await expect(visit.page.locator("#jump")).to_be_hidden()
    visit.chat.answer("new")
    await expect(visit.page.locator("#jump")).to_be_visible()


async def test_the_top_says_where_older_messages_are_missing(visit: Visit) -> None:
    """The page shows the last ones of a channel."""
    await expect(visit.page.locator("#older")).to_be_hidden()
    oldest, *_ = [visit.chat.answer(str(number)) for number in range(SNAPSHOT_MESSAGES + 1)]
    await visit.page.reload()
    await expect(visit.page.locator("#older")).to_have_text("Older messages are not shown.")
    await expect(visit.page.locator(".message")).to_have_count(SNAPSHOT_MESSAGES)
    await expect(visit.page.locator("#welcome")).to_be_hidden()
    visit.chat.edit(oldest, "an edit does not bring it back")
    newest = visit.chat.answer("newest")
    await expect(visit.message(newest)).to_be_visible()
    await expect(visit.message(oldest)).to_have_count(0)


async def test_layout_components_are_drawn_as_text_and_controls(visit: Visit) -> None:
    """What a container holds stands below one another, with working buttons."""
    inside = [{"type": 10, "content": "**Answer**"}, {"type": 14}, row(button("go", "Go")), {"type": 999}]
    answer = visit.chat.answer("", flags=1 << 15, components=({"type": 17, "components": inside},))
    await expect(visit.message(answer).locator("strong", has_text="Answer")).to_be_visible()
    await expect(visit.message(answer).locator("hr")).to_have_count(1)
    await expect(visit.message(answer)).to_contain_text("[component]")
    await visit.message(answer).get_by_role("button", name="Go").click()
    await expect(visit.message(answer).locator("[aria-busy]")).to_have_text("Go")


async def test_a_lost_connection_loses_no_place(visit: Visit) -> None:
    """Who was reading further up still is; what was missed is there, what was deleted is not."""
    ids = [visit.chat.answer(f"line {number}") for number in range(60)]
    await expect(visit.message(ids[-1])).to_be_in_viewport()
    scroller = visit.page.locator("#scroller")
    await scroller.evaluate("node => { node.scrollTop = 0 }")
    await visit.message(ids[0]).evaluate("node => { node.isTheSame = true }")
    visit.chat.miss_events()
    await expect(visit.page.locator("#toast")).to_contain_text("Connection lost")
    visit.chat.world.delete_message(ids[1])
    missed = visit.chat.answer("missed")
    await expect(visit.message(missed)).to_be_attached()
    await expect(visit.message(ids[1])).to_have_count(0)
    assert await visit.message(ids[0]).evaluate("node => node.isTheSame")
    assert await scroller.evaluate("node => node.scrollTop") == 0
    assert await visit.page.locator(".message").last.get_attribute("id") == f"message-{missed}"
