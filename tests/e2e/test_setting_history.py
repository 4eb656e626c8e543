"""`/settings history` and `undo`, and `/capabilities`: who changed what, and taking it back."""

from pathlib import Path

from bot.preferences import DeliveryPreferences, ServerCapabilities
from bot.store import Scope
from tests.e2e.house import House, open_house, running_bot
from tests.e2e.test_personas import client_of, server_of, tell


async def lines(house: House, command: str, **options: str) -> list[str]:
    return (await tell(house, command, **options)).splitlines()


async def test_what_was_changed_is_told_with_who_did_it_and_can_be_taken_back(tmp_path: Path) -> None:
    async with open_house(tmp_path, connected=False) as house:
        async with running_bot(house, tmp_path):
            await tell(house, "settings delivery", tables="picture", maths=False)
            await tell(house, "settings delivery", tables="bullets")
            told = await lines(house, "settings history")
            who = f"<@{house.ada.id}>"
            assert told[0].endswith(f"{who}: `tables` `picture` → `bullets`")
            assert {line.partition(": ")[2] for line in told[1:3]} == {"`tables` – → `picture`", "`maths` – → `false`"}
        async with running_bot(house, tmp_path):
            assert await lines(house, "settings undo") == ["Taken back:", "`tables` `bullets` → `picture`"]
            assert len(await lines(house, "settings undo")) == 3
            chosen = await client_of(house).preferences.chosen(DeliveryPreferences, Scope.SERVER, server_of(house))
            assert chosen == {}
            told = await lines(house, "settings history")
            assert [line.startswith("~~") for line in told[:6]] == [False, False, False, True, True, True]
            assert told[2].endswith(f"{who}: `tables` `bullets` → `picture`"), "who took it back"


async def test_of_a_channel_where_nothing_was_changed_there_is_nothing_to_take_back(tmp_path: Path) -> None:
    async with open_house(tmp_path) as house:
        assert await tell(house, "settings history", where="here") == "Nothing was changed yet."
        assert await tell(house, "settings undo", where="here") == "There is nothing to take back."


async def test_a_members_hand_is_refused(tmp_path: Path) -> None:
    async with open_house(tmp_path) as house:
        for command in ("settings history", "settings undo", "capabilities"):
            told = await tell(house, command, house.bo)
            assert told == "Only people who may manage this server can change that."


async def test_capabilities_are_switched_and_personal_models_are_one(tmp_path: Path) -> None:
    async with open_house(tmp_path, llm_models=("small",)) as house:
        await tell(house, "model", house.bo, model="small")
        told = await lines(house, "capabilities", personal_models=False, verbatim_tool_calling=True)  # type: ignore[arg-type]
        assert told == [
            "Capabilities of this server:",
            "`verbatim_tool_calling` **on**",
            "`personal_models` **off**",
            "`memory` **on**",
        ]
        assert "do not choose the model" in await tell(house, "model", house.bo, model="small")
        assert "do not choose the model" in await tell(house, "think", house.bo, effort="high")
        assert (await tell(house, "model", house.bo)).startswith("Here `demo` of custom answers you."), (
            "no longer theirs"
        )
        chosen = await client_of(house).preferences.chosen(ServerCapabilities, Scope.SERVER, server_of(house))
        assert chosen == {"personal_models_enabled": False, "verbatim_tool_calling_enabled": True}
