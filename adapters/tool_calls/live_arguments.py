"""What can be read of a call's arguments while they arrive: for showing, never for running.

Parsing the text so far anew with every piece is quadratic: a file of 1 MB in pieces of 20 characters would be parsed 50,000 times.
So the text is read once. Finished values go into the tree that they belong to and are final; of what is open (the containers around
the place, one string or one word) the pieces are kept, and joined when it is finished or when somebody asks. A string is reported
while it grows, a number or literal only when finished: `12` may become `120`.

What strict JSON says is reported as the strict parser reports it. Where a model leaves JSON, this reader goes on: text or a fence
before the object, raw newlines, backslashes that escape nothing, missing commas and colons. What it makes of that is a guess.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence
from json import JSONDecoder
from types import MappingProxyType
from typing import Any, Final, TypeAlias

import msgspec

from adapters.contract import GrowingField, LiveCall
from adapters.wire.surrogates import SurrogateJoiner, whole_text

START: Final = 300
"""Characters of a growing string that GrowingField tells at most."""

DEEPEST: Final = 100
"""Objects and lists in one another, so that whoever walks the value cannot run out of stack. Nothing behind a deeper one is read."""

_TOKEN: Final = re.compile(
    r"""
    ([ \t\r\n,:]*+)                                 # 1: what stands between
    (?: "([^"\\]*+)"                                # 2: a string without escapes, whole
    |   ([^ \t\r\n,:{}\[\]"]++) (?= [\s\S] )        # 3: a number or literal that is over, as something else follows
    |   ([{}\[\]])                                  # 4
    |   (")                                         # 5: a string that has escapes or is not over
    |   ([^ \t\r\n,:{}\[\]"]++)                     # 6: a number or literal that may go on
    |   \Z )
    """,
    re.VERBOSE,
)
_STRING, _WORD, _BRACKET, _QUOTE, _BEGUN_WORD = 2, 3, 4, 5, 6

_WORD_REST: Final = re.compile(r'[^ \t\r\n,:{}\[\]"]*+')
_STRING_REST: Final = re.compile(r'[^"\\]*+(?:\\(?:["\\/bfnrt]|u[0-9a-fA-F]{4})[^"\\]*+)*+')
_ESCAPE_BEGUN: Final = re.compile(r"\\(?:u[0-9a-fA-F]{0,3})?")
_NOT_BLANK: Final = re.compile(r"[^ \t\r\n]")

_LENIENT: Final = JSONDecoder(strict=False)
"""Reads raw newlines in strings, as models write them."""


class LiveArguments:
    """Feed it the argument text of one call in pieces, and ask at any time. Never raises; the cut changes nothing.

    A feed costs as much as its piece is long, however much came before.
    """

    __slots__ = ("_field", "_held", "_joiner", "_key", "_length", "_pieces", "_read", "_root", "_stack", "_start")

    def __init__(self) -> None:
        self._read: _Reader = LiveArguments._read_before
        """Reads from a place in a piece to another place, in the state that the text is in."""
        self._held = ""
        """An escape that has begun."""
        self._root: dict[str, Any] | None = None
        """The object, its finished fields only."""
        self._stack: list[dict[str, Any] | list[Any]] = []
        """What is open, from the root inward."""
        self._field: str | None = None
        """The root's field that the second of the stack is the value of."""
        self._key: str | None = None
        """The innermost object's key that waits for its value, or whose value is a string under way."""
        self._pieces: list[str] = []
        """Of the string or word under way."""
        self._length = 0
        self._start = ""
        """Of the string under way, as far as it was asked for."""
        self._joiner = SurrogateJoiner()

    def feed(self, piece: str) -> None:
        """More of the text."""
        if self._held:
            piece, self._held = self._held + piece, ""
        at, end = 0, len(piece)
        while at < end:
            at = self._read(self, piece, at)

    # ------------------------------------------------------------------------------------------------------- asking

    @property
    def fields(self) -> Mapping[str, Any] | None:
        """The object's fields that are complete, with all that is in them; None while there is no object.

        A view that goes on growing, so asking costs nothing; the values in it never change. Of a key that comes twice the last
        value counts, as in any JSON parser.
        """
        return None if self._root is None else MappingProxyType(self._root)

    @property
    def closed(self) -> bool:
        """The object's own bracket has closed, and no other object was begun."""
        return self._root is not None and not self._stack

    @property
    def growing(self) -> GrowingField | None:
        """The object's field that is a string under way. Asking costs next to nothing."""
        if self._read is not LiveArguments._read_string or len(self._stack) != 1 or self._key is None:
            return None
        if len(self._start) < START:
            self._start = "".join(self._pieces[:START])[:START]
        return GrowingField(self._key, self._start, self._length)

    # ------------------------------------------------------------------------------------------- before and behind it

    def _read_before(self, text: str, at: int) -> int:
        """Blanks. A text that begins as a list or string is that whole, and objects in it are not the arguments."""
        found = _NOT_BLANK.search(text, at)
        if found is None:
            return len(text)
        self._read = LiveArguments._read_nothing if found[0] in '["' else LiveArguments._read_noise
        return found.start()

    def _read_noise(self, text: str, at: int) -> int:
        """Up to the object: a fence, words, or the empty object that calls begin with at Anthropic's."""
        start = text.find("{", at)
        if start < 0:
            return len(text)
        if self._root is None:
            self._root = {}
        self._stack = [self._root]
        self._read = LiveArguments._read_structure
        return start + 1

    def _read_nothing(self, text: str, at: int) -> int:
        return len(text)

    # ---------------------------------------------------------------------------------------------------- structure

    def _read_structure(self, text: str, at: int) -> int:
        while found := _TOKEN.match(text, at):
            at = found.end()
            kind = found.lastindex
            if self._key is not None and "," in found[1]:
                # Its value was missing, or no JSON.
                self._key = None
            if kind == _STRING:
                self._put_string(whole_text(found[2]))
            elif kind == _WORD:
                self._put_word(found[3])
            else:
                if kind == _BRACKET:
                    self._open_or_close(found[4])
                elif kind == _QUOTE:
                    self._begin_string()
                elif kind == _BEGUN_WORD:
                    self._pieces = [found[6]]
                    self._read = LiveArguments._read_word
                break
        return at

    def _put_string(self, text: str) -> None:
        innermost = self._stack[-1]
        if isinstance(innermost, list):
            innermost.append(text)
        elif self._key is None:
            self._key = text
        else:
            innermost[self._key] = text
            self._key = None

    def _put_word(self, word: str) -> None:
        """A number or literal; anything else is no value, and leaves its key without one."""
        innermost = self._stack[-1]
        key, self._key = self._key, None
        try:
            value = msgspec.json.decode(word)
        except ValueError:
            return
        if isinstance(innermost, list):
            innermost.append(value)
        elif key is not None:
            innermost[key] = value

    def _open_or_close(self, bracket: str) -> None:
        if bracket in "{[":
            self._open({} if bracket == "{" else [])
        elif type(self._stack[-1]) is (dict if bracket == "}" else list):
            self._close()

    def _open(self, opened: dict[str, Any] | list[Any]) -> None:
        if len(self._stack) == DEEPEST:
            self._read = LiveArguments._read_nothing
            return
        if len(self._stack) == 1:
            self._field = self._begin_field()
        elif isinstance(innermost := self._stack[-1], list):
            innermost.append(opened)
        elif self._key is not None:
            innermost[self._key] = opened
        self._stack.append(opened)
        self._key = None

    def _close(self) -> None:
        closed = self._stack.pop()
        self._key = None
        if not self._stack:
            # Another object counts only where this one says nothing: proxies also send the whole arguments twice.
            self._read = LiveArguments._read_nothing if closed else LiveArguments._read_noise
        elif len(self._stack) == 1 and self._field is not None and self._root is not None:
            self._root[self._field] = closed
            self._field = None

    def _begin_field(self) -> str | None:
        """The root's field whose value begins. What it was before, under the same key, no longer counts."""
        if self._key is not None and self._root is not None:
            self._root.pop(self._key, None)
        return self._key

    # --------------------------------------------------------------------------------------------- strings and words

    def _begin_string(self) -> None:
        if len(self._stack) == 1:
            self._begin_field()
        self._pieces = []
        self._length = 0
        self._start = ""
        self._joiner = SurrogateJoiner()
        self._read = LiveArguments._read_string

    def _read_string(self, text: str, at: int) -> int:
        found = _STRING_REST.match(text, at)
        stop = found.end() if found else at
        if stop > at:
            self._grow(text[at:stop])
        if stop == len(text):
            return stop
        if text[stop] == '"':
            self._end_string()
            return stop + 1
        if _ESCAPE_BEGUN.fullmatch(text, stop):
            self._held = text[stop:]
            return len(text)
        # It escapes nothing: a path of Windows, a regular expression, LaTeX.
        self._grow(r"\\")
        return stop + 1

    def _grow(self, content: str) -> None:
        if "\\" in content:
            content, _ = _LENIENT.raw_decode(f'"{content}"')
        content = self._joiner.feed(content)
        if content:
            self._pieces.append(content)
            self._length += len(content)

    def _end_string(self) -> None:
        text = "".join(self._pieces) + self._joiner.close()
        self._pieces = []
        self._read = LiveArguments._read_structure
        self._put_string(text)

    def _read_word(self, text: str, at: int) -> int:
        found = _WORD_REST.match(text, at)
        stop = found.end() if found else at
        self._pieces.append(text[at:stop])
        if stop < len(text):
            word = "".join(self._pieces)
            self._pieces = []
            self._read = LiveArguments._read_structure
            self._put_word(word)
        return stop


_Reader: TypeAlias = Callable[[LiveArguments, str, int], int]


class WatchedArguments:
    """The pieces of a call's arguments, a list that grows, as far as they can be read when somebody looks."""

    __slots__ = ("_live", "_pieces", "_read_nr")

    def __init__(self, pieces: Sequence[str]) -> None:
        self._pieces = pieces
        self._live = LiveArguments()
        self._read_nr = 0

    def read(self) -> LiveArguments:
        """Costs as much as what came since the last time."""
        for place in range(self._read_nr, len(self._pieces)):
            self._live.feed(self._pieces[place])
        self._read_nr = len(self._pieces)
        return self._live

    def call(self, name: str) -> LiveCall | None:
        """The call of this name as it stands; None while it has no name, or nothing can be read of it."""
        live = self.read()
        return LiveCall(name, dict(live.fields), live.growing) if name and live.fields is not None else None
