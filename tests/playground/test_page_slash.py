"""Slash commands as a person types them."""

from __future__ import annotations

from contextlib import suppress

import pytest
from hypothesis import given
from hypothesis import strategies as st

from bot.playground.page.slash import (
    Pick,
    SlashCommand,
    SlashOption,
    SlashValue,
    WrongOptions,
    begun_values,
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
    assert COMMANDS[0] == SlashCommand("stop", "Stops the answer", label="stop")
    assert USE.options[0] == SlashOption("name", 3, "Its name", required=True, label="name")


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


MODEL = {
    "name": "model",
    "name_localizations": {"de": "modell", "es-ES": "modelo"},
    "type": 1,
    "description": "Chooses a model",
    "description_localizations": {"de": "Wählt ein Modell"},
    "options": [
        {
            "type": 3,
            "name": "name",
            "name_localizations": {"de": "name"},
            "description": "Its name",
            "autocomplete": True,
            "required": True,
        },
        {
            "type": 4,
            "name": "tokens",
            "name_localizations": {"de": "länge"},
            "description": "At most",
            "min_value": 1,
            "max_value": 100,
        },
        {"type": 3, "name": "note", "description": "A note", "min_length": 2, "max_length": 4},
        {
            "type": 3,
            "name": "scope",
            "description": "Where",
            "choices": [{"name": "Here", "name_localizations": {"de": "Hier"}, "value": "here"}],
        },
    ],
}


@pytest.mark.parametrize(
    ("locale", "label"),
    [("de", "modell"), ("en-US", "model"), ("es-ES", "modelo"), ("es-419", "modelo"), ("fr", "model")],
)
def test_a_command_has_its_name_in_the_persons_language(locale: str, label: str) -> None:
    """Or in the next that Discord knows, or as it is; the bot hears its own name."""
    (command,) = slash_commands([MODEL], locale)
    assert (command.name, command.label) == ("model", label)


def test_options_and_choices_are_written_in_the_persons_language_or_by_their_own_names() -> None:
    """The bot hears their own names and values."""
    (command,) = slash_commands([MODEL], "de")
    assert command.description == "Wählt ein Modell"
    assert called_command("/modell name:x", [command]) == called_command("/model name:x", [command]) == command
    for text in ("/modell name:x länge:5 scope:Hier", "/model name:x tokens:5 scope:Hier"):
        assert option_values(command, text) == {"name": "x", "tokens": 5, "scope": "here"}


@pytest.mark.parametrize(
    ("options", "words"),
    [
        ("name:x tokens:0", "tokens has to be at least 1"),
        ("name:x tokens:101", "tokens can be at most 100"),
        ("name:x note:a", "note has to be at least 2 characters"),
        ("name:x note:abcde", "note can be at most 4 characters"),
        ("name:", "name is empty"),
    ],
)
def test_a_value_out_of_bounds_is_explained(options: str, words: str) -> None:
    """As Discord's client would not send it."""
    (command,) = slash_commands([MODEL])
    with pytest.raises(WrongOptions, match=words):
        option_values(command, f"/model {options}")


def test_what_was_picked_counts_as_long_as_its_words_stand() -> None:
    """The words of a suggestion are not its value."""
    (command,) = slash_commands([MODEL])
    picks = {"name": Pick("Small one", "vendor/small")}
    assert option_values(command, "/model name:Small one tokens:5", picks) == {"name": "vendor/small", "tokens": 5}
    assert option_values(command, "/model name:Small ones", picks) == {"name": "Small ones"}


def test_the_bot_is_asked_with_what_has_been_written_so_far() -> None:
    """What is wrong or unfinished is left out, and nothing is required yet."""
    (command,) = slash_commands([MODEL])
    assert begun_values(command, "/model tokens:9 note:x name:sm", "name") == {"name": "sm", "tokens": 9}
    assert begun_values(command, "/model ", "name") == {"name": ""}
    assert begun_values(command, "/model name:a tokens:1", "tokens") == {"tokens": "1", "name": "a"}
