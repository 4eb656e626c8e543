"""Who pays for an answer: whose choice of a model counts where, and with whose key it is asked."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Iterator, Sequence
from itertools import count
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from adapters import registry
from adapters.contract import Endpoint
from bot.preferences import ChosenModel, Location, ModelPreferences, Scope, ServerCapabilities
from bot.store import Database, Deed, Preferences, ProviderKeys, SecretBox
from bot.turn.models import Account, ModelChoice, Models, NoModel, OperatorModel, Payer

SERVER, CHANNEL, ADA, BO = 1, 10, 100, 200
HERE, DIRECT = Location(CHANNEL, SERVER, None, ADA), Location(CHANNEL, None, None, ADA)
OWN, HOME = "", "https://llm.example/v1"
OPERATOR = OperatorModel(
    registry.adapter("openai-chat"), "gpt", (Endpoint(OWN or None, "sk-operator"),), offered=("small-*",)
)
BOX = SecretBox(["a secret of many characters"])


class World:
    """Choices and keys, in a real database."""

    def __init__(self, database: Database, operator: OperatorModel | None = OPERATOR) -> None:
        self.preferences, self.keys = Preferences(database), ProviderKeys(database, BOX)
        self.models = Models(self.preferences, self.keys, operator)

    async def choose(self, scope: Scope, scope_id: int, provider: str, model: str, base_url: str = OWN) -> None:
        await self.preferences.change(ModelPreferences, scope, scope_id, model=ChosenModel(provider, model, base_url))

    async def key(self, scope: Scope, owner: int, provider: str, base_url: str = OWN, key: str = "") -> str:
        key = key or f"sk-{scope}-{owner}-{provider}-{base_url}"
        await self.keys.add(scope, owner, provider, base_url, key, Deed(1))
        return key

    async def switch(self, **capabilities: Any) -> None:
        await self.preferences.change(ServerCapabilities, Scope.SERVER, SERVER, **capabilities)

    async def answers(self, location: Location = HERE) -> tuple[str, str, str | None] | str:
        """Whose key, the model, the key; or why none does."""
        choice = await self.models.at(location)
        if isinstance(choice, NoModel):
            return choice.reason
        return choice.payer.value, choice.model, choice.endpoint.api_key


@pytest.fixture
async def world(tmp_path: Path) -> AsyncIterator[World]:
    async with Database(f"sqlite+aiosqlite:///{tmp_path}/parley.db") as database:
        yield World(database)


async def test_where_nobody_chose_the_operators_model_answers_whatever_keys_there_are(world: World) -> None:
    await world.key(Scope.SERVER, SERVER, "openai-chat")
    await world.key(Scope.PERSON, ADA, "openai-chat")
    assert await world.answers() == await world.answers(DIRECT) == ("operator", "gpt", "sk-operator")


async def test_a_persons_own_key_goes_before_the_servers_and_that_before_the_operators(world: World) -> None:
    await world.choose(Scope.PERSON, ADA, "openai-chat", "small-1")
    assert await world.answers() == ("operator", "small-1", "sk-operator")
    servers = await world.key(Scope.SERVER, SERVER, "openai-chat")
    assert await world.answers() == ("server", "small-1", servers)
    own = await world.key(Scope.PERSON, ADA, "openai-chat")
    assert await world.answers() == await world.answers(DIRECT) == ("person", "small-1", own)


async def test_what_is_chosen_for_all_is_paid_by_nobodys_own_key(world: World) -> None:
    own = await world.key(Scope.PERSON, ADA, "mistral")
    await world.choose(Scope.CHANNEL, CHANNEL, "mistral", "large")
    assert await world.answers() == await world.answers(DIRECT) == "no-key-channel"
    servers = await world.key(Scope.SERVER, SERVER, "mistral")
    assert await world.answers() == ("server", "large", servers)
    await world.choose(Scope.PERSON, ADA, "mistral", "large")
    assert await world.answers() == ("person", "large", own)


async def test_a_server_can_keep_people_from_their_own_keys_and_from_choosing_at_all(world: World) -> None:
    await world.choose(Scope.PERSON, ADA, "mistral", "large")
    own = await world.key(Scope.PERSON, ADA, "mistral")
    await world.switch(own_keys_enabled=False)
    assert await world.answers() == "no-key-person"
    assert await world.answers(DIRECT) == ("person", "large", own)
    await world.switch(personal_models_enabled=False)
    assert await world.answers() == ("operator", "gpt", "sk-operator")


async def test_without_a_key_it_is_said_whose_choice_has_none_and_nobody_else_pays(world: World) -> None:
    for scope, scope_id in ((Scope.GLOBAL, 0), (Scope.SERVER, SERVER), (Scope.CHANNEL, CHANNEL), (Scope.PERSON, ADA)):
        await world.choose(scope, scope_id, "mistral", "large")
        assert await world.answers() == f"no-key-{scope}"
    assert await world.models.at(HERE) == NoModel(ChosenModel("mistral", "large"), Scope.PERSON)


async def test_the_operators_key_goes_to_the_operators_address_only(world: World) -> None:
    await world.choose(Scope.SERVER, SERVER, "openai-chat", "gpt", HOME)
    assert await world.answers() == "no-key-server"


async def test_of_the_operators_models_only_those_on_offer_answer_unless_the_operator_chose(world: World) -> None:
    await world.choose(Scope.SERVER, SERVER, "openai-chat", "huge")
    choice = await world.models.at(HERE)
    assert isinstance(choice, ModelChoice)
    assert (choice.model, choice.instead_of) == ("gpt", "huge")
    await world.preferences.change(ModelPreferences, Scope.SERVER, SERVER, model=None)
    await world.choose(Scope.GLOBAL, 0, "openai-chat", "huge")
    assert await world.answers() == ("operator", "huge", "sk-operator")


async def test_without_an_operators_model_only_those_with_keys_are_answered(tmp_path: Path) -> None:
    async with Database(f"sqlite+aiosqlite:///{tmp_path}/parley.db") as database:
        world = World(database, operator=None)
        assert await world.answers() == "notice-no-model"
        await world.choose(Scope.SERVER, SERVER, "custom", "qwen", HOME)
        assert await world.answers() == "no-key-server"
        key = await world.key(Scope.SERVER, SERVER, "custom", HOME)
        assert await world.answers() == ("server", "qwen", key)


async def test_a_persona_names_another_model_of_the_same_provider_if_it_is_paid_for(world: World) -> None:
    choice = await world.models.at(HERE)
    assert isinstance(choice, ModelChoice)
    assert [choice.named(it).model for it in ("", "small-1", "huge")] == ["gpt", "small-1", "gpt"]
    await world.choose(Scope.SERVER, SERVER, "mistral", "large")
    await world.key(Scope.SERVER, SERVER, "mistral")
    choice = await world.models.at(HERE)
    assert isinstance(choice, ModelChoice)
    assert choice.named("huge").origin == Endpoint().origin("mistral", "huge")


async def test_keys_of_one_account_have_their_turns_and_a_deleted_one_has_none(world: World) -> None:
    await world.choose(Scope.SERVER, SERVER, "mistral", "large")
    for key in ("sk-1", "sk-2"):
        await world.key(Scope.SERVER, SERVER, "mistral", key=key)
    assert [await world.answers() for _ in range(3)] == [("server", "large", f"sk-{nr}") for nr in (1, 2, 1)]
    first, _ = await world.keys.of(Scope.SERVER, SERVER)
    await world.keys.delete(Scope.SERVER, SERVER, first.key_id, Deed(1))
    assert [await world.answers() for _ in range(2)] == [("server", "large", "sk-2")] * 2


async def test_providers_that_take_the_machines_own_identity_are_the_operators_alone(world: World) -> None:
    for provider in ("bedrock", "vertex", "no-provider"):
        await world.choose(Scope.SERVER, SERVER, provider, "m", HOME)
        await world.key(Scope.SERVER, SERVER, provider, HOME)
        assert await world.answers() == "no-key-server"
    assert await world.models.accounts(HERE, Scope.SERVER) == (OPERATOR.account,)


@pytest.mark.parametrize(
    ("scope", "location", "payers"),
    [
        (Scope.PERSON, HERE, ["person", "server", "operator"]),
        (Scope.PERSON, DIRECT, ["person", "operator"]),
        (Scope.CHANNEL, HERE, ["server", "operator"]),
        (Scope.CHANNEL, DIRECT, ["operator"]),
        (Scope.SERVER, HERE, ["server", "operator"]),
        (Scope.GLOBAL, HERE, ["operator"]),
    ],
)
async def test_the_accounts_that_could_pay_are_told_in_their_order(
    world: World, scope: Scope, location: Location, payers: Sequence[str]
) -> None:
    for owner_scope, owner in ((Scope.SERVER, SERVER), (Scope.PERSON, ADA), (Scope.PERSON, BO), (Scope.SERVER, 2)):
        await world.key(owner_scope, owner, "mistral")
        await world.key(owner_scope, owner, "mistral", key="sk-second")
    found = await world.models.accounts(location, scope)
    assert [account.payer for account in found] == payers
    assert [len(await world.models.endpoints(account)) for account in found] == [2] * (len(payers) - 1) + [1]
    assert await world.models.endpoints(Account(Payer.OPERATOR, 0, "mistral")) == ()


# --------------------------------------------------------------------------------------------------------------- the law


@pytest.fixture(scope="module")
def shared(tmp_path_factory: pytest.TempPathFactory) -> Iterator[tuple[asyncio.Runner, World]]:
    """For many examples: each has servers and people of its own."""
    with asyncio.Runner() as runner:
        database = Database(f"sqlite+aiosqlite:///{tmp_path_factory.mktemp('law')}/parley.db")
        runner.run(database.__aenter__())
        try:
            yield runner, World(database)
        finally:
            runner.run(database.__aexit__(None, None, None))


_ids = count(1000, 10)
_providers = st.sampled_from(["openai-chat", "mistral", "bedrock"])
_addresses = st.sampled_from([OWN, HOME])
_models = st.sampled_from(["gpt", "small-1", "huge"])
_owners = st.sampled_from(["server", "other server", "ada", "bo"])
_scopes = st.sampled_from(["server", "channel", "ada", "bo"])


@settings(deadline=None, max_examples=60)
@given(
    keys=st.sets(st.tuples(_owners, _providers, _addresses), max_size=6),
    choices=st.dictionaries(_scopes, st.tuples(_providers, _models, _addresses), max_size=3),
    own_keys=st.booleans(),
    personal=st.booleans(),
    direct=st.booleans(),
)
def test_no_key_answers_but_the_askers_own_their_servers_or_the_operators_and_each_goes_where_it_belongs(
    shared: tuple[asyncio.Runner, World], keys: Any, choices: Any, own_keys: bool, personal: bool, direct: bool
) -> None:
    runner, world = shared
    base = next(_ids)
    places = {
        "server": (Scope.SERVER, base + 1),
        "other server": (Scope.SERVER, base + 2),
        "channel": (Scope.CHANNEL, base + 3),
        "ada": (Scope.PERSON, base + 4),
        "bo": (Scope.PERSON, base + 5),
    }
    guild = None if direct else base + 1

    async def choice() -> ModelChoice | NoModel:
        for owner, provider, address in keys:
            await world.key(*places[owner], provider, address, key=f"sk|{owner}|{provider}|{address}")
        for place, (provider, model, address) in choices.items():
            await world.choose(*places[place], provider, model, address)
        switches: dict[str, Any] = {"own_keys_enabled": own_keys, "personal_models_enabled": personal}
        await world.preferences.change(ServerCapabilities, Scope.SERVER, base + 1, **switches)
        return await world.models.at(Location(base + 3, guild, None, base + 4))

    found = runner.run(choice())
    counting = ["ada"] if direct or personal else []
    counting += ["channel"] + ([] if direct else ["server"])
    wanted = next((choices[place] for place in counting if place in choices), None)
    if isinstance(found, NoModel):
        assert wanted is not None, "where nobody chose, the operator's answers"
        assert (wanted[0], wanted[2]) != ("openai-chat", OWN), "the operator could have answered"
        return
    for endpoint in found.endpoints:
        if found.payer is Payer.OPERATOR:
            assert endpoint is OPERATOR.endpoints[0]
            assert wanted is None or (wanted[0], wanted[2]) == ("openai-chat", OWN)
            assert OPERATOR.offers(found.model)
            continue
        _, owner, provider, address = str(endpoint.api_key).split("|")
        assert endpoint.public_only
        assert (provider, found.model, address) == wanted
        assert (found.adapter.name, endpoint.base_url or OWN) == (provider, address)
        assert provider != "bedrock"
        assert owner == {Payer.SERVER: "server", Payer.PERSON: "ada"}[found.payer]
        if owner == "ada":
            assert "ada" in choices, "only their own choice brings a person's key in"
            assert direct or (own_keys and personal)
        else:
            assert not direct
