"""The files that character cards come in → the card's JSON and the picture. PNG, JSON and CHARX.

A PNG, also an animated one, has the card in a text chunk as JSON in base64: `ccv3` for version 3, `chara` for those before it; who
has both means the first. CHARX is a ZIP file with `card.json`. The pixels are not looked at here, so a PNG's chunks are walked
rather than decoded. Strangers make such files: each length is checked against what is there, what is packed unfolds within bounds,
and whatever is wrong with one is a CardError.

Sources: https://github.com/malfoyslastname/character-card-spec-v2, https://github.com/kwaroran/character-card-spec-v3,
https://www.w3.org/TR/png-3/#5Chunk-layout.
"""

from __future__ import annotations

import base64
import binascii
import struct
import zipfile
import zlib
from collections.abc import Iterator
from enum import StrEnum
from io import BytesIO
from typing import Any

import msgspec
from PIL import Image, PngImagePlugin

LARGEST_FILE = 8_000_000
"""Bytes."""
LARGEST_CARD = 1_000_000
"""Bytes of a card's JSON. Long ones, with a lore book, have some hundred thousand."""
DEEPEST = 50
"""Arrays and objects in one another. Cards have less than ten; and written with a line for each value, a hundredfold of what is very
deep would be indentation."""

V3_CHUNK, V2_CHUNK = "ccv3", "chara"
_SIGNATURE = b"\x89PNG\r\n\x1a\n"
_LARGEST_CHUNK = LARGEST_CARD * 4 // 3 + 4
_ZIP = b"PK\x03\x04"
_CARD_IN_ZIP = "card.json"
_EMBEDDED = ("embeded://", "embedded://")
"""The specification writes it with one d."""
_PACKED = (zipfile.ZIP_STORED, zipfile.ZIP_DEFLATED)
"""What programs write. The other ways to pack may take gigabytes to unpack, and raise errors of their own."""
_ZIP_FAULTS = (zipfile.BadZipFile, zlib.error, EOFError, OSError, RuntimeError, ValueError, KeyError)
"""What the standard library raises for an archive that is damaged, encrypted or of an unknown version."""
_NO_PICTURE = "parley-no-picture"
"""A text chunk of a PNG that only carries a card."""
_SIDE = 256
"""Pixels of the picture of a persona that has none."""


class Fault(StrEnum):
    """What is wrong with a file. Words for people stand in locales/ under `card-fault-` and the value."""

    FILE_TOO_LARGE = "file-too-large"
    UNKNOWN_FORM = "unknown-form"
    DAMAGED = "damaged"
    NO_CARD_INSIDE = "no-card-inside"
    CARD_TOO_LARGE = "card-too-large"
    NOT_JSON = "not-json"
    NOT_A_CARD = "not-a-card"
    NO_NAME = "no-name"
    WRONG_KIND = "wrong-kind"
    TEXT_TOO_LONG = "text-too-long"


class CardError(ValueError):
    """`about` fills in the words: `form` (PNG, …), `field` of the card, `length` and `most` in bytes or code points."""

    def __init__(self, fault: Fault, **about: str | int) -> None:
        super().__init__(f"{fault.value} {about}" if about else fault.value)
        self.fault, self.about = fault, about


class CardFile(msgspec.Struct, frozen=True):
    card: dict[str, Any]
    """The JSON, as it is."""
    picture: bytes | None
    """As the file has it; nobody looked whether it is a picture."""


def open_card_file(data: bytes) -> CardFile:
    """Raises CardError."""
    if len(data) > LARGEST_FILE:
        raise CardError(Fault.FILE_TOO_LARGE, length=len(data), most=LARGEST_FILE)
    if data.startswith(_SIGNATURE):
        return CardFile(_json(_from_base64(_card_chunk(data))), None if _NO_PICTURE.encode() in data else data)
    if data.startswith(_ZIP):
        return _from_zip(data)
    text = data.removeprefix(b"\xef\xbb\xbf").lstrip()
    if text.startswith(b"{"):
        return CardFile(_json(text), None)
    raise CardError(Fault.UNKNOWN_FORM)


def png_with(cards: dict[str, bytes], picture: bytes | None) -> bytes:
    """A PNG with these texts, by chunk. Where there is no picture, or it cannot be read, one in a single colour, which is taken for none
    when it is read again."""
    info = PngImagePlugin.PngInfo()
    for chunk, card in cards.items():
        info.add_text(chunk, base64.b64encode(card).decode())
    image = _opened(picture) if picture is not None else None
    if image is None:
        info.add_text(_NO_PICTURE, "")
        image = Image.new("RGB", (_SIDE, _SIDE), "slategray")
    out = BytesIO()
    image.save(out, "PNG", pnginfo=info)
    return out.getvalue()


def _opened(picture: bytes) -> Image.Image | None:
    try:
        image = Image.open(BytesIO(picture), formats=("PNG",))
        image.load()
    except (OSError, ValueError, SyntaxError, Image.DecompressionBombError):
        return None
    image.info = {}
    return image


# ------------------------------------------------------------------------------------------------------------------- PNG


def _card_chunk(data: bytes) -> bytes:
    found: dict[str, tuple[bytes, bytes]] = {}
    for keyword, kind, text in _texts(data):
        found.setdefault(keyword, (kind, text))
        if V3_CHUNK in found:
            break
    chosen = found.get(V3_CHUNK, found.get(V2_CHUNK))
    if chosen is None:
        raise CardError(Fault.NO_CARD_INSIDE, form="PNG")
    kind, text = chosen
    return text if kind == b"tEXt" else _unpacked(text[1:])


def _texts(data: bytes) -> Iterator[tuple[str, bytes, bytes]]:
    """Of the chunks that a card may stand in: keyword, in small letters, type, and text. Raises CardError for a file that ends too
    soon."""
    at = len(_SIGNATURE)
    while at + 8 <= len(data):
        length, kind = struct.unpack_from(">I4s", data, at)
        start, at = at + 8, at + 12 + length
        if at > len(data):
            raise CardError(Fault.DAMAGED, form="PNG")
        if kind == b"IEND":
            return
        if kind in (b"tEXt", b"zTXt"):
            keyword, _, text = data[start : start + length].partition(b"\0")
            name = keyword.decode("latin-1").lower()
            if name in (V3_CHUNK, V2_CHUNK):
                yield name, kind, text
    raise CardError(Fault.DAMAGED, form="PNG")


def _unpacked(packed: bytes) -> bytes:
    try:
        text = zlib.decompressobj().decompress(packed, _LARGEST_CHUNK + 1)
    except zlib.error:
        raise CardError(Fault.DAMAGED, form="PNG") from None
    if len(text) > _LARGEST_CHUNK:
        raise CardError(Fault.CARD_TOO_LARGE, most=LARGEST_CARD)
    return text


def _from_base64(text: bytes) -> bytes:
    if text.lstrip().startswith(b"{"):
        return text  # some tools write it plainly
    try:
        return base64.b64decode(text + b"=" * (-len(text) % 4))
    except binascii.Error:
        raise CardError(Fault.DAMAGED, form="base64") from None


# ----------------------------------------------------------------------------------------------------------------- CHARX


def _from_zip(data: bytes) -> CardFile:
    try:
        with zipfile.ZipFile(BytesIO(data)) as archive:
            if _CARD_IN_ZIP not in archive.namelist():
                raise CardError(Fault.NO_CARD_INSIDE, form="CHARX")
            card = _json(_member(archive, _CARD_IN_ZIP, LARGEST_CARD))
            icon = _icon(card)
            has_icon = icon in archive.namelist()
            return CardFile(card, _member(archive, icon, LARGEST_FILE) if has_icon else None)
    except CardError:
        raise
    except _ZIP_FAULTS:
        raise CardError(Fault.DAMAGED, form="CHARX") from None


def _member(archive: zipfile.ZipFile, name: str, most: int) -> bytes:
    """What the directory says of its size is not trusted."""
    if archive.getinfo(name).compress_type not in _PACKED:
        raise CardError(Fault.DAMAGED, form="CHARX")
    with archive.open(name) as member:
        content = member.read(most + 1)
    if len(content) > most:
        raise CardError(Fault.CARD_TOO_LARGE, most=most)
    return content


def _icon(card: dict[str, Any]) -> str:
    """The path of the card's main icon in its archive; empty where it has none."""
    data = card.get("data")
    assets = data.get("assets") if isinstance(data, dict) else None
    listed = assets if isinstance(assets, list) else []
    icons = [asset for asset in listed if isinstance(asset, dict) and asset.get("type") == "icon"]
    for asset in sorted(icons, key=lambda asset: asset.get("name") != "main"):
        uri = asset.get("uri")
        for scheme in _EMBEDDED:
            if isinstance(uri, str) and uri.startswith(scheme):
                return uri.removeprefix(scheme)
    return ""


# ------------------------------------------------------------------------------------------------------------------ JSON


def _json(text: bytes) -> dict[str, Any]:
    if len(text) > LARGEST_CARD:
        raise CardError(Fault.CARD_TOO_LARGE, length=len(text), most=LARGEST_CARD)
    try:
        card = msgspec.json.decode(text.removeprefix(b"\xef\xbb\xbf"))
    except (msgspec.DecodeError, UnicodeDecodeError, RecursionError):
        raise CardError(Fault.NOT_JSON) from None
    if not isinstance(card, dict):
        raise CardError(Fault.NOT_A_CARD)
    if _depth(card) > DEEPEST:
        raise CardError(Fault.DAMAGED, form="JSON")
    return card


def _depth(value: Any) -> int:
    """How many arrays and objects are in one another."""
    depth, level = 0, [value]
    while level := [it for it in level if isinstance(it, dict | list)]:
        depth += 1
        level = [child for it in level for child in (it.values() if isinstance(it, dict) else it)]
    return depth
