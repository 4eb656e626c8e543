"""The application commands that the bot registered, globally and by guild.

https://docs.discord.com/developers/interactions/application-commands
"""

from __future__ import annotations

import re
from collections.abc import Callable
from enum import IntEnum
from typing import Any

import msgspec

from bot.playground.standin.errors import invalid_form
from bot.playground.standin.events import Json
from bot.playground.standin.permissions import Permission

_NAME = re.compile(r"[-_'\w]{1,32}")
COMMAND_LIMITS = {1: 100, 2: 15, 3: 15}
"""By command type: slash, user menu, message menu."""
TEXT_LIMIT = 8000
"""Code points of one command's names, descriptions and values together."""


class CommandType(IntEnum):
    SLASH = 1
    USER = 2
    MESSAGE = 3


class Context(IntEnum):
    """Where an interaction comes from."""

    GUILD = 0
    BOT_DM = 1
    PRIVATE = 2
    """A DM or group without the bot."""


class Install(IntEnum):
    GUILD = 0
    USER = 1


class Reach(msgspec.Struct, frozen=True):
    """Where a person stands who looks for commands."""

    guild_id: str | None = None
    context: Context = Context.GUILD
    installs: frozenset[Install] = frozenset({Install.GUILD})
    """For whom the application is installed there: for the server, for the person, for both."""

    def shows(self, command: Json) -> bool:
        contexts = command["contexts"]
        fits = command["dm_permission"] or self.context is not Context.BOT_DM
        if contexts is not None:
            fits = self.context in contexts
        return fits and bool(self.installs & set(command["integration_types"]))


def is_allowed(command: Json, permissions: int) -> bool:
    """Whether somebody with these permissions finds the command in a server; "0" is for administrators."""
    needed = command["default_member_permissions"]
    if needed is None or permissions & Permission.ADMINISTRATOR:
        return True
    return needed != "0" and int(needed) & permissions == int(needed)


class OptionType(IntEnum):
    SUBCOMMAND = 1
    SUBCOMMAND_GROUP = 2
    STRING = 3
    INTEGER = 4
    BOOLEAN = 5
    USER = 6
    CHANNEL = 7
    ROLE = 8
    MENTIONABLE = 9
    NUMBER = 10
    ATTACHMENT = 11


class CommandRegistry:
    def __init__(self, application_id: str, new_id: Callable[[], str]) -> None:
        self._application_id = application_id
        self._new_id = new_id
        self._by_scope: dict[str | None, list[Json]] = {}

    def overwrite(self, guild_id: str | None, commands: list[Json]) -> list[Json]:
        """Replaces all commands of a guild, or the global ones. A command keeps its id while name and type stay."""
        for index, command in enumerate(commands):
            _check(f"{index}", command)
        for kind, limit in COMMAND_LIMITS.items():
            if sum(command.get("type", 1) == kind for command in commands) > limit:
                raise invalid_form("_", "APPLICATION_COMMAND_TOO_MANY", f"At most {limit} commands of type {kind}")
        known = {(command["name"], command["type"]): command["id"] for command in self.get(guild_id)}
        registered = [self._registered(command, guild_id, known) for command in commands]
        self._by_scope[guild_id] = registered
        return registered

    def get(self, guild_id: str | None) -> list[Json]:
        return self._by_scope.get(guild_id, [])

    def reachable(self, kind: CommandType, reach: Reach) -> list[Json]:
        """The commands of this kind that a person sees there, the guild's own first."""
        scopes = (None,) if reach.guild_id is None else (reach.guild_id, None)
        found = [command for scope in scopes for command in self.get(scope) if command["type"] == kind]
        return [command for command in found if reach.shows(command)]

    def find(self, name: str, kind: CommandType, reach: Reach) -> Json:
        """The command that a person reaches there by this name. Raises LookupError."""
        reachable = self.reachable(kind, reach)
        for command in reachable:
            if command["name"] == name:
                return command
        names = ", ".join(command["name"] for command in reachable) or "none"
        raise LookupError(f"no {kind.name.lower()} command {name!r} is registered there; there are: {names}")

    def _registered(self, command: Json, guild_id: str | None, known: dict[tuple[str, int], str]) -> Json:
        given = {key: value for key, value in command.items() if value is not None}
        kind = given.get("type", CommandType.SLASH)
        permissions = given.get("default_member_permissions")
        registered = {
            "description": "",
            "dm_permission": True,
            "nsfw": False,
            "contexts": None,
            "integration_types": [0],
            **given,
            "type": kind,
            "id": known.get((given["name"], kind)) or self._new_id(),
            "application_id": self._application_id,
            "version": self._new_id(),
            "default_member_permissions": None if permissions is None else str(permissions),
        }
        return registered if guild_id is None else {**registered, "guild_id": guild_id}


def _check(index: str, command: Json) -> None:
    kind = command.get("type", CommandType.SLASH)
    if kind == CommandType.SLASH:
        _check_names(index, command)
        if not command.get("description"):
            raise invalid_form(f"{index}.description", "BASE_TYPE_REQUIRED", "This field is required")
    elif command.get("description") or command.get("options"):
        raise invalid_form(
            f"{index}.options", "APPLICATION_COMMAND_MENU", "A menu command has no description or options"
        )
    if _text_length(command) > TEXT_LIMIT:
        raise invalid_form(index, "APPLICATION_COMMAND_TOO_LARGE", f"Command exceeds maximum size ({TEXT_LIMIT})")


def _check_names(path: str, command: Json) -> None:
    names = [command["name"], *(command.get("name_localizations") or {}).values()]
    if not all(_NAME.fullmatch(name) and name == name.lower() for name in names):
        raise invalid_form(f"{path}.name", "APPLICATION_COMMAND_INVALID_NAME", "Command name is invalid")
    options = command.get("options") or []
    seen = [option["name"] for option in options]
    if len(set(seen)) < len(seen):
        raise invalid_form(f"{path}.options", "APPLICATION_COMMAND_OPTIONS_NAME_INVALID", "Option names are not unique")
    for index, option in enumerate(options):
        _check_names(f"{path}.options.{index}", option)


def _text_length(part: Json) -> int:
    """The longest localization of a text counts for it."""

    def longest(field: str) -> int:
        return max(len(text) for text in [part.get(field) or "", *(part.get(f"{field}_localizations") or {}).values()])

    choices: list[Any] = part.get("choices") or []
    own = longest("name") + longest("description") + sum(len(c["name"]) + len(str(c["value"])) for c in choices)
    return own + sum(map(_text_length, part.get("options") or []))
