"""Any server that speaks OpenAI's Chat Completions: the address is the user's, the key may be missing.

The older `max_tokens` is the name that all of them know. Reasoning goes back beside tool calls, as the servers that give it
under this name want it; one that refuses the field has an entry of its own in `vendors`.
"""

from __future__ import annotations

from typing import Final

from adapters.providers.chat.adapter import OpenAIChat
from adapters.providers.chat.dialect import ALL_EFFORTS, Dialect, Media, efforts

CUSTOM: Final = OpenAIChat(
    Dialect(
        name="custom",
        title="Chat Completions",
        base_url=None,
        needs_key=False,
        reasoning=efforts(ALL_EFFORTS),
        thought_field="reasoning_content",
        takes=frozenset((Media.IMAGE, Media.AUDIO)),
    )
)
