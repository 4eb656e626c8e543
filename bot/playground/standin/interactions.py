"""Interactions between their start and the end of their token.

https://docs.discord.com/developers/interactions/receiving-and-responding: three seconds for one first answer, fifteen
minutes for what follows. Which kind of answer fits depends on what the person did.
"""

from __future__ import annotations

import asyncio
import secrets
from dataclasses import dataclass, field
from enum import IntEnum

import msgspec

from bot.playground.standin.clock import Clock
from bot.playground.standin.errors import (
    ALREADY_ACKNOWLEDGED,
    INVALID_WEBHOOK_TOKEN,
    UNKNOWN_INTERACTION,
    UNKNOWN_MESSAGE,
    UNKNOWN_WEBHOOK,
    ApiError,
    invalid_form,
)
from bot.playground.standin.events import InteractionAnswered, InteractionFailed, InteractionStarted, Json
from bot.playground.standin.world import World

ANSWER_SECONDS = 3.0
TOKEN_SECONDS = 15 * 60.0


class InteractionType(IntEnum):
    COMMAND = 2
    COMPONENT = 3
    AUTOCOMPLETE = 4
    MODAL_SUBMIT = 5


class CallbackType(IntEnum):
    MESSAGE = 4
    DEFERRED_MESSAGE = 5
    DEFERRED_UPDATE = 6
    UPDATE_MESSAGE = 7
    CHOICES = 8
    MODAL = 9


class Answer(msgspec.Struct, frozen=True):
    """The first answer. What it does not have is None or empty."""

    kind: CallbackType
    message_id: str | None = None
    ephemeral: bool = False
    choices: tuple[Json, ...] = ()
    modal: Json | None = None


@dataclass(eq=False)
class Interaction:
    """One thing that a person did with the bot, and how it went. Tests and the page hold it as a handle."""

    id: str
    token: str
    type: InteractionType
    user_id: str
    channel_id: str
    started_at: float
    message_id: str | None = None
    """The message whose component was used."""
    owners: Json = field(default_factory=dict)
    """For whom the application is installed: "0" the server (its id, "0" in a DM), "1" the person (their id)."""
    answer_type: int = 0
    """Type of the messages that answer it."""
    metadata: Json = field(default_factory=dict)
    answer: Answer | None = None
    original_id: str | None = None
    """The message that `@original` means."""
    follow_up_ids: list[str] = field(default_factory=list)
    failed: bool = False
    _settled: asyncio.Event = field(default_factory=asyncio.Event, repr=False)

    async def answered(self, within: float = 10.0) -> Answer:
        """Waits for the first answer. TimeoutError after `within` seconds, or at once when the bot was too late."""
        async with asyncio.timeout(within):
            await self._settled.wait()
        if self.answer is None:
            raise TimeoutError("This interaction failed: no answer in time")
        return self.answer

    @property
    def is_user_installed(self) -> bool:
        """The application is there only because a person installed it."""
        return "0" not in self.owners

    def settle(self) -> None:
        self._settled.set()


_FITTING: dict[InteractionType, frozenset[CallbackType]] = {
    InteractionType.COMMAND: frozenset({CallbackType.MESSAGE, CallbackType.DEFERRED_MESSAGE, CallbackType.MODAL}),
    InteractionType.COMPONENT: frozenset(CallbackType) - {CallbackType.CHOICES},
    InteractionType.AUTOCOMPLETE: frozenset({CallbackType.CHOICES}),
    InteractionType.MODAL_SUBMIT: frozenset(CallbackType) - {CallbackType.CHOICES, CallbackType.MODAL},
}


class Interactions:
    """The interactions whose token lives, by that token."""

    def __init__(self, world: World, clock: Clock) -> None:
        self._world = world
        self._clock = clock
        self._by_token: dict[str, Interaction] = {}

    def __len__(self) -> int:
        return len(self._by_token)

    def start(
        self,
        type: InteractionType,  # noqa: A002 - Discord's own name for it
        user_id: str,
        channel_id: str,
        *,
        message_id: str | None = None,
        custom_id: str | None = None,
        owners: Json,
        answer_type: int = 0,
    ) -> Interaction:
        interaction = Interaction(
            id=self._world.new_id(),
            token=secrets.token_urlsafe(32),
            type=type,
            user_id=user_id,
            channel_id=channel_id,
            started_at=self._clock.now(),
            message_id=message_id,
            original_id=message_id,
            owners=owners,
            answer_type=answer_type,
        )
        self._forget_expired()
        self._by_token[interaction.token] = interaction
        self._world.tell(InteractionStarted(interaction.id, user_id, message_id, custom_id))
        return interaction

    def to_answer(self, interaction_id: str, token: str, kind: CallbackType) -> Interaction:
        """The interaction that may get its first answer now, of this kind. Raises 10062, 40060, 50035."""
        interaction = self._by_token.get(token)
        if interaction is None or interaction.id != interaction_id:
            raise ApiError(UNKNOWN_INTERACTION)
        if interaction.answer is not None:
            raise ApiError(ALREADY_ACKNOWLEDGED)
        if self.fail_if_late(interaction):
            raise ApiError(UNKNOWN_INTERACTION)
        without_message = interaction.message_id is None and kind in (
            CallbackType.DEFERRED_UPDATE,
            CallbackType.UPDATE_MESSAGE,
        )
        if kind not in _FITTING[interaction.type] or without_message:
            raise invalid_form("type", "BASE_TYPE_CHOICES", f"{kind.name} does not answer {interaction.type.name}")
        return interaction

    def settle(self, interaction: Interaction, answer: Answer) -> None:
        interaction.answer = answer
        interaction.settle()
        self._world.tell(InteractionAnswered(interaction.id))

    def watch_deadline(self, interaction: Interaction) -> None:
        """Lets the interaction fail once its three seconds have passed without an answer."""
        # A little later than the limit itself, which still counts as in time.
        self._clock.call_later(ANSWER_SECONDS + 0.01, lambda: self.fail_if_late(interaction))

    def fail_if_late(self, interaction: Interaction) -> bool:
        """Whether the time for the first answer has passed without one; tells the person the first time."""
        late = interaction.answer is None and self._clock.now() - interaction.started_at > ANSWER_SECONDS
        if late and not interaction.failed:
            interaction.failed = True
            interaction.settle()
            self._world.tell(InteractionFailed(interaction.id))
        return late

    def webhook(self, token: str) -> Interaction:
        """The interaction whose token still sends messages. Raises 50027, and 10015 before the first answer."""
        interaction = self._by_token.get(token)
        if interaction is None or self._clock.now() - interaction.started_at > TOKEN_SECONDS:
            raise ApiError(INVALID_WEBHOOK_TOKEN)
        if interaction.answer is None:
            raise ApiError(UNKNOWN_WEBHOOK)
        return interaction

    def _forget_expired(self) -> None:
        now = self._clock.now()
        for token, interaction in tuple(self._by_token.items()):
            if now - interaction.started_at <= TOKEN_SECONDS:
                break  # they stand in the order of their starts
            del self._by_token[token]

    def own_message(self, interaction: Interaction, message_id: str) -> str:
        """The id behind `@original` or a number, of a message that this token may touch. Raises 10008."""
        own = interaction.original_id if message_id == "@original" else message_id
        known = own is not None and (own == interaction.original_id or own in interaction.follow_up_ids)
        if own is None or not known or not self._world.has_message(own):
            raise ApiError(UNKNOWN_MESSAGE)
        return own
