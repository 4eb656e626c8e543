"""Every way in, found by walking what there is, and that each of them asks the gate first (bot.gateway.admission.gate).

A command, button, modal or autocomplete that somebody adds is tried here without being named: a person who is blocked gets nowhere
but to what is kept of them.
"""

import importlib
import pkgutil
from collections.abc import Awaitable, Callable
from functools import partial
from pathlib import Path
from typing import Any

import discord
import pytest
from discord import app_commands
from hypothesis import find
from hypothesis import strategies as st

import bot.commands
import bot.delivery
import bot.gateway
from bot.delivery.controls import Action, custom_id
from bot.gateway.admission.gate import OperatorRules
from bot.gateway.admission.visits import Entrance, Visit
from bot.gateway.client import ParleyClient
from bot.gateway.interactions import GatedModal
from bot.playground.scripted_provider import Think, spoken
from bot.playground.standin import Channel, Interaction, User
from bot.playground.standin.world import Draft
from bot.preferences import AdmissionPreferences
from bot.store import Scope, Subject
from tests.e2e.house import EPHEMERAL, House, open_house

BLOCKED = "You are blocked here"
NOT_YOURS = "Only the person this was shown to"
OWN_DATA = {"privacy", "memory", "forget", "keys", "usage"}
"""The commands by which everybody sees and deletes what is kept of them, whoever blocked them."""
EVENTS = {
    "on_ready",
    "on_error",
    "on_message",
    "on_raw_message_edit",
    "on_raw_message_delete",
    "on_raw_bulk_message_delete",
    "on_raw_thread_delete",
    "on_guild_channel_delete",
    "on_guild_remove",
}
"""What the client listens to. Of these only on_message does what somebody wants: an edit is of what went through the gate."""
ARGUMENTS = {Action.PREVIOUS: 1, Action.NEXT: 1, Action.PAGE: 1}

Command = app_commands.Command[Any, ..., Any]


# ------------------------------------------------------------------------------------------------------ what there is


def kinds_of(parent: type) -> set[type]:
    """All subclasses that the rooms that know Discord define, whether something uses them or not."""
    for room in (bot.commands, bot.delivery, bot.gateway):
        for module in pkgutil.walk_packages(room.__path__, f"{room.__name__}."):
            importlib.import_module(module.name)
    found, new = set[type](), {parent}
    while new:
        known = new
        new = set().union(*(kind.__subclasses__() for kind in known)) - found
        found |= new
    return {kind for kind in found if kind.__module__.startswith("bot.")}


def tree_of(house: House) -> app_commands.CommandTree[Any]:
    tree = house.app.client._connection._command_tree
    assert tree is not None
    return tree


def slash_commands(house: House) -> list[Command]:
    return [command for command in tree_of(house).walk_commands() if isinstance(command, app_commands.Command)]


def something(house: House, parameter: app_commands.Parameter) -> Any:
    """A value that Discord would let through for this option."""
    kinds = discord.AppCommandOptionType
    if parameter.choices:
        return parameter.choices[0].value
    match parameter.type:
        case kinds.string:
            return "x" * int(parameter.min_value or 1)
        case kinds.integer | kinds.number:
            return parameter.min_value or 1
        case kinds.boolean:
            return True
        case kinds.channel:
            return house.general
        case kinds.role:
            return next(iter(house.standin.world.roles.values()))
        case kinds.attachment:
            return ("note.txt", b"x")
        case _:
            return house.bo


def required(house: House, command: Command) -> dict[str, Any]:
    return {option.display_name: something(house, option) for option in command.parameters if option.required}


async def block(house: House, person: User) -> None:
    """As who manages the server does."""
    client = house.app.client
    assert isinstance(client, ParleyClient)
    change, guild_id = client.preferences.change, client.guilds[0].id
    await change(AdmissionPreferences, Scope.SERVER, guild_id, blocked_user_ids=[int(person.id)])


def record_visits(house: House) -> list[tuple[Visit, bool]]:
    """Each visit from now on, and whether it was refused."""
    client = house.app.client
    assert isinstance(client, ParleyClient)
    visits, ask = list[tuple[Visit, bool]](), client.gate.refusal

    async def refusal(visit: Visit, now: float) -> Any:
        refused = await ask(visit, now)
        visits.append((visit, refused is not None))
        return refused

    client.gate.refusal = refusal  # type: ignore[method-assign]
    return visits


async def heard_more(house: House, person: User, channel: Channel, count: int) -> None:
    await house.standin.wait_for(lambda _: heard(house, person, channel) > count)


def heard(house: House, person: User, channel: Channel) -> int:
    messages = house.standin.messages(channel, person)
    return sum(bool(m["flags"] & EPHEMERAL and (m["content"] or m["embeds"])) for m in messages)


def with_buttons(house: House, channel: Channel, ids: list[str]) -> str:
    """A message of ours with these buttons; its id."""
    made = [{"type": 2, "style": 2, "label": "x", "disabled": False, "custom_id": made} for made in ids]
    rows = tuple({"type": 1, "components": made[at : at + 5]} for at in range(0, len(made), 5))
    message = house.standin.world.create_message(house.standin.bot_id, channel.id, Draft(content="x", components=rows))
    return str(message["id"])


async def press_all(house: House, channel: Channel, ids: list[str], by: str, told: str) -> None:
    """Each button is pressed, and each time only these words come of it."""
    person, message_id = house.standin.user(by), with_buttons(house, channel, ids)
    for made in ids:
        before = heard(house, person, channel)
        await (await house.standin.press(person, message_id, made)).answered()
        await heard_more(house, person, channel, before)
        assert told in house.whispers(person, channel)[-1], made


# --------------------------------------------------------------------------------- who is blocked gets nowhere at all


async def test_no_message_of_who_is_blocked_is_answered(tmp_path: Path) -> None:
    async with open_house(tmp_path) as house:
        chi = house.standin.user("Chi")
        await block(house, chi)
        visits = record_visits(house)
        await house.ask("Well?", by=chi)
        await house.ask("Well?", by=house.bo)
        await house.standin.wait_for(lambda _: any("Hello from" in text for text in house.texts()))
        await house.app.idle()
        assert [(visit.entrance, visit.user_id, refused) for visit, refused in visits] == [
            (Entrance.MESSAGE, int(chi.id), True),
            (Entrance.MESSAGE, int(house.bo.id), False),
        ]
        assert len(house.provider.requests) == 1


async def test_no_command_is_carried_out_for_who_is_blocked(tmp_path: Path) -> None:
    async with open_house(tmp_path) as house:
        chi, before = house.standin.user("Chi"), house.answers()
        message = await house.standin.say(house.bo, house.general, "hello")
        await block(house, chi)
        visits = record_visits(house)
        calls = list[tuple[str, Callable[[], Awaitable[Interaction]]]]()
        for command in slash_commands(house):
            name, options = command.qualified_name, required(house, command)
            calls.append((name, partial(house.standin.slash, chi, house.general, name, options)))
        for menu in tree_of(house).get_commands(type=discord.AppCommandType.message):
            calls.append((menu.name, partial(house.standin.message_command, chi, message["id"], menu.name)))
        for menu in tree_of(house).get_commands(type=discord.AppCommandType.user):
            calls.append((menu.name, partial(house.standin.user_command, chi, house.general, house.bo, menu.name)))
        assert {name for name, _ in calls} > OWN_DATA
        for name, call in calls:
            visits.clear()
            count = heard(house, chi, house.general)
            await (await call()).answered()
            await heard_more(house, chi, house.general, count)
            assert (BLOCKED in house.whispers(chi)[-1]) is (name not in OWN_DATA), name
            entrance = (Entrance.COMMAND, name in OWN_DATA, name not in OWN_DATA)
            assert [(visit.entrance, visit.own_data, refused) for visit, refused in visits] == [entrance], name
        assert house.answers() == before
        assert house.provider.requests == []


async def test_who_is_blocked_gets_no_suggestions(tmp_path: Path) -> None:
    async with open_house(tmp_path) as house:
        chi = house.standin.user("Chi")
        await block(house, chi)
        visits = record_visits(house)
        suggesting = [
            (command, option)
            for command in slash_commands(house)
            for option in command.parameters
            if option.autocomplete
        ]
        for command, option in suggesting:
            options = required(house, command) | {option.display_name: ""}
            typing = await house.standin.autocomplete(
                chi, house.general, command.qualified_name, options, focused=option.display_name
            )
            assert (await typing.answered()).choices == (), command.qualified_name
        expected = [(Entrance.AUTOCOMPLETE, True)] * len(suggesting)
        assert [(visit.entrance, refused) for visit, refused in visits] == expected


async def test_no_button_does_anything_for_who_is_blocked(tmp_path: Path) -> None:
    async with open_house(tmp_path) as house:
        items = house.app.client._connection._view_store._dynamic_items
        assert set(items.values()) == kinds_of(discord.ui.DynamicItem), "an item that is not added hears of no press"
        ids = [find(st.from_regex(template, fullmatch=True), lambda made: len(made) <= 100) for template in items]
        ids += [custom_id(action, "invented", ARGUMENTS.get(action)) for action in Action]
        chi = house.standin.user("Chi")
        await block(house, chi)
        visits = record_visits(house)
        for made in ids:
            visits.clear()
            await press_all(house, house.general, [made], "Chi", "")
            ((visit, refused),) = visits
            assert (visit.entrance, refused) == (Entrance.BUTTON, not visit.own_data), made
            assert (BLOCKED if refused else NOT_YOURS) in house.whispers(chi)[-1], made


@pytest.mark.parametrize("by", ["server", "operator"])
async def test_who_is_blocked_still_sees_and_deletes_what_is_kept_of_them(tmp_path: Path, by: str) -> None:
    async with open_house(tmp_path) as house:
        client = house.app.client
        assert isinstance(client, ParleyClient)
        mine = Subject(int(house.general.guild_id or 0), int(house.bo.id))
        await client.memories.switch_on(mine)
        await client.memories.add(mine, "Likes cats.", by=int(house.bo.id))
        if by == "server":
            await block(house, house.bo)
        else:
            client.gate._rules = OperatorRules(blocked_user_ids=frozenset({int(house.bo.id)}))

        async def panel(command: str, words: str, options: dict[str, Any] | None = None) -> Any:
            await house.standin.slash(house.bo, house.general, command, options or {})
            return await shown(words)

        async def shown(words: str) -> Any:
            def found(_: object) -> list[Any]:
                return [m for m in house.standin.messages(house.general, house.bo) if words in str(m["embeds"])]

            await house.standin.wait_for(found)
            return found(None)[-1]

        await panel("privacy", "What I do with what you write")
        notes = await panel("memory", "Likes cats.")
        (change, delete) = [row["components"][0] for row in notes["components"] if row["components"][0]["type"] == 3]
        await house.standin.press(house.bo, notes["id"], change["custom_id"], [change["options"][0]["value"]])
        await house.whispered(house.bo, BLOCKED)
        await house.standin.press(house.bo, notes["id"], delete["custom_id"], [delete["options"][0]["value"]])
        await house.standin.wait_for(lambda _: "Likes cats." not in str(house.standin.message(notes["id"])["embeds"]))
        assert await client.memories.of(mine) == []
        count = heard(house, house.bo, house.general)
        await house.standin.slash(house.bo, house.general, "memory", {"about": "server"})
        await heard_more(house, house.bo, house.general, count)
        assert BLOCKED in house.whispers(house.bo)[-1], "the server's notes are not theirs"
        question = await panel("forget", "Forget")
        await house.standin.press(house.bo, question["id"], question["components"][0]["components"][0]["custom_id"])
        await shown("Done. I deleted")


def test_no_modal_goes_by_the_gate() -> None:
    """What the gate does at a modal, and at doors that no command has, is in tests/e2e/test_doors.py."""
    for kind in kinds_of(discord.ui.Modal) - {GatedModal}:
        assert issubclass(kind, GatedModal), kind
        assert kind.interaction_check is GatedModal.interaction_check, kind


def test_there_are_no_other_things_to_press_or_choose_from() -> None:
    """They would need a door of their own."""
    items = kinds_of(discord.ui.Item) - kinds_of(discord.ui.DynamicItem)
    assert items | kinds_of(discord.ui.View) | kinds_of(discord.ui.LayoutView) == set()


def test_the_client_listens_to_nothing_else() -> None:
    assert {name for name in vars(ParleyClient) if name.startswith("on_")} == EVENTS


# ----------------------------------------------------------------------------------------- and neither does a stranger


async def test_no_button_does_anything_for_a_stranger_or_in_another_channel_or_of_no_answer(tmp_path: Path) -> None:
    async with open_house(tmp_path) as house:
        house.script = [Think("Hm."), *spoken("Yes.")]
        await house.ask("Well?", by=house.bo)
        await house.answered()
        await house.app.idle()
        answers = house.answers()
        turn_id = answers[0]["components"][0]["components"][0]["custom_id"].split(":")[3]
        ids = [custom_id(action, turn_id, ARGUMENTS.get(action)) for action in Action]
        invented = [custom_id(action, "invented", ARGUMENTS.get(action)) for action in Action]
        await press_all(house, house.general, ids, "Chi", "Only who asked, or a moderator")
        await press_all(house, house.standin.channel("random"), ids, "Ada", "not known any more")
        await press_all(house, house.general, invented, "Ada", "not known any more")
        assert house.answers()[0] == answers[0]
        assert len(house.provider.requests) == 1


async def test_what_is_for_who_manages_the_server_is_for_nobody_else(tmp_path: Path) -> None:
    """Discord's own setting can open such a command to others."""
    async with open_house(tmp_path) as house:
        chi = house.standin.user("Chi")
        managing = [
            command
            for command in slash_commands(house)
            if (group := command.root_parent or command).default_permissions is not None
            and group.default_permissions.manage_guild
        ]
        assert managing
        for command in managing:
            count = heard(house, chi, house.general)
            await house.standin.slash(chi, house.general, command.qualified_name, required(house, command))
            await heard_more(house, chi, house.general, count)
            assert "Only people who may manage this server" in house.whispers(chi)[-1], command.qualified_name


async def test_pages_that_were_shown_are_not_kept_in_memory(tmp_path: Path) -> None:
    async with open_house(tmp_path) as house:
        house.script = [Think("Thought. " * 1000), *spoken("Yes.")]
        await house.ask("Well?", by=house.bo)
        await house.answered()
        await house.app.idle()
        await house.press("thoughts", by=house.bo)
        await house.whispered(house.bo, "Page 1 of")
        assert house.app.client._connection._view_store._views == {}
