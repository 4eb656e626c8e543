"""Discord's dialect of Markdown as safe HTML: what Discord shows as formatting, and what it leaves as characters."""

from __future__ import annotations

from html.parser import HTMLParser

import pytest
from hypothesis import given
from hypothesis import strategies as st

from bot.playground.page.highlighting import style_sheet
from bot.playground.page.markdown import render, render_inline
from bot.playground.page.mentions import Mention, mentions_from_names

NAMES = {(Mention.USER, "1"): "Ada", (Mention.ROLE, "2"): "Staff", (Mention.CHANNEL, "3"): "general"}
LINK = 'target="_blank" rel="noopener noreferrer"'
SPOILER = '<span class="spoiler" role="button" tabindex="0" aria-label="Spoiler, press to reveal">'


def name_of(kind: Mention, id: str) -> str | None:  # noqa: A002 - the protocol's name
    return NAMES.get((kind, id))


def html(text: str) -> str:
    """Rendered, without the line feeds that markdown-it puts between blocks."""
    return render(text, name_of).replace(">\n<", "><").replace(">\n", ">")


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("**bold**", "<strong>bold</strong>"),
        ("*italic* _italic_", "<em>italic</em> <em>italic</em>"),
        ("__underline__", "<u>underline</u>"),
        ("~~gone~~", "<s>gone</s>"),
        ("||secret **bold**||", f"{SPOILER}secret <strong>bold</strong></span>"),
        ("***both***", "<em><strong>both</strong></em>"),
        ("__*u and i*__", "<u><em>u and i</em></u>"),
        ("**over\n\nparagraphs**", "<strong>over<br><br>paragraphs</strong>"),
        ("one\ntwo", "one<br>two"),
        ("`a **b** <c>`", "<code>a **b** &lt;c&gt;</code>"),
        ("``a ` b``", "<code>a ` b</code>"),
        (r"\*plain\* \_a\_ \\", "*plain* _a_ \\"),
        ("2 * 3 * 4", "2 * 3 * 4"),
        ("snake_case_name", "snake_case_name"),
        ("__init__", "<u>init</u>"),
        ("[text](https://a.example/b_(c))", f'<a href="https://a.example/b_(c)" {LINK}>text</a>'),
        ("[**b**](https://a.example)", f'<a href="https://a.example" {LINK}><strong>b</strong></a>'),
        ("<https://a.example/x_y_z>", f'<a href="https://a.example/x_y_z" {LINK}>https://a.example/x_y_z</a>'),
        ("see https://a.example/x.", f'see <a href="https://a.example/x" {LINK}>https://a.example/x</a>.'),
        ("(https://a.example/x)", f'(<a href="https://a.example/x" {LINK}>https://a.example/x</a>)'),
        ("<@1> <@!1> <@9>", " ".join(f'<span class="mention">@{n}</span>' for n in ("Ada", "Ada", "unknown-user"))),
        ("<@&2> <#3>", '<span class="mention">@Staff</span> <span class="mention">#general</span>'),
        ("@everyone", '<span class="mention">@everyone</span>'),
        ("</ask:5>", '<span class="mention">/ask</span>'),
        ("<:wave:5> <a:spin:6>", '<span class="emoji">:wave:</span> <span class="emoji">:spin:</span>'),
        (
            "<t:0:R>",
            '<time class="timestamp" datetime="1970-01-01T00:00:00+00:00" data-style="R">1970-01-01 00:00 UTC</time>',
        ),
    ],
)
def test_an_inline_form_of_discord_is_shown_as_formatting(text: str, expected: str) -> None:
    """Spans, links, mentions, emoji and moments become the elements that a reader sees."""
    assert html(text) == f"<p>{expected}</p>"


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("# One\n## Two\n### Three", "<h1>One</h1><h2>Two</h2><h3>Three</h3>"),
        ("text\n# One", "<p>text</p><h1>One</h1>"),
        ("-# small *print*", '<p class="subtext">small <em>print</em></p>'),
        ("- a\n* b", "<ul><li><p>a</p></li><li><p>b</p></li></ul>"),
        ("- a\n  - b", "<ul><li><p>a</p><ul><li><p>b</p></li></ul></li></ul>"),
        ("1. a\n  - b", "<ol><li><p>a</p><ul><li><p>b</p></li></ul></li></ol>"),
        ("3. a\n4. b", '<ol start="3"><li><p>a</p></li><li><p>b</p></li></ol>'),
        ("- a\nb", "<ul><li><p>a</p></li></ul><p>b</p>"),
        ("- a\n\nb", '<ul><li><p>a</p></li></ul><p class="gap">b</p>'),
        ("> a\n> b\nc", "<blockquote><p>a<br>b</p></blockquote><p>c</p>"),
        ("> > a", "<blockquote><p>&gt; a</p></blockquote>"),
        (">>> a\nb\n\nc", "<blockquote><p>a<br>b<br><br>c</p></blockquote>"),
        (">no space", "<p>&gt;no space</p>"),
        ("> - a", "<blockquote><ul><li><p>a</p></li></ul></blockquote>"),
        ("```\n- <a>\n```", "<pre><code>- &lt;a&gt;</code></pre>"),
        ("```nosuchlanguage\n**a**\n```", "<pre><code>**a**</code></pre>"),
        ("```py\nNone\n```", '<pre><code><span class="tok-kc">None</span></code></pre>'),
        ("a ```b``` c", "<p>a</p><pre><code>b</code></pre><p>c</p>"),
        ("> ```\n> a\n> ```", "<blockquote><pre><code>a</code></pre></blockquote>"),
        ("- a\n  ```\n  b\n  ```", "<ul><li><p>a</p><pre><code>b</code></pre></li></ul>"),
        ("```\na\n\nb\n```\nc", "<pre><code>a\n\nb</code></pre><p>c</p>"),
        (r"\```a```", "<p>```a```</p>"),
    ],
)
def test_a_block_of_discord_is_shown_as_a_block(text: str, expected: str) -> None:
    """Headings, subtext, lists, quotes and code blocks, alone and in each other."""
    assert html(text) == expected


@pytest.mark.parametrize(
    "text",
    [
        "#### four",
        "#no space",
        "---",
        "***",
        "___",
        "| a | b |\n|---|---|\n| 1 | 2 |",
        "Title\n=====",
        "    indented",
        "[ref]: https:x",
        "[^1] - [ ] task",
        "$x^2$",
        "+ plus",
        "1) bracket",
        "```py\nnever closed",
        "**never closed",
        "[c]()",
        "[a](/relative)",
        "[a](javascript:alert(1))",
        "[a](data:text/html,x)",
        "<t:9999999999999>",
    ],
)
def test_what_discord_does_not_render_stays_as_it_is(text: str) -> None:
    """A person on Discord sees these characters, so the page shows them too."""
    shown = text.strip().replace("<", "&lt;").replace(">", "&gt;").replace("\n", "<br>")
    assert html(text) == f"<p>{shown}</p>"


def test_an_image_is_an_exclamation_mark_and_a_link() -> None:
    """Discord has no images in text."""
    assert html("![alt](https://a.example/i.png)") == f'<p>!<a href="https://a.example/i.png" {LINK}>alt</a></p>'


def test_inline_text_has_no_blocks() -> None:
    """An embed's title is one line of spans."""
    assert render_inline("# **a**\n- b", name_of) == "# <strong>a</strong><br>- b"


def test_deep_nesting_ends_as_text() -> None:
    """Hostile depth neither raises nor costs the page its stack."""
    deepest = render("- " * 900 + "x", name_of)
    assert deepest.count("<ul>") == 10
    assert "- - - x" in deepest


ALLOWED = {
    *("p", "br", "strong", "em", "u", "s", "span", "a", "code", "pre"),
    *("h1", "h2", "h3", "ul", "ol", "li", "blockquote", "time"),
}
ALLOWED_ATTRIBUTES = {
    *("class", "href", "target", "rel", "role", "tabindex", "aria-label"),
    *("datetime", "data-style", "start"),
}


class Inspector(HTMLParser):
    """Reads the HTML as a browser would and keeps what must hold of it."""

    def __init__(self, source: str) -> None:
        super().__init__(convert_charrefs=True)
        self.open: list[str] = []
        self.shown = ""
        self.feed(source)
        self.close()

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        assert tag in ALLOWED
        assert {name for name, _ in attrs} <= ALLOWED_ATTRIBUTES
        for name, value in attrs:
            if name == "href":
                assert (value or "").lower().startswith(("http://", "https://"))
                assert ("rel", "noopener noreferrer") in attrs
        if tag != "br":
            self.open.append(tag)

    def handle_endtag(self, tag: str) -> None:
        assert self.open.pop() == tag

    def handle_data(self, data: str) -> None:
        self.shown += data

    def handle_comment(self, data: str) -> None:
        raise AssertionError("a comment came through")


@pytest.mark.parametrize(
    "attack",
    [
        "<script>alert(1)</script>",
        "<img src=x onerror=alert(1)>",
        "<!-- x --><b>",
        '[x](https://a" onclick="alert(1))',
        '<https://a"onclick=x>',
        'https://a.example/"><script>alert(1)</script>',
        "[<img src=x>](https://a.example)",
        "```html\n<script>alert(1)</script>\n```",
        '```"><script>\nx\n```',
        "`<script>`",
        "||<script>||",
        "<a:<script>:1>",
        "</<script>:1>",
        "&lt;script&gt; &#60;b&#62;",
    ],
)
def test_no_attack_becomes_markup(attack: str) -> None:
    """Raw HTML is text, whatever form of Markdown it hides in."""
    for source in (render(attack, name_of), render_inline(attack, name_of)):
        Inspector(source)
        assert "<script" not in source
        assert "<img" not in source


def test_a_hostile_name_is_text() -> None:
    """Names come from people as well."""
    assert render("<@1>", lambda kind, user_id: "<b>x</b>") == (
        '<p><span class="mention">@&lt;b&gt;x&lt;/b&gt;</span></p>'
    )


PIECES = st.sampled_from(
    [
        *("*", "**", "_", "__", "~~", "||", "`", "```", "```py\n", "\n", "\n\n", "> ", ">>> ", "- ", "1. ", "  "),
        *("# ", "-# ", "[", "](", ")", "https://a.example", "<", ">", "<@1>", "<t:1:R>", "\\", "@everyone", "<b>"),
        *("javascript:", '"', "&", "word", "é", "👍", "\x00", "\t", "\r"),
    ]
)


@given(st.one_of(st.text(max_size=300), st.lists(PIECES, max_size=60).map("".join)))
def test_any_text_gives_balanced_allowed_tags(text: str) -> None:
    """Rendering never raises and never makes a tag, an attribute or an address that is not on the list."""
    for source in (render(text, name_of), render_inline(text, name_of)):
        assert Inspector(source).open == []


@given(st.lists(st.sampled_from(["word", "\n", "é", "<b>", "&", "👍", "1", "."]), max_size=60).map("".join))
def test_plain_text_is_shown_whole(text: str) -> None:
    """Nothing of a text without Markdown is lost, white space at its ends and between its lines apart."""
    assert "".join(Inspector(render(text, name_of)).shown.split()) == "".join(text.split())


@pytest.mark.parametrize(
    ("typed", "sent"),
    [
        ("@Parley hi", "<@7> hi"),
        ("hi @parley!", "hi <@7>!"),
        ("@Ada Lovelace", "<@8>"),
        ("@Ada", "<@6>"),
        ("@Adam me@Ada.example <@Ada", "@Adam me@Ada.example <@Ada"),
    ],
)
def test_a_typed_name_becomes_a_mention(typed: str, sent: str) -> None:
    """The longest known name after an @ is sent as its id; other text stays."""
    assert mentions_from_names(typed, {"Parley": "7", "Ada": "6", "Ada Lovelace": "8"}) == sent


def test_the_style_sheet_colours_the_classes_that_highlighting_uses() -> None:
    """Without it, code blocks would have classes and no colours."""
    assert "pre .tok-kc {" in style_sheet()
