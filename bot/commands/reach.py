"""Where a command can be used besides the servers that the bot is in, and who may bring it there."""

from __future__ import annotations

from discord import app_commands

ANYWHERE = app_commands.AppCommandContext(guild=True, dm_channel=True, private_channel=True)
"""Also in direct messages between other people."""
WITH_THE_BOT = app_commands.AppCommandContext(guild=True, dm_channel=True)
"""In servers, and in direct messages with it."""
BROUGHT_ALONG = app_commands.AppInstallationType(guild=True, user=True)
"""Also by people who installed the app for themselves, in servers that the bot is not in."""
