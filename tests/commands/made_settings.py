"""Settings that there are not, as a line of the list makes them."""

from __future__ import annotations

from typing import Any

import msgspec

from bot.preferences import Page, Scope, Setting, Topic
from bot.preferences.registry import _settings_of


def made_setting(type_: Any, default: Any = None, name: str = "invented", page: Page = Page.TOOLS) -> Setting:
    """`type_`: as in topics.py, with its kind."""
    struct = msgspec.defstruct("Invented", [(name, type_, default)], frozen=True)
    (setting,) = _settings_of(Topic("invented", struct, page, frozenset(Scope)))
    return setting
