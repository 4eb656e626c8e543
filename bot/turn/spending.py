"""What every call of a model used and cost, on its way to the ledger.

Nobody waits for it: a call is written down in memory at once, and by one task in the database. What cannot be written now is kept, summed
up, and tried again; so an outage loses nothing while the process lives.

A price is of the catalogue's for the model. Input from the provider's cache is priced as other input, since few price lists tell more: a
cost is rather too high than too low. Where the provider did not count (an answer that was stopped), tokens are counted by us.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from contextlib import suppress
from datetime import UTC, datetime
from types import TracebackType
from typing import Any, Self

import structlog

from adapters.catalogue import Catalogue
from adapters.contract import Endpoint, GenerationRequest, ModelInfo, Origin, Usage
from bot.conversation.tokens import TokenCounter
from bot.preferences import Location
from bot.store.keys import last_four
from bot.store.usage import Ledger, UsageRow, grown, without_person
from bot.turn.budgets import Budgets
from bot.turn.models import ModelChoice, Payer
from bot.turn.parts import Purpose

log = structlog.get_logger()

AGAIN_SECONDS = 30.0
"""After which it is tried again to write what could not be written."""
MOST_PENDING = 10_000
"""Rows that wait to be written. What comes beyond is lost, and logged."""
FORGETTING_SECONDS = 1800.0
"""After which no answer is under way any more that was when somebody was forgotten; more than bot.turn.answering.TURN_DEADLINE."""
LONGEST_MODEL = 200
"""Code points: the ledger's column."""


class Spending:
    """bot.turn.parts.Spending. On leaving, what waits is written if it can be."""

    def __init__(
        self,
        ledger: Ledger,
        budgets: Budgets,
        catalogue: Catalogue,
        counter: TokenCounter,
        now: Callable[[], datetime] = lambda: datetime.now(UTC),
    ) -> None:
        self._ledger = ledger
        self._budgets = budgets
        self._catalogue = catalogue
        self._counter = counter
        self._now = now
        self._pending: dict[tuple[Any, ...], UsageRow] = {}
        self._forgotten: dict[int, float] = {}
        """Who was forgotten lately, and until when on the loop's clock."""
        self._writing = asyncio.Lock()
        self._comes, self._closing = asyncio.Event(), asyncio.Event()
        self._writer: asyncio.Task[None] | None = None

    async def __aenter__(self) -> Self:
        self._writer = asyncio.create_task(self._write_all(), name="ledger")
        return self

    async def __aexit__(
        self, _kind: type[BaseException] | None, _error: BaseException | None, _trace: TracebackType | None
    ) -> None:
        # Not cancelled: of a row that may or may not be written by then, nobody knows whether to write it again.
        self._closing.set()
        self._comes.set()
        if self._writer is not None:
            await self._writer
        if not await self.flush():
            log.error("usage_lost", rows=len(self._pending))

    async def record(
        self,
        location: Location,
        choice: ModelChoice,
        endpoint: Endpoint,
        purpose: Purpose,
        usage: Usage | None,
        request: GenerationRequest,
        text: str,
    ) -> None:
        try:
            used = await self._used(choice.origin, usage, request, text)
        except Exception:
            log.exception("usage_not_counted", model=choice.model)
            return
        self._keep(
            UsageRow(
                day=self._now().date(),
                guild_id=location.guild_id or 0,
                channel_id=location.channel_id,
                user_id=location.person_id or 0,
                provider=choice.adapter.name,
                model=choice.model[:LONGEST_MODEL],
                payer=choice.payer.value,
                key_last_four="" if choice.payer is Payer.OPERATOR else last_four(endpoint.api_key or ""),
                purpose=purpose.value,
                **used,
            )
        )

    async def forget(self, user_id: int) -> None:
        """What they used, and use with what is under way, is nobody's. To be called before the ledger forgets them."""
        now = asyncio.get_running_loop().time()
        self._forgotten = {id_: until for id_, until in self._forgotten.items() if until > now}
        self._forgotten[user_id] = now + FORGETTING_SECONDS
        async with self._writing:
            rows, self._pending = self._pending, {}
            for row in rows.values():
                self._put(without_person(row) if row.user_id == user_id else row)

    async def flush(self) -> bool:
        """Write all that waits. False where that failed; then it still waits."""
        async with self._writing:
            rows, self._pending = self._pending, {}
            try:
                await self._ledger.add(list(rows.values()))
            except Exception as error:
                for row in rows.values():
                    self._put(row)
                log.warning("usage_not_written", rows=len(self._pending), consequence="tried again", error=str(error))
                return False
            return True

    async def _used(self, origin: Origin, usage: Usage | None, request: GenerationRequest, text: str) -> dict[str, int]:
        usage = usage or Usage()
        read, written = usage.input_tokens, usage.output_tokens
        if read is None:
            read = await asyncio.to_thread(self._tokens_of, request, origin)
        if written is None:
            written = await asyncio.to_thread(self._counter.count, text, origin)
        info = self._catalogue.find(origin)
        return {
            "calls": 1,
            "input_tokens": read,
            "output_tokens": written,
            "reasoning_tokens": usage.reasoning_tokens or 0,
            "cached_tokens": usage.cache_read_tokens or 0,
            "cost_nano": cost(info, read, written),
            "unpriced_calls": int(info.input_price is None or info.output_price is None),
            "estimated_calls": int(usage.input_tokens is None or usage.output_tokens is None),
        }

    def _tokens_of(self, request: GenerationRequest, origin: Origin) -> int:
        counted = [self._counter.count_message(message, origin) for message in request.messages]
        return self._counter.count(request.system, origin) + sum(counted)

    def _keep(self, row: UsageRow) -> None:
        self._budgets.spent(row)
        is_forgotten = self._forgotten.get(row.user_id, 0.0) > asyncio.get_running_loop().time()
        self._put(without_person(row) if is_forgotten else row)
        self._comes.set()

    def _put(self, row: UsageRow) -> None:
        there = self._pending.get(row.key)
        if there is None and len(self._pending) >= MOST_PENDING:
            log.error("usage_lost", rows=1)
            return
        self._pending[row.key] = row if there is None else grown(there, row.totals)

    async def _write_all(self) -> None:
        while not self._closing.is_set():
            await self._comes.wait()
            self._comes.clear()
            if not await self.flush():
                with suppress(TimeoutError):
                    async with asyncio.timeout(AGAIN_SECONDS):
                        await self._closing.wait()
                self._comes.set()


def cost(info: ModelInfo, input_tokens: int, output_tokens: int) -> int:
    """Whole billionths of a dollar; 0 where no price is known. Dollars for a million tokens are thousands of them for one."""
    return round(1000 * (input_tokens * (info.input_price or 0.0) + output_tokens * (info.output_price or 0.0)))
