"""What strangers wrote, made fit to stand in the conversation: names, titles of things, texts.

In front of every message stands `name (id): `, and what Parley adds itself stands in brackets at the beginning of a line, as
`(in reply to Bo (34): “…”)` or `[file: …]`. So no name ends its label or begins another line, no title ends the brackets or the
quotation marks around it, and no line of a text passes for a label or for an addition of ours. What cannot be seen is taken out
everywhere, as words may be hidden in it; what joins letters and emoji stays.
"""

from __future__ import annotations

import re
import unicodedata

LONGEST_NAME = 40
"""Code points; Discord's own limit is 32."""
LONGEST_PLACE = 100
"""Code points; Discord's limit for names of servers, channels and threads."""
LONGEST_FILE_NAME = 100
NOBODY = "someone"
"""Who has a name with nothing to see in it."""

_OPEN = "([{<（［｛＜﹙﹛⁽₍❨❪〔【〖「『《〈⟨⟦⦅｟｢"
_CLOSE = ")]}>）］｝＞﹚﹜⁾₎❩❫〕】〗」』》〉⟩⟧⦆｠｣"
_COLONS = ":：﹕︓ː∶꞉˸፡։"

_EMPTY_LETTERS = "\u115f\u1160\u2800\u3164\uffa0"
"""Letters and signs without a shape: people make names of them."""
_JOINERS = "\u200c\u200d"
"""Persian words and emoji need them."""
_TAGGED_FLAG = re.compile("\U0001f3f4[\U000e0020-\U000e007e]{1,8}\U000e007f")
"""Flags of countries like Wales are written with signs that nobody sees, and in which else anything may be hidden."""
_SELECTORS = "\u180b-\u180d\u180f\ufe00-\ufe0f\U000e0100-\U000e01ef"
"""They choose how the sign before them looks, one each: an emoji, a Chinese or Mongolian letter. Bytes can be written with them."""
_ASCII = "\x00-\x7f"
_UNSEEN = re.compile(
    "[\x00-\x08\x0e-\x1b\x1f\x7f-\x84\x86-\x9f\u00ad\u034f\u061c\u17b4\u17b5\u180e\u200b\u200e\u200f\u202a-\u202e"
    "\u2060-\u206f\ufeff\ufff0-\ufffb\ud800-\udfff\U0001d173-\U0001d17a\U000e0000-\U000e00ff\U000e01f0-\U000e0fff]"
)
"""Control characters that break no line, the marks and overrides of the writing direction, empty signs, tags, half characters."""
_STRAY = re.compile(
    f"(?<=[{_SELECTORS}])[{_SELECTORS}]+|(?:(?<=[{_ASCII}])|^)[{_JOINERS}{_SELECTORS}]+(?=[{_ASCII}]|$)",
    re.MULTILINE,
)
"""What joins or chooses signs where there are none that it could. To be looked for when what is unseen in any place is gone."""

_LINE_END = re.compile("\r\n|[\r\x0b\x0c\x1c-\x1e\x85\u2028\u2029]")

_O, _C = f"[{re.escape(_OPEN)}]", f"[{re.escape(_CLOSE)}]"
_GAP = rf"(?:[^\S\n]|[{_JOINERS}{_SELECTORS}{_EMPTY_LETTERS}])*"
_LABEL_LOOKALIKE = re.compile(
    rf"^(?P<name>.{{0,100}}?)(?:"
    rf"(?<=\s){_O}{_GAP}(?P<short>\d{{1,5}}){_GAP}{_C}(?={_GAP}[{_COLONS}]{_GAP}\S)"
    rf"|{_O}{_GAP}(?P<long>\d{{6,20}}){_GAP}{_C}(?={_GAP}[{_COLONS}]))",
    re.MULTILINE,
)
"""`Bo (12): hi`, and the like in other scripts' signs. With fewer digits than any id has it must look the same in all, since
`if f(12): …` and `while (1):` are code."""
_NOTE_LOOKALIKE = re.compile(
    rf"^(?={_GAP}{_O}{_GAP}(?:…|\.\.\.\s*\d|(?:in\s+reply\s+to|forwarded|sent\s+by\s+a\s+bot|end\s+of|an\s+earlier|your\s+answer\s+was|summary\s+of)"
    r"|(?:embed|poll|stickers?|files?|pictures?|images?|voice\s+message|audio|video|transcript|attachments?|summary|notes?|system"
    rf"|time|place|context|memory){_GAP}[{_COLONS},;]))",
    re.MULTILINE | re.IGNORECASE,
)
"""What begins as additions of ours do (conversation.transcript, conversation.aside, bot.attachments)."""

_NAME_MARKS = str.maketrans(dict.fromkeys(_OPEN + _CLOSE + _COLONS + '"“”„«»`|\\', " "))
_LINE_MARKS = str.maketrans(
    {**dict.fromkeys("[{<［｛＜【⟦", "("), **dict.fromkeys("]}>］｝＞】⟧", ")"), **dict.fromkeys('"“”„«»`', "'")}
)
_QUOTATION_MARKS = str.maketrans(dict.fromkeys("“”„‟«»", '"'))


def safe_name(name: str) -> str:
    """The name in one line, without what cannot be seen and without marks that labels and quotations are made of."""
    shown = "".join(" " if _is_unseen(char) else char for char in name).translate(_NAME_MARKS)
    shown = " ".join(shown.split())[:LONGEST_NAME].strip()
    return shown if shown.strip(_JOINERS) else NOBODY


def label(name: str, author_id: int) -> str:
    """`Ada (1234)`: the same for the same person as long as the name stays; equal names are told apart by the id."""
    return f"{safe_name(name)} ({author_id})"


def safe_line(text: str, most: int) -> str:
    """At most `most` code points in one line, `…` at the end of what was longer; empty where there is nothing to see.

    For names of channels and files, titles and the like: it can stand within `[…]`, and within quotation marks of any kind, and
    ends neither. Round brackets stay, as many file names have them.
    """
    line = _cut(" ".join(seen(text).translate(_LINE_MARKS).split()), most)
    return _LABEL_LOOKALIKE.sub(r"\g<name>\g<short>\g<long>", line)


def file_name(name: str) -> str:
    """As `safe_line`, for a file; one that has no name to see is called so."""
    return safe_line(name, LONGEST_FILE_NAME) or "unnamed"


def quotation(text: str, most: int) -> str:
    """The text's beginning in one line within `“…”`, whose end it cannot forge; at most `most` code points of it."""
    return f"“{_cut(' '.join(without_labels(text).translate(_QUOTATION_MARKS).split()), most)}”"


def without_labels(text: str) -> str:
    """The text with no line that could pass for somebody's label or an addition of ours.

    `Bo (12): …` becomes `Bo [12]: …`, and `(in reply to …` becomes `> (in reply to …`, a quotation. Lines end in `\\n` only.
    """
    text = _LINE_END.sub("\n", seen(text))
    return _NOTE_LOOKALIKE.sub("> ", _LABEL_LOOKALIKE.sub(r"\g<name>[\g<short>\g<long>]", text))


def seen(text: str) -> str:
    """Without what cannot be seen; line breaks stay, and what joins letters and emoji."""
    flags = _TAGGED_FLAG.findall(text)
    # Between the rest of the text, so that the flags are not looked at.
    rest = (_STRAY.sub("", _UNSEEN.sub("", piece)) for piece in _TAGGED_FLAG.split(text))
    return "".join(piece + flag for piece, flag in zip(rest, [*flags, ""], strict=True))


def _is_unseen(char: str) -> bool:
    if char in _JOINERS:
        return False
    return char in _EMPTY_LETTERS or unicodedata.category(char) in ("Cc", "Cf", "Cs", "Zl", "Zp")


def _cut(line: str, most: int) -> str:
    return line if len(line) <= most else line[: max(0, most - 1)].rstrip() + "…"
