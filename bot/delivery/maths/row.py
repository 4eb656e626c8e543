"""A row of atoms as text: which spaces stand between them, and when one needs brackets to be part of another."""

from __future__ import annotations

import re
from collections.abc import Sequence

import msgspec

from bot.delivery.maths.symbols import Kind, subscript, superscript

_FUNCTION_LETTERS = frozenset("fghFGHPOΓφψ")
_ATTACHED = frozenset("∗†‡°")
"""Stand raised as they are."""


class NotSimple(Exception):
    """The formula does not read well in one line, or uses something that is not known."""


class Atom(msgspec.Struct, frozen=True):
    text: str
    kind: Kind
    single: bool = False
    """Needs no brackets wherever it stands."""


def without_gaps_around(atoms: list[Atom]) -> list[Atom]:
    start, end = 0, len(atoms)
    while start < end and atoms[start].kind is Kind.GAP:
        start += 1
    while start < end and atoms[end - 1].kind is Kind.GAP:
        end -= 1
    return atoms[start:end]


def raised(inner: Sequence[Atom]) -> str:
    text = joined(inner, tight=True)
    if text == "∘":
        return "°"
    if text and all(c in _ATTACHED for c in text):
        return text
    return superscript(text) or "^" + _operand(text, inner)


def lowered(inner: Sequence[Atom]) -> str:
    text = joined(inner, tight=True)
    return subscript(text) or r"\_" + (text if text.isalnum() else _operand(text, inner))


def _operand(text: str, inner: Sequence[Atom]) -> str:
    if not text:
        raise NotSimple("an empty script")
    return text if len(inner) == 1 and inner[0].single else f"({text})"


def _top_level(atoms: Sequence[Atom]) -> list[Atom]:
    """The atoms outside brackets; a pair of brackets counts as its closing one."""
    found: list[Atom] = []
    depth = 0
    for atom in atoms:
        depth += (atom.kind is Kind.OPENING) - (atom.kind is Kind.CLOSING)
        if depth <= 0 and atom.kind is not Kind.GAP:
            found.append(atom)
    return found


def has_operators(atoms: Sequence[Atom]) -> bool:
    loose = (Kind.BINARY, Kind.RELATION, Kind.PUNCTUATION, Kind.FUNCTION, Kind.LARGE, Kind.FRACTION)
    return any(atom.kind in loose or " " in atom.text.strip() for atom in _top_level(atoms))


def is_call(atoms: Sequence[Atom]) -> bool:
    """True for (…) and f(…); n(n + 1) is a product."""
    top = _top_level(atoms)
    if not top or top[-1].kind is not Kind.CLOSING:
        return False
    return len(top) == 1 or (len(top) == 2 and top[0].text.rstrip("′") in _FUNCTION_LETTERS)


def is_single(atoms: Sequence[Atom]) -> bool:
    return (len(atoms) == 1 and atoms[0].single) or is_call(atoms)


_FACTORS = (Kind.ORDINARY, Kind.FRACTION, Kind.FUNCTION, Kind.LARGE)
_BEFORE_A_SIGN = (
    None,
    Kind.BINARY,
    Kind.RELATION,
    Kind.OPENING,
    Kind.PUNCTUATION,
    Kind.FUNCTION,
    Kind.LARGE,
    Kind.SPACE,
)


def joined(atoms: Sequence[Atom], tight: bool = False) -> str:
    """A row as text. `tight`: as in a script, without spaces around operators."""
    parts: list[str] = []
    before: Kind | None = None
    last, gap = "", False
    solid = [atom for atom in atoms if atom.kind is not Kind.GAP]
    following = iter([*[atom.kind for atom in solid[1:]], None])
    for atom in atoms:
        if atom.kind is Kind.GAP:
            gap = True
            continue
        kind, text, after = atom.kind, atom.text, next(following)
        is_sign = kind is Kind.BINARY and (before in _BEFORE_A_SIGN or after is None) and text != "mod"
        if is_sign:
            kind = Kind.ORDINARY
        if kind is Kind.FRACTION and (
            before in (Kind.ORDINARY, Kind.FRACTION, Kind.CLOSING) or after in (*_FACTORS, Kind.OPENING)
        ):
            text = f"({text})"
        if _wants_space(before, kind, last, text, tight, gap):
            parts.append(" ")
        parts.append(text)
        before, last, gap = Kind.OPENING if is_sign else kind, text, False
    return re.sub(r"(?<=\S) +(?=[,;])", "", "".join(parts)).strip()


def _wants_space(before: Kind | None, kind: Kind, last: str, text: str, tight: bool, gap: bool) -> bool:
    if before is None or not last or last[-1].isspace() or text[:1].isspace():
        return False
    if before is Kind.FUNCTION and kind in _FACTORS:
        return True
    if kind is Kind.FUNCTION and before in (Kind.ORDINARY, Kind.CLOSING, Kind.FRACTION, Kind.LARGE):
        return True
    if last[-1] == "|" and text[:1] == "|":
        return True  # two of them would open a spoiler
    if not tight:
        if Kind.RELATION in (before, kind) or Kind.BINARY in (before, kind):
            return kind is not Kind.SPACE
        if before is Kind.PUNCTUATION:
            return True
        if before is Kind.LARGE or (kind is Kind.LARGE and before in (Kind.ORDINARY, Kind.CLOSING)):
            return kind is not Kind.LARGE or before is not Kind.LARGE
    if kind is Kind.ORDINARY and before is Kind.ORDINARY:
        if last[0] in "√∛∜" and last[-1] != ")" and text[0].isalnum():
            return True
        words = (last[-2:].isalpha() and len(last) > 1) or (text[:2].isalpha() and len(text) > 1)
        return gap and words and last.isascii() and text.isascii()
    return False
