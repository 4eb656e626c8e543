"""structlog for our own events and for the libraries' logging, with one rule: no secret leaves.

Events are snake_case keys with values beside them. A turn binds its id, guild and channel once
(`structlog.contextvars`), and every line that is logged under it carries them.
"""

from __future__ import annotations

import json
import logging
import re
import sys
import threading
from collections.abc import Iterable, Sequence
from typing import TextIO

import structlog
from structlog.typing import EventDict, Processor, WrappedLogger

from bot.settings import LogFormat, LogLevel

HIDDEN = "***"
_TOKENS = re.compile(r"(?<=/)((?:webhooks|interactions)/\d+)/[\w.~%-]{20,}")
"""Of webhooks and interactions, in addresses: aiohttp's errors name the whole address."""
_TALKATIVE = {"discord": logging.INFO, "aiosqlite": logging.INFO, "aiohttp": logging.INFO}
"""Libraries that at debug write out all that they send and receive: texts, rows, tokens."""
SHORTEST_SECRET = 6
"""Characters. Shorter ones ("none", "x": what servers without keys are given) are no secrets, and stand in many words."""


MOST_BROUGHT = 1000
"""Secrets that come while the process runs and stay hidden; of more, those that came in longest ago are forgotten."""

_LIKE_A_KEY = re.compile(r"(?=.*[0-9])(?=.*[A-Za-z])[^\s\"\\]{16,}")
"""What is hidden of what people bring along. They type anything, and nobody shall blot out words, ids or the marks of JSON."""

_brought: dict[str, None] = {}
"""The one that came in longest ago first."""
_brought_spellings: Sequence[str] = ()
_bringing = threading.Lock()


def hide(secret: str) -> None:
    """No line shows it from now on: a key that a server or person brought along. For the process, as logging is. From any thread."""
    global _brought_spellings
    if not _LIKE_A_KEY.fullmatch(secret):
        return
    with _bringing:
        is_known = secret in _brought
        _brought.pop(secret, None)
        _brought[secret] = None
        if is_known:
            return
        while len(_brought) > MOST_BROUGHT:
            del _brought[next(iter(_brought))]
        _brought_spellings = _spellings(_brought)


def _spellings(secrets: Iterable[str]) -> Sequence[str]:
    """As JSON writes them too. Longest first: a key that is the beginning of another must not leave its rest behind."""
    forms = {form for secret in secrets for form in (secret, json.dumps(secret)[1:-1])}
    return sorted((form for form in forms if len(form) >= SHORTEST_SECRET), key=len, reverse=True)


class HideSecrets:
    """Wraps a renderer: no known secret stands in the line it makes, wherever in the event it came from."""

    def __init__(self, renderer: Processor, secrets: Iterable[str]) -> None:
        self._renderer = renderer
        self._secrets = _spellings(secrets)

    def __call__(self, logger: WrappedLogger, method: str, event: EventDict) -> str:
        line = str(self._renderer(logger, method, event))
        for secret in (*self._secrets, *_brought_spellings):
            line = line.replace(secret, HIDDEN)
        return _TOKENS.sub(rf"\1/{HIDDEN}", line)


def configure_logging(
    log_format: LogFormat, level: LogLevel, secrets: Iterable[str] = (), stream: TextIO | None = None
) -> None:
    """Send everything to `stream` (standard error), once for the process."""
    stream = stream or sys.stderr
    shared: list[Processor] = [
        structlog.contextvars.merge_contextvars,
        structlog.stdlib.add_log_level,
        structlog.stdlib.add_logger_name,
        structlog.processors.TimeStamper(fmt="iso", utc=True),
    ]
    renderer: Processor = (
        structlog.processors.JSONRenderer()
        if log_format is LogFormat.JSON
        else structlog.dev.ConsoleRenderer(colors=stream.isatty())
    )
    last: list[Processor] = [
        structlog.stdlib.ProcessorFormatter.remove_processors_meta,
        structlog.processors.format_exc_info,
        HideSecrets(renderer, secrets),
    ]
    handler = logging.StreamHandler(stream)
    handler.setFormatter(
        structlog.stdlib.ProcessorFormatter(foreign_pre_chain=[*shared, structlog.stdlib.ExtraAdder()], processors=last)
    )
    root = logging.getLogger()
    root.handlers[:] = [handler]
    root.setLevel(level.upper())
    # httpx logs every request at info: one line a turn that says nothing which the turn's own line does not.
    logging.getLogger("httpx").setLevel(logging.WARNING)
    for library, least in _TALKATIVE.items():
        logging.getLogger(library).setLevel(max(root.level, least))
    # Alembic logs its errors and raises them too; those are told where they are caught.
    logging.getLogger("alembic").setLevel(logging.CRITICAL)
    structlog.configure(
        processors=[
            structlog.stdlib.filter_by_level,
            *shared,
            structlog.stdlib.ProcessorFormatter.wrap_for_formatter,
        ],
        wrapper_class=structlog.stdlib.BoundLogger,
        logger_factory=structlog.stdlib.LoggerFactory(),
        cache_logger_on_first_use=False,
    )
