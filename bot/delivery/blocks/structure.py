"""What kind of block a line is: a cheap pattern finds candidates, the CommonMark parser (with GFM's tables) decides.

One line is judged at a time, so what it stands in is left out of account: quote marks and indentation are cut off before a
table is read, and a heading may follow the mark of a list item. A line that would be indented code by itself is left alone,
except in tables, which models indent with the list item around them.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from itertools import pairwise

import msgspec
from markdown_it import MarkdownIt
from markdown_it.token import Token

from bot.delivery.blocks.spans import bold
from bot.delivery.layout.fences import CONTAINERS

MOST_COLUMNS = 40
"""A row of more cells is no table: nobody could read it."""

RULE = "─" * 20

_PARSER = MarkdownIt("commonmark").enable("table").disable("inline")
"""Blocks only; the text of an `inline` token is left as it was written."""

_HEADING = re.compile(rf"(?P<prefix>{CONTAINERS})#{{4,6}}[ \t]")
_RULE = re.compile(
    r"(?P<prefix>[ \t>]*+)(?:(?:-[ \t]*+){3,}+|(?:\*[ \t]*+){3,}+|(?:_[ \t]*+){3,}+|(?P<double>={3,}+[ \t]*+))\Z"
)
_QUOTE = re.compile(r"[ \t>]*")
_DELIMITER_ROW = re.compile(r"[|:\-\t ]*-[|:\-\t ]*\Z")
_PIPE = re.compile(r"(?<!\\)\|")
_TOGETHER = re.compile(r"(?<!`)(`++)(?!`)[^`]++\1(?!`)|\\\((?:(?!\\[()]).)+\\\)|\$[^\s$](?:[^$]*[^\s$])?\$")
"""Code and formulas."""
_UNREADABLE = re.compile(r"[\0\r]")
"""What the parser would change before it reads."""


class TableHead(msgspec.Struct, frozen=True):
    prefix: str
    """What stands before each line of the table: quote marks and indentation."""
    cells: tuple[str, ...]
    alignments: tuple[str, ...]


def _tokens(text: str) -> Sequence[Token]:
    return _PARSER.parse(text) if _UNREADABLE.search(text) is None else ()


def heading_shown(line: str, *, is_whole: bool = True) -> str | None:
    """A heading of the levels that Discord does not know as a bold line; None for any other line. No line ends.

    More of the line may come where it is not whole.
    """
    found = _HEADING.match(line)
    if found is None:
        return None
    tokens = _tokens(line)
    for token, inside in pairwise(tokens):
        if token.type == "heading_open" and token.tag in {"h4", "h5", "h6"}:
            content = inside.content if is_whole else inside.content.rstrip("*")  # perhaps half of a closing mark
            return found["prefix"] + bold(content, is_whole=is_whole) if content else None
    return None


def rule_shown(line: str, before: str) -> str | None:
    """A rule, or the line under a heading, as a drawn line; None for any other line. No line ends.

    `before` is the line before it, which tells whether `===` underlines something.
    """
    found = _RULE.match(line)
    if found is None:
        return None
    if found["double"]:
        underlined = _tokens(f"{before}\n{line}") if before.strip("= \t>") else ()
        is_rule = any(token.type == "heading_open" and token.markup == "=" for token in underlined)
    else:
        kinds = {token.type for token in _tokens(line)}
        is_rule = "hr" in kinds and kinds <= {"hr", "blockquote_open", "blockquote_close"}
    return found["prefix"] + RULE if is_rule else None


def may_be_delimiter_row(line: str) -> bool:
    """True for the beginning of a line that may turn out to be the second line of a table. It has no letters."""
    return not line.strip("|:- \t>")


def table_head(header: str, delimiter: str) -> TableHead | None:
    """The head of a table, when these two lines are one."""
    prefix, header = _unquoted(header)
    other, delimiter = _unquoted(delimiter)
    if prefix.count(">") != other.count(">") or _DELIMITER_ROW.match(delimiter) is None:
        return None
    tokens = _tokens(f"{header}\n{delimiter}\n")
    if not tokens or tokens[0].type != "table_open" or header.count("|") > MOST_COLUMNS:
        return None
    opened = [token for token in tokens if token.type == "th_open"]
    styles = [str(token.attrs.get("style", "")) for token in opened]
    return TableHead(prefix, _cells(tokens), tuple(style.removeprefix("text-align:") for style in styles))


def table_row(line: str, head: TableHead) -> tuple[str, ...] | None:
    """The cells of a further row of this table; None where the table has ended.

    Departs from GFM in three ways, all for what models write: cells beyond the header's are kept, a line without any `|` is
    no row, and where a row has too many cells, a `|` in code or in a formula counts for nothing if that gives the right number.
    """
    own, line = _unquoted(line)
    columns = line.count("|") + 1
    if columns < 2 or columns > MOST_COLUMNS + 2 or own.count(">") != head.prefix.count(">"):
        return None
    if not line.startswith("|") and not _continues_table(line):
        return None
    cells = _split(line)
    if len(cells) > len(head.cells):
        together = _split(_TOGETHER.sub(lambda found: _PIPE.sub(r"\\|", found[0]), line))
        cells = together if len(together) == len(head.cells) else cells
    return cells


def _continues_table(line: str) -> bool:
    """False where a line that does not begin with a `|` begins another block, such as a list item."""
    columns = line.count("|") + 1
    tokens = _tokens("|x" * columns + "|\n" + "|-" * columns + "|\n" + line)
    return bool(tokens) and tokens[0].map == [0, 3]


def _split(row: str) -> tuple[str, ...]:
    cells = [cell.replace("\\|", "|").strip() for cell in _PIPE.split(row.strip())]
    return tuple(cells[not cells[0] : len(cells) - (len(cells) > 1 and not cells[-1])])


def _unquoted(line: str) -> tuple[str, str]:
    end = _QUOTE.match(line).end()  # type: ignore[union-attr]  # matches always
    return line[:end], line[end:].rstrip()


def _cells(tokens: Sequence[Token]) -> tuple[str, ...]:
    return tuple(token.content for token in tokens if token.type == "inline")
