"""A persona's answers through a webhook: with discord.py over sockets, held to Discord's rules by the stand-in."""

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from typing import Any

import discord
import pytest
from hypothesis import given
from hypothesis import strategies as st

from bot.delivery.outcome import Fate, Outcome
from bot.delivery.plan import Button, Create, Delete, Edit, FilePlan, MessagePlan
from bot.delivery.webhook_calls import Credentials
from bot.delivery.webhook_sender import Voice, WebhookSender, speakable
from bot.playground.standin.permissions import Permission
from bot.playground.standin.webhooks import check_name
from bot.preferences import Style
from tests.delivery.room import Room, open_room

CODE = FilePlan("code.py", b"print()", "A programme")
STOP = Button("stop", label="Stop")
PICTURE = "https://example.com/ann.png"
POST = r"/webhooks/\d+/[^/]+$"


class Stage:
    """A room with a webhook of ours."""

    def __init__(self, room: Room, webhook: discord.Webhook) -> None:
        self.room = room
        self.webhook = webhook
        self.asked_for_another = 0

    def voice(self, name: str = "Ann", picture: str | None = PICTURE) -> Voice:
        assert self.webhook.token
        thread = self.room.channel if self.room.channel.parent_id else None
        return Voice(self.webhook.id, self.webhook.token, name, picture, int(thread.id) if thread else None)

    def sender(self, name: str = "Ann", *, picture: str | None = PICTURE, **options: Any) -> WebhookSender:
        return WebhookSender(self.room.sender(**options), self.voice(name, picture), self._another)

    async def _another(self) -> Voice | None:
        self.asked_for_another += 1
        self.webhook = await new_webhook(self.room)
        return self.voice()

    @property
    def shown(self) -> list[tuple[str, str]]:
        return [(message["author"]["username"], message["content"]) for message in self.room.messages]

    def statuses(self, method: str = "POST") -> list[int | None]:
        calls = (call for call in self.room.standin.calls if call.method == method and "/webhooks/" in call.path)
        return [call.status for call in calls if not call.path.endswith("/webhooks")]


async def new_webhook(room: Room) -> discord.Webhook:
    channel_id = int(room.channel.parent_id or room.channel.id)
    made = await room.client.http.create_webhook(channel_id, name="Parley")
    return discord.Webhook.from_state(made, room.client._connection)


@asynccontextmanager
async def open_stage(**options: Any) -> AsyncIterator[Stage]:
    async with open_room(**options) as room:
        standin = room.standin
        parent = room.channel.parent_id or room.channel
        standin.set_permissions(parent, standin.bot_id, allow=Permission.MANAGE_WEBHOOKS | Permission.MANAGE_MESSAGES)
        yield Stage(room, await new_webhook(room))


# -------------------------------------------------------------------------------------------------------- one answer


@pytest.mark.parametrize("thread", [False, True])
async def test_an_answer_is_written_edited_and_deleted_under_the_personas_name_and_picture(thread: bool) -> None:
    async with open_stage(thread=thread) as stage:
        sender = stage.sender()
        posted = await sender.send(Create(0, MessagePlan("One", buttons=(STOP,))), "turn")
        assert posted.message_id is not None
        assert await sender.send(Edit(0, posted.message_id, MessagePlan("One two")), "turn") == Outcome(Fate.DONE)
        message = stage.room.message
        assert stage.shown == [("Ann", "One two")]
        assert message["author"]["avatar"]
        assert "message_reference" not in message
        assert await sender.send(Delete(posted.message_id), "turn") == Outcome(Fate.DONE)
        assert stage.room.messages == []
        assert (await sender.send(Delete(posted.message_id), "turn")).fate is Fate.GONE
        assert (await sender.send(Edit(0, posted.message_id, MessagePlan("x")), "turn")).fate is Fate.GONE


@pytest.mark.parametrize("style", Style)
async def test_buttons_and_files_come_in_each_style_and_nobody_is_pinged(style: Style) -> None:
    async with open_stage() as stage:
        sender = stage.sender(style=style)
        plan = MessagePlan("@everyone <@1>", files=(CODE,), buttons=(STOP,))
        posted = await sender.send(Create(0, plan), "turn")
        assert posted.message_id is not None
        assert (await sender.send(Edit(0, posted.message_id, plan), "turn")).fate is Fate.DONE
        message = stage.room.message
        assert stage.room.files(message) == {"code.py": b"print()"}
        assert "'stop'" in str(message["components"])
        assert list(stage.room.standin.pings) == []
        writes = [
            call for call in stage.room.standin.calls if call.method in ("POST", "PATCH") and POST[:10] in call.path
        ]
        assert all(call.body["allowed_mentions"]["parse"] == [] for call in writes if "allowed_mentions" in call.body)


# --------------------------------------------------------------------------------------------------------------- names


@pytest.mark.parametrize(
    ("name", "shown"),
    [
        ("Zoë 🦊", "Zoë 🦊"),
        ("Clyde", "Cl-yde"),
        ("aclydef", "acl-ydef"),
        ("cly\u200bde", "cl-yde"),
        ("My Discord Pal", "My Di-scord Pal"),
        ("here", "he-re"),
        ("Everyone", "Ev-eryone"),
        ("n" * 81, "n" * 79 + "…"),
        ("", "Parley"),
        (" \u200b ", "Parley"),
        ("Two\nlines", "Two lines"),
    ],
)
async def test_a_name_is_changed_no_more_than_discord_demands(name: str, shown: str) -> None:
    async with open_stage() as stage:
        assert (await stage.sender(name).send(Create(0, MessagePlan("Hello.")), "turn")).fate is Fate.DONE
        assert stage.shown == [(shown, "Hello.")]
        assert stage.statuses() == [200]


@given(
    st.text(max_size=200) | st.lists(st.sampled_from(["Clyde", "dis", "cord", "\u200b", "everyone", " "])).map("".join)
)
def test_no_name_is_one_that_discord_refuses(name: str) -> None:
    made = speakable(name)
    assert len(made) <= 80
    assert made.lower() not in ("here", "everyone")
    if made:
        check_name("username", made)


def refused(field: str) -> dict[str, Any]:
    errors = {field: {"_errors": [{"code": "USERNAME_INVALID_CONTAINS", "message": "no"}]}}
    return {"message": "Invalid Form Body", "code": 50035, "errors": errors}


@pytest.mark.parametrize(
    ("body", "name", "has_picture"),
    [
        (refused("username"), "Parley", True),
        (refused("avatar_url"), "Ann", False),
        ({"message": "no", "code": 0}, "Parley", False),
    ],
)
async def test_the_text_is_not_lost_for_a_name_or_picture_that_is_refused(
    body: dict[str, Any], name: str, has_picture: bool
) -> None:
    async with open_stage() as stage:
        stage.room.standin.fail("POST", POST, status=400, body=body)
        sender = stage.sender()
        outcomes = [await sender.send(Create(slot, MessagePlan(f"{slot}")), "turn") for slot in (0, 1)]
        assert [outcome.fate for outcome in outcomes] == [Fate.DONE, Fate.DONE]
        assert stage.shown == [(name, "0"), (name, "1")]
        assert bool(stage.room.messages[0]["author"]["avatar"]) is has_picture
        assert stage.statuses() == [400, 200, 200], "what was refused is not tried again"


# ------------------------------------------------------------------------------------------------- webhooks that vanish


async def test_a_webhook_that_was_deleted_is_made_anew_once_and_then_the_bot_speaks_itself() -> None:
    async with open_stage() as stage:
        sender = stage.sender()
        first = await sender.send(Create(0, MessagePlan("One")), "turn")
        assert first.message_id is not None
        stage.room.standin.remove_webhook(str(stage.webhook.id))
        assert (await sender.send(Create(1, MessagePlan("Two")), "turn")).fate is Fate.DONE
        assert stage.shown == [("Ann", "One"), ("Ann", "Two")]
        edited = await sender.send(Edit(0, first.message_id, MessagePlan("One!")), "turn")
        assert edited.fate is Fate.TOO_OLD, "nobody can change it any more; another takes its place"
        assert (await sender.send(Create(0, MessagePlan("One!"), 1), "turn")).fate is Fate.DONE
        await sender.send(Delete(first.message_id), "turn")
        assert stage.shown == [("Ann", "Two"), ("Ann", "One!")]
        stage.room.standin.remove_webhook(str(stage.webhook.id))
        assert (await sender.send(Create(2, MessagePlan("Three")), "turn")).fate is Fate.DONE
        assert stage.shown[-1] == ("Parley", "Three")
        assert stage.asked_for_another == 1
        assert stage.statuses().count(404) == 2, "what Discord does not know is not asked for again"


async def test_an_answer_of_the_bot_itself_is_written_anew_by_the_persona() -> None:
    """The persona was chosen between the two versions."""
    async with open_stage() as stage:
        old = await stage.room.sender().send(Create(0, MessagePlan("Old")), "turn")
        assert old.message_id is not None
        sender = stage.sender()
        assert (await sender.send(Edit(0, old.message_id, MessagePlan("New")), "again")).fate is Fate.TOO_OLD
        assert (await sender.send(Create(0, MessagePlan("New"), 1), "again")).fate is Fate.DONE
        assert (await sender.send(Delete(old.message_id), "again")).fate is Fate.DONE
        assert stage.shown == [("Ann", "New")]


async def test_an_answer_of_a_persona_is_written_anew_by_the_bot_itself() -> None:
    async with open_stage() as stage:
        old = await stage.sender().send(Create(0, MessagePlan("Old")), "turn")
        assert old.message_id is not None
        assert (await stage.room.sender().send(Edit(0, old.message_id, MessagePlan("x")), "again")).fate is Fate.TOO_OLD


# ------------------------------------------------------------------------------------------------------ nothing twice


@pytest.mark.parametrize("plan", [MessagePlan("One."), MessagePlan("", files=(CODE,))])
@pytest.mark.parametrize("arrived", [False, True])
async def test_a_post_whose_answer_is_lost_stands_once(plan: MessagePlan, arrived: bool) -> None:
    async with open_stage() as stage:
        stage.room.standin.fail("POST", POST, drop=True, after_effect=arrived, times=2)
        posted = await stage.sender().send(Create(0, plan), "turn")
        assert posted.message_id == int(stage.room.message["id"])


@pytest.mark.parametrize("arrived", [False, True])
async def test_a_post_that_discord_fails_at_stands_once_when_it_is_repeated(arrived: bool) -> None:
    async with open_stage() as stage:
        stage.room.standin.fail("POST", POST, status=502, after_effect=arrived)
        sender, same = stage.sender(), await stage.sender().send(Create(0, MessagePlan("One.")), "other")
        assert (await sender.send(Create(0, MessagePlan("One.")), "turn")).fate is Fate.DONE
        assert same.fate is Fate.FAILED
        assert len(stage.shown) == 1 + arrived, "the other answer's stays what it is"


async def test_where_nobody_can_see_whether_it_stands_a_part_is_missing_rather_than_doubled() -> None:
    async with open_stage() as stage:
        stage.room.standin.fail("POST", POST, drop=True, after_effect=True)
        stage.room.standin.fail("GET", "/messages$", status=403, body={"message": "no", "code": 50001})
        assert (await stage.sender().send(Create(0, MessagePlan("One.")), "turn")).fate is Fate.REFUSED
        assert stage.shown == [("Ann", "One.")]


async def test_a_rate_limit_is_told_and_not_slept_through() -> None:
    async with open_stage() as stage:
        headers = {"Retry-After": "7.5", "Via": "1.1 proxy"}
        stage.room.standin.fail("POST", POST, status=429, headers=headers)
        sender = stage.sender()
        async with asyncio.timeout(5):
            outcome = await sender.send(Create(0, MessagePlan("One.")), "turn")
        assert (outcome.fate, outcome.retry_after) == (Fate.FAILED, 7.5)
        assert (await sender.send(Create(0, MessagePlan("One.")), "turn")).fate is Fate.DONE


@pytest.mark.parametrize(
    ("status", "code", "fate"),
    [
        (403, 50013, Fate.FORBIDDEN),
        (404, 10003, Fate.CHANNEL_GONE),
        (403, 160005, Fate.LOCKED),
        (400, 200000, Fate.BLOCKED),
        (400, 50006, Fate.REFUSED),
        (503, 0, Fate.FAILED),
    ],
)
async def test_other_refusals_mean_what_they_mean_for_the_bot_itself(status: int, code: int, fate: Fate) -> None:
    async with open_stage() as stage:
        stage.room.standin.fail("POST", POST, status=status, body={"message": "no", "code": code}, times=3)
        assert (await stage.sender(picture=None).send(Create(0, MessagePlan("One.")), "turn")).fate is fate


async def test_a_thread_that_fell_asleep_is_woken_for_an_edit() -> None:
    async with open_stage(thread=True) as stage:
        sender = stage.sender()
        posted = await sender.send(Create(0, MessagePlan("One")), "turn")
        assert posted.message_id is not None
        stage.room.standin.archive_thread(stage.room.channel)
        assert (await sender.send(Edit(0, posted.message_id, MessagePlan("One two")), "turn")).fate is Fate.DONE
        assert stage.shown == [("Ann", "One two")]


def test_what_is_written_of_a_voice_or_its_webhook_has_no_token() -> None:
    assert "s3cret" not in repr(Voice(12, "s3cret", "Ann")) + repr(Credentials(12, "s3cret"))
