"""Ollama's own API (github.com/ollama/ollama/blob/main/docs/api.md): one JSON object a line, the last of them with `done`.

Calls come whole, several in a row or one a line, most times without an id. An error is a line of its own, also in the middle
of an answer whose status was 200. A stream without its last line was cut, however it ended.
"""

from __future__ import annotations

from base64 import b64decode
from binascii import Error as Base64Error
from collections.abc import Mapping
from typing import Final

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
from adapters.providers.ollama.chunks import OllamaChunk, ToolCall, decode_chunk, read_slowly
from adapters.wire.data import DataLine, DataMessage, DataStray
from adapters.wire.loose_json import count, read_json
from adapters.wire.ndjson import ndjson
from adapters.wire.stage import Layers

FINISH_REASONS: Final[Mapping[str, FinishReason]] = {
    "stop": FinishReason.STOP,
    "length": FinishReason.LENGTH,
    "tool_calls": FinishReason.TOOL_CALLS,
    "content_filter": FinishReason.CONTENT_FILTER,
}
"""Every other word (`load`, `unload`: the model was only loaded or put away) is a stop: without text that is an error anyway."""


class OllamaDecoder(Decoder[DataMessage, OllamaChunk]):
    def __init__(self, request: GenerationRequest | None = None, layers: Layers | None = None) -> None:
        super().__init__(ndjson(layers), request, layers)
        self._calls_nr = 0

    def read_chunk(self, message: DataMessage) -> OllamaChunk | None:
        if isinstance(message, DataLine):
            try:
                return decode_chunk(message.data)
            except (msgspec.MsgspecError, RecursionError):
                return self._read_odd(message.data)
        if isinstance(message, DataStray):
            return self._read_stray(message.data)
        self.break_off(error_of(ErrorReason.MALFORMED_RESPONSE, message.message))
        return None

    def process_chunk(self, raw: OllamaChunk) -> None:
        message = raw.message
        if message is not None:
            if message.thinking:
                self.think(message.thinking)
            if message.content:
                self.show(message.content)
            if message.tool_calls:
                for call in message.tool_calls:
                    self._call(call)
            if message.images:
                for image in message.images:
                    self._draw(image)
        else:
            self._read_generated(raw)
        if raw.error:
            self.break_off(stream_error({"error": raw.error}), raw.done_reason)
        elif raw.done:
            self._complete(raw)

    def at_end(self, error: ProviderError | None) -> None:
        self.break_off(error or error_of(ErrorReason.TRUNCATED_STREAM, "the stream ended before the answer did"))

    # --------------------------------------------------------------------------------------------------- good chunks

    def _read_odd(self, data: bytes) -> OllamaChunk | None:
        self.expect_halves()
        chunk = read_slowly(data)
        if chunk is None and not self.closing:
            self.break_off(error_of(ErrorReason.MALFORMED_RESPONSE, "a line of the stream is not valid JSON"))
        # Else it is the half of a line that the end of the body cut off; at_end says so.
        return chunk

    def _read_generated(self, raw: OllamaChunk) -> None:
        if raw.thinking:
            self.think(raw.thinking)
        if raw.response:
            self.show(raw.response)
        if raw.image:
            self._draw(raw.image)
        if raw.detail:
            self.break_off(stream_error({"detail": raw.detail}))

    def _call(self, call: ToolCall) -> None:
        """Whole as it comes: two calls with one id, or without any, are two calls all the same."""
        self._calls_nr += 1
        function = call.function
        self.calls.add(
            index=self._calls_nr,
            call_id=call.id or "",
            name=(function.name or "") if function else "",
            arguments=function.arguments if function else None,
        )
        self.settle_call(self._calls_nr)

    def _draw(self, image: object) -> None:
        try:
            data = b64decode(image) if isinstance(image, str) else b""
        except (Base64Error, ValueError):
            return
        if data:
            self.draw(GeneratedImage(_media_type(data), data))

    def _complete(self, raw: OllamaChunk) -> None:
        usage = Usage(input_tokens=count(raw.prompt_eval_count), output_tokens=count(raw.eval_count))
        if usage != Usage():
            self.count(usage)
        self.finish(FINISH_REASONS.get(raw.done_reason or "stop", FinishReason.STOP), raw.done_reason)

    # ----------------------------------------------------------------------------------------------- what is no chunk

    def _read_stray(self, data: bytes) -> OllamaChunk | None:
        """Lines that are no object of their own: a web page, words, an object that is spread over several lines."""
        value = read_json(data)
        if isinstance(value, dict):
            return read_slowly(data)
        if is_web_page(data):
            self.break_off(web_page_error(data))
        elif not data.lstrip().startswith(b"{"):
            self.break_off(error_of(ErrorReason.MALFORMED_RESPONSE, data.decode("utf-8", "replace")))
        elif not self.closing:
            self.break_off(error_of(ErrorReason.MALFORMED_RESPONSE, "a line of the stream is not valid JSON"))
        return None


_MAGIC: Final = ((b"\xff\xd8\xff", "image/jpeg"), (b"GIF8", "image/gif"), (b"RIFF", "image/webp"))


def _media_type(data: bytes) -> str:
    """Ollama does not say; PNG is what its models draw."""
    return next((media_type for start, media_type in _MAGIC if data.startswith(start)), "image/png")
