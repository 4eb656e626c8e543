from collections.abc import AsyncIterator
from pathlib import Path

import pytest

from bot.store import Database


@pytest.fixture
async def database(tmp_path: Path) -> AsyncIterator[Database]:
    async with Database(f"sqlite+aiosqlite:///{tmp_path}/parley.db") as opened:
        yield opened
