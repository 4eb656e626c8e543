r"""TeX maths → one line of Unicode text.

A formula is read once, from left to right, into a row of atoms, each with its kind (a relation, an opening bracket …). What
TeX sets above or below goes into the text of an atom: as a raised or lowered character where Unicode has one, and
otherwise as in UnicodeMath's linear format (`e^(−x²)`, `(a + b)/2`). Spaces come from the kinds, by TeX's rules, when a row
is joined. Whatever does not read well in a line raises `NotSimple`; nesting is bounded, and so is the recursion.

What comes out is Markdown: marks that TeX's text could bring in are replaced or escaped.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Callable

from bot.delivery.maths import chemistry
from bot.delivery.maths.row import (
    Atom,
    NotSimple,
    has_operators,
    is_call,
    is_single,
    joined,
    lowered,
    raised,
    without_gaps_around,
)
from bot.delivery.maths.symbols import (
    ACCENTS,
    ALPHABETS,
    LONG_ACCENTS,
    VULGAR_FRACTIONS,
    Kind,
    kind_of,
    styled,
    superscript,
    symbol,
)

_DEEPEST = 6
_DEEPEST_FRACTION = 2
_LONGEST_ACCENT = 3
_TOKEN = re.compile(
    r"\\operatorname\*|\\[A-Za-z]+|\\.|[A-Za-z]+|\d+(?:(?:,|\{,\})\d{3}(?!\d))*(?:\.\d+)?|:=|\s+|.", re.DOTALL
)
_MARKDOWN = re.compile(r"[\\*_~|`<>#@\[\]]")
_PLAIN_CHARACTERS = {"-": "−", "*": "∗", "`": "‘", '"': "″", "@": r"\@", "#": r"\#"}
_SPACES = {",": " ", ";": " ", ":": " ", " ": " ", ">": " ", "quad": "  ", "qquad": "    ", "enspace": " ", "!": ""}
_ESCAPED = {"{": "{", "}": "}", "|": "‖", "%": "%", "$": r"\$", "&": "&", "#": r"\#", "_": r"\_"}
_NOTHING = frozenset((
    "big", "Big", "bigg", "Bigg", "bigl", "bigr", "Bigl", "Bigr", "biggl", "biggr", "Biggl", "Biggr", "bigm",
    "displaystyle", "textstyle", "limits", "nolimits", "nonumber", "notag",
))  # fmt: skip
_TEXT = ("text", "textrm", "textbf", "textit", "textsf", "textnormal", "mbox", "hbox")
_UPRIGHT = ("mathrm", "mathsf", "mathit", "mathtt", "mathnormal")
_DIFFERENTIALS = "d∂Δδ"


def linear(source: str) -> str:
    """The formula `source`, without its delimiters, as a line of Markdown text.

    Raises NotSimple.
    """
    reader = _Reader(source)
    text = joined(reader.row(None)).strip()
    if not text:
        raise NotSimple(source)
    return text


class _Reader:
    def __init__(self, source: str) -> None:
        self._rest: list[str] = _TOKEN.findall(source)
        self._rest.reverse()
        self._depth = 0
        self._fractions = 0

    def row(self, end: str | None) -> list[Atom]:
        """Atoms up to the token `end`, or all that are left."""
        atoms: list[Atom] = []
        while self._rest:
            token = self._rest.pop()
            if token == end:
                return atoms
            self._read(token, atoms)
        if end is not None:
            raise NotSimple(end)
        return atoms

    def _read(self, token: str, atoms: list[Atom]) -> None:
        """Read what begins with `token`, and its arguments, behind `atoms`."""
        if token.isspace():
            atoms.append(Atom(" ", Kind.GAP))
        elif token in "^_'!":
            self._attach(token, atoms)
        elif token == "{":
            self._group(atoms)
        elif token[0] == "\\":
            self._command(token[1:], atoms)
        elif token[0].isdecimal():
            atoms.append(Atom(token.replace("{,}", ","), Kind.ORDINARY, single=True))
        elif token.isalpha():
            atoms.append(Atom(token, Kind.ORDINARY, single=len(token) == 1))
        elif token in "}&$":
            raise NotSimple(token)
        elif token == "~":
            atoms.append(Atom(" ", Kind.SPACE))
        elif token == ":=":
            atoms.append(Atom(token, Kind.RELATION))
        elif token == ":":
            spaced = bool(self._rest) and self._rest[-1].isspace()
            atoms.append(Atom(token, Kind.PUNCTUATION if spaced else Kind.ORDINARY))
        else:
            text = _PLAIN_CHARACTERS.get(token, token)
            atoms.append(Atom(text, kind_of(text)))

    def _command(self, name: str, atoms: list[Atom]) -> None:
        if name in _NOTHING:
            return
        if name in _SPACES:
            atoms.append(Atom(_SPACES[name], Kind.SPACE))
        elif name in _ESCAPED:
            text = _ESCAPED[name]
            atoms.append(Atom(text, kind_of(text)))
        elif (read := _COMMANDS.get(name)) is not None:
            read(self, name, atoms)
        elif (found := symbol(name)) is not None:
            atoms.append(Atom(*found, single=len(found[0]) == 1))
        else:
            raise NotSimple(name)

    # Arguments

    def _argument(self) -> list[Atom]:
        self._depth += 1
        if self._depth > _DEEPEST:
            raise NotSimple("too deep")
        token = self._next()
        atoms: list[Atom] = []
        if token == "{":
            atoms = self.row("}")
        elif token.isalnum() and len(token) > 1:
            self._rest.append(token[1:])
            self._read(token[0], atoms)
        else:
            self._read(token, atoms)
        self._depth -= 1
        return without_gaps_around(atoms)

    def _next(self) -> str:
        while self._rest:
            token = self._rest.pop()
            if not token.isspace():
                return token
        raise NotSimple("an argument is missing")

    def _words(self) -> str:
        """A braced argument that is text."""
        if self._next() != "{":
            raise NotSimple("text without braces")
        words: list[str] = []
        while self._rest:
            token = self._rest.pop()
            if token == "}":
                return "".join(words)
            if token in "{$" or (token[0] == "\\" and token[1:] not in ("%", "&", "#", "_", " ", ",")):
                raise NotSimple(token)
            words.append(token if token[0] != "\\" else token[1:].replace(",", " "))
        raise NotSimple("text without an end")

    # What takes arguments

    def _group(self, atoms: list[Atom]) -> None:
        self._rest.append("{")
        inner = self._argument()
        if self._rest and self._rest[-1] in "^_" and len(inner) > 1 and not is_call(inner):
            inner = [Atom(f"({joined(inner)})", Kind.ORDINARY, single=True)]
        atoms.extend(inner)

    def _attach(self, mark: str, atoms: list[Atom]) -> None:
        while atoms and atoms[-1].kind is Kind.GAP:
            atoms.pop()
        base = atoms.pop() if atoms else Atom("", Kind.ORDINARY, single=True)
        text = f"({base.text})" if base.kind is Kind.FRACTION else base.text
        kind = Kind.ORDINARY if base.kind is Kind.FRACTION else base.kind
        if mark == "'":
            added = "′"
        elif mark == "!":
            added = "!"
        else:
            inner = self._argument()
            added = raised(inner) if mark == "^" else lowered(inner)
        atoms.append(Atom(text + added, kind, single=base.single or base.kind is Kind.FRACTION))

    def _fraction(self, name: str, atoms: list[Atom]) -> None:
        self._fractions += 1
        if self._fractions > _DEEPEST_FRACTION:
            raise NotSimple(name)
        over, under = self._argument(), self._argument()
        self._fractions -= 1
        top, bottom = joined(over), joined(under)
        if not top or not bottom:
            raise NotSimple(name)
        if (vulgar := VULGAR_FRACTIONS.get(f"{top}/{bottom}")) is not None:
            atoms.append(Atom(vulgar, Kind.ORDINARY, single=True))
            return
        derivative = top[0] == bottom[0] and top[0] in _DIFFERENTIALS and len(under) <= 4 and not has_operators(under)
        top = f"({top})" if has_operators(over) else top
        bottom = bottom if derivative or is_single(under) else f"({bottom})"
        atoms.append(Atom(f"{top}/{bottom}", Kind.FRACTION))

    def _root(self, name: str, atoms: list[Atom]) -> None:
        sign = "√"
        if self._rest and self._rest[-1] == "[":
            self._rest.pop()
            degree = joined(self.row("]"), tight=True)
            raised = superscript(degree)
            if raised is None:
                raise NotSimple(name)
            sign = {"2": "√", "3": "∛", "4": "∜"}.get(degree, raised + "√")
        inner = self._argument()
        if not inner:
            raise NotSimple(name)
        text = joined(inner)
        whole = len(inner) == 1 and inner[0].single
        atoms.append(Atom(sign + (text if whole else f"({text})"), Kind.ORDINARY, single=True))

    def _accent(self, name: str, atoms: list[Atom]) -> None:
        inner, accent = self._argument(), ACCENTS[name]
        text = joined(inner, tight=True)
        if len(inner) == 1 and inner[0].single and text[0].isalpha():
            accented = text[0] + accent + text[1:]
        elif name in LONG_ACCENTS and text.isalnum() and len(text) <= _LONGEST_ACCENT:
            accented = "".join(letter + accent for letter in text)
        else:
            raise NotSimple(name)
        atoms.append(Atom(unicodedata.normalize("NFC", accented), Kind.ORDINARY, single=True))

    def _alphabet(self, name: str, atoms: list[Atom]) -> None:
        inner = self._argument()
        text = joined(inner, tight=True)
        shown = styled(text, name) if name in ALPHABETS else text
        atoms.append(Atom(shown, Kind.ORDINARY, single=text.isalnum()))

    def _text(self, name: str, atoms: list[Atom]) -> None:
        text = _MARKDOWN.sub(lambda mark: "\\" + mark[0], re.sub(r"\s+", " ", self._words()))
        atoms.append(Atom(text, Kind.ORDINARY, single=text.isalnum()))

    def _function(self, name: str, atoms: list[Atom]) -> None:
        words = self._words().strip()
        if not words.replace(" ", "").isalnum():
            raise NotSimple(name)
        atoms.append(Atom(words, Kind.FUNCTION))

    def _fenced(self, name: str, atoms: list[Atom]) -> None:
        self._depth += 1
        if self._depth > _DEEPEST:
            raise NotSimple(name)
        opening = self._delimiter()
        inner = without_gaps_around(self.row(r"\right"))
        closing = self._delimiter()
        self._depth -= 1
        atoms += [Atom(opening, Kind.OPENING), *inner, Atom(closing, Kind.CLOSING)]

    def _delimiter(self) -> str:
        token = self._next()
        if token == ".":
            return ""
        if token[0] != "\\":
            return token if token in "()[]|/<>" else self._not_a_delimiter(token)
        found = _ESCAPED.get(token[1:]) or (symbol(token[1:]) or ("",))[0]
        return found if len(found) == 1 else self._not_a_delimiter(token)

    def _not_a_delimiter(self, token: str) -> str:
        raise NotSimple(token)

    def _binomial(self, name: str, atoms: list[Atom]) -> None:
        over, under = joined(self._argument()), joined(self._argument())
        atoms.append(Atom(f"C({over}, {under})", Kind.ORDINARY, single=True))

    def _modulo(self, name: str, atoms: list[Atom]) -> None:
        if name in ("bmod", "mod"):
            atoms.append(Atom("mod", Kind.BINARY))
        else:
            atoms += [Atom(" ", Kind.SPACE), Atom(f"(mod {joined(self._argument())})", Kind.ORDINARY)]

    def _negated(self, name: str, atoms: list[Atom]) -> None:
        inner = self._argument()
        if len(inner) != 1 or len(inner[0].text) != 1:
            raise NotSimple(name)
        text = unicodedata.normalize("NFC", inner[0].text + "\u0338")
        atoms.append(Atom(text, Kind.RELATION))

    def _labelled_arrow(self, name: str, atoms: list[Atom]) -> None:
        if self._rest and self._rest[-1] == "[":
            raise NotSimple(name)
        label = joined(self._argument())
        atoms.append(Atom(f"—{label}→" if name == "xrightarrow" else f"←{label}—", Kind.RELATION))

    def _boxed(self, name: str, atoms: list[Atom]) -> None:
        atoms.extend(self._argument())

    def _tag(self, name: str, atoms: list[Atom]) -> None:
        atoms += [Atom("  ", Kind.SPACE), Atom(f"({joined(self._argument())})", Kind.ORDINARY)]

    def _chemistry(self, name: str, atoms: list[Atom]) -> None:
        if self._next() != "{":
            raise NotSimple(name)
        source: list[str] = []
        depth = 1
        while self._rest:
            token = self._rest.pop()
            depth += {"{": 1, "}": -1}.get(token, 0)
            if not depth:
                break
            source.append(token)
        text = chemistry.shown("".join(source)) if not depth else None
        if text is None:
            raise NotSimple(name)
        atoms.append(
            Atom(_MARKDOWN.sub(lambda mark: mark[0] if mark[0] in "[]" else "\\" + mark[0], text), Kind.ORDINARY)
        )


_Command = Callable[[_Reader, str, list[Atom]], None]
_COMMANDS: dict[str, _Command] = {
    **dict.fromkeys(("frac", "dfrac", "tfrac", "cfrac"), _Reader._fraction),
    **dict.fromkeys(("binom", "dbinom", "tbinom"), _Reader._binomial),
    **dict.fromkeys(("bmod", "mod", "pmod"), _Reader._modulo),
    **dict.fromkeys(("operatorname", "operatorname*"), _Reader._function),
    **dict.fromkeys(("xrightarrow", "xleftarrow"), _Reader._labelled_arrow),
    **dict.fromkeys(ACCENTS, _Reader._accent),
    **dict.fromkeys((*ALPHABETS, *_UPRIGHT), _Reader._alphabet),
    **dict.fromkeys(_TEXT, _Reader._text),
    "sqrt": _Reader._root,
    "left": _Reader._fenced,
    "not": _Reader._negated,
    "boxed": _Reader._boxed,
    "tag": _Reader._tag,
    "ce": _Reader._chemistry,
}
