"""OpenAI Chat Completions, and the base of every server that speaks it (https://platform.openai.com/docs/api-reference/chat).

The end mark is `[DONE]`; the finish reason comes before it, the usage between the two in a chunk without choices. Servers in the
field leave out either mark, finish twice, leave out `data:` or the blank lines between events, or answer a stream request
with one JSON body: what counts is that a finish reason or the end mark was seen. Only the first choice is read: one answer is
asked for.
"""

from __future__ import annotations

import re
from base64 import b64decode
from collections.abc import Mapping
from typing import Any, Final

import msgspec

from adapters.contract import (
    ErrorReason,
    FinishReason,
    GeneratedImage,
    GenerationRequest,
    Opaque,
    ProviderError,
    Usage,
)
from adapters.decoder import Decoder
from adapters.errors import error_of, is_web_page, stream_error, web_page_error
from adapters.providers.chat.chunks import (
    BARE_ERRORS,
    ChatChunk,
    Choice,
    MessageDelta,
    ToolCallDelta,
    decode_chunk,
    read_slowly,
    text_of,
)
from adapters.providers.chat.messages import DETAILS, FIELD, OPAQUE_CALL_FIELDS
from adapters.providers.chat.reasoning_details import ReasoningDetails
from adapters.providers.chat.usage import read_usage
from adapters.wire.data import DataLine, DataMessage, DataStray
from adapters.wire.loose_json import json_or_text, objects, read_json, string
from adapters.wire.sse import sse
from adapters.wire.stage import Layers
from adapters.wire.surrogates import without_halves

FINISH_REASONS: Final[Mapping[str, FinishReason]] = {
    "stop": FinishReason.STOP,
    **dict.fromkeys(("length", "max_tokens", "max_output_tokens", "max_completion_tokens"), FinishReason.LENGTH),
    "model_length": FinishReason.LENGTH,  # Mistral
    "model_context_window_exceeded": FinishReason.LENGTH,  # Anthropic, through gateways
    **dict.fromkeys(("tool_calls", "tool_call", "tool_use", "function_call"), FinishReason.TOOL_CALLS),
    **dict.fromkeys(("content_filter", "content_filtered", "content_moderation"), FinishReason.CONTENT_FILTER),
    "sensitive": FinishReason.CONTENT_FILTER,  # Z.ai
    "refusal": FinishReason.CONTENT_FILTER,  # Anthropic, through gateways
    **dict.fromkeys(
        ("safety", "recitation", "blocklist", "prohibited_content", "spii", "image_safety"), FinishReason.CONTENT_FILTER
    ),  # Google, through gateways
}
"""In lower case, with `_` for `-`. Every other word (`eos`, `end_turn`, …) is a stop: an answer without text is an error
anyway."""

FAULTS: Final[Mapping[str, ErrorReason]] = {
    "error": ErrorReason.SERVER,
    "network_error": ErrorReason.SERVER,  # Z.ai
    "abort": ErrorReason.SERVER,  # vLLM, SGLang
    "insufficient_system_resource": ErrorReason.OVERLOADED,  # DeepSeek
    "malformed_function_call": ErrorReason.MALFORMED_RESPONSE,  # Google, through gateways
}
"""Finish reasons that say the answer is broken, spelled in the same way."""

NO_REASON: Final = "null"
"""KoboldCpp's finish reason of an answer that goes on."""

_REPEATED_FIELD: Final = re.compile(rb"(?:data:\s*)+")


class OpenAIChatDecoder(Decoder[DataMessage, ChatChunk]):
    def __init__(
        self,
        request: GenerationRequest | None = None,
        layers: Layers | None = None,
        *,
        leaks: bool = False,
        routes: bool = False,
    ) -> None:
        """`leaks`: reasoning may stand in the text; `routes`: the chunks name the host behind a router."""
        super().__init__(sse(layers), request, layers, tags=leaks, spills=leaks)
        self._routes = routes
        self._finish_reason: str | None = None
        self._snapshot: MessageDelta | None = None
        """The whole message, which some servers repeat beside or after its deltas."""
        self._told = False
        self._thought = False
        self._alien = b""
        self._details = ReasoningDetails()
        self._thought_field = ""

    def read_chunk(self, message: DataMessage) -> ChatChunk | None:
        if isinstance(message, DataLine):
            try:
                chunk = decode_chunk(message.data)
            except (msgspec.MsgspecError, RecursionError):
                return self._read_odd(message)
            return chunk if chunk.choices is not None and not message.event else self._checked(chunk, message)
        if isinstance(message, DataStray):
            return self._read_stray(message.data)
        self.break_off(error_of(ErrorReason.MALFORMED_RESPONSE, message.message))
        return None

    def process_chunk(self, raw: ChatChunk) -> None:
        if raw.provider and self._routes:
            self.serve(string(raw.provider))
        if raw.choices:
            for choice in raw.choices:
                if not choice.index:
                    if choice.delta is not None:
                        self._read_message(choice.delta)
                    self._read_rest(choice)
        if raw.usage or raw.error or raw.x_groq:
            self._read_surroundings(raw)

    def at_end(self, error: ProviderError | None) -> None:
        if self._finish_reason is not None:
            self._complete()
        elif error is not None:
            self.break_off(error)
        elif self._alien and not self._spoke:
            self.break_off(error_of(ErrorReason.MALFORMED_RESPONSE, self._alien.decode("utf-8", "replace")))
        else:
            self.break_off(error_of(ErrorReason.TRUNCATED_STREAM, "the stream ended before the answer did"))

    @property
    def _spoke(self) -> bool:
        return self._told or self._thought or bool(self.calls)

    # ------------------------------------------------------------------------------------------------- good chunks

    def _read_rest(self, choice: Choice) -> None:
        if choice.finish_reason and self._finish_reason is None and choice.finish_reason != NO_REASON:
            self._finish_reason = choice.finish_reason
        if choice.message is not None:
            self._snapshot = choice.message
        if choice.usage:
            self._count(choice.usage)
        if choice.error:
            self.break_off(stream_error({"error": choice.error}), self._finish_reason)

    def _read_surroundings(self, raw: ChatChunk) -> None:
        error = raw.error
        if raw.usage:
            self._count(raw.usage)
        if isinstance(raw.x_groq, dict):
            self._count(raw.x_groq.get("usage"))
            error = error or raw.x_groq.get("error")
        if error:
            self.break_off(stream_error({"error": error}), self._finish_reason)

    def _read_message(self, message: MessageDelta) -> None:
        thought = message.reasoning_content
        if not thought:
            thought = message.reasoning or message.reasoning_text
            if thought:
                self._thought_field = "reasoning" if message.reasoning else "reasoning_text"
        if thought:
            self._thought = True
            self.think(thought)
        if message.reasoning_details:
            self._read_details(message.reasoning_details, silently=bool(thought))
        content = message.content
        if content:
            if isinstance(content, str):
                self._told = True
                self.show(content)
            else:
                self._read_parts(content)
        if message.tool_calls:
            for call in message.tool_calls:
                self._read_call(call)
        if message.refusal or message.images or message.function_call:
            self._read_rare(message)

    def _read_call(self, call: ToolCallDelta) -> None:
        function = call.function
        if function is None:
            self.calls.add(
                index=call.index,
                call_id=call.id or "",
                name=call.name or "",
                arguments=call.arguments,
                opaque=_opaque(call),
            )
            return
        arguments = function.arguments
        if not (
            call.index is not None
            and isinstance(arguments, str)
            and not (call.id or function.name or call.extra_content or call.provider_specific_fields)
            and self.calls.extend(call.index, arguments)
        ):
            self.calls.add(
                index=call.index,
                call_id=call.id or "",
                name=function.name or "",
                arguments=arguments,
                opaque=_opaque(call),
            )

    def _read_rare(self, message: MessageDelta) -> None:
        if message.refusal:
            self._told = True
            self.show(message.refusal)
        for entry in objects(message.images):
            self._draw(entry)
        if message.function_call is not None and not message.tool_calls:
            # Else it is the same call, once more for old clients.
            self.calls.add(name=message.function_call.name or "", arguments=message.function_call.arguments)

    def _read_parts(self, parts: list[Any]) -> None:
        """Content as a list of parts: Mistral's thinking models, and servers that pass on other protocols."""
        for part in parts:
            kind = part.get("type") if isinstance(part, dict) else None
            if kind in ("thinking", "reasoning"):
                self._thought = True
                self.think(_thought_in(part))
            elif kind == "image_url":
                self._draw(part)
            elif text := text_of(part) or (string(part.get("refusal")) if isinstance(part, dict) else ""):
                self._told = True
                self.show(text)

    def _draw(self, part: Mapping[str, Any]) -> None:
        address = part.get("image_url")
        image = _image(string(address.get("url")) if isinstance(address, dict) else string(address))
        if image is not None:
            self._told = True
            self.draw(image)

    def _read_details(self, details: list[Any], *, silently: bool) -> None:
        """OpenRouter's blocks of reasoning. `silently`: their text stood in the delta already."""
        self._thought = True
        self._details.add(details)
        if not silently:
            for detail in objects(details):
                self.think(_thought_in(detail))

    def _count(self, value: object) -> None:
        usage = read_usage(value)
        if usage is not None and usage != Usage():
            self.count(usage)

    # ---------------------------------------------------------------------------------------------- what is no chunk

    def _read_odd(self, event: DataLine) -> ChatChunk | None:
        """An event that is not as documented: the end mark, odd JSON, or none at all."""
        data = event.data
        if _is_end_mark(data):
            self._complete()
            return None
        chunk = read_slowly(data)
        if chunk is not None:
            self.expect_halves()
            return self._checked(chunk, event)
        if event.event == "error":
            self.break_off(stream_error(without_halves(json_or_text(data))))
        elif (repeated := _REPEATED_FIELD.match(data)) is not None:
            # A proxy put its own `data:` before the server's.
            return self.read_chunk(DataLine(data[repeated.end() :], event.event))
        elif not self._read_lines(data):
            self._read_no_chunk(data)
        return None

    def _read_lines(self, data: bytes) -> bool:
        """Events one a line, without the blank lines between them, or without any field name (NDJSON). False, and nothing
        done, where it is something else: all lines but the last, which may be cut, must be whole."""
        *whole, last = data.split(b"\n")
        if not whole or not all(map(_is_event, whole)):
            return False
        for line in (*whole, last):
            chunk = self.read_chunk(DataLine(line)) if line and not self._over() else None
            if chunk is not None:
                self.process_chunk(chunk)
        return True

    def _checked(self, chunk: ChatChunk, event: DataLine) -> ChatChunk | None:
        """Errors that some servers write without an `error` around them are no chunk."""
        if chunk.error and chunk.error is not True:
            return chunk
        bare = chunk.error or any(getattr(chunk, name) for name in BARE_ERRORS) or _refusal_of_minimax(chunk.base_resp)
        if event.event == "error" or (chunk.choices is None and bare):
            self.break_off(stream_error(without_halves(json_or_text(event.data))))
            return None
        return chunk

    def _read_stray(self, data: bytes) -> ChatChunk | None:
        """Lines that are no event: the JSON of an answer that was not streamed, an error between events, a web page."""
        if is_web_page(data):
            self.break_off(web_page_error(data))
            return None
        chunk = read_slowly(data)
        if chunk is not None:
            self.expect_halves()
            return self._checked(chunk, DataLine(data))
        if data.startswith(b"error:"):
            # llama.cpp, before it learnt to write `data:` before errors too.
            self.break_off(stream_error({"error": without_halves(json_or_text(data[6:].strip()))}))
        elif _is_end_mark(data):
            self._complete()
        elif not self._read_lines(data):
            self._alien = self._alien or data
        return None

    def _read_no_chunk(self, data: bytes) -> None:
        if (error := _glued_error(data)) is not None:
            self.break_off(stream_error(error))
        elif not data.lstrip().startswith(b"{"):
            # `data: keep-alive` and the like.
            self._alien = self._alien or data
        elif not self.closing:
            self.break_off(error_of(ErrorReason.MALFORMED_RESPONSE, "an event of the stream is not valid JSON"))
        # Else it is the half of an event that the end of the body cut off; at_end says so.

    def _complete(self) -> None:
        if self._snapshot is not None:
            self._read_message(self._unsaid(self._snapshot))
        if self._details:
            self.think("", {DETAILS: self._details.whole()})
        elif self._thought_field:
            self.think("", {FIELD: self._thought_field})
        reason = self._finish_reason
        word = (reason or "stop").lower().replace("-", "_")
        if word in FAULTS:
            self.break_off(error_of(FAULTS[word], f"the provider ended the answer with {reason!r}"), reason)
        else:
            self.finish(FINISH_REASONS.get(word, FinishReason.STOP), reason)

    def _unsaid(self, message: MessageDelta) -> MessageDelta:
        """The whole message without what its deltas said."""
        silent = MessageDelta() if self._spoke else message
        return MessageDelta(
            content=None if self._told else message.content,
            refusal=None if self._told else message.refusal,
            images=None if self._told else message.images,
            reasoning_content=silent.reasoning_content,
            reasoning=silent.reasoning,
            reasoning_text=silent.reasoning_text,
            reasoning_details=silent.reasoning_details,
            tool_calls=None if self.calls else message.tool_calls,
            function_call=None if self.calls else message.function_call,
        )


def _is_end_mark(data: bytes) -> bool:
    """`[DONE]`, which some servers write as a JSON string or without a field name."""
    return data.lstrip(b' "').startswith(b"[DONE]")


def _is_event(line: bytes) -> bool:
    return not line or _is_end_mark(line) or isinstance(read_json(line), dict)


def _glued_error(data: bytes) -> dict[str, Any] | None:
    """The error that a gateway wrote into an event under way: a whole JSON object on a line of its own."""
    for line in reversed(data.split(b"\n")[1:]):
        try:
            value = msgspec.json.decode(line)
        except (msgspec.MsgspecError, RecursionError):
            continue
        if isinstance(value, dict) and value.get("error"):
            return value
    return None


def _refusal_of_minimax(status: object) -> bool:
    """`base_resp` stands in good chunks too, with the code 0."""
    return isinstance(status, dict) and bool(status.get("status_code"))


def _thought_in(part: Mapping[str, Any]) -> str:
    return text_of(part.get("thinking")) or string(part.get("text")) or text_of(part.get("summary"))


def _opaque(call: ToolCallDelta) -> Opaque | None:
    if not call.extra_content and not call.provider_specific_fields:
        return None
    return {field: value for field in OPAQUE_CALL_FIELDS if (value := getattr(call, field))}


def _image(url: str) -> GeneratedImage | None:
    """A picture from a data URL, or the address of one."""
    if not url.startswith("data:"):
        return GeneratedImage("image/png", url=url) if url.startswith(("https://", "http://")) else None
    head, _, data = url[5:].partition(",")
    try:
        return GeneratedImage(head.partition(";")[0] or "image/png", b64decode(data))
    except ValueError:
        return None
