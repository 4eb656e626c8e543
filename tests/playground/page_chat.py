"""A chat for the page's tests: the stand-in's world, without its sockets and its bot; the test plays the bot."""

from __future__ import annotations

import asyncio
import mimetypes
from collections.abc import AsyncIterator, Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from typing import Any

import msgspec

from bot.playground.standin.changes import Changes
from bot.playground.standin.clock import Clock
from bot.playground.standin.config import WorldConfig, build_world
from bot.playground.standin.errors import UNKNOWN_MESSAGE, ApiError
from bot.playground.standin.events import (
    CommandsRegistered,
    InteractionAnswered,
    InteractionFailed,
    InteractionStarted,
    Json,
    WorldEvent,
)
from bot.playground.standin.interactions import Answer, CallbackType, Interaction, InteractionType
from bot.playground.standin.modal_shapes import MODAL
from bot.playground.standin.records import Channel, Guild
from bot.playground.standin.shapes import require
from bot.playground.standin.world import Change, Draft


class ScriptedChat:
    """What `StandinPort` needs of a stand-in. `presses` holds what nobody has answered yet: presses, calls of commands, forms.

    While `takes_messages` is not set, what people say waits.
    """

    def __init__(self) -> None:
        self.world = build_world(WorldConfig(), Clock())
        self.ada, self.bo, self.chi = (user for user in self.world.users.values() if not user.is_bot)
        self.general, self.random, self.help = self.world.channels.values()
        self.presses: list[Interaction] = []
        self.registered: list[Json] = []
        self.called: list[tuple[str, dict[str, Any]]] = []
        """Slash commands that people used, with their options."""
        self.wished: list[tuple[str, dict[str, Any], str]] = []
        """Calls that people were writing when the bot was asked for suggestions, and for which option."""
        self.chosen: list[tuple[str, list[str]]] = []
        """Buttons and selects that people used, with what they chose."""
        self.filled: list[dict[str, Any]] = []
        """Forms that people filled in."""
        self.files: dict[str, bytes] = {}
        self.queues: list[asyncio.Queue[WorldEvent | None]] = []
        self.takes_messages = asyncio.Event()
        self.takes_messages.set()
        self._changes = Changes()
        self.world.listeners.append(self._publish)

    def _publish(self, event: WorldEvent) -> None:
        for queue in self.queues:
            queue.put_nowait(event)
        self._changes.notify()

    @contextmanager
    def subscribe(self) -> Iterator[AsyncIterator[WorldEvent]]:
        queue: asyncio.Queue[WorldEvent | None] = asyncio.Queue()

        async def events() -> AsyncIterator[WorldEvent]:
            while (event := await queue.get()) is not None:
                yield event

        self.queues.append(queue)
        try:
            yield events()
        finally:
            self.queues.remove(queue)

    def miss_events(self) -> None:
        """All listeners were too slow, so the page ends their connections."""
        for queue in self.queues:
            queue.put_nowait(None)

    def attachment(self, attachment_id: str) -> bytes:
        return self.files[attachment_id]

    async def say(self, author: str, channel: str, text: str, *, reply_to: str | None = None) -> Json:
        await self.takes_messages.wait()
        return self.world.create_message(author, channel, Draft(content=text, reply_to=reply_to))

    async def press(self, user: str, message_id: str, custom_id: str, values: Sequence[str] = ()) -> Interaction:
        self._require(message_id)
        self.chosen.append((custom_id, list(values)))
        return self._begin(InteractionType.COMPONENT, user, message_id, custom_id)

    def commands_in(self, channel: str, user: str) -> Sequence[Json]:
        return self.registered

    async def slash(self, user: str, channel: str, name: str, options: Mapping[str, Any]) -> Interaction:
        self.called.append((name, dict(options)))
        return self._begin(InteractionType.COMMAND, user)

    async def autocomplete(
        self, user: str, channel: str, name: str, options: Mapping[str, Any], *, focused: str
    ) -> Interaction:
        self.wished.append((name, dict(options), focused))
        return self._begin(InteractionType.AUTOCOMPLETE, user)

    async def submit_modal(self, opened_by: Interaction, values: Mapping[str, Any]) -> Interaction:
        self.filled.append(dict(values))
        return self._begin(InteractionType.MODAL_SUBMIT, opened_by.user_id, opened_by.message_id)

    def set_locale(self, user: str, locale: str) -> None:
        self.world.users[user] = msgspec.structs.replace(self.world.users[user], locale=locale)

    def _begin(
        self, kind: InteractionType, user: str, message_id: str | None = None, custom_id: str | None = None
    ) -> Interaction:
        interaction = Interaction(self.world.new_id(), "token", kind, user, self.general.id, 0.0, message_id)
        self.presses.append(interaction)
        self.world.tell(InteractionStarted(interaction.id, user, message_id, custom_id))
        return interaction

    async def delete(self, message_id: str, *, by: str) -> None:
        self._require(message_id)
        self.world.delete_message(message_id)

    async def react(self, user: str, message_id: str, emoji: str) -> None:
        self._require(message_id)
        self.world.add_reaction(message_id, user, emoji)

    async def typing(self, user: str, channel: str) -> None:
        self.world.start_typing(channel, user)

    def _require(self, message_id: str) -> None:
        if not self.world.has_message(message_id):
            raise ApiError(UNKNOWN_MESSAGE)

    async def until(self, holds: Callable[[], object]) -> None:
        """Until what the browser sent has arrived."""
        async with asyncio.timeout(10):
            while not holds():
                await self._changes.next()

    @property
    def guild(self) -> Guild:
        return next(iter(self.world.guilds.values()))

    # The bot's side.

    def register(self, *commands: Json) -> None:
        self.registered = list(commands)
        self.world.tell(CommandsRegistered())

    def upload(self, filename: str, data: bytes, **fields: Any) -> Json:
        """A file of a message to come, as an attachment object; its type is as its name says."""
        file_id = self.world.new_id()
        self.files[file_id] = data
        media_type = mimetypes.guess_type(filename)[0]
        url = f"http://cdn.example/{file_id}/{filename}"
        return {
            "id": file_id,
            "filename": filename,
            "size": len(data),
            "content_type": media_type,
            "url": url,
            **fields,
        }

    def answer(self, content: str = "", channel: Channel | None = None, **fields: Any) -> str:
        """The bot writes; the id of its message."""
        draft = Draft(content=content, **fields)
        message_id: str = self.world.create_message(self.world.bot.id, (channel or self.general).id, draft)["id"]
        return message_id

    def edit(self, message_id: str, content: str, **fields: Any) -> None:
        self.world.edit_message(message_id, Change(content=content, **fields))

    def bot_types(self) -> None:
        self.world.start_typing(self.general.id, self.world.bot.id)

    def answer_press(self, answer: Answer | None = None) -> None:
        interaction = self.presses.pop(0)
        interaction.answer = answer
        self.world.tell(InteractionAnswered(interaction.id))

    def open_modal(self, title: str, *components: Json, custom_id: str = "form") -> None:
        """The bot answers what somebody did with a form."""
        modal = {"custom_id": custom_id, "title": title, "components": list(components)}
        require(MODAL, modal)
        self.answer_press(Answer(CallbackType.MODAL, modal=modal))

    def suggest(self, *choices: Json) -> None:
        self.answer_press(Answer(CallbackType.CHOICES, choices=choices))

    def miss_press(self) -> None:
        self.world.tell(InteractionFailed(self.presses.pop(0).id))


def button(custom_id: str, label: str, style: int = 2, **fields: Any) -> Json:
    return {"type": 2, "custom_id": custom_id, "label": label, "style": style, **fields}


def row(*components: Json) -> Json:
    return {"type": 1, "components": list(components)}


def label(text: str, component: Json, **fields: Any) -> Json:
    return {"type": 18, "label": text, "component": component, **fields}


def text_input(custom_id: str, style: int = 1, **fields: Any) -> Json:
    return {"type": 4, "custom_id": custom_id, "style": style, **fields}


def select(custom_id: str, *values: str, **fields: Any) -> Json:
    options = [{"label": value.title(), "value": value} for value in values]
    return {"type": 3, "custom_id": custom_id, "options": options, **fields}
