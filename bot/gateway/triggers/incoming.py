"""discord.py's message → the facts that `triggers` and `admission` look at."""

from __future__ import annotations

from collections.abc import Callable, Container
from functools import partial

import discord

from bot.gateway.own_messages import is_ours
from bot.gateway.triggers.rules import Incoming


def incoming_of(message: discord.Message, client: discord.Client, own_webhooks: Container[int] = ()) -> Incoming:
    """`own_webhooks`: see bot.gateway.own_messages."""
    me = client.user
    assert me is not None, "messages come after the login"
    is_mine = partial(is_ours, client=client, own_webhooks=own_webhooks)
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
