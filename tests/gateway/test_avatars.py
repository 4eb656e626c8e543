"""A persona's picture: whatever a person gives becomes a small square PNG, or is refused."""

from __future__ import annotations

import os
from io import BytesIO

import pytest
from PIL import Image

from bot.gateway.avatars import LARGEST_EMOJI, LARGEST_PICTURE, NoPicture, portrait


def saved(image: Image.Image, form: str) -> bytes:
    out = BytesIO()
    image.save(out, form)
    return out.getvalue()


NOISE = Image.frombytes("RGBA", (400, 300), os.urandom(400 * 300 * 4))
FLAG = Image.new("RGB", (90, 30), "blue")


@pytest.mark.parametrize(
    "data",
    [saved(FLAG, "PNG"), saved(FLAG, "JPEG"), saved(FLAG, "GIF"), saved(FLAG, "WEBP"), saved(NOISE, "PNG")],
    ids=["PNG", "JPEG", "GIF", "WebP", "noise"],
)
async def test_it_is_a_square_png_that_fits_into_an_emoji(data: bytes) -> None:
    made = await portrait(data)
    assert len(made) <= LARGEST_EMOJI
    with Image.open(BytesIO(made)) as image:
        assert (image.format, image.width) == ("PNG", image.height)
        assert 128 <= image.width <= 256


async def test_the_same_picture_gives_the_same_bytes() -> None:
    """It is known again by them."""
    assert await portrait(saved(FLAG, "PNG")) == await portrait(saved(FLAG, "PNG"))


@pytest.mark.parametrize(
    "data",
    [
        b"",
        b"hello",
        saved(FLAG, "PNG")[:40],
        b"%PDF-1.7",
        saved(FLAG, "BMP"),
        b"\x89PNG\r\n\x1a\n" + bytes(LARGEST_PICTURE),
    ],
)
async def test_what_is_no_picture_is_refused(data: bytes) -> None:
    with pytest.raises(NoPicture):
        await portrait(data)
