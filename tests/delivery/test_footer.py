"""What stands under an answer: who answered and how long it took, notices, and where lines and embeds are put."""

import re
from collections.abc import Callable

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from adapters.contract import Usage
from bot.delivery.footer import Footer, embed_alone, file_too_large, footer_lines, with_ending
from bot.delivery.layout.fences import unclosed
from bot.delivery.plan import Button, EmbedPlan, FilePlan, MessagePlan
from bot.localization import Translator
from bot.preferences import FooterDetail

TRANSLATOR = Translator()
ENGLISH, GERMAN = TRANSLATOR.say("en-US"), TRANSLATOR.say("de")
OFF, SHORT, FULL = FooterDetail.OFF, FooterDetail.SHORT, FooterDetail.FULL

EVERYTHING = Footer(
    "m-1",
    3.21,
    provider="openrouter",
    serving_provider="DeepInfra",
    usage=Usage(1204, 356, reasoning_tokens=312),
    tool_count=2,
)


@pytest.mark.parametrize(
    ("footer", "detail", "english", "german"),
    [
        (EVERYTHING, OFF, "", ""),
        (EVERYTHING, SHORT, "-# `m-1` · 3.2 s", "-# `m-1` · 3,2 s"),
        (
            EVERYTHING,
            FULL,
            "-# `m-1` · Provider: openrouter via DeepInfra · 3.2 s · 1,204 → 356 tokens (312 thinking) · 2 tools",
            "-# `m-1` · Anbieter: openrouter über DeepInfra · 3,2 s · 1.204 → 356 Token (312 fürs Nachdenken) · 2 Werkzeuge",
        ),
        (Footer("m", 1.0), FULL, "-# `m` · 1.0 s", "-# `m` · 1,0 s"),
        (Footer("", 1.0), SHORT, "-# 1.0 s", "-# 1,0 s"),
        (
            Footer("m", 1.0, provider="openai", usage=Usage(), tool_count=1),
            FULL,
            "-# `m` · Provider: openai · 1.0 s · one tool",
            "-# `m` · Anbieter: openai · 1,0 s · ein Werkzeug",
        ),
        (
            Footer("m", 1.0, usage=Usage(output_tokens=7)),
            FULL,
            "-# `m` · 1.0 s · ? → 7 tokens",
            "-# `m` · 1,0 s · ? → 7 Token",
        ),
    ],
)
def test_the_line_says_as_much_as_the_server_wants_in_the_readers_numbers(
    footer: Footer, detail: FooterDetail, english: str, german: str
) -> None:
    assert footer_lines(footer, ENGLISH, detail) == english
    assert footer_lines(footer, GERMAN, detail) == german


@pytest.mark.parametrize("detail", FooterDetail)
def test_what_the_reader_must_know_is_told_in_any_case(detail: FooterDetail) -> None:
    footer = Footer("m", 1.0, ("notice-length", "notice-stopped"), fallback="first", stopped_by="Ada")
    assert footer_lines(footer, ENGLISH, detail).split("\n")[:3] == [
        "-# ↪️ `first` could not answer; `m` did instead.",
        "-# ⏹️ Stopped by Ada.",
        "-# ✂️ The model reached its length limit; the answer stops here.",
    ]


@pytest.mark.parametrize("nameless", ["\u2800", "\u3164", "\u115f \uffa0"])
def test_who_stopped_it_is_told_once_and_only_where_there_is_a_name(nameless: str) -> None:
    stopped = Footer("m", 1.0, ("notice-stopped",), stopped_by=nameless)
    assert footer_lines(stopped, ENGLISH, OFF) == "-# ⏹️ Stopped."


@pytest.mark.parametrize(
    ("name", "shown"),
    [
        ("Ada", "Ada"),
        ("@everyone", "\\@\u200beveryone"),
        ("<@1234>", "\\<\\@\u200b1234\\>"),
        ("*b* _i_ ~~s~~ ||x||", "\\*b\\* \\_i\\_ \\~\\~s\\~\\~ \\|\\|x\\|\\|"),
        ("a`b`\n# c", "a\\`b\\` \\# c"),
        ("https://evil.example", "https\\:\\/\\/evil\\.example"),
        ("[x](y)", "\\[x\\]\\(y\\)"),
        ("\u202eadA\u2066", "adA"),
        ("\u061c\u3164Ada", "Ada"),
        ("A" * 300, "A" * 100 + "…"),
    ],
)
def test_a_name_stands_as_words_and_does_nothing(name: str, shown: str) -> None:
    assert footer_lines(Footer("m", 1.0, stopped_by=name), ENGLISH, OFF) == f"-# ⏹️ Stopped by {shown}."


@given(st.text(), st.text(), st.text(), st.text())
def test_no_foreign_text_ends_a_line_mentions_anybody_or_grows_without_bound(
    model: str, provider: str, host: str, person: str
) -> None:
    footer = Footer(model, 1.0, provider=provider, serving_provider=host, fallback=model, stopped_by=person)
    lines = footer_lines(footer, ENGLISH, FULL).split("\n")
    assert 1 <= len(lines) <= 3
    assert all(line.startswith("-# ") and len(line) < 600 for line in lines)
    outside_code = re.sub(r"`[^`\n]*`", "", "\n".join(lines))
    assert not re.search(r"(?<!\\)[*_~|<>\[\]`]|@(?!\u200b)", outside_code)
    "\n".join(lines).encode("utf-8")


@pytest.mark.parametrize(
    ("size", "limit", "line"),
    [
        (12_900_000, 10 << 20, "-# 📎 `a'b.py` is missing: it has 12.4 MB, and Discord takes at most 10 MB here."),
        ((10 << 20) + 1, 10 << 20, "-# 📎 `a'b.py` is missing: it has 10.1 MB, and Discord takes at most 10 MB here."),
        (5, 0, "-# 📎 `a'b.py` is missing: files cannot be attached here."),
    ],
)
def test_a_file_that_discord_does_not_take_is_named_with_its_size_and_the_limit(
    size: int, limit: int, line: str
) -> None:
    assert file_too_large(ENGLISH, "a`b.py", size, limit) == line


# ------------------------------------------------------------------------------------------------------- where it goes


def limit(most: int) -> Callable[[str], bool]:
    return lambda text: len(text) <= most


def test_the_lines_go_under_the_last_message_when_they_fit() -> None:
    plans = [MessagePlan("one", settled=True), MessagePlan("two", settled=True)]
    assert with_ending(plans, "-# x", None, fits=limit(8)) == [plans[0], MessagePlan("two\n-# x", text_length=3)]


def test_and_into_one_more_when_they_do_not() -> None:
    plans = [MessagePlan("two", settled=True)]
    assert with_ending(plans, "-# x", None, fits=limit(7)) == [plans[0], MessagePlan("-# x", text_length=0)]


def test_and_into_more_still_when_one_is_too_small() -> None:
    assert [plan.content for plan in with_ending([], "-# ab\n-# c\n-# defgh", None, fits=limit(9))] == [
        "-# ab",
        "-# c",
        "-# defgh",
    ]


def test_a_limit_in_bytes_counts_too() -> None:
    def fits(text: str) -> bool:
        return len(text.encode()) <= 12

    assert [plan.content for plan in with_ending([MessagePlan("字字字")], "-# x", None, fits=fits)] == [
        "字字字",
        "-# x",
    ]


def test_files_and_buttons_stay_where_they_are() -> None:
    file, button = FilePlan("a.py", b"x"), Button("parley:1:delete:ab")
    plan = MessagePlan("two", files=(file,), buttons=(button,))
    embed = EmbedPlan("Title", "What", 1)
    assert with_ending([plan], "-# x", embed) == [
        MessagePlan("two\n-# x", text_length=3, embed=embed, files=(file,), buttons=(button,))
    ]
    assert with_ending([plan], "-# x", None, fits=limit(5)) == [plan, MessagePlan("-# x", text_length=0)]


def test_under_a_message_of_nothing_but_a_file_the_lines_are_all_the_text() -> None:
    file = FilePlan("a.py", b"x")
    plan = MessagePlan("", settled=True, files=(file,))
    assert with_ending([plan], "-# x", None) == [MessagePlan("-# x", text_length=0, files=(file,))]


def test_what_was_ours_before_stays_ours() -> None:
    plan = MessagePlan("two\n-# old", text_length=3)
    assert with_ending([plan], "-# x", None) == [MessagePlan("two\n-# old\n-# x", text_length=3)]


@pytest.mark.parametrize(
    "content",
    ["```py\nx = 1", "> ```\n> code", ">>> quoted to the end", "Hi\n>>> quoted", "one ` back-tick", "``a`"],
)
def test_lines_that_the_text_would_swallow_stand_alone(content: str) -> None:
    plan = MessagePlan(content)
    lines = "-# `m` · 1 s of `` it"
    assert with_ending([plan], lines, None) == [plan, MessagePlan(lines, text_length=0)]


@pytest.mark.parametrize("content", ["```py\nx = 1\n```", "> quoted", "`a` and **b", "- a\n- b", "a `` b `` c", "\\`"])
def test_whole_markdown_swallows_nothing(content: str) -> None:
    (plan,) = with_ending([MessagePlan(content)], "-# `m` · 1 s", None)
    assert plan == MessagePlan(f"{content}\n-# `m` · 1 s", text_length=len(content))


def test_where_embeds_are_not_shown_their_words_become_lines_that_cut_nothing_off() -> None:
    embed = EmbedPlan("Title", "What happened", 1, "Turn t")
    lines = "**Title**\nWhat happened\n-# Turn t\n-# x"
    plans = [MessagePlan("two", settled=True)]
    assert with_ending(plans, "-# x", embed, may_embed=False) == [MessagePlan(f"two\n{lines}", text_length=3)]
    assert with_ending(plans, "-# x", embed, may_embed=False, fits=limit(len(lines))) == [
        plans[0],
        MessagePlan(lines, text_length=0),
    ]


def test_an_embed_alone_is_small_text_where_embeds_are_not_shown() -> None:
    embed = EmbedPlan("Title", "What happened\nWhat to do", 1, "Turn t")
    lines = "-# **Title**\n-# What happened\n-# What to do\n-# Turn t"
    assert embed_alone(embed, may_embed=False) == MessagePlan(lines, text_length=0)
    assert embed_alone(embed, may_embed=True) == MessagePlan("", text_length=0, embed=embed)


def test_an_embed_that_has_no_room_beside_the_text_gets_a_message_of_its_own() -> None:
    embed = EmbedPlan("Title", "What", 1)
    assert with_ending([MessagePlan("two")], "-# x", embed, embed_fits=lambda _: False) == [
        MessagePlan("two\n-# x", text_length=3),
        MessagePlan("", text_length=0, embed=embed),
    ]


def test_nothing_to_add_changes_nothing_but_that_more_may_come() -> None:
    assert with_ending([MessagePlan("two")], "", None) == [MessagePlan("two", text_length=3)]
    assert with_ending([], "", None) == []


@given(st.text("ab`*_|~>#-\n ", max_size=60), st.integers(20, 80))
@example("a\n", 60)
def test_the_text_is_kept_counted_and_within_the_limit(content: str, most: int) -> None:
    content = content.strip()[:most]
    lines = "-# `m` · 1.0 s\n-# b"
    plans = with_ending([MessagePlan(content)], lines, None, fits=limit(most))
    assert "".join(plan.content[: plan.text_length] for plan in plans) == content
    assert (
        "\n".join(plan.content[plan.text_length or 0 :] for plan in plans if plan.text_length is not None).strip()
        == lines
    )
    assert all(len(plan.content) <= most for plan in plans)
    assert len(plans) > 1 or unclosed(plans[0].content) is None
