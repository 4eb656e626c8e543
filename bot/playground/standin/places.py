"""Who and what there is in the stand-in's world, and what each person may do where: state without messages or events."""

from __future__ import annotations

from bot.playground.standin.clock import Clock, Snowflakes
from bot.playground.standin.permissions import (
    MEMBER_DEFAULT,
    NOTHING,
    Permission,
    base_permissions,
    channel_permissions,
)
from bot.playground.standin.records import FILE_BYTES_LIMIT, AppEmoji, Channel, Guild, Member, Role, User, Webhook


class Places:
    def __init__(self, clock: Clock, bot_name: str) -> None:
        self._clock = clock
        self._snowflakes = Snowflakes(clock)
        self.users: dict[str, User] = {}
        self.guilds: dict[str, Guild] = {}
        self.roles: dict[str, Role] = {}
        self.members: dict[tuple[str, str], Member] = {}
        """By guild id and user id."""
        self.channels: dict[str, Channel] = {}
        self.closed_to_dms: set[str] = set()
        """Ids of people who take no messages from the bot."""
        self.installed_by: set[str] = set()
        """Ids of people who have installed the application for themselves."""
        self.webhooks: dict[str, Webhook] = {}
        self.emojis: dict[str, AppEmoji] = {}
        self.bot = self.add_user(bot_name, is_bot=True)

    def new_id(self) -> str:
        return self._snowflakes.next()

    def add_user(self, name: str, *, is_bot: bool = False, locale: str = "en-US", username: str | None = None) -> User:
        """A user in no guild yet, who is shown as `name`. A bot has no global name, as bots do not."""
        user = User(
            id=self.new_id(),
            username=username or (name if is_bot else name.lower()),
            global_name=None if is_bot else name,
            is_bot=is_bot,
            locale=locale,
        )
        self.users[user.id] = user
        return user

    def add_guild(self, name: str, owner: User, *, locale: str = "en-US", file_limit: int = FILE_BYTES_LIMIT) -> Guild:
        guild = Guild(self.new_id(), name, owner.id, locale, file_limit)
        self.guilds[guild.id] = guild
        self.roles[guild.id] = Role(guild.id, guild.id, "@everyone")
        self.join(owner, guild)
        return guild

    def join(self, user: User, guild: Guild, *roles: Role) -> Member:
        """Makes the user a member with these roles, and takes other roles away."""
        member = Member(user.id, guild.id, tuple(role.id for role in roles))
        self.members[guild.id, user.id] = member
        return member

    def add_role(self, guild: Guild, name: str, permissions: Permission) -> Role:
        role = Role(self.new_id(), guild.id, name, permissions, position=len(self.roles))
        self.roles[role.id] = role
        return role

    def has_bot(self, guild_id: str) -> bool:
        return (guild_id, self.bot.id) in self.members

    def file_limit(self, channel_id: str) -> int:
        """Bytes that one file may have there."""
        guild_id = self.channels[channel_id].guild_id
        return FILE_BYTES_LIMIT if guild_id is None else self.guilds[guild_id].file_limit

    def permissions(self, user_id: str, channel_id: str) -> Permission:
        """What the user may do there: nothing for who is not in the guild or not in the DM."""
        channel = self.channels[channel_id]
        if channel.people:
            return MEMBER_DEFAULT if user_id in channel.people else NOTHING
        if channel.guild_id is None:
            is_in = user_id in (channel.recipient_id, self.bot.id)
            return MEMBER_DEFAULT if is_in else NOTHING
        member = self.members.get((channel.guild_id, user_id))
        if member is None:
            return NOTHING
        base = base_permissions(
            (self.roles[role_id].permissions for role_id in (channel.guild_id, *member.role_ids)),
            is_owner=self.guilds[channel.guild_id].owner_id == user_id,
        )
        place = self.channels[channel.parent_id] if channel.parent_id else channel
        return channel_permissions(
            base,
            place.overwrites,
            guild_id=channel.guild_id,
            role_ids=member.role_ids,
            user_id=user_id,
            in_thread=channel.is_thread,
        )
