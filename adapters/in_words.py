"""What cannot be sent as it is, in words: the model at least knows that it was there.

Names, addresses and types are a stranger's words in a label of ours, in brackets: so they stand in one line, are bounded, and
cannot close the bracket. What a tool said is not shortened; its lines are quoted, so that none of them passes for another label.
"""

from __future__ import annotations

import re
import unicodedata
from typing import Final

from adapters.contract import FilePart, ImagePart, TextPart, ToolResult
from adapters.wire.surrogates import whole_text

MAX_LABEL_CHARS: Final = 300

_CONTROLS: Final = re.compile("[\x00-\x08\x0b\x0c\x0e-\x1f\x7f]")
_CONTROL_BYTES: Final = bytes(code for code in range(0x80) if _CONTROLS.match(chr(code)))
_BRACKETS: Final = str.maketrans("[]", "()")
_UNSEEN: Final = frozenset(("Cc", "Cf", "Cs", "Zl", "Zp"))


def harmless(text: str) -> str:
    """The text without what breaks servers: halves of surrogate pairs become U+FFFD, and control characters their pictures
    (NUL is U+2400), but for tabs and the ends of lines. The text itself where it has none."""
    try:
        written = text.encode()
    except UnicodeEncodeError:
        return _CONTROLS.sub(_picture, whole_text(text))
    # Nearly all texts have none, which bytes tell in a fraction of the time that a search takes.
    return text if len(written.translate(None, _CONTROL_BYTES)) == len(written) else _CONTROLS.sub(_picture, text)


def _picture(control: re.Match[str]) -> str:
    code = ord(control[0])
    if code in (0x0B, 0x0C):
        return "\n"
    return "\u2421" if code == 0x7F else chr(0x2400 + code)


def one_line(text: str, most: int = MAX_LABEL_CHARS) -> str:
    """A stranger's words for a label: one line, no brackets, at most so many characters."""
    seen = "".join(" " if unicodedata.category(char) in _UNSEEN else char for char in text[: 4 * most])
    return " ".join(seen.translate(_BRACKETS).split())[:most].rstrip()


def in_words(part: ImagePart | FilePart) -> TextPart:
    """For an API that cannot take the part itself."""
    if isinstance(part, ImagePart):
        return TextPart(f"[picture: {one_line(part.url or part.media_type)}]")
    return TextPart(f"[file: {one_line(part.name)}, {one_line(part.media_type)}, {len(part.data)} bytes]")


def result_in_words(result: ToolResult) -> TextPart:
    """For a result that can stand in no block of its own: its call is not there, or the model knows no tools. Its pictures and
    files are named."""
    words = "\n".join(part.text if isinstance(part, TextPart) else in_words(part).text for part in result.content)
    quoted = "\n> ".join(harmless(words).splitlines())
    return TextPart(f"[result of {one_line(result.name)}: {quoted}]")
