"""Builds the parts and owns their lifetimes. The only place that knows everybody."""

from __future__ import annotations

import asyncio
import signal
from collections.abc import AsyncIterator, Sequence
from contextlib import AsyncExitStack, asynccontextmanager
from datetime import UTC, datetime, timedelta

import discord
import httpx
import structlog
from sqlalchemy.engine import make_url

from adapters import registry
from adapters.catalogue import Catalogue, Row
from adapters.transport import Transport
from bot.attachments.reading import AttachmentReader
from bot.attachments.transcription import Transcriber, TranscriptionEndpoint
from bot.conversation.tokens import TokenCounter
from bot.delivery.error_embeds import ErrorFold
from bot.delivery.pacing.pacer import Pacer
from bot.delivery.refused_sends import RefusedSends
from bot.gateway.admission.gate import Gate, OperatorRules
from bot.gateway.asking import Asking
from bot.gateway.channel import ChannelParts
from bot.gateway.controls import Controls
from bot.gateway.desk import Connection, Desk
from bot.gateway.edits import Edits
from bot.gateway.greeting import Greeting
from bot.gateway.inbox.inbox import Inbox
from bot.gateway.private_notices import PrivateNotices
from bot.gateway.questions import Questions
from bot.gateway.stopping import Stopping
from bot.gateway.webhooks import Webhooks
from bot.localization import Translator
from bot.observability import hide
from bot.serving import Serving
from bot.settings import DirectMessages, Settings, SettingsError, without_password
from bot.store import (
    Conversations,
    Database,
    DatabaseUnavailable,
    Forgetting,
    Memories,
    Notes,
    Personas,
    Preferences,
    ProviderKeys,
    SteadyJournal,
    secret_box,
)
from bot.store.steady_ledger import SteadyLedger
from bot.store.usage import KEPT_DAYS
from bot.turn.afterwards import Afterwards
from bot.turn.budgets import Budgets
from bot.turn.chores import Chores
from bot.turn.compacting import Compacting
from bot.turn.follow_ups import FollowUps
from bot.turn.keyring import Keyring
from bot.turn.listings import Listings
from bot.turn.machine import RESTARTING
from bot.turn.models import Models, OperatorModel
from bot.turn.parts import TurnParts
from bot.turn.queue import TurnQueue
from bot.turn.recipients import Disclosure
from bot.turn.runner import TurnRunner
from bot.turn.scenes import Scenes
from bot.turn.spending import Spending
from bot.turn.waiting import WaitingNotices

log = structlog.get_logger()

GRACE = 20.0
"""Seconds that running turns get to end by themselves when the bot is asked to stop."""
LAST_WORDS = 5.0
"""Seconds after that for the channel to be told; then the tasks are cancelled."""
DAY = 86_400.0


class App:
    """One running bot. `async with App.open(settings) as app: await app.run()`; `stop()` ends run()."""

    def __init__(self, settings: Settings, desk: Desk, connection: Connection, chores: Chores) -> None:
        self._desk = desk
        self._connection = connection
        self._serving = Serving(settings, desk, connection)
        self._chores = chores
        self._parts = desk.parts
        self._queue = desk.queue
        self._runner = desk.runner
        self._stopping = asyncio.Event()
        self.ready = self._serving.ready
        """Set while the client is connected and has seen its servers."""

    @classmethod
    @asynccontextmanager
    async def open(cls, settings: Settings, known: Sequence[Row] = ()) -> AsyncIterator[App]:
        """`known`: of models, besides what providers and Parley's own catalogue say.

        Raises SettingsError for a setting that only shows to be wrong when it is used."""
        try:
            translator = Translator(settings.default_locale)
        except ValueError as error:
            raise SettingsError([f"DEFAULT_LOCALE is {settings.default_locale!r}: {error}"]) from None
        async with AsyncExitStack() as stack:
            try:
                database = await stack.enter_async_context(Database(settings.database_url))
            except DatabaseUnavailable as error:
                raise SettingsError([f"DATABASE_URL is {without_password(settings.database_url)!r}: {error}"]) from None
            catalogue, connection = Catalogue(known), Connection()
            preferences, personas, memories = Preferences(database), Personas(database), Memories(database)
            conversations, journal, pacing = Conversations(database), SteadyJournal(database), Pacer()
            keys = ProviderKeys(database, secret_box(make_url(settings.database_url), settings.sealing_secrets()), hide)
            models = Models(preferences, keys, _operator_model(settings))
            ledger, counter = await stack.enter_async_context(SteadyLedger(database)), TokenCounter()
            budgets = Budgets(preferences, ledger, models)
            parts = TurnParts(
                transport=await stack.enter_async_context(Transport(settings.hosts())),
                journal=journal,
                preferences=preferences,
                scenes=Scenes(preferences, personas, memories, conversations, catalogue),
                reader=await stack.enter_async_context(AttachmentReader(await _transcriber(settings, stack))),
                counter=counter,
                translator=translator,
                pacing=pacing,
                refused_sends=RefusedSends(),
                errors=ErrorFold(),
                models=models,
                budgets=budgets,
                spending=Spending(ledger, budgets, catalogue, counter),
            )
            channels = ChannelParts(connection, journal, pacing, PrivateNotices(connection), Webhooks(connection))
            chores = await stack.enter_async_context(Chores())
            compacting = Compacting(parts)
            waiting = await stack.enter_async_context(WaitingNotices(parts))
            runner = TurnRunner(parts, waiting, Afterwards(parts, chores, compacting))
            queue = await stack.enter_async_context(TurnQueue(runner.run, waiting, budgets.caps))
            gate = Gate(preferences, journal, budgets, _operator_rules(settings), parts.refused_sends)
            stopping = Stopping(queue, runner, lambda person_id, channel_id: inbox.cancel(person_id, channel_id))
            questions = Questions(parts, channels, gate, queue, FollowUps(queue, runner), stopping)
            inbox = await stack.enter_async_context(Inbox(questions.judge, questions.ask, questions.stops))
            desk = Desk(
                parts=parts,
                queue=queue,
                runner=runner,
                gate=gate,
                inbox=inbox,
                edits=Edits(inbox, queue, runner, journal, preferences, questions.channel_of),
                stopping=stopping,
                controls=Controls(parts, channels, queue, runner),
                asking=Asking(parts, channels, queue, compacting),
                greeting=Greeting(parts, channels, queue),
                conversations=conversations,
                personas=personas,
                memories=memories,
                forgetting=Forgetting(database),
                notes=Notes(database),
                ledger=ledger,
                keyring=Keyring(keys, parts.transport, settings.hosts(), hide),
                listings=Listings(parts.transport, catalogue, chores, parts.models),
                recipients=Disclosure(parts.models, preferences, settings.transcription_base_url),
            )
            yield cls(settings, desk, connection, chores)

    def stop(self) -> None:
        self._stopping.set()

    @property
    def client(self) -> discord.Client:
        """The one that is connected, or being connected, now."""
        return self._connection()

    @property
    def preferences(self) -> Preferences:
        return self._desk.preferences

    async def idle(self) -> None:
        """Wait until no message is to be handled, no turn runs or waits, nothing is done afterwards, and all of it is written down."""
        await self._desk.inbox.drained()
        await self._queue.drained()
        await self._chores.idle()
        await self._parts.spending.flush()

    def stop_on_signals(self) -> None:
        """SIGTERM and SIGINT end run()."""
        loop = asyncio.get_running_loop()
        for number in (signal.SIGTERM, signal.SIGINT):
            loop.add_signal_handler(number, self.stop)

    async def run(self) -> None:
        """Answer until stop(). Raises bot.serving.Refused where Discord will not let the bot in."""
        serving = asyncio.create_task(self._serving.serve(), name="discord")
        stopping = asyncio.create_task(self._stopping.wait(), name="stopping")
        others = {
            asyncio.create_task(self._look_at_model(), name="look at model"),
            asyncio.create_task(self._desk.keyring.keys.count_unusable(), name="look at keys"),
            asyncio.create_task(self._forget_old(), name="forget old turns"),
            asyncio.create_task(asyncio.to_thread(TokenCounter.load), name="load vocabulary"),
        }
        try:
            await asyncio.wait({serving, stopping}, return_when=asyncio.FIRST_COMPLETED)
            if serving.done():
                await serving
            await self._wind_down()
        finally:
            tasks = {serving, stopping, *others}
            for task in tasks:
                task.cancel()
            await asyncio.wait(tasks)

    async def _wind_down(self) -> None:
        """Running turns get GRACE to end and are told to end then; those that wait are told that they come to nothing."""
        log.info("stopping", grace_seconds=GRACE)
        self._runner.refuse(RESTARTING)
        try:
            async with asyncio.timeout(GRACE):
                await self._desk.inbox.close()  # what was just asked hears that the bot restarts
                self._queue.close()
                await self._queue.drained()
                return
        except TimeoutError:
            self._desk.inbox.abandon()
            self._queue.close()
            self._runner.stop_all(RESTARTING)
        try:
            async with asyncio.timeout(LAST_WORDS):
                await self._queue.drained()
        except TimeoutError:
            log.warning("turns_cancelled", after_seconds=GRACE + LAST_WORDS)
            self._queue.cancel()

    async def _forget_old(self) -> None:
        while True:
            try:
                log.debug("old_turns_forgotten", count=await self._parts.journal.forget_old())
                oldest = datetime.now(UTC).date() - timedelta(KEPT_DAYS)
                log.debug("old_usage_forgotten", rows=await self._desk.ledger.forget_before(oldest))
            except Exception:  # the edge of a chore: tomorrow is another try
                log.exception("old_turns_not_forgotten")
            await asyncio.sleep(DAY)

    async def _look_at_model(self) -> None:
        """One clear line at start about the model; the bot serves all the same."""
        model = self._parts.models.operator
        if model is None:
            log.warning(
                "no_model", consequence="every question is answered with a notice", cure="LLM_PROVIDER, LLM_MODEL"
            )
            return
        endpoint = model.endpoints[0]
        problem = await self._desk.listings.ask(model.account)
        provider, address = model.adapter.name, without_password(endpoint.base_url)
        if problem is not None:
            log.warning("model_unreachable", provider=provider, base_url=address, error=problem.message)
            return
        log.info("model", provider=provider, model=model.model, base_url=address)


def _operator_rules(settings: Settings) -> OperatorRules:
    people = settings.direct_messages
    if isinstance(people, DirectMessages):
        people_or_all = None if people is DirectMessages.EVERYONE else frozenset[int]()
    else:
        people_or_all = people
    return OperatorRules(settings.server_ids, settings.blocked_user_ids, people_or_all)


async def _transcriber(settings: Settings, stack: AsyncExitStack) -> Transcriber | None:
    if settings.transcription_base_url is None:
        return None
    endpoint = TranscriptionEndpoint(
        settings.transcription_base_url, settings.transcription_model, settings.transcription_api_key
    )
    return Transcriber(endpoint, await stack.enter_async_context(httpx.AsyncClient(follow_redirects=False)))


def _operator_model(settings: Settings) -> OperatorModel | None:
    if settings.llm_provider is None or settings.llm_model is None:
        return None
    return OperatorModel(
        registry.adapter(settings.llm_provider), settings.llm_model, settings.endpoints(), settings.llm_models
    )
