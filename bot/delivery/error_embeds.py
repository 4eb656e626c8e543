"""What went wrong, in the reader's language: what happened, and what to do.

Where the same goes wrong again and again, one embed says so and later ones are a short line (ErrorFold). A turn that nobody
asked for fails silently: none of this is for it, and the log has it.
"""

from __future__ import annotations

import math
import re
from collections.abc import Mapping, Sequence

import msgspec

from adapters.contract import ErrorReason, ErrorType, ProviderError
from bot.delivery.foreign_text import as_code
from bot.delivery.plan import EmbedPlan
from bot.delivery.told_lately import ToldLately
from bot.localization import Words

RED = 0xD83C3E
LONGEST_DETAIL = 500
"""Code points of the provider's own words that are shown. They are the operator's to read in full, in the log."""
MOST_MODELS = 10
"""Models shown of those that the provider names."""
FOLD_SECONDS = 600.0
"""So long after an embed, the same error in the same channel is a short line."""
_MOST_FOLDED = 1000
"""Errors that are remembered, over all channels."""

_DUMP = re.compile(
    r"\A\s*[{\[<]|\[?\{\s*[\"']?\w+[\"']?\s*:|<(?:!doctype|html|head|body|\?xml)\b|\bTraceback \(", re.IGNORECASE
)
"""Where JSON, a web page or a stack trace begins: no words for people."""


def error_embed(error: ProviderError, words: Words, *, turn_id: str, partial: bool) -> EmbedPlan:
    """`partial`: text was shown before the error, and stays."""
    description = create_error_description(_as_seen(error, partial=partial), words)
    if partial:
        description += "\n" + words("error-partial-kept")
    return EmbedPlan(words("error-title"), description, RED, words("error-turn", turn=turn_id))


_AS_SEEN: Mapping[tuple[ErrorReason, bool], ErrorReason] = {
    # A connection lost in the middle of an answer is an answer that broke off.
    (ErrorReason.CONNECTION, True): ErrorReason.TRUNCATED_STREAM,
    # Keep-alives or thoughts, then silence: for who only sees the text, it has not begun.
    (ErrorReason.IDLE, False): ErrorReason.FIRST_BYTE,
}
"""What the person saw of it, where that differs from what happened: (reason, text was shown) -> the reason to tell."""


def _as_seen(error: ProviderError, *, partial: bool) -> ProviderError:
    return msgspec.structs.replace(error, reason=_AS_SEEN.get((error.reason, partial), error.reason))


def create_error_description(error: ProviderError, words: Words) -> str:
    """The error in the reader's language: what happened and what to do, how long to wait, which models there are.

    The provider's own words stand there only where they help to choose a model; they are freed of keys (adapters.errors).
    Markdown; at most some 1,900 code points.
    """
    lines = _sentences(error, words)
    if error.type is ErrorType.MODEL_ERROR and (said := _provider_words(error.message)):
        lines.append(words("error-provider-says", message=said))
    if error.supported_models:
        lines.append(_models(error.supported_models, words))
    return "\n".join(lines)


def _sentences(error: ProviderError, words: Words) -> list[str]:
    happened = words(f"error-{error.reason.replace('_', '-')}")
    return [happened] if error.retry_after is None else [happened, _wait(error.retry_after, words)]


class ErrorFold:
    """Which errors a channel was told of lately. A direct message is a channel of its own."""

    def __init__(self) -> None:
        self._told = ToldLately(FOLD_SECONDS, _MOST_FOLDED)

    def is_again(self, channel_id: int, reason: str, code: str | None, now: float) -> bool:
        """True: the embed for this stood there less than FOLD_SECONDS ago, and `again_line` will do. False: show an
        embed; this counts as shown. `now` in seconds, never falling."""
        return self._told.is_again((channel_id, reason, code), now)


def again_line(error: ProviderError, words: Words, *, turn_id: str, partial: bool) -> str:
    """The same error once more, as a line of small text."""
    sentence = " ".join(_sentences(_as_seen(error, partial=partial), words))
    return "-# " + words("error-again", sentence=sentence, turn=turn_id)


def fault_embed(words: Words, *, turn_id: str) -> EmbedPlan:
    """For a fault of our own, whose details are the log's."""
    return EmbedPlan(words("error-title"), words("error-internal"), RED, words("error-turn", turn=turn_id))


def fault_again_line(words: Words, *, turn_id: str) -> str:
    """A fault of our own once more."""
    return "-# " + words("error-again", sentence=words("error-internal"), turn=turn_id)


def notice_embed(words: Words, key: str, **arguments: str) -> EmbedPlan:
    """A sentence that stands instead of an answer, such as "no model is set up"."""
    return EmbedPlan(words("error-title"), words(key, **arguments), RED)


def undelivered(why: str, channel_name: str, words: Words) -> str:
    """For a direct message: why the answer could not be put into the channel, and how to get it.

    `why`: `forbidden`, `locked`, `channel_gone`, `expired` or `undelivered` (bot.delivery.delivered.Lost). KeyError for others. Small text, so
    that no later question there takes it for an answer (bot.gateway.reading.history).
    """
    return "-# " + words(f"lost-{why.replace('_', '-')}", channel=as_code(f"#{channel_name}"))


_WAITS = ((2 * 86400.0, 86400.0, "days"), (2 * 3600.0, 3600.0, "hours"), (2 * 60.0, 60.0, "minutes"))
"""From how many seconds on, in which unit, its word."""


def _wait(seconds: float, words: Words) -> str:
    """The wait, rounded up: somebody who asks a little too early waits once more."""
    for least, unit, name in _WAITS:
        if seconds > least:
            return words(f"error-retry-after-{name}", count=math.ceil(seconds / unit))
    return words("error-retry-after", count=max(1, math.ceil(seconds)))


def _models(models: Sequence[str], words: Words) -> str:
    shown = ", ".join(as_code(name) for name in models[:MOST_MODELS])
    if len(models) <= MOST_MODELS:
        return words("error-models", models=shown)
    return words("error-models-and-more", models=shown, count=len(models) - MOST_MODELS)


def _provider_words(message: str) -> str:
    """Up to where it is no words any more."""
    said, *dumped = _DUMP.split(message, maxsplit=1)
    return as_code(said.rstrip(" \t\n:-–—,") if dumped else said, LONGEST_DETAIL)
