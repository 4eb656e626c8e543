"""Is there nothing in a picture's file but the picture? Read from the file's own blocks, whose names say what they hold.

Lists of what may be in it, not of what may not: of places and names of people there are always new blocks. What stands behind the
picture's end (a film, another file) counts too.
"""

from __future__ import annotations

import struct
from collections.abc import Callable, Mapping

_PNG_CHUNKS = frozenset(
    (b"IHDR", b"PLTE", b"IDAT", b"IEND", b"tRNS", b"gAMA", b"cHRM", b"sRGB", b"iCCP", b"sBIT", b"bKGD", b"pHYs")
)
_PNG_HEAD = 8

_SCAN, _END = 0xDA, b"\xff\xd9"
_COMMENT = 0xFE
_APPLICATION = range(0xE0, 0xF0)
_PLAIN_APPLICATION_DATA = {0xE0: b"JFIF\0", 0xE2: b"ICC_PROFILE\0", 0xEE: b"Adobe"}
"""Marker → how its data must begin: density, colour profile, colour transform."""


def _is_bare_png(data: bytes) -> bool:
    at, name = _PNG_HEAD, b""
    while at + 12 <= len(data) and name != b"IEND":
        length, name = struct.unpack_from(">I4s", data, at)
        if name not in _PNG_CHUNKS:
            return False
        at += 12 + length
    return name == b"IEND" and at == len(data)


def _is_bare_jpeg(data: bytes) -> bool:
    at = 2
    while at + 4 <= len(data) and data[at] == 0xFF:
        marker, length = data[at + 1], int.from_bytes(data[at + 2 : at + 4])
        if marker == _SCAN:
            # In a scan, 0xFF is followed by zero or a restart mark: the first end is the end.
            return data.find(_END, at) == len(data) - len(_END)
        beginning = _PLAIN_APPLICATION_DATA.get(marker)
        if marker == _COMMENT or (marker in _APPLICATION and not (beginning and data.startswith(beginning, at + 4))):
            return False
        at += 2 + length
    return False


_JUDGES: Mapping[str, Callable[[bytes], bool]] = {"PNG": _is_bare_png, "JPEG": _is_bare_jpeg}


def is_bare(data: bytes, form: str) -> bool:
    """`form`: PNG or JPEG, which `data` is a whole file of. False where it is not certain."""
    return _JUDGES[form](data)
