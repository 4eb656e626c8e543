"""Messages → GenerationRequest: order, alternation of roles, and the budget.

The newest matters most: when the budget is short, the oldest messages go, whole ones only. What people wrote in a row
becomes one user message, since several providers demand that roles alternate.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence

import msgspec

from adapters.contract import GenerationRequest, PromptMessage, Role, text_message
from adapters.guards.think_tags import visible
from bot.conversation.history import History, PastMessage
from bot.conversation.people import label, without_labels
from bot.conversation.prompt import CONTINUE, QUESTION_NOT_SHOWN


class ContextLimits(msgspec.Struct, frozen=True):
    messages: int = 30
    """Messages before the question, replies and recent ones together."""
    characters: int = 24_000
    """Code points of all messages; about 6,000 tokens of English, 24,000 of Chinese."""


DEFAULT_LIMITS = ContextLimits()

LEAST_PARTIAL = 500
"""Code points of an answer's beginning that a model gets to see however long the question is: it could not go on otherwise."""


async def build_request(
    history: History, model: str, system: str, limits: ContextLimits, partial: str | None = None
) -> GenerationRequest:
    """`partial`: the beginning of the answer to the question; the model is asked to go on from there."""
    question = await history.question()
    chain = await history.reply_chain(limits.messages)
    recent = await history.recent(limits.messages)
    # The chain comes last, so that its wider view of an answer wins.
    earlier = _in_order([*recent, *chain], before=question)
    # What the question replies to is part of it, however old: it goes last when something must go.
    dear = {message.place for message in chain}
    room = limits.characters - len(question.text)
    begun = _end_of(partial or "", max(room, LEAST_PARTIAL))
    kept = _within(earlier, dear, limits, room - len(begun))
    messages = _alternating([*kept, question])
    if begun.strip():
        messages += (text_message(Role.ASSISTANT, begun), text_message(Role.USER, CONTINUE))
    return GenerationRequest(model=model, system=system, messages=messages)


def _in_order(messages: Iterable[PastMessage], before: PastMessage) -> Sequence[PastMessage]:
    once = {message.place: message for message in map(_without_thoughts, messages) if message.text.strip()}
    return [once[place] for place in sorted(once) if place < before.place]


def _without_thoughts(message: PastMessage) -> PastMessage:
    """Reasoning that an answer of ours shows, as one of an older version may, does not go back to a model."""
    return msgspec.structs.replace(message, text=visible(message.text)) if message.is_me else message


def _within(
    messages: Sequence[PastMessage], dear: set[tuple[int, bool]], limits: ContextLimits, room: int
) -> Sequence[PastMessage]:
    kept: dict[tuple[int, bool], PastMessage] = {}
    newest_first = sorted(messages, key=lambda message: (message.place in dear, message.place), reverse=True)
    for message in newest_first[: limits.messages]:
        if len(message.text) > room:
            if message.place in dear and room > 0:
                # What the question is about: its end, where the next thing was said, rather than nothing of it.
                kept[message.place] = msgspec.structs.replace(message, text=_end_of(message.text, room))
            break
        room -= len(message.text)
        kept[message.place] = message
    return [kept[message.place] for message in messages if message.place in kept]


def _end_of(text: str, room: int) -> str:
    """As much of its end as there is room for."""
    return text if len(text) <= room else "…" + text[len(text) - room + 1 :]


def _alternating(messages: Sequence[PastMessage]) -> tuple[PromptMessage, ...]:
    turns: list[tuple[Role, list[str]]] = []
    for message in messages:
        role = Role.ASSISTANT if message.is_me else Role.USER
        text = (
            message.text
            if message.is_me
            else f"{label(message.author_name, message.author_id)}: {without_labels(message.text)}"
        )
        if not turns or turns[-1][0] is not role:
            turns.append((role, []))
        turns[-1][1].append(text)
    if turns and turns[0][0] is Role.ASSISTANT:
        turns.insert(0, (Role.USER, [QUESTION_NOT_SHOWN]))
    return tuple(text_message(role, "\n\n".join(texts)) for role, texts in turns)
