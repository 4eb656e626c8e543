"""A channel in memory: what was said, its history as one question sees it, and files that are read without Discord."""

from __future__ import annotations

import asyncio
from collections.abc import Iterable, Mapping, Sequence
from io import BytesIO
from typing import Any

import msgspec
from PIL import Image

from adapters.contract import ImagePart, ModelInfo, Origin, PromptMessage, Role, TextPart, text_message
from bot.conversation.attached import Parts, Problem
from bot.conversation.build import Built, build_request
from bot.conversation.history import Attachment, PastMessage, Quote
from bot.conversation.scene import Scene
from bot.conversation.tokens import TokenCounter

ME = 1
ORIGIN = Origin("openai-chat", None, "m")
COUNTER = TokenCounter()


class FileProblem(msgspec.Struct, frozen=True):
    key: str
    name: str
    details: Mapping[str, int | str] = {}


class Read(msgspec.Struct, frozen=True):
    parts: Parts
    problem: Problem | None = None


class Shelf:
    """Files and Reader in one: pictures and texts by the attachment's id; of others it is told that they were not read."""

    def __init__(self) -> None:
        self.contents: dict[int, bytes | str] = {}
        self.asked: set[int] = set()
        """Ids of what was to be read."""

    async def fetch(self, attachment: Attachment, most: int) -> bytes:
        raise AssertionError("the reader of these tests needs nothing from Discord")

    async def read_all(self, attachments: Sequence[Attachment], files: object, *, images: bool) -> Sequence[Read]:
        self.asked |= {one.attachment_id for one in attachments}
        return [self._read(one, images) for one in attachments]

    def _read(self, attachment: Attachment, images: bool) -> Read:
        content = self.contents.get(attachment.attachment_id)
        name = TextPart(f"[file: {attachment.name}]")
        if isinstance(content, str):
            return Read((TextPart(f"[file: {attachment.name}, text]\n```\n{content}\n```"),))
        if content is None:
            return Read((name,), FileProblem("attachment-unavailable", attachment.name))
        if not images:
            return Read((name,), FileProblem("attachment-picture-unseen", attachment.name))
        return Read((name, ImagePart("image/png", content)))


class Room:
    """Everything that was said in it, in the order of the ids."""

    def __init__(self) -> None:
        self.shelf = Shelf()
        self.messages: list[PastMessage] = []
        self._last_id = 0

    def say(self, text: str, author: str = "Ada", author_id: int = 10, **others: Any) -> PastMessage:
        others.setdefault("message_id", self._last_id + 1)
        return self._add(PastMessage(author_id=author_id, author_name=author, text=text, **others))

    def answer(self, text: str, to: PastMessage | None = None, **others: Any) -> PastMessage:
        others.setdefault("message_id", self._last_id + 1)
        message = PastMessage(
            author_id=ME, author_name="Parley", text=text, is_me=True, answers=to.message_id if to else None, **others
        )
        return self._add(message)

    def file(self, name: str, content: bytes | str | None) -> Attachment:
        nr = len(self.shelf.contents) + 1
        self.shelf.contents.update({nr: content} if content is not None else {})
        return Attachment(nr, 0, 0, name, len(content or ""), "")

    def seen_from(self, question: PastMessage, chain: Iterable[PastMessage] = ()) -> Seen:
        return Seen(question, self.messages, tuple(chain))

    def build(
        self,
        question: PastMessage,
        scene: Scene | None = None,
        *,
        chain: Iterable[PastMessage] = (),
        partial: str | None = None,
        counter: TokenCounter = COUNTER,
    ) -> Built:
        history = self.seen_from(question, chain)
        return asyncio.run(build_request(history, self.shelf, self.shelf, scene or a_scene(), counter, partial))

    def _add(self, message: PastMessage) -> PastMessage:
        self.messages.append(message)
        self._last_id = max(self._last_id, message.message_id)
        return message


class Seen:
    """A History (bot.conversation.history) of one question."""

    def __init__(self, question: PastMessage, messages: Sequence[PastMessage], chain: Sequence[PastMessage]) -> None:
        self._question, self._messages, self._chain = question, messages, chain

    async def question(self) -> PastMessage:
        return self._question

    async def recent(self, most: int, after: int | None = None) -> Sequence[PastMessage]:
        before = sorted(
            (it for it in self._messages if (after or 0) < it.message_id < self._question.message_id),
            key=lambda it: it.message_id,
        )[-most:]
        ids = {it.message_id for it in before}
        late = [it for it in self._messages if it.answers in ids and it.message_id not in ids]
        return sorted(
            (it for it in (*before, *late) if it.answers != self._question.message_id), key=lambda it: it.place
        )

    async def reply_chain(self, most: int) -> Sequence[PastMessage]:
        return self._chain[-most:]


def a_scene(window: int | None = 200_000, **others: Any) -> Scene:
    """Of a model with this many tokens, which sees pictures."""
    vision = others.pop("vision", True)
    info = ModelInfo("m", context_window=window, output_limit=1_000, vision=vision)
    return Scene(**{"model": "m", "origin": ORIGIN, "system": "be kind", "info": info, **others})


def quote(message: PastMessage) -> Quote:
    return Quote(message.message_id, message.author_id, message.author_name, message.text, message.is_me)


def user(text: str) -> PromptMessage:
    return text_message(Role.USER, text)


def assistant(text: str) -> PromptMessage:
    return text_message(Role.ASSISTANT, text)


def unmarked(messages: Iterable[PromptMessage]) -> tuple[PromptMessage, ...]:
    """Without marks for caches."""
    return tuple(msgspec.structs.replace(message, cache_mark=False) for message in messages)


def texts(messages: tuple[PromptMessage, ...]) -> list[str]:
    return [message.text for message in messages]


def pictures(messages: tuple[PromptMessage, ...]) -> int:
    return sum(isinstance(part, ImagePart) for message in messages for part in message.parts)


def picture(width: int = 40, height: int = 30, shade: int = 0) -> bytes:
    """A PNG."""
    out = BytesIO()
    Image.new("L", (width, height), shade).save(out, "PNG")
    return out.getvalue()
