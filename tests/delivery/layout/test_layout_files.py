"""Files between the text, and text that is shown for now only."""

from __future__ import annotations

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from bot.delivery.layout.window import Layout
from bot.delivery.plan import FilePlan
from tests.delivery.layout.layout_reading import ANSWERS, NOISE

FILE, OTHER = FilePlan("one.py", b"1"), FilePlan("two.py", b"2")

law = settings(max_examples=40, deadline=None, suppress_health_check=[HealthCheck.too_slow, HealthCheck.data_too_large])


def laid_out(*parts: str | FilePlan, limit: int = 200) -> list[tuple[str, tuple[FilePlan, ...]]]:
    layout = Layout(limit)
    for part in parts:
        if isinstance(part, FilePlan):
            layout.attach(part)
        else:
            layout.feed(part)
    return [(plan.content, plan.files) for plan in layout.close()]


@pytest.mark.parametrize(
    ("parts", "expected"),
    [
        pytest.param(["The code:\n\n", FILE], [("The code:", (FILE,))], id="under the text before it"),
        pytest.param(["A", FILE, "\n\nB"], [("A", (FILE,)), ("B", ())], id="what follows begins a message"),
        pytest.param([FILE], [("", (FILE,))], id="without text"),
        pytest.param(["\n \n", FILE], [("", (FILE,))], id="white space is no text"),
        pytest.param(["A", FILE, OTHER], [("A", (FILE,)), ("", (OTHER,))], id="each in a message of its own"),
        pytest.param(["A", FILE, "\n\n", OTHER, "B"], [("A", (FILE,)), ("", (OTHER,)), ("B", ())], id="text after both"),
        pytest.param(["so **very", FILE, " b"], [("so **very**", (FILE,)), ("b", ())], id="emphasis ends there"),
        pytest.param(["||secret", FILE, "b"], [("||secret||", (FILE,)), ("b", ())], id="a spoiler hides its text"),
        pytest.param(["```py\nx", FILE, "y"], [("```py\nx\n```", (FILE,)), ("y", ())], id="code ends there"),
        pytest.param([">>> a", FILE, "b"], [(">>> a", (FILE,)), ("b", ())], id="a quote to the end, too"),
        pytest.param(
            ["word " * 50, FILE], [(("word " * 40).strip(), ()), (("word " * 10).strip(), (FILE,))], id="under the last of two"
        ),
    ],
)  # fmt: skip
def test_a_file_stands_below_the_text_before_it(
    parts: list[str | FilePlan], expected: list[tuple[str, tuple[FilePlan, ...]]]
) -> None:
    assert laid_out(*parts) == expected


def test_a_message_with_a_file_is_settled_at_once_and_never_changes() -> None:
    layout = Layout()
    layout.feed("Text")
    layout.attach(FILE)
    (first,) = layout.messages()
    assert first.settled
    layout.feed("more")
    assert layout.messages()[0] is first
    assert layout.close()[0] is first


def test_a_closed_layout_takes_no_file() -> None:
    layout = Layout()
    layout.close()
    with pytest.raises(RuntimeError, match="closed"):
        layout.attach(FILE)


@law
@given(st.lists(ANSWERS, min_size=1, max_size=3), st.integers(1, 400))
def test_files_fall_at_the_same_place_however_the_text_arrives(texts: list[str], step: int) -> None:
    layout = Layout(300)
    for text in texts:
        for at in range(0, len(text), step):
            layout.feed(text[at : at + step])
            layout.messages(text[at : at + 50])
        layout.attach(FILE)
    whole = laid_out(*(part for text in texts for part in (text, FILE)), limit=300)
    assert [(plan.content, plan.files) for plan in layout.close()] == whole


@law
@given(st.one_of(ANSWERS, NOISE), st.one_of(ANSWERS, NOISE), st.sampled_from((200, 2000)))
def test_provisional_text_looks_as_if_it_were_fed_and_leaves_nothing_behind(text: str, more: str, limit: int) -> None:
    looked, fed = Layout(limit), Layout(limit)
    looked.feed(text)
    before = looked.messages()
    shown = looked.messages(more)
    fed.feed(text + more)
    assert [plan.content for plan in shown] == [plan.content for plan in fed.messages()]
    assert looked.messages() == before
    whole = Layout(limit)
    whole.feed(text)
    assert looked.close() == whole.close()


def test_provisional_text_is_never_settled() -> None:
    layout = Layout(200)
    layout.feed("word ")
    assert {plan.settled for plan in layout.messages("word " * 1600)} == {False}
    assert [plan.content for plan in layout.messages()] == ["word"]
