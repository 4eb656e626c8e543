"""The turn journal on real databases: what happens once, what is kept of answers, and when it goes."""

import asyncio
from collections.abc import Awaitable, Callable
from contextlib import AsyncExitStack
from datetime import UTC, datetime, timedelta
from typing import TypeVar

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from bot.store import AnswerPart, Database, ShownAnswer, SteadyJournal, TurnJournal, VersionEnd
from bot.store.answers import GAP, LONGEST_TEXT, storable
from bot.store.turns import KEEP, RUN_LIMIT

T = TypeVar("T")


@pytest.fixture(params=[TurnJournal, SteadyJournal])
def journal(database: Database, request: pytest.FixtureRequest) -> TurnJournal:
    """The second one does the same, as long as the database can be used (tests/store/test_outage.py)."""
    made: TurnJournal = request.param(database)
    return made


async def at_once(url: str, act: Callable[[TurnJournal, int], Awaitable[T]]) -> list[T]:
    """What sixteen callers get who do this at the same time, half of them over another `Database` at the same address."""
    async with AsyncExitStack() as stack:
        databases = [await stack.enter_async_context(Database(url)) for _ in range(2)]
        journals = [TurnJournal(database) for database in databases for _ in range(8)]
        return await asyncio.gather(*(act(journal, number) for number, journal in enumerate(journals)))


async def answered(journal: TurnJournal, text: str = "One.", *, turn_id: str = "t", question_id: int = 100) -> None:
    """A turn that is over, with its answer in two messages."""
    assert await journal.claim(turn_id, question_id, 1, 2, 3)
    await journal.finish(turn_id, 1, VersionEnd("completed", text), [(question_id + 101, 4), (question_id + 102, 0)])


# ------------------------------------------------------------------------------------------------------- exactly once


async def test_of_many_who_claim_one_message_at_once_exactly_one_gets_it(database_url: str) -> None:
    results = await at_once(database_url, lambda journal, number: journal.claim(f"t{number}", 7, 1, None))
    assert sum(results) == 1


async def test_a_question_of_several_messages_takes_each_of_them(journal: TurnJournal) -> None:
    assert await journal.claim("t", 102, 1, 2, 3, further_ids=(100, 101))
    assert not await journal.claim("u", 100, 1, 2, 3)
    assert not await journal.claim("v", 103, 1, 2, 3, further_ids=(101,))
    assert await journal.claim("w", 103, 1, 2, 3)
    await journal.finish("t", 1, VersionEnd("completed", "All three."), [(201, 10)])
    assert [answer.question_id for answer in await journal.answers_with([100])] == [102]


async def test_questions_are_counted_by_person_place_and_time(journal: TurnJournal) -> None:
    before = datetime.now(UTC)
    await journal.claim("t", 100, 1, 2, 3)
    await journal.claim("u", 101, 1, 2, 3, further_ids=(90, 91))
    await journal.claim("v", 102, 1, None, 3)
    await journal.claim("w", 103, 1, 2, 4)
    assert await journal.asked_since(3, 2, before) == 2
    assert await journal.asked_since(3, None, before) == 1
    assert await journal.asked_since(3, 2, datetime.now(UTC)) == 0


async def test_questions_that_failed_are_those_to_which_nothing_came_for_an_error(journal: TurnJournal) -> None:
    for nr, (status, text) in enumerate([("error", ""), ("error", "Half."), ("completed", ""), ("stopped", "")]):
        await journal.claim(f"t{nr}", 100 + 10 * nr, 1, 2, 3, further_ids=(101 + 10 * nr,))
        await journal.finish(f"t{nr}", 1, VersionEnd(status, text, facts=f"facts {nr}"), [])
    failed = await journal.failed_questions([100, 101, 110, 111, 120, 130, 7])
    assert failed == {100: "facts 0", 101: "facts 0"}


async def test_what_no_message_holds_is_kept_with_its_answer(journal: TurnJournal) -> None:
    await journal.claim("t", 100, 1, 2, 3, asked="What\0now?")
    await journal.finish("t", 1, VersionEnd("completed", "This.", persona="Ann"), [(201, 5)])
    (answer,) = await journal.answers_with([201])
    assert (answer.asked, answer.asker_id, answer.persona) == ("What\ufffdnow?", 3, "Ann")


async def test_of_many_who_want_another_version_at_once_exactly_one_writes_it(
    journal: TurnJournal, database_url: str
) -> None:
    await answered(journal)
    results = await at_once(database_url, lambda other, _: other.begin_version("t"))
    assert sorted(results, key=str) == [2, *[None] * 15]


async def test_of_many_who_continue_an_answer_at_once_exactly_one_does(journal: TurnJournal, database_url: str) -> None:
    await answered(journal)
    results = await at_once(database_url, lambda other, _: other.resume("t"))
    assert [result.text for result in results if result is not None] == ["One."]


async def test_continuing_and_answering_anew_exclude_each_other(journal: TurnJournal, database_url: str) -> None:
    await answered(journal)

    async def either(other: TurnJournal, number: int) -> bool:
        return (await (other.resume("t") if number % 2 else other.begin_version("t"))) is not None

    assert sum(await at_once(database_url, either)) == 1


async def test_an_answer_that_is_being_written_is_neither_continued_nor_written_anew(journal: TurnJournal) -> None:
    await journal.claim("t", 100, 1, 2)
    assert await journal.begin_version("t") is None
    assert await journal.resume("t") is None
    await journal.finish("t", 1, VersionEnd("completed"), [])
    assert await journal.begin_version("t") == 2
    assert await journal.resume("t") is None
    await journal.finish("t", 2, VersionEnd("completed"), [])
    assert await journal.resume("t") is not None
    assert await journal.begin_version("t") is None


async def test_what_is_unknown_is_nothing(journal: TurnJournal) -> None:
    assert await journal.begin_version("?") is None
    assert await journal.resume("?") is None
    assert await journal.answer("?") is None
    assert await journal.version("?", 1) is None
    assert await journal.turn_of(1) is None
    await journal.finish("?", 1, VersionEnd("completed"), [(201, 5)])
    await journal.withdraw("?")
    assert await journal.turn_of(201) is None


async def test_a_run_whose_process_died_holds_the_answer_only_as_long_as_a_run_can_last(journal: TurnJournal) -> None:
    """What it had not written is no version: its number is given again. What went on keeps what it had."""
    await answered(journal)
    now = datetime.now(UTC)
    assert await journal.begin_version("t", now) == 2
    assert await journal.begin_version("t", now + RUN_LIMIT) is None
    later = now + RUN_LIMIT + timedelta(seconds=1)
    assert await journal.begin_version("t", later) == 2
    later += RUN_LIMIT + timedelta(seconds=1)
    gone_on = await journal.resume("t", later)
    assert gone_on is not None
    assert (gone_on.version_nr, gone_on.text) == (1, "One.")
    assert await journal.begin_version("t", later + RUN_LIMIT + timedelta(seconds=1)) == 2


# ----------------------------------------------------------------------------------------------------------- answers


async def test_an_answer_is_known_from_its_claim_on(journal: TurnJournal) -> None:
    await journal.claim("t", 100, 1, 2, 3)
    answer = await journal.answer("t")
    assert answer is not None
    assert (answer.question_id, answer.channel_id, answer.guild_id, answer.asker_id) == (100, 1, 2, 3)
    assert (answer.version_count, answer.shown_version_nr, answer.message_ids) == (0, 1, ())
    assert (answer.shown.status, answer.shown.ended_at, answer.shown.text) == (None, None, "")


async def test_an_answer_is_what_its_end_said(journal: TurnJournal) -> None:
    end = VersionEnd("timeout", "| a |\n", "Hm.", "demo", "custom", '{"seconds":1.5}', undelivered=True)
    await journal.claim("t", 100, 1, None)
    await journal.finish("t", 1, end, [(202, 10), (201, 0)])
    answer = await journal.answer("t")
    assert answer is not None
    assert (answer.version_count, answer.shown_version_nr, answer.message_ids) == (1, 1, (202, 201))
    kept = answer.shown
    assert (kept.status, kept.text, kept.thoughts) == ("timeout", "| a |\n", "Hm.")
    assert (kept.model, kept.provider, kept.facts, kept.undelivered) == ("demo", "custom", '{"seconds":1.5}', True)
    assert kept.ended_at is not None
    assert kept.started_at <= kept.ended_at
    assert kept == await journal.version("t", 1)
    assert await journal.turn_of(202) == await journal.turn_of(201) == "t"


async def test_another_version_takes_the_place_of_the_one_before_when_it_ends_and_not_sooner(
    journal: TurnJournal,
) -> None:
    await answered(journal, "One.")
    assert await journal.begin_version("t") == 2
    assert await journal.turn_of(201) == "t"
    before = await journal.answer("t")
    assert before is not None
    assert (before.version_count, before.shown.text, before.message_ids) == (1, "One.", (201, 202))
    await journal.finish("t", 2, VersionEnd("completed", "Two."), [(201, 4)])
    after, first = await journal.answer("t"), await journal.version("t", 1)
    assert after is not None
    assert (after.version_count, after.shown.text, after.message_ids) == (2, "Two.", (201,))
    assert first is not None
    assert first.text == "One."
    assert await journal.turn_of(202) is None


async def test_paging_shows_a_version_that_is_kept_in_its_own_messages(journal: TurnJournal) -> None:
    await answered(journal, "One.")
    await journal.begin_version("t")
    await journal.finish("t", 2, VersionEnd("completed", "Two."), [(201, 4)])
    assert await journal.resume("t") is not None
    await journal.finish("t", 1, VersionEnd("completed", "One."), [(201, 4), (203, 0)])
    answer = await journal.answer("t")
    assert answer is not None
    assert (answer.version_count, answer.shown.text, answer.message_ids) == (2, "One.", (201, 203))
    assert await journal.resume("t") is not None
    await journal.finish("t", 3, VersionEnd("completed", "No such version."), [(204, 4)])
    unchanged = await journal.answer("t")
    assert unchanged is not None
    assert (unchanged.shown.text, unchanged.message_ids) == ("One.", (201, 203))


async def test_an_answer_that_goes_on_is_the_same_version_and_keeps_its_text_until_it_ends(
    journal: TurnJournal,
) -> None:
    await answered(journal, "One,")
    begun = await journal.resume("t")
    assert begun is not None
    assert (begun.version_nr, begun.text) == (1, "One,")
    assert await journal.version("t", 1) == begun
    await journal.finish("t", 1, VersionEnd("completed", "One, two."), [(201, 9)])
    answer = await journal.answer("t")
    assert answer is not None
    assert (answer.version_count, answer.shown.text, answer.message_ids) == (1, "One, two.", (201,))
    assert answer.shown.started_at == begun.started_at


async def test_of_an_answer_that_was_withdrawn_only_the_claim_stays(journal: TurnJournal) -> None:
    await answered(journal)
    await journal.begin_version("t")
    await journal.withdraw("t")
    await journal.finish("t", 2, VersionEnd("completed", "Too late."), [(201, 5)])
    assert await journal.answer("t") is None
    assert await journal.version("t", 1) is None
    assert await journal.turn_of(201) is None
    assert await journal.answers_with([100, 201]) == []
    assert await journal.resume("t") is None
    assert await journal.begin_version("t", datetime.now(UTC) + 2 * RUN_LIMIT) is None
    assert not await journal.claim("u", 100, 1, 2)


async def test_of_an_answer_whose_messages_were_all_deleted_no_text_is_kept(journal: TurnJournal) -> None:
    await answered(journal)
    await journal.message_deleted(999)
    await journal.message_deleted(201)
    (left,) = await journal.answers_with([202])
    assert left.parts == (AnswerPart(202, 0),)
    await journal.message_deleted(202)
    assert await journal.answer("t") is None
    assert await journal.version("t", 1) is None
    assert not await journal.claim("u", 100, 1, 2)


async def test_what_is_deleted_while_an_answer_is_written_takes_nothing_of_it(journal: TurnJournal) -> None:
    await answered(journal)
    assert await journal.begin_version("t") == 2
    await journal.message_deleted(201)
    await journal.message_deleted(202)
    await journal.finish("t", 2, VersionEnd("completed", "Two."), [(201, 4)])
    answer = await journal.answer("t")
    assert answer is not None
    assert (answer.shown.text, answer.message_ids) == ("Two.", (201,))


async def test_any_part_and_the_question_lead_to_the_whole_answer(journal: TurnJournal) -> None:
    await answered(journal, "One.", turn_id="t", question_id=100)
    await answered(journal, "Two.", turn_id="u", question_id=110)
    first = ShownAnswer("t", 100, 1, "One.", (AnswerPart(201, 4), AnswerPart(202, 0)), asker_id=3)
    second = ShownAnswer("u", 110, 1, "Two.", (AnswerPart(211, 4), AnswerPart(212, 0)), asker_id=3)
    assert await journal.answers_with([202]) == [first]
    assert await journal.answers_with([100, 201, 202, 999]) == [first]
    assert await journal.answers_with([110, 201]) == [first, second]
    assert await journal.answers_with([999]) == []
    assert await journal.answers_with([]) == []


async def test_an_answer_with_nothing_in_the_channel_is_not_in_it(journal: TurnJournal) -> None:
    await journal.claim("t", 100, 1, 2)
    await journal.finish("t", 1, VersionEnd("completed", "Said to nobody.", undelivered=True), [])
    assert await journal.answers_with([100]) == []


async def test_what_is_old_is_forgotten_with_all_that_belongs_to_it(journal: TurnJournal) -> None:
    """Old is what was not worked on for so long."""
    await answered(journal)
    now = datetime.now(UTC)
    assert await journal.forget_old() == 0
    await journal.begin_version("t", now + timedelta(days=1))
    assert await journal.forget_old(now + KEEP + timedelta(hours=1)) == 0
    assert await journal.forget_old(now + KEEP + timedelta(days=2)) == 1
    assert await journal.answers_with([100, 201]) == []
    assert await journal.version("t", 1) is None
    assert await journal.claim("u", 100, 1, 2)


# ------------------------------------------------------------------------------------------------------------- bounds


def test_of_a_text_beyond_all_bounds_the_beginning_and_the_end_are_kept() -> None:
    text = "begin" + "x" * LONGEST_TEXT + "end"
    kept = storable(text)
    assert len(kept) <= LONGEST_TEXT
    assert kept.startswith("beginx")
    assert kept.endswith("xend")
    assert GAP in kept
    assert storable("x" * LONGEST_TEXT) == "x" * LONGEST_TEXT


@given(st.text(st.characters(exclude_categories=())))
@example("\ud83d\ude00")
def test_any_text_can_be_stored_and_legal_text_stays_as_it_is(text: str) -> None:
    kept = storable(text)
    assert "\0" not in kept
    assert kept.encode("utf-8").decode("utf-8") == kept
    if not any(char == "\0" or "\ud800" <= char <= "\udfff" for char in text):
        assert kept == text


async def test_whatever_the_model_wrote_can_be_kept(journal: TurnJournal) -> None:
    await journal.claim("t", 100, 1, 2)
    await journal.finish("t", 1, VersionEnd("completed", "a\0b \ud83d c", "\udfff", "\ud83d\ude00"), [])
    version = await journal.version("t", 1)
    assert version is not None
    assert (version.text, version.thoughts, version.model) == ("a\ufffdb \ufffd c", "\ufffd", "😀")
