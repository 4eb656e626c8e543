"""How the stand-in's world is furnished, and what moderators and time do to it while a test runs. The bot is told."""

from __future__ import annotations

import msgspec

from bot.playground.standin.acting import Acting, id_of
from bot.playground.standin.contents import files_of
from bot.playground.standin.drafts import Draft
from bot.playground.standin.events import Json
from bot.playground.standin.permissions import (
    MEMBER_DEFAULT,
    NOTHING,
    Overwrite,
    OverwriteTarget,
    Permission,
)
from bot.playground.standin.records import Channel, ChannelType, Guild, Role, User, Webhook
from bot.playground.standin.webhooks import make_webhook


class Furnishing(Acting):
    # ----------------------------------------------------------------------------------------------- people and bots

    def add_person(
        self,
        name: str,
        *,
        username: str | None = None,
        nick: str | None = None,
        roles: tuple[Role, ...] = (),
        guild: Guild | None = None,
        locale: str = "en-US",
    ) -> User:
        """Joins the guild, the first one if none is said. `name` is the global name; two people may have the same."""
        user = self.world.add_user(name, username=username, locale=locale)
        self.world.welcome(user, guild or self.guild, *roles, nick=nick)
        return user

    def add_bot(self, name: str, *, nick: str | None = None, guild: Guild | None = None) -> User:
        """Another bot, which acts as people do: `say(bot, …)`."""
        user = self.world.add_user(name, is_bot=True)
        self.world.welcome(user, guild or self.guild, nick=nick)
        return user

    def add_webhook(self, channel: Channel | str, name: str, *, by: User | str) -> Webhook:
        """A webhook that a person made; see `execute_webhook`."""
        return make_webhook(self.world, self._channel(channel), name, self._user(by), None)

    def remove_webhook(self, webhook_id: str) -> None:
        """Somebody deletes a webhook, the bot's own perhaps. Raises KeyError."""
        del self.world.webhooks[webhook_id]

    def add_role(self, name: str, permissions: Permission = MEMBER_DEFAULT, *, guild: Guild | None = None) -> Role:
        return self.world.create_role(guild or self.guild, name, permissions)

    def give_role(self, user: User | str, role: Role) -> None:
        member = self.world.members[role.guild_id, self._user(user)]
        self.world.change_member(msgspec.structs.replace(member, role_ids=(*member.role_ids, role.id)))

    def take_role(self, user: User | str, role: Role) -> None:
        member = self.world.members[role.guild_id, self._user(user)]
        kept = tuple(role_id for role_id in member.role_ids if role_id != role.id)
        self.world.change_member(msgspec.structs.replace(member, role_ids=kept))

    def set_nick(self, user: User | str, nick: str | None, *, guild: Guild | None = None) -> None:
        member = self.world.members[(guild or self.guild).id, self._user(user)]
        self.world.change_member(msgspec.structs.replace(member, nick=nick))

    def set_locale(self, user: User | str, locale: str) -> None:
        """The language of the person's client, which interactions tell."""
        user_id = self._user(user)
        self.world.users[user_id] = msgspec.structs.replace(self.world.users[user_id], locale=locale)

    def install_for(self, user: User | str) -> None:
        """The person installs the application for themselves, and can then use it everywhere."""
        self.world.installed_by.add(self._user(user))

    def close_dms(self, user: User | str, closed: bool = True) -> None:
        """The person takes no messages from the bot (50007)."""
        (self.world.closed_to_dms.add if closed else self.world.closed_to_dms.discard)(id_of(user))

    # --------------------------------------------------------------------------------------------------------- places

    @property
    def guild(self) -> Guild:
        """The first one."""
        return next(iter(self.world.guilds.values()))

    def add_guild(self, name: str, owner: User, *, with_bot: bool = True, locale: str = "en-US") -> Guild:
        """Another server; with or without the bot."""
        guild = self.world.add_guild(name, owner, locale=locale)
        if with_bot:
            self.world.welcome(self.world.bot, guild)
        return guild

    def remove_bot(self, guild: Guild) -> None:
        """The bot is thrown out of the server."""
        self.world.dismiss_bot(guild)

    def add_channel(self, name: str, *, topic: str | None = None, guild: Guild | None = None) -> Channel:
        return self.world.add_channel(guild or self.guild, name, topic=topic)

    def add_forum(self, name: str, *, guild: Guild | None = None) -> Channel:
        return self.world.add_channel(guild or self.guild, name, type=ChannelType.FORUM)

    def private(self, *people: User, name: str | None = None) -> Channel:
        """A DM between two people, or a group of more, without the bot."""
        return self.world.open_private(*people, name=name)

    def set_permissions(
        self, channel: Channel | str, who: User | str, *, allow: Permission = NOTHING, deny: Permission = NOTHING
    ) -> None:
        """Overwrites what a member, or a role by its id, may do in the channel, and tells the bot (CHANNEL_UPDATE)."""
        target = OverwriteTarget.ROLE if id_of(who) in self.world.roles else OverwriteTarget.MEMBER
        self.world.set_overwrite(id_of(channel), Overwrite(id_of(who), target, allow, deny))

    def archive_thread(self, thread: Channel | str, *, lock: bool = False) -> None:
        """As its moderators, or time, do. It stays archived until somebody writes; `lock`: until a moderator does."""
        if lock:
            self.lock_thread(thread)
        self.world.set_archived(id_of(thread), True)

    def lock_thread(self, thread: Channel | str, locked: bool = True) -> None:
        """Only moderators may write in a locked thread."""
        self.world.put_channel(msgspec.structs.replace(self.world.channels[id_of(thread)], locked=locked))

    def delete_channel(self, channel: Channel | str) -> None:
        """Or a thread; with all that is in it."""
        self._backend.delete_channel(id_of(channel))

    # ------------------------------------------------------------------------------------------------------- messages

    def system_message(self, user: User | str, channel: Channel | str, kind: int, text: str = "") -> Json:
        """What Discord itself writes about somebody: 7 a person joined, 8 a boost, 6 something was pinned."""
        return self.world.create_message(self._user(user), id_of(channel), Draft(type=kind, content=text))

    def age_message(self, message_id: str, seconds: float) -> None:
        """As if it had been sent so much earlier: edits of what is older than an hour have a limit of their own."""
        self.world.age_message(message_id, seconds)

    def expire_files(self, message_id: str) -> None:
        """The addresses of its files answer 404 from now on; whoever reads the message anew gets fresh ones."""
        self._backend.attachments.expire(files_of(self._message(message_id)))
