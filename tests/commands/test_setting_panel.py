"""What `/settings` shows, from the list alone: all of it fits, whatever was chosen, and a new line appears by itself."""

from __future__ import annotations

import shutil
from collections.abc import Mapping
from pathlib import Path
from types import MappingProxyType
from typing import Annotated, Any

import discord
import pytest

from bot.commands import setting_panel
from bot.commands.options import Offer
from bot.commands.setting_docs import settings_page
from bot.commands.setting_history import DEEDS, MOST_CHANGES, history
from bot.commands.setting_panel import TEMPLATE, Control, Deed, Origin, PanelState, Value, panel, read, settings_of
from bot.localization import LOCALES, Translator
from bot.preferences import SETTINGS, Page, Scope, Setting, kinds
from bot.store.models import SettingChange
from tests.commands.made_settings import made_setting

TRANSLATOR = Translator("en-US")
OWNER = 10**19
LONGEST_IDS = tuple(range(10**19 - 200, 10**19))
LONGEST: Mapping[type, Any] = {
    kinds.Text: "word " * 800,
    kinds.Words: ("w" * 50,) * 20,
    kinds.Ids: LONGEST_IDS,
    kinds.ChannelId: LONGEST_IDS[0],
    kinds.TimeZone: "America/Argentina/ComodRivadavia",
    kinds.Persona: "P" * 80,
    kinds.Seconds: 9.999,
}
"""Where a kind has values of any length."""
OFFER = Offer(TRANSLATOR.locales, tuple(f"Persona {nr}" for nr in range(50)), LONGEST_IDS)


def state(at: Control, values: Mapping[str, Any] = MappingProxyType({})) -> PanelState:
    shown = {s.name: Value(values.get(s.name, s.default), Origin.PARENT) for s in settings_of(at.page)}
    return PanelState(at, shown, tuple(Scope), True, OFFER, remarks=["⚠️ " + "x" * 150] * 2)


def longest(setting: Setting) -> Any:
    return LONGEST.get(type(setting.kind), setting.default)


@pytest.mark.parametrize("locale", TRANSLATOR.locales)
@pytest.mark.parametrize("setting", [*SETTINGS.values(), None], ids=lambda setting: setting.name if setting else "none")
def test_each_page_fits_into_a_message_whatever_was_chosen(setting: Setting | None, locale: str) -> None:
    for page in [setting.page] if setting else Page:
        for scope in Scope:
            at = Control(Deed.BACK, OWNER, scope, page, setting.name if setting else "")
            values = {each.name: longest(each) for each in settings_of(page)}
            embed, items = panel(state(at, values), TRANSLATOR.say(locale))
            assert len(embed.description or "") <= 4096
            assert len(embed) <= 6000
            view = discord.ui.View(timeout=None)
            for item in items:
                view.add_item(item)
            rows = view.to_components()
            assert len(rows) <= 5
            ids = [component["custom_id"] for row in rows for component in row["components"]]
            assert len(set(ids)) == len(ids)
            assert max(map(len, ids)) <= 100
            assert all(len(made.get("options", ())) <= 25 for row in rows for made in row["components"])


@pytest.mark.parametrize("setting", SETTINGS)
def test_what_is_pressed_says_all_in_its_id(setting: str) -> None:
    control = Control(Deed.GIVE, OWNER, Scope.CHANNEL, SETTINGS[setting].page, setting, 39)
    match = TEMPLATE.fullmatch(control.custom_id)
    assert match is not None
    assert read(match) == control


def test_a_setting_of_another_version_of_the_code_is_not_looked_at() -> None:
    at = Control(Deed.BACK, OWNER, Scope.SERVER, Page.TOOLS, "gone")
    assert panel(state(at), TRANSLATOR.say("en-US"))[0].fields == []


def test_a_new_line_of_the_list_appears_in_the_panel_and_in_the_docs(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    invented = made_setting(Annotated[int, kinds.Number(1, 9)], 4)
    monkeypatch.setattr(setting_panel, "SETTINGS", {**SETTINGS, "invented": invented})
    shutil.copytree(LOCALES, tmp_path, dirs_exist_ok=True)
    entries = (("setting-invented", "Inventions"), ("setting-invented-description", "How many inventions"))
    with (tmp_path / "en-US" / "settings.po").open("a", encoding="utf-8") as file:
        file.writelines(f'\nmsgctxt "{key}"\nmsgid "{text}"\nmsgstr "{text}"\n' for key, text in entries)
    translator = Translator("en-US", tmp_path)
    at = Control(Deed.BACK, OWNER, Scope.PERSON, Page.TOOLS, "invented")
    embed, items = panel(state(at), translator.say("en-US"))
    assert "▸ Inventions: **4** · *the channel above*" in (embed.description or "").splitlines()
    assert embed.fields[0].value == "How many inventions\nA whole number from 1 to 9.\nBy default: **4**"
    assert any(isinstance(item, discord.ui.Button) and ":write:" in (item.custom_id or "") for item in items)
    page = settings_page(translator)
    row = "| **Inventions** (`invented`) | How many inventions | A whole number from 1 to 9. | 4 | everywhere, server, channel, person |"
    assert row in page.splitlines()


@pytest.mark.parametrize("locale", TRANSLATOR.locales)
def test_a_page_of_the_history_fits_into_an_embed_whatever_was_changed(locale: str) -> None:
    moment = discord.utils.utcnow()
    name, value = "verbatim_tool_calling_enabled", '"' + "Ü" * 3000 + '"'
    changes = [
        SettingChange(deed_id=str(deed), at=moment, changed_by=OWNER, name=name, old=value, new=value, undone=True)
        for deed in range(DEEDS + 1)
        for _ in range(MOST_CHANGES + 1)
    ]
    embed, _ = history(Control(Deed.HISTORY, OWNER, Scope.SERVER, Page.TOOLS), changes, True, TRANSLATOR.say(locale))
    assert len(embed.description or "") <= 4096
    assert (embed.description or "").count("~~") == DEEDS * MOST_CHANGES * 2
