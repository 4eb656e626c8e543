"""Whether a sentence ends at a mark, by the characters around it: `the end.Hi`, but `apple.com`, `v1.2`, `pd.DataFrame`, `5 p.m.`

Rules of thumb over one word on each side. They lean to *name*: a name taken for the end of a sentence tears an answer apart, an end
taken for a name lets a few words of reasoning stand. A new suffix or short name is a new word in a table.
"""

from __future__ import annotations

import re
import unicodedata
from typing import Final


def _words(text: str) -> frozenset[str]:
    return frozenset(text.split())


SUFFIXES: Final = _words(
    """
    com org net edu gov io ai dev app co uk jp cn ru br nl de ly tv info biz xyz рф
    py ipynb js mjs ts jsx tsx go rs c h cpp hpp java kt cs rb php swift lua sh ps1 sql html htm css scss vue md mdx rst txt tex
    json jsonl yaml yml toml ini cfg conf env lock xml csv tsv log tmp bak pdf doc docx xls xlsx ppt pptx epub png jpg jpeg gif svg
    webp ico mp3 mp4 wav ogg flac mkv webm zip tar gz rar exe dll iso safetensors gguf
    """
)
"""Ends of host and file names. Those that are words an answer may begin with (`it`, `so`, `no`, `me`, `fr`) are not among them."""

SHORT_NAMES: Final = _words(
    "pd np plt tf nn jnp jax sns df cv2 sklearn scipy numpy pandas torch asyncio os sys fmt ctx req std js ts self cls obj fs db"
)
"""What code has before a dot, and no sentence has at its end."""

ABBREVIATIONS: Final = _words("mr mrs ms dr prof vs st ul г ул св")
NUMBERED: Final = _words("no nr vol fig ch p pp v ver sec art eq")
"""Abbreviations before a number."""

_WORD: Final = re.compile(r"\w+")
_WORD_BEFORE: Final = re.compile(r"\w*\Z")
_BEFORE: Final = re.compile(r"\S*\Z")
_NAME_BEFORE: Final = re.compile(
    r"""
      .*(?:\w@\w|\\|\w_\w|::).*    # an address; a path; a name of code
    | ~?/.*
    | [$@-]+[A-Za-z].*              # $variable; @person; --option
    | v\d.*                         # a version
    | [a-z]+[A-Z]\w*                # someName
    | .*\(\)
    """,
    re.VERBOSE,
)
_NAME_AFTER: Final = re.compile(r"[A-Za-z]*[a-z][A-Z]|[^\W_]+_|__")
"""`forEach`, `some_name`, `__name__`."""
_GOES_ON: Final = re.compile(r"[(/@=]|:\d|\.\w")
_ACRONYM: Final = re.compile(r"(?<!\w)(?:[^\W\d_]\.)+[^\W\d_]\Z")
_LIST_MARK: Final = re.compile(r"\n[ \t]*\d+\Z")

_GEORGIAN: Final = range(0x10D0, 0x1100)
"""Lower case by Unicode's tables; no sentence is written with their capitals."""
_SPACELESS: Final = re.compile(
    "[\u0e00-\u0eff\u1000-\u109f\u1780-\u17ff\u3040-\u30ff\u31f0-\u31ff\u3400-\u9fff\uf900-\ufaff]"
)
"""Thai, Lao, Burmese, Khmer, kana, Han: no blank follows a sentence."""
_FULL_WIDTH: Final = "。！？"
_OPENERS: Final = frozenset("*_([{\"'“‘«„「『（【")


def begins_lower(letter: str) -> bool:
    """A letter that has an upper case and is not in it."""
    return letter.islower() and ord(letter) not in _GEORGIAN


def may_begin_answer(character: str) -> bool:
    """Any letter but a lower-case one, a picture, a bracket or quotation mark."""
    if character.isalpha():
        return not begins_lower(character)
    return character in _OPENERS or unicodedata.category(character) == "So" or character >= "\U0001f000"


def is_prose_without_blanks(before: str, mark: str, after: str) -> bool:
    """Two of the three belong to a script whose sentences stand one behind the other: no blank tells nothing."""
    return sum((_is_spaceless(before), mark[0] in _FULL_WIDTH, _is_spaceless(after))) >= 2


def _is_spaceless(character: str) -> bool:
    return _SPACELESS.match(character) is not None


def is_name_begun(text: str, at: int, end: int) -> bool:
    """Whether more text may tell if the marks from `at` to `end` stand inside a name: the word behind them is not over."""
    word = _WORD.match(text, end)
    if text[at:end] != "." or word is None or not _is_cased(text[end]):
        return False
    return text[word.end() :] in ("", ".", ":")


def is_name(text: str, at: int, end: int) -> bool:
    """Whether the marks from `at` to `end` stand inside a name, number, address or piece of code."""
    before = _BEFORE.search(text, 0, at)
    assert before is not None
    marks, follows = text[at:end], text[end]
    if "://" in before[0] or (marks == "!" and follows in "([{"):
        # An address; `println!("")`.
        return True
    last, word = _WORD_BEFORE.search(text, 0, at), _WORD.match(text, end)
    assert last is not None
    if word is None:
        # `the U.K.'s`, `eq.(3)`
        possessive = follows in "'’" and _ACRONYM.search(before[0]) is not None
        return marks == "." and (possessive or (follows == "(" and last[0].lower() in NUMBERED))
    if not _is_cased(follows) or "." not in marks:
        return False
    if marks != ".":
        # `0..10`; `well...maybe`.
        return follows.islower() or (follows.isdigit() and text[at - 1].isdigit())
    token = before[0].rpartition("`")[2]
    return (
        _fit(last[0], word[0])
        or _goes_on(text, word)
        or _is_name_before(token.lstrip("\"'“‘*_([{<"), last[0])
        or _LIST_MARK.search(text, 0, at) is not None
    )


def _is_cased(character: str) -> bool:
    return not character.isalpha() or character.islower() or character.isupper()


def _fit(before: str, after: str) -> bool:
    """The words on both sides of a dot make a name or a number."""
    if before[-1:].isdigit() and after[0].isdigit():
        return True
    if len(before) == len(after) == 1 and after not in "IA":
        # `e.g.`, `U.S.`, `p.m.`, `x.y`
        return True
    # `ASP.NET`, `README.MD`; but `the format.JSON is`.
    known = after in SUFFIXES or (before.isupper() and after.isupper() and after.lower() in SUFFIXES)
    short = before in SHORT_NAMES or before in ABBREVIATIONS or (after[0].isdigit() and before.lower() in NUMBERED)
    return known or short or _NAME_AFTER.match(after) is not None


def _goes_on(text: str, word: re.Match[str]) -> bool:
    """`array(`, `python.org`, `com/x`, `smith@`, `D.`; `argv[0]`, but `Paris[1]` is an answer with its source."""
    if _GOES_ON.match(text, word.end()) is not None:
        return True
    follows = text[word.end() : word.end() + 1]
    return (follows == "[" and word[0].islower()) or (follows == "." and len(word[0]) == 1 and word[0].isalpha())


def _is_name_before(token: str, last: str) -> bool:
    """The word before the dot is none of prose: `v1.2`, `my_var`, `os.path`; but `$1.20` and `apple.com` may end a sentence."""
    if _NAME_BEFORE.fullmatch(token):
        return True
    return "." in token and not last.isdigit() and last not in SUFFIXES
