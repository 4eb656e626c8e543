"""No key in any text."""

from __future__ import annotations

import html
import json
from base64 import b64encode, urlsafe_b64encode
from collections.abc import Callable
from urllib.parse import quote, quote_plus

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from adapters.errors import response_error, without_secrets
from adapters.errors.scrub import HIDDEN, scrub

FAKE_PEM = "-----BEGIN PRIVATE KEY-----\nMIIEvQIBADANBg\nkqhkiG9w0BAQ\n-----END PRIVATE KEY-----"


@pytest.mark.parametrize(
    "key",
    [
        "sk-fake-1111",
        "sk-proj-" + "a1B2" * 10,
        "sk-ant-api03-" + "x" * 20,
        "sk-or-v1-" + "0" * 20,
        "sk-abc***xyz",
        "sk-…abcd",
        "sk-proj-********abcd",
        "sk***YA",
        "****abcd",
        "AIzaFAKE0000000000000000000000000000000",
        "AQ.Ab8RN6" + "x" * 30,
        "gsk_" + "a" * 20,
        "xai-" + "a" * 20,
        "nvapi-" + "a-_9" * 8,
        "pplx-" + "a1" * 12,
        "hf_" + "a" * 20,
        "ghp_" + "a1" * 12,
        "AKIA" + "A" * 16,
        "ASIA" + "B2" * 8,
        "ABSK" + "QmVkcm9j" * 4 + "==",
        "ya29.a0Ae_-" + "x" * 20,
        "eyJhbGciOiJIUzI1NiJ9.eyJzdWIiOiIxIn0.abcDEF",
        "0123456789abcdef0123456789abcdef",
    ],
)
def test_what_looks_like_a_key_is_taken_out(key: str) -> None:
    """Well-known shapes go even where nobody said that they are keys."""
    assert scrub(f"Incorrect API key provided: {key}, sorry") == "Incorrect API key provided: ***, sorry"


@pytest.mark.parametrize("before", ["无效的API密钥", "キー", "ключ", r"bad key:\n", r"\t", '{\\"key\\":\\"'])
@pytest.mark.parametrize(
    "key",
    [
        "sk-fake-1111",
        "gsk_" + "a" * 20,
        "AIza" + "0" * 35,
        "ya29.a0Ae_-" + "x" * 20,
        "eyJhbGciOiJIUzI1NiJ9.eyJzdWIiOiIxIn0.ab",
    ],
)
def test_a_key_is_one_whatever_stands_before_it(before: str, key: str) -> None:
    """Chinese and Japanese put no space before a foreign word, and JSON in JSON has its own line ends."""
    assert key[6:] not in scrub(f"{before}{key}，x")


def test_the_word_for_key_in_chinese() -> None:
    """What looks made by a machine goes, as behind the English word."""
    assert scrub("密钥：0123456789abcdef0123456789abcdef 无效") == "密钥：*** 无效"


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("for url 'https://host/v1?alt=sse&key=abc' failed", "for url 'https://host/v1?alt=sse&***' failed"),
        (r"https://host/v1?a=1\u0026key=abc", r"https://host/v1?a=1\u0026***"),
        ("https://host/v1?a=1&amp;api_key=abc&b=2", "https://host/v1?a=1&amp;***&b=2"),
        ("https://host/?access_token=abc", "https://host/?***"),
        ("authorization: Bearer abc.def", "authorization: ***"),
        ("Authorization: Basic dXNlcjp3b3Jk", "Authorization: ***"),
        ("https://user:word@host/", "https://***@host/"),
        ("https://tokentoken@host/", "https://***@host/"),
        (f"before {FAKE_PEM} after", "before *** after"),
        (f"before {FAKE_PEM[:50]}", "before ***"),
        (json.dumps({"private_key": FAKE_PEM, "type": "x"}), '{"private_key": "***", "type": "x"}'),
    ],
)
def test_addresses_headers_and_files_lose_their_keys(text: str, expected: str) -> None:
    """Also as JSON and HTML spell them, and where a certificate was cut off."""
    assert scrub(text) == expected


@pytest.mark.parametrize(
    "text",
    [
        "",
        "the key of a task-oriented risk-free design",
        "No API key provided. You can set it as an environment variable.",
        "API key not valid. Please pass a valid API key.",
        "Missing Bearer authentication in header",
        "Bearer token is missing",
        "the hf-inference provider does not have xai-grok-beta or pplx-7b-online",
        "model gpt-4o-2024-08-06 at https://api.openai.com/v1/chat/completions",
        "accounts/fireworks/models/llama-v3p3-70b-instruct",
        "arn:aws:bedrock:us-east-1::inference-profile/us.anthropic.claude-3-7-sonnet-20250219-v1:0",
        "req_011CZLrUfBVkVHn5T6EqQaf7, tokens: 1234567890, ***important***",
        "Please retry in 38.412907s... or later…",
        "max_tokens=100&temperature=0.1",
    ],
)
def test_prose_names_and_numbers_stay(text: str) -> None:
    """The rest of a text is what an operator reads."""
    assert scrub(text) == text


@pytest.mark.parametrize(
    ("secret", "text", "expected"),
    [
        ("my own secret", "got my own secret!", "got ***!"),
        ("geheim/+=word", "u=geheim%2F%2B%3Dword", "u=***"),
        ("geheim/+=word", "u=geheim%2f%2b%3dword", "u=***"),
        ("longsecret", "xlongsecretx", "x***x"),
        ("x", "x marks the axis", "*** marks the axis"),
        ("", "nothing", "nothing"),
        ("0123456789abcdef", "key 0123456789ab… is wrong", "key ***… is wrong"),
        ("0123456789abcdef", "key 0123********cdef is wrong", "key *** is wrong"),
        ("0123456789abcdef", "key ...cdef is wrong", "key *** is wrong"),
        ("0123456789abcdef", "cut off: 01234567", "cut off: ***"),
        ("0123456789abcdef", "the numbers 01234567 are a beginning of many", "the numbers *** are a beginning of many"),
        ("0123456789abcdefghij", "the numbers 01234567 are no half", "the numbers 01234567 are no half"),
    ],
)
def test_known_secrets_are_taken_out_in_any_form(secret: str, text: str, expected: str) -> None:
    """Percent-encoded, masked, cut off; a very short one only where it stands alone."""
    assert scrub(text, [secret]) == expected


def test_several_secrets() -> None:
    """Each by itself; a longer one is not spoilt by a shorter one inside it."""
    assert scrub("one-secret-1 and two-secret-2", ["one-secret-1", "two-secret-2"]) == "*** and ***"
    assert "abcdefgh" not in scrub("abcdefgh-ijkl", ["abcdefgh-ijkl", "abcdefgh"])


WORD = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789"
words = st.text(WORD, min_size=24, max_size=60)

shapes = st.one_of(
    *(
        st.builds(lambda tail, head=head: head + tail, words)
        for head in (
            *(
                "sk-",
                "sk-proj-",
                "sk-ant-api03-",
                "sk-or-v1-",
                "AIza",
                "gsk_",
                "xai-",
                "nvapi-",
                "hf_",
                "ABSK",
                "ya29.",
            ),
            *("Bearer ", "https://h/?key=", "https://h/v1?alt=sse&key="),
        )
    ),
    st.builds(lambda tail: "AKIA" + tail, st.text("ABCDEFGHIJKLMNOPQRSTUVWXYZ234567", min_size=16, max_size=16)),
    st.builds(lambda one, two, three: f"eyJ{one}.eyJ{two}.{three}", words, words, words),
    st.builds(lambda one, two: f"https://{one}:{two}@host", words, words),
    st.builds(lambda one: f"-----BEGIN RSA PRIVATE KEY-----\n{one}\n-----END RSA PRIVATE KEY-----", words),
)

prose = st.lists(st.sampled_from(("the", "model", "said", "no,", "again", "(400)", "é😀", "limit:")), max_size=6).map(
    " ".join
)


@given(prose, shapes, prose)
def test_no_shape_survives_and_the_text_around_it_does(before: str, key: str, after: str) -> None:
    shown = scrub(f"{before}\n{key}\n{after}")
    assert key[-12:].strip("-") not in shown or key.endswith(("@host", "-----"))
    assert not any(key[start : start + 16] in shown for start in range(16, len(key) - 24))
    assert HIDDEN in shown
    assert shown.startswith(before)
    assert shown.endswith(after)


FORMS: dict[str, Callable[[str], str]] = {
    "as it is": lambda secret: secret,
    "percent-encoded": lambda secret: quote(secret, safe=""),
    "as a form": quote_plus,
    "as JSON": lambda secret: json.dumps(secret),
    "as JSON in Unicode": lambda secret: json.dumps(secret, ensure_ascii=False),
    "as JSON in JSON": lambda secret: json.dumps(json.dumps(secret)),
    "as HTML": html.escape,
    "base64": lambda secret: b64encode(secret.encode()).decode(),
    "base64 for addresses": lambda secret: urlsafe_b64encode(secret.encode()).decode(),
    "base64 after one byte": lambda secret: b64encode(b":" + secret.encode()).decode(),
    "base64 of a login": lambda secret: b64encode(b"me:" + secret.encode() + b"!").decode(),
    "cut off": lambda secret: secret[: len(secret) // 2 + 1] + "…",
    "masked": lambda secret: secret[:5] + "..." + secret[-5:],
    "masked with stars": lambda secret: secret[:4] + "*" * 12 + secret[-4:],
}

secrets = st.text(WORD + "/+=._-~&\"'<é", min_size=20, max_size=60).filter(
    lambda text: text[:1] in WORD and text[-1:] in WORD and len(set(text)) > 6
)


@pytest.mark.parametrize("form", FORMS)
@given(prose, secrets, prose)
@example("", 'a/b+c=d&e"f<g' * 2, "")
def test_no_form_of_a_known_secret_survives(form: str, before: str, secret: str, after: str) -> None:
    spelt = FORMS[form](secret)
    shown = scrub(f"{before}\n{spelt}\n{after}", [secret])
    if form.startswith("masked"):
        if all(character in WORD for character in secret[:5] + secret[-5:]):
            assert spelt not in shown
    else:
        kept = spelt[4:-4]
        assert not any(kept[start : start + 12] in shown for start in range(len(kept) - 11))
    assert shown.startswith(before)
    assert shown.endswith(after)


@given(st.text(max_size=200), st.text(max_size=30))
def test_it_takes_any_text_and_is_done_after_once(text: str, secret: str) -> None:
    once = scrub(text, [secret])
    assert scrub(once, [secret]) == once or not secret or len(secret) < 8


AWS = "AKIAIOSFODNN7EXAMPLE:wJalrXUtnFEMI/K7MDENG/bPxRfiCYEXAMPLEKEY"
LONG = b64encode(b'{"type": "service_account", "private_key": "' + bytes(range(65, 90)) * 40 + b'"}').decode()


@pytest.mark.parametrize("secret", [AWS, LONG, f"Bearer {AWS}", "sk-abcd1234:" + "q" * 40])
@pytest.mark.parametrize(
    "echo",
    [
        "bad key {}",
        "<html><head><title>401 for {}</title></head></html>",
        '{{"error": {{"message": "no such key: {}", "code": "{}"}}}}',
        "x" * 900 + " {} and more",
    ],
)
def test_no_half_of_a_known_secret_is_left_by_the_rules_for_unknown_ones(secret: str, echo: str) -> None:
    """These come first, when an error is read; the transport knows the secrets only later. Also where the text was cut."""
    for spelled in (secret, b64encode(secret.encode()).decode()):
        error = without_secrets(response_error(401, {}, echo.replace("{}", spelled).encode()), (secret,))
        for shown in (error.message, error.code or ""):
            assert not any(spelled[at : at + 12] in shown for at in range(len(spelled) - 11)), shown
