"""Slash commands as a person types them: `/settings model name:small one loud:true`.

A value goes on until the next option of the command, so that it may hold spaces and colons.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import TypeAlias

import msgspec

from bot.playground.standin.commands import OptionType
from bot.playground.standin.events import Json

_SUBCOMMANDS = (OptionType.SUBCOMMAND, OptionType.SUBCOMMAND_GROUP)
_KINDS: Mapping[int, str] = {
    OptionType.INTEGER: "a whole number",
    OptionType.BOOLEAN: "true or false",
    OptionType.NUMBER: "a number",
}
_BOOLEANS = {"true": True, "yes": True, "false": False, "no": False}

SlashValue: TypeAlias = str | int | float | bool


class WrongOptions(Exception):
    """The text says, to who typed it, what is wrong with it."""


class SlashOption(msgspec.Struct, frozen=True):
    name: str
    type: int
    """https://docs.discord.com/developers/interactions/application-commands#application-command-object-application-command-option-type"""
    description: str
    required: bool = False
    choices: Mapping[str, SlashValue] = {}
    """Value by name."""


class SlashCommand(msgspec.Struct, frozen=True):
    name: str
    """With group and subcommand: `settings model`."""
    description: str
    options: tuple[SlashOption, ...] = ()


def slash_commands(definitions: Iterable[Json]) -> Iterator[SlashCommand]:
    """Discord's command objects, each subcommand as a command of its own."""
    for definition in definitions:
        options = definition.get("options") or []
        inner = [option for option in options if option["type"] in _SUBCOMMANDS]
        for command in slash_commands(inner):
            yield msgspec.structs.replace(command, name=f"{definition['name']} {command.name}")
        if not inner:
            yield SlashCommand(definition["name"], definition.get("description") or "", tuple(map(_option, options)))


def called_command(text: str, commands: Sequence[SlashCommand]) -> SlashCommand | None:
    """The command that the text calls, the longest where several fit; None: the text is just a text."""
    fitting = [command for command in commands if re.match(rf"/{re.escape(command.name)}(?!\S)", text)]
    return max(fitting, key=lambda command: len(command.name), default=None)


def option_values(command: SlashCommand, text: str) -> dict[str, SlashValue]:
    """What a text that calls this command gives for its options. People, channels and roles are given by name.

    Raises WrongOptions.
    """
    rest = text[len(command.name) + 1 :]
    known = {option.name: option for option in command.options}
    names = "|".join(map(re.escape, sorted(known, key=len, reverse=True)))
    pieces = re.split(rf"(?<!\S)({names}):", rest) if known else [rest]
    if stray := pieces[0].strip():
        takes = ", ".join(f"{name}:" for name in known) or "no options"
        raise WrongOptions(f"/{command.name} takes {takes}; it does not know what to do with “{stray}”.")
    values = {name: _value(known[name], value.strip()) for name, value in zip(pieces[1::2], pieces[2::2], strict=True)}
    for option in command.options:
        if option.required and option.name not in values:
            raise WrongOptions(f"/{command.name} needs {option.name}: {option.description}")
    return values


def _option(definition: Json) -> SlashOption:
    choices = {choice["name"]: choice["value"] for choice in definition.get("choices") or ()}
    return SlashOption(
        definition["name"],
        definition["type"],
        definition.get("description") or "",
        bool(definition.get("required")),
        choices,
    )


def _value(option: SlashOption, text: str) -> SlashValue:
    """The text as the option's type has it."""
    if option.choices:
        if text not in option.choices:
            raise WrongOptions(f"{option.name} is one of: {', '.join(option.choices)}.")
        return option.choices[text]
    try:
        match option.type:
            case OptionType.INTEGER:
                return int(text)
            case OptionType.BOOLEAN:
                return _BOOLEANS[text.lower()]
            case OptionType.NUMBER:
                return float(text)
    except (ValueError, KeyError):
        raise WrongOptions(f"{option.name} is {_KINDS[option.type]}, not “{text}”.") from None
    return text
