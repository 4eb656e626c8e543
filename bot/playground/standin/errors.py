"""The error answers of Discord's REST that a chat bot can meet.

Meanings: https://docs.discord.com/developers/topics/opcodes-and-status-codes#json. The HTTP status beside a code is
usual practice; Discord does not document it for each.
"""

from __future__ import annotations

from typing import Any, TypeAlias

import msgspec

ErrorTree: TypeAlias = dict[str, Any]
"""Mirrors the request; a leaf is `{"_errors": [{"code": str, "message": str}]}`."""


class ErrorKind(msgspec.Struct, frozen=True):
    status: int
    code: int
    message: str


UNAUTHORIZED = ErrorKind(401, 0, "401: Unauthorized")
NOT_FOUND = ErrorKind(404, 0, "404: Not Found")
METHOD_NOT_ALLOWED = ErrorKind(405, 0, "405: Method Not Allowed")
UNKNOWN_CHANNEL = ErrorKind(404, 10003, "Unknown Channel")
UNKNOWN_MESSAGE = ErrorKind(404, 10008, "Unknown Message")
UNKNOWN_USER = ErrorKind(404, 10013, "Unknown User")
UNKNOWN_EMOJI = ErrorKind(400, 10014, "Unknown Emoji")
UNKNOWN_WEBHOOK = ErrorKind(404, 10015, "Unknown Webhook")
UNKNOWN_APPLICATION = ErrorKind(404, 10002, "Unknown Application")
UNKNOWN_INTERACTION = ErrorKind(404, 10062, "Unknown interaction")
TOO_MANY_WEBHOOKS = ErrorKind(400, 30007, "Maximum number of webhooks reached (15)")
TOO_MANY_EMOJIS = ErrorKind(400, 30008, "Maximum number of emojis reached (2000)")
TOO_MANY_FILES = ErrorKind(400, 30015, "Maximum number of attachments in a message reached (10)")
OLD_MESSAGE_EDITS = ErrorKind(429, 30046, "Maximum number of edits to messages older than 1 hour reached.")
TOO_LARGE = ErrorKind(413, 40005, "Request entity too large")
ALREADY_ACKNOWLEDGED = ErrorKind(400, 40060, "Interaction has already been acknowledged.")
FOLLOW_UPS_USED = ErrorKind(
    400, 40094, "The maximum number of follow up messages for this interaction has been reached"
)
MISSING_ACCESS = ErrorKind(403, 50001, "Missing Access")
WRONG_FOR_DM = ErrorKind(403, 50003, "Cannot execute action on a DM channel")
NOT_THE_AUTHOR = ErrorKind(403, 50005, "Cannot edit a message authored by another user")
EMPTY_MESSAGE = ErrorKind(400, 50006, "Cannot send an empty message")
MISSING_PERMISSIONS = ErrorKind(403, 50013, "Missing Permissions")
DMS_CLOSED = ErrorKind(403, 50007, "Cannot send messages to this user")
NO_TEXT_CHANNEL = ErrorKind(400, 50008, "Cannot send messages in a non-text channel")
WRONG_CHANNEL_TYPE = ErrorKind(400, 50024, "Cannot execute action on this channel type")
INVALID_WEBHOOK_TOKEN = ErrorKind(401, 50027, "Invalid Webhook Token")
INVALID_FORM_BODY = ErrorKind(400, 50035, "Invalid Form Body")
THREAD_ARCHIVED = ErrorKind(400, 50083, "Thread is archived")
INVALID_JSON = ErrorKind(400, 50109, "The request body contains invalid JSON.")
V2_OVERFLOW = ErrorKind(500, 0, "500: Internal Server Error")
REPLY_NEEDS_HISTORY = ErrorKind(403, 160002, "Cannot reply without permission to read message history")
THREAD_LOCKED = ErrorKind(403, 160005, "Thread is locked")
THREAD_EXISTS = ErrorKind(400, 160004, "A thread has already been created for this message")


class ApiError(Exception):
    """Ends the handling of a REST request with that error answer."""

    def __init__(self, kind: ErrorKind, errors: ErrorTree | None = None) -> None:
        super().__init__(f"{kind.code}: {kind.message}")
        self.kind = kind
        self.errors = errors

    @property
    def body(self) -> dict[str, Any]:
        body: dict[str, Any] = {"message": self.kind.message, "code": self.kind.code}
        if self.errors is not None:
            body["errors"] = self.errors
        return body


def leaf(code: str, message: str) -> ErrorTree:
    return {"_errors": [{"code": code, "message": message}]}


def invalid_form(field: str, code: str, message: str) -> ApiError:
    """50035 for one field; `field` may be a dotted path."""
    tree = leaf(code, message)
    for key in reversed(field.split(".")):
        tree = {key: tree}
    return ApiError(INVALID_FORM_BODY, tree)
