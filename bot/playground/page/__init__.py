"""The playground's web page: a channel as people know it from Discord, over any chat that fits `ChatPort`."""

from bot.playground.page.port import ChatPort
from bot.playground.page.server import Page
from bot.playground.page.standin_port import StandinPort

__all__ = ["ChatPort", "Page", "StandinPort"]
