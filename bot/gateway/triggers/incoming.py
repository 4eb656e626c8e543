"""discord.py's message → the facts that `triggers` and `admission` look at."""

from __future__ import annotations

from collections.abc import Callable, Container

import discord

from bot.gateway.triggers.rules import Incoming


def incoming_of(message: discord.Message, client: discord.Client, own_webhooks: Container[int] = ()) -> Incoming:
    """`own_webhooks`: ids of webhooks through which we speak, besides those that Discord says are our application's."""
    me = client.user
    assert me is not None, "messages come after the login"

    def is_mine(other: discord.Message) -> bool:
        if other.author.id == me.id:
            return True
        if other.webhook_id is None:
            return False
        # What answers an interaction comes by a webhook that has our id.
        ours = client.application_id is not None and client.application_id in (other.webhook_id, other.application_id)
        return ours or other.webhook_id in own_webhooks

    channel, guild = message.channel, message.guild
    role = guild.self_role if guild else None
    return Incoming(
        me=me.id,
        my_role=role.id if role else None,
        text=message.content,
        is_mine=is_mine(message),
        is_bot=message.author.bot or message.webhook_id is not None,
        is_written=message.type in (discord.MessageType.default, discord.MessageType.reply),
        # A message of a server that is not cached has no guild either.
        is_direct=isinstance(channel, discord.DMChannel),
        replies_to_me=_replied_to(message, is_mine, me),
        in_my_thread=isinstance(channel, discord.Thread) and channel.owner_id == me.id,
    )


def _replied_to(message: discord.Message, is_mine: Callable[[discord.Message], bool], me: discord.ClientUser) -> bool:
    """A forwarded message refers to another one too, but is no reply."""
    if message.type is not discord.MessageType.reply or message.reference is None:
        return False
    replied = message.reference.resolved
    if isinstance(replied, discord.Message):
        return is_mine(replied)
    # Discord did not say which message that is: then its ping tells, which is ours and not in the text.
    return replied is None and any(user.id == me.id for user in message.mentions)
