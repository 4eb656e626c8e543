"""What holds for all tests of delivery."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from bot.delivery import sender


@pytest.fixture(autouse=True, scope="package")
def short_pauses() -> Iterator[None]:
    """Over sockets time cannot jump, and a connection that is said to have broken need not be given time to recover."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(sender, "FIRST_PAUSE", 0.02)
        yield
