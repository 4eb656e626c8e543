"""What stands under an answer: who and how long, notices, and errors in the reader's language."""

import pytest

from adapters.contract import ErrorReason, ProviderError
from bot.delivery.error_embeds import LONGEST_DETAIL, error_embed
from bot.delivery.footer import Footer, embed_alone, footer_lines, with_ending
from bot.delivery.plan import EmbedPlan, MessagePlan
from bot.localization import Translator

TRANSLATOR = Translator()
ENGLISH, GERMAN = TRANSLATOR.say("en-US"), TRANSLATOR.say("de")


def test_the_footer_names_the_model_and_the_time_in_small_text() -> None:
    assert footer_lines(Footer("smollm2-135m", 2.134), ENGLISH) == "-# `smollm2-135m` · 2.1 s"


def test_a_notice_stands_in_a_line_of_its_own_before_it() -> None:
    lines = footer_lines(Footer("m", 1.0, ("notice-length",)), GERMAN).split("\n")
    assert lines == ["-# ✂️ Das Modell hat seine Längengrenze erreicht; die Antwort endet hier.", "-# `m` · 1.0 s"]


def test_no_markdown_of_a_models_name_works() -> None:
    assert footer_lines(Footer("a`**b**\n# c", 1.0), ENGLISH) == "-# `a'**b** # c` · 1.0 s"


def test_the_lines_go_under_the_last_message_when_they_fit() -> None:
    plans = [MessagePlan("one", settled=True), MessagePlan("two", settled=True)]
    assert with_ending(plans, "-# x", None, limit=8) == [plans[0], MessagePlan("two\n-# x", text_length=3)]


def test_and_into_one_more_when_they_do_not() -> None:
    plans = [MessagePlan("two", settled=True)]
    assert with_ending(plans, "-# x", None, limit=7) == [plans[0], MessagePlan("-# x", text_length=0)]


def test_where_embeds_are_not_shown_their_words_become_lines_that_cut_nothing_off() -> None:
    embed = EmbedPlan("Title", "What happened", 1, "Turn t")
    lines = "**Title**\nWhat happened\n-# Turn t\n-# x"
    plans = [MessagePlan("two", settled=True)]
    assert with_ending(plans, "-# x", embed, may_embed=False) == [MessagePlan(f"two\n{lines}", text_length=3)]
    assert with_ending(plans, "-# x", embed, may_embed=False, limit=len(lines)) == [
        plans[0],
        MessagePlan(lines, text_length=0),
    ]
    assert embed_alone(embed, may_embed=False) == MessagePlan("**Title**\nWhat happened\n-# Turn t", text_length=0)
    assert embed_alone(embed, may_embed=True) == MessagePlan("", text_length=0, embed=embed)


@pytest.mark.parametrize("reason", ErrorReason)
@pytest.mark.parametrize("locale", TRANSLATOR.locales)
def test_every_reason_makes_an_embed_within_discords_limits(reason: ErrorReason, locale: str) -> None:
    error = ProviderError(reason, "long " * 5000, retry_after=12.4)
    embed = error_embed(error, TRANSLATOR.say(locale), turn_id="abc", partial=True)
    assert 0 < len(embed.title) <= 256
    assert 0 < len(embed.description) <= 4096
    assert "12" in embed.description
    assert "abc" in embed.footer


def test_the_providers_words_are_shown_only_where_they_help_to_choose_a_model() -> None:
    shown = error_embed(ProviderError(ErrorReason.MODEL_NOT_FOUND, "use a`b"), ENGLISH, turn_id="t", partial=False)
    hidden = error_embed(ProviderError(ErrorReason.SERVER, "stack trace"), ENGLISH, turn_id="t", partial=False)
    assert shown.description.endswith("\n`use a'b`")
    assert "stack" not in hidden.description
    assert LONGEST_DETAIL < 4096


def test_that_the_text_stays_is_said_only_when_there_is_text() -> None:
    error = ProviderError(ErrorReason.TRUNCATED_STREAM, "cut")
    with_text = error_embed(error, ENGLISH, turn_id="t", partial=True)
    without = error_embed(error, ENGLISH, turn_id="t", partial=False)
    assert with_text.description == f"{without.description}\nWhat was written before stays above."
    assert isinstance(without, EmbedPlan)
