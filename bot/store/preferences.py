"""What servers chose, with the defaults for all else.

A stored value may be from another version of the code, or written by hand. What does not fit its field does not count, is told
once in the log, and harms nothing else. A server's events reach one process only, so what was read stays true in memory.
"""

from __future__ import annotations

import asyncio
from collections.abc import Mapping
from typing import Any

import msgspec
import structlog
from sqlalchemy import update

from bot.preferences import DEFAULTS, DeliveryPreferences
from bot.store.database import Database
from bot.store.models import ServerPreferences

log = structlog.get_logger()

_TYPES: Mapping[str, Any] = {field.name: field.type for field in msgspec.structs.fields(DeliveryPreferences)}


class Preferences:
    def __init__(self, database: Database) -> None:
        self._session = database.session
        self._delivery: dict[int, DeliveryPreferences] = {}
        self._changing = asyncio.Lock()

    async def delivery(self, guild_id: int | None) -> DeliveryPreferences:
        """How this server wants answers to look; direct messages (None) have the defaults."""
        if guild_id is None:
            return DEFAULTS
        if guild_id not in self._delivery:
            async with self._session() as session:
                row = await session.get(ServerPreferences, guild_id)
            # A change may have come in between: it is the newer one.
            self._delivery.setdefault(guild_id, _read(guild_id, row.delivery) if row else DEFAULTS)
        return self._delivery[guild_id]

    async def change_delivery(self, guild_id: int, **changes: Any) -> DeliveryPreferences:
        """Set these fields, given as they are or as JSON has them; the preferences from now on.

        Raises TypeError for a name that is no field, and msgspec.ValidationError for a value that does not fit its field. Then
        nothing is changed.
        """
        async with self._changing:
            changed = await self._change(guild_id, changes)
            self._delivery[guild_id] = changed
        return changed

    async def _change(self, guild_id: int, changes: Mapping[str, Any]) -> DeliveryPreferences:
        async with self._session.begin() as session:
            # Begins with a write that changes nothing, so that another process's change waits for this one.
            await session.execute(
                update(ServerPreferences)
                .where(ServerPreferences.guild_id == guild_id)
                .values(delivery=ServerPreferences.delivery)
            )
            row = await session.get(ServerPreferences, guild_id)
            stored = _read(guild_id, row.delivery) if row else DEFAULTS
            wanted = msgspec.to_builtins(msgspec.structs.replace(stored, **changes))
            changed = msgspec.convert(wanted, DeliveryPreferences)
            await session.merge(ServerPreferences(guild_id=guild_id, delivery=_differences(changed)))
        return changed


def _differences(preferences: DeliveryPreferences) -> str:
    """As JSON, what is not as by default."""
    chosen = {name: getattr(preferences, name) for name in _TYPES}
    return msgspec.json.encode(
        {name: value for name, value in chosen.items() if value != getattr(DEFAULTS, name)}
    ).decode()


def _read(guild_id: int, stored: str) -> DeliveryPreferences:
    try:
        values = msgspec.json.decode(stored, type=dict[str, Any])
    except msgspec.DecodeError:
        log.warning("preferences_ignored", guild=guild_id, stored=stored[:200])
        return DEFAULTS
    fitting: dict[str, Any] = {}
    ignored: list[str] = []
    for name, value in values.items():
        try:
            fitting[name] = msgspec.convert(value, _TYPES[name])
        except (KeyError, msgspec.ValidationError):
            ignored.append(name)
    if ignored:
        log.warning("preferences_ignored", guild=guild_id, names=ignored)
    return msgspec.structs.replace(DEFAULTS, **fitting)
