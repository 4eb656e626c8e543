"""Surrogate halves in a stream of text pieces."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from adapters.wire.surrogates import SurrogateJoiner, without_halves
from tests.adapters.cuts import run


def joined(*pieces: str) -> str:
    return "".join(run(SurrogateJoiner(), pieces))


def test_two_halves_in_two_pieces_are_one_character() -> None:
    """An emoji that a server cut between its UTF-16 units comes out whole."""
    assert joined("a\ud83d", "\ude00b") == "a😀b"


def test_a_half_that_stays_alone_is_replaced() -> None:
    """First, last, or followed by something else: U+FFFD, and the neighbours stay."""
    assert joined("a\ud83d") == "a\ufffd"
    assert joined("\ude00b") == "\ufffdb"
    assert joined("\ud83d", "b") == "\ufffdb"


@given(st.text(st.sampled_from("aé漢😀\u2028"), max_size=20))
def test_text_cut_between_all_its_utf16_units_is_the_text(text: str) -> None:
    """Nothing is lost and nothing is changed, for the finest cut there is."""
    raw = text.encode("utf-16-le")
    units = [raw[at : at + 2].decode("utf-16-le", "surrogatepass") for at in range(0, len(raw), 2)]
    assert joined(*units) == text


def test_any_json_value_can_be_freed_of_halves() -> None:
    """Pairs in one text become one character; keys are texts too. What is too deep to follow is nothing."""
    deep: list[object] = []
    for _ in range(5000):
        deep = [deep]
    assert without_halves(deep) is None
    assert without_halves({"a\ud83d": ["\ude00", "\ud83d\ude00", 1, None]}) == {"a\ufffd": ["\ufffd", "😀", 1, None]}
