"""The texts of the layout's bench are what their names say, and go through the whole way."""

from __future__ import annotations

import pytest

from tests.bench.layout import KINDS, laid_out, text_of


@pytest.mark.parametrize("kind", KINDS)
def test_a_text_has_the_size_asked_for_and_becomes_messages(kind: str) -> None:
    text = text_of(kind, 10_000)
    assert len(text) == 10_000
    assert laid_out(text) >= 1
    assert text_of(kind, 20_000).startswith(text)
