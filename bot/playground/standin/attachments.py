"""Files that messages carry: kept in memory, served back by signed addresses that expire.

https://docs.discord.com/developers/reference#signed-attachment-cdn-urls: after its time an address answers 404, and
whoever reads the message anew gets a fresh one.
"""

from __future__ import annotations

import mimetypes
from base64 import b64encode
from collections.abc import Iterable
from dataclasses import dataclass
from urllib.parse import quote

from bot.playground.standin.clock import Clock
from bot.playground.standin.contents import Upload
from bot.playground.standin.events import Json

ADDRESS_SECONDS = 24 * 3600.0
_VOICE_SAMPLES = 32


@dataclass
class _File:
    upload: Upload
    path: str
    signed_at: float
    expires_at: float
    """Unix seconds."""
    signature: int = 0

    @property
    def query(self) -> str:
        times = f"ex={int(self.expires_at):x}&is={int(self.signed_at):x}"
        return f"?{times}&hm={self.signature:064x}&"


class AttachmentStore:
    def __init__(self, clock: Clock) -> None:
        self.base_url = ""
        """Set once the server listens."""
        self._clock = clock
        self._files: dict[str, _File] = {}

    def add(self, channel_id: str, attachment_id: str, upload: Upload) -> Json:
        """Discord's attachment object for the stored file."""
        path = f"/attachments/{channel_id}/{attachment_id}/{quote(upload.filename, safe='')}"
        now = self._clock.wall()
        self._files[attachment_id] = _File(upload, path, now, now + ADDRESS_SECONDS)
        attachment: Json = {
            "id": attachment_id,
            "filename": upload.filename,
            "size": len(upload.data),
            **self._addresses(attachment_id),
            "content_type": _content_type(upload) or None,
            "description": upload.description,
            "width": upload.width,
            "height": upload.height,
            "duration_secs": upload.seconds,
            "waveform": None if upload.seconds is None else b64encode(bytes(_VOICE_SAMPLES)).decode(),
        }
        return {key: value for key, value in attachment.items() if value is not None}

    def copy(self, attachment: Json, channel_id: str, attachment_id: str) -> Json:
        """The same file once more, for a message that forwards it."""
        return self.add(channel_id, attachment_id, self._files[attachment["id"]].upload)

    def forget(self, attachments: Iterable[Json]) -> None:
        for attachment in attachments:
            self._files.pop(attachment["id"], None)

    def read(self, attachment_id: str) -> bytes:
        """Raises KeyError."""
        return self._files[attachment_id].upload.data

    def fetch(self, attachment_id: str, signature: str) -> tuple[bytes, str]:
        """What the address answers, and the type that was declared. Raises KeyError: no such file, or not any more."""
        file = self._files[attachment_id]
        if signature != f"{file.signature:064x}" or self._clock.wall() > file.expires_at:
            raise KeyError(attachment_id)
        return file.upload.data, _content_type(file.upload) or "application/octet-stream"

    def expire(self, attachments: Iterable[Json]) -> None:
        """As if the addresses had been given out long ago."""
        for attachment in attachments:
            self._files[attachment["id"]].expires_at = self._clock.wall() - 1

    def renew(self, attachments: Iterable[Json]) -> dict[str, str]:
        """Fresh addresses for those that have expired: old → new."""
        renewed: dict[str, str] = {}
        now = self._clock.wall()
        for attachment in attachments:
            file = self._files.get(attachment["id"])
            if file is not None and now > file.expires_at:
                file.signed_at, file.expires_at, file.signature = now, now + ADDRESS_SECONDS, file.signature + 1
                renewed[attachment["url"]] = self._addresses(attachment["id"])["url"]
        return renewed

    def _addresses(self, attachment_id: str) -> Json:
        file = self._files[attachment_id]
        return dict.fromkeys(("url", "proxy_url"), self.base_url + file.path + file.query)


def _content_type(upload: Upload) -> str:
    if upload.content_type is not None:
        return upload.content_type
    media_type = mimetypes.guess_type(upload.filename)[0] or ""
    # Discord names the charset of what it takes for text.
    return f"{media_type}; charset=utf-8" if "text/" in media_type else media_type
