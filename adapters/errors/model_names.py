"""The models that a provider names instead of the one asked for, out of its error.

Some have a list in the body, most a sentence: "The supported API model names are a or b, but you passed c" (DeepSeek), "Your
models:" and a name a line (LM Studio), "Did you mean a?". A name is taken only where the sentence says that a list follows,
and the list ends with the first word that no separator parts from the next: so prose is no list.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping
from typing import Final

from adapters.errors.body import MAX_SEARCHED_CHARS, Failure
from adapters.errors.scrub import scrub

MAX_MODELS: Final = 50
MAX_NAME_CHARS: Final = 100

_FIELDS: Final = (
    *("supported_models", "available_models", "valid_models", "allowed_models", "supportedModels", "availableModels"),
    "models",
)

_LIST: Final = re.compile(
    r"""
      (?: supported | available | valid | allowed | permitted | known | loaded | installed | possible )
      (?: \s (?: api | openai | chat ) )* \s models? (?: \s (?: names? | ids? ) )?
      (?: \s (?: for \s this \s (?: endpoint | key | plan ) | on \s this \s server ) )?
      (?: \s (?: are | include | is ) \b \s* :? | (?: \s in )? \s* : )
      | your \s models? \s* :
    """,
    re.VERBOSE | re.IGNORECASE,
)
_SUGGESTION: Final = re.compile(
    r"""(?: did \s you \s mean | try | use | switch \s to ) (?= \s* ["'`] ) | one \s of :? | values \s are :? | available :""",
    re.VERBOSE | re.IGNORECASE,
)
_SEPARATOR: Final = re.compile(r"(?:[\s,;|\[\](){}\"'`*•]|\b(?:or|and)\b|(?<=\s)-(?=\s))+", re.IGNORECASE)
_NAME: Final = re.compile(r"[A-Za-z0-9@~][\w.:/@+~-]*")
_ENDS: Final = re.compile(r"\Z|[\n\t,;|\])}\"'`*•!?]| +(?:(?:or|and)\b|[(\[|*•-])|\s*\Z", re.IGNORECASE)
_QUOTES: Final = frozenset("'\"`")
_NOT_A_NAME: Final = re.compile(r"(?:https?:|www\.|/v1/)", re.IGNORECASE)


def supported_models(failure: Failure, *, suggestions: bool) -> tuple[str, ...]:
    """The names in the order of the error, none twice, at most MAX_MODELS; empty where it lists none.

    `suggestions`: it is known that the error is about the model, so "use 'x' instead" names one, too.
    """
    found: dict[str, None] = {}
    for name in _candidates(failure, (_LIST, _SUGGESTION) if suggestions else (_LIST,)):
        if len(name) <= MAX_NAME_CHARS and scrub(name) == name:
            found[name] = None
            if len(found) == MAX_MODELS:
                break
    return tuple(found)


def _candidates(failure: Failure, intros: Iterable[re.Pattern[str]]) -> Iterator[str]:
    for error in failure.objects:
        for place in (error, error.get("metadata")):
            if isinstance(place, dict):
                for field in _FIELDS:
                    yield from _listed(place.get(field))
    text = failure.message[:MAX_SEARCHED_CHARS]
    if "model" in text.lower():
        for intro in intros:
            for found in intro.finditer(text):
                yield from _named(text, found.end())


def _listed(value: object) -> Iterable[str]:
    if not isinstance(value, list):
        return
    for entry in value:
        name = entry.get("id") or entry.get("name") if isinstance(entry, Mapping) else entry
        if isinstance(name, str) and _NAME.fullmatch(name):
            yield name


def _named(text: str, place: int) -> list[str]:
    """The list that begins here."""
    names: list[str] = []
    while len(names) <= MAX_MODELS:
        gap = _SEPARATOR.match(text, place)
        start = gap.end() if gap else place
        name = _NAME.match(text, start)
        if name is None or _NOT_A_NAME.match(text, start):
            break
        if names and (gap is None or gap[0].strip(" ") == ""):
            break
        plain = name[0].rstrip(".:")
        if plain == name[0] and not _ENDS.match(text, name.end()):
            # A word of a sentence ("see the documentation"), or a piece of something longer.
            break
        if text[start - 1 : start] in _QUOTES or any(character.isdigit() or character in "-/:" for character in plain):
            names.append(plain)
        place = name.end()
        if name[0] != plain:
            break
    return names
