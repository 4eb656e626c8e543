"""Messages before the world has them, and edits before they are made."""

from __future__ import annotations

import msgspec

from bot.playground.standin.events import Json
from bot.playground.standin.records import User


class Draft(msgspec.Struct, frozen=True, kw_only=True):
    """A message before the world has it. Lists are Discord's JSON, attachments already stored."""

    content: str = ""
    embeds: tuple[Json, ...] = ()
    components: tuple[Json, ...] = ()
    attachments: tuple[Json, ...] = ()
    flags: int = 0
    type: int = 0
    reply_to: str | None = None
    """Id of an earlier message in the same channel."""
    is_reply_resolved: bool = True
    """False: the message says what it replies to, and never brings that along, as Discord may do."""
    reference: Json | None = None
    """A `message_reference` that is no reply: of a forward, of a thread's first message."""
    snapshots: tuple[Json, ...] = ()
    """What a forward shows."""
    poll: Json | None = None
    sticker_items: tuple[Json, ...] = ()
    nonce: str | int | None = None
    allowed_mentions: Json | None = None
    interaction_metadata: Json | None = None
    """Of a message that answers an interaction; it is then sent by the application's webhook."""
    webhook: User | None = None
    """A webhook as whom the message is sent: its id, and the name and picture of this message."""
    application_id: str | None = None
    """Of the application whose webhook it is."""
    ephemeral_to: str | None = None

    def optional_fields(self, author_id: str) -> Json:
        """Those that a message has only where they mean something."""
        fields: Json = {
            "nonce": self.nonce,
            "message_reference": self.reference,
            "poll": self.poll,
            "sticker_items": list(self.sticker_items) or None,
            "message_snapshots": list(self.snapshots) or None,
            "interaction_metadata": self.interaction_metadata,
            "webhook_id": self.webhook.id if self.webhook else None,
            "application_id": self.application_id,
        }
        if self.interaction_metadata is not None:
            fields |= {"webhook_id": author_id, "application_id": author_id}
        return {name: value for name, value in fields.items() if value is not None}


class Change(msgspec.Struct, frozen=True, kw_only=True):
    """An edit. What is None stays as it is."""

    content: str | None = None
    embeds: tuple[Json, ...] | None = None
    components: tuple[Json, ...] | None = None
    attachments: tuple[Json, ...] | None = None
    flags: int | None = None
    allowed_mentions: Json | None = None
