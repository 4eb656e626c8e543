"""The laws of every protocol's decoder: one ending, nothing lost before it, nothing after it."""

from __future__ import annotations

from collections.abc import Sequence

import pytest
from hypothesis import given
from hypothesis import strategies as st

from adapters.contract import (
    Closing,
    DoneChunk,
    Endpoint,
    ErrorChunk,
    ErrorReason,
    FinishReason,
    FunctionCall,
    FunctionCallChunk,
    GeneratedImage,
    ProcessedChunk,
    ProviderError,
    TextChunk,
    ThoughtLogEntry,
    ThoughtPart,
    Usage,
)
from adapters.decoder import Decoder
from adapters.errors import error_of
from adapters.guards.guard import Guard, GuardOutput, WrittenCall
from adapters.guards.row import GuardRow
from adapters.record import TurnRecord
from adapters.tool_calls.assembly import MAX_CALLS
from adapters.wire.lines import Line, LineMessage, Lines
from adapters.wire.stage import LayerBegin, LayerEnd, LayerError, Layers, LayerStats, Totals, watched

LOST = error_of(ErrorReason.CONNECTION, "lost")


class Script(Decoder[LineMessage, list[str]]):
    """A protocol for tests: every line is one word of the decoder's own language."""

    def __init__(self, guards: Sequence[Guard] = (), layers: Layers | None = None) -> None:
        super().__init__(watched(Lines(), layers.add("line")) if layers else Lines(), layers=layers)
        self._guards = GuardRow(guards) if guards else None

    def read_chunk(self, message: LineMessage) -> list[str] | None:
        assert isinstance(message, Line)
        if message.content == b"?":
            self.break_off(error_of(ErrorReason.MALFORMED_RESPONSE, "what?"))
            return None
        return message.content.decode().split("|")

    def process_chunk(self, raw: list[str]) -> None:
        for word in raw:
            verb, _, rest = word.partition(" ")
            match verb:
                case "show":
                    self.show(rest)
                case "think":
                    self.think(rest)
                case "count":
                    self.count(Usage(output_tokens=int(rest)))
                case "call":
                    self.calls.add(call_id=rest, name=rest, arguments="{}")
                case "open":
                    self.calls.add(index=int(rest), call_id=rest, name=rest)
                case "give":
                    self.calls.add(index=int(rest), arguments="{}")
                case "settle":
                    self.settle_call(int(rest))
                case "draw":
                    self.draw(GeneratedImage("image/png", rest.encode()))
                case "sign":
                    self.think("", {"signature": rest})
                case "mark":
                    self.show("", {"signature": rest})
                case "serve":
                    self.serve(rest)
                case "finish":
                    self.finish(FinishReason(rest), rest)
                case "break":
                    self.break_off(error_of(ErrorReason.SERVER, rest))

    def at_end(self, error: ProviderError | None) -> None:
        self.break_off(error or error_of(ErrorReason.TRUNCATED_STREAM, "cut"))


class Holding:
    """A guard that lets go of a text only at the next full stop. It takes `?` for a thought, `<` for the end of one that began
    with the answer, and `!` for a call that was written as text."""

    spent = False

    def __init__(self) -> None:
        self._held = ""

    @property
    def calm(self) -> bool:
        return False

    def ignores(self, text: str) -> bool:
        return False

    def passed(self, text: str) -> None:
        raise AssertionError("it is never calm")

    def feed(self, text: str) -> Sequence[GuardOutput]:
        out: list[GuardOutput] = []
        for character in text:
            match character:
                case "?":
                    out.append(ThoughtLogEntry("?"))
                case "<":
                    out += [self.take_back(), ThoughtLogEntry("", takes_back=True)]
                case "!":
                    out.append(WrittenCall(FunctionCall(f"w{len(out)}", "w", {}), "!"))
                case _:
                    self._held += character
            if character == ".":
                out.append(self.take_back())
        return out

    def settle(self, *, ended: bool) -> Sequence[GuardOutput]:
        return (self.take_back(),)

    def take_back(self) -> str:
        held, self._held = self._held, ""
        return held


def decode(*lines: str, guards: Sequence[Guard] = (), fail: ProviderError | None = None) -> list[ProcessedChunk]:
    decoder = Script(guards)
    out = [chunk for line in lines for chunk in decoder.feed(line.encode() + b"\n")]
    return [*out, *(decoder.fail(fail) if fail else decoder.close())]


def text_of(chunks: Sequence[ProcessedChunk]) -> str:
    return "".join(chunk.content for chunk in chunks if isinstance(chunk, TextChunk))


def ending_of(chunks: Sequence[ProcessedChunk]) -> DoneChunk | ErrorChunk:
    *before, last = chunks
    assert not any(isinstance(chunk, DoneChunk | ErrorChunk) for chunk in before)
    assert isinstance(last, DoneChunk | ErrorChunk)
    return last


def error_ending(chunks: Sequence[ProcessedChunk]) -> ErrorChunk:
    ending = ending_of(chunks)
    assert isinstance(ending, ErrorChunk)
    return ending


WORDS = st.sampled_from(
    [
        *("show a", "show .", "show  ", "think t", "count 3", "call c"),
        *("finish stop", "finish length", "break x", "finish tool_calls"),
    ]
)


@given(st.lists(st.lists(WORDS, max_size=3).map("|".join), max_size=8), st.booleans(), st.booleans())
def test_there_is_exactly_one_ending_whatever_comes(lines: list[str], fails: bool, guarded: bool) -> None:
    """Also when a single raw chunk holds several endings and text behind them."""
    decoder = Script([Holding()] if guarded else [])
    chunks = [chunk for line in lines for chunk in decoder.feed(line.encode() + b"\n")]
    chunks += decoder.fail(LOST) if fails else decoder.close()
    ending_of(chunks)
    assert not decoder.feed(b"show more\n")
    assert not decoder.close()
    assert not decoder.fail(LOST)


def test_what_a_guard_holds_comes_out_before_the_ending() -> None:
    """At a clean end, at a break and at a lost connection alike; through all guards."""
    for ending in ("finish stop", "break x"):
        assert text_of(decode("show One. Tw", ending, guards=[Holding(), Holding()])) == "One. Tw"
    assert text_of(decode("show One. Tw", guards=[Holding()], fail=LOST)) == "One. Tw"


@pytest.mark.parametrize("word", ["draw x", "mark x", "open 0|give 0|settle 0"])
def test_what_a_guard_holds_comes_out_before_anything_that_is_not_text(word: str) -> None:
    chunks = decode(f"show a|{word}|show b", "finish stop", guards=[Holding()])
    first, other, *rest = (chunk for chunk in chunks if chunk != TextChunk())
    assert first == TextChunk("a")
    assert not (isinstance(other, TextChunk) and other.content)
    assert text_of(rest) == "b"


def test_a_call_written_as_text_comes_before_the_ending_and_makes_it_a_round_of_calls() -> None:
    chunks = decode("show Wait.!", "show Now.", "finish stop", guards=[Holding()])
    assert text_of(chunks) == "Wait.Now."
    assert chunks[-2:] == [
        FunctionCallChunk(FunctionCall("w1", "w", {})),
        DoneChunk(FinishReason.TOOL_CALLS, Closing("stop")),
    ]


def test_a_call_that_the_server_understood_and_left_in_the_text_counts_once() -> None:
    chunks = decode("show !", "call w", "finish stop", guards=[Holding()])
    assert [chunk.call.id for chunk in chunks if isinstance(chunk, FunctionCallChunk)] == ["w"]


def test_an_answer_makes_only_so_many_calls_in_its_text() -> None:
    """The others stay text."""
    chunks = decode(f"show {'!' * (MAX_CALLS + 2)}", "finish stop", guards=[Holding()])
    assert len([chunk for chunk in chunks if isinstance(chunk, FunctionCallChunk)]) == MAX_CALLS
    assert text_of(chunks) == "!!"


def test_a_call_in_text_that_turns_out_to_be_a_thought_is_not_made() -> None:
    """What was held, and the call as the model wrote it, are part of the thought."""
    chunks = decode("show So.!", "show hm<Done.", "finish stop", guards=[Holding(), Holding()])
    thoughts = [thought for chunk in chunks if isinstance(chunk, TextChunk) for thought in chunk.thoughts]
    assert thoughts == [ThoughtLogEntry("", takes_back=True), ThoughtLogEntry("!"), ThoughtLogEntry("hm")]
    assert text_of(chunks) == "So.Done."
    assert not any(isinstance(chunk, FunctionCallChunk) for chunk in chunks)


def test_what_a_guard_takes_out_of_the_text_goes_to_the_thoughts() -> None:
    """In the order in which the guard gives it."""
    chunks = decode("show a?b.", "finish stop", guards=[Holding()])
    assert chunks == [
        TextChunk(thoughts=(ThoughtLogEntry("?"),)),
        TextChunk(content="ab."),
        DoneChunk(FinishReason.STOP, Closing("stop")),
    ]


@pytest.mark.parametrize(
    ("shown", "retryable"), [("show hello", False), ("show  ", True), ("think t", True), ("call c", True)]
)
def test_an_error_after_visible_text_is_not_retryable(shown: str, retryable: bool) -> None:
    """White space and thoughts are not visible."""
    assert error_ending(decode(shown, "break x")).error.retryable is retryable
    assert error_ending(decode(shown, fail=LOST)).error.retryable is retryable


@pytest.mark.parametrize(
    ("word", "retryable"), [("stop", True), ("length", False), ("tool_calls", True)]
)  # fmt: skip
def test_an_answer_without_anything_visible_is_an_error(word: str, retryable: bool) -> None:
    """Thoughts alone are no answer; out of tokens before the first word, the same request ends the same way."""
    ending = error_ending(decode("think t", f"finish {word}"))
    assert ending.error.reason is ErrorReason.EMPTY_REPLY
    assert ending.error.retryable is retryable
    assert ending.closing.provider_finish_reason == word


def test_a_filtered_answer_is_an_error_that_keeps_its_text() -> None:
    """The finish reason says how far it came."""
    chunks = decode("show Once", "finish content_filter")
    ending = error_ending(chunks)
    assert text_of(chunks) == "Once"
    assert (ending.error.reason, ending.finish) == (ErrorReason.CONTENT_FILTER, FinishReason.CONTENT_FILTER)


@pytest.mark.parametrize(
    ("lines", "finish"),
    [
        (("call c", "finish stop"), FinishReason.TOOL_CALLS),
        (("call c", "finish tool_calls"), FinishReason.TOOL_CALLS),
        (("call c", "finish length"), FinishReason.LENGTH),
        (("show x", "finish tool_calls"), FinishReason.STOP),
        (("show x", "finish length"), FinishReason.LENGTH),
    ],
)
def test_calls_decide_over_the_providers_word(lines: tuple[str, ...], finish: FinishReason) -> None:
    """Servers say stop and call, or say tool_calls and call nothing."""
    ending = ending_of(decode(*lines))
    assert isinstance(ending, DoneChunk)
    assert ending.finish is finish


def test_the_ending_tells_the_last_count_and_the_first_host() -> None:
    """Also when the stream breaks."""
    chunks = decode("count 1", "serve ", "serve a", "show x", "serve b", "count 2", "finish stop")
    assert chunks == [TextChunk("x"), DoneChunk(FinishReason.STOP, Closing("stop", Usage(output_tokens=2), "a"))]
    assert ending_of(decode("count 1", fail=LOST)).closing == Closing(None, Usage(output_tokens=1))


def call(name: str) -> FunctionCallChunk:
    return FunctionCallChunk(FunctionCall(name, name, {}))


def test_calls_come_just_before_the_ending() -> None:
    """All text is there before anything is run."""
    assert decode("call c", "show x", "finish stop") == [
        TextChunk("x"),
        call("c"),
        DoneChunk(FinishReason.TOOL_CALLS, Closing("stop")),
    ]


def test_a_settled_call_keeps_its_place_among_the_thoughts() -> None:
    """Providers want signed thoughts and calls back in the order in which they gave them."""
    assert decode("open 1", "give 1", "settle 1|settle 1", "think t|sign s", "open 2", "give 2", "finish stop")[
        :-1
    ] == [
        call("1"),
        TextChunk(thoughts=(ThoughtLogEntry("t"),)),
        TextChunk(thoughts=(ThoughtLogEntry("", {"signature": "s"}),)),
        call("2"),
    ]


@pytest.mark.parametrize(("word", "whole"), [("stop", True), ("length", False)])
def test_a_call_without_arguments_waits_for_the_ending(word: str, whole: bool) -> None:
    """Out of tokens right after the name, the arguments are missing, and not empty."""
    chunks = decode("open 1", "settle 1", f"finish {word}")
    assert isinstance(chunks[0], FunctionCallChunk)
    assert isinstance(chunks[0].call, FunctionCall) is whole


def test_a_picture_is_an_answer() -> None:
    assert decode("draw p", "finish stop") == [
        TextChunk(images=(GeneratedImage("image/png", b"p"),)),
        DoneChunk(FinishReason.STOP, Closing("stop")),
    ]


@pytest.mark.parametrize(
    ("line", "lives"),
    [("open 1", True), ("give 1", True), ("serve a", False), ("count 3", False), ("show a", True), ("show ", False)],
)
def test_the_model_is_heard_by_what_it_says(line: str, lives: bool) -> None:
    """What gives no chunk is counted; a keep-alive says nothing. Text that a guard holds back counts too."""
    decoder = Script([Holding()])
    before = decoder.heard_nr
    chunks = decoder.feed(line.encode() + b"\n")
    assert (bool(chunks) or decoder.heard_nr > before) is lives


def test_a_thought_in_the_text_is_no_part_of_the_one_that_the_provider_signs() -> None:
    """A signature is of the provider's own words: the next request would be refused with others among them."""
    record = TurnRecord()
    record.add(decode("show a?.", "show ?", "think t", "sign s", "finish stop", guards=[Holding()]))
    thoughts = [part for part in record.message(Endpoint().origin("p", "m")).parts if isinstance(part, ThoughtPart)]
    assert thoughts[-2:] == [ThoughtPart("?"), ThoughtPart("t", {"signature": "s"})]


def test_an_observer_sees_every_layer_from_begin_to_end() -> None:
    """What a layer gives stands between its begin and its end, whose totals are right; the chunks stay the same."""
    seen: list[tuple[str, object]] = []
    decoder = Script(layers=Layers(lambda layer, message: seen.append((layer, message))))
    chunks = [*decoder.feed(b"show a\nthi"), *decoder.feed(b"nk b\n?\nshow c"), *decoder.close()]
    assert chunks == decode("show a", "think b", "?")
    of = {name: [message for layer, message in seen if layer == name] for name in ("line", "sse", "delta")}
    assert of["sse"] == [
        LayerBegin("sse.begin"),
        ["show a"],
        ["think b"],
        LayerError("sse.error", "what?"),
        LayerStats("sse.stats", Totals(fed_nr=3, messages_nr=3, errors_nr=1)),
        LayerEnd("sse.end", Totals(fed_nr=3, messages_nr=3, errors_nr=1)),
    ]
    assert [message for message in of["delta"] if not isinstance(message, LayerBegin | LayerStats | LayerEnd)] == chunks
    assert of["delta"][-1] == LayerEnd("delta.end", Totals(fed_nr=2, messages_nr=3, errors_nr=1))
    assert of["line"][-1] == LayerEnd("line.end", Totals(fed_nr=2, fed_bytes_nr=23, messages_nr=3))
