"""Which providers there are."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

from adapters.contract import StreamAdapter
from adapters.providers.custom import CUSTOM
from adapters.providers.openai_chat import OPENAI_CHAT

_ADAPTERS: Final[Mapping[str, StreamAdapter]] = {each.name: each for each in (OPENAI_CHAT, CUSTOM)}

NAMES: Final[tuple[str, ...]] = tuple(_ADAPTERS)


NEEDS_BASE_URL: Final = frozenset({CUSTOM.name})
"""The providers without an address of their own."""


def adapter(name: str) -> StreamAdapter:
    """The adapter of this name. Raises KeyError, whose text names the ones that exist."""
    if name not in _ADAPTERS:
        raise KeyError(f"no provider {name!r}; there are {', '.join(NAMES)}")
    return _ADAPTERS[name]
