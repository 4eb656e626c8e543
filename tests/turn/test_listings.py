"""Which models an account has, as the provider lists them: whose list it is, how long it stands, and that nobody waits for it."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from typing import Any, cast

from adapters import registry
from adapters.catalogue import Catalogue
from adapters.contract import Endpoint, ErrorReason, ModelInfo, Origin, ProviderError
from adapters.errors import error_of
from adapters.transport import Transport
from bot.turn import listings
from bot.turn.chores import Chores
from bot.turn.listings import AGAIN_SECONDS, FRESH_SECONDS, Listings
from bot.turn.models import Account, Models, OperatorModel, Payer
from tests.virtual_time import run

ADAS, BOS = (Account(Payer.PERSON, owner, "openai-chat") for owner in (1, 2))
OPERATORS = Account(Payer.OPERATOR, 0, "mistral")
SECONDS = 3.0
"""That a provider takes."""


class Provider:
    """A Transport, and the keys of all: each account's is called as it is."""

    operator = OperatorModel(registry.adapter("mistral"), "large", (Endpoint(None, "operator's"),))

    def __init__(self) -> None:
        self.lists: dict[str, Sequence[ModelInfo] | ProviderError] = {}
        self.asked: list[str] = []
        self.deleted: set[Account] = set()

    async def models(self, _adapter: object, endpoint: Endpoint) -> Sequence[ModelInfo] | ProviderError:
        key = str(endpoint.api_key)
        self.asked.append(key)
        await asyncio.sleep(SECONDS)
        return self.lists[key]

    async def endpoints(self, account: Account) -> Sequence[Endpoint]:
        if account in self.deleted:
            return ()
        return (Endpoint(account.base_url or None, f"{account.payer.value} {account.owner_id}"),)

    def lists_names(self, account: Account, *names: str) -> None:
        self.lists[f"{account.payer.value} {account.owner_id}"] = [ModelInfo(name) for name in names]


class Room:
    def __init__(self) -> None:
        self.provider, self.catalogue, self.chores = Provider(), Catalogue(), Chores()
        self.listings = Listings(
            cast(Transport, self.provider), self.catalogue, self.chores, cast(Models, self.provider)
        )

    async def listed(self, account: Account) -> Sequence[str]:
        """What is told when the look that this begins is over."""
        self.listings.names(account)
        await self.chores.idle()
        return self.listings.names(account)


def played(scenario: Any) -> None:
    async def main() -> None:
        room = Room()
        async with room.chores:
            await scenario(room)

    run(main())


def test_nobody_waits_and_until_then_the_names_are_those_that_parley_knows() -> None:
    async def scenario(room: Room) -> None:
        room.provider.lists_names(ADAS, "gpt-5", "ft:mine")
        names = room.listings.names(ADAS)
        assert "gpt-5" in names
        assert not any("*" in name or "claude" in name for name in names)
        assert room.listings.listed(ADAS) == ()
        await room.chores.idle()
        assert room.listings.names(ADAS) == ("gpt-5", "ft:mine")

    played(scenario)


def test_what_one_owner_is_listed_no_other_sees() -> None:
    async def scenario(room: Room) -> None:
        room.provider.lists_names(ADAS, "ft:adas")
        room.provider.lists_names(BOS, "ft:bos")
        assert await room.listed(ADAS) == ("ft:adas",)
        assert await room.listed(BOS) == ("ft:bos",)
        assert await room.listed(ADAS) == ("ft:adas",)

    played(scenario)


def test_a_list_is_asked_for_once_at_a_time_and_anew_when_it_is_old() -> None:
    async def scenario(room: Room) -> None:
        room.provider.lists_names(ADAS, "a")
        for _ in range(5):
            room.listings.names(ADAS)
            await asyncio.sleep(SECONDS / 10)
        await room.chores.idle()
        await asyncio.sleep(FRESH_SECONDS - 1)
        assert await room.listed(ADAS) == ("a",)
        assert len(room.provider.asked) == 1
        await asyncio.sleep(1)
        room.provider.lists_names(ADAS, "b")
        assert room.listings.names(ADAS) == ("a",), "the old one until the new one is there"
        await room.chores.idle()
        assert (room.listings.names(ADAS), len(room.provider.asked)) == (("b",), 2)

    played(scenario)


def test_after_a_failure_the_last_list_stands_and_it_is_tried_anew_soon() -> None:
    async def scenario(room: Room) -> None:
        room.provider.lists_names(ADAS, "a")
        await room.listed(ADAS)
        room.provider.lists["person 1"] = error_of(ErrorReason.SERVER, "no")
        await asyncio.sleep(FRESH_SECONDS)
        assert await room.listed(ADAS) == ("a",)
        room.provider.lists_names(ADAS, "b")
        await asyncio.sleep(AGAIN_SECONDS)
        assert await room.listed(ADAS) == ("b",)

    played(scenario)


def test_an_account_without_a_key_is_not_asked_for() -> None:
    async def scenario(room: Room) -> None:
        room.provider.deleted.add(ADAS)
        assert await room.listings.ask(ADAS) is None
        assert room.provider.asked == []

    played(scenario)


def test_of_the_operators_place_only_the_operators_list_teaches() -> None:
    async def scenario(room: Room) -> None:
        strangers = Account(Payer.SERVER, 5, "mistral")
        for account, window in ((OPERATORS, 1000), (strangers, 7)):
            key = f"{account.payer.value} {account.owner_id}"
            room.provider.lists[key] = [ModelInfo("my-own", context_window=window)]
            await room.listed(account)
        assert room.catalogue.find(Origin("mistral", None, "my-own")).context_window == 1000
        elsewhere = Account(Payer.SERVER, 5, "mistral", "https://proxy.example")
        await room.listed(elsewhere)
        assert room.catalogue.find(Origin("mistral", "https://proxy.example", "my-own")).context_window == 7

    played(scenario)


def test_names_that_nobody_could_see_or_type_are_left_out_and_what_is_kept_is_bounded(monkeypatch: Any) -> None:
    monkeypatch.setattr(listings, "MOST_LISTS", 2)

    async def scenario(room: Room) -> None:
        room.provider.lists_names(OPERATORS, "large")
        assert await room.listed(OPERATORS) == ("large",)
        for owner in (1, 2, 3):
            account = Account(Payer.PERSON, owner, "custom", f"https://{owner}.example")
            room.provider.lists["person " + str(owner)] = [
                ModelInfo(name, context_window=5) for name in ("", " a", "a\nb", "a\u200bb", "n" * 201, "good")
            ]
            assert await room.listed(account) == ("good",)
        assert room.listings.listed(Account(Payer.PERSON, 1, "custom", "https://1.example")) == ()
        assert room.catalogue.find(Origin("custom", "https://1.example", "good")).context_window is None
        assert room.catalogue.find(Origin("custom", "https://3.example", "good")).context_window == 5

    played(scenario)
