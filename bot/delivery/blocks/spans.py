"""Inline Markdown inside one line or cell: images as links, bold around bold, and the plain reading of a cell.

The parser says where links and images stand; what is written is cut out of the source, so that all else stays as it was.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Sequence
from functools import lru_cache

from markdown_it import MarkdownIt
from markdown_it.rules_inline import StateInline, image, link
from markdown_it.token import Token

from bot.delivery.layout.fences import Segment
from bot.delivery.layout.inline_marks import inline_marks

_MOST_BRACKETS = 100
"""The parser's work grows with the square of these; what has more is left as written."""

_MARKED = re.compile(r"[\\`*_~\[<]")
_LINE_BREAK = re.compile(r"<br[ \t]*/?>", re.IGNORECASE)
_IMAGE = re.compile(r"!\[[^\n]*\]\(")


class _AsWritten(MarkdownIt):
    """Addresses are not encoded, and none is refused: they are shown, not followed."""

    def normalizeLink(self, url: str) -> str:  # noqa: N802  # the library's name
        return url

    def normalizeLinkText(self, link: str) -> str:  # noqa: N802
        return link

    def validateLink(self, url: str) -> bool:  # noqa: N802
        return True


def _placed(rule: Callable[[StateInline, bool], bool], kind: str) -> Callable[[StateInline, bool], bool]:
    """The parser's own rule, which also notes where in the source its token stands."""

    def with_place(state: StateInline, silent: bool) -> bool:
        start, known = state.pos, len(state.tokens)
        found = rule(state, silent)
        if found and not silent:
            token = next(token for token in state.tokens[known:] if token.type == kind)
            token.meta = {"start": start, "end": state.pos}
        return found

    return with_place


# Entities stay as written: Discord does not know them.
_PARSER = _AsWritten("commonmark").enable("strikethrough").disable("entity")
_PARSER.inline.ruler.at("image", _placed(image, "image"))
_PARSER.inline.ruler.at("link", _placed(link, "link_open"))


def _tokens(text: str) -> Sequence[Token]:
    return _PARSER.parseInline(text)[0].children or ()


def bold(text: str, *, is_whole: bool = True) -> str:
    """Text of one line in bold, as Discord reads it; bold parts of it lose their own marks. A mark without partner is
    escaped in a whole text, and begins a bold part in one of which more may come.
    """
    text = text.strip()
    marks: list[tuple[int, str]] = []
    for span in inline_marks(text, [Segment(0, len(text))]).spans:
        if span.mark[:2] == "**":
            marks.append((span.start, r"\*\*" if span.end is None and is_whole else ""))
            if span.end is not None:
                marks.append((span.end - 2, ""))
    for at, shown in sorted(marks, reverse=True):
        text = text[:at] + shown + text[at + 2 :]
    return f"**{text}**"


def images_shown(line: str, before: str = "") -> str:
    """The line with its inline images as links, those without a text as mere addresses. Images by reference stay.

    `before` stands before it: the mark of inline code that an earlier line of the paragraph opens.
    """
    if _IMAGE.search(line) is None or "\r" in line or "\0" in line or line.count("[") > _MOST_BRACKETS:
        return line
    source = before + line
    parts: list[str] = []
    at = len(before)
    for start, end, shown in _images(source, _tokens(source)):
        if start >= at:
            parts += [source[at:start], shown]
            at = end
    return "".join((*parts, source[at:])) if parts else line


def _images(source: str, tokens: Sequence[Token]) -> Iterator[tuple[int, int, str]]:
    """(where it begins, where it ends, what is shown instead): an image, or a link around images with its target behind them."""
    around: Token | None = None
    inside: list[Token] = []
    for token in tokens:
        if token.type == "link_open" and token.meta:
            around, inside = token, []
        elif token.type == "image":
            inside.append(token)
            if around is None:
                yield token.meta["start"], token.meta["end"], _image_shown(source, token)
        elif token.type == "link_close" and around is not None:
            if inside:
                start, end = around.meta["start"], around.meta["end"]
                label = source[start + 1 : inside[-1].meta["end"]]
                for found in reversed(inside):
                    first, last = (found.meta[key] - start - 1 for key in ("start", "end"))
                    label = label[:first] + _image_shown(source, found) + label[last:]
                rest = source[inside[-1].meta["end"] : end].partition("](")[0]
                yield start, end, f"{label}{rest} <{around.attrs['href']}>"
            around = None


def _image_shown(source: str, token: Token) -> str:
    written = source[token.meta["start"] + 1 : token.meta["end"]]
    if token.content.strip():
        return written
    address = str(token.attrs["src"])
    return f"[{token.attrs['title']}]({address})" if "title" in token.attrs else address


def without_breaks(cell: str) -> str:
    """A cell in one line: Discord knows no `<br>`, which stands for a line end in cells."""
    return _LINE_BREAK.sub(" ", cell) if "<" in cell else cell


@lru_cache(maxsize=512)  # a row is read twice: with the block that it turns out not to fit into, and with its own
def readable(cell: str) -> str:
    """A table cell as it reads in a code block: without marks, a link as `text (address)`, `<br>` and white space as one space."""
    if _MARKED.search(cell) is None or cell.count("[") > _MOST_BRACKETS:
        return " ".join(cell.split())
    parts: list[str] = []
    opened: list[tuple[str, int]] = []
    for token in _tokens(cell):
        if token.type == "link_open":
            opened.append((str(token.attrs["href"]), len(parts)))
        elif token.type == "link_close":
            address, begin = opened.pop()
            if address and "".join(parts[begin:]) not in (address, address.removeprefix("mailto:")):
                parts.append(f" ({address})")
        elif token.type == "image":
            parts.append(f"{token.content} ({token.attrs['src']})" if token.content else str(token.attrs["src"]))
        elif token.type in ("softbreak", "hardbreak") or _LINE_BREAK.fullmatch(token.content):
            parts.append(" ")
        else:
            parts.append(token.content)
    return " ".join("".join(parts).split())
