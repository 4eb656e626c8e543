"""What people, other bots and foreign webhooks write: messages with all that they can hold, edits, reactions, threads."""

from __future__ import annotations

from collections.abc import Iterable

import msgspec

from bot.playground.standin.acting import Acting
from bot.playground.standin.backend import check_may_send, sending_permission
from bot.playground.standin.contents import Poll, Upload, poll_object, snapshot_of, sticker_items
from bot.playground.standin.drafts import Change, Draft
from bot.playground.standin.errors import NOT_THE_AUTHOR, THREAD_EXISTS, WRONG_CHANNEL_TYPE, ApiError, invalid_form
from bot.playground.standin.events import Json
from bot.playground.standin.message_endpoints import checked_emoji
from bot.playground.standin.permissions import NOTHING, Permission
from bot.playground.standin.records import Channel, ChannelType, User, Webhook
from bot.playground.standin.request_shapes import CONTENT_LIMIT
from bot.playground.standin.shapes import Shape, Text, require
from bot.playground.standin.validation import MessageFlag, check_not_empty
from bot.playground.standin.webhooks import face_of

File = tuple[str, bytes] | Upload
"""(filename, bytes), or all that a sender says of a file."""

_TEXT = Shape({"content": Text(CONTENT_LIMIT)})
_FORWARD = 1


class Writing(Acting):
    async def say(
        self,
        author: User | str,
        channel: Channel | str,
        text: str = "",
        *,
        reply_to: str | None = None,
        ping_replied: bool = True,
        is_reply_resolved: bool = True,
        attachments: Iterable[File] = (),
        forward: str | None = None,
        poll: Poll | None = None,
        stickers: Iterable[str] = (),
        embeds: Iterable[Json] = (),
    ) -> Json:
        """A person's or another bot's message. `forward`: the id of the message that it passes on.

        `is_reply_resolved=False`: the message does not bring along what it replies to, as Discord may do it.
        """
        user_id, place = self._user(author), self._channel(channel)
        check_may_send(self.world, user_id, place, NOTHING)
        if reply_to is not None and self._message(reply_to)["channel_id"] != place.id:
            raise invalid_form("message_reference", "REPLIES_UNKNOWN_MESSAGE", "Unknown message")
        draft = self._draft(place, text, attachments, embeds)
        draft = msgspec.structs.replace(
            draft,
            reply_to=reply_to,
            is_reply_resolved=is_reply_resolved,
            poll=None if poll is None else poll_object(poll, self._backend.clock.wall()),
            sticker_items=sticker_items(stickers, self.world.new_id),
            allowed_mentions={"parse": ["users", "roles", "everyone"], "replied_user": ping_replied},
        )
        if forward is not None:
            draft = self._forwarding(draft, user_id, place, forward)
        check_not_empty(msgspec.structs.asdict(draft))
        return self.world.create_message(user_id, place.id, draft)

    async def speak(self, author: User | str, channel: Channel | str, data: bytes, seconds: float) -> Json:
        """A voice message; `data` is the Ogg file."""
        voice = Upload(filename="voice-message.ogg", data=data, content_type="audio/ogg", seconds=seconds)
        return await self.say(author, channel, attachments=[voice])

    async def execute_webhook(
        self,
        webhook: Webhook,
        text: str = "",
        *,
        username: str | None = None,
        avatar_url: str | None = None,
        attachments: Iterable[File] = (),
        embeds: Iterable[Json] = (),
    ) -> Json:
        """A message by a webhook that somebody else has the token of."""
        draft = self._draft(self._channel(webhook.channel_id), text, attachments, embeds)
        check_not_empty(msgspec.structs.asdict(draft))
        face = face_of(webhook, username, avatar_url)
        draft = msgspec.structs.replace(draft, webhook=face, application_id=webhook.application_id)
        return self.world.create_message(webhook.id, webhook.channel_id, draft)

    async def edit(self, author: User | str, message_id: str, text: str) -> Json:
        """By its author."""
        if self._message(message_id)["author"]["id"] != self._user(author):
            raise ApiError(NOT_THE_AUTHOR)
        self._backend.check_open(self._message(message_id)["channel_id"])
        require(_TEXT, {"content": text})
        return self.world.edit_message(message_id, Change(content=text))

    async def preview_links(self, message_id: str, *embeds: Json) -> Json:
        """Discord adds previews to a message: a MESSAGE_UPDATE whose `edited_timestamp` is what it was."""
        self._message(message_id)
        return self.world.preview_links(message_id, tuple({"type": "link", **embed} for embed in embeds))

    async def delete(self, message_id: str, *, by: User | str) -> None:
        """One's own message, or as a moderator another's."""
        message = self._message(message_id)
        user_id, place = self._user(by), self._channel(message["channel_id"])
        if message["author"]["id"] != user_id and self.world.ephemeral_to(message_id) != user_id:
            self._require(user_id, place, Permission.MANAGE_MESSAGES)
        self._backend.delete_message(message_id)

    async def react(self, user: User | str, message_id: str, emoji: str) -> None:
        """`emoji` is a Unicode emoji, or `name:id`."""
        place = self._channel(self._message(message_id)["channel_id"])
        self._require(self._user(user), place, Permission.ADD_REACTIONS)
        self._backend.check_open(place.id)
        self.world.add_reaction(message_id, self._user(user), checked_emoji(emoji))

    async def unreact(self, user: User | str, message_id: str, emoji: str) -> None:
        self._message(message_id)
        self.world.remove_reaction(message_id, self._user(user), emoji)

    async def vote(self, user: User | str, message_id: str, answer_id: int) -> None:
        """Chooses an answer of a poll; they are numbered from 1. Raises LookupError where there is no such answer."""
        answers = self._message(message_id).get("poll", {}).get("answers", [])
        if answer_id not in [answer["answer_id"] for answer in answers]:
            raise LookupError(f"the message has no poll with an answer {answer_id}")
        self.world.add_vote(message_id, self._user(user), answer_id)

    async def end_poll(self, message_id: str) -> None:
        """Time is up for the poll."""
        self._message(message_id)
        self.world.end_poll(message_id)

    async def typing(self, user: User | str, channel: Channel | str) -> None:
        place = self._channel(channel)
        self._require(self._user(user), place, sending_permission(place))
        self.world.start_typing(place.id, self._user(user))

    async def start_thread(
        self, user: User | str, channel: Channel | str, name: str, *, message_id: str | None = None
    ) -> Channel:
        """With `message_id` from that message."""
        place = self._channel(channel)
        self._require(self._user(user), place, Permission.CREATE_PUBLIC_THREADS)
        if message_id is not None and message_id in self.world.channels:
            raise ApiError(THREAD_EXISTS)
        return self.world.start_thread(place, name, self._user(user), message_id=message_id)

    async def post(
        self, user: User | str, forum: Channel | str, title: str, text: str, *, attachments: Iterable[File] = ()
    ) -> Channel:
        """A post in a forum: a thread whose first message has the thread's id."""
        user_id, place = self._user(user), self._channel(forum)
        if place.type is not ChannelType.FORUM:
            raise ApiError(WRONG_CHANNEL_TYPE)
        self._require(user_id, place, Permission.SEND_MESSAGES)
        thread = self.world.start_thread(place, title, user_id)
        self.world.create_message(user_id, thread.id, self._draft(thread, text, attachments, ()), message_id=thread.id)
        return thread

    async def rename(self, user: User | str, channel: Channel | str, name: str) -> None:
        """A channel, or a thread: its own, or as a moderator another's."""
        user_id, place = self._user(user), self._channel(channel)
        if place.owner_id != user_id:
            self._require(user_id, place, Permission.MANAGE_THREADS if place.is_thread else Permission.MANAGE_CHANNELS)
        self.world.put_channel(msgspec.structs.replace(place, name=name))

    def _draft(self, place: Channel, text: str, files: Iterable[File], embeds: Iterable[Json]) -> Draft:
        require(_TEXT, {"content": text})
        uploads = [file if isinstance(file, Upload) else Upload(filename=file[0], data=file[1]) for file in files]
        new_id, store = self.world.new_id, self._backend.attachments
        is_voice = any(upload.seconds is not None for upload in uploads)
        return Draft(
            content=text,
            attachments=tuple(store.add(place.id, new_id(), upload) for upload in uploads),
            embeds=tuple({"type": "link", **embed} for embed in embeds),
            flags=MessageFlag.IS_VOICE_MESSAGE if is_voice else 0,
        )

    def _forwarding(self, draft: Draft, user_id: str, place: Channel, message_id: str) -> Draft:
        original = self._message(message_id)
        source = self._channel(original["channel_id"])
        self._require(user_id, source, Permission.VIEW_CHANNEL)
        snapshot = snapshot_of(original)
        copies = [
            self._backend.attachments.copy(file, place.id, self.world.new_id()) for file in original["attachments"]
        ]
        snapshot["message"]["attachments"] = copies
        reference = {"type": _FORWARD, "channel_id": source.id, "message_id": message_id}
        return msgspec.structs.replace(
            draft,
            reference=reference | ({"guild_id": source.guild_id} if source.guild_id else {}),
            snapshots=(snapshot,),
            flags=draft.flags | MessageFlag.HAS_SNAPSHOT,
        )
