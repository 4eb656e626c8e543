"""One call of the model for ourselves: its whole text, or nothing."""

from __future__ import annotations

import structlog

from adapters.contract import DoneChunk, ErrorChunk, GenerationRequest, TextChunk
from bot.turn.parts import TurnParts

log = structlog.get_logger()


async def side_call(parts: TurnParts, request: GenerationRequest, purpose: str) -> str | None:
    """None where no model is set, or it gave an error or no text; the log says why. `purpose` is for the log."""
    if parts.model is None:
        return None
    text: list[str] = []
    transport, endpoint = parts.transport, parts.model.next_endpoint()
    async with transport.open(parts.model.adapter, request, endpoint, parts.deadlines) as stream:
        async for batch in stream.batches():
            for chunk in batch:
                match chunk:
                    case TextChunk(content, thoughts):
                        if any(thought.takes_back for thought in thoughts):
                            text.clear()
                        text.append(content)
                    case ErrorChunk(error):
                        log.warning("side_call_failed", purpose=purpose, reason=error.reason, code=error.code)
                        return None
                    case DoneChunk(_, closing):
                        log.info("side_call", purpose=purpose, usage=closing.usage)
                    case _:
                        pass  # a call of a tool, of which none was offered
    return "".join(text).strip() or None
