"""The gateway: websocket connections and the sessions that outlive them.

https://docs.discord.com/developers/events/gateway. A session numbers what it was told and keeps it. A connection only
carries: it may break at any moment, and the next one that resumes the session gets what it has not acknowledged. All
pushes are synchronous into the connection's queue, so that a replay and what happens meanwhile cannot overtake.
"""

from __future__ import annotations

import asyncio
import json
import zlib
from collections import deque
from collections.abc import Callable
from typing import Any

import msgspec
from aiohttp import web

from bot.playground.standin.clock import Clock, Timer
from bot.playground.standin.dispatches import (
    ALL_INTENTS,
    PRIVILEGED,
    Dispatch,
    Intent,
    application_flags,
    dispatch_of,
    without_content,
)
from bot.playground.standin.events import Json, WorldEvent
from bot.playground.standin.gateway_payloads import (
    CloseCode,
    Identify,
    Opcode,
    Refused,
    RequestMembers,
    Resume,
    decode,
    fields_of,
)
from bot.playground.standin.objects import own_user_object
from bot.playground.standin.wiretap import Wiretap
from bot.playground.standin.world import World

HEARTBEAT_MS = 41_250
SILENCE_SECONDS = 1.5 * HEARTBEAT_MS / 1000
"""A connection from which no heartbeat comes for so long is closed."""
ACK_SECONDS = 0.05
"""How long a heartbeat's ACK takes. discord.py notes when it sent a heartbeat only after the sending thread has woken; an
ACK that loopback brings before that looks a whole interval late to it, and it warns "Can't keep up"."""
SESSION_SECONDS = 5 * 60.0
"""How long a session without a connection can be resumed."""
CLOSE_SECONDS = 2.0
"""How long a close waits for the client's own close frame."""
SENDS_LIMIT = 120
SENDS_WINDOW = 60.0
REPLAY_LIMIT = 1000
"""Dispatches that a session keeps for a resume."""


class SentDispatch(msgspec.Struct, frozen=True):
    """One dispatch of a session."""

    seq: int
    name: str
    payload: Json


class Session:
    """What one IDENTIFY began: its filter, its numbering, its memory. `connection` is None while the line is down."""

    def __init__(self, session_id: str, intents: Intent, shard: tuple[int, int], bot_id: str) -> None:
        self.id = session_id
        self.shard = shard
        self.connection: Connection | None = None
        self.lost_at = 0.0
        """When the last connection was lost, on the clock's `now`; means nothing while there is one."""
        self._intents = intents
        self._bot_id = bot_id
        self._seq = 0
        self._log: deque[SentDispatch] = deque(maxlen=REPLAY_LIMIT)

    def has_guild(self, guild_id: str | None) -> bool:
        index, total = self.shard
        return index == (0 if guild_id is None else (int(guild_id) >> 22) % total)

    def offer(self, dispatch: Dispatch) -> None:
        """Tells the client, if it asked for this and the place is on its shard."""
        wanted = dispatch.intent is None or dispatch.intent & self._intents
        if wanted and self.has_guild(dispatch.guild_id):
            is_guild_message = "author" in dispatch.payload and dispatch.guild_id is not None
            hides = is_guild_message and not self._intents & Intent.MESSAGE_CONTENT
            payload = without_content(dispatch.payload, self._bot_id) if hides else dispatch.payload
            self.tell(dispatch.name, payload)

    def tell(self, name: str, payload: Json) -> None:
        self._seq += 1
        sent = SentDispatch(self._seq, name, payload)
        self._log.append(sent)
        if self.connection is not None:
            self.connection.send_dispatch(sent)

    def can_resume(self, seq: int) -> bool:
        """Whether nothing after `seq` is forgotten. Raises Refused on a number that was never told."""
        if not 0 <= seq <= self._seq:
            raise Refused(CloseCode.INVALID_SEQ)
        return not self._log or seq >= self._log[0].seq - 1

    def lose(self, connection: Connection, at: float) -> None:
        """The line has broken, unless another has taken its place."""
        if self.connection is connection:
            self.connection, self.lost_at = None, at

    def resume(self, connection: Connection, seq: int) -> None:
        self.connection = connection
        for sent in self._log:
            if sent.seq > seq:
                connection.send_dispatch(sent)
        self.tell("RESUMED", {"_trace": []})


class Connection:
    """One websocket. Sending only queues; `write` does the I/O."""

    def __init__(
        self, socket: web.WebSocketResponse, request: web.Request, wiretap: Wiretap, *, compress: bool
    ) -> None:
        self.session: Session | None = None
        self.dropped_by_server = False
        self.silence: Timer | None = None
        """Runs out when no heartbeat comes."""
        self._socket = socket
        self._request = request
        self._wiretap = wiretap
        self._compressor = zlib.compressobj() if compress else None
        self._outbox: asyncio.Queue[str] = asyncio.Queue()

    def send_dispatch(self, sent: SentDispatch) -> None:
        self._wiretap.gateway(sent.name, sent.payload, "to_client")
        self._queue(Opcode.DISPATCH, sent.payload, sent.seq, sent.name)

    def send(self, opcode: Opcode, payload: Any = None) -> None:
        self._wiretap.gateway(opcode.name, payload, "to_client")
        self._queue(opcode, payload, None, None)

    async def write(self) -> None:
        """Sends what is queued until the line breaks."""
        while True:
            text = await self._outbox.get()
            try:
                if self._compressor is None:
                    await self._socket.send_str(text)
                else:
                    data = self._compressor.compress(text.encode()) + self._compressor.flush(zlib.Z_SYNC_FLUSH)
                    await self._socket.send_bytes(data)
            except ConnectionError:
                return

    async def drop(self, code: int | None) -> None:
        """Ends the line from the server's side; None tears the TCP connection without a close frame."""
        self.dropped_by_server = True
        if code is not None:
            await self._socket.close(code=code)
        elif self._request.transport is not None:
            self._request.transport.abort()

    @property
    def closed_for_good(self) -> bool:
        """A client that closes with 1000 or 1001 gives its session up."""
        return not self.dropped_by_server and self._socket.close_code in (1000, 1001)

    def _queue(self, opcode: Opcode, payload: Any, seq: int | None, name: str | None) -> None:
        self._outbox.put_nowait(json.dumps({"op": opcode, "d": payload, "s": seq, "t": name}))


class Gateway:
    """Takes connections at `/gateway` and tells their sessions what happens in the world."""

    def __init__(self, world: World, clock: Clock, token: str, wiretap: Wiretap, changed: Callable[[], None]) -> None:
        self.identifies = 0
        self.resumes = 0
        self.allowed_privileged = PRIVILEGED
        self.url = ""
        """Set once the server listens."""
        self._world = world
        self._clock = clock
        self._token = token
        self._wiretap = wiretap
        self._changed = changed
        self._sessions: dict[str, Session] = {}
        self._connections: set[Connection] = set()
        self._closing: set[asyncio.Task[None]] = set()
        world.listeners.append(self.hear)

    @property
    def connected_sessions(self) -> int:
        return sum(session.connection is not None for session in self._sessions.values())

    def dispatch(self, dispatch: Dispatch) -> None:
        for session in tuple(self._sessions.values()):
            session.offer(dispatch)

    async def drop(self, code: int | None) -> None:
        for connection in tuple(self._connections):
            await self._drop(connection, code)
        await asyncio.gather(*self._closing)

    def request_reconnect(self) -> None:
        for connection in self._connections:
            connection.send(Opcode.RECONNECT)

    def invalidate_sessions(self, *, resumable: bool) -> None:
        for connection in self._connections:
            connection.send(Opcode.INVALID_SESSION, resumable)
            if connection.session is not None and not resumable:
                self._sessions.pop(connection.session.id, None)
                connection.session = None  # so that it may identify anew

    async def handle(self, request: web.Request) -> web.WebSocketResponse:
        socket = web.WebSocketResponse(max_msg_size=0, timeout=CLOSE_SECONDS)
        await socket.prepare(request)
        query = request.query
        if query.get("v") != "10" or query.get("encoding") != "json":
            await socket.close(code=CloseCode.INVALID_API_VERSION)
            return socket
        compress = query.get("compress") == "zlib-stream"
        connection = Connection(socket, request, self._wiretap, compress=compress)
        self._connections.add(connection)
        writer = asyncio.create_task(connection.write())
        try:
            connection.send(Opcode.HELLO, {"heartbeat_interval": HEARTBEAT_MS, "_trace": []})
            self._expect_heartbeat(connection)
            await self._read(connection, socket)
        except Refused as refused:
            await self._drop(connection, refused.code)
        finally:
            self._connections.discard(connection)
            if connection.silence is not None:
                connection.silence.cancel()
            writer.cancel()
            await asyncio.gather(writer, return_exceptions=True)
            self._leave(connection)
        return socket

    async def _read(self, connection: Connection, socket: web.WebSocketResponse) -> None:
        sent: deque[float] = deque()
        async for message in socket:
            now = self._clock.now()
            sent.append(now)
            while sent[0] <= now - SENDS_WINDOW:
                sent.popleft()
            if len(sent) > SENDS_LIMIT:
                raise Refused(CloseCode.RATE_LIMITED)
            opcode, data = decode(message)
            self._wiretap.gateway(opcode.name, data, "from_client")
            self._obey(connection, opcode, data)
            self._changed()

    def _obey(self, connection: Connection, opcode: Opcode, data: Any) -> None:
        match opcode:
            case Opcode.HEARTBEAT:
                if not (data is None or isinstance(data, int)):
                    raise Refused(CloseCode.DECODE_ERROR)
                self._expect_heartbeat(connection)
                asyncio.get_running_loop().call_later(ACK_SECONDS, self._acknowledge, connection)
            case Opcode.IDENTIFY:
                self._identify(connection, fields_of(Identify, data))
            case Opcode.RESUME:
                self._resume(connection, fields_of(Resume, data))
            case _ if connection.session is None:
                raise Refused(CloseCode.NOT_AUTHENTICATED)
            case Opcode.REQUEST_GUILD_MEMBERS:
                self._send_members(connection.session, fields_of(RequestMembers, data))
            case Opcode.PRESENCE_UPDATE | Opcode.VOICE_STATE_UPDATE:
                pass  # nothing in this world shows presence or voice
            case _:
                raise Refused(CloseCode.UNKNOWN_OPCODE)

    def _expect_heartbeat(self, connection: Connection) -> None:
        if connection.silence is not None:
            connection.silence.cancel()
        connection.silence = self._clock.call_later(SILENCE_SECONDS, lambda: self._time_out(connection))

    def _time_out(self, connection: Connection) -> None:
        if connection.session is not None:
            self._sessions.pop(connection.session.id, None)  # documented for 4009: start a new one
        self._close(connection, CloseCode.SESSION_TIMED_OUT)

    def _close(self, connection: Connection, code: CloseCode) -> None:
        closing = asyncio.create_task(self._drop(connection, code))
        self._closing.add(closing)
        closing.add_done_callback(self._closing.discard)

    async def _drop(self, connection: Connection, code: int | None) -> None:
        if connection.session is not None:
            connection.session.lose(connection, self._clock.now())
        await connection.drop(code)

    def _acknowledge(self, connection: Connection) -> None:
        if connection in self._connections:
            connection.send(Opcode.HEARTBEAT_ACK)

    def _identify(self, connection: Connection, asked: Identify) -> None:
        if connection.session is not None:
            raise Refused(CloseCode.ALREADY_AUTHENTICATED)
        if asked.token != self._token:
            raise Refused(CloseCode.AUTHENTICATION_FAILED)
        intents = asked.intents
        if intents & ~ALL_INTENTS:
            raise Refused(CloseCode.INVALID_INTENTS)
        if intents & PRIVILEGED & ~self.allowed_privileged:
            raise Refused(CloseCode.DISALLOWED_INTENTS)
        shard = asked.checked_shard()
        self.identifies += 1
        self._forget_lost_sessions()
        session = Session(f"session-{self._world.new_id()}", Intent(intents), shard, self._world.bot.id)
        self._sessions[session.id] = session
        session.connection, connection.session = connection, session
        world = self._world
        guild_ids = [id_ for id_ in world.guilds if world.has_bot(id_) and session.has_guild(id_)]
        session.tell("READY", self._ready(session, guild_ids))
        if intents & Intent.GUILDS:
            for guild_id in guild_ids:
                session.tell("GUILD_CREATE", self._guild(guild_id, intents))

    def _ready(self, session: Session, guild_ids: list[str]) -> Json:
        flags = application_flags(self.allowed_privileged)
        application = {"id": self._world.bot.id, "flags": flags, "flags_new": str(flags)}
        return {
            "v": 10,
            "user": own_user_object(self._world.bot),
            "guilds": [{"id": guild_id, "unavailable": True} for guild_id in guild_ids],
            "session_id": session.id,
            "resume_gateway_url": self.url,
            "shard": list(session.shard),
            "application": application,
            "private_channels": [],
            "session_type": "normal",
        }

    def _guild(self, guild_id: str, intents: int) -> Json:
        knows_members = intents & Intent.GUILD_MEMBERS
        return self._world.guild_json(guild_id) if knows_members else self._world.guild_json_without_others(guild_id)

    def _resume(self, connection: Connection, asked: Resume) -> None:
        if connection.session is not None:
            raise Refused(CloseCode.ALREADY_AUTHENTICATED)
        self._forget_lost_sessions()
        session = self._sessions.get(asked.session_id)
        if session is None or asked.token != self._token or not session.can_resume(asked.seq):
            connection.send(Opcode.INVALID_SESSION, False)
            return
        self.resumes += 1
        if session.connection is not None:
            session.connection.session = None
            self._close(session.connection, CloseCode.UNKNOWN_ERROR)
        connection.session = session
        session.resume(connection, asked.seq)

    def _forget_lost_sessions(self) -> None:
        oldest = self._clock.now() - SESSION_SECONDS
        for session in tuple(self._sessions.values()):
            if session.connection is None and session.lost_at < oldest:
                del self._sessions[session.id]

    def _send_members(self, session: Session, asked: RequestMembers) -> None:
        guild_id = str(asked.guild_id)
        members = self._world.members_json(guild_id)
        if wanted := asked.wanted_ids:
            members = [member for member in members if member["user"]["id"] in wanted]
        chunk: Json = {"guild_id": guild_id, "members": members, "chunk_index": 0, "chunk_count": 1}
        if asked.nonce is not None:
            chunk["nonce"] = asked.nonce
        session.tell("GUILD_MEMBERS_CHUNK", chunk)

    def _leave(self, connection: Connection) -> None:
        session = connection.session
        if session is not None and session.connection is connection:
            session.lose(connection, self._clock.now())
            if connection.closed_for_good:
                self._sessions.pop(session.id, None)
        self._changed()

    def hear(self, event: WorldEvent) -> None:
        dispatch = dispatch_of(event, self._world, self._clock)
        if dispatch is not None:
            self.dispatch(dispatch)
