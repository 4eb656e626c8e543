"""Files that a person has chosen in the browser, until what they belong to is sent: a form, or a command."""

from __future__ import annotations

import secrets

import msgspec

KEPT = 32
"""More than any form and command take; those that were never sent are forgotten."""


class File(msgspec.Struct, frozen=True):
    name: str
    body: bytes


class Uploads:
    def __init__(self) -> None:
        self._files: dict[str, File] = {}

    def add(self, file: File) -> str:
        """The id by which the browser speaks of it."""
        upload_id = secrets.token_hex(8)
        self._files[upload_id] = file
        for forgotten in list(self._files)[:-KEPT]:
            del self._files[forgotten]
        return upload_id

    def get(self, upload_id: str) -> File | None:
        return self._files.get(upload_id)
