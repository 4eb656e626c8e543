"""The page's forms, selects and suggestions, as its WebSocket speaks of them."""

from __future__ import annotations

from io import BytesIO
from typing import Any

import pytest

from bot.playground.page.component_views import OptionView, TextView
from bot.playground.page.modal_views import (
    CheckboxView,
    ChoicesView,
    FilesView,
    InputView,
    LabelView,
    ModalView,
    modal_view,
)
from bot.playground.standin.permissions import MEMBER_DEFAULT
from tests.playground.page_chat import button, label, row, select, text_input
from tests.playground.page_tab import Served, Tab

NAME = label("Name", text_input("name"))


async def open_form(served: Served, tab: Tab, *parts: dict[str, Any]) -> str:
    """By a button; the id of the form."""
    message_id = served.chat.answer("panel", components=(row(button("edit", "Edit")),))
    assert (await tab.told())["type"] == "message.create"
    await tab.ask("press", message_id=message_id, custom_id="edit")
    served.chat.open_modal("Form", *parts)
    told = await tab.told()
    assert (told["type"], told["message_id"], told["modal"]["title"]) == ("modal.open", message_id, "Form")
    return str(told["modal"]["id"])


async def test_a_form_is_shown_to_who_pressed_and_closed_when_it_is_taken(served: Served) -> None:
    """In the tab where they did."""
    async with served.tab() as (tab, _), served.tab() as (other, _):
        form = await open_form(served, tab, NAME)
        await tab.tell("submit", form=form, values={"name": "Ada"})
        await served.chat.until(lambda: served.chat.filled)
        served.chat.answer_press()
        assert await tab.told() == {"type": "modal.done", "form": form}
        assert (await other.told())["type"] == "message.create"
    assert served.chat.filled == [{"name": "Ada"}]


async def test_a_form_that_the_bot_does_not_take_stays_open(served: Served) -> None:
    """And can be sent again; also from a connection that is new."""
    async with served.tab() as (tab, _):
        form = await open_form(served, tab, NAME)
        await tab.tell("submit", form=form, values={"name": "Ada"})
        await served.chat.until(lambda: served.chat.filled)
        served.chat.miss_press()
        again = "Something went wrong. Try again."
        assert await tab.told() == {"type": "modal.failed", "form": form, "text": again}
    async with served.tab() as (tab, _):
        await tab.tell("submit", form=form, values={"name": "Bo"})
        await served.chat.until(lambda: len(served.chat.filled) == 2)
        served.chat.answer_press()
        assert await tab.told() == {"type": "modal.done", "form": form}


async def test_nobody_fills_in_anothers_form(served: Served) -> None:
    """Nor one that there never was."""
    async with served.tab() as (tab, _):
        form = await open_form(served, tab, NAME)
        gone = "This form is no longer open."
        for asked, by in ((form, served.chat.bo.id), ("1", served.chat.ada.id)):
            await tab.ask("identity", user_id=by)
            told = await tab.ask("submit", form=asked, values={"name": "x"})
            assert told == {"type": "modal.failed", "form": asked, "text": gone}


async def test_a_form_takes_files_that_were_given_to_the_page_before(served: Served) -> None:
    """Named by the id that the page gave them."""
    files = label("Files", {"type": 19, "custom_id": "files", "max_values": 2})
    async with served.tab() as (tab, _):
        form = await open_form(served, tab, files, NAME)
        upload_id = await upload(served, "a b.txt", b"text")
        await tab.tell("submit", form=form, values={"files": [upload_id], "name": "n"})
        await served.chat.until(lambda: served.chat.filled)
        assert served.chat.filled == [{"files": [("a b.txt", b"text")], "name": "n"}]
        told = await tab.ask("submit", form=form, values={"files": ["nothing"], "name": "n"})
        assert told["type"] == "modal.failed"


async def upload(served: Served, name: str, body: bytes) -> str:
    async with served.http.post(
        f"{served.page.url}/uploads/{name}", data=body, headers={"Origin": served.page.url}
    ) as answer:
        return str((await answer.json())["id"])


@pytest.mark.parametrize("origin", [None, "http://a.example", "null"])
async def test_only_the_page_itself_gives_files(served: Served, origin: str | None) -> None:
    """Any web page could post to this port."""
    headers = {} if origin is None else {"Origin": origin}
    async with served.http.post(f"{served.page.url}/uploads/a", data=b"x", headers=headers) as answer:
        assert answer.status == 403


async def test_a_file_beyond_discords_limit_is_refused(served: Served) -> None:
    """10 MiB."""
    too_much = BytesIO(b"x" * (10 * 1024 * 1024 + 1))
    headers = {"Origin": served.page.url}
    async with served.http.post(f"{served.page.url}/uploads/a", data=too_much, headers=headers) as answer:
        assert answer.status == 413


async def test_a_select_is_pressed_with_what_was_chosen(served: Served) -> None:
    """In its order."""
    async with served.tab() as (tab, _):
        message_id = served.chat.answer("panel", components=(row(select("m", "a", "b", max_values=2)),))
        await tab.told()
        told = await tab.ask("press", message_id=message_id, custom_id="m", values=["b", "a"])
        assert told == {"type": "press.pending", "message_id": message_id, "custom_id": "m"}
    assert served.chat.chosen == [("m", ["b", "a"])]


MODEL = {
    "name": "model",
    "type": 1,
    "description": "Chooses a model",
    "description_localizations": {"de": "Wählt ein Modell"},
    "options": [
        {"type": 3, "name": "name", "description": "Its name", "autocomplete": True},
        {"type": 11, "name": "file", "description": "A file"},
        {"type": 9, "name": "who", "description": "Somebody"},
    ],
}


async def test_the_bot_suggests_what_a_value_may_be(served: Served) -> None:
    """And what was picked is what it hears."""
    served.chat.register(MODEL)
    role = served.chat.world.create_role(served.chat.guild, "helpers", MEMBER_DEFAULT)
    async with served.tab() as (tab, _):
        await tab.tell("suggest", content="/model who:nob name:sm", option="name", nonce=3)
        await served.chat.until(lambda: served.chat.wished)
        assert served.chat.wished == [("model", {"name": "sm"}, "name")]
        served.chat.suggest({"name": "Small", "value": "vendor/small"})
        choices = [{"name": "Small", "value": "vendor/small"}]
        assert await tab.told() == {"type": "choices", "nonce": 3, "choices": choices, "failed": False}
        upload_id = await upload(served, "a.json", b"{}")
        picks = {
            "name": {"text": "Small", "value": "vendor/small"},
            "file": {"text": "a.json", "value": upload_id},
            "who": {"text": "helpers", "value": role.id},
        }
        said = await tab.ask("say", content="/model name:Small file:a.json who:helpers", nonce=4, picks=picks)
        assert said == {"type": "said", "nonce": 4}
    assert served.chat.called == [("model", {"name": "vendor/small", "file": ("a.json", b"{}"), "who": role})]


async def test_a_bot_that_suggests_nothing_in_time_is_told(served: Served) -> None:
    """And so is an option that there is not."""
    served.chat.register(MODEL)
    failed = {"type": "choices", "nonce": 1, "choices": [], "failed": True}
    async with served.tab() as (tab, _):
        await tab.tell("suggest", content="/model name:", option="name", nonce=1)
        await served.chat.until(lambda: served.chat.wished)
        served.chat.miss_press()
        assert await tab.told() == failed
        assert await tab.ask("suggest", content="/model x:", option="x", nonce=1) == failed


async def test_a_person_chooses_the_language_of_their_client(served: Served) -> None:
    """Commands are told in it, and it stays theirs."""
    served.chat.register(MODEL)
    async with served.tab() as (tab, snapshot):
        assert (snapshot["locale"], snapshot["commands"][0]["description"]) == ("en-US", "Chooses a model")
        told = await tab.ask("locale", locale="de")
        assert (told["locale"], told["commands"][0]["description"]) == ("de", "Wählt ein Modell")
        assert (await tab.ask("identity", user_id=served.chat.bo.id))["locale"] == "en-US"
        assert (await tab.ask("locale", locale="tlh"))["type"] == "error"


async def test_it_is_told_who_may_manage_the_server(served: Served) -> None:
    """The owner, and who has a role for it."""
    async with served.tab() as (_, snapshot):
        assert snapshot["managers"] == [served.chat.ada.id]
        assert "de" in snapshot["locales"]


def test_every_field_of_a_modal_is_drawn() -> None:
    """With its bounds, as Discord fills them in."""
    options = [{"label": "A", "value": "a", "description": "first"}, {"label": "B", "value": "b", "default": True}]
    modal = {
        "custom_id": "form",
        "title": "Form",
        "components": [
            {"type": 10, "content": "**Read** this"},
            row(text_input("old", label="Old", required=False)),
            label("Long", text_input("long", 2, placeholder="p", value="v", min_length=1, max_length=9)),
            label("One", {"type": 21, "custom_id": "one", "options": options}),
            label("Some", {"type": 22, "custom_id": "some", "options": options, "required": False}, description="d"),
            label("Files", {"type": 19, "custom_id": "files", "min_values": 2, "max_values": 3}),
            label("Yes", {"type": 23, "custom_id": "yes", "default": True}),
        ],
    }
    a, b = OptionView("a", "A", "first"), OptionView("b", "B")
    assert modal_view("5", modal, lambda *_: None) == ModalView(
        "5",
        "Form",
        (
            TextView("<p><strong>Read</strong> this</p>"),
            LabelView("Old", "", InputView("old", False, "", "", False, 0, 4000)),
            LabelView("Long", "", InputView("long", True, "p", "v", True, 1, 9)),
            LabelView("One", "", ChoicesView("one", True, True, 1, 1, (a, b), ("b",))),
            LabelView("Some", "d", ChoicesView("some", False, False, 1, 2, (a, b), ("b",))),
            LabelView("Files", "", FilesView("files", True, 2, 3)),
            LabelView("Yes", "", CheckboxView("yes", True)),
        ),
    )
