"""No key in any text."""

from __future__ import annotations

import pytest

from adapters.scrub import scrub


@pytest.mark.parametrize(
    "key",
    [
        "sk-fake-1111",
        "sk-proj-" + "a1B2" * 10,
        "sk-ant-api03-" + "x" * 20,
        "sk-or-v1-" + "0" * 20,
        "sk-abc***xyz",
        "AIzaFAKE0000000000000000000000000000000",
        "gsk_" + "a" * 20,
        "xai-" + "a" * 20,
        "hf_" + "a" * 20,
        "AKIA" + "A" * 16,
        "eyJhbGciOiJIUzI1NiJ9.eyJzdWIiOiIxIn0.abcDEF",
    ],
)
def test_what_looks_like_a_key_is_taken_out(key: str) -> None:
    """Well-known shapes go even where nobody said that they are keys."""
    assert scrub(f"Incorrect API key provided: {key}, sorry") in (
        "Incorrect API key provided: ***, sorry",
        "Incorrect API key provided: *** sorry",
    )


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("for url 'https://host/v1?alt=sse&key=abc' failed", "for url 'https://host/v1?alt=sse&***' failed"),
        ("authorization: Bearer abc.def", "authorization: ***"),
        ("https://user:word@host/", "https://***@host/"),
        ("the key of a task-oriented risk-free design", "the key of a task-oriented risk-free design"),
        ("", ""),
    ],
)
def test_addresses_and_headers_lose_their_keys_and_prose_stays(text: str, expected: str) -> None:
    """The rest of the text stays readable."""
    assert scrub(text) == expected


@pytest.mark.parametrize(
    ("secret", "text", "expected"),
    [
        ("my own secret", "got my own secret!", "got ***!"),
        ("geheim/+=word", "u=geheim%2F%2B%3Dword", "u=***"),
        ("longsecret", "xlongsecretx", "x***x"),
        ("x", "x marks the axis", "*** marks the axis"),
        ("", "nothing", "nothing"),
    ],
)
def test_known_secrets_are_taken_out_in_any_form(secret: str, text: str, expected: str) -> None:
    """Also percent-encoded; a very short one only where it stands alone."""
    assert scrub(text, [secret]) == expected
