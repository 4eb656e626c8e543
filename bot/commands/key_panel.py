"""What `/keys` shows: the keys, what can be done with them, and the question before one is deleted. Plain values in, an embed and its
items out."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from enum import StrEnum
from typing import Any, TypeAlias
from urllib.parse import urlsplit

import discord
import msgspec
from discord import ui

from bot.commands.choosing import Where
from bot.commands.key_form import provider_name, provider_select
from bot.delivery.foreign_text import as_code
from bot.localization import Words
from bot.store import KeptKey
from bot.store.keys import MOST_KEYS
from bot.turn.keyring import Owner, Verdict

LONGEST_HOST = 40
"""Code points: with it, as many keys as there can be fit into an embed."""
Items: TypeAlias = Sequence[ui.Item[Any]]


class KeyDeed(StrEnum):
    SHOW = "show"
    ADD = "add"
    """For the provider that is chosen."""
    TEST = "test"
    """The key that is chosen."""
    ASK = "ask"
    """Whether the key that is chosen shall be deleted."""
    DELETE = "delete"
    KEEP = "keep"
    """Though it could not be tried."""


class KeyControl(msgspec.Struct, frozen=True):
    """What a press asks for."""

    deed: KeyDeed
    user_id: int
    """Whom it was shown to."""
    where: Where
    subject: str = ""
    """DELETE: the key's id. KEEP: by what it waits (bot.turn.keyring)."""


_OFFERED = (Where.ME, Where.SERVER)
TEMPLATE = re.compile(
    rf"parley:keys:(?P<deed>{'|'.join(KeyDeed)}):(?P<user_id>[0-9]{{1,20}}):(?P<where>{'|'.join(_OFFERED)}):(?P<subject>[0-9a-f]{{0,16}})"
)


def custom_id(control: KeyControl) -> str:
    return f"parley:keys:{control.deed}:{control.user_id}:{control.where}:{control.subject}"


def read(match: re.Match[str]) -> KeyControl:
    """Of TEMPLATE."""
    return KeyControl(KeyDeed(match["deed"]), int(match["user_id"]), Where(match["where"]), match["subject"])


class KeyPanel(msgspec.Struct, frozen=True):
    """What a panel shows, to whom."""

    user_id: int
    where: Where
    owner: Owner
    keys: Sequence[KeptKey]
    notice: str = ""
    """What came of the last press."""
    waiting: str = ""
    """By what a key is kept that could not be tried."""


def panel(shown: KeyPanel, words: Words) -> tuple[discord.Embed, Items]:
    lines = [shown.notice, ""] if shown.notice else []
    lines.append(words(f"keys-of-{shown.where}", count=len(shown.keys), most=MOST_KEYS[shown.owner.scope]))
    for number, key in enumerate(shown.keys, 1):
        lines += [f"{number}. {_about(key, words)}", f"-# {_state(key, words)}"]
    if not all(key.opens for key in shown.keys):
        lines += ["", words("keys-unusable")]  # once: with each of twenty, they would not fit
    embed = discord.Embed(title=words("keys-title"), description="\n".join(lines))
    embed.set_footer(text=words("keys-footer"))
    return embed, list(_items(shown, words))


def question(control: KeyControl, key: KeptKey, words: Words) -> tuple[discord.Embed, Items]:
    """Before a key is deleted."""
    description = f"{words('keys-delete-question')}\n{_about(key, words)}"
    deed, back = (
        msgspec.structs.replace(control, deed=deed, subject=subject)
        for deed, subject in ((KeyDeed.DELETE, str(key.key_id)), (KeyDeed.SHOW, ""))
    )
    items: Items = [
        ui.Button(custom_id=custom_id(deed), label=words("keys-delete-do"), style=discord.ButtonStyle.danger),
        ui.Button(custom_id=custom_id(back), label=words("keys-back")),
    ]
    return discord.Embed(title=words("keys-title"), description=description), items


def short(key: KeptKey, words: Words) -> str:
    """One line without marks, for a select."""
    told = f"…{key.last_four}" if key.last_four else words("keys-hidden")
    host = f" · {_host(key)}" if key.base_url else ""
    return f"{provider_name(key.provider, words)}{host} · {told}"[:100]


def _about(key: KeptKey, words: Words) -> str:
    host = as_code(_host(key), LONGEST_HOST) if key.base_url else words("keys-own-address")
    told = as_code(f"…{key.last_four}") if key.last_four else words("keys-hidden")
    by = f" · <@{key.added_by}>" if key.added_by else ""
    when = discord.utils.format_dt(key.added_at, "d")
    return f"**{provider_name(key.provider, words)}** · {host} · {told}{by} · {when}"


def _state(key: KeptKey, words: Words) -> str:
    if not key.opens:
        return "⚠️"
    if key.tested_at is None or key.verdict not in set(Verdict):
        return words("keys-untested")
    told = words(f"keys-state-{key.verdict}")
    return f"{told} · {discord.utils.format_dt(key.tested_at, 'R')}"


def _host(key: KeptKey) -> str:
    """Without a path: an address may have a secret in it."""
    return urlsplit(key.base_url).netloc.rpartition("@")[2]


def _items(shown: KeyPanel, words: Words) -> Iterator[ui.Item[Any]]:
    def made(deed: KeyDeed, subject: str = "") -> str:
        return custom_id(KeyControl(deed, shown.user_id, shown.where, subject))

    if len(shown.keys) < MOST_KEYS[shown.owner.scope]:
        yield provider_select(made(KeyDeed.ADD), words("keys-add"), words)
    options = [
        discord.SelectOption(label=f"{number}. {short(key, words)}"[:100], value=str(key.key_id))
        for number, key in enumerate(shown.keys, 1)
    ]
    if options:
        yield ui.Select(custom_id=made(KeyDeed.TEST), placeholder=words("keys-test"), options=options)
        yield ui.Select(custom_id=made(KeyDeed.ASK), placeholder=words("keys-delete"), options=options)
    if shown.waiting:
        yield ui.Button(
            custom_id=made(KeyDeed.KEEP, shown.waiting), label=words("keys-keep"), style=discord.ButtonStyle.primary
        )
