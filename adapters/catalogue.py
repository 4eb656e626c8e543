"""What is known of a model: its context window, what it can do, what it costs.

Three sources, field by field the first that knows: the operator's own file, the provider's live listing, and the rows that
Parley carries (models.csv). The same model has many names at many hosts (`anthropic/claude-opus-5`,
`eu.anthropic.claude-opus-5-20260601-v1:0`, `models/gemini-3.5-flash`), so rows are looked up by a bare name; a price counts
only where the seller is the one that asks for it.
"""

from __future__ import annotations

import csv
import re
from collections.abc import Iterable, Iterator, Sequence
from fnmatch import fnmatchcase
from functools import cache
from pathlib import Path
from typing import Any, Final

import msgspec

from adapters.contract import ModelInfo, Origin

_SHIPPED: Final = Path(__file__).with_name("models.csv")

_CAPABILITIES: Final = ("vision", "tools", "reasoning")
_COUNTS: Final = ("context_window", "output_limit")
_PRICES: Final = ("input_price", "output_price")
_COLUMNS: Final = ("sellers", "model", *_COUNTS, *_CAPABILITIES, *_PRICES)
_WORDS: Final = {"yes": True, "no": False, "": None}

_PREFIX: Final = re.compile(
    r"""^ (?: .*/ )?                                                    # models/, vendor/, accounts/…/models/
          (?: (?:us|us-gov|eu|apac|jp|au|ca|global) \. )?                # Bedrock: region of inference
          (?: (?:amazon|anthropic|meta|mistral|deepseek|openai|qwen|moonshot|zai|google|nvidia|cohere|ai21|minimax|xai|writer) \. )?   # Bedrock: vendor
    """,
    re.VERBOSE,
)
_SUFFIX: Final = re.compile(r"(?: -v\d+ (?: :\d+ (?: :\d+k )? )? | :[a-z0-9._-]+ | @[a-z0-9-]+ )$", re.VERBOSE)
"""Bedrock's `-v1:0` and `-v2:0:200k`, a router's or Ollama's `:free` and `:135m`, Vertex's `@20250929`."""


class CatalogueError(ValueError):
    """The file is not a catalogue. The message is one sentence that names the line."""


class Row(msgspec.Struct, frozen=True):
    """One family of models."""

    sellers: tuple[str, ...]
    pattern: str
    info: ModelInfo

    def fits(self, bare: str) -> bool:
        return fnmatchcase(bare, self.pattern)

    def seen_from(self, provider: str) -> ModelInfo:
        """Prices are the sellers' alone."""
        if any(fnmatchcase(provider, seller) for seller in self.sellers):
            return self.info
        return msgspec.structs.replace(self.info, input_price=None, output_price=None)


class Catalogue:
    """`own` are the operator's rows; they go before everything else."""

    def __init__(self, own: Sequence[Row] = ()) -> None:
        self._own = tuple(own)
        self._listed: dict[tuple[str, str | None], dict[str, ModelInfo]] = {}

    def learn(self, provider: str, base_url: str | None, models: Iterable[ModelInfo]) -> None:
        """What a live listing said; the newest listing of a place stands."""
        self._listed[provider, base_url] = {model.id: model for model in models}

    def forget(self, provider: str, base_url: str | None) -> None:
        """What that place listed: nobody looks at it any more."""
        self._listed.pop((provider, base_url), None)

    def find(self, origin: Origin) -> ModelInfo:
        """All that is known; a model that nobody knows has None everywhere."""
        bare = bare_name(origin.model)
        listed = self._listed.get((origin.provider, origin.base_url), {}).get(origin.model)
        known = [_best(self._own, bare, origin.provider), listed, _best(shipped(), bare, origin.provider)]
        return _first_known(origin.model, [info for info in known if info is not None])


def bare_name(model: str) -> str:
    """`eu.anthropic.claude-opus-5-v1:0` -> `claude-opus-5`; lower case."""
    return _SUFFIX.sub("", _PREFIX.sub("", model.strip().lower(), count=1))


@cache
def shipped() -> Sequence[Row]:
    return tuple(read_rows(_SHIPPED.read_text("utf-8"), _SHIPPED.name))


def read_rows(text: str, name: str) -> Iterator[Row]:
    """The rows of a catalogue in the form of models.csv. Raises CatalogueError; `name` is the file's, for its message."""
    lines = [(nr, line) for nr, line in enumerate(text.splitlines(), start=1) if line.strip() and line[0] != "#"]
    if not lines or tuple(next(csv.reader([lines[0][1]]))) != _COLUMNS:
        raise CatalogueError(f"{name}: the first row must be {','.join(_COLUMNS)}")
    for nr, line in lines[1:]:
        try:
            values = next(csv.reader([line]))
        except csv.Error as fault:
            raise CatalogueError(f"{name}, line {nr}: {fault}") from None
        if len(values) != len(_COLUMNS):
            raise CatalogueError(f"{name}, line {nr}: {len(values)} fields instead of {len(_COLUMNS)}")
        row = dict(zip(_COLUMNS, (value.strip() for value in values), strict=True))
        fields: dict[str, Any] = {
            "id": row["model"],
            **{column: row[column] or None for column in (*_COUNTS, *_PRICES)},
        }
        try:
            fields |= {column: _WORDS[row[column].lower()] for column in _CAPABILITIES}
            info = msgspec.convert(fields, ModelInfo, strict=False)
        except KeyError as fault:
            raise CatalogueError(f"{name}, line {nr}: {fault} is neither yes nor no") from None
        except msgspec.ValidationError as fault:
            raise CatalogueError(f"{name}, line {nr}: {fault}") from None
        yield Row(tuple(filter(None, row["sellers"].split("|"))), row["model"].lower(), info)


def _best(rows: Sequence[Row], bare: str, provider: str) -> ModelInfo | None:
    fitting = [row for row in rows if row.fits(bare)]
    return max(fitting, key=lambda row: len(row.pattern)).seen_from(provider) if fitting else None


def _first_known(model: str, known: Sequence[ModelInfo]) -> ModelInfo:
    def first(field: str) -> object:
        return next((value for info in known if (value := getattr(info, field)) is not None), None)

    fields = {field: first(field) for field in ModelInfo.__struct_fields__ if field != "id"}
    return msgspec.convert({**fields, "id": model}, ModelInfo)
