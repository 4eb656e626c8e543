"""What a Gemini stream means.

There is no end mark: the connection closes after a chunk with a finishReason. But code that Google runs for the model lets one
stream finish twice, with text between, so the last reason counts and the answer ends with the body. A prompt that was blocked
has no candidates at all. Without `alt=sse` the body is one JSON array of the same chunks; gateways also send one chunk whole.
Calls come whole, in one part; only Vertex, when asked, streams arguments (the module arguments).
"""

from __future__ import annotations

import json
import re
from base64 import b64decode
from collections.abc import Iterator, Mapping
from typing import Any, Final

import msgspec

from adapters.contract import (
    ErrorReason,
    FinishReason,
    GeneratedImage,
    GenerationRequest,
    Opaque,
    ProviderError,
)
from adapters.decoder import Decoder
from adapters.errors import error_of, is_web_page, stream_error, web_page_error
from adapters.providers.google.arguments import StreamedArguments, json_text
from adapters.providers.google.chunks import (
    NOTHING,
    Candidate,
    GeminiChunk,
    OtherPart,
    PromptFeedback,
    chunk_of,
    read_chunk,
    read_usage,
    string,
    without_halves,
)
from adapters.providers.google.opaque import call_fields, server_part, signed
from adapters.wire.data import DataError, DataLine, DataMessage, DataStray
from adapters.wire.loose_json import json_or_text, objects, read_json
from adapters.wire.sse import sse
from adapters.wire.stage import Layers

FINISH_REASONS: Final[Mapping[str, FinishReason]] = {
    "STOP": FinishReason.STOP,
    "MAX_TOKENS": FinishReason.LENGTH,
    "CONTINUATION": FinishReason.LENGTH,
    **dict.fromkeys(
        (
            *("SAFETY", "RECITATION", "BLOCKLIST", "PROHIBITED_CONTENT", "SPII", "LANGUAGE", "MODEL_ARMOR"),
            *("IMAGE_SAFETY", "IMAGE_PROHIBITED_CONTENT", "IMAGE_RECITATION"),
        ),
        FinishReason.CONTENT_FILTER,
    ),
}
"""Every other word (NO_IMAGE, new ones) is a stop: an answer without anything visible is an error anyway."""

FAULTS: Final[Mapping[str, ErrorReason]] = {
    "MALFORMED_FUNCTION_CALL": ErrorReason.MALFORMED_RESPONSE,
    "UNEXPECTED_TOOL_CALL": ErrorReason.MALFORMED_RESPONSE,
    "TOO_MANY_TOOL_CALLS": ErrorReason.MALFORMED_RESPONSE,
    "MALFORMED_RESPONSE": ErrorReason.MALFORMED_RESPONSE,
    "MISSING_THOUGHT_SIGNATURE": ErrorReason.BAD_REQUEST,
    "OTHER": ErrorReason.MALFORMED_RESPONSE,
    "IMAGE_OTHER": ErrorReason.MALFORMED_RESPONSE,
}
"""Finish reasons that say the answer is broken."""

NO_REASON: Final = "FINISH_REASON_UNSPECIFIED"
"""The enum's zero: what gateways that fill in defaults write into every chunk."""


class _OpenCall:
    """A call whose arguments are on their way."""

    def __init__(self, name: str, call_id: str) -> None:
        self.name = name
        self.id = call_id
        self.arguments = StreamedArguments()
        self.opaque: dict[str, Any] = {}

    def goes_on(self, name: str, call_id: str, call: Mapping[str, Any]) -> bool:
        """The fragment belongs to this call: it names none, or repeats the name beside more arguments."""
        if not name:
            return True
        if name != self.name or (call_id and call_id != self.id):
            return False
        return bool(call.get("partialArgs")) or (bool(call.get("args")) and not self.arguments)


class GoogleDecoder(Decoder[DataMessage, GeminiChunk]):
    def __init__(self, request: GenerationRequest | None = None, layers: Layers | None = None) -> None:
        super().__init__(sse(layers), request, layers)
        self._finish_reason: str | None = None
        self._finish_message: str | None = None
        self._counts = NOTHING
        self._spoke = False
        self._alien: list[bytes] = []
        self._open: _OpenCall | None = None
        self._seen: set[tuple[str, str, str]] = set()
        self._calls_nr = 0

    def read_chunk(self, message: DataMessage) -> GeminiChunk | None:
        if type(message) is DataLine:
            if message.event == "error":
                self._break_off(stream_error(json_or_text(message.data)))
                return None
            return read_chunk(message.data) or self._read_slowly(message)
        if isinstance(message, DataError):
            self._break_off(error_of(ErrorReason.MALFORMED_RESPONSE, message.message))
            return None
        return self._read_slowly(message)

    def process_chunk(self, raw: GeminiChunk) -> None:
        if len(raw.usage_metadata) > 4:  # more than `null`
            self._counts = raw.usage_metadata
        for position, candidate in enumerate(raw.candidates or ()):
            # Only one answer is asked for; the index is left out where it is 0.
            if not (position if candidate.index is None else candidate.index):
                self._read_candidate(candidate)
        if raw.prompt_feedback is not None:
            self._read_feedback(raw.prompt_feedback, spoken=bool(raw.candidates))
        if raw.error:
            self._break_off(stream_error({"error": raw.error}))

    def at_end(self, error: ProviderError | None) -> None:
        for chunk in self._salvaged():
            self.process_chunk(chunk)
        reason = self._finish_reason
        if reason is not None:
            self._complete(reason)
        elif error is not None:
            self._break_off(error)
        elif self._alien and not self._spoke and not _is_json_begun(self._alien[0]):
            self._break_off(_alien_error(b"\n".join(self._alien)))
        else:
            self._break_off(error_of(ErrorReason.TRUNCATED_STREAM, "the stream ended before the answer did"))

    # ------------------------------------------------------------------------------------------------- good chunks

    def _read_candidate(self, candidate: Candidate) -> None:
        content = candidate.content
        if content is not None:
            for part in content.parts or ():
                self._spoke = True
                text = part.text
                if text is None:
                    if isinstance(part, OtherPart):
                        self._read_other(part)
                    continue
                opaque = signed(part.thought_signature, len(text)) if part.thought_signature else None
                if part.thought:
                    self.think(text, opaque)
                else:
                    self.show(text, opaque)
        if candidate.finish_reason and candidate.finish_reason != NO_REASON:
            self._spoke = True
            self._finish_reason = candidate.finish_reason
            self._finish_message = candidate.finish_message

    def _read_other(self, part: OtherPart) -> None:
        fields, signature = part.fields, part.thought_signature
        call, blob, file = fields.get("functionCall"), fields.get("inlineData"), fields.get("fileData")
        if isinstance(call, dict):
            self._read_call(call, signature)
        elif isinstance(blob, dict) or isinstance(file, dict):
            image = _image(blob, file)
            if image is None or part.thought:
                # A sketch on the way to the picture: image models think in pictures too.
                self.hear()
            else:
                self.draw(image)
        elif any(key not in ("text", "thought", "thoughtSignature") and value for key, value in fields.items()):
            self.hear()
            self.show("", server_part(fields))
        elif signature:
            self._speak("", thought=bool(part.thought), opaque=signed(signature, 0))

    def _speak(self, text: str, *, thought: bool, opaque: Opaque) -> None:
        if thought:
            self.think(text, opaque)
        else:
            self.show(text, opaque)

    def _read_feedback(self, feedback: PromptFeedback, *, spoken: bool) -> None:
        reason = feedback.block_reason
        if not reason or (spoken and reason == "BLOCK_REASON_UNSPECIFIED"):
            return
        message = f"the prompt was blocked: {reason}"
        if feedback.block_reason_message:
            message += f": {feedback.block_reason_message}"
        error = error_of(ErrorReason.CONTENT_FILTER, message, code=reason)
        self._break_off(error, FinishReason.CONTENT_FILTER)

    # ------------------------------------------------------------------------------------------------------- calls

    def _read_call(self, call: dict[str, Any], signature: str | None) -> None:
        name, call_id = string(call.get("name")) or "", string(call.get("id")) or ""
        partial, args, more = call.get("partialArgs"), call.get("args"), call.get("willContinue") is True
        opened = self._open
        if opened is None or not opened.goes_on(name, call_id, call):
            self._close_call(ended=True)
            if not (name or call_id or partial or args):
                # The closing mark of a call that is closed already.
                return
            if not (more or partial):
                self._give(name, call_id, _arguments(args), call_fields(signature, call_id))
                return
            opened = self._open = _OpenCall(name, call_id)
        self.hear()
        opened.arguments.add(partial, args)
        opened.opaque.update(call_fields(signature, call_id) or {})
        opened.id = opened.id or call_id
        if not more:
            self._close_call(ended=True)

    def _close_call(self, *, ended: bool) -> None:
        """The call under way is over. `ended` says that the model went on to something else, or ended its answer itself: so it
        is whole even without the closing mark, which some streams lack, unless it stopped within a string."""
        opened, self._open = self._open, None
        if opened is not None:
            text = opened.arguments.text(whole=ended and not opened.arguments.in_string)
            self._give(opened.name, opened.id, text, opened.opaque or None)

    def _give(self, name: str, call_id: str, arguments: str, opaque: Opaque | None) -> None:
        if call_id:
            # Gateways that merge chunks send a part twice; a call of its own has an id of its own.
            call = (call_id, name, arguments)
            if call in self._seen:
                return
            self._seen.add(call)
        index, self._calls_nr = self._calls_nr, self._calls_nr + 1
        self.calls.add(index=index, call_id=call_id, name=name, arguments=arguments, opaque=opaque)
        self.settle_call(index)

    # ------------------------------------------------------------------------------------- what is no chunk of text

    def _read_slowly(self, message: DataLine | DataStray) -> GeminiChunk | None:
        data = message.data
        try:
            value: Any = msgspec.json.decode(data)
        except (msgspec.MsgspecError, RecursionError):
            value = self._read_loosely(data)
        if isinstance(value, dict):
            return self._checked(value)
        if isinstance(value, list):
            chunks = [self._checked(entry) for entry in objects(value)]
            for chunk in chunks[:-1]:
                self.process_chunk(chunk)
            return chunks[-1] if chunks else None
        stray = isinstance(message, DataStray)
        if not stray and b"\n" in data:
            data = self._read_lines(data)
        if data.strip():
            self._read_no_chunk(data, stray=stray)
        return None

    def _read_lines(self, data: bytes) -> bytes:
        """Events without the blank line between them, or an error that a gateway wrote into one under way. Gives the rest."""
        rest: list[bytes] = []
        for line in data.split(b"\n"):
            value = self._read_loosely(line) if line.startswith(b"{") else None
            if isinstance(value, dict):
                self.process_chunk(self._checked(value))
            else:
                rest.append(line)
        return b"\n".join(rest)

    def _read_loosely(self, data: bytes) -> Any:
        """JSON with halves of surrogate pairs, which only pieces of text may have: there the other half may follow."""
        value = read_json(data)
        if value is not None:
            self.expect_halves()
        try:
            return without_halves(value)
        except RecursionError:
            return None

    def _checked(self, value: dict[str, Any]) -> GeminiChunk:
        chunk = chunk_of(value)
        if chunk.candidates is None and not chunk.error and ("message" in value or "detail" in value):
            # An error that a gateway writes without an `error` around it.
            chunk.error = value
        return chunk

    def _read_no_chunk(self, data: bytes, *, stray: bool) -> None:
        if stray and (error := _glued_error(data)) is not None:
            self._break_off(stream_error(error))
        elif is_web_page(data):
            self._break_off(web_page_error(data))
        elif stray or not data.lstrip().startswith(b"{"):
            # A piece of a larger JSON body, `keep-alive`, the `[DONE]` of gateways that speak OpenAI as well.
            if not self._alien or _is_json_begun(self._alien[0]):
                self._alien.append(data)
        elif not self.closing:
            self._break_off(error_of(ErrorReason.MALFORMED_RESPONSE, "an event of the stream is not valid JSON"))
        # Else it is the half of an event that the end of the body cut off; at_end says so.

    def _salvaged(self) -> Iterator[GeminiChunk]:
        """The chunks of a JSON array that was cut off, or has blank lines in it."""
        body = b"\n\n".join(self._alien)
        if not _is_json_begun(body):
            return
        text, decoder, at = body.decode("utf-8", "replace"), json.JSONDecoder(), 0
        while (at := text.find("{", at)) >= 0:
            try:
                value, at = decoder.raw_decode(text, at)
            except (ValueError, RecursionError):
                return
            if isinstance(value, dict):
                self.expect_halves()
                yield self._checked(without_halves(value))

    # ---------------------------------------------------------------------------------------------------- the ending

    def _complete(self, reason: str) -> None:
        finish = FINISH_REASONS.get(reason, FinishReason.STOP)
        fault = ErrorReason.CONTENT_FILTER if finish is FinishReason.CONTENT_FILTER else FAULTS.get(reason)
        if fault is None:
            self._count()
            self._close_call(ended=finish is FinishReason.STOP)
            self.finish(finish, reason)
            return
        message = f"the provider ended the answer with {reason}"
        if self._finish_message:
            message += f": {self._finish_message}"
        filtered = fault is ErrorReason.CONTENT_FILTER
        self._break_off(error_of(fault, message, code=reason), finish if filtered else FinishReason.INCOMPLETE)

    def _break_off(self, error: ProviderError, finish: FinishReason = FinishReason.INCOMPLETE) -> None:
        self._count()
        self._close_call(ended=False)
        self.break_off(error, self._finish_reason, finish)

    def _count(self) -> None:
        usage = read_usage(self._counts)
        if usage is not None:
            self.count(usage)


def _arguments(args: object) -> str:
    """No arguments are sent for a tool without parameters; PHP gateways write the empty object as an empty list."""
    if isinstance(args, str) and args:
        return args
    return json_text(args) if args else "{}"


def _image(blob: Any, file: Any) -> GeneratedImage | None:
    if isinstance(blob, dict):
        data = _bytes(blob.get("data"))
        return GeneratedImage(string(blob.get("mimeType")) or "image/png", data) if data else None
    url = string(file.get("fileUri"))
    return GeneratedImage(string(file.get("mimeType")) or "image/png", url=url) if url else None


def _bytes(text: object) -> bytes:
    """Base64 of either alphabet, with or without its padding; nothing where it is none."""
    if not isinstance(text, str):
        return b""
    try:
        data = text.encode("ascii").translate(bytes.maketrans(b"-_", b"+/")).rstrip(b"=")
        return b64decode(data + b"=" * (-len(data) % 4))
    except ValueError:
        return b""


def _glued_error(data: bytes) -> dict[str, Any] | None:
    """The error that a gateway wrote into a body under way: a whole JSON object on a line of its own."""
    for line in reversed(data.split(b"\n")[1:]):
        value = read_json(line) if line.startswith(b"{") else None
        if isinstance(value, dict) and value.get("error"):
            return value
    return None


def _is_json_begun(data: bytes) -> bool:
    """A JSON body, or the beginning of one (and not the `[DONE]` of other protocols)."""
    return re.match(rb"\s*\[?\s*\{", data[:64]) is not None


def _alien_error(data: bytes) -> ProviderError:
    return error_of(ErrorReason.MALFORMED_RESPONSE, data.decode("utf-8", "replace"))
