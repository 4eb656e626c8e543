"""The way of a model's text into messages: blocks (what Discord cannot show becomes what it can), then layout."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from bot.delivery.blocks import Blocks, BlockStyle, Piece
from bot.delivery.layout.measure import Measure
from bot.delivery.layout.window import Layout
from bot.delivery.maths import with_maths_shown
from bot.delivery.plan import FilePlan, MessagePlan
from bot.delivery.table_picture import drawable
from bot.preferences import DeliveryPreferences


class TextFlow:
    """Feed text, read messages; any cut of the text gives the same messages in the end."""

    def __init__(self, preferences: DeliveryPreferences, measure: Measure) -> None:
        style = BlockStyle(tables=preferences.tables, longest_code=preferences.longest_code, maths=preferences.maths)
        self._blocks = Blocks(style, maths=with_maths_shown, drawable=drawable)
        self._layout = Layout(measure)
        self._closed = False

    def feed(self, text: str) -> None:
        self._place(self._blocks.feed(text))

    def messages(self) -> Sequence[MessagePlan]:
        """What should stand now: settled messages, which never change again, then the open ones."""
        return self._layout.messages("" if self._closed else self._blocks.provisional())

    def close(self) -> Sequence[MessagePlan]:
        """The text is over. All messages, all settled."""
        if not self._closed:
            self._closed = True
            self._place(self._blocks.close())
        return self._layout.close()

    def _place(self, pieces: Iterable[Piece]) -> None:
        for piece in pieces:
            if isinstance(piece, FilePlan):
                self._layout.attach(piece)
            else:
                self._layout.feed(piece)
