"""Builds the parts, owns their lifetimes, keeps the Discord client alive. The only place that knows everybody."""

from __future__ import annotations

import asyncio
import signal
from collections.abc import AsyncIterator, Sequence
from contextlib import AsyncExitStack, asynccontextmanager

import discord
import httpx
import structlog
import yarl
from discord.backoff import ExponentialBackoff

from adapters import registry
from adapters.catalogue import Catalogue, Row
from adapters.contract import ProviderError
from adapters.transport import Transport
from bot.attachments.reading import AttachmentReader
from bot.attachments.transcription import Transcriber, TranscriptionEndpoint
from bot.commands.tree import CommandTree
from bot.conversation.tokens import TokenCounter
from bot.delivery.error_embeds import ErrorFold
from bot.delivery.pacing.pacer import Pacer
from bot.delivery.refused_sends import RefusedSends
from bot.gateway.admission.gate import Gate, OperatorRules
from bot.gateway.asking import Asking
from bot.gateway.channel import ChannelParts
from bot.gateway.client import ParleyClient, Shards, connection_lost
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
    TurnJournal,
)
from bot.turn.afterwards import Afterwards
from bot.turn.attempts import ModelChoice
from bot.turn.chores import Chores
from bot.turn.compacting import Compacting
from bot.turn.follow_ups import FollowUps
from bot.turn.machine import RESTARTING
from bot.turn.parts import TurnParts
from bot.turn.queue import TurnQueue
from bot.turn.recipients import recipients
from bot.turn.runner import TurnRunner
from bot.turn.scenes import Scenes
from bot.turn.waiting import WaitingNotices

log = structlog.get_logger()

GRACE = 20.0
"""Seconds that running turns get to end by themselves when the bot is asked to stop."""
LAST_WORDS = 5.0
"""Seconds after that for the channel to be told; then the tasks are cancelled."""
DAY = 86_400.0

# Close codes after which Discord wants no new try (https://docs.discord.com/developers/topics/opcodes-and-status-codes).
DISALLOWED_INTENTS = 4014
FATAL_CLOSES = {
    4004: "the token was refused",
    4010: "SHARD_IDS or SHARD_COUNT is wrong",
    4011: "more shards are required",
    4012: "this version of the gateway is no longer spoken",
    4013: "wrong intents",
    DISALLOWED_INTENTS: "intents that are switched off",
}


class Refused(Exception):
    """Discord will not let this bot in as it is set up. The text is one line for the operator."""


class App:
    """One running bot. `async with App.open(settings) as app: await app.run()`; `stop()` ends run()."""

    def __init__(
        self, settings: Settings, desk: Desk, connection: Connection, notes: Notes, catalogue: Catalogue, chores: Chores
    ) -> None:
        self._settings = settings
        self._desk = desk
        self._connection = connection
        self._notes = notes
        self._catalogue = catalogue
        self._chores = chores
        self._parts = desk.parts
        self._queue = desk.queue
        self._runner = desk.runner
        self._stopping = asyncio.Event()
        self._message_content = True
        self.ready = asyncio.Event()
        """Set while the client is connected and has seen its servers."""

    @classmethod
    @asynccontextmanager
    async def open(cls, settings: Settings, models: Sequence[Row] = ()) -> AsyncIterator[App]:
        """`models`: what is known of models besides what providers and Parley's own catalogue say.

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
            catalogue, connection = Catalogue(models), Connection()
            preferences, personas, memories = Preferences(database), Personas(database), Memories(database)
            conversations, journal, pacing = Conversations(database), TurnJournal(database), Pacer()
            parts = TurnParts(
                transport=await stack.enter_async_context(Transport()),
                journal=journal,
                preferences=preferences,
                scenes=Scenes(preferences, personas, memories, conversations, catalogue),
                reader=await stack.enter_async_context(AttachmentReader(await _transcriber(settings, stack))),
                counter=TokenCounter(),
                translator=translator,
                pacing=pacing,
                refused_sends=RefusedSends(),
                errors=ErrorFold(),
                model=_model(settings),
            )
            channels = ChannelParts(connection, journal, pacing, PrivateNotices(connection), Webhooks(connection))
            chores = await stack.enter_async_context(Chores())
            compacting = Compacting(parts)
            waiting = await stack.enter_async_context(WaitingNotices(parts))
            runner = TurnRunner(parts, waiting, Afterwards(parts, chores, compacting))
            queue = await stack.enter_async_context(TurnQueue(runner.run, waiting))
            gate = Gate(preferences, journal, _operator_rules(settings), parts.refused_sends)
            stopping = Stopping(queue, runner, lambda person_id, channel_id: inbox.cancel(person_id, channel_id))
            questions = Questions(parts, channels, gate, queue, FollowUps(queue, runner), stopping)
            inbox = await stack.enter_async_context(Inbox(questions.judge, questions.ask, questions.stops))
            desk = Desk(
                parts=parts,
                queue=queue,
                runner=runner,
                gate=gate,
                inbox=inbox,
                edits=Edits(inbox, queue, runner, journal, questions.channel_of),
                stopping=stopping,
                controls=Controls(parts, channels, queue, runner),
                asking=Asking(parts, channels, queue, compacting),
                greeting=Greeting(parts, channels, queue),
                conversations=conversations,
                personas=personas,
                memories=memories,
                forgetting=Forgetting(database),
                recipients=recipients(parts.model, settings.transcription_base_url),
            )
            yield cls(settings, desk, connection, Notes(database), catalogue, chores)

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
        """Wait until no message is to be handled, no turn runs or waits, and nothing is done afterwards."""
        await self._desk.inbox.drained()
        await self._queue.drained()
        await self._chores.idle()

    def stop_on_signals(self) -> None:
        """SIGTERM and SIGINT end run()."""
        loop = asyncio.get_running_loop()
        for number in (signal.SIGTERM, signal.SIGINT):
            loop.add_signal_handler(number, self.stop)

    async def run(self) -> None:
        """Answer until stop(). Raises Refused where Discord will not let the bot in."""
        serving = asyncio.create_task(self._serve(), name="discord")
        stopping = asyncio.create_task(self._stopping.wait(), name="stopping")
        others = {
            asyncio.create_task(self._look_at_model(), name="look at model"),
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
            except Exception:  # the edge of a chore: tomorrow is another try
                log.exception("old_turns_not_forgotten")
            await asyncio.sleep(DAY)

    async def _serve(self) -> None:
        """Keep a client connected: anew after what passes or surprises, never after what Discord finally refused."""
        backoff = ExponentialBackoff()
        while True:
            try:
                await self._serve_once()
            except discord.LoginFailure:
                raise Refused("DISCORD_TOKEN was refused by Discord: it is wrong, or was reset") from None
            except (discord.PrivilegedIntentsRequired, discord.ConnectionClosed) as error:
                self._judge(error)
            except Exception as error:
                if connection_lost(error):
                    log.warning("discord_unreachable", error=repr(error), api=self._settings.discord_api_url)
                else:
                    log.exception("discord_client_broke")
            self.ready.clear()
            await asyncio.sleep(backoff.delay())

    async def _serve_once(self) -> None:
        settings = self._settings
        discord.http.Route.BASE = settings.discord_api_url
        client = self._connection.client = ParleyClient(
            self._desk,
            ready=self.ready,
            message_content=self._message_content,
            shards=Shards(settings.shard_ids, settings.shard_count),
        )
        async with client:
            commands = CommandTree(client, self._parts.translator, self._notes)
            await client.login(settings.discord_token.get_secret_value())
            await commands.sync_if_changed()
            if settings.shard_count is not None:
                # With a count given, discord.py takes its built-in address instead of asking /gateway/bot.
                _, url, _ = await client.http.get_bot_gateway()
                discord.gateway.DiscordWebSocket.DEFAULT_GATEWAY = yarl.URL(url)
            await client.connect()

    def _judge(self, error: discord.PrivilegedIntentsRequired | discord.ConnectionClosed) -> None:
        code = error.code if isinstance(error, discord.ConnectionClosed) else DISALLOWED_INTENTS
        if code == DISALLOWED_INTENTS and self._message_content:
            self._message_content = False
            log.warning(
                "message_content_intent_missing",
                consequence="only mentions and direct messages can be read; replies without a mention cannot",
                cure="Discord's developer portal: your application → Bot → Message Content Intent",
            )
        elif code in FATAL_CLOSES:
            raise Refused(f"Discord closed the connection for good: {FATAL_CLOSES[code]} ({code})")
        else:
            log.warning("discord_closed", code=code)

    async def _look_at_model(self) -> None:
        """One clear line at start about the model; the bot serves all the same."""
        model = self._parts.model
        if model is None:
            log.warning(
                "no_model", consequence="every question is answered with a notice", cure="LLM_PROVIDER, LLM_MODEL"
            )
            return
        endpoint = model.endpoints[0]
        listed = await self._parts.transport.models(model.adapter, endpoint)
        problem = listed if isinstance(listed, ProviderError) else None
        if not isinstance(listed, ProviderError):
            self._catalogue.learn(model.adapter.name, endpoint.base_url, listed)
        if problem is None:
            log.info(
                "model", provider=model.adapter.name, model=model.model, base_url=without_password(endpoint.base_url)
            )
        else:
            log.warning(
                "model_unreachable",
                provider=model.adapter.name,
                base_url=without_password(endpoint.base_url),
                error=problem.message,
            )


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


def _model(settings: Settings) -> ModelChoice | None:
    if settings.llm_provider is None or settings.llm_model is None:
        return None
    return ModelChoice(registry.adapter(settings.llm_provider), settings.llm_model, settings.endpoints())
