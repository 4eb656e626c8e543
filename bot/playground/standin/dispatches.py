"""From what happens in the world to what the gateway tells the bot.

https://docs.discord.com/developers/events/gateway-events. A dispatch knows which intent asks for it and where it
belongs, so that a session can decide whether it gets it; without MESSAGE_CONTENT it gets the text of few messages.
"""

from __future__ import annotations

from enum import IntFlag
from typing import Any

import msgspec

from bot.playground.standin.clock import Clock
from bot.playground.standin.events import (
    ChannelCreated,
    ChannelDeleted,
    ChannelUpdated,
    GuildJoined,
    GuildLeft,
    Json,
    MemberChanged,
    MemberJoined,
    MessageCreated,
    MessageDeleted,
    MessageUpdated,
    PollVoteAdded,
    PollVoteRemoved,
    ReactionAdded,
    ReactionRemoved,
    RoleCreated,
    TypingStarted,
    WorldEvent,
)
from bot.playground.standin.objects import emoji_object, member_object, role_object
from bot.playground.standin.permissions import Permission
from bot.playground.standin.records import THREAD_TYPES
from bot.playground.standin.world import World


class Intent(IntFlag):
    GUILDS = 1 << 0
    GUILD_MEMBERS = 1 << 1
    GUILD_PRESENCES = 1 << 8
    GUILD_MESSAGES = 1 << 9
    GUILD_MESSAGE_REACTIONS = 1 << 10
    GUILD_MESSAGE_TYPING = 1 << 11
    DIRECT_MESSAGES = 1 << 12
    DIRECT_MESSAGE_REACTIONS = 1 << 13
    DIRECT_MESSAGE_TYPING = 1 << 14
    MESSAGE_CONTENT = 1 << 15
    GUILD_MESSAGE_POLLS = 1 << 24
    DIRECT_MESSAGE_POLLS = 1 << 25


PRIVILEGED = Intent.GUILD_MEMBERS | Intent.GUILD_PRESENCES | Intent.MESSAGE_CONTENT
ALL_INTENTS = (1 << 26) - 1
"""Bits above are unknown to Discord (close code 4013)."""

_MESSAGES = (Intent.GUILD_MESSAGES, Intent.DIRECT_MESSAGES)
_REACTIONS = (Intent.GUILD_MESSAGE_REACTIONS, Intent.DIRECT_MESSAGE_REACTIONS)
_POLLS = (Intent.GUILD_MESSAGE_POLLS, Intent.DIRECT_MESSAGE_POLLS)
_TYPING = (Intent.GUILD_MESSAGE_TYPING, Intent.DIRECT_MESSAGE_TYPING)
_LIMITED_FLAGS = {Intent.GUILD_PRESENCES: 1 << 13, Intent.GUILD_MEMBERS: 1 << 15, Intent.MESSAGE_CONTENT: 1 << 19}
_CONTENT_FIELDS: Json = {"content": "", "embeds": [], "attachments": [], "components": []}


class Dispatch(msgspec.Struct, frozen=True):
    name: str
    payload: Json
    guild_id: str | None
    """Decides the shard; what belongs to no guild goes to shard 0."""
    intent: Intent | None = None
    """Which the session must have asked for; None: everybody gets it."""


def dispatch_of(event: WorldEvent, world: World, clock: Clock) -> Dispatch | None:
    """None where the bot hears nothing: of an ephemeral message, a DM that opens, a channel that it cannot see."""
    match event:
        case MessageCreated(message, ephemeral_to):
            return None if ephemeral_to else _about_message("MESSAGE_CREATE", message, world)
        case MessageUpdated(message, ephemeral_to):
            return None if ephemeral_to else _about_message("MESSAGE_UPDATE", message, world)
        case MessageDeleted(channel_id, message_id, ephemeral_to):
            body = {"id": message_id}
            return None if ephemeral_to else _placed("MESSAGE_DELETE", body, channel_id, _MESSAGES, world)
        case ReactionAdded(channel_id, message_id, user_id, emoji):
            payload = _reaction(message_id, user_id, emoji)
            payload |= _member_of(channel_id, user_id, world)
            return _placed("MESSAGE_REACTION_ADD", payload, channel_id, _REACTIONS, world)
        case ReactionRemoved(channel_id, message_id, user_id, emoji):
            payload = _reaction(message_id, user_id, emoji)
            return _placed("MESSAGE_REACTION_REMOVE", payload, channel_id, _REACTIONS, world)
        case PollVoteAdded(channel_id, message_id, user_id, answer_id):
            payload = {"message_id": message_id, "user_id": user_id, "answer_id": answer_id}
            return _placed("MESSAGE_POLL_VOTE_ADD", payload, channel_id, _POLLS, world)
        case PollVoteRemoved(channel_id, message_id, user_id, answer_id):
            payload = {"message_id": message_id, "user_id": user_id, "answer_id": answer_id}
            return _placed("MESSAGE_POLL_VOTE_REMOVE", payload, channel_id, _POLLS, world)
        case TypingStarted(channel_id, user_id):
            payload = {"user_id": user_id, "timestamp": int(clock.wall())} | _member_of(channel_id, user_id, world)
            return _placed("TYPING_START", payload, channel_id, _TYPING, world)
        case ChannelCreated() | ChannelUpdated() | ChannelDeleted():
            return _of_channel(event, world)
        case _:
            return _of_guild(event, world)


def _of_channel(event: ChannelCreated | ChannelUpdated | ChannelDeleted, world: World) -> Dispatch | None:
    if event.channel.get("guild_id") is None or not world.has_bot(event.channel["guild_id"]):
        return None  # a DM, or a server without the bot
    match event:
        case ChannelCreated(channel):
            is_thread = channel["type"] in THREAD_TYPES
            return _about_channel("CREATE", {**channel, "newly_created": True} if is_thread else channel)
        case ChannelUpdated(channel):
            return _about_channel("UPDATE", channel)
        case ChannelDeleted(channel):
            is_thread = channel["type"] in THREAD_TYPES
            partial = {key: channel[key] for key in ("id", "guild_id", "parent_id", "type")} if is_thread else channel
            return _about_channel("DELETE", partial)


def _of_guild(event: WorldEvent, world: World) -> Dispatch | None:
    match event:
        case GuildJoined(guild_id):
            return Dispatch("GUILD_CREATE", world.guild_json_without_others(guild_id), guild_id, Intent.GUILDS)
        case GuildLeft(guild_id):
            return Dispatch("GUILD_DELETE", {"id": guild_id}, guild_id, Intent.GUILDS)
        case MemberJoined(guild_id, user_id) | MemberChanged(guild_id, user_id) if world.has_bot(guild_id):
            name = "GUILD_MEMBER_ADD" if isinstance(event, MemberJoined) else "GUILD_MEMBER_UPDATE"
            member = member_object(world.members[guild_id, user_id], world.users[user_id])
            # Of its own roles a bot is told without the intent.
            intent = None if user_id == world.bot.id else Intent.GUILD_MEMBERS
            return Dispatch(name, {**member, "guild_id": guild_id}, guild_id, intent)
        case RoleCreated(guild_id, role_id) if world.has_bot(guild_id):
            payload = {"guild_id": guild_id, "role": role_object(world.roles[role_id])}
            return Dispatch("GUILD_ROLE_CREATE", payload, guild_id, Intent.GUILDS)
    return None


def without_content(message: Json, bot_id: str) -> Json:
    """A guild's message as a bot without MESSAGE_CONTENT gets it: over the gateway and from the REST.

    The text stays in the bot's own messages and where the bot is mentioned; in DMs it stays too
    (https://docs.discord.com/developers/events/gateway#message-content-intent).
    """
    if (referenced := message.get("referenced_message")) is not None:
        message = {**message, "referenced_message": without_content(referenced, bot_id)}
    knows = message["author"]["id"] == bot_id or any(user["id"] == bot_id for user in message["mentions"])
    if knows:
        return message
    hidden = {key: value for key, value in message.items() if key not in ("poll", "message_snapshots")}
    return {**hidden, **_CONTENT_FIELDS}


def application_flags(allowed: Intent) -> int:
    """Of an application in fewer than 100 guilds that has these privileged intents switched on.

    https://docs.discord.com/developers/resources/application#application-object-application-flags
    """
    return sum(flag for intent, flag in _LIMITED_FLAGS.items() if intent & allowed)


def _about_message(name: str, message: Json, world: World) -> Dispatch | None:
    channel = world.channels[message["channel_id"]]
    payload: Json = {**message, "channel_type": int(channel.type)}
    if channel.guild_id is not None:
        author = world.members.get((channel.guild_id, message["author"]["id"]))
        payload |= {"member": member_object(author)} if author else {}
        payload["mentions"] = [
            user | {"member": member_object(member)}
            if (member := world.members.get((channel.guild_id, user["id"])))
            else user
            for user in message["mentions"]
        ]
    return _placed(name, payload, channel.id, _MESSAGES, world)


def _about_channel(what: str, channel: Json) -> Dispatch:
    kind = "THREAD" if channel["type"] in THREAD_TYPES else "CHANNEL"
    return Dispatch(f"{kind}_{what}", channel, channel["guild_id"], Intent.GUILDS)


def _placed(name: str, payload: Json, channel_id: str, intents: tuple[Intent, Intent], world: World) -> Dispatch | None:
    if not world.permissions(world.bot.id, channel_id) & Permission.VIEW_CHANNEL:
        return None
    guild_id = world.channels[channel_id].guild_id
    place: dict[str, Any] = {"channel_id": channel_id} | ({"guild_id": guild_id} if guild_id else {})
    return Dispatch(name, payload | place, guild_id, intents[0] if guild_id else intents[1])


def _reaction(message_id: str, user_id: str, emoji: str) -> Json:
    return {"message_id": message_id, "user_id": user_id, "emoji": emoji_object(emoji), "burst": False, "type": 0}


def _member_of(channel_id: str, user_id: str, world: World) -> Json:
    guild_id = world.channels[channel_id].guild_id
    member = world.members.get((guild_id, user_id)) if guild_id else None
    return {"member": member_object(member, world.users[user_id])} if member else {}
