"""`/usage` under the hands of who manages a server, members, who runs the bot, and people in direct messages."""

from __future__ import annotations

import csv
import io
from collections.abc import Sequence
from datetime import date, timedelta
from pathlib import Path
from typing import Any

import discord
import msgspec
import pytest
from PIL import Image

from bot.commands.usage_panel import TEMPLATE
from bot.playground.standin import Channel, Permission, User
from bot.preferences import AdmissionPreferences, LimitPreferences, OperatorLimits, Scope
from bot.store.usage import UsageRow
from tests.commands.used import used
from tests.delivery.desk import GUEST, Where, place
from tests.e2e.house import EPHEMERAL, House, open_house, running_bot
from tests.e2e.test_personas import client_of, server_of

Json = dict[str, Any]
NOT_ALLOWED = "Only people who may manage this server can see that."
NOT_OPERATOR = "Only who runs this bot can see that."
NOTHING = "Nothing was used in these days. As soon as I answer somebody, it is counted here."


def today() -> date:
    return discord.utils.utcnow().date()


class UsagePanel:
    """As somebody opened it somewhere. What is pressed has been answered when the call returns: by the panel, or by a whisper."""

    def __init__(self, house: House, by: User | None = None, channel: Channel | None = None) -> None:
        self.house, self.by, self.channel = house, by or house.ada, channel or house.general
        self._message_id = ""

    async def open(self, **options: str) -> str:
        """A whisper that came instead of it; empty where it opened."""
        known = {panel["id"] for panel in self._panels()}
        told = await self._answered(await self.house.standin.slash(self.by, self.channel, "usage", options))
        self._message_id = next((panel["id"] for panel in self._panels() if panel["id"] not in known), "")
        return told

    async def press(self, deed: str, *values: str, by: User | None = None) -> str:
        """What was whispered; empty where nothing was."""
        custom_id = self.items[deed]["custom_id"]
        return await self._answered(
            await self.house.standin.press(by or self.by, self._message_id, custom_id, list(values))
        )

    @property
    def message(self) -> Json:
        return next(panel for panel in self._panels() if panel["id"] == self._message_id)

    @property
    def title(self) -> str:
        return str(self.message["embeds"][0]["title"])

    @property
    def lines(self) -> list[str]:
        """Below the days."""
        return str(self.message["embeds"][0]["description"]).splitlines()[1:]

    @property
    def fields(self) -> dict[str, list[str]]:
        return {field["name"]: field["value"].splitlines() for field in self.message["embeds"][0].get("fields", [])}

    @property
    def items(self) -> dict[str, Json]:
        used_items = [item for row in self.message["components"] for item in row["components"]]
        return {match["deed"]: item for item in used_items if (match := TEMPLATE.fullmatch(item["custom_id"]))}

    @property
    def offered(self) -> list[str]:
        return [option["value"] for option in self.items["whose"]["options"]] if "whose" in self.items else []

    def picture(self) -> Image.Image | None:
        """That stands in the embed."""
        attached = self.message["attachments"]
        if not attached:
            assert "image" not in self.message["embeds"][0]
            return None
        ((file,), shown) = attached, self.message["embeds"][0]["image"]["url"]
        assert file["filename"] in shown
        return Image.open(io.BytesIO(self.house.standin.attachment(file["id"])))

    @property
    def alt_text(self) -> str:
        return str(self.message["attachments"][0]["description"])

    def file(self) -> list[dict[str, str]]:
        """The records of the last CSV file that came."""
        seen = self.house.standin.messages(self.channel, self.by)
        name, id_ = [(a["filename"], a["id"]) for message in seen for a in message["attachments"]][-1]
        assert name.endswith(".csv")
        text = self.house.standin.attachment(id_).decode("utf-8-sig")
        return list(csv.DictReader(io.StringIO(text, newline="")))

    def _panels(self) -> list[Json]:
        seen = self.house.standin.messages(self.channel, self.by)
        return [message for message in seen if message["flags"] & EPHEMERAL and message["embeds"]]

    async def _answered(self, interaction: Any) -> str:
        def answers(_: object = None) -> list[Any]:
            calls = self.house.standin.calls
            return [call for call in calls if "/webhooks/" in call.path and interaction.token in call.path]

        await self.house.standin.wait_for(answers)
        answer = answers()[-1]
        return str(answer.body["content"]) if answer.method == "POST" else ""


async def opened(house: House, by: User | None = None, channel: Channel | None = None, **options: str) -> UsagePanel:
    panel = UsagePanel(house, by, channel)
    assert await panel.open(**options) == ""
    return panel


async def spend(house: House, *rows: UsageRow) -> None:
    await client_of(house).desk.ledger.add(rows)


def here(house: House, by: User, day: date | None = None, **other: Any) -> UsageRow:
    place = {"guild_id": server_of(house), "channel_id": int(house.general.id)}
    return used(day or today(), **(place | {"user_id": int(by.id)} | other))


async def spend_a_little(house: House) -> None:
    """Ada and Bo in the server, Bo elsewhere too."""
    random = int(house.standin.channel("random").id)
    await spend(
        house,
        here(house, house.ada, calls=3, input_tokens=3000, cost_nano=30_000_000),
        here(house, house.bo, model="claude-opus-4-5", provider="anthropic", cost_nano=500_000_000),
        here(house, house.bo, today() - timedelta(days=3), channel_id=random),
        here(house, house.bo, guild_id=0, channel_id=77, unpriced_calls=1, cost_nano=0, model="llama3", provider="ollama"),
    )  # fmt: skip


def numbers(panel: UsagePanel) -> Sequence[str]:
    return panel.lines[:4]


# --------------------------------------------------------------------------------------------------------- what it shows


async def test_who_manages_the_server_sees_what_was_used_there(tmp_path: Path) -> None:
    async with open_house(tmp_path) as house:
        await spend_a_little(house)
        panel = await opened(house)
        assert panel.title == "Usage in this server"
        assert panel.lines == [
            "**5** requests to models",
            "Tokens read: **5,000**, of them from a cache: 1,200",
            "Tokens written: **600**, of them for thinking: 150",
            "Cost: **$0.54**",
        ]
        assert panel.fields == {
            "Models": [
                "🟦 `gpt-5-mini`: 4,400 tokens · $0.04",
                "🟧 `claude-opus-4-5`: 1,200 tokens · $0.50",
            ],
            "People": [
                f"<@{house.bo.id}>: 2,400 tokens · $0.51",
                f"<@{house.ada.id}>: 3,200 tokens · $0.03",
            ],
            "Channels": [
                f"<#{house.general.id}>: 4,400 tokens · $0.53",
                f"<#{house.standin.channel('random').id}>: 1,200 tokens · $0.01",
            ],
        }
        picture = panel.picture()
        assert picture is not None
        assert picture.size[0] == 1000
        assert panel.alt_text.startswith("Tokens per day, ")
        assert "gpt-5-mini: 4,400; claude-opus-4-5: 1,200. Most on " in panel.alt_text


async def test_a_member_sees_what_they_used_themselves_and_no_more(tmp_path: Path) -> None:
    async with open_house(tmp_path) as house:
        await spend_a_little(house)
        panel = await opened(house, house.bo)
        assert panel.title == "Your usage"
        assert panel.lines[0] == "**3** requests to models"
        assert panel.lines[-1] == "*Not in it: 1 request to a model whose price I do not know.*"
        assert list(panel.fields) == ["Models"]
        assert panel.offered == ["me", "here"]
        await panel.press("whose", "here")
        assert (panel.title, panel.lines[0]) == ("Your usage in this channel", "**1** request to a model")
        assert list(panel.fields) == ["Models"]
        assert await UsagePanel(house, house.bo).open(whose="server") == NOT_ALLOWED
        assert await UsagePanel(house, house.bo).open(whose="everything") == NOT_OPERATOR


async def test_who_manages_the_server_sees_who_used_what_in_a_channel(tmp_path: Path) -> None:
    async with open_house(tmp_path) as house:
        await spend_a_little(house)
        panel = await opened(house, channel=house.standin.channel("random"), whose="here")
        assert (panel.title, panel.lines[0]) == ("Usage in this channel", "**1** request to a model")
        assert panel.fields["People"] == [f"<@{house.bo.id}>: 1,200 tokens · $0.01"]


async def test_who_runs_the_bot_sees_everything(tmp_path: Path) -> None:
    async with open_house(tmp_path) as house:
        await spend_a_little(house)
        await spend(house, here(house, house.ada, guild_id=99), here(house, house.ada, user_id=0))
        panel = await opened(house, channel=house.standin.dm(house.ada), whose="everything")
        assert panel.title == "All usage"
        assert panel.offered == ["me", "everything"]
        assert panel.lines[0] == "**8** requests to models"
        assert panel.fields["Servers"] == [
            f"{client_of(house).guilds[0].name}: 6,800 tokens · $0.55",
            "`99`: 1,200 tokens · $0.01",
            "direct messages: 1,200 tokens · price not known",
        ]
        assert "people I no longer know: 1,200 tokens · $0.01" in panel.fields["People"]


async def test_the_days_are_chosen_in_place(tmp_path: Path) -> None:
    async with open_house(tmp_path) as house:
        await spend_a_little(house)
        panel = await opened(house, period="today")
        assert panel.lines[0] == "**4** requests to models"
        assert await panel.press("period", "7-days") == ""
        assert panel.lines[0] == "**5** requests to models"
        assert panel.title == "Usage in this server"
        assert panel.picture() is not None


async def test_where_nothing_was_used_there_is_a_sentence_and_no_picture(tmp_path: Path) -> None:
    async with open_house(tmp_path) as house:
        await spend(house, here(house, house.ada))
        panel = await opened(house)
        assert panel.picture() is not None
        await panel.press("period", "last-month")
        assert panel.lines == [NOTHING]
        assert panel.picture() is None
        assert "csv" not in panel.items


async def test_limits_in_force_are_shown_with_what_is_used_of_them(tmp_path: Path) -> None:
    async with open_house(tmp_path) as house:
        change, server = client_of(house).preferences.change, server_of(house)
        await change(LimitPreferences, Scope.SERVER, server, server_daily_tokens=10_000, person_monthly_cost=2.0)
        await change(OperatorLimits, Scope.GLOBAL, 0, free_person_daily_tokens=6000)
        await spend(
            house,
            here(house, house.ada, cost_nano=500_000_000),
            here(house, house.ada, payer="server", key_last_four="z9", cost_nano=500_000_000),
            here(house, house.ada, payer="person", key_last_four="y8", cost_nano=500_000_000),
            here(house, house.bo, today() - timedelta(days=40)),
        )
        panel = await opened(house)
        (line,) = panel.fields["Limits"]
        assert line.startswith("▰▰▱▱▱▱▱▱▱▱ 24% · ")
        assert line.endswith(": 2,400 of 10,000"), "who pays with their own key is held by no limit"
        await panel.press("whose", "me")
        of_money, of_operator = panel.fields["Limits"]
        assert of_money.startswith("▰▰▰▰▰▱▱▱▱▱ 50% · ")
        assert of_money.endswith(": $1.00 of $2.00")
        assert of_operator.endswith(": 1,200 of 6,000")


# ------------------------------------------------------------------------------------------------------------------ files


async def test_the_file_has_a_line_a_row_with_the_names_that_are_known_here(tmp_path: Path) -> None:
    async with open_house(tmp_path) as house:
        await spend_a_little(house)
        panel = await opened(house)
        told = await panel.press("csv")
        assert told == "Here is the usage as a table: a line for each day, channel, person and model."
        records = panel.file()
        assert [(r["day"], r["channel"], r["user_id"], r["model"], r["cost_usd"]) for r in records][-1] == (
            str(today() - timedelta(days=3)),
            "random",
            house.bo.id,
            "gpt-5-mini",
            "0.010000000",
        )
        assert len(records) == 3
        assert {r["guild"] for r in records} == {client_of(house).guilds[0].name}
        assert panel.title == "Usage in this server", "the panel stays"


async def test_a_members_file_is_about_themselves(tmp_path: Path) -> None:
    async with open_house(tmp_path) as house:
        await spend_a_little(house)
        panel = await opened(house, house.bo)
        await panel.press("csv")
        assert {record["user_id"] for record in panel.file()} == {house.bo.id}
        assert len(panel.file()) == 3


async def test_a_file_that_would_be_too_large_is_cut_and_tells_so(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("bot.commands.usage.LARGEST_FILE", 800)
    async with open_house(tmp_path) as house:
        await spend(house, *(here(house, house.ada, today() - timedelta(days=nr)) for nr in range(10)))
        panel = await opened(house)
        told = await panel.press("csv")
        assert "Not everything fitted" in told
        days = [record["day"] for record in panel.file()]
        assert days == [str(today() - timedelta(days=nr)) for nr in range(len(days))]
        assert 0 < len(days) < 10


# ---------------------------------------------------------------------------------------------------------- who may, where


async def test_who_may_no_longer_is_refused_at_the_next_press(tmp_path: Path) -> None:
    async with open_house(tmp_path) as house:
        await spend_a_little(house)
        role = house.standin.add_role("Managers", Permission.MANAGE_GUILD)
        house.standin.give_role(house.bo, role)
        panel = await opened(house, house.bo)
        assert panel.title == "Usage in this server"
        house.standin.take_role(house.bo, role)
        assert await panel.press("csv") == NOT_ALLOWED
        assert await panel.press("period", "today") == NOT_ALLOWED
        assert await panel.press("whose", "me") == ""
        assert panel.title == "Your usage"


async def test_who_is_blocked_sees_what_is_kept_of_them_and_nothing_else(tmp_path: Path) -> None:
    async with open_house(tmp_path) as house:
        await spend_a_little(house)
        server = server_of(house)
        await client_of(house).preferences.change(
            AdmissionPreferences, Scope.SERVER, server, blocked_user_ids=[int(house.bo.id)]
        )
        panel = await opened(house, house.bo)
        assert panel.title == "Your usage"
        assert "You are blocked here" in await panel.press("whose", "here")
        assert await panel.press("csv") != ""
        assert len(panel.file()) == 3


async def test_in_a_direct_message_it_is_about_oneself_in_ones_language(tmp_path: Path) -> None:
    async with open_house(tmp_path) as house:
        await spend_a_little(house)
        house.standin.world.users[house.bo.id] = msgspec.structs.replace(house.bo, locale="de")
        direct = house.standin.dm(house.bo)
        panel = await opened(house, house.bo, direct)
        assert panel.title == "Dein Verbrauch"
        assert panel.offered == []
        assert panel.lines[1] == "Gelesene Token: **3.000**, davon aus einem Cache: 1.200"
        assert panel.alt_text.startswith("Token pro Tag, ")
        told = await UsagePanel(house, house.bo, direct).open(whose="server")
        assert told.startswith("Hier ist kein Server")


@pytest.mark.parametrize("where", GUEST)
async def test_where_only_a_person_brought_it_along_it_is_about_them(tmp_path: Path, where: Where) -> None:
    async with open_house(tmp_path) as house:
        channel = await place(house.standin, where)
        house.standin.install_for(house.ada)
        await spend(house, used(today(), user_id=int(house.ada.id)))
        panel = await opened(house, channel=channel)
        assert (panel.title, panel.lines[0]) == ("Your usage", "**1** request to a model")
        assert {"here", "server"} & set(panel.offered) == set()


async def test_the_panel_goes_on_working_after_a_restart(tmp_path: Path) -> None:
    async with open_house(tmp_path, connected=False) as house:
        async with running_bot(house, tmp_path):
            await spend_a_little(house)
            panel = await opened(house)
        async with running_bot(house, tmp_path):
            assert await panel.press("whose", "here") == ""
            assert (panel.title, panel.lines[0]) == ("Usage in this channel", "**4** requests to models")
            await panel.press("csv")
            assert len(panel.file()) == 2


async def test_an_answer_is_counted_at_once(tmp_path: Path) -> None:
    async with open_house(tmp_path) as house:
        assert (await opened(house, house.bo)).lines == [NOTHING]
        await house.ask("Hello?", by=house.bo)
        await house.answered()
        await house.app.idle()
        panel = await opened(house, house.bo)
        assert panel.lines[0] == "**1** request to a model"
        assert panel.picture() is not None
