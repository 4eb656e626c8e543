"""What a server can choose, one list a topic: what is not chosen is as here."""

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
    """How answers look."""

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


class Location(msgspec.Struct, frozen=True):
    """Where something is said, as far as choices differ by it."""

    channel_id: int
    """A thread is a channel of its own."""
    guild_id: int | None = None
    """None: a direct message, or a group of people."""
    parent_id: int | None = None
    """Of a thread: the channel that it belongs to."""


class Answering(StrEnum):
    """Which messages are answered. Commands and buttons are always."""

    NEVER = "never"
    MENTIONS = "mentions"
    """Mentions, replies to us, trigger words, threads of ours, direct messages."""
    ALWAYS = "always"


class FollowUp(StrEnum):
    """What becomes of an answer when the person who asked writes more meanwhile. Until its first word stands, it begins anew with both
    messages in any case."""

    QUEUE = "queue"
    """It is written to its end; the next one follows."""
    SUPERSEDE = "supersede"
    """It ends where it is, and the next one begins."""


class Bots(StrEnum):
    NEVER = "never"
    MENTIONS = "mentions"
    """Where their text mentions us, a few times in a row (bot_turns)."""


class ConversationPreferences(msgspec.Struct, frozen=True):
    """What is answered, as whom, and what the model reads."""

    answering: Answering = Answering.MENTIONS
    trigger_words: tuple[str, ...] = ()
    """Our name, as it were: a message that has one is for us. Whole words; parts of words where the script has no spaces."""
    follow_up: FollowUp = FollowUp.QUEUE
    burst_seconds: float = 1.0
    """How long a message waits for more of the same person before it is answered; each further one waits anew. 0: not at all."""
    bots: Bots = Bots.NEVER
    bot_turns: int = 3
    """Answers to bots in one channel without a person's word between."""
    persona: str = ""
    """Name of the server's persona that speaks here; empty: Parley itself."""
    server_prompt: str = ""
    """Chosen for a server: stands in the system prompt of all its channels."""
    channel_prompt: str = ""
    """Chosen for a channel or thread: stands there behind the server's."""
    note: str = ""
    """Author's note: stands beside the newest message, where models heed it most."""
    messages: int = 60
    """The most messages that are read before the question."""
    compaction: bool = False
    """What no longer fits is kept as a summary that the model writes."""
    threads: bool = False
    """A question in a channel is answered in a thread of its own."""
    webhooks: bool = True
    """Personas speak by name and picture, where we may use webhooks; else their name stands in bold."""
    time_zone: str = "UTC"
    """IANA name, for the time that the model is told."""


CONVERSATION_DEFAULTS = ConversationPreferences()


class AdmissionPreferences(msgspec.Struct, frozen=True):
    """Whom the bot answers in a server. Who manages the server is held by no role, quota or cool-down."""

    channel_ids: tuple[int, ...] = ()
    """Only in these (their threads included); empty: in all."""
    closed_channel_ids: tuple[int, ...] = ()
    role_ids: tuple[int, ...] = ()
    """Only who has one of these; empty: everybody."""
    blocked_user_ids: tuple[int, ...] = ()
    cooldown_seconds: int = 0
    """Between two questions of one person."""
    questions_per_hour: int = 0
    """Of one person; 0: no limit."""
    questions_per_day: int = 0


ADMISSION_DEFAULTS = AdmissionPreferences()
