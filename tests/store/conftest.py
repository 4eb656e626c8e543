from collections.abc import AsyncIterator

import pytest

from bot.store import Database


@pytest.fixture
async def database(database_url: str) -> AsyncIterator[Database]:
    """Each test that asks for it runs on SQLite and on PostgreSQL."""
    async with Database(database_url) as opened:
        yield opened
