"""What stands around a call in an answer's text, and whether it lets the call be one.

A model that calls a tool in words begins a sentence or a line with the call, or says that it calls now. One that speaks of a tool
puts the call into a sentence, behind "for example", into an expression, a quotation or a heading. Both are told apart by the last
characters before the call and the first word behind it, never by more: text must not wait.
"""

from __future__ import annotations

import re
from collections.abc import Container
from enum import Enum, auto
from typing import Final

from adapters.guards.call_syntax.matching import end_of
from adapters.guards.text_calls.words import DENIALS, EXAMPLES, JOINING, OFFERS, ORDERS, UNSPACED, plain

REACH: Final = 200
"""Characters before a call that are looked at."""

WORD_LIMIT: Final = 32
"""Characters of the word behind a call; a longer one is no conjunction and no tool."""


class Before(Enum):
    """What leads to a call on its line."""

    NOTHING = auto()
    ENDED = auto()
    """A sentence that is over, or a colon."""
    ORDER = auto()
    """A sentence that goes on, with the word to call as its last one."""
    SENTENCE = auto()
    """A sentence that goes on."""
    CODE = auto()
    """A quotation, an expression, a longer name: there is no call here."""


class After(Enum):
    """What follows a call on its line."""

    NOTHING = auto()
    """The line or the sentence is over."""
    CALL = auto()
    JOINED = auto()
    """Another sentence, or this one goes on with a conjunction."""
    SENTENCE = auto()
    """A sentence of which the call is a part."""
    CODE = auto()


def lets_call(before: Before, after: After) -> bool:
    """Whether a call in words is one, between these."""
    if before is Before.CODE or after in (After.CODE, After.SENTENCE):
        return False
    if before is Before.ORDER:
        return after in (After.NOTHING, After.CALL)
    return before is not Before.SENTENCE


# ------------------------------------------------------------------------------------------------------------- before

LETTER: Final = rf"[^\W{UNSPACED}]"
"""A letter that makes one word with a tool's name behind it."""

_GLUED: Final = re.compile(rf"(?:[!-/;-@\[-`{{-~“”„‘’«»]|::|{LETTER})\Z")
_QUOTED: Final = re.compile(r"[\"'“„«‘「『](?:<[^<>]{1,64}>\s*)*\Z")
_APART: Final = re.compile(r"[ \t]*(?:>|`{3}|~{3})")
"""Begins a line of a quotation, or a fence's line."""
_LIST: Final = re.compile(r"[ \t]*(?:(?:[-*+•]|\d{1,3}[.)])[ \t]+)?(?:\[[ xX]\][ \t]+)?")
_OPERATORS: Final = frozenset("=+*/%&|^~<>\\#$@([{")
_ACTION: Final = re.compile(r"([*_])[^*_]+\1")
"""`*looks out of the window*`, in role-play."""
_STYLE: Final = re.compile(r"(?<=\S)[*_~]+\Z")
_CLOSERS: Final = ")]}\"'”’»`*_,"
_PARAGRAPH: Final = re.compile(r"\n[ \t\r]*\n")
_SENTENCE_END: Final = re.compile(r"[.!?](?=\s|\Z)|[。！？]")


class Context:
    """The text that came out last. Adding a piece costs the same however long the text is."""

    __slots__ = ("_head", "_pieces", "blank", "last")

    def __init__(self) -> None:
        self.blank = True
        """There is no text yet but white space."""
        self.last = ""
        """The last two characters."""
        self._pieces: list[str] = []
        self._head = ""
        """How the line begins that the pieces go on with."""

    def add(self, text: str) -> None:
        self.blank = self.blank and text.isspace()
        self.last = (self.last + text)[-2:] if len(text) == 1 else text[-2:]
        self._pieces.append(text)
        if len(self._pieces) > REACH:
            self._tail()

    def cut(self) -> None:
        """A call stood here: what follows has nothing to do with what was before."""
        self.blank = False
        self.last = self._head = ""
        self._pieces.clear()

    @property
    def glued(self) -> bool:
        """What comes now goes on with a word, a path or an expression."""
        return _GLUED.search(self.last) is not None

    @property
    def quoted(self) -> bool:
        """Directly behind a quotation mark, or behind marks that are."""
        return _QUOTED.search(self._tail()) is not None

    @property
    def apart(self) -> bool:
        """On the line of a quotation, or on a fence's own."""
        return _APART.match(self._line()) is not None

    @property
    def indented(self) -> bool:
        """The line holds nothing yet but white space."""
        return not self._line().strip(" \t\r")

    def before(self) -> Before:
        line = self._line()
        if self.apart:
            return Before.CODE
        listed = _LIST.match(line)
        rest = line[listed.end() if listed else 0 :].rstrip()
        if not rest:
            return Before.NOTHING
        if self.glued:
            return Before.CODE
        if _ACTION.fullmatch(rest):
            return Before.ENDED
        rest = _STYLE.sub("", rest)
        if rest[-1] in _OPERATORS:
            return Before.CODE
        rest = rest.rstrip(_CLOSERS)
        if not rest[-1:].isalnum():
            return Before.ENDED
        rest = plain(rest)
        # A lone conjunction joins this call to one before it.
        joined = JOINING.pattern.fullmatch(rest.lstrip(" \t,;")) is not None
        ordered = ORDERS.pattern.search(rest) is not None and DENIALS.pattern.search(_last_sentence(rest)) is None
        return Before.ORDER if joined or ordered else Before.SENTENCE

    def documents(self, *, closely: bool = False) -> bool:
        """What comes now is an example, or an offer: by this sentence, or by this paragraph or one before it that ends in a colon.

        `closely`: by the sentence alone.
        """
        tail = self._tail()
        text = tail.rstrip()
        if tail.count("\n", len(text)) > 1 and not text.endswith((":", "：")):
            return False
        text = plain(text)
        paragraph = text[_end_of_last(_PARAGRAPH, text) :]
        example, offer = _end_of_last(EXAMPLES.pattern, paragraph), _end_of_last(OFFERS.pattern, paragraph)
        if example and not closely:
            return True
        last = max(example, offer)
        return last > 0 and _SENTENCE_END.search(paragraph, last) is None

    def _line(self) -> str:
        tail = self._tail()
        start = tail.rfind("\n") + 1
        return tail[start:] if start else self._head + tail

    def _tail(self) -> str:
        text = "".join(self._pieces)
        if len(text) > REACH:
            gone, text = text[:-REACH], text[-REACH:]
            start = gone.rfind("\n") + 1
            self._head = (gone[start:] if start else self._head + gone)[:16]
        self._pieces[:] = [text] if text else []
        return text


def _last_sentence(text: str) -> str:
    return text[_end_of_last(_SENTENCE_END, text) :]


def _end_of_last(pattern: re.Pattern[str], text: str) -> int:
    """Behind the last match; 0 where there is none."""
    return max((found.end() for found in pattern.finditer(text)), default=0)


# ------------------------------------------------------------------------------------------------------------- behind

_GAP: Final = re.compile(r"[ \t]{0,16}")
_CLAUSE: Final = re.compile(r"[ \t]{0,16}[,(]?[ \t]{0,16}")
"""What may stand before the first word: of a clause or a remark it tells as well."""
_WORD: Final = re.compile(rf"[^\W\d_][\w'’-]{{0,{WORD_LIMIT - 1}}}")

_BY_NEXT: Final = frozenset(".*<>!")
"""Signs that mean this or that, by the character behind them."""
_SIGNS: Final = (
    (re.compile(r"[\[(`_]|\.\w|[ \t]{0,16}(?:\{|!=)"), After.CODE),
    (re.compile(r"[ \t]{0,16}[\r\n.;!…。！；]"), After.NOTHING),
    (re.compile(r"[ \t]{0,16}(?:[-+/%=&|^?:#—–→⇒？：]|\*[^*]|[<>][\s=])"), After.CODE),
)


def after(text: str, at: int, tools: Container[str], *, over: bool) -> After | None:
    """What follows a call that ends at `at`; None where that is not known yet. `over`: no more text comes."""
    if over:
        text, at = text[at:] + "\n", 0
    sign = end_of(_GAP, text, at)
    if sign == len(text) or (sign + 1 == len(text) and text[sign] in _BY_NEXT):
        return None
    for pattern, follows in _SIGNS:
        if pattern.match(text, at):
            return follows
    at = end_of(_CLAUSE, text, at)
    return None if at == len(text) else _of_word(text, at, tools)


def _of_word(text: str, at: int, tools: Container[str]) -> After | None:
    found = _WORD.match(text, at)
    if found is None:
        return After.JOINED
    word = found[0]
    if found.end() == len(text) and len(word) < WORD_LIMIT:
        return None
    if word.rstrip("-'’") in tools:
        return After.CALL
    if word[0].isupper() or JOINING.pattern.match(word.lower()):
        return After.JOINED
    return After.SENTENCE
