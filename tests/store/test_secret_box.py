"""What keys are sealed with."""

from pathlib import Path

import pytest

from bot.store import NoSecret, SecretBox
from bot.store.keys import _Sealed


def test_a_file_that_cannot_be_read_stops_only_those_who_have_no_other_secret(tmp_path: Path) -> None:
    file = tmp_path / "parley.secret"
    sealed = SecretBox(["chosen by somebody"], file).seal(b"key")
    file.write_text("", "utf-8")
    assert SecretBox(["chosen by somebody"], file).open(sealed) == b"key"
    with pytest.raises(NoSecret, match="is empty"):
        SecretBox([], file).seal(b"key")


def test_what_is_sealed_does_not_show_in_its_repr() -> None:
    assert "sk-secret" not in repr(_Sealed("server", 1, "mistral", "", "sk-secret"))
