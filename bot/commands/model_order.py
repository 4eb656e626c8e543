"""Which of the models that a provider lists are shown first, where there is room for few: those that Parley knows, the newest before
older ones, and last what only makes pictures, speech or vectors."""

from __future__ import annotations

import re
from collections.abc import Sequence

from adapters.catalogue import bare_name, shipped

_NO_CHAT = re.compile(
    r"embed|whisper|tts|transcri|speech|audio|realtime|dall-e|image|imagen|veo|sora|video|moderation|rerank|guard|ocr"
)
_DATED = re.compile(r"\d{4}-?\d{2}-?\d{2}|-\d{4}$")
"""A model as it was on a day; it stands beside the one that is renewed."""


def best_first(names: Sequence[str]) -> list[str]:
    """The same names, each once. Among those of which nothing is known, as the provider lists them."""
    places = {name: nr for nr, name in enumerate(dict.fromkeys(names))}
    return sorted(places, key=lambda name: (*_rank(name), places[name]))


def _rank(name: str) -> tuple[bool, bool, int]:
    bare = bare_name(name)
    row = max(((len(row.pattern), nr) for nr, row in enumerate(shipped()) if row.fits(bare)), default=(0, -1))[1]
    # The rows of a maker stand from the oldest to the newest.
    return bool(_NO_CHAT.search(bare)), row < 0 or bool(_DATED.search(name)), -row
