"""What a file is, by its first bytes. Its name and its declared type are its owner's word, and are not asked.

A table, since some thirty forms matter here: what can be read, and what is worth calling by its name when it is not. Text has no
signature: what no row names is offered to the reader of texts.
"""

from __future__ import annotations

import re
from enum import StrEnum

import msgspec


class Group(StrEnum):
    """The value is the word for the model."""

    PICTURE = "picture"
    PDF = "document"
    SOUND = "sound"
    TEXT = "text"
    OFFICE = "office document"
    ARCHIVE = "archive"
    PROGRAM = "program"
    VIDEO = "video"


class Kind(msgspec.Struct, frozen=True):
    group: Group
    form: str
    """As people call it: PNG, ZIP, Word."""
    media_type: str = "application/octet-stream"
    ending: str = ""
    """Of a sound: what a transcription endpoint knows the form by."""

    def __str__(self) -> str:
        return self.form if self.group is Group.TEXT else f"{self.form} {self.group}"


TEXT = Kind(Group.TEXT, "text", "text/plain")

_PICTURE, _SOUND, _VIDEO = Group.PICTURE, Group.SOUND, Group.VIDEO
_HEIC, _AVIF = Kind(_PICTURE, "HEIC", "image/heic"), Kind(_PICTURE, "AVIF", "image/avif")
_MP4, _M4A = Kind(_VIDEO, "MP4", "video/mp4"), Kind(_SOUND, "M4A", "audio/mp4", "m4a")
_OGG, _MP3 = Kind(_SOUND, "Ogg", "audio/ogg", "ogg"), Kind(_SOUND, "MP3", "audio/mpeg", "mp3")
_ZIP = Kind(Group.ARCHIVE, "ZIP", "application/zip")
_WINDOWS_PROGRAM, _MAC_PROGRAM = Kind(Group.PROGRAM, "Windows"), Kind(Group.PROGRAM, "macOS")

_SIGNATURES: tuple[tuple[bytes, Kind], ...] = (
    # Each a regular expression over the first bytes. More particular ones stand before those that would match too.
    (rb"\x89PNG\r\n\x1a\n", Kind(_PICTURE, "PNG", "image/png")),
    (rb"\xff\xd8\xff", Kind(_PICTURE, "JPEG", "image/jpeg")),
    (rb"GIF8[79]a", Kind(_PICTURE, "GIF", "image/gif")),
    (rb"RIFF....WEBP", Kind(_PICTURE, "WebP", "image/webp")),
    (rb"....ftyp(?:avif|avis)", _AVIF),
    (rb"....ftyp(?:hei[cxms]|hev[cxms]|mif1|msf1)", _HEIC),
    (rb"BM....\0\0\0\0", Kind(_PICTURE, "BMP", "image/bmp")),
    (rb"(?:II\*\0|MM\0\*)", Kind(_PICTURE, "TIFF", "image/tiff")),
    (rb"8BPS\0", Kind(_PICTURE, "Photoshop", "image/vnd.adobe.photoshop")),
    (rb"\0\0\0\x0cJXL \r\n", Kind(_PICTURE, "JPEG XL", "image/jxl")),
    (rb"\0\0\0\x0cjP  \r\n", Kind(_PICTURE, "JPEG 2000", "image/jp2")),
    (rb"\0\0\x01\0[^\0]\0", Kind(_PICTURE, "ICO", "image/x-icon")),
    (rb"(?:\xef\xbb\xbf)?\s{0,16}%PDF-", Kind(Group.PDF, "PDF", "application/pdf")),
    (rb"OggS.{24,160}theora", Kind(_VIDEO, "Ogg", "video/ogg")),
    (rb"OggS", _OGG),
    (rb"ID3[\x02-\x04]", _MP3),
    (rb"RIFF....WAVE", Kind(_SOUND, "WAV", "audio/wav", "wav")),
    (rb"fLaC", Kind(_SOUND, "FLAC", "audio/flac", "flac")),
    (rb"....ftypM4[AB]", _M4A),
    (rb"\xff[\xf0\xf1\xf8\xf9]", Kind(_SOUND, "AAC", "audio/aac", "aac")),
    (rb"\xff[\xe2\xe3\xf2\xf3\xfa\xfb]", _MP3),
    (rb"#!AMR", Kind(_SOUND, "AMR", "audio/amr", "amr")),
    (rb"....ftypqt  ", Kind(_VIDEO, "QuickTime", "video/quicktime")),
    (rb"....ftyp", _MP4),
    (rb"\x1a\x45\xdf\xa3", Kind(_VIDEO, "WebM or Matroska", "video/webm")),
    (rb"RIFF....AVI ", Kind(_VIDEO, "AVI", "video/x-msvideo")),
    (rb"FLV\x01", Kind(_VIDEO, "FLV", "video/x-flv")),
    (rb"PK(?:\x03\x04|\x05\x06|\x07\x08)", _ZIP),
    (rb"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1", Kind(Group.OFFICE, "DOC, XLS or PPT")),
    (rb"7z\xbc\xaf\x27\x1c", Kind(Group.ARCHIVE, "7z")),
    (rb"Rar!\x1a\x07", Kind(Group.ARCHIVE, "RAR")),
    (rb"\x1f\x8b\x08", Kind(Group.ARCHIVE, "gzip")),
    (rb"BZh[1-9]1AY&SY", Kind(Group.ARCHIVE, "bzip2")),
    (rb"\xfd7zXZ\0", Kind(Group.ARCHIVE, "xz")),
    (rb"\x28\xb5\x2f\xfd", Kind(Group.ARCHIVE, "Zstandard")),
    (rb".{257}ustar", Kind(Group.ARCHIVE, "tar")),
    (rb"MZ.{0,62}\0", _WINDOWS_PROGRAM),
    (rb"\x7fELF", Kind(Group.PROGRAM, "Linux")),
    (rb"(?:\xce|\xcf)\xfa\xed\xfe", _MAC_PROGRAM),
    (rb"\xca\xfe\xba\xbe", Kind(Group.PROGRAM, "Java or macOS")),
    (rb"\0asm", Kind(Group.PROGRAM, "WebAssembly")),
)
_SNIFFERS = tuple((re.compile(pattern, re.DOTALL), kind) for pattern, kind in _SIGNATURES)

_INSIDE_ZIP: tuple[tuple[bytes, Kind], ...] = (
    # Names of members, which stand unpacked in the file's first bytes or in its directory at the end.
    (b"word/document.xml", Kind(Group.OFFICE, "Word")),
    (b"xl/workbook.", Kind(Group.OFFICE, "Excel")),
    (b"ppt/presentation.xml", Kind(Group.OFFICE, "PowerPoint")),
    (b"mimetypeapplication/vnd.oasis.opendocument", Kind(Group.OFFICE, "OpenDocument")),
    (b"mimetypeapplication/epub+zip", Kind(Group.OFFICE, "EPUB")),
    (b"AndroidManifest.xml", Kind(Group.PROGRAM, "Android")),
    (b"META-INF/MANIFEST.MF", Kind(Group.PROGRAM, "Java")),
)
_LOOKED_AT = 64 * 1024
"""Bytes at either end of a ZIP file in which those names are looked for."""


def kind_of(data: bytes) -> Kind | None:
    """None: no signature that is known here, so it may be a text."""
    kind = next((kind for sniffer, kind in _SNIFFERS if sniffer.match(data)), None)
    return _kind_of_zip(data) if kind is _ZIP else kind


def _kind_of_zip(data: bytes) -> Kind:
    ends = data[:_LOOKED_AT] + data[-_LOOKED_AT:]
    return next((kind for name, kind in _INSIDE_ZIP if name in ends), _ZIP)
