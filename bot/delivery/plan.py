"""What a channel should show, as values."""

from __future__ import annotations

import re
from enum import StrEnum
from typing import TypeAlias

import msgspec

_INVISIBLE = re.compile(r"[\s\u00ad\u200b-\u200f\u2028-\u202e\u2060-\u2064\u2800\ufeff]*")
"""White space, and characters that take no room or are empty; Discord refuses a message of nothing else (50006)."""


def is_blank(text: str) -> bool:
    return _INVISIBLE.fullmatch(text) is not None


class EmbedPlan(msgspec.Struct, frozen=True):
    """A coloured box under a message. Limits: title 256, description 4096, footer 2048 code points."""

    title: str
    description: str
    colour: int
    footer: str = ""

    def in_words(self) -> str:
        """The same as Markdown, for where Discord shows no embeds."""
        texts = [self.title and f"**{self.title}**", self.description, self.footer and f"-# {self.footer}"]
        return "\n".join(text for text in texts if text)


class Table(msgspec.Struct, frozen=True):
    """A table as the model wrote it: cells with their inline Markdown, a header row first, all rows equally long."""

    rows: tuple[tuple[str, ...], ...]
    alignments: tuple[str, ...]
    """A column each: `left`, `right`, `center`, or empty where the model did not say."""


class FilePlan(msgspec.Struct, frozen=True):
    """A file under a message. A table is drawn as PNG when it is sent."""

    filename: str
    content: bytes | Table
    description: str = ""
    """For screen readers; at most 1,024 code points."""


class ButtonColour(StrEnum):
    GREY = "grey"
    RED = "red"
    BLUE = "blue"


class Button(msgspec.Struct, frozen=True):
    """Limits: custom_id 100, label 80 code points; five in a row, and rows are filled in order."""

    custom_id: str
    emoji: str = ""
    label: str = ""
    colour: ButtonColour = ButtonColour.GREY
    disabled: bool = False


class MessagePlan(msgspec.Struct, frozen=True):
    """One Discord message. `content` is valid Markdown on its own and at most 2,000 code points (more in other styles); it
    is blank only where a file or an embed stands below it."""

    content: str
    settled: bool = False
    """No later text changes it."""
    text_length: int | None = None
    """Code points of `content` that are the model's, when something of ours follows; None: all of it."""
    embed: EmbedPlan | None = None
    files: tuple[FilePlan, ...] = ()
    """At most ten."""
    buttons: tuple[Button, ...] = ()

    @property
    def model_length(self) -> int:
        """How many code points at its start are the model's."""
        return len(self.content) if self.text_length is None else self.text_length


class Create(msgspec.Struct, frozen=True):
    """Post the message for `slot` (its place in the answer, from 0)."""

    slot: int
    plan: MessagePlan
    generation: int = 0
    """Grows when a slot's earlier message had to be given up. The same slot and generation is the same message, however
    often it is sent."""


class Edit(msgspec.Struct, frozen=True):
    slot: int
    message_id: int
    plan: MessagePlan
    files_changed: bool = False
    """Else the files that stand below the message stay there, and are not sent again."""


class Delete(msgspec.Struct, frozen=True):
    message_id: int


Operation: TypeAlias = Create | Edit | Delete
