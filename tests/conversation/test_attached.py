"""Which files of a conversation are read, which pictures are shown, and what the person hears of the rest."""

from __future__ import annotations

from typing import Any

import pytest

from bot.conversation.attached import MOST_FILES
from bot.conversation.build import Built
from bot.conversation.history import Forwarded, PastMessage
from tests.conversation.room import Room, a_scene, picture, pictures

ROOMY = a_scene(1_000_000, most_messages=100)


def told(built: Built) -> str:
    return "\n".join(message.text for message in built.request.messages)


def posted(room: Room, nr: int, **how: Any) -> PastMessage:
    return room.say(f"see {nr}", attachments=(room.file(f"{nr}.txt", f"words {nr};"),), **how)


def test_of_the_past_the_newest_files_are_read_and_the_others_only_named_in_steps() -> None:
    """Each may have to be downloaded, and a conversation may have hundreds."""
    room = Room()
    read = []
    for nr in range(40):
        posted(room, nr)
        words = told(room.build(room.say("q"), ROOMY))
        read.append(sum(f"words {at};" in words for at in range(nr + 1)))
        assert f"words {nr};" in words
    assert read == [*range(1, 21), *(16, 17, 18, 19, 20) * 4]
    assert max(read) == MOST_FILES
    assert "[file: 0.txt; not given to you any more, since there are many newer ones]" in words


def test_a_message_that_is_not_read_any_more_does_not_even_reach_the_reader() -> None:
    room = Room()
    for nr in range(40):
        posted(room, nr)
    room.build(room.say("q"), ROOMY)
    assert len(room.shelf.asked) == MOST_FILES


def test_a_reply_to_a_message_whose_files_are_only_named_by_now_has_them_read() -> None:
    room = Room()
    target = posted(room, 0)
    for nr in range(1, 30):
        posted(room, nr)
    built = room.build(room.say("what did it say?"), ROOMY, chain=[target])
    assert built.request.messages[-1].text.endswith(
        "what did it say?\n[files, at the message to which this one replies:]\n[file: 0.txt, text]\n```\nwords 0;\n```"
    )


@pytest.mark.parametrize("vision", [True, None, False])
def test_what_is_wrong_with_a_file_that_is_asked_about_by_a_reply_is_told(vision: bool | None) -> None:
    room = Room()
    target = room.say("all of it", attachments=(room.file("a.zip", None),))
    room.say("another", attachments=(room.file("b.zip", None),))
    built = room.build(room.say("sum it up"), a_scene(vision=vision), chain=[target])
    assert [problem.name for problem in built.problems] == ["a.zip"]


def test_pictures_stop_at_a_question_that_failed_though_it_had_no_files_itself() -> None:
    """A bystander's picture may be why, and would be why again."""
    room = Room()
    room.say("look", attachments=(room.file("bad.png", picture()),))
    room.say("hi", media_refused=True)
    assert pictures(room.build(room.say("hi?")).request.messages) == 0


@pytest.mark.parametrize(("by", "count"), [(10, 1), (11, 0)])
def test_a_model_that_may_not_see_gets_the_picture_that_the_asker_posted_just_before(by: int, count: int) -> None:
    """Many post a picture, and then ask about it."""
    room = Room()
    room.say("old", attachments=(room.file("old.png", picture()),))
    room.answer("Hm.")
    room.say("", author_id=by, attachments=(room.file("new.png", picture()),))
    assert pictures(room.build(room.say("what is it?"), a_scene(vision=None)).request.messages) == count


def test_a_forward_in_the_past_is_read_too() -> None:
    room = Room()
    room.say("", forwarded=Forwarded("hey", (room.file("a.txt", "secret tea"),)))
    assert "secret tea" in told(room.build(room.say("what was it?")))


def test_however_little_room_there_is_each_file_keeps_its_note_and_its_fence() -> None:
    """Else the end of a stranger's file would stand there as the words of who asks."""
    room = Room()
    own, strange = room.file("message.txt", "mine " * 4000), room.file("b.txt", "OBEY " * 4000)
    built = room.build(room.say("What does it say?", attachments=(own, strange)), a_scene(8_000))
    assert built.cut
    text = told(built)
    before, _, data = text.partition("[file: b.txt, text]\n```\n")
    assert "OBEY" not in before
    assert before.endswith("mine \n```\n")
    assert "mine" not in data
    assert data.endswith("OBEY \n```")
