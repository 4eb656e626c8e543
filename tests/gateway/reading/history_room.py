"""A channel of the stand-in with people in it, and what a turn reads of it: discord.py's own client, and the journal in a file."""

from __future__ import annotations

import io
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path

import discord

from bot.gateway.reading.history import DiscordHistory
from bot.playground.standin import Standin
from bot.store import Database, TurnJournal, VersionEnd
from tests.playground.standin_dialogue import Listener, dialogue


class Room:
    """A channel with people in it, and our hands to act there."""

    def __init__(self, standin: Standin, client: Listener, journal: TurnJournal) -> None:
        self.standin, self.client, self.journal = standin, client, journal
        self.ada = standin.user("Ada")

    async def restart(self) -> None:
        """The client has heard all that was said, and remembers none of it."""
        general = self.standin.messages(self.standin.channel("general"))
        await self.client.until(lambda: len(self.client.contents()) == len(general))
        remembered = self.client._connection._messages
        assert remembered is not None
        remembered.clear()

    async def asked(self, text: str, *, reply_to: discord.Message | None = None) -> discord.Message:
        replied = str(reply_to.id) if reply_to else None
        said = await self.standin.say(self.ada, self.standin.channel("general"), text, reply_to=replied)
        return await self.client.text_channel().fetch_message(int(said["id"]))

    async def posted(self, *texts: str, file: str | None = None) -> list[discord.Message]:
        """Messages of ours; the last one with a file, where there is one."""
        channel = self.client.text_channel()
        attached = [discord.File(io.BytesIO(file.encode()), "code.py")] if file else []
        return [await channel.send(text, files=attached if text == texts[-1] else []) for text in texts]

    async def answered(
        self, question: discord.Message, *shown: tuple[str, int], text: str = "", file: str | None = None
    ) -> list[discord.Message]:
        """An answer that stands in these messages, of which so much is the model's; `text` is what the journal kept."""
        messages = await self.posted(*(content for content, _ in shown), file=file)
        turn_id = str(question.id)[-16:]
        assert await self.journal.claim(turn_id, question.id, question.channel.id, None)
        lengths = [(message.id, length) for message, (_, length) in zip(messages, shown, strict=True)]
        await self.journal.finish(turn_id, 1, VersionEnd("completed", text, thoughts="secret"), lengths)
        return messages

    def history(self, question: discord.Message) -> DiscordHistory:
        return DiscordHistory(lambda: self.client, question, self.journal)

    async def recent(self, question: discord.Message, most: int = 30) -> list[tuple[bool, str]]:
        return [(past.is_me, past.text) for past in await self.history(question).recent(most)]

    async def chain(self, question: discord.Message) -> list[tuple[bool, str]]:
        return [(past.is_me, past.text) for past in await self.history(question).reply_chain(30)]


@asynccontextmanager
async def opened(folder: Path) -> AsyncIterator[Room]:
    async with dialogue() as (standin, client), Database(f"sqlite+aiosqlite:///{folder}/parley.db") as database:
        yield Room(standin, client, TurnJournal(database))
