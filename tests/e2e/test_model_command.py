"""`/model` and `/think`: which model answers whom, and how much it thinks, as the provider sees it."""

from pathlib import Path
from typing import Any

import msgspec
import pytest

from adapters.catalogue import Row
from adapters.contract import ModelInfo
from bot.persona import Persona
from bot.playground.scripted_provider import spoken
from bot.playground.standin import User
from bot.preferences import ConversationPreferences, ModelPreferences, ServerCapabilities
from bot.store import Scope, Subject
from tests.e2e.house import House, open_house
from tests.e2e.test_personas import client_of, server_of, tell

OFFERED = ("big-*", "small")


async def asked(house: House, by: User, channel: Any = None) -> dict[str, Any]:
    """The request that their next question becomes."""
    house.script = spoken("Yes.")
    count = len(house.provider.requests)
    await house.ask("Is it?", by=by, in_channel=channel)
    await house.standin.wait_for(lambda _: len(house.provider.requests) > count)
    await house.app.idle()
    request: dict[str, Any] = house.provider.requests[-1]
    return request


async def test_a_person_a_channel_and_a_server_choose_and_the_nearest_counts(tmp_path: Path) -> None:
    async with open_house(tmp_path, llm_models=OFFERED) as house:
        assert (await asked(house, house.bo))["model"] == "demo"
        told = await tell(house, "model", model="big-one", where="server")
        assert told.startswith("Here `big-one` of custom answers you.\nIt was chosen for this server.")
        assert (await asked(house, house.bo))["model"] == "big-one"
        await tell(house, "model", model="small", where="here")
        assert (await asked(house, house.bo))["model"] == "small"
        assert "You chose it." in await tell(house, "model", house.bo, model="big-two")
        assert (await asked(house, house.bo))["model"] == "big-two"
        assert (await asked(house, house.ada))["model"] == "small"
        assert "chosen for this channel" in await tell(house, "model", house.bo, model="Default")
        assert (await asked(house, house.bo))["model"] == "small"


async def test_only_what_the_operator_offers_can_be_chosen_or_is_used(tmp_path: Path) -> None:
    async with open_house(tmp_path, llm_models=OFFERED) as house:
        assert "`huge` is not among the models" in await tell(house, "model", model="huge", where="server")
        choice = {"provider": "custom", "model": "huge", "base_url": ""}
        await client_of(house).preferences.change(ModelPreferences, Scope.SERVER, server_of(house), model=choice)
        assert (await asked(house, house.bo))["model"] == "demo"
        told = await tell(house, "model", house.bo)
        assert "Here `demo` of custom answers you.\n⚠️ `huge` was chosen, and is not offered any more." in told


@pytest.mark.parametrize(("provider", "base_url"), [("openai-chat", ""), ("custom", "http://127.0.0.1:1")])
async def test_what_nobody_has_a_key_for_is_asked_of_nobody(tmp_path: Path, provider: str, base_url: str) -> None:
    async with open_house(tmp_path, llm_models=OFFERED) as house:
        choice = {"provider": provider, "model": "small", "base_url": base_url}
        await client_of(house).preferences.change(ModelPreferences, Scope.SERVER, server_of(house), model=choice)
        await house.ask("Is it?", by=house.bo)
        await house.answered()
        (embed,) = house.answers()[-1]["embeds"]
        assert f"`small` of {provider} was chosen for this server, and there is no key for it." in embed["description"]
        assert house.provider.requests == []


async def test_a_member_chooses_for_themselves_and_for_nobody_else(tmp_path: Path) -> None:
    async with open_house(tmp_path, llm_models=OFFERED) as house:
        for where in ("server", "here"):
            told = await tell(house, "model", house.bo, model="small", where=where)
            assert told == "Only people who may manage this server can change that."
            assert (await tell(house, "think", house.bo, effort="high", where=where)) == told
        assert (await asked(house, house.bo))["model"] == "demo"


async def test_suggestions_are_what_is_offered_and_listed_and_fits(tmp_path: Path) -> None:
    async with open_house(tmp_path, llm_models=("*",)) as house:
        suggested = await house.standin.autocomplete(house.bo, house.general, "model", {"model": ""}, focused="model")
        assert [choice["value"] for choice in (await suggested.answered()).choices or ()] == ["demo"]
        suggested = await house.standin.autocomplete(house.bo, house.general, "model", {"model": "zz"}, focused="model")
        assert (await suggested.answered()).choices == ()


async def test_it_tells_what_is_known_of_the_model(tmp_path: Path) -> None:
    info = ModelInfo("small", context_window=32_000, vision=True, reasoning=False, input_price=0.5, output_price=2.0)
    async with open_house(tmp_path, models=[Row(("custom",), "small", info)], llm_models=OFFERED) as house:
        told = await tell(house, "model", model="small")
        assert "reads up to 32,000 tokens; sees pictures; does not think; costs $0.5" in told
        told = await tell(house, "think", effort="high")
        assert "`small` cannot think" in told
        assert "Thoughts are shown here: **" in told
        assert "reasoning_effort" not in await asked(house, house.ada)


@pytest.mark.parametrize(
    ("effort", "sent"), [("default", None), ("off", "none"), ("low", "low"), ("medium", "medium"), ("high", "high")]
)
async def test_how_much_it_thinks_reaches_the_provider(tmp_path: Path, effort: str, sent: str | None) -> None:
    async with open_house(tmp_path) as house:
        await tell(house, "think", effort="medium", where="server")
        await tell(house, "think", house.bo, effort=effort)
        assert (await asked(house, house.bo)).get("reasoning_effort") == sent
        assert (await asked(house, house.ada))["reasoning_effort"] == "medium"


async def test_a_personas_own_wishes_go_before_the_servers(tmp_path: Path) -> None:
    async with open_house(tmp_path) as house:
        client, guild = client_of(house), server_of(house)
        await client.preferences.change(
            ModelPreferences, Scope.SERVER, guild, temperature=0.25, max_output_tokens=100, thinking="low"
        )
        request = await asked(house, house.bo)
        assert (request["temperature"], request["max_tokens"], request["reasoning_effort"]) == (0.25, 100, "low")
        await client.personas.put(guild, Persona("Fox", temperature=0.0, max_output_tokens=50), by=1)
        await client.preferences.change(ConversationPreferences, Scope.SERVER, guild, persona="Fox")
        request = await asked(house, house.bo)
        assert (request["temperature"], request["max_tokens"]) == (0.0, 50)


async def test_memory_can_be_switched_off_for_a_server(tmp_path: Path) -> None:
    async with open_house(tmp_path) as house:
        client, guild = client_of(house), server_of(house)
        await client.memories.add(Subject(guild), "We meet on Mondays.", by=1)
        assert "Mondays" in str((await asked(house, house.bo))["messages"])
        await client.preferences.change(ServerCapabilities, Scope.SERVER, guild, memory_enabled=False)
        assert "Mondays" not in str((await asked(house, house.bo))["messages"])


async def test_in_a_direct_message_it_speaks_its_readers_language(tmp_path: Path) -> None:
    async with open_house(tmp_path, llm_models=OFFERED) as house:
        house.standin.world.users[house.bo.id] = msgspec.structs.replace(house.bo, locale="de")
        direct = house.standin.dm(house.bo)
        await house.standin.slash(house.bo, direct, "model", {"model": "small", "where": "here"})
        await house.whispered(house.bo, "Hier antwortet dir `small` von custom.", direct)
        await house.standin.slash(house.bo, direct, "think", {"effort": "high", "where": "server"})
        await house.whispered(house.bo, "Hier ist kein Server.", direct)
