"""What can be chosen, where, and by whom: the list (topics), its vocabulary (kinds), and the list as data (registry)."""

from __future__ import annotations

import msgspec

from bot.preferences.kinds import Mention, Page, Scope
from bot.preferences.registry import SETTINGS, TOPIC_OF, TOPICS, Setting, Topic
from bot.preferences.topics import (
    ADMISSION_DEFAULTS,
    CONVERSATION_DEFAULTS,
    DEFAULTS,
    AdmissionPreferences,
    Answering,
    Bots,
    ChosenModel,
    ConversationPreferences,
    DeliveryPreferences,
    FollowUp,
    FooterDetail,
    LanguagePreferences,
    LimitPreferences,
    ModelPreferences,
    OperatorLimits,
    ServerCapabilities,
    Style,
    Tables,
    Thinking,
    ThoughtLog,
)

__all__ = [
    "ADMISSION_DEFAULTS",
    "CONVERSATION_DEFAULTS",
    "DEFAULTS",
    "SETTINGS",
    "TOPICS",
    "TOPIC_OF",
    "AdmissionPreferences",
    "Answering",
    "Bots",
    "ChosenModel",
    "ConversationPreferences",
    "DeliveryPreferences",
    "FollowUp",
    "FooterDetail",
    "LanguagePreferences",
    "LimitPreferences",
    "Location",
    "Mention",
    "ModelPreferences",
    "OperatorLimits",
    "Page",
    "Scope",
    "ServerCapabilities",
    "Setting",
    "Style",
    "Tables",
    "Thinking",
    "ThoughtLog",
    "Topic",
]


class Location(msgspec.Struct, frozen=True):
    """Where something is said and by whom, as far as choices differ by it."""

    channel_id: int
    """A thread is a channel of its own."""
    guild_id: int | None = None
    """None: a direct message, or a group of people."""
    parent_id: int | None = None
    """Of a thread: the channel that it belongs to."""
    person_id: int | None = None

    @property
    def home_id(self) -> int:
        """The channel; of a thread, the one that it belongs to."""
        return self.parent_id or self.channel_id

    """Who asks; None where it does not matter."""
