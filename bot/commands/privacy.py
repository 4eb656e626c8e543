"""`/privacy`: what is stored, what goes to whom, and how to delete it; in the reader's language, and made of the facts.

It says nothing that the code does not hold: who changes what is kept, or sent, changes these words.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from typing import Any

import discord
from discord import app_commands

from bot.commands.panels import show
from bot.commands.reach import ANYWHERE, BROUGHT_ALONG
from bot.commands.words import said
from bot.gateway.admission.visits import location_of_asker
from bot.gateway.interactions import admitted, words_of
from bot.localization import Translator, Words
from bot.store.memories import LONGEST_NOTE
from bot.store.turns import KEEP
from bot.store.usage import KEPT_DAYS
from bot.turn.recipients import Recipients

LONGEST_FIELD = 1024
"""Code points of a field of an embed (https://docs.discord.com/developers/resources/message#embed-object-embed-limits)."""


def privacy_commands(translator: Translator) -> Sequence[app_commands.Command[Any, ..., Any]]:
    @app_commands.command(
        name=said(translator, "command-privacy"), description=said(translator, "command-privacy-description")
    )
    async def privacy(interaction: discord.Interaction[Any]) -> None:
        if await admitted(interaction, own_data=True):
            to = await interaction.client.recipients.at(location_of_asker(interaction))
            await show(interaction, privacy_embed(to, interaction.client.intents, words_of(interaction)))

    privacy.allowed_contexts = ANYWHERE
    privacy.allowed_installs = BROUGHT_ALONG
    return (privacy,)


def privacy_embed(to: Recipients, intents: discord.Intents, words: Words) -> discord.Embed:
    embed = discord.Embed(title=words("privacy-title"))
    for topic, lines in (
        ("reads", _reads(intents, words)),
        ("stores", _stores(words)),
        ("sends", _sends(to, words)),
        ("delete", iter([words("privacy-delete")])),
    ):
        for nr, value in enumerate(_in_fields(lines)):
            embed.add_field(name="\u200b" if nr else words(f"privacy-{topic}-title"), value=value, inline=False)
    return embed


def _in_fields(lines: Iterable[str]) -> Iterator[str]:
    """As few values of fields as take them."""
    value = ""
    for line in lines:
        longer = f"{value}\n{line}" if value else line
        if value and len(longer) > LONGEST_FIELD:
            yield value
            value = line
        else:
            value = longer
    yield value


def _reads(intents: discord.Intents, words: Words) -> Iterator[str]:
    yield words("privacy-reads-all" if intents.message_content else "privacy-reads-mine")
    if intents.members or intents.presences:
        yield words("privacy-reads-people")


def _stores(words: Words) -> Iterator[str]:
    yield words("privacy-stores-answers", days=KEEP.days)
    yield words("privacy-stores-notes", longest=LONGEST_NOTE)
    yield words("privacy-stores-summaries")
    yield words("privacy-stores-choices")
    yield words("privacy-stores-keys")
    yield words("privacy-stores-usage", days=KEPT_DAYS)
    yield words("privacy-stores-files")


def _sends(to: Recipients, words: Words) -> Iterator[str]:
    if to.provider:
        yield words("privacy-sends-model", provider=to.provider, host=to.provider_host or "?")
    else:
        yield words("privacy-sends-nothing")
    if to.others_differ:
        yield words("privacy-sends-others")
    if to.speech_host:
        yield words("privacy-sends-speech", host=to.speech_host)
    yield words("privacy-sends-discord")
