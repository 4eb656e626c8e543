"""A strict reader of messages as they stand while an answer is written: what in one of them is not valid Markdown by itself.

It reads on its own terms and uses nothing of the layout. It is meant for texts in which every mark has its partner, so that
whatever is left open or half in a message is the layout's doing.
"""

from __future__ import annotations

import re

from hypothesis import strategies as st

from tests.delivery.layout.layout_reading import ANSWERS, ATOMS, GRAPHEMES, read_lines

_CODE_SPAN = re.compile(r"(?<!`)(`+)(?!`)(?:(?!\n[ \t>]*\n)[\s\S])+?(?<!`)\1(?!`)")
_ESCAPE = re.compile(r"\\[!-/:-@\[-`{-~]")
_URL = r"https?://(?:[^\s<>()*|~`]|\([^\s<>()*|~`]*\))+"
_TOKENS = re.compile(
    rf"""<@[!&]?\d+> | <\#\d+> | </[\w\ -]+:\d+> | <a?:\w+:\d+> | <t:-?\d+(?::[A-Za-z])?> | <id:[a-z]+> | <{_URL}>
      | !?\[(?:[^\[\]\n]|\[[^\[\]\n]*\])*\]\(\s*<?{_URL}>?(?:\s+"[^"\n]*")?\s*\) | {_URL}""",
    re.VERBOSE,
)
_HALF_TOKENS = {
    "half a mention, emoji, timestamp or autolink": r"<(?:[@#/:]|a:|t:|id:|https?:)",
    "half a link": r"\]\(|!?\[[^\[\]\n]*\Z|(?<![^\W_])https?:/{0,2}\Z",
    "a back-tick without partner": r"`",
    "a backslash or dollar that waits for more": r"(?:\\|(?<!\S)\${1,2})\Z",
}
_HALF_LINE = re.compile(r"[ \t>]*(?:[-*+]|\d{1,9}[.)]?|#{1,6}|-#|[|:=_\- \t]+|>+)?[ \t]*(?:\[[ xX]?\]?)?[ \t]*")
_EMPHASIS = re.compile(r"\*+|(?<!\w)_+|_+(?!\w)|~~|\|\|")
_REGIONAL = "\U0001f1e6-\U0001f1ff"
_HALF_GRAPHEME = re.compile(rf"\u200d\Z|[\ud800-\udbff]\Z|(?<![{_REGIONAL}])(?:[{_REGIONAL}]{{2}})*[{_REGIONAL}]\Z")


def faults(content: str, text: str) -> list[str]:
    """What is wrong with one message of `text`, of which perhaps not all has arrived; empty where nothing is."""
    found: list[str] = []
    lines, fence_open = read_lines(content)
    if fence_open:
        found.append("a fence is open")
    if not content.strip("\u200b \n\t\r"):
        found.append("it is blank")
    if _HALF_GRAPHEME.search(content) and not text.endswith(content[-1:]):
        found.append("half a grapheme at the end")
    kind, last = lines[-1]
    if kind == "prose" and _HALF_LINE.fullmatch(last) and last not in text.split("\n"):
        found.append(f"a line of marks alone at the end: {last!r}")
    found += _inline_faults(_prose(lines), text)
    if _has_block_without_code(lines) and not _has_block_without_code([*read_lines(text)[0], ("fence", "")]):
        found.append("a code block without code")
    return found


def _has_block_without_code(lines: list[tuple[str, str]]) -> bool:
    kinds = "".join(kind[0] for kind, line in lines if kind != "code" or line.strip())
    return re.search(r"\A(?:p|fc+f)*ff", kinds) is not None


def _prose(lines: list[tuple[str, str]]) -> str:
    """With a letter in a paragraph of its own for each line of code."""
    return "\n".join(line if kind == "prose" else "\nx\n" for kind, line in lines)


def _inline_faults(prose: str, text: str) -> list[str]:
    prose = _CODE_SPAN.sub("x", _ESCAPE.sub("x", prose))
    found = [f"{token!r} is not whole" for token in _TOKENS.findall(prose) if token not in text]
    prose = _TOKENS.sub("x", prose)
    found += [name for name, pattern in _HALF_TOKENS.items() if re.search(pattern, prose)]
    found += [
        f"half of a character reference: {half}"
        for half in re.findall(r"&#?\w*\Z", prose)
        if re.search(re.escape(half) + r"\w*;", text)
    ]
    if dangling := _open_emphasis(prose):
        found.append(f"emphasis without end: {dangling}")
    return found


def _open_emphasis(prose: str) -> list[str]:
    """Marks that are not closed, or closed in the wrong order. List marks and rules are none. A run may be closed in two steps."""
    prose = re.sub(r"^[ \t>]*(?:\*[ \t]|\*{3}$|_{3}$)", "", prose, flags=re.MULTILINE)
    stack: list[str] = []
    for run in _EMPHASIS.finditer(prose):
        left = run.group()
        closes = left in ("~~", "||") or not prose[run.start() - 1 : run.start()].isspace()
        while closes and left and stack and left.startswith(stack[-1]):
            left = left[len(stack.pop()) :]
        if closes and left and stack and stack[-1].startswith(left):
            stack[-1], left = stack[-1][len(left) :], ""
        if left:
            stack.append(left)
    return stack


_WORDS = st.lists(
    st.sampled_from(("the", "answer", "stays", "Größe", "привет", "of", "window", "http", "R&D", "日本語。", "2026", "-", "a_b")),
    min_size=1,
    max_size=12,
).map(" ".join)  # fmt: skip
_MARKED = st.one_of(
    st.builds("{0}{1}{0}".format, st.sampled_from(("**", "*", "__", "_", "~~", "||", "***", "`", "``")), _WORDS),
    st.builds("**{} *{}* {}**".format, _WORDS, _WORDS, _WORDS),
    st.builds("*{} **{}** {}*".format, _WORDS, _WORDS, _WORDS),
    st.builds("||{} ~~{} **{}**~~||".format, _WORDS, _WORDS, _WORDS),
    st.builds("**{}**".format, st.sampled_from(ATOMS)),
    st.builds("*{}*".format, st.sampled_from(ATOMS)),
)
_TOKEN = st.sampled_from(
    (
        *ATOMS,
        *GRAPHEMES,
        "<https://example.org/without/preview>",
        "(https://en.example.org/wiki/Foo_(bar))",
        '[titled](https://example.org/x "The title")',
        "![a picture](https://example.org/p.png)",
        "[nested [label]](https://example.org/)",
        "<id:customize>",
        "&amp;",
        "&#8217;",
        r"\*not emphasis\*",
        r"\(x^2 + y^2\)",
        "$$e = mc^2$$",
        "`a[0] * b[1] ** <@`",
        "``a ` tick``",
        "(aside)",
        "[1]",
        "[^note]",
        "1 < 2",
    )
)
_LINE = st.lists(st.one_of(_WORDS, _WORDS, _MARKED, _TOKEN), min_size=1, max_size=6).map(
    lambda parts: "So " + " ".join(parts) + "."
)
_LINES = st.lists(_LINE, min_size=1, max_size=8)


def _nested(lines: list[str]) -> str:
    return "\n".join(f"{'  ' * (n * 7 % 3)}- {line}" for n, line in enumerate(lines))


_BLOCKS = st.one_of(
    _LINE,
    _LINES.map(" ".join),
    _LINES.map(_nested),
    _LINES.map(lambda lines: "\n".join(f"{n + 1}. {line}" for n, line in enumerate(lines))),
    _LINES.map(lambda lines: "\n".join(f"* [{'x' if n % 2 else ' '}] {line}" for n, line in enumerate(lines))),
    _LINES.map(lambda lines: "\n".join(f"> {line}" for line in lines)),
    _LINES.map(lambda lines: "\n".join(f"-# {line}" for line in lines)),
    _LINES.map(lambda lines: "| a | b |\n|:--|--:|\n" + "\n".join(f"| {n} | word |" for n, _ in enumerate(lines))),
    _LINES.map(lambda lines: "||" + "\n\n".join(line.replace("||", "") for line in lines) + "||"),
    st.builds("{} {}".format, st.sampled_from(("#", "##", "###", "####")), _WORDS),
    st.just("---\n\nSo on."),
    _LINE.map(">>> {}".format),
    _LINE.map(lambda line: "||\n```py\nx = [1]\n```\n" + line.replace("||", "") + "\n||"),
    st.builds("Here is the code:\n\n{}".format, st.sampled_from(("```py\nx = 1\n\ny = [2]\n```", "~~~~\n```\n# a\n```\n~~~~"))),
)  # fmt: skip
RICH = st.one_of(ANSWERS, st.lists(_BLOCKS, min_size=1, max_size=10).map("\n\n".join))
"""Markdown in which every mark has its partner, of more kinds than ANSWERS."""
