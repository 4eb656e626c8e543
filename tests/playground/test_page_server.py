"""The page's server over real sockets: what a tab is told, what it may ask for."""

from __future__ import annotations

import asyncio

import aiohttp
import msgspec
import pytest

from bot.playground.page.server import Page
from bot.playground.page.session import SNAPSHOT_MESSAGES, Session
from bot.playground.page.standin_port import StandinPort
from tests.playground.page_chat import ScriptedChat, button, row
from tests.playground.page_tab import Served

PARAGRAPHS = ("**words** and `code`, " * 20 + "\n\n") * 4


async def test_the_first_event_is_all_that_is_shown(served: Served) -> None:
    """Server, people, channels with the DM, the first channel's messages, the notice."""
    served.chat.answer("**hi**")
    async with served.tab() as (_, snapshot):
        assert snapshot["type"] == "snapshot"
        assert (snapshot["server"], snapshot["notice"]) == ("Playground", "A <small> model answers.")
        assert [person["name"] for person in snapshot["people"]] == ["Ada", "Bo", "Chi"]
        assert (snapshot["me"]["name"], snapshot["bot"]["name"]) == ("Ada", "Parley")
        shown = [(channel["kind"], channel["name"]) for channel in snapshot["channels"]]
        assert sorted(shown) == [("dm", "Parley"), ("text", "general"), ("text", "help"), ("text", "random")]
        assert snapshot["channel"]["name"] == "general"
        assert [message["html"] for message in snapshot["messages"]] == ["<p><strong>hi</strong></p>"]


async def test_what_is_said_appears_with_mentions_as_ids(served: Served) -> None:
    """A typed @Parley is the mention that the bot listens for."""
    async with served.tab() as (tab, _):
        told = await tab.ask("say", content="@Parley hello")
        assert told["type"] == "message.create"
        assert told["message"]["html"] == '<p><span class="mention">@Parley</span> hello</p>'
    (message,) = served.chat.world.messages(served.chat.general.id)
    assert message["content"] == f"<@{served.chat.world.bot.id}> hello"
    assert message["author"]["id"] == served.chat.ada.id


async def test_a_reply_names_its_original(served: Served) -> None:
    """The line above the message."""
    first = served.chat.answer("first")
    async with served.tab() as (tab, _):
        told = await tab.ask("say", content="second", reply_to=first)
        assert told["message"]["reply"] == {"message_id": first, "author": "Parley", "text_html": "first"}


async def test_edits_reactions_and_deletions_are_told_by_id(served: Served) -> None:
    """Each event names the one message that changed."""
    message_id = served.chat.answer("a")
    async with served.tab() as (tab, _):
        served.chat.edit(message_id, "b")
        told = await tab.told()
        assert (told["type"], told["message"]["id"]) == ("message.update", message_id)
        assert (told["message"]["html"], told["message"]["edited"]) == ("<p>b</p>", True)
        told = await tab.ask("react", message_id=message_id, emoji="👍")
        assert told["message"]["reactions"] == [{"emoji": "👍", "count": 1, "custom": False}]
        assert await tab.ask("delete", message_id=message_id) == {"type": "message.delete", "message_id": message_id}


async def test_a_press_is_pending_until_the_bot_answers_or_fails(served: Served) -> None:
    """The button waits; then the mark goes, or people read that it failed."""
    message_id = served.chat.answer("a", components=(row(button("go", "Go")),))
    async with served.tab() as (tab, _):
        pending = {"type": "press.pending", "message_id": message_id, "custom_id": "go"}
        assert await tab.ask("press", message_id=message_id, custom_id="go") == pending
        served.chat.answer_press()
        assert await tab.told() == {"type": "press.answered", "message_id": message_id}
        assert await tab.ask("press", message_id=message_id, custom_id="go") == pending
        served.chat.miss_press()
        assert await tab.told() == {"type": "press.failed", "message_id": message_id}


async def test_another_persons_press_is_not_ones_own(served: Served) -> None:
    """Its failure is shown to who pressed."""
    message_id = served.chat.answer("a", components=(row(button("go", "Go")),))
    async with served.tab() as (tab, _):
        await served.chat.press(served.chat.bo.id, message_id, "go")
        served.chat.miss_press()
        served.chat.answer("next")
        assert (await tab.told())["type"] == "message.create"


async def test_typing_is_told_of_others_only(served: Served) -> None:
    """One knows that one types oneself."""
    async with served.tab() as (tab, _):
        await served.chat.typing(served.chat.ada.id, served.chat.general.id)
        served.chat.bot_types()
        assert await tab.told() == {"type": "typing.start", "user_id": served.chat.world.bot.id, "name": "Parley"}


async def test_an_ephemeral_message_is_for_one_person(served: Served) -> None:
    """Another identity sees nothing of it, neither live nor in the snapshot."""
    async with served.tab() as (tab, _):
        served.chat.answer("secret", flags=64, ephemeral_to=served.chat.bo.id)
        served.chat.answer("open")
        assert (await tab.told())["message"]["html"] == "<p>open</p>"
        as_bo = await tab.ask("identity", user_id=served.chat.bo.id)
        assert [message["ephemeral"] for message in as_bo["messages"]] == [True, False]


async def test_another_channel_is_marked_unread_and_can_be_opened(served: Served) -> None:
    """Only the shown channel's messages are sent."""
    async with served.tab() as (tab, _):
        served.chat.answer("there", served.chat.random)
        assert await tab.told() == {"type": "unread", "channel_id": served.chat.random.id}
        snapshot = await tab.ask("switch", channel_id=served.chat.random.id)
        assert snapshot["channel"]["name"] == "random"
        assert [message["html"] for message in snapshot["messages"]] == ["<p>there</p>"]


async def test_another_identity_leaves_a_dm_that_is_not_its_own(served: Served) -> None:
    """A DM belongs to one person and the bot."""
    async with served.tab() as (tab, snapshot):
        dm = next(channel for channel in snapshot["channels"] if channel["kind"] == "dm")
        assert (await tab.ask("switch", channel_id=dm["id"]))["channel"] == dm
        as_bo = await tab.ask("identity", user_id=served.chat.bo.id)
        assert as_bo["channel"]["kind"] == "text"
        assert dm not in as_bo["channels"]
        assert (await tab.ask("switch", channel_id=dm["id"]))["type"] == "error"


async def test_a_new_thread_is_listed(served: Served) -> None:
    """It hangs on its channel."""
    async with served.tab() as (tab, _):
        served.chat.world.start_thread(served.chat.general, "aside", served.chat.ada.id)
        told = await tab.told()
        assert told["type"] == "channels"
        thread = next(channel for channel in told["channels"] if channel["kind"] == "thread")
        assert (thread["name"], thread["parent_id"]) == ("aside", served.chat.general.id)


async def test_a_thread_that_is_archived_and_a_channel_that_is_deleted_are_told(served: Served) -> None:
    """Each time as the whole list."""
    world = served.chat.world
    thread = world.start_thread(served.chat.general, "aside", served.chat.ada.id)
    async with served.tab() as (tab, _):
        world.set_archived(thread.id, True)
        told = await tab.told()
        assert [channel["archived"] for channel in told["channels"] if channel["kind"] == "thread"] == [True]
        world.delete_channel(served.chat.general.id)
        told = await tab.told()
        assert [channel["name"] for channel in told["channels"] if channel["kind"] != "dm"] == ["random", "help"]
        assert (await tab.ask("switch", channel_id=served.chat.general.id))["type"] == "error"


COMMAND = {"name": "stop", "type": 1, "description": "Stops the answer"}


async def test_commands_are_told_and_called(served: Served) -> None:
    """A call is confirmed like a text, and is no message."""
    async with served.tab() as (tab, snapshot):
        assert snapshot["commands"] == []
        served.chat.register(COMMAND)
        told = await tab.told()
        assert told == {
            "type": "commands",
            "commands": [{"name": "stop", "description": "Stops the answer", "options": [], "label": "stop"}],
        }
        assert await tab.ask("say", content="/stop", nonce=1) == {"type": "said", "nonce": 1}
        assert (await tab.ask("say", content="/stop now", nonce=2))["nonce"] == 2
    assert served.chat.called == [("stop", {})]
    assert served.chat.world.messages(served.chat.general.id) == []


async def test_a_command_that_is_not_answered_in_time_is_told(served: Served) -> None:
    """To who used it."""
    served.chat.register(COMMAND)
    async with served.tab() as (tab, _):
        await tab.ask("say", content="/stop", nonce=1)
        served.chat.miss_press()
        assert await tab.told() == {"type": "error", "text": "The application did not respond.", "nonce": None}


@pytest.mark.parametrize(
    "frame",
    [
        "",
        "no json",
        "[]",
        "{}",
        '{"type": "unknown"}',
        '{"type": "say"}',
        '{"type": "say", "content": ""}',
        '{"type": "say", "content": 5}',
        msgspec.json.encode({"type": "say", "content": "x" * 2001}).decode(),
        '{"type": "press", "message_id": "x", "custom_id": "y"}',
        '{"type": "press", "message_id": "1", "custom_id": "y"}',
        '{"type": "delete", "message_id": "1"}',
        '{"type": "react", "message_id": "1", "emoji": "👍"}',
        '{"type": "switch", "channel_id": "1"}',
        '{"type": "identity", "user_id": "1"}',
    ],
)
async def test_what_is_no_command_is_answered_with_an_error(served: Served, frame: str) -> None:
    """The tab is told why, nothing happens in the chat, and the connection stays."""
    async with served.tab() as (tab, _):
        assert (await tab.send_raw(frame))["type"] == "error"
        assert (await tab.ask("say", content="still here"))["type"] == "message.create"


async def test_a_message_that_mentions_make_too_long_is_refused(served: Served) -> None:
    """Discord counts the ids, not the names."""
    async with served.tab() as (tab, _):
        refused = await tab.ask("say", content="@Ada " * 400)
        assert refused["type"] == "error"
        assert "too long" in refused["text"]


BROKEN = ({"title": "t", "color": "red"},)
"""Embeds that no page can draw: a colour is a number."""


async def test_a_message_that_cannot_be_drawn_leaves_the_others(served: Served) -> None:
    """In the snapshot and live, it is named in its place."""
    chat = served.chat
    chat.answer("before")
    broken = chat.answer("broken", embeds=BROKEN)
    async with served.tab() as (tab, snapshot):
        before, shown = snapshot["messages"]
        assert before["html"] == "<p>before</p>"
        assert (shown["id"], shown["html"]) == (broken, "<p><em>This message cannot be shown.</em></p>")
        chat.answer("live", embeds=BROKEN)
        assert "cannot be shown" in (await tab.told())["message"]["html"]
        chat.edit(broken, "mended", embeds=())
        assert (await tab.told())["message"]["html"] == "<p>mended</p>"


async def test_half_a_surrogate_pair_is_replaced(served: Served) -> None:
    """JSON can hold one, UTF-8 cannot: in a message, a file's name, a thread's name."""
    chat, half = served.chat, "\ud83d"
    files = ({"id": "1", "filename": half, "size": 1, "content_type": "text/plain", "url": ""},)
    chat.answer(f"a{half}b `{half}`", attachments=files, embeds=({"title": half},))
    chat.world.start_thread(chat.general, half, chat.ada.id)
    async with served.tab() as (tab, snapshot):
        message, started = snapshot["messages"]
        assert started["html"] == "<p><em>Ada started a thread: \ufffd</em></p>"
        assert message["html"] == "<p>a\ufffdb <code>\ufffd</code></p>"
        assert message["attachments"][0]["name"] == message["embeds"][0]["title_html"] == "\ufffd"
        assert "\ufffd" in [channel["name"] for channel in snapshot["channels"]]
        chat.answer(half)
        assert (await tab.told())["message"]["html"] == "<p>\ufffd</p>"


async def test_a_tab_comes_back_to_its_person_and_channel(served: Served) -> None:
    """Its address says where it was."""
    bo, random = served.chat.bo.id, served.chat.random.id
    async with served.tab(user=bo, channel=random) as (_, snapshot):
        assert (snapshot["me"]["id"], snapshot["channel"]["id"]) == (bo, random)


async def test_a_place_that_is_gone_is_the_first_one(served: Served) -> None:
    """Such as after a restart of the playground, and for another person's DM."""
    served.chat.answer("hi")
    async with served.tab(user="1", channel="2") as (_, snapshot):
        assert (snapshot["me"]["name"], snapshot["channel"]["name"]) == ("Ada", "general")
        dm = next(channel for channel in snapshot["channels"] if channel["kind"] == "dm")
    async with served.tab(user=served.chat.bo.id, channel=dm["id"]) as (_, snapshot):
        assert (snapshot["me"]["name"], snapshot["channel"]["name"]) == ("Bo", "general")


async def test_each_text_is_confirmed_or_refused_by_its_nonce(served: Served) -> None:
    """So that the browser knows which one to give back."""
    async with served.tab() as (tab, _):
        await tab.tell("say", content="taken", nonce=7)
        told = {event["type"]: event for event in (await tab.told(), await tab.told())}
        assert told["said"] == {"type": "said", "nonce": 7}
        assert told["message.create"]["message"]["html"] == "<p>taken</p>"
        refused = await tab.ask("say", content="@Ada " * 400, nonce=8)
        assert (refused["type"], refused["nonce"]) == ("error", 8)


async def test_a_snapshot_holds_the_last_messages(served: Served) -> None:
    """And says whether there are older ones."""
    chat = served.chat
    ids = [chat.answer(str(number)) for number in range(SNAPSHOT_MESSAGES)]
    async with served.tab() as (tab, snapshot):
        assert [message["id"] for message in snapshot["messages"]] == ids
        assert not snapshot["has_older"]
        ids.append(chat.answer("one more"))
        await tab.told()
        snapshot = await tab.ask("switch", channel_id=chat.general.id)
        assert [message["id"] for message in snapshot["messages"]] == ids[1:]
        assert snapshot["has_older"]


async def test_a_long_snapshot_lets_the_event_loop_run() -> None:
    """The bot and other tabs go on while it is drawn: no more than one message is drawn at a time."""
    chat = ScriptedChat()
    for _ in range(SNAPSHOT_MESSAGES):
        chat.answer(PARAGRAPHS)
    drawing = asyncio.create_task(Session(StandinPort(chat), "").snapshot())
    turns = 0
    while not drawing.done():
        await asyncio.sleep(0)
        turns += 1
    assert len(drawing.result().messages) == SNAPSHOT_MESSAGES
    assert turns >= SNAPSHOT_MESSAGES


class _EditsMeanwhile(StandinPort):
    """Edits the first message of #random once that has been drawn, while the second is."""

    def __init__(self, chat: ScriptedChat) -> None:
        super().__init__(chat)
        self._chat = chat
        self._first = chat.answer("old", chat.random)
        chat.answer("second", chat.random)
        self._drawn = 0

    def may_moderate(self, user_id: str, channel_id: str) -> bool:
        self._drawn += 1
        if self._drawn == 2:
            self._chat.edit(self._first, "new")
        return super().may_moderate(user_id, channel_id)


async def test_what_happens_while_a_snapshot_is_drawn_is_told_after_it() -> None:
    """Else the older snapshot would undo it in the browser."""
    chat = ScriptedChat()
    page = Page(_EditsMeanwhile(chat))
    await page.start(port=0)
    async with aiohttp.ClientSession() as http, Served(chat, page, http).tab() as (tab, _):
        snapshot = await tab.ask("switch", channel_id=chat.random.id)
        assert [message["html"] for message in snapshot["messages"]] == ["<p>old</p>", "<p>second</p>"]
        assert (await tab.told())["message"]["html"] == "<p>new</p>"
    await page.stop()


@pytest.mark.parametrize(
    ("place", "content", "is_unheard"),
    [
        ("general", "hello", True),
        ("general", "@Bo hello", True),
        ("general", "hello @parley", False),
        ("dm", "hello", False),
    ],
)
async def test_the_page_knows_when_the_bot_will_not_answer(
    served: Served, place: str, content: str, is_unheard: bool
) -> None:
    """In a server it answers to mentions, in a DM to all."""
    async with served.tab() as (tab, snapshot):
        if place == "dm":
            dm = next(channel for channel in snapshot["channels"] if channel["kind"] == "dm")
            await tab.ask("switch", channel_id=dm["id"])
        assert (await tab.ask("say", content=content))["is_unheard"] is is_unheard


async def test_a_reply_to_the_bot_is_heard_and_others_are_not_ones_own(served: Served) -> None:
    """A hint is for who wrote."""
    answer = served.chat.answer("hi")
    async with served.tab() as (tab, _):
        assert not (await tab.ask("say", content="why?", reply_to=answer))["is_unheard"]
        await served.chat.say(served.chat.bo.id, served.chat.general.id, "hello")
        assert not (await tab.told())["is_unheard"]
