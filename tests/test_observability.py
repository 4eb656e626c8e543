"""Logging: our events and the libraries' in one form, with context, and without secrets."""

import io
import json
import logging
import threading
from collections.abc import Iterable, Sequence

import pytest
import structlog

from bot import observability
from bot.observability import configure_logging, hide
from bot.settings import LogFormat, LogLevel


class Settled:
    """Something that a renderer writes by its repr()."""

    def __init__(self, key: str) -> None:
        self._key = key

    def __repr__(self) -> str:
        return f"Settled({self._key})"


def logged(stream: io.StringIO) -> list[dict[str, object]]:
    return [json.loads(line) for line in stream.getvalue().splitlines()]


def test_an_event_carries_its_values_and_the_turns_context() -> None:
    stream = io.StringIO()
    configure_logging(LogFormat.JSON, LogLevel.INFO, stream=stream)
    with structlog.contextvars.bound_contextvars(turn="t1"):
        structlog.get_logger("bot.x").info("turn_ended", seconds=1.5)
    (event,) = logged(stream)
    assert {key: event[key] for key in ("event", "turn", "seconds", "level", "logger")} == {
        "event": "turn_ended",
        "turn": "t1",
        "seconds": 1.5,
        "level": "info",
        "logger": "bot.x",
    }


def test_the_libraries_lines_take_the_same_form() -> None:
    stream = io.StringIO()
    configure_logging(LogFormat.JSON, LogLevel.INFO, stream=stream)
    logging.getLogger("discord.gateway").warning("Shard %s is slow", 3)
    (event,) = logged(stream)
    assert (event["event"], event["level"], event["logger"]) == ("Shard 3 is slow", "warning", "discord.gateway")


@pytest.mark.parametrize("log_format", LogFormat)
def test_a_secret_comes_out_nowhere(log_format: LogFormat) -> None:
    stream = io.StringIO()
    configure_logging(log_format, LogLevel.INFO, ["sk-abc", "sk-abc-long"], stream)
    log = structlog.get_logger()
    log.info("key sk-abc-long", plain="sk-abc", nested={"a": ["x sk-abc"]}, error=ValueError("bad sk-abc"))
    log.info("bytes", body=b"sk-abc", thing=Settled("sk-abc"))
    try:
        raise RuntimeError("Authorization: sk-abc-long")
    except RuntimeError:
        log.exception("broke")
    logging.getLogger("lib").error("token=%s", "sk-abc")
    assert "sk-abc" not in stream.getvalue()
    assert "-long" not in stream.getvalue()
    assert stream.getvalue().count("***") >= 6


def test_the_token_in_an_address_of_a_webhook_or_an_interaction_does_not_come_out() -> None:
    stream = io.StringIO()
    configure_logging(LogFormat.JSON, LogLevel.INFO, stream=stream)
    token = "aW50ZXJhY3Rpb24_-tokenOfSixtyEightCharacters"
    for path in (f"webhooks/12/{token}/messages/@original", f"interactions/34/{token}/callback", f"webhooks/5/{token}"):
        structlog.get_logger().info(
            "failed", error=f"Connection timeout to host https://discord.com/api/v10/{path}?wait=1"
        )
    assert token not in stream.getvalue()
    assert "https://discord.com/api/v10/webhooks/12/***/messages/@original?wait=1" in stream.getvalue()


def test_at_debug_libraries_do_not_write_out_what_people_say() -> None:
    stream = io.StringIO()
    configure_logging(LogFormat.JSON, LogLevel.DEBUG, stream=stream)
    for library in ("discord.gateway", "discord.http", "discord.webhook.async_", "aiosqlite"):
        logging.getLogger(library).debug("WebSocket Event: %s", {"content": "a secret", "token": "abc"})
    assert stream.getvalue() == ""


def test_what_is_too_short_for_a_secret_does_not_garble_the_log() -> None:
    stream = io.StringIO()
    configure_logging(LogFormat.CONSOLE, LogLevel.INFO, ["none", "e"], stream)
    structlog.get_logger().info("none_here")
    assert "none_here" in stream.getvalue()


def test_what_is_below_the_level_is_not_written() -> None:
    stream = io.StringIO()
    configure_logging(LogFormat.CONSOLE, LogLevel.WARNING, stream=stream)
    structlog.get_logger().info("quiet")
    assert stream.getvalue() == ""


def test_what_people_bring_along_is_hidden_where_it_looks_like_a_key_and_blots_out_nothing_else() -> None:
    stream = io.StringIO()
    configure_logging(LogFormat.JSON, LogLevel.INFO, stream=stream)
    for typed in ("sk-brought-0123456789", "123456789012345678", '", "by": ', '"event": ', "button", "sk-1"):
        hide(typed)
    structlog.get_logger().info("button", by=123456789012345678, key="sk-brought-0123456789")
    (event,) = logged(stream)
    assert (event["event"], event["by"], event["key"]) == ("button", 123456789012345678, "***")


def test_keys_that_come_in_at_once_are_all_hidden(monkeypatch: pytest.MonkeyPatch) -> None:
    stream, spellings = io.StringIO(), observability._spellings
    configure_logging(LogFormat.JSON, LogLevel.INFO, stream=stream)
    second = threading.Thread(target=hide, args=("sk-second-0123456789",))

    def while_another_comes(secrets: Iterable[str]) -> Sequence[str]:
        found = spellings(secrets)
        if threading.current_thread() is not second and second.ident is None:
            second.start()
            second.join(0.2)
        return found

    monkeypatch.setattr(observability, "_spellings", while_another_comes)
    hide("sk-first-0123456789")
    second.join()
    structlog.get_logger().info("sk-first-0123456789 sk-second-0123456789")
    (event,) = logged(stream)
    assert event["event"] == "*** ***"


def test_a_key_in_use_is_not_forgotten_for_others_that_come_in() -> None:
    stream = io.StringIO()
    configure_logging(LogFormat.JSON, LogLevel.INFO, stream=stream)
    hide("sk-in-use-0123456789")
    for number in range(observability.MOST_BROUGHT - 1):
        hide(f"sk-other-0123456789-{number}")
    hide("sk-in-use-0123456789")
    hide("sk-another-0123456789")
    structlog.get_logger().info("sk-in-use-0123456789")
    (event,) = logged(stream)
    assert event["event"] == "***"
