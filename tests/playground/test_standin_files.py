"""Files: how many, how large, kept and replaced by edits, shown by components and embeds."""

from __future__ import annotations

import io
from typing import Any

import aiohttp
import discord
import pytest

from bot.playground.standin import StandinConfig, WorldConfig
from bot.playground.standin.events import Json
from bot.playground.standin.media import check_references, with_media
from tests.playground.standin_dialogue import dialogue, raw_rest
from tests.playground.test_standin_rest import messages_url, patch, post
from tests.playground.test_standin_threads import code_of

SMALL = StandinConfig(world=WorldConfig(file_limit=100), buckets={})
V2 = 1 << 15


def file(name: str, size: int = 4) -> discord.File:
    return discord.File(io.BytesIO(b"x" * size), name)


def text(content: str) -> Json:
    return {"type": 10, "content": content}


async def test_a_file_may_be_as_large_as_the_server_allows() -> None:
    async with dialogue(SMALL) as (standin, client):
        message = await client.text_channel().send(file=file("a.txt", 100))
        assert await code_of(client.text_channel().send(file=file("b.txt", 101))) == 40005
        assert await code_of(message.edit(attachments=[file("b.txt", 101)])) == 40005
        dm = await client.create_dm(discord.Object(int(standin.user("Ada").id)))
        await dm.send(file=file("b.txt", 101))


async def test_an_edit_without_attachments_adds_its_files() -> None:
    async with dialogue() as (standin, client):
        message = await client.text_channel().send("see", file=file("a.txt"))
        await message.edit(content="see both")
        assert names_of(standin.message(str(message.id))) == ["a.txt"]
        await message.add_files(file("b.txt"))
        assert names_of(standin.message(str(message.id))) == ["a.txt", "b.txt"]


async def test_an_edit_keeps_replaces_and_drops_files_by_its_list() -> None:
    async with dialogue() as (standin, client):
        message = await client.text_channel().send("see", files=[file("a.txt"), file("b.txt")])
        message = await message.edit(attachments=[message.attachments[1], file("c.txt")])
        assert names_of(standin.message(str(message.id))) == ["b.txt", "c.txt"]
        assert await message.attachments[1].read() == b"xxxx"
        await message.edit(attachments=[])
        assert names_of(standin.message(str(message.id))) == []


def names_of(message: Json) -> list[str]:
    return [attachment["filename"] for attachment in message["attachments"]]


async def test_components_show_the_files_of_their_message() -> None:
    async with dialogue() as (standin, client):
        layout: discord.ui.LayoutView = discord.ui.LayoutView(timeout=None)
        inside: list[discord.ui.Item[Any]] = [
            discord.ui.TextDisplay("# Answer"),
            discord.ui.MediaGallery(discord.MediaGalleryItem("attachment://table.png", description="a table")),
            discord.ui.File("attachment://code.py"),
        ]
        layout.add_item(discord.ui.Container(*inside, accent_colour=0x5865F2))
        message = await client.text_channel().send(view=layout, files=[file("table.png"), file("code.py", 9)])
        stored = standin.message(str(message.id))
        _, gallery, shown = stored["components"][0]["components"]
        picture, code = stored["attachments"]
        assert gallery["items"][0]["media"]["url"] == picture["url"]
        assert (shown["name"], shown["size"], shown["file"]["attachment_id"]) == ("code.py", 9, code["id"])
        # An edit may show the files again that it keeps.
        await message.edit(view=layout)
        assert standin.message(str(message.id))["components"][0]["components"][2]["file"]["url"] == code["url"]


@pytest.mark.parametrize(
    "component",
    [
        {"type": 13, "file": {"url": "attachment://other.txt"}},
        {"type": 12, "items": [{"media": {"url": "attachment://other.txt"}}]},
        {"type": 17, "components": [{"type": 13, "file": {"url": "attachment://other.txt"}}]},
        {"type": 9, "components": [text("x")], "accessory": {"type": 11, "media": {"url": "attachment://other.txt"}}},
    ],
    ids=["file", "gallery", "in a container", "thumbnail"],
)
async def test_a_component_that_shows_no_file_of_the_message_is_refused(component: Json) -> None:
    async with dialogue() as (standin, _), raw_rest(standin) as session:
        body = {"flags": V2, "components": [text("x"), component]}
        status, _, answer = await post(session, messages_url(standin), body)
        assert (status, answer["code"]) == (400, 50035)
        assert "UNFURLED_MEDIA_ITEM_REFERENCED_ATTACHMENT_NOT_FOUND" in str(answer["errors"])


async def test_a_kept_file_is_found_only_by_an_entry_with_its_name() -> None:
    async with dialogue() as (standin, client), raw_rest(standin) as session:
        message = await client.text_channel().send("see", file=file("a.txt"))
        url = f"{messages_url(standin)}/{message.id}"
        shown = {"type": 13, "file": {"url": "attachment://a.txt"}}
        body: Json = {"flags": V2, "content": None, "components": [shown]}
        kept = {"id": str(message.attachments[0].id)}
        assert (await patch(session, url, {**body, "attachments": [kept]}))[0] == 400
        assert (await patch(session, url, {**body, "attachments": [{**kept, "filename": "a.txt"}]}))[0] == 200


async def test_an_embed_shows_a_file_of_its_message() -> None:
    async with dialogue() as (standin, client):
        embed = discord.Embed(description="a table").set_image(url="attachment://table.png")
        message = await client.text_channel().send(embed=embed, file=file("table.png"))
        stored = standin.message(str(message.id))
        assert stored["embeds"][0]["image"]["url"] == stored["attachments"][0]["url"]


async def test_a_file_that_no_component_shows_leaves_a_message_of_components_empty() -> None:
    async with dialogue() as (standin, _), raw_rest(standin) as session:
        form = aiohttp.FormData({"payload_json": f'{{"flags": {V2}}}'})
        form.add_field("files[0]", io.BytesIO(b"a"), filename="a.txt")
        async with session.post(messages_url(standin), data=form) as response:
            assert (await response.json())["code"] == 50006


@pytest.mark.parametrize(
    ("edit", "status"),
    [
        ({"flags": V2, "components": [text("new")]}, 400),
        ({"flags": V2, "content": "", "components": [text("new")]}, 200),
        ({"flags": V2, "content": None, "embeds": [], "components": [text("字" * 3386)]}, 200),
        ({"flags": V2, "content": None, "components": [text("字" * 3387)]}, 500),
        ({"components": [text("new")]}, 400),
    ],
    ids=[
        "content stays",
        "content is cleared",
        "as many bytes as can be",
        "too many bytes",
        "no flag",
    ],
)
async def test_an_edit_into_components_v2_clears_what_cannot_stay(edit: Json, status: int) -> None:
    async with dialogue() as (standin, client), raw_rest(standin) as session:
        message = await client.text_channel().send("old")
        url = f"{messages_url(standin)}/{message.id}"
        assert (await patch(session, url, edit))[0] == status
        if status == 200:
            # There is no way back.
            assert (await patch(session, url, {"flags": 0, "content": "old", "components": []}))[0] == 400
            assert standin.message(str(message.id))["flags"] == V2


async def test_suppressed_embeds_are_not_there_until_they_are_wanted_again() -> None:
    async with dialogue() as (standin, client):
        embed = discord.Embed(description="a preview")
        message = await client.text_channel().send("see", embed=embed, suppress_embeds=True)
        assert standin.message(str(message.id))["embeds"] == []
        await message.edit(suppress=False)
        assert len(standin.message(str(message.id))["embeds"]) == 1
        await message.edit(suppress=True)
        assert (standin.message(str(message.id))["embeds"], standin.message(str(message.id))["flags"]) == ([], 4)


def test_media_that_is_elsewhere_keeps_its_address() -> None:
    components = [{"type": 12, "items": [{"media": {"url": "https://a.example/x.png"}}]}]
    check_references({"components": components}, ())
    (gallery,) = with_media(components, {}, lambda: "1")
    (item,) = gallery["items"]
    assert item["media"]["url"] == "https://a.example/x.png"
    assert (item["spoiler"], item["description"]) == (False, None)
