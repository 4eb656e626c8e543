"""Personas of servers: found however their name is written, bounded, and never another server's."""

import asyncio

import msgspec
import pytest
from hypothesis import given
from hypothesis import strategies as st
from sqlalchemy import text
from structlog.testing import capture_logs

from bot.persona import LONGEST_NAME, Persona
from bot.store import Database, KeptPersona, NameTaken, Personas, TooManyPersonas
from bot.store.personas import MOST_PERSONAS, key_of

LUNA = Persona(
    "Luna", prompt="You live on the moon.", trigger_words=("moon",), temperature=0.5, card='{"name": "Luna"}'
)
BARE = msgspec.structs.replace(LUNA, card="")


async def test_a_persona_outlives_the_process_and_belongs_to_one_server(database: Database) -> None:
    await Personas(database).put(7, LUNA, by=1, avatar=b"PNG")
    later = Personas(database)
    assert await later.get(7, "Luna") == BARE, "a card may be large, and only its export needs it"
    assert await later.whole(7, "Luna") == KeptPersona(LUNA, b"PNG")
    assert await later.get(8, "Luna") is None
    assert await later.whole(8, "Luna") is None
    assert await later.all(8) == []


@pytest.mark.parametrize("name", ["Zoë", "zoë", "ZOË", " Zoë ", "Zoe\u0308"])
async def test_capitals_spaces_and_how_letters_are_composed_do_not_matter(database: Database, name: str) -> None:
    personas = Personas(database)
    await personas.put(7, Persona("Zoë"), by=1)
    assert await personas.get(7, name) == Persona("Zoë")
    with pytest.raises(NameTaken):
        await personas.put(7, Persona(name), by=1)


@given(st.text())
def test_a_key_is_found_by_itself_and_fits_its_column(name: str) -> None:
    assert len(key_of(name)) <= 100
    assert key_of(name.upper()) == key_of(name.upper().lower().upper())


async def test_names_come_in_alphabetical_order(database: Database) -> None:
    personas = Personas(database)
    for name in ("luna", "Ada", "Zoë", "bo"):
        await personas.put(7, Persona(name), by=1)
    assert await personas.names(7) == ["Ada", "bo", "luna", "Zoë"]


async def test_another_one_takes_its_place_and_may_have_another_name(database: Database) -> None:
    personas = Personas(database)
    await personas.put(7, LUNA, by=1, avatar=b"PNG")
    await personas.put(7, Persona("Selene", prompt="New."), by=2, instead_of="luna")
    assert await personas.names(7) == ["Selene"]
    assert await personas.whole(7, "selene") == KeptPersona(Persona("Selene", prompt="New.", card=LUNA.card), b"PNG")
    await personas.put(7, msgspec.structs.replace(LUNA, card="{}"), by=2, avatar=b"new", instead_of="Selene")
    assert await personas.whole(7, "Luna") == KeptPersona(msgspec.structs.replace(LUNA, card="{}"), b"new")


async def test_it_cannot_take_the_name_of_a_third(database: Database) -> None:
    personas = Personas(database)
    await personas.put(7, LUNA, by=1)
    await personas.put(7, Persona("Bo"), by=1)
    with pytest.raises(NameTaken):
        await personas.put(7, Persona("BO"), by=1, instead_of="Luna")
    assert await personas.names(7) == ["Bo", "Luna"]


async def test_one_that_was_deleted_meanwhile_is_kept_as_a_new_one(database: Database) -> None:
    personas = Personas(database)
    await personas.put(7, LUNA, by=1, instead_of="Luna")
    assert await personas.get(7, "Luna") == BARE


@pytest.mark.parametrize("name", ["", "  ", "n" * (LONGEST_NAME + 1)])
async def test_a_name_has_from_1_to_80_characters(database: Database, name: str) -> None:
    with pytest.raises(ValueError, match="from 1 to 80 characters"):
        await Personas(database).put(7, Persona(name), by=1)


async def test_a_server_has_a_bounded_number_also_when_many_come_at_once(database: Database) -> None:
    personas = Personas(database)
    made = await asyncio.gather(
        *(personas.put(7, Persona(f"P{nr}"), by=1) for nr in range(MOST_PERSONAS + 3)), return_exceptions=True
    )
    assert [type(fault) for fault in made if fault is not None] == [TooManyPersonas] * 3
    assert len(await personas.names(7)) == MOST_PERSONAS
    await personas.put(8, LUNA, by=1)
    await personas.put(7, Persona("changed"), by=1, instead_of="P0")


async def test_what_is_deleted_is_gone_and_nothing_else(database: Database) -> None:
    personas = Personas(database)
    for guild_id in (7, 8):
        for name in ("Luna", "Bo"):
            await personas.put(guild_id, Persona(name), by=1)
    assert await personas.delete(7, "LUNA")
    assert not await personas.delete(7, "Luna")
    assert (await personas.names(7), await personas.names(8)) == (["Bo"], ["Bo", "Luna"])


async def test_addresses_of_pictures_are_told_of_all_servers(database: Database) -> None:
    personas = Personas(database)
    await personas.put(7, Persona("Luna", avatar_url="https://cdn/1.png"), by=1)
    await personas.put(8, Persona("Bo", avatar_url="https://cdn/2.png"), by=1)
    await personas.put(8, Persona("Plain"), by=1)
    tricky = Persona(
        "Eve", prompt='"avatar_url":"https://evil/1.png"', avatar_url='https://cdn/"\\.png', card='"\\u0000"'
    )
    await personas.put(8, tricky, by=1)
    assert await personas.avatar_addresses() == {"https://cdn/1.png", "https://cdn/2.png", tricky.avatar_url}


async def test_any_name_can_be_kept_and_found(database: Database) -> None:
    personas = Personas(database)
    await personas.put(7, Persona("Lu\0na"), by=1)
    assert await personas.get(7, "LU\0NA") == Persona("Lu\0na")


async def test_one_that_cannot_be_read_harms_no_other(database: Database) -> None:
    """It was written by another version of the code, or by hand."""
    personas = Personas(database)
    await personas.put(7, LUNA, by=1)
    await personas.put(7, Persona("Bo"), by=1)
    async with database.session.begin() as session:
        await session.execute(text("UPDATE personas SET persona = '{' WHERE key = 'luna'"))
    later = Personas(database)
    with capture_logs() as logs:
        assert await later.names(7) == ["Bo"]
    assert [(line["event"], line["key"]) for line in logs] == [("persona_ignored", "luna")]
    assert await later.whole(7, "Luna") is None
    assert await later.avatar_addresses() == set()
