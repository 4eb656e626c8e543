"""`/prompt`: what the model should know or do, written in a form, and read by the model from the next question on."""

from pathlib import Path
from typing import Any

from bot.playground.scripted_provider import spoken
from tests.e2e.house import House, open_house
from tests.e2e.panels import SettingsPanel
from tests.e2e.test_personas import fill_in, tell


async def form(house: House, where: str) -> tuple[Any, str, str]:
    """The opened form, the id of its field, and what stands in it."""
    opened = await house.standin.slash(house.ada, house.general, "prompt", {"where": where})
    modal = (await opened.answered()).modal
    assert modal is not None
    field = modal["components"][0]["component"]
    return opened, field["custom_id"], field.get("value", "")


async def system(house: House) -> str:
    house.script = spoken("Yes.")
    count = len(house.provider.requests)
    await house.ask("Is it?")
    await house.standin.wait_for(lambda _: len(house.provider.requests) > count)
    await house.app.idle()
    text: str = house.provider.requests[-1]["messages"][0]["content"]
    return text


async def test_a_prompt_is_written_read_again_and_taken_away(tmp_path: Path) -> None:
    async with open_house(tmp_path) as house:
        for where, text in (("server", "Speak in rhymes."), ("here", "Name a bird.")):
            opened, field, before = await form(house, where)
            assert before == ""
            told = await fill_in(house, opened, {field: text})
            assert told == f"Done. The prompt has {len(text)} characters; it counts from the next question on."
        assert "Speak in rhymes." in await system(house)
        assert "Name a bird." in await system(house)
        opened, field, before = await form(house, "server")
        assert before == "Speak in rhymes."
        assert await fill_in(house, opened, {field: " "}) == "Done. There is no prompt there any more."
        assert "rhymes" not in await system(house)
        panel = SettingsPanel(house)
        await panel.open()
        await panel.press("history")
        assert panel.lines[1] == "- Prompt of the server: `Speak in rhymes.` → –"


async def test_a_member_gets_no_form(tmp_path: Path) -> None:
    async with open_house(tmp_path) as house:
        told = await tell(house, "prompt", house.bo, where="server")
        assert told == "Only people who may manage this server can change that."
