"""The stream of Anthropic's Messages API: what its events mean.

An answer is a row of blocks; each starts, grows by deltas and stops, and `message_delta` brings the reason and the counts before
`message_stop`, the end mark. Text, thoughts and calls come out as such. What else a block says is kept for the next request:
the signature of a thought, the citations of a text, the caller of a call, and every other block whole (a server's tool and its
result, a compaction, what is not known yet). Compatible servers start a block before the last one stopped (llama.cpp), leave out
starts and stops, or answer with one JSON body; a block is over when another starts, when it stops, or when the answer ends.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any, Final

import msgspec

from adapters.contract import (
    ErrorReason,
    FinishReason,
    GenerationRequest,
    ProviderError,
)
from adapters.decoder import Decoder
from adapters.errors import error_of, is_web_page, stream_error, web_page_error
from adapters.providers.anthropic.endings import FINISH_REASONS, refusal_error
from adapters.providers.anthropic.events import (
    BlockDelta,
    BlockStart,
    BlockStop,
    CitationsDelta,
    Event,
    Fault,
    InputDelta,
    MessageDelta,
    MessageStart,
    MessageStop,
    OddDelta,
    Ping,
    SignatureDelta,
    TextDelta,
    ThinkingDelta,
    WholeMessage,
    decode_event,
    mended_event,
)
from adapters.providers.anthropic.usage import read_usage
from adapters.wire.data import DataError, DataLine, DataMessage, DataStray
from adapters.wire.loose_json import json_or_text, read_json, string
from adapters.wire.sse import sse
from adapters.wire.stage import Layers

NO_BLOCK: Final = -1

_CALL_FIELDS: Final = frozenset(("type", "id", "name", "input"))


class _Block:
    """A block under way."""

    __slots__ = ("call_nr", "citations", "grown", "has_input", "input", "signature", "takes_input", "value")

    def __init__(self, value: dict[str, Any]) -> None:
        self.value = value
        """As it started."""
        self.call_nr: int | None = None
        self.takes_input = value.get("type") not in ("text", "thinking")
        self.has_input = False
        self.input: list[str] = []
        self.signature: list[str] = []
        self.grown: dict[str, list[Any]] = {}
        """What deltas of other types brought, by field."""
        citations = value.get("citations")
        self.citations: list[Any] = list(citations) if isinstance(citations, list) else []


class AnthropicDecoder(Decoder[DataMessage, Event]):
    def __init__(self, request: GenerationRequest | None = None, layers: Layers | None = None) -> None:
        super().__init__(sse(layers), request, layers)
        self._blocks: dict[int, _Block] = {}
        self._open = NO_BLOCK
        """The text or thought under way: it is over when any other block starts."""
        self._calls_nr = 0
        self._last_call = NO_BLOCK
        self._in_text = False
        """The last that came out is text which later text would go on with."""
        self._spoke = False
        self._stop_reason: str | None = None
        self._stop_details: object = None
        self._container: object = None
        self._counts: dict[str, Any] = {}
        self._alien = b""

    # ----------------------------------------------------------------------------------------------- bytes to events

    def read_chunk(self, message: DataMessage) -> Event | None:
        if type(message) is DataLine:
            data = message.data
            if message.event != "error":
                try:
                    return decode_event(data)
                except (msgspec.MsgspecError, RecursionError):
                    pass
            return self._read_slowly(data, message.event)
        return self._read_other(message)

    def _read_slowly(self, data: bytes, name: str) -> Event | None:
        value = read_json(data)
        if isinstance(value, dict):
            if not _is_strict(data):
                self.expect_halves()
            return mended_event(value, name)
        if name == "error":
            return Fault(json_or_text(data))
        if (fault := _glued_error(data)) is not None:
            return fault
        if not data.lstrip().startswith(b"{"):
            # `data: [DONE]`, `data: keep-alive` and the like.
            self._alien = self._alien or data
        elif not self.closing:
            self.break_off(error_of(ErrorReason.MALFORMED_RESPONSE, "an event of the stream is not valid JSON"))
        # Else it is the half of an event that the end of the body cut off; at_end says so.
        return None

    def _read_other(self, message: DataMessage) -> Event | None:
        """Lines that are no event: the JSON of an answer that was not streamed, a web page. Or a fault of the wire."""
        data = message.data if isinstance(message, DataStray) else b""
        if isinstance(message, DataError):
            self.break_off(error_of(ErrorReason.MALFORMED_RESPONSE, message.message))
        elif is_web_page(data):
            self.break_off(web_page_error(data))
        elif data.lstrip().startswith(b"{") and isinstance(read_json(data), dict):
            return self._read_slowly(data, "")
        else:
            self._alien = self._alien or data
        return None

    # ------------------------------------------------------------------------------------------------ events to words

    def process_chunk(self, raw: Event) -> None:
        if type(raw) is BlockDelta:
            delta = raw.delta
            if type(delta) is TextDelta:
                self._in_text = True
                self.show(delta.text)
            elif type(delta) is ThinkingDelta:
                self._in_text = False
                self.think(delta.thinking)
            elif type(delta) is InputDelta:
                self._add_input(raw.index, delta.partial_json)
            elif type(delta) is SignatureDelta:
                self._add_signature(raw.index, delta.signature)
            elif type(delta) is CitationsDelta:
                self._add_citation(raw.index, delta.citation)
        else:
            _HANDLERS[type(raw)](self, raw)

    def at_end(self, error: ProviderError | None) -> None:
        if self._stop_reason is not None:
            # Only the end mark is missing.
            self._complete()
            return
        for block in self._blocks.values():
            self._complete_input(block)
        if error is not None:
            self.break_off(error)
        elif self._alien and not self._spoke:
            self.break_off(error_of(ErrorReason.MALFORMED_RESPONSE, self._alien.decode("utf-8", "replace")))
        else:
            self.break_off(error_of(ErrorReason.TRUNCATED_STREAM, "the stream ended before the answer did"))

    def _start_message(self, event: MessageStart) -> None:
        self._read_message(event.message)

    def _read_message(self, message: Mapping[str, Any]) -> None:
        """The head of an answer, or the whole of it where its content is already there."""
        self._count(message.get("usage"))
        provider = message.get("provider")
        if isinstance(provider, str):
            # OpenRouter
            self.serve(provider)
        content = message.get("content")
        if isinstance(content, str):
            content = [{"type": "text", "text": content}]
        # Text may have come in deltas whose block never started.
        if content and isinstance(content, list) and not (self._spoke or self._in_text):
            for index, value in enumerate(content):
                if isinstance(value, dict):
                    self._start_block(BlockStart(value, index))
                    self._stop_block(BlockStop(index))
        self._read_ending(message)

    def _read_whole(self, event: WholeMessage) -> None:
        self._read_message(event.message)
        self._complete()

    def _change_message(self, event: MessageDelta) -> None:
        self._count(event.usage)
        self._read_ending(event.delta)

    def _read_ending(self, fields: Mapping[str, Any]) -> None:
        reason = fields.get("stop_reason")
        if isinstance(reason, str) and reason:
            self._stop_reason = reason
        self._stop_details = fields.get("stop_details") or self._stop_details
        self._container = fields.get("container") or self._container

    def _stop_message(self, event: MessageStop) -> None:
        self._complete()

    def _complete(self) -> None:
        for index in list(self._blocks):
            self._stop_block(BlockStop(index))
        reason = self._stop_reason
        if isinstance(self._container, dict) and reason in ("tool_use", "pause_turn"):
            # The next request runs in it.
            self._keep({"type": "container", **self._container})
        finish = FINISH_REASONS.get(reason or "end_turn", FinishReason.STOP)
        if finish is FinishReason.CONTENT_FILTER:
            self.break_off(refusal_error(reason, self._stop_details), reason, finish)
        else:
            self.finish(finish, reason)

    def _fail_by(self, event: Fault) -> None:
        self.break_off(stream_error(event.value), self._stop_reason)

    def _ignore(self, event: Ping) -> None:
        pass

    def _count(self, usage: object) -> None:
        """What is not null replaces what the events before said: the counts are of the whole answer so far."""
        if isinstance(usage, dict) and usage:
            self._counts.update({key: value for key, value in usage.items() if value is not None})
            self.count(read_usage(self._counts))

    # --------------------------------------------------------------------------------------------------------- blocks

    def _start_block(self, event: BlockStart) -> None:
        self._spoke = True
        value = event.content_block
        if self._is_repeated(event):
            return
        for index in (self._open, event.index):
            self._stop_block(BlockStop(index))
        self._open = event.index
        block = self._blocks[event.index] = _Block(value)
        match value.get("type"):
            case "text":
                if self._in_text:
                    self._close_text()
                self._in_text = True
                self.show(string(value.get("text")))
            case "thinking":
                self._in_text = False
                self.think(string(value.get("thinking")))
                block.signature.append(string(value.get("signature")))
            case "tool_use":
                self._in_text = False
                self._open = NO_BLOCK
                self._last_call = event.index
                self._start_call(block)
            case _:
                self._open = NO_BLOCK
                self.hear()

    def _is_repeated(self, event: BlockStart) -> bool:
        """The start of the call under way, sent twice: a second call would run without its arguments."""
        block, value = self._blocks.get(event.index), event.content_block
        return (
            block is not None
            and block.call_nr is not None
            and not block.has_input
            and bool(value.get("id"))
            and (value.get("id"), value.get("name")) == (block.value.get("id"), block.value.get("name"))
        )

    def _start_call(self, block: _Block) -> None:
        value = block.value
        block.call_nr = self._calls_nr
        self._calls_nr += 1
        self.calls.add(
            index=block.call_nr,
            call_id=string(value.get("id")),
            name=string(value.get("name")),
            opaque={key: field for key, field in value.items() if key not in _CALL_FIELDS and field is not None},
        )

    def _add_input(self, index: int, piece: str) -> None:
        block = self._blocks.get(index)
        if block is None or not block.takes_input:
            block = self._block_for_input(index)
        if block.call_nr is not None:
            if piece:
                block.has_input = True
            if not self.calls.extend(block.call_nr, piece):
                # Its start said nothing at all.
                self.calls.add(index=block.call_nr, arguments=piece)
        else:
            block.input.append(piece)
            self.hear()

    def _block_for_input(self, index: int) -> _Block:
        """Where the index names no block that takes input: the call under way, which would run without its arguments."""
        call = self._blocks.get(self._last_call)
        if call is not None and call.call_nr is not None:
            return call
        # Its start was lost: a call without a name is a malformed one.
        self._start_block(BlockStart({"type": "tool_use"}, index))
        return self._blocks[index]

    def _add_signature(self, index: int, signature: str) -> None:
        block = self._blocks.get(index)
        if block is not None:
            block.signature.append(signature)

    def _add_citation(self, index: int, citation: object) -> None:
        block = self._blocks.get(index)
        if block is not None and citation is not None:
            block.citations.append(citation)

    def _add_odd(self, event: OddDelta) -> None:
        self.hear()
        block = self._blocks.get(event.index)
        if block is not None:
            for key, field in event.fields.items():
                block.grown.setdefault(key, []).append(field)

    def _stop_block(self, event: BlockStop) -> None:
        block = self._blocks.pop(event.index, None)
        if block is None:
            return
        kind = block.value.get("type")
        if block.call_nr is not None:
            self._complete_input(block)
            self.settle_call(block.call_nr)
        elif kind == "text":
            if block.citations:
                self._in_text = False
                self.show("", {"type": "text", "citations": block.citations})
        elif kind == "thinking":
            self.think("", {"type": "thinking", "signature": "".join(block.signature)})
        elif kind == "redacted_thinking":
            self._in_text = False
            self.think("", block.value)
        elif kind is not None:
            self._keep_block(block)

    def _complete_input(self, block: _Block) -> None:
        """A call may stand whole in its start (programmatic tool calling); an empty object there only holds the place."""
        given = block.value.get("input")
        if block.call_nr is not None and given and not block.has_input:
            block.has_input = True
            self.calls.add(index=block.call_nr, arguments=given)

    def _keep_block(self, block: _Block) -> None:
        value = block.value
        pieces = "".join(block.input)
        if pieces.strip():
            given = read_json(pieces)
            if not isinstance(given, dict):
                # Cut, so it cannot go back; the provider ran nothing either.
                return
            value["input"] = given
        for key, fields in block.grown.items():
            value[key] = _grown(value.get(key), fields)
        if block.citations:
            value["citations"] = block.citations
        self._keep(value)

    def _keep(self, value: Mapping[str, Any]) -> None:
        if self._in_text:
            self._close_text()
        self.show("", value)

    def _close_text(self) -> None:
        """What follows is another part of the message than the text so far."""
        self._in_text = False
        self.show("", {"type": "text"})


_HANDLERS: Final[Mapping[type[Any], Callable[[AnthropicDecoder, Any], None]]] = {
    BlockStart: AnthropicDecoder._start_block,
    BlockStop: AnthropicDecoder._stop_block,
    OddDelta: AnthropicDecoder._add_odd,
    MessageStart: AnthropicDecoder._start_message,
    MessageDelta: AnthropicDecoder._change_message,
    MessageStop: AnthropicDecoder._stop_message,
    WholeMessage: AnthropicDecoder._read_whole,
    Fault: AnthropicDecoder._fail_by,
    Ping: AnthropicDecoder._ignore,
}


def _grown(first: object, later: Sequence[Any]) -> Any:
    """A field after its deltas: a text goes on, anything else is replaced (`compaction_delta` brings a text for a null)."""
    texts = [first, *later] if isinstance(first, str) else later
    return "".join(texts) if all(isinstance(each, str) for each in texts) else later[-1]


def _glued_error(data: bytes) -> Fault | None:
    """The error that a gateway wrote into an event under way: a whole JSON object on a line of its own."""
    for line in reversed(data.split(b"\n")[1:]):
        value = read_json(line) if line.startswith(b"{") else None
        if isinstance(value, dict) and value.get("error"):
            return Fault(value)
    return None


def _is_strict(data: bytes) -> bool:
    try:
        msgspec.json.decode(data)
    except (msgspec.MsgspecError, RecursionError):
        return False
    return True
