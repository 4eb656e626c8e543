"""What Discord writes as `<…>` in a text, in words: mentions, custom emoji, times, commands.

https://docs.discord.com/developers/reference#message-formatting. In code they are what they look like, and stay. The names that
come in are a stranger's words, made safe as in a label.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from datetime import UTC, datetime
from typing import Protocol

from bot.conversation.people import label, safe_line

LONGEST_PLACE = 100
"""Code points; Discord's own limit for names of channels and roles."""

_MARK = re.compile(
    r"(?P<code>```[\s\S]*?```|(?<!`)(?P<ticks>`{1,2})(?!`)[\s\S]+?(?<!`)(?P=ticks)(?!`))"
    r"|<@!?(?P<user>[0-9]{1,20})>|<@&(?P<role>[0-9]{1,20})>|<#(?P<channel>[0-9]{1,20})>"
    r"|<a?:(?P<emoji>\w{1,32}):[0-9]{1,20}>|<t:(?P<time>-?[0-9]{1,12})(?::[tTdDfFsSR])?>"
    r"|</(?P<command>[-'\w ]{1,100}):[0-9]{1,20}>|<id:(?P<page>[a-z-]{1,20})>"
)


class Names(Protocol):
    """Whom and what ids mean; None: unknown, or not for everybody to know."""

    def us(self, mentioned_id: int) -> str | None:
        """Our name, where the person or role is us."""
        ...

    def user(self, user_id: int) -> str | None: ...

    def role(self, role_id: int) -> str | None: ...

    def channel(self, channel_id: int) -> str | None: ...


def in_words(text: str, names: Names) -> str:
    """`@Bo (34)`, `#general`, `@role`, `:emoji:`, `2026-11-30 19:59 UTC`, `/command`."""

    def word(mark: re.Match[str]) -> str:
        kind = mark.lastgroup or ""
        return _WORDS[kind](mark[kind], names) or mark[0]

    return _MARK.sub(word, text)


def _user(user_id: str, names: Names) -> str:
    if us := names.us(int(user_id)):
        return f"@{us}"
    return f"@{label(names.user(int(user_id)) or 'unknown', int(user_id))}"


def _role(role_id: str, names: Names) -> str:
    if us := names.us(int(role_id)):
        return f"@{us}"
    return f"@{safe_line(names.role(int(role_id)) or '', LONGEST_PLACE) or 'unknown-role'}"


def _channel(channel_id: str, names: Names) -> str:
    return f"#{safe_line(names.channel(int(channel_id)) or '', LONGEST_PLACE) or 'unknown-channel'}"


def _time(unix_seconds: str, _: Names) -> str | None:
    try:
        return f"{datetime.fromtimestamp(int(unix_seconds), UTC):%Y-%m-%d %H:%M} UTC"
    except (OverflowError, ValueError, OSError):
        return None  # no time that a calendar has


_WORDS: dict[str, Callable[[str, Names], str | None]] = {
    "code": lambda code, _: code,
    "user": _user,
    "role": _role,
    "channel": _channel,
    "emoji": lambda name, _: f":{name}:",
    "time": _time,
    "command": lambda name, _: f"/{name}",
    "page": lambda page, _: f"#{page}",
}
