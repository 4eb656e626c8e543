"""Names of models as people see and type them: `gpt-5`, and `provider: gpt-5` where there are several places to have one from.

A place is a provider at an address. Where a provider is there at several addresses, the host says which: `custom@llm.example: qwen3`.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from difflib import get_close_matches
from urllib.parse import urlsplit

import msgspec

from adapters import registry

MOST_SUGGESTED = 25
LONGEST_VALUE = 100
"""Code points; both as Discord takes them of a suggestion."""
_NEAR, _ALIKE = 3, 0.4
_BETWEEN = ": "


class Place(msgspec.Struct, frozen=True):
    """Where models are to be had, and which, best first."""

    provider: str
    base_url: str
    """Empty: the provider's own."""
    names: tuple[str, ...] = ()


class Typed(msgspec.Struct, frozen=True):
    """What somebody meant. Without a place it is not clear which, or it is none of those that there are."""

    name: str
    place: Place | None = None
    provider: str = ""
    """That was named and is not there."""


def suggestions(places: Sequence[Place], typed: str) -> list[str]:
    """What begins with it, or has a part that does, before what only holds it; at most MOST_SUGGESTED."""
    wanted = typed.strip().casefold()
    shown = [_shown(label, name, len(places)) for label, place in labels(places).items() for name in place.names]
    fitting = [value for value in dict.fromkeys(shown) if wanted in value.casefold() and len(value) <= LONGEST_VALUE]
    return sorted(fitting, key=lambda value: not _begins(value.casefold(), wanted))[:MOST_SUGGESTED]


def read(places: Sequence[Place], typed: str) -> Typed:
    """A suggestion, or the name of a model: where only one place has it, or there is only one, that one is meant."""
    typed = typed.strip()
    before, between, after = typed.partition(_BETWEEN)
    label, name = before.strip().casefold(), after.strip()
    if between and name:
        by_label = {known.casefold(): place for known, place in labels(places).items()}
        if label in by_label:
            return Typed(name, by_label[label])
        named = [place for place in places if place.provider == label]
        if named or label in registry.NAMES:
            return Typed(name, provider=label)
    having = [place for place in places if typed in place.names]
    if len(having) == 1:
        return Typed(typed, having[0])
    return Typed(typed, places[0] if len(places) == 1 else None)


def labels(places: Iterable[Place]) -> Mapping[str, Place]:
    """What the places are called."""
    places = list(places)
    providers = [place.provider for place in places]
    found: dict[str, Place] = {}
    for place in places:
        is_alone = providers.count(place.provider) == 1 or not place.base_url
        label = place.provider if is_alone else f"{place.provider}@{urlsplit(place.base_url).hostname}"
        # Several addresses of one host are counted: a path may have a secret in it, and everybody sees this.
        alike = sum(it.partition(" ")[0] == label for it in found)
        found[label if not alike else f"{label} {alike + 1}"] = place
    return found


def near(place: Place, name: str) -> Sequence[str]:
    """Names there that are spelled much like it."""
    return get_close_matches(name, place.names, n=_NEAR, cutoff=_ALIKE)


def _shown(label: str, name: str, count: int) -> str:
    return name if count == 1 else f"{label}{_BETWEEN}{name}"


def _begins(value: str, wanted: str) -> bool:
    name = value.rpartition(_BETWEEN)[2]
    return any(part.startswith(wanted) for part in (value, name, name.rpartition("/")[2]))
