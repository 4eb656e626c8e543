"""Real files, made here, and a room of them that stands for Discord."""

from __future__ import annotations

import asyncio
from collections import Counter
from collections.abc import Mapping, Sequence
from io import BytesIO
from typing import Any

from PIL import Image

from adapters.contract import TextPart
from bot.attachments.reading import DEFAULT_LIMITS, AttachmentReader, ReadingLimits
from bot.attachments.readout import Readout
from bot.attachments.transcription import Transcriber
from bot.conversation.history import Attachment, FileUnreadable


def attachment(attachment_id: int = 1, name: str = "file", size: int = 100, **facts: Any) -> Attachment:
    return Attachment(attachment_id, 2, 3, name, size, f"https://cdn.example/{attachment_id}", **facts)


class Room:
    """Files by attachment id. A missing one cannot be had; `asked` counts how often each was wanted."""

    def __init__(self, contents: Mapping[int, bytes]) -> None:
        self.contents = dict(contents)
        self.asked: Counter[int] = Counter()
        self.open = asyncio.Event()
        self.open.set()
        self.under_way = 0

    async def fetch(self, attachment: Attachment, most: int) -> bytes:
        self.asked[attachment.attachment_id] += 1
        self.under_way += 1
        try:
            await self.open.wait()
        finally:
            self.under_way -= 1
        data = self.contents.get(attachment.attachment_id)
        if data is None or len(data) > most:
            raise FileUnreadable("404")
        return data


def told(read: Readout) -> str:
    """The words of a file that has nothing else."""
    (part,) = read.parts
    assert isinstance(part, TextPart)
    return part.text


def readout(
    data: bytes,
    name: str = "file",
    *,
    images: bool = True,
    limits: ReadingLimits = DEFAULT_LIMITS,
    transcriber: Transcriber | None = None,
    **facts: Any,
) -> Readout:
    """What a reader that has read nothing before makes of it."""

    async def main() -> Readout:
        async with AttachmentReader(transcriber, limits) as reader:
            return await reader.read(attachment(1, name, len(data), **facts), Room({1: data}), images=images)

    return asyncio.run(main())


def image_file(form: str = "PNG", size: tuple[int, int] = (40, 30), mode: str = "RGB", **options: Any) -> bytes:
    """With a red upper left quarter, so that turns can be seen."""
    image = Image.new(mode, size, 0 if mode in ("L", "P", "1") else "blue")
    if mode in ("RGB", "RGBA"):
        image.paste("red", (0, 0, size[0] // 2, size[1] // 2))
    out = BytesIO()
    image.save(out, form, **options)
    return out.getvalue()


def animation(form: str) -> bytes:
    frames = [Image.new("RGB", (20, 20), colour) for colour in ("red", "green", "blue")]
    out = BytesIO()
    frames[0].save(out, form, save_all=True, append_images=frames[1:], duration=100)
    return out.getvalue()


def noise(size: tuple[int, int]) -> Image.Image:
    """What compresses worst, the same every time."""
    import random

    return Image.frombytes("RGB", size, random.Random(0).randbytes(size[0] * size[1] * 3))


def pdf(pages: Sequence[str]) -> bytes:
    """Each page's lines in Helvetica."""
    objects = ["<< /Type /Catalog /Pages 2 0 R >>", "", "<< /Type /Font /Subtype /Type1 /BaseFont /Helvetica >>"]
    kids = []
    for text in pages:
        lines = "".join(f"({line}) Tj 0 -14 Td " for line in text.splitlines())
        stream = f"BT /F1 12 Tf 72 720 Td {lines}ET"
        objects.append(f"<< /Length {len(stream)} >>\nstream\n{stream}\nendstream")
        objects.append(
            "<< /Type /Page /Parent 2 0 R /MediaBox [0 0 612 792] /Resources << /Font << /F1 3 0 R >> >> "
            f"/Contents {len(objects)} 0 R >>"
        )
        kids.append(f"{len(objects)} 0 R")
    objects[1] = f"<< /Type /Pages /Kids [{' '.join(kids)}] /Count {len(kids)} >>"
    return pdf_of(objects)


def pdf_of(objects: Sequence[str]) -> bytes:
    """The first object is the catalogue."""
    out = bytearray(b"%PDF-1.4\n")
    places = []
    for number, body in enumerate(objects, 1):
        places.append(len(out))
        out += f"{number} 0 obj\n{body}\nendobj\n".encode("latin-1")
    table = len(out)
    out += f"xref\n0 {len(objects) + 1}\n0000000000 65535 f \n".encode()
    out += b"".join(f"{place:010} 00000 n \n".encode() for place in places)
    out += f"trailer\n<< /Size {len(objects) + 1} /Root 1 0 R >>\nstartxref\n{table}\n%%EOF\n".encode()
    return bytes(out)
