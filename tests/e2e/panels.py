"""The panel of `/settings` under a person's hands."""

from __future__ import annotations

from typing import Any

from bot.commands.setting_panel import TEMPLATE
from bot.playground.standin import Channel, Interaction, User
from tests.e2e.house import EPHEMERAL, House

Json = dict[str, Any]


class SettingsPanel:
    """As somebody opened it somewhere. What is pressed has been answered when the call returns: by the panel, or by a whisper."""

    def __init__(self, house: House, by: User | None = None, channel: Channel | None = None) -> None:
        self.house, self.by, self.channel = house, by or house.ada, channel or house.general
        self._message_id = ""

    async def open(self, command: str = "settings", **options: Any) -> str:
        """A whisper that came instead of it; empty where it opened."""
        before = {panel["id"] for panel in self._panels()}
        return await self._answered(await self.house.standin.slash(self.by, self.channel, command, options), before)

    async def press(self, deed: str, *values: Any) -> str:
        """By what it does. What was whispered; empty where nothing was."""
        item = self.items[deed]
        return await self._answered(
            await self.house.standin.press(self.by, self._message_id, item["custom_id"], values)
        )

    async def look(self, setting: str) -> str:
        return await self.press("look", setting)

    async def choose(self, setting: str, *values: Any) -> str:
        """From a select."""
        await self.look(setting)
        return await self.press("give", *values)

    async def form(self, setting: str) -> tuple[Interaction, Json]:
        """The opened form, and its only field with the words above it."""
        await self.look(setting)
        pressed = await self.house.standin.press(self.by, self._message_id, self.items["write"]["custom_id"])
        modal = (await pressed.answered()).modal
        assert modal is not None
        (label,) = modal["components"]
        return pressed, {**label["component"], "allowed": label["description"], "title": modal["title"]}

    async def write(self, setting: str, text: str) -> str:
        """In the form."""
        opened, _ = await self.form(setting)
        return await self.submit(opened, text)

    async def submit(self, opened: Interaction, text: str) -> str:
        return await self._answered(await self.house.standin.submit_modal(opened, {"value": text}))

    @property
    def message(self) -> Json:
        return next(panel for panel in self._panels() if panel["id"] == self._message_id)

    @property
    def is_open(self) -> bool:
        return any(panel["id"] == self._message_id for panel in self._panels())

    @property
    def title(self) -> str:
        return str(self.message["embeds"][0]["title"])

    @property
    def lines(self) -> list[str]:
        return str(self.message["embeds"][0]["description"]).splitlines()

    @property
    def about(self) -> list[str]:
        """What is told of the setting that is looked at: its name and more."""
        (field,) = self.message["embeds"][0].get("fields") or [{"name": "", "value": ""}]
        return [field["name"], *field["value"].splitlines()]

    @property
    def items(self) -> dict[str, Json]:
        """What can be used, by what it does; of two arrows the right one."""
        used = [item for row in self.message["components"] for item in row["components"] if not item.get("disabled")]
        return {match["deed"]: item for item in used if (match := TEMPLATE.fullmatch(item["custom_id"]))}

    def offered(self, deed: str) -> list[str]:
        return [option["value"] for option in self.items[deed]["options"]]

    def line(self, name: str) -> str:
        """Of one setting, without its mark."""
        return next(line[2:] for line in self.lines if line[2:].startswith(f"{name}: "))

    def _panels(self) -> list[Json]:
        seen = self.house.standin.messages(self.channel, self.by)
        return [message for message in seen if message["flags"] & EPHEMERAL and message["embeds"]]

    async def _answered(self, interaction: Interaction, before: set[str] | None = None) -> str:
        def answers(_: object = None) -> list[Any]:
            calls = self.house.standin.calls
            return [call for call in calls if "/webhooks/" in call.path and interaction.token in call.path]

        await self.house.standin.wait_for(answers)
        if before is not None:
            self._message_id = next((panel["id"] for panel in self._panels() if panel["id"] not in before), "")
        answer = answers()[-1]
        return str(answer.body["content"]) if answer.method == "POST" else ""
