"""A room in which questions are asked, answered and fought over, on a clock that jumps: the real queue, runner, notices and delivery,
between a channel, a model and a journal in memory."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Awaitable, Callable, Sequence
from concurrent.futures import Future, ThreadPoolExecutor
from contextlib import asynccontextmanager
from datetime import UTC, datetime
from typing import Any, TypeAlias, cast

import msgspec

from adapters import registry
from adapters.contract import DoneChunk, Endpoint, FinishReason, GenerationRequest, ProcessedChunk, TextChunk
from bot.conversation.history import PastMessage
from bot.conversation.scene import Scene
from bot.conversation.tokens import TokenCounter
from bot.delivery.error_embeds import ErrorFold
from bot.delivery.pacing.pacer import Pacer
from bot.delivery.refused_sends import RefusedSends
from bot.localization import Translator
from bot.persona import Persona
from bot.preferences import CONVERSATION_DEFAULTS, DEFAULTS, FollowUp, ModelPreferences
from bot.store import DatabaseUnavailable, VersionEnd
from bot.store.answers import AnswerPart, StoredAnswer, StoredVersion
from bot.turn import machine as m
from bot.turn.answering import AnswerRun
from bot.turn.follow_ups import FollowUps
from bot.turn.models import Account, ModelChoice, Payer
from bot.turn.parts import TurnParts
from bot.turn.queue import TurnQueue
from bot.turn.request import Task, TurnRequest
from bot.turn.runner import TurnRunner
from bot.turn.waiting import WaitingNotices
from tests.delivery.channel import Channel
from tests.virtual_time import run

Afterwards: TypeAlias = Callable[[TurnRequest, AnswerRun], Awaitable[None]]
_TRANSLATOR = Translator()
DATABASE = 0.02
"""Seconds that the journal takes."""
CHANNEL = 1


class Saying(msgspec.Struct, frozen=True):
    """What the model does with a question: thinks, then says so many words, one each `gap` seconds."""

    thinks: float = 1.0
    words: int = 3
    gap: float = 0.5


class Model:
    """A Transport."""

    def __init__(self) -> None:
        self.sayings: dict[str, Saying] = {}
        """By the question's text."""
        self.asked: list[str] = []

    @asynccontextmanager
    async def open(self, _adapter: Any, request: GenerationRequest, *_: Any) -> AsyncIterator[Any]:
        said = str(request.messages[-1])
        question = next(text for text in self.sayings if text in said)
        self.asked.append(question)
        yield _Stream(self.sayings[question])


class _Stream:
    def __init__(self, saying: Saying) -> None:
        self._saying = saying

    async def batches(self) -> AsyncIterator[Sequence[ProcessedChunk]]:
        await asyncio.sleep(self._saying.thinks)
        for number in range(self._saying.words):
            yield [TextChunk(f"word{number} ")]
            await asyncio.sleep(self._saying.gap)
        yield [DoneChunk(FinishReason.STOP)]


class _Turn:
    def __init__(self, question_id: int, asker_id: int | None) -> None:
        self.question_id, self.asker_id = question_id, asker_id
        self.runs = True
        self.ends: dict[int, VersionEnd | None] = {1: None}
        self.shown_nr = 1
        self.shown: Sequence[tuple[int, int]] = ()


class _Outage:
    """Once for each channel that is told of it."""

    def __init__(self) -> None:
        self.untold: set[int] = set()
        """Channels."""

    def is_news(self, channel_id: int) -> bool:
        is_news = channel_id in self.untold
        self.untold.discard(channel_id)
        return is_news


class Journal:
    """TurnJournal's rules, without a database."""

    def __init__(self) -> None:
        self.turns: dict[str, _Turn] = {}
        self.outage = _Outage()
        self.is_away = False
        """Then nothing can be begun that is not a first answer, as nobody knows what there is."""

    async def claim(
        self, turn_id: str, question_id: int, _channel: int, _guild: object, asker_id: int, *_: Any
    ) -> bool:
        await asyncio.sleep(DATABASE)
        if any(turn.question_id == question_id for turn in self.turns.values()):
            return False
        self.turns[turn_id] = _Turn(question_id, asker_id)
        return True

    async def begin_version(self, turn_id: str) -> int | None:
        await asyncio.sleep(DATABASE)
        if self.is_away:
            raise DatabaseUnavailable("it is away")
        if (turn := self._take(turn_id)) is None:
            return None
        number = max(turn.ends) + 1
        turn.ends[number] = None
        return number

    async def resume(self, turn_id: str) -> StoredVersion | None:
        await asyncio.sleep(DATABASE)
        turn = self._take(turn_id)
        return None if turn is None else _stored(turn, turn.shown_nr)

    async def finish(self, turn_id: str, version_nr: int, end: VersionEnd, shown: Sequence[tuple[int, int]]) -> None:
        await asyncio.sleep(DATABASE)
        turn = self.turns[turn_id]
        if version_nr in turn.ends:
            turn.runs, turn.ends[version_nr], turn.shown_nr, turn.shown = False, end, version_nr, shown

    async def withdraw(self, turn_id: str) -> None:
        await asyncio.sleep(DATABASE)
        self.turns[turn_id].ends.clear()
        self.turns[turn_id].shown = ()

    async def answer(self, turn_id: str) -> StoredAnswer | None:
        await asyncio.sleep(DATABASE)
        turn = self.turns.get(turn_id)
        if turn is None or turn.shown_nr not in turn.ends:
            return None
        count = max((number for number, end in turn.ends.items() if end is not None), default=0)
        parts = tuple(AnswerPart(message_id, length) for message_id, length in turn.shown)
        shown = _stored(turn, turn.shown_nr)
        return StoredAnswer(turn.question_id, CHANNEL, None, turn.asker_id, count, shown, parts)

    async def version(self, turn_id: str, version_nr: int) -> StoredVersion | None:
        await asyncio.sleep(DATABASE)
        turn = self.turns.get(turn_id)
        return _stored(turn, version_nr) if turn is not None and version_nr in turn.ends else None

    async def message_deleted(self, message_id: int) -> None:
        await asyncio.sleep(DATABASE)
        for turn in self.turns.values():
            left = [part for part in turn.shown if part[0] != message_id]
            if not turn.runs and len(left) < len(turn.shown):
                turn.shown = left
                if not left:
                    turn.ends.clear()

    def _take(self, turn_id: str) -> _Turn | None:
        turn = self.turns.get(turn_id)
        if turn is None or turn.runs or not turn.ends:
            return None
        turn.runs = True
        return turn


def _stored(turn: _Turn, version_nr: int) -> StoredVersion:
    end, now = turn.ends[version_nr] or VersionEnd("", "", "", "", "", ""), datetime.now(UTC)
    fields = {name: getattr(end, name) for name in VersionEnd.__struct_fields__}
    return StoredVersion(version_nr=version_nr, started_at=now, ended_at=now if end.status else None, **fields)


class _Scenes:
    async def persona(self, *_: object) -> Persona | None:
        await asyncio.sleep(DATABASE)
        return None

    async def set(self, _request: object, choice: ModelChoice, _persona: object) -> Scene:
        await asyncio.sleep(DATABASE)
        return Scene(choice.model, choice.origin)

    async def moved(self, *_: object) -> None: ...


class _Preferences:
    async def delivery(self, _location: object) -> Any:
        return DEFAULTS

    async def conversation(self, _location: object) -> Any:
        return CONVERSATION_DEFAULTS

    async def of(self, topic: type[Any], _location: object) -> Any:
        return topic()


class _Models:
    async def at(self, _location: object) -> ModelChoice:
        await asyncio.sleep(DATABASE)
        endpoints = (Endpoint("http://model.test", "sk-key"),)
        account = Account(Payer.OPERATOR, 0, "custom")
        return ModelChoice(registry.adapter("custom"), "demo", endpoints, account, ModelPreferences())


class Spending:
    """What was written down of each call: its question, and what the model wrote."""

    def __init__(self) -> None:
        self.calls: list[tuple[str, str]] = []

    async def record(self, *call: Any) -> None:
        await asyncio.sleep(DATABASE)
        *_, request, text = call
        self.calls.append((str(request.messages[-1].text).partition(".")[0], text))

    async def forget(self, _user_id: int) -> None: ...

    async def flush(self) -> bool:
        return True


class _Reader:
    async def read_all(self, *_: object, **_options: object) -> Sequence[Any]:
        return []


class _Typing:
    def start(self) -> None: ...

    async def end(self) -> None: ...


class Place:
    """The channel of one question."""

    may_embed = True
    may_write = True
    name = "general"
    surroundings: Any = None

    def __init__(self, channel: Channel, question: PastMessage) -> None:
        self._channel = channel
        self._question = question
        self.settled = 0

    def history(self) -> Any:
        return self

    def files(self) -> Any:
        return self

    async def question(self) -> PastMessage:
        return self._question

    async def recent(self, *_: object) -> Sequence[PastMessage]:
        return []

    async def reply_chain(self, *_: object) -> Sequence[PastMessage]:
        return []

    def sender(self, *_: object) -> Channel:
        return self._channel

    def pacing_place(self, *_: object) -> int:
        return CHANNEL

    async def voice(self, *_: object) -> None:
        """The bot speaks as itself."""

    def typing(self) -> _Typing:
        return _Typing()

    async def tell_asker(self, _text: str) -> None: ...

    async def settle(self) -> None:
        self.settled += 1


class _Budgets:
    """Nothing is limited."""

    async def near(self, *_: object) -> Sequence[Any]:
        return ()

    def answered(self, _request: object) -> None: ...

    def not_told(self, *_: object) -> None: ...


class _Parts:
    def __init__(self, model: Model, journal: Journal, pacing: Pacer) -> None:
        self.transport = model
        self.journal = journal
        self.preferences = _Preferences()
        self.scenes = _Scenes()
        self.reader = _Reader()
        self.counter = TokenCounter()
        self.translator = _TRANSLATOR
        self.pacing = pacing
        self.refused_sends = RefusedSends()
        self.errors = ErrorFold()
        self.models = _Models()
        self.budgets = _Budgets()
        self.spending = Spending()
        self.deadlines = None


class Room:
    """`ask`, `delete` and the rest are what people do; the rest of the state is there to look at."""

    def __init__(self, afterwards: Afterwards | None) -> None:
        self.channel = Channel()
        self.model = Model()
        self.journal = Journal()
        parts = _Parts(self.model, self.journal, Pacer())
        self.parts, self.spending = cast(TurnParts, parts), parts.spending
        self.asked: list[TurnRequest] = []
        self.taken: list[TurnRequest] = []
        """Those of them that the queue did not turn away."""
        self.deleted: set[int] = set()
        """Messages, the bot's own and others."""
        self._afterwards = [afterwards] if afterwards is not None else []
        self._deeds: set[asyncio.Task[None]] = set()

    @asynccontextmanager
    async def open(self) -> AsyncIterator[Room]:
        async with WaitingNotices(self.parts) as notices:
            self.runner = TurnRunner(self.parts, notices, *self._afterwards)
            async with TurnQueue(self.runner.run, notices) as self.queue:
                self.follow_ups = FollowUps(self.queue, self.runner)
                self.channel.gateway = self._gateway
                yield self
                await self.queue.drained()
        while self._deeds:
            await asyncio.wait(self._deeds)

    def ask(
        self, saying: Saying | None = None, by: int = 7, choice: FollowUp = FollowUp.QUEUE, **fields: Any
    ) -> TurnRequest | None:
        """None where it is not taken."""
        saying = saying or Saying()
        number = len(self.asked) + 1
        place = self.place(10_000 + number, f"question {number}.", saying)
        request = TurnRequest(
            turn_id=f"t{number}",
            question_id=10_000 + number,
            channel_id=CHANNEL,
            guild_id=None,
            asker_id=by,
            locale="en-US",
            arrived=asyncio.get_running_loop().time(),
            channel=cast(Any, place),
            **fields,
        )
        self.asked.append(request)
        if not self.follow_ups.submit(request, choice):
            return None
        self.taken.append(request)
        return request

    def place(self, question_id: int, text: str, saying: Saying) -> Place:
        self.model.sayings[text] = saying
        return Place(self.channel, PastMessage(question_id, 7, "Ada", text))

    def press(self, request: TurnRequest, task: Task, version_nr: int = 0) -> bool:
        """As bot.gateway.controls does it. False where it is busy."""
        if self.runner.writes(request.turn_id) or self.queue.holds(request.turn_id):
            return False
        pressed = msgspec.structs.replace(request, task=task, version_nr=version_nr, run_id=f"r{len(self.model.asked)}")
        return self.queue.submit(pressed)

    def edit(self, request: TurnRequest, saying: Saying) -> bool:
        """False where nobody answers it or will. It says the same with other words."""
        text = f"question {self.asked.index(request) + 1}. Edited at {asyncio.get_running_loop().time()}."
        place = self.place(request.question_id, text, saying)
        self.model.sayings = dict(reversed(self.model.sayings.items()))  # what is longer is looked at first
        return self.queue.amend(request.question_id, lambda _: cast(Any, place)) or self.runner.question_edited(
            request.question_id, lambda _: cast(Any, place)
        )

    def stop(self, by: int) -> None:
        self.queue.withdraw_of(by, CHANNEL)
        for turn_id, asker_id in self.runner.running_in(CHANNEL):
            if asker_id == by:
                self.runner.stop(turn_id, by="Ada")

    def delete(self, message_id: int) -> None:
        """By anybody: a question, or a message of ours."""
        if message_id in self.channel.messages:
            self.channel.delete(message_id)
        else:
            self._gateway(message_id)

    def restart(self) -> None:
        self.runner.refuse(m.RESTARTING)
        self.queue.close()

    def _gateway(self, message_id: int) -> None:
        self.deleted.add(message_id)
        self.queue.withdraw(message_id)
        self.runner.message_deleted(message_id)
        self._deeds.add(task := asyncio.create_task(self.journal.message_deleted(message_id)))
        task.add_done_callback(self._deeds.discard)

    # ------------------------------------------------------------------------------------------------ to look at

    @property
    def texts(self) -> list[str]:
        return self.channel.texts

    def statuses(self) -> list[str | None]:
        """Of each question in order: how it ended; None where it was never begun, "withdrawn" where its answer was deleted."""
        by_question = {turn.question_id: turn for turn in self.journal.turns.values()}
        return [_status(by_question.get(request.question_id)) for request in self.asked]


def _status(turn: _Turn | None) -> str | None:
    if turn is None:
        return None
    end = turn.ends.get(turn.shown_nr)
    return "withdrawn" if not turn.ends else str(end.status) if end is not None else "unfinished"


class _Here(ThreadPoolExecutor):
    """Work for threads is done at once: while a thread works, a clock that jumps would not wait for it."""

    def submit(self, fn: Callable[..., Any], /, *arguments: Any, **options: Any) -> Future[Any]:
        future: Future[Any] = Future()
        try:
            future.set_result(fn(*arguments, **options))
        except Exception as error:
            future.set_exception(error)
        return future


def played(scenario: Callable[[Room], Awaitable[None]], afterwards: Afterwards | None = None) -> Room:
    """The room when all is over."""

    async def main() -> Room:
        asyncio.get_running_loop().set_default_executor(_Here())
        async with Room(afterwards).open() as room:
            await scenario(room)
        assert asyncio.all_tasks() == {asyncio.current_task()}, "nothing is left behind"
        return room

    return run(main())
