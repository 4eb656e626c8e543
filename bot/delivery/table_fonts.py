"""The fonts that tables are drawn with: which face has a glyph for what, and how runs of text are measured and drawn.

Text is cut into runs of graphemes that one face covers, in the order of `_FACES`: text faces first, then those for single
scripts, symbols and emoji. Pillow looks the files up in the folders of the system. A bare container has none, so DejaVu Sans,
which lies inside the package ziafont, comes last of the text faces. Whether a face has a glyph is seen by drawing it: what it
lacks looks like a character that no font has.
"""

from __future__ import annotations

import importlib.util
from collections.abc import Iterator, Sequence
from functools import cache, lru_cache
from pathlib import Path

import regex
from PIL import Image, ImageDraw, ImageFont

SIZE = 26
"""Pixels; Discord shows the picture at about half its size."""
LINE_HEIGHT = 36
_ASCENT = 27

Colour = tuple[int, int, int]

_PACKAGED = "ziafont"
_FACES: tuple[tuple[str, str], ...] = (
    ("NotoSans-Regular.ttf", "NotoSans-Bold.ttf"),
    ("DejaVuSans.ttf", "DejaVuSans-Bold.ttf"),
    ("LiberationSans-Regular.ttf", "LiberationSans-Bold.ttf"),
    ("segoeui.ttf", "segoeuib.ttf"),
    ("Arial.ttf", "Arial Bold.ttf"),
    ("arial.ttf", "arialbd.ttf"),
    (_PACKAGED, ""),
    ("NotoSansCJK-Regular.ttc", "NotoSansCJK-Bold.ttc"),
    ("NotoSansCJKsc-Regular.otf", "NotoSansCJKsc-Bold.otf"),
    ("NotoSansCJKjp-Regular.otf", "NotoSansCJKjp-Bold.otf"),
    ("wqy-microhei.ttc", ""),
    ("wqy-zenhei.ttc", ""),
    ("DroidSansFallbackFull.ttf", ""),
    ("msyh.ttc", "msyhbd.ttc"),
    ("YuGothR.ttc", "YuGothB.ttc"),
    ("malgun.ttf", "malgunbd.ttf"),
    ("PingFang.ttc", ""),
    ("Hiragino Sans GB.ttc", ""),
    ("AppleSDGothicNeo.ttc", ""),
    ("Arial Unicode.ttf", ""),
    ("NotoSansArabic-Regular.ttf", "NotoSansArabic-Bold.ttf"),
    ("NotoSansHebrew-Regular.ttf", "NotoSansHebrew-Bold.ttf"),
    ("NotoSansDevanagari-Regular.ttf", "NotoSansDevanagari-Bold.ttf"),
    ("NotoSansThai-Regular.ttf", "NotoSansThai-Bold.ttf"),
    ("NotoSansSymbols-Regular.ttf", ""),
    ("NotoSansSymbols2-Regular.ttf", ""),
    ("NotoSansMath-Regular.ttf", ""),
    ("seguisym.ttf", ""),
)
"""A face's file and that of its bold; without one, bold is drawn with a thicker pen."""

_EMOJI_FACES: tuple[tuple[str, int], ...] = (
    ("NotoColorEmoji.ttf", 109),
    ("Apple Color Emoji.ttc", 160),
    ("seguiemj.ttf", 109),
)
"""A face's file and the one size in which its pictures are stored."""
_EMOJI_SIZE = 30
_EMOJI_ASCENT = 24

_EMOJI = regex.compile(r"\p{Emoji_Presentation}|\p{Emoji}\N{VARIATION SELECTOR-16}")
_NO_GLYPH_NEEDED = regex.compile(r"[\p{Default_Ignorable_Code_Point}\s]")
_SHAPED = regex.compile(
    r"[\p{Arabic}\p{Hebrew}\p{Devanagari}\p{Bengali}\p{Tamil}\p{Telugu}\p{Thai}\p{Khmer}\p{Myanmar}]"
)
_ABSENT = "\U0010ffff"


class _Font:
    """One font file, and which characters it has."""

    def __init__(self, path: str, size: int) -> None:
        self.drawn = ImageFont.truetype(path, size)
        self._probe = ImageFont.truetype(path, size, layout_engine=ImageFont.Layout.BASIC)
        self._absent = self._look(_ABSENT)
        self._known: dict[str, bool] = {}

    def covers(self, text: str) -> bool:
        return all(self._has(character) for character in text)

    def _has(self, character: str) -> bool:
        if character not in self._known:
            needed = not _NO_GLYPH_NEEDED.match(character)
            self._known[character] = not needed or self._look(character) != self._absent
        return self._known[character]

    def _look(self, character: str) -> tuple[tuple[int, int], bytes]:
        mask = self._probe.getmask(character)
        return mask.size, bytes(mask)


class Face:
    """A font, with its bold where there is one."""

    def __init__(self, regular: _Font, bold: _Font | None = None, *, is_emoji: bool = False) -> None:
        self.is_emoji = is_emoji
        self.covers = regular.covers
        self._regular = regular
        self._bold = bold

    def font(self, text: str, bold: bool) -> tuple[ImageFont.FreeTypeFont, float]:
        """What to draw `text` with, and how much thicker than usual the pen is: bold fonts have fewer characters."""
        if bold and self._bold is not None and self._bold.covers(text):
            return self._bold.drawn, 0
        return self._regular.drawn, 0.5 if bold else 0

    def width(self, text: str, bold: bool) -> float:
        if self.is_emoji:
            return float(_EMOJI_SIZE * len(regex.findall(r"\X", text)))
        return self.font(text, bold)[0].getlength(text)


def _font(path: str, size: int = SIZE) -> _Font | None:
    try:
        return _Font(path, size) if path else None
    except OSError:
        return None


def _packaged() -> str:
    spec = importlib.util.find_spec(_PACKAGED)
    folders = spec.submodule_search_locations if spec else None
    return str(Path(next(iter(folders))) / "fonts" / "DejaVuSans.ttf") if folders else ""


@cache
def _faces() -> tuple[tuple[Face, ...], tuple[Face, ...]]:
    """(for text, for emoji), those that this machine has."""
    found = ((_font(_packaged() if name == _PACKAGED else name), bold) for name, bold in _FACES)
    texts = tuple(Face(font, _font(bold)) for font, bold in found if font is not None)
    pictures = (_font(name, size) for name, size in _EMOJI_FACES)
    return texts, tuple(Face(font, is_emoji=True) for font in pictures if font is not None)


@lru_cache(maxsize=8192)
def _face_for(grapheme: str) -> Face | None:
    texts, emoji = _faces()
    if _SHAPED.search(grapheme) and not _can_shape():
        return None
    order = (*emoji, *texts) if _EMOJI.search(grapheme) else (*texts, *emoji)
    return next((face for face in order if face.covers(grapheme)), None)


@cache
def _can_shape() -> bool:
    """Scripts whose letters join or change places need Raqm, which most builds of Pillow bring."""
    from PIL import features

    return bool(features.check("raqm"))


def can_show(text: str) -> bool:
    return all(_face_for(grapheme) is not None for grapheme in set(regex.findall(r"\X", text)))


def _runs(text: str) -> Iterator[tuple[Face, str]]:
    face: Face | None = None
    held = ""
    for grapheme in regex.findall(r"\X", text):
        needed = face if grapheme.isspace() and face is not None and not face.is_emoji else _face_for(grapheme)
        if needed is not face and face is not None and held:
            yield face, held
            held = ""
        face, held = needed, held + grapheme
    if face is not None and held:
        yield face, held


@lru_cache(maxsize=8192)
def width(text: str, bold: bool = False) -> float:
    """Pixels."""
    return sum(face.width(run, bold) for face, run in _runs(text))


@lru_cache(maxsize=512)
def _emoji_picture(face: Face, grapheme: str) -> Image.Image:
    font, _ = face.font(grapheme, bold=False)
    left, top, right, bottom = (int(edge) for edge in font.getbbox(grapheme))
    side = max(right - left, bottom - top, 1)
    picture = Image.new("RGBA", (side, side))
    ImageDraw.Draw(picture).text((-left, -top), grapheme, font=font, embedded_color=True)
    return picture.resize((_EMOJI_SIZE, _EMOJI_SIZE), Image.Resampling.LANCZOS)


def draw_text(image: Image.Image, at: tuple[float, float], text: str, colour: Colour, bold: bool = False) -> None:
    """Draw one line whose box begins at `at` (left, top) and is LINE_HEIGHT high."""
    draw = ImageDraw.Draw(image)
    left, baseline = at[0], at[1] + _ASCENT
    for face, run in _runs(text):
        if face.is_emoji:
            for n, grapheme in enumerate(regex.findall(r"\X", run)):
                picture = _emoji_picture(face, grapheme)
                image.paste(picture, (round(left) + n * _EMOJI_SIZE, round(baseline) - _EMOJI_ASCENT), picture)
        else:
            font, pen = face.font(run, bold)
            draw.text((left, baseline), run, font=font, fill=colour, anchor="ls", stroke_width=pen, stroke_fill=colour)
        left += face.width(run, bold)


_WITHOUT_SPACES = r"\p{Han}\p{Hiragana}\p{Katakana}\p{Thai}"
_PART = regex.compile(rf"\s+|[{_WITHOUT_SPACES}]\p{{M}}*\p{{P}}*|(?:(?![\s{_WITHOUT_SPACES}])\X)+|\X")


def wrapped(text: str, most: float, bold: bool = False) -> Sequence[str]:
    """Lines at most `most` pixels wide, cut at spaces, between characters of scripts without them, or within a word."""
    if width(text, bold) <= most:
        return [text]
    lines: list[str] = []
    line, taken = "", 0.0
    for part in _PART.findall(text):
        pieces = [part] if width(part, bold) <= most else regex.findall(r"\X", part)
        for piece in pieces:
            wide = width(piece, bold)
            if line and taken + wide > most and not piece.isspace():
                lines.append(line.rstrip())
                line, taken = "", 0.0
            if line or not piece.isspace():
                line, taken = line + piece, taken + wide
    return [*lines, line.rstrip()] if line.strip() else lines or [""]
