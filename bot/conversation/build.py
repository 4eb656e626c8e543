"""Messages of a channel → GenerationRequest, within the model's window and so that prompt caches serve.

    system │ summary  question answer  question answer │ (what the newest replies to)  newest question  aside │ partial, go on
    always │ the window: begins rarely anew            │ new with every question

Providers cache a prompt by its beginning, so a request begins as the one before did: what changes stands at the end, and the window
drops its oldest exchanges for good and many at once (bot.conversation.budget). Of the rest, what the question replies to is dearest,
then what is newest. The question is never left out; too long a one loses its middle, with a mark that says so.
"""

from __future__ import annotations

import asyncio
from collections.abc import Iterable, Sequence

import msgspec

from adapters.contract import GenerationRequest, ImagePart, PromptMessage, Role, TextPart, text_message
from bot.conversation.attached import Attached, Problem, Reader, attached
from bot.conversation.budget import (
    LEAST_QUESTION,
    UPPER_MARK,
    Unit,
    end_of,
    is_near,
    new_beginning,
    prompt_budget,
    shortened,
    squeezed,
)
from bot.conversation.compaction import summary_in_words
from bot.conversation.history import Files, History, PastMessage
from bot.conversation.prompt import CONTINUE, FILES_REPLIED_TO, REPLIED_TO, STATE
from bot.conversation.scene import Scene
from bot.conversation.tokens import TokenCounter
from bot.conversation.transcript import changing
from bot.conversation.turns import Exchange, Said, as_turns, exchanges, heard_as, in_order, merged, turns_of

_READ, MOST_READ = 2, 300
"""Messages that are read for each one that the window may have, and in all: more than it holds, so that its beginning moves in steps,
and what it drops is there for the summary."""
MOST_REPLIES = 16
"""Messages that a chain of replies is followed back."""
LEAST_SHORTENED = 150
"""Tokens: of a message that does not fit, less than this would say nothing."""
_PARTIAL_SHARE = 1 / 3
"""Of the budget, for the beginning of an answer that is to be continued: its end counts."""
_MARKED = 2
"""Answers at the window's end that are marked for the cache: the last, and the one where the request before had its mark."""


class Built(msgspec.Struct, frozen=True):
    request: GenerationRequest
    tokens: int
    """Of the whole prompt, as counted."""
    plain_tokens: int
    """What TokenCounter.learn is given; 0 where pictures are with it, which providers count in too many ways to learn from."""
    starts_after: int | None = None
    """Message id: the conversation's new beginning, to be remembered, where it moved."""
    dropped: tuple[PastMessage, ...] = ()
    """What is before it and was read so far: for the summary."""
    cut: bool = False
    """Something was left out or shortened that an earlier request had, or that was asked."""
    near_limit: bool = False
    """The beginning will move soon."""
    problems: tuple[Problem, ...] = ()
    """Of the question's files and of those that it replies to, for the person."""

    @property
    def has_pictures(self) -> bool:
        return any(map(_has_picture, self.request.messages))


async def build_request(
    history: History,
    files: Files,
    reader: Reader,
    scene: Scene,
    counter: TokenCounter,
    partial: str | None = None,
) -> Built:
    """`partial`: the beginning of the answer to the question; the model is asked to go on from there."""
    question = await history.question()
    # An old question that is answered anew may be from before the beginning: it has its own past, and moves nothing.
    begins = scene.starts_after if scene.starts_after is None or scene.starts_after < question.message_id else None
    recent = await history.recent(min(scene.most_messages * _READ, MOST_READ), begins)
    chain = in_order(message for message in await history.reply_chain(MOST_REPLIES) if message.place < question.place)
    past = _window(recent, chain, question, begins or 0)
    read = await attached(past, question, chain, files, reader, scene.info.vision)
    building = _Building(question, past, chain, read, scene, counter)
    # Counting takes milliseconds where there is much text.
    return await asyncio.to_thread(building.built, partial, movable=begins == scene.starts_after)


def _window(
    recent: Sequence[PastMessage], chain: Sequence[PastMessage], question: PastMessage, begins: int
) -> Sequence[PastMessage]:
    """What was said behind the beginning. An answer belongs where its question is, whenever it was written."""
    read = [message for message in recent if begins < message.place[0] and message.place < question.place]
    places = {message.place for message in read}
    # The chain has the wider view of an answer.
    return in_order([*read, *(message for message in chain if message.place in places)])


class _Building:
    """One request under construction."""

    def __init__(
        self,
        question: PastMessage,
        past: Sequence[PastMessage],
        chain: Sequence[PastMessage],
        read: Attached,
        scene: Scene,
        counter: TokenCounter,
    ) -> None:
        self._question = question
        self._past = past
        self._chain = chain
        self._read = read
        self._scene = scene
        self._counter = counter
        self._cut = False

    def built(self, partial: str | None, *, movable: bool) -> Built:
        """`movable`: the conversation may get a new beginning."""
        scene, factor = self._scene, self._counter.factor(self._scene.origin)
        budget = prompt_budget(scene.info, scene.max_output_tokens)
        summary = [text_message(Role.USER, summary_in_words(scene.summary))] if scene.summary.strip() else []
        settings = self._count_settings()
        free = budget - settings - self._count(summary)

        window = [self._weighed(exchange) for exchange in exchanges(self._past, self._read.parts, scene.persona)]
        upper_mark = int(free * UPPER_MARK)
        gone = new_beginning([unit for _, unit in window], upper_mark, scene.most_messages) if movable else 0
        dropped = tuple(said.past for exchange, _ in window[:gone] for said in exchange)
        self._note_loss(dropped)
        window = window[gone:]

        ending, aside = self._ending(partial, int(budget * _PARTIAL_SHARE)), self._aside()
        room = max(free - self._count([*ending, aside]), LEAST_QUESTION)
        asked = self._shortened(self._asked(), room)
        kept, replied_to = self._fitted(window, room - self._count(asked))

        turns = merged([*summary, *_marked(kept), *replied_to, *asked])
        newest = msgspec.structs.replace(turns[-1], parts=turns[-1].parts + aside.parts)
        messages = (*turns[:-1], newest, *ending)
        tokens = settings + self._count(messages)
        return Built(
            request=self._request(messages),
            tokens=tokens,
            plain_tokens=0 if any(map(_has_picture, messages)) else round(tokens / factor),
            starts_after=dropped[-1].place[0] if dropped else None,
            dropped=dropped,
            cut=self._cut,
            near_limit=is_near([unit for _, unit in window], upper_mark, scene.most_messages),
            problems=self._read.problems,
        )

    def _request(self, messages: tuple[PromptMessage, ...]) -> GenerationRequest:
        scene = self._scene
        return GenerationRequest(
            model=scene.model,
            messages=messages,
            system=scene.system,
            tools=scene.tools,
            max_output_tokens=scene.max_output_tokens,
            temperature=scene.temperature,
            reasoning=scene.reasoning,
            text_tool_calls=scene.text_tool_calls,
            top_p=scene.top_p,
            cache_key=scene.cache_key,
        )

    # ----------------------------------------------------------------------------------------------- what is new each time

    def _asked(self) -> tuple[PromptMessage, ...]:
        files = self._read.parts[self._question.place]
        if self._read.replied_to:
            files = (*files, TextPart(FILES_REPLIED_TO), *self._read.replied_to)
        question = msgspec.structs.replace(self._question, is_me=False)
        return as_turns(question, files, self._scene.persona)

    def _aside(self) -> PromptMessage:
        last_answer = next((message for message in reversed(self._past) if message.is_me), None)
        about = (self._question, *self._chain[-1:], last_answer)
        persona = self._scene.persona
        state = changing(heard_as(persona, message) for message in about if message is not None)
        pieces = (self._scene.aside.strip(), STATE.format(state=state) if state else "")
        text = "\n".join(filter(None, pieces))
        return PromptMessage(Role.USER, (TextPart(f"\n\n{text}"),) if text else ())

    def _ending(self, partial: str | None, most: int) -> tuple[PromptMessage, ...]:
        if not partial or not partial.strip():
            return ()
        begun = end_of(partial, most, lambda text: self._counter.count(text, self._scene.origin))
        self._cut |= begun != partial
        return (text_message(Role.ASSISTANT, begun), text_message(Role.USER, CONTINUE))

    # ------------------------------------------------------------------------------------------------------- what has room

    def _fitted(
        self, window: Sequence[tuple[Exchange, Unit]], room: int
    ) -> tuple[Sequence[PromptMessage], Sequence[PromptMessage]]:
        """The window's turns, and those that the question replies to and that are not among them."""
        note = text_message(Role.USER, REPLIED_TO)
        room_beside = room - self._count_one(note)
        sizes = [unit.tokens for _, unit in window]
        skip, beside = 0, self._beside(window)
        # What leaves the window may be what the question replies to, and then takes its room outside of it. What led there is told
        # if there is room left: for its sake the request does not get another beginning.
        while (more := squeezed(sizes, room_beside - _tokens(beside) if self._has_target(beside) else room)) > skip:
            skip, beside = more, self._beside(window[more:])
        kept = turns_of(exchange for exchange, _ in window[skip:])
        self._cut |= skip > 0
        if not beside:
            return (kept or self._rest_of(window, room)), ()
        room = room_beside - sum(sizes[skip:])
        first = squeezed([unit.tokens for _, unit in beside], room)
        rest = self._rest_of(beside[:first], room - _tokens(beside[first:]))
        told = (*rest, *turns_of(exchange for exchange, _ in beside[first:]))
        return kept, (note, *told) if told else ()

    def _beside(self, window: Sequence[tuple[Exchange, Unit]]) -> Sequence[tuple[Exchange, Unit]]:
        """What the question replies to, without what stands in the window, each message by itself."""
        told = {said.past.place for exchange, _ in window for said in exchange}
        replied_to = [message.place for message in self._chain]
        if window and told.issuperset(replied_to[-1:]) and any(said.past.place in replied_to for said in window[0][0]):
            return []  # a conversation that goes on by replies: what was before the window moved out of it
        persona, parts = self._scene.persona, self._read.parts
        others = (message for message in self._chain if message.place not in told)
        return [self._weighed((Said(it, as_turns(it, parts.get(it.place, ()), persona)),)) for it in others]

    def _has_target(self, beside: Sequence[tuple[Exchange, Unit]]) -> bool:
        return bool(beside) and beside[-1][0][-1].past is self._chain[-1]

    def _rest_of(self, left_out: Sequence[tuple[Exchange, Unit]], room: int) -> tuple[PromptMessage, ...]:
        """The newest of what does not fit, as far as it does."""
        if not left_out:
            return ()
        self._cut = True
        return self._shortened(turns_of([left_out[-1][0]]), room) if room >= LEAST_SHORTENED else ()

    def _shortened(self, messages: tuple[PromptMessage, ...], most: int) -> tuple[PromptMessage, ...]:
        short = shortened(messages, most, self._count_one)
        self._cut |= short != messages
        return short

    def _note_loss(self, dropped: Sequence[PastMessage]) -> None:
        """Whatever an answer of ours came after, the request for that answer had."""
        if dropped:
            self._cut = any(message.is_me and message.place > dropped[0].place for message in self._past)

    # ------------------------------------------------------------------------------------------------------------ counting

    def _weighed(self, exchange: Exchange) -> tuple[Exchange, Unit]:
        return exchange, Unit(self._count(turns_of([exchange])), len(exchange))

    def _count_settings(self) -> int:
        tools = msgspec.json.encode(self._scene.tools).decode() if self._scene.tools else ""
        return self._counter.count_all([self._scene.system, tools], self._scene.origin)

    def _count(self, messages: Iterable[PromptMessage]) -> int:
        return sum(map(self._count_one, messages))

    def _count_one(self, message: PromptMessage) -> int:
        return self._counter.count_message(message, self._scene.origin)


def _marked(messages: Sequence[PromptMessage]) -> Sequence[PromptMessage]:
    answers = [nr for nr, message in enumerate(messages) if message.role is Role.ASSISTANT][-_MARKED:]
    return [msgspec.structs.replace(it, cache_mark=True) if nr in answers else it for nr, it in enumerate(messages)]


def _tokens(weighed: Sequence[tuple[Exchange, Unit]]) -> int:
    return sum(unit.tokens for _, unit in weighed)


def _has_picture(message: PromptMessage) -> bool:
    return any(isinstance(part, ImagePart) for part in message.parts)
