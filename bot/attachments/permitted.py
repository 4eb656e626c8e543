"""A reader for a place in which not everything is read: files are named there, or sounds are."""

from __future__ import annotations

from collections.abc import Sequence

from bot.attachments.reading import AttachmentReader, named
from bot.attachments.readout import Readout, Reason
from bot.conversation.history import Attachment, Files


class PermittedReader:
    """`files`: whether any are read; `sounds`: whether those are put into words."""

    def __init__(self, reader: AttachmentReader, *, files: bool, sounds: bool) -> None:
        self._reader = reader
        self._files = files
        self._sounds = sounds

    async def read_all(self, attachments: Sequence[Attachment], files: Files, *, images: bool) -> Sequence[Readout]:
        if not self._files:
            return [named(attachment, Reason.NOT_HERE) for attachment in attachments]
        return await self._reader.read_all(attachments, files, images=images, sounds=self._sounds)
