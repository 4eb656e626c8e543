"""Colours for code blocks: Pygments, as CSS classes, because the page's content policy forbids inline styles."""

from __future__ import annotations

from functools import lru_cache

from markdown_it.common.utils import escapeHtml
from pygments import highlight
from pygments.formatters.html import HtmlFormatter
from pygments.lexers import find_lexer_class_for_filename, get_lexer_by_name
from pygments.util import ClassNotFound

_FORMATTER = HtmlFormatter(nowrap=True, classprefix="tok-", style="github-dark")


def highlighted_html(code: str, language: str) -> str:
    """Safe HTML of `code`: text and `<span class="tok-…">` only. An unknown language gives plain escaped text."""
    if not language:
        return escapeHtml(code)
    try:
        lexer = get_lexer_by_name(language, stripnl=False, ensurenl=False)
    except ClassNotFound:
        return escapeHtml(code)
    return highlight(code, lexer, _FORMATTER).removesuffix("\n")


@lru_cache(maxsize=256)
def language_of(filename: str) -> str:
    """The language that the file's name speaks of, as `highlighted_html` takes it; empty where it speaks of none."""
    lexer = find_lexer_class_for_filename(filename)
    return lexer.aliases[0] if lexer is not None and lexer.aliases else ""


def style_sheet() -> str:
    """The CSS rules for the classes that `highlighted_html` emits inside `pre`."""
    return str(_FORMATTER.get_style_defs("pre"))  # type: ignore[no-untyped-call]  # the stubs leave it bare
