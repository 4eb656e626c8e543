"""Sets the scene of a turn: who speaks, what stands around the conversation, and where it begins.

What a server, a channel or a persona chose comes together here, and nowhere else.
"""

from __future__ import annotations

import contextlib
from collections.abc import Mapping
from datetime import UTC, datetime, tzinfo
from typing import TypeVar
from zoneinfo import ZoneInfo

import msgspec

from adapters.catalogue import Catalogue
from adapters.contract import Effort, Origin, Reasoning
from bot.conversation.aside import Remembered, aside
from bot.conversation.build import Built
from bot.conversation.character_cards import LONGEST_GREETING
from bot.conversation.macros import Macros, for_newest, for_system
from bot.conversation.prompt import system_prompt
from bot.conversation.scene import Scene, with_sight
from bot.persona import Persona
from bot.preferences import (
    ConversationPreferences,
    Location,
    ServerCapabilities,
    Thinking,
)
from bot.store import Conversations, DatabaseUnavailable, Memories, Personas, Preferences
from bot.turn.models import ModelChoice
from bot.turn.request import TurnRequest

T = TypeVar("T")

_EFFORTS: Mapping[Thinking, Reasoning | None] = {
    Thinking.DEFAULT: None,
    Thinking.OFF: Reasoning(Effort.NONE),
    Thinking.LOW: Reasoning(Effort.LOW),
    Thinking.MEDIUM: Reasoning(Effort.MEDIUM),
    Thinking.HIGH: Reasoning(Effort.HIGH),
}

MOST_MODELS = 512
"""Models of which it is remembered whether they see; personas name any."""


class Scenes:
    def __init__(
        self,
        preferences: Preferences,
        personas: Personas,
        memories: Memories,
        conversations: Conversations,
        catalogue: Catalogue,
    ) -> None:
        self._preferences = preferences
        self._personas = personas
        self._memories = memories
        self._conversations = conversations
        self._catalogue = catalogue
        self._sight: dict[Origin, bool] = {}

    async def persona(self, request: TurnRequest, name: str | None = None) -> Persona | None:
        """Who speaks there, or the persona of that name while there is one. None: Parley itself, as which "" names it."""
        if name == "":
            return None
        if name is not None and request.guild_id is not None:
            named = await self._personas.get(request.guild_id, name)
            if named is not None:
                return named
        return await self.persona_at(request.location)

    async def persona_at(self, location: Location) -> Persona | None:
        """Who speaks there."""
        name = (await self._preferences.conversation(location)).persona
        return await self._personas.get(location.guild_id, name) if name and location.guild_id is not None else None

    async def set(self, request: TurnRequest, choice: ModelChoice, persona: Persona | None) -> Scene:
        chosen = await self._preferences.conversation(request.location)
        state = await self._conversations.get(_conversation_id(request))
        may = await self._preferences.of(ServerCapabilities, request.location)
        asked, origin = choice.preferences, choice.origin
        surroundings = request.channel.surroundings
        now, zone = datetime.now(UTC), _zone(chosen.time_zone)
        macros = _macros(request, persona, now.astimezone(zone))
        info = self._catalogue.find(origin)
        scene = Scene(
            model=choice.model,
            origin=origin,
            system=system_prompt(
                _with_macros(persona, macros) if persona else None,
                for_system(chosen.server_prompt, macros),
                for_system(chosen.channel_prompt, macros),
            ),
            aside=aside(
                now,
                zone,
                surroundings,
                (request.asker_name, request.asker_id),
                await self._remembered(request) if may.memory_enabled else [],
                for_newest(_joined(chosen, persona), macros),
            ),
            persona=persona.name if persona else "",
            info=info,
            summary=state.summary,
            starts_after=state.starts_after,
            most_messages=chosen.messages,
            max_output_tokens=_first(persona.max_output_tokens if persona else None, asked.max_output_tokens),
            temperature=_first(persona.temperature if persona else None, asked.temperature),
            top_p=persona.top_p if persona else None,
            reasoning=None if info.reasoning is False else _EFFORTS[asked.thinking],
            text_tool_calls=may.verbatim_tool_calling_enabled,
            cache_key=f"parley-{_conversation_id(request)}",
        )
        return with_sight(scene, self._sight[origin]) if origin in self._sight else scene

    async def greeting(self, request: TurnRequest, persona: Persona) -> str:
        """Its first words there, for who asked for them; empty: it has none. Names may stand in it any number of times, and still it is
        no longer than a greeting may be."""
        chosen = await self._preferences.conversation(request.location)
        macros = _macros(request, persona, datetime.now(_zone(chosen.time_zone)))
        return for_newest(persona.greeting, macros).strip()[:LONGEST_GREETING]

    def learn_sight(self, origin: Origin, sees: bool) -> None:
        """Whether this model takes pictures, as it turned out, whatever the catalogue says."""
        self._sight.pop(origin, None)
        self._sight[origin] = sees
        if len(self._sight) > MOST_MODELS:
            del self._sight[next(iter(self._sight))]

    async def moved(self, request: TurnRequest, built: Built) -> None:
        """Remember where the conversation begins from now on; while the database is away, it is found out each time."""
        if built.starts_after is None:
            return
        with contextlib.suppress(DatabaseUnavailable):
            await self._conversations.put(_conversation_id(request), request.guild_id, starts_after=built.starts_after)

    async def summary_begins(self, request: TurnRequest) -> datetime:
        """To be called before what is summarized is looked at; for `summarized`."""
        return await self._conversations.summary_begins(_conversation_id(request), request.guild_id)

    async def summarized(self, request: TurnRequest, summary: str, up_to: int, begun: datetime) -> bool:
        """`up_to`: message id. What was said till then is read as this summary from now on. False where the conversation was
        forgotten, or begun anew, since `begun`: then nothing is kept."""
        return await self._conversations.summarize(_conversation_id(request), summary, up_to, begun)

    async def _remembered(self, request: TurnRequest) -> list[Remembered]:
        if request.channel.surroundings.among_others:
            return []  # what was told to us alone is nothing for others to read
        guild_id = request.guild_id or 0
        about = await self._memories.about(guild_id, [request.asker_id])
        shared = await self._memories.server(guild_id) if guild_id else []
        return [
            *(Remembered(note.text) for note in shared),
            *(Remembered(note.text, request.asker_id, request.asker_name) for note in about),
        ]


def _first(*values: T | None) -> T | None:
    return next((value for value in values if value is not None), None)


def _macros(request: TurnRequest, persona: Persona | None, now: datetime) -> Macros:
    surroundings = request.channel.surroundings
    return Macros(
        char=persona.name if persona else "Parley",
        user=request.asker_name,
        channel=surroundings.thread or surroundings.channel,
        server=surroundings.server,
        now=now,
        seed=str(request.channel_id),
    )


def _with_macros(persona: Persona, macros: Macros) -> Persona:
    return msgspec.structs.replace(
        persona, prompt=for_system(persona.prompt, macros), examples=for_system(persona.examples, macros)
    )


def _joined(chosen: ConversationPreferences, persona: Persona | None) -> str:
    """The notes of those who set the bot up: of the place, and of the persona."""
    return "\n".join(filter(None, (chosen.note.strip(), persona.note.strip() if persona else "")))


def _conversation_id(request: TurnRequest) -> int:
    """Channel id. A question for which a thread was opened, whose id is the question's, was asked in the channel above, and what was
    said there is what it is read with."""
    if request.parent_id is not None and request.question_id == request.channel_id:
        return request.parent_id
    return request.channel_id


def _zone(name: str) -> tzinfo:
    """UTC for a name that this machine does not know (any more)."""
    with contextlib.suppress(KeyError, ValueError, OSError):
        return ZoneInfo(name)
    return UTC
