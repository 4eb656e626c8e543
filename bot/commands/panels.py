"""Panels: messages for one person's eyes, with things to press that go on working when the bot has been restarted.

The id of what is pressed says all there is to know. It names the person whom it was shown to, and does nothing for another.
"""

from __future__ import annotations

import re
from collections.abc import Awaitable, Callable, Iterable, Mapping, Sequence
from types import MappingProxyType
from typing import Any, Generic, Self, TypeVar

import discord
from discord import ui

from bot.delivery.payloads import NOBODY
from bot.gateway.admission.visits import Entrance
from bot.gateway.interactions import admitted, tell_of_failure, whisper, words_of

C = TypeVar("C")
"""What an id says: a value."""

IN_PANEL = MappingProxyType({"ephemeral": True, "thinking": False})
"""The door (GatedModal) of a modal that a panel opens: what comes of it stands in the panel's place."""


class PanelItem(Generic[C]):
    """A button or select of a panel. It stands before discord.py's DynamicItem among the bases of a panel's own class, which gives the
    template of its ids, how they are read, and what a press does."""

    def __init__(self, control: C, item: ui.Item[Any]) -> None:
        super().__init__(item)  # type: ignore[call-arg]  # DynamicItem's
        self._control = control

    @staticmethod
    def read(match: re.Match[str]) -> C:
        """What an id of the template says."""
        raise NotImplementedError

    @classmethod
    async def from_custom_id(
        cls, _interaction: discord.Interaction, item: ui.Item[Any], match: re.Match[str], /
    ) -> Self:
        return cls(cls.read(match), item)


async def show(
    interaction: discord.Interaction[Any],
    embed: discord.Embed,
    items: Iterable[ui.Item[ui.View]] = (),
    files: Sequence[discord.File] = (),
) -> None:
    """As the answer to an acknowledged command; after a press, or a modal that a press opened, in place of what was shown."""
    view = ui.View(timeout=None)
    for item in items:
        view.add_item(item)
    view.stop()  # or discord.py keeps it for ever, to hear of presses that dynamic items hear of
    await interaction.edit_original_response(
        content=None, embed=embed, view=view, attachments=files, allowed_mentions=NOBODY
    )


def picked(interaction: discord.Interaction[Any]) -> Sequence[str]:
    """The values of a select; Discord sends only such as were offered. Of a button: none."""
    data: Mapping[str, Any] = interaction.data or {}
    return [value for value in data.get("values", []) if isinstance(value, str)]


async def pressed(
    interaction: discord.Interaction[Any],
    owner_id: int,
    deed: Callable[[], Awaitable[None]],
    *,
    opens_modal: bool = False,
    own_data: bool = False,
    asks: bool = False,
) -> None:
    """The door of what stands in panels. Never raises: what goes wrong is logged, and told to who pressed.

    `asks`, `own_data`: see bot.gateway.interactions.admitted. `opens_modal`: the deed answers first, by a modal or otherwise.
    """
    try:
        if not await admitted(interaction, Entrance.BUTTON, opens_modal=opens_modal, own_data=own_data, asks=asks):
            return
        if interaction.user.id != owner_id:
            await whisper(interaction, words_of(interaction)("panel-not-yours"))
            return
        await deed()
    except Exception as error:
        await tell_of_failure(interaction, error, "panel_failed")
