"""What Discord is told of the commands, in every language, is what it takes: it refuses the whole list for one name that is not."""

from collections import Counter
from collections.abc import Iterator

import msgspec
import pytest
from discord import app_commands

from bot.catalogues.limits import CHOICE, COMMAND, DESCRIPTION, MESSAGE_COMMAND, Limit, limit_of
from bot.commands.tree import AnyCommand, all_commands
from bot.localization import Translator

TRANSLATOR = Translator()
MOST_IN_ALL = 8000
"""Characters of a command's names, descriptions and values; of each the longest translation counts."""


class Told(msgspec.Struct, frozen=True):
    text: str | app_commands.locale_str
    limit: Limit

    @property
    def key(self) -> str | None:
        return None if isinstance(self.text, str) else self.text.extras.get("key")

    def said(self, locale: str) -> str:
        return str(self.text) if self.key is None else TRANSLATOR.text(locale, self.key)


COMMANDS = all_commands(TRANSLATOR)
TOP = "top"


def levels(commands: tuple[AnyCommand, ...], within: str = TOP) -> Iterator[tuple[str, list[Told]]]:
    """Names that have to differ from each other."""
    yield within, [name_of(command) for command in commands]
    for command in commands:
        if isinstance(command, app_commands.Group):
            yield from levels(tuple(command.commands), command.qualified_name)
        elif isinstance(command, app_commands.Command):
            yield command.qualified_name, [Told(each.locale_name or each.name, COMMAND) for each in command.parameters]
            for each in command.parameters:
                yield (
                    f"{command.qualified_name} {each.name}",
                    [Told(one._locale_name or one.name, CHOICE) for one in each.choices],
                )


def name_of(command: AnyCommand) -> Told:
    limit = MESSAGE_COMMAND if isinstance(command, app_commands.ContextMenu) else COMMAND
    return Told(command._locale_name or command.name, limit)


def all_told(command: AnyCommand) -> Iterator[Told]:
    """All that Discord is told of a command."""
    yield name_of(command)
    if isinstance(command, app_commands.ContextMenu):
        return
    yield Told(command._locale_description or command.description, DESCRIPTION)
    if isinstance(command, app_commands.Group):
        for each in command.commands:
            yield from all_told(each)
        return
    for parameter in command.parameters:
        yield Told(parameter.locale_name or parameter.name, COMMAND)
        yield Told(parameter.locale_description or parameter.description, DESCRIPTION)
        yield from (Told(choice._locale_name or choice.name, CHOICE) for choice in parameter.choices)


ALL_TOLD = [told for command in COMMANDS for told in all_told(command)]


def test_translators_are_told_how_long_each_may_be() -> None:
    assert {told.key: limit_of(told.key) for told in ALL_TOLD if told.key} == {
        told.key: told.limit for told in ALL_TOLD if told.key
    }


@pytest.mark.parametrize("locale", TRANSLATOR.locales)
def test_names_and_descriptions_are_as_discord_takes_them(locale: str) -> None:
    assert [fault for told in ALL_TOLD for fault in told.limit.faults(told.said(locale))] == []
    assert all(told.said(locale) for told in ALL_TOLD)


@pytest.mark.parametrize("locale", TRANSLATOR.locales)
def test_no_two_names_beside_each_other_are_the_same(locale: str) -> None:
    for place, names in levels(tuple(COMMANDS)):
        twice = [name for name, times in Counter(told.said(locale) for told in names).items() if times > 1]
        assert not twice, place


@pytest.mark.parametrize("command", COMMANDS, ids=lambda command: command.name)
def test_a_command_is_not_too_much_in_all(command: AnyCommand) -> None:
    longest = (max(len(told.said(locale)) for locale in TRANSLATOR.locales) for told in all_told(command))
    assert sum(longest) <= MOST_IN_ALL
