"""What a message plan looks like in discord.py: the parameters of a request, in the three styles.

PLAIN puts the text into `content`, EMBED into an embed's description, COMPONENTS into a text display of components v2,
where nothing shows that no component names: so files and our own box get components too.
"""

from __future__ import annotations

import io
import re
from collections.abc import Callable, Mapping, Sequence
from pathlib import PurePath
from typing import Any

import discord
import msgspec
from discord import ui

from bot.delivery.layout import measure
from bot.delivery.plan import Button, ButtonColour, EmbedPlan, MessagePlan, is_blank
from bot.preferences import Style

NOBODY = discord.AllowedMentions.none()
"""For everything that this bot writes, wherever: nobody is notified, whatever the text says."""
PEOPLE = discord.AllowedMentions(everyone=False, roles=False, users=True, replied_user=False)
"""Where a server chose that people whom the model mentions are notified."""

EMBEDS_IN_ALL = 6000
"""Code points of all embeds of a message (https://docs.discord.com/developers/resources/message#embed-object-embed-limits)."""
_BETWEEN_DISPLAYS = " " * 12
"""A second text display costs that many bytes of those that measure.COMPONENTS allows."""

_COLOURS = {
    ButtonColour.GREY: discord.ButtonStyle.secondary,
    ButtonColour.RED: discord.ButtonStyle.danger,
    ButtonColour.BLUE: discord.ButtonStyle.primary,
}
_ROW = 5
_PICTURES = frozenset({".png", ".jpg", ".jpeg", ".gif", ".webp"})
_NOT_IN_AN_ADDRESS = re.compile(r"[^A-Za-z0-9_.-]")


class Upload(msgspec.Struct, frozen=True):
    """A file as it goes over the wire."""

    filename: str
    content: bytes
    description: str = ""


def fits(plan: MessagePlan, style: Style) -> bool:
    """Whether Discord takes the plan's text and embed in one message; an embed that does not fit belongs in a further one."""
    return _FITS[style](plan)


def without_embed(plan: MessagePlan, style: Style) -> MessagePlan:
    """The embed's words below the text instead: all of them, or the title, or none, as there is room."""
    if plan.embed is None:
        return plan
    bare = msgspec.structs.replace(plan, embed=None)
    for words in (plan.embed.in_words(), f"**{plan.embed.title}**"):
        told = msgspec.structs.replace(bare, content=f"{plan.content}\n{words}".strip())
        if fits(told, style):
            return told
    return bare


def body(plan: MessagePlan, uploads: Sequence[Upload] | None, style: Style, *, edit: bool) -> dict[str, Any]:
    """Keyword arguments of discord.http.handle_message_parameters for text, files, embeds and buttons.

    `uploads`: the plan's files; None where those that stand below the message stay. `edit`: what is not there is removed.
    """
    # Components name their files by the name alone, and Discord takes only some characters in such an address.
    uploads = [_addressable(upload) for upload in uploads] if uploads and style is Style.COMPONENTS else uploads
    files = None if uploads is None else [_file(upload) for upload in uploads]
    parameters = _BODIES[style](plan, files or (), edit)
    if files or (files is not None and edit):
        parameters["attachments" if edit else "files"] = files
    return parameters


# --------------------------------------------------------------------------------------------------------------- styles


def _plain(plan: MessagePlan, _: Sequence[discord.File], edit: bool) -> dict[str, Any]:
    embeds = [_embed(plan.embed)] if plan.embed else []
    return {"content": plan.content or None, "embeds": embeds, **_button_rows(plan.buttons, edit=edit)}


def _in_embed(plan: MessagePlan, _: Sequence[discord.File], edit: bool) -> dict[str, Any]:
    embeds = [] if is_blank(plan.content) else [discord.Embed(description=plan.content)]
    embeds += [_embed(plan.embed)] if plan.embed else []
    return {"content": None, "embeds": embeds, **_button_rows(plan.buttons, edit=edit)}


def _in_components(plan: MessagePlan, files: Sequence[discord.File], edit: bool) -> dict[str, Any]:
    view = ui.LayoutView(timeout=None)
    if not is_blank(plan.content):
        view.add_item(ui.TextDisplay(plan.content))
    for file in files:
        view.add_item(_file_component(file))
    if plan.embed is not None:
        view.add_item(ui.Container(ui.TextDisplay(plan.embed.in_words()), accent_colour=plan.embed.colour))
    for first in range(0, len(plan.buttons), _ROW):
        view.add_item(ui.ActionRow(*map(_button, plan.buttons[first : first + _ROW])))
    # A message of another style becomes one of components when it has nothing else any more.
    return {"view": view, "content": None, "embeds": []} if edit else {"view": view}


_BODIES: Mapping[Style, Callable[[MessagePlan, Sequence[discord.File], bool], dict[str, Any]]] = {
    Style.PLAIN: _plain,
    Style.EMBED: _in_embed,
    Style.COMPONENTS: _in_components,
}


def _plain_fits(plan: MessagePlan) -> bool:
    return measure.PLAIN.fits(plan.content)


def _embeds_fit(plan: MessagePlan) -> bool:
    ours = plan.embed
    in_all = len(plan.content) + (len(ours.title) + len(ours.description) + len(ours.footer) if ours else 0)
    return measure.EMBED.fits(plan.content) and in_all <= EMBEDS_IN_ALL


def _components_fit(plan: MessagePlan) -> bool:
    ours = _BETWEEN_DISPLAYS + plan.embed.in_words() if plan.embed else ""
    return measure.COMPONENTS.fits(plan.content + ours)


_FITS: Mapping[Style, Callable[[MessagePlan], bool]] = {
    Style.PLAIN: _plain_fits,
    Style.EMBED: _embeds_fit,
    Style.COMPONENTS: _components_fit,
}


# --------------------------------------------------------------------------------------------------------------- pieces


def _embed(plan: EmbedPlan) -> discord.Embed:
    embed = discord.Embed(title=plan.title[:256], description=plan.description[:4096], colour=plan.colour)
    return embed.set_footer(text=plan.footer[:2048]) if plan.footer else embed


def _button_rows(buttons: Sequence[Button], *, edit: bool) -> dict[str, Any]:
    if not buttons:
        return {"view": None} if edit else {}
    return {"view": view_of(buttons)}


def view_of(buttons: Sequence[Button]) -> ui.View:
    """Five in a row. What a press does is found by the buttons' ids alone (bot.gateway.controls)."""
    view = ui.View(timeout=None)
    for place, button in enumerate(buttons):
        view.add_item(_button(button, row=place // _ROW))
    return view


def _button(button: Button, row: int | None = None) -> ui.Button[Any]:
    return ui.Button(
        style=_COLOURS[button.colour],
        label=button.label[:80] or None,
        emoji=button.emoji or None,
        custom_id=button.custom_id,
        disabled=button.disabled,
        row=row,
    )


def _file(upload: Upload) -> discord.File:
    return discord.File(io.BytesIO(upload.content), upload.filename, description=upload.description[:1024] or None)


def _addressable(upload: Upload) -> Upload:
    return msgspec.structs.replace(upload, filename=_NOT_IN_AN_ADDRESS.sub("_", upload.filename))


def _file_component(file: discord.File) -> ui.Item[Any]:
    if PurePath(file.filename).suffix.lower() not in _PICTURES:
        return ui.File(file)
    item = discord.MediaGalleryItem(file.uri, description=file.description)
    return ui.MediaGallery(item)
