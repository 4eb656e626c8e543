"""What a server has set, as a file (JSON) that the same or another bot takes in: choices, personas, the server's memory notes.

No keys, nothing of its people but whom it blocked, nothing that was said. What is read may come from anybody: every value is judged
by its setting, every persona as a character card, and what does not fit is left out with a reason.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping, Sequence
from enum import StrEnum
from typing import Annotated, Any

import msgspec

from bot.conversation.card_files import CardError
from bot.conversation.character_cards import Card, card_png, read_card
from bot.preferences import SETTINGS, Scope, Setting
from bot.preferences.kinds import ChannelId, Ids, Mention
from bot.store.memories import LONGEST_NOTE, MOST_OF_SERVER
from bot.store.personas import MOST_PERSONAS, KeptPersona

VERSION = 1
LARGEST_FILE = 16 * 1024 * 1024
"""Bytes. Fifty personas with pictures have about half of it."""
MOST_CHANNELS = 2000

_Note = Annotated[str, msgspec.Meta(min_length=1, max_length=LONGEST_NOTE)]


class ServerFile(msgspec.Struct, frozen=True, omit_defaults=True):
    parley_server: int
    """The version of this form."""
    server: dict[str, Any] = {}
    """By the name of the setting, as are those of the channels."""
    channels: Annotated[dict[str, dict[str, Any]], msgspec.Meta(max_length=MOST_CHANNELS)] = {}
    """By id."""
    personas: Annotated[list[bytes], msgspec.Meta(max_length=MOST_PERSONAS)] = []
    """PNG with a character card inside; base64 in JSON."""
    notes: Annotated[list[_Note], msgspec.Meta(max_length=MOST_OF_SERVER)] = []


class Why(StrEnum):
    """Why something was left out: the end of a key in locales/ (`import-left-out-…`)."""

    UNKNOWN = "unknown"
    """No setting of this version has that name."""
    NOT_HERE = "not-here"
    """That setting is none of a server, or a channel."""
    VALUE = "value"
    CHANNEL = "channel"
    """There is no such channel in this server."""
    ROLE = "role"
    CARD = "card"


class LeftOut(msgspec.Struct, frozen=True):
    what: str
    why: Why


class Choice(msgspec.Struct, frozen=True):
    setting: Setting
    scope: Scope
    scope_id: int
    value: Any


class Plan(msgspec.Struct, frozen=True):
    """What a file would do in a server."""

    choices: Sequence[Choice]
    cards: Sequence[Card]
    notes: Sequence[str]
    left_out: Sequence[LeftOut]


class Surroundings(msgspec.Struct, frozen=True):
    """Of the server that takes the file in: ids."""

    guild_id: int
    channel_ids: Collection[int]
    """Threads included."""
    role_ids: Collection[int]


class FileFault(ValueError):
    """`why`: the end of a key in locales/ (`import-fault-…`): not-json, not-ours, too-new."""

    def __init__(self, why: str) -> None:
        super().__init__(why)
        self.why = why


def write(
    server: Mapping[str, Any],
    channels: Mapping[int, Mapping[str, Any]],
    personas: Sequence[KeptPersona],
    notes: Sequence[str],
) -> bytes:
    """Choices by the names of their settings. May take seconds for many pictures."""
    cards = [card_png(kept.persona, kept.avatar) for kept in personas]
    chosen = {str(channel_id): dict(choices) for channel_id, choices in channels.items() if choices}
    return msgspec.json.format(
        msgspec.json.encode(ServerFile(VERSION, dict(server), chosen, cards, list(notes))), indent=1
    )


def read(data: bytes, here: Surroundings) -> Plan:
    """Raises FileFault. May take seconds for many pictures."""
    try:
        version = msgspec.json.decode(data, type=dict[str, msgspec.Raw]).get("parley_server")
    except (msgspec.DecodeError, UnicodeDecodeError, RecursionError):
        raise FileFault("not-json") from None
    try:
        if version is None or msgspec.json.decode(version, type=int) < 1:
            raise FileFault("not-ours")
        if msgspec.json.decode(version, type=int) > VERSION:
            raise FileFault("too-new")
        file = msgspec.json.decode(data, type=ServerFile)
    except (msgspec.DecodeError, UnicodeDecodeError, RecursionError):
        raise FileFault("not-ours") from None
    left_out: list[LeftOut] = []
    choices = list(_choices(file.server, Scope.SERVER, here.guild_id, here, left_out))
    for channel, chosen in file.channels.items():
        if not channel.isdecimal() or int(channel) not in here.channel_ids:
            left_out.append(LeftOut(f"<#{channel[:20]}>" if channel.isdecimal() else channel[:20], Why.CHANNEL))
        else:
            choices += _choices(chosen, Scope.CHANNEL, int(channel), here, left_out)
    return Plan(choices, list(_cards(file.personas, left_out)), file.notes, left_out)


def _choices(
    chosen: Mapping[str, Any], scope: Scope, scope_id: int, here: Surroundings, left_out: list[LeftOut]
) -> Iterator[Choice]:
    for name, value in chosen.items():
        setting = SETTINGS.get(name)
        if setting is None or scope not in setting.scopes:
            left_out.append(LeftOut(name[:50], Why.UNKNOWN if setting is None else Why.NOT_HERE))
            continue
        try:
            converted = setting.converted(value)
        except msgspec.ValidationError:
            left_out.append(LeftOut(name, Why.VALUE))
            continue
        kept, missing = _only_here(setting, converted, here)
        if missing is not None:
            left_out.append(LeftOut(name, missing))
        if missing is None or kept:
            yield Choice(setting, scope, scope_id, kept)


def _only_here(setting: Setting, value: Any, here: Surroundings) -> tuple[Any, Why | None]:
    """The value without channels and roles that the server does not have, and what of it is missing."""
    kind = setting.kind
    if isinstance(kind, ChannelId):
        return (value, None) if value is None or value in here.channel_ids else (None, Why.CHANNEL)
    if isinstance(kind, Ids) and kind.of is not Mention.PERSON:
        ids, why = (here.channel_ids, Why.CHANNEL) if kind.of is Mention.CHANNEL else (here.role_ids, Why.ROLE)
        kept = tuple(id_ for id_ in value if id_ in ids)
        return kept, None if len(kept) == len(value) else why
    return value, None


def _cards(personas: Sequence[bytes], left_out: list[LeftOut]) -> Iterator[Card]:
    for nr, data in enumerate(personas, start=1):
        try:
            yield read_card(data)
        except CardError:
            left_out.append(LeftOut(f"persona {nr}", Why.CARD))
