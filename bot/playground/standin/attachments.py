"""Files that messages carry: kept in memory, served back by URL."""

from __future__ import annotations

import mimetypes
from collections.abc import Iterable
from urllib.parse import quote

from bot.playground.standin.events import Json


class AttachmentStore:
    def __init__(self) -> None:
        self.base_url = ""
        """Set once the server listens."""
        self._files: dict[str, bytes] = {}

    def add(self, channel_id: str, attachment_id: str, filename: str, data: bytes, description: str | None) -> Json:
        """Discord's attachment object for the stored file."""
        path = f"/attachments/{channel_id}/{attachment_id}/{quote(filename, safe='')}"
        self._files[attachment_id] = data
        media_type = mimetypes.guess_type(filename)[0]
        attachment: Json = {
            "id": attachment_id,
            "filename": filename,
            "size": len(data),
            "url": self.base_url + path,
            "proxy_url": self.base_url + path,
            # Discord names the charset of what it takes for text.
            "content_type": f"{media_type}; charset=utf-8" if media_type and "text/" in media_type else media_type,
        }
        if media_type is None:
            del attachment["content_type"]
        return attachment if description is None else {**attachment, "description": description}

    def forget(self, attachment_ids: Iterable[str]) -> None:
        for attachment_id in attachment_ids:
            del self._files[attachment_id]

    def read(self, attachment_id: str) -> bytes:
        """Raises KeyError."""
        return self._files[attachment_id]
