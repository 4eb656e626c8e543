"""A text through the stage, for tests."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence

from bot.delivery.blocks import Blocks, BlockStyle, Piece
from bot.delivery.plan import FilePlan, Table


def pieces(
    parts: str | Iterable[str],
    style: BlockStyle = BlockStyle(),  # noqa: B008  # frozen
    *,
    maths: Callable[[str], str] = str,
    drawable: Callable[[Table], bool] = lambda _: True,
) -> Sequence[Piece]:
    """What comes out, neighbouring texts as one."""
    stage = Blocks(style, maths=maths, drawable=drawable)
    found: list[Piece] = []
    for part in [parts] if isinstance(parts, str) else parts:
        found += stage.feed(part)
    found += stage.close()
    joined: list[Piece] = []
    for piece in found:
        if isinstance(piece, str) and joined and isinstance(joined[-1], str):
            joined[-1] += piece
        else:
            joined.append(piece)
    return joined


def shown(text: str, style: BlockStyle = BlockStyle(), *, maths: Callable[[str], str] = str) -> str:  # noqa: B008
    """The text that comes out, of a text without files."""
    return "".join(text_of(piece) for piece in pieces(text, style, maths=maths))


def text_of(piece: Piece) -> str:
    assert isinstance(piece, str)
    return piece


def file_of(piece: Piece) -> FilePlan:
    assert isinstance(piece, FilePlan)
    return piece


def live(text: str, style: BlockStyle = BlockStyle(), *, maths: Callable[[str], str] = str) -> str:  # noqa: B008
    """What stands in the channel when so much has arrived: what was given out, and what is held."""
    stage = Blocks(style, maths=maths)
    return "".join(text_of(piece) for piece in stage.feed(text)) + stage.provisional()
