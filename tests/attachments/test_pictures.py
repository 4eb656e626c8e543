"""Pictures: upright, small, without metadata, in a form that every provider takes, and the same for the same bytes."""

from __future__ import annotations

import math
import struct
import subprocess
import sys
import zlib
from base64 import b64encode
from io import BytesIO
from pathlib import Path

import pytest
from PIL import Image, PngImagePlugin

from adapters.contract import ImagePart, TextPart
from bot.attachments.pictures import LARGEST, LONG_SIDE, MOST_PIXELS
from tests.attachments.files import animation, image_file, noise, readout

ROOT = Path(__file__).parents[2]
pytestmark = pytest.mark.filterwarnings("ignore::UserWarning:PIL")
"""Pillow's, about metadata that is broken."""

ANTHROPIC_LIMIT = 5_000_000
"""Bytes in base64."""


def picture_of(data: bytes) -> ImagePart:
    part = readout(data).parts[1]
    assert isinstance(part, ImagePart)
    return part


def opened(part: ImagePart) -> Image.Image:
    image = Image.open(BytesIO(part.data))
    image.load()
    assert part.media_type == Image.MIME[str(image.format)]
    return image


def note_of(data: bytes) -> str:
    part = readout(data).parts[0]
    assert isinstance(part, TextPart)
    return part.text


def with_exif(form: str, orientation: int, size: tuple[int, int] = (40, 20)) -> bytes:
    exif = Image.Exif()
    exif[0x0112] = orientation
    exif[0x010F] = "Secret Camera"
    exif.get_ifd(0x8825)[2] = (52.0, 31.0, 12.0)
    return image_file(form, size, exif=exif)


@pytest.mark.parametrize("form", ["PNG", "JPEG"])
@pytest.mark.parametrize("mode", ["RGB", "L"])
def test_a_small_picture_without_metadata_stays_bit_by_bit(form: str, mode: str) -> None:
    data = image_file(form, mode=mode)
    assert picture_of(data).data == data


@pytest.mark.parametrize("form", ["GIF", "WEBP", "AVIF"])
def test_forms_that_some_provider_does_not_take_become_png(form: str) -> None:
    part = picture_of(image_file(form))
    assert part.media_type == "image/png"
    assert opened(part).size == (40, 30)


def test_the_name_and_the_declared_type_are_not_asked() -> None:
    assert picture_of(image_file("PNG")).media_type == "image/png"
    read = readout(image_file("PNG"), "shot.webp", declared_type="image/webp")
    assert read.parts[0] == TextPart("[file: shot.webp, PNG picture, 40×30 pixels]")


@pytest.mark.parametrize(
    ("orientation", "size", "red"),
    # The red quarter is upper left in what the camera saw.
    [
        (1, (40, 20), (5, 5)),
        (2, (40, 20), (35, 5)),
        (3, (40, 20), (35, 15)),
        (4, (40, 20), (5, 15)),
        (5, (20, 40), (5, 5)),
        (6, (20, 40), (15, 5)),
        (7, (20, 40), (15, 35)),
        (8, (20, 40), (5, 35)),
    ],
)
@pytest.mark.parametrize("form", ["JPEG", "PNG", "WEBP"])
def test_pictures_stand_upright(form: str, orientation: int, size: tuple[int, int], red: tuple[int, int]) -> None:
    data = with_exif(form, orientation)
    image = opened(picture_of(data)).convert("RGB")
    assert image.size == size
    level = image.getpixel(red)
    assert isinstance(level, tuple)
    assert level[0] > 200
    assert level[2] < 80
    assert f"{size[0]}×{size[1]} pixels" in note_of(data)


@pytest.mark.parametrize("form", ["JPEG", "PNG", "WEBP"])
def test_places_and_cameras_are_not_told(form: str) -> None:
    data = with_exif(form, 1)
    assert b"Secret Camera" in data
    part = picture_of(data)
    assert b"Secret Camera" not in part.data
    assert not opened(part).getexif()


def test_comments_and_what_stands_behind_the_end_are_not_told() -> None:
    info = PngImagePlugin.PngInfo()
    info.add_text("Comment", "Secret")
    tellers = [
        image_file("PNG", pnginfo=info),
        image_file("JPEG", comment=b"Secret"),
        image_file("GIF", comment=b"Secret"),
        image_file("PNG") + b"Secret",
        image_file("JPEG") + b"Secret",
        image_file("JPEG", xmp=b"<x>Secret</x>"),
    ]
    for data in tellers:
        assert b"Secret" in data
        assert b"Secret" not in picture_of(data).data


@pytest.mark.parametrize("form", ["GIF", "WEBP", "PNG"])
def test_of_an_animation_the_first_frame_is_shown_and_the_model_is_told(form: str) -> None:
    data = animation(form)
    image = opened(picture_of(data)).convert("RGB")
    level = image.getpixel((10, 10))
    assert isinstance(level, tuple)
    assert level[0] > 200
    assert not getattr(image, "is_animated", False)
    assert "only its first frame" in note_of(data)


@pytest.mark.parametrize(
    ("size", "scaled"),
    [((4000, 2000), (1568, 784)), ((1000, 3136), (500, 1568)), ((20_000, 3), (1568, 1)), ((1568, 1568), (1568, 1568))],
)
@pytest.mark.parametrize("form", ["PNG", "JPEG"])
def test_the_long_side_is_bounded_and_the_note_tells_the_size_of_the_file(
    form: str, size: tuple[int, int], scaled: tuple[int, int]
) -> None:
    data = image_file(form, size)
    assert opened(picture_of(data)).size == scaled
    assert f"{size[0]}×{size[1]} pixels" in note_of(data)


@pytest.mark.parametrize("form", ["PNG", "JPEG", "WEBP"])
def test_even_noise_stays_far_below_every_providers_limit(form: str) -> None:
    out = BytesIO()
    noise((LONG_SIDE, LONG_SIDE)).save(out, form)
    assert len(out.getvalue()) > LARGEST
    part = picture_of(out.getvalue())
    assert len(part.data) <= LARGEST
    assert len(b64encode(part.data)) < ANTHROPIC_LIMIT / 3


@pytest.mark.parametrize("form", ["PNG", "JPEG", "GIF", "WEBP", "AVIF"])
def test_the_same_file_gives_the_same_bytes(form: str) -> None:
    data = image_file(form, (2000, 1000))
    assert picture_of(data) == picture_of(data)


@pytest.mark.parametrize(
    ("mode", "form"), [("P", "GIF"), ("P", "PNG"), ("LA", "PNG"), ("1", "PNG"), ("CMYK", "JPEG"), ("I;16", "PNG")]
)
def test_every_kind_of_colours_can_be_shown(mode: str, form: str) -> None:
    assert opened(picture_of(image_file(form, (2000, 30), mode))).mode in ("RGB", "RGBA")


def test_sixteen_bits_of_grey_are_scaled_and_not_cut_off() -> None:
    out = BytesIO()
    Image.new("I;16", (20, 20), 0x4000).save(out, "PNG")
    assert opened(picture_of(out.getvalue())).getpixel((3, 3)) == (0x40, 0x40, 0x40)


def test_what_is_transparent_stays_so_or_becomes_white() -> None:
    clear = Image.new("RGBA", (2000, 1500), (0, 0, 0, 0))
    out = BytesIO()
    clear.save(out, "WEBP")
    assert opened(picture_of(out.getvalue())).getpixel((0, 0)) == (0, 0, 0, 0)
    clear.paste(noise((1900, 1400)), (100, 100))
    out = BytesIO()
    clear.save(out, "PNG")
    image = opened(picture_of(out.getvalue()))
    assert image.format == "JPEG"
    level = image.getpixel((5, 5))
    assert isinstance(level, tuple)
    assert min(level) > 240


PNG, GIF = image_file("PNG"), image_file("GIF")


def png_that_says(width: int, height: int) -> bytes:
    head = struct.pack(">IIBBBBB", width, height, 8, 6, 0, 0, 0)
    chunk = b"IHDR" + head
    return b"\x89PNG\r\n\x1a\n" + struct.pack(">I", len(head)) + chunk + struct.pack(">I", zlib.crc32(chunk)) + PNG[33:]


BOMBS = {
    "PNG": png_that_says(60_000, 60_000),
    "PNG a little over the limit": png_that_says(MOST_PIXELS["PNG"] // 5000 + 1, 5000),
    "PNG between Pillow's limits": png_that_says(10_000, 12_000),
    "GIF": GIF[:6] + struct.pack("<HH", 65_000, 65_000) + GIF[10:],
    "WebP": b"RIFF\x16\0\0\0WEBPVP8X\x0a\0\0\0\0\0\0\0" + b"\xff\x3f\0\xff\x3f\0",
    "JPEG": image_file("JPEG").replace(struct.pack(">BHH", 8, 30, 40), struct.pack(">BHH", 8, 65_000, 65_000)),
}


@pytest.mark.parametrize(("name", "bomb"), BOMBS.items(), ids=BOMBS)
def test_a_picture_with_too_many_pixels_is_refused_before_it_unfolds(name: str, bomb: bytes) -> None:
    form = name.partition(" ")[0].upper()
    read = readout(bomb, "bomb.png")
    assert read.problem is not None
    assert (read.problem.key, read.problem.details) == (
        "attachment-picture-too-large",
        {"limit": MOST_PIXELS[form] // 1_000_000},
    )
    assert [type(part) for part in read.parts] == [TextPart]


_IN_MEGABYTES = """
import resource, sys
from bot.attachments.pictures import read_picture
before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
read_picture(sys.stdin.buffer.read(), sys.argv[1])
print((resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - before) // 1024)
"""


@pytest.mark.skipif(sys.platform != "linux", reason="elsewhere the system counts memory in another unit")
@pytest.mark.parametrize(("form", "mode"), [("PNG", "LA"), ("PNG", "P"), ("WEBP", "RGBA")])
def test_the_largest_pictures_that_are_read_take_a_few_hundred_megabytes(form: str, mode: str) -> None:
    """Their files may have some dozens of bytes. 846 MB were measured where all of one was converted."""
    side = math.isqrt(MOST_PIXELS[form])
    out = BytesIO()
    Image.new(mode, (side, side)).save(out, form, **({"transparency": 0} if mode == "P" else {"lossless": True}))
    reading = [sys.executable, "-c", _IN_MEGABYTES, form]
    taken = subprocess.run(reading, input=out.getvalue(), capture_output=True, check=True, cwd=ROOT)
    assert int(taken.stdout) < 400


@pytest.mark.parametrize("form", ["PNG", "JPEG", "GIF", "WEBP", "AVIF"])
@pytest.mark.parametrize("kept", [0.3, 0.6, 0.9])
def test_a_file_that_breaks_off_is_named_as_damaged(form: str, kept: float) -> None:
    out = BytesIO()
    noise((60, 60)).save(out, form)
    read = readout(out.getvalue()[: int(len(out.getvalue()) * kept)], "half")
    assert read.problem is not None
    assert read.problem.key == "attachment-broken"


def test_broken_metadata_does_not_make_a_whole_picture_unreadable() -> None:
    data = image_file("JPEG", exif=b"Exif\0\0MM\0*\0\0\0\x08\xff\xff\xff\xff")
    assert opened(picture_of(data)).size == (40, 30)


def test_forms_that_cannot_be_opened_are_named() -> None:
    read = readout(b"\0\0\0\x18ftypheic\0\0\0\0mif1heic", "IMG_1.HEIC", declared_type="image/jpeg")
    assert read.parts == (
        TextPart("[file: IMG_1.HEIC, HEIC picture, 24 bytes; not readable: pictures of this kind cannot be shown]"),
    )
    assert read.problem is not None
    assert (read.problem.key, read.problem.details) == ("attachment-picture-form", {"form": "HEIC"})


def test_a_model_that_cannot_see_reads_the_owners_words() -> None:
    read = readout(image_file(), "cat.png", images=False, description="a cat,\n“asleep”]")
    assert read.parts == (
        TextPart(
            "[file: cat.png, PNG picture, 116 bytes; not readable: the picture is not shown to you; "
            "described by its owner as “a cat, 'asleep')”]"
        ),
    )
    assert read.problem is not None
    assert read.problem.key == "attachment-picture-unseen"
