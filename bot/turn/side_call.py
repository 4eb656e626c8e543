"""One call of the model for ourselves: its whole text, or nothing.

Who asked the question that gives rise to it pays for it too: with the key, and at the provider, that answered them.
"""

from __future__ import annotations

import structlog

from adapters.contract import (
    DoneChunk,
    ErrorChunk,
    GenerationRequest,
    ProcessedChunk,
    ProviderError,
    TextChunk,
    Usage,
)
from bot.preferences import Location
from bot.turn.models import ModelChoice
from bot.turn.parts import Purpose, TurnParts

log = structlog.get_logger()


async def side_call(
    parts: TurnParts, location: Location, choice: ModelChoice, request: GenerationRequest, purpose: Purpose
) -> str | None:
    """None where it gave an error or no text; the log says why. `request` is for the chosen model."""
    call = _Call()
    try:
        async with parts.transport.open(choice.adapter, request, choice.endpoint, parts.deadlines) as stream:
            async for batch in stream.batches():
                for chunk in batch:
                    call.take(chunk)
    finally:
        # One that is given up has its price as well.
        if call.has_a_price:
            await parts.spending.record(
                location, choice, choice.endpoint, purpose, call.usage, request, "".join(call.written)
            )
    if (error := call.error) is not None:
        log.warning("side_call_failed", purpose=purpose, reason=error.reason, code=error.code)
        return None
    log.info("side_call", purpose=purpose, usage=call.usage)
    return "".join(call.text).strip() or None


class _Call:
    """What has come of one."""

    def __init__(self) -> None:
        self.text: list[str] = []
        self.written: list[str] = []
        """With the thoughts."""
        self.usage: Usage | None = None
        self.error: ProviderError | None = None

    @property
    def has_a_price(self) -> bool:
        """A refusal has none."""
        return self.error is None or self.usage is not None or bool(self.written)

    def take(self, chunk: ProcessedChunk) -> None:
        match chunk:
            case TextChunk(content, thoughts):
                if any(thought.takes_back for thought in thoughts):
                    self.text.clear()
                self.text.append(content)
                self.written += [content, *(thought.text for thought in thoughts)]
            case ErrorChunk(error):
                self.error, self.usage = error, chunk.closing.usage
            case DoneChunk(_, closing):
                self.usage = closing.usage
            case _:
                pass  # a call of a tool, of which none was offered
