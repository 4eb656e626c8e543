"""The whole house on SQLite and on PostgreSQL: what is told, kept and found again is the same."""

from pathlib import Path

from bot.playground.scripted_provider import spoken
from bot.store import Database, TurnJournal
from tests.e2e.house import open_house, running_bot


async def test_an_answer_outlives_a_restart_whatever_the_model_wrote(database_url: str, tmp_path: Path) -> None:
    async with open_house(tmp_path, connected=False) as house:
        house.script = spoken("One\0 two.")
        async with running_bot(house, tmp_path, database_url=database_url):
            question_id = await house.ask("Count!")
            await house.answered()
        house.script = spoken("Again.")
        async with running_bot(house, tmp_path, database_url=database_url):
            await house.press("regenerate", by=house.ada)
            await house.standin.wait_for(lambda _: any("Again." in text for text in house.texts()))
            await house.answered()
            await house.app.idle()
        assert len(house.provider.requests) == 2
    async with Database(database_url) as database:
        (answer,) = await TurnJournal(database).answers_with([int(question_id)])
        first = await TurnJournal(database).version(answer.turn_id, 1)
        assert answer.text == "Again."
        assert first is not None
        assert first.text == "One\ufffd two."
