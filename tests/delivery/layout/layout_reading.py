"""How the tests read messages back, on their own terms: nothing of the layout is used here."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence

from hypothesis import strategies as st

_FENCE_LINE = re.compile(r"((?:[ \t]*(?:>|[-*+][ \t]|\d{1,9}[.)][ \t]))*[ \t]*)(`{3,}|~{3,})(.*)")


def read_lines(text: str) -> tuple[list[tuple[str, str]], bool]:
    """([(prose | fence | code, line)], is a fence left open?) by CommonMark's rule, any indentation allowed."""
    lines: list[tuple[str, str]] = []
    opened: re.Match[str] | None = None
    for line in text.split("\n"):
        found = _FENCE_LINE.fullmatch(line)
        if opened is None:
            opens = found is not None and not (found[2][0] == "`" and "`" in found[3])
            opened = found if opens else None
            lines.append(("fence" if opens else "prose", line))
            continue
        closes = (
            found is not None
            and found[2][0] == opened[2][0]
            and len(found[2]) >= len(opened[2])
            and not found[3].strip()
            and not found[1].strip("> \t")
            and found[1].count(">") <= opened[1].count(">")
        )
        lines.append(("fence" if closes else "code", line))
        opened = None if closes else opened
    return lines, opened is not None


def leaves_a_fence_open(text: str) -> bool:
    return read_lines(text)[1]


def code_lines(text: str) -> list[str]:
    """The lines inside fences that are not blank."""
    return [line for kind, line in read_lines(text)[0] if kind == "code" and line.strip()]


def gives_back(text: str, messages: Sequence[str]) -> bool:
    """True when undoing what a layout may add at cuts (fence lines, marks, quote prefixes) gives the text, white space at cuts aside."""
    ends = {0}
    for nr, message in enumerate(messages):
        ends = {
            begin + len(core)
            for core in set(_readings(message, is_first=nr == 0, is_last=nr == len(messages) - 1))
            for end in ends
            for begin in _begins(text, end)
            if text.startswith(core, begin)
        }
    return any(not text[end:].strip() for end in ends)


def _begins(text: str, end: int) -> Iterator[int]:
    """Where the next message's own text may begin: behind white space, or behind a closing line that stood already."""
    yield end
    space = re.compile(r"\s*").match(text, end)
    if space:
        yield space.end()
        yield from (n + 1 for n in range(end, space.end()) if text[n] == "\n")
    closing = re.compile(r"\s*(?<=\n)[ \t>]*(?:`{3,}|~{3,})[ \t]*(?:\s+|\Z)").match(text, end)
    if closing:
        yield closing.end()


def _readings(message: str, *, is_first: bool, is_last: bool) -> Iterator[str]:
    heads = [message]
    if not is_first:
        first, _, rest = message.partition("\n")
        if _FENCE_LINE.fullmatch(first):
            heads += [rest, re.sub(r"\A(?:> ?)+", "", rest)]
        added = re.match(r"((?:>{1,3} ?|[-*+] |\d+[.)] |-# )*)([*_~|]*)", message)
        if added:
            heads += [message[n:] for n in range(1, added.end() + 1)]
            heads += [added[1] + message[n:] for n in range(added.end(1) + 1, added.end() + 1)]
    for head in heads:
        yield head
        body, _, last = head.rpartition("\n")
        if _FENCE_LINE.fullmatch(last):
            yield body
        if not is_last:
            for n in range(1, 10):
                if len(head) > n and head[-n] in "*_~|":
                    yield head[:-n].rstrip()
                else:
                    break


ATOMS = (
    "<@123456789012345678>",
    "<@&223456789012345678>",
    "<#323456789012345678>",
    "</weather today:423456789012345678>",
    "<:wave:523456789012345678>",
    "<a:party_blob:623456789012345678>",
    "<t:1700000000:R>",
    "[the long guide](https://example.org/guide?page=2#top)",
    "https://example.org/a/path/of/some/length?x=1&y=2",
    "`a code span`",
)
GRAPHEMES = ("👩‍👩‍👧‍👦", "🏳️‍🌈", "🇩🇪", "👍🏽", "1️⃣", "ก็", "e\u0301")
_WORDS = st.sampled_from(("the", "answer", "stays", "below", "limit", "Größe", "привет", "reader", "of", "window"))
_MARKS = st.sampled_from(("**", "*", "__", "_", "~~", "||", "***"))
_PHRASE = st.lists(_WORDS, min_size=1, max_size=40).map(" ".join)
_INLINE = st.one_of(
    _PHRASE,
    _PHRASE,
    st.sampled_from(ATOMS),
    st.sampled_from(GRAPHEMES),
    st.builds("{0}{1}{0}".format, _MARKS, _PHRASE),
)


@st.composite
def _sentences(draw: st.DrawFn) -> str:
    return " ".join(draw(st.lists(_INLINE, min_size=1, max_size=8))) + draw(st.sampled_from(".!?:"))


_CODE_LINE = st.one_of(
    st.just(""),
    st.builds("{}{} = {}".format, st.sampled_from(("", "    ", "\t")), _WORDS, _PHRASE),
    st.sampled_from(("*not* **markup** <@1>", "# a comment", "x" * 150, "} // 日本語 👩‍👩‍👧‍👦", "- item", "> quoted")),
)


@st.composite
def _fences(draw: st.DrawFn, *, closed: bool = True) -> str:
    marks = draw(st.sampled_from("`~")) * draw(st.integers(3, 5))
    prefix, further = draw(
        st.sampled_from((("", ""), ("", ""), ("  ", "  "), ("> ", "> "), ("- ", "  "), ("1. ", "   ")))
    )
    info = draw(st.sampled_from(("", "python", "c++", "js title=some/file.js")))
    body = draw(st.lists(_CODE_LINE, min_size=1, max_size=25))
    if draw(st.booleans()):
        body.append(f"{marks}not-a-close")
    if len(marks) > 3:
        body += [marks[:3] + "js", "inner();", marks[:3]]
    end = [further + marks] if closed else []
    return "\n".join([prefix + marks + info, *(further + line for line in body), *end])


_BLOCK = st.one_of(
    _sentences(),
    st.lists(_sentences(), min_size=1, max_size=4).map(" ".join),
    st.lists(_sentences(), min_size=2, max_size=8).map("\n".join),
    st.lists(_sentences(), min_size=1, max_size=8).map(lambda items: "\n".join(f"- {item}" for item in items)),
    st.lists(_sentences(), min_size=1, max_size=8).map(
        lambda items: "\n".join(f"{n + 1}. {item}" for n, item in enumerate(items))
    ),
    st.lists(_sentences(), min_size=1, max_size=8).map(lambda items: "\n".join(f"> {item}" for item in items)),
    _PHRASE.map("## {}".format),
    _PHRASE.map("-# {}".format),
    _sentences().map(">>> {}".format),
    _fences(),
    _fences(),
    st.lists(st.sampled_from(GRAPHEMES), min_size=1, max_size=90).map("".join),
    st.integers(1, 900).map(lambda n: ("日本語の文章は空白なしで続きます。" * n)[:n]),
    st.integers(1, 900).map(lambda n: "x" * n),
)
_OPEN_END = st.one_of(st.just(""), st.just(""), _fences(closed=False))
ANSWERS = st.builds(
    lambda blocks, end: "\n\n".join([*blocks, end]), st.lists(_BLOCK, min_size=1, max_size=8), _OPEN_END
)
"""Markdown as models write it: every mark has its partner, except that the last fence may be left open."""

NOISE = st.lists(
    st.sampled_from(
        (*"*_~|`<>[](\\#\n\t ", "**", "||", "```", "~~~~", "\n```\n", "\n```py\n", "\n> ```js\n", "\n- ", "\n1. ", "\r\n", "\n\n", "\u200b", "\n>>> ", "\n||\n", "\n-# ", "~" * 90, "`" * 90, ">>> " * 60, "🇩" * 60, "[" * 90, "word ", "A sentence. ", "x" * 70, *ATOMS, *GRAPHEMES)
    ),
    max_size=120,
).map("".join)  # fmt: skip
"""Pieces of Markdown in no sensible order."""
