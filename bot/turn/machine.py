"""The state machine of a turn. Pure: an input in, effects out; who drives it does them.

    preparing ──prepared──▶ waiting ──text──▶ streaming ──done──▶ finishing ──delivered──▶ ended
        ▲                      │ └──call──▶ tooling ◀──call── │          ▲
        └──── all results ─────┼──────────────┘               │          │
                               └── error, stop, deadline ─────┴──────────┘

House rules of this file: every transition stands in TABLE; every state answers every input (a test checks the table for
holes); `finishing` and `ended` let late inputs pass without effect, for a stream may still speak when nobody listens.
A turn whose text was shown is never started again: what came is kept, and the ending says what happened.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from enum import StrEnum
from typing import TypeAlias

import msgspec

from adapters.contract import (
    Closing,
    DoneChunk,
    ErrorChunk,
    ErrorReason,
    ErrorType,
    FinishReason,
    FunctionCall,
    FunctionCallChunk,
    MalformedCall,
    ProviderError,
    TextChunk,
    Usage,
)
from adapters.record import TurnRecord


class State(StrEnum):
    PREPARING = "preparing"
    WAITING = "waiting"
    STREAMING = "streaming"
    TOOLING = "tooling"
    FINISHING = "finishing"
    ENDED = "ended"


class Status(StrEnum):
    """How a turn ended."""

    COMPLETED = "completed"
    FUNCTION_CALL = "function_call"
    """Internal: the round ended with calls. It is a turn's last status only where nothing can run them."""
    ERROR = "error"
    STOPPED = "stopped"
    SUPERSEDED = "superseded"
    TIMEOUT = "timeout"
    EMPTY = "empty"


# ------------------------------------------------------------------------------------------------------------ inputs


class Prepared(msgspec.Struct, frozen=True):
    """The request to the model is built."""


class Stop(msgspec.Struct, frozen=True):
    """Somebody or something ends the turn before the model does."""

    status: Status
    notice: str | None = None
    """What the answer's footer says of it (a message key of locales/); None: nobody needs to be told."""
    by: str | None = None
    """Who did it, by display name."""


STOPPED = Stop(Status.STOPPED, "notice-stopped")
RESTARTING = Stop(Status.STOPPED, "notice-restarting")
WITHDRAWN = Stop(Status.STOPPED)
"""The question, or the answer, was deleted."""
SUPERSEDED = Stop(Status.SUPERSEDED, "notice-superseded")
"""Who asked wrote on, and the next answer takes over."""
DEADLINE = Stop(Status.TIMEOUT, "notice-timeout")
NO_TOOLS = Stop(Status.FUNCTION_CALL, "notice-tool-unavailable")


class ToolResult(msgspec.Struct, frozen=True):
    call_id: str


class Delivered(msgspec.Struct, frozen=True):
    """The channel shows the final state, or never will."""


Input: TypeAlias = TextChunk | FunctionCallChunk | ErrorChunk | DoneChunk | Prepared | Stop | ToolResult | Delivered


# ----------------------------------------------------------------------------------------------------------- effects


class StartAttempt(msgspec.Struct, frozen=True):
    """Call the model."""


class ShowText(msgspec.Struct, frozen=True):
    text: str


class ShowThoughts(msgspec.Struct, frozen=True):
    text: str


class TakeBack(msgspec.Struct, frozen=True):
    """All text shown so far turned out to be reasoning: it goes to the thoughts, and what follows is the answer."""


class RunCall(msgspec.Struct, frozen=True):
    call: FunctionCall | MalformedCall


class PrepareAgain(msgspec.Struct, frozen=True):
    """All calls of the round have results: build the next request with them."""


class Finish(msgspec.Struct, frozen=True):
    """Close the stream if it still runs, and deliver the final state."""

    status: Status


Effect: TypeAlias = StartAttempt | ShowText | ShowThoughts | TakeBack | RunCall | PrepareAgain | Finish


# ----------------------------------------------------------------------------------------------------------- machine

_NOTICES: Mapping[FinishReason, str] = {
    FinishReason.LENGTH: "notice-length",
    FinishReason.CONTENT_FILTER: "notice-filtered",
    FinishReason.INCOMPLETE: "notice-incomplete",
}


_NOTHING_BUT_THOUGHTS: Mapping[FinishReason, str] = {
    FinishReason.STOP: "notice-only-thoughts",
    FinishReason.LENGTH: "notice-thoughts-too-long",
}


class TurnMachine:
    """One turn's record and state. `handle()` is the only door."""

    def __init__(self) -> None:
        self.state = State.PREPARING
        self.status: Status | None = None
        self.error: ProviderError | None = None
        self.notice: str | None = None
        """Message key of what the footer must tell, if anything."""
        self.stopped_by: str | None = None
        """The display name of who stopped it."""
        self.record = TurnRecord()
        """What the model said in this round, thoughts included."""
        self.thought = False
        """Reasoning came in this round, between marks or apart from the text."""
        self.finish: FinishReason | None = None
        """How the model's stream ended, once it did."""
        self.usage: Usage | None = None
        self.serving_provider: str | None = None
        self.calls: list[FunctionCall | MalformedCall] = []
        """The calls of the current round that have no result yet."""

    def handle(self, given: Input) -> Sequence[Effect]:
        return TABLE[self.state][type(given)](self, given)

    def _finish(self, status: Status, notice: str | None = None) -> Sequence[Effect]:
        self.state, self.status = State.FINISHING, status
        self.notice = notice if notice is not None else self.notice
        return (Finish(status),)

    def _close(self, closing: Closing) -> None:
        self.usage = closing.usage
        self.serving_provider = closing.serving_provider


Rule: TypeAlias = Callable[[TurnMachine, "Input"], Sequence[Effect]]


def _ignore(_machine: TurnMachine, _given: Input) -> Sequence[Effect]:
    return ()


def _start(machine: TurnMachine, _given: Input) -> Sequence[Effect]:
    machine.state = State.WAITING
    return (StartAttempt(),)


def _text(machine: TurnMachine, given: Input) -> Sequence[Effect]:
    assert isinstance(given, TextChunk)
    machine.record.add((given,))
    machine.thought = machine.thought or bool(given.thoughts)
    effects: list[Effect] = []
    for thought in given.thoughts:
        if thought.takes_back:
            effects.append(TakeBack())
        if thought.text:
            effects.append(ShowThoughts(thought.text))
    if given.content:
        machine.state = State.STREAMING
        effects.append(ShowText(given.content))
    return tuple(effects)


def _call(machine: TurnMachine, given: Input) -> Sequence[Effect]:
    assert isinstance(given, FunctionCallChunk)
    machine.record.add((given,))
    machine.calls.append(given.call)
    return ()


def _done(machine: TurnMachine, given: Input) -> Sequence[Effect]:
    assert isinstance(given, DoneChunk)
    machine.finish = given.finish
    machine._close(given.closing)
    if machine.calls:
        machine.state = State.TOOLING
        return tuple(RunCall(call) for call in machine.calls)
    return machine._finish(Status.COMPLETED, _NOTICES.get(given.finish))


def _failed(machine: TurnMachine, given: Input) -> Sequence[Effect]:
    assert isinstance(given, ErrorChunk)
    machine.error, machine.finish = given.error, given.finish
    machine._close(given.closing)
    if given.error.reason is ErrorReason.EMPTY_REPLY:
        silence = _NOTICES.get(given.finish, "notice-empty")
        notice = _NOTHING_BUT_THOUGHTS.get(given.finish, silence) if machine.thought else silence
        return machine._finish(Status.EMPTY, notice)
    return machine._finish(Status.TIMEOUT if given.error.type is ErrorType.TIMEOUT else Status.ERROR)


def _tool_result(machine: TurnMachine, given: Input) -> Sequence[Effect]:
    assert isinstance(given, ToolResult)
    machine.calls = [call for call in machine.calls if call.id != given.call_id]
    if machine.calls:
        return ()
    machine.state = State.PREPARING
    return (PrepareAgain(),)


def _stop(machine: TurnMachine, given: Input) -> Sequence[Effect]:
    assert isinstance(given, Stop)
    machine.stopped_by = given.by
    return machine._finish(given.status, given.notice)


def _end(machine: TurnMachine, _given: Input) -> Sequence[Effect]:
    machine.state = State.ENDED
    return ()


_CHUNKS: Mapping[type[Input], Rule] = {
    TextChunk: _text,
    FunctionCallChunk: _call,
    ErrorChunk: _failed,
    DoneChunk: _done,
}
_NO_CHUNKS: Mapping[type[Input], Rule] = dict.fromkeys(_CHUNKS, _ignore)
_NOTHING: Mapping[type[Input], Rule] = {
    **_NO_CHUNKS,
    **dict.fromkeys((Prepared, Stop, ToolResult, Delivered), _ignore),
}

TABLE: Mapping[State, Mapping[type[Input], Rule]] = {
    State.PREPARING: {**_NOTHING, Stop: _stop, Prepared: _start},
    State.WAITING: {**_NOTHING, **_CHUNKS, Stop: _stop},
    State.STREAMING: {**_NOTHING, **_CHUNKS, Stop: _stop},
    State.TOOLING: {**_NOTHING, Stop: _stop, ToolResult: _tool_result},
    State.FINISHING: {**_NOTHING, Delivered: _end},
    State.ENDED: _NOTHING,
}
