"""What stands under an answer: who and how long, notices, and where an embed is put."""

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
