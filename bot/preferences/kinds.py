"""What a setting may be, and where it can be chosen: the vocabulary of the list in topics.py.

A kind only says what is allowed. How a person gives it and how it is told is bot.commands' (by kind, never by setting).
"""

from __future__ import annotations

import re
from enum import StrEnum
from typing import Any, TypeAlias

import msgspec


class Scope(StrEnum):
    """From far to near: the nearest choice counts."""

    GLOBAL = "global"
    """All servers of this bot; chosen by its operator."""
    SERVER = "server"
    """Chosen by who may manage it."""
    CHANNEL = "channel"
    """Or a thread, which is a channel of its own. Chosen by who may manage the server; of direct messages, by the person."""
    PERSON = "person"
    """Wherever they ask; chosen by themselves."""


class Page(StrEnum):
    """Of the panel of settings."""

    BEHAVIOUR = "behaviour"
    MODELS = "models"
    DELIVERY = "delivery"
    TOOLS = "tools"
    LIMITS = "limits"
    CHANNELS = "channels"
    LANGUAGE = "language"


class In:
    """Of one setting: where it can be chosen, and on which page it stands, if otherwise than its topic's others."""

    def __init__(self, *scopes: Scope, page: Page | None = None) -> None:
        self.scopes = frozenset(scopes)
        self.page = page


class _Kind(msgspec.Struct, frozen=True):
    def fits(self, value: Any) -> bool:
        """Whether a value of the field's type is one that can be chosen. None, where the type has it, always is."""
        return True


class OneOf(_Kind, frozen=True):
    """A value of the field's own StrEnum. Its words are `choice-VALUE`."""


class Flag(_Kind, frozen=True): ...


class Number(_Kind, frozen=True):
    least: float
    most: float
    whole: bool = True

    def fits(self, value: Any) -> bool:
        return value is None or bool(self.least <= value <= self.most)


class Seconds(_Kind, frozen=True):
    """From 0, with fractions."""

    most: float

    def fits(self, value: Any) -> bool:
        return bool(0 <= value <= self.most)


class Money(_Kind, frozen=True):
    """US dollars, from 0."""

    most: float

    def fits(self, value: Any) -> bool:
        return bool(0 <= value <= self.most)


class Text(_Kind, frozen=True):
    """Of several lines; empty: none."""

    longest: int
    """Code points."""

    def fits(self, value: Any) -> bool:
        return len(value) <= self.longest


class Words(_Kind, frozen=True):
    """Several, each of one line."""

    most: int
    longest: int

    def fits(self, value: Any) -> bool:
        return len(value) <= self.most and all(0 < len(word) <= self.longest for word in value)


class Mention(StrEnum):
    CHANNEL = "channel"
    ROLE = "role"
    PERSON = "person"


class Ids(_Kind, frozen=True):
    of: Mention
    most: int = 50

    def fits(self, value: Any) -> bool:
        return len(value) <= self.most


class ChannelId(_Kind, frozen=True):
    """A text channel of the server, or None."""


class TimeZone(_Kind, frozen=True):
    """IANA name."""


class Locale(_Kind, frozen=True):
    """A folder of locales/, or empty."""


class Persona(_Kind, frozen=True):
    """The name of a persona of the server, or empty."""


class Model(_Kind, frozen=True):
    """A ChosenModel, or None."""

    def fits(self, value: Any) -> bool:
        """What can be shown: it may come out of a file that anybody wrote."""
        return value is None or (
            re.fullmatch(r"[a-z0-9-]{1,40}", value.provider) is not None
            and 0 < len(value.model) <= 200
            and value.model.isprintable()
            and re.fullmatch(r"[!-~]{0,300}", value.base_url) is not None
        )


Kind: TypeAlias = (
    OneOf | Flag | Number | Seconds | Money | Text | Words | Ids | ChannelId | TimeZone | Locale | Persona | Model
)
