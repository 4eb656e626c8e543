"""How a server wants answers to look. One list: what is not set is as here."""

from __future__ import annotations

from enum import StrEnum

import msgspec


class Style(StrEnum):
    """What carries an answer's text."""

    PLAIN = "plain"
    """Message content: 2,000 code points."""
    EMBED = "embed"
    """An embed's description: 4,096."""
    COMPONENTS = "components"
    """Text displays of components v2: 4,000 in a message, and fewer where they take many bytes."""


class FooterDetail(StrEnum):
    OFF = "off"
    """Only what the reader must know, such as "cut by the length limit"."""
    SHORT = "short"
    FULL = "full"


class ThoughtLog(StrEnum):
    """Where a model's reasoning is shown. It is kept with the answer in any case."""

    OFF = "off"
    BUTTON = "button"
    """Pages that only who presses it sees."""
    SPOILER = "spoiler"
    FILE = "file"
    THREAD = "thread"
    CHANNEL = "channel"
    """The server's log channel."""


class Tables(StrEnum):
    CODE = "code"
    """Aligned in a code block; as bullets where that would be too wide."""
    BULLETS = "bullets"
    PICTURE = "picture"
    AS_WRITTEN = "as_written"


class DeliveryPreferences(msgspec.Struct, frozen=True):
    style: Style = Style.PLAIN
    footer: FooterDetail = FooterDetail.SHORT
    thoughts: ThoughtLog = ThoughtLog.BUTTON
    thought_channel_id: int | None = None
    """For ThoughtLog.CHANNEL; without it thoughts are behind the button."""
    tables: Tables = Tables.CODE
    longest_code: int = 6000
    """Code points of a code block from which on it is attached as a file; 0: never."""
    maths: bool = True
    """Simple LaTeX is shown as Unicode."""
    link_previews: bool = False
    mention_users: bool = False
    """People whom the model mentions are notified. Roles and everyone never are."""
    buttons: bool = True
    live_mark: bool = True
    """A mark at the end of what is still being written."""


DEFAULTS = DeliveryPreferences()
