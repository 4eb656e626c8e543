"""Commands, components, modals and autocomplete between people on the stand-in and the real discord.py client."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

import aiohttp
import discord
import pytest
from discord import app_commands

from bot.playground.standin import ApiError, CallbackType, Standin, StandinConfig, Upload
from bot.playground.standin.events import InteractionAnswered, InteractionFailed, InteractionStarted
from tests.playground.standin_dialogue import Listener, MovedClock, dialogue


class Form(discord.ui.Modal, title="Form"):
    name: discord.ui.TextInput[discord.ui.Modal] = discord.ui.TextInput(label="Name", custom_id="name", default="Ada")

    async def on_submit(self, interaction: discord.Interaction) -> None:
        await interaction.response.send_message(f"hello, {self.name.value}", ephemeral=True)


class Panel(discord.ui.View):
    @discord.ui.button(label="Stop", custom_id="stop")
    async def stop_button(self, interaction: discord.Interaction, button: discord.ui.Button[Panel]) -> None:
        await interaction.response.edit_message(content="stopped", view=None)

    @discord.ui.button(label="Form", custom_id="form")
    async def form_button(self, interaction: discord.Interaction, button: discord.ui.Button[Panel]) -> None:
        await interaction.response.send_modal(Form())


def add_commands(client: Listener) -> None:
    @client.tree.command(description="Ask the model")
    async def ask(interaction: discord.Interaction, question: str, loud: bool = False) -> None:
        await interaction.response.defer(thinking=True)
        await interaction.edit_original_response(content=f"you asked: {question}{'!' if loud else ''}")
        await interaction.followup.send("only for you", ephemeral=True)

    @ask.autocomplete("question")
    async def complete(interaction: discord.Interaction, current: str) -> list[app_commands.Choice[str]]:
        return [app_commands.Choice(name=f"{current}{n}", value=f"{current}{n}") for n in range(3)]

    settings = app_commands.Group(name="settings", description="Settings")

    @settings.command(description="Who")
    async def who(interaction: discord.Interaction, member: discord.Member, file: discord.Attachment) -> None:
        text = (await file.read()).decode()
        await interaction.response.send_message(f"{member.display_name}: {text}", ephemeral=True)

    client.tree.add_command(settings)

    @client.tree.context_menu(name="Quote")
    async def quote(interaction: discord.Interaction, message: discord.Message) -> None:
        await interaction.response.send_message(f"> {message.content}")

    @client.tree.error
    async def failed(interaction: discord.Interaction, error: app_commands.AppCommandError) -> None:
        cause = error.__cause__ or error
        client.hear("error", getattr(cause, "code", None))


@asynccontextmanager
async def commands_ready(config: StandinConfig | None = None) -> AsyncIterator[tuple[Standin, Listener]]:
    async with dialogue(config or StandinConfig(buckets={})) as (standin, client):
        add_commands(client)
        await client.tree.sync()
        yield standin, client


async def test_a_synchronised_tree_is_registered_and_keeps_its_ids() -> None:
    async with commands_ready() as (standin, client):
        ids = {command["name"]: command["id"] for command in standin.commands}
        assert sorted(ids) == ["Quote", "ask", "settings"]
        await client.tree.sync()
        assert {command["name"]: command["id"] for command in standin.commands} == ids
        assert [command.name for command in await client.tree.fetch_commands()] == ["ask", "settings", "Quote"]


async def test_a_slash_command_is_deferred_filled_and_followed_up() -> None:
    async with commands_ready() as (standin, _):
        ada, general = standin.user("Ada"), standin.channel("general")
        asked = await standin.slash(ada, general, "ask", {"question": "why", "loud": True})
        assert (await asked.answered()).kind is CallbackType.DEFERRED_MESSAGE
        await standin.wait_for(lambda s: asked.follow_up_ids)
        assert [m["content"] for m in standin.messages(general)] == ["you asked: why!"]
        assert [m["content"] for m in standin.messages(general, viewer=ada)] == ["you asked: why!", "only for you"]
        assert [m["content"] for m in standin.messages(general, viewer=standin.user("Bo"))] == ["you asked: why!"]
        assert standin.messages(general)[0]["interaction_metadata"]["user"]["id"] == ada.id


async def test_a_subcommand_gets_members_and_files_resolved() -> None:
    async with commands_ready() as (standin, _):
        ada, bo, general = standin.user("Ada"), standin.user("Bo"), standin.channel("general")
        asked = await standin.slash(ada, general, "settings who", {"member": bo, "file": ("a.txt", b"text")})
        answer = await asked.answered()
        assert (answer.kind, answer.ephemeral) == (CallbackType.MESSAGE, True)
        assert answer.message_id is not None
        assert standin.message(answer.message_id)["content"] == "Bo: text"


async def test_a_message_command_gets_its_message() -> None:
    async with commands_ready() as (standin, _):
        ada = standin.user("Ada")
        said = await standin.say(ada, standin.channel("general"), "to be or not")
        answer = await (await standin.message_command(ada, said["id"], "Quote")).answered()
        assert answer.message_id is not None
        assert standin.message(answer.message_id)["content"] == "> to be or not"


async def test_a_command_works_in_a_dm() -> None:
    async with commands_ready() as (standin, _):
        ada = standin.user("Ada")
        asked = await standin.slash(ada, standin.dm(ada), "ask", {"question": "here"})
        await standin.wait_for(lambda s: asked.follow_up_ids)
        assert [m["content"] for m in standin.messages(standin.dm(ada))] == ["you asked: here"]


async def test_autocomplete_gives_choices() -> None:
    async with commands_ready() as (standin, _):
        typed = await standin.autocomplete(
            standin.user("Ada"), standin.channel("general"), "ask", {"question": "w"}, focused="question"
        )
        answer = await typed.answered()
        assert answer.kind is CallbackType.CHOICES
        assert [choice["value"] for choice in answer.choices] == ["w0", "w1", "w2"]


async def test_a_button_updates_its_message_and_the_world_tells_how_it_went() -> None:
    async with dialogue() as (standin, client):
        message = await client.text_channel().send("working", view=Panel())
        with standin.subscribe() as events:
            pressed = await standin.press(standin.user("Ada"), str(message.id), "stop")
            assert (await pressed.answered()).kind is CallbackType.UPDATE_MESSAGE
            kinds = [type(await anext(events)).__name__ for _ in range(3)]
        assert kinds == ["InteractionStarted", "MessageUpdated", "InteractionAnswered"]
        assert standin.message(str(message.id))["content"] == "stopped"
        assert standin.message(str(message.id))["components"] == []
        with pytest.raises(LookupError, match="no enabled component 'stop'"):
            await standin.press(standin.user("Ada"), str(message.id), "stop")


class Pages(discord.ui.View):
    """A button that answers who pressed it, and nobody else."""

    @discord.ui.button(label="Thoughts", custom_id="thoughts")
    async def thoughts(self, interaction: discord.Interaction, button: discord.ui.Button[Pages]) -> None:
        await interaction.response.defer()
        await interaction.edit_original_response(content=f"read by {interaction.user.display_name}")
        await interaction.followup.send("page 1", ephemeral=True, view=NextPage())


class NextPage(discord.ui.View):
    @discord.ui.button(label="Next", custom_id="next")
    async def turn(self, interaction: discord.Interaction, button: discord.ui.Button[NextPage]) -> None:
        await interaction.response.edit_message(content="page 2", view=None)


async def test_anybody_presses_and_the_ephemeral_follow_up_is_theirs_alone() -> None:
    async with dialogue() as (standin, client):
        ada, bo, general = standin.user("Ada"), standin.user("Bo"), standin.channel("general")
        message = await client.text_channel().send("an answer", view=Pages())
        pressed = await standin.press(bo, str(message.id), "thoughts")
        assert (await pressed.answered()).kind is CallbackType.DEFERRED_UPDATE
        await standin.wait_for(lambda _: pressed.follow_up_ids)
        (page,) = pressed.follow_up_ids
        assert [m["content"] for m in standin.messages(general, ada)] == ["read by Bo"]
        assert [m["content"] for m in standin.messages(general, bo)] == ["read by Bo", "page 1"]
        with pytest.raises(ApiError, match="10008"):
            await standin.press(ada, page, "next")
        await (await standin.press(bo, page, "next")).answered()
        assert standin.message(page)["content"] == "page 2"


async def test_a_disabled_button_cannot_be_pressed() -> None:
    async with dialogue() as (standin, client):
        view = discord.ui.View(timeout=None)
        view.add_item(discord.ui.Button(label="Stop", custom_id="stop", disabled=True))
        message = await client.text_channel().send("done", view=view)
        with pytest.raises(LookupError, match="no enabled component 'stop'"):
            await standin.press(standin.user("Ada"), str(message.id), "stop")


async def test_a_modal_is_shown_and_submitted_with_preset_or_own_values() -> None:
    async with dialogue() as (standin, client):
        message = await client.text_channel().send("panel", view=Panel())
        for values, greeting in (({}, "hello, Ada"), ({"name": "Bo"}, "hello, Bo")):
            opened = await standin.press(standin.user("Ada"), str(message.id), "form")
            answer = await opened.answered()
            assert answer.modal is not None
            assert answer.modal["title"] == "Form"
            submitted = await (await standin.submit_modal(opened, values)).answered()
            assert submitted.ephemeral
            assert submitted.message_id is not None
            assert standin.message(submitted.message_id)["content"] == greeting


async def test_an_answer_after_three_seconds_is_refused_and_shown_as_failed() -> None:
    time = MovedClock()
    async with commands_ready(StandinConfig(buckets={}, clock=time.clock())) as (standin, client):
        gate = asyncio.Event()
        with standin.subscribe() as events:
            standin.fail("POST", "^/interactions/", hold=gate)
            asked = await standin.slash(standin.user("Ada"), standin.channel("general"), "ask", {"question": "late"})
            await standin.wait_for(lambda s: s.in_flight)
            time.seconds += 3.5
            gate.set()
            await client.until_heard("error")
            seen = [await anext(events), await anext(events)]
        assert client.heard[-1] == ("error", 10062)
        assert [type(event) for event in seen] == [InteractionStarted, InteractionFailed]
        assert InteractionAnswered(asked.id) not in seen
        with pytest.raises(TimeoutError, match="failed"):
            await asked.answered()


async def test_a_second_first_answer_is_refused() -> None:
    async with dialogue() as (standin, client):
        message = await client.text_channel().send("working", view=Panel())
        pressed = await standin.press(standin.user("Ada"), str(message.id), "stop")
        await pressed.answered()
        url = f"{standin.api_url}/interactions/{pressed.id}/{pressed.token}/callback"
        async with aiohttp.ClientSession() as session, session.post(url, json={"type": 6}) as response:
            assert (response.status, (await response.json())["code"]) == (400, 40060)


async def test_the_token_dies_after_fifteen_minutes() -> None:
    time = MovedClock()
    async with commands_ready(StandinConfig(buckets={}, clock=time.clock())) as (standin, client):
        asked = await standin.slash(standin.user("Ada"), standin.channel("general"), "ask", {"question": "why"})
        await standin.wait_for(lambda s: asked.follow_up_ids)
        webhook = discord.Webhook.partial(int(standin.bot_id), asked.token, client=client)
        time.seconds += 15 * 60 + 1
        with pytest.raises(discord.HTTPException) as dead:
            await webhook.send("too late")
        assert dead.value.code == 50027


async def test_who_may_not_use_commands_there_is_told_so() -> None:
    async with commands_ready() as (standin, _):
        with pytest.raises(ApiError, match="10003"):
            await standin.slash(standin.user("Ada"), "1", "ask", {"question": "x"})
        with pytest.raises(LookupError, match="there are: ask, settings"):
            await standin.slash(standin.user("Ada"), standin.channel("general"), "nothing")
        with pytest.raises(LookupError, match="no option 'q'"):
            await standin.slash(standin.user("Ada"), standin.channel("general"), "ask", {"q": "x"})


class Choice(discord.ui.View):
    @discord.ui.select(
        custom_id="model",
        max_values=2,
        options=[discord.SelectOption(label=name, value=name) for name in ("small", "large", "huge")],
    )
    async def choose(self, interaction: discord.Interaction, select: discord.ui.Select[Choice]) -> None:
        await interaction.response.edit_message(content=", ".join(select.values))


async def test_a_select_takes_what_it_offers() -> None:
    async with dialogue() as (standin, client):
        message = await client.text_channel().send("which?", view=Choice())
        await (await standin.press(standin.user("Ada"), str(message.id), "model", ["small", "huge"])).answered()
        assert standin.message(str(message.id))["content"] == "small, huge"
        with pytest.raises(LookupError, match="does not offer"):
            await standin.press(standin.user("Ada"), str(message.id), "model", ["tiny"])


async def test_a_command_may_open_a_modal_and_takes_people_roles_and_declared_files() -> None:
    async with dialogue() as (standin, client):

        @client.tree.command(description="Edit")
        async def edit(interaction: discord.Interaction) -> None:
            await interaction.response.send_modal(Form())

        @client.tree.command(description="Card")
        async def card(interaction: discord.Interaction, file: discord.Attachment, role: discord.Role) -> None:
            await interaction.response.send_message(
                f"{file.content_type} for {role.name}: {interaction.filesize_limit}"
            )

        await client.tree.sync()
        ada, general = standin.user("Ada"), standin.channel("general")
        opened = await standin.slash(ada, general, "edit")
        await opened.answered()
        submitted = await (await standin.submit_modal(opened, {"name": "Eva"})).answered()
        assert submitted.message_id is not None
        assert standin.message(submitted.message_id)["content"] == "hello, Eva"

        role = standin.add_role("helpers")
        file = Upload(filename="card.png", data=b"x", content_type="image/webp")
        answer = await (await standin.slash(ada, general, "card", {"file": file, "role": role})).answered()
        assert answer.message_id is not None
        assert standin.message(answer.message_id)["content"] == f"image/webp for helpers: {10 * 1024 * 1024}"


async def test_a_user_command_gets_its_person_as_a_member() -> None:
    async with dialogue() as (standin, client):

        @client.tree.context_menu(name="Who is this")
        async def who(interaction: discord.Interaction, member: discord.Member) -> None:
            await interaction.response.send_message(f"{member.display_name} {len(member.roles)}")

        await client.tree.sync()
        dora = standin.add_person("Dora", nick="Dorothea", roles=(standin.add_role("helpers"),))
        general = standin.channel("general")
        answer = await (await standin.user_command(standin.user("Ada"), general, dora, "Who is this")).answered()
        assert answer.message_id is not None
        message = standin.message(answer.message_id)
        assert (message["content"], message["type"]) == ("Dorothea 2", 23)
