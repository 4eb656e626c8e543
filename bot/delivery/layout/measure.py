"""How long a message may be. Content and embeds are limited in code points, components v2 in UTF-8 bytes as well."""

from __future__ import annotations

import msgspec

_CONTINUATION_BYTES = bytes(range(0x80, 0xC0))
"""Of UTF-8: all bytes of a character but its first."""


class Measure(msgspec.Struct, frozen=True):
    """A message's length: Unicode code points, as Discord counts, and UTF-8 bytes where those are limited too."""

    code_points: int
    utf8_bytes: int | None = None

    def fits(self, text: str) -> bool:
        return len(text) <= self.code_points and (self.utf8_bytes is None or len(_utf8(text)) <= self.utf8_bytes)

    def longest(self, text: str) -> int:
        """How many code points fit of `text` with ASCII characters behind it. As no character has fewer bytes than those,
        this is also the limit for any beginning of it with ASCII characters behind.
        """
        if self.utf8_bytes is None:
            return self.code_points
        encoded = _utf8(text[: self.code_points])
        spare = self.utf8_bytes - len(encoded)
        if spare >= 0:
            return min(self.code_points, len(text) + spare)
        whole = len(encoded[: self.utf8_bytes].translate(None, _CONTINUATION_BYTES))
        return whole - (encoded[self.utf8_bytes] in _CONTINUATION_BYTES)


def _utf8(text: str) -> bytes:
    return text.encode("utf-8", "surrogatepass")


PLAIN = Measure(2000)
"""Message content."""
EMBED = Measure(4096)
"""An embed's description. https://docs.discord.com/developers/resources/message#embed-object-embed-limits"""
COMPONENTS = Measure(4000, 10_158)
"""One text display of components v2. Discord answers 500 where bytes + 12 a display exceed 10,170 (discord-api-docs#8554)."""
