"""What the Responses API wants back with the next request, and how it is kept in a conversation's opaque fields.

thought      {"nr", "item"}: the reasoning item; once more with "late" where only the final response brings its encrypted
             content (Azure)
text         {"id", "phase"}: of the message item that ends here
text         {"item"}: a tool that ran at the provider's, or {"left_out": type} where its item cannot be sent back
call         all fields of the item that the call itself does not hold: its id, its namespace, its caller
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Final

from adapters.contract import Opaque

JOINT: Final = "\n\n"
"""Shown between two messages of one answer (commentary and final answer), and between the parts of a summary: the wire has
nothing there."""

FREE_TEXT_CALL: Final = "custom_tool_call"
"""A call whose input is no JSON; it stands as one argument, `input`."""

_SENDABLE: Final = frozenset(
    (
        *("web_search_call", "file_search_call", "code_interpreter_call", "mcp_list_tools", "mcp_call"),
        *("tool_search_call", "tool_search_output", "compaction", "program", "program_output"),
    )
)
"""Items of tools that ran at the provider's, which go back as they are. The others are a call that wants a result from us
(computer, shell, patch, approval: never offered), or hold a whole picture."""

_IN_THE_CALL: Final = frozenset({"type", "status", "call_id", "name", "arguments", "input"})


def reasoning_opaque(nr: int, value: Mapping[str, Any], *, late: bool = False) -> Opaque:
    """`nr` is the item's place in the answer."""
    item = {name: field for name, field in value.items() if field and name != "status"}
    if "encrypted_content" in item:
        # OpenAI refuses an item that holds the reasoning in plain text too.
        item.pop("content", None)
    opaque = {"nr": nr, "item": {**item, "summary": item.get("summary", [])}}
    return {**opaque, "late": True} if late else opaque


def message_opaque(value: Mapping[str, Any]) -> Opaque | None:
    return {name: value[name] for name in ("id", "phase") if isinstance(value.get(name), str)} or None


def call_opaque(kind: str, value: Mapping[str, Any]) -> Opaque | None:
    """`kind` is the item's type."""
    opaque = {name: field for name, field in value.items() if name not in _IN_THE_CALL and field is not None}
    return {**opaque, "type": kind} if kind == FREE_TEXT_CALL else opaque or None


def tool_opaque(kind: str, value: Mapping[str, Any]) -> Opaque:
    if kind in _SENDABLE:
        return {"item": {name: field for name, field in value.items() if field is not None}}
    return {"left_out": kind}
