"""Who changed what: the history behind the panel of settings, a page of deeds at a time. Plain values in, an embed and its items out."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import groupby
from typing import Any

import discord
import msgspec
from discord import ui

from bot.commands.options import option
from bot.commands.setting_panel import Control, Deed, Items, button, scope_name
from bot.delivery.foreign_text import as_code
from bot.localization import Words
from bot.preferences import SETTINGS
from bot.store.models import SettingChange

DEEDS = 5
"""Of a page; with MOST_CHANGES of each, they fit into an embed."""
MOST_CHANGES = 5
SHOWN_VALUE = 40
"""Code points of a value."""


def history(
    at: Control, changes: Sequence[SettingChange], in_server: bool, words: Words
) -> tuple[discord.Embed, Items]:
    """`changes`: the newest first. A page that there is not is the last one."""
    deeds = [list(deed) for _, deed in groupby(changes, key=lambda change: change.deed_id)]
    page_count = max(1, -(-len(deeds) // DEEDS))
    page = min(at.history_page, page_count - 1)
    shown = deeds[page * DEEDS :][:DEEDS]
    lines = [line for deed in shown for line in _told(deed, words)] or [words("history-none")]
    title = words("settings-history-title", place=scope_name(at.scope, in_server, words))
    embed = discord.Embed(title=title, description="\n".join(lines))
    if page_count > 1:
        embed.set_footer(text=words("settings-history-page", page=page + 1, pages=page_count))
    return embed, list(_buttons(at, page, page_count, words))


def told_undone(changes: Sequence[SettingChange], words: Words) -> Sequence[str]:
    """What was taken back, in lines."""
    lines = [
        f"{_name(change, words)}: {_value(change, change.new, words)} → {_value(change, change.old, words)}"
        for change in changes
    ]
    return [words("undo-done"), *_bounded(lines, words)]


def _told(deed: Sequence[SettingChange], words: Words) -> Iterator[str]:
    first = deed[0]
    who = f"<@{first.changed_by}>" if first.changed_by else words("history-somebody")
    yield f"{discord.utils.format_dt(first.at, 'R')} {who}"
    for line in _bounded([_change(change, words) for change in deed], words):
        yield f"- {line}"


def _change(change: SettingChange, words: Words) -> str:
    line = f"{_name(change, words)}: {_value(change, change.old, words)} → {_value(change, change.new, words)}"
    return f"~~{line}~~" if change.undone else line


def _bounded(lines: Sequence[str], words: Words) -> Sequence[str]:
    more = len(lines) - MOST_CHANGES
    return lines if more <= 0 else [*lines[:MOST_CHANGES], words("settings-and-more", count=more)]


def _name(change: SettingChange, words: Words) -> str:
    setting = SETTINGS.get(change.name)
    return option(setting, words).name if setting is not None else as_code(change.name)


def _value(change: SettingChange, json: str | None, words: Words) -> str:
    """As the panel has it, where that is short; "–": nothing was chosen."""
    if json is None:
        return "–"
    setting = SETTINGS.get(change.name)
    value: Any = msgspec.json.decode(json)
    if setting is not None:
        try:
            shown = option(setting, words).shown(setting.converted(value))
        except msgspec.ValidationError:
            pass  # of another version of the code
        else:
            if len(shown) <= SHOWN_VALUE:
                return shown
    return as_code(value if isinstance(value, str) and value else json, SHOWN_VALUE)


def _buttons(at: Control, page: int, page_count: int, words: Words) -> Iterator[ui.Item[ui.View]]:
    if page_count > 1:
        for emoji, to in (("◀️", page - 1), ("▶️", page + 1)):
            turned = at.now(Deed.HISTORY, history_page=max(to, 0))
            yield button(turned, words, emoji=emoji, disabled=not 0 <= to < page_count)
    yield button(at.now(Deed.UNDO, history_page=0), words)
    yield button(at.now(Deed.BACK, history_page=0), words)
    yield button(at.now(Deed.CLOSE, history_page=0), words)
