"""Notes that are proposed and not kept yet: the person sees one, changes it, keeps it or lets it go.

*Remember this*, at any message, proposes what the model makes of it, or what it says; whoever else has a note to propose shows the
same panel. A proposal is nowhere but in the panel itself: one that is not answered leaves nothing behind. It is always about who sees
it, or about the server, for who manages that.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from enum import StrEnum
from functools import partial
from typing import Any, Self, TypeAlias

import discord
from discord import app_commands, ui

from bot.commands.memory import is_on, keep, may_write, note_input, note_line, switch_on
from bot.commands.memory_panel import About
from bot.commands.panels import IN_PANEL, pressed, show
from bot.commands.reach import BROUGHT_ALONG, WITH_THE_BOT
from bot.commands.words import said
from bot.gateway.asking import Asking
from bot.gateway.interactions import GatedModal, admitted, whisper, words_of
from bot.localization import Translator, Words

Interaction: TypeAlias = discord.Interaction[Any]


def remember_command(translator: Translator) -> app_commands.ContextMenu:
    async def remember(interaction: Interaction, message: discord.Message) -> None:
        if await admitted(interaction, asks=True):
            asking: Asking = interaction.client.asking
            await show_proposal(interaction, await asking.note_of(interaction, message))

    return app_commands.ContextMenu(
        name=said(translator, "command-remember"),
        callback=remember,
        allowed_contexts=WITH_THE_BOT,
        allowed_installs=BROUGHT_ALONG,
    )


async def show_proposal(interaction: Interaction, text: str) -> None:
    """As the answer to an acknowledged interaction, for the eyes of the person only: what of the text a note would hold."""
    words, note = words_of(interaction), note_line(text)
    if not note:
        await whisper(interaction, words("proposal-empty"))
        return
    remembers = await is_on(interaction)
    hint = words("proposal-hint") if remembers else words("proposal-hint-off")
    embed = discord.Embed(title=words("proposal-title"), description=f"`{note}`\n\n{hint}")
    await show(interaction, embed, _buttons(interaction, words, remembers=remembers))


class Deed(StrEnum):
    KEEP = "keep"
    SWITCH_ON = "on"
    """Keep it, and more from now on: offered in place of KEEP to who did not switch memory on."""
    SERVER = "server"
    """Keep it about the server."""
    CHANGE = "change"
    DISCARD = "discard"


_TEMPLATE = re.compile(rf"parley:proposal:(?P<deed>{'|'.join(Deed)}):(?P<user_id>[0-9]{{1,20}})")
_STYLES = {Deed.KEEP: discord.ButtonStyle.primary, Deed.SWITCH_ON: discord.ButtonStyle.primary}


def _buttons(interaction: Interaction, words: Words, *, remembers: bool) -> Sequence[ui.Item[Any]]:
    deeds = [Deed.KEEP if remembers else Deed.SWITCH_ON, Deed.SERVER, Deed.CHANGE, Deed.DISCARD]
    if not may_write(interaction, About.SERVER):
        deeds.remove(Deed.SERVER)
    return [
        ui.Button(
            custom_id=f"parley:proposal:{deed}:{interaction.user.id}",
            label=words(f"proposal-{deed}"),
            style=_STYLES.get(deed, discord.ButtonStyle.secondary),
        )
        for deed in deeds
    ]


class ProposalItem(ui.DynamicItem[ui.Button[Any]], template=_TEMPLATE):
    """A button under a proposal."""

    def __init__(self, deed: Deed, user_id: int, button: ui.Button[Any]) -> None:
        super().__init__(button)
        self._deed = deed
        self._user_id = user_id

    @classmethod
    async def from_custom_id(
        cls, _interaction: discord.Interaction, item: ui.Item[Any], match: re.Match[str], /
    ) -> Self:
        assert isinstance(item, ui.Button)
        return cls(Deed(match["deed"]), int(match["user_id"]), item)

    async def callback(self, interaction: Interaction) -> None:
        deed = partial(_do, interaction, self._deed)
        await pressed(interaction, self._user_id, deed, opens_modal=self._deed is Deed.CHANGE)


async def _do(interaction: Interaction, deed: Deed) -> None:
    words, text = words_of(interaction), _shown(interaction)
    if deed is Deed.CHANGE:
        await interaction.response.send_modal(ProposalModal(text, words))
    elif deed is Deed.DISCARD:
        await show(interaction, discord.Embed(description=words("proposal-discarded")))
    elif deed is Deed.SERVER and not may_write(interaction, About.SERVER):
        await whisper(interaction, words("command-not-allowed"))
    else:
        about = About.SERVER if deed is Deed.SERVER else About.ME
        if deed is Deed.SWITCH_ON and text:
            await switch_on(interaction)
        if await keep(interaction, about, text):
            await show(interaction, discord.Embed(description=f"`{text}`\n\n{words(f'proposal-kept-{about}')}"))


def _shown(interaction: Interaction) -> str:
    """The text of the proposal whose panel this is; it cannot have a ` of its own."""
    embeds = interaction.message.embeds if interaction.message else []
    found = re.match("`([^`]*)`", (embeds[0].description or "") if embeds else "")
    return found[1] if found else ""


class ProposalModal(GatedModal):
    """What was proposed, to be put otherwise. That is a proposal again."""

    door = IN_PANEL

    def __init__(self, text: str, words: Words) -> None:
        super().__init__(words("proposal-title"))
        self._text = note_input(text)
        self.add_item(ui.Label(text=words("memory-modal-label-me"), component=self._text))

    async def on_submit(self, interaction: Interaction, /) -> None:
        await show_proposal(interaction, self._text.value)
