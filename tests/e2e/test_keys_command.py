"""/keys as people meet it: adding a key that a real provider checks, trying it again, deleting it; and where the key never is."""

import logging
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from io import StringIO
from pathlib import Path
from typing import Any

import msgspec
import pytest

from adapters.contract import Endpoint
from bot.gateway.client import ParleyClient
from bot.observability import configure_logging
from bot.playground.scripted_provider import spoken
from bot.playground.standin import Channel, Interaction, User
from bot.preferences import AdmissionPreferences
from bot.settings import LogFormat, LogLevel
from bot.store import Deed, ProviderKeys, Scope
from bot.turn.keyring import PROVIDERS
from tests.delivery.desk import Where, place
from tests.e2e.house import House, open_house, running_bot
from tests.e2e.keyed_provider import KeyedProvider
from tests.e2e.test_memory import in_public, items, panels, shown

Json = dict[str, Any]
RIGHT, OTHER, WRONG = "sk-right-0123456789abcdef", "sk-other-0123456789fedcba", "sk-wrong-0123456789abcdef"
LOOPBACK = ("127.0.0.1",)


@asynccontextmanager
async def keyed_house(folder: Path, **settings: Any) -> AsyncIterator[tuple[House, KeyedProvider]]:
    """Servers and people may reach a provider here, which accepts RIGHT and OTHER."""
    async with (
        KeyedProvider(lambda _: spoken("Hello from your own model."), RIGHT, OTHER) as provider,
        open_house(folder, **{"allowed_hosts": LOOPBACK, **settings}) as house,
    ):
        yield house, provider


def keys_of(house: House) -> ProviderKeys:
    assert isinstance(house.app.client, ParleyClient)
    return house.app.client.desk.keyring.keys


def server(house: House) -> tuple[Scope, int]:
    return Scope.SERVER, int(house.general.guild_id or 0)


def mine(person: User) -> tuple[Scope, int]:
    return Scope.PERSON, int(person.id)


async def open_keys(
    house: House, person: User, words: str, where: str | None = None, channel: Channel | None = None
) -> Json:
    await house.standin.slash(person, channel or house.general, "keys", {"where": where} if where else {})
    return await shown(house, person, words, channel)


async def press(house: House, person: User, panel: Json, deed: str, *values: str) -> Interaction:
    pressed = await house.standin.press(person, panel["id"], items(panel)[f"keys:{deed}"]["custom_id"], values)
    await pressed.answered()
    return pressed


async def enter(house: House, person: User, panel: Json, key: str, address: str, provider: str = "custom") -> None:
    """A key, by the panel's select and form."""
    form = await press(house, person, panel, "add", provider)
    await house.standin.submit_modal(form, {"key": key, "address": address})


# ------------------------------------------------------------------------------------------------------------- adding


async def test_a_key_that_works_is_saved_and_told_by_its_last_four_characters(tmp_path: Path) -> None:
    async with keyed_house(tmp_path) as (house, provider):
        panel = await open_keys(house, house.ada, "Keys of this server: 0 of at most 20", "server")
        await enter(house, house.ada, panel, f"  {RIGHT}\n", provider.base_url + "/")
        panel = await shown(house, house.ada, "accepts this key. I saved it.")
        told = str(panel["embeds"])
        assert "Keys of this server: 1 of at most 20" in told
        assert f"`…cdef` · <@{house.ada.id}>" in told
        assert "`127.0.0.1:" in told
        assert "works · <t:" in told
        (kept,) = await keys_of(house).endpoints(*server(house), "custom", provider.base_url)
        assert kept.endpoint == Endpoint(provider.base_url, RIGHT, public_only=True)
        assert len(panels(house, house.ada)) == 1, "it is all one message"


async def test_a_key_that_the_provider_refuses_is_not_saved(tmp_path: Path) -> None:
    async with keyed_house(tmp_path) as (house, provider):
        panel = await open_keys(house, house.bo, "Your keys: 0 of at most 10")
        await enter(house, house.bo, panel, WRONG, provider.base_url)
        panel = await shown(house, house.bo, "does not accept this key")
        assert "keys:keep" not in items(panel)
        assert await keys_of(house).of(*mine(house.bo)) == []


async def test_a_key_that_cannot_be_tried_is_saved_where_its_owner_says_so(tmp_path: Path) -> None:
    async with keyed_house(tmp_path) as (house, _):
        panel = await open_keys(house, house.bo, "Your keys: 0")
        await enter(house, house.bo, panel, RIGHT, "http://127.0.0.1:9/v1")
        panel = await shown(house, house.bo, "cannot be reached")
        assert "It is not saved yet." in str(panel["embeds"])
        assert await keys_of(house).of(*mine(house.bo)) == []
        await press(house, house.bo, panel, "keep")
        panel = await shown(house, house.bo, "I saved it.")
        assert "not reachable · <t:" in str(panel["embeds"])
        assert [key.verdict for key in await keys_of(house).of(*mine(house.bo))] == ["unreachable"]


@pytest.mark.parametrize(
    ("key", "address", "told"),
    [
        (RIGHT, "http://192.168.0.10/v1", "it is not a public one"),
        (RIGHT, "https://169.254.169.254/latest", "it is not a public one"),
        (RIGHT, "https://metadata.internal/v1", "it is not a public one"),
        (RIGHT, "http://llm.example.com/v1", "must begin with https://"),
        (RIGHT, "https://me:secret@llm.example.com/v1", "must not have a name or password"),
        (RIGHT, "llm", "This is not an address"),
        (RIGHT, "https://llm.example.com/v1?api_key=secret", "This is not an address"),
        ("with spaces in it", "https://llm.example.com/v1", "This cannot be a key"),
        ("ключ", "https://llm.example.com/v1", "This cannot be a key"),
    ],
)
async def test_what_cannot_be_a_key_or_an_address_is_refused_with_the_reason_and_goes_nowhere(
    tmp_path: Path, key: str, address: str, told: str
) -> None:
    async with keyed_house(tmp_path) as (house, provider):
        panel = await open_keys(house, house.bo, "Your keys: 0")
        await enter(house, house.bo, panel, key, address)
        await shown(house, house.bo, told)
        assert provider.requests == []
        assert await keys_of(house).of(*mine(house.bo)) == []


async def test_the_operators_own_network_is_closed_unless_they_open_it(tmp_path: Path) -> None:
    async with keyed_house(tmp_path, allowed_hosts=()) as (house, provider):
        panel = await open_keys(house, house.ada, "Keys of this server: 0", "server")
        await enter(house, house.ada, panel, RIGHT, provider.base_url)
        await shown(house, house.ada, "it is not a public one")
        assert provider.requests == []


async def test_the_same_key_is_not_kept_twice_and_there_is_an_end(tmp_path: Path) -> None:
    async with keyed_house(tmp_path) as (house, provider):
        panel = await open_keys(house, house.bo, "Your keys: 0")
        await enter(house, house.bo, panel, RIGHT, provider.base_url)
        panel = await shown(house, house.bo, "Your keys: 1")
        await enter(house, house.bo, panel, RIGHT, provider.base_url)
        panel = await shown(house, house.bo, "This key is there already")
        provider.keys |= {f"{RIGHT}{number}" for number in range(9)}
        for number in range(9):
            await enter(house, house.bo, panel, f"{RIGHT}{number}", provider.base_url)
            panel = await shown(house, house.bo, f"Your keys: {number + 2}")
        assert "keys:add" not in items(panel)


def test_the_machines_own_identity_is_not_for_strangers() -> None:
    assert not {"bedrock", "vertex"} & set(PROVIDERS)
    assert len(PROVIDERS) <= 25, "what a select of Discord's takes"


# --------------------------------------------------------------------------------------------- trying again, and deleting


async def test_a_kept_key_is_tried_again(tmp_path: Path) -> None:
    async with keyed_house(tmp_path) as (house, provider):
        panel = await open_keys(house, house.bo, "Your keys: 0")
        await enter(house, house.bo, panel, RIGHT, provider.base_url)
        panel = await shown(house, house.bo, "Your keys: 1")
        provider.keys.clear()
        (option,) = items(panel)["keys:test"]["options"]
        assert option["label"].endswith("…cdef")
        await press(house, house.bo, panel, "test", option["value"])
        panel = await shown(house, house.bo, "does not accept this key")
        assert "not accepted · <t:" in str(panel["embeds"])


async def test_a_key_is_deleted_after_a_question(tmp_path: Path) -> None:
    async with keyed_house(tmp_path) as (house, provider):
        panel = await open_keys(house, house.ada, "Keys of this server: 0", "server")
        await enter(house, house.ada, panel, RIGHT, provider.base_url)
        panel = await shown(house, house.ada, "Keys of this server: 1")
        await press(house, house.ada, panel, "ask", items(panel)["keys:ask"]["options"][0]["value"])
        panel = await shown(house, house.ada, "Shall I delete this key?")
        await press(house, house.ada, panel, "show")
        panel = await shown(house, house.ada, "Keys of this server: 1")
        await press(house, house.ada, panel, "ask", items(panel)["keys:ask"]["options"][0]["value"])
        panel = await shown(house, house.ada, "Shall I delete this key?")
        await press(house, house.ada, panel, "delete")
        await shown(house, house.ada, "The key is deleted.")
        assert await keys_of(house).of(*server(house)) == []
        changes = [change for change in await house.preferences.history(*server(house), 10) if change.topic == "keys"]
        assert [(change.name, change.old, change.new, change.changed_by) for change in changes] == [
            ("custom", '"…cdef"', None, int(house.ada.id)),
            ("custom", None, '"…cdef"', int(house.ada.id)),
        ]


async def test_the_servers_keys_go_when_the_bot_leaves_it_and_a_persons_when_they_are_forgotten(tmp_path: Path) -> None:
    async with keyed_house(tmp_path) as (house, provider):
        for person, where in ((house.ada, "server"), (house.ada, "me")):
            panel = await open_keys(house, person, "0 of at most", where)
            await enter(house, person, panel, RIGHT, provider.base_url)
            await shown(house, person, "I saved it.")
        client = house.app.client
        assert isinstance(client, ParleyClient)
        await client.forgetting.person(int(house.ada.id))
        assert await keys_of(house).of(*mine(house.ada)) == []
        assert [key.added_by for key in await keys_of(house).of(*server(house))] == [0]
        await client.desk.left_server(server(house)[1])
        assert await keys_of(house).of(*server(house)) == []


async def test_the_keys_of_a_server_that_was_left_while_the_bot_was_away_go_when_it_is_back(tmp_path: Path) -> None:
    async with keyed_house(tmp_path, connected=False) as (house, _):
        other = house.standin.add_guild("Other", house.ada)
        async with running_bot(house, tmp_path, allowed_hosts=LOOPBACK):
            for guild_id in (server(house)[1], int(other.id)):
                await keys_of(house).add(Scope.SERVER, guild_id, "mistral", "", RIGHT, Deed(1))
        house.standin.remove_bot(other)
        async with running_bot(house, tmp_path, allowed_hosts=LOOPBACK):
            await open_keys(house, house.ada, "Keys of this server: 1", "server")
            await house.app.idle()
            assert await keys_of(house).of(Scope.SERVER, int(other.id)) == []
            assert len(await keys_of(house).of(*server(house))) == 1


async def test_a_server_where_the_bot_is_not_keeps_no_keys(tmp_path: Path) -> None:
    async with keyed_house(tmp_path) as (house, _):
        house.standin.install_for(house.ada)
        away = house.standin.add_channel("away", guild=house.standin.add_guild("Away", house.ada, with_bot=False))
        await house.standin.slash(house.ada, away, "keys", {"where": "server"})
        await house.whispered(house.ada, "Use this in the server that it is for", away)


# ------------------------------------------------------------------------------------------------------------- for whom


async def test_the_servers_keys_are_not_for_its_members(tmp_path: Path) -> None:
    async with keyed_house(tmp_path) as (house, _):
        await house.standin.slash(house.bo, house.general, "keys", {"where": "server"})
        await house.whispered(house.bo, "Only people who may manage this server")
        panel = await open_keys(house, house.ada, "Keys of this server", "server")
        # A select as only who manages the server sees it.
        forged = items(panel)["keys:add"]
        forged["custom_id"] = forged["custom_id"].replace(house.ada.id, house.bo.id)
        public = in_public(house, [{"type": 1, "components": [forged]}])
        await (await house.standin.press(house.bo, public["id"], forged["custom_id"], ["custom"])).answered()
        await house.standin.wait_for(lambda _: len(house.whispers(house.bo)) == 2)
        assert "Only people who may manage this server" in house.whispers(house.bo)[-1]


async def test_nobody_reaches_anothers_key(tmp_path: Path) -> None:
    async with keyed_house(tmp_path) as (house, provider):
        panel = await open_keys(house, house.ada, "Your keys: 0")
        await enter(house, house.ada, panel, RIGHT, provider.base_url)
        await shown(house, house.ada, "I saved it.")
        (key,) = await keys_of(house).of(*mine(house.ada))
        made = f"parley:keys:delete:{house.bo.id}:me:{key.key_id}"
        button = {"type": 2, "style": 2, "label": "x", "disabled": False, "custom_id": made}
        public = in_public(house, [{"type": 1, "components": [button]}])
        await (await house.standin.press(house.bo, public["id"], made)).answered()
        await house.app.idle()
        assert len(await keys_of(house).of(*mine(house.ada))) == 1


@pytest.mark.parametrize("where", [Where.DIRECT, Where.ABROAD, Where.FRIENDS, Where.GROUP])
async def test_own_keys_are_there_wherever_the_bot_is_used(tmp_path: Path, where: Where) -> None:
    async with keyed_house(tmp_path) as (house, provider):
        channel = await place(house.standin, where)
        house.standin.install_for(house.ada)
        panel = await open_keys(house, house.ada, "Your keys: 0", channel=channel)
        await enter(house, house.ada, panel, RIGHT, provider.base_url)
        await shown(house, house.ada, "Your keys: 1", channel)
        assert len(await keys_of(house).of(*mine(house.ada))) == 1


async def test_it_speaks_the_readers_language(tmp_path: Path) -> None:
    async with keyed_house(tmp_path, locale="de") as (house, provider):
        house.standin.world.users[house.bo.id] = msgspec.structs.replace(house.bo, locale="de")
        panel = await open_keys(house, house.bo, "Deine Schlüssel: 0 von höchstens 10")
        await enter(house, house.bo, panel, RIGHT, provider.base_url)
        await shown(house, house.bo, "nimmt diesen Schlüssel an. Ich habe ihn gespeichert.")


async def test_a_panel_works_after_a_restart_but_a_key_that_waited_is_forgotten(tmp_path: Path) -> None:
    async with keyed_house(tmp_path, connected=False) as (house, provider):
        async with running_bot(house, tmp_path, allowed_hosts=LOOPBACK):
            panel = await open_keys(house, house.bo, "Your keys: 0")
            await enter(house, house.bo, panel, RIGHT, "http://127.0.0.1:9/v1")
            panel = await shown(house, house.bo, "cannot be reached")
            assert house.app.client._connection._view_store._views == {}
        async with running_bot(house, tmp_path, allowed_hosts=LOOPBACK):
            await press(house, house.bo, panel, "keep")
            panel = await shown(house, house.bo, "Please enter it again")
            await enter(house, house.bo, panel, RIGHT, provider.base_url)
            await shown(house, house.bo, "I saved it.")


# ---------------------------------------------------------------------------------------------------------- where it is not


async def test_a_key_is_in_no_message_no_log_line_and_not_in_the_database_file(tmp_path: Path) -> None:
    log = StringIO()
    async with keyed_house(tmp_path) as (house, provider):
        configure_logging(LogFormat.JSON, LogLevel.DEBUG, stream=log)
        panel = await open_keys(house, house.ada, "Keys of this server: 0", "server")
        await enter(house, house.ada, panel, WRONG, provider.base_url)
        panel = await shown(house, house.ada, "does not accept this key")
        await enter(house, house.ada, panel, RIGHT, "http://127.0.0.1:9/v1")
        panel = await shown(house, house.ada, "cannot be reached")
        await press(house, house.ada, panel, "keep")
        panel = await shown(house, house.ada, "I saved it.")
        await enter(house, house.ada, panel, OTHER, provider.base_url)
        panel = await shown(house, house.ada, "Keys of this server: 2")
        logging.getLogger("somebody").warning("a library that quotes %s", OTHER)
        told = str([call.body for call in house.standin.calls]) + str(house.standin.messages(house.general, house.ada))
    stored = b"".join(file.read_bytes() for file in sorted(tmp_path.iterdir()))  # noqa: ASYNC240 - the bot has ended
    assert "a library that quotes ***" in log.getvalue()
    for key in (RIGHT, OTHER, WRONG):
        assert key not in told
        assert key not in log.getvalue()
        assert key.encode() not in stored


async def test_who_is_blocked_still_sees_and_deletes_their_own(tmp_path: Path) -> None:
    async with keyed_house(tmp_path) as (house, provider):
        panel = await open_keys(house, house.bo, "Your keys: 0")
        await enter(house, house.bo, panel, RIGHT, provider.base_url)
        panel = await shown(house, house.bo, "I saved it.")
        await house.preferences.change(AdmissionPreferences, *server(house), blocked_user_ids=[int(house.bo.id)])
        await press(house, house.bo, panel, "add", "custom")
        await house.whispered(house.bo, "You are blocked here")
        await press(house, house.bo, panel, "ask", items(panel)["keys:ask"]["options"][0]["value"])
        await press(house, house.bo, await shown(house, house.bo, "Shall I delete"), "delete")
        await shown(house, house.bo, "The key is deleted.")
