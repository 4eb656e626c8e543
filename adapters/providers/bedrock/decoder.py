"""Amazon Bedrock's ConverseStream: one protocol for the models of many makers.

    messageStart, (contentBlockStart?, contentBlockDelta…, contentBlockStop)…, messageStop, metadata

Text and reasoning come without a start, calls with one. The reason stands in messageStop, the usage in metadata, which comes
after it (seldom before): the answer is over with both, or with the first when the body ends. An error is a frame of its own
kind. What a block gathers for the next request (signatures, encrypted reasoning, the tools that Bedrock ran itself) goes into
`opaque` when the block stops; bedrock.messages gives it back.
"""

from __future__ import annotations

from base64 import b64decode
from binascii import Error as Base64Error
from collections.abc import Callable, Mapping, Sequence
from typing import Any, Final

import msgspec

from adapters.contract import (
    ErrorReason,
    FinishReason,
    GeneratedImage,
    GenerationRequest,
    ProviderError,
    Usage,
)
from adapters.decoder import Decoder
from adapters.errors import error_of, is_web_page, stream_error, web_page_error
from adapters.providers.bedrock.events import ConverseEvent, ToolUse, decode_event, read_slowly, whole_answer
from adapters.providers.body import base64_text
from adapters.wire.aws_frames import Frame, FrameMessage, FrameStray, aws_frames
from adapters.wire.loose_json import count, json_or_text, read_json
from adapters.wire.stage import Layers

FINISH_REASONS: Final[Mapping[str, FinishReason]] = {
    "end_turn": FinishReason.STOP,
    "stop_sequence": FinishReason.STOP,
    "tool_use": FinishReason.TOOL_CALLS,
    "max_tokens": FinishReason.LENGTH,
    "model_context_window_exceeded": FinishReason.LENGTH,
    "guardrail_intervened": FinishReason.CONTENT_FILTER,
    "content_filtered": FinishReason.CONTENT_FILTER,
    "refusal": FinishReason.CONTENT_FILTER,  # Claude's own word, from gateways
}
"""Every other word is a stop: an answer without text is an error anyway."""

BROKEN: Final = frozenset(("malformed_model_output", "malformed_tool_use"))
"""Reasons that say the answer is not what the model should have written."""

SERVER_TOOL: Final = "server_tool_use"


class _Block:
    """What a content block gathers until it stops."""

    __slots__ = ("image_format", "pieces", "redacted", "server_call", "server_result", "signature")

    def __init__(self) -> None:
        self.pieces: list[Any] = []
        self.signature: list[str] = []
        self.redacted: list[str] = []
        self.server_call: ToolUse | None = None
        self.server_result: dict[str, Any] | None = None
        self.image_format: str | None = None


class BedrockDecoder(Decoder[FrameMessage, ConverseEvent]):
    def __init__(self, request: GenerationRequest | None = None, layers: Layers | None = None) -> None:
        super().__init__(aws_frames(layers), request, layers)
        self._blocks: dict[int | None, _Block] = {}
        self._stopped = False
        self._stop_reason: str | None = None
        self._counted = False
        self._alien = b""
        """A body that is neither frames nor JSON."""

    def read_chunk(self, message: FrameMessage) -> ConverseEvent | None:
        if isinstance(message, Frame):
            if message.kind == "event" and message.name in _HANDLERS:
                return self._read_event(message)
            self._read_other(message)
        elif isinstance(message, FrameStray):
            self._read_stray(message.data)
        else:
            self.break_off(error_of(ErrorReason.MALFORMED_RESPONSE, message.message))
        return None

    def process_chunk(self, raw: ConverseEvent) -> None:
        delta = raw.delta
        if delta is not None and delta.text:
            self.show(delta.text)
            if delta.tool_use is None and delta.reasoning_content is None:
                return
        _HANDLERS[raw.name](self, raw)

    def at_end(self, error: ProviderError | None) -> None:
        if self._stopped:
            self._complete()
        elif error is not None:
            self.break_off(error)
        elif self._alien:
            self.break_off(error_of(ErrorReason.MALFORMED_RESPONSE, self._alien.decode("utf-8", "replace")))
        else:
            self.break_off(error_of(ErrorReason.TRUNCATED_STREAM, "the stream ended before the answer did"))

    # ------------------------------------------------------------------------------------------------------- frames

    def _read_event(self, frame: Frame) -> ConverseEvent | None:
        try:
            event = decode_event(frame.payload)
        except (msgspec.MsgspecError, RecursionError):
            return self._read_odd(frame)
        event.name = frame.name
        return event

    def _read_odd(self, frame: Frame) -> ConverseEvent | None:
        self.expect_halves()
        event = read_slowly(frame.payload)
        if event is None:
            self.break_off(error_of(ErrorReason.MALFORMED_RESPONSE, "an event of the stream is not valid JSON"))
        else:
            event.name = frame.name
        return event

    def _read_other(self, frame: Frame) -> None:
        """Errors; and events that say nothing about the answer, which are passed over: messageStart, and whatever comes new."""
        # Gateways write an exception as an event.
        if frame.kind != "event" or frame.name.lower().endswith("exception"):
            self.break_off(stream_error(_error_value(frame)))

    def _read_stray(self, data: bytes) -> None:
        """A body that is not in frames: a web page, an error, an answer that was not streamed."""
        if is_web_page(data):
            self.break_off(web_page_error(data))
            return
        value = read_json(data)
        for event in whole_answer(value):
            self.process_chunk(event)
        if isinstance(value, dict) and any(key in value for key in ("error", "message", "Message", "__type")):
            self.break_off(stream_error(_lower_message(value)))
        else:
            # Maybe the beginning of one, which a lost connection cut: at_end knows.
            self._alien = data

    # ------------------------------------------------------------------------------------------------------- events

    def _read_start(self, event: ConverseEvent) -> None:
        start, index = event.start, event.content_block_index
        if start is None:
            return
        call = start.tool_use
        if call is not None and call.type == SERVER_TOOL:
            self._block(index).server_call = call
            self.hear()
        elif call is not None:
            self.calls.add(
                index=index, call_id=call.tool_use_id or "", name=call.name or "", arguments=call.input or None
            )
        if start.tool_result is not None:
            self._block(index).server_result = start.tool_result
            self.hear()
        if start.image is not None:
            block = self._block(index)
            block.image_format = str(start.image.get("format") or "png")
            self._add_image(block, start.image)

    def _read_delta(self, event: ConverseEvent) -> None:
        delta, index = event.delta, event.content_block_index
        if delta is None:
            return
        call = delta.tool_use
        if call is not None:
            block = self._blocks.get(index)
            if block is None or block.server_call is None:
                self.calls.add(index=index, arguments=call.input)
            else:
                block.pieces.append(call.input)
                self.hear()
            return
        thought = delta.reasoning_content
        if thought is not None:
            if thought.text:
                self.think(thought.text)
            if thought.signature:
                self._block(index).signature.append(thought.signature)
            if thought.redacted_content:
                self._block(index).redacted.append(thought.redacted_content)
        if delta.tool_result is not None or delta.image is not None or delta.citation is not None:
            self._gather(index, delta.tool_result, delta.image)

    def _gather(self, index: int | None, result: object, image: object) -> None:
        self.hear()
        block = self._block(index)
        if isinstance(result, list):
            block.pieces.extend(result)
        if isinstance(image, dict):
            self._add_image(block, image)

    def _add_image(self, block: _Block, image: Mapping[str, Any]) -> None:
        source = image.get("source")
        data = source.get("bytes") if isinstance(source, dict) else None
        if isinstance(data, str) and data:
            block.image_format = block.image_format or str(image.get("format") or "png")
            block.pieces.append(data)

    def _read_block_stop(self, event: ConverseEvent) -> None:
        index = event.content_block_index
        block = self._blocks.pop(index, None)
        if block is not None:
            self._close_block(block)
        if index is not None:
            self.settle_call(index)

    def _read_stop(self, event: ConverseEvent) -> None:
        self._stopped = True
        self._stop_reason = event.stop_reason or None
        if self._counted:
            self._complete()

    def _read_metadata(self, event: ConverseEvent) -> None:
        usage = read_usage(event.usage)
        if usage is not None:
            self.count(usage)
        self._counted = True
        if self._stopped:
            self._complete()

    # ------------------------------------------------------------------------------------------------------- blocks

    def _block(self, index: int | None) -> _Block:
        block = self._blocks.get(index)
        if block is None:
            block = self._blocks[index] = _Block()
        return block

    def _close_block(self, block: _Block) -> None:
        if block.signature:
            self.think("", {"signature": "".join(block.signature)})
        if block.redacted:
            self.think("", {"redactedContent": _joined(block.redacted)})
        if block.server_call is not None:
            self.show("", {"block": _server_call(block.server_call, block.pieces)})
        elif block.server_result is not None:
            self.show("", {"block": {"toolResult": {**block.server_result, "content": block.pieces}}})
        elif block.image_format is not None:
            data = b"".join(map(_from_base64, block.pieces))
            if data:
                self.draw(GeneratedImage(f"image/{block.image_format}", data))

    def _complete(self) -> None:
        blocks, self._blocks = self._blocks, {}
        for block in blocks.values():
            self._close_block(block)
        reason = self._stop_reason
        if reason in BROKEN:
            fault = error_of(ErrorReason.MALFORMED_RESPONSE, f"the provider ended the answer with {reason!r}")
            self.break_off(fault, reason)
        else:
            self.finish(FINISH_REASONS.get(reason or "end_turn", FinishReason.STOP), reason)


_HANDLERS: Final[Mapping[str, Callable[[BedrockDecoder, ConverseEvent], None]]] = {
    "contentBlockStart": BedrockDecoder._read_start,
    "contentBlockDelta": BedrockDecoder._read_delta,
    "contentBlockStop": BedrockDecoder._read_block_stop,
    "messageStop": BedrockDecoder._read_stop,
    "metadata": BedrockDecoder._read_metadata,
}


def read_usage(value: object) -> Usage | None:
    """`inputTokens` counts what was neither read from the cache nor written to it (TokenUsage in the API reference)."""
    if not isinstance(value, dict):
        return None
    fresh, read, written = (
        count(value.get(key)) for key in ("inputTokens", "cacheReadInputTokens", "cacheWriteInputTokens")
    )
    return Usage(
        input_tokens=None if fresh is None else fresh + (read or 0) + (written or 0),
        output_tokens=count(value.get("outputTokens")),
        cache_read_tokens=read,
        cache_write_tokens=written,
    )


def _error_value(frame: Frame) -> dict[str, Any]:
    """An exception or error frame in the form that errors.stream_error reads."""
    payload = json_or_text(frame.payload)
    said = _lower_message(payload) if isinstance(payload, dict) else {"message": payload}
    original = said.get("originalMessage")
    message = said.get("message") or frame.text
    if isinstance(original, str) and original and original != message:
        message = f"{message}: {original}" if message else original
    return {
        "error": {
            "code": frame.name or said.get("__type"),
            "message": message or frame.name or "the provider gave no reason",
            # modelStreamErrorException: what the model's own server said.
            "status_code": said.get("originalStatusCode"),
        }
    }


def _lower_message(value: dict[str, Any]) -> dict[str, Any]:
    """Some of Amazon's services write `Message`."""
    return {**value, "message": value["Message"]} if "message" not in value and "Message" in value else value


def _server_call(call: ToolUse, pieces: Sequence[Any]) -> dict[str, Any]:
    whole = next((piece for piece in pieces if isinstance(piece, dict)), None) or call.input
    if not isinstance(whole, dict):
        whole = read_json("".join(piece for piece in pieces if isinstance(piece, str)))
    return {
        "toolUse": {
            "toolUseId": call.tool_use_id or "",
            "name": call.name or "",
            "input": whole if isinstance(whole, dict) else {},
            "type": SERVER_TOOL,
        }
    }


def _joined(pieces: Sequence[str]) -> str:
    """Base64 of several pieces; each is encoded on its own."""
    if len(pieces) == 1:
        return pieces[0]
    return base64_text(b"".join(map(_from_base64, pieces)))


def _from_base64(text: object) -> bytes:
    try:
        return b64decode(text) if isinstance(text, str) else b""
    except (Base64Error, ValueError):
        return b""
