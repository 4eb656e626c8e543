"""/setup as who manages a server walks it: from nothing to a first answer, left and taken up again, refused to others."""

from contextlib import AbstractAsyncContextManager
from pathlib import Path
from typing import Any

import msgspec

from bot.playground.standin import Interaction, User
from bot.preferences import (
    Answering,
    ChosenModel,
    ConversationPreferences,
    LanguagePreferences,
    Location,
    ModelPreferences,
)
from bot.store import Deed, Scope
from tests.e2e.house import EPHEMERAL, House, running_bot
from tests.e2e.keyed_provider import KeyedProvider
from tests.e2e.test_keys_command import LOOPBACK, RIGHT, WRONG, keyed_house, keys_of, server
from tests.e2e.test_memory import in_public, items, panels, shown

Json = dict[str, Any]
NOTHING: dict[str, Any] = {"llm_provider": None, "llm_base_url": None, "llm_model": None, "llm_api_keys": ()}


def bare_house(folder: Path, **settings: Any) -> AbstractAsyncContextManager[tuple[House, KeyedProvider]]:
    """Its operator set up no model."""
    return keyed_house(folder, **NOTHING, **settings)


async def open_setup(house: House, words: str, person: User | None = None) -> Json:
    person = person or house.ada
    await house.standin.slash(person, house.general, "setup")
    return await shown(house, person, words)


async def press(house: House, panel: Json, step: str, *values: str) -> Interaction:
    made = items(panel)[f"setup:{step}"]["custom_id"]
    pressed = await house.standin.press(house.ada, panel["id"], made, values)
    await pressed.answered()
    return pressed


async def pick(house: House, panel: Json, step: str, value: str) -> None:
    """In a select of the panel, until the panel shows it."""

    def is_shown(_: object) -> bool:
        options = items(house.standin.message(panel["id"]))[f"setup:{step}"]["options"]
        return any(option["value"] == value and option.get("default") for option in options)

    await press(house, panel, step, value)
    await house.standin.wait_for(is_shown)


async def enter(house: House, panel: Json, key: str, address: str) -> None:
    form = await press(house, panel, "provider", "custom")
    await house.standin.submit_modal(form, {"key": key, "address": address})


async def here(house: House, topic: Any) -> Any:
    return await house.preferences.of(topic, Location(int(house.general.id), server(house)[1]))


async def test_from_nothing_to_a_first_answer(tmp_path: Path) -> None:
    async with bare_house(tmp_path) as (house, provider):
        provider.listed = ["text-embedding-3", "demo", "gpt-4o", "gpt-5.6-terra"]
        panel = await open_setup(house, "No model is set up yet")
        await enter(house, panel, RIGHT, provider.base_url)
        panel = await shown(house, house.ada, "Which model shall answer")
        names = [option["value"] for option in items(panel)["setup:model"]["options"]]
        assert names == ["gpt-5.6-terra", "gpt-4o", "demo", "text-embedding-3"], "the best known first"
        await press(house, panel, "model", "demo")
        panel = await shown(house, house.ada, "🟢 `demo` answers here")
        await pick(house, panel, "answering", "always")
        await pick(house, panel, "language", "de")
        await press(house, panel, "done")
        panel = await shown(house, house.ada, "All set")
        assert "I answer every message in this channel" in str(panel["embeds"])
        assert "Deutsch" in str(panel["embeds"])
        assert len(panels(house, house.ada)) == 1, "it is all one message"
        provider.requests.clear()
        await press(house, panel, "hello")
        await house.whispered(house.ada, "Hello from your own model.")
        assert [request["model"] for request in provider.requests] == ["demo"]
        assert all(message["flags"] & EPHEMERAL for message in house.answers()), "nobody else asked"
        await house.app.idle()
        # And from now on whoever asks is answered.
        await house.standin.say(house.bo, house.general, "Who is there?")
        await house.standin.wait_for(lambda _: any("Hello from your own model." in text for text in house.texts()))
        assert (await here(house, ModelPreferences)).model == ChosenModel("custom", "demo", provider.base_url)
        assert (await here(house, LanguagePreferences)).locale == "de"


async def test_where_a_model_answers_already_one_can_go_on_with_it(tmp_path: Path) -> None:
    async with keyed_house(tmp_path) as (house, _):
        panel = await open_setup(house, "🟢 `demo` answers here")
        await press(house, panel, "place")
        panel = await shown(house, house.ada, "When shall I answer")
        await press(house, panel, "done")
        await press(house, await shown(house, house.ada, "All set"), "hello")
        await house.whispered(house.ada, "Hello from the model.")
        assert await keys_of(house).of(*server(house)) == []


async def test_a_wrong_key_is_told_and_the_next_try_goes_on(tmp_path: Path) -> None:
    async with bare_house(tmp_path) as (house, provider):
        panel = await open_setup(house, "No model is set up yet")
        await enter(house, panel, WRONG, provider.base_url)
        panel = await shown(house, house.ada, "does not accept this key")
        assert await keys_of(house).of(*server(house)) == []
        await enter(house, panel, RIGHT, provider.base_url)
        await shown(house, house.ada, "Which model shall answer")


async def test_a_key_that_cannot_be_tried_can_be_saved_and_a_model_be_named(tmp_path: Path) -> None:
    async with bare_house(tmp_path) as (house, _):
        panel = await open_setup(house, "No model is set up yet")
        await enter(house, panel, RIGHT, "http://127.0.0.1:9/v1")
        panel = await shown(house, house.ada, "cannot be reached")
        await press(house, panel, "keep")
        panel = await shown(house, house.ada, "gives no list of its models")
        form = await press(house, panel, "other")
        await house.standin.submit_modal(form, {"model": "  my \n model "})
        await shown(house, house.ada, "🟢 `my model` answers here")
        chosen = (await here(house, ModelPreferences)).model
        assert chosen == ChosenModel("custom", "my model", "http://127.0.0.1:9/v1")


async def test_a_provider_whose_key_is_there_asks_for_none(tmp_path: Path) -> None:
    async with bare_house(tmp_path) as (house, provider):
        await enter(house, await open_setup(house, "No model is set up yet"), RIGHT, provider.base_url)
        panel = await shown(house, house.ada, "Which model shall answer")
        await press(house, panel, "start")
        panel = await shown(house, house.ada, "Keys of this server: 1")
        await press(house, panel, "provider", "custom")
        await shown(house, house.ada, "Which model shall answer")


async def test_answering_to_mentions_again_takes_back_what_was_chosen_for_the_channel(tmp_path: Path) -> None:
    async with keyed_house(tmp_path) as (house, _):
        await press(house, await open_setup(house, "🟢"), "place")
        panel = await shown(house, house.ada, "When shall I answer")
        for way in (Answering.ALWAYS, Answering.MENTIONS):
            await pick(house, panel, "answering", way)
            assert (await here(house, ConversationPreferences)).answering is way
        assert await house.preferences.chosen(ConversationPreferences, Scope.CHANNEL, int(house.general.id)) == {}


async def test_it_can_be_left_and_goes_on_after_a_restart(tmp_path: Path) -> None:
    async with bare_house(tmp_path, connected=False) as (house, provider):
        async with running_bot(house, tmp_path, allowed_hosts=LOOPBACK, **NOTHING):
            await enter(house, await open_setup(house, "No model is set up yet"), RIGHT, provider.base_url)
            panel = await shown(house, house.ada, "Which model shall answer")
            assert house.app.client._connection._view_store._views == {}
        async with running_bot(house, tmp_path, allowed_hosts=LOOPBACK, **NOTHING):
            await press(house, panel, "model", "demo")
            panel = await shown(house, house.ada, "🟢 `demo` answers here")
            await press(house, panel, "cancel")
            panel = await shown(house, house.ada, "What you chose so far stays")
            assert items(panel) == {}
            await open_setup(house, "🟢 `demo` answers here")


async def test_it_is_not_for_members(tmp_path: Path) -> None:
    async with keyed_house(tmp_path) as (house, _):
        await house.standin.slash(house.bo, house.general, "setup")
        await house.whispered(house.bo, "Only people who may manage this server")
        panel = await open_setup(house, "🟢")
        made = items(panel)["setup:place"]
        made["custom_id"] = made["custom_id"].replace(house.ada.id, house.bo.id)
        public = in_public(house, [{"type": 1, "components": [made]}])
        await (await house.standin.press(house.bo, public["id"], made["custom_id"])).answered()
        await house.standin.wait_for(lambda _: len(house.whispers(house.bo)) == 2)
        assert "Only people who may manage this server" in house.whispers(house.bo)[-1]


async def test_it_speaks_the_readers_language(tmp_path: Path) -> None:
    async with bare_house(tmp_path, locale="de") as (house, _):
        house.standin.world.users[house.ada.id] = msgspec.structs.replace(house.ada, locale="de")
        panel = await open_setup(house, "Es ist noch kein Modell eingerichtet")
        assert "Schritt 1 von 3" in str(panel["embeds"])


async def test_a_key_that_is_no_longer_accepted_is_told_and_another_can_be_entered(tmp_path: Path) -> None:
    async with bare_house(tmp_path) as (house, provider):
        await keys_of(house).add(*server(house), "custom", provider.base_url, WRONG, Deed(1))
        await press(house, await open_setup(house, "No model is set up yet"), "provider", "custom")
        panel = await shown(house, house.ada, "does not accept this key")
        form = await press(house, panel, "key")
        await house.standin.submit_modal(form, {"key": RIGHT, "address": provider.base_url})
        panel = await shown(house, house.ada, "Which model shall answer")
        assert [option["value"] for option in items(panel)["setup:model"]["options"]] == ["demo"]


async def test_where_a_channel_has_a_choice_without_a_key_it_is_told(tmp_path: Path) -> None:
    async with bare_house(tmp_path) as (house, provider):
        old = ChosenModel("mistral", "old")
        await house.preferences.change(ModelPreferences, Scope.CHANNEL, int(house.general.id), model=old)
        await enter(house, await open_setup(house, "`old` of Mistral"), RIGHT, provider.base_url)
        await press(house, await shown(house, house.ada, "Which model shall answer"), "model", "demo")
        panel = await shown(house, house.ada, "When shall I answer")
        assert "`old` of Mistral was chosen for this channel, and there is no key for it." in str(panel["embeds"])
