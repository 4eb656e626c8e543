"""From the chunks of an answer to the message that stands for it in the next request.

Text in a row is one part, reasoning in a row is one part, until a chunk's opaque fields close it; calls stand where they came.
So an adapter finds its own odd fields again beside the text, thought or call that they belong to, in the order of the stream.
"""

from __future__ import annotations

from collections.abc import Iterable

from adapters.contract import (
    FunctionCallChunk,
    Opaque,
    Origin,
    Part,
    ProcessedChunk,
    PromptMessage,
    Role,
    TextChunk,
    TextPart,
    ThoughtPart,
)


class TurnRecord:
    """Feed it every chunk of one answer, in order; linear in their number."""

    def __init__(self) -> None:
        self._parts: list[Part] = []
        self._pieces: list[str] = []
        self._kind: type[TextPart] | type[ThoughtPart] = TextPart
        self._untaken = 0
        """Before this place in the parts, no text is left to take back."""

    def add(self, chunks: Iterable[ProcessedChunk]) -> None:
        for chunk in chunks:
            if isinstance(chunk, TextChunk):
                for thought in chunk.thoughts:
                    if thought.takes_back:
                        self._take_back()
                    self._say(ThoughtPart, thought.text, thought.opaque)
                if chunk.content or chunk.opaque:
                    self._say(TextPart, chunk.content, chunk.opaque)
            elif isinstance(chunk, FunctionCallChunk):
                self._close()
                self._parts.append(chunk.call)

    def message(self, origin: Origin) -> PromptMessage:
        """The assistant's message so far."""
        self._close()
        return PromptMessage(Role.ASSISTANT, tuple(self._parts), origin)

    def _take_back(self) -> None:
        """The words become a thought. Odd fields of text stay text's: there its adapter looks for them."""
        self._close()
        taken = self._parts[self._untaken :]
        del self._parts[self._untaken :]
        for part in taken:
            if isinstance(part, TextPart) and part.text:
                self._parts.append(ThoughtPart(part.text))
                if part.opaque:
                    self._parts.append(TextPart("", part.opaque))
            else:
                self._parts.append(part)
        self._untaken = len(self._parts)

    def _say(self, kind: type[TextPart] | type[ThoughtPart], text: str, opaque: Opaque | None) -> None:
        if kind is not self._kind:
            self._close()
            self._kind = kind
        if text:
            self._pieces.append(text)
        if opaque is not None:
            self._close(opaque)

    def _close(self, opaque: Opaque | None = None) -> None:
        if self._pieces or opaque:
            self._parts.append(self._kind("".join(self._pieces), opaque or None))
            self._pieces.clear()
