"""What TeX's names and letters are in Unicode, and how each stands among its neighbours.

The names come from pylatexenc, which keeps the list of LaTeX's and unicode-math's commands; `_NAMES` adds what it lacks or
means for text and not for maths. It is loaded when the first command is looked up.
"""

from __future__ import annotations

import re
import unicodedata
from enum import Enum, auto
from functools import cache
from typing import Any


class Kind(Enum):
    """TeX's classes of atoms, and those of our own that decide about spaces and brackets."""

    ORDINARY = auto()
    FRACTION = auto()
    """Written a/b: takes brackets beside a factor."""
    FUNCTION = auto()
    """A word: sin, log, lim."""
    LARGE = auto()
    """Sums, products, integrals."""
    BINARY = auto()
    RELATION = auto()
    OPENING = auto()
    CLOSING = auto()
    PUNCTUATION = auto()
    SPACE = auto()
    GAP = auto()
    """White space of the source, which means nothing to TeX and shows only between words."""


_NAMES: dict[str, str] = {
    "Im": "Im", "Re": "Re", "Vert": "‖", "bot": "⊥", "checkmark": "✓", "colon": ":", "degree": "°", "ge": "≥",
    "gets": "←", "gt": ">", "iff": "⟺", "implies": "⟹", "impliedby": "⟸", "land": "∧", "le": "≤", "lor": "∨",
    "lt": "<", "mid": "|", "models": "⊨", "ne": "≠", "neg": "¬", "owns": "∋", "prime": "′", "qed": "∎", "slash": "/",
    "square": "□", "triangle": "△", "vert": "|", "Box": "□", "blacksquare": "■", "dotsm": "⋯", "dotsi": "⋯",
    "lbrack": "[", "rbrack": "]", "bigoplus": "⨁", "bigotimes": "⨂", "ast": "∗", "coloneqq": "≔", "intercal": "ᵀ",
}  # fmt: skip
_FUNCTIONS = frozenset((
    "Pr", "arccos", "arcsin", "arctan", "arg", "argmax", "argmin", "cos", "cosh", "cot", "coth", "csc", "deg", "det", "dim",
    "exp", "gcd", "hom", "inf", "ker", "lcm", "lg", "lim", "liminf", "limsup", "ln", "log", "max", "min", "rank", "sec",
    "sgn", "sign", "sin", "sinh", "span", "sup", "tan", "tanh", "tr",
))  # fmt: skip
_BINARY = frozenset("+−±∓×÷·∗⋅∘∙•⋆∪∩⊎⊓⊔∧∨⊕⊖⊗⊘⊙∖≀⊻†‡△▽◁▷⨿")
_LARGE = frozenset("∑∏∐∫∬∭∮∯⋃⋂⋁⋀⨁⨂⨀⨄")
_ORDINARY = frozenset("∀∁∂∃∄∅∆∇∎∞√∛∜∟∠∡∢⊤⊥∴∵⋯⋮⋱¬′″‴")
_RELATIONS = frozenset("=<>≔")
_OPENING, _CLOSING, _PUNCTUATION = frozenset("([{⟨⌊⌈⟦"), frozenset(")]}⟩⌋⌉⟧"), frozenset(",;")


def kind_of(character: str) -> Kind:
    """The class of one character of maths; letters and all that is not known are ordinary."""
    for characters, kind in (
        (_BINARY, Kind.BINARY), (_LARGE, Kind.LARGE), (_ORDINARY, Kind.ORDINARY), (_RELATIONS, Kind.RELATION),
        (_OPENING, Kind.OPENING), (_CLOSING, Kind.CLOSING), (_PUNCTUATION, Kind.PUNCTUATION),
    ):  # fmt: skip
        if character in characters:
            return kind
    is_relation = "\u2190" <= character <= "\u22ff" or "\u27c0" <= character <= "\u2aff"
    return Kind.RELATION if is_relation else Kind.ORDINARY


@cache
def _library() -> Any:
    from pylatexenc.latex2text import get_default_latex_context_db  # type: ignore[import-untyped]

    return get_default_latex_context_db()


@cache
def symbol(name: str) -> tuple[str, Kind] | None:
    r"""The character or word for the command \\name, which takes no argument; None where there is no such command."""
    if name in _FUNCTIONS:
        return name, Kind.FUNCTION
    text = _NAMES.get(name)
    if text is None:
        text = getattr(_library().get_macro_spec(name), "simplify_repl", None)
        if not isinstance(text, str) or len(text) != 1 or text.isspace() or (text.isascii() and text.isalpha()):
            return None
    if name in ("mid", "parallel"):
        return text, Kind.RELATION
    return text, kind_of(text) if len(text) == 1 else Kind.FUNCTION


ALPHABETS = {
    "mathbb": ("DOUBLE-STRUCK", "DOUBLE-STRUCK"),
    "mathbf": ("BOLD", ""),
    "bm": ("BOLD", ""),
    "boldsymbol": ("BOLD", ""),
    "mathcal": ("SCRIPT", "SCRIPT"),
    "mathscr": ("SCRIPT", "SCRIPT"),
    "mathfrak": ("FRAKTUR", "BLACK-LETTER"),
}
"""A command and its alphabet's name in Unicode, and the one of the letters that were there before it (ℝ, ℒ, ℌ)."""
_LETTER = re.compile(r"(?:LATIN|GREEK) (CAPITAL|SMALL) LETTER (\w+)$|(DIGIT) (\w+)$")


def styled(text: str, command: str) -> str:
    """`text` in the alphabet of `command`; characters that it lacks stay."""
    return "".join(_styled(character, command) for character in text)


@cache
def _styled(character: str, command: str) -> str:
    letter = _LETTER.match(unicodedata.name(character, ""))
    if letter is None:
        return character
    name = " ".join(word for word in letter.groups() if word)
    alphabet, older = ALPHABETS[command]
    for full in (f"MATHEMATICAL {alphabet} {name}", f"{older} {name}"):
        try:
            return unicodedata.lookup(full)
        except KeyError:
            continue
    return character


_SUPERSCRIPTS = dict(
    zip(
        "0123456789+−=()abcdefghijklmnoprstuvwxyzABDEGHIJKLMNOPRTUVWβγδθφχ′⊤",
        "⁰¹²³⁴⁵⁶⁷⁸⁹⁺⁻⁼⁽⁾ᵃᵇᶜᵈᵉᶠᵍʰⁱʲᵏˡᵐⁿᵒᵖʳˢᵗᵘᵛʷˣʸᶻᴬᴮᴰᴱᴳᴴᴵᴶᴷᴸᴹᴺᴼᴾᴿᵀᵁⱽᵂᵝᵞᵟᶿᵠᵡ′ᵀ",
        strict=True,
    )
)
_SUBSCRIPTS = dict(zip("0123456789+−=()aehijklmnoprstuvxβγρφχ", "₀₁₂₃₄₅₆₇₈₉₊₋₌₍₎ₐₑₕᵢⱼₖₗₘₙₒₚᵣₛₜᵤᵥₓᵦᵧᵨᵩᵪ", strict=True))


def _all_of(text: str, table: dict[str, str]) -> str | None:
    return "".join(table[c] for c in text) if all(c in table for c in text) else None


def superscript(text: str) -> str | None:
    """`text` raised, where Unicode has a raised form of every character and it can still be read."""
    if "(" in text and not (text[0] == "(" and text[-1] == ")"):
        return None
    return _all_of(text, _SUPERSCRIPTS)


def subscript(text: str) -> str | None:
    return _all_of(text, _SUBSCRIPTS)


VULGAR_FRACTIONS = {unicodedata.normalize("NFKC", c).replace("\u2044", "/"): c for c in "½⅓⅔¼¾⅕⅖⅗⅘⅙⅚⅐⅛⅜⅝⅞⅑⅒"}
ACCENTS = {
    "acute": "\u0301", "bar": "\u0304", "breve": "\u0306", "check": "\u030c", "ddot": "\u0308", "dot": "\u0307",
    "grave": "\u0300", "hat": "\u0302", "mathring": "\u030a", "overline": "\u0305", "overrightarrow": "\u20d7",
    "tilde": "\u0303", "underline": "\u0332", "vec": "\u20d7", "widehat": "\u0302", "widetilde": "\u0303",
}  # fmt: skip
"""Combining characters, which stand behind the letter."""
LONG_ACCENTS = frozenset(("overline", "bar", "vec", "overrightarrow", "underline"))
"""These may stand on each of a few letters."""
