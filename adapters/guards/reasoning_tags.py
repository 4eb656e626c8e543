"""The marks between which models write their reasoning, when a server leaves them in the text.

Two shapes. Tags: `<think>`, `</think>`, under several names, with any namespace (`<mm:think>`), in any case, with blanks and
attributes. And fixed marks, special tokens of one model family each, written in one way only. Any closing mark closes what any
opening mark opened: models mix them, and a mark is too rare a word to be anything else. A new vendor is a new row.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from enum import Enum
from string import ascii_letters
from typing import Final

import msgspec


class Kind(Enum):
    OPEN = "open"
    CLOSE = "close"
    """Without anything open: what came before it was reasoning, whose opening mark the model's prompt already held."""
    PART = "part"
    """Begins a visible part of the answer: ends reasoning, and says nothing of what came before it."""
    STOP = "stop"
    """Ends a part; a mark only where its family was met before, else some other model's word for something else."""
    EMPTY = "empty"
    """`<think/>`: nothing was thought."""


class Mark(msgspec.Struct, frozen=True):
    kind: Kind
    family: str = ""


NAMES: Final = ("think", "thinking", "thought", "reasoning", "scratchpad", "antthinking", "longcat_think")
"""Ordinary words of markup (`analysis`, `reflection`, `answer`) are not among them."""

_HARMONY: Final = "harmony"
"""gpt-oss; https://cookbook.openai.com/articles/openai-harmony. Calls (`commentary to=…`) are not reasoning and stay."""

MARKS: Final[Mapping[str, Mark]] = {
    "[THINK]": Mark(Kind.OPEN),  # Mistral, Magistral
    "[/THINK]": Mark(Kind.CLOSE),
    "◁think▷": Mark(Kind.OPEN),  # Kimi
    "◁/think▷": Mark(Kind.CLOSE),
    "<|channel>thought": Mark(Kind.OPEN),  # Gemma 4; https://ai.google.dev/gemma/docs/core/prompt-formatting-gemma4
    "<channel|>": Mark(Kind.CLOSE),
    "<|START_THINKING|>": Mark(Kind.OPEN),  # Cohere Command
    "<|END_THINKING|>": Mark(Kind.CLOSE),
    "<|START_RESPONSE|>": Mark(Kind.PART, "cohere"),
    "<|END_RESPONSE|>": Mark(Kind.STOP, "cohere"),
    "<|inner_prefix|>": Mark(Kind.OPEN),  # Apertus
    "<|inner_suffix|>": Mark(Kind.CLOSE),
    "<|think:start|>": Mark(Kind.OPEN),  # Solar Open 2
    "<|think:end|>": Mark(Kind.CLOSE),
    "<unused94>thought": Mark(Kind.OPEN),  # MedGemma
    "<unused95>": Mark(Kind.CLOSE),
    "[unused16]": Mark(Kind.OPEN),  # Pangu
    "[unused17]": Mark(Kind.CLOSE),
    **{
        f"{start}ifm|think{effort}>": Mark(kind)  # K2 Horizon; may close with another effort's mark than it opened with
        for effort in ("", "_fast", "_faster")
        for start, kind in (("<", Kind.OPEN), ("</", Kind.CLOSE))
    },
    "<|begin_of_box|>": Mark(Kind.PART, "glm"),  # GLM-4.5V, around the answer
    "<|end_of_box|>": Mark(Kind.STOP, "glm"),
    "<|begin_of_thought|>": Mark(Kind.OPEN),  # OpenThoughts, and Qwen models trained on it
    "<|end_of_thought|>": Mark(Kind.CLOSE),
    "<|begin_of_solution|>": Mark(Kind.PART, "openthoughts"),
    "<|end_of_solution|>": Mark(Kind.STOP, "openthoughts"),
    **{
        f"{start}<|channel|>{channel}<|message|>": Mark(kind, _HARMONY)
        for start in ("", "<|start|>assistant")
        for channel, kind in (("analysis", Kind.OPEN), ("commentary", Kind.PART), ("final", Kind.PART))
    },
    "<|end|>": Mark(Kind.STOP, _HARMONY),
    "<|return|>": Mark(Kind.STOP, _HARMONY),
}
"""The fixed marks. None is the beginning of another one."""

STARTS: Final = "".join(sorted({mark[0] for mark in MARKS} | {"<"}))
"""The characters that a mark begins with."""


def _start_pattern() -> str:
    seconds = {start: {mark[1] for mark in MARKS if mark[0] == start} for start in STARTS}
    seconds["<"] |= set(f"/ \t{ascii_letters}")
    return "|".join(f"{re.escape(start)}(?=[{re.escape(''.join(sorted(seconds[start])))}]|\\Z)" for start in STARTS)


START: Final = re.compile(_start_pattern())
"""Finds where a mark may begin, by two characters, or by one at the end of the text."""

LONGEST: Final = 128
"""Characters of the longest tag, attributes included."""

_NAME: Final = f"(?:{'|'.join(sorted(NAMES, key=len, reverse=True))})"
_NAMESPACE: Final = r"[a-z][a-z0-9_.-]{0,31}"
_LEAD: Final = rf"<(?:(?P<close>/)?{_NAMESPACE}:|[ \t]?(?P<shut>/)?[ \t]?)"
_ATTRIBUTE: Final = r"""\s+[a-z_][\w:.-]*\s*=\s*(?:"[^"<>]*"|'[^'<>]*'|[^\s"'<>=]+)"""
_TAG: Final = re.compile(rf"{_LEAD}{_NAME}(?:{_ATTRIBUTE})*\s*(?P<empty>/)?>", re.IGNORECASE | re.ASCII)

_NAME_BEGUN: Final = f"(?:{'|'.join(sorted({name[:end] for name in NAMES for end in range(1, len(name) + 1)}))})"
_ATTRIBUTE_BEGUN: Final = r"""\s+(?:[a-z_][\w:.-]*\s*(?:=\s*(?:"[^"<>]*|'[^'<>]*)?)?)?"""
_TAG_BEGUN: Final = re.compile(
    rf"{_LEAD.replace('P<close>', ':').replace('P<shut>', ':')}"
    rf"(?:{_NAME_BEGUN}|{_NAME}(?:{_ATTRIBUTE})*(?:{_ATTRIBUTE_BEGUN}|\s*/)?)?"
    rf"|</?{_NAMESPACE}",
    re.IGNORECASE | re.ASCII,
)
_FIXED: Final = re.compile("|".join(map(re.escape, MARKS)))
_FIXED_BEGUN: Final = frozenset(mark[:end] for mark in MARKS for end in range(1, len(mark)))

_SHORTEST: Final = min(len("<think>"), *map(len, MARKS))

_OPEN, _CLOSE, _EMPTY = Mark(Kind.OPEN), Mark(Kind.CLOSE), Mark(Kind.EMPTY)


def mark_at(text: str, at: int) -> tuple[Mark, int] | None:
    """The whole mark that begins at `at`, and where it ends."""
    if len(text) - at < _SHORTEST:
        return None
    if found := _FIXED.match(text, at):
        return MARKS[found[0]], found.end()
    found = _TAG.match(text, at, at + LONGEST)
    if found is None:
        return None
    if found["close"] or found["shut"]:
        return _CLOSE, found.end()
    return _EMPTY if found["empty"] else _OPEN, found.end()


def may_become_mark(text: str, at: int) -> bool:
    """Whether the text from `at` to its end is the beginning of a mark, and not a whole one."""
    length = len(text) - at
    if length >= LONGEST:
        return False
    return text[at : at + LONGEST] in _FIXED_BEGUN or _TAG_BEGUN.fullmatch(text, at) is not None
