"""Messages in a row, questions that wait, follow-ups and edits, end to end."""

from __future__ import annotations

import asyncio
from pathlib import Path
from typing import Any

import pytest

import bot.app as app_module
from bot.playground.scripted_provider import Say, Until
from bot.playground.standin import User
from bot.preferences import ConversationPreferences, DeliveryPreferences, FollowUp, Scope
from tests.e2e.house import House, buttons, open_house

NOTICE = "-# ⏳ "


async def choose(house: House, topic: type[Any] = ConversationPreferences, **choices: Any) -> None:
    """For the channel."""
    preferences = house.app.client.preferences  # type: ignore[attr-defined]  # ParleyClient
    await preferences.change(topic, Scope.CHANNEL, int(house.general.id), **choices)


async def say(house: House, text: str, by: User | None = None) -> str:
    message = await house.standin.say(by or house.ada, house.general, text)
    return str(message["id"])


async def shows(house: House, text: str) -> None:
    await house.standin.wait_for(lambda _: any(text in shown for shown in house.texts()))


async def asked_times(house: House, count: int) -> None:
    await house.standin.wait_for(lambda _: len(house.provider.requests) >= count)


def questions(house: House) -> list[str]:
    """The last message of each request to the model."""
    return [request["messages"][-1]["content"] for request in house.provider.requests]


async def test_messages_in_a_row_are_answered_once(tmp_path: Path) -> None:
    async with open_house(tmp_path) as house:
        await choose(house, burst_seconds=0.3)
        await house.ask("Tell me")
        await say(house, "about Miso")
        await say(house, "the cat")
        await house.answered()
        await house.app.idle()
        assert len(house.answers()) == 1
        assert [part in questions(house)[0] for part in ("Tell me", "about Miso", "the cat")] == [True] * 3


async def test_a_question_that_waits_says_so_where_its_answer_will_stand(tmp_path: Path) -> None:
    async with open_house(tmp_path) as house:
        await choose(house, burst_seconds=0)
        goes_on = asyncio.Event()
        house.scripts = {"first": [Say("One"), Until(goes_on), Say(".")], "second": [Say("Two.")], "third": [Say("3.")]}
        await house.ask("first")
        await shows(house, "One")
        await house.ask("second", by=house.bo)
        await shows(house, f"{NOTICE}One before you")
        third = await house.ask("third", by=house.bo)
        await shows(house, f"{NOTICE}2 before you")
        notices = {message["content"]: message["id"] for message in house.answers()[1:]}
        await house.standin.delete(third, by=house.bo)
        await house.standin.wait_for(lambda _: len(house.answers()) == 2)
        goes_on.set()
        await shows(house, "Two.")
        await house.answered(2)
        assert [text.partition("\n")[0] for text in house.texts()] == ["One.", "Two."]
        assert house.answers()[1]["id"] == notices[f"{NOTICE}One before you"]


async def test_a_question_that_waits_for_a_bot_that_restarts_is_told_so_where_its_notice_stood(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(app_module, "GRACE", 0.2)
    async with open_house(tmp_path) as house:
        await choose(house, burst_seconds=0)
        never = asyncio.Event()
        house.script = [Say("One"), Until(never)]
        await house.ask("first")
        await shows(house, "One")
        await house.ask("second", by=house.bo)
        await shows(house, f"{NOTICE}One before you")
        house.app.stop()
        await house.standin.wait_for(lambda _: sum("restarting" in text for text in house.texts()) == 2)
    assert len(house.answers()) == 2


async def test_stop_within_a_burst_is_no_question_and_ends_it(tmp_path: Path) -> None:
    async with open_house(tmp_path) as house:
        await choose(house, burst_seconds=0.3)
        await house.ask("Tell me")
        await say(house, "stop")
        await house.ask("And me?", by=house.bo)
        await house.answered()
        await house.app.idle()
        assert len(house.provider.requests) == len(house.answers()) == 1
        assert "And me?" in questions(house)[0]


async def test_until_a_word_stands_the_next_question_takes_over_without_a_trace(tmp_path: Path) -> None:
    async with open_house(tmp_path) as house:
        await choose(house, burst_seconds=0)
        never = asyncio.Event()
        house.scripts = {"again": [Say("Both.")], "first": [Until(never), Say("One.")]}
        await house.ask("first")
        await asked_times(house, 1)
        await house.ask("again")
        await house.answered()
        await house.app.idle()
        assert [text.partition("\n")[0] for text in house.texts()] == ["Both."]
        assert house.provider.client_left.is_set()
        assert "first" in str(house.provider.requests[1]["messages"])


async def test_afterwards_the_setting_counts(tmp_path: Path) -> None:
    async with open_house(tmp_path) as house:
        await choose(house, burst_seconds=0, follow_up=FollowUp.SUPERSEDE)
        never = asyncio.Event()
        house.scripts = {"first": [Say("One and"), Until(never)], "other": [Say("Other.")], "again": [Say("Two.")]}
        await house.ask("first")
        await shows(house, "One and")
        await house.ask("other", by=house.bo)
        await house.ask("again")
        await house.answered(3)
        first, *_ = house.texts()
        assert first.startswith("One and\n-# ⏭️ You wrote more")
        assert [max(house.scripts, key=question.rfind) for question in questions(house)] == ["first", "again", "other"]
        turn = await house.app._parts.journal.answer(buttons(house.answers()[0])[-1].split(":")[3])
        assert turn is not None
        assert (turn.shown.status, turn.shown.text) == ("superseded", "One and")


async def test_a_question_that_is_edited_before_a_word_stands_is_answered_as_it_is_now(tmp_path: Path) -> None:
    async with open_house(tmp_path) as house:
        await choose(house, burst_seconds=0)
        never = asyncio.Event()
        house.scripts = {"cats": [Until(never)], "dogs": [Say("Dogs.")]}
        question = await house.ask("cats?")
        await asked_times(house, 1)
        await house.standin.edit(house.ada, question, f"{house.standin.mention} dogs?")
        await house.answered()
        assert [text.partition("\n")[0] for text in house.texts()] == ["Dogs."]


async def test_a_question_that_is_edited_while_it_waits_is_answered_as_it_is_now(tmp_path: Path) -> None:
    async with open_house(tmp_path) as house:
        await choose(house, burst_seconds=0)
        goes_on = asyncio.Event()
        house.scripts = {"first": [Say("One"), Until(goes_on)], "dogs": [Say("Dogs.")]}
        await house.ask("first")
        await shows(house, "One")
        question = await house.ask("cats?", by=house.bo)
        await house.standin.edit(house.bo, question, f"{house.standin.mention} dogs?")
        await shows(house, NOTICE)
        goes_on.set()
        await shows(house, "Dogs.")
        await house.answered(2)
        assert len(house.answers()) == 2


async def test_later_an_edited_question_is_offered_to_be_answered_anew_even_without_buttons(tmp_path: Path) -> None:
    async with open_house(tmp_path) as house:
        await choose(house, burst_seconds=0)
        await choose(house, DeliveryPreferences, buttons=False)
        question = await house.ask("cats?")
        await house.answered()
        assert buttons(house.answers()[0]) == []
        house.scripts = {"dogs": [Say("Dogs.")]}
        await house.standin.edit(house.ada, question, f"{house.standin.mention} dogs?")
        await shows(house, "✏️ The question was edited.")
        (answer,) = house.answers()
        assert answer["content"].startswith("Hello from the model.")
        assert [made.split(":")[2] for made in buttons(answer)] == ["regenerate"]
        await house.press("regenerate", by=house.ada)
        await shows(house, "Dogs.")
        await house.app.idle()
        assert "✏️" not in house.texts()[0]


async def test_an_answer_that_is_being_written_says_at_its_end_that_the_question_was_edited(tmp_path: Path) -> None:
    async with open_house(tmp_path) as house:
        await choose(house, burst_seconds=0)
        goes_on = asyncio.Event()
        house.script = [Say("One"), Until(goes_on), Say(".")]
        question = await house.ask("cats?")
        await shows(house, "One")
        await house.standin.edit(house.ada, question, f"{house.standin.mention} dogs?")
        await house.ask("Me too.", by=house.bo)
        await shows(house, NOTICE)  # whatever came before this question was heard
        goes_on.set()
        await shows(house, "✏️ The question was edited.")
        assert house.texts()[0].startswith("One.\n-# ✏️")


async def test_a_question_that_is_deleted_while_its_thread_is_opened_is_not_answered(tmp_path: Path) -> None:
    async with open_house(tmp_path) as house:
        await house.choose(threads=True)
        opens = asyncio.Event()
        house.standin.fail("POST", "/threads", hold=opens)
        question = await house.ask("cats?")
        await house.standin.wait_for(lambda standin: standin.in_flight == 1)
        await house.standin.delete(question, by=house.ada)
        await house.ask("dogs?", by=house.bo)  # whatever came before this was heard
        opens.set()
        await house.standin.wait_for(lambda _: len(house.provider.requests) >= 1)
        await house.app.idle()
        assert {"dogs?" in said for said in questions(house)} == {True}


async def test_the_words_of_an_edit_count_while_its_thread_is_opened(tmp_path: Path) -> None:
    async with open_house(tmp_path) as house:
        await house.choose(threads=True)
        opens = asyncio.Event()
        house.standin.fail("POST", "/threads", hold=opens)
        question = await house.ask("cats?")
        await house.standin.wait_for(lambda standin: standin.in_flight == 1)
        await house.standin.edit(house.ada, question, f"{house.standin.mention} dogs?")
        await house.ask("And me?", by=house.bo)
        opens.set()
        await asked_times(house, 2)
        await house.app.idle()
        assert "dogs?" in str(questions(house))
        assert "): cats?" not in str(questions(house))


async def test_a_question_that_hangs_before_its_turn_does_not_hold_up_the_end(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(app_module, "GRACE", 0.2)
    monkeypatch.setattr(app_module, "LAST_WORDS", 0.2)
    never = asyncio.Event()
    async with asyncio.timeout(30), open_house(tmp_path) as house:
        await house.choose(threads=True)
        house.standin.fail("POST", "/threads", hold=never)
        await house.ask("cats?")
        await house.standin.wait_for(lambda standin: standin.in_flight == 1)
        assert house.texts() == []


async def test_where_nobody_chose_anything_a_person_has_a_second_to_write_on(tmp_path: Path) -> None:
    async with open_house(tmp_path) as house:
        await house.choose(burst_seconds=None)
        first = await house.ask("Tell me")
        slip = await say(house, "abuot cats")
        gone = await say(house, "or birds")
        await house.ask("And me?", by=house.bo)
        await house.standin.edit(house.ada, slip, "about dogs")
        await house.standin.delete(gone, by=house.ada)
        await house.answered(2)
        await house.app.idle()
        replied_to = [message["message_reference"]["message_id"] for message in house.answers()]
        assert len(replied_to) == 2
        assert slip in replied_to, "the last one that stands is the question"
        assert first not in replied_to
        (asked,) = [question for question in questions(house) if "And me?" not in question.rpartition("[time: ")[0]]
        assert "about dogs" in asked
        assert "birds" not in asked


async def test_what_was_being_written_when_the_bot_restarts_is_told_of_it_at_once(tmp_path: Path) -> None:
    async with open_house(tmp_path) as house:
        elsewhere = house.standin.add_channel("elsewhere")
        await house.choose(in_channel=house.general, burst_seconds=10)
        await house.ask("Tell me")
        await say(house, "about cats")
        await house.ask("And me?", by=house.bo)
        await house.ask("Whatever came before this was heard.", in_channel=elsewhere)
        await house.answered(channel=elsewhere)
        house.app.stop()
        await house.standin.wait_for(lambda _: sum("restarting" in text for text in house.texts()) == 2)
    assert len(house.answers()) == 2
    assert len(house.provider.requests) == 1


@pytest.mark.parametrize("style", ["plain", "embed", "components"])
async def test_the_notice_of_a_command_that_waits_becomes_its_answer(tmp_path: Path, style: str) -> None:
    async with open_house(tmp_path) as house:
        await choose(house, DeliveryPreferences, style=style)
        goes_on = asyncio.Event()
        house.scripts = {"first": [Say("One"), Until(goes_on), Say(".")], "second": [Say("Two.")]}
        await house.ask("first")
        await house.standin.wait_for(lambda _: "One" in str(house.answers()))
        await house.standin.slash(house.bo, house.general, "ask", {"question": "second"})
        await house.standin.wait_for(lambda _: NOTICE in str(house.answers()))
        (notice,) = [message for message in house.answers() if NOTICE in str(message)]
        goes_on.set()
        await house.standin.wait_for(lambda _: "Two." in str(house.answers()))
        await house.app.idle()
        (answer,) = [message for message in house.answers() if "Two." in str(message)]
        assert answer["id"] == notice["id"]
        assert str(answer).count("second") == 1, "the question stands above it, once"
        assert len(house.answers()) == 2
