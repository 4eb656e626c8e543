"""A provider's error in the reader's language: what happened, and what to do."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence

import msgspec

from adapters.contract import ErrorReason, ErrorType, ProviderError
from bot.delivery.plan import EmbedPlan
from bot.localization import Words

RED = 0xD83C3E
LONGEST_DETAIL = 500
"""Code points of the provider's own words that are shown. They are the operator's to read in full, in the log."""
MOST_MODELS = 10
"""Models shown of those that the provider names."""


def error_embed(error: ProviderError, words: Words, *, turn_id: str, partial: bool) -> EmbedPlan:
    """`partial`: text was shown before the error, and stays."""
    reason = _AS_SEEN.get((error.reason, partial), error.reason)
    description = create_error_description(msgspec.structs.replace(error, reason=reason), words)
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


def create_error_description(error: ProviderError, words: Words) -> str:
    """The error in the reader's language: what happened and what to do, how long to wait, which models there are.

    The provider's own words stand there only where they help to choose a model; they are freed of keys (adapters.errors).
    Markdown; at most some 2,000 code points.
    """
    lines = [words(f"error-{error.reason.replace('_', '-')}")]
    if error.retry_after is not None:
        lines.append(_wait(error.retry_after, words))
    if error.type is ErrorType.MODEL_ERROR and (said := _quoted(error.message)):
        lines.append(words("error-provider-says", message=said))
    if error.supported_models:
        lines.append(_models(error.supported_models, words))
    return "\n".join(lines)


def fault_embed(words: Words, *, turn_id: str) -> EmbedPlan:
    """For a fault of our own, whose details are the log's."""
    return EmbedPlan(words("error-title"), words("error-internal"), RED, words("error-turn", turn=turn_id))


def notice_embed(words: Words, key: str) -> EmbedPlan:
    """A sentence that stands instead of an answer, such as "no model is set up"."""
    return EmbedPlan(words("error-title"), words(key), RED)


_WAITS = ((2 * 86400.0, 86400.0, "days"), (2 * 3600.0, 3600.0, "hours"), (2 * 60.0, 60.0, "minutes"))
"""From how many seconds on, in which unit, its word."""


def _wait(seconds: float, words: Words) -> str:
    """The wait, rounded up: somebody who asks a little too early waits once more."""
    for least, unit, name in _WAITS:
        if seconds > least:
            return words(f"error-retry-after-{name}", **{name: math.ceil(seconds / unit)})
    return words("error-retry-after", seconds=max(1, math.ceil(seconds)))


def _models(models: Sequence[str], words: Words) -> str:
    shown = ", ".join(_quoted(name) for name in models[:MOST_MODELS])
    if len(models) <= MOST_MODELS:
        return words("error-models", models=shown)
    return words("error-models-and-more", models=shown, count=len(models) - MOST_MODELS)


def _quoted(text: str) -> str:
    """As code, in which no Markdown and no mention works."""
    plain = " ".join(text.split()).replace("`", "'")
    if len(plain) > LONGEST_DETAIL:
        plain = plain[:LONGEST_DETAIL] + "…"
    return f"`{plain}`" if plain else ""
