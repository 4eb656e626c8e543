"""Discord's message JSON as the view that the page draws."""

from __future__ import annotations

from typing import Any

import msgspec
import pytest

from bot.playground.page.component_views import (
    ButtonView,
    ComponentView,
    ContainerView,
    GalleryView,
    MediaView,
    OptionView,
    RowView,
    SectionView,
    SelectView,
    SeparatorView,
    TextView,
)
from bot.playground.page.file_views import FileView
from bot.playground.page.mentions import Mention
from bot.playground.page.views import MessageView, ReactionView, ReplyView, ThreadView, author_view, message_view

ADA = {"id": "101", "username": "ada", "global_name": "Ada Lovelace"}
BOT = {"id": "102", "username": "Parley", "global_name": None, "bot": True}
XSS = "<img src=x onerror=alert(1)>"


def view(viewer: str = "101", *, may_moderate: bool = False, **fields: Any) -> MessageView:
    message = {"id": "5", "channel_id": "9", "author": BOT, "content": "", "timestamp": "2026-01-01T00:00:00+00:00"}
    return message_view({**message, **fields}, viewer, name_of, may_moderate=may_moderate)


def name_of(kind: Mention, id: str) -> str | None:  # noqa: A002 - the protocol's name
    return None


def test_an_author_has_initials_a_shade_and_the_app_tag() -> None:
    """The avatar is drawn from name and id alone; a bot is marked."""
    ada = author_view(ADA)
    assert (ada.name, ada.initials, ada.is_app) == ("Ada Lovelace", "AL", False)
    assert author_view(BOT).is_app
    assert {author_view({**ADA, "id": str(number)}).shade for number in range(100, 112)} == set(range(6))


def test_content_is_html_and_edits_are_marked() -> None:
    """The mark stands when Discord gives a time of the edit."""
    assert view(content="**a**").html == "<p><strong>a</strong></p>"
    assert not view(edited_timestamp=None).edited
    assert view(edited_timestamp="2026-01-01T00:00:01+00:00").edited


@pytest.mark.parametrize(
    ("fields", "expected"),
    [
        ({}, None),
        ({"message_reference": {"message_id": "3"}, "referenced_message": None}, ReplyView(None)),
        (
            {
                "message_reference": {"message_id": "3"},
                "referenced_message": {"id": "3", "author": ADA, "content": "# a\n**b**" + " c" * 200},
            },
            ReplyView("3", "Ada Lovelace", "# a <strong>b</strong>" + (" c" * 200)[:141]),
        ),
        ({"message_reference": {"message_id": "3", "type": 1}}, None),
    ],
)
def test_a_reply_shows_one_line_of_its_original(fields: dict[str, Any], expected: ReplyView | None) -> None:
    """Cut to 150 characters on one line; a deleted original is said to be gone; a forward is no reply."""
    assert view(**fields).reply == expected


@pytest.mark.parametrize(
    ("flags", "ephemeral", "thinking"), [(0, False, False), (64, True, False), (128, False, True), (192, True, True)]
)
def test_flags_say_ephemeral_and_thinking(flags: int, ephemeral: bool, thinking: bool) -> None:
    """1 << 6 is only for one person, 1 << 7 waits for its content."""
    shown = view(flags=flags, may_moderate=True)
    assert (shown.ephemeral, shown.thinking, shown.can_delete) == (ephemeral, thinking, not ephemeral)


def test_own_messages_can_be_deleted_and_others_by_who_may_moderate() -> None:
    """As Manage Messages has it."""
    assert view(author=ADA, viewer="101").can_delete
    assert not view(author=ADA, viewer="999").can_delete
    assert view(author=ADA, viewer="999", may_moderate=True).can_delete


def test_a_mention_of_the_viewer_is_marked() -> None:
    """By name or by @everyone."""
    assert view(mentions=[ADA]).mentions_viewer
    assert view(mention_everyone=True).mentions_viewer
    assert not view(mentions=[BOT]).mentions_viewer


def test_an_embed_keeps_its_parts_and_escapes_them() -> None:
    """Titles and field names are spans, descriptions and values blocks, the rest plain text."""
    (embed,) = view(
        embeds=[
            {
                "title": f"# *t* {XSS}",
                "url": "javascript:alert(1)",
                "description": f"# d\n{XSS}",
                "color": 0xFF,
                "author": {"name": XSS},
                "footer": {"text": XSS},
                "fields": [{"name": XSS, "value": f"- v {XSS}", "inline": True}],
            }
        ]
    ).embeds
    assert embed.color == "#0000ff"
    assert embed.url is None
    assert embed.title_html.startswith("# <em>t</em> &lt;img")
    assert embed.description_html.startswith("<h1>d</h1>")
    assert (embed.author, embed.footer) == (XSS, XSS)
    assert embed.fields[0].inline
    html = (embed.title_html, embed.description_html, embed.fields[0].name_html, embed.fields[0].value_html)
    assert not any("<img" in part for part in html)


def test_suppressed_embeds_are_not_shown() -> None:
    """Flag 1 << 2."""
    assert view(flags=4, embeds=[{"title": "t"}]).embeds == ()


def test_components_are_rows_of_buttons_and_selects() -> None:
    """A link button has an address only if it is http(s), and no custom id."""
    buttons = [
        {"type": 2, "style": 4, "label": "Stop", "custom_id": "stop", "emoji": {"name": "🛑"}, "disabled": True},
        {"type": 2, "style": 5, "label": "Docs", "url": "https://a.example"},
        {"type": 2, "style": 5, "label": "Bad", "url": "javascript:alert(1)"},
        {"type": 2, "style": 2, "custom_id": "e", "emoji": {"name": "wave", "id": "7"}},
    ]
    option = {"label": "One", "value": "1", "description": "the first", "emoji": {"name": "🥇"}, "default": True}
    select = {"type": 3, "custom_id": "m", "options": [option], "disabled": True, "min_values": 0}
    people = {"type": 7, "custom_id": "p", "placeholder": "Who?", "max_values": 3, "default_values": [{"id": "5"}]}
    shown = view(components=[{"type": 1, "components": buttons}, {"type": 1, "components": [select, people]}])
    assert shown.components == (
        RowView(
            (
                ButtonView("Stop", "🛑", 4, True, custom_id="stop"),
                ButtonView("Docs", "", 5, False, url="https://a.example"),
                ButtonView("Bad", "", 5, False),
                ButtonView("", ":wave:", 2, False, custom_id="e"),
            )
        ),
        RowView(
            (
                SelectView(
                    custom_id="m",
                    placeholder="Make a selection",
                    disabled=True,
                    required=True,
                    min_values=0,
                    max_values=1,
                    options=(OptionView("1", "One", "the first", "🥇"),),
                    of=(),
                    channel_types=(),
                    chosen=("1",),
                ),
                SelectView(
                    custom_id="p",
                    placeholder="Who?",
                    disabled=False,
                    required=True,
                    min_values=1,
                    max_values=3,
                    options=(),
                    of=("user", "role"),
                    channel_types=(),
                    chosen=("5",),
                ),
            )
        ),
    )


GO = {"type": 2, "style": 1, "label": "Go", "custom_id": "go"}


GO = {"type": 2, "style": 1, "label": "Go", "custom_id": "go"}
GO_VIEW = RowView((ButtonView("Go", "", 1, False, custom_id="go"),))
A, A_VIEW = {"type": 10, "content": "a"}, TextView("<p>a</p>")
ELSEWHERE = {"media": {"url": "https://a.example/x.png"}, "description": "x", "spoiler": True}
LINK = MediaView(None, "https://a.example/x.png", "x", is_spoiler=True)


@pytest.mark.parametrize(
    ("component", "expected"),
    [
        ({"type": 10, "content": "**a**"}, TextView("<p><strong>a</strong></p>")),
        ({"type": 14}, SeparatorView(has_line=True, is_large=False)),
        ({"type": 14, "divider": False, "spacing": 2}, SeparatorView(has_line=False, is_large=True)),
        ({"type": 9, "components": [A], "accessory": GO}, SectionView((A_VIEW,), GO_VIEW)),
        ({"type": 9, "components": [A], "accessory": {"type": 11, **ELSEWHERE}}, SectionView((A_VIEW,), LINK)),
        (
            {"type": 17, "accent_color": 255, "components": [A, {"type": 14}, {"type": 1, "components": [GO]}]},
            ContainerView("#0000ff", is_spoiler=False, parts=(A_VIEW, SeparatorView(), GO_VIEW)),
        ),
        ({"type": 17, "spoiler": True, "components": [A]}, ContainerView(None, is_spoiler=True, parts=(A_VIEW,))),
        ({"type": 12, "items": [ELSEWHERE]}, GalleryView((LINK,))),
        ({"type": 12, "items": [{"media": {"url": "javascript:x"}}]}, GalleryView((MediaView(None, None, "", False),))),
        ({"type": 999}, TextView("<p>[component]</p>")),
    ],
)
def test_layout_components_hold_what_they_show(component: dict[str, Any], expected: ComponentView) -> None:
    """What is not drawn is named; an address elsewhere is a link, and only if it is http(s)."""
    shown = view(flags=1 << 15, components=[component])
    assert (shown.html, shown.components) == ("", (expected,))


def test_with_components_v2_a_file_is_where_a_component_shows_it() -> None:
    """And nowhere else."""
    file = {"id": "1", "filename": "a.png", "size": 1, "content_type": "image/png", "url": "http://cdn/a.png"}
    component = {"type": 13, "file": {"url": "http://cdn/a.png"}}
    shown = view(flags=1 << 15, attachments=[file], components=[component])
    assert shown.attachments == ()
    (media,) = shown.components
    assert isinstance(media, MediaView)
    assert media.file == FileView("a.png", "/attachments/5/1/a.png", "1 B", True, "")


def test_a_picture_that_an_embed_shows_is_no_attachment_beside_it() -> None:
    """A picture from elsewhere is not loaded."""
    file = {"id": "1", "filename": "a.png", "size": 1, "content_type": "image/png", "url": "http://cdn/a.png"}
    embeds = [{"image": {"url": "http://cdn/a.png"}}, {"image": {"url": "https://a.example/b.png"}}]
    shown = view(attachments=[file], embeds=embeds)
    assert shown.attachments == ()
    assert [embed.image and embed.image.name for embed in shown.embeds] == ["a.png", None]


@pytest.mark.parametrize(
    ("fields", "is_explained"),
    [
        ({}, True),
        ({"activity": {"type": 1}}, True),
        ({"sticker_items": [{"id": "1", "name": "wave", "format_type": 1}]}, False),
        ({"content": "x"}, False),
        ({"flags": 128}, False),
        ({"embeds": [{"title": "t"}]}, False),
        ({"components": [{"type": 999}]}, False),
        ({"attachments": [{"id": "1", "filename": "a.txt", "size": 1}]}, False),
    ],
)
def test_a_message_of_nothing_that_is_drawn_says_so(fields: dict[str, Any], is_explained: bool) -> None:
    """An empty line would look like a fault."""
    assert ("nothing that can be shown" in view(**fields).html) is is_explained


@pytest.mark.parametrize(
    ("timestamp", "shown"),
    [
        ("2026-01-01T00:00:00Z", "2026-01-01T00:00:00+00:00"),
        ("2026-01-01T00:00:00.5+02:00", "2026-01-01T00:00:00.500000+02:00"),
        ("soon", None),
        ("", None),
        (None, None),
        (5, None),
    ],
)
def test_an_embeds_timestamp_is_a_date_or_left_out(timestamp: object, shown: str | None) -> None:
    """Any text may stand there."""
    (embed,) = view(embeds=[{"title": "t", "timestamp": timestamp}]).embeds
    assert embed.timestamp == shown


def test_reactions_have_counts() -> None:
    """A server's own emoji is shown by its name."""
    reactions = [{"emoji": {"id": None, "name": "👍"}, "count": 2}, {"emoji": {"id": "7", "name": "wave"}, "count": 1}]
    assert view(reactions=reactions).reactions == (ReactionView("👍", 2, False), ReactionView(":wave:", 1, True))


def test_a_started_thread_is_linked() -> None:
    """The thread of a message can be opened from it."""
    assert view(thread={"id": "5", "name": "more"}).thread == ThreadView("5", "more")


def test_a_view_is_json() -> None:
    """It goes over the WebSocket as it is."""
    shown = view(content="x", components=[{"type": 1, "components": [{"type": 3, "custom_id": "m", "options": []}]}])
    assert msgspec.json.decode(msgspec.json.encode(shown), type=MessageView) == shown


def test_a_forward_shows_what_it_passes_on_with_its_files() -> None:
    shown = {"content": f"**old** {XSS}", "attachments": [{"id": "1", "filename": "a.txt", "size": 1}], "embeds": []}
    drawn = view(message_snapshots=[{"message": shown}])
    assert drawn.html.startswith("<blockquote><p><em>Forwarded</em></p><p><strong>old</strong>")
    assert XSS not in drawn.html
    assert [file.name for file in drawn.attachments] == ["a.txt"]


def test_a_poll_shows_its_answers_and_votes() -> None:
    poll = {
        "question": {"text": f"Tea {XSS}?"},
        "answers": [{"answer_id": nr, "poll_media": {"text": text}} for nr, text in ((1, "Yes"), (2, "No"))],
        "allow_multiselect": False,
        "results": {"is_finalized": False, "answer_counts": [{"id": 2, "count": 3, "me_voted": False}]},
    }
    html = view(poll=poll).html
    assert "<li>Yes · 0</li><li>No · 3</li>" in html
    assert "Choose one" in html
    assert XSS not in html
    assert "The poll is over" in view(poll={**poll, "results": {"is_finalized": True, "answer_counts": []}}).html


def test_stickers_are_named() -> None:
    assert view(sticker_items=[{"id": "1", "name": f"Wave {XSS}"}]).html.startswith("<p><em>Sticker: Wave &lt;img")


@pytest.mark.parametrize(
    ("fields", "words"),
    [
        ({"type": 7}, "Parley joined the server."),
        ({"type": 18, "content": XSS}, "Parley started a thread: &lt;img"),
        ({"type": 21, "referenced_message": {"content": "*first*"}}, "<em>first</em>"),
        ({"type": 21, "referenced_message": None}, "The first message is gone."),
    ],
)
def test_what_discord_itself_says_is_drawn(fields: dict[str, Any], words: str) -> None:
    assert words in view(**fields).html
