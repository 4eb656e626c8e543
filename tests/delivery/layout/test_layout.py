"""Where an answer is cut into messages, and what stands there while it is still being written."""

from __future__ import annotations

import re

import pytest

from bot.delivery.layout.measure import Measure
from bot.delivery.layout.window import SMALLEST_LIMIT, Layout
from tests.delivery.layout.layout_reading import code_lines, gives_back, leaves_a_fence_open


def laid_out(text: str, limit: int = 2000) -> list[str]:
    layout = Layout(limit)
    layout.feed(text)
    return [plan.content for plan in layout.close()]


def shown(text: str, limit: int = 2000) -> list[str]:
    """What stands in the channel when so much has arrived."""
    layout = Layout(limit)
    layout.feed(text)
    return [plan.content for plan in layout.messages()]


def python_file(functions: int) -> str:
    return "\n\n".join(
        f"def step_{n:02}(items: list[int]) -> list[int]:\n"
        f'    """Take the items that step {n} leaves."""\n'
        f"    kept = [x for x in items if x % {n + 2}]\n"
        f"    return sorted(kept)[:{n + 1}]"
        for n in range(functions)
    )


PROSE = "A window holds what has come in and not gone out yet. It is small on purpose. " * 9
SIX_ANSWERS = {
    "a long file of code": f"The module:\n\n```python\n{python_file(45)}\n```\n\nThat is all of it.",
    "prose with three fences": "\n\n".join(
        f"## Part {n}\n\n{PROSE}\n\n```rust\n{python_file(9)}\n```" for n in range(3)
    ),
    "a fence of four around one of three": f"Your README:\n\n````markdown\n# Tool\n\n```bash\n{'tool --step 1 --verbose' * 2}\n```\n"
    + "\n".join(f"- point {n} of the list, with some words to it" for n in range(60))
    + "\n````\n\nDone.",
    "a line that only looks like a closing fence": "```\n"
    + "\n".join(f"row {n:02} | value {n * 17:03} | a note about this row" for n in range(30))
    + "\n```not-a-close\n"
    + "\n".join(f"row {n:02} | value {n * 17:03} | a note about this row" for n in range(30, 70))
    + "\n```\nEnd.",
    "wide characters": "```python\n"
    + "\n".join(f'名前_{n} = "👩‍👩‍👧‍👦 日本語の文字列"  # {"説明" * (n % 9)}' for n in range(80))
    + "\n```",
    "code with blank steps": "```yaml\n"
    + "\n".join(
        f"service_{n}:\n  env:\n    - name: LEVEL\n  \n    - name: MODE\n    \n  ports: [{n}]\n" for n in range(40)
    )
    + "```",
}


@pytest.mark.parametrize("limit", [2000, 4096])
@pytest.mark.parametrize("answer", SIX_ANSWERS.values(), ids=SIX_ANSWERS.keys())
def test_long_code_stays_code_line_for_line(answer: str, limit: int) -> None:
    messages = laid_out(answer, limit)
    assert not any(leaves_a_fence_open(message) for message in messages)
    assert [line for message in messages for line in code_lines(message)] == code_lines(answer)
    assert gives_back(answer, messages)


# ----------------------------------------------------------------------------------------------- where the cut falls

A, B = "a" * 60, "b" * 60


@pytest.mark.parametrize(
    ("text", "first", "second"),
    [
        pytest.param(f"{A} {A}\n\n{B}\n{B} {B}", f"{A} {A}", f"{B}\n{B} {B}", id="paragraph before line"),
        pytest.param(f"{A} {A}\n{B}. {B}", f"{A} {A}", f"{B}. {B}", id="line before sentence"),
        pytest.param(f"{A} {A}. {B} {B}", f"{A} {A}.", f"{B} {B}", id="sentence before word"),
        pytest.param(f"{A} {A} {B} {B}", f"{A} {A} {B}", B, id="word before grapheme"),
        pytest.param("文" * 150 + "。" + "字" * 100, "文" * 150 + "。", "字" * 100, id="sentence without white space"),
        pytest.param("x" * 250, "x" * 200, "x" * 50, id="anywhere in an unbroken run"),
        pytest.param("👩‍👩‍👧‍👦" * 40, "👩‍👩‍👧‍👦" * 28, "👩‍👩‍👧‍👦" * 12, id="between graphemes"),
        pytest.param(f"{'a' * 120}\n\n## Title\n\n{B}{B}", "a" * 120, f"## Title\n\n{B}{B}", id="a heading goes with its text"),
        pytest.param(f"{'a' * 120}\n\n**Title:**\n{B}{B}", "a" * 120, f"**Title:**\n{B}{B}", id="a bold line is a heading, too"),
        pytest.param(f"{'a ' * 80}\n# {'b ' * 24}\n{B}", ("a " * 80).strip(), f"# {'b ' * 24}\n{B}", id="a heading is not cut"),
        pytest.param(f"{A} {A}\n\nThe code:\n\n```\n{B}\n```", f"{A} {A}", f"The code:\n\n```\n{B}\n```", id="an introduction goes with its code"),
        pytest.param(f"{'a' * 90}\n\nThe code:\n```\n{B}\n{B}\n```", f"{'a' * 90}\n\nThe code:", f"```\n{B}\n{B}\n```", id="not where the code would be cut for it"),
        pytest.param(f"{'a' * 60}\n\n```\n{A}\n{B}\n{'c' * 40}\n```", "a" * 60, f"```\n{A}\n{B}\n{'c' * 40}\n```", id="code that fits into the next message stays whole"),
        pytest.param(f"{'a' * 30}\n\nThe code:\n```\n{A}\n{B}\n{'c' * 40}\n```", "a" * 30, f"The code:\n```\n{A}\n{B}\n{'c' * 40}\n```", id="and keeps its introduction"),
        pytest.param(f"{'a' * 20}\n```\n{A}\n{B}\n{'c' * 55}\n```", f"{'a' * 20}\n```\n{A}\n{B}\n```", f"```\n{'c' * 55}\n```", id="but no message is a mere stub for it"),
        pytest.param(f"- {A} a\n- {A}\n  - {A}\n- {B}", f"- {A} a\n- {A}\n  - {A}", f"- {B}", id="between items"),
        pytest.param(f"- {A}{A}\n- b\n  - {A}\n  - {B}", f"- {A}{A}", f"- b\n  - {A}\n  - {B}", id="not within an item"),
        pytest.param(f"{A} {A} {A}\n- item {B}", f"{A} {A} {A}", f"- item {B}", id="a list mark goes with its item"),
        pytest.param(f"{'a' * 199} - {B}", "a" * 198, f"a - {B}", id="no list item out of a dash"),
        pytest.param(f"{'a' * 155} **{'b ' * 30}b** c", "a" * 155, f"**{'b ' * 30}b** c", id="before the emphasis"),
    ],
)  # fmt: skip
def test_the_cut_falls_at_the_best_place_that_fits(text: str, first: str, second: str) -> None:
    assert laid_out(text, 200) == [first, second]


@pytest.mark.parametrize(
    "atom",
    [
        "<@123456789012345678>",
        "<@!123456789012345678>",
        "<@&123456789012345678>",
        "<#123456789012345678>",
        "</play song:123456789012345678>",
        "<:wave:123456789012345678>",
        "<a:wave:123456789012345678>",
        "<t:1700000000:R>",
        "[the docs (new)](https://example.org/docs_(2))",
        "https://example.org/a/very/long/path?x=1&y=2",
        "<https://example.org/without/preview>",
        "`some inline code`",
        "``code with a ` tick``",
    ],
)
def test_what_discord_reads_as_one_thing_stands_whole_in_one_message(atom: str) -> None:
    for before in range(2000 - len(atom), 2000):
        text = "a" * before + " " + atom + " tail"
        assert any(atom in message for message in laid_out(text))


def test_a_link_longer_than_a_message_is_cut_after_all() -> None:
    text = "https://example.org/" + "a" * 3000
    assert "".join(laid_out(text)) == text


def test_2000_code_points_are_one_message_whatever_they_take_elsewhere() -> None:
    assert laid_out("🦞" * 2000) == ["🦞" * 2000]
    assert [len(message) for message in laid_out("🦞" * 2001)] == [2000, 1]


@pytest.mark.parametrize("text", ["", " \n\t ", "\u200b\u2060", "\n" * 5000, "\u200b" * 5000])
def test_a_text_without_a_visible_character_is_no_message(text: str) -> None:
    assert laid_out(text) == []


def test_an_unbroken_run_of_50_000_characters_fills_25_messages() -> None:
    assert laid_out("x" * 50_000) == ["x" * 2000] * 25


# --------------------------------------------------------------------------------------------------- fences at a cut


def fenced(opening: str, closing: str, lines: int, prefix: str = "") -> str:
    return "\n".join([opening, *(f"{prefix}line {n:03} of the code" for n in range(lines)), closing])


@pytest.mark.parametrize(
    ("opening", "closing", "prefix", "end", "start"),
    [
        ("```python", "```", "", "\n```", "```python\n"),
        ("~~~~ js title=a.js", "~~~~", "", "\n~~~~", "~~~~js\n"),
        ("````md", "`````", "", "\n````", "````md\n"),
        ("```" + "w" * 41, "```", "", "\n```", "```\n"),
        ("> ```py", "> ```", "> ", "\n> ```", "> ```py\n> "),
        ("1. ```py", "   ```", "   ", "\n   ```", "```py\n   "),
    ],
    ids=["plain", "tildes, long info", "longer closing", "no language", "in a quote", "in a list"],
)
def test_a_fence_is_closed_at_the_cut_and_opened_again_with_its_language(
    opening: str, closing: str, prefix: str, end: str, start: str
) -> None:
    messages = laid_out(fenced(opening, closing, 30, prefix), 400)
    assert len(messages) > 1
    assert all(message.endswith(end) for message in messages[:-1])
    assert all(message.startswith(start) for message in messages[1:])


@pytest.mark.parametrize("before", ["", "x ", "> ", "```py\n", "~~~~\n", "**"])
@pytest.mark.parametrize("mark", ["`", "~", "*", "|", "> ", "- ", "["])
def test_a_model_that_repeats_one_mark_without_end_still_gives_whole_messages(before: str, mark: str) -> None:
    messages = laid_out(before + mark * 3000)
    assert all(0 < len(message) <= 2000 and not leaves_a_fence_open(message) for message in messages)
    assert len(messages) <= 10


def test_an_opening_line_too_long_for_a_message_keeps_its_language_and_shows_the_rest_as_code() -> None:
    messages = laid_out(f"```python {'word ' * 500}\ncode()\n```")
    assert all(message.startswith("```python\n") for message in messages)
    assert "".join("".join(messages).split()).count("word") == 500


def test_a_block_that_would_be_cut_past_half_of_a_message_starts_the_next_one() -> None:
    block = fenced("```py", "```", 5)
    assert laid_out(f"{'a' * 120}\n\n{block}", 200) == ["a" * 120, block]


def test_a_block_is_cut_rather_than_left_behind_a_stub() -> None:
    messages = laid_out(f"Here:\n{fenced('```py', '```', 12)}\nDone.", 200)
    assert messages[0].startswith("Here:\n```py\n")
    assert messages[1].startswith("```py\n")
    assert messages[1].endswith("Done.")


def test_a_line_of_code_longer_than_a_message_is_cut_inside() -> None:
    messages = laid_out(f"```js\nshort();\n{'x' * 500}\nend();\n```", 200)
    assert "".join(code_lines("\n".join(messages))) == "short();" + "x" * 500 + "end();"


def test_the_closing_fence_alone_is_never_a_message() -> None:
    for lines in range(8, 12):
        for closing in ("```", "`" * 30, "\n\n```"):
            messages = laid_out(fenced("```py", closing, lines), 200)
            assert all(code_lines(message) for message in messages)


# ------------------------------------------------------------------------------------------------ emphasis and quotes


@pytest.mark.parametrize("mark", ["**", "*", "__", "_", "~~", "||", "***"])
def test_an_emphasis_longer_than_a_message_is_closed_and_opened_again(mark: str) -> None:
    messages = laid_out(f"{mark}{'word ' * 50}word{mark}", 200)
    assert len(messages) == 2
    assert all(message.startswith(mark + "word") and message.endswith("word" + mark) for message in messages)


def test_a_spoiler_hides_its_text_over_paragraphs_and_messages() -> None:
    messages = laid_out(f"||{A} {A}\n\n{B} {B}||", 200)
    assert messages == [f"||{A} {A}||", f"||{B} {B}||"]


@pytest.mark.parametrize(
    "text",
    [
        pytest.param("||\n```py\n" + "code()\n" * 50 + "```\n||\nend", id="around code alone"),
        pytest.param(f"||{A} {A}\n\n```py\n" + "code()\n" * 20 + f"```\n{B}||", id="cut before the code"),
        pytest.param("||\n```py\n" + "code()\n" * 20 + f"```\n\n{A} {B}\n\n{A}||", id="cut behind the code"),
        pytest.param(f"||\n{A} {A}\n\n{B[:50]}\n||\n{B}", id="marks on lines of their own"),
    ],
)
@pytest.mark.parametrize("step", [1000, 5])
def test_a_spoiler_around_code_hides_all_of_it_at_every_moment(text: str, step: int) -> None:
    layout = Layout(200)
    for at in range(0, len(text), step):
        layout.feed(text[at : at + step])
        plans = [*layout.messages()] if at + step < len(text) else [*layout.close()]
        assert not any(leaves_a_fence_open(plan.content) for plan in plans)
        for plan in plans:
            outside = re.sub(r"\|\|(?:(?!\|\|)[\s\S])+\|\|", "", plan.content)
            assert "a" not in outside
            assert "code" not in outside
            assert "||" not in outside


def test_nested_emphasis_is_closed_inside_out() -> None:
    first, second = laid_out(f"**bold ~~{'word ' * 50}word~~**", 200)
    assert first.endswith("word~~**")
    assert second.startswith("**~~word")


def test_stars_that_are_no_emphasis_are_left_alone() -> None:
    messages = laid_out(f"2 * 3 * 4 **and *args {'word ' * 50}", 200)
    assert gives_back(f"2 * 3 * 4 **and *args {'word ' * 50}", messages)
    assert not messages[0].endswith("*")


@pytest.mark.parametrize("mark", ["*", "_"])
def test_a_lone_star_in_the_middle_of_a_line_is_no_emphasis_until_its_partner_comes(mark: str) -> None:
    assert laid_out(f"see {mark}args {'word ' * 80}", 200)[0].endswith("word")


def test_a_mark_that_a_cut_opened_again_is_closed_where_the_text_breaks_off() -> None:
    assert laid_out("||" + "word " * 61, 200) == [f"||{('word ' * 39).strip()}||", f"||{('word ' * 22).strip()}||"]


@pytest.mark.parametrize(
    ("text", "starts"),
    [
        pytest.param(f">>> {A} {A}\n\n{B}\n{A}", [">>> a", ">>> b"], id="over paragraphs"),
        pytest.param(f"a\n>>> {A} {A} {A} {B}", ["a", ">>> b"], id="in the middle of a line"),
        pytest.param(f">>> {A}\n>>> {A}\n>>> {A}\n>>> {A}", [">>> a", ">>> a"], id="not twice where it stands"),
        pytest.param(">>> a\n```py\n" + "code()\n" * 50 + f"```\n{B}", [">>> a", ">>> ```py\ncode()", ">>> b"], id="around code"),
        pytest.param(f"```py\n>>> code()\n```\n{A} {A}\n{B}", ["```py\n>>> c", "b"], id="a prompt in code is none"),
    ],
)  # fmt: skip
def test_a_quote_to_the_end_of_the_message_goes_on_in_the_next(text: str, starts: list[str]) -> None:
    messages = laid_out(text, 200)
    assert [message[: len(start)] for message, start in zip(messages, starts, strict=False)] == starts
    assert not any(leaves_a_fence_open(message) for message in messages)


def test_a_subtext_line_cut_in_two_stays_subtext() -> None:
    assert [message[:8] for message in laid_out("-# " + "word " * 60, 200)] == ["-# word ", "-# word "]


def test_a_quoted_line_cut_in_two_stays_quoted() -> None:
    first, second = laid_out("> " + "word " * 50, 200)
    assert first.startswith("> word")
    assert second.startswith("> word")


# ------------------------------------------------------------------------------------------------ while it streams


@pytest.mark.parametrize(
    ("so_far", "expected"),
    [
        pytest.param("Look:\n```py\nx = 1", ["Look:\n```py\nx = 1\n```"], id="an open fence is shown closed"),
        pytest.param("Look:\n```py", ["Look:"], id="an opening line waits for its code"),
        pytest.param("```py\nx = 1\n``", ["```py\nx = 1\n```"], id="half a closing line is held"),
        pytest.param("**Note: **So it", ["**Note: **So it"], id="a double mark ends at the next, as in Discord"),
        pytest.param("Use **kwargs and **opt", ["Use **kwargs and **opt"], id="whatever was meant by them"),
        pytest.param("||\n```\nx\n``` ", ["||\n```\nx\n```\n||"], id="nothing stands behind a closing line"),
        pytest.param("||\r\n```\r\nx\r\n```\r\n", ["||\r\n```\r\nx\r\n```\n||"], id="however lines end"),
        pytest.param(
            "a ```````---`` b\nc\n> \r",
            ["a ```````---`` b\nc\n>"],
            id="a mark that would look like a fence is not closed",
        ),
        pytest.param("Hi <@1234", ["Hi"], id="half a mention is held"),
        pytest.param("Hi <:wav", ["Hi"], id="half an emoji is held"),
        pytest.param("Hi <@1234>", ["Hi <@1234>"], id="a whole mention is shown"),
        pytest.param("See [the docs](https://exa", ["See"], id="half a link is held"),
        pytest.param("a < b", ["a < b"], id="what cannot become a mention is shown"),
        pytest.param("So **very imp", ["So **very imp**"], id="open bold is shown closed"),
        pytest.param("So **very** *", ["So **very**"], id="a lone mark is held"),
        pytest.param("||secret\n\nstill secret", ["||secret\n\nstill secret||"], id="an open spoiler hides its text"),
        pytest.param("So *very imp", ["So *very imp*"], id="open italics are shown closed"),
        pytest.param("So `a[0] ** b", ["So `a[0] ** b`"], id="open code is shown closed"),
        pytest.param("2 * 3 * 4", ["2 * 3 * 4"], id="stars between spaces stay alone"),
        pytest.param("a **b *c", ["a **b *c***"], id="from the inside out"),
        pytest.param("Hi\n```py\n", ["Hi"], id="a block without code waits for it"),
        pytest.param("Hi\n```py\n``", ["Hi"], id="and is not its closing line"),
        *(
            pytest.param(f"Hi {half}", ["Hi"], id=f"{half} waits for more")
            for half in (
                "<https://exa",
                "<http",
                "<id:gui",
                "https://exa",
                "https://e.org/a_(b",
                "htt",
                "[docs]",
                "[a [b",
                "[a](",
                "![a](http://b",
                '[a](http://b "c',
                "[a](http://b(c",
                "&am",
                "&#82",
                "$",
                "$$",
                "\\",
                "\\(",
                "****"[:3],
                "``",
                "||",
                "🇩",
                "**[a](b",
                "*<@1",
            )
        ),
        *(
            pytest.param(f"Hi\n{half}", ["Hi"], id=f"{half} waits for words")
            for half in (
                "-",
                "- ",
                "*",
                "+ ",
                "1",
                "12.",
                "3) ",
                "#",
                "## ",
                "-#",
                "-# ",
                ">",
                "> ",
                "> - ",
                ">>> ",
                "- [",
                "- [ ]",
                "- [x] ",
                "|",
                "|--",
                "|:--|--",
                "---",
                "===",
                "- **",
                "> [a",
                "  - ",
            )
        ),
        *(
            pytest.param(f"Hi {whole}", [f"Hi {whole}"], id=f"{whole} is whole")
            for whole in (
                "[a](http://b)",
                "<https://a.b>",
                "[a] b",
                "&amp;",
                "$5",
                "🇩🇪",
                "<@1>",
                "(https://a.b)",
                "-",
                "12. a",
                "x\n---\ny",
            )
        ),
        pytest.param("So ``a ` ", ["So ``a ` ``"], id="closing marks stay apart from the text's own"),
        pytest.param("Hi\n||\n", ["Hi"], id="a spoiler mark on its own line waits for what it hides"),
        pytest.param("Hi 👩\u200d", ["Hi 👩"], id="a joiner waits for what it joins"),
        pytest.param("Hi \ud83e", ["Hi"], id="half a surrogate pair waits"),
        pytest.param("", [], id="nothing yet"),
        pytest.param("**", [], id="nothing to see yet"),
    ],
)
def test_the_open_end_is_shown_as_valid_markdown(so_far: str, expected: list[str]) -> None:
    assert shown(so_far) == expected


def test_what_was_held_is_in_the_final_messages() -> None:
    layout = Layout()
    layout.feed("Hi <@1234")
    layout.messages()
    assert [plan.content for plan in layout.close()] == ["Hi <@1234"]


def test_text_is_shown_beyond_the_first_message_before_anything_is_settled() -> None:
    layout = Layout(200)
    layout.feed("word " * 50)
    plans = layout.messages()
    assert [plan.settled for plan in plans] == [False, False]
    layout.feed("word " * 50)
    assert layout.messages()[0].settled


def test_a_limit_too_small_for_fences_is_refused() -> None:
    for measure in (SMALLEST_LIMIT - 1, Measure(2000, 4 * SMALLEST_LIMIT - 1)):
        with pytest.raises(ValueError, match="smallest"):
            Layout(measure)


def test_a_closed_layout_takes_no_more_text_and_closes_but_once() -> None:
    layout = Layout()
    layout.feed("Text.")
    assert layout.close() == layout.close()
    with pytest.raises(RuntimeError, match="closed"):
        layout.feed("more")
