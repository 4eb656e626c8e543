"""`/settings`, `/capabilities`, `/limits`: the panel under the hands of who manages a server, of members, and in direct messages."""

from __future__ import annotations

import sqlite3
from pathlib import Path
from typing import Any

import pytest

from bot.persona import Persona
from bot.playground.standin import Permission
from bot.preferences import (
    AdmissionPreferences,
    Answering,
    ConversationPreferences,
    DeliveryPreferences,
    LanguagePreferences,
    Location,
    ModelPreferences,
    Page,
    Scope,
    ServerCapabilities,
    Tables,
    Thinking,
)
from tests.e2e.house import House, open_house, running_bot
from tests.e2e.panels import SettingsPanel
from tests.e2e.test_personas import client_of, server_of

NOT_ALLOWED = "Only people who may manage this server can change that."


async def opened(house: House, page: Page | str = "", **who: Any) -> SettingsPanel:
    panel = SettingsPanel(house, **who)
    assert await panel.open(**({"page": str(page)} if page else {})) == ""
    return panel


async def chosen(house: House, topic: Any, scope: Scope = Scope.SERVER, scope_id: int | None = None) -> dict[str, Any]:
    there = server_of(house) if scope_id is None else scope_id
    return dict(await client_of(house).preferences.chosen(topic, scope, there))


# ---------------------------------------------------------------------------------------------------------- what it shows


async def test_a_page_shows_each_setting_with_its_value_and_who_chose_it(tmp_path: Path) -> None:
    async with open_house(tmp_path) as house:
        change = client_of(house).preferences.change
        await change(DeliveryPreferences, Scope.GLOBAL, 0, style="embed", maths=False)
        await change(DeliveryPreferences, Scope.SERVER, server_of(house), maths=True, longest_code=9000)
        panel = await opened(house, Page.DELIVERY)
        assert panel.title == "Settings: How answers look"
        assert panel.lines == [
            "• Form of answers: **embed** · *everywhere*",
            "• Line under answers: **short** · *default*",
            "• Thoughts: **button** · *default*",
            "• Log channel for thoughts: – · *default*",
            "• Tables: **code** · *default*",
            "• Longest code in a message: **9,000** · *this server*",
            "• Formulas as Unicode: **on** · *this server*",
            "• Previews of links: **off** · *default*",
            "• Notify mentioned people: **off** · *default*",
            "• Buttons: **on** · *default*",
            "• Mark while writing: **on** · *default*",
        ]
        await panel.look("tables")
        assert "▸ Tables: **code** · *default*" in panel.lines
        assert panel.about == [
            "Tables",
            "What becomes of tables",
            "One of: code, bullets, picture, as written.",
            "By default: **code**",
        ]


@pytest.mark.parametrize(
    ("command", "title"), [("capabilities", "Settings: Capabilities"), ("limits", "Settings: Limits")]
)
async def test_capabilities_and_limits_are_pages_of_it(tmp_path: Path, command: str, title: str) -> None:
    async with open_house(tmp_path) as house:
        panel = SettingsPanel(house)
        assert await panel.open(command) == ""
        assert panel.title == title
        await panel.press("page", "language")
        assert panel.title == "Settings: Language and time"


async def test_a_thread_follows_its_channel_and_a_channel_its_server(tmp_path: Path) -> None:
    async with open_house(tmp_path) as house:
        thread = await house.standin.start_thread(house.ada, house.general, "talk")
        panel = await opened(house, channel=thread)
        await panel.press("scope", "channel")
        await panel.write("messages", "9")
        assert panel.line("Earlier messages that I read") == "Earlier messages that I read: **9** · *only here*"
        above = await opened(house)
        await above.press("scope", "channel")
        await above.write("bot_turns", "7")
        await panel.press("page", "behaviour")
        assert panel.line("Answers to bots in a row") == "Answers to bots in a row: **7** · *the channel above*"
        assert above.line("Earlier messages that I read") == "Earlier messages that I read: **60** · *default*"


# ----------------------------------------------------------------------------------------------- giving, kind by kind


async def test_one_of_a_few_and_on_or_off_are_chosen_from_a_select(tmp_path: Path) -> None:
    async with open_house(tmp_path) as house:
        panel = await opened(house, Page.DELIVERY)
        await panel.look("tables")
        assert panel.offered("give") == ["code", "bullets", "picture", "as_written"]
        assert await panel.choose("tables", "as_written") == ""
        assert panel.line("Tables") == "Tables: **as written** · *this server*"
        await panel.choose("maths", "false")
        assert await chosen(house, DeliveryPreferences) == {"tables": Tables.AS_WRITTEN, "maths": False}


async def test_numbers_texts_words_and_time_zones_are_written_in_a_form_as_they_are_now(tmp_path: Path) -> None:
    async with open_house(tmp_path) as house:
        panel = await opened(house, Page.BEHAVIOUR)
        opened_form, field = await panel.form("messages")
        assert (field["title"], field["value"], field["allowed"]) == (
            "Earlier messages that I read",
            "60",
            "A whole number from 1 to 200.",
        )
        assert await panel.submit(opened_form, "20") == ""
        await panel.write("burst_seconds", "2.5")
        await panel.write("trigger_words", "Parley, 小助手, parley")
        await panel.write("server_prompt", "Be kind.\nBe brief.")
        await panel.press("page", "language")
        await panel.write("time_zone", "Europe/Berlin")
        await panel.press("page", "models")
        await panel.write("temperature", "0.7")
        now = await chosen(house, ConversationPreferences)
        assert now == {
            "messages": 20,
            "burst_seconds": 2.5,
            "trigger_words": ("Parley", "小助手", "parley"),
            "server_prompt": "Be kind.\nBe brief.",
            "time_zone": "Europe/Berlin",
        }
        assert await chosen(house, ModelPreferences) == {"temperature": 0.7}
        await panel.press("page", "behaviour")
        _, field = await panel.form("server_prompt")
        assert field["value"] == "Be kind.\nBe brief."


async def test_what_is_left_empty_in_a_form_is_nothing_or_as_before_anybody_chose(tmp_path: Path) -> None:
    async with open_house(tmp_path) as house:
        await house.choose(trigger_words=("x",), note="Hm.", messages=9)
        panel = await opened(house, Page.BEHAVIOUR)
        for name in ("trigger_words", "note", "messages", "burst_seconds"):
            await panel.write(name, " ")
        assert await chosen(house, ConversationPreferences) == {"trigger_words": (), "note": ""}


async def test_channels_roles_and_people_are_chosen_from_discords_lists(tmp_path: Path) -> None:
    async with open_house(tmp_path) as house:
        random, role = house.standin.channel("random"), house.standin.add_role("Members")
        panel = await opened(house, Page.CHANNELS)
        await panel.choose("channel_ids", house.general, random)
        await panel.look("channel_ids")
        assert [value["id"] for value in panel.items["give"]["default_values"]] == [house.general.id, random.id]
        assert panel.line("Only in these channels").startswith(
            f"Only in these channels: <#{house.general.id}> <#{random.id}> ·"
        )
        await panel.choose("closed_channel_ids", random)
        await panel.press("page", "limits")
        await panel.choose("role_ids", role)
        await panel.choose("blocked_user_ids", house.bo)
        await panel.press("page", "delivery")
        await panel.choose("thought_channel_id", random)
        assert await chosen(house, AdmissionPreferences) == {
            "channel_ids": (int(house.general.id), int(random.id)),
            "closed_channel_ids": (int(random.id),),
            "role_ids": (int(role.id),),
            "blocked_user_ids": (int(house.bo.id),),
        }
        assert await chosen(house, DeliveryPreferences) == {"thought_channel_id": int(random.id)}
        await panel.choose("thought_channel_id")
        assert await chosen(house, DeliveryPreferences) == {}


async def test_lists_that_discords_cannot_show_are_written_in_a_form(tmp_path: Path) -> None:
    async with open_house(tmp_path) as house:
        many = [10**17 + nr for nr in range(60)]
        panel = await opened(house, Page.LIMITS)
        await panel.write("blocked_user_ids", " ".join(f"<@{user_id}>" for user_id in many))
        assert panel.line("Blocked people").endswith("and 45 more · *this server*")
        assert "give" not in panel.items
        _, field = await panel.form("blocked_user_ids")
        assert field["value"] == " ".join(map(str, many))
        assert await chosen(house, AdmissionPreferences) == {"blocked_user_ids": tuple(many)}


async def test_a_language_changes_the_panel_at_once_and_a_persona_is_one_of_the_servers(tmp_path: Path) -> None:
    async with open_house(tmp_path) as house:
        await client_of(house).personas.put(server_of(house), Persona("Miso"), by=1)
        panel = await opened(house)
        await panel.look("persona")
        assert panel.offered("give") == ["-", "Miso"]
        await panel.press("give", "Miso")
        assert panel.line("Persona") == "Persona: `Miso` · *this server*"
        await panel.press("page", "language")
        await panel.press("scope", "person")
        assert [option["label"] for option in (await looked(panel, "locale"))["options"]][:3] == [
            "as Discord says",
            "Deutsch",
            "English (United States)",
        ]
        await panel.press("give", "de")
        assert panel.title == "Einstellungen: Sprache und Zeit"
        assert panel.line("Sprache") == "Sprache: **Deutsch** · *für dich*"
        assert await chosen(house, LanguagePreferences, Scope.PERSON, int(house.ada.id)) == {"locale": "de"}


async def looked(panel: SettingsPanel, setting: str) -> Any:
    await panel.look(setting)
    return panel.items["give"]


async def test_the_model_is_shown_and_chosen_by_its_own_command(tmp_path: Path) -> None:
    async with open_house(tmp_path) as house:
        panel = await opened(house, Page.MODELS)
        await panel.look("model")
        assert "A model that `/model` offers; it is chosen there." in panel.about
        assert {"give", "write"} & set(panel.items) == set()


# ------------------------------------------------------------------------------------------------ scopes, and who may


async def test_each_scope_offers_what_can_be_chosen_there(tmp_path: Path) -> None:
    async with open_house(tmp_path) as house:
        panel = await opened(house, Page.DELIVERY)
        assert panel.offered("scope") == ["server", "channel", "person", "global"]
        assert "thought_channel_id" in panel.offered("look")
        await panel.press("scope", "person")
        assert panel.offered("look") == ["footer", "tables", "maths"]
        await panel.choose("footer", "full")
        assert panel.line("Line under answers").endswith("**full** · *for you*")
        await panel.press("scope", "global")
        await panel.choose("footer", "off")
        assert panel.line("Line under answers").endswith("**off** · *everywhere*")
        await panel.press("page", "limits")
        assert all(name.startswith("free_") for name in panel.offered("look"))
        await panel.press("scope", "person")
        assert "Nothing on this page can be chosen for that." in panel.lines
        assert "look" not in panel.items
        assert not any("Free" in line for line in panel.lines), "what the operator gives away is the operator's to see"
        preferences = client_of(house).preferences
        location = Location(int(house.general.id), server_of(house), person_id=int(house.ada.id))
        assert (await preferences.delivery(location)).footer == "full"
        assert await chosen(house, DeliveryPreferences, Scope.GLOBAL, 0) == {"footer": "off"}


async def test_members_get_no_panel(tmp_path: Path) -> None:
    async with open_house(tmp_path) as house:
        for command in ("settings", "capabilities", "limits"):
            panel = SettingsPanel(house, house.bo)
            assert await panel.open(command) == NOT_ALLOWED


async def test_who_may_no_longer_is_refused_at_the_next_press_and_in_an_open_form(tmp_path: Path) -> None:
    async with open_house(tmp_path) as house:
        role = house.standin.add_role("Managers", Permission.MANAGE_GUILD)
        house.standin.give_role(house.bo, role)
        panel = await opened(house, by=house.bo)
        form, _ = await panel.form("messages")
        house.standin.take_role(house.bo, role)
        assert await panel.submit(form, "9") == NOT_ALLOWED
        for deed in ("undo", "history", "page"):
            assert await panel.press(deed, *(["limits"] if deed == "page" else [])) == NOT_ALLOWED
        assert await panel.press("scope", "person") == ""
        assert await chosen(house, ConversationPreferences) == {"burst_seconds": 0}


async def test_everywhere_is_the_operators(tmp_path: Path) -> None:
    async with open_house(tmp_path) as house:
        house.standin.give_role(house.bo, house.standin.add_role("Managers", Permission.MANAGE_GUILD))
        mine, theirs = await opened(house), await opened(house, by=house.bo)
        assert "global" not in theirs.offered("scope")
        # Somebody who ran the bot once may still have it open.
        await mine.press("scope", "global")
        application = house.app.client.application
        assert application is not None
        application.owner.id = int(house.bo.id)
        assert await mine.press("page", "models") == "Only who runs this bot can change that."


async def test_in_a_direct_message_the_conversation_is_the_persons_own(tmp_path: Path) -> None:
    async with open_house(tmp_path) as house:
        direct = house.standin.dm(house.bo)
        panel = await opened(house, Page.MODELS, by=house.bo, channel=direct)
        assert panel.offered("scope") == ["channel", "person"]
        await panel.choose("thinking", "low")
        assert panel.line("Thinking") == "Thinking: **little** · *only here*"
        assert await chosen(house, ModelPreferences, Scope.CHANNEL, int(direct.id)) == {"thinking": Thinking.LOW}


async def test_nobody_can_be_locked_out_who_could_undo_it(tmp_path: Path) -> None:
    async with open_house(tmp_path) as house:
        house.standin.give_role(house.bo, house.standin.add_role("Managers", Permission.MANAGE_GUILD))
        panel = await opened(house, Page.LIMITS, by=house.bo)
        for person in (house.ada, house.bo):  # Ada is the owner
            assert "You cannot block yourself or the owner" in await panel.choose("blocked_user_ids", person)
        assert await chosen(house, AdmissionPreferences) == {}


# ------------------------------------------------------------------------------------------------------- what goes wrong


@pytest.mark.parametrize(
    ("page", "setting", "given", "told"),
    [
        (Page.BEHAVIOUR, "messages", "201", "**Earlier messages that I read**: I could not take that. A whole number from 1 to 200."),
        (Page.BEHAVIOUR, "messages", "6.000", "A whole number from 1 to 200."),
        (Page.BEHAVIOUR, "burst_seconds", "soon", "Seconds, from 0 to 10; fractions too."),
        (Page.BEHAVIOUR, "trigger_words", ",".join(map(str, range(21))), "At most 20 words or phrases"),
        (Page.BEHAVIOUR, "note", "x" * 1001, "Text of at most 1,000 characters"),
        (Page.LANGUAGE, "time_zone", "Berlin", "The name of a time zone, such as Europe/Berlin"),
        (Page.LIMITS, "blocked_user_ids", "Bo", "At most 200 people"),
        (Page.CHANNELS, "channel_ids", "<@123456789012345678>", "At most 50 channels"),
    ],
)  # fmt: skip
async def test_what_cannot_be_is_told_with_what_can_and_nothing_changes(
    tmp_path: Path, page: Page, setting: str, given: str, told: str
) -> None:
    async with open_house(tmp_path) as house:
        panel = await opened(house, page)
        assert told in await panel.write(setting, given)
        assert await chosen(house, ConversationPreferences) == {"burst_seconds": 0}
        assert await chosen(house, AdmissionPreferences) == {}


async def test_where_it_cannot_be_written_down_who_did_it_nothing_is_half_saved(tmp_path: Path) -> None:
    async with open_house(tmp_path) as house:
        panel = await opened(house, Page.DELIVERY)
        with sqlite3.connect(tmp_path / "parley.db") as database:
            database.execute("ALTER TABLE setting_changes RENAME TO away")
        database.close()
        told = await panel.choose("tables", "picture")
        assert told.startswith("That was a fault of mine")
        await panel.press("page", "delivery")
        assert panel.line("Tables") == "Tables: **code** · *default*"
        assert await chosen(house, DeliveryPreferences) == {}


async def test_a_log_channel_that_will_not_do_and_buttons_that_are_missing_are_remarked_on(tmp_path: Path) -> None:
    async with open_house(tmp_path) as house:
        panel = await opened(house, Page.DELIVERY)
        await panel.choose("thoughts", "channel")
        assert panel.lines[-1].startswith("⚠️ No channel is chosen for thoughts yet.")
        closed = house.standin.channel("random")
        house.standin.set_permissions(closed, house.standin.world.bot, deny=Permission.SEND_MESSAGES)
        await panel.choose("thought_channel_id", closed)
        assert panel.lines[-1].startswith(f"⚠️ I cannot write in <#{closed.id}>.")
        await panel.choose("buttons", "false")
        assert "behind a button, and buttons are off" in panel.lines[-1]
        await panel.choose("thoughts", "file")
        assert panel.lines[-1].startswith("• Mark while writing")


async def test_what_a_person_chose_and_the_server_does_not_allow_is_remarked_on(tmp_path: Path) -> None:
    async with open_house(tmp_path) as house:
        await client_of(house).preferences.change(
            ServerCapabilities, Scope.SERVER, server_of(house), personal_models_enabled=False
        )
        panel = await opened(house, Page.MODELS)
        await panel.press("scope", "person")
        await panel.choose("thinking", "high")
        assert "do not choose the model" in panel.lines[-1]


# ------------------------------------------------------------------------------- restarts, taking back, closing, others


async def test_a_panel_goes_on_after_a_restart_and_what_was_chosen_stays(tmp_path: Path) -> None:
    async with open_house(tmp_path, connected=False) as house:
        async with running_bot(house, tmp_path):
            panel = await opened(house, Page.CHANNELS)
            await panel.choose("answering", "always")
            await panel.look("threads")
        async with running_bot(house, tmp_path):
            assert await panel.press("give", "true") == ""
            assert panel.lines[:2] == [
                "• Messages that I answer: **always** · *this server*",
                "▸ A thread for each question: **on** · *this server*",
            ]
            now = await house.preferences.conversation(Location(int(house.general.id), server_of(house)))
            assert (now.answering, now.threads) == (Answering.ALWAYS, True)


async def test_a_reset_takes_back_one_setting_where_it_was_chosen(tmp_path: Path) -> None:
    async with open_house(tmp_path) as house:
        await house.choose(messages=9, bot_turns=7)
        panel = await opened(house)
        assert "reset" not in panel.items, "nothing is looked at"
        await panel.look("messages")
        await panel.press("reset")
        assert panel.line("Earlier messages that I read").endswith("**60** · *default*")
        assert "reset" not in panel.items
        await panel.press("scope", "channel")
        await panel.look("bot_turns")
        assert "reset" not in panel.items, "it was chosen for the server"


async def test_only_its_owner_presses_it_and_closes_it(tmp_path: Path) -> None:
    async with open_house(tmp_path) as house:
        panel = await opened(house)
        await panel.press("close")
        assert not panel.is_open


async def test_in_german(tmp_path: Path) -> None:
    async with open_house(tmp_path) as house:
        greta = house.standin.add_person("Greta", locale="de")
        house.standin.give_role(greta, house.standin.add_role("Managers", Permission.MANAGE_GUILD))
        panel = await opened(house, Page.BEHAVIOUR, by=greta)
        assert panel.title == "Einstellungen: Verhalten"
        await panel.write("burst_seconds", "2,5")
        assert panel.line("Warten auf weitere Nachrichten").endswith("**2,5** · *dieser Server*")
        told = await panel.write("messages", "viele")
        assert (
            told
            == "**Frühere Nachrichten, die ich lese**: Das konnte ich nicht annehmen. Eine ganze Zahl von 1 bis 200."
        )
        await panel.press("undo")
        assert panel.lines[-2:] == ["Zurückgenommen:", "Warten auf weitere Nachrichten: **2,5** → **0**"]
