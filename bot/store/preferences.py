"""What was chosen, for servers and channels, with the defaults for all else. The nearest choice counts.

A stored value may be from another version of the code, or written by hand. What does not fit its field does not count, is told
once in the log, and harms nothing else. A server's events reach one process only, so what was read stays true in memory.
"""

from __future__ import annotations

import asyncio
from collections.abc import Mapping
from enum import StrEnum
from typing import Any, TypeVar

import msgspec
import structlog
from sqlalchemy import delete, select, update

from bot.preferences import (
    ADMISSION_DEFAULTS,
    CONVERSATION_DEFAULTS,
    DEFAULTS,
    AdmissionPreferences,
    ConversationPreferences,
    DeliveryPreferences,
    Location,
)
from bot.store.database import Database
from bot.store.models import Preference

log = structlog.get_logger()

P = TypeVar("P", bound=msgspec.Struct)
Chosen = Mapping[str, Any]


class Scope(StrEnum):
    SERVER = "server"
    CHANNEL = "channel"
    """Or a thread, which is a channel of its own."""


_TOPICS: Mapping[type[msgspec.Struct], tuple[str, msgspec.Struct]] = {
    DeliveryPreferences: ("delivery", DEFAULTS),
    ConversationPreferences: ("conversation", CONVERSATION_DEFAULTS),
    AdmissionPreferences: ("admission", ADMISSION_DEFAULTS),
}
_TYPES: Mapping[type[msgspec.Struct], Mapping[str, Any]] = {
    topic: {field.name: field.type for field in msgspec.structs.fields(topic)} for topic in _TOPICS
}

MOST_SCOPES = 20_000
"""Scopes whose choices stay in memory; of more, those that came in longest ago are read again when needed."""


class Preferences:
    def __init__(self, database: Database) -> None:
        self._session = database.session
        self._chosen: dict[tuple[Scope, int], dict[str, Chosen]] = {}
        """By scope and topic."""
        self._changing = asyncio.Lock()

    async def delivery(self, location: Location) -> DeliveryPreferences:
        return await self.of(DeliveryPreferences, location)

    async def conversation(self, location: Location) -> ConversationPreferences:
        return await self.of(ConversationPreferences, location)

    async def admission(self, location: Location) -> AdmissionPreferences:
        return await self.of(AdmissionPreferences, location)

    async def of(self, topic: type[P], location: Location) -> P:
        """What counts there: the channel's choice, else that of the channel above it, else the server's, else the default."""
        name, defaults = _TOPICS[topic]
        merged: dict[str, Any] = {}
        for scope, scope_id in _scopes(location):
            merged |= (await self._read(scope, scope_id)).get(name, {})
        return msgspec.structs.replace(defaults, **merged)  # type: ignore[return-value]  # the topic's own defaults

    async def chosen(self, topic: type[P], scope: Scope, scope_id: int) -> Chosen:
        """What was chosen right there."""
        return (await self._read(scope, scope_id)).get(_TOPICS[topic][0], {})

    async def change(self, topic: type[P], scope: Scope, scope_id: int, **changes: Any) -> Chosen:
        """Choose these fields, given as they are or as JSON has them; None: as it was before anybody chose. What is chosen there
        from now on.

        Raises TypeError for a name that is no field, and msgspec.ValidationError for a value that does not fit its field. Then
        nothing is changed.
        """
        wanted = {
            name: None if value is None else msgspec.convert(msgspec.to_builtins(value), _type_of(topic, name))
            for name, value in changes.items()
        }
        name, _ = _TOPICS[topic]
        async with self._changing:
            known = await self._read(scope, scope_id)  # the other topics too, before there is anything to remember
            known[name] = chosen = await self._write(topic, scope, scope_id, wanted)
            self._chosen[scope, scope_id] = known
        return chosen

    async def forget(self, scope: Scope, scope_id: int) -> None:
        """Everything that was chosen there: it is gone, or we are no longer in it."""
        async with self._changing:
            async with self._session.begin() as session:
                await session.execute(
                    delete(Preference).where(Preference.scope == scope, Preference.scope_id == scope_id)
                )
            # Not taken out: somebody may have read before it was gone, and would put it back.
            self._chosen[scope, scope_id] = {}

    async def _read(self, scope: Scope, scope_id: int) -> dict[str, Chosen]:
        place = scope, scope_id
        if place not in self._chosen:
            async with self._session() as session:
                rows = await session.scalars(
                    select(Preference).where(Preference.scope == scope, Preference.scope_id == scope_id)
                )
                read = {row.topic: _fitting(row) for row in rows}
            # A change may have come in between: it is the newer one.
            self._chosen.setdefault(place, read)
            while len(self._chosen) > MOST_SCOPES:
                del self._chosen[next(iter(self._chosen))]
        return self._chosen.get(place, {})

    async def _write(self, topic: type[P], scope: Scope, scope_id: int, changes: Chosen) -> Chosen:
        name, _ = _TOPICS[topic]
        of_row = (Preference.scope == scope, Preference.scope_id == scope_id, Preference.topic == name)
        async with self._session.begin() as session:
            # Begins with a write that changes nothing, so that another process's change waits for this one.
            await session.execute(update(Preference).where(*of_row).values(chosen=Preference.chosen))
            row = await session.scalar(select(Preference).where(*of_row))
            chosen = {**(_fitting(row) if row else {}), **changes}
            chosen = {field: value for field, value in chosen.items() if value is not None}
            if not chosen:
                await session.execute(delete(Preference).where(*of_row))
            else:
                text = msgspec.json.encode(chosen).decode()
                await session.merge(Preference(scope=scope.value, scope_id=scope_id, topic=name, chosen=text))
        return chosen


def _scopes(location: Location) -> list[tuple[Scope, int]]:
    """From far to near."""
    far_to_near = [
        (Scope.SERVER, location.guild_id),
        (Scope.CHANNEL, location.parent_id),
        (Scope.CHANNEL, location.channel_id),
    ]
    return [(scope, scope_id) for scope, scope_id in far_to_near if scope_id is not None]


def _type_of(topic: type[msgspec.Struct], name: str) -> Any:
    try:
        return _TYPES[topic][name]
    except KeyError:
        raise TypeError(f"{topic.__name__} has no {name!r}") from None


def _fitting(row: Preference) -> Chosen:
    types = next((_TYPES[topic] for topic, (name, _) in _TOPICS.items() if name == row.topic), {})
    try:
        values = msgspec.json.decode(row.chosen, type=dict[str, Any])
    except msgspec.DecodeError:
        log.warning("preferences_ignored", scope=row.scope, id=row.scope_id, topic=row.topic)
        return {}
    fitting: dict[str, Any] = {}
    ignored: list[str] = []
    for name, value in values.items():
        try:
            fitting[name] = msgspec.convert(value, types[name])
        except (KeyError, msgspec.ValidationError):
            ignored.append(name)
    if ignored:
        log.warning("preferences_ignored", scope=row.scope, id=row.scope_id, topic=row.topic, names=ignored)
    return fitting
