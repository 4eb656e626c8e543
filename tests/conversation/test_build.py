"""What the model gets to read: in order, roles in turn, within the budget, and with nobody's words as somebody else's."""

from __future__ import annotations

import re

import msgspec
import pytest

from adapters.contract import ImagePart, TextPart
from bot.conversation.attached import MOST_PICTURES
from bot.conversation.history import Forwarded, PastMessage, Poll, Reaction
from bot.conversation.prompt import CONTINUE, FILES_REPLIED_TO, QUESTION_NOT_SHOWN, REPLIED_TO
from tests.conversation.room import (
    COUNTER,
    ORIGIN,
    Room,
    a_scene,
    assistant,
    picture,
    pictures,
    quote,
    texts,
    unmarked,
    user,
)

# ------------------------------------------------------------------------------------------------------- who said what


def test_people_are_named_and_our_answers_are_the_assistants() -> None:
    room = Room()
    room.answer("Hello.", room.say("Hi"))
    request = room.build(room.say("And you?")).request
    assert unmarked(request.messages) == (user("Ada (10): Hi"), assistant("Hello."), user("Ada (10): And you?"))
    assert (request.model, request.system) == ("m", "be kind")


def test_people_who_speak_in_a_row_become_one_user_message_and_stay_apart_in_it() -> None:
    room = Room()
    room.say("a")
    room.say("b", "Ada", 11)
    assert room.build(room.say("c")).request.messages == (user("Ada (10): a\n\nAda (11): b\n\nAda (10): c"),)


def test_thoughts_that_an_answer_shows_do_not_go_back_to_the_model() -> None:
    """Of people's words none is taken: there a mark is only spoken of."""
    room = Room()
    room.answer("<think>secret plan</think>Hello!", room.say("Hi"))
    built = room.build(room.say("Why <think>?"))
    assert texts(built.request.messages) == ["Ada (10): Hi", "Hello!", "Ada (10): Why <think>?"]


def test_an_answer_follows_its_question_even_when_others_asked_meanwhile() -> None:
    room = Room()
    first, second = room.say("first"), room.say("second")
    room.say("third")
    room.answer("One.", first)
    assert texts(room.build(second).request.messages) == ["Ada (10): first", "One.", "Ada (10): second"]


@pytest.mark.parametrize("asked", [None, PastMessage(1, 10, "Ada", "gone")], ids=["unknown", "gone"])
def test_an_answer_whose_question_is_out_of_reach_follows_a_stub_of_it(asked: PastMessage | None) -> None:
    room = Room()
    room.answer("b", asked, message_id=3)
    assert texts(room.build(room.say("c")).request.messages) == [QUESTION_NOT_SHOWN, "b", "Ada (10): c"]


def test_an_answer_is_not_taken_for_one_to_another_message_than_its_question() -> None:
    room = Room()
    room.say("no question", message_id=1)
    gone = PastMessage(2, 10, "Ada", "gone")
    room.answer("b", gone, message_id=3)
    built = room.build(room.say("c"))
    assert texts(built.request.messages) == [f"Ada (10): no question\n\n{QUESTION_NOT_SHOWN}", "b", "Ada (10): c"]


def test_messages_in_which_there_is_nothing_are_left_out() -> None:
    room = Room()
    room.answer("", room.say(" \n"))
    room.say("", stickers=("wave",))
    built = room.build(room.say("c"))
    assert texts(built.request.messages) == ["Ada (10): (sticker: “wave”)\n\nAda (10): c"]


def test_what_was_said_as_another_persona_is_that_ones_words() -> None:
    """The model neither takes it for its own, nor does it lose who said it. It goes with its question all the same."""
    room = Room()
    room.answer("I am the moon.", room.say("Luna?"), persona="Luna")
    room.answer("I am me.", room.say("Parley?"))
    question = room.say("Who is who?")
    assert texts(room.build(question).request.messages) == [
        "Ada (10): Luna?\n\nLuna (1): I am the moon.\n\nAda (10): Parley?",
        "I am me.",
        "Ada (10): Who is who?",
    ]
    assert texts(room.build(question, a_scene(persona="Luna")).request.messages) == [
        "Ada (10): Luna?",
        "I am the moon.",
        "Ada (10): Parley?\n\nParley (1): I am me.\n\nAda (10): Who is who?",
    ]


def test_a_question_may_be_a_message_of_our_own() -> None:
    """As when somebody asks about it by a message command."""
    room = Room()
    said = room.answer("Six times nine is 42.", room.say("?"))
    assert room.build(said).request.messages == (user("Ada (10): ?\n\nParley (1): Six times nine is 42."),)


# --------------------------------------------------------------------------------------------------- what is replied to


def test_what_is_replied_to_and_stands_in_the_window_is_there_once() -> None:
    room = Room()
    asked = room.say("a")
    answer = room.answer("b", asked)
    question = room.say("c", quote=quote(answer))
    assert texts(room.build(question, chain=[asked, answer]).request.messages) == [
        "Ada (10): a",
        "b",
        "Ada (10): (in reply to you: “b”)\nc",
    ]


def test_what_is_replied_to_and_stands_elsewhere_comes_right_before_the_question() -> None:
    """And not at its place in time, where it would change the beginning that the provider has cached."""
    room = Room()
    old = PastMessage(1, 10, "Ada", "Write a poem.")
    poem = PastMessage(2, 1, "Parley", "Roses.", is_me=True, answers=1)
    room.answer("y", room.say("x", message_id=50))
    question = room.say("shorter", quote=quote(poem))
    built = room.build(question, a_scene(starts_after=40), chain=[old, poem])
    assert unmarked(built.request.messages) == (
        user("Ada (10): x"),
        assistant("y"),
        user(f"{REPLIED_TO}\n\nAda (10): Write a poem."),
        assistant("Roses."),
        user("Ada (10): (in reply to you: “Roses.”)\nshorter"),
    )


@pytest.mark.parametrize(("window", "most"), [(200_000, 10), (3_000, 1_000)])
def test_a_conversation_that_goes_on_by_replies_does_not_bring_back_what_moved_out(window: int, most: int) -> None:
    room, scene = Room(), a_scene(window, most_messages=most)
    chain: list[PastMessage] = []
    for nr in range(60):
        question = room.say(f"question {nr}", quote=quote(chain[-1]) if chain else None)
        built = room.build(question, scene, chain=chain)
        assert REPLIED_TO not in "".join(texts(built.request.messages))
        chain = [*chain, question, room.answer(f"answer {nr} " + "word " * 100, question)][-16:]
        if built.starts_after is not None:
            scene = msgspec.structs.replace(scene, starts_after=built.starts_after)


def test_what_led_to_a_message_in_the_window_is_told_too_where_the_channel_talked_of_other_things_between() -> None:
    room = Room()
    old = [
        PastMessage(1, 10, "Ada", "Let us plan the party."),
        PastMessage(2, 1, "Parley", "Gladly.", is_me=True, answers=1),
    ]
    for nr in range(100, 105):
        room.say(f"chatter {nr}", "Bo", 11, message_id=nr)
    asked = room.say("And cake?", quote=quote(old[1]))
    answer = room.answer("Two.", asked)
    question = room.say("Three!", quote=quote(answer))
    built = room.build(question, a_scene(starts_after=50), chain=[*old, asked, answer])
    assert texts(built.request.messages)[-3:] == [
        f"{REPLIED_TO}\n\nAda (10): Let us plan the party.",
        "Gladly.",
        "Ada (10): (in reply to you: “Two.”)\nThree!",
    ]


def test_the_whole_answer_of_the_reply_chain_wins_over_the_end_of_it_that_is_recent() -> None:
    room = Room()
    asked = room.say("a")
    room.answer("its end", asked)
    whole = PastMessage(3, 1, "Parley", "all of it", is_me=True, answers=1)
    assert texts(room.build(room.say("q"), chain=[asked, whole]).request.messages)[1] == "all of it"


def test_what_is_replied_to_goes_last_when_room_is_short() -> None:
    room = Room()
    old = PastMessage(1, 10, "Ada", "what it replies to " * 20)
    for nr in range(10, 20):
        room.say(f"recent {nr} " + "word " * 40, message_id=nr)
    question = room.say("q", quote=quote(old))
    built = room.build(question, a_scene(420), chain=[old])
    text = built.request.messages[0].text
    assert ("what it replies to " * 20).strip() in text
    assert re.findall(r"recent \d+", text) == ["recent 18", "recent 19"]


def test_of_what_is_replied_to_and_too_long_beginning_and_end_stay() -> None:
    room = Room()
    long = PastMessage(2, 1, "Parley", "start " + "x y " * 3000 + "end", is_me=True, answers=1)
    question = room.say("shorten that", message_id=9, quote=quote(long))
    built = room.build(question, a_scene(1000), chain=[long])
    told = built.request.messages[1].text
    assert told.startswith("start x y")
    assert told.endswith("y end")
    assert "characters left out]" in told
    assert built.cut


# ------------------------------------------------------------------------------------------------------------- files


def test_files_stand_behind_the_words_of_their_message() -> None:
    room = Room()
    notes, shot = room.file("notes.txt", "buy tea"), room.file("shot.png", picture())
    room.say("read this", attachments=(notes,))
    room.say("look", attachments=(shot,))
    (turn,) = room.build(room.say("well?")).request.messages
    assert turn.parts == (
        TextPart("Ada (10): read this\n[file: notes.txt, text]\n```\nbuy tea\n```\n\nAda (10): look\n[file: shot.png]"),
        ImagePart("image/png", picture()),
        TextPart("\n\nAda (10): well?"),
    )


def test_forwarded_files_are_read_too() -> None:
    room = Room()
    question = room.say("", forwarded=Forwarded("hey", (room.file("a.txt", "secret tea"),)))
    assert "secret tea" in room.build(question).request.messages[0].text


def test_problems_with_the_questions_own_files_are_told() -> None:
    room = Room()
    room.say("old", attachments=(room.file("old.zip", None),))
    built = room.build(room.say("new", attachments=(room.file("new.zip", None),)))
    assert [problem.name for problem in built.problems] == ["new.zip"]


@pytest.mark.parametrize(("vision", "shown"), [(True, 2), (None, 1), (False, 0)])
def test_a_model_of_which_nobody_knows_whether_it_sees_gets_the_newest_pictures_alone(
    vision: bool | None, shown: int
) -> None:
    """If it refuses them only that question fails, and no later one."""
    room = Room()
    room.say("old", attachments=(room.file("old.png", picture()),))
    room.answer("Hm.")
    question = room.say("new", attachments=(room.file("new.png", picture()),))
    assert pictures(room.build(question, a_scene(vision=vision)).request.messages) == shown


def test_pictures_that_may_be_why_a_question_failed_are_not_sent_again() -> None:
    """Whoever posted them: else no later question could be answered."""
    room = Room()
    room.say("bad", attachments=(room.file("bad.png", picture()),))
    failed = room.say("what is it", attachments=(room.file("good.png", picture()),), media_refused=True)
    room.say("later", attachments=(room.file("later.png", picture()),))
    built = room.build(room.say("hello?"))
    assert pictures(built.request.messages) == 1
    assert "[file: good.png; not given to you again, since the answer to it failed]" in built.request.messages[0].text
    assert pictures(room.build(failed).request.messages) == 1  # who asks once more wants it tried once more


def test_old_pictures_go_in_steps_and_the_questions_own_always_stay() -> None:
    room = Room()
    shown = []
    for nr in range(12):
        room.say(f"look {nr}", attachments=(room.file(f"{nr}.png", picture(shade=nr)),))
        shown.append(pictures(room.build(room.say("q")).request.messages))
    assert shown == [1, 2, 3, 4, 5, 6, 4, 5, 6, 4, 5, 6]
    assert max(shown) == MOST_PICTURES
    many = tuple(room.file(f"own{nr}.png", picture(shade=nr)) for nr in range(10))
    assert pictures(room.build(room.say("mine", attachments=many)).request.messages) == 16


def test_pictures_of_what_is_replied_to_are_shown_where_they_are_no_longer_seen() -> None:
    room = Room()
    asked = room.say("look", attachments=(room.file("old.png", picture()),))
    room.answer("Hm.")
    question = room.say("what is it?", quote=quote(asked))
    seen = room.build(question, a_scene(vision=None), chain=[asked]).request.messages
    assert FILES_REPLIED_TO in seen[-1].text
    assert pictures(seen) == 1
    assert FILES_REPLIED_TO not in room.build(question, chain=[asked]).request.messages[-1].text


# ---------------------------------------------------------------------------------------------------------- the aside


def test_what_is_new_with_every_question_stands_at_the_end_of_the_newest_turn() -> None:
    room = Room()
    answer = room.answer("b", room.say("a"), reactions=(Reaction("👍", 2),))
    poll = Poll("Tea?", ("yes", "no"), (3, 1))
    question = room.say("c", poll=poll, quote=quote(answer))
    *_, newest = room.build(question, a_scene(aside="[time: noon]"), chain=[answer]).request.messages
    assert newest.parts[-1] == TextPart(
        "\n\n[time: noon]\n[context, as it is now:\n"
        "Votes so far (“Tea?”): “yes” 3, “no” 1.\nReactions to your message “b”: 👍 2.\n]"
    )
    assert "👍" not in newest.parts[0].text  # type: ignore[union-attr]


# ------------------------------------------------------------------------------------------------------ going on, again


def test_an_answer_is_continued_from_its_own_beginning_as_it_was_written() -> None:
    partial = "Sure:\n\n```python\nprint('one')\nprint('tw"
    room = Room()
    room.answer("Hello.", room.say("Hi"))
    built = room.build(room.say("Count."), a_scene(aside="[time: noon]"), partial=partial)
    assert texts(built.request.messages[2:]) == ["Ada (10): Count.\n\n[time: noon]", partial, CONTINUE]


@pytest.mark.parametrize("partial", [None, "", " \n"])
def test_nothing_is_continued_where_nothing_was_said(partial: str | None) -> None:
    room = Room()
    assert room.build(room.say("Count."), partial=partial).request.messages == (user("Ada (10): Count."),)


def test_of_a_beginning_beyond_the_budget_the_end_counts() -> None:
    room = Room()
    built = room.build(room.say("q"), a_scene(1000), partial="start " + "x y " * 2000 + "end")
    begun = built.request.messages[1].text
    assert begun.startswith("…")
    assert begun.endswith("x y end")
    assert 200 < COUNTER.count(begun, ORIGIN) < 300
    assert built.cut


def test_to_answer_anew_asks_as_the_first_time_whatever_was_said_since() -> None:
    room = Room()
    room.answer("Hello.", room.say("Hi"))
    question = room.say("Count.")
    asked = room.build(question)
    room.answer("One.", question)
    room.say("Bad.")
    assert room.build(question) == asked


def test_an_old_question_is_answered_anew_from_its_own_past_and_moves_nothing() -> None:
    room = Room()
    for nr in range(30):
        room.answer("b " * 50, room.say(f"{nr} " + "a " * 50))
    question = room.messages[20]
    built = room.build(question, a_scene(4000, starts_after=question.message_id + 10))
    assert "9 a a" in built.request.messages[-2].text or "9 a a" in built.request.messages[-3].text
    assert (built.starts_after, built.dropped) == (None, ())
