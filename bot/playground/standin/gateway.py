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
from enum import IntEnum
from typing import Any

import aiohttp
import msgspec
from aiohttp import web

from bot.playground.standin.clock import Clock
from bot.playground.standin.dispatches import ALL_INTENTS, PRIVILEGED, Dispatch, Intent, dispatch_of, without_content
from bot.playground.standin.events import Json, WorldEvent
from bot.playground.standin.objects import own_user_object
from bot.playground.standin.wiretap import Wiretap
from bot.playground.standin.world import World

HEARTBEAT_MS = 41_250
PAYLOAD_LIMIT = 4096
"""Bytes of one payload from the client."""
CLOSE_SECONDS = 2.0
"""How long a close waits for the client's own close frame."""
SENDS_LIMIT = 120
SENDS_WINDOW = 60.0
REPLAY_LIMIT = 1000
"""Dispatches that a session keeps for a resume."""


class Opcode(IntEnum):
    DISPATCH = 0
    HEARTBEAT = 1
    IDENTIFY = 2
    PRESENCE_UPDATE = 3
    VOICE_STATE_UPDATE = 4
    RESUME = 6
    RECONNECT = 7
    REQUEST_GUILD_MEMBERS = 8
    INVALID_SESSION = 9
    HELLO = 10
    HEARTBEAT_ACK = 11


_NEEDED_FIELDS = {
    Opcode.IDENTIFY: frozenset({"token", "intents"}),
    Opcode.RESUME: frozenset({"token", "session_id", "seq"}),
    Opcode.REQUEST_GUILD_MEMBERS: frozenset({"guild_id"}),
}


class CloseCode(IntEnum):
    UNKNOWN_ERROR = 4000
    UNKNOWN_OPCODE = 4001
    DECODE_ERROR = 4002
    NOT_AUTHENTICATED = 4003
    AUTHENTICATION_FAILED = 4004
    ALREADY_AUTHENTICATED = 4005
    INVALID_SEQ = 4007
    RATE_LIMITED = 4008
    INVALID_SHARD = 4010
    INVALID_API_VERSION = 4012
    INVALID_INTENTS = 4013
    DISALLOWED_INTENTS = 4014


class _Refused(Exception):
    """The connection must be closed with this code."""

    def __init__(self, code: CloseCode) -> None:
        super().__init__(code.name)
        self.code = code


class Told(msgspec.Struct, frozen=True):
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
        self._intents = intents
        self._bot_id = bot_id
        self._seq = 0
        self._log: deque[Told] = deque(maxlen=REPLAY_LIMIT)

    def has_guild(self, guild_id: str | None) -> bool:
        index, total = self.shard
        return index == (0 if guild_id is None else (int(guild_id) >> 22) % total)

    def offer(self, dispatch: Dispatch) -> None:
        """Tells the client, if it asked for this and the place is on its shard."""
        wanted = dispatch.intent is None or dispatch.intent & self._intents
        if wanted and self.has_guild(dispatch.guild_id):
            hides = dispatch.name.startswith("MESSAGE_") and not self._intents & Intent.MESSAGE_CONTENT
            payload = without_content(dispatch.payload, self._bot_id) if hides else dispatch.payload
            self.tell(dispatch.name, payload)

    def tell(self, name: str, payload: Json) -> None:
        self._seq += 1
        told = Told(self._seq, name, payload)
        self._log.append(told)
        if self.connection is not None:
            self.connection.send_told(told)

    def can_resume(self, seq: int) -> bool:
        """Whether nothing after `seq` is forgotten. Raises on a number that was never told."""
        if seq > self._seq:
            raise _Refused(CloseCode.INVALID_SEQ)
        return not self._log or seq >= self._log[0].seq - 1

    def resume(self, connection: Connection, seq: int) -> None:
        self.connection = connection
        for told in self._log:
            if told.seq > seq:
                connection.send_told(told)
        self.tell("RESUMED", {"_trace": []})


class Connection:
    """One websocket. Sending only queues; `write` does the I/O."""

    def __init__(
        self, socket: web.WebSocketResponse, request: web.Request, wiretap: Wiretap, *, compress: bool
    ) -> None:
        self.session: Session | None = None
        self.dropped_by_server = False
        self._socket = socket
        self._request = request
        self._wiretap = wiretap
        self._compressor = zlib.compressobj() if compress else None
        self._outbox: asyncio.Queue[str] = asyncio.Queue()

    def send_told(self, told: Told) -> None:
        self._wiretap.gateway(told.name, told.payload, "to_client")
        self._queue(Opcode.DISPATCH, told.payload, told.seq, told.name)

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
        if self.session is not None and self.session.connection is self:
            self.session.connection = None
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
        world.listeners.append(self.hear)

    @property
    def connected_sessions(self) -> int:
        return sum(session.connection is not None for session in self._sessions.values())

    def dispatch(self, dispatch: Dispatch) -> None:
        for session in tuple(self._sessions.values()):
            session.offer(dispatch)

    async def drop(self, code: int | None) -> None:
        for connection in tuple(self._connections):
            await connection.drop(code)

    def request_reconnect(self) -> None:
        for connection in self._connections:
            connection.send(Opcode.RECONNECT)

    def invalidate_sessions(self, *, resumable: bool) -> None:
        for connection in self._connections:
            connection.send(Opcode.INVALID_SESSION, resumable)
            if connection.session is not None and not resumable:
                self._sessions.pop(connection.session.id, None)

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
            await self._read(connection, socket)
        except _Refused as refused:
            await connection.drop(refused.code)
        finally:
            self._connections.discard(connection)
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
                raise _Refused(CloseCode.RATE_LIMITED)
            opcode, data = _decode(message)
            self._wiretap.gateway(opcode.name, data, "from_client")
            self._obey(connection, opcode, data)
            self._changed()

    def _obey(self, connection: Connection, opcode: Opcode, data: Any) -> None:
        match opcode:
            case Opcode.HEARTBEAT:
                connection.send(Opcode.HEARTBEAT_ACK)
            case Opcode.IDENTIFY:
                self._identify(connection, data)
            case Opcode.RESUME:
                self._resume(connection, data)
            case _ if connection.session is None:
                raise _Refused(CloseCode.NOT_AUTHENTICATED)
            case Opcode.REQUEST_GUILD_MEMBERS:
                self._send_members(connection.session, data)
            case Opcode.PRESENCE_UPDATE | Opcode.VOICE_STATE_UPDATE:
                pass  # nothing in this world shows presence or voice
            case _:
                raise _Refused(CloseCode.UNKNOWN_OPCODE)

    def _identify(self, connection: Connection, data: Any) -> None:
        if connection.session is not None:
            raise _Refused(CloseCode.ALREADY_AUTHENTICATED)
        if data.get("token") != self._token:
            raise _Refused(CloseCode.AUTHENTICATION_FAILED)
        intents, (index, total) = data.get("intents"), data.get("shard") or (0, 1)
        if not isinstance(intents, int) or intents & ~ALL_INTENTS:
            raise _Refused(CloseCode.INVALID_INTENTS)
        if intents & PRIVILEGED & ~self.allowed_privileged:
            raise _Refused(CloseCode.DISALLOWED_INTENTS)
        if not 0 <= index < total:
            raise _Refused(CloseCode.INVALID_SHARD)
        self.identifies += 1
        session = Session(f"session-{self._world.new_id()}", Intent(intents), (index, total), self._world.bot.id)
        self._sessions[session.id] = session
        session.connection, connection.session = connection, session
        guild_ids = [guild_id for guild_id in self._world.guilds if session.has_guild(guild_id)]
        session.tell("READY", self._ready(session, guild_ids))
        if intents & Intent.GUILDS:
            for guild_id in guild_ids:
                session.tell("GUILD_CREATE", self._guild(guild_id, intents))

    def _ready(self, session: Session, guild_ids: list[str]) -> Json:
        application = {"id": self._world.bot.id, "flags": 1 << 19, "flags_new": str(1 << 19)}
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
        guild = self._world.guild_json(guild_id)
        if not intents & Intent.GUILD_MEMBERS:
            # Without the intent a bot learns of no member but itself; `member_count` still counts all.
            guild["members"] = [m for m in guild["members"] if m["user"]["id"] == self._world.bot.id]
        return guild

    def _resume(self, connection: Connection, data: Any) -> None:
        session = self._sessions.get(data.get("session_id"))
        if session is None or data.get("token") != self._token or not session.can_resume(data["seq"]):
            connection.send(Opcode.INVALID_SESSION, False)
            return
        self.resumes += 1
        connection.session = session
        session.resume(connection, data["seq"])

    def _send_members(self, session: Session, data: Any) -> None:
        guild_id = str(data["guild_id"])
        members = self._world.members_json(guild_id)
        if wanted := data.get("user_ids"):
            ids = {str(user_id) for user_id in (wanted if isinstance(wanted, list) else [wanted])}
            members = [member for member in members if member["user"]["id"] in ids]
        chunk: Json = {"guild_id": guild_id, "members": members, "chunk_index": 0, "chunk_count": 1}
        if data.get("nonce") is not None:
            chunk["nonce"] = data["nonce"]
        session.tell("GUILD_MEMBERS_CHUNK", chunk)

    def _leave(self, connection: Connection) -> None:
        session = connection.session
        if session is not None and session.connection is connection:
            session.connection = None
            if connection.closed_for_good:
                self._sessions.pop(session.id, None)
        self._changed()

    def hear(self, event: WorldEvent) -> None:
        dispatch = dispatch_of(event, self._world, self._clock)
        if dispatch is not None:
            self.dispatch(dispatch)


def _decode(message: aiohttp.WSMessage) -> tuple[Opcode, Any]:
    """What the client sent. Raises _Refused: too long, no JSON object, an opcode that there is not."""
    if message.type is not aiohttp.WSMsgType.TEXT or len(message.data.encode()) > PAYLOAD_LIMIT:
        raise _Refused(CloseCode.DECODE_ERROR)
    try:
        payload = json.loads(message.data)
        number, data = payload["op"], payload.get("d")
    except (ValueError, TypeError, KeyError, AttributeError):
        raise _Refused(CloseCode.DECODE_ERROR) from None
    try:
        opcode = Opcode(number)
    except ValueError:
        raise _Refused(CloseCode.UNKNOWN_OPCODE) from None
    needed = _NEEDED_FIELDS.get(opcode, frozenset())
    if needed and not (isinstance(data, dict) and needed <= data.keys()):
        raise _Refused(CloseCode.DECODE_ERROR)
    return opcode, data
