"""Slash commands as a person types them: `/settings model name:small one loud:true`.

A value goes on until the next option of the command, so that it may hold spaces and colons. Command and options are called
as the person's language has them, or by their own names. What was picked from a list (a person, a file, a suggestion of
the bot) is said beside the text, as its words alone do not tell which one it was.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any, TypeAlias

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
_OTHER_LOCALES = {"en-GB": "en-US", "en-US": "en-GB", "es-419": "es-ES"}
"""Where Discord looks next (https://docs.discord.com/developers/interactions/application-commands#localization)."""

SlashValue: TypeAlias = str | int | float | bool


class WrongOptions(Exception):
    """The text says, to who typed it, what is wrong with it."""


class Pick(msgspec.Struct, frozen=True):
    """What a person picked from a list for an option; it holds as long as its words still stand there."""

    text: str
    value: SlashValue


class SlashOption(msgspec.Struct, frozen=True):
    name: str
    type: int
    """https://docs.discord.com/developers/interactions/application-commands#application-command-object-application-command-option-type"""
    description: str
    required: bool = False
    choices: Mapping[str, SlashValue] = {}
    """Value by name."""
    label: str = ""
    """The name as people read it."""
    autocomplete: bool = False
    channel_types: tuple[int, ...] = ()
    low: float | None = None
    """The least number, or so many characters at least."""
    high: float | None = None


class SlashCommand(msgspec.Struct, frozen=True):
    name: str
    """With group and subcommand: `settings model`."""
    description: str
    options: tuple[SlashOption, ...] = ()
    label: str = ""
    """The name as people read it."""


def slash_commands(definitions: Iterable[Json], locale: str = "en-US") -> Iterator[SlashCommand]:
    """Discord's command objects in this language, each subcommand as a command of its own."""
    for definition in definitions:
        options = definition.get("options") or []
        name, label = definition["name"], _localized(definition, "name", locale)
        inner = [option for option in options if option["type"] in _SUBCOMMANDS]
        for command in slash_commands(inner, locale):
            yield msgspec.structs.replace(command, name=f"{name} {command.name}", label=f"{label} {command.label}")
        if not inner:
            own = tuple(_option(option, locale) for option in options)
            yield SlashCommand(name, _localized(definition, "description", locale), own, label)


def called_command(text: str, commands: Sequence[SlashCommand]) -> SlashCommand | None:
    """The command that the text calls, the longest where several fit; None: the text is just a text."""
    fitting = [(len(called), command) for command in commands if (called := _name_in(text, command))]
    return max(fitting, key=lambda entry: entry[0])[1] if fitting else None


def option_values(command: SlashCommand, text: str, picks: Mapping[str, Pick] = {}) -> dict[str, SlashValue]:
    """What a text that calls this command gives for its options. People, channels and roles: by name, or as picked.

    `picks` are by the options' own names. Raises WrongOptions.
    """
    stray, given = _given(command, text)
    known = {option.name: option for option in command.options}
    if stray:
        takes = ", ".join(f"{option.label}:" for option in command.options) or "no options"
        raise WrongOptions(f"/{command.label} takes {takes}; it does not know what to do with “{stray}”.")
    values = {name: _value(known[name], value, picks.get(name)) for name, value in given.items()}
    for option in command.options:
        if option.required and option.name not in values:
            raise WrongOptions(f"/{command.label} needs {option.label}: {option.description}")
    return values


def begun_values(
    command: SlashCommand, text: str, focused: str, picks: Mapping[str, Pick] = {}
) -> dict[str, SlashValue]:
    """As far as the person is with it while they write the option `focused`, whose value is what stands there."""
    known = {option.name: option for option in command.options}
    values: dict[str, SlashValue] = {focused: ""}
    for name, value in _given(command, text)[1].items():
        try:
            values[name] = value if name == focused else _value(known[name], value, picks.get(name))
        except WrongOptions:
            continue
    return values


def _name_in(text: str, command: SlashCommand) -> str | None:
    """How the text calls the command; None where it does not."""
    names = sorted({command.label, command.name}, key=len, reverse=True)
    return next((name for name in names if name and re.match(rf"/{re.escape(name)}(?!\S)", text)), None)


def _given(command: SlashCommand, text: str) -> tuple[str, dict[str, str]]:
    """What stands before all options, and the texts of those that are given, by their own names."""
    rest = text[len(_name_in(text, command) or "") + 1 :]
    own = {option.name: option.name for option in command.options}
    by_name = own | {option.label: option.name for option in command.options if option.label}
    names = "|".join(map(re.escape, sorted(by_name, key=len, reverse=True)))
    pieces = re.split(rf"(?<!\S)({names}):", rest) if by_name else [rest]
    given = {by_name[name]: value.strip() for name, value in zip(pieces[1::2], pieces[2::2], strict=True)}
    return pieces[0].strip(), given


def _localized(part: Json, field: str, locale: str) -> str:
    """A text of a command, option or choice."""
    translations: Mapping[str, str] = part.get(f"{field}_localizations") or {}
    for tried in (locale, _OTHER_LOCALES.get(locale, locale)):
        if tried in translations:
            return translations[tried]
    return part.get(field) or ""


def _option(definition: Json, locale: str) -> SlashOption:
    def bound(which: str) -> Any:
        value = definition.get(f"{which}_value")
        return definition.get(f"{which}_length") if value is None else value

    return SlashOption(
        definition["name"],
        definition["type"],
        _localized(definition, "description", locale),
        bool(definition.get("required")),
        {_localized(choice, "name", locale): choice["value"] for choice in definition.get("choices") or ()},
        label=_localized(definition, "name", locale),
        autocomplete=bool(definition.get("autocomplete")),
        channel_types=tuple(definition.get("channel_types") or ()),
        low=bound("min"),
        high=bound("max"),
    )


def _value(option: SlashOption, text: str, pick: Pick | None) -> SlashValue:
    """The text as the option's type has it."""
    if pick is not None and pick.text == text:
        return pick.value
    if option.choices:
        if text not in option.choices:
            raise WrongOptions(f"{option.label} is one of: {', '.join(option.choices)}.")
        return option.choices[text]
    if not text:
        raise WrongOptions(f"{option.label} is empty.")
    value = _typed(option, text)
    size = len(value) if isinstance(value, str) else value
    unit = " characters" if isinstance(value, str) else ""
    if option.low is not None and size < option.low:
        raise WrongOptions(f"{option.label} has to be at least {option.low:g}{unit}.")
    if option.high is not None and size > option.high:
        raise WrongOptions(f"{option.label} can be at most {option.high:g}{unit}.")
    return value


def _typed(option: SlashOption, text: str) -> SlashValue:
    try:
        match option.type:
            case OptionType.INTEGER:
                return int(text)
            case OptionType.BOOLEAN:
                return _BOOLEANS[text.lower()]
            case OptionType.NUMBER:
                return float(text)
    except (ValueError, KeyError):
        raise WrongOptions(f"{option.label} is {_KINDS[option.type]}, not “{text}”.") from None
    return text
