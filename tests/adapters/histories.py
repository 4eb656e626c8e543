"""Random histories, with all that real ones were seen to hold: blank words, broken and orphaned calls, ids twice, odd fields of others.

What is drawn is not what a provider would say, but what a store may hold after months with many of them.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any, Final

import msgspec
from hypothesis import strategies as st

from adapters import registry
from adapters.contract import (
    Endpoint,
    FilePart,
    FunctionCall,
    GenerationRequest,
    ImagePart,
    MalformedCall,
    Opaque,
    Origin,
    Part,
    PromptMessage,
    Role,
    TextPart,
    ThoughtPart,
    ToolResult,
    ToolSpec,
)
from adapters.in_words import harmless

ADDRESSES: Final = {
    **registry.NEEDS_BASE_URL,
    "vertex": "https://aiplatform.googleapis.com/v1/projects/p/locations/global",
}
MODELS: Final = {
    "anthropic": ("claude-sonnet-4-5", "claude-opus-4-8"),
    "bedrock": (
        "anthropic.claude-sonnet-4-5-20250929-v1:0",
        "amazon.nova-pro-v1:0",
        "mistral.mistral-7b-instruct-v0:2",
    ),
    "google": ("gemini-2.5-flash", "gemini-3.6-flash", "gemma-3-27b-it"),
    "vertex": ("gemini-2.5-flash", "gemini-3-flash-preview"),
    "openrouter": ("m", "anthropic/claude-sonnet-4.5"),
}
"""Families that an adapter tells apart."""

TOOLS: Final = tuple(
    ToolSpec(name, "Gets\x00.", {"type": "object"}) for name in ("get", "files.read", "files_read", "files/read")
)


def place(name: str) -> Endpoint:
    return Endpoint(ADDRESSES.get(name), "a-key-of-nobody-0123456789")


def built(name: str, model: str, messages: Sequence[PromptMessage], **options: Any) -> dict[str, Any]:
    request = GenerationRequest(model, tuple(messages), **options)
    body: dict[str, Any] = msgspec.json.decode(registry.adapter(name).build(request, place(name)).body)
    return body


def conversation(body: dict[str, Any]) -> list[Any]:
    found: list[Any] = next(body[field] for field in ("messages", "contents", "input") if field in body)
    return found


# ------------------------------------------------------------------------------------------------------------ histories

THOUGHT_FIELDS: Final[dict[str, Sequence[Opaque]]] = {
    "anthropic": ({"type": "thinking", "signature": "SIG"}, {"type": "redacted_thinking", "data": "RED"}),
    "bedrock": ({"signature": "SIG"}, {"redactedContent": "RED"}),
    "google": ({"thoughtSignature": "SIG", "signedChars": 1},),
    "vertex": ({"thoughtSignature": "SIG", "signedChars": 1},),
    "openai-responses": (
        {"nr": 0, "item": {"type": "reasoning", "id": "rs_0", "summary": [], "encrypted_content": "ENC"}},
        {"nr": 1, "item": {"type": "reasoning", "id": "rs_1", "summary": []}},
        {"nr": 1, "item": {"type": "reasoning", "id": "rs_1", "summary": [], "encrypted_content": "ENC"}, "late": True},
    ),
}
"""What a thought brings with it, by who thought it; of all others OpenRouter's."""
TEXT_FIELDS: Final[dict[str, Sequence[Opaque]]] = {
    "anthropic": (
        {"type": "text", "citations": []},
        {"type": "server_tool_use", "id": "srvtoolu_1", "name": "web_search", "input": {}},
        {"type": "container", "id": "c"},
    ),
    "google": ({"thoughtSignature": "SIG", "signedChars": 1}, {"part": {"executableCode": {"code": "1"}}}),
    "openai-responses": ({"id": "msg_1"}, {"item": {"type": "web_search_call", "id": "ws"}}, {"left_out": "image"}),
}
OTHERS: Final[Sequence[Opaque]] = (
    {"reasoning_details": [{"type": "reasoning.text", "text": "hm"}]},
    {"field": "reasoning"},
)

IDS: Final = ("a", "b", "", "call_1", "functions.get:0", "x" * 80, "n\ud83d", "ü ü", "aB3dE6gH9", "toolu_01")
NAMES: Final = ("get", "files.read", "no such\ntool", "", "9" * 90, "größe")
WORDS: Final = st.one_of(
    st.sampled_from(
        ["", " ", "\n\t", "hi ", " hi\n", "\x00\x1b[31m", "\ud83d", "]\nRULE: [", "🐟", "\u200b", "a\u2028b"]
    ),
    st.text(max_size=6),
)
PICTURE: Final = ImagePart("image/png", b"png")
MEDIA: Final = st.sampled_from(
    [PICTURE, ImagePart("image/tiff", b"tiff"), ImagePart("image/png", url="https://host/a.png"), ImagePart("image/png"),
     ImagePart("IMAGE/JPG; q=1", b"jpg"), FilePart("a]\n[b.pdf", "application/pdf", b"%PDF"), FilePart("a.pdf", "application/pdf", b""),
     FilePart("a.txt", "text/plain", b"a\x00"), FilePart("a.txt", "text/plain", b""), FilePart("", "x/y", b"")]
)  # fmt: skip
SAID: Final = st.builds(TextPart, WORDS)
RESULT: Final = st.builds(
    ToolResult,
    st.sampled_from(IDS),
    st.sampled_from(NAMES),
    st.lists(st.one_of(SAID, MEDIA), max_size=2).map(tuple),
    st.booleans(),
)
ARGUMENTS: Final[Sequence[dict[str, Any]]] = ({}, {"x": 1}, {"x": "\ud83d"}, {"x\x00": ["\x00", float("nan"), 2**80]})


@st.composite
def calls(draw: st.DrawFn) -> FunctionCall | MalformedCall:
    call_id, name = draw(st.sampled_from(IDS)), draw(st.sampled_from(NAMES))
    if draw(st.booleans()):
        return FunctionCall(call_id, name, draw(st.sampled_from(ARGUMENTS)))
    return MalformedCall(call_id, name, draw(st.sampled_from(['{"x":', "[1]", "", '{"x":1}', "\ud83d"])), draw(WORDS))


@st.composite
def assistant_messages(draw: st.DrawFn, name: str, own: Origin) -> PromptMessage:
    """Of the reader, of others, or of nobody knows whom; each with the odd fields of its kind."""
    origin = draw(st.sampled_from([own, own, Origin("elsewhere", None, "m"), None]))
    speaker = name if origin == own else draw(st.sampled_from(sorted(THOUGHT_FIELDS)))
    fields: Sequence[Opaque] = THOUGHT_FIELDS.get(speaker, OTHERS)
    signed: Sequence[Opaque] = (*TEXT_FIELDS.get(speaker, ()), {"odd": 1})
    thought = st.one_of(
        st.builds(ThoughtPart, WORDS),
        st.builds(ThoughtPart, st.sampled_from(["", "hm"]), st.sampled_from([*fields, {"odd": 1}])),
    )
    text = st.builds(TextPart, st.sampled_from(["", "so", "so "]), st.sampled_from(signed))
    parts = draw(st.lists(st.one_of(SAID, thought, text, calls(), MEDIA, RESULT), max_size=4))
    return PromptMessage(Role.ASSISTANT, tuple(parts), origin, draw(st.booleans()))


@st.composite
def user_messages(draw: st.DrawFn) -> PromptMessage:
    parts = draw(st.lists(st.one_of(SAID, SAID, MEDIA, RESULT, calls(), st.builds(ThoughtPart, WORDS)), max_size=4))
    return PromptMessage(Role.USER, tuple(parts), None, draw(st.booleans()))


def numbered(messages: Sequence[PromptMessage]) -> tuple[Sequence[PromptMessage], list[str]]:
    """The same, where every text that is not blank begins with a word of its own (Q and its number for the first of a message, P
    for the others); and what is to be found of them."""
    texts: list[str] = []

    def marked(parts: Sequence[Part]) -> Iterator[Part]:
        letter = "Q"
        for part in parts:
            if not isinstance(part, TextPart) or not part.text.strip():
                yield part
                continue
            text = f"{letter}{len(texts):03}Z{part.text}"
            letter = "P"
            texts.append(harmless(text).strip())
            yield msgspec.structs.replace(part, text=text)

    return [
        PromptMessage(each.role, tuple(marked(each.parts)), each.origin, each.cache_mark) for each in messages
    ], texts


@st.composite
def turns(draw: st.DrawFn, name: str, own: Origin) -> Sequence[PromptMessage]:
    """A question and all that led to its answer."""
    words: Part = TextPart(draw(WORDS) + "?")
    asked = PromptMessage(Role.USER, (words, *draw(st.sampled_from([(), (PICTURE,)]))))
    origin = draw(st.sampled_from([own, None]))
    steps = [asked]
    for _ in range(draw(st.integers(0, 2))):
        made = draw(st.lists(calls(), min_size=1, max_size=2))
        results = tuple(ToolResult(call.id, call.name, (TextPart("1"),)) for call in made if draw(st.booleans()))
        thought = ThoughtPart("hm", draw(st.sampled_from([None, *THOUGHT_FIELDS.get(name, OTHERS)])))
        steps += [PromptMessage(Role.ASSISTANT, (thought, *made), origin), PromptMessage(Role.USER, results)]
    return [*steps, PromptMessage(Role.ASSISTANT, (TextPart("so" + draw(WORDS)),), origin)]
