"""How a field of bot.preferences is set by an option of a command: what Discord offers, what is read from it, how it is told.

A kind is a pair of directions: what a person gives → what is kept, and what is kept → words. What cannot be kept is a
BadValue that says what would be right.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from enum import StrEnum
from typing import Any, Optional
from zoneinfo import ZoneInfo

import discord
import msgspec
from discord import app_commands

from bot.localization import Words
from bot.store import Scope

WORD = Optional[str]  # noqa: UP045 - discord.py reads the annotation
FLAG = Optional[bool]  # noqa: UP045
NONE = "none"
"""Typed for a list or a text: there shall be nothing in it."""
SHOWN = 15
"""Mentions of a list that are shown, so that all lists of a topic fit into one message."""
_COMMA = re.compile("[,，、،]")
_KINDS = {"#": "channels", "@&": "roles", "@": "people"}
_ID = re.compile(r"<(#|@&|@!?)(\d{1,20})>|\b(\d{15,20})\b")


class BadValue(ValueError):
    """`key` is a message of locales/."""

    def __init__(self, key: str, **arguments: str | int | float) -> None:
        super().__init__(key)
        self.key, self.arguments = key, arguments


class Option(msgspec.Struct, frozen=True):
    """`name` is the option's in Discord, `field` the one of the topic's struct."""

    name: str
    field: str
    annotation: Any
    """As discord.py wants it of a parameter."""
    read: Callable[[Any], Any]
    show: Callable[[Any, Words], str]
    choices: tuple[str, ...] = ()
    scope: Scope | None = None
    """The only one for which it can be chosen; None: any."""


def _plain(value: Any) -> Any:
    return value


def _code(value: Any, _words: Words) -> str:
    return f"**{value}**"


def _chosen(value: Any, words: Words) -> str:
    return f"**{words(choice_key(value))}**"


def _switch(value: Any, words: Words) -> str:
    return words("setting-on" if value else "setting-off")


def choice(name: str, field: str, values: type[StrEnum]) -> Option:
    return Option(name, field, WORD, _plain, _chosen, tuple(value.value for value in values))


def choice_key(value: str) -> str:
    """The message of locales/ that names a value."""
    return f"choice-{value.replace('_', '-')}"


def flag(name: str, field: str) -> Option:
    return Option(name, field, FLAG, _plain, _switch)


def number(name: str, field: str, least: int, most: int) -> Option:
    annotation = Optional[app_commands.Range[int, least, most]]  # noqa: UP045
    return Option(name, field, annotation, _plain, lambda value, words: "–" if value is None else _code(value, words))


def decimal(name: str, field: str, most: float) -> Option:
    annotation = Optional[app_commands.Range[float, 0.0, most]]  # noqa: UP045
    return Option(name, field, annotation, float, lambda value, words: "–" if value is None else _code(value, words))


def seconds(name: str, field: str, most: float) -> Option:
    annotation = Optional[app_commands.Range[float, 0.0, most]]  # noqa: UP045
    return Option(name, field, annotation, float, _code)


def channel(name: str, field: str) -> Option:
    return Option(name, field, Optional[discord.TextChannel], lambda chosen: chosen.id, _channel)  # noqa: UP045


def text(name: str, field: str, most: int, scope: Scope | None = None) -> Option:
    annotation = Optional[app_commands.Range[str, 1, most]]  # noqa: UP045
    return Option(name, field, annotation, lambda given: "" if _is_none(given) else given, _quoted, scope=scope)


def words(name: str, field: str, most: int, longest: int) -> Option:
    """Several, separated by commas."""

    def read(given: str) -> tuple[str, ...]:
        found = () if _is_none(given) else tuple(dict.fromkeys(filter(None, map(str.strip, _COMMA.split(given)))))
        if len(found) > most or any(len(word) > longest for word in found):
            raise BadValue("setting-too-many-words", most=most, longest=longest)
        return found

    return Option(name, field, Optional[app_commands.Range[str, 1, 2000]], read, _listed)  # noqa: UP045


def mentions(name: str, field: str, kind: str, most: int = 50) -> Option:
    """Several channels (`#`), roles (`@&`) or people (`@`): mentioned, or by id."""

    def read(given: str) -> tuple[int, ...]:
        if _is_none(given):
            return ()
        found = [(match[1], int(match[2] or match[3])) for match in _ID.finditer(given)]
        ids = tuple(dict.fromkeys(id_ for mark, id_ in found if mark is None or mark.rstrip("!") == kind))
        if not 0 < len(ids) <= most or len(ids) < len({id_ for _, id_ in found}):
            raise BadValue(f"setting-no-mentions-{_KINDS[kind]}", most=most)
        return ids

    def show(ids: Sequence[int], words: Words) -> str:
        shown = " ".join(f"<{kind}{id_}>" for id_ in ids[:SHOWN]) or "–"
        return shown if len(ids) <= SHOWN else f"{shown} {words('setting-and-more', count=len(ids) - SHOWN)}"

    return Option(name, field, Optional[app_commands.Range[str, 1, 6000]], read, show)  # noqa: UP045


def time_zone(name: str, field: str) -> Option:
    def read(given: str) -> str:
        try:
            return ZoneInfo("UTC" if _is_none(given) else given.strip()).key
        except (KeyError, ValueError, OSError):
            raise BadValue("setting-no-time-zone") from None

    return Option(name, field, Optional[app_commands.Range[str, 1, 64]], read, _code)  # noqa: UP045


def _is_none(given: str) -> bool:
    return given.strip().casefold() == NONE


def _channel(value: int | None, _words: Words) -> str:
    return f"<#{value}>" if value else "–"


def _quoted(value: str, _words: Words) -> str:
    """Its beginning, in one line."""
    line = " ".join(value.split()).replace("`", "'")
    return f"`{line[:100]}{'…' if len(line) > 100 else ''}`" if line else "–"


def _listed(values: Sequence[str], _words: Words) -> str:
    return _quoted(", ".join(values), _words)
