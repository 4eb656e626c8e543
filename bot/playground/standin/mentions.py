"""Who a message mentions, and thereby pings (https://docs.discord.com/developers/resources/message#allowed-mentions-object).

Text between angle brackets names people and roles; `allowed_mentions` then says which of them count. Discord lists in
`mentions`, `mention_roles` and `mention_everyone` only those that count: its clients highlight by these fields.
A new message pings whom it mentions; an edit pings nobody.
"""

from __future__ import annotations

import re
from collections.abc import Collection
from typing import Any

import msgspec

_USER = re.compile(r"<@!?(\d+)>")
_ROLE = re.compile(r"<@&(\d+)>")
_EVERYONE = re.compile(r"@(?:everyone|here)\b")
ALL_KINDS = ("users", "roles", "everyone")
WEBHOOK_KINDS = ("users",)
"""What interactions and webhooks may mention when they do not say it."""


class Mentions(msgspec.Struct, frozen=True):
    user_ids: tuple[str, ...] = ()
    role_ids: tuple[str, ...] = ()
    everyone: bool = False

    def __bool__(self) -> bool:
        return bool(self.user_ids or self.role_ids or self.everyone)


class Ping(msgspec.Struct, frozen=True):
    """A new message that notified somebody."""

    message_id: str
    channel_id: str
    author_id: str
    mentions: Mentions


def find_mentions(
    content: str,
    allowed: dict[str, Any] | None,
    *,
    users: Collection[str],
    roles: Collection[str],
    replied_user_id: str | None = None,
    default_kinds: tuple[str, ...] = ALL_KINDS,
    may_mention_everyone: bool = True,
) -> Mentions:
    """What counts in `content`. `users` and `roles` are the ids that exist; others are mere text.

    `allowed` is the request's `allowed_mentions`, already of the right shape, or None.
    """
    kinds = default_kinds if allowed is None else tuple(allowed.get("parse") or ())
    listed = {key: set(map(str, (allowed or {}).get(key) or ())) for key in ("users", "roles")}
    user_ids = [
        user_id
        for user_id in dict.fromkeys(_USER.findall(content))
        if user_id in users and ("users" in kinds or user_id in listed["users"])
    ]
    pings_author_of_target = "users" in default_kinds if allowed is None else bool(allowed.get("replied_user"))
    if replied_user_id is not None and pings_author_of_target and replied_user_id not in user_ids:
        user_ids.append(replied_user_id)
    role_ids = [
        role_id
        for role_id in dict.fromkeys(_ROLE.findall(content))
        if role_id in roles and ("roles" in kinds or role_id in listed["roles"])
    ]
    everyone = may_mention_everyone and "everyone" in kinds and _EVERYONE.search(content) is not None
    return Mentions(tuple(user_ids), tuple(role_ids), everyone)
