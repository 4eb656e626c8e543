"""Bytes → text, or the judgement that they are none; and a long text → its beginning and its end.

A byte order mark decides; then UTF-16 shows by where its zero bytes stand; then UTF-8, which hardly anything else passes for; then the
single- and double-byte encodings of the world, of which charset-normalizer judges the likeliest. Bytes with many control
characters are no text in any of them.
"""

from __future__ import annotations

import codecs
import re

import msgspec
from charset_normalizer import from_bytes

from bot.conversation.prompt import LEFT_OUT

_MARKS = (
    # UTF-32's little-endian mark begins with UTF-16's.
    (codecs.BOM_UTF32_LE, "utf-32"),
    (codecs.BOM_UTF32_BE, "utf-32"),
    (codecs.BOM_UTF8, "utf-8-sig"),
    (codecs.BOM_UTF16_LE, "utf-16"),
    (codecs.BOM_UTF16_BE, "utf-16"),
)
_LEGACY = [
    *("cp1252", "cp1250", "cp1251", "koi8_r", "cp1253", "cp1254", "cp1255", "cp1256", "cp1257"),
    *("gb18030", "cp932", "euc_jp", "cp949", "big5", "cp874", "cp1258"),
]
"""What is judged where it is not Unicode: Windows' code pages, with what Unix had beside them. Of rarer ones nobody has files, and
with EBCDIC among them any bytes are a text. In the order in which they are taken when a short text fits several."""
_SAMPLE = 16 * 1024
"""Bytes from which the encoding is judged."""

_CONTROLS = re.compile(r"[\x00-\x08\x0b\x0c\x0e-\x1f\x7f-\x84\x86-\x9f\ufeff\ufffe\uffff]")
_COLOURS = re.compile(r"\x1b\[[0-9;]*[A-Za-z]")
"""Of terminals, in logs."""
_CONTROL_BYTES = bytes(byte for byte in range(32) if byte not in b"\t\n\r\f\x1b")
"""What no text in a legacy encoding holds in number. The escape character is in logs with colours."""
_MOST_CONTROLS = 0.02
"""Of all characters."""


def decoded(data: bytes) -> str | None:
    """The text as it stands in the file (see `plain`); None where it is none."""
    text = _decoded(data)
    if text is None:
        return None
    beginning = _COLOURS.sub("", text[:_SAMPLE])
    return text if len(_CONTROLS.findall(beginning)) <= _MOST_CONTROLS * len(beginning) else None


def plain(text: str) -> str:
    """With `\\n` between the lines and none at either end, and without control characters and colours."""
    text = text.replace("\r\n", "\n").replace("\r", "\n")
    return _CONTROLS.sub("", _COLOURS.sub("", text)).strip("\n")


class Shortened(msgspec.Struct, frozen=True):
    text: str
    """Plain."""
    left_out: int = 0
    """Code points, as they stood in the file."""


def shortened(text: str, most: int) -> Shortened:
    """At most `most` code points and the mark: three quarters from the beginning, one from the end.

    Only what is kept is made plain: over all of a large file that would hold the interpreter, and so the loop, for too long.
    """
    if len(text) <= most:
        return Shortened(plain(text))
    end = most // 4
    missing = len(text) - most
    beginning, ending = plain(text[: most - end]), plain(text[len(text) - end :])
    return Shortened(f"{beginning}\n{LEFT_OUT.format(count=missing)}\n{ending}", missing)


def _decoded(data: bytes) -> str | None:
    for mark, encoding in _MARKS:
        if data.startswith(mark):
            return _strictly(data, encoding)
    if (wide := _utf16_by_its_zeros(data)) is not None:
        return _strictly(data, wide)
    text = _strictly(data, "utf-8")
    return _judged(data) if text is None else text


def _strictly(data: bytes, encoding: str) -> str | None:
    try:
        return data.decode(encoding)
    except UnicodeDecodeError:
        return None


def _utf16_by_its_zeros(data: bytes) -> str | None:
    """Latin letters, digits and spaces have a zero byte in UTF-16, all on the same side; any European text has many of them."""
    sample = data[:_SAMPLE]
    half = len(sample) // 2
    if not half or len(data) % 2:
        return None
    big, little = sample[0::2].count(0) / half, sample[1::2].count(0) / half
    if max(big, little) < 0.2 or min(big, little) > 0.05:
        return None
    return "utf-16-be" if big > little else "utf-16-le"


def _judged(data: bytes) -> str | None:
    sample = data[:_SAMPLE]
    if len(data) > _SAMPLE:
        # At the end of a line, so that no character is cut in two.
        sample = sample[: sample.rfind(b"\n") + 1] or sample
    if len(sample) - len(sample.translate(None, _CONTROL_BYTES)) > _MOST_CONTROLS * len(sample):
        return None
    fitting = from_bytes(sample, cp_isolation=_LEGACY, enable_fallback=False)
    best = min(fitting, key=lambda one: (one.chaos, -one.coherence, _LEGACY.index(one.encoding)), default=None)
    return data.decode(best.encoding, "replace") if best else None
