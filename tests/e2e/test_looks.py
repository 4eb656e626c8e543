"""What a server may choose about answers: over sockets, from what was chosen to what stands in the channel."""

import asyncio
from pathlib import Path

import pytest

from bot.playground.scripted_provider import Say, Think, Until, spoken
from bot.playground.standin import Permission, StandinConfig, WorldConfig
from tests.e2e.house import House, open_house

TABLE = "Scores:\n\n| Name | Points |\n|:-----|-------:|\n| Ada | 9 |\n| 日本 | 12 |\n\nThat is all."
CODE = (
    "Here is `tool.py`:\n\n```python\n"
    + "\n".join(f"value_{n} = {n} * {n}  # a line" for n in range(300))
    + "\n```\nDone."
)


def shown_in(message: dict[str, object]) -> str:
    """The text of a message in whatever style."""
    texts = [str(message["content"]), *(embed.get("description", "") for embed in message["embeds"])]  # type: ignore[attr-defined]
    texts += [part["content"] for part in message["components"] if part["type"] == 10]  # type: ignore[attr-defined]
    return "\n".join(text for text in texts if text)


@pytest.mark.parametrize("style", ["plain", "embed", "components"])
async def test_every_style_streams_and_ends_with_footer_and_buttons(tmp_path: Path, style: str) -> None:
    async with open_house(tmp_path) as house:
        await house.set_delivery(style=style)
        house.script = [Say("The first half,"), Until(gate := asyncio.Event()), Say(" and the second.")]
        await house.ask("Well?", by=house.bo)
        await house.standin.wait_for(
            lambda _: "first half, ▍" in shown_in(house.answers()[-1]) if house.answers() else 0
        )
        gate.set()
        await house.standin.wait_for(lambda _: "\n-# `demo`" in shown_in(house.answers()[-1]))
        await house.app.idle()
        (answer,) = house.answers()
        assert shown_in(answer).startswith("The first half, and the second.\n-# `demo`")
        assert (answer["flags"] & 1 << 15 > 0) == (style == "components")
        await house.press("delete", by=house.bo)
        await house.standin.wait_for(lambda _: house.answers() == [])


async def test_a_table_is_aligned_and_the_model_gets_its_own_back(tmp_path: Path) -> None:
    async with open_house(tmp_path) as house:
        house.script = spoken(TABLE)
        await house.ask("Scores?")
        await house.answered()
        assert "| Name | Points |\n|:-----|-------:|\n| Ada  |      9 |\n| 日本 |     12 |" in house.texts()[0]
        await house.ask("And now?")
        await house.answered(2)
        assert house.provider.requests[1]["messages"][2] == {"role": "assistant", "content": TABLE}


async def test_a_table_may_be_a_picture(tmp_path: Path) -> None:
    async with open_house(tmp_path) as house:
        await house.set_delivery(tables="picture")
        house.script = spoken(TABLE.replace("日本", "Bo"))
        await house.ask("Scores?")
        await house.answered()
        pictures = [file for message in house.answers() for file in message["attachments"]]
        assert [file["filename"] for file in pictures] == ["table.png"]
        assert house.standin.attachment(pictures[0]["id"]).startswith(b"\x89PNG")


async def test_long_code_is_a_file_with_its_name_and_the_text_goes_on_below(tmp_path: Path) -> None:
    async with open_house(tmp_path) as house:
        house.script = spoken(CODE, pause=0.01, size=200)
        await house.ask("The tool?")
        await house.answered()
        before, after = house.answers()
        (file,) = before["attachments"]
        assert file["filename"] == "tool.py"
        code = CODE.partition("```python\n")[2].partition("```")[0]
        assert house.standin.attachment(file["id"]).decode() == code
        assert before["content"] == "Here is `tool.py`:"
        assert after["content"].startswith("Done.\n-# `demo`")


async def test_a_file_over_the_servers_limit_is_named_and_the_text_arrives(tmp_path: Path) -> None:
    async with open_house(tmp_path, config=StandinConfig(world=WorldConfig(file_limit=1000))) as house:
        house.script = spoken(CODE, size=500)
        await house.ask("The tool?")
        await house.answered(2)
        shown = "\n".join(house.texts())
        assert "`tool.py` is missing" in shown
        assert "Done." in shown
        assert not any(message["attachments"] for message in house.answers())


async def test_footers_tell_as_much_as_the_server_wants(tmp_path: Path) -> None:
    async with open_house(tmp_path) as house:
        await house.set_delivery(footer="full")
        await house.ask("Well?")
        await house.answered()
        assert "`demo` · Provider: custom · " in house.texts()[0]
        assert " tokens" in house.texts()[0]
        await house.set_delivery(footer="off")
        await house.ask("Well?")
        await house.app.idle()
        await house.standin.wait_for(lambda _: len(house.texts()) == 2 and "▍" not in house.texts()[1])
        assert house.texts()[1] == "Hello from the model."


async def thought(house: House) -> None:
    house.script = [Think("First this, "), Think("then ||that||."), *spoken("So: yes.")]
    await house.ask("Well?", by=house.bo)
    await house.answered()


async def test_thoughts_may_stand_as_a_spoiler_before_the_answer(tmp_path: Path) -> None:
    async with open_house(tmp_path) as house:
        await house.set_delivery(thoughts="spoiler")
        await thought(house)
        before, answer = house.texts()
        assert before.startswith("-# 💭 Thought for one second\n||First this, then ")
        assert answer.startswith("So: yes.\n-# `demo`")


async def test_thoughts_may_be_a_file(tmp_path: Path) -> None:
    async with open_house(tmp_path) as house:
        await house.set_delivery(thoughts="file")
        await thought(house)
        (answer,) = house.answers()
        (file,) = answer["attachments"]
        assert file["filename"] == "thoughts.md"
        assert house.standin.attachment(file["id"]) == b"First this, then ||that||."


async def test_thoughts_may_go_into_a_thread_at_the_answer(tmp_path: Path) -> None:
    async with open_house(tmp_path) as house:
        await house.set_delivery(thoughts="thread")
        await thought(house)
        await house.app.idle()
        thread = house.standin.world.channels[house.answers()[0]["id"]]
        (message,) = house.answers(thread)
        assert message["content"] == "", "or a question in the thread would take it for an answer"
        assert shown_in(message).startswith("-# 💭 Thoughts on <https://discord.com/channels/")
        assert shown_in(message).endswith("First this, then ||that||.")


async def test_thoughts_may_go_into_a_log_channel(tmp_path: Path) -> None:
    async with open_house(tmp_path) as house:
        log = house.standin.channel("random")
        await house.set_delivery(thoughts="channel", thought_channel_id=int(log.id))
        await thought(house)
        await house.app.idle()
        (message,) = house.answers(log)
        assert shown_in(message).endswith("First this, then ||that||.")


async def locked_out_in_mid_answer(house: House) -> None:
    house.script = [Say("Half of"), Until(gate := asyncio.Event()), Say(" it.")]
    count, bot = len(house.answers()), house.standin.world.bot
    await house.ask("Well?", by=house.bo)
    await house.standin.wait_for(lambda _: len(house.answers()) > count)
    house.standin.set_permissions(house.general, bot, deny=Permission.SEND_MESSAGES | Permission.VIEW_CHANNEL)
    gate.set()
    await house.app.idle()
    house.standin.set_permissions(house.general, bot)


async def test_what_cannot_be_delivered_is_told_privately_once_and_kept(tmp_path: Path) -> None:
    async with open_house(tmp_path) as house:
        await locked_out_in_mid_answer(house)
        await locked_out_in_mid_answer(house)
        direct = house.standin.dm(house.bo)
        (told,) = house.texts(direct)
        assert "`#general`" in told


async def test_people_are_only_notified_where_the_server_wants_it(tmp_path: Path) -> None:
    async with open_house(tmp_path) as house:
        await house.set_delivery(mention_users=True)
        chi = house.standin.user("Chi")
        house.script = spoken(f"@everyone look, <@{chi.id}>!", size=100)
        await house.ask("Call them.", by=house.bo)
        await house.answered()
        ping = house.standin.pings[-1]
        assert (ping.mentions.user_ids, ping.mentions.role_ids, ping.mentions.everyone) == ((chi.id,), (), False)
