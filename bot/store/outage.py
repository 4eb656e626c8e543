"""What the store does while the database cannot be used.

Every session goes through `watched`. The first one that fails for a reason of the database's (bot.store.faults) begins an outage; it
has been waiting for some seconds, and nobody after it waits again: until the outage is over, each is refused at once, by
DatabaseUnavailable. Who only reads goes on where only writing is impossible, as with a full disk. Meanwhile it is tried again and
again; when it can be read and written, and all that was kept for it is in it (`before_back`), the outage is over.
"""

from __future__ import annotations

import asyncio
import contextlib
import time
from collections.abc import Awaitable, Callable, Iterator, Sequence
from contextvars import ContextVar

import structlog
from sqlalchemy.engine import URL

from bot.store.faults import cure_of
from bot.store.unavailable import DatabaseUnavailable, why_not

log = structlog.get_logger()

PAUSES: Sequence[float] = (1.0, 2.0, 5.0, 10.0)
"""Seconds before each try to use it again; the last one ever after."""
MOST_TOLD = 10_000
"""Channels that are remembered to have been told of an outage."""

_tries: ContextVar[bool] = ContextVar("tries", default=False)
"""Whether what runs is the try to use it again, which alone is not refused."""


class Outage:
    """Of one database."""

    def __init__(self, url: URL, attempt: Callable[[], Awaitable[None]]) -> None:
        """`attempt` reads and writes, and raises as sessions do."""
        self._url = url
        self._attempt = attempt
        self._before_back: list[Callable[[], Awaitable[None]]] = []
        self._no_reading = False
        self._no_writing = False
        self._why = ""
        """Why it cannot be used, as it was told last."""
        self._since = 0.0
        self._told: set[int] = set()
        self._trying: asyncio.Task[None] | None = None
        self._over = asyncio.Event()
        self._closing = asyncio.Event()
        self.forgotten_nr = 0
        """How many times somebody was forgotten: what LastKnown has from before that does not count."""

    @property
    def is_known(self) -> bool:
        """What is written now does not come into the database."""
        return self._no_writing

    @contextlib.contextmanager
    def watched(self, *, writes: bool) -> Iterator[None]:
        """Around all that is done with the database. Raises DatabaseUnavailable, for every error that says so."""
        self.refuse(writes=writes)
        try:
            yield
        except Exception as error:
            cure = cure_of(error)
            if cure is None:
                raise
            why = why_not(error, self._url) or type(error).__name__
            self._begin(why, cure, reading=not writes)
            raise DatabaseUnavailable(why) from error
        if not writes and _tries.get():
            self._no_reading = False

    def refuse(self, *, writes: bool) -> None:
        """Raises DatabaseUnavailable where it is known to be in vain."""
        if (self._no_writing if writes else self._no_reading) and not _tries.get():
            raise DatabaseUnavailable(self._why)

    def before_back(self, deed: Callable[[], Awaitable[None]]) -> None:
        """To be done before the database is used again, each time; where it raises DatabaseUnavailable, the outage goes on."""
        self._before_back.append(deed)

    def is_news(self, channel_id: int) -> bool:
        """Whether there is an outage of which this channel was not told yet. From now on it was."""
        if not self.is_known or channel_id in self._told or len(self._told) >= MOST_TOLD:
            return False
        self._told.add(channel_id)
        return True

    async def over(self) -> None:
        """Returns when there is none."""
        if self.is_known:
            await self._over.wait()

    async def close(self) -> None:
        """Try it one last time, and no more."""
        self._closing.set()
        if self._trying is not None:
            await self._trying

    # ------------------------------------------------------------------------------------------------------------------

    def _begin(self, why: str, cure: str, *, reading: bool) -> None:
        self._no_reading = self._no_reading or reading
        if self._no_writing:
            return
        self._no_writing = True
        self._over.clear()
        self._why = why
        self._since = time.monotonic()
        consequence = "answers go on with the settings that are known; nothing that is changed is kept"
        log.error("database_away", why=why, cure=cure, consequence=consequence)
        self._trying = asyncio.create_task(self._try_again(), name="try the database again")

    async def _try_again(self) -> None:
        tries = 0
        while self.is_known and not self._closing.is_set():
            with contextlib.suppress(TimeoutError):
                async with asyncio.timeout(PAUSES[min(tries, len(PAUSES) - 1)]):
                    await self._closing.wait()
            await self._try()
            tries += 1

    async def _try(self) -> None:
        token = _tries.set(True)
        try:
            await self._attempt()
            for deed in self._before_back:
                await deed()
        except DatabaseUnavailable as error:
            if str(error) != self._why:
                self._why = str(error)
                log.warning("database_still_away", why=self._why)
            return
        except Exception:  # the edge of a chore: the next try comes
            log.exception("database_not_tried")
            return
        finally:
            _tries.reset(token)
        # Nothing was awaited since the last deed: what it left undone, nobody did meanwhile.
        self._no_reading = self._no_writing = False
        self._told.clear()
        self._over.set()
        log.info("database_back", after_seconds=round(time.monotonic() - self._since, 1))
