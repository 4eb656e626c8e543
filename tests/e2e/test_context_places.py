"""What the model is asked in threads, forums and after commands: over sockets from one end to the other."""

from __future__ import annotations

from pathlib import Path

from bot.conversation.prompt import REPLIED_TO
from tests.e2e.house import QUICK, open_house
from tests.e2e.test_context import answer_id, asks, begin_anew, beside, got, says

# ------------------------------------------------------------------------------------------------------- threads and forums


async def test_in_a_thread_what_it_was_opened_at_comes_first_and_nothing_of_the_channel(tmp_path: Path) -> None:
    async with open_house(tmp_path, config=QUICK) as house:
        starter = await says(house, house.bo, "Look at my cat!")
        await says(house, house.bo, "Unrelated.")
        thread = await house.standin.start_thread(house.bo, house.general, "cats", message_id=starter)
        await says(house, house.bo, "She is ill.", channel=thread)
        expected = "Bo (#bo): Look at my cat!\n\nBo (#bo): She is ill.\n\nAda (#ada): Since when?"
        assert await asks(house, "Since when?", channel=thread) == [expected]
        assert "[place: the thread “cats” in the channel #general" in beside(house)


async def test_a_thread_at_an_answer_begins_with_its_question(tmp_path: Path) -> None:
    async with open_house(tmp_path, config=QUICK) as house:
        await asks(house, "Who is Miso?")
        thread = await house.standin.start_thread(house.bo, house.general, "Miso", message_id=answer_id(house))
        assert await asks(house, "More!", channel=thread) == [
            "Ada (#ada): Who is Miso?",
            "> Hello from the model.",
            "Ada (#ada): More!",
        ]


async def test_a_post_in_a_forum_begins_with_its_first_message(tmp_path: Path) -> None:
    async with open_house(tmp_path, config=QUICK) as house:
        post = await house.standin.post(house.bo, house.standin.add_forum("help"), "My cat", "It is ill.")
        assert await asks(house, "How ill?", channel=post) == ["Bo (#bo): It is ill.\n\nAda (#ada): How ill?"]


async def test_a_question_that_was_answered_in_a_thread_of_its_own_has_its_answer_in_the_channel_too(
    tmp_path: Path,
) -> None:
    """Or it would seem to wait for one. What else is said in the thread stays there."""
    async with open_house(tmp_path, config=QUICK) as house:
        await house.choose(threads=True)
        await asks(house, "Who is Miso?")
        thread = next(it for it in house.standin.world.channels.values() if it.is_thread)
        await asks(house, "In there.", channel=thread)
        await house.choose(threads=False)
        before = len(house.standin.calls)
        expected = ["Ada (#ada): Who is Miso?", "> Hello from the model.", "Ada (#ada): And Tofu?"]
        assert await asks(house, "And Tofu?") == expected
        fetched = [call.path for call in house.standin.calls[before:] if call.method == "GET"]
        assert len(fetched) == 1, "the channel's messages; nothing is looked for in the thread"
        house.standin.delete_channel(thread)
        (first, *_) = await asks(house, "Still there?")
        assert first == "Ada (#ada): Who is Miso?\n\nAda (#ada): And Tofu?"


async def test_a_question_that_gets_a_thread_of_its_own_is_read_as_part_of_the_channels_conversation(
    tmp_path: Path,
) -> None:
    async with open_house(tmp_path, config=QUICK) as house:
        await house.choose(threads=True)
        await asks(house, "Old?")
        await begin_anew(house)
        await says(house, house.bo, "Something new.")
        assert await asks(house, "New?") == ["Bo (#bo): Something new.\n\nAda (#ada): New?"]


# ------------------------------------------------------------------------------------------------------- questions by command


async def test_what_a_command_asked_stands_before_its_answer_and_is_asked_for_nowhere(tmp_path: Path) -> None:
    async with open_house(tmp_path, config=QUICK) as house:
        await house.standin.slash(house.bo, house.general, "ask", {"question": "What is *it*?"})
        first = await got(house, 0)
        assert first == ["Bo (#bo): What is *it*?"]
        before = len(house.standin.calls)
        later = await asks(house, "Sure?")
        assert later == [*first, "> Hello from the model.", "Ada (#ada): Sure?"]
        assert len([call for call in house.standin.calls[before:] if call.method == "GET"]) == 1
        await house.choose(messages=2)
        await begin_anew(house)
        replied = await asks(house, "Really?", reply_to=answer_id(house, 0))
        assert replied == [
            f"{REPLIED_TO}\n\nBo (#bo): What is *it*?",
            "> Hello from the model.",
            "Ada (#ada): (in reply to you: “Hello from the model.”)\nReally?",
        ]


async def test_a_question_about_a_message_says_in_later_requests_too_what_it_was_about(tmp_path: Path) -> None:
    async with open_house(tmp_path, config=QUICK) as house:
        about = await says(house, house.bo, "Cats are liquid.")
        chosen = await house.standin.message_command(house.ada, about, "Ask about this")
        modal = (await chosen.answered()).modal
        assert modal is not None
        (label,) = modal["components"]
        await house.standin.submit_modal(chosen, {label["component"]["custom_id"]: "Is that so?"})
        first = await got(house, 0)
        assert first == [
            "Bo (#bo): Cats are liquid.\n\nAda (#ada): (in reply to Bo (#bo): “Cats are liquid.”)\nIs that so?"
        ]
        assert await asks(house, "Hm.") == [*first, "> Hello from the model.", "Ada (#ada): Hm."]
