"""An error in the reader's language: what happened, what to do, how long to wait, which models there are."""

import re

import pytest

from adapters.contract import ErrorReason, ProviderError
from adapters.errors import response_error, without_secrets
from bot.delivery.delivered import Lost
from bot.delivery.error_embeds import (
    FOLD_SECONDS,
    LONGEST_DETAIL,
    MOST_MODELS,
    ErrorFold,
    again_line,
    create_error_description,
    error_embed,
    fault_again_line,
    fault_embed,
    undelivered,
)
from bot.delivery.footer import embed_alone
from bot.delivery.plan import EmbedPlan
from bot.localization import Translator

R = ErrorReason

TRANSLATOR = Translator()
ENGLISH, GERMAN = TRANSLATOR.say("en-US"), TRANSLATOR.say("de")


@pytest.mark.parametrize("reason", ErrorReason)
@pytest.mark.parametrize("locale", TRANSLATOR.locales)
def test_every_reason_says_in_every_language_what_happened_and_what_to_do(reason: ErrorReason, locale: str) -> None:
    text = create_error_description(ProviderError(reason, ""), TRANSLATOR.say(locale))
    happened, what_to_do = re.split(r"(?<=[.。])\s*", text, maxsplit=1)
    assert len(happened) > 8, "as short as Chinese can be"
    assert len(what_to_do) > 5
    assert text.endswith((".", "。"))
    assert "\n" not in text


@pytest.mark.parametrize("locale", TRANSLATOR.locales)
def test_no_two_reasons_have_the_same_words(locale: str) -> None:
    words = TRANSLATOR.say(locale)
    assert len({create_error_description(ProviderError(reason, ""), words) for reason in R}) == len(R)


@pytest.mark.parametrize("reason", ErrorReason)
@pytest.mark.parametrize("locale", TRANSLATOR.locales)
def test_every_reason_makes_an_embed_within_discords_limits(reason: ErrorReason, locale: str) -> None:
    names = tuple("m" * 498 + str(nr) for nr in range(10, 60))
    error = ProviderError(reason, "long " * 5000, retry_after=12.4, supported_models=names)
    embed = error_embed(error, TRANSLATOR.say(locale), turn_id="abc", partial=True)
    assert 0 < len(embed.title) <= 256
    assert 0 < len(embed.description) <= 4096
    assert "13" in embed.description
    assert "abc" in embed.footer
    # Where embeds are not shown it is lines of one message.
    assert len(embed_alone(embed, may_embed=False).content) <= 2000
    assert embed_alone(embed, may_embed=False).content.endswith("abc")


@pytest.mark.parametrize(
    ("seconds", "english", "german"),
    [
        (0.0, "in one second.", "in einer Sekunde noch einmal."),
        (0.2, "in one second.", "in einer Sekunde noch einmal."),
        (38.4, "in 39 seconds.", "in 39 Sekunden noch einmal."),
        (120.0, "in 120 seconds.", "in 120 Sekunden noch einmal."),
        (372.5, "in 7 minutes.", "in 7 Minuten noch einmal."),
        (86400.0, "in 24 hours.", "in 24 Stunden noch einmal."),
        (923520.0, "in 11 days.", "in 11 Tagen noch einmal."),
    ],
)
def test_the_wait_in_a_unit_that_people_count_in(seconds: float, english: str, german: str) -> None:
    """Rounded up: too early is once more for nothing."""
    error = ProviderError(R.RATE_LIMIT, "m", retry_after=seconds)
    assert create_error_description(error, ENGLISH).endswith(f"\nPlease try again {english}")
    assert create_error_description(error, GERMAN).endswith(f"\nBitte versuch es {german}")


def test_the_models_that_the_provider_names_are_listed() -> None:
    error = ProviderError(R.MODEL_NOT_FOUND, "no `x`", supported_models=("a-1", "b`2"))
    assert create_error_description(error, ENGLISH).split("\n") == [
        "The provider does not have this model. Whoever runs the bot can choose another.",
        "The provider says: `no 'x'`",
        "It offers: `a-1`, `b'2`",
    ]


def test_of_many_models_the_first_ones_and_how_many_more() -> None:
    names = tuple(f"m-{nr}" for nr in range(MOST_MODELS + 3))
    text = create_error_description(ProviderError(R.MODEL_NOT_FOUND, "", supported_models=names), GERMAN)
    shown = ", ".join(f"`{name}`" for name in names[:MOST_MODELS])
    assert text.split("\n")[1:] == [f"Er bietet an: {shown} und 3 weitere"]


def test_the_providers_words_are_shown_only_where_they_help_to_choose_a_model() -> None:
    shown = error_embed(ProviderError(R.MODEL_UNSUPPORTED, "use a`b\n# c"), ENGLISH, turn_id="t", partial=False)
    hidden = error_embed(ProviderError(R.SERVER, "stack trace"), ENGLISH, turn_id="t", partial=False)
    assert shown.description.endswith("\nThe provider says: `use a'b # c`")
    assert "stack" not in hidden.description
    assert LONGEST_DETAIL < 4096


def test_that_the_text_stays_is_said_only_when_there_is_text() -> None:
    error = ProviderError(R.TRUNCATED_STREAM, "cut")
    with_text = error_embed(error, ENGLISH, turn_id="t", partial=True)
    without = error_embed(error, ENGLISH, turn_id="t", partial=False)
    assert with_text.description == f"{without.description}\nWhat was written before stays above."
    assert isinstance(without, EmbedPlan)


def test_silence_before_the_first_word_is_an_answer_that_did_not_begin() -> None:
    """Keep-alives came, or thoughts; who reads the channel saw nothing."""
    silent, late = ProviderError(R.IDLE, "m"), ProviderError(R.FIRST_BYTE, "m")
    assert error_embed(silent, ENGLISH, turn_id="t", partial=False) == error_embed(
        late, ENGLISH, turn_id="t", partial=False
    )
    assert error_embed(silent, ENGLISH, turn_id="t", partial=True) != error_embed(
        late, ENGLISH, turn_id="t", partial=True
    )


def test_a_connection_lost_in_the_middle_is_an_answer_that_broke_off() -> None:
    lost, cut = ProviderError(R.CONNECTION, "m"), ProviderError(R.TRUNCATED_STREAM, "m")
    assert error_embed(lost, ENGLISH, turn_id="t", partial=True) == error_embed(cut, ENGLISH, turn_id="t", partial=True)
    assert error_embed(lost, ENGLISH, turn_id="t", partial=False) != error_embed(
        cut, ENGLISH, turn_id="t", partial=False
    )


KEYS = [
    "sk-proj-" + "a1B2" * 10,
    "sk-ant-api03-" + "x" * 20,
    "sk-or-v1-" + "0" * 20,
    "sk-…abcd",
    "AIzaFAKE0000000000000000000000000000000",
    "gsk_" + "a" * 20,
    "xai-" + "a" * 20,
    "hf_" + "a" * 20,
    "AKIA" + "A" * 16,
    "ya29.a0Ae_-" + "x" * 20,
    "eyJhbGciOiJIUzI1NiJ9.eyJzdWIiOiIxIn0.abcDEF",
    "0123456789abcdef0123456789abcdef",
]
BODIES = [
    '{"error": {"message": "Incorrect API key provided: KEY", "code": "model_not_found"}}',
    '{"error": {"message": "model KEY does not exist, use KEY", "code": 404}}',
    '{"message": "{\\"api_key\\": \\"KEY\\"}"}',
    "<html><body>not found: KEY</body></html>",
    "Traceback (most recent call last): key=KEY",
    "api key KEY",
]


@pytest.mark.parametrize("key", KEYS)
@pytest.mark.parametrize("body", BODIES)
@pytest.mark.parametrize("status", [400, 401, 404, 429, 500])
def test_no_error_of_a_provider_shows_a_key_or_a_dump(status: int, body: str, key: str) -> None:
    error = without_secrets(response_error(status, {}, body.replace("KEY", key).encode()), (key,))
    embed = error_embed(error, ENGLISH, turn_id="t", partial=True)
    line = again_line(error, ENGLISH, turn_id="t", partial=True)
    for text in (embed.title, embed.description, embed.footer, line):
        assert key not in text
        assert not any(dump in text for dump in ("Traceback", "<html", '{"'))


@pytest.mark.parametrize(
    "message", ['{"detail": [{"loc": 1}]}', "  <!doctype html>", "[1, 2]", "Traceback (most recent"]
)
def test_what_was_written_for_machines_is_not_shown(message: str) -> None:
    assert "says" not in create_error_description(ProviderError(R.MODEL_UNSUPPORTED, message), ENGLISH)


@pytest.mark.parametrize(
    ("message", "shown"),
    [
        ('Error code: 404 - {"error": {"message": "no such model"}}', "Error code: 404"),
        ("NotFoundError: {'error': 'x'}", "NotFoundError"),
        ("Upstream said: <!DOCTYPE html><html><body>x", "Upstream said"),
        ("ModelError: Traceback (most recent call last): File x", "ModelError"),
        ("No model [a/b], use ['c:8b'], [d:8b] or {region}.", "No model [a/b], use ['c:8b'], [d:8b] or {region}."),
        ('Failed: [{"loc": 1}]', "Failed"),
        ("Use <model>:free - or none", "Use <model>:free - or none"),
    ],
)
def test_of_words_that_lead_up_to_a_dump_only_the_words_are_shown(message: str, shown: str) -> None:
    description = create_error_description(ProviderError(R.MODEL_UNSUPPORTED, message), ENGLISH)
    assert description.endswith(f"\nThe provider says: `{shown}`")


# ------------------------------------------------------------------------------------------------- again and again


def test_the_same_error_in_the_same_channel_is_folded_for_ten_minutes() -> None:
    fold = ErrorFold()
    assert [fold.is_again(7, "server", "500", now) for now in (0.0, 1.0, FOLD_SECONDS - 1)] == [False, True, True]
    assert [fold.is_again(7, "server", "500", FOLD_SECONDS + at) for at in (0.0, 1.0)] == [False, True]


@pytest.mark.parametrize(
    ("channel", "reason", "code"), [(8, "server", "500"), (7, "overloaded", "500"), (7, "server", None)]
)
def test_another_channel_reason_or_code_is_not_the_same(channel: int, reason: str, code: str | None) -> None:
    fold = ErrorFold()
    assert not fold.is_again(7, "server", "500", 0.0)
    assert not fold.is_again(channel, reason, code, 1.0)


def test_a_flood_of_different_errors_is_forgotten_from_the_oldest_on() -> None:
    fold = ErrorFold()
    assert not any(fold.is_again(channel, "server", None, 0.0) for channel in range(5000))
    assert fold.is_again(4999, "server", None, 1.0)
    assert not fold.is_again(0, "server", None, 1.0)


def test_the_line_of_an_error_that_came_again() -> None:
    error = ProviderError(R.IDLE, "m", retry_after=20.0)
    assert again_line(error, ENGLISH, turn_id="ab12", partial=False) == (
        "-# ⚠️ Again: The model did not begin to answer in time. Please try again. Please try again in 20 seconds. · Turn ab12"
    )
    assert fault_again_line(GERMAN, turn_id="ab12").startswith("-# ⚠️ Noch einmal: Das war ein Fehler von mir")


# ------------------------------------------------------------------------------------ what no channel could be told


@pytest.mark.parametrize("lost", [Lost.FORBIDDEN, Lost.LOCKED, Lost.CHANNEL_GONE, Lost.EXPIRED, Lost.UNDELIVERED])
@pytest.mark.parametrize("locale", TRANSLATOR.locales)
def test_an_answer_that_could_not_be_put_into_its_channel_is_told_with_why_and_what_to_do(
    lost: Lost, locale: str
) -> None:
    text = undelivered(lost, "general`@everyone", TRANSLATOR.say(locale))
    assert "`#general'@everyone`" in text
    assert text.startswith("-# ")
    assert "\n" not in text
    assert len(re.findall(r"[.。](?:\s|$|(?<=。))", text)) >= 2, "what happened, and what to do"


def test_a_fault_of_our_own_shows_nothing_but_its_turn() -> None:
    embed = fault_embed(ENGLISH, turn_id="ab12")
    assert embed.description.startswith("That was a fault of mine")
    assert embed.footer == "Turn ab12"
