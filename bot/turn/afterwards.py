"""What an answer gives rise to when it is over: a better name for its thread, a summary of what has become too long."""

from __future__ import annotations

from bot.conversation.build import Built
from bot.conversation.titles import read_title, title_request
from bot.turn.answering import AnswerRun
from bot.turn.chores import Chores
from bot.turn.compacting import Compacting
from bot.turn.models import NoModel
from bot.turn.parts import Purpose, TurnParts
from bot.turn.request import TurnRequest
from bot.turn.side_call import side_call


class Afterwards:
    def __init__(self, parts: TurnParts, chores: Chores, compacting: Compacting) -> None:
        self._parts = parts
        self._chores = chores
        self._compacting = compacting

    async def __call__(self, request: TurnRequest, run: AnswerRun) -> None:
        """For TurnRunner: begins it, and waits for none of it."""
        if request.thread_title is not None and run.text.strip():
            self._chores.start("title", request.channel_id, lambda: self._name_thread(request, run.text))
        built = run.built
        if built is None or not (built.near_limit or built.dropped):
            return
        if (await self._parts.preferences.conversation(request.location)).compaction:
            self._chores.start("compaction", request.channel_id, lambda: self._compact(request, built))

    async def _name_thread(self, request: TurnRequest, answer: str) -> None:
        parts, ours = self._parts, request.thread_title
        assert ours is not None
        choice = await parts.models.at(request.payer_location)
        if isinstance(choice, NoModel):
            return
        question = await request.channel.history().question()
        wanted = title_request(choice.model, question.text, answer)
        said = await side_call(parts, request.payer_location, choice, wanted, Purpose.TITLE)
        if title := read_title(said or ""):
            await request.channel.rename_thread(ours, title)

    async def _compact(self, request: TurnRequest, built: Built) -> None:
        await self._compacting.compact(request, built.dropped)
