"""Which models the provider has: asked for when somebody looks, anew after a while, and never waited for."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence

import structlog

from adapters.catalogue import Catalogue
from adapters.contract import ModelInfo, Origin, ProviderError
from adapters.transport import Transport
from bot.turn.attempts import ModelChoice
from bot.turn.chores import Chores

log = structlog.get_logger()

FRESH_SECONDS = 600.0
"""How long a listing is taken as it is."""


class Listings:
    def __init__(self, transport: Transport, catalogue: Catalogue, chores: Chores) -> None:
        self._transport = transport
        self._catalogue = catalogue
        self._chores = chores
        self._asked_at: float | None = None

    def names(self, model: ModelChoice) -> Sequence[str]:
        """As the provider listed them last; () before that. An old listing is asked for anew behind it."""
        now = asyncio.get_running_loop().time()
        if self._asked_at is None or now - self._asked_at > FRESH_SECONDS:
            self._asked_at = now
            self._chores.start("models", 0, lambda: self._ask_again(model))
        return self._catalogue.listed(model.adapter.name, model.endpoints[0].base_url)

    async def _ask_again(self, model: ModelChoice) -> None:
        await self.ask(model)

    def known(self, model: ModelChoice, name: str) -> ModelInfo:
        """What is known of one of its models."""
        return self._catalogue.find(Origin(model.adapter.name, model.endpoints[0].base_url, name))

    async def ask(self, model: ModelChoice) -> ProviderError | None:
        """The provider's error, where it gave no list."""
        self._asked_at = asyncio.get_running_loop().time()
        listed = await self._transport.models(model.adapter, model.endpoints[0])
        if isinstance(listed, ProviderError):
            log.info("models_not_listed", provider=model.adapter.name, reason=listed.reason)
            return listed
        self._catalogue.learn(model.adapter.name, model.endpoints[0].base_url, listed)
        return None
