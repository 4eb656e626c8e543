"""Keys that servers and people brought along: sealed in the database, opened only for a call of the provider, and never shown again.

What is sealed holds the key's owner, provider and address as well, and an opened one is compared with its row: so a row that
somebody moves, to another server or to an address of their own, opens nothing. Keys that no secret opens stay, can be deleted,
and are told as unusable.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Sequence
from datetime import UTC, datetime
from typing import Any

import msgspec
import structlog
from sqlalchemy import delete, select, update
from sqlalchemy.ext.asyncio import AsyncSession

from adapters.contract import Endpoint
from bot.preferences import Scope
from bot.store.database import Database
from bot.store.engine import alone
from bot.store.last_known import LastKnown
from bot.store.models import ProviderKey, SettingChange
from bot.store.preferences import Deed, changed, new_deed_id
from bot.store.secret_box import NoSecret, NotOpened, SecretBox

log = structlog.get_logger()

MOST_KNOWN = 2000
"""Owners whose keys, sealed, stay in memory for the time in which the database is away."""
MOST_KEYS = {Scope.SERVER: 20, Scope.PERSON: 10}
TOPIC = "keys"
"""In the history of changes."""
CURE = "PARLEY_SECRET: add the secret that they were sealed with; or their owners delete and enter them again"
_SHORTEST_TOLD = 12
"""Code points. Of shorter keys four characters would tell too much."""


class KeptKey(msgspec.Struct, frozen=True):
    """What may be shown of a key."""

    key_id: int
    scope: Scope
    scope_id: int
    provider: str
    base_url: str
    """Empty: the provider's own."""
    last_four: str
    """Empty: there is none, or it is too short to tell."""
    added_by: int
    """User id; 0: nobody who is known any more."""
    added_at: datetime
    tested_at: datetime | None = None
    verdict: str = ""
    """Of the last test (bot.turn.keyring.Verdict)."""
    opens: bool = True
    """False: it is unusable, as no secret opens it."""


class KeyedEndpoint(msgspec.Struct, frozen=True):
    key_id: int
    last_four: str
    endpoint: Endpoint


class NotAdded(Exception):
    """A key was not kept. `why` is the end of a key in locales/ (`keys-not-added-…`)."""

    why = ""

    def __init__(self, most: int = 0) -> None:
        super().__init__(self.why)
        self.most = most


class TooManyKeys(NotAdded):
    why = "too-many"


class KeyKnown(NotAdded):
    why = "known"


class NothingToSealWith(NotAdded):
    why = "no-secret"


class _Sealed(msgspec.Struct, frozen=True, array_like=True):
    scope: str
    scope_id: int
    provider: str
    base_url: str
    api_key: str

    def __repr__(self) -> str:
        return f"_Sealed({self.scope}, {self.scope_id}, {self.provider})"


class ProviderKeys:
    """`hide` is told every key that is opened or added, so that no log line shows it."""

    def __init__(self, database: Database, box: SecretBox, hide: Callable[[str], None] = lambda _: None) -> None:
        self._session = database.session
        self._known: LastKnown[tuple[Scope, int], Sequence[ProviderKey]] = LastKnown(database.outage, MOST_KNOWN)
        self._box = box
        self._hide = hide

    async def of(self, scope: Scope, scope_id: int) -> Sequence[KeptKey]:
        """In the order in which they were added."""
        rows = await self._rows(scope, scope_id)
        return [_kept(row, opens=key is not None) for row, key in zip(rows, await self._opened(rows), strict=True)]

    async def endpoints(self, scope: Scope, scope_id: int, provider: str, base_url: str) -> Sequence[KeyedEndpoint]:
        """With which keys of theirs this provider is reached at this address; those that cannot be opened are none."""
        rows = [
            row for row in await self._rows(scope, scope_id) if (row.provider, row.base_url) == (provider, base_url)
        ]
        return [
            KeyedEndpoint(row.key_id, row.last_four, Endpoint(row.base_url or None, key or None, public_only=True))
            for row, key in zip(rows, await self._opened(rows), strict=True)
            if key is not None
        ]

    async def add(
        self, scope: Scope, scope_id: int, provider: str, base_url: str, api_key: str, deed: Deed, verdict: str = ""
    ) -> KeptKey:
        """`api_key` may be empty, for a server that wants none. Raises NotAdded."""
        self._hide(api_key)
        now = datetime.now(UTC)
        row = ProviderKey(
            scope=scope.value,
            scope_id=scope_id,
            provider=provider,
            base_url=base_url,
            last_four=last_four(api_key),
            added_by=deed.user_id,
            added_at=now,
            tested_at=now if verdict else None,
            verdict=verdict,
        )
        row.encrypted = await asyncio.to_thread(self._sealed, row, api_key)
        async with self._session.begin() as session:
            await alone(session, TOPIC, scope, scope_id)
            others = list(await session.scalars(_of(scope, scope_id)))
            if len(others) >= MOST_KEYS[scope]:
                raise TooManyKeys(MOST_KEYS[scope])
            if any(
                (other.provider, other.base_url) == (provider, base_url) and self._open(other) == api_key
                for other in others
            ):
                raise KeyKnown
            session.add(row)
            session.add(_change(row, deed, new=_told(row)))
            await session.flush()
            kept = _kept(row)
        self._known.changed((scope, scope_id))
        return kept

    async def delete(self, scope: Scope, scope_id: int, key_id: int, deed: Deed) -> bool:
        """Whether there was such a key of theirs."""
        async with self._session.begin() as session:
            row = await _find(session, scope, scope_id, key_id)
            if row is None:
                return False
            session.add(_change(row, deed, old=_told(row)))
            await session.delete(row)
        self._known.changed((scope, scope_id))
        return True

    async def tested(self, scope: Scope, scope_id: int, key_id: int, verdict: str) -> None:
        there = ProviderKey.scope == scope, ProviderKey.scope_id == scope_id, ProviderKey.key_id == key_id
        async with self._session.begin() as session:
            await session.execute(
                update(ProviderKey).where(*there).values(tested_at=datetime.now(UTC), verdict=verdict)
            )

    async def forget(self, scope: Scope, scope_id: int) -> None:
        """All of them: the bot is no longer there."""
        async with self._session.begin() as session:
            await session.execute(
                delete(ProviderKey).where(ProviderKey.scope == scope, ProviderKey.scope_id == scope_id)
            )
        self._known.changed((scope, scope_id))

    async def servers(self) -> frozenset[int]:
        """Those that have keys."""
        async with self._session() as session:
            owners = await session.scalars(
                select(ProviderKey.scope_id).where(ProviderKey.scope == Scope.SERVER).distinct()
            )
            return frozenset(owners)

    async def count_unusable(self) -> int:
        """How many no secret opens; if there are any, one line in the log says what to do."""
        async with self._session() as session:
            rows = list(await session.scalars(select(ProviderKey)))
        unusable = (await self._opened(rows)).count(None)
        if unusable:
            log.error("keys_unusable", count=unusable, of=len(rows), cure=CURE)
        return unusable

    async def rekey(self) -> tuple[int, int]:
        """Seal all with the first secret, or after an error none; how many were, and how many cannot be opened and stay as they are."""
        done = stuck = 0
        async with self._session.begin() as session:
            for row in await session.scalars(select(ProviderKey).order_by(ProviderKey.key_id).with_for_update()):
                try:
                    row.encrypted = await asyncio.to_thread(self._box.sealed_anew, row.encrypted)
                    done += 1
                except (NotOpened, NoSecret):
                    stuck += 1
        return done, stuck

    async def _rows(self, scope: Scope, scope_id: int) -> Sequence[ProviderKey]:
        """While the database is away: as far as they are known."""

        async def read() -> Sequence[ProviderKey]:
            async with self._session() as session:
                return list(await session.scalars(_of(scope, scope_id)))

        return await self._known.read((scope, scope_id), read)

    async def _opened(self, rows: Sequence[ProviderKey]) -> list[str | None]:
        """None for those that cannot be opened."""
        if not rows:
            return []
        return await asyncio.to_thread(lambda: [self._open(row) for row in rows])

    def _sealed(self, row: ProviderKey, api_key: str) -> str:
        sealed = _Sealed(row.scope, row.scope_id, row.provider, row.base_url, api_key)
        try:
            return self._box.seal(msgspec.json.encode(sealed))
        except NoSecret as error:
            log.error("key_not_sealed", why=str(error))
            raise NothingToSealWith from error

    def _open(self, row: ProviderKey) -> str | None:
        try:
            opened = msgspec.json.decode(self._box.open(row.encrypted), type=_Sealed)
        except (NotOpened, NoSecret, msgspec.DecodeError):
            return None
        if (opened.scope, opened.scope_id) != (row.scope, row.scope_id):
            return None
        if (opened.provider, opened.base_url) != (row.provider, row.base_url):
            return None
        self._hide(opened.api_key)
        return opened.api_key


def last_four(key: str) -> str:
    """What may be shown of it."""
    return key[-4:] if len(key) >= _SHORTEST_TOLD else ""


def _of(scope: Scope, scope_id: int) -> Any:
    there = ProviderKey.scope == scope, ProviderKey.scope_id == scope_id
    return select(ProviderKey).where(*there).order_by(ProviderKey.key_id)


async def _find(session: AsyncSession, scope: Scope, scope_id: int, key_id: int) -> ProviderKey | None:
    found: ProviderKey | None = await session.scalar(_of(scope, scope_id).where(ProviderKey.key_id == key_id))
    return found


def _kept(row: ProviderKey, *, opens: bool = True) -> KeptKey:
    return KeptKey(
        key_id=row.key_id,
        scope=Scope(row.scope),
        scope_id=row.scope_id,
        provider=row.provider,
        base_url=row.base_url,
        last_four=row.last_four,
        added_by=row.added_by,
        added_at=row.added_at,
        tested_at=row.tested_at,
        verdict=row.verdict,
        opens=opens,
    )


def _told(row: ProviderKey) -> str:
    return msgspec.json.encode(f"…{row.last_four}").decode()


def _change(row: ProviderKey, deed: Deed, old: str | None = None, new: str | None = None) -> SettingChange:
    change = changed(deed, new_deed_id(), Scope(row.scope), row.scope_id, TOPIC, row.provider)
    change.old, change.new = old, new
    return change
