"""The stream of the Responses API: what its events mean (https://platform.openai.com/docs/api-reference/responses-streaming).

The answer is a list of items (message, reasoning, function_call, calls of tools that the provider runs itself). Everything is
said up to four times: in deltas, in the part's done event, in the item's, in the final response; servers leave out any of them.
It is told once, as early as it comes. `response.completed`, `.incomplete`, `.failed` and `error` end the answer; what follows is
not read.
"""

from __future__ import annotations

from base64 import b64decode
from collections.abc import Callable, Mapping, Sequence
from typing import Any, Final

from adapters.contract import (
    ErrorReason,
    FinishReason,
    GeneratedImage,
    GenerationRequest,
    LiveCall,
    ProviderError,
)
from adapters.decoder import Decoder
from adapters.errors import error_of, is_web_page, stream_error, web_page_error
from adapters.providers.responses.events import WHOLE, Event, as_object, read_event, read_usage, read_value
from adapters.providers.responses.items import OutputItem, OutputItems, best_arguments, identity
from adapters.providers.responses.opaque import (
    FREE_TEXT_CALL,
    JOINT,
    call_opaque,
    message_opaque,
    reasoning_opaque,
    tool_opaque,
)
from adapters.wire.data import DataLine, DataMessage, DataStray
from adapters.wire.loose_json import objects, string
from adapters.wire.sse import sse
from adapters.wire.stage import Layers

LENGTHS: Final = frozenset({"max_output_tokens", "max_tokens", "length", "max_prompt_tokens"})
"""Words of `incomplete_details.reason` that mean the token limit."""

_SPEECH: Final[Mapping[str, str]] = {
    "response.output_text.delta": "text",
    "response.refusal.delta": "refusal",
    "response.reasoning_summary_text.delta": "summary",
    "response.reasoning_text.delta": "thought",
    "response.reasoning_summary.delta": "summary",
    "response.reasoning.delta": "thought",
}
_ITEM_OF: Final[Mapping[str, str]] = {
    "text": "message",
    "refusal": "message",
    "summary": "reasoning",
    "thought": "reasoning",
    "arguments": "function_call",
    "input": FREE_TEXT_CALL,
}
_PARTS: Final[Mapping[str, str]] = {
    "output_text": "text",
    "text": "text",
    "refusal": "refusal",
    "summary_text": "summary",
    "reasoning_text": "thought",
}
_ERRORS: Final = frozenset({"error", "response.error"})

_QUIET: Final = frozenset({"response.created", "response.queued", "response.in_progress"})
"""Background answers wait with these, and keep a connection alive."""


class ResponsesDecoder(Decoder[DataMessage, Event]):
    def __init__(self, request: GenerationRequest | None = None, layers: Layers | None = None) -> None:
        super().__init__(sse(layers), request, layers)
        self._items = OutputItems()
        self._spoken = False
        self._thought = False
        self._calls_nr = 0
        self._alien = b""
        # The part that the last delta belonged to: nearly always the next one's too.
        self._pieces: list[str] = []
        self._kind = ""
        self._index: int | None = None
        self._item_id: str | None = None
        self._part: int | None = None
        self._aloud = True

    # ----------------------------------------------------------------------------------------------------- the stream

    def read_chunk(self, message: DataMessage) -> Event | None:
        if isinstance(message, DataLine):
            event = read_event(message.data)
            if event is None:
                self._read_no_event(message)
                return None
            if event.loose:
                self.expect_halves()
            if not event.type:
                return self._named(event, message)
            if event.error or message.event == "error" or event.type in _ERRORS:
                return self._told_error(event, message)
            return event
        if isinstance(message, DataStray):
            return self._read_stray(message.data)
        self.break_off(error_of(ErrorReason.MALFORMED_RESPONSE, message.message))
        return None

    def process_chunk(self, raw: Event) -> None:
        kind = _SPEECH.get(raw.type)
        if kind is None:
            handler = _HANDLERS.get(raw.type)
            if handler is not None:
                handler(self, raw)
            elif raw.type.startswith("response.") and raw.type not in _QUIET:
                # A tool at work: code that is written, a search, a picture half drawn.
                self.hear()
            return
        delta = raw.delta
        if delta:
            part = raw.summary_index if kind == "summary" else raw.content_index
            index = raw.output_index
            if (
                kind != self._kind
                or part != self._part
                or index != self._index
                or (index is None and raw.item_id != self._item_id)
            ):
                self._turn_to(raw, kind, part)
            self._pieces.append(delta)
            if self._aloud:
                self.show(delta)
            else:
                self.think(delta)

    def at_end(self, error: ProviderError | None) -> None:
        self._settle_the_rest()
        if error is not None:
            self.break_off(error)
        elif self._alien and not self._items.all:
            self.break_off(error_of(ErrorReason.MALFORMED_RESPONSE, self._alien.decode("utf-8", "replace")))
        else:
            self.break_off(error_of(ErrorReason.TRUNCATED_STREAM, "the stream ended before the answer did"))

    def live_calls(self) -> Sequence[LiveCall]:
        return self._items.live_calls()

    # ---------------------------------------------------------------------------------------------------------- speech

    def _turn_to(self, event: Event, kind: str, part: int | None) -> None:
        item = self._items.find(event.output_index, event.item_id or "", _ITEM_OF[kind])
        self._kind, self._part, self._index, self._item_id = kind, part, event.output_index, event.item_id
        self._begin(item, kind, part or 0)

    def _begin(self, item: OutputItem, kind: str, part: int) -> None:
        """What is told next belongs to this part."""
        self._pieces = item.part(kind, part)
        self._aloud = _ITEM_OF[kind] == "message"
        if self._pieces:
            return
        if self._aloud:
            if self._spoken and not item.has_told("text", "refusal"):
                self.show(JOINT)
            self._spoken = True
        else:
            if self._thought:
                self.think(JOINT)
            self._thought = True

    def _tell(self, item: OutputItem, kind: str, part: int, text: str) -> None:
        if text:
            self._kind = ""
            self._begin(item, kind, part)
            self._pieces.append(text)
            (self.show if self._aloud else self.think)(text)

    def _read_part(self, event: Event) -> None:
        """The whole of a part, of which its deltas may have said all, some or nothing."""
        kind = _SPEECH[event.type.removesuffix("done") + "delta"]
        text = string(event.refusal if kind == "refusal" else event.text)
        if not text:
            return
        part = (event.summary_index if kind == "summary" else event.content_index) or 0
        item = self._items.find(event.output_index, event.item_id or "", _ITEM_OF[kind], again=True)
        told = "".join(item.part(kind, part))
        if told:
            self._tell(item, kind, part, text[len(told) :] if text.startswith(told) else "")
        elif not item.has_told(kind):
            self._tell(item, kind, part, text)

    # ----------------------------------------------------------------------------------------------------------- items

    def _open_item(self, event: Event) -> None:
        value = as_object(event.item)
        self._kind = ""
        self._items.open(event.output_index, value)
        if value.get("type") not in ("message", "reasoning"):
            self.hear()

    def _read_arguments(self, event: Event) -> None:
        kind = "arguments" if event.type.startswith("response.function_call") else "input"
        item = self._items.find(event.output_index, event.item_id or "", _ITEM_OF[kind])
        if event.type.endswith("delta"):
            item.part(kind, 0).append(event.delta or "")
        else:
            whole = event.arguments if kind == "arguments" else event.input
            item.whole = best_arguments((whole,)) or item.whole
        self.hear()

    def _close_item(self, event: Event) -> None:
        value = as_object(event.item)
        kind = string(value.get("type"))
        if not kind:
            return
        self._complete(self._items.find(event.output_index, identity(value), kind, again=True), value)

    def _complete(self, item: OutputItem, value: dict[str, Any]) -> None:
        if item.done:
            self._add_late(item, value)
            return
        self._items.close(item, value)
        self._kind = ""
        completed = _COMPLETED.get(item.type)
        if completed is not None:
            completed(self, item, value)
        else:
            self._keep_tool(item, value)

    def _complete_message(self, item: OutputItem, value: dict[str, Any]) -> None:
        self._complete_speech(item, value.get("content"), ("text", "refusal"))
        if item.has_told("text", "refusal"):
            self.show("", message_opaque(value))

    def _complete_reasoning(self, item: OutputItem, value: dict[str, Any]) -> None:
        had = item.has_told("summary"), item.has_told("thought")
        if had[0] or not had[1]:
            self._complete_speech(item, value.get("summary"), ("summary",))
        if had[1] or not item.has_told("summary"):
            # A summary beside the same reasoning in full would say it twice.
            self._complete_speech(item, value.get("content"), ("thought",))
        item.encrypted = bool(value.get("encrypted_content"))
        self.think("", reasoning_opaque(item.nr, value))

    def _complete_speech(self, item: OutputItem, content: object, kinds: Sequence[str]) -> None:
        parts = [(_PARTS.get(string(part.get("type")), ""), part) for part in objects(content)]
        for kind in kinds:
            texts = [string(part.get("text")) or string(part.get("refusal")) for name, part in parts if name == kind]
            if item.has_told(kind):
                last = max(index for (name, index), pieces in item.pieces.items() if name == kind and pieces)
                self._tell(item, kind, last, item.missing(kind, "".join(texts)))
            else:
                for index, text in enumerate(texts):
                    self._tell(item, kind, index, text)

    def _add_late(self, item: OutputItem, value: dict[str, Any]) -> None:
        if item.type == "reasoning" and not item.encrypted and value.get("encrypted_content"):
            item.encrypted = True
            self.think("", reasoning_opaque(item.nr, value, late=True))

    def _complete_call(self, item: OutputItem, value: dict[str, Any]) -> None:
        merged = {**item.added, **{name: field for name, field in value.items() if field}}
        free = item.type == FREE_TEXT_CALL
        kind = "input" if free else "arguments"
        candidates = (value.get(kind), item.whole, item.told(kind), item.added.get(kind))
        arguments: object = max(map(string, candidates), key=len) if free else best_arguments(candidates)
        if free and value and value.get("status") != "incomplete":
            # The input of a custom tool is free text, which stands as one argument; cut off it stays bare, so malformed.
            arguments = {"input": arguments}
        self.calls.add(
            index=self._calls_nr,
            call_id=string(merged.get("call_id")) or string(merged.get("id")),
            name=string(merged.get("name")),
            arguments=arguments,
            opaque=call_opaque(item.type, merged),
        )
        self.settle_call(self._calls_nr)
        self._calls_nr += 1

    def _complete_image(self, item: OutputItem, value: dict[str, Any]) -> None:
        image = _image(string(value.get("result")), string(value.get("output_format")))
        if image is not None:
            self.draw(image)
        self._keep_tool(item, value)

    def _keep_tool(self, item: OutputItem, value: dict[str, Any]) -> None:
        self.hear()
        self.show("", tool_opaque(item.type, value))

    def _settle_the_rest(self) -> None:
        """Calls whose item was never closed: what came of them is judged as it is."""
        for item in self._items.all:
            if item.type in ("function_call", FREE_TEXT_CALL) and not item.done:
                item.done = True
                self._complete_call(item, {})

    # ---------------------------------------------------------------------------------------------------------- endings

    def _end_by(self, event: Event) -> None:
        """By the final response, which holds whatever the stream left out."""
        response = as_object(event.response)
        status = string(response.get("status"))
        if status not in _ENDINGS:
            # Proxies that pass on the first snapshot: the event's own name tells.
            status = _ENDING_OF.get(event.type, status)
        for item, value in self._items.match(list(objects(response.get("output")))):
            self._complete(item, value)
        if not self._spoken:
            self._tell(self._items.find(None, "", "message"), "text", 0, string(response.get("output_text")))
        self._settle_the_rest()
        usage = read_usage(response.get("usage"))
        if usage is not None:
            self.count(usage)
        if status == "completed":
            self.finish(FinishReason.STOP, status)
        elif status == "incomplete":
            self._end_early(string(as_object(response.get("incomplete_details")).get("reason")))
        elif status in _ENDINGS:
            error = response.get("error") or event.error
            self._fail_by(error, f"the provider ended the answer as {status!r}", status)
        else:
            message = f"the provider gave an answer that is {status or 'not complete'}"
            self.break_off(error_of(ErrorReason.TRUNCATED_STREAM, message), status or None)

    def _end_early(self, reason: str) -> None:
        if reason in LENGTHS:
            self.finish(FinishReason.LENGTH, reason)
        elif reason == "content_filter":
            self.finish(FinishReason.CONTENT_FILTER, reason)
        else:
            word = reason or "incomplete"
            self.break_off(error_of(ErrorReason.TRUNCATED_STREAM, f"the provider ended the answer early: {word}"), word)

    def _read_error(self, event: Event) -> None:
        self._settle_the_rest()
        self._fail_by(event.error, "the provider gave no reason", None)

    def _fail_by(self, error: object, message: str, status: str | None) -> None:
        self.break_off(stream_error(error) if error else error_of(ErrorReason.SERVER, message), status)

    # ------------------------------------------------------------------------------------------------ what is no event

    def _told_error(self, event: Event, message: DataLine) -> Event:
        """Code and message stand inside `error`, or beside it; the type may be the error's own."""
        if event.type.startswith("response.") and event.type not in _ERRORS:
            return event
        return Event("error", error=read_value(message.data))

    def _named(self, event: Event, message: DataLine) -> Event | None:
        """JSON without a type: the event's name may tell it, or it is an error as other protocols write it."""
        value = as_object(read_value(message.data))
        if message.event == "error" or any(value.get(name) for name in ("error", "message", "detail")):
            return Event("error", error=value)
        event.type = message.event
        return event if event.type else None

    def _read_stray(self, data: bytes) -> Event | None:
        """Lines that are no event: the JSON of an answer that was not streamed, an error between events, a web page."""
        if is_web_page(data):
            self.break_off(web_page_error(data))
            return None
        event = read_event(data)
        if event is None:
            self._alien = self._alien or data
            return None
        return event if event.type else self._named(event, DataLine(data))

    def _read_no_event(self, message: DataLine) -> None:
        data = message.data
        if message.event == "error":
            self._read_error(Event("error", error=read_value(data) or data.decode("utf-8", "replace")))
            return
        lines = data.split(b"\n")
        if len(lines) > 1:
            # Events without the blank line between them, or an error that a gateway wrote into one under way.
            for line in lines:
                event = self.read_chunk(DataLine(line))
                if event is not None:
                    self.process_chunk(event)
        elif not data.lstrip().startswith(b"{"):
            # `data: [DONE]`, which is not this protocol's end mark, `data: keep-alive` and the like.
            self._alien = self._alien or data
        elif not self.closing:
            self.break_off(error_of(ErrorReason.MALFORMED_RESPONSE, "an event of the stream is not valid JSON"))
        # Else it is the half of an event that the end of the body cut off; at_end says so.


def _image(result: str, output_format: str) -> GeneratedImage | None:
    """The picture in `result`: base64, a data URL, or an address (xAI on demand)."""
    media_type = f"image/{output_format or 'png'}"
    if result.startswith(("http://", "https://")):
        return GeneratedImage(media_type, url=result)
    if result.startswith("data:"):
        head, _, result = result.partition(",")
        media_type = head[5:].partition(";")[0] or media_type
    try:
        data = b64decode(result)
    except ValueError:
        return None
    return GeneratedImage(media_type, data) if data else None


_COMPLETED: Final[Mapping[str, Callable[[ResponsesDecoder, OutputItem, dict[str, Any]], None]]] = {
    "message": ResponsesDecoder._complete_message,
    "reasoning": ResponsesDecoder._complete_reasoning,
    "function_call": ResponsesDecoder._complete_call,
    FREE_TEXT_CALL: ResponsesDecoder._complete_call,
    "image_generation_call": ResponsesDecoder._complete_image,
}

_ENDING_OF: Final[Mapping[str, str]] = {
    "response.completed": "completed",
    "response.done": "completed",
    "response.incomplete": "incomplete",
    "response.failed": "failed",
    "response.cancelled": "cancelled",
}
_ENDINGS: Final = frozenset(_ENDING_OF.values())

_HANDLERS: Final[Mapping[str, Callable[[ResponsesDecoder, Event], None]]] = {
    **dict.fromkeys((WHOLE, *_ENDING_OF), ResponsesDecoder._end_by),
    **dict.fromkeys((kind.removesuffix("delta") + "done" for kind in _SPEECH), ResponsesDecoder._read_part),
    "response.output_item.added": ResponsesDecoder._open_item,
    "response.output_item.done": ResponsesDecoder._close_item,
    "response.function_call_arguments.delta": ResponsesDecoder._read_arguments,
    "response.function_call_arguments.done": ResponsesDecoder._read_arguments,
    "response.custom_tool_call_input.delta": ResponsesDecoder._read_arguments,
    "response.custom_tool_call_input.done": ResponsesDecoder._read_arguments,
    **dict.fromkeys(_ERRORS, ResponsesDecoder._read_error),
}
