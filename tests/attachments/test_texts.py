"""Bytes → text, in whatever encoding; long texts → both their ends; and fences that no text can close."""

from __future__ import annotations

import random
import re

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from bot.attachments.notes import fenced
from bot.attachments.texts import decoded, plain, shortened

GERMAN = "Grüße aus Köln: 5 € für Äpfel"


@pytest.mark.parametrize(
    ("text", "encoding"),
    [
        ("plain words", "ascii"),
        (GERMAN, "utf-8"),
        (GERMAN, "utf-8-sig"),
        (GERMAN, "utf-16"),
        (GERMAN, "utf-16-le"),
        (GERMAN, "utf-16-be"),
        (GERMAN, "utf-32"),
        (GERMAN, "cp1252"),
        ("naïve", "latin-1"),
        ("Zażółć gęślą jaźń", "cp1250"),
        ("Привет, как дела? Это обычный текст.", "cp1251"),
        ("Привет, как дела? Это обычный текст.", "koi8_r"),
        ("こんにちは、世界。今日はいい天気ですね。", "cp932"),
        ("今天天气很好,我们一起去公园散步。", "gb18030"),
        ("안녕하세요 세계", "cp949"),
        ("Zeile für Zeile, länger als das, woraus die Kodierung geschlossen wird\n" * 2000, "latin-1"),
    ],
)
def test_a_text_is_read_in_the_encoding_it_has(text: str, encoding: str) -> None:
    assert decoded(text.encode(encoding)) == text


@pytest.mark.parametrize("seed", range(5))
def test_bytes_without_meaning_are_no_text(seed: int) -> None:
    assert decoded(random.Random(seed).randbytes(1000)) is None


@pytest.mark.parametrize(
    "data",
    [
        bytes(100),
        b"words\0\0\0\0\0\0\0\0and\0\0\0\0\0more" + bytes(300),
        b"\xff\xfe" + b"\0\xd8" * 20,  # half characters
        b"\xff\xfe\0",  # an odd byte
        b"\xef\xbb\xbf\xff\xff\xff",
    ],
)
def test_bytes_that_only_look_like_a_text_are_none(data: bytes) -> None:
    assert decoded(data) is None


@pytest.mark.parametrize(
    ("raw", "shown"),
    [
        ("a\r\nb\rc\nd", "a\nb\nc\nd"),
        ("\n\na\n", "a"),
        ("  indented\n", "  indented"),
        ("\x1b[1;31mred\x1b[0m", "red"),
        ("a\0b\x08c\x7f", "abc"),
        ("tab\there", "tab\there"),
    ],
)
def test_lines_end_alike_and_control_characters_are_gone(raw: str, shown: str) -> None:
    assert plain(raw) == shown


def test_of_a_long_text_both_ends_stay_and_what_is_missing_is_counted() -> None:
    short = shortened("a" * 9_000 + "b" * 4_000 + "c" * 1_000, most=4_000)
    assert short.text == f"{'a' * 3_000}\n[… 10,000 characters left out]\n{'c' * 1_000}"
    assert short.left_out == 10_000


@given(st.text(), st.integers(4, 40))
def test_a_shortened_text_is_bounded_and_a_short_one_is_whole(text: str, most: int) -> None:
    short = shortened(text, most)
    assert len(short.text) <= most + len("\n[… 1,000 characters left out]\n")
    assert short.left_out == max(0, len(text) - most)
    assert short.left_out or short.text == plain(text)


@given(st.text("`~\n a", max_size=60))
@example("```\n````\n~~~~~\n```")
@example("~~~" + "`" * 50)
def test_no_text_closes_its_fence(text: str) -> None:
    """By CommonMark's rule: a line of at least as many of the same marks, however it is indented."""
    block = fenced(text, "md")
    fence = re.match(r"`+|~+", block)
    assert fence
    closing = re.compile(rf"^[ \t]*{re.escape(fence[0][0])}{{{len(fence[0])},}}[ \t]*$", re.MULTILINE)
    assert [found.end() for found in closing.finditer(block)] == [len(block)]
    assert block == f"{fence[0]}md\n{text}\n{fence[0]}"
