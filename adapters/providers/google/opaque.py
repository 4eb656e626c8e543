"""Gemini's odd fields: what the decoder puts into `opaque`, and what the next request makes of it.

A thought signature belongs to one part and goes back on that part; parts with and without one must not be merged
(https://ai.google.dev/gemini-api/docs/thought-signatures). But the text of a run is joined on its way, so the signature keeps
how many of the run's last characters were its own part: none where it stood on an empty one.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from adapters.contract import Opaque


def signed(signature: str, chars_nr: int) -> Opaque:
    """Of text or a thought whose last `chars_nr` characters are the signed part."""
    return {"thoughtSignature": signature, "signedChars": chars_nr}


def server_part(part: Mapping[str, Any]) -> Opaque:
    """A part that is neither text nor a call (code that ran at Google's, its output, a search): it follows the text.

    Empty fields, as gateways fill them in, stay behind: of `text`, `functionCall` and the like the API takes one only.
    """
    return {"part": {name: value for name, value in part.items() if value not in (None, "", False)}}


def call_fields(signature: str | None, call_id: str) -> Opaque | None:
    """Of a call. The id only where the wire had one: an id made up here means nothing there."""
    fields = {"thoughtSignature": signature, "id": call_id}
    return {key: value for key, value in fields.items() if value} or None


def text_parts(text: str, opaque: Opaque | None, *, thought: bool = False) -> Iterator[dict[str, Any]]:
    """The parts that a run of text, or of a thought, was. Only the signed piece of a thought is worth sending."""
    fields = dict(opaque or {})
    signature, part = fields.get("thoughtSignature"), fields.get("part")
    head, tail = text, ""
    if signature:
        cut = max(len(text) - int(fields.get("signedChars", len(text))), 0)
        head, tail = text[:cut], text[cut:]
    flag = {"thought": True} if thought else {}
    if head and not thought:
        yield {"text": head}
    if signature:
        yield {"text": tail, **flag, "thoughtSignature": signature}
    if part:
        yield part
