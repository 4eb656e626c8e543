"""Which models an account has: asked for when somebody looks, anew after a while, and never waited for.

A list is its account's alone: a provider may list to one what nobody else is to see, such as models that were trained for them. What
it tells of the models themselves (window, abilities, prices) the catalogue learns, from strangers only for places of their own.
"""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from fnmatch import fnmatchcase

import msgspec
import structlog

from adapters import registry
from adapters.catalogue import Catalogue, Row, shipped
from adapters.contract import ModelInfo, ProviderError
from adapters.transport import Transport
from bot.turn.chores import Chores
from bot.turn.models import Account, ModelChoice, Models, Payer

log = structlog.get_logger()

FRESH_SECONDS = 600.0
"""How long a list is taken as it is."""
AGAIN_SECONDS = 60.0
"""After which it is asked for anew where there was none."""
MOST_LISTS = 200
MOST_NAMES, LONGEST_NAME = 2000, 200
"""Of one list; code points."""


class _List(msgspec.Struct, frozen=True):
    names: tuple[str, ...]
    until: float
    """By the loop's clock; then it is old."""


class Listings:
    def __init__(self, transport: Transport, catalogue: Catalogue, chores: Chores, models: Models) -> None:
        self._transport = transport
        self._catalogue = catalogue
        self._chores = chores
        self._models = models
        self._lists: dict[Account, _List] = {}
        """The one that was asked for longest ago first."""

    def names(self, account: Account) -> Sequence[str]:
        """As the provider listed them last, in its order; before that those that Parley knows. An old list is asked for anew behind
        it."""
        now, found = asyncio.get_running_loop().time(), self._lists.get(account)
        if found is None or found.until <= now:
            # Several places of one owner at a provider come one after the other, as somebody goes on typing.
            self._chores.start(f"models of {account.provider}", account.owner_id, lambda: self._ask_again(account))
        return self.listed(account) or _shipped_names(account.provider)

    def listed(self, account: Account) -> Sequence[str]:
        """As the provider listed them last; () where it did not yet, or lists none."""
        found = self._lists.get(account)
        return found.names if found is not None else ()

    def known(self, choice: ModelChoice) -> ModelInfo:
        """What is known of the model that answers."""
        return self._catalogue.find(choice.origin)

    async def ask(self, account: Account) -> ProviderError | None:
        """The provider's error, where it gave no list. Then the last one stands."""
        endpoints = await self._models.endpoints(account)
        if not endpoints:
            return None  # its last key is gone
        for endpoint in endpoints:
            listed = await self._transport.models(registry.adapter(account.provider), endpoint)
            if not (isinstance(listed, ProviderError) and listed.rotate_key):
                break
        now = asyncio.get_running_loop().time()
        if isinstance(listed, ProviderError):
            log.info("models_not_listed", provider=account.provider, payer=account.payer, reason=listed.reason)
            self._keep(account, _List(tuple(self.listed(account)), now + AGAIN_SECONDS))
            return listed
        names = [model.id for model in listed[:MOST_NAMES] if _is_a_name(model.id)]
        self._keep(account, _List(tuple(names), now + FRESH_SECONDS))
        base_url = endpoints[0].base_url
        if account.payer is Payer.OPERATOR or not self._is_operators(account.provider, base_url):
            self._catalogue.learn(account.provider, base_url, listed[:MOST_NAMES])
        return None

    async def _ask_again(self, account: Account) -> None:
        await self.ask(account)

    def _keep(self, account: Account, listed: _List) -> None:
        self._lists.pop(account, None)
        self._lists[account] = listed
        while len(self._lists) > MOST_LISTS:
            oldest = next(iter(self._lists))
            del self._lists[oldest]
            if oldest.payer is not Payer.OPERATOR and not self._is_operators(oldest.provider, oldest.base_url or None):
                self._catalogue.forget(oldest.provider, oldest.base_url or None)

    def _is_operators(self, provider: str, base_url: str | None) -> bool:
        operator = self._models.operator
        return operator is not None and (provider, base_url) == (
            operator.adapter.name,
            operator.endpoints[0].base_url,
        )


def _is_a_name(text: str) -> bool:
    """That can be shown, and typed."""
    return 0 < len(text) <= LONGEST_NAME and text.isprintable() and text == text.strip()


def _shipped_names(provider: str) -> Sequence[str]:
    """Of the families that this provider sells, as far as their patterns are names."""
    names = [row.pattern.removesuffix("*") for row in shipped() if _is_sold_by(row, provider)]
    return [name for name in names if "*" not in name]


def _is_sold_by(row: Row, provider: str) -> bool:
    return any(seller != "*" and fnmatchcase(provider, seller) for seller in row.sellers)
