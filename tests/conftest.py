"""What holds for all tests."""

from __future__ import annotations

import logging
from collections.abc import Iterator

import pytest
import structlog
from hypothesis import HealthCheck, settings

from tests.databases import database_kind, database_url, empty_url, postgres

__all__ = ["database_kind", "database_url", "empty_url", "postgres"]

# No test depends on how fast the machine is, so neither do hypothesis's examples.
settings.register_profile("parley", deadline=None, suppress_health_check=[HealthCheck.too_slow])
settings.load_profile("parley")


@pytest.fixture(autouse=True)
def _logging_restored() -> Iterator[None]:
    """Whoever sets logging up, as a running bot does, does so for the whole process; here it ends with the test."""
    # structlog's own default writes out all variables with a traceback: for seconds, in which everything else stands still.
    renderer = structlog.dev.ConsoleRenderer(colors=False, exception_formatter=structlog.dev.plain_traceback)
    structlog.configure(
        processors=[structlog.contextvars.merge_contextvars, structlog.processors.add_log_level, renderer]
    )
    root = logging.getLogger()
    handlers, level = root.handlers[:], root.level
    yield
    root.handlers[:] = handlers
    root.setLevel(level)
    for library in ("discord", "aiosqlite", "aiohttp"):
        logging.getLogger(library).setLevel(logging.NOTSET)
    structlog.reset_defaults()
