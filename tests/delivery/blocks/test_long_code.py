"""Long code blocks become files; shorter ones, and those in lists and quotes, are passed on as they are."""

from __future__ import annotations

import pytest

from bot.delivery.blocks import Blocks, BlockStyle
from bot.delivery.plan import FilePlan
from tests.delivery.blocks.reading import file_of, live, pieces, shown

STYLE = BlockStyle(longest_code=100)
CODE = "print(1)  # one\n" * 10


def test_a_long_block_is_a_file_with_exactly_its_code() -> None:
    assert pieces(f"Here is **app.py**:\n\n```python\n{CODE}```\n\nThat is all.\n", STYLE) == [
        "Here is **app.py**:\n\n",
        FilePlan("app.py", CODE.encode()),
        "That is all.\n",
    ]


def test_without_blank_lines_around_it_the_lines_beside_it_stay_apart() -> None:
    assert pieces(f"before\n~~~\n{CODE}~~~\n\nbehind", STYLE) == [
        "before\n",
        FilePlan("code.txt", CODE.encode()),
        "\nbehind",
    ]


@pytest.mark.parametrize(
    "text",
    [
        pytest.param(f"```python\n{'x' * 99}\n```\n", id="exactly as long as may be"),
        pytest.param(f"- ```python\n  {CODE}  ```\n", id="in a list item"),
        pytest.param(f"> ```python\n> {CODE}```\n", id="in a quote"),
        pytest.param(f"  ```python\n{CODE}  ```\n", id="indented"),
        pytest.param("```\n" + " \n" * 100 + "```\n", id="blank"),
        pytest.param(CODE * 9, id="no code block"),
    ],
)
def test_other_code_is_passed_on(text: str) -> None:
    assert shown(text, STYLE) == text


def test_code_just_over_the_limit_is_a_file() -> None:
    assert pieces(f"```\n{'x' * 100}\n```\n", STYLE) == [FilePlan("code.txt", b"x" * 100 + b"\n")]


def test_nothing_is_a_file_where_the_limit_is_nought() -> None:
    text = f"```python\n{CODE * 1000}```\n"
    assert shown(text, BlockStyle(longest_code=0)) == text


@pytest.mark.parametrize("end", ["", "\n", "\nhalf a line"])
def test_a_block_that_the_text_leaves_open_is_one(end: str) -> None:
    assert pieces(f"```js\n{CODE}x{end}", STYLE) == [FilePlan("code.js", f"{CODE}x{end}".encode())]


def test_what_looks_like_other_markdown_is_code() -> None:
    code = f"#### x\n| a |\n|---|\n````\n---\n![a](b)\n```js\n$$\n{CODE}"
    assert pieces(f"`````md\n{code}`````\n", STYLE) == [FilePlan("code.md", code.encode())]


def test_a_line_that_is_longer_than_a_message_is_code_too() -> None:
    code = "x" * 50_000 + "\n" + "word " * 10_000 + "\n```not-a-close\n"
    assert pieces(f"```\n{code}```", STYLE) == [FilePlan("code.txt", code.encode())]


def test_the_files_of_an_answer_have_different_names() -> None:
    text = f"app.py:\n```py\n{CODE}```\n" * 2 + f"APP.py:\n```py\n{CODE}```\n"
    names = [piece.filename for piece in pieces(text, STYLE) if isinstance(piece, FilePlan)]
    assert names == ["app.py", "app-2.py", "APP-3.py"]


def test_a_name_belongs_to_the_block_right_behind_it() -> None:
    text = f"app.py:\n```py\n{CODE}```\n```py\n{CODE}```\n"
    names = [piece.filename for piece in pieces(text, STYLE) if isinstance(piece, FilePlan)]
    assert names == ["app.py", "code.py"]


def test_half_a_surrogate_pair_is_no_reason_to_fail() -> None:
    (file,) = pieces(f"```\n{CODE}\ud83d\n```", STYLE)
    assert file_of(file).content == f"{CODE}?\n".encode()


@pytest.mark.parametrize(
    ("so_far", "expected"),
    [
        ("a\n``", "a\n``"),
        ("a\n```py\nx = 1\ny", "a\n```py\nx = 1\ny"),
        (f"app.py:\n```py\n{CODE}x =", "app.py:\n-# 📎 app.py … 10 ↵\n"),
    ],
)
def test_while_a_file_is_being_written_its_name_stands_in_its_place(so_far: str, expected: str) -> None:
    assert live(so_far, STYLE) == expected


def test_code_that_cannot_be_a_file_is_not_held() -> None:
    stage = Blocks(BlockStyle(longest_code=0))
    assert list(stage.feed("```py\nx = 1\ny")) == ["```py\nx = 1\n"]
    assert stage.provisional() == "y"


@pytest.mark.parametrize(
    ("text", "shown"),
    [
        ("~~~py\nx = 1\n~~~\nDone.", "```py\nx = 1\n```\nDone."),
        ("`````\nx\n``````\n", "```\nx\n```\n"),
        ("~~~~ py title=a.py\n~~~\nx\n~~~~\n", "``` py title=a.py\n~~~\nx\n```\n"),
        ("~~~py\nx", "```py\nx"),
        ("````md\n```js\nx\n```\n````\n", "````md\n```js\nx\n```\n````\n"),
        ("~~~\na ``` b\n~~~\n", "~~~\na ``` b\n~~~\n"),
        ("~~~ `odd`\nx\n~~~\n", "~~~ `odd`\nx\n~~~\n"),
        ("- a\n  ~~~\n  x\n  ~~~\n", "- a\n  ```\n  x\n  ```\n"),
        ("> ~~~js\n> x\n> ~~~\n", "> ```js\n> x\n> ```\n"),
        ("- ````\n  ```\n  ````\n", "- ````\n  ```\n  ````\n"),
        (f"- ~~~\n{CODE * 50}  ~~~\n", f"- ~~~\n{CODE * 50}  ~~~\n"),
    ],
)
@pytest.mark.parametrize("longest_code", [6000, 0])
def test_a_fence_that_discord_does_not_know_becomes_one_that_it_does_where_that_is_possible(
    text: str, shown: str, longest_code: int
) -> None:
    blocks = Blocks(BlockStyle(longest_code=longest_code))
    assert "".join(str(piece) for piece in (*blocks.feed(text), *blocks.close())) == shown
