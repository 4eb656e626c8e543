"""What can be chosen: one line a setting, with its type, what it may be, and its default. What is not chosen is as here.

Everything else about settings is made from these lines: what the store takes and merges, the panels, the commands, the help and
docs/settings.md. A line's words are `setting-NAME` (a name of at most 45 characters) and `setting-NAME-description` in locales/.
Where a setting can be chosen otherwise than its topic's others, `In` says so.
"""

from __future__ import annotations

from enum import StrEnum
from typing import Annotated

import msgspec

from bot.preferences.kinds import (
    ChannelId,
    Flag,
    Ids,
    In,
    Locale,
    Mention,
    Model,
    Money,
    Number,
    OneOf,
    Page,
    Persona,
    Scope,
    Seconds,
    Text,
    TimeZone,
    Words,
)

LONGEST_PROMPT = 4000
"""Code points; what a text input of a modal takes."""


MOST_TOKENS, MOST_DOLLARS = 100_000_000_000, 1_000_000


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

    style: Annotated[Style, OneOf()] = Style.PLAIN
    footer: Annotated[FooterDetail, OneOf(), In(*Scope)] = FooterDetail.SHORT
    thoughts: Annotated[ThoughtLog, OneOf()] = ThoughtLog.BUTTON
    thought_channel_id: Annotated[int | None, ChannelId(), In(Scope.SERVER)] = None
    """For ThoughtLog.CHANNEL; without it thoughts are behind the button."""
    tables: Annotated[Tables, OneOf(), In(*Scope)] = Tables.CODE
    longest_code: Annotated[int, Number(0, 100_000)] = 6000
    """Code points of a code block from which on it is attached as a file; 0: never."""
    maths: Annotated[bool, Flag(), In(*Scope)] = True
    """Simple LaTeX is shown as Unicode."""
    link_previews: Annotated[bool, Flag()] = False
    mention_users: Annotated[bool, Flag()] = False
    """People whom the model mentions are notified. Roles and everyone never are."""
    buttons: Annotated[bool, Flag()] = True
    live_mark: Annotated[bool, Flag()] = True
    """A mark at the end of what is still being written."""


DEFAULTS = DeliveryPreferences()


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

    answering: Annotated[Answering, OneOf(), In(page=Page.CHANNELS)] = Answering.MENTIONS
    trigger_words: Annotated[tuple[str, ...], Words(most=20, longest=50)] = ()
    """Our name, as it were: a message that has one is for us. Whole words; parts of words where the script has no spaces."""
    follow_up: Annotated[FollowUp, OneOf()] = FollowUp.QUEUE
    burst_seconds: Annotated[float, Seconds(10.0)] = 1.0
    """How long a message waits for more of the same person before it is answered; each further one waits anew. 0: not at all."""
    bots: Annotated[Bots, OneOf()] = Bots.NEVER
    bot_turns: Annotated[int, Number(1, 20)] = 3
    """Answers to bots in one channel without a person's word between."""
    persona: Annotated[str, Persona(), In(Scope.SERVER, Scope.CHANNEL)] = ""
    """Name of the server's persona that speaks here; empty: Parley itself."""
    server_prompt: Annotated[str, Text(LONGEST_PROMPT), In(Scope.SERVER)] = ""
    """Chosen for a server: stands in the system prompt of all its channels."""
    channel_prompt: Annotated[str, Text(LONGEST_PROMPT), In(Scope.CHANNEL)] = ""
    """Chosen for a channel or thread: stands there behind the server's."""
    note: Annotated[str, Text(1000), In(Scope.SERVER, Scope.CHANNEL)] = ""
    """Author's note: stands beside the newest message, where models heed it most."""
    messages: Annotated[int, Number(1, 200)] = 60
    """The most messages that are read before the question."""
    compaction: Annotated[bool, Flag()] = False
    """What no longer fits is kept as a summary that the model writes."""
    threads: Annotated[bool, Flag(), In(page=Page.CHANNELS)] = False
    """A question in a channel is answered in a thread of its own."""
    webhooks: Annotated[bool, Flag()] = True
    """Personas speak by name and picture, where we may use webhooks; else their name stands in bold."""
    time_zone: Annotated[str, TimeZone(), In(page=Page.LANGUAGE)] = "UTC"
    """IANA name, for the time that the model is told."""


CONVERSATION_DEFAULTS = ConversationPreferences()


class AdmissionPreferences(msgspec.Struct, frozen=True):
    """Whom the bot answers in a server. Who manages the server is held by no role, quota or cool-down."""

    channel_ids: Annotated[tuple[int, ...], Ids(Mention.CHANNEL), In(page=Page.CHANNELS)] = ()
    """Only in these (their threads included); empty: in all."""
    closed_channel_ids: Annotated[tuple[int, ...], Ids(Mention.CHANNEL), In(page=Page.CHANNELS)] = ()
    role_ids: Annotated[tuple[int, ...], Ids(Mention.ROLE)] = ()
    """Only who has one of these; empty: everybody."""
    blocked_user_ids: Annotated[tuple[int, ...], Ids(Mention.PERSON, most=200)] = ()
    cooldown_seconds: Annotated[int, Number(0, 86_400)] = 0
    """Between two questions of one person."""
    questions_per_hour: Annotated[int, Number(0, 1000)] = 0
    """Of one person; 0: no limit."""
    questions_per_day: Annotated[int, Number(0, 10_000)] = 0


ADMISSION_DEFAULTS = AdmissionPreferences()


class Thinking(StrEnum):
    """How much a model that can think thinks before it answers."""

    DEFAULT = "default"
    """As the model does by itself."""
    OFF = "off"
    LOW = "low"
    MEDIUM = "medium"
    HIGH = "high"


class ChosenModel(msgspec.Struct, frozen=True):
    """Which model answers. The three belong together, so they are one choice."""

    provider: str
    """A name of adapters.registry."""
    model: str
    base_url: str = ""
    """Empty: the provider's own address."""


class ModelPreferences(msgspec.Struct, frozen=True):
    """Which model answers, and how."""

    model: Annotated[ChosenModel | None, Model(), In(*Scope)] = None
    """None: the operator's (LLM_PROVIDER, LLM_MODEL)."""
    thinking: Annotated[Thinking, OneOf(), In(*Scope)] = Thinking.DEFAULT
    temperature: Annotated[float | None, Number(0, 2, whole=False)] = None
    """None: the provider's own default, as is the next."""
    max_output_tokens: Annotated[int | None, Number(16, 1_000_000)] = None


class ServerCapabilities(msgspec.Struct, frozen=True):
    """What may be done in a server at all: its switches."""

    verbatim_tool_calling_enabled: Annotated[bool, Flag()] = False
    """Calls of tools that a model writes as text are calls too, for models whose server does not understand them."""
    own_keys_enabled: Annotated[bool, Flag(), In(Scope.GLOBAL, Scope.SERVER)] = True
    """A model that somebody chose for themselves may answer them with a key of their own."""
    personal_models_enabled: Annotated[bool, Flag(), In(Scope.GLOBAL, Scope.SERVER)] = True
    """People may choose the model that answers them, and how much it thinks."""
    memory_enabled: Annotated[bool, Flag(), In(Scope.GLOBAL, Scope.SERVER)] = True
    """Memory notes are kept and told to the model."""
    files_enabled: Annotated[bool, Flag()] = True
    """Files at messages are read; else they are only named."""
    transcription_enabled: Annotated[bool, Flag()] = True
    """Voice messages and other sounds are put into words."""


class LimitPreferences(msgspec.Struct, frozen=True):
    """How much of models may be used in a server, of what the server or the operator pays for. 0: no limit. A day is a day in UTC, and a
    month one of the calendar. They hold for who manages the server too: it is its bill."""

    person_daily_tokens: Annotated[int, Number(0, MOST_TOKENS)] = 0
    """Read and written, as are all of these."""
    person_monthly_cost: Annotated[float, Money(MOST_DOLLARS)] = 0.0
    channel_daily_tokens: Annotated[int, Number(0, MOST_TOKENS)] = 0
    """With its threads."""
    server_daily_tokens: Annotated[int, Number(0, MOST_TOKENS)] = 0
    server_monthly_tokens: Annotated[int, Number(0, MOST_TOKENS)] = 0
    server_monthly_cost: Annotated[float, Money(MOST_DOLLARS)] = 0.0
    notice_percent: Annotated[int, Number(1, 100)] = 80
    """From which part of a limit on people are told that it comes near."""
    answers_at_once: Annotated[int, Number(0, 1000)] = 0
    """In the whole server; others wait."""
    answers_at_once_of_one: Annotated[int, Number(0, 100)] = 0
    """Of one person."""


class OperatorLimits(msgspec.Struct, frozen=True):
    """How much of the operator's own keys may be used. 0: no limit."""

    free_server_daily_tokens: Annotated[int, Number(0, MOST_TOKENS)] = 0
    """By one server, as is the next."""
    free_server_monthly_cost: Annotated[float, Money(MOST_DOLLARS)] = 0.0
    free_person_daily_tokens: Annotated[int, Number(0, MOST_TOKENS)] = 0
    """By one person, in all servers and direct messages, as is the next."""
    free_person_monthly_cost: Annotated[float, Money(MOST_DOLLARS)] = 0.0
    free_monthly_cost: Annotated[float, Money(MOST_DOLLARS)] = 0.0
    """By all together."""


class LanguagePreferences(msgspec.Struct, frozen=True):
    """In what language the bot's own words are."""

    locale: Annotated[str, Locale(), In(*Scope)] = ""
    """A folder of locales/; empty: as Discord says of the person, else of the server, else the operator's default."""
