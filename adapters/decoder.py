"""What the decoders of all protocols share: one stream's state, and its one ending.

A protocol's decoder reads its wire's messages and says what they mean by a few words: `show`, `think`, `count`, `finish`,
`break_off`. This base turns them into ProcessedChunks and holds the laws: exactly one ending and nothing after it; text
that a guard holds back comes out before the ending; an error after visible text is not retryable; an answer without
anything visible is an error, not a success.

    bytes ─▶ wire ─▶ process_chunk() ─▶ show() ─▶ guards ─▶ TextChunk
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Sequence
from typing import Generic, TypeAlias, TypeVar

import msgspec

from adapters.contract import (
    DoneChunk,
    ErrorChunk,
    ErrorReason,
    FinishReason,
    FunctionCall,
    FunctionCallChunk,
    MalformedCall,
    ProcessedChunk,
    ProviderError,
    TextChunk,
    ThoughtLogEntry,
    Usage,
)
from adapters.errors import error_of
from adapters.tool_calls.assembly import ToolCallAssembly
from adapters.wire.stage import Stage

GuardOutput: TypeAlias = str | ThoughtLogEntry | FunctionCall | MalformedCall
"""What a guard makes of visible text: text, or what was really something else."""

Guard: TypeAlias = Stage[str, GuardOutput]

Raw = TypeVar("Raw")


class Decoder(ABC, Generic[Raw]):
    """One stream. `Raw` is the message of the wire that this protocol reads."""

    def __init__(self, wire: Stage[bytes, Raw], guards: Sequence[Guard] = ()) -> None:
        self._wire = wire
        self._guards = tuple(guards)
        self._out: list[ProcessedChunk] = []
        self._ended = False
        self._visible = False
        self._called = False
        self._usage: Usage | None = None
        self.calls = ToolCallAssembly()
        self.closing = False
        """The body has ended: what comes now is its tail, which may be cut."""

    # ------------------------------------------------------------------------------------- the door (StreamDecoder)

    def feed(self, data: bytes) -> Sequence[ProcessedChunk]:
        if self._over():
            return ()
        out: list[ProcessedChunk] = []
        self._out = out
        for raw in self._wire.feed(data):
            self.process_chunk(raw)
            if self._over():
                break
        return out

    def close(self) -> Sequence[ProcessedChunk]:
        return self._end(None)

    def fail(self, error: ProviderError) -> Sequence[ProcessedChunk]:
        return self._end(error)

    # --------------------------------------------------------------------------------------- what a protocol writes

    @abstractmethod
    def process_chunk(self, raw: Raw) -> None:
        """Say what one message of the wire means."""

    @abstractmethod
    def at_end(self, error: ProviderError | None) -> None:
        """The body is over, cleanly or by `error`. Must end the stream: by `finish` where the answer is complete all the
        same, else by `break_off`."""

    # ---------------------------------------------------------------------------------------- the words it says it by

    def show(self, text: str) -> None:
        """Visible text of the model."""
        if self._guards:
            self._pass_guards(0, text)
        elif text:
            self._emit_text(text)

    def think(self, text: str) -> None:
        """Reasoning that the provider keeps apart from the text."""
        if text:
            self._out.append(TextChunk(thoughts=(ThoughtLogEntry(text),)))

    def count(self, usage: Usage) -> None:
        """Tokens so far; the last count stands, and is given out once, just before the ending."""
        self._usage = usage

    def finish(self, reason: FinishReason, provider_reason: str | None) -> None:
        """The answer is complete, as the provider says."""
        if self._over():
            return
        self._release(ended=True)
        if self._called and reason is FinishReason.STOP:
            reason = FinishReason.TOOL_CALLS
        elif not self._called and reason is FinishReason.TOOL_CALLS:
            # Sent by several servers that then call nothing.
            reason = FinishReason.STOP
        if reason is FinishReason.CONTENT_FILTER:
            self._fail(
                error_of(ErrorReason.CONTENT_FILTER, "the provider's filter stopped the answer"),
                reason,
                provider_reason,
            )
        elif not self._visible and not self._called:
            error = error_of(ErrorReason.EMPTY_REPLY, "the model answered nothing")
            # Out of tokens before the first word: the same request ends the same way.
            error = msgspec.structs.replace(error, retryable=reason is not FinishReason.LENGTH)
            self._fail(error, reason, provider_reason)
        else:
            self._seal(DoneChunk(reason, provider_reason))

    def break_off(self, error: ProviderError, provider_reason: str | None = None) -> None:
        """The answer ends here, by a fault."""
        if self._over():
            return
        self._release(ended=False)
        self._fail(error, FinishReason.INCOMPLETE, provider_reason)

    # ------------------------------------------------------------------------------------------------------- inside

    def _over(self) -> bool:
        return self._ended

    def _end(self, error: ProviderError | None) -> Sequence[ProcessedChunk]:
        if self._over():
            return ()
        out: list[ProcessedChunk] = []
        self._out = out
        self.closing = True
        for raw in self._wire.close():
            self.process_chunk(raw)
            if self._over():
                return out
        self.at_end(error)
        return out

    def _emit_text(self, text: str) -> None:
        if not self._visible and not text.isspace():
            self._visible = True
        self._out.append(TextChunk(content=text))

    def _pass_guards(self, position: int, text: str) -> None:
        if position == len(self._guards):
            if text:
                self._emit_text(text)
            return
        for piece in self._guards[position].feed(text):
            self._take(position + 1, piece)

    def _take(self, position: int, piece: GuardOutput) -> None:
        if isinstance(piece, str):
            self._pass_guards(position, piece)
        elif isinstance(piece, ThoughtLogEntry):
            self.think(piece.text)
        else:
            self._emit_call(piece)

    def _emit_call(self, call: FunctionCall | MalformedCall) -> None:
        self._called = True
        self._out.append(FunctionCallChunk(call))

    def _release(self, *, ended: bool) -> None:
        for position, guard in enumerate(self._guards, start=1):
            for piece in guard.close():
                self._take(position, piece)
        for call in self.calls.finish(ended=ended):
            self._emit_call(call)
        if self._usage is not None:
            self._out.append(TextChunk(usage=self._usage))

    def _fail(self, error: ProviderError, finish: FinishReason, provider_reason: str | None) -> None:
        if self._visible:
            error = msgspec.structs.replace(error, retryable=False)
        self._seal(ErrorChunk(error, finish=finish, provider_finish_reason=provider_reason))

    def _seal(self, ending: DoneChunk | ErrorChunk) -> None:
        self._out.append(ending)
        # Whatever the protocol still says about the same raw chunk goes nowhere.
        self._out = []
        self._ended = True
