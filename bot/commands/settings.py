"""`/settings …`: what a server, or a channel of it, chooses. Without options a command tells how it is.

One table a topic; discord.py takes its parameters from a function's signature, and so that is made from the table.
"""

from __future__ import annotations

import inspect
from collections.abc import Container, Iterator, Mapping, Sequence
from typing import Any

import discord
import msgspec
from discord import app_commands

from bot.commands import options as kind
from bot.commands.options import BadValue, Option
from bot.commands.setting_history import history_command, undo_command
from bot.commands.words import said
from bot.gateway.admission.gate import may_manage, refusal
from bot.gateway.admission.visits import location_of_interaction
from bot.gateway.client import ParleyClient
from bot.gateway.interactions import admitted, whisper, words_of
from bot.localization import Translator, Words
from bot.preferences import (
    AdmissionPreferences,
    Answering,
    Bots,
    ConversationPreferences,
    DeliveryPreferences,
    FollowUp,
    FooterDetail,
    Location,
    ModelPreferences,
    ServerCapabilities,
    Style,
    Tables,
    ThoughtLog,
)
from bot.store import Deed, Scope

LONGEST_CODE = 100_000
"""Code points; the most that `long_code` can be set to."""
LONGEST_PROMPT = 4000
"""Code points of a prompt that is given as an option; Discord takes 6,000."""
HERE, SERVER = "here", "server"
"""Of the option `where`."""


class Topic(msgspec.Struct, frozen=True):
    """`/settings NAME`. Its words in locales/ are command-NAME, command-NAME-description, NAME-now, and for options setting-FIELD-description."""

    name: str
    preferences: type[msgspec.Struct]
    options: tuple[Option, ...]
    has_scope: bool = False
    """Whether a channel may choose otherwise than its server (option `where`)."""


TOPICS = (
    Topic(
        "delivery",
        DeliveryPreferences,
        (
            kind.choice("style", "style", Style),
            kind.choice("footer", "footer", FooterDetail),
            kind.choice("thoughts", "thoughts", ThoughtLog),
            kind.channel("thought_channel", "thought_channel_id"),
            kind.choice("tables", "tables", Tables),
            kind.number("long_code", "longest_code", 0, LONGEST_CODE),
            kind.flag("maths", "maths"),
            kind.flag("link_previews", "link_previews"),
            kind.flag("mention_people", "mention_users"),
            kind.flag("buttons", "buttons"),
            kind.flag("live_mark", "live_mark"),
        ),
    ),
    Topic(
        "conversation",
        ConversationPreferences,
        (
            kind.choice("answering", "answering", Answering),
            kind.words("trigger_words", "trigger_words", most=20, longest=50),
            kind.choice("follow_up", "follow_up", FollowUp),
            kind.seconds("burst", "burst_seconds", most=10.0),
            kind.choice("bots", "bots", Bots),
            kind.number("bot_turns", "bot_turns", 1, 20),
            kind.text("server_prompt", "server_prompt", LONGEST_PROMPT, Scope.SERVER),
            kind.text("channel_prompt", "channel_prompt", LONGEST_PROMPT, Scope.CHANNEL),
            kind.text("note", "note", 1000),
            kind.number("messages", "messages", 1, 200),
            kind.flag("compaction", "compaction"),
            kind.flag("threads", "threads"),
            kind.flag("webhooks", "webhooks"),
            kind.time_zone("time_zone", "time_zone"),
        ),
        has_scope=True,
    ),
    Topic(
        "generation",
        ModelPreferences,
        (
            kind.decimal("temperature", "temperature", 2.0),
            kind.number("max_tokens", "max_output_tokens", 16, 1_000_000),
        ),
        has_scope=True,
    ),
    Topic(
        "admission",
        AdmissionPreferences,
        (
            kind.mentions("channels", "channel_ids", "#"),
            kind.mentions("closed_channels", "closed_channel_ids", "#"),
            kind.mentions("roles", "role_ids", "@&"),
            kind.mentions("blocked", "blocked_user_ids", "@", most=200),
            kind.number("cooldown", "cooldown_seconds", 0, 86_400),
            kind.number("per_hour", "questions_per_hour", 0, 1000),
            kind.number("per_day", "questions_per_day", 0, 10_000),
        ),
    ),
)

CAPABILITIES = Topic(
    "capabilities",
    ServerCapabilities,
    (
        kind.flag("verbatim_tool_calling", "verbatim_tool_calling_enabled"),
        kind.flag("personal_models", "personal_models_enabled"),
        kind.flag("memory", "memory_enabled"),
    ),
)
"""`/capabilities`"""


def settings_commands(translator: Translator) -> app_commands.Group:
    group = app_commands.Group(
        name=said(translator, "command-settings"),
        description=said(translator, "command-settings-description"),
        guild_only=True,
        default_permissions=discord.Permissions(manage_guild=True),
    )
    for topic in TOPICS:
        group.add_command(_command(topic, translator))
    group.add_command(history_command(translator))
    group.add_command(undo_command(translator))
    return group


def capabilities_command(translator: Translator) -> app_commands.Command[Any, ..., Any]:
    command = _command(CAPABILITIES, translator)
    command.guild_only = True
    command.default_permissions = discord.Permissions(manage_guild=True)
    return command


def _command(topic: Topic, translator: Translator) -> app_commands.Command[Any, ..., Any]:
    async def answer(interaction: discord.Interaction[ParleyClient], **given: Any) -> None:
        await _answer(interaction, words_of(interaction), topic, given)

    offered = {option.name: option.annotation for option in topic.options}
    descriptions = {
        option.name: said(translator, f"setting-{option.field.replace('_', '-')}-description")
        for option in topic.options
    }
    choices = {option.name: _choices(option.choices, translator) for option in topic.options if option.choices}
    offered["reset"] = kind.FLAG
    descriptions["reset"] = said(translator, "setting-reset")
    if topic.has_scope:
        offered["where"] = kind.WORD
        descriptions["where"] = said(translator, "setting-where")
        choices["where"] = _choices((HERE, SERVER), translator)
    any_order = inspect.Parameter.POSITIONAL_OR_KEYWORD
    parameters = [inspect.Parameter("interaction", any_order, annotation=discord.Interaction)]
    parameters += [inspect.Parameter(name, any_order, annotation=of, default=None) for name, of in offered.items()]
    answer.__signature__ = inspect.Signature(parameters)  # type: ignore[attr-defined]  # what inspect looks for
    command: app_commands.Command[Any, ..., Any] = app_commands.Command(
        name=said(translator, f"command-{topic.name}"),
        description=said(translator, f"command-{topic.name}-description"),
        callback=answer,
    )
    app_commands.describe(**descriptions)(command)
    app_commands.choices(**choices)(command)
    return command


def _choices(values: Sequence[str], translator: Translator) -> list[app_commands.Choice[str]]:
    return [app_commands.Choice(name=said(translator, kind.choice_key(value)), value=value) for value in values]


async def _answer(
    interaction: discord.Interaction[ParleyClient], words: Words, topic: Topic, given: Mapping[str, Any]
) -> None:
    if not await admitted(interaction):
        return
    # Discord's own setting can open the command to others; what it changes is the server's.
    if interaction.guild_id is None or not may_manage(interaction.permissions):
        await whisper(interaction, words("command-not-allowed"))
        return
    try:
        changes = _changes(topic, given, by=interaction)
    except BadValue as error:
        await whisper(interaction, words(error.key, **error.arguments))
        return
    location = location_of_interaction(interaction)
    store = interaction.client.preferences
    for scope, scope_id in ((Scope.SERVER, interaction.guild_id), (Scope.CHANNEL, location.channel_id)):
        if changes[scope]:
            deed = Deed(interaction.user.id, interaction.guild_id)
            await store.change(topic.preferences, scope, scope_id, deed, **changes[scope])
    chosen_here = set[str]()
    if topic.has_scope:
        for channel_id in filter(None, (location.channel_id, location.parent_id)):
            chosen_here |= set(await store.chosen(topic.preferences, Scope.CHANNEL, channel_id))
    else:
        location = Location(0, interaction.guild_id)
    preferences = await store.of(topic.preferences, location)
    lines = [*told(topic, preferences, chosen_here, words), *_warnings(preferences, interaction, words)]
    await whisper(interaction, "\n".join(lines))


def _changes(
    topic: Topic, given: Mapping[str, Any], by: discord.Interaction[ParleyClient]
) -> Mapping[Scope, Mapping[str, Any]]:
    """What is to be changed, for the server and for the channel. Raises BadValue."""
    chosen = Scope.CHANNEL if given.get("where") == HERE else Scope.SERVER
    changes: dict[Scope, dict[str, Any]] = {scope: {} for scope in Scope}
    for option in topic.options:
        value = given.get(option.name)
        if value is not None:
            changes[option.scope or chosen][option.field] = option.read(value)
        elif given.get("reset") and option.scope in (None, chosen):
            changes[chosen][option.field] = None
    blocked = changes[Scope.SERVER].get("blocked_user_ids") or ()
    if by.user.id in blocked or (by.guild is not None and by.guild.owner_id in blocked):
        raise BadValue("admission-not-these")
    return changes


def told(topic: Topic, preferences: msgspec.Struct, chosen_here: Container[str], words: Words) -> Iterator[str]:
    """In lines. `chosen_here`: the fields that are otherwise in the rest of the server."""
    yield words(f"{topic.name}-now")
    for option in topic.options:
        shown = f"`{option.name}` {option.show(getattr(preferences, option.field), words)}"
        is_own = option.field in chosen_here and option.scope is None
        yield f"{shown} {words('setting-only-here')}" if is_own else shown


def _warnings(
    preferences: msgspec.Struct, interaction: discord.Interaction[ParleyClient], words: Words
) -> Iterator[str]:
    """What was chosen and will not do."""
    if not isinstance(preferences, DeliveryPreferences):
        return
    problem = _problem_of_channel(preferences.thought_channel_id, interaction.guild, words)
    needs_button = preferences.thoughts is ThoughtLog.BUTTON
    if preferences.thoughts is ThoughtLog.CHANNEL and problem is not None:
        yield problem
        needs_button = True
    if needs_button and not preferences.buttons:
        yield words("delivery-no-button-for-thoughts")


def _problem_of_channel(channel_id: int | None, guild: discord.Guild | None, words: Words) -> str | None:
    if channel_id is None:
        return words("delivery-no-thought-channel")
    channel = guild.get_channel(channel_id) if guild else None
    if not isinstance(channel, discord.TextChannel) or refusal(channel, guild) is not None:
        return words("delivery-thought-channel-closed", channel=f"<#{channel_id}>")
    return None
