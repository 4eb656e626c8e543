"""Which messages are ours, whoever carries them."""

from __future__ import annotations

from collections.abc import Container

import discord


def is_ours(message: discord.Message, client: discord.Client, own_webhooks: Container[int] = ()) -> bool:
    """Written by our account, by a webhook of ours as which a persona speaks, or in answer to an interaction.

    `own_webhooks`: ids of webhooks that are known as ours, besides those that Discord says are our application's.
    """
    if client.user is not None and message.author.id == client.user.id:
        return True
    if message.webhook_id is None:
        return False
    # What answers an interaction comes by a webhook that has our application's id.
    told = client.application_id is not None and client.application_id in (message.webhook_id, message.application_id)
    return told or message.webhook_id in own_webhooks
