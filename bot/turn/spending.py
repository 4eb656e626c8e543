"""What every call of a model used and cost.

A price is of the catalogue's for the model. Input from the provider's cache is priced as other input, since few price lists tell more: a
cost is rather too high than too low. Where the provider did not count (an answer that was stopped), tokens are counted by us.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from datetime import UTC, datetime

import structlog

from adapters.catalogue import Catalogue
from adapters.contract import Endpoint, GenerationRequest, ModelInfo, Origin, Usage
from bot.conversation.tokens import TokenCounter
from bot.preferences import Location
from bot.store.keys import last_four
from bot.store.steady_ledger import SteadyLedger
from bot.store.usage import UsageRow
from bot.turn.budgets import Budgets
from bot.turn.models import ModelChoice, Payer
from bot.turn.parts import Purpose

log = structlog.get_logger()

LONGEST_MODEL = 200
"""Code points: the ledger's column."""
MOST_TOKENS = 100_000_000
"""Of one call that are believed. A server of a stranger's may count what no database holds, and no sum after it."""
MOST_NANO = 10**13
"""Billionths of a dollar, of one call. So may its prices be."""


class Spending:
    """bot.turn.parts.Spending."""

    def __init__(
        self,
        ledger: SteadyLedger,
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
        row = UsageRow(
            day=self._now().date(),
            guild_id=location.guild_id or 0,
            channel_id=location.home_id,
            user_id=location.person_id or 0,
            provider=choice.adapter.name,
            model=choice.model[:LONGEST_MODEL],
            payer=choice.payer.value,
            key_last_four="" if choice.payer is Payer.OPERATOR else last_four(endpoint.api_key or ""),
            purpose=purpose.value,
            **used,
        )
        # Both at once, so that a sum that is read has it either way, and once.
        self._ledger.keep(row)
        self._budgets.spent(row)

    async def flush(self) -> bool:
        return await self._ledger.flush()

    async def forget(self, user_id: int) -> None:
        await self._ledger.forget(user_id)

    async def _used(self, origin: Origin, usage: Usage | None, request: GenerationRequest, text: str) -> dict[str, int]:
        usage = usage or Usage()
        read, written = usage.input_tokens, usage.output_tokens
        if read is None:
            read = await asyncio.to_thread(self._tokens_of, request, origin)
        if written is None:
            written = await asyncio.to_thread(self._counter.count, text, origin)
        read, written = min(read, MOST_TOKENS), min(written, MOST_TOKENS)
        info = self._catalogue.find(origin)
        return {
            "calls": 1,
            "input_tokens": read,
            "output_tokens": written,
            "reasoning_tokens": min(usage.reasoning_tokens or 0, MOST_TOKENS),
            "cached_tokens": min(usage.cache_read_tokens or 0, MOST_TOKENS),
            "cost_nano": round(min(max(0.0, _nano(info, read, written)), MOST_NANO)),
            "unpriced_calls": int(info.input_price is None or info.output_price is None),
            "estimated_calls": int(usage.input_tokens is None or usage.output_tokens is None),
        }

    def _tokens_of(self, request: GenerationRequest, origin: Origin) -> int:
        counted = [self._counter.count_message(message, origin) for message in request.messages]
        return self._counter.count(request.system, origin) + sum(counted)


def cost(info: ModelInfo, input_tokens: int, output_tokens: int) -> int:
    """Whole billionths of a dollar; 0 where no price is known. Dollars for a million tokens are thousands of them for one."""
    return round(_nano(info, input_tokens, output_tokens))


def _nano(info: ModelInfo, input_tokens: int, output_tokens: int) -> float:
    return 1000 * (input_tokens * (info.input_price or 0.0) + output_tokens * (info.output_price or 0.0))
