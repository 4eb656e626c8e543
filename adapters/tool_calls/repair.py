"""Broken argument text, read as the object that it still shows.

The object is read by lenient_json.py, and what stands around it is judged here: code fences, the arguments sent twice, encoded
twice or escaped for HTML, text before and after. What only the tool's schema can vouch for, and what may be missing, is for the caller to judge.

No library does this: json-repair takes a second for ten thousand brackets, makes up values (`{"city": Oslo}` is Oslo, `{"a" 1}`
is ""), loses text (`'it''s'` is "it") and does not say what it did; readers of JSON5 drop the backslashes of `C:\\Users`.
`json.loads(strict=False)` forgives raw line breaks only, and `ast.literal_eval` knows neither `true` nor an apostrophe.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from html import unescape
from typing import Any, Final, TypeAlias

import msgspec

from adapters.tool_calls.lenient_json import LenientReader, Repair, Unreadable, unescaped
from adapters.wire.surrogates import whole_text

_CUT: Final = frozenset({Repair.CLOSED_BRACKETS, Repair.CLOSED_STRING})
_DOUBTFUL: Final = _CUT | {
    *(Repair.MISSING_COMMA, Repair.INNER_QUOTES, Repair.LEADING_TEXT, Repair.TRAILING_TEXT),
    *(Repair.SURPLUS_BRACKETS, Repair.MISSING_BRACKETS, Repair.ONE_OF_SEVERAL),
}


class Reading(msgspec.Struct, frozen=True):
    """One object that the text can be read as."""

    value: dict[str, Any]
    repairs: tuple[Repair, ...] = ()
    in_value: bool = False
    """A string or number was open when the text ended: there may be more of it, whatever the schema says."""

    @property
    def needs_schema(self) -> bool:
        """Something was forgiven that leaves room for another reading."""
        return not _DOUBTFUL.isdisjoint(self.repairs)

    @property
    def may_be_cut(self) -> bool:
        """The text ended inside the object, so that members may be missing."""
        return not _CUT.isdisjoint(self.repairs)


def readings(raw: str) -> Sequence[Reading]:
    """All objects that the text can be read as, where strict JSON refuses it or finds no object; () where there is none.

    Never raises, and takes time in proportion to the text. Every string in a value can be encoded as UTF-8.
    """
    try:
        return tuple(_readings(whole_text(raw)))
    except (Unreadable, RecursionError):
        return ()


MOST_OBJECTS: Final = 8
"""Objects in a row; a text of more is no call."""

# ------------------------------------------------------------------------------------------------- around the object

_ENCODED: Final = re.compile(r'\s*"((?:[^"\\]++|\\.)*+)"\s*', re.DOTALL)
_ESCAPED_OBJECT: Final = re.compile(r'\{(?:\s|\\[nrt])*+\\"')
_ENTITY: Final = re.compile(r"&(?:quot|amp|lt|gt|apos|#[0-9]{1,7}|#[xX][0-9a-fA-F]{1,6});")
_ESCAPED_FOR_HTML: Final = re.compile(r"\{\s*+&(?:quot|#34|#[xX]22);")
_FENCED: Final = re.compile(r"\s*`{3,}[ \t]*[\w+-]*\s*")

_Margin: TypeAlias = Sequence[tuple[re.Pattern[str], Sequence[Repair]]]
_BLANKS: Final[_Margin] = [
    (re.compile(r"[ \t\r\n]*"), ()),
    (re.compile(r"[\s\ufeff\u200b]*"), (Repair.SPACES,)),
    (re.compile(r"[\s}\]]*"), (Repair.SURPLUS_BRACKETS,)),
]
_BEFORE: Final[_Margin] = [
    *_BLANKS,
    (_FENCED, (Repair.FENCE,)),
    # Not quotes and lists: what holds the object could be something else's member.
    (re.compile(r'[^"\[]*|\s*["\[]\s*'), (Repair.LEADING_TEXT,)),
]
_AFTER: Final[_Margin] = [
    *_BLANKS,
    # Not what goes on after a comma, quotes, or a bracket after text: then the object's own may be text, or one too early.
    (re.compile(r"""(?![\s}\]]*+,\s*+[^\s}\]])[\s}\]]*+[^"'}]*|\s*["']\s*"""), (Repair.TRAILING_TEXT,)),
]


def _readings(text: str) -> Sequence[Reading]:
    for repair, content in ((Repair.DOUBLE_ENCODING, _decoded_once(text)), (Repair.ENTITIES, _without_entities(text))):
        if content is not None:
            return [msgspec.structs.replace(each, repairs=(repair, *each.repairs)) for each in _plain_readings(content)]
    return _plain_readings(text)


def _plain_readings(text: str) -> Sequence[Reading]:
    at = text.find("{")
    lead = _margin(text[: max(at, 0)], _BEFORE)
    if Repair.FENCE in lead:
        text = _without_closing_fence(text)
    found: dict[str, Reading] = {}
    objects_nr = 0
    while at >= 0:
        reader = LenientReader(text, at)
        value = reader.read()
        at = text.find("{", reader.at)
        trail = _margin(text[reader.at : at if at >= 0 else None], _AFTER)
        reading = Reading(value, tuple(dict.fromkeys((*lead, *reader.forgiven, *trail))), reader.in_value)
        # By its written form, as 1 and True are equal.
        found.setdefault(repr(value), reading)
        objects_nr += 1
        if objects_nr > MOST_OBJECTS or (objects_nr > 1 and reading.may_be_cut):
            return ()
    return _of_several(found) if objects_nr > 1 else list(found.values())


def _of_several(found: dict[str, Reading]) -> Sequence[Reading]:
    """Proxies send the whole arguments again after the fragments, and gateways to Anthropic (LiteLLM) the empty object that its
    calls begin with: neither leaves a choice."""
    wanted = [reading for reading in found.values() if reading.value] or list(found.values())
    repair = Repair.REPEATED if len(wanted) == 1 else Repair.ONE_OF_SEVERAL
    return [msgspec.structs.replace(each, repairs=(*each.repairs, repair)) for each in wanted]


def _margin(text: str, rows: _Margin) -> Sequence[Repair]:
    for pattern, repairs in rows:
        if pattern.fullmatch(text):
            return repairs
    raise Unreadable


def _decoded_once(text: str) -> str | None:
    """What a JSON string holds that is the whole text, or an object whose quotes are all escaped."""
    if found := _ENCODED.fullmatch(text):
        return unescaped(found[1])
    at = text.find("{")
    if at >= 0 and _ESCAPED_OBJECT.match(text, at):
        return text[:at] + unescaped(text[at:])
    return None


def _without_entities(text: str) -> str | None:
    """The text before it was escaped for HTML (xAI), if its quotes all are; else entities are what the model wrote."""
    if '"' in text or not _ESCAPED_FOR_HTML.search(text):
        return None
    return _ENTITY.sub(lambda found: unescape(found[0]), text)


def _without_closing_fence(text: str) -> str:
    trimmed = text.rstrip()
    body = trimmed.rstrip("`")
    return body if len(trimmed) - len(body) >= 3 else text
