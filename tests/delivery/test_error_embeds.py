"""An error in the reader's language: what happened, what to do, how long to wait, which models there are."""

import pytest

from adapters.contract import ErrorReason, ProviderError
from bot.delivery.error_embeds import LONGEST_DETAIL, MOST_MODELS, create_error_description, error_embed
from bot.delivery.plan import EmbedPlan
from bot.localization import Translator

R = ErrorReason

TRANSLATOR = Translator()
ENGLISH, GERMAN = TRANSLATOR.say("en-US"), TRANSLATOR.say("de")


@pytest.mark.parametrize("reason", ErrorReason)
@pytest.mark.parametrize("locale", TRANSLATOR.locales)
def test_every_reason_says_in_every_language_what_happened_and_what_to_do(reason: ErrorReason, locale: str) -> None:
    text = create_error_description(ProviderError(reason, ""), TRANSLATOR.say(locale))
    happened, _, what_to_do = text.partition(". ")
    assert len(happened) > 20
    assert len(what_to_do) > 15
    assert text.endswith(".")
    assert "\n" not in text


@pytest.mark.parametrize("locale", TRANSLATOR.locales)
def test_no_two_reasons_have_the_same_words(locale: str) -> None:
    words = TRANSLATOR.say(locale)
    assert len({create_error_description(ProviderError(reason, ""), words) for reason in R}) == len(R)


@pytest.mark.parametrize("reason", ErrorReason)
@pytest.mark.parametrize("locale", TRANSLATOR.locales)
def test_every_reason_makes_an_embed_within_discords_limits(reason: ErrorReason, locale: str) -> None:
    names = tuple("m" * 98 + str(nr) for nr in range(10, 60))
    error = ProviderError(reason, "long " * 5000, retry_after=12.4, supported_models=names)
    embed = error_embed(error, TRANSLATOR.say(locale), turn_id="abc", partial=True)
    assert 0 < len(embed.title) <= 256
    assert 0 < len(embed.description) <= 4096
    assert "13" in embed.description
    assert "abc" in embed.footer


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
