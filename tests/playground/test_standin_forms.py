"""Selects and modals: what Discord lets a bot send, and what a person can choose and write in them."""

from __future__ import annotations

from collections.abc import AsyncIterator, Mapping
from contextlib import asynccontextmanager
from typing import Any

import discord
import pytest
from discord import ui

from bot.playground.standin import ApiError, Standin
from bot.playground.standin.filling import Choice, FieldValue
from bot.playground.standin.interactions import Interaction
from bot.playground.standin.modal_shapes import MODAL
from bot.playground.standin.request_shapes import MESSAGE_CREATE
from bot.playground.standin.shapes import Rule, require
from tests.playground.page_chat import label, row, select, text_input
from tests.playground.standin_dialogue import Listener, dialogue

# --------------------------------------------------------------------------------------------------- what a bot may send


def modal(*components: dict[str, Any], **fields: Any) -> dict[str, Any]:
    return {"custom_id": "form", "title": "Form", "components": list(components), **fields}


def group(kind: int, count: int, **fields: Any) -> dict[str, Any]:
    options = [{"label": f"{nr}", "value": f"{nr}"} for nr in range(count)]
    return {"type": kind, "custom_id": "g", "options": options, **fields}


RADIO, CHECKBOXES = 21, 22


def refusal_of(rule: Rule, body: Any) -> ApiError | None:
    try:
        require(rule, body)
    except ApiError as refusal:
        return refusal
    return None


@pytest.mark.parametrize(
    "body",
    [
        modal(row(text_input("a", label="l" * 45))),
        modal(label("l" * 45, text_input("a", value="x" * 4000, max_length=4000), description="d" * 100)),
        modal({"type": 10, "content": "Read this"}, *(label("l", text_input(f"{nr}")) for nr in range(4))),
        modal(label("l", select("a", "x", "y", max_values=2, required=False))),
        modal(label("l", {"type": 7, "custom_id": "a", "default_values": [{"id": "1", "type": "role"}]})),
        modal(label("l", {"type": 19, "custom_id": "a", "min_values": 0, "max_values": 10})),
        modal(label("l", group(RADIO, 10))),
        modal(label("l", group(CHECKBOXES, 1))),
        modal(label("l", {"type": 23, "custom_id": "a", "default": True})),
        modal(label("l", text_input("a", min_length=5, max_length=5, value=""))),
    ],
)
def test_a_form_within_the_limits_is_taken(body: dict[str, Any]) -> None:
    assert refusal_of(MODAL, body) is None


@pytest.mark.parametrize(
    ("body", "where", "code"),
    [
        (modal(label("l", text_input("a")), title="t" * 46), "title", "BASE_TYPE_BAD_LENGTH"),
        (modal(label("l", text_input("a")), custom_id="c" * 101), "custom_id", "BASE_TYPE_BAD_LENGTH"),
        (modal(), "components", "BASE_TYPE_BAD_LENGTH"),
        (modal(*(label("l", text_input(f"{nr}")) for nr in range(6))), "components", "BASE_TYPE_BAD_LENGTH"),
        (modal(label("l" * 46, text_input("a"))), "components.0.label", "BASE_TYPE_BAD_LENGTH"),
        (
            modal(label("l", text_input("a"), description="d" * 101)),
            "components.0.description",
            "BASE_TYPE_MAX_LENGTH",
        ),
        (modal(row(text_input("a"))), "components.0.components.0.label", "BASE_TYPE_REQUIRED"),
        (
            modal(label("l", text_input("a", placeholder="p" * 101))),
            "components.0.component.placeholder",
            "BASE_TYPE_MAX_LENGTH",
        ),
        (
            modal(label("l", text_input("a", max_length=4001))),
            "components.0.component.max_length",
            "NUMBER_TYPE_MAX",
        ),
        (
            modal(label("l", text_input("a", min_length=6, max_length=5))),
            "components.0.component.min_length",
            "NUMBER_TYPE_MAX",
        ),
        (
            modal(label("l", text_input("a", max_length=3, value="four"))),
            "components.0.component.value",
            "BASE_TYPE_MAX_LENGTH",
        ),
        (
            modal(label("l", text_input("a")), label("l", text_input("a"))),
            "components",
            "COMPONENT_CUSTOM_ID_DUPLICATED",
        ),
        (modal(label("l", group(RADIO, 1))), "components.0.component.options", "BASE_TYPE_BAD_LENGTH"),
        (modal(label("l", group(CHECKBOXES, 11))), "components.0.component.options", "BASE_TYPE_BAD_LENGTH"),
        (modal(label("l", {"type": 2, "custom_id": "a"})), "components.0.component.type", "UNION_TYPE_CHOICES"),
        (modal({"type": 17, "components": []}), "components.0.type", "UNION_TYPE_CHOICES"),
    ],
)
def test_a_form_beyond_a_limit_is_refused_where_it_is_wrong(body: dict[str, Any], where: str, code: str) -> None:
    assert _code_at(refusal_of(MODAL, body), where) == code


@pytest.mark.parametrize(
    ("menu", "where", "code"),
    [
        (select("m", *(f"{nr}" for nr in range(26))), "options", "BASE_TYPE_BAD_LENGTH"),
        (select("m"), "options", "BASE_TYPE_BAD_LENGTH"),
        ({"type": 3, "custom_id": "m"}, "options", "BASE_TYPE_REQUIRED"),
        (select("m", "a", placeholder="p" * 151), "placeholder", "BASE_TYPE_MAX_LENGTH"),
        (select("m", "a", max_values=2), "options", "BASE_TYPE_BAD_LENGTH"),
        (select("m", "a", max_values=26), "max_values", "NUMBER_TYPE_MAX"),
        ({"type": 5, "custom_id": "m", "options": []}, "options", "UNKNOWN_FIELD"),
        (
            {"type": 8, "custom_id": "m", "default_values": [{"id": "1", "type": "guild"}]},
            "default_values.0.type",
            "BASE_TYPE_CHOICES",
        ),
    ],
)
def test_a_select_beyond_a_limit_is_refused_where_it_is_wrong(menu: dict[str, Any], where: str, code: str) -> None:
    refusal = refusal_of(MESSAGE_CREATE, {"content": "x", "components": [row(menu)]})
    assert _code_at(refusal, f"components.0.components.0.{where}") == code


def _code_at(refusal: ApiError | None, where: str) -> str:
    assert refusal is not None
    assert refusal.kind.code == 50035
    tree: Any = refusal.body["errors"]
    for key in where.split("."):
        tree = tree[key]
    return str(tree["_errors"][0]["code"])


# ------------------------------------------------------------------------------------------------- what a person chooses


class Menus(ui.View):
    """Each select answers with the names of what was chosen in it, and of their types."""

    def __init__(self) -> None:
        super().__init__(timeout=None)
        menus: tuple[ui.Select[Any] | ui.UserSelect[Any] | ui.RoleSelect[Any] | ui.ChannelSelect[Any], ...] = (
            ui.UserSelect(custom_id="user", max_values=2),
            ui.RoleSelect(custom_id="role", min_values=0),
            ui.ChannelSelect(custom_id="channel", channel_types=[discord.ChannelType.text]),
        )
        for menu in (*menus, ui.MentionableSelect[Any](custom_id="any", min_values=2, max_values=3)):
            menu.callback = self._told(menu)  # type: ignore[method-assign]
            self.add_item(menu)

    def _told(self, menu: Any) -> Any:
        async def tell(interaction: discord.Interaction) -> None:
            chosen = [f"{type(value).__name__} {value.name}" for value in menu.values]
            await interaction.response.send_message(", ".join(chosen) or "nothing", ephemeral=True)

        return tell


@asynccontextmanager
async def menus() -> AsyncIterator[tuple[Standin, str]]:
    async with dialogue() as (standin, client):
        standin.add_role("helpers")
        yield standin, str((await client.text_channel().send("which?", view=Menus())).id)


async def _answer(standin: Standin, interaction: Interaction) -> str:
    answer = await interaction.answered()
    assert answer.message_id is not None
    return str(standin.message(answer.message_id)["content"])


async def test_people_roles_and_channels_are_chosen_by_themselves_or_by_id() -> None:
    async with menus() as (standin, message_id):
        ada, bo, random = standin.user("Ada"), standin.user("Bo"), standin.channel("random")
        helpers = next(role for role in standin.world.roles.values() if role.name == "helpers")
        cases: tuple[tuple[str, list[Choice], str], ...] = (
            ("user", [bo], "Member bo"),
            ("user", [ada.id, bo.id], "Member ada, Member bo"),
            ("role", [helpers], "Role helpers"),
            ("role", [], "nothing"),
            ("channel", [random.id], "AppCommandChannel random"),
            ("any", [bo, helpers], "Member bo, Role helpers"),
        )
        for custom_id, values, told in cases:
            assert await _answer(standin, await standin.press(ada, message_id, custom_id, values)) == told


async def test_what_a_select_does_not_offer_cannot_be_chosen() -> None:
    async with menus() as (standin, message_id):
        ada, bo = standin.user("Ada"), standin.user("Bo")
        helpers = next(role for role in standin.world.roles.values() if role.name == "helpers")
        thread = await standin.start_thread(ada, standin.channel("general"), "a thread")
        for custom_id, values in (("user", [helpers]), ("role", [bo]), ("channel", [thread]), ("user", ["1"])):
            with pytest.raises(LookupError, match="does not offer"):
                await standin.press(ada, message_id, custom_id, values)
        for custom_id, values in (("user", []), ("any", [bo]), ("user", [ada, bo, standin.user("Chi")])):
            with pytest.raises(ApiError, match="50035"):
                await standin.press(ada, message_id, custom_id, values)


# -------------------------------------------------------------------------------------------------- what a person writes


class Everything(ui.Modal, title="Everything"):
    why = ui.Label(text="Why", component=ui.TextInput[Any](custom_id="why", min_length=3, max_length=5, required=False))
    who = ui.Label(text="Who", component=ui.UserSelect[Any](custom_id="who", required=True))
    how = ui.Label(
        text="How",
        component=ui.RadioGroup[Any](
            custom_id="how", options=[discord.RadioGroupOption(label=x, value=x, default=x == "b") for x in "ab"]
        ),
    )
    which = ui.Label(
        text="Which",
        component=ui.CheckboxGroup[Any](
            custom_id="which",
            required=False,
            options=[discord.CheckboxGroupOption(label=x, value=x, default=x == "y") for x in "xyz"],
        ),
    )
    file = ui.Label(text="File", component=ui.FileUpload[Any](custom_id="file", required=False))

    async def on_submit(self, interaction: discord.Interaction) -> None:
        fields: tuple[Any, ...] = (self.why, self.who, self.how, self.which, self.file)
        why, who, how, which, file = (field.component for field in fields)
        read = [(await upload.read()).decode() for upload in file.values]
        names = [user.name for user in who.values]
        await interaction.response.send_message(f"{why.value} {names} {how.value} {which.values} {read}")


class Agreement(ui.Modal, title="Agreement"):
    note = ui.TextDisplay[Any]("Read it")
    agreed = ui.Label(text="I agree", component=ui.Checkbox[Any](custom_id="agreed", default=True))
    name: ui.TextInput[Any] = ui.TextInput(label="Name", custom_id="name", style=discord.TextStyle.paragraph)

    async def on_submit(self, interaction: discord.Interaction) -> None:
        agreed: Any = self.agreed.component
        await interaction.response.send_message(f"{self.name.value} {agreed.value}")


@asynccontextmanager
async def form(kind: type[ui.Modal]) -> AsyncIterator[tuple[Standin, Interaction]]:
    """Opened by Ada in #general."""
    async with dialogue() as (standin, client):
        await _add_command(client, kind)
        opened = await standin.slash(standin.user("Ada"), standin.channel("general"), "fill")
        await opened.answered()
        yield standin, opened


async def _add_command(client: Listener, kind: type[ui.Modal]) -> None:
    @client.tree.command(description="Fill it in")
    async def fill(interaction: discord.Interaction) -> None:
        await interaction.response.send_modal(kind())

    await client.tree.sync()


async def test_every_field_comes_as_it_was_filled_in() -> None:
    async with form(Everything) as (standin, opened):
        values: Mapping[str, FieldValue] = {
            "why": "so",
            "who": [standin.user("Bo")],
            "how": "a",
            "which": ["x", "z"],
            "file": [("a.txt", b"text")],
        }
        with pytest.raises(ApiError, match="50035"):
            await standin.submit_modal(opened, values)
        submitted = await standin.submit_modal(opened, {**values, "why": "so it"})
        assert await _answer(standin, submitted) == "so it ['bo'] a ['x', 'z'] ['text']"


async def test_what_is_left_alone_is_as_it_was_preset() -> None:
    async with form(Everything) as (standin, opened):
        submitted = await standin.submit_modal(opened, {"who": [standin.bot_id]})
        assert await _answer(standin, submitted) == "['Parley'] b ['y'] []"


async def test_text_and_a_checkbox_stand_beside_an_older_field() -> None:
    async with form(Agreement) as (standin, opened):
        submitted = await standin.submit_modal(opened, {"agreed": False, "name": "Ada"})
        assert await _answer(standin, submitted) == "Ada False"


@pytest.mark.parametrize(
    ("values", "error"),
    [
        ({"why": "x" * 6}, ApiError),
        ({"who": []}, ApiError),
        ({"how": None}, ApiError),
        ({"file": [("a", b""), ("b", b"")]}, ApiError),
        ({"how": "c"}, LookupError),
        ({"which": ["q"]}, LookupError),
        ({"who": ["1"]}, LookupError),
        ({"nothing": "x"}, LookupError),
    ],
)
async def test_what_a_field_does_not_allow_does_not_reach_the_bot(
    values: dict[str, FieldValue], error: type[Exception]
) -> None:
    async with form(Everything) as (standin, opened):
        with pytest.raises(error):
            await standin.submit_modal(opened, values)


async def test_commands_are_listed_to_who_may_use_them() -> None:
    """A server may allow them to others too, so a call is let through."""
    async with dialogue() as (standin, client):

        @client.tree.command(description="Settings")
        @discord.app_commands.default_permissions(manage_guild=True)
        async def settings(interaction: discord.Interaction) -> None:
            await interaction.response.send_message("no", ephemeral=True)

        await client.tree.sync()
        ada, bo, general = standin.user("Ada"), standin.user("Bo"), standin.channel("general")
        assert [command["name"] for command in standin.commands_in(general, ada)] == ["settings"]
        assert standin.commands_in(general, bo) == []
        assert await _answer(standin, await standin.slash(bo, general, "settings")) == "no"
        assert [command["name"] for command in standin.commands_in(standin.dm(bo), bo)] == ["settings"]


async def test_an_interaction_tells_the_language_of_the_client() -> None:
    async with dialogue() as (standin, client):

        @client.tree.command(description="Say it")
        async def say(interaction: discord.Interaction) -> None:
            await interaction.response.send_message(str(interaction.locale))

        await client.tree.sync()
        ada, general = standin.user("Ada"), standin.channel("general")
        standin.set_locale(ada, "de")
        assert await _answer(standin, await standin.slash(ada, general, "say")) == "de"
