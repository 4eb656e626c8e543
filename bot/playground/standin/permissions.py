"""Who may do what where (https://docs.discord.com/developers/topics/permissions#permission-hierarchy).

The roles' permissions are united; the channel's overwrites then apply from general to special: @everyone, all of the
member's roles together, the member. Owner and administrators pass everything. A thread has its parent's overwrites,
but there SEND_MESSAGES_IN_THREADS stands for SEND_MESSAGES. Who cannot view can do nothing; who cannot send cannot send
files, embeds or a mention of everyone either.
"""

from __future__ import annotations

from collections.abc import Iterable
from enum import IntEnum, IntFlag

import msgspec


class Permission(IntFlag):
    ADMINISTRATOR = 1 << 3
    MANAGE_CHANNELS = 1 << 4
    MANAGE_GUILD = 1 << 5
    ADD_REACTIONS = 1 << 6
    VIEW_CHANNEL = 1 << 10
    SEND_MESSAGES = 1 << 11
    MANAGE_MESSAGES = 1 << 13
    EMBED_LINKS = 1 << 14
    ATTACH_FILES = 1 << 15
    READ_MESSAGE_HISTORY = 1 << 16
    MENTION_EVERYONE = 1 << 17
    USE_EXTERNAL_EMOJIS = 1 << 18
    MANAGE_WEBHOOKS = 1 << 29
    USE_APPLICATION_COMMANDS = 1 << 31
    MANAGE_THREADS = 1 << 34
    CREATE_PUBLIC_THREADS = 1 << 35
    CREATE_PRIVATE_THREADS = 1 << 36
    SEND_MESSAGES_IN_THREADS = 1 << 38
    USE_EXTERNAL_APPS = 1 << 50


NOTHING = Permission(0)
EVERYTHING = Permission((1 << 53) - 1)
"""All bits that Discord may ever define, not only those named here."""

MEMBER_DEFAULT = (
    Permission.ADD_REACTIONS
    | Permission.VIEW_CHANNEL
    | Permission.SEND_MESSAGES
    | Permission.EMBED_LINKS
    | Permission.ATTACH_FILES
    | Permission.READ_MESSAGE_HISTORY
    | Permission.USE_EXTERNAL_EMOJIS
    | Permission.USE_APPLICATION_COMMANDS
    | Permission.CREATE_PUBLIC_THREADS
    | Permission.SEND_MESSAGES_IN_THREADS
    | Permission.USE_EXTERNAL_APPS
)

_NEEDS_SENDING = (
    Permission.MENTION_EVERYONE | Permission.EMBED_LINKS | Permission.ATTACH_FILES | Permission.USE_EXTERNAL_EMOJIS
)


class OverwriteTarget(IntEnum):
    ROLE = 0
    MEMBER = 1


class Overwrite(msgspec.Struct, frozen=True):
    target_id: str
    target: OverwriteTarget
    allow: Permission = NOTHING
    deny: Permission = NOTHING


def base_permissions(role_permissions: Iterable[Permission], *, is_owner: bool) -> Permission:
    """What a member may do in the guild as a whole."""
    united = NOTHING
    for permissions in role_permissions:
        united |= permissions
    return EVERYTHING if is_owner or united & Permission.ADMINISTRATOR else united


def channel_permissions(
    base: Permission,
    overwrites: Iterable[Overwrite],
    *,
    guild_id: str,
    role_ids: Iterable[str],
    user_id: str,
    in_thread: bool = False,
) -> Permission:
    """What a member with these base permissions may do in a channel (or under it, in a thread) with these overwrites."""
    if base == EVERYTHING:
        return EVERYTHING
    by_target = {overwrite.target_id: overwrite for overwrite in overwrites}
    tiers = ([guild_id], [role_id for role_id in role_ids if role_id != guild_id], [user_id])
    allowed = base
    for tier in tiers:
        deny, allow = NOTHING, NOTHING
        for target_id in tier:
            if target_id in by_target:
                deny |= by_target[target_id].deny
                allow |= by_target[target_id].allow
        allowed = (allowed & ~deny) | allow
    if not allowed & Permission.VIEW_CHANNEL:
        return NOTHING
    if not allowed & (Permission.SEND_MESSAGES_IN_THREADS if in_thread else Permission.SEND_MESSAGES):
        allowed &= ~_NEEDS_SENDING
    return allowed
