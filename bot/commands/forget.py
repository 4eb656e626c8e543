"""`/forget`: everything that is kept of a person, or of what was said in a server, deleted at a second word."""

from __future__ import annotations

import re
from collections.abc import Sequence
from functools import partial
from typing import Any, Self, TypeAlias

import discord
import structlog
from discord import app_commands, ui

from bot.commands.memory import about_choices, may_write
from bot.commands.memory_panel import About
from bot.commands.panels import pressed, show
from bot.commands.reach import ANYWHERE, BROUGHT_ALONG
from bot.commands.words import said
from bot.delivery.refusals import FAILURES
from bot.gateway.interactions import admitted, whisper, words_of
from bot.localization import Translator
from bot.preferences import Scope
from bot.store import Forgetting, Forgotten

log = structlog.get_logger()

Interaction: TypeAlias = discord.Interaction[Any]

_TEMPLATE = re.compile(rf"parley:forget:(?P<about>{'|'.join(About)}):(?P<user_id>[0-9]{{1,20}})")


def forget_commands(translator: Translator) -> Sequence[app_commands.Command[Any, ..., Any]]:
    @app_commands.command(
        name=said(translator, "command-forget"), description=said(translator, "command-forget-description")
    )
    @app_commands.describe(about=said(translator, "forget-about"))
    @app_commands.choices(about=about_choices(translator))
    async def forget(interaction: Interaction, about: str = About.ME.value) -> None:
        if await admitted(interaction, own_data=about == About.ME) and await _may(interaction, About(about)):
            await _ask(interaction, About(about))

    # Also where the bot is not: what was asked there is kept too.
    forget.allowed_contexts = ANYWHERE
    forget.allowed_installs = BROUGHT_ALONG
    return (forget,)


async def _may(interaction: Interaction, about: About) -> bool:
    """Who may not is told so."""
    if may_write(interaction, about):
        return True
    key = "memory-no-server" if interaction.guild_id is None else "command-not-allowed"
    await whisper(interaction, words_of(interaction)(key))
    return False


async def _ask(interaction: Interaction, about: About) -> None:
    words = words_of(interaction)
    lines = [words(f"forget-what-{about}")]
    if about is About.ME:
        lines.append(words("forget-what-keys"))
    embed = discord.Embed(title=words("forget-title"), description="\n".join(lines))
    button: ui.Button[Any] = ui.Button(
        custom_id=f"parley:forget:{about}:{interaction.user.id}",
        label=words("forget-do"),
        style=discord.ButtonStyle.danger,
    )
    await show(interaction, embed, [button])


class ForgetItem(ui.DynamicItem[ui.Button[Any]], template=_TEMPLATE):
    """The second word."""

    def __init__(self, about: About, user_id: int, button: ui.Button[Any]) -> None:
        super().__init__(button)
        self._about = about
        self._user_id = user_id

    @classmethod
    async def from_custom_id(
        cls, _interaction: discord.Interaction, item: ui.Item[Any], match: re.Match[str], /
    ) -> Self:
        assert isinstance(item, ui.Button)
        return cls(About(match["about"]), int(match["user_id"]), item)

    async def callback(self, interaction: Interaction) -> None:
        deed = partial(_forget, interaction, self._about)
        await pressed(interaction, self._user_id, deed, own_data=self._about is About.ME)


async def _forget(interaction: Interaction, about: About) -> None:
    if not await _may(interaction, about):
        return
    forgetting: Forgetting = interaction.client.forgetting
    if about is About.SERVER and interaction.guild_id is not None:
        gone = await forgetting.server(interaction.guild_id)
    else:
        await interaction.client.desk.parts.spending.forget(interaction.user.id)
        gone = await forgetting.person(interaction.user.id, await _direct_channel_id(interaction))
        await interaction.client.preferences.forget(Scope.PERSON, interaction.user.id)  # what is in memory, too
    log.info("forgotten", about=about, notes=gone.notes, questions=gone.questions, summaries=gone.summaries)
    words = words_of(interaction)
    description = words(f"forget-done-{about}", **_numbers(gone))
    await show(interaction, discord.Embed(title=words("forget-title"), description=description))


def _numbers(gone: Forgotten) -> dict[str, int]:
    return {"notes": gone.notes, "questions": gone.questions, "summaries": gone.summaries}


async def _direct_channel_id(interaction: Interaction) -> int | None:
    """Where the person talks with us alone; Discord opens such a channel without their seeing it."""
    try:
        return (await interaction.user.create_dm()).id
    except FAILURES as error:
        log.info("no_direct_channel", error=str(error))
        return None
