"""Discord's block Markdown, as rules for markdown-it.

A message is a run of text, blank lines included, that headings, subtext, quotes, lists and code blocks interrupt.
A code block needs its closing fence and may open and close in mid-line; without the close it is no block at all,
which is what a reader sees of an answer that is still streaming. Quotes and list items hold lines whose prefix is
taken off and which are parsed as a document of their own, so depth is counted in `env` and bounded.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence

from markdown_it import MarkdownIt
from markdown_it.rules_block import StateBlock
from markdown_it.rules_core import StateCore
from markdown_it.token import Token

# Discord stops nesting lists there; deeper markers stay text.
_MAX_DEPTH = 10

_HEADING = re.compile(r"(#{1,3})\s+(\S.*)")
_SUBTEXT = re.compile(r"-#\s+(\S.*)")
_QUOTE_REST = re.compile(r" *>>> ")
_QUOTE_LINE = re.compile(r" *> ")
_LIST_ITEM = re.compile(r"(?P<indent> *)(?P<marker>[-*]|\d{1,9}\.) +(?=\S)")
# What could hide a fence (an escape, a code span) is matched along with it, so that the leftmost wins.
_FENCE_OR_COVER = re.compile(
    r"\\[^0-9A-Za-z\s]"
    r"|(?P<fence>```(?:(?P<language>[a-z0-9_+\-.#]+?)\n)?\n*(?P<code>[^\n].*?)\n*```)"
    r"|(`+)(?:.*?[^`])\4(?!`)",
    re.DOTALL | re.IGNORECASE,
)


def use_discord_blocks(md: MarkdownIt) -> None:
    """Put these rules in place of markdown-it's own block rules."""
    rules: tuple[tuple[str, Callable[[StateBlock, int, int, bool], bool]], ...] = (
        ("discord_quote", _quote),
        ("discord_heading", _heading),
        ("discord_subtext", _subtext),
        ("discord_list", _list),
        ("discord_fence", _fence),
    )
    for name, rule in rules:
        md.block.ruler.push(name, rule, {"alt": ["paragraph"]})
    md.block.ruler.push("discord_text", _text_run)
    md.block.ruler.enableOnly([*(name for name, _ in rules), "discord_text"])
    md.core.ruler.push("discord_gaps", _mark_gaps)


def _line(state: StateBlock, line: int) -> str:
    return state.src[state.bMarks[line] : state.eMarks[line]]


def _push_inline(state: StateBlock, tag: str, content: str, lines: tuple[int, int], css_class: str = "") -> None:
    opening = state.push("block_open", tag, 1)
    opening.map = list(lines)
    if css_class:
        opening.attrSet("class", css_class)
    inline = state.push("inline", "", 0)
    inline.content, inline.map, inline.children = content, list(lines), []
    state.push("block_close", tag, -1)


def _push_text(state: StateBlock, text: str, lines: tuple[int, int]) -> None:
    if content := text.strip():
        _push_inline(state, "p", content, lines)


def _parse_inside(state: StateBlock, lines: Sequence[str], first_line: int, *, quoted: bool) -> None:
    """Parse `lines`, freed of their prefix, as a document of its own; its tokens keep the message's line numbers."""
    tokens: list[Token] = []
    env = {**state.env, "depth": state.env["depth"] + 1, "quoted": quoted}
    state.md.block.parse("\n".join(lines), state.md, env, tokens)
    for token in tokens:
        token.level += state.level
        if token.map:
            token.map = [line + first_line for line in token.map]
    state.tokens.extend(tokens)


def _text_run(state: StateBlock, start: int, end: int, silent: bool) -> bool:
    interrupters = state.md.block.ruler.getRules("paragraph")
    stop = start + 1
    while stop < end and not any(rule(state, stop, end, True) for rule in interrupters):
        stop += 1
    _push_text(state, state.src[state.bMarks[start] : state.eMarks[stop - 1]], (start, stop))
    state.line = stop
    return True


def _heading(state: StateBlock, start: int, end: int, silent: bool) -> bool:
    match = _HEADING.fullmatch(_line(state, start))
    if match is None:
        return False
    if not silent:
        _push_inline(state, f"h{len(match[1])}", match[2].rstrip(), (start, start + 1))
        state.line = start + 1
    return True


def _subtext(state: StateBlock, start: int, end: int, silent: bool) -> bool:
    match = _SUBTEXT.fullmatch(_line(state, start))
    if match is None:
        return False
    if not silent:
        _push_inline(state, "p", match[1].rstrip(), (start, start + 1), "subtext")
        state.line = start + 1
    return True


def _quote(state: StateBlock, start: int, end: int, silent: bool) -> bool:
    """`> ` quotes a line and `>>> ` all the rest; there is no quote in a quote."""
    if state.env["quoted"] or state.env["depth"] >= _MAX_DEPTH:
        return False
    first = _line(state, start)
    if rest := _QUOTE_REST.match(first):
        stop = end
        inside = [first[rest.end() :], *(_line(state, line) for line in range(start + 1, end))]
    else:
        stop = start
        inside = []
        while stop < end and (match := _QUOTE_LINE.match(_line(state, stop))):
            inside.append(_line(state, stop)[match.end() :])
            stop += 1
        if not inside:
            return False
    if not silent:
        state.push("block_open", "blockquote", 1).map = [start, stop]
        _parse_inside(state, inside, start, quoted=True)
        state.push("block_close", "blockquote", -1)
        state.line = stop
    return True


def _list(state: StateBlock, start: int, end: int, silent: bool) -> bool:
    """Items of one indent and kind. What is indented below an item belongs to it, by whatever number of spaces."""
    first = _LIST_ITEM.match(_line(state, start))
    if first is None or state.env["depth"] >= _MAX_DEPTH:
        return False
    if silent:
        return True
    ordered = first["marker"][-1] == "."
    opening = state.push("block_open", "ol" if ordered else "ul", 1)
    if ordered and first["marker"] != "1.":
        opening.attrSet("start", str(int(first["marker"][:-1])))
    line = start
    while line < end:
        item = _LIST_ITEM.match(_line(state, line))
        if item is None or item["indent"] != first["indent"] or (item["marker"][-1] == ".") != ordered:
            break
        line = _push_item(state, item, line, end)
    opening.map = [start, line]
    state.push("block_close", "ol" if ordered else "ul", -1)
    state.line = line
    return True


def _push_item(state: StateBlock, item: re.Match[str], start: int, end: int) -> int:
    """One item; the number of the line after it. `item` is the marker's match on the line `start`."""
    deeper = item["indent"] + " "
    stop = start + 1
    while stop < end and _line(state, stop).startswith(deeper) and not state.isEmpty(stop):
        stop += 1
    indent = re.compile(rf" {{0,{item.end()}}}")
    inside = [_line(state, start)[item.end() :]]
    inside += [indent.sub("", _line(state, line), count=1) for line in range(start + 1, stop)]
    state.push("block_open", "li", 1).map = [start, stop]
    _parse_inside(state, inside, start, quoted=state.env["quoted"])
    state.push("block_close", "li", -1)
    return stop


def _fence(state: StateBlock, start: int, end: int, silent: bool) -> bool:
    """The code blocks that open on the line `start`, and the text around them on their first and last lines."""
    position, line = state.bMarks[start], start
    fence = _fence_on_line(state, position, line)
    if fence is None:
        return False
    if silent:
        return True
    while fence is not None:
        _push_text(state, state.src[position : fence.start()], (line, line + 1))
        token = state.push("fence", "code", 0)
        token.content, token.info = fence["code"], fence["language"] or ""
        token.map = [line, line + fence[0].count("\n") + 1]
        position, line = fence.end(), token.map[1] - 1
        fence = _fence_on_line(state, position, line)
    _push_text(state, state.src[position : state.eMarks[line]], (line, line + 1))
    state.line = line + 1
    return True


def _fence_on_line(state: StateBlock, position: int, line: int) -> re.Match[str] | None:
    for match in _FENCE_OR_COVER.finditer(state.src, position):
        if match.start() >= state.eMarks[line]:
            return None
        if match["fence"]:
            return match
    return None


def _mark_gaps(state: StateCore) -> None:
    """The outermost block after a blank line gets the class `gap`: people see blank lines, tokens forget them."""
    after_blank = {line for line, text in enumerate(state.src.split("\n"), start=1) if not text.strip(" >")}
    for token in state.tokens:
        if token.map and token.map[0] in after_blank and token.type != "inline":
            token.attrJoin("class", "gap")
            after_blank.remove(token.map[0])
