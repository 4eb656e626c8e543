"""The history in the panel of `/settings`: who changed what, and taking it back."""

from pathlib import Path

from bot.preferences import ConversationPreferences, DeliveryPreferences, Page
from bot.store import Deed, Scope
from tests.e2e.house import open_house, running_bot
from tests.e2e.panels import SettingsPanel
from tests.e2e.test_personas import client_of, server_of


async def test_what_was_changed_is_told_with_who_did_it_and_can_be_taken_back(tmp_path: Path) -> None:
    async with open_house(tmp_path, connected=False) as house:
        async with running_bot(house, tmp_path):
            change, guild_id = house.preferences.change, int(house.general.guild_id or 0)
            await change(DeliveryPreferences, Scope.SERVER, guild_id, Deed(7, guild_id), tables="picture", maths=False)
            panel = SettingsPanel(house)
            await panel.open(page=Page.DELIVERY)
            await panel.choose("tables", "bullets")
            await panel.press("history")
            assert panel.title == "Changes: This server"
            who = [line.partition(" ")[2] for line in panel.lines if line.startswith("<t:")]
            assert who[:2] == [f"<@{house.ada.id}>", "<@7>"]
            assert panel.lines[1] == "- Tables: **picture** → **bullets**"
            assert sorted(panel.lines[3:5]) == ["- Formulas as Unicode: – → **off**", "- Tables: – → **picture**"]
        async with running_bot(house, tmp_path):
            await panel.press("undo")
            assert panel.lines[-2:] == ["Taken back:", "Tables: **bullets** → **picture**"]
            await panel.press("undo")
            assert len(panel.lines[panel.lines.index("Taken back:") :]) == 3
            assert await house.preferences.chosen(DeliveryPreferences, Scope.SERVER, guild_id) == {}
            await panel.press("history")
            assert "- ~~Tables: **picture** → **bullets**~~" in panel.lines
            await panel.press("back")
            assert panel.title == "Settings: How answers look"


async def test_of_a_channel_where_nothing_was_changed_there_is_nothing_to_take_back(tmp_path: Path) -> None:
    async with open_house(tmp_path) as house:
        panel = SettingsPanel(house)
        await panel.open()
        await panel.press("scope", "channel")
        assert await panel.press("undo") == "There is nothing to take back."
        await panel.press("history")
        assert (panel.title, panel.lines) == ("Changes: This channel or thread", ["Nothing was changed yet."])


async def test_what_was_changed_since_by_another_version_is_not_taken_back(tmp_path: Path) -> None:
    async with open_house(tmp_path) as house:
        panel = SettingsPanel(house)
        await panel.open()
        await panel.write("messages", "9")
        await client_of(house).preferences.forget(Scope.SERVER, server_of(house))
        assert await panel.press("undo") == "That was changed again since, so I take nothing back."


async def test_a_long_history_has_pages(tmp_path: Path) -> None:
    async with open_house(tmp_path) as house:
        guild_id = server_of(house)
        for nr in range(1, 13):
            await house.preferences.change(
                ConversationPreferences, Scope.SERVER, guild_id, Deed(nr, guild_id), messages=nr
            )
        panel = SettingsPanel(house)
        await panel.open()
        await panel.press("history")
        assert panel.message["embeds"][0]["footer"]["text"] == "Page 1 of 3"
        assert panel.lines[1] == "- Earlier messages that I read: **11** → **12**"
        await panel.press("history")
        assert panel.lines[1] == "- Earlier messages that I read: **6** → **7**"
