"""Guilds, members, roles and channels as they change: each change is told to the listeners with one typed event."""

from __future__ import annotations

from collections.abc import Callable, Collection

import msgspec

from bot.playground.standin.clock import Clock
from bot.playground.standin.events import (
    ChannelCreated,
    ChannelUpdated,
    GuildJoined,
    GuildLeft,
    MemberChanged,
    MemberJoined,
    RoleCreated,
    WorldEvent,
)
from bot.playground.standin.objects import Json, channel_object, guild_object, iso_time, member_object
from bot.playground.standin.permissions import Overwrite, Permission
from bot.playground.standin.places import Places
from bot.playground.standin.records import Channel, ChannelType, Guild, Member, Role, User


class Channels(Places):
    def __init__(self, clock: Clock, bot_name: str) -> None:
        super().__init__(clock, bot_name)
        self.listeners: list[Callable[[WorldEvent], None]] = []

    def tell(self, event: WorldEvent) -> None:
        """Tells the listeners; also of what is no state of the world, such as how an interaction goes."""
        for listener in tuple(self.listeners):
            listener(event)

    # ------------------------------------------------------------------------------------------- people and roles

    def welcome(self, user: User, guild: Guild, *roles: Role, nick: str | None = None) -> Member:
        """The user joins the guild."""
        self.join(user, guild, *roles)
        member = self._put_member(msgspec.structs.replace(self.members[guild.id, user.id], nick=nick))
        self.tell(GuildJoined(guild.id) if user == self.bot else MemberJoined(guild.id, user.id))
        return member

    def dismiss_bot(self, guild: Guild) -> None:
        """The bot is thrown out; its roles go with it."""
        del self.members[guild.id, self.bot.id]
        self.tell(GuildLeft(guild.id))

    def change_member(self, member: Member) -> None:
        """In the place of what the member was."""
        self._put_member(member)
        self.tell(MemberChanged(member.guild_id, member.user_id))

    def create_role(self, guild: Guild, name: str, permissions: Permission) -> Role:
        role = self.add_role(guild, name, permissions)
        self.tell(RoleCreated(guild.id, role.id))
        return role

    # ---------------------------------------------------------------------------------------------------- channels

    def add_channel(
        self,
        guild: Guild,
        name: str,
        *,
        topic: str | None = None,
        type: ChannelType = ChannelType.TEXT,  # noqa: A002 - Discord's own name for it
    ) -> Channel:
        position = sum(channel.guild_id == guild.id for channel in self.channels.values())
        return self._add_channel(Channel(self.new_id(), type, name, guild.id, position=position, topic=topic))

    def open_dm(self, user: User) -> Channel:
        """The DM between the bot and this person; the same one each time."""
        for channel in self.channels.values():
            if channel.recipient_id == user.id:
                return channel
        return self._add_channel(Channel(self.new_id(), ChannelType.DM, recipient_id=user.id))

    def open_private(self, *people: User, name: str | None = None) -> Channel:
        """A DM between two people, or a group of more; the bot is not in it and hears nothing of it."""
        kind = ChannelType.DM if len(people) == 2 else ChannelType.GROUP_DM
        ids = tuple(person.id for person in people)
        return self._add_channel(Channel(self.new_id(), kind, name, owner_id=ids[0], people=ids))

    def put_channel(self, channel: Channel) -> None:
        """In the place of what the channel was."""
        self.channels[channel.id] = channel
        self.tell(ChannelUpdated(self.channel_json(channel.id)))

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

    # ------------------------------------------------------------------------------------------------ JSON objects

    def channel_json(self, channel_id: str) -> Json:
        channel = self.channels[channel_id]
        people = (channel.recipient_id,) if channel.recipient_id else channel.people
        return channel_object(channel, [self.users[user_id] for user_id in people], self.last_message_id(channel_id))

    def last_message_id(self, channel_id: str) -> str | None:
        """Of the newest message that all may see."""
        raise NotImplementedError

    def guild_json(self, guild_id: str) -> Json:
        channels = [channel for channel in self.channels.values() if channel.guild_id == guild_id]
        return guild_object(
            self.guilds[guild_id],
            [self.roles[role_id] for role_id in self._role_ids(guild_id)],
            self.members_json(guild_id),
            [self.channel_json(channel.id) for channel in channels if not channel.is_thread],
            [self.channel_json(channel.id) for channel in channels if channel.is_thread and not channel.archived],
        )

    def guild_json_without_others(self, guild_id: str) -> Json:
        """As a bot without the intent for members gets it: with no member but itself; `member_count` counts all."""
        guild = self.guild_json(guild_id)
        guild["members"] = [member for member in guild["members"] if member["user"]["id"] == self.bot.id]
        return guild

    def members_json(self, guild_id: str) -> list[Json]:
        return [
            member_object(member, self.users[member.user_id])
            for member in self.members.values()
            if member.guild_id == guild_id
        ]

    # ----------------------------------------------------------------------------------------------------- inside

    def _add_channel(self, channel: Channel) -> Channel:
        self.channels[channel.id] = channel
        self.tell(ChannelCreated(self.channel_json(channel.id)))
        return channel

    def _put_member(self, member: Member) -> Member:
        self.members[member.guild_id, member.user_id] = member
        return member

    def _role_ids(self, guild_id: str | None) -> Collection[str]:
        return [role.id for role in self.roles.values() if role.guild_id == guild_id]
