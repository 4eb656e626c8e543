"""Laws of every request, whatever was said: well-formed, within its budget, legal for every provider, and with the question in it."""

from __future__ import annotations

import itertools
import json
import re

from hypothesis import given, settings
from hypothesis import strategies as st

from adapters import registry
from adapters.contract import Endpoint, Role
from bot.conversation.budget import prompt_budget
from bot.conversation.history import Attachment, PastMessage
from tests.adapters.validity import faults
from tests.conversation.room import (
    Room,
    a_scene,
    picture,
    pictures,
    texts,
)

_files = st.sampled_from([None, "text", "long", "picture", "refused"])
_said = st.tuples(
    st.sampled_from(["person", "person", "answer", "luna"]),
    st.integers(0, 6),
    st.text(max_size=60),
    st.integers(1, 60),
    _files,
)


@st.composite
def rooms(draw: st.DrawFn) -> tuple[Room, PastMessage, list[PastMessage]]:
    """Anybody says anything, answers come late or to nothing, files are good and bad; and what the question replies to."""
    room = Room()
    for kind, author, text, times, file in draw(st.lists(_said, max_size=25)):
        attachments: tuple[Attachment, ...] = ()
        if file is not None:
            contents = {"text": "tea", "long": "long tea " * 400, "picture": picture(700, 700), "refused": None}
            attachments = (room.file("f", contents[file]),)
        if kind == "person":
            refused = author == 6
            room.say(text * times, f"P{author}", author, attachments=attachments, media_refused=refused)
        else:
            answered = {message.answers for message in room.messages}
            asked = [message for message in room.messages if not message.is_me and message.message_id not in answered]
            to = draw(st.sampled_from([*asked, None]))
            room.answer(text * times, to, persona="Luna" if kind == "luna" else "")
            if draw(st.booleans()) and to is not None:
                room.messages.remove(to)
    question = room.say("the question " * draw(st.sampled_from([1, 1, 2000])), message_id=1000)
    chain = draw(st.lists(st.sampled_from(room.messages), max_size=5)) if room.messages else []
    return room, question, [message for message in chain if message is not question]


@settings(max_examples=150, deadline=None)
@given(
    rooms(),
    st.sampled_from([None, 900, 2_000, 100_000]),
    st.sampled_from([None, True, False]),
    st.sampled_from([None, 1, 10]),
    st.sampled_from(["", "Done is " * 300]),
    st.sampled_from(["", "[time: noon]"]),
    st.sampled_from(["", "They met."]),
)
def test_whatever_was_said_the_request_is_well_formed_and_within_its_budget(
    told: tuple[Room, PastMessage, list[PastMessage]],
    window: int | None,
    vision: bool | None,
    starts_after: int | None,
    partial: str,
    aside: str,
    summary: str,
) -> None:
    room, question, chain = told
    scene = a_scene(window, vision=vision, starts_after=starts_after, aside=aside, summary=summary, most_messages=12)
    built = room.build(question, scene, chain=chain, partial=partial)
    messages = built.request.messages
    assert built.tokens <= prompt_budget(scene.info)
    assert messages[0].role is messages[-1].role is Role.USER
    assert all(one.role is not other.role for one, other in itertools.pairwise(messages))
    assert all(message.text.strip() for message in messages)
    asked = messages[-3 if partial else -1].text
    if not built.cut or len(question.text) < 20:
        assert f"Ada (10): {question.text.strip()}" in asked
    else:
        assert "Ada (10): the question" in asked
    assert vision is not False or not pictures(messages)
    if built.dropped:
        assert built.starts_after is not None
        assert all(message.place[0] <= built.starts_after for message in built.dropped)


@settings(max_examples=60, deadline=None)
@given(
    st.lists(st.tuples(st.integers(1, 120), st.integers(1, 120), st.booleans()), min_size=1, max_size=30),
    st.integers(1, 600),
    st.sampled_from([1_000, 3_000]),
)
def test_no_answer_is_left_without_its_question_and_nothing_is_left_out_from_the_middle(
    said: list[tuple[int, int, bool]], length: int, window: int
) -> None:
    room = Room()
    for nr, (asked, answered, is_asked) in enumerate(said):
        question = room.say(f"question {nr}. " + "word " * asked)
        if is_asked:
            room.answer(f"answer {nr}. " + "word " * answered, question)
    built = room.build(room.say("newest " + "word " * length), a_scene(window, most_messages=15))
    text = "\n".join(texts(built.request.messages))
    questions = {int(nr) for nr in re.findall(r"question (\d+)\.", text)}
    answers = {int(nr) for nr in re.findall(r"answer (\d+)\.", text)}
    assert questions in (set(), set(range(min(questions, default=0), len(said))))
    assert answers == {nr for nr in questions if said[nr][2]}
    assert bool(built.dropped or built.cut) == (len(questions) < len(said) or "characters left out]" in text)


@settings(max_examples=40, deadline=None)
@given(rooms(), st.sampled_from([900, 100_000]))
def test_every_provider_takes_it(told: tuple[Room, PastMessage, list[PastMessage]], window: int) -> None:
    room, question, chain = told
    request = room.build(question, a_scene(window), chain=chain).request
    for name in registry.NAMES:
        body = registry.adapter(name).build(request, Endpoint(registry.NEEDS_BASE_URL.get(name), "key")).body
        assert faults(name, json.loads(body)) == []
