"""Forms, selects and commands with suggestions, in a real browser."""

from __future__ import annotations

from typing import Any

import discord
import pytest
from discord import ui
from playwright.async_api import Browser, expect

from bot.playground.page.server import Page as Server
from bot.playground.page.standin_port import StandinPort
from tests.browser import chromium_path, watched_page
from tests.playground.page_chat import button, label, row, select, text_input
from tests.playground.page_visit import Visit
from tests.playground.standin_dialogue import dialogue

pytestmark = [
    pytest.mark.asyncio(loop_scope="module"),
    pytest.mark.skipif(chromium_path() is None, reason="Chromium is not installed (Debian: apt-get install chromium)"),
]

V2 = 1 << 15
SUBMITTED = "#modal button[type=submit]"

# ---------------------------------------------------------------------------------------------------------------- forms


async def open_form(visit: Visit, *parts: dict[str, Any]) -> None:
    answer = visit.chat.answer("panel", components=(row(button("edit", "Edit")),))
    await visit.message(answer).get_by_role("button", name="Edit").click()
    await visit.chat.until(lambda: visit.chat.presses)
    visit.chat.open_modal("Edit the prompt", *parts)
    await expect(visit.page.get_by_role("dialog", name="Edit the prompt")).to_be_visible()


async def test_a_form_is_filled_in_and_sent(visit: Visit) -> None:
    """With what was preset where nothing was changed; it closes when the bot has taken it."""
    await open_form(
        visit,
        {"type": 10, "content": "Be **kind**."},
        label("Name", text_input("name", max_length=10), description="Of the persona"),
        label("Prompt", text_input("prompt", 2, value="You are", required=False)),
        label("Style", select("style", "plain", "embed")),
        label("Seen", {"type": 23, "custom_id": "seen"}),
    )
    page = visit.page
    await expect(page.locator("#modal strong")).to_have_text("kind")
    await expect(page.get_by_label("Name", exact=True)).to_be_focused()
    await page.get_by_label("Name", exact=True).fill("Ada")
    await expect(page.locator("#modal .left").first).to_have_text("7")
    await page.locator("#modal .select").click()
    await page.locator(".select-menu").get_by_role("option", name="Embed").click()
    await page.get_by_label("Seen").check()
    await page.locator(SUBMITTED).click()
    await visit.chat.until(lambda: visit.chat.filled)
    await expect(page.locator(SUBMITTED)).to_have_attribute("aria-busy", "true")
    visit.chat.answer_press()
    await expect(page.locator("#modal")).to_be_hidden()
    await expect(page.locator("#text")).to_be_focused()
    assert visit.chat.filled == [{"name": "Ada", "prompt": "You are", "style": ["embed"], "seen": True}]


async def test_a_form_says_what_is_wrong_before_it_is_sent(visit: Visit) -> None:
    """Below the field, which then has the focus; lengths are in characters, of which an emoji is one."""
    await open_form(
        visit,
        label("Name", text_input("name", min_length=3, max_length=5)),
        label("Style", select("style", "plain", "embed", "both", min_values=2, max_values=3)),
    )
    page, name = visit.page, visit.page.get_by_label("Name", exact=True)
    problems = page.locator("#modal .field .problem")
    for text, problem in (
        ("", "This field is required."),
        ("ab", "Must be 3 or more"),
        ("abcdef", "Must be 5 or fewer"),
    ):
        await name.fill(text)
        await page.locator(SUBMITTED).click()
        await expect(problems.first).to_contain_text(problem)
        await expect(name).to_be_focused()
    await name.fill("😀😀😀😀😀")
    await page.locator(SUBMITTED).click()
    await expect(problems.first).to_be_empty()
    await expect(problems.last).to_have_text("This field is required.")
    assert visit.chat.filled == []


async def test_what_was_written_stays_when_the_bot_does_not_take_it(visit: Visit) -> None:
    """And it can be sent again."""
    await open_form(visit, label("Name", text_input("name")))
    page = visit.page
    await page.get_by_label("Name", exact=True).fill("Ada")
    await page.get_by_label("Name", exact=True).press("Enter")
    await visit.chat.until(lambda: visit.chat.filled)
    visit.chat.miss_press()
    await expect(page.locator("#modal .problem", has_text="Something went wrong. Try again.")).to_be_visible()
    await expect(page.get_by_label("Name", exact=True)).to_have_value("Ada")
    await page.locator(SUBMITTED).click()
    await visit.chat.until(lambda: len(visit.chat.filled) == 2)
    visit.chat.answer_press()
    await expect(page.locator("#modal")).to_be_hidden()


@pytest.mark.parametrize("way", ["Escape", "Cancel", "Close"])
async def test_a_form_can_be_left(visit: Visit, way: str) -> None:
    """Then the bot hears nothing."""
    await open_form(visit, label("Name", text_input("name")))
    if way == "Escape":
        await visit.page.keyboard.press("Escape")
    else:
        await visit.page.locator("#modal").get_by_role("button", name=way).click()
    await expect(visit.page.locator("#modal")).to_be_hidden()
    assert visit.chat.filled == []


async def test_the_keyboard_stays_in_the_form(visit: Visit) -> None:
    """However often one goes on; and Esc in a list closes the list alone."""
    await open_form(visit, label("Name", text_input("name")), label("Style", select("style", "plain")))
    page = visit.page
    for _ in range(8):
        await page.keyboard.press("Tab")
        assert await page.evaluate(
            "document.activeElement === document.body || !!document.activeElement.closest('dialog')"
        )
    await page.locator("#modal .select").click()
    await expect(page.get_by_role("listbox", name="Make a selection")).to_be_visible()
    await page.keyboard.press("Escape")
    await expect(page.get_by_role("listbox", name="Make a selection")).to_have_count(0)
    await expect(page.locator("#modal .select")).to_be_focused()
    await expect(page.locator("#modal")).to_be_visible()


async def test_a_form_takes_files(visit: Visit) -> None:
    """Of which one can be taken back."""
    await open_form(visit, label("Cards", {"type": 19, "custom_id": "cards", "max_values": 3}))
    page = visit.page
    async with page.expect_file_chooser() as choosing:
        await page.get_by_text("Choose files").click()
    files = [{"name": name, "mimeType": "application/json", "buffer": b"{}"} for name in ("a.json", "b c.json")]
    await (await choosing.value).set_files(files)  # type: ignore[arg-type]
    await page.get_by_role("button", name="Remove a.json").click()
    await page.locator(SUBMITTED).click()
    await visit.chat.until(lambda: visit.chat.filled)
    assert visit.chat.filled == [{"cards": [("b c.json", b"{}")]}]


# -------------------------------------------------------------------------------------------------------------- selects


async def test_one_choice_is_sent_at_once(visit: Visit) -> None:
    """By the keyboard too; it is shown until the bot changes the controls."""
    menu = select("model", "small", "large", placeholder="Which model?")
    answer = visit.chat.answer("panel", components=(row(menu),))
    control = visit.message(answer).locator(".select")
    await expect(control).to_have_text("Which model?")
    await control.press("Enter")
    await expect(visit.page.locator(".select-menu").get_by_role("option", name="Small")).to_have_class("active")
    await visit.page.keyboard.press("l")
    await visit.page.keyboard.press("Enter")
    await visit.chat.until(lambda: visit.chat.chosen)
    assert visit.chat.chosen == [("model", ["large"])]
    await expect(control).to_have_text("Large")
    visit.chat.answer_press()
    visit.chat.edit(answer, "still the same panel")
    await expect(visit.message(answer)).to_contain_text("still the same panel")
    await expect(control).to_have_text("Large")
    visit.chat.edit(answer, "another", components=(row({**menu, "placeholder": "And now?"}),))
    await expect(control).to_have_text("And now?")


async def test_several_choices_are_sent_when_the_list_closes(visit: Visit) -> None:
    """If there are enough of them and not the same as before; more than allowed cannot be chosen."""
    menu = select("tools", "search", "images", "code", min_values=2, max_values=2)
    answer = visit.chat.answer("panel", components=(row(menu),))
    control, options = (
        visit.message(answer).locator(".select"),
        visit.page.locator(".select-menu").get_by_role("option"),
    )
    await control.click()
    await options.nth(0).click()
    await visit.page.locator("#channel-name").click()
    await expect(options).to_have_count(0)
    assert visit.chat.chosen == []
    await control.click()
    await options.nth(2).click()
    await options.nth(0).click()
    await expect(options.nth(1)).to_have_attribute("aria-disabled", "true")
    await options.nth(1).click(force=True)
    await visit.page.keyboard.press("Escape")
    await visit.chat.until(lambda: visit.chat.chosen)
    assert visit.chat.chosen == [("tools", ["code", "search"])]
    await expect(control.locator(".chip")).to_have_text(["Search", "Code"])


async def test_people_roles_and_channels_are_found_by_name(visit: Visit) -> None:
    """Only those that the select is for; what was preset is shown."""
    chat = visit.chat
    menus = (
        row({"type": 5, "custom_id": "who", "default_values": [{"id": chat.bo.id, "type": "user"}]}),
        row({"type": 8, "custom_id": "where", "channel_types": [0]}),
    )
    answer = chat.answer("panel", components=menus)
    people, channels = (visit.message(answer).locator(".select").nth(nr) for nr in (0, 1))
    await expect(people).to_have_text("BBo")
    await people.click()
    await visit.page.keyboard.type("chi")
    await expect(visit.page.locator(".select-menu").get_by_role("option")).to_have_count(1)
    await visit.page.keyboard.press("Enter")
    await visit.chat.until(lambda: chat.chosen)
    await channels.click()
    await expect(visit.page.locator(".select-menu").get_by_role("option")).to_have_text(
        ["#general", "#random", "#help"]
    )
    await visit.page.locator(".select-menu").get_by_role("option", name="random").click()
    await visit.chat.until(lambda: len(chat.chosen) == 2)
    assert chat.chosen == [("who", [chat.chi.id]), ("where", [chat.random.id])]


async def test_controls_in_a_container_can_be_used(visit: Visit) -> None:
    """In rows, and beside a section; what is disabled cannot."""
    container = {
        "type": 17,
        "accent_color": 0x5865F2,
        "components": [
            {"type": 9, "components": [{"type": 10, "content": "Keys"}], "accessory": button("add", "Add")},
            row(select("model", "small", "large")),
            row(select("off", "x", disabled=True)),
            row(button("save", "Save", 3, emoji={"name": "💾"}), button("undo", "Undo", disabled=True)),
        ],
    }
    answer = visit.chat.answer("", flags=V2, components=(container,))
    message = visit.message(answer)
    await message.get_by_role("button", name="Add").click()
    await visit.chat.until(lambda: visit.chat.presses)
    visit.chat.answer_press()
    await message.locator(".select").first.click()
    await visit.page.locator(".select-menu").get_by_role("option", name="Small").click()
    await visit.chat.until(lambda: visit.chat.presses)
    visit.chat.answer_press()
    await message.get_by_role("button", name="Save").click()
    await visit.chat.until(lambda: visit.chat.presses)
    assert visit.chat.chosen == [("add", []), ("model", ["small"]), ("save", [])]
    await expect(message.locator(".select").nth(1)).to_be_disabled()
    await expect(message.get_by_role("button", name="Undo")).to_be_disabled()


# ------------------------------------------------------------------------------------------------------------- commands

MODEL = {
    "name": "model",
    "name_localizations": {"de": "modell"},
    "type": 1,
    "description": "Chooses a model",
    "options": [
        {"type": 3, "name": "name", "description": "Its name", "autocomplete": True, "required": True},
        {"type": 6, "name": "who", "description": "For whom", "required": True},
        {"type": 3, "name": "scope", "description": "Where", "choices": [{"name": "The server", "value": "all"}]},
        {"type": 11, "name": "file", "description": "A file"},
        {"type": 4, "name": "tokens", "description": "At most", "min_value": 1, "max_value": 9},
    ],
}


async def test_values_are_taken_from_lists(visit: Visit) -> None:
    """Of the bot, of people, of the option's choices, of files; each by what it is, not by its words."""
    visit.chat.register(MODEL)
    page, text, offered = visit.page, visit.page.locator("#text"), visit.page.locator("#picker li")
    await text.press_sequentially("/model name:sm")
    await expect(offered).to_have_text(["Loading options…"])
    await visit.chat.until(lambda: visit.chat.wished)
    visit.chat.suggest({"name": "Small one", "value": "v/small"}, {"name": "Smaller", "value": "v/smaller"})
    await expect(offered).to_have_text(["Small one", "Smaller"])
    await text.press("Enter")
    await expect(offered).to_have_text(["who:requiredFor whom"])
    await text.press("Enter")
    await text.press_sequentially("b")
    await expect(offered).to_have_text(["BBo"])
    await text.press("Enter")
    await expect(offered).to_have_count(0)
    await text.press_sequentially("s")
    await text.press("Enter")
    await expect(offered).to_have_text(["The server"])
    await text.press("Enter")
    await text.press_sequentially("t")
    await expect(offered).to_have_text(["tokens:At most (1 to 9)"])
    await text.press("Escape")
    await text.press("Backspace")
    await text.press_sequentially("file:")
    async with page.expect_file_chooser() as choosing:
        await text.press("Enter")
    await (await choosing.value).set_files({"name": "a.txt", "mimeType": "text/plain", "buffer": b"x"})
    await expect(text).to_have_value("/model name:Small one who:Bo scope:The server file:a.txt ")
    await text.press("Enter")
    await visit.chat.until(lambda: visit.chat.called)
    given = {"name": "v/small", "who": visit.chat.bo, "scope": "all", "file": ("a.txt", b"x")}
    assert visit.chat.called == [("model", given)]


async def test_a_bot_that_suggests_nothing_hinders_nobody(visit: Visit) -> None:
    """What was typed is sent as it stands."""
    visit.chat.register(MODEL)
    text, offered = visit.page.locator("#text"), visit.page.locator("#picker li")
    await text.press_sequentially("/model who:Bo name:own")
    await visit.chat.until(lambda: visit.chat.wished)
    visit.chat.miss_press()
    await expect(offered).to_have_text(["Loading options failed"])
    await text.press("Enter")
    await visit.chat.until(lambda: visit.chat.called)
    assert visit.chat.called == [("model", {"name": "own", "who": visit.chat.bo})]


async def test_commands_are_in_the_language_that_the_person_chose(visit: Visit) -> None:
    """Which is theirs, not the page's."""
    visit.chat.register(MODEL)
    await visit.page.locator("#locale").select_option("de")
    await visit.page.locator("#text").press_sequentially("/mo")
    await expect(visit.page.locator("#picker strong")).to_have_text("/modell")
    await visit.page.locator("#identity").select_option(label="Bo")
    await expect(visit.page.locator("#locale")).to_have_value("en-US")
    await visit.page.locator("#identity").select_option(label="Ada · admin")
    await expect(visit.page.locator("#locale")).to_have_value("de")


# ------------------------------------------------------------------------------------------------- with the real client


class Key(ui.Modal, title="Add a key"):
    provider = ui.Label(
        text="Provider",
        component=ui.Select[Any](custom_id="provider", options=[discord.SelectOption(label=x, value=x) for x in "AB"]),
    )
    key = ui.Label(text="Key", component=ui.TextInput[Any](custom_id="key", min_length=4))

    async def on_submit(self, interaction: discord.Interaction) -> None:
        provider, key = (field.component for field in (self.provider, self.key))
        assert isinstance(provider, ui.Select)
        assert isinstance(key, ui.TextInput)
        await interaction.response.send_message(f"{provider.values[0]} …{key.value[-4:]}", ephemeral=True)


async def test_an_admin_fills_in_a_form_of_the_real_client_and_a_member_does_not_find_it(browser: Browser) -> None:
    """By a command that is only for who may manage the server; the answer is seen by nobody else."""
    async with dialogue() as (standin, client):

        @client.tree.command(description="Keys")
        @discord.app_commands.default_permissions(manage_guild=True)
        async def keys(interaction: discord.Interaction) -> None:
            await interaction.response.send_modal(Key())

        server = Server(StandinPort(standin))
        await server.start(port=0)
        try:
            async with watched_page(browser, server.url) as page:
                await expect(page.locator("#channel-name")).to_contain_text("general")
                await client.tree.sync()
                text, offered = page.locator("#text"), page.locator("#picker li")
                await text.press_sequentially("/k")
                await expect(offered).to_have_text(["/keysKeys"])
                await text.press("Enter")
                await text.press("Enter")
                await page.get_by_label("Key", exact=True).fill("sk-12345678")
                await page.locator("#modal .select").click()
                await page.locator(".select-menu").get_by_role("option", name="B").click()
                await page.locator(SUBMITTED).click()
                await expect(page.locator(".message .content")).to_have_text("B …5678")
                await expect(page.locator(".only-you")).to_contain_text("Only you can see this")
                await expect(page.locator("#modal")).to_be_hidden()
                await page.locator("#identity").select_option(label="Bo")
                await expect(page.locator(".message")).to_have_count(0)
                await text.press_sequentially("/k")
                await expect(offered).to_have_count(0)
        finally:
            await server.stop()
