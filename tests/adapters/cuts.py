"""Ways to cut an input, for the law that no decoder's result depends on them."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import pairwise
from typing import Any, TypeVar

from hypothesis import strategies as st

Text = TypeVar("Text", bytes, str)


def cut_at(whole: Text, places: Sequence[int]) -> list[Text]:
    """The pieces between the places; places beyond the end give empty pieces, which are reads too."""
    edges = [0, *sorted(min(place, len(whole)) for place in places), len(whole)]
    return [whole[start:end] for start, end in pairwise(edges)]


def in_steps(whole: Text, size: int) -> list[Text]:
    return [whole[start : start + size] for start in range(0, len(whole), size)]


places = st.lists(st.integers(min_value=0, max_value=300), max_size=12)
"""Places to cut at, in any order and also twice."""


def run(stage: Any, pieces: Sequence[Any]) -> list[Any]:
    """Everything that a stage or a decoder gives for these pieces, to the end."""
    out = [message for piece in pieces for message in stage.feed(piece)]
    return [*out, *stage.close()]
