"""Files of many turns at once: bounded, each fetched once and read again as the very same, and never in the loop's way."""

from __future__ import annotations

import asyncio
import threading
from collections.abc import Sequence
from io import BytesIO

import msgspec
import pytest

from bot.attachments.reading import DEFAULT_LIMITS, AttachmentReader, ReadingLimits
from bot.attachments.readout import Readout
from bot.conversation.history import Attachment
from tests.attachments.files import Room, attachment, image_file, noise, pdf, told

pytestmark = pytest.mark.filterwarnings("ignore::UserWarning:PIL")


# Bounds of a turn


async def standing_still() -> None:
    """Until nothing happens any more by itself."""
    for _ in range(20):
        await asyncio.sleep(0)


def read_all(
    attachments: Sequence[Attachment], room: Room, limits: ReadingLimits = DEFAULT_LIMITS
) -> tuple[Readout, ...]:
    async def main() -> tuple[Readout, ...]:
        async with AttachmentReader(None, limits) as reader:
            return await reader.read_all(attachments, room, images=True)

    return asyncio.run(main())


def problems(read: Sequence[Readout]) -> list[str | None]:
    return [one.problem.key.removeprefix("attachment-") if one.problem else None for one in read]


def test_the_files_of_a_turn_come_in_their_order_and_what_is_over_the_bounds_is_named() -> None:
    room = Room({n: f"file {n}".encode() for n in range(30)})
    read = read_all([attachment(n, f"{n}.txt") for n in range(22)], room)
    assert problems(read) == [None] * 20 + ["too-many"] * 2
    assert [f"file {n}" in told(one) for n, one in enumerate(read)] == [True] * 20 + [False] * 2
    assert told(read[21]) == "[file: 21.txt, unknown kind, 100 bytes; not readable: more than 20 files at once]"
    assert set(room.asked) == set(range(20))


def test_files_that_are_too_large_together_are_left_out_one_by_one() -> None:
    sizes = [20_000_000, 26_000_000, 24_000_000, 10_000_000, 5_000_000]
    room = Room(dict.fromkeys(range(5), b"words"))
    read = read_all([attachment(n, size=size) for n, size in enumerate(sizes)], room)
    assert problems(read) == [None, "too-large", None, "total-too-large", None]
    assert set(room.asked) == {0, 2, 4}


async def test_few_files_are_in_memory_at_once() -> None:
    room = Room(dict.fromkeys(range(10), b"words"))
    room.open.clear()
    limits = msgspec.structs.replace(DEFAULT_LIMITS, at_once=5)
    async with AttachmentReader(None, limits) as reader, asyncio.TaskGroup() as group:
        tasks = [
            group.create_task(reader.read_all([attachment(n) for n in some], room, images=True))
            for some in (range(5), range(5, 10))
        ]
        await standing_still()
        assert room.asked.total() == 5
        room.open.set()
    assert [len(task.result()) for task in tasks] == [5, 5]


async def test_one_persons_many_slow_files_leave_room_for_those_of_others() -> None:
    slow, room = Room(dict.fromkeys(range(10), b"words")), Room({10: b"words"})
    slow.open.clear()
    async with AttachmentReader() as reader, asyncio.TaskGroup() as group:
        group.create_task(reader.read_all([attachment(n) for n in range(10)], slow, images=True))
        await standing_still()
        assert problems(await reader.read_all([attachment(10)], room, images=True)) == [None]
        slow.open.set()
    assert slow.asked.total() == 10


async def test_files_that_take_too_long_together_are_not_waited_for_any_longer() -> None:
    room = Room(dict.fromkeys(range(1, 10), b"words"))
    limits = msgspec.structs.replace(DEFAULT_LIMITS, together_seconds=0.05)
    async with AttachmentReader(None, limits) as reader:
        await reader.read(attachment(1), room, images=True)
        room.open.clear()
        read = await reader.read_all([attachment(n) for n in range(1, 10)], room, images=True)
        assert problems(read) == [None] + ["too-slow"] * 8
        await standing_still()
        assert room.under_way == 0
        room.open.set()
        assert problems([await reader.read(attachment(2), room, images=True)]) == [None]


async def test_what_nobody_waits_for_any_more_is_not_read_on() -> None:
    """Else somebody who asks and stops, again and again, would make everybody wait."""
    room = Room(dict.fromkeys(range(100), b"words"))
    room.open.clear()
    async with AttachmentReader() as reader:
        for n in range(0, 100, 10):
            stopped = asyncio.create_task(reader.read_all([attachment(n + m) for m in range(10)], room, images=True))
            await standing_still()
            stopped.cancel()
            await standing_still()
            assert stopped.cancelled()
        assert room.under_way == 0
        again = asyncio.create_task(reader.read(attachment(0), room, images=True))
        await standing_still()
        room.open.set()
        assert "words" in told(await again)


# What is kept


async def test_a_file_is_fetched_once_and_read_again_as_the_very_same() -> None:
    """Also when a picture is not to be seen any more."""
    room = Room({1: image_file()})
    async with AttachmentReader() as reader:
        first = await reader.read(attachment(1), room, images=True)
        assert await reader.read(attachment(1), room, images=True) is first
        assert told(await reader.read(attachment(1), room, images=False)).endswith(
            "; not readable: the picture is not shown to you]"
        )
    assert room.asked[1] == 1


async def test_what_is_no_picture_is_the_same_for_models_that_see_and_for_those_that_do_not() -> None:
    room = Room({1: b"words"})
    async with AttachmentReader() as reader:
        seeing = await reader.read(attachment(1), room, images=True)
        assert await reader.read(attachment(1), room, images=False) is seeing
    assert room.asked[1] == 1


async def test_a_picture_that_was_only_named_can_be_seen_later() -> None:
    room = Room({1: image_file()})
    async with AttachmentReader() as reader:
        assert problems([await reader.read(attachment(1), room, images=False)]) == ["picture-unseen"]
        assert problems([await reader.read(attachment(1), room, images=True)]) == [None]


async def test_two_turns_that_want_the_same_file_at_once_fetch_it_once() -> None:
    """And the one that is stopped does not take it from the other."""
    room = Room({1: b"words"})
    room.open.clear()
    async with AttachmentReader() as reader:
        one = asyncio.create_task(reader.read(attachment(1), room, images=True))
        other = asyncio.create_task(reader.read(attachment(1), room, images=True))
        await asyncio.sleep(0)
        one.cancel()
        await asyncio.sleep(0)
        room.open.set()
        assert "words" in told(await other)
        assert one.cancelled()
    assert room.asked[1] == 1


async def test_what_could_not_be_had_is_tried_again_and_what_is_broken_is_not() -> None:
    room = Room({2: b"\x89PNG\r\n\x1a\n"})
    async with AttachmentReader() as reader:
        assert problems([await reader.read(attachment(1, "a.txt"), room, images=True)]) == ["unavailable"]
        room.contents[1] = b"back again"
        assert "back again" in told(await reader.read(attachment(1, "a.txt"), room, images=True))
        for _ in range(2):
            assert problems([await reader.read(attachment(2), room, images=True)]) == ["broken"]
    assert room.asked == {1: 2, 2: 1}


async def test_what_was_not_asked_for_the_longest_is_forgotten_first() -> None:
    room = Room(dict.fromkeys(range(4), b"x" * 1000))
    async with AttachmentReader(None, msgspec.structs.replace(DEFAULT_LIMITS, kept_bytes=17_000)) as reader:
        for wanted in (0, 1, 2, 0, 3, 0, 1):
            await reader.read(attachment(wanted), room, images=True)
    assert room.asked == {0: 1, 1: 2, 2: 1, 3: 1}


async def test_a_download_that_hangs_is_given_up() -> None:
    room = Room({1: b"x"})
    room.open.clear()
    async with AttachmentReader(None, msgspec.structs.replace(DEFAULT_LIMITS, fetch_seconds=0.05)) as reader:
        assert problems([await reader.read(attachment(1), room, images=True)]) == ["unavailable"]


async def test_what_is_still_being_read_at_the_end_is_given_up() -> None:
    room = Room({1: b"x"})
    room.open.clear()
    async with AttachmentReader() as reader:
        waiting = asyncio.create_task(reader.read(attachment(1), room, images=True))
        await asyncio.sleep(0)
    with pytest.raises(asyncio.CancelledError):
        await waiting


# The loop stays free


def large_picture() -> bytes:
    out = BytesIO()
    noise((700, 500)).resize((4000, 3000)).save(out, "PNG")
    return out.getvalue()


@pytest.mark.parametrize("data", [large_picture(), pdf(["words"] * 30)], ids=["picture", "pdf"])
async def test_the_loop_goes_on_while_a_file_is_read(data: bytes) -> None:
    """It turns some ten times where all the work is done within it."""
    turns = 0

    async def count() -> None:
        nonlocal turns
        while True:
            turns += 1
            await asyncio.sleep(0)

    async with AttachmentReader() as reader:
        counting = asyncio.create_task(count())
        read = await reader.read(attachment(1, size=len(data)), Room({1: data}), images=True)
        counting.cancel()
    assert len(read.parts) >= 1
    assert turns > 50


async def test_a_text_is_decoded_in_another_thread() -> None:
    threads = set()

    class Watched(bytes):
        def decode(self, encoding: str = "utf-8", errors: str = "strict") -> str:
            threads.add(threading.current_thread())
            return super().decode(encoding, errors)

    async with AttachmentReader() as reader:
        assert "words" in told(await reader.read(attachment(1), Room({1: Watched(b"words")}), images=True))
    assert threads
    assert threading.current_thread() not in threads
