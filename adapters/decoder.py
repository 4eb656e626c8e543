"""What the decoders of all protocols share: one stream's state, and its one ending.

A protocol's decoder reads its wire's messages into its provider's chunks and says what they mean by a few words: `show`,
`think`, `draw`, `count`, `settle_call`, `finish`, `break_off`. This base turns them into ProcessedChunks and holds the laws:
exactly one ending and nothing after it; text that a guard holds back comes out before the ending; an error after visible
text is not retryable; an answer without anything visible is an error, not a success.

    bytes ─▶ wire ─▶ read_chunk() ─▶ process_chunk() ─▶ show() ─▶ guards ─▶ TextChunk
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Sequence
from typing import Generic, TypeVar

import msgspec

from adapters.contract import (
    Closing,
    DoneChunk,
    ErrorChunk,
    ErrorReason,
    FinishReason,
    FunctionCall,
    FunctionCallChunk,
    GeneratedImage,
    GenerationRequest,
    LiveCall,
    MalformedCall,
    Opaque,
    ProcessedChunk,
    ProviderError,
    TextChunk,
    ThoughtLogEntry,
    Usage,
)
from adapters.errors import error_of
from adapters.guards.guard import GuardOutput, WrittenCall
from adapters.guards.row import GuardRow
from adapters.guards.text_guards import text_guards
from adapters.tool_calls.assembly import MAX_CALLS, ToolCallAssembly
from adapters.tool_calls.verdict import Verdicts
from adapters.wire.stage import Layer, Layers, Stage
from adapters.wire.surrogates import SurrogateJoiner

Message = TypeVar("Message")
Raw = TypeVar("Raw")


class Decoder(ABC, Generic[Message, Raw]):
    """One stream. `Message` is what the wire gives, `Raw` the provider's own chunk (RawStreamChunk)."""

    def __init__(
        self,
        wire: Stage[bytes, Message],
        request: GenerationRequest | None = None,
        layers: Layers | None = None,
        *,
        tags: bool = True,
        spills: bool = False,
    ) -> None:
        """`request`: what is answered; None: nothing is known of it, and no guard stands over the text. `layers` where somebody
        looks; the wire was made with the same ones. `tags`, `spills`: how this protocol's servers may leak reasoning (text_guards).
        """
        verdicts = Verdicts(request.tools if request else ())
        self._wire = wire
        self._guards: GuardRow | None = None
        if request is not None:
            calls = verdicts if request.text_tool_calls and request.tools else None
            self._guards = text_guards(tags=tags, spills=spills, calls=calls)
        self._layers = layers
        self._sse: Layer | None = layers.add("sse") if layers else None
        self._delta: Layer | None = layers.add("delta") if layers else None
        self._out: list[ProcessedChunk] = []
        self._ended = False
        self._error: ProviderError | None = None
        self._visible = False
        self._called = False
        self._usage: Usage | None = None
        self._serving_provider: str | None = None
        self._heard_nr = 0
        self._leaked = False
        """The last thought was found in the text."""
        self._halves: tuple[SurrogateJoiner, SurrogateJoiner] | None = None
        self._written: list[WrittenCall] = []
        """Calls found in the text. They wait for the ending: until then all of it may turn out to be a thought."""
        self._given: list[FunctionCall] = []
        self.calls = ToolCallAssembly(verdicts)
        self.closing = False
        """The body has ended: what comes now is its tail, which may be cut."""

    # ------------------------------------------------------------------------------------- the door (StreamDecoder)

    def feed(self, data: bytes) -> Sequence[ProcessedChunk]:
        if self._ended:
            return ()
        out: list[ProcessedChunk] = []
        self._out = out
        messages = self._wire.feed(data)
        if self._sse is not None:
            self._read_seen(messages, self._sse)
            return self._shown(out)
        # The loop of _read, once more: a call for each of a thousand streams' deltas is felt.
        for message in messages:
            raw = self.read_chunk(message)
            if raw is not None:
                self.process_chunk(raw)
            if self._out is not out:
                break
        return out

    def close(self) -> Sequence[ProcessedChunk]:
        return self._end(None)

    def fail(self, error: ProviderError) -> Sequence[ProcessedChunk]:
        return self._end(error)

    @property
    def heard_nr(self) -> int:
        return self._heard_nr + self.calls.fragments_nr

    def live_calls(self) -> Sequence[LiveCall]:
        return self.calls.live()

    # --------------------------------------------------------------------------------------- what a protocol writes

    @abstractmethod
    def read_chunk(self, message: Message) -> Raw | None:
        """One message of the wire as the provider's chunk; None where it is none. May `break_off`."""

    @abstractmethod
    def process_chunk(self, raw: Raw) -> None:
        """Say what one chunk of the provider means."""

    @abstractmethod
    def at_end(self, error: ProviderError | None) -> None:
        """The body is over, cleanly or by `error`. Must end the stream: by `finish` where the answer is complete all the
        same, else by `break_off`."""

    # ---------------------------------------------------------------------------------------- the words it says it by

    def show(self, text: str, opaque: Opaque | None = None) -> None:
        """Visible text of the model."""
        if self._halves is not None:
            text = self._halves[0].feed(text)
        guards = self._guards
        if guards is None or guards.lets_pass(text):
            if opaque is not None:
                self._emit_text(text, opaque)
            elif text:
                if not self._visible and not text.isspace():
                    self._visible = True
                self._out.append(TextChunk(text))
            return
        if text:
            self._heard_nr += 1
        self._take(guards.feed(text))
        if opaque:
            self._settle_text()
            self._emit_text("", opaque)

    def think(self, text: str, opaque: Opaque | None = None) -> None:
        """Reasoning that the provider keeps apart from the text. With `opaque` the thought ends here."""
        if self._halves is not None:
            text = self._halves[1].feed(text)
        if text or opaque:
            if self._leaked:
                # What stood in the text is no part of a thought that the provider signs.
                self._leaked = False
                self._out.append(TextChunk("", (ThoughtLogEntry("", {}),)))
            self._out.append(TextChunk("", (ThoughtLogEntry(text, opaque),)))
            if self._guards is not None and text and not text.isspace():
                self._guards.heard_thought()

    def draw(self, image: GeneratedImage) -> None:
        """A picture that the model made."""
        self._settle_text()
        self._visible = True
        self._out.append(TextChunk(images=(image,)))

    def expect_halves(self) -> None:
        """From now on, text may hold halves of surrogate pairs (a chunk came that only wire.loose_json can read)."""
        self._halves = self._halves or (SurrogateJoiner(), SurrogateJoiner())

    def hear(self) -> None:
        """A sign of life that is neither text nor thought nor a call: a tool at work at the provider's."""
        self._heard_nr += 1

    def count(self, usage: Usage) -> None:
        """Tokens so far; the last count stands."""
        self._usage = usage

    def serve(self, provider: str) -> None:
        """The host behind a router; the first name stands."""
        self._serving_provider = self._serving_provider or provider or None

    def settle_call(self, index: int) -> None:
        """The provider says that the call at this index is over: it comes out here, in its place among the thoughts.

        One that is no whole object waits for what follows: only that tells whether it was cut off.
        """
        calls = self.calls.settle(index)
        if calls:
            self._settle_text()
        for call in calls:
            self._emit_call(call)

    def finish(self, reason: FinishReason, provider_reason: str | None) -> None:
        """The answer is complete, as the provider says."""
        if self._ended:
            return
        self._release(ended=reason is not FinishReason.LENGTH)
        if self._called and reason is FinishReason.STOP:
            reason = FinishReason.TOOL_CALLS
        elif not self._called and reason is FinishReason.TOOL_CALLS:
            # Sent by several servers that then call nothing.
            reason = FinishReason.STOP
        if reason is FinishReason.CONTENT_FILTER:
            error = error_of(
                ErrorReason.CONTENT_FILTER, "the provider's filter stopped the answer", code=provider_reason
            )
            self._fail(error, reason, provider_reason)
        elif not self._visible and not self._called:
            error = error_of(ErrorReason.EMPTY_REPLY, "the model answered nothing")
            # Out of tokens before the first word: the same request ends the same way.
            error = msgspec.structs.replace(error, retryable=reason is not FinishReason.LENGTH)
            self._fail(error, reason, provider_reason)
        else:
            self._seal(DoneChunk(reason, self._closing(provider_reason)))

    def break_off(
        self,
        error: ProviderError,
        provider_reason: str | None = None,
        finish: FinishReason = FinishReason.INCOMPLETE,
    ) -> None:
        """The answer ends here, by a fault."""
        if self._ended:
            return
        self._release(ended=False)
        self._fail(error, finish, provider_reason)

    # ------------------------------------------------------------------------------------------------------- inside

    def _over(self) -> bool:
        return self._ended

    def _read(self, messages: Sequence[Message]) -> None:
        if self._sse is not None:
            self._read_seen(messages, self._sse)
            return
        for message in messages:
            raw = self.read_chunk(message)
            if raw is not None:
                self.process_chunk(raw)
            if self._ended:
                break

    def _end(self, error: ProviderError | None) -> Sequence[ProcessedChunk]:
        if self._over():
            return ()
        out: list[ProcessedChunk] = []
        self._out = out
        self.closing = True
        self._read(self._wire.close())
        if not self._over():
            self.at_end(error)
        return out if self._delta is None else self._shown(out)

    def _emit_text(self, text: str, opaque: Opaque | None = None) -> None:
        if not self._visible and text and not text.isspace():
            self._visible = True
        self._out.append(TextChunk(text) if opaque is None else TextChunk(text, opaque=opaque))

    def _settle_text(self) -> None:
        """Something else comes: no guard's mark reaches across it."""
        if self._guards is not None:
            self._take(self._guards.settle(ended=True))

    def _take(self, pieces: Sequence[GuardOutput]) -> None:
        for piece in pieces:
            if isinstance(piece, str):
                if piece:
                    self._emit_text(piece)
            elif isinstance(piece, WrittenCall):
                if len(self._written) < MAX_CALLS:
                    self._written.append(piece)
                else:
                    self._emit_text(piece.text)
            else:
                self._leaked = True
                self._out.append(TextChunk("", (piece,)))
                if piece.takes_back:
                    self._take_back()

    def _take_back(self) -> None:
        """A call in what turned out to be a thought was only considered."""
        self._visible = False
        self._out.extend(TextChunk("", (ThoughtLogEntry(written.text),)) for written in self._written)
        self._written.clear()

    def _emit_call(self, call: FunctionCall | MalformedCall) -> None:
        self._called = True
        if isinstance(call, FunctionCall):
            self._given.append(call)
        self._out.append(FunctionCallChunk(call))

    def _release(self, *, ended: bool) -> None:
        if self._halves is not None:
            (text, thought), self._halves = self._halves, None
            self.think(thought.close())
            self.show(text.close())
        if self._guards is not None:
            self._take(self._guards.settle(ended=ended))
        for call in self.calls.finish(ended=ended):
            self._emit_call(call)
        # Some servers understand a call and leave it in the text as well.
        known = [(call.name, call.args) for call in self._given]
        for written in self._written:
            call = written.call
            if isinstance(call, MalformedCall) or (call.name, call.args) not in known:
                self._emit_call(call)

    def _closing(self, provider_reason: str | None) -> Closing:
        return Closing(provider_reason, self._usage, self._serving_provider)

    def _fail(self, error: ProviderError, finish: FinishReason, provider_reason: str | None) -> None:
        if self._visible:
            error = msgspec.structs.replace(error, retryable=False)
        self._error = error
        self._seal(ErrorChunk(error, finish=finish, closing=self._closing(provider_reason)))

    def _seal(self, ending: DoneChunk | ErrorChunk) -> None:
        self._out.append(ending)
        # Whatever the protocol still says about the same raw chunk goes nowhere.
        self._out = []
        self._ended = True

    # --------------------------------------------------------------------------------------------- when somebody looks

    def _read_seen(self, messages: Sequence[Message], sse: Layer) -> None:
        assert self._delta is not None
        for message in messages:
            sse.fed(message)
            raw = self.read_chunk(message)
            if self._ended and self._error is not None:
                sse.failed(self._error.message)
            if raw is not None:
                sse.gave(raw)
                self._delta.fed(raw)
                self.process_chunk(raw)
            if self._ended:
                break

    def _shown(self, out: list[ProcessedChunk]) -> list[ProcessedChunk]:
        assert self._layers is not None
        assert self._delta is not None
        for chunk in out:
            self._delta.gave(chunk)
        if self._ended:
            self._layers.end()
        return out
