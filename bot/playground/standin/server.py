"""The stand-in as a whole: a Discord on 127.0.0.1 for the unmodified client, and the hands by which people act in it.

async with Standin() as standin:
    ...point the client at standin.api_url with standin.token...
    ada, general = standin.user("Ada"), standin.channel("general")
    await standin.say(ada, general, f"{standin.mention} hello")
    await standin.wait_for(lambda s: len(s.messages(general)) == 2)
"""

from __future__ import annotations

import asyncio
import secrets
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from types import TracebackType
from typing import Any

from aiohttp import web

from bot.playground.standin.acting import id_of
from bot.playground.standin.attachments import AttachmentStore
from bot.playground.standin.backend import Backend
from bot.playground.standin.changes import Changes, Subscription
from bot.playground.standin.commands import CommandRegistry
from bot.playground.standin.config import StandinConfig, build_world
from bot.playground.standin.dispatches import PRIVILEGED, Intent
from bot.playground.standin.events import Json, MessageCreated, WorldEvent
from bot.playground.standin.faults import Fault
from bot.playground.standin.furnishing import Furnishing
from bot.playground.standin.gateway import Gateway
from bot.playground.standin.interactions import Interactions
from bot.playground.standin.local_clients import refuse_browsers
from bot.playground.standin.mentions import Ping
from bot.playground.standin.nonces import Nonces
from bot.playground.standin.rate_limits import RateLimiter
from bot.playground.standin.records import Channel, User
from bot.playground.standin.rest import API_BASE, Call, RestApi
from bot.playground.standin.using import Using
from bot.playground.standin.validation import REQUEST_BYTES_LIMIT
from bot.playground.standin.wiretap import NoWiretap, Wiretap
from bot.playground.standin.writing import Writing

SUBSCRIPTION_LIMIT = 4096


class Standin(Writing, Using, Furnishing):
    """Use it as an async context manager, or call `start` and `stop`. One event loop, one thread."""

    def __init__(self, config: StandinConfig | None = None, wiretap: Wiretap | None = None) -> None:
        self._config = config or StandinConfig()
        clock, wiretap = self._config.clock, wiretap or NoWiretap()
        self._token = self._config.token or secrets.token_urlsafe(32)
        self.world = build_world(self._config.world, clock)
        self._changes = Changes()
        self._subscriptions: list[Subscription] = []
        self._gateway = Gateway(self.world, clock, self._token, wiretap, self._changes.notify)
        # After the gateway's own listener: who waits for a change finds the bot already told.
        self.world.listeners.append(self._hear)
        self._backend = Backend(
            world=self.world,
            clock=clock,
            gateway=self._gateway,
            interactions=Interactions(self.world, clock),
            limiter=RateLimiter(clock, self._config.buckets),
            shards=self._config.shards,
            nonces=Nonces(clock),
            commands=CommandRegistry(self.world.bot.id, self.world.new_id),
            attachments=AttachmentStore(clock),
        )
        self._rest = RestApi(self._backend, self._token, wiretap, self._changes.notify)
        self._runner: web.AppRunner | None = None
        self._base_url = ""

    # ------------------------------------------------------------------------------------------------- lifetime

    async def start(self) -> None:
        """Listens. Raises OSError when the port is taken."""
        app = web.Application(client_max_size=REQUEST_BYTES_LIMIT, middlewares=[refuse_browsers])
        app.router.add_route("*", API_BASE + "/{tail:.*}", self._rest.handle)
        app.router.add_get("/gateway", self._gateway.handle)
        app.router.add_get("/gateway/", self._gateway.handle)
        app.router.add_get("/attachments/{channel_id}/{attachment_id}/{filename}", self._serve_attachment)
        app.router.add_get("/emojis/{emoji}", self._serve_emoji)
        self._runner = web.AppRunner(app, access_log=None, shutdown_timeout=0.5)
        await self._runner.setup()
        await web.TCPSite(self._runner, self._config.host, self._config.port).start()
        host, port = self._runner.addresses[0][:2]
        self._base_url = f"http://{host}:{port}"
        self._gateway.url = f"ws://{host}:{port}/gateway"
        self._backend.attachments.base_url = self._base_url

    async def stop(self) -> None:
        if self._runner is not None:
            await self._gateway.drop(1001)
            await self._runner.cleanup()
            self._runner = None

    async def __aenter__(self) -> Standin:
        await self.start()
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        await self.stop()

    # -------------------------------------------------------------------------------------------- what there is

    @property
    def api_url(self) -> str:
        return self._base_url + API_BASE

    @property
    def gateway_url(self) -> str:
        return self._gateway.url

    @property
    def token(self) -> str:
        return self._token

    @property
    def bot_id(self) -> str:
        return self.world.bot.id

    @property
    def mention(self) -> str:
        return self.world.bot.mention

    def user(self, name: str) -> User:
        """By the name that people see. Raises KeyError."""
        for user in self.world.users.values():
            if name in (user.global_name, user.username):
                return user
        raise KeyError(name)

    def channel(self, name: str) -> Channel:
        """A text channel or thread by its name, the oldest of that name. Raises KeyError."""
        for channel in self.world.channels.values():
            if channel.name == name:
                return channel
        raise KeyError(name)

    def dm(self, user: User | str) -> Channel:
        """The DM between this person and the bot, opened if need be."""
        return self.world.open_dm(user if isinstance(user, User) else self.world.users[user])

    def messages(self, channel: Channel | str, viewer: User | str | None = None) -> list[Json]:
        """All messages, oldest first; with a viewer also those that only this person sees."""
        return self.world.messages(id_of(channel), None if viewer is None else id_of(viewer))

    def message(self, message_id: str) -> Json:
        """Raises KeyError."""
        return self.world.message(message_id)

    def attachment(self, attachment_id: str) -> bytes:
        """Raises KeyError."""
        return self._backend.attachments.read(attachment_id)

    @property
    def commands(self) -> list[Json]:
        """The global application commands that the bot registered."""
        return self._backend.commands.get(None)

    @property
    def calls(self) -> Sequence[Call]:
        """Every REST call that is over, in the order of their ends."""
        return self._rest.calls

    @property
    def in_flight(self) -> int:
        """REST calls that are not over."""
        return self._rest.in_flight

    @property
    def pings(self) -> Sequence[Ping]:
        """Every message that notified somebody, people's own included."""
        return self.world.pings

    @property
    def identifies(self) -> int:
        return self._gateway.identifies

    @property
    def resumes(self) -> int:
        return self._gateway.resumes

    @property
    def connected_sessions(self) -> int:
        """Gateway sessions with a living connection: one for each shard."""
        return self._gateway.connected_sessions

    @property
    def invalid_requests(self) -> int:
        """Answers of 401, 403 and 429 so far."""
        return self._rest.invalid_requests

    # --------------------------------------------------------------------------------------- watching and waiting

    async def wait_for(self, predicate: Callable[[Standin], object], within: float = 10.0) -> None:
        """Until the predicate is true; it is looked at after every world event, REST call and gateway payload, and when
        `look_again` is called.

        Raises TimeoutError, which tells the last REST calls, after `within` seconds.
        """
        try:
            async with asyncio.timeout(within):
                while not predicate(self):
                    await self._changes.next()
        except TimeoutError:
            last = "\n".join(f"  {call.method} {call.path} -> {call.status}" for call in self.calls[-10:])
            raise TimeoutError(f"not within {within} s; the last REST calls were:\n{last}") from None

    def look_again(self) -> None:
        """Something beside Discord has changed that somebody waits for."""
        self._changes.notify()

    @contextmanager
    def subscribe(self, limit: int = SUBSCRIPTION_LIMIT) -> Iterator[Subscription]:
        """What happens from now on, in order."""
        subscription = Subscription(limit)
        self._subscriptions.append(subscription)
        try:
            yield subscription
        finally:
            self._subscriptions.remove(subscription)

    # ------------------------------------------------------------------------------------------ what goes wrong

    def fail(
        self,
        method: str,
        path: str,
        *,
        status: int | None = None,
        body: Any = None,
        headers: Mapping[str, str] | None = None,
        times: int = 1,
        delay: float = 0.0,
        hold: asyncio.Event | None = None,
        drop: bool = False,
        after_effect: bool = False,
    ) -> None:
        """Lets the next `times` calls that fit go wrong; see Fault. `path` is a regular expression, searched."""
        fault = Fault(
            method=method,
            path=path,
            status=status,
            body=body,
            headers=headers or {},
            delay=delay,
            hold=hold,
            drop=drop,
            after_effect=after_effect,
        )
        self._rest.faults.add(fault, times)

    def heal(self) -> None:
        """Forgets the faults that have not come to pass."""
        self._rest.faults.clear()

    async def drop_gateway(self, code: int | None = 4000) -> None:
        """Closes all gateway connections with this code, or by tearing TCP (None). Their sessions can be resumed."""
        await self._gateway.drop(code)

    async def request_reconnect(self) -> None:
        """Opcode 7 to all connections."""
        self._gateway.request_reconnect()

    async def invalidate_sessions(self, *, resumable: bool = False) -> None:
        """Opcode 9 to all connections."""
        self._gateway.invalidate_sessions(resumable=resumable)

    def repeat_message(self, message_id: str) -> None:
        """MESSAGE_CREATE once more, as a gateway does that is not sure whether its last one arrived."""
        self._gateway.hear(MessageCreated(self.message(message_id)))

    def deny_intents(self, intents: Intent) -> None:
        """As if these privileged intents were switched off in the developer portal. Intent(0) allows all again."""
        self._gateway.allowed_privileged = PRIVILEGED & ~intents

    # --------------------------------------------------------------------------------------------------- inside

    def _hear(self, event: WorldEvent) -> None:
        for subscription in self._subscriptions:
            subscription.put(event)
        self._changes.notify()

    async def _serve_attachment(self, request: web.Request) -> web.Response:
        attachment_id, signature = request.match_info["attachment_id"], request.query.get("hm", "")
        try:
            data, content_type = self._backend.attachments.fetch(attachment_id, signature)
        except KeyError:
            return web.Response(status=404, text="This content is no longer available.")
        return web.Response(body=data, headers={"Content-Type": content_type})

    async def _serve_emoji(self, request: web.Request) -> web.Response:
        emoji = self.world.emojis.get(request.match_info["emoji"].partition(".")[0])
        if emoji is None:
            return web.Response(status=404)
        return web.Response(body=emoji.image, content_type=emoji.media_type)
