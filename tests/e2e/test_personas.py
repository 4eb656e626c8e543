"""`/persona …`, as it is typed and filled in: who may, what is kept, and that cards come in and go out whole."""

from __future__ import annotations

import json
import re
from collections.abc import Mapping
from io import BytesIO
from pathlib import Path
from typing import Any

import msgspec
import pytest
from PIL import Image

from bot.commands.persona import persona_commands
from bot.conversation.card_files import Fault
from bot.conversation.character_cards import card_json, read_card
from bot.gateway.avatars import MOST_EMOJIS
from bot.gateway.client import ParleyClient
from bot.localization import Translator
from bot.persona import Persona
from bot.playground.standin import Interaction, User
from bot.playground.standin.contents import Upload
from bot.playground.standin.permissions import MEMBER_DEFAULT, Permission
from bot.playground.standin.records import AppEmoji
from bot.preferences import Location
from bot.store import Personas
from tests.conversation.test_character_cards import V3, as_json, png, text
from tests.e2e.house import EPHEMERAL, House, open_house

OURS = "persona"


def client_of(house: House) -> ParleyClient:
    client = house.app.client
    assert isinstance(client, ParleyClient)
    return client


def personas_of(house: House) -> Personas:
    return client_of(house).personas


def server_of(house: House) -> int:
    return client_of(house).guilds[0].id


async def tell(house: House, name: str, by: User | None = None, /, **options: Any) -> str:
    """A command's answer, which only who called it sees."""
    return await _told(house, by or house.ada, lambda person: house.standin.slash(person, house.general, name, options))


async def fill_in(house: House, opened: Interaction, values: Mapping[str, str], by: User | None = None) -> str:
    return await _told(house, by or house.ada, lambda _: house.standin.submit_modal(opened, dict(values)))


async def _told(house: House, person: User, act: Any) -> str:
    count = sum(map(bool, house.whispers(person)))
    await act(person)
    await house.standin.wait_for(lambda _: sum(map(bool, house.whispers(person))) > count)
    return [told for told in house.whispers(person) if told][-1]


async def form(house: House, command: str, **options: Any) -> tuple[Interaction, dict[str, Any]]:
    """An opened form, and what stands in it; where a text display stands, its text under `told`."""
    opened = await house.standin.slash(house.ada, house.general, command, options)
    modal = (await opened.answered()).modal
    assert modal is not None
    shown = {}
    for label in modal["components"]:
        field = label.get("component")
        shown[field["custom_id"] if field else "told"] = field.get("value", "") if field else label["content"]
    return opened, shown


async def speaks(house: House, channel_id: int | None = None) -> str:
    place = Location(channel_id or int(house.general.id), server_of(house))
    return (await client_of(house).preferences.conversation(place)).persona


async def keep(house: House, *personas: Persona) -> None:
    for persona in personas:
        await personas_of(house).put(server_of(house), persona, by=1)


def card(**changes: Any) -> bytes:
    data: Any = V3["data"]
    return as_json({**V3, "data": {**data, **changes}})


def picture(colour: str = "navy") -> bytes:
    out = BytesIO()
    Image.new("RGB", (300, 200), colour).save(out, "PNG")
    return out.getvalue()


def with_role(house: House, name: str, permission: Permission) -> User:
    person = house.standin.user(name)
    house.standin.give_role(person, house.standin.add_role(name, MEMBER_DEFAULT | permission))
    return person


# ------------------------------------------------------------------------------------------------------ writing by hand


async def test_a_persona_is_written_in_a_form(tmp_path: Path) -> None:
    async with open_house(tmp_path) as house:
        opened, shown = await form(house, "persona create")
        assert shown == dict.fromkeys(("name", "prompt", "greeting", "note", "trigger_words"), "")
        written = {
            "name": " Luna ",
            "prompt": "{{char}} lives on the moon.",
            "greeting": "Hello!",
            "note": "",
            "trigger_words": "moon, crater ,moon",
        }
        assert "**Luna** is there now" in await fill_in(house, opened, written)
        assert await personas_of(house).all(server_of(house)) == [
            Persona("Luna", "{{char}} lives on the moon.", "Hello!", trigger_words=("moon", "crater"))
        ]


async def test_it_is_changed_in_a_form_that_shows_what_it_is(tmp_path: Path) -> None:
    async with open_house(tmp_path) as house:
        luna = Persona("Luna", "Old.", "Hello!", note="Rhyme.", trigger_words=("moon", "sun"), temperature=0.5)
        await keep(house, luna)
        opened, shown = await form(house, "persona edit", name="luna")
        assert shown == {
            "name": "Luna",
            "prompt": "Old.",
            "greeting": "Hello!",
            "note": "Rhyme.",
            "trigger_words": "moon, sun",
        }
        assert "**Luna** is changed" in await fill_in(house, opened, {"prompt": "New.", "trigger_words": ""})
        changed = Persona("Luna", "New.", "Hello!", note="Rhyme.", temperature=0.5)
        assert await personas_of(house).get(server_of(house), "Luna") == changed


async def test_what_is_longer_than_a_form_takes_stays_and_is_told_of(tmp_path: Path) -> None:
    async with open_house(tmp_path) as house:
        await keep(house, Persona("Luna", "p" * 9000))
        opened, shown = await form(house, "persona edit", name="Luna")
        assert "**Who it is:** with 9,000 characters" in shown["told"]
        await fill_in(house, opened, {"name": "Selene"})
        assert await personas_of(house).get(server_of(house), "Selene") == Persona("Selene", "p" * 9000)


async def test_where_it_spoke_it_speaks_under_its_new_name_and_is_forgotten_when_it_is_deleted(tmp_path: Path) -> None:
    async with open_house(tmp_path) as house:
        await keep(house, Persona("Luna"), Persona("Bo"))
        random = int(house.standin.channel("random").id)
        await tell(house, "persona use", name="Luna")
        await tell(house, "persona use", name="Bo", where="server")
        assert (await speaks(house), await speaks(house, random)) == ("Luna", "Bo")
        opened, _ = await form(house, "persona edit", name="Luna")
        await fill_in(house, opened, {"name": "Selene"})
        assert (await speaks(house), await speaks(house, random)) == ("Selene", "Bo")
        await tell(house, "persona delete", name="selene")
        assert (await speaks(house), await speaks(house, random)) == ("Bo", "Bo")


@pytest.mark.parametrize(
    ("written", "told"),
    [
        ({"name": "BO"}, "There is a persona BO already"),
        ({"name": "\u2060 \u200b"}, "A name has from 1 to 80 characters"),
        ({"name": "Luna", "trigger_words": "w" * 51}, "At most 20 words"),
    ],
)
async def test_what_cannot_be_kept_is_told_of(tmp_path: Path, written: Mapping[str, str], told: str) -> None:
    async with open_house(tmp_path) as house:
        await keep(house, Persona("Bo"))
        opened, _ = await form(house, "persona create")
        assert told in await fill_in(house, opened, written)
        assert await personas_of(house).names(server_of(house)) == ["Bo"]


async def test_a_hostile_name_mentions_nobody_and_forges_nothing(tmp_path: Path) -> None:
    async with open_house(tmp_path) as house:
        opened, _ = await form(house, "persona create")
        told = await fill_in(house, opened, {"name": "**@everyone** [x](y)\n# hi discord.gg/x"})
        name = r"\*\*\@<>everyone\*\* \(x\)\(y\) \# hi discord\.gg\/x".replace("<>", "\u200b")
        assert told.startswith(f"**{name}** is there now")


# ---------------------------------------------------------------------------------------------------------------- tuning


async def test_model_and_sampling_are_shown_changed_and_reset(tmp_path: Path) -> None:
    async with open_house(tmp_path) as house:
        await keep(house, Persona("Luna", card='{"first_mes": "x", "name": "Luna"}'))
        nothing = "**Luna**: `model` –, `temperature` –, `top_p` –, `max_tokens` –"
        assert await tell(house, "persona tune", name="Luna") == nothing
        told = await tell(house, "persona tune", name="Luna", model="other", temperature=0.5, max_tokens=300)
        assert told == "**Luna**: `model` `other`, `temperature` `0.5`, `top_p` –, `max_tokens` `300`"
        kept = await personas_of(house).whole(server_of(house), "Luna")
        assert kept is not None
        assert (kept.persona.model, kept.persona.temperature, kept.persona.max_output_tokens) == ("other", 0.5, 300)
        assert kept.persona.card, "its card stays"
        assert "`model` `other`, `temperature` `0.7`" in await tell(house, "persona tune", name="Luna", temperature=0.7)
        assert "`model` –, `temperature` `0.7`" in await tell(house, "persona tune", name="Luna", model="none")
        assert await tell(house, "persona tune", name="Luna", reset=True) == nothing


# -------------------------------------------------------------------------------------------------------------- choosing


async def test_one_is_chosen_for_a_channel_or_the_server_and_parley_again(tmp_path: Path) -> None:
    async with open_house(tmp_path) as house:
        await keep(house, Persona("Luna"), Persona("Bo"))
        assert await tell(house, "persona use", name="luna") == "**Luna** speaks here from now on."
        assert "**Bo** speaks in this server" in await tell(house, "persona use", name="Bo", where="server")
        assert await speaks(house) == "Luna"
        assert await tell(house, "persona use") == "Parley speaks here from now on."
        assert await speaks(house) == "", "though another one speaks in the server"
        assert "Parley speaks in this server" in await tell(house, "persona use", where="server")
        assert await speaks(house, 1) == ""
        assert "There is no persona Nobody here" in await tell(house, "persona use", name="Nobody")


async def test_who_was_chosen_is_what_the_model_plays(tmp_path: Path) -> None:
    async with open_house(tmp_path) as house:
        await keep(house, Persona("Luna", "{{char}} lives on the moon and adores {{user}}.", note="Greet {{user}}."))
        await tell(house, "persona use", name="Luna")
        await house.ask("Who are you?")
        await house.standin.wait_for(lambda _: bool(house.provider.requests))
        await house.app.idle()
        system, *_, newest = house.provider.requests[0]["messages"]
        assert "Luna lives on the moon and adores the user." in system["content"], "it is the same for whoever asks"
        assert "Greet Ada." in str(newest["content"])


async def test_names_are_suggested_by_what_is_typed(tmp_path: Path) -> None:
    async with open_house(tmp_path) as house:
        await keep(house, Persona("Luna"), Persona("Ada of the Moon"), *(Persona(f"Extra {nr}") for nr in range(30)))

        async def suggested(typed: str) -> list[str]:
            typing = await house.standin.autocomplete(
                house.ada, house.general, "persona use", {"name": typed}, focused="name"
            )
            return [choice["name"] for choice in (await typing.answered()).choices or ()]

        assert await suggested("LUN") == ["Luna"]
        assert await suggested("moon") == ["Ada of the Moon"]
        assert len(await suggested("")) == 25


async def test_they_are_listed_within_a_message(tmp_path: Path) -> None:
    async with open_house(tmp_path) as house:
        assert "no personas in this server yet" in await tell(house, "persona list")
        await keep(house, Persona("Luna", trigger_words=("moon", "crater"), model="demo"))
        await tell(house, "persona use", name="Luna")
        told = await tell(house, "persona list")
        assert told == "Personas in this server: 1. **Luna** speaks here.\n- **Luna** · moon · crater · `demo`"
        await keep(house, *(Persona(f"{nr:02} " + "*" * 70) for nr in range(40)))
        told = await tell(house, "persona list")
        assert len(told) <= 2000
        assert told.endswith(" more")


# ----------------------------------------------------------------------------------------------------------------- files


async def test_a_card_comes_in_and_goes_out_whole(tmp_path: Path) -> None:
    async with open_house(tmp_path) as house:
        file = Upload(filename="luna.png", data=png(text(b"ccv3", V3)))
        told = await tell(house, "persona import", file=file)
        assert told.splitlines() == [
            "**Luna** is there now, from a character card (V3). `/persona use` lets it speak.",
            "Made by Ada",
            "Characters: 94 of who it is, 17 of greeting, 37 of examples, 16 of reminder",
            "Tags: moon, calm",
            "Kept for export, but not used: other greetings (2), entries of its lore book (1)",
            "Words that call it: moon",
            "**Luna**: `model` –, `temperature` `0.5`, `top_p` –, `max_tokens` –",
        ]
        persona = await personas_of(house).get(server_of(house), "luna")
        assert persona is not None
        assert (persona.note, persona.temperature) == ("Speak in rhymes.", 0.5)
        written: Any = V3["data"]
        again = json.loads(await exported(house, "json"))["data"]
        assert {field: again[field] for field in written} == written
        data = await exported(house, "png")
        assert Image.open(BytesIO(data)).size == (256, 256)
        assert read_card(data).persona.prompt == persona.prompt


async def exported(house: House, form: str) -> bytes:
    def files() -> list[Any]:
        messages = house.standin.messages(house.general, house.ada)
        return [file for message in messages if message["flags"] & EPHEMERAL for file in message["attachments"]]

    count = len(files())
    await house.standin.slash(house.ada, house.general, "persona export", {"name": "Luna", "format": form})
    await house.standin.wait_for(lambda _: len(files()) > count)
    file = files()[-1]
    assert file["filename"] == f"Luna.{form}"
    return house.standin.attachment(file["id"])


@pytest.mark.parametrize("first", ["json", "png"])
@pytest.mark.parametrize("second", ["json", "png"])
async def test_what_was_exported_comes_in_again_as_it_was(tmp_path: Path, first: str, second: str) -> None:
    async with open_house(tmp_path) as house:
        await tell(house, "persona import", file=Upload(filename="luna.png", data=png(text(b"ccv3", V3))))
        await tell(house, "persona tune", name="Luna", model="other", max_tokens=300)
        opened, _ = await form(house, "persona edit", name="Luna")
        await fill_in(house, opened, {"greeting": "New {{user}}.", "trigger_words": "moon, crater"})
        kept = await personas_of(house).whole(server_of(house), "Luna")
        for form_ in (first, second):
            data = await exported(house, form_)
            await tell(house, "persona delete", name="Luna")
            assert "**Luna** is there now" in await tell(house, "persona import", file=Upload(filename="x", data=data))
        again = await personas_of(house).whole(server_of(house), "Luna")
        assert kept is not None
        assert again is not None
        assert without_picture_and_card(again.persona) == without_picture_and_card(kept.persona)
        assert json.loads(card_json(again.persona)) == json.loads(card_json(kept.persona))
        assert (again.avatar is not None) is (first == second == "png")


def without_picture_and_card(persona: Persona) -> Persona:
    return msgspec.structs.replace(persona, card="", avatar_url=None)


async def test_one_of_the_same_name_is_replaced_where_that_is_wanted(tmp_path: Path) -> None:
    async with open_house(tmp_path) as house:
        await tell(house, "persona import", file=Upload(filename="a.json", data=card()))
        other = Upload(filename="b.json", data=card(first_mes="Welcome."))
        assert "There is a persona Luna already" in await tell(house, "persona import", file=other)
        assert "**Luna** is there now" in await tell(house, "persona import", file=other, replace=True)
        persona = await personas_of(house).get(server_of(house), "Luna")
        assert persona is not None
        assert persona.greeting == "Welcome."


@pytest.mark.parametrize(
    ("data", "told"),
    [
        (b"hello", "That is no character card. I read PNG"),
        (picture(), "There is no card in this file (PNG)"),
        (card(first_mes="g" * 9000), "`first_mes` is too long: 9,000 characters, and 8,000 is the most"),
        (card(first_mes=7), "`first_mes` does not hold what belongs there"),
        (b"{" + b" " * 8_000_000, "The file is too large: 8,000,001 bytes"),
    ],
)
async def test_what_is_wrong_with_a_file_is_told(tmp_path: Path, data: bytes, told: str) -> None:
    async with open_house(tmp_path) as house:
        assert told in await tell(house, "persona import", file=Upload(filename="a.png", data=data))
        assert await personas_of(house).names(server_of(house)) == []


def test_every_fault_of_a_card_has_words() -> None:
    assert {f"card-fault-{fault.value}" for fault in Fault} <= Translator().keys


# -------------------------------------------------------------------------------------------------------------- pictures


def addresses(house: House) -> set[str]:
    return {f"https://cdn.discordapp.com/emojis/{emoji}.png" for emoji in house.standin.world.emojis}


async def picture_of(house: House, name: str) -> str | None:
    persona = await personas_of(house).get(server_of(house), name)
    assert persona is not None
    return persona.avatar_url


async def test_a_picture_gets_a_public_address_once_and_leaves_with_its_last_persona(tmp_path: Path) -> None:
    async with open_house(tmp_path) as house:
        for name in ("Luna", "Bo"):
            opened, _ = await form(house, "persona create", picture=Upload(filename="a.png", data=picture()))
            await fill_in(house, opened, {"name": name})
        assert addresses(house) == {await picture_of(house, "Luna")} == {await picture_of(house, "Bo")}
        kept = await personas_of(house).whole(server_of(house), "Luna")
        assert kept is not None
        assert kept.avatar is not None
        assert Image.open(BytesIO(kept.avatar)).size == (256, 256)
        await tell(house, "persona delete", name="Bo")
        assert addresses(house) == {await picture_of(house, "Luna")}
        opened, _ = await form(
            house, "persona edit", name="Luna", picture=Upload(filename="a.png", data=picture("red"))
        )
        await fill_in(house, opened, {})
        assert addresses(house) == {await picture_of(house, "Luna")}
        await tell(house, "persona delete", name="Luna")
        assert addresses(house) == set()


async def test_a_change_of_words_leaves_the_picture(tmp_path: Path) -> None:
    async with open_house(tmp_path) as house:
        await tell(house, "persona import", file=Upload(filename="a.png", data=png(text(b"ccv3", V3))))
        before = await picture_of(house, "Luna")
        assert before is not None
        opened, _ = await form(house, "persona edit", name="Luna")
        await fill_in(house, opened, {"prompt": "New."})
        await tell(house, "persona import", file=Upload(filename="a.json", data=card()), replace=True)
        assert await picture_of(house, "Luna") == before
        assert addresses(house) == {before}


@pytest.mark.parametrize("ours", [True, False])
async def test_the_oldest_unused_picture_makes_room_and_nothing_of_anybody_elses(tmp_path: Path, ours: bool) -> None:
    async with open_house(tmp_path) as house:
        emojis = house.standin.world.emojis
        for nr in range(MOST_EMOJIS):
            made = house.standin.world.new_id()
            emojis[made] = AppEmoji(made, f"{'persona_' if ours else 'other_'}{nr}", b"", "image/png")
        oldest = next(iter(emojis))
        opened, _ = await form(house, "persona create", picture=Upload(filename="a.png", data=picture()))
        told = await fill_in(house, opened, {"name": "Luna"})
        assert ("could not be taken" in told) is not ours
        assert (await picture_of(house, "Luna") is not None) is ours
        assert (oldest in emojis) is not ours


async def test_what_is_no_picture_is_told_of(tmp_path: Path) -> None:
    async with open_house(tmp_path) as house:
        opened, _ = await form(house, "persona create", picture=Upload(filename="a.png", data=b"hello"))
        assert "could not read that as a picture" in await fill_in(house, opened, {"name": "Luna"})


# ------------------------------------------------------------------------------------------------------------- who may

FILE = Upload(filename="a.json", data=card())
MANAGING: Mapping[str, Mapping[str, Any]] = {
    "use": {"where": "server"},
    "create": {},
    "edit": {"name": "Luna"},
    "tune": {"name": "Luna"},
    "import": {"file": FILE},
    "export": {"name": "Luna"},
    "delete": {"name": "Luna"},
}


@pytest.mark.parametrize("permission", [Permission(0), Permission.MANAGE_CHANNELS])
async def test_only_who_manages_the_server_makes_and_changes_personas(tmp_path: Path, permission: Permission) -> None:
    """Discord's own setting can open the commands to others."""
    async with open_house(tmp_path) as house:
        await keep(house, Persona("Luna"))
        chi = with_role(house, "Chi", permission)
        for name, options in MANAGING.items():
            assert "Only people who may manage this server" in await tell(house, f"persona {name}", chi, **options), (
                name
            )
        assert await personas_of(house).all(server_of(house)) == [Persona("Luna")]


async def test_who_manages_channels_chooses_for_them_and_others_do_not(tmp_path: Path) -> None:
    async with open_house(tmp_path) as house:
        await keep(house, Persona("Luna"))
        assert "Only people who may manage channels" in await tell(house, "persona use", house.bo, name="Luna")
        assert await speaks(house) == ""
        chi = with_role(house, "Chi", Permission.MANAGE_CHANNELS)
        assert "**Luna** speaks here" in await tell(house, "persona use", chi, name="Luna")


def test_every_command_is_of_one_of_these_kinds() -> None:
    for_all = {"list"}
    commands = persona_commands(Translator()).commands
    assert {command.name for command in commands} == for_all | set(MANAGING)


# ----------------------------------------------------------------------------------------------------------------- words


OPTIONS = (
    *(
        "name",
        "use-name",
        "use-where",
        "picture",
        "model",
        "temperature",
        "top-p",
        "max-tokens",
        "reset",
        "import-file",
    ),
    *("replace", "export-format"),
)
FIELDS = ("name", "prompt", "greeting", "note", "trigger-words")
COMMANDS = ("command-persona", *(f"command-persona-{name}" for name in ("list", *MANAGING)))
LIMITS = {
    **dict.fromkeys(COMMANDS, 32),
    **dict.fromkeys((f"{command}-description" for command in COMMANDS), 100),
    **dict.fromkeys((f"persona-{option}" for option in OPTIONS), 100),
    **dict.fromkeys((f"persona-form-{name}" for name in ("create", "edit", *FIELDS)), 45),
    **dict.fromkeys((f"persona-form-{field}-hint" for field in FIELDS), 100),
}
"""Code points, by message key."""


@pytest.mark.parametrize("locale", Translator().locales)
def test_names_descriptions_and_labels_are_within_discords_limits(locale: str) -> None:
    translator = Translator()
    told = {key: translator.text(locale, key) for key in LIMITS}
    assert {key: len(text) for key, text in told.items() if not 1 <= len(text) <= LIMITS[key]} == {}
    assert all(re.fullmatch(r"[-_\w]+", text := told[command]) and text == text.lower() for command in COMMANDS)
