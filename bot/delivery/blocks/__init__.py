"""A text stage before the layout: what Discord cannot show becomes what it can.

Tables, headings below the third level, rules, images, long code. Text goes in as it arrives and pieces come out: text for
the layout, and files. See stage.py for the theory.
"""

from bot.delivery.blocks.open_block import Piece
from bot.delivery.blocks.stage import Blocks, BlockStyle

__all__ = ["BlockStyle", "Blocks", "Piece"]
