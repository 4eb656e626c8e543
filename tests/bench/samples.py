"""Streams as providers send them, made up but always the same: what every contestant reads, and what it should make of it.

A sample is a list of reads, one event each, as a live stream arrives. The envelope around each delta (ids, fingerprints, padding)
is as large as the provider's own, since skipping it is most of the work. Vocabulary: pieces of words, punctuation, and what JSON
must escape or UTF-8 writes in several bytes.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from itertools import zip_longest
from random import Random
from typing import Any, Final

import msgspec

VOCABULARY: Final = (
    *(" the", " a", " and", " of", " to", "tion", "ing", " stream", " answer", " it", " what", " because", "s", "ly"),
    *(".", ",", "?", ":", "\n", "\n\n", " - ", '"', "`", "**", "\\", "{", "}", "(", ")", "0", "42"),
    *(" café", " größer", " да", "日本", "の", "🙂", "👩‍💻"),
)

SEED: Final = 20
CALLS: Final = 200
"""Calls of the sample `chat-tools`, side by side, their fragments taking turns."""


class Sample(msgspec.Struct, frozen=True):
    """One answer of one provider."""

    name: str
    provider: str
    """The name in adapters.registry."""
    reads: tuple[bytes, ...]
    text: str = ""
    calls: tuple[tuple[str, Any], ...] = ()
    """(name, arguments as a value)."""

    @property
    def bytes_nr(self) -> int:
        return sum(map(len, self.reads))


def words(number: int, seed: int = SEED) -> list[str]:
    return Random(seed).choices(VOCABULARY, k=number)


def prose(number: int, seed: int = SEED) -> list[str]:
    """Plain text: twelve words a sentence, six sentences a paragraph."""
    random = Random(seed)
    plain = [piece for piece in VOCABULARY if piece.strip().isalpha()]

    def piece(place: int) -> str:
        return "." if place % 12 == 11 else "\n\n" if place % 72 == 0 else random.choice(plain)

    return [piece(place) for place in range(1, number + 1)]


def _event(value: object, name: str = "", end: bytes = b"\n\n") -> bytes:
    head = b"event: %b\n" % name.encode() if name else b""
    return head + b"data: " + msgspec.json.encode(value) + end


def _padding(random: Random) -> str:
    """OpenAI pads its deltas, so that their length does not tell the token."""
    return "".join(random.choices("abcdefghijklmnopqrstuvwxyz0123456789", k=random.randrange(1, 13)))


# ------------------------------------------------------------------------------------------------- Chat Completions

_CHAT_HEAD: Final = {
    "id": "chatcmpl-Cq3yL0bWmXnR7sTtVd9eKpFhJ2aZu",
    "object": "chat.completion.chunk",
    "created": 1764500000,
    "model": "gpt-4.1-2025-04-14",
    "service_tier": "default",
    "system_fingerprint": "fp_3f7a91c0de",
}


def _chat_reads(deltas: Sequence[Mapping[str, Any]], finish: str) -> tuple[bytes, ...]:
    random = Random(SEED)
    first = {"role": "assistant", "content": "", "refusal": None}

    def chunk(delta: Mapping[str, Any], reason: str | None) -> bytes:
        choice = {"index": 0, "delta": delta, "logprobs": None, "finish_reason": reason}
        return _event({**_CHAT_HEAD, "choices": [choice], "usage": None, "obfuscation": _padding(random)})

    usage = {
        "prompt_tokens": 40,
        "completion_tokens": len(deltas),
        "total_tokens": 40 + len(deltas),
        "prompt_tokens_details": {"cached_tokens": 0, "audio_tokens": 0},
        "completion_tokens_details": {"reasoning_tokens": 0, "audio_tokens": 0},
    }
    return (
        chunk(first, None),
        *(chunk(delta, None) for delta in deltas),
        chunk({}, finish),
        _event({**_CHAT_HEAD, "choices": [], "usage": usage, "obfuscation": ""}),
        b"data: [DONE]\n\n",
    )


def chat_text(deltas: int) -> Sample:
    pieces = words(deltas)
    reads = _chat_reads([{"content": piece} for piece in pieces], "stop")
    return Sample("chat-text", "openai-chat", reads, "".join(pieces))


def chat_prose(deltas: int) -> Sample:
    """Words, sentences and paragraphs, and nothing that could begin anything else."""
    pieces = prose(deltas)
    return Sample(
        "chat-prose", "openai-chat", _chat_reads([{"content": piece} for piece in pieces], "stop"), "".join(pieces)
    )


def chat_tools(deltas: int) -> Sample:
    """CALLS calls; the first fragment of each, then their second ones, and so on."""
    per_call = max(1, deltas // CALLS)
    calls = tuple((f"tool_{number % 17}", _arguments(number, per_call)) for number in range(CALLS))
    cut = [_cut(msgspec.json.encode(arguments).decode(), per_call) for _, arguments in calls]
    opening = (
        _call_delta(number, {"id": f"call_{number:024d}", "type": "function"}, {"name": name, "arguments": ""})
        for number, (name, _) in enumerate(calls)
    )
    rest = (
        _call_delta(number, {}, {"arguments": fragment})
        for fragments in zip_longest(*cut)
        for number, fragment in enumerate(fragments)
        if fragment is not None
    )
    return Sample("chat-tools", "openai-chat", _chat_reads([*opening, *rest], "tool_calls"), calls=calls)


def _call_delta(index: int, head: Mapping[str, Any], function: Mapping[str, Any]) -> Mapping[str, Any]:
    return {"tool_calls": [{"index": index, **head, "function": function}]}


def _arguments(number: int, fragments: int) -> Mapping[str, Any]:
    return {"title": f"row {number}", "limit": 7, "exact": True, "body": "".join(words(fragments, seed=number))}


def _cut(text: str, pieces: int) -> list[str]:
    size = -(-len(text) // pieces)
    return [text[start : start + size] for start in range(0, len(text), size)]


# -------------------------------------------------------------------------------------------------------- Responses


_ITEM_ID: Final = "msg_0a1b2c3d4e5f60718293a4b5c6d7e8f90123456789abcdef"

_RESPONSE: Final[Mapping[str, Any]] = msgspec.json.decode(b"""{
    "object": "response", "created_at": 1764500000, "status": "in_progress", "error": null, "incomplete_details": null,
    "instructions": null, "max_output_tokens": null, "model": "gpt-4.1-2025-04-14", "output": [],
    "parallel_tool_calls": true, "previous_response_id": null, "reasoning": {"effort": null, "summary": null},
    "store": false, "temperature": 1.0, "text": {"format": {"type": "text"}}, "tool_choice": "auto", "tools": [],
    "top_p": 1.0, "truncation": "disabled", "usage": null, "user": null, "metadata": {}
}""")


def responses_text(deltas: int) -> Sample:
    pieces = words(deltas)
    text = "".join(pieces)
    return Sample("responses-text", "openai-responses", tuple(_responses_reads(pieces, text)), text)


def _responses_reads(pieces: Sequence[str], text: str) -> Iterator[bytes]:
    random, position = Random(SEED), iter(range(len(pieces) + 10))
    place = {"item_id": _ITEM_ID, "output_index": 0, "content_index": 0}
    response = {"id": "resp_0a1b2c3d4e5f60718293a4b5c6d7e8f90123456789abcdef", **_RESPONSE}

    def event(kind: str, **fields: Any) -> bytes:
        return _event({"type": kind, "sequence_number": next(position), **fields}, kind)

    def part(content: str) -> dict[str, Any]:
        return {"type": "output_text", "text": content, "annotations": [], "logprobs": []}

    def item(status: str, content: Sequence[Any]) -> dict[str, Any]:
        return {"id": _ITEM_ID, "type": "message", "status": status, "role": "assistant", "content": content}

    yield event("response.created", response=response)
    yield event("response.in_progress", response=response)
    yield event("response.output_item.added", output_index=0, item=item("in_progress", []))
    yield event("response.content_part.added", **place, part=part(""))
    for piece in pieces:
        yield event("response.output_text.delta", **place, delta=piece, logprobs=[], obfuscation=_padding(random))
    yield event("response.output_text.done", **place, text=text, logprobs=[])
    yield event("response.content_part.done", **place, part=part(text))
    whole = item("completed", [part(text)])
    yield event("response.output_item.done", output_index=0, item=whole)
    usage = {
        "input_tokens": 40,
        "input_tokens_details": {"cached_tokens": 0},
        "output_tokens": len(pieces),
        "output_tokens_details": {"reasoning_tokens": 0},
        "total_tokens": 40 + len(pieces),
    }
    yield event("response.completed", response={**response, "status": "completed", "output": [whole], "usage": usage})


# --------------------------------------------------------------------------------------------------------- Messages


_ANTHROPIC_MESSAGE: Final = msgspec.json.decode(b"""{
    "id": "msg_01AbCdEfGhJkLmNpQrStUvWx", "type": "message", "role": "assistant", "model": "claude-sonnet-4-5-20250929",
    "content": [], "stop_reason": null, "stop_sequence": null, "usage": {"input_tokens": 40, "output_tokens": 1,
    "cache_creation_input_tokens": 0, "cache_read_input_tokens": 0, "service_tier": "standard"}
}""")


def anthropic_text(deltas: int) -> Sample:
    pieces = words(deltas)
    block = _anthropic_block(0, {"type": "text", "text": ""}, [{"type": "text_delta", "text": each} for each in pieces])
    return Sample("anthropic-text", "anthropic", _anthropic_reads("end_turn", block), "".join(pieces))


def anthropic_mixed(deltas: int) -> Sample:
    """A thought, a text and one large call."""
    thought, pieces = words(deltas // 4, seed=1), words(deltas // 2)
    arguments = _arguments(0, deltas // 4)
    fragments = _cut(msgspec.json.encode(arguments).decode(), max(1, deltas // 4))
    signature = {"type": "signature_delta", "signature": "EqMBCkYIBxgCKkCxyz0123456789abcdefghijklmnopqrstuvw=="}
    blocks = (
        *_anthropic_block(
            0,
            {"type": "thinking", "thinking": "", "signature": ""},
            [*({"type": "thinking_delta", "thinking": each} for each in thought), signature],
        ),
        *_anthropic_block(1, {"type": "text", "text": ""}, [{"type": "text_delta", "text": each} for each in pieces]),
        *_anthropic_block(
            2,
            {"type": "tool_use", "id": "toolu_01AbCdEfGhJkLmNpQrStUvWx", "name": "save", "input": {}},
            [{"type": "input_json_delta", "partial_json": each} for each in fragments],
        ),
    )
    reads = _anthropic_reads("tool_use", blocks)
    return Sample("anthropic-mixed", "anthropic", reads, "".join(pieces), (("save", arguments),))


def _anthropic_event(kind: str, **fields: Any) -> bytes:
    return _event({"type": kind, **fields}, kind)


def _anthropic_block(index: int, start: object, deltas: Sequence[object]) -> tuple[bytes, ...]:
    return (
        _anthropic_event("content_block_start", index=index, content_block=start),
        *(_anthropic_event("content_block_delta", index=index, delta=delta) for delta in deltas),
        _anthropic_event("content_block_stop", index=index),
    )


def _anthropic_reads(reason: str, blocks: Sequence[bytes]) -> tuple[bytes, ...]:
    return (
        _anthropic_event("message_start", message=_ANTHROPIC_MESSAGE),
        _anthropic_event("ping"),
        *blocks,
        _anthropic_event(
            "message_delta",
            delta={"stop_reason": reason, "stop_sequence": None},
            usage={"output_tokens": len(blocks)},
        ),
        _anthropic_event("message_stop"),
    )


# ----------------------------------------------------------------------------------------------------------- Gemini

_WORDS_A_CHUNK: Final = 16
"""Google's chunks hold a sentence where others' hold a token."""


def google_text(deltas: int) -> Sample:
    every = words(deltas * _WORDS_A_CHUNK)
    pieces = ["".join(every[start : start + _WORDS_A_CHUNK]) for start in range(0, len(every), _WORDS_A_CHUNK)]
    reads = tuple(_google_read(number, piece, last=number == deltas) for number, piece in enumerate(pieces, start=1))
    return Sample("google-text", "google", reads, "".join(pieces))


def _google_read(number: int, text: str, *, last: bool) -> bytes:
    tokens = _WORDS_A_CHUNK * number
    candidate = {"content": {"parts": [{"text": text}], "role": "model"}, "index": 0}
    value = {
        "candidates": [{**candidate, "finishReason": "STOP"} if last else candidate],
        "usageMetadata": {
            "promptTokenCount": 40,
            "candidatesTokenCount": tokens,
            "totalTokenCount": 340 + tokens,
            "promptTokensDetails": [{"modality": "TEXT", "tokenCount": 40}],
            "thoughtsTokenCount": 300,
        },
        "modelVersion": "gemini-2.5-flash",
        "responseId": "Zk8saZ_2KbTqxN8PqYmA0Qc",
    }
    return _event(value, end=b"\r\n\r\n")


SAMPLES: Final[Mapping[str, Callable[[int], Sample]]] = {
    "chat-text": chat_text,
    "chat-tools": chat_tools,
    "responses-text": responses_text,
    "anthropic-text": anthropic_text,
    "anthropic-mixed": anthropic_mixed,
    "google-text": google_text,
}
"""Name -> the sample with about so many deltas."""
