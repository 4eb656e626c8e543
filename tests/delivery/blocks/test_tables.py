"""Tables: recognised by the Markdown parser, shown in one of four forms, in pieces that fit a message."""

from __future__ import annotations

import pytest

from bot.delivery.blocks import BlockStyle
from bot.delivery.blocks.display_width import display_width
from bot.delivery.blocks.tables import LONGEST, MOST_PICTURE_ROWS
from bot.delivery.plan import FilePlan, Table
from bot.preferences import Tables
from tests.delivery.blocks.reading import file_of, live, pieces, shown

BULLETS = BlockStyle(tables=Tables.BULLETS)
PICTURE = BlockStyle(tables=Tables.PICTURE)
AS_WRITTEN = BlockStyle(tables=Tables.AS_WRITTEN)

SCORES = """\
| Name | Points |
|:-----|-------:|
| Ada | 9 |
| Bo | 12 |
"""
SCORES_IN_CODE = """\
```
| Name | Points |
|:-----|-------:|
| Ada  |      9 |
| Bo   |     12 |
```
"""

# ------------------------------------------------------------------------------------------------------------- in code


@pytest.mark.parametrize(
    ("written", "expected"),
    [
        pytest.param(SCORES, SCORES_IN_CODE, id="columns line up"),
        pytest.param(f"Scores:\n\n{SCORES}\nDone.", f"Scores:\n\n{SCORES_IN_CODE}\nDone.", id="between paragraphs"),
        pytest.param(f"Scores:\n{SCORES}", f"Scores:\n{SCORES_IN_CODE}", id="right behind a paragraph"),
        pytest.param(
            "Name | Points\n:-- | --:\nAda | 9\nBo | 12\n", SCORES_IN_CODE, id="without pipes at the edges"
        ),
        pytest.param(
            "| a | b | c |\n|:-:|--|-|\n| wide | 1 | 2 |\n",
            "```\n|  a   | b | c |\n|:----:|---|---|\n| wide | 1 | 2 |\n```\n",
            id="centred, and without alignment",
        ),
        pytest.param(
            "| 名前 | n |\n|---|--:|\n| 日本語 | 1 |\n| 🦞 | 22 |\n",
            "```\n| 名前   |  n |\n|--------|---:|\n| 日本語 |  1 |\n| 🦞     | 22 |\n```\n",
            id="wide characters count two",
        ),
        pytest.param(
            "| a | b |\n|---|---|\n| 1 |\n| 1 | 2 | 3 |\n",
            "```\n| a | b |   |\n|---|---|---|\n| 1 |   |   |\n| 1 | 2 | 3 |\n```\n",
            id="rows that are too short or too long",
        ),
        pytest.param(
            "| a | b |\n|---|---|\n| **x** `y` | ~~z~~ *w* |\n",
            "```\n| a   | b   |\n|-----|-----|\n| x y | z w |\n```\n",
            id="marks inside cells are read",
        ),
        pytest.param(
            "| a |\n|---|\n| [docs](https://e.org/ü) |\n| <https://e.org> |\n| ![pic](p.png) |\n",
            "```\n| a                      |\n|------------------------|\n| docs (https://e.org/ü) |\n"
            "| https://e.org          |\n| pic (p.png)            |\n```\n",
            id="links keep their address",
        ),
        pytest.param(
            "| a |\n|---|\n| x<br>y<BR />z |\n| &amp; \\* |\n",
            "```\n| a       |\n|---------|\n| x y z   |\n| &amp; * |\n```\n",
            id="line breaks are spaces, escapes are read, entities are not",
        ),
        pytest.param(
            "| a | b |\n|---|---|\n| x \\| y | `p \\| q` |\n",
            "```\n| a     | b     |\n|-------|-------|\n| x | y | p | q |\n```\n",
            id="escaped pipes",
        ),
        pytest.param(
            "| a | b |\n|---|---|\n| `x | y` | p |\n| `` ` | ` `` | $|x|$ |\n| \\(a | b\\) | q |\n",
            "```\n| a       | b     |\n|---------|-------|\n| x | y   | p     |\n| ` | `   | $|x|$ |\n| (a | b) | q     |\n```\n",
            id="pipes in code and formulas, where nobody escaped them",
        ),
        pytest.param(
            "| a | b | c |\n|---|---|---|\n| 1 ` | 2 | 3 ` |\n| `x | y` | p | q | r |\n",
            "```\n| a   | b  | c   |   |   |\n|-----|----|-----|---|---|\n| 1 ` | 2  | 3 ` |   |   |\n| `x  | y` | p   | q | r |\n```\n",
            id="but not where they make up the right number of cells, or can make up none",
        ),
        pytest.param(
            "| a |\n|---|\n| ```` ``` ```` |\n", "````\n| a   |\n|-----|\n| ``` |\n````\n", id="a fence in a cell"
        ),
        pytest.param("| a | b |\n|---|---|", "```\n| a | b |\n|---|---|\n```\n", id="a header alone, at the end"),
        pytest.param(
            "> | a | b |\n> |---|---|\n> | 1 | 2 |\nx", "> ```\n> | a | b |\n> |---|---|\n> | 1 | 2 |\n> ```\nx", id="quoted"
        ),
        pytest.param(
            "> | a |\n> |---|\n> | 1 |\n| 2 |\n", "> ```\n> | a |\n> |---|\n> | 1 |\n> ```\n| 2 |\n", id="the quote ends first"
        ),
        pytest.param(
            "1. x\n\n   | a | b |\n   |---|---|\n   | 1 | 2 |\n",
            "1. x\n\n   ```\n   | a | b |\n   |---|---|\n   | 1 | 2 |\n   ```\n",
            id="in a list item",
        ),
        pytest.param(f"{SCORES}That is all.\n", f"{SCORES_IN_CODE}That is all.\n", id="a line without pipe is no row"),
        pytest.param(f"{SCORES}- x | y\n", f"{SCORES_IN_CODE}- x | y\n", id="a list item is no row"),
        pytest.param(f"{SCORES}\n{SCORES}", f"{SCORES_IN_CODE}\n{SCORES_IN_CODE}", id="two tables"),
        pytest.param(SCORES.replace("\n", "\r\n"), SCORES_IN_CODE, id="lines that end in CR LF"),
    ],
)  # fmt: skip
def test_a_table_stands_aligned_in_a_code_block(written: str, expected: str) -> None:
    assert shown(written) == expected


@pytest.mark.parametrize(
    "text",
    [
        pytest.param("A | B is not a table.\nC | D neither.\n", id="lone pipes"),
        pytest.param("| a | b |\n|---|\n", id="a delimiter row with too few columns"),
        pytest.param("| a | b |\n\n|---|---|\n", id="a delimiter row apart"),
        pytest.param(f"```\n{SCORES}```\n", id="in a fence"),
        pytest.param(f"- ```\n  {SCORES}", id="in a fence that nobody closes"),
        pytest.param("- | a | b |\n  |---|---|\n  | 1 | 2 |\n", id="on a list item's own line"),
        pytest.param("> | a | b |\n|---|---|\n", id="half of it quoted"),
        pytest.param("||spoiler|| and ||another||\n", id="spoilers"),
        pytest.param("|" * 100 + "\n" + "|-" * 99 + "|\n", id="more columns than anybody reads"),
    ],
)
def test_what_is_no_table_is_passed_on(text: str) -> None:
    assert shown(text) == text


def test_a_table_wider_than_a_window_is_a_list() -> None:
    text = f"| Name | Note |\n|---|---|\n| Ada | short |\n| Bo | {'long ' * 20}|\n"
    assert shown(text) == (
        f"**Name**\n- **Ada**\n  - Note: short\n- **Bo**\n  - Note: {('long ' * 20).strip()}\n"
    )  # fmt: skip


@pytest.mark.parametrize(
    "cell", ["<@1234>", "<@!1234>", "<@&1234>", "<#1234>", "<:wave:1234>", "<a:wave:1234>", "<t:1234:R>", "</play song:1234>"]
)  # fmt: skip
def test_what_discord_shows_as_a_number_in_code_makes_the_table_a_list(cell: str) -> None:
    assert shown(f"| Who | n |\n|---|---|\n| {cell} | 1 |\n") == f"**Who**\n- **{cell}**\n  - n: 1\n"


def test_a_long_table_is_several_blocks_each_with_its_header() -> None:
    rows = [f"| row {n} | {'x' * (n % 30)} |" for n in range(200)]
    text = shown("\n".join(["| name | value |", "|---|--:|", *rows, "", "End."]))
    blocks = text.removesuffix("\nEnd.").split("```\n```\n")
    assert len(blocks) > 3
    assert text.endswith("```\n\nEnd.")
    lines = [block.strip("`\n").split("\n") for block in blocks]
    for block, (header, delimiter, *body) in zip(blocks, lines, strict=True):
        assert len(block) + 8 <= LONGEST
        assert header.split() == ["|", "name", "|", "value", "|"]
        assert set(delimiter) == set("|-:")
        assert len({display_width(line) for line in (header, delimiter, *body)}) == 1
    assert [line.split()[2] for block in lines for line in block[2:]] == [str(n) for n in range(200)]


def test_a_long_table_whose_later_rows_are_wide_goes_on_as_a_list() -> None:
    narrow = "".join(f"| {n} | x |\n" for n in range(300))
    text = shown(f"| a | b |\n|---|---|\n{narrow}| last | {'y' * 90} |\n| behind | z |\n")
    assert text.startswith("```\n| a   | b |\n|-----|---|\n| 0   | x |\n")
    assert text.endswith(f"- **last**\n  - b: {'y' * 90}\n- **behind**\n  - b: z\n")


# ----------------------------------------------------------------------------------------------------------- as bullets


@pytest.mark.parametrize(
    ("written", "expected"),
    [
        pytest.param(
            SCORES, "**Name**\n- **Ada**\n  - Points: 9\n- **Bo**\n  - Points: 12\n", id="a bullet for each row"
        ),
        pytest.param(
            "| a | b |\n|---|---|\n| **x** y | [z](u) `w`<br>v |\n",
            "**a**\n- **x y**\n  - b: [z](u) `w` v\n",
            id="cells keep their marks, but nothing is bold in bold",
        ),
        pytest.param(
            "|  | b | |\n|---|---|---|\n|  |  |  |\n| 1 | 2 | 3 |\n",
            "- **–**\n  - b: –\n- **1**\n  - b: 2\n  - 3\n",
            id="empty headers and cells",
        ),
        pytest.param("| a |\n|---|\n| 1 |\n", "**a**\n- **1**\n", id="one column"),
        pytest.param("| a | b |\n|---|---|\n", "**a · b**\n", id="a header alone"),
        pytest.param("> | a | b |\n> |--|--|\n> | 1 | 2 |\n", "> **a**\n> - **1**\n>   - b: 2\n", id="quoted"),
    ],
)
def test_a_table_as_bullets(written: str, expected: str) -> None:
    assert shown(written, BULLETS) == expected


# ----------------------------------------------------------------------------------------------------------- as picture


def test_a_table_that_can_be_drawn_is_a_file_that_says_in_words_what_it_shows() -> None:
    assert pieces(f"Scores:\n\n{SCORES}\nDone.", PICTURE) == [
        "Scores:\n\n",
        FilePlan(
            "table.png",
            Table((("Name", "Points"), ("Ada", "9"), ("Bo", "12")), ("left", "right")),
            "Name | Points\nAda | 9\nBo | 12",
        ),
        "Done.",
    ]


def test_a_table_that_cannot_be_drawn_stands_in_code() -> None:
    assert pieces(SCORES, PICTURE, drawable=lambda table: len(table.rows) > 3) == [SCORES_IN_CODE]


def test_the_pictures_of_an_answer_have_different_names_and_short_descriptions() -> None:
    rows = "".join(f"| {n} | {'long ' * 10} |\n" for n in range(MOST_PICTURE_ROWS + 1))
    first, second, _, third = pieces(f"| a | b |\n|---|---|\n{rows}\n\n{SCORES}", PICTURE)
    assert [file_of(piece).filename for piece in (first, second, third)] == ["table.png", "table-2.png", "table-3.png"]
    tables = [file_of(piece).content for piece in (first, second)]
    assert [table.rows[0] for table in tables if isinstance(table, Table)] == [("a", "b"), ("a", "b")]
    assert [len(table.rows) for table in tables if isinstance(table, Table)] == [MOST_PICTURE_ROWS + 1, 2]
    assert len(file_of(first).description) == 1024


def test_a_picture_has_rows_of_one_length() -> None:
    (picture,) = pieces("| a | b |\n|---|---|\n| 1 |\n| 1 | 2 | **3** |\n", PICTURE)
    assert file_of(picture).content == Table((("a", "b", ""), ("1", "", ""), ("1", "2", "**3**")), ("", "", ""))


# --------------------------------------------------------------------------------------------------------- as written


def test_tables_as_written_are_not_touched() -> None:
    assert shown(SCORES, AS_WRITTEN) == SCORES


# -------------------------------------------------------------------------------------------------------------- live


@pytest.mark.parametrize(
    ("so_far", "expected"),
    [
        ("| Name | Poi", "| Name | Poi"),
        ("| Name | Points |\n", "| Name | Points |\n"),
        ("| Name | Points |\n|:--", "| Name | Points |\n"),
        ("| Name | Points |\n|:-----|-------:|\n", "```\n| Name | Points |\n|:-----|-------:|\n```\n"),
        (
            "| Name | Points |\n|:-----|-------:|\n| Ada | 9 |\n| Bo | 1",
            "```\n| Name | Points |\n|:-----|-------:|\n| Ada  |      9 |\n```\n",
        ),
        (f"{SCORES}That is", f"{SCORES_IN_CODE}That is"),
        ("A | B is", "A | B is"),
        ("A | B is\nnot a tab", "A | B is\nnot a tab"),
    ],
)
def test_while_it_comes_in_a_table_shows_its_whole_rows(so_far: str, expected: str) -> None:
    assert live(so_far) == expected


def test_a_list_shows_each_row_as_soon_as_it_is_whole() -> None:
    assert live("| a | b |\n|---|---|\n", BULLETS) == "**a · b**\n"
    assert live("| a | b |\n|---|---|\n| 1 | 2 |\n| 3", BULLETS) == "**a**\n- **1**\n  - b: 2\n"


def test_formulas_in_cells_are_made_readable() -> None:
    text = "| $x$ | b |\n|---|---|\n| $x$ | c |\n"
    expected = "```\n| 𝑥 | b |\n|---|---|\n| 𝑥 | c |\n```\n"
    assert shown(text, maths=lambda cell: cell.replace("$x$", "𝑥")) == expected
