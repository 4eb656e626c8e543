"""What the pages say is what the code does."""

import os
import re
import tomllib
from pathlib import Path
from unittest import mock

import discord

from adapters import registry
from adapters.providers.chat.adapter import OPENAI_CHAT
from adapters.providers.chat.openrouter import OPENROUTER
from adapters.providers.chat.vendors import VENDORS
from bot.commands.setting_docs import settings_page
from bot.commands.tree import all_commands
from bot.localization import Translator
from bot.settings import Settings, load_settings

ROOT = Path(__file__).parent.parent
README = (ROOT / "README.md").read_text(encoding="utf-8")
ARCHITECTURE = (ROOT / "docs" / "architecture.md").read_text(encoding="utf-8")
PROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))


def test_the_invite_link_asks_for_exactly_the_permissions_that_the_readme_names() -> None:
    asked = re.search(r"&permissions=(\d+)", README)
    assert asked is not None
    needed = discord.Permissions(
        view_channel=True,
        send_messages=True,
        send_messages_in_threads=True,
        create_public_threads=True,
        attach_files=True,
        embed_links=True,
        read_message_history=True,
        manage_webhooks=True,
    )
    assert int(asked[1]) == needed.value


def test_every_setting_is_in_the_table_of_settings_and_nothing_else_is() -> None:
    table = ARCHITECTURE.partition("## Settings")[2]
    documented = {
        name for row in re.findall(r"^\| (`[^|]+)\|", table, re.MULTILINE) for name in re.findall(r"`(\w+)`", row)
    }
    assert documented == {name.upper() for name in Settings.model_fields}


def test_the_page_of_settings_is_made_from_the_list() -> None:
    """`python -m bot settings > docs/settings.md`"""
    assert (ROOT / "docs" / "settings.md").read_text(encoding="utf-8") == settings_page(Translator())


def test_every_command_is_in_the_table_of_commands() -> None:
    table = README.partition("| command | does |")[2].partition("\n\n")[0]
    for command in all_commands(Translator()):
        is_slash = not isinstance(command, discord.app_commands.ContextMenu)
        assert (f"`/{command.name}" if is_slash else f"*{command.name}*") in table


def test_every_provider_is_in_the_tables_of_providers_with_its_address() -> None:
    page = (ROOT / "docs" / "providers.md").read_text(encoding="utf-8")
    rows = {match[1]: match[2] for match in re.finditer(r"^\| `([a-z-]+)` \| (.+)$", page, re.MULTILINE)}
    assert set(rows) == set(registry.NAMES)
    for vendor in (*VENDORS, OPENROUTER, OPENAI_CHAT):
        assert f"`{vendor.dialect.base_url}`" in rows[vendor.name]


def test_every_provider_is_named_with_the_setting() -> None:
    (row,) = re.findall(r"^\| `LLM_PROVIDER` .+$", ARCHITECTURE, re.MULTILINE)
    assert set(re.findall(r"`([a-z-]+)`", row)) >= set(registry.NAMES)


def test_the_example_environment_holds_only_settings_and_lacks_nothing_but_the_token() -> None:
    """Copied and not yet filled in, it spoils neither `make playground` nor a bot without a model."""
    path = ROOT / ".env.example"
    example = path.read_text(encoding="utf-8")
    assert set(re.findall(r"^(\w+)=", example, re.MULTILINE)) <= {name.upper() for name in Settings.model_fields}
    with mock.patch.dict(os.environ, clear=True):
        assert load_settings(_env_file=path, discord_token="t").llm_provider is None


def test_every_protocol_stands_in_the_wall_between_protocols() -> None:
    contracts = PROJECT["tool"]["importlinter"]["contracts"]
    (walled,) = (contract["modules"] for contract in contracts if contract["type"] == "independence")
    protocols = {".".join(type(registry.adapter(name)).__module__.split(".")[:3]) for name in registry.NAMES}
    assert protocols == set(walled)


def test_every_dependency_has_its_reason() -> None:
    reasons = (ROOT / "docs" / "dependencies.md").read_text(encoding="utf-8")
    explained = {
        name.strip() for row in re.findall(r"^\| ([\w.,\- ]+) \|", reasons, re.MULTILINE) for name in row.split(",")
    }
    project = PROJECT["project"]
    declared = [*project["dependencies"], *project["optional-dependencies"]["dev"]]
    assert {re.split(r"[\[><=]", requirement)[0] for requirement in declared} <= explained


def test_every_make_target_that_the_readme_shows_exists() -> None:
    makefile = (ROOT / "Makefile").read_text(encoding="utf-8")
    shown = set(re.findall(r"^make (\w+)", README, re.MULTILINE))
    assert {"playground", "test", "check"} <= shown
    assert all(re.search(rf"^{target}:", makefile, re.MULTILINE) for target in shown)


def test_every_folder_that_the_pages_name_exists() -> None:
    named = set(
        re.findall(
            r"`((?:adapters|bot|locales|tests|docs|requirements)/[\w./]*)`",
            README + ARCHITECTURE.partition("Still to come")[0],
        )
    )
    missing = [name for name in named if not (ROOT / name).exists()]
    assert missing == []
