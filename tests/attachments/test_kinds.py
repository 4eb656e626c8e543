"""A file is what its bytes say; its name and declared type are never asked."""

from __future__ import annotations

import zipfile
from io import BytesIO

import pytest

from bot.attachments.kinds import kind_of
from tests.attachments.files import image_file, pdf


def zipped(*names: str) -> bytes:
    out = BytesIO()
    with zipfile.ZipFile(out, "w") as archive:
        for name in names:
            archive.writestr(name, b"x" * 10)
    return out.getvalue()


FIRST_BYTES = {
    image_file("PNG"): "PNG picture",
    bytes.fromhex("89504e470d0a1a0a0000000d49484452"): "PNG picture",
    image_file("JPEG"): "JPEG picture",
    image_file("GIF"): "GIF picture",
    image_file("WEBP"): "WebP picture",
    image_file("AVIF"): "AVIF picture",
    image_file("BMP"): "BMP picture",
    image_file("TIFF"): "TIFF picture",
    image_file("ICO"): "ICO picture",
    b"\0\0\0\x18ftypheic\0\0\0\0mif1heic": "HEIC picture",
    b"\0\0\0\x18ftypmif1\0\0\0\0mif1heic": "HEIC picture",
    pdf(["x"]): "PDF document",
    b"\r\n%PDF-1.4": "PDF document",
    b"OggS\0\2" + bytes(22) + b"OpusHead": "Ogg sound",
    b"OggS\0\2" + bytes(22) + b"\x80theora": "Ogg video",
    b"ID3\4\0\0": "MP3 sound",
    b"\xff\xfb\x90\x64": "MP3 sound",
    b"RIFF\x24\0\0\0WAVEfmt ": "WAV sound",
    b"fLaC\0\0\0\x22": "FLAC sound",
    b"\0\0\0\x18ftypM4A \0\0\0\0": "M4A sound",
    b"\0\0\0\x18ftypisom\0\0\0\0": "MP4 video",
    b"\0\0\0\x14ftypqt  \0\0\0\0": "QuickTime video",
    b"\x1a\x45\xdf\xa3\x01\0": "WebM or Matroska video",
    b"RIFF\x24\0\0\0AVI LIST": "AVI video",
    zipped("a.txt"): "ZIP archive",
    zipped(): "ZIP archive",
    zipped("[Content_Types].xml", "word/document.xml"): "Word office document",
    zipped("[Content_Types].xml", "xl/workbook.xml"): "Excel office document",
    zipped("[Content_Types].xml", *(f"ppt/slides/{n}.xml" for n in range(99)), "ppt/presentation.xml"): (
        "PowerPoint office document"
    ),
    zipped("META-INF/MANIFEST.MF", "A.class"): "Java program",
    bytes.fromhex("d0cf11e0a1b11ae1"): "DOC, XLS or PPT office document",
    b"7z\xbc\xaf\x27\x1c\0\4": "7z archive",
    b"Rar!\x1a\7\1\0": "RAR archive",
    b"\x1f\x8b\x08\0": "gzip archive",
    b"a.txt" + bytes(252) + b"ustar\x0000": "tar archive",
    b"MZ\x90\0\3\0": "Windows program",
    b"\x7fELF\2\1\1": "Linux program",
}


@pytest.mark.parametrize(("data", "kind"), FIRST_BYTES.items(), ids=FIRST_BYTES.values())
def test_the_first_bytes_say_what_a_file_is(data: bytes, kind: str) -> None:
    assert str(kind_of(data)) == kind


@pytest.mark.parametrize(
    "text",
    [
        b"",
        b"M",
        b"MZ is how it begins, and then nothing but words follow for long enough that this is a text.",
        b"BMW is a maker of cars",
        b"ID3 is a form of tags",
        b"RIFF is a form of files",
        b"PKZIP was a program",
        b"II* and MM",
        b"GIF89 is no picture",
        b"#!/bin/sh\necho hi",
        b"<svg xmlns='http://www.w3.org/2000/svg'/>",
        "\ufeffhello".encode("utf-16-le"),
        "\ufeffhello".encode("utf-16-be"),
    ],
)
def test_words_that_begin_like_a_signature_are_text(text: bytes) -> None:
    assert kind_of(text) is None
