"""OpenRouter's blocks of reasoning, put together from the pieces of a stream."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from adapters.providers.chat.reasoning_details import ReasoningDetails
from tests.adapters.cuts import cut_at, places


def piece(kind: str = "text", index: int | None = 0, **fields: Any) -> dict[str, Any]:
    return {"type": f"reasoning.{kind}", **fields, "format": "f", "index": index}


def whole(*deltas: list[Any]) -> list[dict[str, Any]]:
    details = ReasoningDetails()
    for delta in deltas:
        details.add(delta)
    return details.whole()


@pytest.mark.parametrize(
    ("pieces", "expected"),
    [
        pytest.param([piece(text="a"), piece(text="b")], [piece(text="ab")], id="text grows"),
        pytest.param([piece("summary", summary="a"), piece("summary", summary="b")], [piece("summary", summary="ab")], id="summary grows"),
        pytest.param(
            [piece(text="a"), piece(text="b"), piece(signature="s")], [piece(text="ab", signature="s")], id="signature last"
        ),
        pytest.param([piece(text="a", signature=""), piece(signature="s")], [piece(text="a", signature="s")], id="empty signature first"),
        pytest.param(
            [piece("summary", summary="a"), piece("encrypted", data="x", id="rs")],
            [piece("summary", summary="a"), piece("encrypted", data="x", id="rs")],
            id="summary and its encrypted form at one index",
        ),
        pytest.param(
            [piece("encrypted", data="x", id="call_1"), piece("encrypted", data="y", id="call_2")],
            [piece("encrypted", data="x", id="call_1"), piece("encrypted", data="y", id="call_2")],
            id="encrypted blocks of two calls",
        ),
        pytest.param(
            [piece("encrypted", data="x"), piece("encrypted", data="y")],
            [piece("encrypted", data="x"), piece("encrypted", data="y")],
            id="encrypted blocks without ids",
        ),
        pytest.param([piece("encrypted", data="x"), piece("encrypted", data="x")], [piece("encrypted", data="x")], id="repeated"),
        pytest.param(
            [piece(text="a", index=0), piece(text="b", index=1), piece(text="c", index=0)],
            [piece(text="ac", index=0), piece(text="b", index=1)],
            id="two blocks interleaved",
        ),
        pytest.param(
            [piece(text="a"), piece(signature="s"), piece(text="b"), piece(signature="t")],
            [piece(text="a", signature="s"), piece(text="b", signature="t")],
            id="text after the signature is another block",
        ),
        pytest.param([piece(text="a", index=None), piece(text="b", index=None)], [piece(text="ab", index=None)], id="no index"),
        pytest.param([piece(text="a", id=None), piece(text="b", id="rs")], [piece(text="ab", id="rs")], id="the id comes late"),
        pytest.param([piece(text="a", id="1"), piece(text="b", id="2")], [piece(text="a", id="1"), piece(text="b", id="2")], id="two ids"),
        pytest.param(
            [piece("server_tool_call", name="search"), piece("server_tool_call", name="fetch")],
            [piece("server_tool_call", name="search"), piece("server_tool_call", name="fetch")],
            id="kinds nobody knows",
        ),
        pytest.param([7, None, "x", {}], [{}], id="no blocks at all"),
    ],
)  # fmt: skip
def test_pieces_become_blocks(pieces: list[Any], expected: list[dict[str, Any]]) -> None:
    """One row a way in which hosts send them; together in one delta or each in its own."""
    assert whole(pieces) == expected
    assert whole(*([each] for each in pieces)) == expected


@given(st.text(max_size=40), places)
def test_any_cut_of_a_text_gives_the_same_block(text: str, where: list[int]) -> None:
    """Split-proof; the signature holds for the text as it was."""
    pieces = [piece(text=part) for part in cut_at(text, where)]
    assert whole(*([each] for each in pieces), [piece(signature="s")]) == [piece(text=text, signature="s")]


def test_an_emoji_in_two_halves_is_whole_again() -> None:
    """The block must be able to stand in the next request."""
    assert whole([piece(text="\ud83d")], [piece(text="\ude00")]) == [piece(text="😀")]
