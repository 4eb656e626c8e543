"""`/settings`, `/capabilities`, `/limits`: one panel with the pages of the list of settings.

What stands on a page, and how each setting is given, comes from bot.preferences.SETTINGS; who may choose for a scope is asked again at
every press.
"""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Mapping, Sequence
from functools import partial
from typing import Any, Optional, TypeAlias

import discord
import structlog
from discord import app_commands, ui

from bot.commands.choosing import kept_at, may_choose, operates
from bot.commands.options import BadValue, Offer, Option, option
from bot.commands.panels import IN_PANEL, PanelItem, picked, pressed, show
from bot.commands.reach import WITH_THE_BOT
from bot.commands.setting_history import history, told_undone
from bot.commands.setting_panel import (
    TEMPLATE,
    Control,
    Deed,
    Origin,
    PanelState,
    Value,
    focus_of,
    panel,
    read,
    settings_of,
)
from bot.commands.setting_remarks import forbid, remarks
from bot.commands.words import said
from bot.delivery.refusals import FAILURES
from bot.gateway.admission.visits import location_of_asker
from bot.gateway.interactions import GatedModal, admitted, whisper, words_of
from bot.gateway.languages import look_up_reader
from bot.localization import Translator
from bot.preferences import Page, Scope, Setting
from bot.store import NotUndone, Preferences
from bot.store.preferences import MOST_CHANGES, scopes_of

log = structlog.get_logger()

Interaction: TypeAlias = discord.Interaction[Any]
_Command: TypeAlias = app_commands.Command[Any, ..., Any]

_MANAGES = discord.Permissions(manage_guild=True)


# ---------------------------------------------------------------------------------------------------------- the commands


def settings_commands(translator: Translator) -> Sequence[_Command]:
    return (
        _settings(translator),
        _page_command(translator, "capabilities", Page.TOOLS),
        _page_command(translator, "limits", Page.LIMITS),
    )


def _settings(translator: Translator) -> _Command:
    @app_commands.command(
        name=said(translator, "command-settings"), description=said(translator, "command-settings-description")
    )
    @app_commands.describe(page=said(translator, "settings-page"))
    @app_commands.choices(
        page=[app_commands.Choice(name=said(translator, f"settings-page-{page}"), value=page.value) for page in Page]
    )
    async def settings(interaction: Interaction, page: Optional[str] = None) -> None:  # noqa: UP045 - discord.py reads it
        await _open(interaction, Page(page) if page else Page.BEHAVIOUR)

    settings.allowed_contexts = WITH_THE_BOT
    settings.default_permissions = _MANAGES
    return settings


def _page_command(translator: Translator, name: str, page: Page) -> _Command:
    async def answer(interaction: Interaction) -> None:
        await _open(interaction, page)

    command: _Command = app_commands.Command(
        name=said(translator, f"command-{name}"),
        description=said(translator, f"command-{name}-description"),
        callback=answer,
    )
    command.guild_only = True
    command.default_permissions = _MANAGES
    return command


async def _open(interaction: Interaction, page: Page) -> None:
    if not await admitted(interaction):
        return
    # Discord's own setting can open the command to others.
    scope = Scope.CHANNEL if interaction.guild_id is None else Scope.SERVER
    if await may_choose(interaction, scope):
        await _show(interaction, Control(Deed.BACK, interaction.user.id, scope, page))


# ------------------------------------------------------------------------------------------------------------- the panel


class SettingItem(PanelItem[Control], ui.DynamicItem[ui.Item[Any]], template=TEMPLATE):
    """A button or select of the panel."""

    read = staticmethod(read)

    async def callback(self, interaction: Interaction) -> None:
        control = self._control
        deed = partial(_do, interaction, control)
        await pressed(interaction, control.owner_id, deed, opens_modal=control.deed is Deed.WRITE)


async def _do(interaction: Interaction, control: Control) -> None:
    chosen = picked(interaction)
    if control.deed is Deed.SCOPE:
        control = control.now(Deed.SCOPE, scope=Scope(chosen[0]))
    if control.deed is Deed.CLOSE or await may_choose(interaction, control.scope):
        await _DEEDS[control.deed](interaction, control, chosen)


async def _show(interaction: Interaction, at: Control, notices: Sequence[str] = ()) -> None:
    words = words_of(interaction)
    values = await _values(interaction, at)
    state = PanelState(
        at=at,
        values=values,
        scopes=_scopes(interaction),
        in_server=interaction.guild_id is not None,
        offer=await _offer(interaction),
        remarks=[*notices, *await remarks(interaction, at, values, words)],
    )
    await show(interaction, *panel(state, words))


async def _values(interaction: Interaction, at: Control) -> Mapping[str, Value]:
    """The page's settings as they are for the scope: the nearest choice that is not nearer than it."""
    preferences: Preferences = interaction.client.preferences
    location = location_of_asker(interaction)
    order = list(Scope)
    settings = settings_of(at.page)
    values = {setting.name: Value(setting.default, Origin.DEFAULT) for setting in settings}
    for scope, scope_id in scopes_of(location):
        if order.index(scope) > order.index(at.scope):
            break
        is_parent = scope is Scope.CHANNEL and scope_id == location.parent_id
        origin = Origin.PARENT if is_parent else Origin(scope.value)
        for topic in dict.fromkeys(setting.topic.of for setting in settings):
            chosen = await preferences.chosen(topic, scope, scope_id)
            values |= {name: Value(value, origin) for name, value in chosen.items() if name in values}
    return values


def _scopes(interaction: Interaction) -> Sequence[Scope]:
    server = (Scope.SERVER,) if interaction.guild_id is not None else ()
    everywhere = (Scope.GLOBAL,) if operates(interaction) else ()
    return (*server, Scope.CHANNEL, Scope.PERSON, *everywhere)


async def _offer(interaction: Interaction) -> Offer:
    client, guild = interaction.client, interaction.guild
    locales = client.translator.locales
    if guild is None:
        return Offer(locales)
    ids = {each.id for each in (*guild.channels, *guild.roles)}
    return Offer(locales, tuple(await client.personas.names(guild.id)), ids)


# ------------------------------------------------------------------------------------------------------------- the deeds


async def _turn(interaction: Interaction, control: Control, chosen: Sequence[str]) -> None:
    await _show(interaction, control.now(Deed.BACK, page=Page(chosen[0]), setting=""))


async def _look(interaction: Interaction, control: Control, chosen: Sequence[str]) -> None:
    await _show(interaction, control.now(Deed.BACK, setting=chosen[0]))


async def _back(interaction: Interaction, control: Control, _: Sequence[str]) -> None:
    await _show(interaction, control)


async def _give(interaction: Interaction, control: Control, chosen: Sequence[str]) -> None:
    setting = focus_of(control)
    if setting is None:
        await _show(interaction, control)
        return
    given = option(setting, words_of(interaction), await _offer(interaction))
    await _read_and_keep(interaction, control, given, " ".join(chosen))


async def _write(interaction: Interaction, control: Control, _: Sequence[str]) -> None:
    setting, words = focus_of(control), words_of(interaction)
    if setting is None:
        await whisper(interaction, words("settings-none-there"))
        return
    value = (await _values(interaction, control))[setting.name]
    form = SettingForm(control, option(setting, words, await _offer(interaction)), value.now)
    await interaction.response.send_modal(form)


async def _reset(interaction: Interaction, control: Control, _: Sequence[str]) -> None:
    setting = focus_of(control)
    if setting is not None:
        await _keep(interaction, control, setting, None)
    else:
        await _show(interaction, control)


async def _undo(interaction: Interaction, control: Control, _: Sequence[str]) -> None:
    preferences: Preferences = interaction.client.preferences
    scope_id, deed = kept_at(interaction, control.scope)
    try:
        undone = await preferences.undo(deed, control.scope, scope_id)
    except NotUndone as error:
        await whisper(interaction, words_of(interaction)(f"undo-{error.why}"))
        return
    await look_up_reader(interaction)
    await _show(interaction, control, told_undone(undone, words_of(interaction)))


async def _history(interaction: Interaction, control: Control, _: Sequence[str]) -> None:
    scope_id, _deed = kept_at(interaction, control.scope)
    changes = await interaction.client.preferences.history(control.scope, scope_id, MOST_CHANGES)
    in_server = interaction.guild_id is not None
    await show(interaction, *history(control, changes, in_server, words_of(interaction)))


async def _close(interaction: Interaction, _control: Control, _: Sequence[str]) -> None:
    try:
        await interaction.delete_original_response()
    except FAILURES as error:
        log.info("panel_not_closed", error=str(error))


_DEEDS: Mapping[Deed, Callable[[Interaction, Control, Sequence[str]], Awaitable[None]]] = {
    Deed.PAGE: _turn,
    Deed.SCOPE: _back,
    Deed.LOOK: _look,
    Deed.GIVE: _give,
    Deed.WRITE: _write,
    Deed.RESET: _reset,
    Deed.UNDO: _undo,
    Deed.HISTORY: _history,
    Deed.BACK: _back,
    Deed.CLOSE: _close,
}


class SettingForm(GatedModal):
    """The value of one setting as text, as it is now."""

    door = IN_PANEL

    def __init__(self, control: Control, given: Option, value: Any) -> None:
        super().__init__(given.name)
        self._control = control
        self._setting = given.setting
        self._text: ui.TextInput[Any] = ui.TextInput(
            custom_id="value",
            style=discord.TextStyle.paragraph if given.has_lines else discord.TextStyle.short,
            default=given.text(value)[: given.longest] or None,
            required=False,
            max_length=given.longest,
        )
        label = given.words("settings-form-label")
        self.add_item(ui.Label(text=label, description=given.allowed, component=self._text))

    async def on_submit(self, interaction: Interaction, /) -> None:
        if not await may_choose(interaction, self._control.scope):  # rights may have changed meanwhile
            return
        given = option(self._setting, words_of(interaction), await _offer(interaction))
        await _read_and_keep(interaction, self._control, given, self._text.value)


async def _read_and_keep(interaction: Interaction, control: Control, given: Option, text: str) -> None:
    try:
        value = given.read(text)
    except BadValue as error:
        allowed = given.words(error.key, **error.arguments)
        await whisper(interaction, given.words("settings-not-taken", name=given.name, allowed=allowed))
        return
    await _keep(interaction, control, given.setting, value)


async def _keep(interaction: Interaction, control: Control, setting: Setting, value: Any) -> None:
    """None: as it was before anybody chose."""
    preferences: Preferences = interaction.client.preferences
    scope_id, deed = kept_at(interaction, control.scope)
    try:
        forbid(interaction, setting, value)
        await preferences.change(setting.topic.of, control.scope, scope_id, deed, **{setting.name: value})
    except BadValue as error:
        await whisper(interaction, words_of(interaction)(error.key, **error.arguments))
        return
    await look_up_reader(interaction)  # it may have been their language
    await _show(interaction, control.now(Deed.BACK))
