"""Discord's JSON objects, built from the world's records.

https://docs.discord.com/developers/resources (user, guild, channel, message). Each has the fields that Discord always
sends, null included: clients read them without asking.
"""

from __future__ import annotations

from collections.abc import Iterable
from datetime import UTC, datetime
from itertools import count
from typing import Any, TypeAlias

from bot.playground.standin.permissions import Permission
from bot.playground.standin.records import Channel, ChannelType, Guild, Member, Role, User

Json: TypeAlias = dict[str, Any]

_JOINED_AT = "2026-01-01T00:00:00+00:00"
_V2_CONTAINER = 17
_NULL_GUILD_FIELDS = [
    "icon",
    "splash",
    "discovery_splash",
    "afk_channel_id",
    "application_id",
    "system_channel_id",
    "rules_channel_id",
    "vanity_url_code",
    "description",
    "banner",
    "public_updates_channel_id",
    "safety_alerts_channel_id",
    "hub_type",
    "incidents_data",
]
_EMPTY_GUILD_FIELDS = [
    "emojis",
    "features",
    "stickers",
    "voice_states",
    "presences",
    "stage_instances",
    "guild_scheduled_events",
    "soundboard_sounds",
]


def iso_time(unix_seconds: float) -> str:
    return datetime.fromtimestamp(unix_seconds, UTC).isoformat()


def user_object(user: User) -> Json:
    return {
        "id": user.id,
        "username": user.username,
        "discriminator": "0000" if user.is_bot else "0",
        "global_name": user.global_name,
        "avatar": user.avatar,
        "bot": user.is_bot,
        "system": False,
        "banner": None,
        "accent_color": None,
        "public_flags": 0,
        "flags": 0,
        "avatar_decoration_data": None,
        "collectibles": None,
        "primary_guild": None,
    }


def own_user_object(user: User) -> Json:
    """What the bot reads about itself."""
    return {**user_object(user), "mfa_enabled": True, "verified": True, "email": None, "locale": user.locale}


def member_object(member: Member, user: User | None = None) -> Json:
    body: Json = {
        "avatar": None,
        "banner": None,
        "communication_disabled_until": None,
        "flags": 0,
        "joined_at": _JOINED_AT,
        "nick": member.nick,
        "pending": False,
        "premium_since": None,
        "roles": list(member.role_ids),
        "mute": False,
        "deaf": False,
    }
    return body if user is None else {**body, "user": user_object(user)}


def role_object(role: Role) -> Json:
    return {
        "id": role.id,
        "name": role.name,
        "description": None,
        "permissions": str(int(role.permissions)),
        "position": role.position,
        "color": 0,
        "colors": {"primary_color": 0, "secondary_color": None, "tertiary_color": None},
        "hoist": False,
        "managed": False,
        "mentionable": False,
        "icon": None,
        "unicode_emoji": None,
        "flags": 0,
    }


def channel_object(channel: Channel, people: Iterable[User] = (), last_message_id: str | None = None) -> Json:
    """`people` are those of a DM or group, without the bot."""
    common: Json = {"id": channel.id, "type": int(channel.type), "flags": 0, "last_message_id": last_message_id}
    if channel.type is ChannelType.DM:
        return common | {"recipients": list(map(user_object, people))}
    if channel.type is ChannelType.GROUP_DM:
        common |= {"name": channel.name, "icon": None, "owner_id": channel.owner_id}
        return common | {"recipients": list(map(user_object, people))}
    common |= {
        "guild_id": channel.guild_id,
        "name": channel.name,
        "parent_id": channel.parent_id,
        "rate_limit_per_user": 0,
    }
    if channel.is_thread:
        return common | _thread_fields(channel)
    overwrites = [
        {"id": o.target_id, "type": int(o.target), "allow": str(int(o.allow)), "deny": str(int(o.deny))}
        for o in channel.overwrites
    ]
    if channel.type is ChannelType.FORUM:
        common |= {"available_tags": [], "default_reaction_emoji": None, "default_sort_order": None}
        common["default_forum_layout"] = 0
    return common | {
        "position": channel.position,
        "nsfw": False,
        "topic": channel.topic,
        "permission_overwrites": overwrites,
        "default_thread_rate_limit_per_user": 0,
    }


def interaction_channel_object(channel: Json, permissions: Permission) -> Json:
    """The partial channel of an interaction."""
    wanted = [
        "id",
        "type",
        "name",
        "guild_id",
        "position",
        "nsfw",
        "flags",
        "parent_id",
        "topic",
        "last_message_id",
        "rate_limit_per_user",
    ]
    # Of threads Discord sends more than its reference says, and discord.py relies on it.
    wanted += [
        "thread_metadata",
        "owner_id",
        "message_count",
        "member_count",
        "total_message_sent",
        "recipients",
        "icon",
    ]
    return {key: channel[key] for key in wanted if key in channel} | {"permissions": str(int(permissions))}


def guild_object(
    guild: Guild, roles: Iterable[Role], members: list[Json], channels: list[Json], threads: list[Json]
) -> Json:
    """The payload of GUILD_CREATE."""
    return {
        **dict.fromkeys(_NULL_GUILD_FIELDS),
        **{key: [] for key in _EMPTY_GUILD_FIELDS},
        "id": guild.id,
        "name": guild.name,
        "owner_id": guild.owner_id,
        "afk_timeout": 300,
        "verification_level": 0,
        "default_message_notifications": 1,
        "explicit_content_filter": 0,
        "roles": [role_object(role) for role in roles],
        "mfa_level": 0,
        "system_channel_flags": 0,
        "premium_tier": 0,
        "preferred_locale": guild.locale,
        "nsfw_level": 0,
        "premium_progress_bar_enabled": False,
        "joined_at": _JOINED_AT,
        "large": False,
        "unavailable": False,
        "member_count": len(members),
        "members": members,
        "channels": channels,
        "threads": threads,
    }


def application_object(bot: User, owner: User, guild_count: int, flags: int) -> Json:
    nothing = ("icon", "type", "interactions_endpoint_url", "role_connections_verification_url", "team")
    return {
        **dict.fromkeys(nothing),
        "id": bot.id,
        "name": bot.username,
        "description": "",
        "verify_key": "0" * 64,
        "flags": flags,
        "flags_new": str(flags),
        "redirect_uris": [],
        "owner": user_object(owner),
        "approximate_guild_count": guild_count,
        "approximate_user_install_count": 0,
        "approximate_user_authorization_count": 0,
        "explicit_content_filter": 0,
        "bot_public": True,
        "bot_require_code_grant": False,
        "eligible_oauth2_scopes": [],
    }


def embed_objects(embeds: Iterable[Json]) -> list[Json]:
    """Embeds as Discord gives them back: a type (of a bot's always rich), no nulls, texts trimmed."""

    def cleaned(embed: Json) -> Json:
        kept = {key: value for key, value in embed.items() if value is not None}
        trimmed = {key: value.strip() if key in ("title", "description") else value for key, value in kept.items()}
        return {**trimmed, "type": trimmed.get("type", "rich")}

    return [cleaned(embed) for embed in embeds]


def component_objects(components: Iterable[Json]) -> list[Json]:
    """Components as Discord gives them back: numbered through, without nulls, with defaults filled in."""
    numbers = count(1)

    def numbered(component: Json) -> Json:
        filled = _without_nulls(component)
        if "options" in filled:
            filled["options"] = [_without_nulls(option) for option in filled["options"]]
        filled["id"] = filled.get("id") or next(numbers)
        if "components" in filled:
            filled["components"] = [numbered(child) for child in filled["components"]]
        if "accessory" in filled:
            filled["accessory"] = numbered(filled["accessory"])
        if filled["type"] == _V2_CONTAINER:
            filled = {"accent_color": None, "spoiler": False, **filled}
        if filled["type"] in (3, 5, 6, 7, 8):
            filled = {"min_values": 1, "max_values": 1, **filled}
        return filled

    return [numbered(component) for component in components]


def _without_nulls(part: Json) -> Json:
    """Of a component or an option of one, and of the emoji that stands on it."""
    filled = {key: value for key, value in part.items() if value is not None}
    if emoji := filled.get("emoji"):
        filled["emoji"] = {key: value for key, value in emoji.items() if value is not None}
    return filled


def emoji_object(emoji: str) -> Json:
    """`emoji` is a Unicode emoji, or `name:id` for a guild's own."""
    name, _, emoji_id = emoji.partition(":")
    return {"id": emoji_id or None, "name": name}


def reaction_objects(reactions: dict[str, list[str]], viewer_id: str) -> list[Json]:
    """`reactions` maps an emoji to the users who reacted with it."""
    return [
        {
            "emoji": emoji_object(emoji),
            "count": len(user_ids),
            "count_details": {"burst": 0, "normal": len(user_ids)},
            "burst_colors": [],
            "me_burst": False,
            "me": viewer_id in user_ids,
        }
        for emoji, user_ids in reactions.items()
    ]


def _thread_fields(thread: Channel) -> Json:
    metadata: Json = {
        "archived": thread.archived,
        "archive_timestamp": thread.archive_changed_at or thread.created_at,
        "auto_archive_duration": thread.auto_archive_minutes,
        "locked": thread.locked,
        "create_timestamp": thread.created_at,
    }
    if thread.type is ChannelType.PRIVATE_THREAD:
        metadata["invitable"] = True
    return {
        "owner_id": thread.owner_id,
        "thread_metadata": metadata,
        "message_count": 0,
        "member_count": 1,
        "total_message_sent": 0,
    }
