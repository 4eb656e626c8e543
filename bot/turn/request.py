"""What the gateway hands to a turn: what is to be done, and the doors to its channel."""

from __future__ import annotations

import secrets
from enum import StrEnum
from typing import Protocol

import msgspec

from bot.conversation.aside import Surroundings
from bot.conversation.history import Files, History
from bot.delivery.outcome import Sender
from bot.delivery.webhook_sender import Voice
from bot.localization import Words
from bot.preferences import DeliveryPreferences, Location


class Typing(Protocol):
    """The typing indicator of one turn."""

    def start(self) -> None: ...

    async def end(self) -> None:
        """When this returns, none of it lands in the channel any more."""
        ...


class Channel(Protocol):
    """The channel of one question, as a turn needs it."""

    def history(self) -> History: ...

    def files(self) -> Files: ...

    @property
    def surroundings(self) -> Surroundings: ...

    async def voice(self, name: str, avatar_url: str | None) -> Voice | None:
        """To speak under this name and picture; None where that cannot be, and the name must stand in the text."""
        ...

    def sender(self, preferences: DeliveryPreferences, words: Words, voice: Voice | None = None) -> Sender: ...

    def pacing_place(self, voice: Voice | None = None) -> int:
        """What its calls are counted by, for Pacer.lane."""
        ...

    async def settle(self) -> None:
        """Nothing more will be written: whatever promised so is taken away."""
        ...

    async def rename_thread(self, ours: str, name: str) -> None:
        """Give the thread this name, where it still has the one that we gave it."""
        ...

    @property
    def name(self) -> str: ...

    @property
    def may_write(self) -> bool:
        """As far as Discord has told us."""
        ...

    @property
    def may_embed(self) -> bool:
        """Whether Discord shows our embeds there."""
        ...

    def typing(self) -> Typing: ...

    async def thread_at(self, message_id: int, name: str) -> Sender | None:
        """The thread at this message of ours, whose id it shares; opened where there is none, and None where that cannot be."""
        ...

    def elsewhere(self, channel_id: int) -> Sender | None:
        """For another channel of the same server; None where there is none of that id in which we may write."""
        ...

    async def tell_asker(self, text: str) -> None:
        """By direct message, and not again and again; where the person takes none, the log has it."""
        ...


def new_turn_id() -> str:
    """Short enough to be read out, and as good as unique."""
    return secrets.token_hex(6)


class Task(StrEnum):
    ANSWER = "answer"
    AGAIN = "again"
    """Another version of an answer, in its place."""
    GO_ON = "go_on"
    """An answer that broke off is continued."""
    SHOW = "show"
    """A version that is kept takes the place of the one that stands."""


class TurnRequest(msgspec.Struct, frozen=True):
    turn_id: str
    """Of a new turn, or of the one whose answer is worked on."""
    question_id: int
    channel_id: int
    guild_id: int | None
    asker_id: int
    locale: str | None
    """The reader's language as far as Discord tells it (the server's preferred locale)."""
    arrived: float
    """When the question, or the click, reached us, on the event loop's clock."""
    channel: Channel
    task: Task = Task.ANSWER
    version_nr: int = 0
    """For Task.SHOW."""
    notice: str = ""
    """For Task.SHOW: what stands under it besides what it ended with (a message key of locales/)."""
    passive: bool = False
    """Nobody asked: a failure stays in the log."""
    parent_id: int | None = None
    """Of a question in a thread: the channel that it belongs to."""
    asker_name: str = ""
    """Display name, not to be trusted."""
    asked: str | None = None
    """The question's text, where no message holds it."""
    heading: str = ""
    """Markdown lines that stand above the answer."""
    thread_title: str | None = None
    """The name that we gave the thread of this question, to be made better when it has its answer."""
    pressed_by: int = 0
    """Who wants the model asked again, where that is not who asked the question; 0: nobody else."""
    further_ids: tuple[int, ...] = ()
    """The other messages of which the question consists: what was written in a burst has the id of its last one."""

    run_id: str = msgspec.field(default_factory=new_turn_id)
    """Of this task: one turn may be worked on several times."""

    @property
    def seed(self) -> str:
        """What its messages' nonces are made from. A question's first answer has the same wherever it is written; later ones must
        not get messages back that stood before them."""
        return self.turn_id if self.task is Task.ANSWER else f"{self.turn_id}.{self.run_id}"

    @property
    def location(self) -> Location:
        return Location(self.channel_id, self.guild_id, self.parent_id, self.asker_id)

    @property
    def payer_location(self) -> Location:
        """With who lets the model be asked: their choice of it counts, and their key. A moderator's press spends nobody else's."""
        return msgspec.structs.replace(self.location, person_id=self.pressed_by or self.asker_id)

    @property
    def link(self) -> str:
        """The question's address at Discord."""
        return f"https://discord.com/channels/{self.guild_id or '@me'}/{self.channel_id}/{self.question_id}"
