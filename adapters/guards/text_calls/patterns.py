"""Regular expressions of this room: many words as one of them, a trie, which costs the same for one word and for a hundred."""

from __future__ import annotations

import re
from collections.abc import Iterable
from typing import Any, Final, TypeAlias

BLANK: Final = re.compile(r"\s{0,64}")

_Node: TypeAlias = dict[str, Any]


def end_of(pattern: re.Pattern[str], text: str, at: int) -> int:
    """Behind what the pattern matches at `at`; `at` where it does not match."""
    found = pattern.match(text, at)
    return found.end() if found else at


def by_first_letter(words: Iterable[str], cut: str = "") -> dict[str, str]:
    """For every first letter a pattern of what follows it in any of the words; longer words first. `cut` is what may stand instead
    of a letter, where a word is not over: `\\Z`, so that the beginning of a word counts at the end of the text."""
    root: _Node = {}
    for word in words:
        node = root
        for letter in word:
            node = node.setdefault(letter, {})
        node[""] = {}
    return {letter: _rest(below, cut) for letter, below in sorted(root.items())}


def any_word(words: Iterable[str], cut: str = "") -> str:
    """A pattern of the words."""
    branches = [re.escape(letter) + rest for letter, rest in by_first_letter(words, cut).items()]
    return f"(?:{'|'.join(branches)})" if branches else "(?!)"


def _rest(node: _Node, cut: str) -> str:
    branches = [re.escape(letter) + _rest(below, cut) for letter, below in sorted(node.items()) if letter]
    if not branches:
        return ""
    if "" in node:
        branches.append("")
    elif cut:
        branches.append(cut)
    return f"(?:{'|'.join(branches)})"
