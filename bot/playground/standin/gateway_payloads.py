"""What the client sends over the gateway: opcodes, their fields, and the close codes for what is wrong with them.

https://docs.discord.com/developers/topics/opcodes-and-status-codes#gateway
"""

from __future__ import annotations

from enum import IntEnum
from typing import Any, TypeVar

import aiohttp
import msgspec

PAYLOAD_LIMIT = 4096
"""Bytes of one payload from the client."""


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


class CloseCode(IntEnum):
    UNKNOWN_ERROR = 4000
    UNKNOWN_OPCODE = 4001
    DECODE_ERROR = 4002
    NOT_AUTHENTICATED = 4003
    AUTHENTICATION_FAILED = 4004
    ALREADY_AUTHENTICATED = 4005
    INVALID_SEQ = 4007
    RATE_LIMITED = 4008
    SESSION_TIMED_OUT = 4009
    INVALID_SHARD = 4010
    INVALID_API_VERSION = 4012
    INVALID_INTENTS = 4013
    DISALLOWED_INTENTS = 4014


class Refused(Exception):
    """The connection must be closed with this code."""

    def __init__(self, code: CloseCode) -> None:
        super().__init__(code.name)
        self.code = code


class Identify(msgspec.Struct, frozen=True):
    token: str
    intents: int
    shard: Any = None

    def checked_shard(self) -> tuple[int, int]:
        """Index and number of shards; raises Refused 4010, also for what is no pair of numbers."""
        try:
            index, total = msgspec.convert([0, 1] if self.shard is None else self.shard, tuple[int, int])
        except msgspec.ValidationError:
            raise Refused(CloseCode.INVALID_SHARD) from None
        if not 0 <= index < total:
            raise Refused(CloseCode.INVALID_SHARD)
        return index, total


class Resume(msgspec.Struct, frozen=True):
    token: str
    session_id: str
    seq: int


class RequestMembers(msgspec.Struct, frozen=True):
    """Ids are texts; discord.py sends them as numbers."""

    guild_id: str | int
    user_ids: list[str | int] | str | int | None = None
    nonce: str | None = None

    @property
    def wanted_ids(self) -> frozenset[str]:
        """Empty for all."""
        if self.user_ids is None:
            return frozenset()
        return frozenset(map(str, self.user_ids if isinstance(self.user_ids, list) else [self.user_ids]))


Fields = TypeVar("Fields")


def fields_of(kind: type[Fields], data: Any) -> Fields:
    """The `d` of a payload as its type. Raises Refused 4002."""
    try:
        return msgspec.convert(data, kind)
    except msgspec.ValidationError:
        raise Refused(CloseCode.DECODE_ERROR) from None


def decode(message: aiohttp.WSMessage) -> tuple[Opcode, Any]:
    """What the client sent. Raises Refused: too long, no JSON object, an opcode that there is not."""
    if message.type is not aiohttp.WSMsgType.TEXT or len(message.data.encode()) > PAYLOAD_LIMIT:
        raise Refused(CloseCode.DECODE_ERROR)
    try:
        payload = msgspec.json.decode(message.data)
    except (msgspec.DecodeError, RecursionError):
        raise Refused(CloseCode.DECODE_ERROR) from None
    if not isinstance(payload, dict) or "op" not in payload:
        raise Refused(CloseCode.DECODE_ERROR)
    try:
        return Opcode(payload["op"]), payload.get("d")
    except ValueError:
        raise Refused(CloseCode.UNKNOWN_OPCODE) from None
