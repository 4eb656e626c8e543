"""What was chosen, for all, for servers, channels and people, with the defaults for all else. The nearest choice counts, of those that
the setting allows (bot.preferences.SETTINGS). Whatever is changed is written down with who did it, and can be undone.

A stored value may be from another version of the code, or written by hand. What does not fit its field does not count, is told
once in the log, and harms nothing else. A server's events reach one process only, so what was read stays true in memory, and counts
while the database is away (bot.store.outage). Of what was never read the defaults count then, but nobody is admitted who might not be.
"""

from __future__ import annotations

import asyncio
import secrets
from collections.abc import Iterator, Mapping, Sequence
from datetime import UTC, datetime
from typing import Any, TypeVar

import msgspec
import structlog
from sqlalchemy import delete, select
from sqlalchemy.ext.asyncio import AsyncSession

from bot.preferences import (
    SETTINGS,
    TOPIC_OF,
    AdmissionPreferences,
    ConversationPreferences,
    DeliveryPreferences,
    Location,
    Scope,
    Topic,
)
from bot.store.database import Database
from bot.store.engine import alone
from bot.store.models import Preference, SettingChange
from bot.store.unavailable import DatabaseUnavailable

log = structlog.get_logger()

P = TypeVar("P", bound=msgspec.Struct)
Chosen = Mapping[str, Any]

_UNDOING = "u"
"""How the ids of deeds begin that took another one back. The next undo goes on to the deed before that."""
EVERYBODY = 0
"""The id of the global scope."""
MOST_CHANGES = 200
"""Of one place that the history keeps."""
MOST_SCOPES = 20_000
"""Scopes whose choices stay in memory; of more, those that came in longest ago are read again when needed."""

NOWHERE = 0
"""The id of no channel."""


class Deed(msgspec.Struct, frozen=True):
    """Who changes something, for the history."""

    user_id: int = 0
    guild_id: int = 0
    """In whose history it shows; 0: in none."""


class NotUndone(Exception):
    """`why` is the end of a key in locales/ (`undo-…`): nothing, or changed-since."""

    def __init__(self, why: str) -> None:
        super().__init__(why)
        self.why = why


class Preferences:
    def __init__(self, database: Database) -> None:
        self._session = database.session
        self._outage = database.outage
        self._chosen: dict[tuple[Scope, int], dict[str, Chosen]] = {}
        """By scope and topic."""
        self._changing = asyncio.Lock()

    async def delivery(self, location: Location) -> DeliveryPreferences:
        return await self.of(DeliveryPreferences, location)

    async def conversation(self, location: Location) -> ConversationPreferences:
        return await self.of(ConversationPreferences, location)

    async def admission(self, location: Location) -> AdmissionPreferences:
        """Where it is not known who may ask, only those may who manage the server."""
        admission = await self.of(AdmissionPreferences, location)
        return msgspec.structs.replace(admission, channel_ids=(NOWHERE,)) if self.is_guess(location) else admission

    def is_guess(self, location: Location) -> bool:
        """Whether the database went away before anybody read what was chosen for this server, or this channel, which may be closed.
        A thread that is not known is as its channel."""
        channel_id = location.parent_id or location.channel_id
        needed = {(Scope.SERVER, location.guild_id), (Scope.CHANNEL, channel_id)}
        return location.guild_id is not None and self._outage.is_known and not needed <= self._chosen.keys()

    async def of(self, topic: type[P], location: Location) -> P:
        """What counts there: the person's choice, else the channel's, that of the channel above it, the server's, the operator's, else
        the default."""
        merged: dict[str, Any] = {}
        for scope, scope_id in scopes_of(location):
            merged |= await self.chosen(topic, scope, scope_id)
        return topic(**merged)

    async def chosen(self, topic: type[P], scope: Scope, scope_id: int) -> Chosen:
        """What was chosen right there, and counts there. While the database is away: as far as it is known."""
        try:
            chosen = (await self._read(scope, scope_id)).get(TOPIC_OF[topic].name, {})
        except DatabaseUnavailable:
            return {}
        return {name: value for name, value in chosen.items() if scope in SETTINGS[name].scopes}

    async def change(
        self, topic: type[P], scope: Scope, scope_id: int, deed: Deed | None = None, **changes: Any
    ) -> Chosen:
        """Choose these fields, given as they are or as JSON has them; None: as it was before anybody chose. What is chosen there
        from now on.

        Raises TypeError for a name that is no field, and msgspec.ValidationError for a value that does not fit its field, or cannot
        be chosen at that scope. Then nothing is changed.
        """
        await self.change_all([(topic, scope, scope_id, changes)], deed)
        return await self.chosen(topic, scope, scope_id)

    async def change_all(
        self,
        changes: Sequence[tuple[type[msgspec.Struct], Scope, int, Chosen]],
        deed: Deed | None = None,
    ) -> None:
        """The same for several topics and places, as one deed: all of it, or after an error nothing."""
        wanted = [
            (topic, scope, scope_id, {name: _converted(topic, scope, name, value) for name, value in fields.items()})
            # In one order for all, so that nobody waits for who waits for them.
            for topic, scope, scope_id, fields in sorted(changes, key=lambda change: change[1:3])
        ]
        deed, deed_id = deed or Deed(), new_deed_id()
        async with self._changing:
            for _, scope, scope_id, _ in wanted:
                await self._read(scope, scope_id)  # the other topics too, before there is anything to remember
            written: list[tuple[Scope, int, str, Chosen]] = []
            async with self._session.begin() as session:
                for topic, scope, scope_id, fields in wanted:
                    name = TOPIC_OF[topic].name
                    chosen = await _write(session, TOPIC_OF[topic], scope, scope_id, fields, deed, deed_id)
                    written.append((scope, scope_id, name, chosen))
                    await _forget_oldest(session, scope, scope_id)
            for scope, scope_id, name, chosen in written:
                if (scope, scope_id) in self._chosen:
                    self._chosen[scope, scope_id] = {**self._chosen[scope, scope_id], name: chosen}

    async def forget(self, scope: Scope, scope_id: int) -> None:
        """Everything that was chosen there: it is gone, or we are no longer in it."""
        async with self._changing:
            async with self._session.begin() as session:
                await alone(session, "preferences", scope, scope_id)
                await session.execute(
                    delete(Preference).where(Preference.scope == scope, Preference.scope_id == scope_id)
                )
            # Not taken out: somebody may have read before it was gone, and would put it back.
            self._chosen[scope, scope_id] = {}

    async def undo(self, deed: Deed, scope: Scope, scope_id: int) -> list[SettingChange]:
        """Take back the last deed there that is not undone: what was changed by it, old and new as they were. Raises NotUndone where
        there is none, or something of it was changed since."""
        async with self._changing:
            async with self._session.begin() as session:
                undone = await _undo(session, deed, scope, scope_id)
            self._chosen.pop((scope, scope_id), None)
        return undone

    async def history(self, scope: Scope, scope_id: int, most: int) -> Sequence[SettingChange]:
        """What was changed there last, the newest first."""
        changes = select(SettingChange).where(SettingChange.scope == scope, SettingChange.scope_id == scope_id)
        async with self._session() as session:
            return list(await session.scalars(changes.order_by(SettingChange.change_id.desc()).limit(most)))

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


def scopes_of(location: Location) -> Iterator[tuple[Scope, int]]:
    """From far to near."""
    yield Scope.GLOBAL, EVERYBODY
    far_to_near = (
        (Scope.SERVER, location.guild_id),
        (Scope.CHANNEL, location.parent_id),
        (Scope.CHANNEL, location.channel_id),
        (Scope.PERSON, location.person_id),
    )
    for scope, scope_id in far_to_near:
        if scope_id is not None:
            yield scope, scope_id


def new_deed_id() -> str:
    return secrets.token_hex(8)


def changed(deed: Deed, deed_id: str, scope: Scope, scope_id: int, topic: str, name: str) -> SettingChange:
    """A row of the history, without what was and is."""
    return SettingChange(
        deed_id=deed_id,
        at=datetime.now(UTC),
        changed_by=deed.user_id,
        guild_id=deed.guild_id,
        scope=scope.value,
        scope_id=scope_id,
        topic=topic,
        name=name,
    )


async def _write(
    session: AsyncSession, topic: Topic, scope: Scope, scope_id: int, changes: Chosen, deed: Deed, deed_id: str
) -> Chosen:
    of_row = (Preference.scope == scope, Preference.scope_id == scope_id, Preference.topic == topic.name)
    await alone(session, "preferences", scope, scope_id)
    row = await session.scalar(select(Preference).where(*of_row))
    before = _fitting(row) if row else {}
    chosen = {name: value for name, value in {**before, **changes}.items() if value is not None}
    for name in changes:
        if before.get(name) != chosen.get(name):
            change = changed(deed, deed_id, scope, scope_id, topic.name, name)
            change.old, change.new = _json(before.get(name)), _json(chosen.get(name))
            session.add(change)
    if not chosen:
        await session.execute(delete(Preference).where(*of_row))
    else:
        text = msgspec.json.encode(chosen).decode()
        await session.merge(Preference(scope=scope.value, scope_id=scope_id, topic=topic.name, chosen=text))
    return chosen


async def _forget_oldest(session: AsyncSession, scope: Scope, scope_id: int) -> None:
    """Of the history of one place."""
    there = SettingChange.scope == scope, SettingChange.scope_id == scope_id
    newest = select(SettingChange.change_id).where(*there).order_by(SettingChange.change_id.desc())
    oldest_kept = newest.offset(MOST_CHANGES).limit(1).scalar_subquery()
    await session.execute(delete(SettingChange).where(*there, SettingChange.change_id <= oldest_kept))


async def _undo(session: AsyncSession, deed: Deed, scope: Scope, scope_id: int) -> list[SettingChange]:
    await alone(session, "preferences", scope, scope_id)
    topics = {topic.name: topic for topic in TOPIC_OF.values()}
    there = (
        SettingChange.scope == scope,
        SettingChange.scope_id == scope_id,
        SettingChange.topic.in_(topics),
        SettingChange.undone.is_(False),
        SettingChange.deed_id.not_like(f"{_UNDOING}%"),
    )
    last = await session.scalar(
        select(SettingChange.deed_id).where(*there).order_by(SettingChange.change_id.desc()).limit(1)
    )
    changes = list(await session.scalars(select(SettingChange).where(*there, SettingChange.deed_id == last)))
    if not changes:
        raise NotUndone("nothing")
    undoing = _UNDOING + new_deed_id()[1:]
    for change in changes:
        chosen = await _write(session, topics[change.topic], scope, scope_id, {}, deed, undoing)
        if _json(chosen.get(change.name)) != change.new:
            raise NotUndone("changed-since")
        old = None if change.old is None else SETTINGS[change.name].converted(msgspec.json.decode(change.old))
        await _write(session, topics[change.topic], scope, scope_id, {change.name: old}, deed, undoing)
        change.undone = True
    return changes


def _converted(topic: type[msgspec.Struct], scope: Scope, name: str, value: Any) -> Any:
    setting = SETTINGS.get(name)
    if setting is None or setting.topic.of is not topic:
        raise TypeError(f"{topic.__name__} has no {name!r}")
    if scope not in setting.scopes:
        raise msgspec.ValidationError(f"{name} cannot be chosen for a {scope}")
    return None if value is None else setting.converted(value)


def _json(value: Any) -> str | None:
    return None if value is None else msgspec.json.encode(value).decode()


def _fitting(row: Preference) -> Chosen:
    try:
        values = msgspec.json.decode(row.chosen, type=dict[str, Any])
    except msgspec.DecodeError:
        log.warning("preferences_ignored", scope=row.scope, id=row.scope_id, topic=row.topic)
        return {}
    fitting: dict[str, Any] = {}
    ignored: list[str] = []
    for name, value in values.items():
        setting = SETTINGS.get(name)
        try:
            if setting is None or setting.topic.name != row.topic:
                raise KeyError(name)
            fitting[name] = setting.converted(value)
        except (KeyError, msgspec.ValidationError):
            ignored.append(name)
    if ignored:
        log.warning("preferences_ignored", scope=row.scope, id=row.scope_id, topic=row.topic, names=ignored)
    return fitting
