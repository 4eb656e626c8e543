"""What `/settings` shows: a page of the list of settings as it is for one scope, and what can be done with it.

All of it is made from bot.preferences.SETTINGS and the kinds (options.py). Plain values in, an embed and its items out. What is pressed
says in its id all that the panel has to know, so that it goes on working after a restart.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from enum import StrEnum
from typing import Any, TypeAlias

import discord
import msgspec
from discord import ui

from bot.commands.options import MOST_CHOICES, Input, Offer, Option, option
from bot.localization import Words
from bot.preferences import SETTINGS, Mention, Page, Scope, Setting, kinds

Items: TypeAlias = Sequence[ui.Item[ui.View]]

_CHANNELS = [
    discord.ChannelType.text,
    discord.ChannelType.news,
    discord.ChannelType.forum,
    discord.ChannelType.voice,
    discord.ChannelType.stage_voice,
]
_LOG_CHANNELS = [discord.ChannelType.text, discord.ChannelType.news]


class Deed(StrEnum):
    PAGE = "page"
    """Which is chosen; so are the next two, and the value of GIVE."""
    SCOPE = "scope"
    LOOK = "look"
    """At one setting."""
    GIVE = "give"
    """The setting a value."""
    WRITE = "write"
    """The value in a form."""
    RESET = "reset"
    UNDO = "undo"
    HISTORY = "history"
    BACK = "back"
    """From the history to the page."""
    CLOSE = "close"


class Control(msgspec.Struct, frozen=True):
    """What a press asks for, and where it was pressed."""

    deed: Deed
    owner_id: int
    """Whom the panel was shown to."""
    scope: Scope
    page: Page
    setting: str = ""
    """That is looked at."""
    history_page: int = 0
    """From 0: the one to be shown."""

    @property
    def custom_id(self) -> str:
        where = f"{self.owner_id}:{self.scope}:{self.page}:{self.setting}:{self.history_page}"
        return f"parley:settings:{self.deed}:{where}"

    def now(self, deed: Deed, **changes: Any) -> Control:
        """The same panel, pressed elsewhere."""
        return msgspec.structs.replace(self, deed=deed, **changes)


TEMPLATE = re.compile(
    rf"parley:settings:(?P<deed>{'|'.join(Deed)}):(?P<owner>[0-9]{{1,20}}):(?P<scope>{'|'.join(Scope)})"
    rf":(?P<page>{'|'.join(Page)}):(?P<setting>[a-z_]{{0,40}}):(?P<history>[0-9]{{1,3}})"
)


def read(match: re.Match[str]) -> Control:
    """Of TEMPLATE."""
    return Control(
        Deed(match["deed"]),
        int(match["owner"]),
        Scope(match["scope"]),
        Page(match["page"]),
        match["setting"],
        int(match["history"]),
    )


class Origin(StrEnum):
    """Who chose a value: the end of a key in locales/."""

    DEFAULT = "default"
    GLOBAL = "global"
    SERVER = "server"
    PARENT = "parent"
    """The channel above a thread."""
    CHANNEL = "channel"
    PERSON = "person"


class Value(msgspec.Struct, frozen=True):
    now: Any
    origin: Origin


class PanelState(msgspec.Struct, frozen=True):
    """What a panel shows, to whom."""

    at: Control
    values: Mapping[str, Value]
    """Of the page's settings, by name, as they are for the scope."""
    scopes: Sequence[Scope]
    """That its reader can choose between."""
    in_server: bool
    offer: Offer
    remarks: Sequence[str] = ()
    """Lines below the list."""

    @property
    def focus(self) -> Setting | None:
        return focus_of(self.at)


def focus_of(at: Control) -> Setting | None:
    """The setting that is looked at, if it can be chosen there; None also for one of another version of the code."""
    setting = SETTINGS.get(at.setting)
    return setting if setting is not None and at.scope in setting.scopes else None


def settings_of(page: Page) -> Sequence[Setting]:
    return [setting for setting in SETTINGS.values() if setting.page is page]


def scope_name(scope: Scope, in_server: bool, words: Words) -> str:
    return words("settings-scope-direct" if scope is Scope.CHANNEL and not in_server else f"settings-scope-{scope}")


def panel(state: PanelState, words: Words) -> tuple[discord.Embed, Items]:
    # What only the operator can choose for everybody is theirs to see.
    settings = [
        setting
        for setting in settings_of(state.at.page)
        if state.at.scope is Scope.GLOBAL or setting.scopes != {Scope.GLOBAL}
    ]
    lines = [_line(state, option(setting, words, state.offer)) for setting in settings]
    choosable = [setting for setting in settings if state.at.scope in setting.scopes]
    remarks = [*([] if choosable else [words("settings-none-there")]), *state.remarks]
    if remarks:
        lines += ["", *remarks]
    title = words("settings-title", page=words(f"settings-page-{state.at.page}"))
    embed = discord.Embed(title=title, description="\n".join(lines))
    if state.focus is not None:
        focused = option(state.focus, words, state.offer)
        told = (
            focused.description,
            focused.allowed,
            words("settings-default", value=focused.shown(state.focus.default)),
        )
        embed.add_field(name=focused.name, value="\n".join(told), inline=False)
    return embed, [*_selects(state, choosable, words), *_buttons(state, words)]


def _line(state: PanelState, line: Option) -> str:
    value = state.values[line.setting.name]
    mark = "▸" if line.setting is state.focus else "•"
    return f"{mark} {line.name}: {line.shown(value.now)} · *{line.words(f'settings-from-{value.origin}')}*"


# ------------------------------------------------------------------------------------------------------- what is pressed


def _selects(state: PanelState, choosable: Sequence[Setting], words: Words) -> Iterator[ui.Item[ui.View]]:
    at = state.at
    pages = [(page.value, words(f"settings-page-{page}"), page is at.page) for page in Page]
    yield _select(at.now(Deed.PAGE), pages)
    scopes = [(scope.value, scope_name(scope, state.in_server, words), scope is at.scope) for scope in state.scopes]
    yield _select(at.now(Deed.SCOPE), scopes)
    if choosable:
        named = [(setting, option(setting, words)) for setting in choosable]
        options = [
            discord.SelectOption(
                label=each.name, value=setting.name, description=each.description, default=setting is state.focus
            )
            for setting, each in named
        ]
        custom_id = at.now(Deed.LOOK, setting="").custom_id
        yield ui.Select(custom_id=custom_id, placeholder=words("settings-pick-setting"), options=options)
    if state.focus is not None:
        yield from _value_select(state, option(state.focus, words, state.offer), words)


def _select(control: Control, choices: Sequence[tuple[str, str, bool]]) -> ui.Select[ui.View]:
    options = [discord.SelectOption(value=value, label=label, default=chosen) for value, label, chosen in choices]
    return ui.Select(custom_id=control.custom_id, options=options)


def _value_select(state: PanelState, focused: Option, words: Words) -> Iterator[ui.Item[ui.View]]:
    value = state.values[focused.setting.name]
    custom_id, placeholder = state.at.now(Deed.GIVE).custom_id, words("settings-pick-value")
    if focused.given_by is Input.CHOICE:
        # What was chosen farther away is not preset: choosing the same here is a choice too.
        chosen = focused.text(value.now) if value.origin.value == state.at.scope.value else None
        options = [
            discord.SelectOption(value=choice.value, label=choice.label, default=choice.value == chosen)
            for choice in focused.choices
        ]
        yield ui.Select(custom_id=custom_id, placeholder=placeholder, options=options)
    elif focused.given_by is Input.MENTIONS:
        ids = _ids(value.now)
        if len(ids) <= MOST_CHOICES:
            yield _mention_select(focused, ids, state.offer, custom_id, placeholder)


def _mention_select(
    focused: Option, ids: Sequence[int], offer: Offer, custom_id: str, placeholder: str
) -> ui.Item[ui.View]:
    kind = focused.setting.kind
    most = min(MOST_CHOICES, kind.most) if isinstance(kind, kinds.Ids) else 1
    of = kind.of if isinstance(kind, kinds.Ids) else Mention.CHANNEL
    preset = [
        # As a string, which is what Discord's documents say of it; discord.py would write a number.
        discord.SelectDefaultValue(id=str(id_), type=_DEFAULT_TYPES[of])  # type: ignore[arg-type]
        for id_ in ids
        if of is Mention.PERSON or offer.ids is None or id_ in offer.ids
    ]
    how: dict[str, Any] = {
        "custom_id": custom_id,
        "placeholder": placeholder,
        "min_values": 0,
        "max_values": most,
        "default_values": preset,
    }
    match of:
        case Mention.ROLE:
            return ui.RoleSelect(**how)
        case Mention.PERSON:
            return ui.UserSelect(**how)
        case Mention.CHANNEL:
            types = _CHANNELS if isinstance(kind, kinds.Ids) else _LOG_CHANNELS
            return ui.ChannelSelect(channel_types=types, **how)


_DEFAULT_TYPES = {
    Mention.CHANNEL: discord.SelectDefaultValueType.channel,
    Mention.ROLE: discord.SelectDefaultValueType.role,
    Mention.PERSON: discord.SelectDefaultValueType.user,
}


def _ids(value: Any) -> Sequence[int]:
    """Of a list of ids, or one, or none."""
    return value if isinstance(value, tuple) else (value,) if value is not None else ()


def _buttons(state: PanelState, words: Words) -> Iterator[ui.Item[ui.View]]:
    focus = state.focus
    if focus is not None and option(focus, words, state.offer).given_by in (Input.FORM, Input.MENTIONS):
        yield button(state.at.now(Deed.WRITE), words, discord.ButtonStyle.primary)
    is_own = focus is not None and state.values[focus.name].origin.value == state.at.scope.value
    yield button(state.at.now(Deed.RESET), words, disabled=not is_own)
    yield button(state.at.now(Deed.UNDO), words)
    yield button(state.at.now(Deed.HISTORY), words)
    yield button(state.at.now(Deed.CLOSE), words)


def button(
    control: Control,
    words: Words,
    style: discord.ButtonStyle = discord.ButtonStyle.secondary,
    *,
    emoji: str | None = None,
    disabled: bool = False,
) -> ui.Button[ui.View]:
    """With an emoji instead of its word, if one is given."""
    label = None if emoji else words(f"settings-button-{control.deed}")
    return ui.Button(custom_id=control.custom_id, label=label, emoji=emoji, style=style, disabled=disabled)
