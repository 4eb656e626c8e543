"""`/memory`: what is kept of oneself here, or of the server, and changing it.

Of oneself everybody decides alone; the server's notes everybody may read, and who manages the server writes them. What is kept is
kept as the model is told it: one line, without what cannot be seen.
"""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Mapping, Sequence
from functools import partial
from typing import Any, TypeAlias

import discord
from discord import app_commands, ui

from bot.commands.memory_panel import LAST_PAGE, TEMPLATE, About, Deed, PanelControl, PanelState, panel, read
from bot.commands.panels import IN_PANEL, PanelItem, picked, pressed, show
from bot.commands.reach import BROUGHT_ALONG, WITH_THE_BOT
from bot.commands.words import said
from bot.conversation.people import safe_line
from bot.gateway.admission.gate import may_manage
from bot.gateway.interactions import GatedModal, admitted, whisper, words_of
from bot.localization import Translator, Words
from bot.store import Memories, Subject
from bot.store.memories import DIRECT, LONGEST_NOTE, AlreadyKept, MemoryFull, MemoryOff, NotKept

Interaction: TypeAlias = discord.Interaction[Any]


def memory_commands(translator: Translator) -> Sequence[app_commands.Command[Any, ..., Any]]:
    @app_commands.command(
        name=said(translator, "command-memory"), description=said(translator, "command-memory-description")
    )
    @app_commands.describe(about=said(translator, "memory-about"))
    @app_commands.choices(about=about_choices(translator))
    async def memory(interaction: Interaction, about: str = About.ME.value) -> None:
        if await admitted(interaction, own_data=about == About.ME):
            await show_notes(interaction, About(about))

    memory.allowed_contexts = WITH_THE_BOT
    memory.allowed_installs = BROUGHT_ALONG
    return (memory,)


def about_choices(translator: Translator) -> list[app_commands.Choice[str]]:
    return [app_commands.Choice(name=said(translator, f"memory-about-{about}"), value=about.value) for about in About]


async def show_notes(interaction: Interaction, about: About, page_nr: int = 1) -> None:
    """The panel, as the answer to an acknowledged interaction."""
    words = words_of(interaction)
    if about is About.SERVER and interaction.guild_id is None:
        await whisper(interaction, words("memory-no-server"))
        return
    memories, subject = _memories(interaction), _subject(interaction, about)
    state = PanelState(
        user_id=interaction.user.id,
        subject=subject,
        notes=await memories.of(subject),
        is_on=await memories.is_on(subject),
        may_write=may_write(interaction, about),
        page_nr=page_nr,
    )
    await show(interaction, *panel(state, words))


async def is_on(interaction: Interaction) -> bool:
    """Whether who is here switched memory on here."""
    return await _memories(interaction).is_on(_subject(interaction, About.ME))


async def switch_on(interaction: Interaction) -> None:
    await _memories(interaction).switch_on(_subject(interaction, About.ME))


def may_write(interaction: Interaction, about: About) -> bool:
    return about is About.ME or (interaction.guild_id is not None and may_manage(interaction.permissions))


async def keep(interaction: Interaction, about: About, text: str) -> bool:
    """Keep a note as who is here wishes; False where it was not, and they were told why."""
    add = _memories(interaction).add(_subject(interaction, about), note_line(text), by=interaction.user.id)
    return await _kept(interaction, add)


async def _kept(interaction: Interaction, writing: Awaitable[Any]) -> bool:
    try:
        await writing
        return True
    except NotKept as problem:
        key = _PROBLEMS.get(type(problem), "memory-problem-none")
        most = problem.args[0] if problem.args else 0
        await whisper(interaction, words_of(interaction)(key, most=most, longest=LONGEST_NOTE))
        return False


_PROBLEMS: Mapping[type[NotKept], str] = {
    MemoryOff: "memory-problem-off",
    MemoryFull: "memory-problem-full",
    AlreadyKept: "memory-problem-known",
}


def note_line(text: str) -> str:
    """As the model is told it (bot.conversation.aside)."""
    return safe_line(text, LONGEST_NOTE)


class MemoryItem(PanelItem[PanelControl], ui.DynamicItem[ui.Item[Any]], template=TEMPLATE):
    """A button or select of the panel."""

    read = staticmethod(read)

    async def callback(self, interaction: Interaction) -> None:
        control = self._control
        opens_modal = control.deed in (Deed.ADD, Deed.CHANGE)
        own_data = control.about is About.ME and control.deed in (Deed.SHOW, Deed.DELETE, Deed.OFF)
        deed = partial(_do, interaction, control)
        await pressed(interaction, control.user_id, deed, opens_modal=opens_modal, own_data=own_data)


async def _do(interaction: Interaction, control: PanelControl) -> None:
    if control.deed is not Deed.SHOW and not may_write(interaction, control.about):
        await whisper(interaction, words_of(interaction)("command-not-allowed"))
        return
    await _DEEDS[control.deed](interaction, control)


async def _show(interaction: Interaction, control: PanelControl) -> None:
    await show_notes(interaction, control.about, control.page_nr)


async def _switch_on(interaction: Interaction, control: PanelControl) -> None:
    if control.about is About.ME:
        await switch_on(interaction)
    await _show(interaction, control)


async def _switch_off(interaction: Interaction, control: PanelControl) -> None:
    if control.about is About.ME:
        await _memories(interaction).switch_off(_subject(interaction, control.about))
    await _show(interaction, control)


async def _delete(interaction: Interaction, control: PanelControl) -> None:
    for note_id in _chosen(interaction):
        await _memories(interaction).delete(_subject(interaction, control.about), note_id)
    await _show(interaction, control)


async def _add(interaction: Interaction, control: PanelControl) -> None:
    await interaction.response.send_modal(NoteModal(control, words_of(interaction)))


async def _change(interaction: Interaction, control: PanelControl) -> None:
    notes = await _memories(interaction).of(_subject(interaction, control.about))
    note = next((note for note in notes if note.note_id in _chosen(interaction)), None)
    if note is None:
        await whisper(interaction, words_of(interaction)("memory-note-gone"))
        return
    await interaction.response.send_modal(NoteModal(control, words_of(interaction), note.note_id, note.text))


_DEEDS: Mapping[Deed, Callable[[Interaction, PanelControl], Awaitable[None]]] = {
    Deed.SHOW: _show,
    Deed.ON: _switch_on,
    Deed.OFF: _switch_off,
    Deed.DELETE: _delete,
    Deed.ADD: _add,
    Deed.CHANGE: _change,
}


def _chosen(interaction: Interaction) -> Sequence[int]:
    """The note ids of a select. Whose they are is asked all the same."""
    return [int(value) for value in picked(interaction) if value.isdecimal()]


class NoteModal(GatedModal):
    """The text of a note: a new one, or one that there is."""

    door = IN_PANEL

    def __init__(self, control: PanelControl, words: Words, note_id: int | None = None, text: str = "") -> None:
        super().__init__(words("memory-modal-title"))
        self._control = control
        self._note_id = note_id
        self._text = note_input(text)
        self.add_item(ui.Label(text=words(f"memory-modal-label-{control.about}"), component=self._text))

    async def on_submit(self, interaction: Interaction, /) -> None:
        about, page_nr = self._control.about, self._control.page_nr
        if not may_write(interaction, about):
            await whisper(interaction, words_of(interaction)("command-not-allowed"))
            return
        if self._note_id is None:
            kept, page_nr = await keep(interaction, about, self._text.value), LAST_PAGE
        else:
            text, subject = note_line(self._text.value), _subject(interaction, about)
            kept = await _kept(interaction, _memories(interaction).edit(subject, self._note_id, text))
        if kept:
            await show_notes(interaction, about, page_nr)


def note_input(text: str) -> ui.TextInput[Any]:
    return ui.TextInput(
        custom_id="note", style=discord.TextStyle.paragraph, default=text or None, max_length=LONGEST_NOTE
    )


def _memories(interaction: Interaction) -> Memories:
    memories: Memories = interaction.client.memories
    return memories


def _subject(interaction: Interaction, about: About) -> Subject:
    return Subject(interaction.guild_id or DIRECT, interaction.user.id if about is About.ME else None)
