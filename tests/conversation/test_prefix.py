"""Each request begins with the one before, byte by byte: so a provider's prompt cache has most of it (docs/architecture.md).

Different may be what belongs to the newest question alone (time, memories, what it replies to elsewhere), and everything when the
conversation's beginning moves, which happens rarely and in large steps.
"""

from __future__ import annotations

import msgspec
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from adapters import registry
from adapters.contract import Endpoint, GenerationRequest, Role
from bot.conversation.history import PastMessage
from tests.conversation.room import Room, a_scene, picture, quote

PROVIDERS = ("anthropic", "custom", "google", "openai-responses", "bedrock", "ollama")
_LISTS = (b'"messages":[', b'"contents":[', b'"input":[')
_MARKS = (b',"cache_control":{"type":"ephemeral"}', b',{"cachePoint":{"type":"default"}}')
"""They say where a cache may end and are no part of the prompt."""


def conversation_of(provider: str, request: GenerationRequest) -> bytes:
    body = registry.adapter(provider).build(request, Endpoint(registry.NEEDS_BASE_URL.get(provider), "key")).body
    for mark in _MARKS:
        body = body.replace(mark, b"")
    begins = next(name for name in _LISTS if name in body)
    return body[body.index(begins) :]


def shared(one: bytes, other: bytes) -> bytes:
    length = next((nr for nr, (a, b) in enumerate(zip(one, other, strict=False)) if a != b), min(len(one), len(other)))
    return one[:length]


_event = st.tuples(
    st.sampled_from(["chat", "question", "question", "late answer", "reply to old"]),
    st.text(max_size=20),
    st.integers(1, 3),
)


@pytest.mark.parametrize("provider", PROVIDERS)
@settings(max_examples=25, deadline=None)
@given(st.lists(_event, min_size=2, max_size=25), st.sets(st.integers(0, 24), max_size=6))
def test_a_request_begins_with_the_one_before_up_to_its_question(
    provider: str, events: list[tuple[str, str, int]], with_pictures: set[int]
) -> None:
    room, scene = Room(), a_scene(most_messages=14)
    old = PastMessage(1, 10, "Ada", "an old one", persona="")
    room.say("before all", message_id=100)
    before: tuple[bytes, bytes] | None = None
    unanswered: list[PastMessage] = []
    for nr, (kind, text, author) in enumerate(events):
        files = (room.file(f"{nr}.png", picture(shade=nr)),) if nr in with_pictures else ()
        if kind == "chat":
            room.say(text, f"P{author}", author, attachments=files)
            continue
        if kind == "late answer":
            if unanswered:
                room.answer(f"late {text}", unanswered.pop())
                before = None  # what stands between the two questions now was not there then
            continue
        chain = [old] if kind == "reply to old" else []
        said = f"{text} question {nr}."
        question = room.say(said, f"P{author}", author, attachments=files, quote=quote(old) if chain else None)
        scene = msgspec.structs.replace(scene, aside=f"[time: {nr}]")
        built = room.build(question, scene, chain=chain)
        now = conversation_of(provider, built.request)
        if before is not None and built.starts_after is None:
            earlier, mark = before
            assert shared(earlier, now).endswith(mark) or mark in shared(earlier, now)
        # What it replies to elsewhere stands before it in this request alone.
        before = None if chain else (now, f"question {nr}.".encode())
        if built.starts_after is not None:
            scene = msgspec.structs.replace(scene, starts_after=built.starts_after)
        if text.startswith("0"):
            unanswered.append(question)
        else:
            room.answer(f"answer {nr}", question)


def test_the_marks_for_caches_stand_at_the_last_answer_and_where_the_request_before_had_its_last() -> None:
    """So that what one request wrote into the cache the next one finds, and writes on."""
    room = Room()
    marked = []
    for nr in range(4):
        question = room.say(f"question {nr}")
        messages = room.build(question).request.messages
        marked.append([message.text for message in messages if message.cache_mark])
        assert all(message.role is Role.ASSISTANT for message in messages if message.cache_mark)
        room.answer(f"answer {nr}", question)
    assert marked == [[], ["answer 0"], ["answer 0", "answer 1"], ["answer 1", "answer 2"]]


def test_the_request_to_go_on_extends_the_one_that_broke_off_and_later_ones_extend_that_of_the_question() -> None:
    room = Room()
    room.answer("Hello.", room.say("Hi"))
    question = room.say("Count.")
    asked = room.build(question).request.messages
    begun = room.build(question, partial="One, t").request.messages
    further = room.build(question, partial="One, two, th").request.messages
    room.answer("One, two, three.", question)
    later = room.build(room.say("Thanks.")).request.messages
    assert begun[: len(asked)] == further[: len(asked)] == asked
    assert further[len(asked)].text.startswith(begun[len(asked)].text)
    assert [message.text for message in later[: len(asked)]] == [message.text for message in asked]
