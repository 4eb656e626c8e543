"""The arguments of a call that Vertex streams value by value (streamFunctionCallArguments).

    {"name": "cook", "willContinue": true}
    {"partialArgs": [{"jsonPath": "$.steps[0]", "stringValue": "Peel", "willContinue": true}], "willContinue": true}
    {"partialArgs": [{"jsonPath": "$.steps[0]", "stringValue": " them"}], "willContinue": true}
    {}

A path (RFC 9535, names and positions only) says which value is meant; a string that will continue takes the next piece of its
path. Pieces are kept by path and made one object at the end, so the work is linear. A list grows by one at a time: a position
far beyond its end would be memory for nothing, and is a broken call.
"""

from __future__ import annotations

import json
import re
from itertools import pairwise
from typing import Any, Final, TypeAlias

from adapters.providers.google.chunks import string
from adapters.wire.loose_json import objects

_Step: TypeAlias = str | int
_VALUES: Final = ("stringValue", "numberValue", "boolValue", "nullValue")
_STEP: Final = re.compile(
    r"""\.([^.\[\]]+) | \[(\d{1,9})\] | \['((?:[^'\\]|\\.)*)'\] | \["((?:[^"\\]|\\.)*)"\]""", re.VERBOSE
)


class StreamedArguments:
    """Feed it every `partialArgs`, then ask for the text."""

    def __init__(self) -> None:
        self._values: dict[str, Any] = {}
        self._whole: dict[str, Any] = {}
        self._continues: str | None = None

    def __bool__(self) -> bool:
        return bool(self._values or self._whole)

    @property
    def in_string(self) -> bool:
        """A string was begun and not ended."""
        return self._continues is not None

    def add(self, partial: object, args: object = None) -> None:
        """One fragment; `args`, where a server sends them whole as well, are the ground that the values stand on."""
        if isinstance(args, dict):
            self._whole.update(args)
        for piece in objects(partial):
            path = string(piece.get("jsonPath"))
            if path is not None:
                self._add_piece(path, piece)

    def text(self, *, whole: bool) -> str:
        """The arguments as JSON. Not the whole of them: with a comma for the last brace, so that nobody can take it for an object,
        nor for one whose brace was forgotten."""
        try:
            text = json_text(self._tree())
        except (ValueError, RecursionError):
            return json_text([self._joined(value) for value in self._values.values()])
        return text if whole else text[:-1] + ","

    def _add_piece(self, path: str, piece: dict[str, Any]) -> None:
        kind = next((kind for kind in _VALUES if kind in piece), None)
        value = None if kind in (None, "nullValue") else piece[kind]
        if isinstance(value, str) and self._continues == path:
            self._values[path].append(value)
        elif isinstance(value, str):
            self._values[path] = [value]
        elif kind is not None:
            self._values[path] = value
        opened = piece.get("willContinue") is True and isinstance(self._values.get(path), list)
        self._continues = path if opened else None

    def _tree(self) -> dict[str, Any]:
        root = dict(self._whole)
        for path, value in self._values.items():
            _place(root, _steps(path), self._joined(value))
        return root

    @staticmethod
    def _joined(value: Any) -> Any:
        return "".join(value) if isinstance(value, list) else value


def json_text(value: Any) -> str:
    """Halves of surrogate pairs stay as they are, and so does NaN, which msgspec would write as null."""
    return json.dumps(value, ensure_ascii=False, separators=(",", ":"))


def _steps(path: str) -> list[_Step]:
    """Raises ValueError for what is no such path."""
    if not path.startswith("$"):
        raise ValueError
    steps: list[_Step] = []
    at = 1
    while at < len(path):
        match = _STEP.match(path, at)
        if match is None:
            raise ValueError
        name, position, single, double = match.groups()
        quoted = single if single is not None else double
        if position is not None:
            steps.append(int(position))
        else:
            steps.append(name if quoted is None else re.sub(r"\\(.)", r"\1", quoted))
        at = match.end()
    if not steps:
        raise ValueError
    return steps


def _place(root: dict[str, Any], steps: list[_Step], value: Any) -> None:
    node: Any = root
    for step, following in pairwise(steps):
        node = _at(node, step, [] if isinstance(following, int) else {})
    _at(node, steps[-1], value, replace=True)


def _at(node: Any, step: _Step, value: Any, *, replace: bool = False) -> Any:
    """What stands at this step, which is `value` if nothing stood there. Raises ValueError where nothing can."""
    if isinstance(step, str) and isinstance(node, dict):
        if replace or step not in node:
            node[step] = value
    elif isinstance(step, int) and isinstance(node, list) and step <= len(node):
        if step == len(node):
            node.append(value)
        elif replace:
            node[step] = value
    else:
        raise ValueError
    return node[step]
