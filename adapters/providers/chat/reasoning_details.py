"""OpenRouter's `reasoning_details`: the pieces of a stream become the blocks that the next request must give back unchanged.

A block comes in pieces that share type and index: `reasoning.text` and `reasoning.summary` grow by their texts, and a signature
may follow in a piece of its own. `reasoning.encrypted` comes whole. The index often stays 0 for a whole answer (its format is
then "unknown"), so two ids, or text after the signature, begin another block. The order is that of the first pieces.
(https://openrouter.ai/docs/use-cases/reasoning-tokens, "Preserving reasoning".)
"""

from __future__ import annotations

from typing import Any, Final

from adapters.wire.loose_json import objects, string
from adapters.wire.surrogates import without_halves

_GROWING: Final = ("text", "summary")


class _Block:
    """One block under construction: its growing texts as pieces, the rest as last told."""

    __slots__ = ("fields", "pieces")

    def __init__(self) -> None:
        self.fields: dict[str, Any] = {}
        self.pieces: dict[str, list[str]] = {}

    def add(self, detail: dict[str, Any]) -> None:
        for key, value in detail.items():
            if key in _GROWING and isinstance(value, str):
                self.pieces.setdefault(key, []).append(value)
                self.fields.setdefault(key, "")
            elif value not in (None, "") or key not in self.fields:
                self.fields[key] = value

    def takes(self, detail: dict[str, Any]) -> bool:
        """Whether this piece, of the same type and index, goes on with the block."""
        mine, other = self.fields.get("id"), detail.get("id")
        if mine and other and mine != other:
            return False
        signature = self.fields.get("signature")
        return (
            not signature or signature == detail.get("signature") or not (detail.get("text") or detail.get("summary"))
        )

    def whole(self) -> dict[str, Any]:
        grown = {key: "".join(pieces) for key, pieces in self.pieces.items()}
        return {key: without_halves(grown.get(key, value)) for key, value in self.fields.items()}


class ReasoningDetails:
    """Feed it every delta's list, in stream order; linear in their number."""

    def __init__(self) -> None:
        self._blocks: list[_Block] = []
        self._open: dict[tuple[str, int | None], _Block] = {}
        self._plain: dict[str, Any] | None = None
        self._pieces: list[str] = []
        """Of the block under way, where its last piece was text alone: that piece without its text, and where texts go."""

    def __bool__(self) -> bool:
        return bool(self._blocks)

    def add(self, details: list[Any]) -> None:
        for detail in objects(details):
            text = detail.get("text")
            if self._plain is not None and isinstance(text, str) and {**detail, "text": ""} == self._plain:
                # The short way, of nearly all pieces: one more text, and nothing else that is new.
                self._pieces.append(text)
            else:
                self._add(detail)

    def whole(self) -> list[dict[str, Any]]:
        """The blocks, as the provider wants them back."""
        return [block.whole() for block in self._blocks]

    def _add(self, detail: dict[str, Any]) -> None:
        self._plain = None
        index = detail.get("index")
        key = (string(detail.get("type")), index if isinstance(index, int) else None)
        block = self._open.get(key)
        grows = any(field in detail for field in (*_GROWING, "signature"))
        if not grows and block is not None and block.fields == detail:
            # The same encrypted block once more, as gateways repeat it in their last chunk.
            return
        if block is None or not grows or not block.takes(detail):
            block = self._open[key] = _Block()
            self._blocks.append(block)
        block.add(detail)
        if isinstance(detail.get("text"), str) and "summary" not in detail and not block.fields.get("signature"):
            self._plain = {**detail, "text": ""}
            self._pieces = block.pieces["text"]
