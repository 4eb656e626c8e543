"""Which messages the code says, and with what: read from its syntax trees.

A key is a constant, or computed (`f"error-{reason}"`). Where it stands in the call itself (`words("key", name=value)`), it is known
what the message is filled with; elsewhere any constant that reads like the key counts as saying it.
"""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from pathlib import Path

import msgspec

_COMPUTED = r"[a-z0-9-]+"
"""What stands in a key for a part that the code computes."""
_KEY = re.compile(r"[a-z0-9]+(-[a-z0-9]+)+")
_PLACE_OF_KEY = {"words": 0, "_words": 0, "say": 0, "words_of": 0, "said": 1}
"""Which argument is the key, by what is called: `words("key")`, `words_of(interaction)("key")`, `said(translator, "key")`."""


class Saying(msgspec.Struct, frozen=True):
    place: str
    """File and line."""
    keys: tuple[str, ...]
    """One of them is said."""
    arguments: frozenset[str] | None
    """None where the call does not tell."""


class CodeKeys(msgspec.Struct, frozen=True):
    constants: frozenset[str]
    patterns: tuple[re.Pattern[str], ...]
    sayings: tuple[Saying, ...]

    def may_say(self, key: str) -> bool:
        return key in self.constants or any(pattern.fullmatch(key) for pattern in self.patterns)


def read(code: Path) -> CodeKeys:
    constants: set[str] = set()
    patterns: set[str] = set()
    sayings: list[Saying] = []
    for path in sorted(code.rglob("*.py")):
        if path.parent == Path(__file__).parent:
            continue  # the tables here name keys, and say nothing
        for node in ast.walk(ast.parse(path.read_text("utf-8"))):
            if isinstance(node, ast.Constant) and isinstance(node.value, str):
                constants.add(node.value)
            elif isinstance(node, ast.JoinedStr):
                patterns.add(_pattern(node))
            elif isinstance(node, ast.Call) and (keys := _said(node)):
                sayings.append(Saying(f"{path.relative_to(code.parent)}:{node.lineno}", keys, _arguments(node)))
    telling = [pattern for pattern in patterns if re.search("[a-z]", pattern.replace(_COMPUTED, ""))]
    return CodeKeys(frozenset(constants), tuple(map(re.compile, sorted(telling))), tuple(sayings))


def _pattern(node: ast.JoinedStr) -> str:
    parts = (re.escape(str(part.value)) if isinstance(part, ast.Constant) else _COMPUTED for part in node.values)
    return "".join(parts)


def _said(call: ast.Call) -> tuple[str, ...]:
    called = call.func.func if isinstance(call.func, ast.Call) else call.func
    name = called.id if isinstance(called, ast.Name) else getattr(called, "attr", "")
    nr = _PLACE_OF_KEY.get(name)
    if nr is None or len(call.args) <= nr:
        return ()
    return tuple(key for key in _constants(call.args[nr]) if _KEY.fullmatch(key))


def _constants(node: ast.expr) -> Iterator[str]:
    if isinstance(node, ast.IfExp):
        yield from (*_constants(node.body), *_constants(node.orelse))
    elif isinstance(node, ast.Constant):
        yield str(node.value)


def _arguments(call: ast.Call) -> frozenset[str] | None:
    names = [keyword.arg for keyword in call.keywords]
    return None if None in names else frozenset(filter(None, names))
