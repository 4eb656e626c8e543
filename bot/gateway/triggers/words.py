"""Is one of these words said in this text? Pure.

Both are folded first (NFKC, case), so that "ＰＡＲＬＥＹ" and "parley" are the same. A word counts where nothing is glued to it: letters,
marks and digits on both sides of an edge are one word, unless one of them is of a script that writes without spaces, or that glues
particles to names (Hangul). Words are looked for in what a person said: not in code, addresses, mentions and emoji.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterable

LONGEST_TEXT = 4000
"""Code points that are looked at: the longest message that Discord takes."""
MOST_WORDS = 100
LONGEST_WORD = 100
"""Code points of a trigger word; a longer one never matches."""

_GAP = "\0"
"""Stands where something was that is not looked into. No text from Discord has it."""
_CODE = re.compile(r"```.*?```|``.*?``|`[^`]*`", re.DOTALL)
_OTHER = re.compile(
    r"<(?:@[!&]?|\#|a?:\w{1,32}:|t:|id:|sound:)[^<>\s]*>"  # mentions, emoji, times
    r"|</[^<>]{1,110}:\d+>"  # commands
    r"|(?<!\w):\w{2,32}:(?!\w)"  # emoji that the writer may not use
    r"|[a-z][a-z0-9+.-]{1,20}://[^\s<>)]+"
    r"|\bwww\.[^\s<>)]+"
    r"|[\w.+-]{1,64}@[\w-]{1,63}\.[\w.-]{1,63}",  # e-mail
    re.IGNORECASE,
)
_SPACES = re.compile(r"\s+")
_EMPHASIS = re.compile(r"(?<!\w)_+|_+(?!\w)")
"""Underscores at the edge of a word are Markdown; within they belong to it."""
_INVISIBLE = dict.fromkeys((0x00AD, 0x200C, 0x200D, 0x2060, 0xFEFF)) | {0x200B: " "}
"""Soft hyphen, (non-)joiners: part of the word they stand in. A zero-width space is a space."""
_UNSPACED = re.compile(
    "[\u0e00-\u0eff\u1000-\u109f\u1780-\u17ff\u19e0-\u19ff"  # Thai, Lao, Myanmar, Khmer
    "\u1100-\u11ff\ua960-\ua97f\uac00-\ud7ff\u3130-\u318f"  # Hangul
    "\u2e80-\u2fdf\u3005-\u3007\u3021-\u3029\u3040-\u30ff\u3100-\u312f\u31a0-\u31ff"  # kana, bopomofo, radicals
    "\u3400-\u4dbf\u4e00-\u9fff\uf900-\ufaff\U00020000-\U0003ffff]"  # Han
)


def says(text: str, words: Iterable[str]) -> bool:
    """Whether any of the words stands in the text. Empty words never do."""
    wanted = [folded for word in list(words)[:MOST_WORDS] if (folded := _folded(word[: LONGEST_WORD + 1]).strip())]
    wanted = [word for word in wanted if len(word) <= LONGEST_WORD and _GAP not in word]
    if not wanted:
        return False
    said = _folded(only_said(text[:LONGEST_TEXT]))
    return any(_stands(word, said) for word in wanted)


def without_code(text: str) -> str:
    return _CODE.sub(_GAP, text)


def only_said(text: str) -> str:
    """With a gap for each piece of code, address, mention and emoji."""
    return _OTHER.sub(_GAP, without_code(text))


def _folded(text: str) -> str:
    # Folding may leave what NFKC would compose, and the other way round.
    folded = unicodedata.normalize("NFKC", unicodedata.normalize("NFKC", text).casefold()).translate(_INVISIBLE)
    return _SPACES.sub(" ", _EMPHASIS.sub(" ", folded))


def _stands(word: str, said: str) -> bool:
    at = said.find(word)
    while at >= 0:
        end = at + len(word)
        glued_before = at > 0 and _glued(said[at - 1], word[0])
        glued_behind = end < len(said) and _glued(said[end], word[-1])
        if not (glued_before or glued_behind):
            return True
        at = said.find(word, at + 1)
    return False


def _glued(outside: str, edge: str) -> bool:
    return all(_is_of_words(character) and not _UNSPACED.match(character) for character in (outside, edge))


def _is_of_words(character: str) -> bool:
    return character == "_" or unicodedata.category(character)[0] in "LMN"
