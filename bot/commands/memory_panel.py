"""What `/memory` shows: a page of notes, and what can be done with them. Plain values in, an embed and its items out."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from enum import StrEnum
from typing import Any, TypeAlias

import discord
import msgspec
from discord import ui

from bot.localization import Words
from bot.store import KeptNote, Subject
from bot.store.memories import DIRECT

PAGE = 5
"""Notes of a page: with the longest ones, their text fits an embed's 4,096 characters even where Discord counts one as two."""
LAST_PAGE = 999
_LONGEST_LABEL = 100
"""Of an option in a select (https://docs.discord.com/developers/components/reference#string-select)."""

Items: TypeAlias = Sequence[ui.Item[Any]]


class About(StrEnum):
    ME = "me"
    SERVER = "server"


class Deed(StrEnum):
    SHOW = "show"
    ADD = "add"
    CHANGE = "change"
    """The note that is chosen."""
    DELETE = "delete"
    """Those that are chosen."""
    ON = "on"
    OFF = "off"


class PanelControl(msgspec.Struct, frozen=True):
    """What a press asks for."""

    deed: Deed
    user_id: int
    """Whom it was shown to."""
    about: About
    page_nr: int
    """From 1: the page that is shown, or with SHOW shall be."""


TEMPLATE = re.compile(
    rf"parley:memory:(?P<deed>{'|'.join(Deed)}):(?P<user_id>[0-9]{{1,20}}):(?P<about>{'|'.join(About)}):(?P<page>[0-9]{{1,3}})"
)


def custom_id(control: PanelControl) -> str:
    return f"parley:memory:{control.deed}:{control.user_id}:{control.about}:{control.page_nr}"


def read(match: re.Match[str]) -> PanelControl:
    """Of TEMPLATE."""
    return PanelControl(Deed(match["deed"]), int(match["user_id"]), About(match["about"]), int(match["page"]))


class PanelState(msgspec.Struct, frozen=True):
    """What a panel shows, to whom."""

    user_id: int
    subject: Subject
    notes: Sequence[KeptNote]
    is_on: bool
    """Memory is, of the subject."""
    may_write: bool
    page_nr: int = 1

    @property
    def about(self) -> About:
        return About.SERVER if self.subject.user_id is None else About.ME


def panel(state: PanelState, words: Words) -> tuple[discord.Embed, Items]:
    """A page that there is not any more is the last one."""
    page_count = max(1, -(-len(state.notes) // PAGE))
    page_nr = min(max(state.page_nr, 1), page_count)
    state = msgspec.structs.replace(state, page_nr=page_nr)
    first = (page_nr - 1) * PAGE
    shown = list(enumerate(state.notes[first : first + PAGE], first + 1))
    lines = [words(_heading(state), count=len(state.notes), most=state.subject.most)]
    lines += [f"{number}. `{note.text}`" for number, note in shown]
    embed = discord.Embed(title=words(f"memory-title-{state.about}"), description="\n".join(lines))
    if page_count > 1:
        embed.set_footer(text=words("memory-page", page=page_nr, count=page_count))
    return embed, [*_selects(state, shown, words), *_buttons(state, page_count, words)]


def _heading(state: PanelState) -> str:
    if state.about is About.SERVER:
        return "memory-of-server"
    place = "direct" if state.subject.guild_id == DIRECT else "server"
    return f"memory-{'is-on' if state.is_on else 'is-off'}-{place}"


def _selects(state: PanelState, shown: Sequence[tuple[int, KeptNote]], words: Words) -> Iterator[ui.Item[Any]]:
    if not shown or not state.may_write:
        return
    options = [
        discord.SelectOption(label=_cut(f"{number}. {note.text}"), value=str(note.note_id)) for number, note in shown
    ]
    for deed, most in ((Deed.CHANGE, 1), (Deed.DELETE, len(options))):
        yield ui.Select(
            custom_id=_id(state, deed), placeholder=words(f"memory-{deed}"), max_values=most, options=options
        )


def _buttons(state: PanelState, page_count: int, words: Words) -> Iterator[ui.Item[Any]]:
    def button(deed: Deed, key: str, style: discord.ButtonStyle = discord.ButtonStyle.secondary) -> ui.Item[Any]:
        return ui.Button(custom_id=_id(state, deed), label=words(key), style=style)

    def turn(emoji: str, page_nr: int) -> ui.Item[Any]:
        return ui.Button(custom_id=_id(state, Deed.SHOW, page_nr), emoji=emoji, disabled=not 1 <= page_nr <= page_count)

    if page_count > 1:
        yield turn("◀️", state.page_nr - 1)
        yield turn("▶️", state.page_nr + 1)
    if not state.is_on:
        yield button(Deed.ON, "memory-on", discord.ButtonStyle.primary)
    elif state.may_write:
        yield button(Deed.ADD, "memory-add", discord.ButtonStyle.primary)
    if state.is_on and state.about is About.ME:
        yield button(Deed.OFF, "memory-off", discord.ButtonStyle.danger)


def _id(state: PanelState, deed: Deed, page_nr: int | None = None) -> str:
    return custom_id(PanelControl(deed, state.user_id, state.about, state.page_nr if page_nr is None else page_nr))


def _cut(text: str) -> str:
    return text if len(text) <= _LONGEST_LABEL else text[: _LONGEST_LABEL - 1] + "…"
