"""A stand-in for Discord: gateway v10 and REST over real sockets, with Discord's limits and errors.

It serves the playground and the end-to-end tests. It does not know discord.py.
"""

from bot.playground.standin.changes import Subscription, SubscriptionOverflow
from bot.playground.standin.clock import Clock
from bot.playground.standin.config import StandinConfig, WorldConfig
from bot.playground.standin.contents import Poll, Upload
from bot.playground.standin.dispatches import Intent
from bot.playground.standin.errors import ApiError
from bot.playground.standin.interactions import Answer, CallbackType, Interaction
from bot.playground.standin.mentions import Mentions, Ping
from bot.playground.standin.permissions import Permission
from bot.playground.standin.records import Channel, ChannelType, Guild, Role, User, Webhook
from bot.playground.standin.rest import Call
from bot.playground.standin.server import Standin
from bot.playground.standin.wiretap import Wiretap

__all__ = [
    "Answer",
    "ApiError",
    "Call",
    "CallbackType",
    "Channel",
    "ChannelType",
    "Clock",
    "Guild",
    "Intent",
    "Interaction",
    "Mentions",
    "Permission",
    "Ping",
    "Poll",
    "Role",
    "Standin",
    "StandinConfig",
    "Subscription",
    "SubscriptionOverflow",
    "Upload",
    "User",
    "Webhook",
    "Wiretap",
    "WorldConfig",
]
