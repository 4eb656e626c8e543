"""Discord's inline Markdown, as rules for markdown-it.

Discord's client does not pair delimiters as CommonMark does. It tries one regular expression after the other at each
position and parses the captured inside again. So do these rules: a span is a pattern, an opening token, the inside
tokenized in place, a closing token. The patterns are those of the client as the community documents them
(brussell98/discord-markdown, simple-markdown); markdown-it's `maxNesting` bounds the recursion.
Every token is plain text or a tag with attributes, both escaped by markdown-it's renderer.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from datetime import UTC, datetime

from markdown_it import MarkdownIt
from markdown_it.rules_inline import StateInline

from bot.playground.page.mentions import Mention, NameOf

_SPECIAL = re.compile(r"[\\`*_~|<\[@]|https?://")
_ESCAPED = re.compile(r"\\([^0-9A-Za-z\s])")
_CODE = re.compile(r"(`+)(.*?[^`])\1(?!`)", re.DOTALL)
_CODE_PADDING = re.compile(r"^ (?= *`)|(?<=`) $")
_MASKED_LINK = re.compile(
    r"\[(?P<label>(?:\\.|\[[^\[\]]*\]|[^\[\]\\])+)\]"
    r"\(\s*<?(?P<href>https?://(?:\([^()\s<>]*\)|[^()\s<>])+)>?(?:\s+(?:\"[^\"]*\"|'[^']*'))?\s*\)",
    re.DOTALL | re.IGNORECASE,
)
_QUIET_LINK = re.compile(r"<(https?://[^\s<>]+)>", re.IGNORECASE)
_BARE_LINK = re.compile(r"https?://[^\s<]+[^\s<.,:;\"'\]]", re.IGNORECASE)
_EVERYONE = re.compile(r"@(?:everyone|here)")
_MENTION = re.compile(r"<(?P<sigil>@!?|@&|#)(?P<id>\d{1,20})>")
_COMMAND = re.compile(r"</(?P<name>[-_' \w]{1,100}):\d{1,20}>")
_EMOJI = re.compile(r"<a?:(?P<name>\w{2,32}):\d{1,20}>")
_TIMESTAMP = re.compile(r"<t:(?P<seconds>-?\d{1,13})(?::(?P<style>[tTdDfFsSR]))?>")

_EMPHASIS = (
    (
        "em",
        re.compile(
            r"_((?:__|\\.|[^\\_])+?)_\b|\*(?=\S)((?:\*\*|\\.|\s+(?:\\.|[^\s*\\]|\*\*)|[^\s*\\])+?)\*(?!\*)", re.DOTALL
        ),
    ),
    ("strong", re.compile(r"\*\*((?:\\.|[^\\])+?)\*\*(?!\*)", re.DOTALL)),
    ("u", re.compile(r"__((?:\\.|[^\\])+?)__(?!_)", re.DOTALL)),
)
_STRIKE = re.compile(r"~~(.+?)~~(?!_)", re.DOTALL)
_SPOILER = re.compile(r"\|\|(.+?)\|\|", re.DOTALL)
_SPOILER_ATTRIBUTES: dict[str, str | int | float] = {
    "class": "spoiler",
    "role": "button",
    "tabindex": "0",
    "aria-label": "Spoiler, press to reveal",
}

_SIGILS = {"@": Mention.USER, "@!": Mention.USER, "@&": Mention.ROLE, "#": Mention.CHANNEL}
_UNKNOWN = {Mention.USER: "unknown-user", Mention.ROLE: "unknown-role", Mention.CHANNEL: "unknown"}


def use_discord_spans(md: MarkdownIt) -> None:
    """Put these rules in place of markdown-it's own inline rules."""
    rules: tuple[tuple[str, Callable[[StateInline, bool], bool]], ...] = (
        ("discord_escape", _escape),
        ("discord_code", _code),
        ("discord_link", _link),
        ("discord_reference", _reference),
        ("discord_emphasis", _emphasis),
        ("discord_veil", _strike_or_spoiler),
    )
    md.inline.ruler.at("text", _text)
    for name, rule in rules:
        md.inline.ruler.push(name, rule)
    md.inline.ruler.enableOnly(["text", *(name for name, _ in rules)])


def _text(state: StateInline, silent: bool) -> bool:
    """Everything up to the next character that could open something."""
    special = _SPECIAL.search(state.src, state.pos, state.posMax)
    end = special.start() if special else state.posMax
    if end == state.pos:
        return False
    state.pending += state.src[state.pos : end]
    state.pos = end
    return True


def _escape(state: StateInline, silent: bool) -> bool:
    match = _ESCAPED.match(state.src, state.pos, state.posMax)
    if match is None:
        return False
    state.pending += match[1]
    state.pos = match.end()
    return True


def _code(state: StateInline, silent: bool) -> bool:
    match = _CODE.match(state.src, state.pos, state.posMax)
    if match is None:
        return False
    state.push("code_inline", "code", 0).content = _CODE_PADDING.sub("", match[2])
    state.pos = match.end()
    return True


def _link(state: StateInline, silent: bool) -> bool:
    if state.linkLevel:
        return False
    src, position, end = state.src, state.pos, state.posMax
    if masked := _MASKED_LINK.match(src, position, end):
        _push_link(state, masked["href"], masked.span("label"), masked.end())
    elif quiet := _QUIET_LINK.match(src, position, end):
        _push_link(state, quiet[1], quiet.span(1), quiet.end())
    elif bare := _BARE_LINK.match(src, position, end):
        url = bare[0]
        # "(see https://host/a)" is a sentence's bracket, "https://host/a_(b)" is the address's own.
        if url.endswith(")") and url.count(")") > url.count("("):
            url = url[:-1]
        stop = position + len(url)
        _push_link(state, url, (position, stop), stop)
    else:
        return False
    return True


def _push_link(state: StateInline, url: str, label: tuple[int, int], end: int) -> None:
    href = state.md.normalizeLink(url)
    state.linkLevel += 1
    attributes: dict[str, str | int | float] = {"href": href, "target": "_blank", "rel": "noopener noreferrer"}
    if state.src[slice(*label)] == url:
        state.push("link_open", "a", 1).attrs = attributes
        state.push("text", "", 0).content = url
        state.push("link_close", "a", -1)
        state.pos = end
    else:
        _push_span(state, "a", label, end, attributes)
    state.linkLevel -= 1


def _reference(state: StateInline, silent: bool) -> bool:
    """What Discord writes as an id: people, roles, channels, commands, emoji, moments."""
    src, position, end = state.src, state.pos, state.posMax
    if match := _MENTION.match(src, position, end):
        kind = _SIGILS[match["sigil"]]
        name_of: NameOf = state.env["name_of"]
        name = name_of(kind, match["id"]) or _UNKNOWN[kind]
        _push_tag(state, "span", {"class": "mention"}, f"{match['sigil'][0]}{name}")
    elif match := _EVERYONE.match(src, position, end):
        _push_tag(state, "span", {"class": "mention"}, match[0])
    elif match := _COMMAND.match(src, position, end):
        _push_tag(state, "span", {"class": "mention"}, f"/{match['name']}")
    elif match := _EMOJI.match(src, position, end):
        _push_tag(state, "span", {"class": "emoji"}, f":{match['name']}:")
    elif match := _TIMESTAMP.match(src, position, end):
        try:
            moment = datetime.fromtimestamp(int(match["seconds"]), UTC)
        except (OverflowError, ValueError, OSError):
            return False
        # The browser knows the reader's zone and language, so it writes the text anew; this one stands without it.
        attributes: dict[str, str | int | float] = {
            "class": "timestamp",
            "datetime": moment.isoformat(),
            "data-style": match["style"] or "f",
        }
        _push_tag(state, "time", attributes, f"{moment:%Y-%m-%d %H:%M} UTC")
    else:
        return False
    state.pos = match.end()
    return True


def _emphasis(state: StateInline, silent: bool) -> bool:
    """Of italic, bold and underline the one that takes the most text, the first of them where two take the same."""
    found = ((tag, pattern.match(state.src, state.pos, state.posMax)) for tag, pattern in _EMPHASIS)
    matches = [(tag, match) for tag, match in found if match]
    if not matches:
        return False
    tag, match = max(matches, key=lambda candidate: candidate[1].end())
    _push_span(state, tag, match.span(match.lastindex or 0), match.end(), {})
    return True


def _strike_or_spoiler(state: StateInline, silent: bool) -> bool:
    if match := _STRIKE.match(state.src, state.pos, state.posMax):
        _push_span(state, "s", match.span(1), match.end(), {})
    elif match := _SPOILER.match(state.src, state.pos, state.posMax):
        _push_span(state, "span", match.span(1), match.end(), _SPOILER_ATTRIBUTES)
    else:
        return False
    return True


def _push_tag(state: StateInline, tag: str, attributes: dict[str, str | int | float], text: str) -> None:
    state.push("tag_open", tag, 1).attrs = attributes
    state.push("text", "", 0).content = text
    state.push("tag_close", tag, -1)


def _push_span(
    state: StateInline, tag: str, inside: tuple[int, int], end: int, attributes: dict[str, str | int | float]
) -> None:
    """A tag around the tokens of `state.src[slice(*inside)]`; parsing goes on at `end`."""
    outer = state.posMax
    state.push("tag_open", tag, 1).attrs = dict(attributes)
    state.pos, state.posMax = inside
    state.md.inline.tokenize(state)
    state.push("tag_close", tag, -1)
    state.pos, state.posMax = end, outer
