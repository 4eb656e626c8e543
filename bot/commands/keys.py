"""`/keys`: one's own keys for providers, or those of a server: seeing, adding, trying and deleting them.

Own keys everybody has, wherever they use the bot; those of a server are who manages it has. Nothing here ever shows more of a key than
its last four characters.
"""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Mapping
from functools import partial
from typing import Any, TypeAlias

import discord
from discord import app_commands, ui

from bot.commands.choosing import Where, where_choices
from bot.commands.key_form import (
    KeyModal,
    Report,
    chosen_value,
    deed_of,
    keep_waiting,
    keyring_of,
    owner_of,
    provider_name,
    verdict_line,
)
from bot.commands.key_panel import TEMPLATE, KeyControl, KeyDeed, KeyPanel, panel, question, read
from bot.commands.panels import PanelItem, pressed, show
from bot.commands.reach import ANYWHERE, BROUGHT_ALONG
from bot.commands.words import said
from bot.gateway.interactions import admitted, whisper, words_of
from bot.localization import Translator
from bot.store import KeptKey
from bot.turn.keyring import PROVIDERS, Owner

Interaction: TypeAlias = discord.Interaction[Any]


def keys_command(translator: Translator) -> app_commands.Command[Any, ..., Any]:
    @app_commands.command(
        name=said(translator, "command-keys"), description=said(translator, "command-keys-description")
    )
    @app_commands.describe(where=said(translator, "keys-where"))
    @app_commands.choices(where=where_choices(translator, Where.ME, Where.SERVER))
    async def keys(interaction: Interaction, where: str = Where.ME.value) -> None:
        if await admitted(interaction, own_data=where == Where.ME):
            await show_keys(interaction, Where(where))

    keys.allowed_contexts, keys.allowed_installs = ANYWHERE, BROUGHT_ALONG
    return keys


async def show_keys(interaction: Interaction, where: Where, report: Report | None = None) -> None:
    """The panel, as the answer to an acknowledged interaction."""
    owner = await owner_of(interaction, where)
    if owner is None:
        return
    shown = KeyPanel(
        user_id=interaction.user.id,
        where=where,
        owner=owner,
        keys=await keyring_of(interaction).keys.of(owner.scope, owner.scope_id),
        notice=report.text if report else "",
        waiting=report.waiting if report else "",
    )
    await show(interaction, *panel(shown, words_of(interaction)))


class KeyItem(PanelItem[KeyControl], ui.DynamicItem[ui.Item[Any]], template=TEMPLATE):
    """A button or select of the panel."""

    read = staticmethod(read)

    async def callback(self, interaction: Interaction) -> None:
        control = self._control
        own_data = control.where is Where.ME and control.deed in (KeyDeed.SHOW, KeyDeed.ASK, KeyDeed.DELETE)
        deed = partial(_do, interaction, control)
        opens_modal = control.deed is KeyDeed.ADD
        await pressed(interaction, control.user_id, deed, opens_modal=opens_modal, own_data=own_data)


async def _do(interaction: Interaction, control: KeyControl) -> None:
    owner = await owner_of(interaction, control.where)
    if owner is not None:
        await _DEEDS[control.deed](interaction, control, owner)


async def _show(interaction: Interaction, control: KeyControl, _owner: Owner) -> None:
    await show_keys(interaction, control.where)


async def _add(interaction: Interaction, control: KeyControl, _owner: Owner) -> None:
    provider = chosen_value(interaction)
    if provider not in PROVIDERS:
        await whisper(interaction, words_of(interaction)("keys-bad-provider"))
        return

    async def then(interaction: Interaction, report: Report) -> None:
        await show_keys(interaction, control.where, report)

    await interaction.response.send_modal(KeyModal(control.where, provider, words_of(interaction), then))


async def _test(interaction: Interaction, control: KeyControl, owner: Owner) -> None:
    words, key = words_of(interaction), await _key(interaction, owner, chosen_value(interaction))
    verdict = await keyring_of(interaction).test(owner, key) if key is not None and key.opens else None
    if key is None:
        text = words("keys-gone")
    elif verdict is None:
        text = words("keys-unusable")
    else:
        text = verdict_line(verdict, provider_name(key.provider, words), words)
    await show_keys(interaction, control.where, Report(text))


async def _ask(interaction: Interaction, control: KeyControl, owner: Owner) -> None:
    words, key = words_of(interaction), await _key(interaction, owner, chosen_value(interaction))
    if key is None:
        await show_keys(interaction, control.where, Report(words("keys-gone")))
    else:
        await show(interaction, *question(control, key, words))


async def _delete(interaction: Interaction, control: KeyControl, owner: Owner) -> None:
    key = await _key(interaction, owner, control.subject)
    if key is not None:
        keys = keyring_of(interaction).keys
        await keys.delete(owner.scope, owner.scope_id, key.key_id, deed_of(interaction, owner))
    await show_keys(interaction, control.where, Report(words_of(interaction)("keys-deleted")))


async def _keep(interaction: Interaction, control: KeyControl, owner: Owner) -> None:
    await show_keys(interaction, control.where, await keep_waiting(interaction, owner, control.subject))


_DEEDS: Mapping[KeyDeed, Callable[[Interaction, KeyControl, Owner], Awaitable[None]]] = {
    KeyDeed.SHOW: _show,
    KeyDeed.ADD: _add,
    KeyDeed.TEST: _test,
    KeyDeed.ASK: _ask,
    KeyDeed.DELETE: _delete,
    KeyDeed.KEEP: _keep,
}


async def _key(interaction: Interaction, owner: Owner, key_id: str) -> KeptKey | None:
    """One of the owner's, by an id that somebody may have made up."""
    kept = await keyring_of(interaction).keys.of(owner.scope, owner.scope_id)
    return next((key for key in kept if str(key.key_id) == key_id), None)
