"""A provider's error in the reader's language: what happened, and what to do."""

from __future__ import annotations

from adapters.contract import ErrorReason, ErrorType, ProviderError
from bot.delivery.plan import EmbedPlan
from bot.localization import Words

RED = 0xD83C3E
LONGEST_DETAIL = 500
"""Code points of the provider's own words that are shown. They are the operator's to read in full, in the log."""


def error_embed(error: ProviderError, words: Words, *, turn_id: str, partial: bool) -> EmbedPlan:
    """`partial`: text was shown before the error, and stays."""
    # A connection lost in the middle of an answer reads as what it is to the person: an answer that broke off.
    broke_off = partial and error.reason is ErrorReason.CONNECTION
    reason = ErrorReason.TRUNCATED_STREAM if broke_off else error.reason
    description = words(f"error-{reason.replace('_', '-')}")
    if error.retry_after is not None:
        description += "\n" + words("error-retry-after", seconds=max(1, round(error.retry_after)))
    if error.type is ErrorType.MODEL_ERROR:
        # Which models there are stands only in the provider's own words; they are freed of keys (adapters.errors).
        description += "\n" + _quoted(error.message)
    if partial:
        description += "\n" + words("error-partial-kept")
    return EmbedPlan(words("error-title"), description, RED, words("error-turn", turn=turn_id))


def fault_embed(words: Words, *, turn_id: str) -> EmbedPlan:
    """For a fault of our own, whose details are the log's."""
    return EmbedPlan(words("error-title"), words("error-internal"), RED, words("error-turn", turn=turn_id))


def notice_embed(words: Words, key: str) -> EmbedPlan:
    """A sentence that stands instead of an answer, such as "no model is set up"."""
    return EmbedPlan(words("error-title"), words(key), RED)


def _quoted(text: str) -> str:
    plain = " ".join(text.split()).replace("`", "'")
    return f"`{plain[:LONGEST_DETAIL]}`" if plain else ""
