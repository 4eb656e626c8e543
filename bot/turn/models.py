"""Which model answers where and for whom, and with whose key.

The keys that one owner has for one provider at one address are an account. What somebody chose names a provider, an address and
a model; the first of these who has an account there pays: the person, for their own choice, where they may; the server, for what
was chosen in it; the operator, for the models that they offer. Where nobody has one, nothing answers, and it is said why: a choice
falls to nobody who did not mean to pay for it.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from enum import StrEnum
from fnmatch import fnmatchcase

import msgspec

from adapters import registry
from adapters.contract import Endpoint, Origin, StreamAdapter
from bot.preferences import ChosenModel, Location, ModelPreferences, Scope, ServerCapabilities
from bot.store import Preferences, ProviderKeys
from bot.store.preferences import scopes_of
from bot.turn.keyring import MACHINE_CREDENTIALS

OWN_ADDRESS = ""
"""As a base_url: the provider's own, or the one that the operator set for it."""
MOST_REMEMBERED = 10_000
"""Accounts of which it is remembered which key is next."""


class Payer(StrEnum):
    """Whose key it is."""

    OPERATOR = "operator"
    SERVER = "server"
    PERSON = "person"


class Account(msgspec.Struct, frozen=True):
    """What one owner has at one provider. It holds no secret."""

    payer: Payer
    owner_id: int
    """Of the server or person; 0: the operator."""
    provider: str
    """A name of adapters.registry."""
    base_url: str = OWN_ADDRESS


class OperatorModel(msgspec.Struct, frozen=True):
    """What answers where nobody chose anything (LLM_*), and what else the operator pays for: patterns of names at that provider."""

    adapter: StreamAdapter
    model: str
    endpoints: tuple[Endpoint, ...]
    """One a key."""
    offered: tuple[str, ...] = ()

    @property
    def account(self) -> Account:
        return Account(Payer.OPERATOR, 0, self.adapter.name)

    def offers(self, name: str) -> bool:
        return name == self.model or any(fnmatchcase(name, pattern) for pattern in self.offered)


class ModelChoice(msgspec.Struct, frozen=True):
    """What answers, for one run: whoever asks the model takes all of it from here."""

    adapter: StreamAdapter
    model: str
    endpoints: tuple[Endpoint, ...]
    """One a key, the one whose turn it is first."""
    account: Account
    preferences: ModelPreferences
    """How it shall answer. Its `model` is what was chosen, and not what answers."""
    chosen_by: Scope | None = None
    """None: nobody chose."""
    instead_of: str = ""
    """The model that was chosen of the operator's provider, where that is not offered any more."""
    offered_by: OperatorModel | None = None
    """Who pays only for what they offer."""

    @property
    def payer(self) -> Payer:
        return self.account.payer

    @property
    def endpoint(self) -> Endpoint:
        return self.endpoints[0]

    @property
    def origin(self) -> Origin:
        return self.endpoint.origin(self.adapter.name, self.model)

    def named(self, model: str) -> ModelChoice:
        """The same with another model of the same provider, such as a persona wants it; as it is where that is not paid for, or
        named by nothing."""
        if not model or (self.offered_by is not None and not self.offered_by.offers(model)):
            return self
        return msgspec.structs.replace(self, model=model)


class NoModel(msgspec.Struct, frozen=True):
    """Nothing answers: nobody chose a model and the operator has none, or nobody has a key for what was chosen."""

    chosen: ChosenModel | None = None
    chosen_by: Scope | None = None

    @property
    def reason(self) -> str:
        """A message key of locales/, to be filled with the next two."""
        return f"no-key-{self.chosen_by}" if self.chosen_by is not None else "notice-no-model"

    @property
    def model(self) -> str:
        return self.chosen.model if self.chosen is not None else ""

    @property
    def provider(self) -> str:
        return self.chosen.provider if self.chosen is not None else ""


class Models:
    def __init__(self, preferences: Preferences, keys: ProviderKeys, operator: OperatorModel | None) -> None:
        self._preferences = preferences
        self._keys = keys
        self.operator = operator
        self._next: dict[Account, int] = {}
        """How many times it was taken."""

    async def at(self, location: Location) -> ModelChoice | NoModel:
        """What answers there whoever `location` names, for one run. Raises as the store does."""
        found = await self.look(location)
        if isinstance(found, NoModel):
            return found
        return msgspec.structs.replace(found, endpoints=self._turned(found.account, found.endpoints))

    async def look(self, location: Location) -> ModelChoice | NoModel:
        """The same for who does not ask it: no key's turn passes by that."""
        preferences = await self.preferences(location)
        chosen, scope = preferences.model, await self.chosen_by(location)
        if chosen is None or scope is None:
            return self._of_operator(preferences) or NoModel()
        for payer, owner_id in await self._owners(location, scope):
            account = Account(payer, owner_id, chosen.provider, chosen.base_url)
            if endpoints := await self.endpoints(account):
                adapter = registry.adapter(chosen.provider)
                return ModelChoice(adapter, chosen.model, tuple(endpoints), account, preferences, scope)
        return self._of_operator(preferences, chosen, scope) or NoModel(chosen, scope)

    async def preferences(self, location: Location) -> ModelPreferences:
        """With the person's own, where the server lets them choose."""
        return await self._preferences.of(ModelPreferences, await self._heard(location))

    async def chosen_by(self, location: Location) -> Scope | None:
        """The nearest who chose the model; None: nobody."""
        for scope, scope_id in _near_to_far(await self._heard(location)):
            if "model" in await self._preferences.chosen(ModelPreferences, scope, scope_id):
                return scope
        return None

    async def may_choose(self, location: Location) -> bool:
        """Whether a person may for themselves."""
        return location.guild_id is None or (await self._may(location)).personal_models_enabled

    async def accounts(self, location: Location, scope: Scope) -> Sequence[Account]:
        """Those with which could be paid there for what is chosen at this scope, in the order in which they would be."""
        accounts: dict[Account, None] = {}
        for payer, owner_id in await self._owners(location, scope):
            for key in await self._keys.of(_SCOPES[payer], owner_id):
                if key.opens and _is_usable(key.provider):
                    accounts[Account(payer, owner_id, key.provider, key.base_url)] = None
        return (*accounts, *([self.operator.account] if self.operator is not None else []))

    async def endpoints(self, account: Account) -> Sequence[Endpoint]:
        """One a key; () where there is none (any more)."""
        if account.payer is Payer.OPERATOR:
            return self.operator.endpoints if self.operator is not None and account == self.operator.account else ()
        if not _is_usable(account.provider):
            return ()
        keyed = await self._keys.endpoints(_SCOPES[account.payer], account.owner_id, account.provider, account.base_url)
        return tuple(each.endpoint for each in keyed)

    async def _owners(self, location: Location, scope: Scope) -> Sequence[tuple[Payer, int]]:
        """Who pays there for what is chosen at this scope, besides the operator: nobody for a choice that is not theirs."""
        owners: list[tuple[Payer, int]] = []
        may_use_own = location.guild_id is None or (await self._may(location)).own_keys_enabled
        if scope is Scope.PERSON and location.person_id is not None and may_use_own:
            owners.append((Payer.PERSON, location.person_id))
        if scope is not Scope.GLOBAL and location.guild_id is not None:
            owners.append((Payer.SERVER, location.guild_id))
        return owners

    def _of_operator(
        self, preferences: ModelPreferences, chosen: ChosenModel | None = None, scope: Scope | None = None
    ) -> ModelChoice | None:
        operator, instead_of = self.operator, ""
        if operator is None:
            return None
        name = operator.model
        if chosen is not None:
            if (chosen.provider, chosen.base_url) != (operator.adapter.name, OWN_ADDRESS):
                return None
            if scope is Scope.GLOBAL or operator.offers(chosen.model):
                name = chosen.model
            else:
                instead_of = chosen.model
        return ModelChoice(
            operator.adapter,
            name,
            operator.endpoints,
            operator.account,
            preferences,
            scope,
            instead_of,
            operator,
        )

    def _turned(self, account: Account, endpoints: Sequence[Endpoint]) -> tuple[Endpoint, ...]:
        """Each key of an account has its turn."""
        taken = self._next.pop(account, 0)
        self._next[account] = taken + 1
        if len(self._next) > MOST_REMEMBERED:
            del self._next[next(iter(self._next))]
        first = taken % len(endpoints)
        return (*endpoints[first:], *endpoints[:first])

    async def _heard(self, location: Location) -> Location:
        """Without the person, where their choice does not count."""
        if await self.may_choose(location):
            return location
        return msgspec.structs.replace(location, person_id=None)

    async def _may(self, location: Location) -> ServerCapabilities:
        return await self._preferences.of(ServerCapabilities, location)


_SCOPES: Mapping[Payer, Scope] = {Payer.SERVER: Scope.SERVER, Payer.PERSON: Scope.PERSON}


def _is_usable(provider: str) -> bool:
    """A provider that takes the machine's own identity, which is the operator's, is the operator's alone."""
    return provider in registry.NAMES and provider not in MACHINE_CREDENTIALS


def _near_to_far(location: Location) -> Iterator[tuple[Scope, int]]:
    return reversed(list(scopes_of(location)))
