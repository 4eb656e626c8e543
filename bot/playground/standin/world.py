"""The stand-in's world: people, guilds, channels and messages, as plain state without a socket.

Everything that changes what a person would see goes through one of the methods here, and each of them tells the
listeners with one typed event after the change. Messages go in and out as Discord's JSON; what goes out is a copy.
Unknown ids are a KeyError: the REST looks first, and answers 404.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any

from bot.playground.standin.channels import Channels
from bot.playground.standin.clock import Clock, snowflake_time
from bot.playground.standin.contents import poll_counts
from bot.playground.standin.drafts import Change, Draft
from bot.playground.standin.events import (
    ChannelDeleted,
    Json,
    MessageCreated,
    MessageDeleted,
    MessageUpdated,
    PollVoteAdded,
    PollVoteRemoved,
    ReactionAdded,
    ReactionRemoved,
    TypingStarted,
)
from bot.playground.standin.mentions import ALL_KINDS, WEBHOOK_KINDS, Mentions, Ping, find_mentions
from bot.playground.standin.objects import component_objects, embed_objects, iso_time, reaction_objects, user_object
from bot.playground.standin.permissions import EVERYTHING, Permission
from bot.playground.standin.recent import keep_recent
from bot.playground.standin.records import Channel, ChannelType
from bot.playground.standin.validation import MessageFlag

__all__ = ["Change", "Draft", "World"]

REPLY_TYPE = 19
THREAD_CREATED_TYPE = 18
THREAD_STARTER_TYPE = 21
_FORWARD = 1


@dataclass
class _Stored:
    body: Json
    ephemeral_to: str | None
    is_reply_resolved: bool = True
    reactions: dict[str, list[str]] = field(default_factory=dict)
    votes: dict[int, list[str]] = field(default_factory=dict)
    """By the number of the poll's answer."""
    aged_by: float = 0.0
    """Seconds."""


class World(Channels):
    def __init__(self, clock: Clock, bot_name: str = "Parley") -> None:
        super().__init__(clock, bot_name)
        self._messages: dict[str, _Stored] = {}
        self._ids_by_channel: dict[str, dict[str, None]] = {}
        """Message ids in the order of their creation; a dict, so that one is removed without a search."""
        self.pings: list[Ping] = []

    # ----------------------------------------------------------------------------------------------------- threads

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
            self.tell(MessageUpdated(self.message(message_id)))
            reference = {"type": 0, "channel_id": parent.id, "message_id": message_id, "guild_id": parent.guild_id}
            self.create_message(owner_id, thread.id, Draft(type=THREAD_STARTER_TYPE, reference=reference))
        elif type is ChannelType.PUBLIC_THREAD and parent.type is not ChannelType.FORUM:
            reference = {"type": 0, "channel_id": thread.id, "guild_id": parent.guild_id}
            self.create_message(owner_id, parent.id, Draft(type=THREAD_CREATED_TYPE, content=name, reference=reference))
        return thread

    def delete_channel(self, channel_id: str) -> list[Json]:
        """With its threads. Gives back the messages that were in them."""
        deleted = self.channel_json(channel_id)
        threads = [channel.id for channel in self.channels.values() if channel.parent_id == channel_id]
        message_ids = [id_ for place in (channel_id, *threads) for id_ in self._ids_by_channel.pop(place, ())]
        for place in (channel_id, *threads):
            del self.channels[place]
        messages = [self._messages.pop(message_id).body for message_id in message_ids]
        self.tell(ChannelDeleted(deleted))
        return messages

    # ---------------------------------------------------------------------------------------------------- messages

    def create_message(self, author_id: str, channel_id: str, draft: Draft, *, message_id: str | None = None) -> Json:
        """In an archived thread it brings the thread back first, as Discord does.

        `message_id`: a post's first message has the id of the post.
        """
        self.set_archived(channel_id, False)
        channel = self.channels[channel_id]
        replied = self._messages.get(draft.reply_to) if draft.reply_to else None
        is_webhook = draft.webhook is not None or draft.interaction_metadata is not None
        mentions = self._find_mentions(
            draft.content, draft.allowed_mentions, author_id, channel, replied, is_webhook=is_webhook
        )
        body: Json = {
            "id": message_id or self.new_id(),
            "channel_id": channel_id,
            "author": user_object(draft.webhook or self.users[author_id]),
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
            **draft.optional_fields(author_id),
        }
        if draft.reply_to is not None and replied:
            body["message_reference"] = {"type": 0, "channel_id": channel_id, "message_id": draft.reply_to}
            body["message_reference"] |= {"guild_id": channel.guild_id} if channel.guild_id else {}
        new_id: str = body["id"]
        self._messages[new_id] = _Stored(_copied(body), draft.ephemeral_to, draft.is_reply_resolved)
        self._ids_by_channel.setdefault(channel_id, {})[new_id] = None
        if mentions and not draft.flags & MessageFlag.SUPPRESS_NOTIFICATIONS:
            keep_recent(self.pings, Ping(new_id, channel_id, author_id, mentions))
        self.tell(MessageCreated(self.message(new_id), draft.ephemeral_to))
        return self.message(new_id)

    def edit_message(self, message_id: str, change: Change, *, is_first_fill: bool = False) -> Json:
        """`is_first_fill`: a deferred answer gets its content, which is no edit to the reader and does ping."""
        stored = self._messages[message_id]
        body = stored.body
        if change.content is not None:
            channel = self.channels[body["channel_id"]]
            replied = self._messages.get(body.get("message_reference", {}).get("message_id", ""))
            author_id = body["author"]["id"]
            mentions = self._find_mentions(
                change.content, change.allowed_mentions, author_id, channel, replied, is_webhook="webhook_id" in body
            )
            body |= {"content": change.content.strip(), **self._mention_fields(mentions)}
            if is_first_fill and mentions:
                keep_recent(self.pings, Ping(message_id, channel.id, author_id, mentions))
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
        self.tell(MessageUpdated(self.message(message_id), stored.ephemeral_to))
        return self.message(message_id)

    def preview_links(self, message_id: str, embeds: tuple[Json, ...]) -> Json:
        """What Discord itself adds after a while: an update that is no edit."""
        stored = self._messages[message_id]
        stored.body["embeds"] += embed_objects(embeds)
        self.tell(MessageUpdated(self.message(message_id), stored.ephemeral_to))
        return self.message(message_id)

    def readdress(self, message_id: str, addresses: Mapping[str, str]) -> None:
        """Puts new addresses in the place of old ones; that is no edit, and nobody is told."""
        stored = self._messages[message_id]
        stored.body = _readdressed(stored.body, addresses)

    def delete_message(self, message_id: str) -> None:
        stored = self._messages.pop(message_id)
        del self._ids_by_channel[stored.body["channel_id"]][message_id]
        self.tell(MessageDeleted(stored.body["channel_id"], message_id, stored.ephemeral_to))

    def has_message(self, message_id: str) -> bool:
        return message_id in self._messages

    def message(self, message_id: str) -> Json:
        """Discord's message object as it is now, as the bot sees it."""
        message = self._bare_message(message_id)
        reference = message.get("message_reference") or {}
        if "message_id" in reference and reference["type"] != _FORWARD and self._messages[message_id].is_reply_resolved:
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
            self.tell(ReactionAdded(stored.body["channel_id"], message_id, user_id, emoji))

    def remove_reaction(self, message_id: str, user_id: str, emoji: str) -> None:
        stored = self._messages[message_id]
        user_ids = stored.reactions.get(emoji, [])
        if user_id in user_ids:
            user_ids.remove(user_id)
            if not user_ids:
                del stored.reactions[emoji]
            self.tell(ReactionRemoved(stored.body["channel_id"], message_id, user_id, emoji))

    def reacted(self, message_id: str, emoji: str) -> list[str]:
        """The ids of those who reacted so, in the order in which they did."""
        return list(self._messages[message_id].reactions.get(emoji, ()))

    def add_vote(self, message_id: str, user_id: str, answer_id: int) -> None:
        """Whoever may choose only one answer takes the earlier choice back with it."""
        stored = self._messages[message_id]
        if not stored.body["poll"]["allow_multiselect"]:
            for other in [nr for nr, user_ids in stored.votes.items() if user_id in user_ids and nr != answer_id]:
                self.remove_vote(message_id, user_id, other)
        user_ids = stored.votes.setdefault(answer_id, [])
        if user_id not in user_ids:
            user_ids.append(user_id)
            self.tell(PollVoteAdded(stored.body["channel_id"], message_id, user_id, answer_id))

    def remove_vote(self, message_id: str, user_id: str, answer_id: int) -> None:
        stored = self._messages[message_id]
        if user_id in stored.votes.get(answer_id, []):
            stored.votes[answer_id].remove(user_id)
            self.tell(PollVoteRemoved(stored.body["channel_id"], message_id, user_id, answer_id))

    def end_poll(self, message_id: str) -> None:
        """Its time is over: the counts are final."""
        self._messages[message_id].body["poll"]["results"]["is_finalized"] = True
        self.tell(MessageUpdated(self.message(message_id)))

    def start_typing(self, channel_id: str, user_id: str) -> None:
        self.tell(TypingStarted(channel_id, user_id))

    def last_message_id(self, channel_id: str) -> str | None:
        newest_first = reversed(self._ids_by_channel.get(channel_id, {}))
        return next((message_id for message_id in newest_first if self.ephemeral_to(message_id) is None), None)

    # ----------------------------------------------------------------------------------------------------- inside

    def _ids_in(self, channel_id: str, viewer_id: str | None) -> Iterator[str]:
        for message_id in self._ids_by_channel.get(channel_id, ()):
            if self.ephemeral_to(message_id) in (None, viewer_id):
                yield message_id

    def _bare_message(self, message_id: str) -> Json:
        stored = self._messages[message_id]
        message: Json = _copied(stored.body)
        if message["flags"] & MessageFlag.SUPPRESS_EMBEDS:
            message["embeds"] = []
        if "poll" in message:
            message["poll"]["results"]["answer_counts"] = poll_counts(stored.votes, self.bot.id)
        if stored.reactions:
            message["reactions"] = reaction_objects(stored.reactions, self.bot.id)
        if message["flags"] & MessageFlag.HAS_THREAD and message_id in self.channels:
            message["thread"] = self.channel_json(message_id)
        return message

    def _find_mentions(
        self,
        content: str,
        allowed: Json | None,
        author_id: str,
        channel: Channel,
        replied: _Stored | None,
        *,
        is_webhook: bool,
    ) -> Mentions:
        is_member = channel.guild_id is not None and author_id in self.users
        permissions = self.permissions(author_id, channel.id) if is_member else EVERYTHING
        replied_user_id = replied.body["author"]["id"] if replied else None
        return find_mentions(
            content,
            allowed,
            users=self.users,
            roles=self._role_ids(channel.guild_id),
            replied_user_id=replied_user_id if replied_user_id in self.users else None,
            default_kinds=WEBHOOK_KINDS if is_webhook else ALL_KINDS,
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


def _readdressed(value: Any, addresses: Mapping[str, str]) -> Any:
    if isinstance(value, dict):
        return {key: _readdressed(item, addresses) for key, item in value.items()}
    if isinstance(value, list):
        return [_readdressed(item, addresses) for item in value]
    return addresses.get(value, value) if isinstance(value, str) else value
