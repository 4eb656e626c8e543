"""Laws of every request, whatever was said: well-formed, within its budget, legal for every provider, and with the question in it."""

from __future__ import annotations

import itertools
import json
import re
from collections.abc import Sequence
from typing import Any

import msgspec
from hypothesis import given, settings
from hypothesis import strategies as st

from adapters import registry
from adapters.contract import GenerationRequest, Role, TextPart
from adapters.in_words import harmless
from bot.conversation.budget import prompt_budget
from bot.conversation.history import Attachment, PastMessage
from bot.conversation.scene import Scene
from tests.adapters.histories import MODELS, TOOLS, conversation, place
from tests.adapters.validity import faults, strings
from tests.conversation.hostile_texts import HOSTILE
from tests.conversation.random_rooms import random_rooms, scenes
from tests.conversation.room import (
    Room,
    a_scene,
    picture,
    pictures,
    texts,
)

MODELS_OF_ALL = [(name, model) for name in registry.NAMES for model in MODELS.get(name, ("m",))]

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
@given(random_rooms(), scenes(TOOLS), st.one_of(st.just(""), HOSTILE))
def test_every_provider_takes_it_with_all_that_was_said(
    told: tuple[Room, PastMessage, list[PastMessage]], scene: Scene, partial: str
) -> None:
    """Each model of each provider, in the order in which it was said."""
    room, question, chain = told
    built = room.build(question, scene, chain=chain, partial=partial)
    messages = built.request.messages
    assert built.tokens <= prompt_budget(scene.info)
    assert all(one.role is not other.role for one, other in itertools.pairwise(messages))
    asked = messages[-3 if partial.strip() else -1].text
    assert "Qbegin" in asked
    assert built.cut or "Qend" in asked
    texts = [harmless(part.text).strip() for it in messages for part in it.parts if isinstance(part, TextPart)]
    for name, model in MODELS_OF_ALL:
        body = body_of(name, model, built.request)
        assert (name, model, faults(name, body)) == (name, model, [])
        assert all_in_order([text for text in texts if text], "".join(strings(conversation(body))))


def body_of(name: str, model: str, request: GenerationRequest) -> dict[str, Any]:
    body: dict[str, Any] = json.loads(
        registry.adapter(name).build(msgspec.structs.replace(request, model=model), place(name)).body
    )
    return body


def all_in_order(texts: Sequence[str], said: str) -> bool:
    at = 0
    for text in texts:
        found = said.find(text, at)
        if found < 0:
            return False
        at = found + len(text)
    return True
