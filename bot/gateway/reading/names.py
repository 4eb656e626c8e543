"""Who is meant by an id, in the place of one question.

Discord tells people's names in a server with the messages that come as events, and without them in what is fetched. So that a
person has one name in a conversation, the names of the messages that the client remembers count for the fetched ones too.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping

import discord

from bot.conversation.people import safe_name


class NamesHere:
    """The `Names` of bot.gateway.reading.mentions. As people wrote them, but for ours."""

    def __init__(self, client: discord.Client, question: discord.Message) -> None:
        user = client.user
        assert user is not None
        self._guild = question.guild
        self._here = (question.channel.id, getattr(question.channel, "parent_id", None))
        member = self._guild.me if self._guild else None  # None where a person uses us in a server that we are not in
        self.me: discord.Member | discord.ClientUser = user if member is None else member
        self._known = {
            person.id: person.display_name
            for message in (*client.cached_messages, question)
            if message.guild == self._guild
            for person in (*message.mentions, message.author)
            if isinstance(person, discord.Member)
        }

    def author(self, message: discord.Message) -> str:
        """A webhook has another name for each message."""
        if message.webhook_id is not None or isinstance(message.author, discord.Member):
            return message.author.display_name
        return self._known.get(message.author.id, message.author.display_name)

    def us(self, mentioned_id: int) -> str | None:
        """Also for the role that Discord makes for every bot: it has the same name, and is mentioned by mistake."""
        role = self._guild.self_role if self._guild else None
        return safe_name(self.me.display_name) if mentioned_id in (self.me.id, role and role.id) else None

    def user(self, user_id: int) -> str | None:
        if (name := self._known.get(user_id)) is not None:
            return name
        member = self._guild.get_member(user_id) if self._guild else None
        return member.display_name if member else None

    def role(self, role_id: int) -> str | None:
        role = self._guild.get_role(role_id) if self._guild else None
        return role.name if role else None

    def channel(self, channel_id: int) -> str | None:
        """This one, and those that everybody in the server sees: whoever mentions a hidden one by its id learns nothing."""
        channel = self._guild.get_channel_or_thread(channel_id) if self._guild else None
        if channel is None or self._guild is None:
            return None
        if channel_id in self._here or (_is_open(channel) and _shown_to(self._guild.default_role, channel)):
            return channel.name
        return None


class WithMentioned:
    """Those names, and the people whom a message mentions, as it tells them itself."""

    def __init__(self, names: NamesHere, mentioned: Iterable[discord.abc.User]) -> None:
        self._mentioned: Mapping[int, str] = {user.id: user.display_name for user in mentioned}
        self._names = names
        self.us, self.role, self.channel = names.us, names.role, names.channel

    def user(self, user_id: int) -> str | None:
        return self._names.user(user_id) or self._mentioned.get(user_id)


def _is_open(channel: discord.abc.GuildChannel | discord.Thread) -> bool:
    return channel.type is not discord.ChannelType.private_thread


def _shown_to(role: discord.Role, channel: discord.abc.GuildChannel | discord.Thread) -> bool:
    if isinstance(channel, discord.Thread) and channel.parent is None:
        return False
    return channel.permissions_for(role).view_channel
