"""The steps of `/setup` as they are shown. Plain values in, an embed and its items out.

All that was chosen so far is kept where it belongs (keys, preferences), so the id of what is pressed says the step and no more.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from enum import StrEnum
from typing import Any, TypeAlias

import discord
import msgspec
from discord import ui

from bot.commands.key_form import provider_name, provider_select
from bot.commands.language import AS_DISCORD, own_name
from bot.delivery.foreign_text import as_code
from bot.localization import Words
from bot.preferences import Answering, ChosenModel

Items: TypeAlias = Sequence[ui.Item[Any]]
MOST_MODELS = 25
LONGEST_MODEL = 100
"""Code points; what Discord takes as the value of a select."""


class Step(StrEnum):
    """What a press asks for."""

    START = "start"
    PROVIDER = "provider"
    """The provider that is chosen: its key is wanted, or its models are shown."""
    KEEP = "keep"
    """A key that could not be tried."""
    MODEL = "model"
    """The model that is chosen shall answer."""
    KEY = "key"
    """Another key for the same provider, or one at another address."""
    OTHER = "other"
    """One that is not shown: by its name."""
    PLACE = "place"
    """Where and how to answer."""
    ANSWERING = "answering"
    LANGUAGE = "language"
    DONE = "done"
    HELLO = "hello"
    """A first question is asked."""
    CANCEL = "cancel"


TEMPLATE = re.compile(
    rf"parley:setup:(?P<step>{'|'.join(Step)}):(?P<user_id>[0-9]{{1,20}}):(?P<subject>[0-9a-f]{{0,16}})"
)


class SetupControl(msgspec.Struct, frozen=True):
    step: Step
    user_id: int
    """Whom it was shown to."""
    subject: str = ""
    """MODEL, OTHER, KEY: the id of the key. KEEP: by what it waits (bot.turn.keyring)."""


def read(match: re.Match[str]) -> SetupControl:
    """Of TEMPLATE."""
    return SetupControl(Step(match["step"]), int(match["user_id"]), match["subject"])


class State(msgspec.Struct, frozen=True):
    """How the server is set up, where the wizard was called."""

    user_id: int
    model: ChosenModel | None
    """Which answers; None: none does."""
    answering: Answering
    locale: str = ""
    """Chosen for the server; empty: as Discord says."""
    key_count: int = 0
    why_none: str = ""
    """Words for why no model answers, where one was chosen."""
    reads_all: bool = True
    """Discord gives the bot messages that do not mention it, too."""


def start(state: State, words: Words, notice: str = "", waiting: str = "") -> tuple[discord.Embed, Items]:
    lines = [notice, ""] if notice else []
    lines += [_model_line(state, words), _answering_line(state, words), _language_line(state, words)]
    lines.append(words("setup-keys", count=state.key_count))
    lines += ["", words("setup-choose-provider" if state.model is None else "setup-go-on-or-choose")]
    items: list[ui.Item[Any]] = [provider_select(_id(state, Step.PROVIDER), words("setup-provider"), words)]
    if waiting:
        items.append(_button(state, Step.KEEP, "keys-keep", words, waiting, primary=True))
    elif state.model is not None:
        items.append(_button(state, Step.PLACE, "setup-go-on", words, primary=True))
    items.append(_button(state, Step.CANCEL, "setup-cancel", words))
    return _embed(1, "\n".join(lines), words), items


def choose_model(
    state: State, provider: str, key_id: int, names: Sequence[str], words: Words, notice: str = ""
) -> tuple[discord.Embed, Items]:
    """`names`: the best first."""
    lines = [notice, ""] if notice else []
    name = provider_name(provider, words)
    lines.append(words("setup-choose-model" if names else "setup-no-models", provider=name))
    items: list[ui.Item[Any]] = []
    if names:
        options = [discord.SelectOption(label=each, value=each) for each in names[:MOST_MODELS]]
        made = _id(state, Step.MODEL, str(key_id))
        items.append(ui.Select(custom_id=made, placeholder=words("setup-model"), options=options))
    items += [
        _button(state, Step.OTHER, "setup-other", words, str(key_id), primary=not names),
        ui.Button(custom_id=_id(state, Step.KEY, str(key_id)), label=words("keys-form-title", provider=name)[:80]),
        _button(state, Step.START, "keys-back", words),
        _button(state, Step.CANCEL, "setup-cancel", words),
    ]
    return _embed(2, "\n".join(lines), words), items


def choose_place(state: State, locales: Sequence[str], words: Words) -> tuple[discord.Embed, Items]:
    lines = [_model_line(state, words), "", words("setup-choose-place")]
    if state.answering is Answering.ALWAYS and not state.reads_all:
        lines.append(words("setup-reads-mentions-only"))
    answering = [
        discord.SelectOption(label=words(f"setup-answering-{way}"), value=way.value, default=state.answering is way)
        for way in (Answering.MENTIONS, Answering.ALWAYS)
    ]
    languages = [discord.SelectOption(label=words("choice-as-discord"), value=AS_DISCORD, default=not state.locale)]
    languages += [
        discord.SelectOption(label=own_name(locale), value=locale, default=locale == state.locale)
        for locale in locales[: MOST_MODELS - 1]
    ]
    items: Items = [
        ui.Select(custom_id=_id(state, Step.ANSWERING), placeholder=words("setup-answering"), options=answering),
        ui.Select(custom_id=_id(state, Step.LANGUAGE), placeholder=words("setup-language"), options=languages),
        _button(state, Step.DONE, "setup-finish", words, primary=True),
        _button(state, Step.START, "keys-back", words),
        _button(state, Step.CANCEL, "setup-cancel", words),
    ]
    return _embed(3, "\n".join(lines), words), items


def done(state: State, mention: str, words: Words) -> tuple[discord.Embed, Items]:
    lines = [_model_line(state, words), _answering_line(state, words), _language_line(state, words)]
    if state.model is not None:
        lines += ["", words("setup-try", mention=mention)]
    items = [_button(state, Step.HELLO, "setup-hello-button", words, primary=True)] if state.model is not None else []
    items.append(_button(state, Step.START, "setup-again", words))
    return discord.Embed(title=words("setup-done-title"), description="\n".join(lines)), items


def cancelled(words: Words) -> tuple[discord.Embed, Items]:
    return discord.Embed(title=words("setup-title"), description=words("setup-cancelled")), ()


def _embed(nr: int, description: str, words: Words) -> discord.Embed:
    embed = discord.Embed(title=words("setup-title"), description=description)
    embed.set_footer(text=words("setup-step", number=nr, of=3))
    return embed


def _model_line(state: State, words: Words) -> str:
    if state.model is None:
        return f"🔴 {state.why_none}" if state.why_none else words("setup-no-model")
    return words(
        "setup-model-answers", model=as_code(state.model.model), provider=provider_name(state.model.provider, words)
    )


def _answering_line(state: State, words: Words) -> str:
    return words(f"setup-answers-{state.answering}")


def _language_line(state: State, words: Words) -> str:
    return words("setup-speaks", language=own_name(state.locale) if state.locale else words("choice-as-discord"))


def _id(state: State, step: Step, subject: str = "") -> str:
    return f"parley:setup:{step}:{state.user_id}:{subject}"


def _button(
    state: State, step: Step, key: str, words: Words, subject: str = "", *, primary: bool = False
) -> ui.Item[Any]:
    style = discord.ButtonStyle.primary if primary else discord.ButtonStyle.secondary
    return ui.Button(custom_id=_id(state, step, subject), label=words(key), style=style)
