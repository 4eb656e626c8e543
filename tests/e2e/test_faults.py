"""What goes wrong on either side is told to the person, keeps what was written, and does not spoil the next answer."""

import asyncio
import sqlite3
from pathlib import Path
from typing import Any

import pytest

from bot import app as app_module
from bot.playground.scripted_provider import BreakOff, Pause, Refuse, Say, Script, Think, Until, spoken
from bot.playground.standin import Channel, Intent, Permission, StandinConfig, WorldConfig
from bot.turn.queue import MOST_WAITING
from tests.e2e.house import QUICK, House, open_house, running_bot


def embed(house: House) -> dict[str, Any]:
    (found,) = house.answers()[-1]["embeds"]
    return dict(found)


async def next_question_works(house: House) -> None:
    before = len(house.answers())
    house.script = spoken("Here again.")
    await house.ask("Still there?")
    await house.standin.wait_for(
        lambda _: len(house.answers()) > before and "\n-# `demo`" in house.texts()[-1], within=30
    )
    assert house.texts()[-1].startswith("Here again.\n-# `demo`")


# --------------------------------------------------------------------------------------------------------- provider


@pytest.mark.parametrize(
    ("locale", "words"),
    [("en-US", "The connection to the provider broke off"), ("de", "Die Verbindung zum Anbieter ist mitten in der")],
)
async def test_a_provider_cut_in_mid_stream_keeps_the_text_and_says_so(tmp_path: Path, locale: str, words: str) -> None:
    async with open_house(tmp_path, locale=locale) as house:
        house.script = [*spoken("The first half is here, but the"), BreakOff()]
        await house.ask("Tell me.")
        await house.answered()
        (answer,) = house.answers()
        assert answer["content"].startswith("The first half is here, but the\n-# `demo`")
        assert embed(house)["description"].startswith(words)
        await next_question_works(house)


@pytest.mark.parametrize(
    ("script", "words"),
    [
        ([Refuse(401, "Incorrect API key provided: sk-test-key")], "The provider did not accept this bot's key."),
        ([Refuse(429, "slow down", "rate_limit_exceeded", 20)], "Please try again in 20 seconds."),
        ([Refuse(503, "overloaded")], "The provider is overloaded just now."),
        ([Refuse(404, "The model `demo` does not exist", "model_not_found")], "`The model 'demo' does not exist`"),
        ([Refuse(400, "maximum context length is 4096", "context_length_exceeded")], "longer than this model can read"),
        ([Refuse(500, "boom")], "The provider had an error of its own."),
    ],
)
async def test_a_refusal_is_an_embed_that_says_what_to_do_and_never_shows_a_key(
    tmp_path: Path, script: Script, words: str
) -> None:
    async with open_house(tmp_path) as house:
        house.script = script
        await house.ask("Tell me.")
        await house.answered()
        assert words in embed(house)["description"]
        assert embed(house)["footer"]["text"].startswith("Turn ")
        assert house.texts() == [""]
        assert "sk-test-key" not in str(house.standin.messages(house.general))
        await next_question_works(house)


async def test_an_unreachable_model_is_said_in_the_channel_and_the_bot_stays_up(tmp_path: Path) -> None:
    async with open_house(tmp_path, llm_base_url="http://127.0.0.1:1/v1") as house:
        for _ in range(2):
            await house.ask("Hello?")
        await house.answered(2)
        first, second = house.answers()
        assert "could not be reached" in first["embeds"][0]["description"]
        assert second["embeds"] == [], "the same again is one line"
        assert second["content"].startswith("-# ⚠️")


async def test_without_a_model_a_notice_says_who_can_change_that(tmp_path: Path) -> None:
    async with open_house(tmp_path, llm_provider=None, llm_model=None, llm_base_url=None) as house:
        await house.ask("Hello?")
        await house.answered()
        assert "LLM_PROVIDER" in embed(house)["description"]


# ---------------------------------------------------------------------------------------------------------- discord


async def test_a_429_on_an_edit_slows_the_preview_and_loses_nothing(tmp_path: Path) -> None:
    async with open_house(tmp_path) as house:
        text = "Word after word after word. " * 20
        house.script = spoken(text, pause=0.02)
        house.standin.fail("PATCH", "/messages/", status=429, headers={"Retry-After": "1"})
        await house.ask("Talk.")
        await house.answered()
        assert house.texts()[0].startswith(text.strip() + "\n-# `demo`")
        statuses = [call.status for call in house.calls("PATCH", "/messages")]
        assert statuses.count(429) == 1
        contents = [call.body["content"] for call in house.calls("PATCH", "/messages") if call.status == 200]
        assert contents == sorted(contents, key=len)


async def test_a_message_deleted_while_it_is_written_ends_the_answer_and_the_call_of_the_model(tmp_path: Path) -> None:
    async with open_house(tmp_path) as house:
        never = asyncio.Event()
        house.script = [Say("This will be"), Until(never)]
        await house.ask("Talk.")
        await house.standin.wait_for(lambda _: house.answers())
        edits = len(house.calls("PATCH", "/messages"))
        await house.standin.delete(house.answers()[0]["id"], by=house.ada)
        await house.provider.client_left.wait()
        await next_question_works(house)
        assert len(house.answers()) == 1
        assert len(house.calls("PATCH", "/messages")) <= edits + 1


async def test_a_deleted_question_ends_the_answer_before_it_began(tmp_path: Path) -> None:
    async with open_house(tmp_path) as house:
        house.script = [Until(asyncio.Event())]
        question_id = await house.ask("Talk.")
        await house.provider.asked.wait()
        await house.standin.delete(question_id, by=house.ada)
        await house.provider.client_left.wait()
        await next_question_works(house)
        assert len(house.answers()) == 1


async def test_a_question_deleted_while_nobody_told_us_is_answered_without_reference(tmp_path: Path) -> None:
    async with open_house(tmp_path) as house:
        gate = asyncio.Event()
        house.script = [Until(gate), Say("Late, but here.")]
        question_id = await house.ask("Talk.")
        await house.provider.asked.wait()
        house.standin.world.listeners.clear()  # the gateway is silent
        house.standin.world.delete_message(question_id)
        gate.set()
        await house.app.idle()
        assert house.texts() == [house.texts()[0]]
        assert house.texts()[0].startswith("Late, but here.")
        assert "message_reference" not in house.answers()[0]


@pytest.mark.parametrize(
    "fault", [{"drop": True}, {"drop": True, "after_effect": True}, {"status": 502, "after_effect": True}]
)
async def test_an_answer_whose_post_got_lost_on_the_way_stands_once(tmp_path: Path, fault: dict[str, Any]) -> None:
    async with open_house(tmp_path) as house:
        house.standin.fail("POST", r"/messages$", **fault)
        await house.ask("Talk.")
        await house.answered()
        assert len(house.answers()) == 1
        assert house.texts()[0].startswith("Hello from the model.\n-# `demo`")


async def test_an_edit_that_discord_refuses_for_good_becomes_a_new_message(tmp_path: Path) -> None:
    async with open_house(tmp_path) as house:
        house.script = [Say("One"), Pause(1.5), Say(" two"), Pause(0.2), Say(" three")]
        body = {"message": "Maximum number of edits to messages older than 1 hour reached.", "code": 30046}
        house.standin.fail("PATCH", "/messages/", status=400, body=body)
        await house.ask("Count.")
        await house.answered()
        await house.app.idle()
        assert [text.partition("\n-# ")[0] for text in house.texts()] == ["One two three"]
        posted = [call.answer["id"] for call in house.calls("POST", "/messages")]
        assert len(set(posted)) == len(posted) == 2
        assert [call.path.rpartition("/")[2] for call in house.calls("DELETE", "/messages/")] == posted[:1]


@pytest.mark.parametrize("fault", [{"status": 503}, {"drop": True}])
async def test_a_deletion_that_fails_once_is_tried_again(tmp_path: Path, fault: dict[str, Any]) -> None:
    async with open_house(tmp_path) as house:
        house.script = [Say("One"), Pause(1.5), Say(" two")]
        house.standin.fail("PATCH", "/messages/", status=400, body={"message": "no", "code": 30046})
        house.standin.fail("DELETE", "/messages/", **fault)
        await house.ask("Count.")
        await house.answered()
        await house.app.idle()
        assert [text.partition("\n-# ")[0] for text in house.texts()] == ["One two"]


BLOCKED = {"message": "Message was blocked by automatic moderation", "code": 200000}


async def test_text_that_discords_filter_blocks_is_said_to_be_blocked(tmp_path: Path) -> None:
    async with open_house(tmp_path) as house:
        house.standin.fail("POST", r"/messages$", status=400, body=BLOCKED)
        await house.ask("Say something.")
        await house.answered()
        assert house.texts()[0].startswith("-# 🚫 Discord did not let the rest of this answer through")


async def test_what_stood_before_the_filter_blocked_an_edit_stays(tmp_path: Path) -> None:
    async with open_house(tmp_path) as house:
        house.script = [Say("One"), Pause(1.5), Say(" two"), Until(asyncio.Event())]
        house.standin.fail("PATCH", "/messages/", status=400, body=BLOCKED)
        await house.ask("Count.")
        await house.provider.client_left.wait()
        await house.answered()
        assert house.texts()[0].startswith("One\n-# 🚫")


async def test_a_history_that_cannot_be_read_leaves_the_question(tmp_path: Path) -> None:
    async with open_house(tmp_path) as house:
        house.standin.fail("GET", r"/messages$", status=503, times=5)
        await house.ask("Hello?")
        await house.answered()
        assert house.texts()[0].startswith("Hello from the model.")


async def test_questions_that_waited_are_answered_by_the_client_that_replaced_a_broken_one(tmp_path: Path) -> None:
    async with open_house(tmp_path) as house:
        gate = asyncio.Event()
        house.scripts = {"first": [Until(gate), Say("One.")], "second": [Say("Two.")]}
        await house.ask("first")
        await house.provider.asked.wait()
        await house.ask("second", by=house.bo)
        # Events come in order: when this one is answered, the one before it waits in the queue.
        random = house.standin.channel("random")
        await house.ask("between", by=house.bo, in_channel=random)
        await house.answered(1, random)
        await house.app.client.close()
        await house.standin.wait_for(lambda standin: standin.identifies == 2, within=30)
        gate.set()
        await house.answered(2)
        # After a second the one that waits says so, in the message that is to be its answer: then it stands first.
        assert sorted(text.partition("\n")[0] for text in house.texts()) == ["One.", "Two."]
        assert "first" in house.provider.requests[-1]["messages"][1]["content"]


async def test_a_call_cancelled_in_a_global_rate_limit_does_not_silence_the_bot(tmp_path: Path) -> None:
    async with open_house(tmp_path) as house:
        body = {"message": "You are being rate limited.", "retry_after": 30.0, "global": True, "code": 0}
        house.standin.fail("GET", r"/messages$", status=429, body=body, headers={"Retry-After": "30"})
        question_id = await house.ask("Talk.")
        await house.standin.wait_for(lambda _: [call for call in house.calls("GET", "/messages") if call.status == 429])
        await house.standin.delete(question_id, by=house.ada)
        await next_question_works(house)


async def test_a_journal_that_fails_at_the_end_does_not_spoil_the_answer(tmp_path: Path) -> None:
    async with open_house(tmp_path) as house:
        gate = asyncio.Event()
        house.script = [Say("Whole"), Until(gate), Say(" answer.")]
        await house.ask("Talk.")
        await house.standin.wait_for(lambda _: house.answers())
        with sqlite3.connect(tmp_path / "parley.db") as database:
            database.execute("ALTER TABLE turns RENAME TO gone")
        gate.set()
        await house.answered()
        await house.app.idle()
        (only,) = house.answers()
        assert only["content"].startswith("Whole answer.\n-# `demo`")
        assert only["embeds"] == []


async def test_an_answer_outlives_the_client_that_broke_under_it(tmp_path: Path) -> None:
    async with open_house(tmp_path) as house:
        gate = asyncio.Event()
        house.script = [Say("Before."), Until(gate), Say(" After.")]
        await house.ask("Talk.")
        await house.standin.wait_for(lambda standin: house.answers() and standin.in_flight == 0)
        await house.app.client.close()
        await house.standin.wait_for(lambda standin: standin.identifies == 2, within=30)
        gate.set()
        await house.answered()
        assert house.texts()[0].startswith("Before. After.\n-# `demo`")


@pytest.mark.parametrize("place", ["thread", "channel"])
async def test_thoughts_reach_their_place_when_the_client_broke_under_the_answer(tmp_path: Path, place: str) -> None:
    async with open_house(tmp_path) as house:
        log = house.standin.channel("random")
        await house.set_delivery(thoughts=place, thought_channel_id=int(log.id))
        gate = asyncio.Event()
        house.script = [Think("Hm."), Say("Before."), Until(gate), Say(" After.")]
        await house.ask("Talk.")
        await house.standin.wait_for(lambda standin: house.answers() and standin.in_flight == 0)
        await house.app.client.close()
        await house.standin.wait_for(lambda standin: standin.identifies == 2, within=30)
        gate.set()
        await house.answered()
        await house.app.idle()
        (answer,) = house.answers()
        assert len(house.answers(log if place == "channel" else house.standin.world.channels[answer["id"]])) == 1


async def test_a_question_deleted_while_it_waits_is_neither_answered_nor_paid_for(tmp_path: Path) -> None:
    async with open_house(tmp_path) as house:
        gate = asyncio.Event()
        house.scripts = {"first": [Until(gate), Say("One.")], "third": [Say("Three.")]}
        await house.ask("first")
        await house.provider.asked.wait()
        second = await house.ask("second", by=house.bo)
        await house.standin.delete(second, by=house.bo)
        await house.ask("third")
        gate.set()
        await house.answered(2)
        assert [text.partition("\n")[0] for text in house.texts()] == ["One.", "Three."]
        assert len(house.provider.requests) == 2


async def test_a_full_channel_is_told_once_that_it_is_full(tmp_path: Path) -> None:
    async with open_house(tmp_path, config=QUICK) as house:
        gate = asyncio.Event()
        house.script = [Until(gate), Say("Done.")]
        await house.ask("the first")
        await house.provider.asked.wait()
        for number in range(MOST_WAITING + 5):
            await house.ask(f"question {number}", by=house.standin.add_person(f"Person {number}"))
        await house.standin.wait_for(lambda _: any(message["embeds"] for message in house.answers()))
        (told,) = [message["embeds"][0] for message in house.answers() if message["embeds"]]
        assert "Too many questions" in told["description"]
        await house.app._desk.inbox.drained()  # nobody still stands at the door when there is room again
        gate.set()
        await house.app.idle()
        assert sum(bool(message["embeds"]) for message in house.answers()) == 1
        assert len(house.provider.requests) == MOST_WAITING + 1


async def test_a_database_that_fails_is_told_as_a_fault_of_ours(tmp_path: Path) -> None:
    async with open_house(tmp_path) as house:
        with sqlite3.connect(tmp_path / "parley.db") as database:
            database.execute("ALTER TABLE turns RENAME TO gone")
        await house.ask("Hello?")
        await house.answered()
        assert "a fault of mine" in embed(house)["description"]
        assert house.provider.requests == []


# ------------------------------------------------------------------------------------- discord, in mid-answer

FIRST, SECOND = "One word and another. " * 80, "And so on and so forth. " * 80
REFUSED_FORM = {
    "message": "Invalid Form Body",
    "code": 50035,
    "errors": {
        "components": {"0": {"_errors": [{"code": "BUTTON_COMPONENT_INVALID_EMOJI", "message": "Invalid emoji"}]}}
    },
}


def model_text(text: str) -> str:
    return text.partition("\n-# ")[0].strip()


def told_privately(house: House) -> list[str]:
    return house.texts(house.standin.dm(house.ada))


async def half_an_answer(house: House, channel: Channel | None = None) -> asyncio.Event:
    """The first message stands, and the model is silent until the event is set."""
    gate = asyncio.Event()
    house.script = [Say(FIRST), Until(gate), Say(SECOND)]
    await house.ask("Talk.", in_channel=channel)
    await house.standin.wait_for(lambda standin: house.answers(channel) and standin.in_flight == 0)
    return gate


async def test_a_right_that_is_lost_in_mid_answer_is_told_once_to_who_asked(tmp_path: Path) -> None:
    async with open_house(tmp_path) as house:
        gate = await half_an_answer(house)
        house.standin.set_permissions(house.general, house.standin.bot_id, deny=Permission.SEND_MESSAGES)
        gate.set()
        await house.app.idle()
        assert len(house.answers()) == 1
        assert [call.status for call in house.calls("POST", f"{house.general.id}/messages")] == [200, 403]
        (told,) = told_privately(house)
        assert "general" in told
        random = house.standin.channel("random")
        house.script = spoken("Here again.")
        await house.ask("And here?", in_channel=random)
        await house.answered(1, random)


async def test_a_thread_that_falls_asleep_in_mid_answer_is_woken(tmp_path: Path) -> None:
    async with open_house(tmp_path) as house:
        thread = await house.standin.start_thread(house.ada, house.general, "talk")
        gate = await half_an_answer(house, thread)
        house.standin.archive_thread(thread)
        gate.set()
        await house.answered(1, thread)
        await house.app.idle()
        assert " ".join(map(model_text, house.texts(thread))).split() == (FIRST + SECOND).split()
        assert told_privately(house) == []


async def test_a_thread_that_is_locked_in_mid_answer_is_left_and_who_asked_is_told(tmp_path: Path) -> None:
    async with open_house(tmp_path) as house:
        thread = await house.standin.start_thread(house.ada, house.general, "talk")
        gate = await half_an_answer(house, thread)
        house.standin.archive_thread(thread, lock=True)
        gate.set()
        await house.app.idle()
        assert len(house.answers(thread)) == 1
        assert len(told_privately(house)) == 1


async def test_a_channel_that_is_deleted_in_mid_answer_ends_the_call_of_the_model(tmp_path: Path) -> None:
    async with open_house(tmp_path) as house:
        house.script = [Say(FIRST), Pause(1.5), Say(SECOND), Until(asyncio.Event())]
        await house.ask("Talk.")
        await house.standin.wait_for(lambda _: house.answers())
        house.standin.delete_channel(house.general)
        await house.provider.client_left.wait()
        await house.app.idle()


async def test_a_rate_limit_without_a_proxys_mark_is_waited_out(tmp_path: Path) -> None:
    """discord.py takes it for a ban and does not wait."""
    async with open_house(tmp_path) as house:
        gate = await half_an_answer(house)
        house.standin.fail("PATCH", "/messages/", status=429, headers={"Retry-After": "1", "Via": ""})
        gate.set()
        await house.answered()
        await house.app.idle()
        assert " ".join(map(model_text, house.texts())).split() == (FIRST + SECOND).split()
        assert sum(call.status == 429 for call in house.standin.calls) == 1


@pytest.mark.parametrize("method", ["POST", "PATCH"])
async def test_buttons_that_discord_does_not_take_cost_no_word(tmp_path: Path, method: str) -> None:
    async with open_house(tmp_path) as house:
        house.standin.fail(method, "/messages", status=400, body=REFUSED_FORM)
        house.script = spoken("Hello there, you.", pause=0.5)
        await house.ask("Talk.")
        await house.answered()
        await house.app.idle()
        (answer,) = house.answers()
        assert model_text(answer["content"]) == "Hello there, you."
        assert answer["components"] == []


async def test_a_question_that_is_gone_for_discord_is_answered_without_reference_in_all_parts(tmp_path: Path) -> None:
    async with open_house(tmp_path) as house:
        errors = {"message_reference": {"_errors": [{"code": "REPLIES_UNKNOWN_MESSAGE", "message": "Unknown message"}]}}
        body = {"message": "Invalid Form Body", "code": 50035, "errors": errors}
        house.standin.fail("POST", r"/messages$", status=400, body=body)
        house.script = [Say(FIRST + SECOND)]
        await house.ask("Talk.")
        await house.answered()
        await house.app.idle()
        assert " ".join(map(model_text, house.texts())).split() == (FIRST + SECOND).split()
        assert not any("message_reference" in answer for answer in house.answers())
        assert [call.status for call in house.calls("POST", "/messages")] == [400, 200, 200]


async def test_a_file_that_is_too_large_after_all_is_told_of_and_the_text_arrives(tmp_path: Path) -> None:
    config = StandinConfig(world=WorldConfig(file_limit=5000))
    async with open_house(tmp_path, config=config) as house:
        lines = "x = 1  # a line of this programme\n" * 300
        house.script = [Say(f"Before.\n```python\n{lines}```\nAfter.")]
        await house.ask("Write.")
        await house.answered()
        await house.app.idle()
        assert "Before." in house.texts()[0]
        assert "After." in house.texts()[-1]
        assert "📎" in "".join(house.texts())
        assert not any(answer["attachments"] for answer in house.answers())


# --------------------------------------------------------------------------------------------------------- shutdown


async def test_a_turn_that_does_not_end_in_time_is_told_to_and_so_are_those_that_wait(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(app_module, "GRACE", 0.2)
    async with open_house(tmp_path, connected=False) as house:
        house.script = [Say("Half a"), Until(asyncio.Event())]
        async with running_bot(house, tmp_path):
            await house.ask("Talk.")
            await house.ask("And then?", by=house.bo)
            await house.standin.wait_for(lambda _: house.answers())
        first, second = house.texts()
        assert first.startswith("Half a\n-# ⏹️ Parley is restarting")
        assert second.startswith("-# ⏹️ Parley is restarting")
        assert len(house.provider.requests) == 1


async def test_a_discord_that_never_answers_does_not_hold_up_the_end(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(app_module, "GRACE", 0.2)
    monkeypatch.setattr(app_module, "LAST_WORDS", 0.2)
    async with open_house(tmp_path, connected=False) as house:
        never = asyncio.Event()
        async with running_bot(house, tmp_path):
            house.standin.fail("POST", r"/messages$", hold=never, times=10)
            await house.ask("Talk.")
            await house.standin.wait_for(lambda standin: standin.in_flight > 0 and house.provider.requests)
        never.set()


async def test_a_channel_where_we_may_not_write_costs_no_call_of_the_model(tmp_path: Path) -> None:
    async with open_house(tmp_path) as house:
        house.standin.set_permissions(house.general, house.standin.bot_id, deny=Permission.SEND_MESSAGES)
        await house.ask("Hello?")
        random = house.standin.channel("random")
        await house.ask("Hello?", in_channel=random)
        await house.answered(1, random)
        assert len(house.provider.requests) == 1
        assert house.answers() == []


async def test_without_embed_links_an_error_is_told_in_plain_text(tmp_path: Path) -> None:
    async with open_house(tmp_path) as house:
        house.standin.set_permissions(house.general, house.standin.bot_id, deny=Permission.EMBED_LINKS)
        house.script = [Refuse(503, "overloaded")]
        await house.ask("Hello?")
        await house.standin.wait_for(lambda _: house.answers(), within=30)
        assert house.texts()[0].startswith("**Something went wrong**\nThe provider is overloaded just now.")
        assert "-# Turn " in house.texts()[0]


async def test_without_message_history_the_question_alone_is_answered_without_reference(tmp_path: Path) -> None:
    async with open_house(tmp_path) as house:
        await house.standin.say(house.bo, house.general, "Something before.")
        house.standin.set_permissions(house.general, house.standin.bot_id, deny=Permission.READ_MESSAGE_HISTORY)
        await house.ask("Hello?")
        await house.answered()
        assert "message_reference" not in house.answers()[0]
        assert "before" not in house.provider.requests[0]["messages"][-1]["content"]


# ---------------------------------------------------------------------------------------------------------- gateway


async def test_after_a_dropped_gateway_missed_questions_are_answered_and_none_twice(tmp_path: Path) -> None:
    async with open_house(tmp_path) as house:
        await house.ask("one")
        await house.answered()
        await house.standin.drop_gateway(None)
        await house.ask("two", by=house.bo)  # nobody listens: it comes with the replay
        await house.standin.wait_for(lambda standin: standin.resumes == 1, within=30)
        await house.answered(2)
        await house.ask("three")
        await house.answered(3)
        assert len(house.provider.requests) == len(house.answers()) == 3


async def test_an_answer_goes_on_while_the_gateway_reconnects(tmp_path: Path) -> None:
    async with open_house(tmp_path) as house:
        text = "It goes on and on and on. " * 8
        house.script = spoken(text, pause=0.05)
        await house.ask("Talk.")
        await house.standin.wait_for(lambda _: house.answers())
        await house.standin.request_reconnect()
        await house.standin.wait_for(lambda standin: standin.resumes == 1, within=30)
        await house.answered()
        assert house.texts()[0].startswith(text.strip() + "\n-# `demo`")
        assert len(house.provider.requests) == len(house.answers()) == 1


async def test_the_same_question_shown_again_is_not_answered_again_even_after_a_restart(tmp_path: Path) -> None:
    async with open_house(tmp_path, connected=False) as house:
        async with running_bot(house, tmp_path):
            question_id = await house.ask("once")
            await house.answered()
            house.standin.repeat_message(question_id)
            await house.ask("twice")
            await house.answered(2)
        async with running_bot(house, tmp_path):
            house.standin.repeat_message(question_id)
            await house.ask("thrice")
            await house.answered(3)
        assert len(house.provider.requests) == len(house.answers()) == 3


async def test_without_the_message_content_intent_mentions_and_direct_messages_still_work(tmp_path: Path) -> None:
    async with open_house(tmp_path, deny=Intent.MESSAGE_CONTENT) as house:
        await house.ask("Hello?")
        await house.answered()
        direct = house.standin.dm(house.ada)
        await house.standin.say(house.ada, direct, "And here?")
        await house.answered(1, direct)
        assert "And here?" in house.provider.requests[1]["messages"][-1]["content"]
