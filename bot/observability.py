"""structlog for our own events and for the libraries' logging, with one rule: no secret leaves.

Events are snake_case keys with values beside them. A turn binds its id, guild and channel once
(`structlog.contextvars`), and every line that is logged under it carries them.
"""

from __future__ import annotations

import logging
import sys
from collections.abc import Iterable
from typing import Any, TextIO

import structlog
from structlog.typing import EventDict, Processor, WrappedLogger

from bot.settings import LogFormat, LogLevel

HIDDEN = "***"


class HideSecrets:
    """A processor that replaces every known secret in every text of an event, nested ones and tracebacks included."""

    def __init__(self, secrets: Iterable[str]) -> None:
        # Longest first: a key that is the beginning of another must not leave the other's rest behind.
        self._secrets = sorted({secret for secret in secrets if secret}, key=len, reverse=True)

    def __call__(self, _logger: WrappedLogger, _method: str, event: EventDict) -> EventDict:
        return {key: self._hide(value) for key, value in event.items()} if self._secrets else event

    def _hide(self, value: Any) -> Any:
        if isinstance(value, str):
            for secret in self._secrets:
                value = value.replace(secret, HIDDEN)
            return value
        if isinstance(value, dict):
            return {key: self._hide(item) for key, item in value.items()}
        if isinstance(value, list | tuple):
            return [self._hide(item) for item in value]
        return self._hide(str(value)) if isinstance(value, BaseException) else value


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
    # exc_info becomes text before secrets are hidden, so that a traceback cannot carry one out.
    last: list[Processor] = [
        structlog.stdlib.ProcessorFormatter.remove_processors_meta,
        structlog.processors.format_exc_info,
        HideSecrets(secrets),
        renderer,
    ]
    handler = logging.StreamHandler(stream)
    handler.setFormatter(structlog.stdlib.ProcessorFormatter(foreign_pre_chain=shared, processors=last))
    root = logging.getLogger()
    root.handlers[:] = [handler]
    root.setLevel(level.upper())
    # httpx logs every request at info: one line a turn that says nothing which the turn's own line does not.
    logging.getLogger("httpx").setLevel(logging.WARNING)
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
