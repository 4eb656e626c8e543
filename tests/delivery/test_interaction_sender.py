"""Answers by an interaction's token, in all places where people can use a command: over sockets, held to Discord's rules."""

from typing import Any

import pytest

from bot.delivery.delivered import Lost
from bot.delivery.flusher import Flusher
from bot.delivery.interaction_sender import InteractionSender, ResponseToken
from bot.delivery.message_form import MessageForm
from bot.delivery.outcome import Fate, Outcome
from bot.delivery.pacing.buckets import Route
from bot.delivery.plan import Button, Create, Delete, Edit, FilePlan, MessagePlan
from bot.delivery.sender import DiscordSender, Place
from bot.playground.standin.permissions import Permission
from bot.preferences import Style
from tests.delivery.channel import Words, ignore
from tests.delivery.desk import GUEST, MEMBER, Desk, Where, open_desk, token_of

CODE = FilePlan("code.py", b"print()", "A programme")
AGAIN = Button("again", label="Again")
FOLLOW_UP = r"/webhooks/\d+/[^/]+$"


def sender(
    desk: Desk, token: ResponseToken, *, member: bool = False, style: Style = Style.PLAIN, after: int = 0
) -> InteractionSender:
    guild_id = desk.channel.guild_id
    here = Place(int(desk.channel.id), int(guild_id) if guild_id else None, after)
    as_member = DiscordSender(lambda: desk.client, here, may_reply=False, style=style) if member else None
    form = MessageForm(style)
    return InteractionSender(lambda: desk.client, here, form, token, as_member=as_member, readable=member)


async def post(way: InteractionSender, *texts: str, first: int = 0, **plan: Any) -> list[Outcome]:
    plans = [MessagePlan(text, **plan) for text in texts]
    return [await way.send(Create(slot, plan), "turn") for slot, plan in enumerate(plans, start=first)]


@pytest.mark.parametrize("where", Where)
async def test_an_answer_streams_into_the_deferred_response_and_goes_on_below(where: Where) -> None:
    async with open_desk(where) as desk:
        way = sender(desk, token_of(await desk.ask()), member=where in MEMBER)
        first, second = await post(way, "One", "Two")
        assert first.message_id is not None
        assert second.message_id is not None
        assert [message["id"] for message in desk.ours] == [str(first.message_id), str(second.message_id)]
        assert await way.send(Edit(0, first.message_id, MessagePlan("One!")), "turn") == Outcome(Fate.DONE)
        assert await way.send(Edit(1, second.message_id, MessagePlan("Two!")), "turn") == Outcome(Fate.DONE)
        assert desk.texts == desk.seen_by_others == ["One!", "Two!"] or where is Where.DIRECT
        assert await way.send(Delete(second.message_id), "turn") == Outcome(Fate.DONE)
        assert desk.texts == ["One!"]
        assert (await way.send(Edit(1, second.message_id, MessagePlan("x")), "turn")).fate is Fate.GONE


@pytest.mark.parametrize("style", Style)
async def test_buttons_and_files_come_in_each_style_and_nobody_is_pinged(style: Style) -> None:
    async with open_desk() as desk:
        way = sender(desk, token_of(await desk.ask()), style=style)
        plan = MessagePlan("@everyone", files=(CODE,), buttons=(AGAIN,))
        for slot in (0, 1):
            posted = await way.send(Create(slot, plan), "turn")
            assert posted.message_id is not None
            assert (await way.send(Edit(slot, posted.message_id, plan), "turn")).fate is Fate.DONE
        for message in desk.ours:
            assert [file["filename"] for file in message["attachments"]] == ["code.py"]
            assert "'again'" in str(message["components"])
        assert list(desk.standin.pings) == []


@pytest.mark.parametrize("where", [Where.SERVER, Where.ABROAD])
async def test_a_private_answer_is_private_in_all_its_messages(where: Where) -> None:
    async with open_desk(where) as desk:
        way = sender(desk, token_of(await desk.ask(private=True), private=True), member=where in MEMBER)
        await post(way, "One", "Two")
        assert desk.texts == ["One", "Two"]
        assert desk.seen_by_others == []


async def test_what_discord_makes_private_goes_on_private() -> None:
    """A server may let nobody use apps of their own in public."""
    async with open_desk(Where.ABROAD) as desk:
        desk.standin.set_permissions(desk.channel, desk.channel.guild_id or "", deny=Permission.USE_EXTERNAL_APPS)
        desk.ada = desk.standin.user("Bo")  # Ada owns the server, and may do everything
        desk.standin.install_for(desk.ada)
        token = token_of(await desk.ask())
        await post(sender(desk, token), "One", "Two")
        assert token.private
        assert desk.texts == ["One", "Two"]
        assert desk.standin.messages(desk.channel, desk.standin.user("Ada")) == []


# -------------------------------------------------------------------------------------------- when the token is not enough


@pytest.mark.parametrize("where", MEMBER)
async def test_after_a_quarter_of_an_hour_the_bot_goes_on_as_a_member(where: Where) -> None:
    async with open_desk(where) as desk:
        way = sender(desk, token_of(await desk.ask()), member=True)
        (first,) = await post(way, "One")
        assert first.message_id is not None
        desk.expire()
        assert (await way.send(Edit(0, first.message_id, MessagePlan("One!")), "turn")).fate is Fate.DONE
        await post(way, "Two", first=1)
        assert desk.texts == ["One!", "Two"]
        assert len([call for call in desk.standin.calls if call.status == 401]) == 1, "it is asked once"


@pytest.mark.parametrize("private", [False, True])
@pytest.mark.parametrize("where", [Where.SERVER, *GUEST])
async def test_where_only_the_token_writes_its_end_is_the_answers_end(where: Where, private: bool) -> None:
    if where is Where.SERVER and not private:
        return
    async with open_desk(where) as desk:
        way = sender(desk, token_of(await desk.ask(private=private), private=private), member=where in MEMBER)
        await post(way, "One")
        desk.expire()
        (late,) = await post(way, "Two", first=1)
        assert late.fate is Fate.EXPIRED
        assert desk.texts == ["One"]


@pytest.mark.parametrize("where", GUEST)
async def test_where_the_person_brought_the_bot_along_a_part_beyond_the_five_is_refused_and_those_before_stay(
    where: Where,
) -> None:
    async with open_desk(where) as desk:
        way = sender(desk, token_of(await desk.ask()))
        outcomes = await post(way, *"abcdefg", buttons=(AGAIN,))
        assert [outcome.fate for outcome in outcomes] == [Fate.DONE] * 6 + [Fate.REFUSED]
        assert outcomes[0].message_id is not None
        assert (await way.send(Edit(0, outcomes[0].message_id, MessagePlan("A")), "turn")).fate is Fate.DONE
        assert desk.texts == [*"Abcdef"]
        assert [call.status for call in desk.calls("POST", "/webhooks/")].count(400) == 1, "nothing else would help"


async def test_the_response_of_a_deleted_message_is_gone() -> None:
    async with open_desk() as desk:
        way = sender(desk, token_of(await desk.ask()), member=True)
        await desk.standin.delete(desk.ours[0]["id"], by=desk.ada)
        assert (await post(way, "One"))[0].fate is Fate.GONE


# ------------------------------------------------------------------------------------------------------ nothing twice


@pytest.mark.parametrize("arrived", [False, True])
@pytest.mark.parametrize("where", [Where.SERVER, Where.DIRECT])
async def test_a_follow_up_whose_answer_is_lost_stands_once(where: Where, arrived: bool) -> None:
    async with open_desk(where) as desk:
        interaction = await desk.ask()
        way = sender(desk, token_of(interaction), member=True, after=interaction.id)
        await post(way, "One")
        desk.standin.fail("POST", FOLLOW_UP, drop=True, after_effect=arrived)
        (second,) = await post(way, "Two", first=1)
        assert second.message_id == int(desk.ours[1]["id"])
        assert desk.texts == ["One", "Two"]


@pytest.mark.parametrize("where", [Where.ABROAD, Where.SERVER])
@pytest.mark.parametrize("fault", [{"drop": True, "after_effect": True}, {"drop": True}, {"status": 502}])
async def test_where_nobody_can_look_a_part_in_doubt_is_missing_rather_than_doubled(
    where: Where, fault: dict[str, Any]
) -> None:
    async with open_desk(where) as desk:
        way = sender(desk, token_of(await desk.ask(private=True), private=True))
        await post(way, "One")
        desk.standin.fail("POST", FOLLOW_UP, **fault)
        fates = [(await post(way, "Two", first=1))[0].fate for _ in range(2)]
        assert fates[-1] is Fate.REFUSED
        assert desk.texts in (["One"], ["One", "Two"])


@pytest.mark.parametrize("fault", [{"drop": True, "after_effect": True}, {"drop": True}])
async def test_filling_the_deferred_response_is_repeated_without_doubt(fault: dict[str, Any]) -> None:
    async with open_desk(Where.ABROAD) as desk:
        way = sender(desk, token_of(await desk.ask()))
        desk.standin.fail("PATCH", "@original", **fault)
        assert (await post(way, "One"))[0].fate is Fate.DONE
        assert desk.texts == ["One"]


# -------------------------------------------------------------------------------------------------------- pressed buttons


@pytest.mark.parametrize("where", GUEST)
async def test_a_press_writes_into_the_message_with_the_button_and_below_it(where: Where) -> None:
    async with open_desk(where) as desk:
        (old,) = await post(sender(desk, token_of(await desk.ask())), "Old", buttons=(AGAIN,))
        assert old.message_id is not None
        desk.expire()
        press = await desk.press(old.message_id, "again")
        token = ResponseToken(
            press.application_id, press.token, private=False, file_limit=100, message_id=old.message_id
        )
        way = sender(desk, token)
        assert (await way.send(Edit(0, old.message_id, MessagePlan("New")), "again")).fate is Fate.DONE
        await post(way, "more", first=1)
        assert desk.texts == ["New", "more"]


async def test_a_message_of_an_earlier_interaction_is_replaced_by_a_new_one() -> None:
    """Only the message with the button is the press's to change."""
    async with open_desk(Where.ABROAD) as desk:
        old = await post(sender(desk, token_of(await desk.ask())), "One", "Two", buttons=(AGAIN,))
        first, last = old[0].message_id, old[1].message_id
        assert first is not None
        assert last is not None
        press = await desk.press(last, "again")
        token = ResponseToken(press.application_id, press.token, private=False, file_limit=100, message_id=last)
        way = sender(desk, token)
        assert (await way.send(Delete(last), "again")).fate is Fate.DONE
        assert (await way.send(Edit(0, first, MessagePlan("New")), "again")).fate is Fate.TOO_OLD
        assert (await way.send(Create(0, MessagePlan("New"), 1), "again")).fate is Fate.DONE
        assert (await way.send(Delete(first), "again")).fate is Fate.REFUSED
        assert desk.texts == ["One", "New"]


# ------------------------------------------------------------------------------------------------------ a whole answer


class Freely:
    """A lane without limits."""

    async def clear(self, route: Route, *, final: bool) -> None: ...

    def held(self, route: Route) -> float:
        return 0.0


@pytest.mark.parametrize(("where", "parts", "lost"), [(Where.ABROAD, 6, Lost.UNDELIVERED), (Where.SERVER, 9, None)])
async def test_what_does_not_fit_into_the_follow_ups_is_reported_as_missing(
    where: Where, parts: int, lost: Lost | None
) -> None:
    async with open_desk(where) as desk:
        answer, way = Words(), sender(desk, token_of(await desk.ask()), member=where in MEMBER)
        answer.text = "".join(letter * 2000 for letter in "abcdefghi")
        async with Flusher(way, Freely(), answer, "turn", ignore) as flusher:
            delivery = await flusher.finish()
        assert (len(delivery.shown), delivery.lost) == (parts, lost)
        assert [plan.content[0] for plan in delivery.missing] == [*"abcdefghi"][parts:]
        assert [text[0] for text in desk.texts] == [*"abcdefghi"][:parts]
