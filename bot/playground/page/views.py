"""Discord's message JSON → what the page draws.

Fields that end in `_html` are safe HTML from `markdown.py`; all others are plain text, which the page inserts as text.
Addresses are http(s) or absent. Flags: https://docs.discord.com/developers/resources/message#message-object-message-flags
"""

from __future__ import annotations

from collections.abc import Mapping
from datetime import UTC, datetime

import msgspec

from bot.playground.page.component_views import ComponentReader, ComponentView, emoji_text, hex_color, web_address
from bot.playground.page.file_views import FileView, StartOf, file_view
from bot.playground.page.markdown import render, render_inline
from bot.playground.page.mentions import NameOf
from bot.playground.page.part_views import forwarded, parts_html, system_html
from bot.playground.standin.events import Json

_SUPPRESS_EMBEDS = 1 << 2
_EPHEMERAL = 1 << 6
_LOADING = 1 << 7
_COMPONENTS_V2 = 1 << 15

_AVATAR_SHADES = 6
UNSHOWABLE_HTML = "<p><em>This message cannot be shown.</em></p>"
_EMPTY_HTML = "<p><em>This message holds nothing that can be shown here.</em></p>"
_PREVIEW_LENGTH = 150
_OTHER_PARTS = ("embeds", "attachments", "components")


class AuthorView(msgspec.Struct, frozen=True):
    id: str
    name: str
    initials: str
    shade: int
    """0–5: which of the style sheet's avatar colours."""
    is_app: bool


class ReplyView(msgspec.Struct, frozen=True):
    """The line above a reply; `message_id` is None when the original is gone."""

    message_id: str | None
    author: str = ""
    text_html: str = ""


class EmbedFieldView(msgspec.Struct, frozen=True):
    name_html: str
    value_html: str
    inline: bool


class EmbedView(msgspec.Struct, frozen=True, kw_only=True):
    color: str | None
    """`#rrggbb`."""
    author: str
    title_html: str
    url: str | None
    description_html: str
    fields: tuple[EmbedFieldView, ...]
    footer: str
    timestamp: str | None
    image: FileView | None
    """Only a file of the message itself; pictures from elsewhere are not loaded."""


class ReactionView(msgspec.Struct, frozen=True):
    emoji: str
    count: int
    custom: bool
    """One of a server's own emoji: shown by its name, and not to be added from here."""


class ThreadView(msgspec.Struct, frozen=True):
    id: str
    name: str


class MessageView(msgspec.Struct, frozen=True, kw_only=True):
    id: str
    channel_id: str
    author: AuthorView
    timestamp: str
    """ISO 8601."""
    edited: bool
    html: str
    reply: ReplyView | None
    embeds: tuple[EmbedView, ...]
    attachments: tuple[FileView, ...]
    """Without those that an embed or a component shows."""
    components: tuple[ComponentView, ...]
    reactions: tuple[ReactionView, ...]
    thread: ThreadView | None
    ephemeral: bool
    thinking: bool
    can_delete: bool
    mentions_viewer: bool


def message_view(
    message: Json, viewer_id: str, name_of: NameOf, *, may_moderate: bool, start_of: StartOf = lambda _: b""
) -> MessageView:
    """The message as this person sees it; `may_moderate` says whether they may delete what others wrote."""
    flags = message.get("flags") or 0
    attachments = [file for part in (message, *forwarded(message)) for file in part.get("attachments", ())]
    files = {file.get("url") or file["id"]: file_view(message["id"], file, start_of) for file in attachments}
    embeds = (
        ()
        if flags & _SUPPRESS_EMBEDS
        else tuple(
            _embed_view(embed, name_of, files)
            for part in (message, *forwarded(message))
            for embed in part.get("embeds", ())
        )
    )
    drawn = [embed.image for embed in embeds]
    author = author_view(message["author"])
    thread = message.get("thread")
    mentioned = {user["id"] for user in message.get("mentions", ())}
    ephemeral = bool(flags & _EPHEMERAL)
    return MessageView(
        id=message["id"],
        channel_id=message["channel_id"],
        author=author,
        timestamp=message["timestamp"],
        edited=message.get("edited_timestamp") is not None,
        html=_content_html(message, name_of),
        reply=_reply_view(message, name_of),
        embeds=embeds,
        attachments=() if flags & _COMPONENTS_V2 else tuple(file for file in files.values() if file not in drawn),
        components=ComponentReader(name_of, files).views(message.get("components", ())),
        reactions=tuple(_reaction_view(reaction) for reaction in message.get("reactions", ())),
        thread=ThreadView(thread["id"], thread.get("name") or "thread") if thread else None,
        ephemeral=ephemeral,
        thinking=bool(flags & _LOADING),
        can_delete=not ephemeral and (may_moderate or author.id == viewer_id),
        mentions_viewer=viewer_id in mentioned or bool(message.get("mention_everyone")),
    )


def unshowable_view(message: Json) -> MessageView:
    """Stands where `message_view` failed: whatever a message holds, its place in the channel is kept."""
    return MessageView(
        id=message["id"],
        channel_id=message["channel_id"],
        author=AuthorView("0", "Unknown", "?", 0, is_app=False),
        timestamp=datetime.now(UTC).isoformat(),
        edited=False,
        html=UNSHOWABLE_HTML,
        reply=None,
        embeds=(),
        attachments=(),
        components=(),
        reactions=(),
        thread=None,
        ephemeral=False,
        thinking=False,
        can_delete=False,
        mentions_viewer=False,
    )


def author_view(user: Json) -> AuthorView:
    name = user.get("global_name") or user.get("username") or "?"
    words = name.split() or ["?"]
    initials = "".join(word[0] for word in words[:2]).upper()
    return AuthorView(user["id"], name, initials, int(user["id"]) % _AVATAR_SHADES, bool(user.get("bot")))


def _content_html(message: Json, name_of: NameOf) -> str:
    system = system_html(message, author_view(message["author"]).name, name_of)
    if system is not None:
        return system
    content = render(message.get("content") or "", name_of)
    if html := content + parts_html(message, name_of):
        return html
    # What is not drawn, whatever it is: nobody is to take such a message for a fault of the page.
    is_drawn = (message.get("flags") or 0) & _LOADING or any(message.get(part) for part in _OTHER_PARTS)
    return "" if is_drawn else _EMPTY_HTML


def _reply_view(message: Json, name_of: NameOf) -> ReplyView | None:
    if message.get("message_reference") is None or "referenced_message" not in message:
        return None
    target = message["referenced_message"]
    if target is None:
        return ReplyView(None)
    line = " ".join((target.get("content") or "").split())[:_PREVIEW_LENGTH]
    return ReplyView(target["id"], author_view(target["author"]).name, render_inline(line, name_of))


def _embed_view(embed: Json, name_of: NameOf, files: Mapping[str, FileView]) -> EmbedView:
    return EmbedView(
        color=hex_color(embed.get("color")),
        author=(embed.get("author") or {}).get("name") or "",
        title_html=render_inline(embed.get("title") or "", name_of),
        url=web_address(embed.get("url")),
        description_html=render(embed.get("description") or "", name_of),
        fields=tuple(
            EmbedFieldView(
                render_inline(field["name"], name_of), render(field["value"], name_of), bool(field.get("inline"))
            )
            for field in embed.get("fields", ())
        ),
        footer=(embed.get("footer") or {}).get("text") or "",
        timestamp=_moment(embed.get("timestamp")),
        image=files.get((embed.get("image") or {}).get("url") or ""),
    )


def _moment(timestamp: object) -> str | None:
    """ISO 8601 as browsers read it; None for what is no date: Discord takes any text in an embed's timestamp."""
    try:
        return datetime.fromisoformat(timestamp).isoformat() if isinstance(timestamp, str) else None
    except ValueError:
        return None


def _reaction_view(reaction: Json) -> ReactionView:
    emoji = reaction["emoji"]
    return ReactionView(emoji_text(emoji), reaction["count"], custom=bool(emoji.get("id")))
