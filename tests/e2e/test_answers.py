"""A question in a channel is answered by a model: the main job, over real sockets on both sides."""

import asyncio
from pathlib import Path

from bot.playground.scripted_provider import End, Pause, Say, Until, spoken
from bot.playground.standin import StandinConfig, WorldConfig
from tests.e2e.house import open_house, said

LONG = "\n\n".join(
    [f"Paragraph {n} says something about the matter at hand, and then a little more." for n in range(20)]
    + ["```python\n" + "\n".join(f"value_{n} = {n} * {n}" for n in range(150)) + "\n```", "That is all."]
)


async def test_a_mention_is_answered_with_a_reply_that_grows_by_edits_and_ends_with_a_footer(tmp_path: Path) -> None:
    async with open_house(tmp_path) as house:
        house.script = spoken("The answer is forty-two, as everybody knows by now.", pause=0.15)
        question_id = await house.ask("What is the answer?")
        await house.answered()
        (answer,) = house.answers()
        text, _, footer = answer["content"].partition("\n-# ")
        assert text == "The answer is forty-two, as everybody knows by now."
        assert footer.startswith("`demo` · ")
        assert footer.endswith(" s")
        assert answer["message_reference"]["message_id"] == question_id
        creates, edits = house.calls("POST", "/messages"), house.calls("PATCH", "/messages")
        assert len(creates) == 1
        assert len(edits) >= 2
        first = creates[0].body["content"]
        assert first.endswith(" ▍"), "it is still being written"
        assert text.startswith(first.removesuffix(" ▍"))
        assert creates[0].body["enforce_nonce"] is True
        assert len(house.calls("POST", "/typing")) >= 1
        assert not [call for call in house.standin.calls if call.status is None or call.status >= 400]


async def test_the_model_reads_who_spoke_and_what_was_said_before(tmp_path: Path) -> None:
    async with open_house(tmp_path) as house:
        await house.standin.say(house.bo, house.general, "My cat is called Miso.")
        await house.ask("What is Bo's cat called?")
        await house.answered()
        await house.standin.say(house.bo, house.general, "Thank you!", reply_to=house.answers()[0]["id"])
        await house.answered(2)
        first, second = house.provider.requests
        ada, bo = house.ada.id, house.bo.id
        asked = f"Bo ({bo}): My cat is called Miso.\n\nAda ({ada}): What is Bo's cat called?"
        assert [message["role"] for message in first["messages"]] == ["system", "user"]
        assert [message["content"] for message in said(first)] == [asked]
        # Our own answer comes back as the model wrote it, without the footer; and the prompt only grows at its end.
        assert said(second) == [
            {"role": "user", "content": asked},
            {"role": "assistant", "content": "Hello from the model."},
            {"role": "user", "content": f"Bo ({bo}): (in reply to you: “Hello from the model.”)\nThank you!"},
        ]


async def test_a_direct_message_needs_no_mention(tmp_path: Path) -> None:
    async with open_house(tmp_path) as house:
        direct = house.standin.dm(house.ada)
        await house.standin.say(house.ada, direct, "Hello?")
        await house.answered(1, direct)
        assert house.texts(direct)[0].startswith("Hello from the model.\n-# `demo`")


async def test_what_is_not_for_us_is_not_answered(tmp_path: Path) -> None:
    async with open_house(tmp_path) as house:
        await house.standin.say(house.ada, house.general, "Just talking.")
        await house.standin.say(house.bo, house.general, "@Parley without a real mention")
        await house.ask("Now you.")
        await house.answered()
        assert len(house.provider.requests) == 1
        assert len(house.answers()) == 1


async def test_a_long_answer_goes_over_several_messages_with_its_fences_whole(tmp_path: Path) -> None:
    async with open_house(tmp_path) as house:
        house.script = spoken(LONG, pause=0.005, size=20)
        await house.ask("Tell me a lot.")
        await house.answered()
        texts = house.texts()
        assert len(texts) >= 3
        assert all(len(text) <= 2000 for text in texts)
        assert all(text.count("```") % 2 == 0 for text in texts)
        assert all(text.startswith("```python\n") for text in texts if "value_" in text and "Paragraph" not in text)
        shown = "\n".join(texts)
        assert [f"value_{n} = {n} * {n}" for n in range(150)] == [
            line for line in shown.splitlines() if line.startswith("value_")
        ]
        references = [message.get("message_reference") for message in house.answers()]
        assert references[0] is not None
        assert references[1:] == [None] * (len(texts) - 1)


async def test_a_reply_to_any_part_of_a_long_answer_brings_all_of_it_back(tmp_path: Path) -> None:
    async with open_house(tmp_path) as house:
        house.script = spoken(LONG, size=400)
        await house.ask("Tell me a lot.")
        await house.answered()
        house.script = spoken("Gladly.")
        await house.standin.say(house.bo, house.general, "More of that", reply_to=house.answers()[-1]["id"])
        await house.answered(2)
        roles = [message["role"] for message in house.provider.requests[1]["messages"]]
        assert roles == ["system", "user", "assistant", "user"]
        answer = house.provider.requests[1]["messages"][2]["content"]
        assert "Paragraph 0 says" in answer
        assert "value_149 = 149 * 149" in answer
        assert "-# `demo`" not in answer


async def test_nobody_is_pinged_whatever_the_model_writes(tmp_path: Path) -> None:
    async with open_house(tmp_path) as house:
        text = f"Hey @everyone and @here, <@{house.bo.id}>: done!"
        house.script = [Say(text[:20]), Pause(1.5), Say(text[20:])]
        await house.ask("Call them.")
        asked = len(house.standin.pings)
        await house.answered()
        assert house.texts()[0].startswith(text)
        assert len(house.standin.pings) == asked
        for call in (*house.calls("POST", "/messages"), *house.calls("PATCH", "/messages")):
            assert call.body["allowed_mentions"] == {"parse": [], "replied_user": False} or call.body[
                "allowed_mentions"
            ] == {"parse": []}


async def test_an_answer_that_the_length_limit_cut_says_so(tmp_path: Path) -> None:
    async with open_house(tmp_path) as house:
        house.script = [Say("Once upon a"), End("length")]
        await house.ask("A story.")
        await house.answered()
        assert house.texts()[0].split("\n")[:2] == [
            "Once upon a",
            "-# ✂️ The model reached its length limit; the answer stops here.",
        ]


async def test_an_empty_answer_is_said_to_be_empty_in_the_servers_language(tmp_path: Path) -> None:
    async with open_house(tmp_path, locale="de") as house:
        house.script = []
        await house.ask("Hm?")
        await house.answered()
        assert house.texts()[0].startswith("-# 💬 Das Modell hat nichts geschickt, was sich zeigen lässt.")


async def test_two_people_in_two_channels_are_answered_side_by_side(tmp_path: Path) -> None:
    async with open_house(tmp_path) as house:
        random, gate = house.standin.channel("random"), asyncio.Event()
        house.scripts = {
            "apples": [Say("All about"), Until(gate), Say(" apples.")],
            "pears": [Say("Everything on"), Until(gate), Say(" pears.")],
        }
        await house.ask("apples?", by=house.ada)
        await house.ask("pears?", by=house.bo, in_channel=random)
        await house.standin.wait_for(lambda _: house.texts() and house.texts(random))
        gate.set()  # both were being written at the same time
        await house.answered()
        await house.answered(1, random)
        assert house.texts()[0].startswith("All about apples.\n-# ")
        assert house.texts(random)[0].startswith("Everything on pears.\n-# ")


async def test_two_questions_in_one_channel_are_answered_one_after_the_other(tmp_path: Path) -> None:
    async with open_house(tmp_path) as house:
        house.scripts = {"first": spoken("One.", 0.1), "second": spoken("Two.", 0.1)}
        questions = [await house.ask("first"), await house.ask("second", by=house.bo)]
        await house.answered(2)
        answers = house.answers()
        assert [answer["message_reference"]["message_id"] for answer in answers] == questions
        assert [answer["content"][:4] for answer in answers] == ["One.", "Two."]
        # Though the second was asked before the first was answered, the model reads them in their right order.
        assert [message["content"][-6:] for message in said(house.provider.requests[1])] == [
            " first",
            "One.",
            "second",
        ]


async def test_all_shards_of_a_sharded_bot_answer(tmp_path: Path) -> None:
    config = StandinConfig(world=WorldConfig(), shards=2)
    async with open_house(tmp_path, config=config) as house:
        assert house.standin.connected_sessions == 2
        await house.ask("Hello?")
        await house.answered()


async def test_fixed_shards_take_the_gateways_address_from_the_server_too(tmp_path: Path) -> None:
    async with open_house(tmp_path, shard_count=1, shard_ids=(0,)) as house:
        await house.ask("Hello?")
        await house.answered()
