"""What a message can hold beside text: files as they were declared, polls, stickers, forwarded messages.

https://docs.discord.com/developers/resources/message, /resources/poll.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable

import msgspec

from bot.playground.standin.events import Json
from bot.playground.standin.objects import iso_time

_SNAPSHOT_FIELDS = (
    "type",
    "content",
    "embeds",
    "attachments",
    "timestamp",
    "edited_timestamp",
    "flags",
    "mentions",
    "mention_roles",
    "components",
)
_PNG_STICKER = 1


class Upload(msgspec.Struct, frozen=True, kw_only=True):
    """A file as its sender describes it; nothing of that has to be true."""

    filename: str
    data: bytes
    content_type: str | None = None
    """None: as the name says. Empty: none is declared."""
    description: str | None = None
    width: int | None = None
    height: int | None = None
    """Pixels."""
    seconds: float | None = None
    """How long a voice message is; it makes the message one."""


class Poll(msgspec.Struct, frozen=True):
    question: str
    answers: tuple[str, ...]
    hours: int = 24
    multiple: bool = False


def poll_object(poll: Poll, now: float) -> Json:
    """`now` in Unix seconds."""
    return {
        "question": {"text": poll.question},
        "answers": [{"answer_id": nr, "poll_media": {"text": text}} for nr, text in enumerate(poll.answers, start=1)],
        "expiry": iso_time(now + poll.hours * 3600),
        "allow_multiselect": poll.multiple,
        "layout_type": 1,
        "results": {"is_finalized": False, "answer_counts": []},
    }


def poll_counts(votes: dict[int, list[str]], viewer_id: str) -> list[Json]:
    """`votes` maps the number of an answer to the ids of those who voted for it."""
    return [
        {"id": answer_id, "count": len(user_ids), "me_voted": viewer_id in user_ids}
        for answer_id, user_ids in sorted(votes.items())
        if user_ids
    ]


def sticker_items(names: Iterable[str], new_id: Callable[[], str]) -> tuple[Json, ...]:
    return tuple({"id": new_id(), "name": name, "format_type": _PNG_STICKER} for name in names)


def snapshot_of(message: Json) -> Json:
    """What a forward of this message shows: the message without its author, as it is at that moment."""
    kept = {field: message[field] for field in _SNAPSHOT_FIELDS}
    return {"message": {**kept, "sticker_items": message.get("sticker_items", []), "stickers": []}}


def files_of(message: Json) -> list[Json]:
    """The attachment objects of a message, those of what it forwards included."""
    snapshots = [snapshot["message"] for snapshot in message.get("message_snapshots", ())]
    return [attachment for part in (message, *snapshots) for attachment in part["attachments"]]
