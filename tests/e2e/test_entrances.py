"""Every way in: what people can do to the bot, and that each of them asks the gate first (bot.gateway.admission).

An entrance that nobody wrote down here fails the tests, so none comes to be without one.
"""

from pathlib import Path

from discord import app_commands

from bot.delivery.controls import Action, custom_id
from bot.gateway.client import ParleyClient
from bot.gateway.controls import ControlButton
from bot.playground.scripted_provider import Think, spoken
from bot.playground.standin import Channel, User
from bot.playground.standin.world import Draft
from tests.e2e.house import House, open_house

EVENTS = {"on_ready", "on_error", "on_message", "on_raw_message_delete", "on_raw_bulk_message_delete"}
"""Of these only on_message does what somebody wants; test_faults has what it says where we may not write."""
STRANGERS_HEAR = {
    "stop": "Nothing is running here",
    "settings delivery": "Only people who may manage this server",
}
"""By command: what it tells somebody who asked nothing and may manage nothing."""
ARGUMENTS = {Action.PREVIOUS: 1, Action.NEXT: 1, Action.PAGE: 1}


def turn_of(house: House) -> str:
    row = house.answers()[0]["components"][0]["components"][0]
    return str(row["custom_id"].split(":")[3])


def with_buttons(house: House, channel: Channel, turn_id: str) -> str:
    """A message of ours with all buttons that there are; its id."""
    ids = [custom_id(action, turn_id, ARGUMENTS.get(action)) for action in Action]
    made = [{"type": 2, "style": 2, "label": "x", "disabled": False, "custom_id": made} for made in ids]
    rows = tuple({"type": 1, "components": made[at : at + 5]} for at in range(0, len(made), 5))
    message = house.standin.world.create_message(house.standin.bot_id, channel.id, Draft(content="x", components=rows))
    return str(message["id"])


async def heard_more(house: House, person: User, channel: Channel, count: int) -> None:
    await house.standin.wait_for(lambda _: heard(house, person, channel) > count)


def heard(house: House, person: User, channel: Channel) -> int:
    return sum(bool(text) for text in house.whispers(person, channel))


async def press_all(house: House, channel: Channel, turn_id: str, by: str, told: str) -> None:
    """Each button is pressed, and each time only these words come of it."""
    person, message_id = house.standin.user(by), with_buttons(house, channel, turn_id)
    for action in Action:
        made, before = custom_id(action, turn_id, ARGUMENTS.get(action)), heard(house, person, channel)
        await (await house.standin.press(person, message_id, made)).answered()
        await heard_more(house, person, channel, before)
        assert told in house.whispers(person, channel)[-1], action


async def test_no_button_does_anything_for_a_stranger_or_in_another_channel_or_of_no_answer(tmp_path: Path) -> None:
    async with open_house(tmp_path) as house:
        house.script = [Think("Hm."), *spoken("Yes.")]
        await house.ask("Well?", by=house.bo)
        await house.answered()
        await house.app.idle()
        turn_id, answers = turn_of(house), house.answers()
        await press_all(house, house.general, turn_id, "Chi", "Only who asked, or a moderator")
        await press_all(house, house.standin.channel("random"), turn_id, "Ada", "not known any more")
        await press_all(house, house.general, "invented", "Ada", "not known any more")
        assert house.answers()[0] == answers[0]
        assert len(house.provider.requests) == 1


async def test_no_command_does_anything_for_a_stranger(tmp_path: Path) -> None:
    async with open_house(tmp_path) as house:
        tree = house.app.client._connection._command_tree
        assert tree is not None
        commands = [command for command in tree.walk_commands() if not isinstance(command, app_commands.Group)]
        assert {command.qualified_name for command in commands} == set(STRANGERS_HEAR)
        for name, told in STRANGERS_HEAR.items():
            await house.standin.slash(house.standin.user("Chi"), house.general, name)
            await house.whispered(house.standin.user("Chi"), told)


async def test_there_is_no_other_way_in(tmp_path: Path) -> None:
    async with open_house(tmp_path) as house:
        assert {name for name in vars(ParleyClient) if name.startswith("on_")} == EVENTS
        views = house.app.client._connection._view_store
        assert list(views._dynamic_items.values()) == [ControlButton]


async def test_pages_that_were_shown_are_not_kept_in_memory(tmp_path: Path) -> None:
    async with open_house(tmp_path) as house:
        house.script = [Think("Thought. " * 1000), *spoken("Yes.")]
        await house.ask("Well?", by=house.bo)
        await house.answered()
        await house.app.idle()
        await house.press("thoughts", by=house.bo)
        await house.whispered(house.bo, "Page 1 of")
        assert house.app.client._connection._view_store._views == {}
