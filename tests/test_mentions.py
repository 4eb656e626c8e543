"""Nobody is pinged by what a model wrote: in no call of the source, and in no payload on the wire."""

import ast
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from bot.delivery.plan import Button, Create, Edit, EmbedPlan, FilePlan, MessagePlan
from bot.preferences import Style
from tests.delivery.room import Room, open_room

SOURCE = Path(__file__).parents[1] / "bot"

ALWAYS = {
    "send",
    "reply",
    "respond",
    "send_message",
    "edit_message",
    "edit_original_response",
    "handle_message_parameters",
}
"""Functions of discord.py that write a message."""
WITH_A_MESSAGE = {"edit", "create_thread"}
"""These only where they are given a field of one."""
FIELDS = {"content", "embed", "embeds", "view", "file", "files", "attachments"}


def unguarded(source: str) -> Iterator[str]:
    """Calls that write a message and do not say whom it may mention."""
    for node in ast.walk(ast.parse(source)):
        if not isinstance(node, ast.Call):
            continue
        name = node.func.attr if isinstance(node.func, ast.Attribute) else getattr(node.func, "id", "")
        given = {keyword.arg for keyword in node.keywords}
        writes = name in ALWAYS or (name in WITH_A_MESSAGE and given & FIELDS)
        if writes and "allowed_mentions" not in given and not _is_of_a_sender(node) and not _has_parameters(node):
            yield f"line {node.lineno}: {ast.unparse(node)}"


def _is_of_a_sender(call: ast.Call) -> bool:
    """`Sender.send`, the seam to the one place where answers are written."""
    receiver = call.func.value if isinstance(call.func, ast.Attribute) else None
    receiver = receiver.func if isinstance(receiver, ast.Call) else receiver
    name = receiver.attr if isinstance(receiver, ast.Attribute) else getattr(receiver, "id", "")
    return name.endswith("sender")


def _has_parameters(call: ast.Call) -> bool:
    """`HTTPClient.send_message(…, params=…)`: made by handle_message_parameters, which is looked at itself."""
    return any(keyword.arg == "params" for keyword in call.keywords)


def permissive(source: str) -> Iterator[str]:
    """Allowances that are made anew, and not taken from bot.delivery.payloads."""
    calls = (node for node in ast.walk(ast.parse(source)) if isinstance(node, ast.Call))
    for call in calls:
        made_by = ast.unparse(call.func)
        if "AllowedMentions" in made_by and not made_by.endswith("AllowedMentions.none"):
            yield f"line {call.lineno}: {ast.unparse(call)}"


def files() -> list[Path]:
    return [path for path in sorted(SOURCE.rglob("*.py")) if "playground" not in path.parts]


@pytest.mark.parametrize("path", files(), ids=lambda path: str(path.relative_to(SOURCE)))
def test_no_call_writes_a_message_without_saying_whom_it_mentions(path: Path) -> None:
    assert list(unguarded(path.read_text())) == []


@pytest.mark.parametrize("path", files(), ids=lambda path: str(path.relative_to(SOURCE)))
def test_allowances_are_made_in_one_place(path: Path) -> None:
    if path != SOURCE / "delivery" / "payloads.py":
        assert list(permissive(path.read_text())) == []


@pytest.mark.parametrize(
    ("source", "found"),
    [
        ("channel.send('x')", True),
        ("channel.send('x', allowed_mentions=NOBODY)", False),
        ("message.reply(text)", True),
        ("interaction.response.send_message(text, ephemeral=True)", True),
        ("interaction.response.edit_message(view=view)", True),
        ("interaction.followup.send(text)", True),
        ("message.edit(content=text)", True),
        ("thread.edit(archived=False)", False),
        ("forum.create_thread(name=name, content=text)", True),
        ("message.create_thread(name=name)", False),
        ("sender.send(operation, turn_id)", False),
        ("request.channel.sender(style, words).send(operation, turn_id)", False),
        ("handle_message_parameters(content=text)", True),
        ("http.send_message(1, params=parameters)", False),
    ],
)
def test_the_walk_knows_what_writes(source: str, found: bool) -> None:
    assert bool(list(unguarded(source))) is found


# ------------------------------------------------------------------------------------------------------- on the wire


def everybody(room: Room) -> str:
    (role,) = list(room.standin.world.roles)[-1:]
    return f"@everyone @here <@&{role}> <@{room.standin.user('Bo').id}>"


def allowances(room: Room, *methods: str) -> list[Any]:
    # Without the field, Discord takes replied_user for false where allowed_mentions is there at all.
    return [{"replied_user": False, **call.body["allowed_mentions"]} for call in room.calls(*methods)]


async def write_everywhere(room: Room, style: Style, **options: Any) -> None:
    """A reply, a further message, one with everything, and an edit of each kind."""
    text = everybody(room)
    sender = room.sender(style=style, **options)
    whole = MessagePlan(
        text,
        embed=EmbedPlan(text, text, 1, text),
        files=(FilePlan("a.txt", text.encode(), text),),
        buttons=(Button("b", label=text),),
    )
    for slot, plan in enumerate((MessagePlan(text), MessagePlan(text), whole)):
        posted = await sender.send(Create(slot, plan), "turn")
        assert posted.message_id is not None
        for edited in (MessagePlan(f"{text}!"), whole):
            await sender.send(Edit(slot, posted.message_id, edited, files_changed=True), "turn")


@pytest.mark.parametrize("style", Style)
async def test_no_message_and_no_edit_in_any_style_pings_anybody(style: Style) -> None:
    async with open_room() as room:
        await write_everywhere(room, style)
        assert list(room.standin.pings) == []
        assert allowances(room, "POST", "PATCH") == [{"parse": [], "replied_user": False}] * 9


@pytest.mark.parametrize("style", Style)
async def test_where_people_may_be_pinged_roles_and_everyone_are_not_and_edits_ping_nobody(style: Style) -> None:
    async with open_room() as room:
        await write_everywhere(room, style, mention_users=True)
        assert allowances(room, "POST") == [{"parse": ["users"], "replied_user": False}] * 3
        assert allowances(room, "PATCH") == [{"parse": [], "replied_user": False}] * 6
        assert {(ping.mentions.role_ids, ping.mentions.everyone) for ping in room.standin.pings} <= {((), False)}
