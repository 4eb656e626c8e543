"""Which providers there are."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

from adapters.contract import StreamAdapter
from adapters.providers.anthropic.adapter import ANTHROPIC
from adapters.providers.bedrock.adapter import BEDROCK
from adapters.providers.chat.adapter import OPENAI_CHAT
from adapters.providers.chat.custom import CUSTOM
from adapters.providers.chat.openrouter import OPENROUTER
from adapters.providers.chat.vendors import VENDORS
from adapters.providers.google.adapter import GOOGLE, VERTEX
from adapters.providers.ollama.adapter import OLLAMA
from adapters.providers.responses.adapter import OPENAI_RESPONSES

_ALL: Final[tuple[StreamAdapter, ...]] = (
    ANTHROPIC,
    BEDROCK,
    GOOGLE,
    VERTEX,
    OLLAMA,
    OPENAI_CHAT,
    OPENAI_RESPONSES,
    OPENROUTER,
    *VENDORS,
    CUSTOM,
)

_ADAPTERS: Final[Mapping[str, StreamAdapter]] = {each.name: each for each in _ALL}

NAMES: Final[tuple[str, ...]] = tuple(_ADAPTERS)

_CHAT: Final = (OPENAI_CHAT, OPENROUTER, *VENDORS, CUSTOM)

NEEDS_BASE_URL: Final[Mapping[str, str]] = {
    BEDROCK.name: "https://bedrock-runtime.us-east-1.amazonaws.com",
    **{each.name: "http://127.0.0.1:8080/v1" for each in _CHAT if each.dialect.base_url is None},
}
"""The providers without an address of their own, each with an example of one."""

NEEDS_KEY: Final = frozenset(
    {
        *(ANTHROPIC.name, GOOGLE.name, OPENAI_RESPONSES.name),
        *(each.name for each in _CHAT if each.dialect.base_url and each.dialect.needs_key),
    }
)
"""The providers that answer nothing at their own address to who has no key. A proxy at another address may add one."""


def adapter(name: str) -> StreamAdapter:
    """The adapter of this name. Raises KeyError, whose text names the ones that exist."""
    if name not in _ADAPTERS:
        raise KeyError(f"no provider {name!r}; there are {', '.join(NAMES)}")
    return _ADAPTERS[name]
