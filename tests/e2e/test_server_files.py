"""`/export` and `/import`: what a server has set leaves as a file, and comes in again after a look at what would change."""

import json
from pathlib import Path
from typing import Any

import msgspec
import pytest

from bot.persona import Persona
from bot.playground.standin import User
from bot.playground.standin.contents import Upload
from bot.preferences import AdmissionPreferences, ConversationPreferences, DeliveryPreferences
from bot.store import Scope, Subject
from tests.e2e.house import House, open_house, running_bot
from tests.e2e.test_memory import panels, shown, text_of
from tests.e2e.test_personas import client_of, server_of, tell

Json = dict[str, Any]


async def exported(house: House, **options: Any) -> Json:
    def files() -> list[Any]:
        seen = house.standin.messages(house.general, house.ada)
        return [message["attachments"][0] for message in seen if message["content"].startswith("Here is what")]

    count = len(files())
    await house.standin.slash(house.ada, house.general, "export", options)
    await house.standin.wait_for(lambda _: len(files()) > count)
    loaded: Json = json.loads(house.standin.attachment(files()[-1]["id"]))
    return loaded


def upload(content: Any) -> Upload:
    data = content if isinstance(content, bytes) else json.dumps(content).encode()
    return Upload(filename="parley.json", data=data)


async def looked_at(house: House, content: Any) -> Json:
    """The panel that says what the file would do."""
    await house.standin.slash(house.ada, house.general, "import", {"file": upload(content)})
    await shown(house, house.ada, "Import")
    await house.standin.wait_for(lambda _: panels(house, house.ada)[-1]["attachments"])
    return panels(house, house.ada)[-1]


async def press(house: House, panel: Json, act: str, by: User | None = None) -> None:
    person = by or house.ada
    await house.standin.press(person, panel["id"], f"parley:import:{act}:{house.ada.id}")


async def furnish(house: House) -> None:
    client, guild = client_of(house), server_of(house)
    change = client.preferences.change
    await change(DeliveryPreferences, Scope.SERVER, guild, style="embed", longest_code=0)
    await change(AdmissionPreferences, Scope.SERVER, guild, channel_ids=[int(house.general.id)], cooldown_seconds=7)
    await change(ConversationPreferences, Scope.CHANNEL, int(house.general.id), persona="Fox", note="Be brief.")
    await client.personas.put(guild, Persona("Fox", "You are a fox.", trigger_words=("fox",)), by=1)
    await client.memories.add(Subject(guild), "We meet on Mondays.", by=1)


async def test_what_leaves_a_server_comes_in_again_and_is_the_same(tmp_path: Path) -> None:
    async with open_house(tmp_path) as house:
        await furnish(house)
        file = await exported(house, notes=True)
        assert file["server"] == {
            "style": "embed",
            "longest_code": 0,
            "channel_ids": [int(house.general.id)],
            "cooldown_seconds": 7,
            "burst_seconds": 0.0,
        }
        assert file["channels"] == {house.general.id: {"persona": "Fox", "note": "Be brief."}}
        assert file["notes"] == ["We meet on Mondays."]
        client, guild = client_of(house), server_of(house)
        for scope, scope_id in ((Scope.SERVER, guild), (Scope.CHANNEL, int(house.general.id))):
            await client.preferences.forget(scope, scope_id)
        await client.personas.delete(guild, "Fox")
        await client.forgetting.server(guild)
        panel = await looked_at(house, file)
        assert "Settings: 7; personas: 1; notes: 1." in text_of(panel)
        assert await client.preferences.chosen(DeliveryPreferences, Scope.SERVER, guild) == {}, "nothing is changed yet"
        await press(house, panel, "take")
        await shown(house, house.ada, "Done.")
        again = await exported(house, notes=True)
        assert {**again, "personas": []} == {**file, "personas": []}
        kept = await client.personas.get(guild, "fox")
        assert kept is not None
        assert (kept.prompt, kept.trigger_words) == ("You are a fox.", ("fox",))


async def test_a_panel_is_about_what_it_showed_even_after_a_restart(tmp_path: Path) -> None:
    async with open_house(tmp_path, connected=False) as house:
        async with running_bot(house, tmp_path):
            panel = await looked_at(house, {"parley_server": 1, "server": {"style": "components"}})
        async with running_bot(house, tmp_path):
            await press(house, panel, "take")
            await shown(house, house.ada, "Done.")
            chosen = await house.preferences.chosen(DeliveryPreferences, Scope.SERVER, server_of(house))
            assert chosen == {"style": "components"}


async def test_what_does_not_fit_is_left_out_and_named_and_never_opens_the_bot_to_more(tmp_path: Path) -> None:
    async with open_house(tmp_path) as house:
        file = {
            "parley_server": 1,
            "server": {
                "longest_code": 200_000,
                "no_such": 1,
                "locale": "de",
                "channel_prompt": "x",
                "role_ids": [5],
                "model": {"provider": "[free](https://evil.example)", "model": "m" * 5000},
            },
            "channels": {"5": {"note": "x"}, "x": {}},
            "personas": ["AAAA"],
        }
        text = text_of(await looked_at(house, file))
        assert "Settings: 1; personas: 0; notes: 0." in text
        assert [line for line in text.splitlines() if ":" in line and line.startswith("•")] == [
            "• `longest_code`: that value is not allowed",
            "• `no_such`: there is no such setting",
            "• `channel_prompt`: that cannot be set there",
            "• `role_ids`: there is no such role in this server",
            "• `model`: that value is not allowed",
            "• `<#5>`: there is no such channel in this server",
            "• `x`: there is no such channel in this server",
            "• `persona 1`: its character card cannot be read",
        ]


@pytest.mark.parametrize(
    ("content", "words"),
    [
        (b"\xff\xfe", "That is no JSON file"),
        (b"[" * 100_000, "That is no JSON file"),
        ({"hello": 1}, "not a file that"),
        ({"parley_server": 2}, "A newer version of Parley"),
        ({"parley_server": 1, "notes": ["x" * 501]}, "not a file that"),
        ({"parley_server": 1, "server": []}, "not a file that"),
    ],
)
async def test_a_file_that_is_none_is_refused_with_what_is_wrong(tmp_path: Path, content: Any, words: str) -> None:
    async with open_house(tmp_path) as house:
        assert words in await tell(house, "import", file=upload(content))


async def test_it_is_for_managers_and_a_panel_for_its_owner(tmp_path: Path) -> None:
    async with open_house(tmp_path) as house:
        for name in ("export", "import"):
            options = {"file": upload({})} if name == "import" else {}
            assert "Only people who may manage this server" in await tell(house, name, house.bo, **options)
        panel = await looked_at(house, {"parley_server": 1, "server": {"style": "embed"}})
        await press(house, panel, "leave")
        await shown(house, house.ada, "Nothing was changed.")


async def test_it_speaks_the_language_of_who_uses_it(tmp_path: Path) -> None:
    async with open_house(tmp_path) as house:
        house.standin.world.users[house.ada.id] = msgspec.structs.replace(house.ada, locale="de")
        assert "Das ist keine JSON-Datei" in await tell(house, "import", file=upload(b"x"))
