"""Is this message for us? Pure: a message's facts and what was chosen there in, the reason to answer out.

Our own words are never for us, whoever carries them, and neither are those of other bots unless their text names us: the ping of a
reply names nobody, and two bots that took it for an address would talk for ever.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from enum import StrEnum

import msgspec

from bot.gateway.triggers.words import says, without_code
from bot.persona import Persona
from bot.preferences import Answering, Bots, ConversationPreferences


class Trigger(StrEnum):
    DIRECT_MESSAGE = "direct_message"
    REPLY = "reply"
    MENTION = "mention"
    WORD = "word"
    THREAD = "thread"
    ALWAYS = "always"

    @property
    def is_addressed(self) -> bool:
        """The person speaks to us, and so expects to hear why where no answer comes."""
        return self in (Trigger.DIRECT_MESSAGE, Trigger.REPLY, Trigger.MENTION)


class Incoming(msgspec.Struct, frozen=True, kw_only=True):
    """A message, as far as it matters here (bot.gateway.triggers.incoming)."""

    me: int
    """Our user id."""
    my_role: int | None = None
    """Of the role that Discord made for us in this server. It has our name, so people pick it when they mean us."""
    text: str = ""
    """As Discord has it, with mentions as ids."""
    is_mine: bool = False
    """Written by us, or by a webhook of ours."""
    is_bot: bool = False
    """By another bot, or a webhook of somebody else."""
    is_written: bool = True
    """Neither a system message (somebody joined, a thread was made) nor the echo of a command."""
    is_direct: bool = False
    replies_to_me: bool = False
    """To us, or to a webhook of ours."""
    in_my_thread: bool = False

    @property
    def is_by_person(self) -> bool:
        return self.is_written and not (self.is_mine or self.is_bot)


def trigger_of(incoming: Incoming, preferences: ConversationPreferences, words: Iterable[str] = ()) -> Trigger | None:
    """Why to answer; None where not. `words`: see `words_in_force`."""
    if incoming.is_mine or not incoming.is_written or preferences.answering is Answering.NEVER:
        return None
    if incoming.is_bot:
        named = preferences.bots is Bots.MENTIONS and _names(incoming.text, incoming.me)
        return Trigger.MENTION if named else None
    if incoming.is_direct:
        return Trigger.DIRECT_MESSAGE
    if incoming.replies_to_me:
        return Trigger.REPLY
    if _names(incoming.text, incoming.me) or (incoming.my_role and _names(incoming.text, incoming.my_role, "&")):
        return Trigger.MENTION
    if says(incoming.text, words):
        return Trigger.WORD
    if incoming.in_my_thread:
        return Trigger.THREAD
    return Trigger.ALWAYS if preferences.answering is Answering.ALWAYS else None


def words_in_force(preferences: ConversationPreferences, persona: Persona | None) -> tuple[str, ...]:
    """The trigger words of a place. `persona`: the one that speaks there; None: Parley itself."""
    of_persona = (persona.name, *persona.trigger_words) if persona else ()
    return (*preferences.trigger_words, *of_persona)


def _names(text: str, id_: int, sign: str = "!?") -> bool:
    """Whether the text itself mentions this user (or, with "&", role). In code it is not a mention."""
    mention = re.compile(rf"<@{sign}{id_}>")
    return mention.search(text) is not None and mention.search(without_code(text)) is not None
