"""Lines that Discord would show as their source: deep headings, rules, images."""

from __future__ import annotations

import pytest

from tests.delivery.blocks.reading import live, shown

RULE = "─" * 20


@pytest.mark.parametrize(
    ("written", "expected"),
    [
        ("#### Deep", "**Deep**"),
        ("##### Deeper", "**Deeper**"),
        ("###### Deepest ##", "**Deepest**"),
        ("  #### Indented", "  **Indented**"),
        ("> #### Quoted", "> **Quoted**"),
        ("- #### Item", "- **Item**"),
        ("1. > #### Both", "1. > **Both**"),
        ("#### A **bold** word", "**A bold word**"),
        ("#### **All bold**", "**All bold**"),
        ("#### A ***strong*** word", "**A *strong* word**"),
        ("#### `a ** b` and 2 ** 3", "**`a ** b` and 2 ** 3**"),
        ("#### [Link](https://e.org) `x`", "**[Link](https://e.org) `x`**"),
        ("#### A | B", "**A | B**"),
        ("#### Use **kwargs", r"**Use \*\*kwargs**"),
        ("#### CRLF\r\nx", "**CRLF**\r\nx"),
    ],
)
def test_headings_below_the_third_level_are_bold_lines(written: str, expected: str) -> None:
    assert shown(f"Text\n{written}\nmore") == f"Text\n{expected}\nmore"


@pytest.mark.parametrize(
    "line",
    ["# One", "## Two", "### Three", "####no space", "####", "#### ", "####### seven", "\\#### escaped", "a #### b", "    #### indented code"],
)  # fmt: skip
def test_other_lines_with_number_signs_stay(line: str) -> None:
    assert shown(f"{line}\nmore") == f"{line}\nmore"


@pytest.mark.parametrize(
    ("written", "expected"),
    [
        ("a\n\n---\n\nb", f"a\n\n{RULE}\n\nb"),
        ("***", RULE),
        ("___", RULE),
        ("* * *", RULE),
        ("- - -", RULE),
        ("  -----------  ", f"  {RULE}"),
        ("> ---", f"> {RULE}"),
        ("Title\n---\ntext", f"Title\n{RULE}\ntext"),
        ("Title\n===\ntext", f"Title\n{RULE}\ntext"),
        ("> Title\n> ===", f"> Title\n> {RULE}"),
        ("---\ntitle: x\n---\n", f"{RULE}\ntitle: x\n{RULE}\n"),
        ("- a\n---\nb", f"- a\n{RULE}\nb"),
    ],
)
def test_rules_and_underlines_of_headings_are_drawn(written: str, expected: str) -> None:
    assert shown(written) == expected


@pytest.mark.parametrize(
    "text",
    ["- a\n- b", "-- Ada", "--", "a - b", "***bold*** text", "* a", "\n===\n", "a\n\n===\n", "===\n===", "--- a", "-*-", "    ---", "Title\n-\n", "```\n---\n```"],
)  # fmt: skip
def test_what_is_no_rule_stays(text: str) -> None:
    assert shown(text) == text


@pytest.mark.parametrize(
    ("written", "expected"),
    [
        ("![a cat](https://e.org/cat.png)", "[a cat](https://e.org/cat.png)"),
        ("see ![a](u), ![b](v)!", "see [a](u), [b](v)!"),
        ('![a](u "title")', '[a](u "title")'),
        ("![](https://e.org/cat.png)", "https://e.org/cat.png"),
        ("![](<a b.png>)", "a b.png"),
        ('![](u "the title")', "[the title](u)"),
        ("![a [b] *c*](u_(1))", "[a [b] *c*](u_(1))"),
        ("[![build](badge.svg)](https://ci.org)", "[build](badge.svg) <https://ci.org>"),
        ("[see ![a](u) here](v)", "see [a](u) here <v>"),
        ("> - ![a](u)", "> - [a](u)"),
        ("#### ![a](u)", "**[a](u)**"),
        ("`code\nends` ![a](u)", "`code\nends` [a](u)"),
        ("`a` b\n![a](u) `c`", "`a` b\n[a](u) `c`"),
        ("it's ` a tick\n\n![a](u)", "it's ` a tick\n\n[a](u)"),
    ],
)
def test_images_are_links(written: str, expected: str) -> None:
    assert shown(written) == expected


@pytest.mark.parametrize(
    "text",
    ["`![a](u)`", "`` ` ![a](u) ``", "\\![a](u)", "![a][ref]", "![a]", "!a](u)", "[a](u)", "![a](u", "`code\n![a](u)` ends", "```\n![a](u)\n```", "    \n!\\[a](u)"],
)  # fmt: skip
def test_what_is_no_image_stays(text: str) -> None:
    assert shown(text) == text


@pytest.mark.parametrize(
    ("so_far", "expected"),
    [
        ("#### Dee", "**Dee**"),
        ("#### **Al", "**Al**"),
        ("#### **All*", "**All**"),
        ("#### **", "#### **"),
        ("#### A ***stro", "**A *stro**"),
        ("---", "---"),
        ("***", "***"),
        ("![a](u", "![a](u"),
        ("![a](u) b", "[a](u) b"),
    ],
)
def test_while_a_line_comes_in_it_is_shown_as_it_will_be_where_that_is_sure(so_far: str, expected: str) -> None:
    assert live(so_far) == expected
