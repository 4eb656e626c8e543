"""What answers are made of, in a real browser: files, layouts, spoilers, buttons, commands, threads."""

from __future__ import annotations

import base64
from io import BytesIO

import pytest
from PIL import Image
from playwright.async_api import expect

from tests.browser import chromium_path
from tests.playground.page_chat import button, row
from tests.playground.page_visit import Visit

pytestmark = [
    pytest.mark.asyncio(loop_scope="module"),
    pytest.mark.skipif(chromium_path() is None, reason="Chromium is not installed (Debian: apt-get install chromium)"),
]

V2 = 1 << 15
PIXEL = base64.b64decode(
    "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg=="
)
CODE = "".join(f"def f{number}(): pass\n" for number in range(20)).encode()
ASK = {
    "name": "ask",
    "type": 1,
    "description": "Asks the model",
    "options": [
        {"type": 3, "name": "question", "description": "What you want to know", "required": True},
        {"type": 5, "name": "loud", "description": "Whether it shouts"},
    ],
}
STOP = {"name": "stop", "type": 1, "description": "Stops the answer"}


async def test_a_code_file_shows_its_first_lines_and_can_be_saved(visit: Visit) -> None:
    """Coloured, with its size; the download is the whole file."""
    answer = visit.chat.answer(
        "see the file", attachments=(visit.chat.upload("code.py", CODE, description="all of it"),)
    )
    file = visit.message(answer).locator(".file")
    await expect(file.locator("pre .tok-k").first).to_have_text("def")
    await expect(file.locator("pre")).to_contain_text("f7()")
    await expect(file.locator("pre")).not_to_contain_text("f8()")
    await expect(file.locator(".cut")).to_be_visible()
    await expect(file.locator("small")).to_have_text(f"{len(CODE)} B · all of it")
    async with visit.page.expect_download() as saving:
        await file.get_by_role("link", name="code.py").click()
    path = await (await saving.value).path()
    assert path.read_bytes() == CODE


async def test_a_picture_is_drawn_in_line(visit: Visit) -> None:
    """With its description for who cannot see it."""
    table = visit.chat.upload("table.png", PIXEL, description="a table of prices")
    answer = visit.chat.answer("see", attachments=(table,))
    picture = visit.message(answer).get_by_role("img", name="a table of prices")
    await expect(picture).to_be_visible()
    assert await picture.evaluate("node => node.decode().then(() => node.naturalWidth)") == 1


async def test_a_layout_is_drawn_with_its_container_files_and_buttons(visit: Visit) -> None:
    """The accent colour is the container's bar; a file stands where its component does, and nowhere else."""
    code, table = visit.chat.upload("code.py", CODE), visit.chat.upload("table.png", PIXEL)
    inside = [
        {"type": 10, "content": "# Answer\n-# small"},
        {"type": 12, "items": [{"media": {"url": table["url"]}, "description": "a table"}]},
        {"type": 13, "file": {"url": code["url"]}},
        {"type": 14, "divider": True, "spacing": 1},
        {"type": 9, "components": [{"type": 10, "content": "beside"}], "accessory": button("more", "More")},
        row(button("stop", "Stop", style=4, emoji={"name": "🛑"}), button("off", "Off", disabled=True)),
    ]
    container = {"type": 17, "accent_color": 0xFF0000, "components": inside}
    answer = visit.chat.answer("", flags=V2, attachments=(code, table), components=(container,))
    box = visit.message(answer).locator(".container")
    await expect(box).to_have_css("border-left-color", "rgb(255, 0, 0)")
    await expect(box.locator("h1")).to_have_text("Answer")
    await expect(box.locator(".subtext")).to_have_text("small")
    await expect(box.locator(".gallery img")).to_be_visible()
    await expect(box.locator(".file pre")).to_be_visible()
    await expect(visit.message(answer).locator(".file")).to_have_count(1)
    await expect(box.get_by_role("button", name="Off")).to_be_disabled()
    await box.get_by_role("button", name="Stop").click()
    await expect(box.get_by_role("button", name="Stop")).to_have_attribute("aria-busy", "true")


async def test_a_button_stays_the_same_while_the_layout_before_it_grows(visit: Visit) -> None:
    """Focus and a click that has begun survive text, files and embeds that come before it."""
    stop = row(button("stop", "Stop"))
    answer = visit.chat.answer("", flags=V2, components=({"type": 10, "content": "a"}, stop))
    control = visit.message(answer).get_by_role("button", name="Stop")
    await control.focus()
    await visit.press_down_on(control)
    code = visit.chat.upload("code.py", CODE)
    grown = (
        {"type": 10, "content": "a"},
        {"type": 10, "content": "b"},
        {"type": 13, "file": {"url": code["url"]}},
        stop,
    )
    visit.chat.edit(answer, "", components=grown, attachments=(code,))
    await expect(visit.message(answer).locator(".file")).to_be_visible()
    await expect(control).to_be_focused()
    assert len(visit.chat.presses) == 0
    await control.click()
    await expect(control).to_have_attribute("aria-busy", "true")


async def test_a_click_that_began_before_an_embed_came_is_a_click(visit: Visit) -> None:
    """The button is the same node; only the place may move under the pointer."""
    answer = visit.chat.answer("working", components=(row(button("stop", "Stop")),))
    control = visit.message(answer).get_by_role("button", name="Stop")
    await control.evaluate("node => { node.isTheSame = true }")
    visit.chat.edit(answer, "working on", embeds=({"title": "An error", "description": "**bold**", "color": 0xFF},))
    await expect(visit.message(answer).locator(".embed strong")).to_have_text("bold")
    assert await control.evaluate("node => node.isTheSame")
    visit.chat.edit(answer, "done", embeds=())
    await expect(visit.message(answer).locator(".embed")).to_have_count(0)
    assert await control.evaluate("node => node.isTheSame")


async def test_spoilers_open_by_a_click_and_stay_open(visit: Visit) -> None:
    """In text, as a file, as a container."""
    secret = visit.chat.upload("SPOILER_code.py", CODE)
    answer = visit.chat.answer("||hidden||", attachments=(secret,))
    shown = visit.message(answer)
    await expect(shown.locator("pre")).to_be_hidden()
    await shown.locator(".veil").click()
    await expect(shown.locator("pre")).to_be_visible()
    await shown.locator(".content .spoiler").press("Enter")
    visit.chat.edit(answer, "||hidden|| and more")
    await expect(shown).to_contain_text("and more")
    await expect(shown.locator(".spoiler.revealed")).to_have_count(2)
    container = {"type": 17, "spoiler": True, "components": [{"type": 10, "content": "thoughts"}]}
    veiled = visit.message(visit.chat.answer("", flags=V2, components=(container,)))
    await expect(veiled.get_by_text("thoughts")).to_be_hidden()
    await veiled.get_by_role("button", name="Spoiler").click()
    await expect(veiled.get_by_text("thoughts")).to_be_visible()


async def test_an_embed_shows_its_picture(visit: Visit) -> None:
    """Once, inside the box."""
    table = visit.chat.upload("table.png", PIXEL, description="a table")
    embed = {"description": "# prices", "image": {"url": table["url"]}}
    answer = visit.chat.answer("", embeds=(embed,), attachments=(table,))
    await expect(visit.message(answer).locator(".embed h1")).to_have_text("prices")
    await expect(visit.message(answer).get_by_role("img", name="a table")).to_have_count(1)
    await expect(visit.message(answer).locator(".embed img")).to_be_visible()


async def test_a_picture_that_comes_late_keeps_the_reader_at_the_bottom(visit: Visit) -> None:
    """It grows below them, and they did not scroll away."""
    for number in range(30):
        visit.chat.answer(f"message {number}")
    answer = visit.chat.answer("", embeds=({"title": "plot"},))
    await expect(visit.message(answer)).to_be_in_viewport()
    png = BytesIO()
    Image.new("RGB", (300, 300)).save(png, "PNG")
    plot = visit.chat.upload("plot.png", png.getvalue())
    visit.chat.edit(answer, "", embeds=({"title": "plot", "image": {"url": plot["url"]}},), attachments=(plot,))
    await expect(visit.message(answer).locator("img")).to_be_in_viewport(ratio=1)
    await expect(visit.page.locator("#jump")).to_be_hidden()


async def test_a_slash_offers_commands_and_their_options(visit: Visit) -> None:
    """Enter takes what is offered; what needs nothing more is sent by the next."""
    visit.chat.register(ASK, STOP)
    text, offered = visit.page.locator("#text"), visit.page.locator("#picker li")
    await text.press_sequentially("/")
    await expect(offered).to_have_count(2)
    await expect(offered.first).to_contain_text("Asks the model")
    await text.press_sequentially("a")
    await text.press("Enter")
    await expect(text).to_have_value("/ask ")
    await expect(offered).to_have_text(["question:requiredWhat you want to know"])
    await text.press("Enter")
    await text.press_sequentially("what is it lo")
    await expect(offered).to_have_text(["loud:Whether it shouts"])
    await text.press("Tab")
    await text.press_sequentially("true")
    await text.press("Enter")
    await expect(text).to_have_value("")
    assert visit.chat.called == [("ask", {"question": "what is it", "loud": True})]
    await text.press_sequentially("/st")
    await text.press("Enter")
    await text.press("Enter")
    await expect(text).to_have_value("")
    assert visit.chat.called[-1] == ("stop", {})


async def test_commands_that_come_late_answer_a_slash_that_is_there(visit: Visit) -> None:
    """A bot registers its commands while somebody is already typing."""
    await visit.page.locator("#text").press_sequentially("/")
    visit.chat.register(ASK, STOP)
    await expect(visit.page.locator("#picker li")).to_have_count(2)


async def test_a_command_that_is_used_wrongly_comes_back(visit: Visit) -> None:
    """With what is wrong with it; one that does not exist is a message."""
    visit.chat.register(ASK)
    await visit.page.locator("#text").fill("/ask")
    await visit.page.locator("#send").click()
    await expect(visit.page.locator("#toast")).to_contain_text("/ask needs question: What you want to know")
    await expect(visit.page.locator("#text")).to_have_value("/ask")
    await visit.page.locator("#text").fill("/nothing here")
    await visit.page.locator("#send").click()
    await expect(visit.page.locator(".message .content")).to_have_text("/nothing here")


async def test_threads_are_listed_opened_and_marked_when_archived(visit: Visit) -> None:
    """From the list, and from the message they hang on."""
    world, chat = visit.chat.world, visit.chat
    answer = chat.answer("an answer")
    thread = world.start_thread(chat.general, "Thoughts", world.bot.id, message_id=answer)
    chat.answer("first I considered", channel=thread)
    await visit.message(answer).get_by_role("button", name="Thoughts").click()
    await expect(visit.page.locator("#channel-name")).to_contain_text("Thoughts")
    await expect(visit.page.locator(".message .content")).to_have_text(["an answer", "first I considered"])
    world.set_archived(thread.id, True)
    await expect(visit.page.locator("#topic")).to_have_text("archived")
    await expect(visit.page.locator(".channel.archived")).to_contain_text("Thoughts")
    await visit.say("back again")
    await expect(visit.page.locator(".channel.archived")).to_have_count(0)
    await expect(visit.page.locator("#topic")).to_be_empty()


async def test_who_is_in_a_channel_that_is_deleted_is_led_to_another(visit: Visit) -> None:
    """Nobody is left where nothing can be written."""
    await visit.page.locator(".channel", has_text="random").click()
    await expect(visit.page.locator("#channel-name")).to_contain_text("random")
    visit.chat.world.delete_channel(visit.chat.random.id)
    await expect(visit.page.locator("#channel-name")).to_contain_text("general")
    await expect(visit.page.locator(".channel", has_text="random")).to_have_count(0)


async def test_an_answer_in_a_dm_is_seen_by_its_person_alone(visit: Visit) -> None:
    """It marks the DM unread."""
    dm = visit.chat.world.open_dm(visit.chat.ada)
    message = visit.chat.answer("psst", channel=dm)
    await expect(visit.page.locator(".channel.dm")).to_have_class("channel dm unread")
    await visit.page.locator(".channel.dm").click()
    await expect(visit.message(message)).to_be_visible()
    await visit.page.locator("#identity").select_option(label="Bo")
    await expect(visit.message(message)).to_have_count(0)
