"""The form in which a persona is written: a modal, which must be the first answer to its command."""

from __future__ import annotations

from typing import Any

import discord
import msgspec
from discord import ui

from bot.commands.options import BadValue, read_words
from bot.commands.persona_keeping import keep, personas_of, read_portrait, server_of, shown
from bot.conversation.character_cards import LONGEST_TRIGGER_WORD, MOST_TRIGGER_WORDS
from bot.conversation.people import safe_line
from bot.gateway.avatars import LARGEST_PICTURE
from bot.gateway.interactions import LONGEST_INPUT, GatedModal, whisper, words_of
from bot.localization import Words
from bot.persona import LONGEST_NAME, Persona


class _Field(msgspec.Struct, frozen=True):
    """Its words in locales/ are persona-form-NAME, and -hint."""

    name: str
    """Of Persona."""
    longest: int
    required: bool = False
    lines: bool = False


_FIELDS = (
    _Field("name", LONGEST_NAME, required=True),
    _Field("prompt", LONGEST_INPUT, lines=True),
    _Field("greeting", LONGEST_INPUT, lines=True),
    _Field("note", LONGEST_INPUT, lines=True),
    _Field("trigger_words", LONGEST_INPUT),
)


class PersonaForm(GatedModal):
    def __init__(self, words: Words, persona: Persona | None, picture: discord.Attachment | None) -> None:
        """`persona`: the one that is changed; None: a new one. `picture`: the new one, if there is any."""
        super().__init__(words("persona-form-create" if persona is None else "persona-form-edit"))
        self._name = persona.name if persona else None
        self._picture = picture
        self._inputs: dict[str, ui.TextInput[PersonaForm]] = {}
        for field in _FIELDS:
            self._add(field, _text_of(persona, field.name) if persona else "", words)

    def _add(self, field: _Field, text: str, words: Words) -> None:
        label = words(f"persona-form-{field.name.replace('_', '-')}")
        if len(text) > field.longest:
            self.add_item(ui.TextDisplay(words("persona-form-too-long", field=label, length=len(text))))
            return
        self._inputs[field.name] = ui.TextInput(
            custom_id=field.name,
            style=discord.TextStyle.paragraph if field.lines else discord.TextStyle.short,
            required=field.required,
            max_length=field.longest,
            default=text or None,
        )
        hint = words(f"persona-form-{field.name.replace('_', '-')}-hint")
        self.add_item(ui.Label(text=label, description=hint, component=self._inputs[field.name]))

    async def on_submit(self, interaction: discord.Interaction[Any], /) -> None:
        words = words_of(interaction)
        try:
            await whisper(interaction, await self._keep(interaction, words))
        except BadValue as error:
            await whisper(interaction, words(error.key, **error.arguments))

    async def _keep(self, interaction: discord.Interaction[Any], words: Words) -> str:
        guild_id = server_of(interaction)
        written: dict[str, Any] = {name: given.value.strip() for name, given in self._inputs.items()}
        if not (name := safe_line(written["name"], LONGEST_NAME)):
            raise BadValue("persona-bad-name", most=LONGEST_NAME)
        written |= {"name": name, "trigger_words": _trigger_words(written["trigger_words"])}
        # As it is now: it may have been changed while the form was open.
        old = await personas_of(interaction).whole(guild_id, self._name) if self._name is not None else None
        avatar = await read_portrait(self._picture, LARGEST_PICTURE) if self._picture is not None else None
        persona = msgspec.structs.replace(old.persona if old else Persona(name), **written)
        kept = await keep(interaction, guild_id, persona, avatar=avatar, instead_of=self._name)
        told = words("persona-created" if old is None else "persona-changed", name=shown(kept.name))
        return told if avatar is None or kept.avatar_url else f"{told}\n{words('persona-picture-not-taken')}"


def _text_of(persona: Persona, name: str) -> str:
    value = getattr(persona, name)
    return value if isinstance(value, str) else ", ".join(value)


def _trigger_words(given: str) -> tuple[str, ...]:
    """Raises BadValue."""
    words = read_words(given)
    if len(words) > MOST_TRIGGER_WORDS or any(len(word) > LONGEST_TRIGGER_WORD for word in words):
        raise BadValue("settings-allowed-words", most=MOST_TRIGGER_WORDS, longest=LONGEST_TRIGGER_WORD)
    return words
