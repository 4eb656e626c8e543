"""The record of an answer: what goes back to the model as its own message."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from adapters.contract import (
    DoneChunk,
    Endpoint,
    FinishReason,
    FunctionCall,
    FunctionCallChunk,
    MalformedCall,
    ProcessedChunk,
    Role,
    TextChunk,
    TextPart,
    ThoughtLogEntry,
    ThoughtPart,
)
from adapters.record import TurnRecord

ORIGIN = Endpoint().origin("p", "m")


def parts(*chunks: ProcessedChunk) -> tuple[object, ...]:
    record = TurnRecord()
    record.add(chunks)
    return record.message(ORIGIN).parts


def thought(text: str, **opaque: str) -> TextChunk:
    return TextChunk(thoughts=(ThoughtLogEntry(text, opaque or None),))


def test_what_belongs_together_becomes_one_part() -> None:
    """Pieces in a row join; a change of kind begins another part."""
    chunks = (thought("Let me "), thought("see."), TextChunk("It is "), TextChunk("four."))
    assert parts(*chunks, DoneChunk(FinishReason.STOP)) == (ThoughtPart("Let me see."), TextPart("It is four."))


def test_opaque_fields_close_the_part_that_they_belong_to() -> None:
    """Two thoughts, each with its own signature, stay two."""
    assert parts(thought("a"), thought("", sig="1"), thought("b", sig="2"), TextChunk("t", opaque={"id": "x"})) == (
        ThoughtPart("a", {"sig": "1"}),
        ThoughtPart("b", {"sig": "2"}),
        TextPart("t", {"id": "x"}),
    )


def test_opaque_fields_without_words_are_a_part_too() -> None:
    """Redacted reasoning, blocks of server tools."""
    assert parts(thought("", data="r"), TextChunk(opaque={"block": "s"}), TextChunk("t")) == (
        ThoughtPart("", {"data": "r"}),
        TextPart("", {"block": "s"}),
        TextPart("t"),
    )


def test_calls_stand_where_they_came() -> None:
    """Also broken ones: the model is told what was wrong with them."""
    call = FunctionCall("1", "f", {"x": 1}, {"sig": "s"})
    broken = MalformedCall("2", "g", "{", "cut")
    chunks = (TextChunk("a"), FunctionCallChunk(call), thought("b"), FunctionCallChunk(broken), TextChunk("c"))
    assert parts(*chunks) == (TextPart("a"), call, ThoughtPart("b"), broken, TextPart("c"))


def test_a_thought_may_end_without_opaque_fields() -> None:
    """So that what stands in the text is not signed together with the provider's own."""
    chunks = (thought("a"), TextChunk(thoughts=(ThoughtLogEntry("", {}),)), thought("b", sig="1"))
    assert parts(*chunks) == (ThoughtPart("a"), ThoughtPart("b", {"sig": "1"}))


def test_text_that_is_taken_back_leaves_its_opaque_fields_where_they_were() -> None:
    """They mean something beside text only, and the block of a server's tool never was text."""
    chunks = (TextChunk("a", opaque={"id": "1"}), TextChunk(opaque={"block": "s"}), TextChunk("b"))
    taken = TextChunk(thoughts=(ThoughtLogEntry("", takes_back=True),))
    assert parts(*chunks, taken, TextChunk("c"), taken, TextChunk("d")) == (
        ThoughtPart("a"),
        TextPart("", {"id": "1"}),
        TextPart("", {"block": "s"}),
        ThoughtPart("b"),
        ThoughtPart("c"),
        TextPart("d"),
    )


def test_the_message_knows_who_spoke() -> None:
    record = TurnRecord()
    record.add([TextChunk("a")])
    message = record.message(ORIGIN)
    assert (message.role, message.origin, message.text) == (Role.ASSISTANT, ORIGIN, "a")


PIECES = st.one_of(
    st.text(max_size=3).map(TextChunk),
    st.text(max_size=3).map(thought),
    st.text(max_size=3).map(lambda text: TextChunk(text, opaque={"k": text})),
)


@given(st.lists(PIECES, max_size=12), st.data())
def test_nothing_is_lost_and_the_batches_do_not_matter(chunks: list[TextChunk], data: st.DataObject) -> None:
    """All text and all thoughts are in the parts, in order, however the chunks were handed over."""
    cut = data.draw(st.integers(0, len(chunks)))
    record = TurnRecord()
    record.add(chunks[:cut])
    record.add(chunks[cut:])
    message = record.message(ORIGIN)
    assert message.parts == parts(*chunks)
    assert message.text == "".join(chunk.content for chunk in chunks)
    assert "".join(part.text for part in message.parts if isinstance(part, ThoughtPart)) == "".join(
        entry.text for chunk in chunks for entry in chunk.thoughts
    )
