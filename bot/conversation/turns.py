"""Messages of the channel as turns of a request, and which of them belong together."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence

import msgspec

from adapters.contract import Part, PromptMessage, Role, TextPart, text_message
from adapters.guards.think_tags import visible
from bot.conversation.attached import Parts, Place
from bot.conversation.history import PastMessage
from bot.conversation.prompt import QUESTION_NOT_SHOWN
from bot.conversation.transcript import told

_BETWEEN_MESSAGES = "\n\n"
_WITHIN_MESSAGE = "\n"


class Said(msgspec.Struct, frozen=True):
    """A message of the channel, and how the model gets it."""

    past: PastMessage
    messages: tuple[PromptMessage, ...]


Exchange = tuple[Said, ...]
"""What somebody said, and what was answered to it: it comes and goes together, so that no answer is left without its question."""


def in_order(messages: Iterable[PastMessage]) -> Sequence[PastMessage]:
    """Those that have something to read, each once, as they followed on each other. Of two readings of one the later counts."""
    once = {message.place: message for message in map(_without_thoughts, messages) if _has_content(message)}
    return [once[place] for place in sorted(once)]


def exchanges(messages: Iterable[PastMessage], files: Mapping[Place, Parts], persona: str) -> Sequence[Exchange]:
    """`messages` in order. `persona`: as whom the model speaks; what it said as another is that one's words, as a person's are."""
    out: list[list[Said]] = []
    for message in messages:
        turns = as_turns(message, files.get(message.place, ()), persona)
        if message.is_me and out and _answers(message, out[-1]):
            out[-1].append(Said(message, turns))
        else:
            unasked = turns[0].role is Role.ASSISTANT
            stub = (text_message(Role.USER, QUESTION_NOT_SHOWN),) if unasked else ()
            out.append([Said(message, (*stub, *turns))])
    return [tuple(exchange) for exchange in out]


def as_turns(message: PastMessage, files: Parts, persona: str) -> tuple[PromptMessage, ...]:
    """Each file is a part of its own: where there is no room for all, each loses its own middle, and keeps its note and fence."""
    message = heard_as(persona, message)
    if message.is_me:
        return (text_message(Role.ASSISTANT, message.text),)
    below = (TextPart(_WITHIN_MESSAGE + part.text) if isinstance(part, TextPart) else part for part in files)
    return (PromptMessage(Role.USER, (TextPart(told(message)), *below)),)


def heard_as(persona: str, message: PastMessage) -> PastMessage:
    """To who speaks as this persona, what we said as another is somebody else's words, and so is what is quoted of them."""
    quote = message.quote
    if quote is not None and quote.is_me and quote.persona != persona:
        quote = msgspec.structs.replace(quote, is_me=False, author_name=quote.persona or quote.author_name)
        message = msgspec.structs.replace(message, quote=quote)
    if message.is_me and message.persona != persona:
        speaker = message.persona or message.author_name
        message = msgspec.structs.replace(message, is_me=False, author_name=speaker)
    return message


def turns_of(exchanges: Iterable[Exchange]) -> tuple[PromptMessage, ...]:
    return tuple(message for exchange in exchanges for said in exchange for message in said.messages)


def merged(messages: Iterable[PromptMessage]) -> tuple[PromptMessage, ...]:
    """What one side says in a row as one turn, its messages a blank line apart; and texts that meet as one part."""
    out: list[PromptMessage] = []
    for message in messages:
        if out and out[-1].role is message.role:
            parts = _glued(out[-1].parts, message.parts, _BETWEEN_MESSAGES)
            mark = out[-1].cache_mark or message.cache_mark
            out[-1] = msgspec.structs.replace(message, parts=parts, cache_mark=mark)
        else:
            out.append(message)
    return tuple(msgspec.structs.replace(message, parts=_glued((), message.parts, "")) for message in out)


def _glued(first: Iterable[Part], second: Sequence[Part], between: str) -> tuple[Part, ...]:
    """Texts that meet become one. APIs that know text alone write parts down without anything between."""
    out = list(first)
    for nr, part in enumerate(second):
        if nr == 0 and isinstance(part, TextPart) and not part.opaque:
            part = TextPart(between + part.text)
        end = out[-1] if out else None
        if isinstance(part, TextPart) and not part.opaque and isinstance(end, TextPart) and not end.opaque:
            out[-1] = TextPart(end.text + part.text)
        else:
            out.append(part)
    return tuple(out)


def _answers(answer: PastMessage, exchange: Sequence[Said]) -> bool:
    """Of an answer that does not say to what, the message before it is taken for its question."""
    return answer.answers is None or answer.answers == exchange[0].past.message_id


def _has_content(message: PastMessage) -> bool:
    others = (message.attachments, message.embeds, message.forwarded, message.poll, message.stickers)
    return bool(message.text.strip()) or (not message.is_me and any(others))


def _without_thoughts(message: PastMessage) -> PastMessage:
    """Reasoning that an answer of ours shows, as one of an older version may, does not go back to a model."""
    return msgspec.structs.replace(message, text=visible(message.text)) if message.is_me else message
