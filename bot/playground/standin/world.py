"""The stand-in's world: people, guilds, channels and messages, as plain state without a socket.

Everything that changes what a person would see goes through one of the methods here, and each of them tells the
listeners with one typed event after the change. Messages go in and out as Discord's JSON; what goes out is a copy.
Unknown ids are a KeyError: the REST looks first, and answers 404.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterator
from dataclasses import dataclass, field
from typing import Any

import msgspec

from bot.playground.standin.clock import Clock, snowflake_time
from bot.playground.standin.events import (
    ChannelCreated,
    ChannelDeleted,
    ChannelUpdated,
    Json,
    MessageCreated,
    MessageDeleted,
    MessageUpdated,
    ReactionAdded,
    ReactionRemoved,
    TypingStarted,
    WorldEvent,
)
from bot.playground.standin.mentions import WEBHOOK_KINDS, Mentions, Ping, find_mentions
from bot.playground.standin.objects import (
    channel_object,
    component_objects,
    embed_objects,
    guild_object,
    iso_time,
    member_object,
    reaction_objects,
    user_object,
)
from bot.playground.standin.permissions import EVERYTHING, Overwrite, Permission
from bot.playground.standin.places import Places
from bot.playground.standin.recent import keep_recent
from bot.playground.standin.records import Channel, ChannelType, Guild, User
from bot.playground.standin.validation import MessageFlag

REPLY_TYPE = 19


class Draft(msgspec.Struct, frozen=True, kw_only=True):
    """A message before the world has it. Lists are Discord's JSON, attachments already stored."""

    content: str = ""
    embeds: tuple[Json, ...] = ()
    components: tuple[Json, ...] = ()
    attachments: tuple[Json, ...] = ()
    flags: int = 0
    type: int = 0
    reply_to: str | None = None
    """Id of an earlier message in the same channel."""
    nonce: str | int | None = None
    allowed_mentions: Json | None = None
    interaction_metadata: Json | None = None
    """Of a message that answers an interaction; it is then sent by the application's webhook."""
    ephemeral_to: str | None = None


class Change(msgspec.Struct, frozen=True, kw_only=True):
    """An edit. What is None stays as it is."""

    content: str | None = None
    embeds: tuple[Json, ...] | None = None
    components: tuple[Json, ...] | None = None
    attachments: tuple[Json, ...] | None = None
    flags: int | None = None
    allowed_mentions: Json | None = None


@dataclass
class _Stored:
    body: Json
    ephemeral_to: str | None
    reactions: dict[str, list[str]] = field(default_factory=dict)
    aged_by: float = 0.0
    """Seconds."""


class World(Places):
    def __init__(self, clock: Clock, bot_name: str = "Parley") -> None:
        super().__init__(clock, bot_name)
        self._messages: dict[str, _Stored] = {}
        self._ids_by_channel: dict[str, dict[str, None]] = {}
        """Message ids in the order of their creation; a dict, so that one is removed without a search."""
        self.pings: list[Ping] = []
        self.listeners: list[Callable[[WorldEvent], None]] = []

    # ------------------------------------------------------------------------------------------------------ places

    def add_channel(self, guild: Guild, name: str, *, topic: str | None = None) -> Channel:
        position = sum(channel.guild_id == guild.id for channel in self.channels.values())
        channel = Channel(self.new_id(), ChannelType.TEXT, name, guild.id, position=position, topic=topic)
        return self._add_channel(channel)

    def open_dm(self, user: User) -> Channel:
        """The DM between the bot and this person; the same one each time."""
        for channel in self.channels.values():
            if channel.recipient_id == user.id:
                return channel
        return self._add_channel(Channel(self.new_id(), ChannelType.DM, recipient_id=user.id))

    def start_thread(
        self,
        parent: Channel,
        name: str,
        owner_id: str,
        *,
        message_id: str | None = None,
        type: ChannelType = ChannelType.PUBLIC_THREAD,  # noqa: A002 - Discord's own name for it
        auto_archive_minutes: int = 1440,
    ) -> Channel:
        """With `message_id` it hangs on that message and has its id."""
        thread = Channel(
            id=message_id or self.new_id(),
            type=type,
            name=name,
            guild_id=parent.guild_id,
            parent_id=parent.id,
            owner_id=owner_id,
            created_at=iso_time(self._clock.wall()),
            auto_archive_minutes=auto_archive_minutes,
        )
        self._add_channel(thread)
        if message_id is not None:
            self._messages[message_id].body["flags"] |= MessageFlag.HAS_THREAD
            self._emit(MessageUpdated(self.message(message_id)))
        return thread

    def put_channel(self, channel: Channel) -> None:
        """In the place of what the channel was."""
        self.channels[channel.id] = channel
        self._emit(ChannelUpdated(self.channel_json(channel.id)))

    def set_overwrite(self, channel_id: str, overwrite: Overwrite) -> None:
        """Puts this overwrite in the place of the target's earlier one."""
        channel = self.channels[channel_id]
        others = [earlier for earlier in channel.overwrites if earlier.target_id != overwrite.target_id]
        self.put_channel(msgspec.structs.replace(channel, overwrites=(*others, overwrite)))

    def set_archived(self, thread_id: str, archived: bool) -> None:
        thread = self.channels[thread_id]
        if thread.archived != archived:
            now = iso_time(self._clock.wall())
            self.put_channel(msgspec.structs.replace(thread, archived=archived, archive_changed_at=now))

    def delete_channel(self, channel_id: str) -> list[Json]:
        """With its threads. Gives back the messages that were in them."""
        deleted = self.channel_json(channel_id)
        threads = [channel.id for channel in self.channels.values() if channel.parent_id == channel_id]
        message_ids = [id_ for place in (channel_id, *threads) for id_ in self._ids_by_channel.pop(place, ())]
        for place in (channel_id, *threads):
            del self.channels[place]
        messages = [self._messages.pop(message_id).body for message_id in message_ids]
        self._emit(ChannelDeleted(deleted))
        return messages

    # ---------------------------------------------------------------------------------------------------- messages

    def create_message(self, author_id: str, channel_id: str, draft: Draft) -> Json:
        """In an archived thread it brings the thread back first, as Discord does."""
        self.set_archived(channel_id, False)
        channel = self.channels[channel_id]
        replied = self._messages.get(draft.reply_to) if draft.reply_to else None
        mentions = self._find_mentions(author_id, channel, draft, replied)
        body: Json = {
            "id": self.new_id(),
            "channel_id": channel_id,
            "author": user_object(self.users[author_id]),
            "content": draft.content.strip(),
            "timestamp": iso_time(self._clock.wall()),
            "edited_timestamp": None,
            "tts": False,
            "attachments": list(draft.attachments),
            "embeds": embed_objects(draft.embeds),
            "components": component_objects(draft.components),
            "pinned": False,
            "type": REPLY_TYPE if replied else draft.type,
            "flags": draft.flags,
            **self._mention_fields(mentions),
        }
        if draft.nonce is not None:
            body["nonce"] = draft.nonce
        if draft.interaction_metadata is not None:
            body |= {"application_id": author_id, "webhook_id": author_id}
            body["interaction_metadata"] = draft.interaction_metadata
        if draft.reply_to is not None and replied:
            body["message_reference"] = {"type": 0, "channel_id": channel_id, "message_id": draft.reply_to}
            body["message_reference"] |= {"guild_id": channel.guild_id} if channel.guild_id else {}
        message_id: str = body["id"]
        self._messages[message_id] = _Stored(_copied(body), draft.ephemeral_to)
        self._ids_by_channel.setdefault(channel_id, {})[message_id] = None
        if mentions and not draft.flags & MessageFlag.SUPPRESS_NOTIFICATIONS:
            keep_recent(self.pings, Ping(message_id, channel_id, author_id, mentions))
        self._emit(MessageCreated(self.message(message_id), draft.ephemeral_to))
        return self.message(message_id)

    def edit_message(self, message_id: str, change: Change, *, is_first_fill: bool = False) -> Json:
        """`is_first_fill`: a deferred answer gets its content, which is no edit to the reader and does ping."""
        stored = self._messages[message_id]
        body = stored.body
        if change.content is not None:
            draft = Draft(
                content=change.content,
                allowed_mentions=change.allowed_mentions,
                interaction_metadata=body.get("interaction_metadata"),
            )
            channel = self.channels[body["channel_id"]]
            replied = self._messages.get(body.get("message_reference", {}).get("message_id", ""))
            mentions = self._find_mentions(body["author"]["id"], channel, draft, replied)
            body |= {"content": change.content.strip(), **self._mention_fields(mentions)}
            if is_first_fill and mentions:
                keep_recent(self.pings, Ping(message_id, channel.id, body["author"]["id"], mentions))
        if change.embeds is not None:
            body["embeds"] = embed_objects(change.embeds)
        if change.components is not None:
            body["components"] = component_objects(change.components)
        if change.attachments is not None:
            body["attachments"] = list(change.attachments)
        if change.flags is not None:
            body["flags"] = change.flags
        body["flags"] &= ~MessageFlag.LOADING
        if not is_first_fill:
            body["edited_timestamp"] = iso_time(self._clock.wall())
        self._emit(MessageUpdated(self.message(message_id), stored.ephemeral_to))
        return self.message(message_id)

    def delete_message(self, message_id: str) -> None:
        stored = self._messages.pop(message_id)
        del self._ids_by_channel[stored.body["channel_id"]][message_id]
        self._emit(MessageDeleted(stored.body["channel_id"], message_id, stored.ephemeral_to))

    def has_message(self, message_id: str) -> bool:
        return message_id in self._messages

    def message(self, message_id: str) -> Json:
        """Discord's message object as it is now, as the bot sees it."""
        message = self._bare_message(message_id)
        reference = message.get("message_reference")
        if reference is not None:
            target = reference["message_id"]
            message["referenced_message"] = self._bare_message(target) if target in self._messages else None
        return message

    def created_at(self, message_id: str) -> float:
        """Unix seconds, less what the message was aged by."""
        return snowflake_time(message_id) - self._messages[message_id].aged_by

    def age_message(self, message_id: str, seconds: float) -> None:
        """Makes it so much older."""
        self._messages[message_id].aged_by += seconds

    def ephemeral_to(self, message_id: str) -> str | None:
        return self._messages[message_id].ephemeral_to

    def messages(self, channel_id: str, viewer_id: str | None = None, last: int | None = None) -> list[Json]:
        """Those of a channel, oldest first, all or the last so many; with a viewer also what only that person sees."""
        ids = list(self._ids_in(channel_id, viewer_id))
        return [self.message(message_id) for message_id in ids[-last if last else None :]]

    def history(
        self,
        channel_id: str,
        limit: int,
        *,
        before: str | None = None,
        after: str | None = None,
        around: str | None = None,
    ) -> list[Json]:
        """Newest first, as Discord answers it; `after` gives those that follow it directly."""
        ids = list(self._ids_in(channel_id, None))
        if around is not None:
            middle = sum(int(message_id) < int(around) for message_id in ids)
            start = max(0, middle - limit // 2)
            ids = ids[start : start + limit]
        elif after is not None:
            ids = [message_id for message_id in ids if int(message_id) > int(after)][:limit]
        else:
            ids = [message_id for message_id in ids if before is None or int(message_id) < int(before)][-limit:]
        return [self.message(message_id) for message_id in reversed(ids)]

    def add_reaction(self, message_id: str, user_id: str, emoji: str) -> None:
        stored = self._messages[message_id]
        user_ids = stored.reactions.setdefault(emoji, [])
        if user_id not in user_ids:
            user_ids.append(user_id)
            self._emit(ReactionAdded(stored.body["channel_id"], message_id, user_id, emoji))

    def remove_reaction(self, message_id: str, user_id: str, emoji: str) -> None:
        stored = self._messages[message_id]
        user_ids = stored.reactions.get(emoji, [])
        if user_id in user_ids:
            user_ids.remove(user_id)
            if not user_ids:
                del stored.reactions[emoji]
            self._emit(ReactionRemoved(stored.body["channel_id"], message_id, user_id, emoji))

    def start_typing(self, channel_id: str, user_id: str) -> None:
        self._emit(TypingStarted(channel_id, user_id))

    def tell(self, event: WorldEvent) -> None:
        """Passes on what happened around an interaction, which is no state of the world."""
        self._emit(event)

    # ------------------------------------------------------------------------------------------------ JSON objects

    def channel_json(self, channel_id: str) -> Json:
        channel = self.channels[channel_id]
        recipient = self.users[channel.recipient_id] if channel.recipient_id else None
        newest_first = reversed(self._ids_by_channel.get(channel_id, {}))
        last = next((message_id for message_id in newest_first if self.ephemeral_to(message_id) is None), None)
        return channel_object(channel, recipient, last)

    def guild_json(self, guild_id: str) -> Json:
        channels = [channel for channel in self.channels.values() if channel.guild_id == guild_id]
        return guild_object(
            self.guilds[guild_id],
            [self.roles[role_id] for role_id in self._role_ids(guild_id)],
            self.members_json(guild_id),
            [self.channel_json(channel.id) for channel in channels if not channel.is_thread],
            [self.channel_json(channel.id) for channel in channels if channel.is_thread and not channel.archived],
        )

    def members_json(self, guild_id: str) -> list[Json]:
        return [
            member_object(member, self.users[member.user_id])
            for member in self.members.values()
            if member.guild_id == guild_id
        ]

    # ----------------------------------------------------------------------------------------------------- inside

    def _emit(self, event: WorldEvent) -> None:
        for listener in tuple(self.listeners):
            listener(event)

    def _add_channel(self, channel: Channel) -> Channel:
        self.channels[channel.id] = channel
        self._emit(ChannelCreated(self.channel_json(channel.id)))
        return channel

    def _ids_in(self, channel_id: str, viewer_id: str | None) -> Iterator[str]:
        for message_id in self._ids_by_channel.get(channel_id, ()):
            if self.ephemeral_to(message_id) in (None, viewer_id):
                yield message_id

    def _bare_message(self, message_id: str) -> Json:
        stored = self._messages[message_id]
        message: Json = _copied(stored.body)
        if message["flags"] & MessageFlag.SUPPRESS_EMBEDS:
            message["embeds"] = []
        if stored.reactions:
            message["reactions"] = reaction_objects(stored.reactions, self.bot.id)
        if message["flags"] & MessageFlag.HAS_THREAD:
            message["thread"] = self.channel_json(message_id)
        return message

    def _role_ids(self, guild_id: str | None) -> Collection[str]:
        return [role.id for role in self.roles.values() if role.guild_id == guild_id]

    def _find_mentions(self, author_id: str, channel: Channel, draft: Draft, replied: _Stored | None) -> Mentions:
        permissions = self.permissions(author_id, channel.id) if channel.guild_id else EVERYTHING
        return find_mentions(
            draft.content,
            draft.allowed_mentions,
            users=self.users,
            roles=self._role_ids(channel.guild_id),
            replied_user_id=replied.body["author"]["id"] if replied else None,
            **({"default_kinds": WEBHOOK_KINDS} if draft.interaction_metadata else {}),
            may_mention_everyone=bool(permissions & Permission.MENTION_EVERYONE),
        )

    def _mention_fields(self, mentions: Mentions) -> Json:
        return {
            "mention_everyone": mentions.everyone,
            "mentions": [user_object(self.users[user_id]) for user_id in mentions.user_ids],
            "mention_roles": list(mentions.role_ids),
        }


def _copied(value: Any) -> Any:
    """A deep copy of JSON, several times as fast as `copy.deepcopy`; every edit of an answer takes some."""
    if isinstance(value, dict):
        return {key: _copied(item) for key, item in value.items()}
    return [_copied(item) for item in value] if isinstance(value, list | tuple) else value
