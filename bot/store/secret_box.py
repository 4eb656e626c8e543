"""Keys at rest: sealed with a secret of the operator's, so that who has only the database has no keys.

Fernet seals (AES and HMAC, https://github.com/fernet/spec): the first secret does, and all of them open, so that a secret can be
replaced (`db rekey`). A secret is any text, and people choose texts: so its key is derived by scrypt, which makes each guess cost
a tenth of a second, and not by HKDF, which trusts that nobody can guess. It is derived when a key is first looked at. One secret
seals a whole database, so its salt can be a constant.

Without PARLEY_SECRET, a file beside the SQLite database holds a random secret. It is made when the first key is stored.
"""

from __future__ import annotations

import hashlib
import os
import secrets as random
import tempfile
from base64 import urlsafe_b64encode
from collections.abc import Iterator, Sequence
from contextlib import suppress
from pathlib import Path

from cryptography.fernet import Fernet, InvalidToken, MultiFernet
from sqlalchemy.engine import URL

from bot.store.upgrade import sqlite_file

FILE_NAME = "parley.secret"
_SALT = b"parley: keys at rest"
_COST, _BLOCK_SIZE = 1 << 15, 8
"""scrypt's n and r: 32 MiB for each guess."""


class NoSecret(Exception):
    """There is nothing to seal with. The text says why, in one line."""


class NotOpened(Exception):
    """None of the secrets opens it."""


class SecretBox:
    """`file` is where a secret is that nobody chose; it opens what was sealed before somebody chose one, too.

    Methods may take a tenth of a second for each secret, once: call them in a thread.
    """

    def __init__(self, secrets: Sequence[str] = (), file: Path | None = None) -> None:
        self._secrets = tuple(secrets)
        self._file = file
        self._fernet: MultiFernet | None = None

    def seal(self, text: bytes) -> str:
        """Raises NoSecret."""
        return self._all(make_file=True).encrypt(text).decode("ascii")

    def open(self, sealed: str) -> bytes:
        """Raises NotOpened, NoSecret."""
        try:
            return self._all().decrypt(sealed)
        except InvalidToken:
            raise NotOpened from None

    def sealed_anew(self, sealed: str) -> str:
        """The same, sealed with the first secret. Raises NotOpened, NoSecret."""
        try:
            return self._all().rotate(sealed).decode("ascii")
        except InvalidToken:
            raise NotOpened from None

    def _all(self, *, make_file: bool = False) -> MultiFernet:
        if self._fernet is None:
            found = [*self._secrets, *self._in_file()]
            if not found and make_file and self._file is not None:
                found = [_made(self._file)]
            if not found:
                raise NoSecret("PARLEY_SECRET is not set" if self._file is None else f"there is no {self._file}")
            self._fernet = MultiFernet([Fernet(_derived(secret)) for secret in dict.fromkeys(found)])
        return self._fernet

    def _in_file(self) -> Iterator[str]:
        if self._file is not None and self._file.exists():
            try:
                yield _read(self._file)
            except NoSecret:
                if not self._secrets:
                    raise
                # It may open what is old; what was chosen since must not wait for it.


def secret_box(url: URL, secrets: Sequence[str]) -> SecretBox:
    """For this database. On a server there is no place beside it that all its processes have, so somebody must choose a secret."""
    database = sqlite_file(url)
    return SecretBox(secrets, database.with_name(FILE_NAME) if database is not None else None)


def _derived(secret: str) -> bytes:
    key = hashlib.scrypt(
        secret.encode("utf-8", "surrogatepass"), salt=_SALT, n=_COST, r=_BLOCK_SIZE, p=1, maxmem=1 << 26, dklen=32
    )
    return urlsafe_b64encode(key)


def _read(file: Path) -> str:
    try:
        secret = file.read_text("utf-8").strip()
    except (OSError, UnicodeError) as error:
        told = error.strerror if isinstance(error, OSError) else "it is no text"
        raise NoSecret(f"{file} cannot be read: {told}") from None
    if not secret:
        raise NoSecret(f"{file} is empty")
    return secret


def _made(file: Path) -> str:
    """Of several processes that make it at once one does, and all have that one's; it is never there in part."""
    try:
        number, name = tempfile.mkstemp(prefix=f".{file.name}-", dir=file.parent)  # mode 0600
        try:
            with os.fdopen(number, "w", encoding="ascii") as written:
                written.write(f"{random.token_urlsafe(32)}\n")
                written.flush()
                os.fsync(number)
            with suppress(FileExistsError):
                Path(file).hardlink_to(name)
        finally:
            Path(name).unlink()
    except OSError as error:
        raise NoSecret(f"{file} cannot be made: {error.strerror}; PARLEY_SECRET can be set instead") from None
    return _read(file)
