"""`/usage`: what was used of models, by oneself, in a channel, a server, or everywhere; in numbers, as a picture, and as a file.

Everybody sees what they used themselves, as it is kept of them; who manages a server, what was used there; who runs the bot, all. It is
asked again at every press.
"""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from datetime import date
from functools import partial
from io import BytesIO
from typing import Any, Optional, TypeAlias

import discord
from discord import app_commands, ui

from bot.commands.choosing import operates
from bot.commands.panels import PanelItem, picked, pressed, show
from bot.commands.reach import ANYWHERE, BROUGHT_ALONG
from bot.commands.usage_csv import Names, written
from bot.commands.usage_panel import (
    PICTURE,
    TEMPLATE,
    Control,
    Deed,
    Period,
    Plot,
    Report,
    Share,
    Whose,
    alt_text,
    panel,
    read,
    span_of,
)
from bot.commands.usage_report import Naming, Where, newest_first, plot, shares, top_models, tops
from bot.commands.words import said
from bot.delivery.foreign_text import as_code, as_words
from bot.delivery.payloads import NOBODY
from bot.gateway.admission.gate import may_manage
from bot.gateway.admission.visits import location_of_asker
from bot.gateway.interactions import admitted, whisper, words_of
from bot.localization import Translator, Words
from bot.store.usage import Dimension, Ledger

Interaction: TypeAlias = discord.Interaction[Any]

LARGEST_FILE = 8 * 1024 * 1024
"""Bytes; less where Discord takes less."""
_LONGEST_SERVER = 40
"""Code points of its name, each of which may be a mark that is escaped."""


def usage_command(translator: Translator) -> app_commands.Command[Any, ..., Any]:
    def choices(what: str, values: Sequence[Whose] | Sequence[Period]) -> list[app_commands.Choice[str]]:
        return [
            app_commands.Choice(name=said(translator, f"usage-{what}-{value}"), value=value.value) for value in values
        ]

    @app_commands.command(
        name=said(translator, "command-usage"), description=said(translator, "command-usage-description")
    )
    @app_commands.describe(whose=said(translator, "usage-whose"), period=said(translator, "usage-period"))
    @app_commands.choices(whose=choices("whose", list(Whose)), period=choices("period", list(Period)))
    async def usage(
        interaction: Interaction,
        whose: Optional[str] = None,  # noqa: UP045 - discord.py reads it
        period: str = Period.THIRTY.value,
    ) -> None:
        usual = Whose.SERVER if _manages(interaction) else Whose.ME
        at = Control(Deed.WHOSE, interaction.user.id, Whose(whose) if whose else usual, Period(period))
        if await admitted(interaction, own_data=at.whose is Whose.ME) and await _may_see(interaction, at.whose):
            await _show(interaction, at)

    usage.allowed_contexts = ANYWHERE
    usage.allowed_installs = BROUGHT_ALONG
    return usage


class UsageItem(PanelItem[Control], ui.DynamicItem[ui.Item[Any]], template=TEMPLATE):
    """A select or the button of the panel."""

    read = staticmethod(read)

    async def callback(self, interaction: Interaction) -> None:
        at = _chosen(interaction, self._control)
        await pressed(interaction, at.owner_id, partial(_do, interaction, at), own_data=at.whose is Whose.ME)


def _chosen(interaction: Interaction, control: Control) -> Control:
    """With what was picked from a select."""
    match control.deed, picked(interaction):
        case Deed.WHOSE, [value]:
            return Control(control.deed, control.owner_id, Whose(value), control.period)
        case Deed.PERIOD, [value]:
            return Control(control.deed, control.owner_id, control.whose, Period(value))
    return control


async def _do(interaction: Interaction, at: Control) -> None:
    if await _may_see(interaction, at.whose):
        await (_send_file if at.deed is Deed.CSV else _show)(interaction, at)


# ----------------------------------------------------------------------------------------------------------- who may see


def _in_server(interaction: Interaction) -> bool:
    """In one that the bot is in: where only the person brought it along, it knows of them only."""
    return interaction.guild_id is not None and interaction.client.get_guild(interaction.guild_id) is not None


def _manages(interaction: Interaction) -> bool:
    return _in_server(interaction) and may_manage(interaction.permissions)


def _offered(interaction: Interaction) -> Sequence[Whose]:
    may = {
        Whose.ME: True,
        Whose.HERE: _in_server(interaction),
        Whose.SERVER: _manages(interaction),
        Whose.EVERYTHING: operates(interaction),
    }
    return [whose for whose in Whose if may[whose]]


async def _may_see(interaction: Interaction, whose: Whose) -> bool:
    """If not, they were told why."""
    if whose in _offered(interaction):
        return True
    if whose is Whose.EVERYTHING:
        why_not = "usage-not-operator"
    else:
        why_not = "usage-not-allowed" if _in_server(interaction) else "where-no-server"
    await whisper(interaction, words_of(interaction)(why_not))
    return False


def _is_own(interaction: Interaction, whose: Whose) -> bool:
    """Who does not manage the server sees of a channel what they used there themselves."""
    return whose is Whose.ME or (whose is Whose.HERE and not _manages(interaction))


def _where(interaction: Interaction, whose: Whose) -> Where:
    where: Where = {}
    if _is_own(interaction, whose):
        where["user_id"] = interaction.user.id
    if whose in (Whose.HERE, Whose.SERVER):
        where["guild_id"] = interaction.guild_id or 0
    if whose is Whose.HERE:
        where["channel_id"] = location_of_asker(interaction).home_id
    return where


# ------------------------------------------------------------------------------------------------------------- the panel


async def _show(interaction: Interaction, at: Control) -> None:
    words, span, is_own = words_of(interaction), span_of(at.period, _today()), _is_own(interaction, at.whose)
    ledger, where = _ledger(interaction), _where(interaction, at.whose)
    report = Report(
        at=at,
        span=span,
        is_own=is_own,
        offered=_offered(interaction),
        total=await ledger.total(span.first, span.last, **where),
        shares=await _shares(interaction, at.whose),
        models=await top_models(ledger, span, where),
        tops={} if is_own else await tops(ledger, at.whose, span, where, _naming(interaction)),
    )
    embed, items = panel(report, words)
    picture = [] if report.is_empty else [await _picture(await plot(ledger, span, where, words), words)]
    await show(interaction, embed, items, picture)


async def _shares(interaction: Interaction, whose: Whose) -> Sequence[Share]:
    if whose is not Whose.ME and _is_own(interaction, whose):
        return ()  # the channel's limit would tell what others used
    return await shares(interaction.client.desk.parts.budgets, whose, location_of_asker(interaction))


def _naming(interaction: Interaction) -> Naming:
    words = words_of(interaction)

    def server(guild_id: int) -> str:
        guild = interaction.client.get_guild(guild_id)
        if not guild_id:
            return words("usage-direct")
        return (as_words(guild.name, _LONGEST_SERVER) if guild is not None else "") or as_code(str(guild_id))

    return {
        Dimension.USER: lambda id_: f"<@{id_}>" if id_ else words("usage-forgotten"),
        Dimension.CHANNEL: lambda id_: f"<#{id_}>",
        Dimension.GUILD: server,
    }


async def _picture(shown: Plot, words: Words) -> discord.File:
    png = await asyncio.to_thread(_drawn, shown, words.locale)
    return discord.File(BytesIO(png), PICTURE, description=alt_text(shown, words))


def _drawn(shown: Plot, locale: str) -> bytes:
    from bot.commands.usage_plot import draw  # Pillow comes with the first picture

    return draw(shown, locale)


# -------------------------------------------------------------------------------------------------------------- the file


async def _send_file(interaction: Interaction, at: Control) -> None:
    words, span = words_of(interaction), span_of(at.period, _today())
    pages = newest_first(_ledger(interaction), span, _where(interaction, at.whose))
    file = await written(pages, _names(interaction), interaction.user.id, min(LARGEST_FILE, interaction.filesize_limit))
    if not file.rows:
        await whisper(interaction, words("usage-nothing"))
        return
    told = words("usage-csv-done") if file.cut_at is None else words("usage-csv-cut", day=words.date(file.cut_at))
    attachment = discord.File(BytesIO(file.data), f"usage-{span.first}-{span.last}.csv")
    await interaction.followup.send(told, file=attachment, ephemeral=True, allowed_mentions=NOBODY)


def _names(interaction: Interaction) -> Names:
    """As this process happens to know them: nobody is asked for thousands of names."""
    client: discord.Client = interaction.client
    return Names(
        guild=lambda id_: _name(client.get_guild(id_)),
        channel=lambda id_: _name(client.get_channel(id_)),
        user=lambda id_: _name(interaction.user if id_ == interaction.user.id else client.get_user(id_)),
    )


def _name(known: object) -> str:
    """Of a direct message, which has none, or of what is not known: nothing."""
    return str(getattr(known, "name", ""))


def _ledger(interaction: Interaction) -> Ledger:
    ledger: Ledger = interaction.client.desk.ledger
    return ledger


def _today() -> date:
    return discord.utils.utcnow().date()
