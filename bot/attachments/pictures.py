"""A stranger's picture → one that every provider takes, without what it tells about its maker.

What comes out is a PNG or a JPEG, upright, without metadata (places, cameras, comments), at most LONG_SIDE pixels long. It depends
on the bytes alone, so that a provider's prompt cache knows it again. A picture that is all that already stays as it is, bit by bit.
How many pixels there are is read from the head before anything is decoded, so a small file cannot unfold into gigabytes.
"""

from __future__ import annotations

from io import BytesIO
from typing import Final

import msgspec
from PIL import Image, features

from bot.attachments.metadata import is_bare
from bot.attachments.readout import NotRead, Reason

LONG_SIDE: Final = 1568
"""Pixels. Anthropic scales what is longer down to this; OpenAI to 2048, then to a short side of 768 (their guides to vision)."""
LARGEST: Final = 1_000_000
"""Bytes that we aim for, far below all limits: Anthropic refuses more than 5 MB in base64 and Bedrock more than 3.75 MB, and a
request may hold many."""
MOST_PIXELS: Final = {"PNG": 50_000_000, "JPEG": 50_000_000, "GIF": 50_000_000, "WEBP": 20_000_000, "AVIF": 20_000_000}
"""A telephone's camera has 50 million. Decoded, any of these takes some 300 MB: the decoder of WebP keeps several copies."""

FORMS: Final = tuple(form for form in MOST_PIXELS if form != "AVIF" or features.check("avif"))
"""Pillow's names of what is opened. It knows dozens more, whose readers are little used and so little proven."""
MEDIA_TYPES: Final = {"PNG": "image/png", "JPEG": "image/jpeg"}
"""What comes out. llama.cpp passes over a WebP without a word and xAI refuses it; Gemini takes no GIF."""

_STRIP: Final = 64
"""Rows."""
_QUALITIES: Final = (85, 70, 50, 30)
_ORIENTATION: Final = 0x0112
_UPRIGHT: Final = {
    2: Image.Transpose.FLIP_LEFT_RIGHT,
    3: Image.Transpose.ROTATE_180,
    4: Image.Transpose.FLIP_TOP_BOTTOM,
    5: Image.Transpose.TRANSPOSE,
    6: Image.Transpose.ROTATE_270,
    7: Image.Transpose.TRANSVERSE,
    8: Image.Transpose.ROTATE_90,
}
"""By the value of EXIF's orientation."""
_FLAT_TURNS: Final = (
    Image.Transpose.FLIP_LEFT_RIGHT,
    Image.Transpose.ROTATE_180,
    Image.Transpose.FLIP_TOP_BOTTOM,
)
"""Those that do not swap width and height."""


class Picture(msgspec.Struct, frozen=True):
    media_type: str
    data: bytes
    width: int
    """Pixels, of the file, upright."""
    height: int
    moving: bool = False
    """It was an animation; this is its first frame."""


def read_picture(data: bytes, form: str) -> Picture:
    """`form`: what it is by its first bytes (kinds). Raises NotRead for another than FORMS, and for too many pixels; for a file
    that is damaged Pillow raises whatever it likes."""
    if form.upper() not in FORMS:
        raise NotRead(Reason.PICTURE_FORM, form=form)
    try:
        opened = Image.open(BytesIO(data), formats=(form.upper(),))
    except (Image.DecompressionBombError, Image.DecompressionBombWarning):
        raise _too_large(form) from None
    with opened as image:
        if image.width * image.height > MOST_PIXELS[form.upper()]:
            raise _too_large(form)
        turn = _UPRIGHT.get(_orientation(image))
        width, height = image.size if turn is None or turn in _FLAT_TURNS else image.size[::-1]
        # A telephone's JPEG may hold a second view (MPO), which is no animation.
        lossy = image.format in ("JPEG", "MPO")
        moving = not lossy and bool(getattr(image, "is_animated", False))
        if lossy:
            image.draft(None, (LONG_SIDE, LONG_SIDE))  # libjpeg decodes a large one at an eighth of its size
        image.load()
        if turn is None and not moving and max(image.size) <= LONG_SIDE and _is_fine(data, image):
            return Picture(MEDIA_TYPES[str(image.format)], data, width, height)
        small = _small(image)
        form, encoded = _encoded(small if turn is None else small.transpose(turn), lossy)
    return Picture(MEDIA_TYPES[form], encoded, width, height, moving)


def _too_large(form: str) -> NotRead:
    return NotRead(Reason.PICTURE_TOO_LARGE, limit=MOST_PIXELS[form.upper()] // 1_000_000)


def _orientation(image: Image.Image) -> int:
    try:
        value = image.getexif().get(_ORIENTATION)
    except Exception:
        # Pillow raises what it likes for metadata that is broken, and the picture may be whole nevertheless.
        return 1
    return value if isinstance(value, int) else 1


def _is_fine(data: bytes, image: Image.Image) -> bool:
    return (
        image.format in MEDIA_TYPES
        and len(data) <= LARGEST
        and image.mode in ("1", "L", "LA", "P", "RGB", "RGBA")
        and is_bare(data, image.format)
    )


def _small(image: Image.Image) -> Image.Image:
    """Not longer than LONG_SIDE, in RGB, or RGBA where something is transparent; and with nothing else about it that an encoder
    might write down."""
    factor = max(image.size) // (2 * LONG_SIDE)
    image = _reduced(image, factor) if factor > 1 else _plain(image)
    image.thumbnail((LONG_SIDE, LONG_SIDE), Image.Resampling.LANCZOS)
    image = _in_colours(image)
    image.info = {}
    return image


def _reduced(image: Image.Image, factor: int) -> Image.Image:
    """A part as long. Strip by strip, since all of a large picture, converted, takes several times its memory."""
    rows = _STRIP * factor
    tops = range(0, image.height, rows)
    boxes = [(0, top, image.width, min(top + rows, image.height)) for top in tops]
    strips = [_plain(image.crop(box)).reduce(factor) for box in boxes]
    small = Image.new(strips[0].mode, (strips[0].width, sum(strip.height for strip in strips)))
    for at, strip in enumerate(strips):
        small.paste(strip, (0, at * _STRIP))
    return small


def _plain(image: Image.Image) -> Image.Image:
    """Such that means can be taken: a palette's numbers have none."""
    if image.mode.startswith("I;16"):
        # Pillow would cut 16 bits of grey off above 255 instead of scaling them.
        image = image.point(lambda value: value * (1 / 256)).convert("L")
    return image if image.mode in ("L", "RGB", "RGBA") and "transparency" not in image.info else _in_colours(image)


def _in_colours(image: Image.Image) -> Image.Image:
    return image.convert("RGBA" if image.has_transparency_data else "RGB")


def _encoded(image: Image.Image, lossy: bool) -> tuple[str, bytes]:
    """PNG where nothing was lost so far and it is small enough, which pictures of text and drawings are; else JPEG."""
    if not lossy and len(data := _saved(image, "PNG")) <= LARGEST:
        return "PNG", data
    if image.mode == "RGBA":
        on_white = Image.new("RGB", image.size, "white")
        on_white.paste(image, mask=image.getchannel("A"))
        image = on_white
    for quality in _QUALITIES:
        data = _saved(image, "JPEG", quality=quality)
        if len(data) <= LARGEST:
            break
    return "JPEG", data


def _saved(image: Image.Image, form: str, **options: int) -> bytes:
    out = BytesIO()
    image.save(out, form, **options)
    return out.getvalue()
