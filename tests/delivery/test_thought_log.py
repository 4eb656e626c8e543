"""Thoughts beside an answer: as spoilers before it, as a file, elsewhere, in pages; never lost, and never breaking out."""

import re
from collections.abc import Sequence
from itertools import accumulate

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from bot.delivery.layout.fences import unclosed
from bot.delivery.plan import FilePlan, MessagePlan
from bot.delivery.thought_log import (
    MOST_ELSEWHERE,
    MOST_SPOILERS,
    PAGE_LENGTH,
    SpoilerLog,
    elsewhere,
    page_content,
    pages,
    thoughts_file,
)
from bot.localization import Translator, Words

TRANSLATOR = Translator()
ENGLISH, GERMAN = TRANSLATOR.say("en-US"), TRANSLATOR.say("de")
THOUGHT = "-# 💭 Thought for 12 seconds\n"
LINK = "https://discord.com/channels/1/2/3"

PROSE = "\n\n".join(f"Paragraph {nr}: " + "a thought " * 20 for nr in range(60))
MARKDOWN = st.text("ab12 \n`|#*_~>\\-.", max_size=300)


def spoilers(thoughts: str, words: Words, seconds: float) -> Sequence[MessagePlan]:
    """All thoughts of an answer that is over."""
    log = SpoilerLog(words)
    log.feed(thoughts)
    return log.messages(seconds, final=True)


def hidden(plan: MessagePlan) -> str:
    """What a message hides, by Discord's own rule: from the first two bars to the next two."""
    found = re.fullmatch(r"(?:-# [^\n]*\n)?\|\|([\s\S]+?)\|\|([\s\S]*)", plan.content)
    assert found is not None, plan.content
    assert found[2] == ""
    return found[1]


def visible(text: str) -> str:
    return re.sub(r"[\s\u200b]", "", text)


@pytest.mark.parametrize(
    ("thoughts", "content"),
    [
        ("Let me see.", "||Let me see.||"),
        ("a || b ||| c", "||a |\u200b| b |\u200b|\u200b| c||"),
        ("# Plan\n-# small\n#tag", "||\u200b# Plan\n-\u200b# small\n\u200b#tag||"),
        ("> # quoted\n- # item", "||> \u200b# quoted\n- \u200b# item||"),
        ("C# and a#b", "||C# and a#b||"),
        ("```py\nx\n```", "||\n```py\nx\n```\n||"),
        ("Code:\n```\na||b", "||Code:\n```\na|\u200b|b\n```\n||"),
        ("ends in |", "||ends in |\u200b||"),
        ("ends in \\", "||ends in \\\u200b||"),
        ("|", "||\u200b|\u200b||"),
    ],
)
def test_a_spoiler_holds_the_thoughts_and_nothing_breaks_out(thoughts: str, content: str) -> None:
    assert spoilers(thoughts, ENGLISH, 12.3) == [MessagePlan(THOUGHT + content, settled=True, text_length=0)]


@pytest.mark.parametrize("blank", ["", " \n\t", "\u200b"])
def test_no_thoughts_are_no_message_no_file_and_no_page(blank: str) -> None:
    assert (spoilers(blank, ENGLISH, 1), thoughts_file(blank, ENGLISH), elsewhere(blank, ENGLISH, LINK)) == (
        [],
        None,
        [],
    )
    assert pages(blank) == ()


def test_while_the_model_thinks_the_spoiler_grows_under_a_line_that_says_so() -> None:
    log = SpoilerLog(GERMAN)
    assert log.messages() == []
    log.feed("Let me")
    assert [plan.content for plan in log.messages()] == ["-# 💭 Denkt nach …\n||Let me||"]
    log.feed(" see.")
    assert [plan.content for plan in log.messages()] == ["-# 💭 Denkt nach …\n||Let me see.||"]
    log.answer_begins()
    assert [plan.content for plan in log.messages(0.4)] == ["-# 💭 Eine Sekunde nachgedacht\n||Let me see.||"]


def test_what_three_messages_cannot_hold_is_in_a_file_with_all_of_it() -> None:
    plans = spoilers(PROSE, ENGLISH, 12)
    assert len(plans) == MOST_SPOILERS
    assert [plan.files for plan in plans[:-1]] == [(), ()]
    assert plans[-1].files == (FilePlan("thoughts.md", PROSE.encode(), "What the model thought before it answered"),)
    assert visible(PROSE).startswith("".join(visible(hidden(plan)) for plan in plans))


def test_a_file_is_added_only_when_it_is_complete() -> None:
    log = SpoilerLog(ENGLISH)
    log.feed(PROSE)
    assert not any(plan.files for plan in [*log.messages(), *log.messages(12)])


def test_thoughts_that_come_after_the_answer_began_are_in_the_file() -> None:
    log = SpoilerLog(ENGLISH)
    log.feed("First.")
    log.answer_begins()
    log.feed(" Second.")
    assert log.messages(12) == [MessagePlan(f"{THOUGHT}||First.||", settled=True, text_length=0)]
    (plan,) = log.messages(12, final=True)
    assert plan.content == f"{THOUGHT}||First.||"
    assert [file.content for file in plan.files] == [b"First. Second."]


def settled_parts(plans: Sequence[MessagePlan]) -> list[str]:
    return [hidden(plan) for plan in plans if plan.settled]


def test_full_messages_stay_as_they_are_while_later_ones_grow() -> None:
    log = SpoilerLog(ENGLISH)
    seen: list[list[str]] = []
    for at in range(0, len(PROSE), 97):
        log.feed(PROSE[at : at + 97])
        seen.append(settled_parts(log.messages()))
        assert not log.messages()[0].settled  # its first line still changes
    final = settled_parts(log.messages(12, final=True))
    assert all(later[: len(earlier)] == earlier for earlier, later in zip(seen, [*seen[1:], final[1:]], strict=True))


@settings(max_examples=60)
@given(MARKDOWN, st.lists(st.integers(1, 40), min_size=1, max_size=40), st.integers(1, 40))
@example("|" * 80, [1], 1)
@example("-" * 38 + "\n" + "-" * 41 + "# x\n" + " " * 39 + "# y", [1], 1)
@example("```\n|| a\n# b", [3, 1, 4], 1)
def test_however_the_thoughts_arrive_the_messages_are_the_same(text: str, sizes: list[int], times: int) -> None:
    text *= times
    log = SpoilerLog(ENGLISH)
    ends = [*accumulate(sizes * (len(text) // sum(sizes) + 1))]
    for start, end in zip([0, *ends], ends, strict=False):
        log.feed(text[start:end])
        for plan in log.messages():
            hidden(plan)
    assert log.messages(1, final=True) == spoilers(text, ENGLISH, 1)


@settings(max_examples=60)
@given(MARKDOWN, st.integers(1, 60))
def test_whatever_the_thoughts_each_message_is_one_spoiler_within_discords_limits(text: str, times: int) -> None:
    plans = spoilers(text * times, ENGLISH, 100_000)
    assert len(plans) <= MOST_SPOILERS
    for plan in plans:
        assert len(plan.content) <= 2000
        assert unclosed(hidden(plan)) is None
        assert not re.search(r"^[ >]*(-?#{1,3})[ \t]", hidden(plan), re.MULTILINE)
        assert plan.text_length == 0


@settings(max_examples=60)
@given(MARKDOWN, st.integers(1, 60))
def test_no_thought_is_lost(text: str, times: int) -> None:
    text *= times
    plans = spoilers(text, ENGLISH, 1)
    shown = "".join(hidden(plan) for plan in plans)
    files = [file.content for plan in plans for file in plan.files]
    letters = re.compile(r"[ab12]+")
    assert files == [text.encode()] or "".join(letters.findall(shown)) == "".join(letters.findall(text))


# ---------------------------------------------------------------------------------------------------- in other places


def test_elsewhere_they_stand_under_a_line_that_names_the_question() -> None:
    assert elsewhere("# Plan\n\nThink.", ENGLISH, LINK) == [
        MessagePlan(f"-# 💭 Thoughts on <{LINK}>\n# Plan\n\nThink.", settled=True, text_length=0)
    ]


def test_elsewhere_too_the_file_has_what_would_be_too_many_messages() -> None:
    thoughts = PROSE * 10
    plans = elsewhere(thoughts, ENGLISH, LINK)
    assert len(plans) == MOST_ELSEWHERE
    assert [file.content for file in plans[-1].files] == [thoughts.encode()]
    assert all(len(plan.content) <= 2000 for plan in plans)


def test_the_file_has_the_thoughts_as_they_are_and_half_characters_do_not_break_it() -> None:
    file = thoughts_file("a || b\ud83d", ENGLISH)
    assert file is not None
    assert file.content == b"a || b?"


def test_pages_end_at_paragraphs_and_hold_everything() -> None:
    leaves = pages(PROSE)
    assert all(len(page) <= PAGE_LENGTH for page in leaves)
    assert visible("".join(leaves)) == visible(PROSE)
    assert all(page.startswith("Paragraph") for page in leaves)


def test_a_page_says_which_one_it_is_where_there_are_several() -> None:
    assert page_content("text", 2, 7, ENGLISH) == "-# 💭 Page 2 of 7\ntext"
    assert page_content("text", 2, 7, GERMAN) == "-# 💭 Seite 2 von 7\ntext"
    assert page_content("text", 1, 1, ENGLISH) == "text"
    assert len(page_content("x" * PAGE_LENGTH, 999_998, 999_999, GERMAN)) <= 2000
