"""Slash commands as a person types them."""

from __future__ import annotations

from contextlib import suppress

import pytest
from hypothesis import given
from hypothesis import strategies as st

from bot.playground.page.slash import (
    SlashCommand,
    SlashOption,
    SlashValue,
    WrongOptions,
    called_command,
    option_values,
    slash_commands,
)

STOP = {"name": "stop", "type": 1, "description": "Stops the answer"}
SETTINGS = {
    "name": "settings",
    "type": 1,
    "description": "Settings",
    "options": [
        {
            "type": 2,
            "name": "model",
            "description": "Models",
            "options": [
                {
                    "type": 1,
                    "name": "use",
                    "description": "Uses a model",
                    "options": [
                        {"type": 3, "name": "name", "description": "Its name", "required": True},
                        {"type": 4, "name": "tokens", "description": "At most"},
                        {"type": 10, "name": "heat", "description": "How wild"},
                        {"type": 5, "name": "loud", "description": "Say so"},
                        {
                            "type": 3,
                            "name": "style",
                            "description": "How",
                            "choices": [{"name": "In an embed", "value": "embed"}],
                        },
                    ],
                }
            ],
        }
    ],
}
COMMANDS = list(slash_commands([STOP, SETTINGS]))
USE = COMMANDS[1]


def test_a_subcommand_is_a_command_of_its_own() -> None:
    """With its group in its name."""
    assert [command.name for command in COMMANDS] == ["stop", "settings model use"]
    assert COMMANDS[0] == SlashCommand("stop", "Stops the answer")
    assert USE.options[0] == SlashOption("name", 3, "Its name", required=True)


@pytest.mark.parametrize(
    ("text", "name"),
    [
        ("/stop", "stop"),
        ("/stop now", "stop"),
        ("/settings model use name:x", "settings model use"),
        ("/stopping", None),
        ("/settings", None),
        ("/unknown", None),
        ("please /stop", None),
        ("stop", None),
    ],
)
def test_a_text_calls_a_command_by_its_whole_name(text: str, name: str | None) -> None:
    """Anything else is a message."""
    called = called_command(text, COMMANDS)
    assert (called and called.name) == name


@pytest.mark.parametrize(
    ("options", "values"),
    [
        ("name:small", {"name": "small"}),
        ("name: small one: the best tokens:5", {"name": "small one: the best", "tokens": 5}),
        ("loud:YES heat:0.5 name:x", {"loud": True, "heat": 0.5, "name": "x"}),
        ("name:x style:In an embed", {"name": "x", "style": "embed"}),
        ("name:https://a.example/tokens:5", {"name": "https://a.example/tokens:5"}),
    ],
)
def test_options_are_given_by_name(options: str, values: dict[str, SlashValue]) -> None:
    """A value goes on until the next option; it is of the option's type."""
    assert option_values(USE, f"/{USE.name} {options}") == values


@pytest.mark.parametrize(
    ("options", "words"),
    [
        ("", "needs name: Its name"),
        ("small", "takes name:, tokens:, heat:, loud:, style:; it does not know what to do with “small”"),
        ("name:x tokens:many", "tokens is a whole number, not “many”"),
        ("name:x heat:hot", "heat is a number"),
        ("name:x loud:maybe", "loud is true or false"),
        ("name:x style:plain", "style is one of: In an embed"),
    ],
)
def test_wrong_options_are_explained(options: str, words: str) -> None:
    """To who typed them."""
    with pytest.raises(WrongOptions, match=words):
        option_values(USE, f"/{USE.name} {options}")


def test_a_command_without_options_takes_none() -> None:
    """What follows its name is not lost in silence."""
    assert option_values(COMMANDS[0], "/stop") == {}
    with pytest.raises(WrongOptions, match="takes no options"):
        option_values(COMMANDS[0], "/stop now")


@given(st.text())
def test_whatever_is_typed_is_read_or_explained(options: str) -> None:
    """Never any other failure."""
    with suppress(WrongOptions):
        assert option_values(USE, f"/{USE.name} name:x {options}")["name"] is not None
