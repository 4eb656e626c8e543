"""Which provider gets a question, and with whose key: two providers, each of which tells the keys that it was given."""

from __future__ import annotations

from collections.abc import AsyncIterator, Sequence
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

import msgspec
from aiohttp import web

from adapters.contract import Endpoint, GenerationRequest, Usage
from bot.persona import Persona
from bot.playground.scripted_provider import Pause, Refuse, Say, Script, spoken
from bot.playground.standin import Channel, User
from bot.preferences import ConversationPreferences, Location, ServerCapabilities
from bot.store import Deed, Scope
from bot.turn.models import ModelChoice
from bot.turn.parts import Purpose, TurnParts
from bot.turn.recipients import Recipients
from tests.e2e.house import House, open_house
from tests.e2e.keyed_provider import KeyedProvider
from tests.e2e.test_attachments import PNG, VOICE, transcription_server
from tests.e2e.test_memory import shown, text_of
from tests.e2e.test_personas import client_of, server_of, tell

SERVERS, ADAS, BOS = "sk-server-0123456789", "sk-ada-0123456789ab", "sk-bo-0123456789abc"
THE_TITLE = "The title:"
OTHER = "custom@127.0.0.1"
"""The second provider, beside the operator's."""


class Listening(KeyedProvider):
    """Keeps with which keys it was asked, and for which models."""

    def __init__(self, script_for: Any, *keys: str) -> None:
        super().__init__(script_for, *keys)
        self.asked_with: list[tuple[str, str]] = []

    async def _answer(self, request: web.Request) -> web.StreamResponse:
        body = await request.json()
        self.asked_with.append((request.headers["Authorization"].removeprefix("Bearer "), body["model"]))
        return await super()._answer(request)


class Ledger:
    """A Spending."""

    def __init__(self) -> None:
        self.rows: list[tuple[str, str, str, str | None, int | None, str]] = []
        self.people: list[int | None] = []

    async def record(
        self,
        location: Location,
        choice: ModelChoice,
        endpoint: Endpoint,
        purpose: Purpose,
        usage: Usage | None,
        request: GenerationRequest,
        text: str,
    ) -> None:
        tokens = usage.output_tokens if usage is not None else None
        self.rows.append((choice.payer.value, purpose.value, request.model, endpoint.api_key, tokens, text))
        self.people.append(location.person_id)

    async def forget(self, user_id: int) -> None: ...

    async def flush(self) -> bool:
        return True


@asynccontextmanager
async def two_providers(folder: Path, **settings: Any) -> AsyncIterator[tuple[House, Listening]]:
    """The operator's own one, and another that accepts the keys of the server, Ada and Bo."""
    houses: list[House] = []

    def script_for(question: str) -> Script:
        return houses[0].asked(question)

    async with (
        Listening(script_for, SERVERS, ADAS, BOS) as other,
        open_house(folder, allowed_hosts=("127.0.0.1",), **settings) as house,
    ):
        other.listed = ["small", "big-1", "big-2"]
        houses.append(house)
        yield house, other


async def key(house: House, other: Listening, owner: User | None, key: str) -> None:
    """For the person, or the server."""
    scope, owner_id = (Scope.PERSON, int(owner.id)) if owner else (Scope.SERVER, server_of(house))
    keys = client_of(house).desk.keyring.keys
    await keys.add(scope, owner_id, "custom", other.base_url, key, Deed(owner_id))


async def ask(house: House, by: User, channel: Channel | None = None) -> None:
    count = len(house.answers(channel))
    await house.ask("Is it?", by=by, in_channel=channel)
    await house.standin.wait_for(lambda _: len(house.answers(channel)) > count)
    await house.app.idle()


def count_in(house: House) -> Ledger:
    ledger = Ledger()
    app: Any = house.app
    parts: TurnParts = client_of(house).desk.parts
    assert app is not None
    msgspec.structs.force_setattr(parts, "spending", ledger)
    return ledger


async def suggested(house: House, by: User, **options: str) -> Sequence[str]:
    found = await house.standin.autocomplete(by, house.general, "model", options, focused="model")
    return [str(choice["value"]) for choice in (await found.answered()).choices or ()]


async def test_a_server_and_a_channel_choose_and_the_servers_key_pays_for_all(tmp_path: Path) -> None:
    async with two_providers(tmp_path) as (house, other):
        await key(house, other, None, SERVERS)
        await key(house, other, house.bo, BOS)
        told = await tell(house, "model", model=f"{OTHER}: big-1", where="server")
        assert "Here `big-1` of custom answers you.\nIt was chosen for this server." in told
        assert "It is paid for with a key of this server." in told
        await ask(house, house.bo)
        await tell(house, "model", model=f"{OTHER}: small", where="here")
        await ask(house, house.bo)
        assert other.asked_with == [(SERVERS, "big-1"), (SERVERS, "small")]
        assert house.provider.requests == []
        assert "`small` · " in house.texts()[-1]
        await tell(house, "model", model="default", where="here")
        await tell(house, "model", model="default", where="server")
        await ask(house, house.bo)
        assert [request["model"] for request in house.provider.requests] == ["demo"]


async def test_a_persons_own_key_answers_them_and_nobody_else_here_and_in_direct_messages(tmp_path: Path) -> None:
    async with two_providers(tmp_path) as (house, other):
        await key(house, other, house.bo, BOS)
        told = await tell(house, "model", house.bo, model=f"{OTHER}: big-1")
        assert "You chose it.\nIt is paid for with a key of yours." in told
        await ask(house, house.bo)
        await ask(house, house.bo, house.standin.dm(house.bo))
        assert other.asked_with == [(BOS, "big-1"), (BOS, "big-1")]
        await ask(house, house.ada)
        assert len(house.provider.requests) == 1


async def test_where_own_keys_are_switched_off_it_is_said_and_nobody_else_pays(tmp_path: Path) -> None:
    async with two_providers(tmp_path) as (house, other):
        await key(house, other, house.bo, BOS)
        await tell(house, "model", house.bo, model=f"{OTHER}: big-1")
        preferences, guild = client_of(house).preferences, server_of(house)
        await preferences.change(ServerCapabilities, Scope.SERVER, guild, own_keys_enabled=False)
        await ask(house, house.bo)
        (embed,) = house.answers()[-1]["embeds"]
        assert "You chose `big-1` of custom, and there is no key for it that may be used here." in embed["description"]
        assert "/model" in embed["description"]
        assert (other.asked_with, house.provider.requests) == ([], [])
        assert "no key for it" in await tell(house, "model", house.bo)
        assert await suggested(house, house.bo, model="big") == [], "nothing of theirs can be had here"
        await ask(house, house.bo, house.standin.dm(house.bo))
        assert other.asked_with == [(BOS, "big-1")]


async def test_a_key_that_was_deleted_answers_nothing_any_more(tmp_path: Path) -> None:
    async with two_providers(tmp_path) as (house, other):
        await key(house, other, None, SERVERS)
        await tell(house, "model", model=f"{OTHER}: small", where="server")
        keys, guild = client_of(house).desk.keyring.keys, server_of(house)
        (kept,) = await keys.of(Scope.SERVER, guild)
        await keys.delete(Scope.SERVER, guild, kept.key_id, Deed(1))
        house.standin.world.users[house.bo.id] = msgspec.structs.replace(house.bo, locale="de")
        await ask(house, house.bo)
        assert "`small` of custom was chosen for this server" in house.answers()[-1]["embeds"][0]["description"]
        assert "Für diesen Server wurde `small` von custom gewählt" in await tell(house, "model", house.bo)
        assert (other.asked_with, house.provider.requests) == ([], [])


async def test_titles_and_notes_are_paid_by_who_asked(tmp_path: Path) -> None:
    async with two_providers(tmp_path) as (house, other):
        ledger = count_in(house)
        await key(house, other, house.bo, BOS)
        await tell(house, "model", house.bo, model=f"{OTHER}: big-1")
        house.scripts[THE_TITLE] = spoken("Cats and purring")
        await house.choose(threads=True)
        question = await house.ask("Why do cats purr?", by=house.bo)
        await house.standin.wait_for(lambda _: len(other.asked_with) == 2)
        await house.app.idle()
        house.scripts["The note:"] = spoken("Bo likes cats.")
        await house.standin.message_command(house.bo, question, "Remember this")
        await house.standin.wait_for(lambda _: len(other.asked_with) == 3)
        await house.standin.wait_for(lambda _: len(ledger.rows) == 3)
        assert other.asked_with == [(BOS, "big-1")] * 3
        assert house.provider.requests == []
        assert [row[:4] for row in ledger.rows] == [
            ("person", purpose, "big-1", BOS) for purpose in ("answer", "title", "note")
        ]
        assert ledger.people == [int(house.bo.id)] * 3


async def test_who_lets_an_answer_be_written_again_pays_for_that_and_not_who_asked(tmp_path: Path) -> None:
    async with two_providers(tmp_path) as (house, other):
        ledger = count_in(house)
        await key(house, other, house.bo, BOS)
        await tell(house, "model", house.bo, model=f"{OTHER}: big-1")
        await ask(house, house.bo)
        await house.press("regenerate", by=house.ada)  # a moderator
        await house.standin.wait_for(lambda _: len(house.provider.requests) + len(other.asked_with) == 2)
        await house.app.idle()
        assert other.asked_with == [(BOS, "big-1")]
        await house.press("regenerate", by=house.bo)
        await house.standin.wait_for(lambda _: len(house.provider.requests) + len(other.asked_with) == 3)
        await house.app.idle()
        assert other.asked_with == [(BOS, "big-1")] * 2
        assert [row[0] for row in ledger.rows] == ["person", "operator", "person"]
        assert ledger.people == [int(person.id) for person in (house.bo, house.ada, house.bo)]


async def test_what_a_call_used_is_written_down_whatever_became_of_it(tmp_path: Path) -> None:
    async with two_providers(tmp_path) as (house, _):
        ledger = count_in(house)
        house.scripts = {
            "Whole?": [Say("Yes.")],
            "Refused?": [Refuse(400, "No.")],
            "Stopped?": [Say("Well, "), Pause(30)],
        }
        await house.ask("Whole?")
        await house.answered(1)
        await house.ask("Refused?")
        await house.answered(2)
        await house.ask("Stopped?")
        await house.standin.wait_for(lambda _: any("Well," in text for text in house.texts()))
        await house.press("stop", by=house.ada)
        await house.answered(3)
        await house.app.idle()
        assert ledger.rows == [
            ("operator", "answer", "demo", "sk-test-key", 1, "Yes."),
            ("operator", "answer", "demo", "sk-test-key", None, "Well, "),
        ]


async def test_a_personas_model_is_of_the_provider_that_answers_and_of_those_that_somebody_pays(tmp_path: Path) -> None:
    async with two_providers(tmp_path) as (house, other):
        client, guild = client_of(house), server_of(house)
        await client.personas.put(guild, Persona("Fox", model="big-2"), by=1)
        await client.preferences.change(ConversationPreferences, Scope.SERVER, guild, persona="Fox")
        await ask(house, house.bo)
        assert [request["model"] for request in house.provider.requests] == ["demo"], "the operator offers no other"
        await key(house, other, None, SERVERS)
        await tell(house, "model", model=f"{OTHER}: small", where="server")
        await ask(house, house.bo)
        assert other.asked_with == [(SERVERS, "big-2")]


async def test_suggestions_are_of_all_whose_keys_could_pay_and_no_other_owners(tmp_path: Path) -> None:
    async with two_providers(tmp_path) as (house, other):
        assert await suggested(house, house.bo, model="") == ["demo"]
        await key(house, other, house.ada, ADAS)
        assert await suggested(house, house.bo, model="") == ["demo"]
        await suggested(house, house.ada, model="")
        await house.app.idle()
        mine = [f"{OTHER}: {name}" for name in ("small", "big-1", "big-2")]
        assert await suggested(house, house.ada, model="") == [*mine, "custom: demo"]
        assert await suggested(house, house.ada, model="BIG") == mine[1:]
        assert await suggested(house, house.ada, model="custom: ") == ["custom: demo"]
        assert await suggested(house, house.ada, model="", where="server") == ["demo"], "it is hers, not the server's"
        assert await suggested(house, house.bo, model="") == ["demo"]


async def test_a_name_that_is_not_listed_is_taken_with_a_warning_where_it_is_clear_whose_it_is(tmp_path: Path) -> None:
    async with two_providers(tmp_path) as (house, other):
        await key(house, other, house.ada, ADAS)
        await suggested(house, house.ada, model="")
        await house.app.idle()
        told = await tell(house, "model", model="biig-1")
        assert "Which provider shall have `biig-1`?" in told
        assert f"There are: `{OTHER}`, `custom`." in told
        told = await tell(house, "model", model=f"{OTHER}: biig-1")
        assert "⚠️ The provider does not list `biig-1`. Did you mean `big-1`" in told
        assert "Here `big-2` of custom" in await tell(house, "model", model="big-2")
        assert "There is no key for mistral" in await tell(house, "model", model="mistral: large")
        assert "`huge` is not among the models" in await tell(house, "model", model="custom: huge")


async def test_where_files_are_not_read_they_are_named_and_who_asks_is_told(tmp_path: Path) -> None:
    async with open_house(tmp_path) as house:
        preferences, guild = client_of(house).preferences, server_of(house)
        await preferences.change(ServerCapabilities, Scope.SERVER, guild, files_enabled=False)
        files = (("a.png", PNG), ("b.txt", b"hidden words"))
        await house.standin.say(house.ada, house.general, f"{house.standin.mention} Well?", attachments=files)
        await house.answered()
        asked = str(house.provider.requests[-1]["messages"])
        assert "hidden words" not in asked
        assert asked.count("not readable: files like it are not read in this place") == 2
        assert "📎 `b.txt` was not read: here I read no files like it." in house.texts()[-1]
        await preferences.change(ServerCapabilities, Scope.SERVER, guild, files_enabled=True)
        await house.standin.say(house.ada, house.general, f"{house.standin.mention} Now?", attachments=files[1:])
        await house.answered(2)
        assert "hidden words" in str(house.provider.requests[-1]["messages"][-1])


async def test_where_sounds_are_not_put_into_words_none_is_sent_anywhere(tmp_path: Path) -> None:
    async with (
        transcription_server("Hidden words") as url,
        open_house(tmp_path, transcription_base_url=url, transcription_model="whisper") as house,
    ):
        preferences, guild = client_of(house).preferences, server_of(house)
        recipients, here = client_of(house).recipients, Location(int(house.general.id), guild)
        assert (await recipients.at(here)).speech_host == "127.0.0.1"
        await preferences.change(ServerCapabilities, Scope.SERVER, guild, transcription_enabled=False)
        assert (await recipients.at(here)).speech_host == ""
        files = (VOICE, ("b.txt", b"of a file"))
        await house.standin.say(house.ada, house.general, f"{house.standin.mention} Well?", attachments=files)
        await house.answered()
        asked = str(house.provider.requests[-1]["messages"][-1])
        assert "Hidden words" not in asked
        assert "of a file" in asked
        assert "📎 `voice-message.ogg` was not read: here I read no files like it." in house.texts()[-1]
        await preferences.change(ServerCapabilities, Scope.SERVER, guild, transcription_enabled=True)
        await house.standin.say(house.ada, house.general, f"{house.standin.mention} Now?")
        await house.answered(2)
        assert "Hidden words" in str(house.provider.requests[-1]["messages"])


async def test_a_summary_is_paid_by_who_wanted_it(tmp_path: Path) -> None:
    async with two_providers(tmp_path) as (house, other):
        await key(house, other, house.bo, BOS)
        await tell(house, "model", house.bo, model=f"{OTHER}: big-1")
        for nr in range(8):
            await house.standin.say(house.ada, house.general, f"Thought {nr}.")
        assert (await tell(house, "compact", house.bo)).startswith("Done.")
        assert (other.asked_with, house.provider.requests) == ([(BOS, "big-1")], [])


async def test_privacy_tells_its_reader_of_their_provider_and_that_others_may_have_another(tmp_path: Path) -> None:
    async with two_providers(tmp_path) as (house, other):
        await key(house, other, house.bo, BOS)
        await tell(house, "model", house.bo, model=f"{OTHER}: big-1")
        recipients, here = client_of(house).recipients, Location(int(house.general.id), server_of(house))
        assert await recipients.at(here) == Recipients("custom", "127.0.0.1", others_differ=True)
        await house.standin.slash(house.bo, house.general, "privacy")
        assert "Others here may choose another model" in text_of(await shown(house, house.bo, "What goes to whom"))
        preferences, guild = client_of(house).preferences, server_of(house)
        await preferences.change(ServerCapabilities, Scope.SERVER, guild, own_keys_enabled=False)
        assert not (await recipients.at(here)).others_differ
        mine = msgspec.structs.replace(here, person_id=int(house.bo.id))
        assert await recipients.at(mine) == Recipients(), "nobody, as nothing answers"
