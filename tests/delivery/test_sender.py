"""What a plan looks like in Discord: with discord.py over sockets, in each style."""

import asyncio
from typing import Any

import discord
import pytest

from bot.delivery.outcome import Fate, Outcome
from bot.delivery.payloads import fits
from bot.delivery.plan import (
    Button,
    ButtonColour,
    Create,
    Delete,
    Edit,
    EmbedPlan,
    FilePlan,
    MessagePlan,
    Operation,
    Table,
)
from bot.playground.standin import StandinConfig, WorldConfig
from bot.playground.standin.validation import MessageFlag
from bot.preferences import Style
from tests.delivery.room import Json, open_room

STYLES = list(Style)
BOX = EmbedPlan("Broken", "It broke.", 0xFF0000, "Turn 1")
CODE = FilePlan("code.py", b"print()", "A programme")
STOP = Button("stop", label="Stop", colour=ButtonColour.RED)


def text_of(message: Json) -> str:
    """The model's text, wherever the style put it."""
    displays = [item["content"] for item in message["components"] if item["type"] == 10]
    described = [embed["description"] for embed in message["embeds"] if "title" not in embed]
    return "\n".join(text for text in (message["content"], *described, *displays) if text)


def buttons_of(message: Json) -> list[list[str]]:
    rows = [item["components"] for item in message["components"] if item["type"] == 1]
    return [[button["custom_id"] for button in row] for row in rows]


def boxes_of(message: Json) -> list[str]:
    embeds = [f"**{embed['title']}**\n{embed['description']}" for embed in message["embeds"] if "title" in embed]
    containers = [item["components"][0]["content"] for item in message["components"] if item["type"] == 17]
    return embeds + containers


# ----------------------------------------------------------------------------------------------------- one answer


async def test_the_first_message_replies_and_further_ones_follow_silently() -> None:
    async with open_room() as room:
        await room.post(room.sender(), MessagePlan("One."), MessagePlan("Two."))
        first, second = room.messages
        assert first["message_reference"]["message_id"] == room.question_id
        assert "message_reference" not in second
        assert [bool(message["flags"] & MessageFlag.SUPPRESS_NOTIFICATIONS) for message in (first, second)] == [
            False,
            True,
        ]


async def test_a_deleted_message_is_gone_and_a_second_deletion_says_so() -> None:
    async with open_room() as room:
        sender = room.sender()
        (posted,) = await room.post(sender, MessagePlan("One."))
        assert posted.message_id is not None
        assert await sender.send(Delete(posted.message_id), "turn") == Outcome(Fate.DONE)
        assert room.messages == []
        assert (await sender.send(Delete(posted.message_id), "turn")).fate is Fate.GONE
        assert (await sender.send(Edit(0, posted.message_id, MessagePlan("x")), "turn")).fate is Fate.GONE


async def test_the_same_part_of_the_same_turn_is_posted_once_however_often_it_is_sent() -> None:
    async with open_room() as room:
        first, again, other = [
            await room.sender().send(Create(0, MessagePlan("One."), generation), "turn") for generation in (0, 0, 1)
        ]
        assert first == again != other
        assert len(room.messages) == 2


@pytest.mark.parametrize(("previews", "suppressed"), [(False, True), (True, False)])
async def test_previews_of_links_are_as_the_server_wants_them(previews: bool, suppressed: bool) -> None:
    async with open_room() as room:
        await room.replace(room.sender(link_previews=previews), MessagePlan("http://a.b"), MessagePlan("http://a.b c"))
        assert bool(room.message["flags"] & MessageFlag.SUPPRESS_EMBEDS) is suppressed


async def test_a_box_of_ours_is_not_suppressed_with_the_previews() -> None:
    async with open_room() as room:
        await room.replace(room.sender(), MessagePlan("http://a.b"), MessagePlan("http://a.b", embed=BOX))
        assert not room.message["flags"] & MessageFlag.SUPPRESS_EMBEDS
        assert boxes_of(room.message) == ["**Broken**\nIt broke."]


# ---------------------------------------------------------------------------------------------------------- styles


@pytest.mark.parametrize("style", STYLES)
async def test_text_streams_by_edits_in_each_style(style: Style) -> None:
    async with open_room() as room:
        outcome = await room.replace(room.sender(style=style), MessagePlan("One"), MessagePlan("One **two**"))
        assert outcome == Outcome(Fate.DONE)
        assert text_of(room.message) == "One **two**"


@pytest.mark.parametrize("style", STYLES)
async def test_box_files_and_buttons_come_and_go_in_each_style(style: Style) -> None:
    async with open_room() as room:
        sender, bare = room.sender(style=style), MessagePlan("Text")
        whole = MessagePlan("Text", embed=BOX, files=(CODE,), buttons=(STOP,))
        await room.replace(sender, bare, whole, files_changed=True)
        assert text_of(room.message) == "Text"
        assert [box.startswith("**Broken**\nIt broke.") for box in boxes_of(room.message)] == [True]
        assert buttons_of(room.message) == [["stop"]]
        assert room.files(room.message) == {"code.py": b"print()"}
        assert room.message["attachments"][0]["description"] == "A programme"
        await sender.send(Edit(0, int(room.message["id"]), bare, files_changed=True), "turn")
        assert (text_of(room.message), boxes_of(room.message), buttons_of(room.message)) == ("Text", [], [])
        assert room.files(room.message) == {}


@pytest.mark.parametrize("style", STYLES)
async def test_files_stay_through_edits_of_the_text_in_each_style(style: Style) -> None:
    async with open_room() as room:
        plan, after = MessagePlan("a", files=(CODE,)), MessagePlan("b", files=(CODE,))
        await room.replace(room.sender(style=style), plan, after)
        assert text_of(room.message) == "b"
        assert room.files(room.message) == {"code.py": b"print()"}


@pytest.mark.parametrize("before", STYLES)
@pytest.mark.parametrize("after", STYLES)
async def test_an_answer_of_one_style_is_written_over_in_another(before: Style, after: Style) -> None:
    """Discord lets no message of components become anything else: another one takes its place, as it was meant to be."""
    async with open_room() as room:
        (posted,) = await room.post(room.sender(style=before), MessagePlan("Old", files=(CODE,), buttons=(STOP,)))
        assert posted.message_id is not None
        sender, plan = room.sender(style=after), MessagePlan("New", embed=BOX, files=(CODE,), buttons=(STOP,))
        outcome = await sender.send(Edit(0, posted.message_id, plan, files_changed=True), "turn")
        if before is Style.COMPONENTS and after is not before:
            assert outcome.fate is Fate.REFUSED
            assert (await sender.send(Create(0, plan, 1), "again")).fate is Fate.DONE
        else:
            assert outcome.fate is Fate.DONE
        message = room.messages[-1]
        assert (text_of(message), len(boxes_of(message)), buttons_of(message)) == ("New", 1, [["stop"]])
        assert list(room.files(message)) == ["code.py"]


@pytest.mark.parametrize("style", STYLES)
@pytest.mark.parametrize(
    "plan", [MessagePlan("", embed=BOX), MessagePlan("", files=(CODE,)), MessagePlan("", buttons=(STOP,), embed=BOX)]
)
async def test_a_message_without_text_is_posted_in_each_style(style: Style, plan: MessagePlan) -> None:
    async with open_room() as room:
        (outcome,) = await room.post(room.sender(style=style), plan)
        assert outcome.fate is Fate.DONE


@pytest.mark.parametrize("style", STYLES)
async def test_buttons_fill_rows_of_five(style: Style) -> None:
    async with open_room() as room:
        buttons = tuple(Button(f"b{nr}", label=str(nr), disabled=nr == 3) for nr in range(7))
        await room.post(room.sender(style=style), MessagePlan("Text", buttons=buttons))
        assert buttons_of(room.message) == [["b0", "b1", "b2", "b3", "b4"], ["b5", "b6"]]


async def test_components_show_pictures_as_pictures_and_take_any_name_of_a_file() -> None:
    async with open_room() as room:
        files = (FilePlan("a.png", b"png", "A table"), FilePlan("naïve name.py", b"x"))
        (outcome,) = await room.post(room.sender(style=Style.COMPONENTS), MessagePlan("", files=files))
        assert outcome.fate is Fate.DONE
        gallery, file = room.message["components"]
        assert gallery["items"][0]["description"] == "A table"
        assert (gallery["type"], file["type"]) == (12, 13)
        assert sorted(room.files(room.message)) == ["a.png", "na_ve_name.py"]


@pytest.mark.parametrize(
    ("style", "content", "description", "expected"),
    [
        (Style.PLAIN, "a" * 2000, "b" * 4096, True),
        (Style.PLAIN, "a" * 2001, "", False),
        (Style.EMBED, "a" * 4096, "b" * 1904, True),
        (Style.EMBED, "a" * 4096, "b" * 1905, False),
        (Style.COMPONENTS, "a" * 3000, "b" * 988, True),
        (Style.COMPONENTS, "a" * 3000, "b" * 989, False),
        (Style.COMPONENTS, "漢" * 3381, "b", True),
        (Style.COMPONENTS, "漢" * 3382, "b", False),
    ],
)
async def test_what_is_said_to_fit_is_what_discord_takes(
    style: Style, content: str, description: str, expected: bool
) -> None:
    plan = MessagePlan(content, embed=EmbedPlan("", description, 1) if description else None)
    assert fits(plan, style) is expected
    if expected:
        async with open_room() as room:
            (outcome,) = await room.post(room.sender(style=style), plan)
            assert outcome.fate is Fate.DONE


# ----------------------------------------------------------------------------------------------------------- files

SMALL = StandinConfig(world=WorldConfig(file_limit=1000), buckets={})


def words(filename: str, size: int, limit: int) -> str:
    return f"({filename}: {size} > {limit})"


@pytest.mark.parametrize("style", STYLES)
async def test_a_file_over_the_limit_is_told_of_and_the_rest_arrives(style: Style) -> None:
    """Discord said another limit than it keeps, so there is one refused try."""
    async with open_room(SMALL) as room:
        big = FilePlan("song.mp3", b"x" * 1001)
        sender = room.sender(style=style, words_too_large=words)
        (outcome,) = await room.post(sender, MessagePlan("Here it is.", files=(CODE, big)))
        assert outcome.fate is Fate.DONE
        assert text_of(room.message) == "Here it is.\n(song.mp3: 1001 > 1000)"
        assert room.files(room.message) == {"code.py": b"print()"}
        assert [call.status for call in room.calls("POST")] == [413, 200]
        edit = Edit(0, int(room.message["id"]), MessagePlan("Here it was.", files=(CODE, big)))
        assert (await sender.send(edit, "turn")).fate is Fate.DONE
        assert text_of(room.message) == "Here it was.\n(song.mp3: 1001 > 1000)"
        assert room.files(room.message) == {"code.py": b"print()"}
        assert len(room.calls("PATCH")) == 1


MIB = 2**20


@pytest.mark.parametrize(("direct", "boosts", "limit"), [(False, 0, 10), (False, 2, 50), (True, 0, 10)])
async def test_the_limit_is_the_servers_and_known_before_the_call(direct: bool, boosts: int, limit: int) -> None:
    config = StandinConfig(world=WorldConfig(file_limit=limit * MIB), buckets={})
    async with open_room(config, connected=True, direct=direct) as room:
        for guild in room.client.guilds:
            guild.premium_tier = boosts
        await room.post(
            room.sender(words_too_large=words), MessagePlan("", files=(FilePlan("big", b"x" * (11 * MIB)), CODE))
        )
        assert sorted(room.files(room.message)) == (["code.py"] if limit < 11 else ["big", "code.py"])
        assert room.message["content"] == (f"(big: {11 * MIB} > {10 * MIB})" if limit < 11 else "")
        assert [call.status for call in room.calls("POST")] == [200]


async def test_files_that_are_too_much_for_one_request_are_told_of() -> None:
    config = StandinConfig(world=WorldConfig(file_limit=50 * MIB), buckets={})
    async with open_room(config, connected=True) as room:
        room.client.guilds[0].premium_tier = 2
        files = (FilePlan("one", b"x" * (20 * MIB)), FilePlan("two", b"x" * (6 * MIB)))
        await room.post(room.sender(words_too_large=words), MessagePlan("", files=files))
        assert list(room.files(room.message)) == ["one"]
        assert room.message["content"].startswith(f"(two: {6 * MIB} > ")


async def test_where_no_line_fits_below_the_text_a_small_file_tells_it() -> None:
    async with open_room(SMALL) as room:
        plan = MessagePlan("a" * 2000, files=(FilePlan("song.mp3", b"x" * 1001),))
        await room.post(room.sender(words_too_large=words), plan)
        assert room.message["content"] == "a" * 2000
        assert room.files(room.message) == {"song.mp3.txt": b"(song.mp3: 1001 > 1000)"}


async def test_where_we_may_not_attach_files_the_text_arrives_and_says_so() -> None:
    async with open_room() as room:
        refusal = {"message": "Missing Permissions", "code": 50013}
        room.standin.fail("POST", r"/messages$", status=403, body=refusal)
        sender = room.sender(words_too_large=words)
        outcomes = await room.post(sender, MessagePlan("a", files=(CODE,)), MessagePlan("b", files=(CODE,)))
        assert [outcome.fate for outcome in outcomes] == [Fate.DONE, Fate.DONE]
        assert [message["content"] for message in room.messages] == ["a\n(code.py: 7 > 0)", "b\n(code.py: 7 > 0)"]
        assert [call.status for call in room.calls("POST")] == [403, 200, 200]


async def test_a_table_is_drawn_once_and_when_that_fails_it_is_sent_as_text(monkeypatch: pytest.MonkeyPatch) -> None:
    table_picture = pytest.importorskip("bot.delivery.table_picture")
    table = Table((("Name", "Points"), ("Ada", "9")), ("left", "right"))
    plan = MessagePlan("Scores:", files=(FilePlan("table.png", table, "Name and points"),))
    async with open_room() as room:
        await room.replace(room.sender(), plan, plan, files_changed=True)
        ((name, content),) = room.files(room.message).items()
        assert (name, content[:8]) == ("table.png", b"\x89PNG\r\n\x1a\n")

    def broken(_: Table) -> bytes:
        raise OSError("no fonts")

    monkeypatch.setattr(table_picture, "draw", broken)
    async with open_room() as room:
        await room.post(room.sender(), plan)
        assert room.files(room.message) == {"table.png.md": b"| Name | Points |\n| Ada | 9 |"}


# --------------------------------------------------------------------------------------------------- what is mended

UNKNOWN_REFERENCE = {
    "message": "Invalid Form Body",
    "code": 50035,
    "errors": {"message_reference": {"_errors": [{"code": "REPLIES_UNKNOWN_MESSAGE", "message": "Unknown message"}]}},
}
NO_HISTORY = {"message": "Cannot reply without permission to read message history", "code": 160002}


@pytest.mark.parametrize(("status", "body"), [(400, UNKNOWN_REFERENCE), (403, NO_HISTORY)])
async def test_a_question_that_cannot_be_replied_to_costs_one_try_and_no_part_refers_to_it(
    status: int, body: dict[str, Any]
) -> None:
    async with open_room() as room:
        room.standin.fail("POST", r"/messages$", status=status, body=body)
        sender = room.sender()
        outcomes = await room.post(sender, MessagePlan("One."), MessagePlan("Two."))
        outcomes.append(await sender.send(Create(0, MessagePlan("Again."), 1), "turn"))
        assert {outcome.fate for outcome in outcomes} == {Fate.DONE}
        assert [call.status for call in room.calls("POST")] == [status, 200, 200, 200]
        assert not any("message_reference" in message for message in room.messages)


def bad(field: str) -> dict[str, Any]:
    errors = {field: {"0": {"_errors": [{"code": "BUTTON_COMPONENT_INVALID_EMOJI", "message": "Invalid emoji"}]}}}
    return {"message": "Invalid Form Body", "code": 50035, "errors": errors}


@pytest.mark.parametrize(
    ("body", "text", "box", "buttons", "files"),
    [
        (bad("components"), "Text", True, False, True),
        (bad("embeds"), "Text\n**Broken**\nIt broke.\n-# Turn 1", False, True, True),
        (bad("attachments"), "Text\n(code.py: 7 > 0)", True, True, False),
        ({"message": "?", "code": 0}, "Text\n**Broken**\nIt broke.\n-# Turn 1\n(code.py: 7 > 0)", False, False, False),
    ],
)
async def test_a_message_with_something_malformed_is_posted_without_that(
    body: dict[str, Any], text: str, box: bool, buttons: bool, files: bool
) -> None:
    async with open_room() as room:
        room.standin.fail("POST", r"/messages$", status=400, body=body)
        plan = MessagePlan("Text", embed=BOX, files=(CODE,), buttons=(STOP,))
        (outcome,) = await room.post(room.sender(words_too_large=words), plan)
        message = room.message
        assert outcome.fate is Fate.DONE
        assert message["content"] == text
        assert (bool(boxes_of(message)), bool(buttons_of(message)), bool(message["attachments"])) == (
            box,
            buttons,
            files,
        )


async def test_a_message_that_is_refused_whatever_it_goes_without_is_given_up() -> None:
    async with open_room() as room:
        room.standin.fail("POST", r"/messages$", status=400, body=bad("components"), times=9)
        (outcome,) = await room.post(room.sender(), MessagePlan("Text", embed=BOX, buttons=(STOP,)))
        assert outcome.fate is Fate.REFUSED
        assert len(room.calls("POST")) == 3


async def test_a_thread_that_fell_asleep_is_woken_for_an_edit() -> None:
    async with open_room(thread=True) as room:
        sender = room.sender()
        (posted,) = await room.post(sender, MessagePlan("One"))
        assert posted.message_id is not None
        room.standin.archive_thread(room.channel)
        assert (await sender.send(Edit(0, posted.message_id, MessagePlan("One two")), "turn")).fate is Fate.DONE
        assert [message["content"] for message in room.messages] == ["One two"]


async def test_a_thread_that_we_may_not_wake_takes_a_new_message_instead() -> None:
    async with open_room(thread=True) as room:
        sender = room.sender()
        (posted,) = await room.post(sender, MessagePlan("One"))
        assert posted.message_id is not None
        room.standin.archive_thread(room.channel)
        room.standin.fail(
            "PATCH", r"/channels/\d+$", status=403, body={"message": "Missing Permissions", "code": 50013}
        )
        assert (await sender.send(Edit(0, posted.message_id, MessagePlan("One two")), "turn")).fate is Fate.TOO_OLD
        assert (await sender.send(Create(0, MessagePlan("One two"), 1), "turn")).fate is Fate.DONE


@pytest.mark.parametrize("archived", [False, True])
async def test_a_locked_thread_takes_nothing_and_is_not_tried_twice(archived: bool) -> None:
    async with open_room(thread=True) as room:
        sender = room.sender()
        if archived:
            room.standin.archive_thread(room.channel, lock=True)
        else:
            room.standin.lock_thread(room.channel)
        (outcome,) = await room.post(sender, MessagePlan("One"))
        assert outcome.fate is Fate.LOCKED
        assert len(room.calls("POST")) == 1


# ----------------------------------------------------------------------------------------------------------- fates

FATES = [
    (403, 50013, Fate.FORBIDDEN),
    (403, 50001, Fate.FORBIDDEN),
    (403, 50005, Fate.FORBIDDEN),
    (403, 0, Fate.FORBIDDEN),
    (401, 0, Fate.FORBIDDEN),
    (404, 10003, Fate.CHANNEL_GONE),
    (404, 10008, Fate.GONE),
    (403, 160005, Fate.LOCKED),
    (400, 200000, Fate.BLOCKED),
    (403, 200000, Fate.BLOCKED),
    (400, 240000, Fate.BLOCKED),
    (400, 30046, Fate.TOO_OLD),
    (400, 50035, Fate.REFUSED),
    (400, 50006, Fate.REFUSED),
    (503, 0, Fate.FAILED),
]

_NOT_OURS = {("PATCH", 50005): Fate.TOO_OLD, ("DELETE", 50013): Fate.REFUSED}
"""A message of somebody else, as of a persona that speaks there no more: another one takes its place, and it stays."""


@pytest.mark.parametrize("method", ["POST", "PATCH", "DELETE"])
@pytest.mark.parametrize(("status", "code", "fate"), FATES)
async def test_each_refusal_has_its_fate_and_is_asked_for_once(method: str, status: int, code: int, fate: Fate) -> None:
    fate = _NOT_OURS.get((method, code), fate)
    async with open_room() as room:
        sender = room.sender()
        (posted,) = await room.post(sender, MessagePlan("One."))
        assert posted.message_id is not None
        room.standin.fail(method, "/messages", status=status, body={"message": "no", "code": code}, times=5)
        operations: dict[str, Operation] = {
            "POST": Create(1, MessagePlan("Two.")),
            "PATCH": Edit(0, posted.message_id, MessagePlan("Two.")),
            "DELETE": Delete(posted.message_id),
        }
        outcome = await sender.send(operations[method], "turn")
        assert (outcome.fate, outcome.message_id) == (fate, None)
        assert str(code) in outcome.detail
        assert sum(call.status == status for call in room.calls(method)) == 1


@pytest.mark.parametrize("code", [0, 20028, 20016])
async def test_a_rate_limit_that_discord_py_does_not_wait_for_is_told_with_its_time(code: int) -> None:
    async with open_room() as room:
        body = {"message": "slow", "code": code, "retry_after": 7.5, "global": False}
        headers = {"Retry-After": "7.5", "Via": ""}
        room.standin.fail("POST", r"/messages$", status=429, body=body, headers=headers)
        (outcome,) = await room.post(room.sender(), MessagePlan("One."))
        assert (outcome.fate, outcome.retry_after) == (Fate.FAILED, 7.5)


@pytest.mark.parametrize("fault", [{"drop": True}, {"drop": True, "after_effect": True}])
async def test_a_connection_that_breaks_is_tried_again_and_the_message_stands_once(fault: dict[str, Any]) -> None:
    async with open_room() as room:
        room.standin.fail("POST", r"/messages$", times=2, **fault)
        (outcome,) = await room.post(room.sender(), MessagePlan("One."))
        assert outcome.message_id == int(room.message["id"])


async def test_a_client_that_is_not_connected_is_waited_for_a_moment() -> None:
    async with open_room() as room:
        connected, room.client = room.client, discord.Client(intents=discord.Intents.none())
        sending = asyncio.create_task(room.post(room.sender(), MessagePlan("One.")))
        await asyncio.sleep(0)
        room.client = connected
        (outcome,) = await sending
        assert outcome.fate is Fate.DONE
