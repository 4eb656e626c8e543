"""What a JSON Schema says of an object's shape, read without a validator: its fields, and one line of it for the model.

References are followed inside the schema only (`#/$defs/…`), and nesting to a bounded depth, so that a schema that refers to itself
or was made to be endless costs no more than another. What is not understood reads as `any`: the validator judges, not this.
"""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from typing import Any, Final
from urllib.parse import unquote

from adapters.contract import ToolSpec

MAX_HOPS: Final = 8
"""References that lead to references."""
MAX_UNIONS: Final = 4
"""Halved with each union in a union; at 0 no further one is looked into."""
MAX_DEPTH: Final = 3
"""Levels of nesting that are written out."""
MAX_ENTRIES: Final = 12
"""Fields, values and branches that are written out."""
MAX_STEPS: Final = 8
"""Of a path, the last ones."""
MAX_CHARS: Final = 600
MAX_VALUE_CHARS: Final = 80

TYPE_WORDS: Final[Mapping[str, str]] = {
    "integer": "an integer",
    "number": "a number",
    "boolean": "true or false",
    "string": "a string",
    "array": "an array",
    "object": "an object",
    "null": "null",
}

_ANY: Final[Mapping[str, Any]] = {}


def at_pointer(root: Any, steps: Sequence[str | int]) -> Any:
    """What stands at this place of a JSON value; None where nothing does."""
    for step in steps:
        if isinstance(root, Mapping):
            root = root.get(str(step))
        elif isinstance(root, list | tuple) and str(step).isdecimal() and int(step) < len(root):
            root = root[int(step)]
        else:
            return None
    return root


def referred(reference: Any, root: Any) -> Any:
    """The schema that a `$ref` inside of `root` names; None where it leads out of it, or nowhere."""
    if not isinstance(reference, str) or not (reference == "#" or reference.startswith("#/")):
        return None
    steps = unquote(reference).split("/")[1:]
    return at_pointer(root, [step.replace("~1", "/").replace("~0", "~") for step in steps])


def resolved(schema: Any, root: Any) -> Mapping[str, Any]:
    """The schema with its references followed; an empty one for `true`, and for what is no schema."""
    for _ in range(MAX_HOPS):
        if not isinstance(schema, Mapping) or "$ref" not in schema:
            break
        beside = {key: value for key, value in schema.items() if key != "$ref"}
        target = referred(schema["$ref"], root)
        schema = {**target, **beside} if isinstance(target, Mapping) else beside
    return schema if isinstance(schema, Mapping) else _ANY


def branches(schema: Mapping[str, Any]) -> list[Any]:
    """The schemas that stand in place beside this one."""
    return [each for key in ("allOf", "anyOf", "oneOf") if isinstance(schema.get(key), list) for each in schema[key]]


def declared(schema: Any, root: Any, hops: int = MAX_UNIONS) -> dict[str, Any]:
    """The properties that the schema, or one that stands in place beside it, declares."""
    schema = resolved(schema, root)
    properties = schema.get("properties")
    found = dict(properties) if isinstance(properties, Mapping) else {}
    if hops:
        for branch in branches(schema)[: MAX_ENTRIES * 2]:
            found = {**declared(branch, root, hops // 2), **found}
    return found


def describe(tool: ToolSpec) -> str:
    """The arguments' shape in one line for the model, such as `{"city": string, "unit"?: "c" | "f"}`."""
    text = shape(tool.parameters, tool.parameters)
    return "object" if text == "any" else clipped(text, MAX_CHARS)


def wanted(schema: Any, root: Any) -> str:
    """The shape as part of a sentence: `a string or null`, `"c" | "f"`."""
    text = shape(schema, root)
    kinds = text.split(" | ")
    return " or ".join(TYPE_WORDS[kind] for kind in kinds) if TYPE_WORDS.keys() >= set(kinds) else text


def shape(schema: Any, root: Any, depth: int = MAX_DEPTH) -> str:
    if schema is False:
        return "nothing"
    schema = resolved(schema, root)
    if "const" in schema:
        return json_text(schema["const"])
    if isinstance(schema.get("enum"), list):
        return _joined([json_text(value) for value in schema["enum"][:MAX_ENTRIES]], len(schema["enum"]), " | ")
    for key, mark in (("anyOf", " | "), ("oneOf", " | "), ("allOf", " & ")):
        inner = schema.get(key)
        if isinstance(inner, list) and inner and "properties" not in schema:
            texts = [shape(each, root, depth - 1) for each in inner[:MAX_ENTRIES]] if depth else ["any"]
            return _joined(list(dict.fromkeys(texts)), len(set(texts)), mark)
    kinds = schema.get("type", "object" if "properties" in schema else "any")
    texts = [_of_type(str(kind), schema, root, depth) for kind in (kinds if isinstance(kinds, list) else [kinds])]
    return " | ".join(texts[:MAX_ENTRIES])


def _of_type(kind: str, schema: Mapping[str, Any], root: Any, depth: int) -> str:
    if kind == "array" and "items" in schema and depth:
        item = shape(schema["items"], root, depth - 1)
        return f"({item})[]" if " " in item and not item.startswith("{") else f"{item}[]"
    if kind != "object" or not isinstance(schema.get("properties"), Mapping) or not depth:
        return clipped(kind)
    properties, required = schema["properties"], schema.get("required")
    must = {str(name) for name in required} if isinstance(required, list) else set()
    fields = [
        f"{json_text(name)}{'' if name in must else '?'}: {shape(inner, root, depth - 1)}"
        for name, inner in list(properties.items())[:MAX_ENTRIES]
    ]
    return "{" + _joined(fields, len(properties), ", ") + "}"


def _joined(texts: list[str], total: int, mark: str) -> str:
    return mark.join([*texts, "…"] if total > len(texts) else texts)


def path_text(path: Sequence[str | int]) -> str:
    """A path as people write it: `rows[3].name`; `arguments` for the top."""
    shown = path if len(path) <= MAX_STEPS else ["…", *path[-MAX_STEPS:]]
    text = "".join(f"[{step}]" if isinstance(step, int) else f".{clipped(step, 40)}" for step in shown)
    return text.removeprefix(".") or "arguments"


def json_text(value: Any) -> str:
    """A value as JSON, a few words of it at most."""
    if isinstance(value, str):
        value = value[: MAX_VALUE_CHARS + 1]
    try:
        text = json.dumps(value, ensure_ascii=False, default=str)
    except (ValueError, RecursionError):
        text = "…"
    # A half of a surrogate pair cannot be sent on.
    return clipped(text.encode(errors="replace").decode())


def clipped(text: str, length: int = MAX_VALUE_CHARS) -> str:
    return text if len(text) <= length else f"{text[: length - 1]}…"
