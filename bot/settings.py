"""The environment (or `.env`) → Settings. What is missing or wrong is told in one line that names the variable.

The variables and their meaning are fixed faces of the project (docs/architecture.md, "Settings").
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from enum import StrEnum
from typing import Annotated, Any, Self, TypeVar
from urllib.parse import urlsplit

from pydantic import (
    AfterValidator,
    BeforeValidator,
    Field,
    SecretStr,
    ValidationError,
    field_validator,
    model_validator,
)
from pydantic_settings import BaseSettings, NoDecode, SettingsConfigDict
from sqlalchemy.engine import make_url
from sqlalchemy.exc import ArgumentError

from adapters import registry
from adapters.contract import Endpoint
from adapters.public_addresses import AllowedHosts

DISCORD_API_URL = "https://discord.com/api/v10"
SHORTEST_PARLEY_SECRET, FEWEST_SIGNS = 16, 8
"""Characters of PARLEY_SECRET, and how many different ones."""


class LogFormat(StrEnum):
    CONSOLE = "console"
    JSON = "json"


class LogLevel(StrEnum):
    DEBUG = "debug"
    INFO = "info"
    WARNING = "warning"
    ERROR = "error"


class DirectMessages(StrEnum):
    EVERYONE = "everyone"
    NOBODY = "nobody"


def _split_commas(value: Any) -> Any:
    return [part.strip() for part in value.split(",") if part.strip()] if isinstance(value, str) else value


def _people(value: Any) -> Any:
    if not isinstance(value, str):
        return value
    if value in {word.value for word in DirectMessages}:
        return DirectMessages(value)
    ids = _split_commas(value)
    if not all(id_.isdecimal() for id_ in ids):
        raise ValueError("must be everyone, nobody, or ids of people, comma separated")
    return frozenset(map(int, ids))


def _without_slash(value: Any) -> Any:
    return value.rstrip("/") if isinstance(value, str) else value


Commas = BeforeValidator(_split_commas)


def _well_formed(url: str) -> str:
    try:
        parts = urlsplit(url)
        if parts.hostname and parts.port != 0 and not re.search(r"\s", url):
            return url
    except ValueError:  # an unclosed bracket, a port that is no number
        pass
    raise ValueError("must be an address such as http://127.0.0.1:8080/v1")


Url = Annotated[str, BeforeValidator(_without_slash), Field(pattern=r"^https?://[^\s/]+"), AfterValidator(_well_formed)]


def without_password(url: Any) -> Any:
    """The same address without what stands before its host (`user:password@`), or says `password=`; anything else as it is."""
    if not isinstance(url, str):
        return url
    return re.sub(r"(?<=[?&]password=)[^&]*", "***", re.sub(r"//[^/]*@", "//***@", url))


_DATABASE_URLS = {
    "sqlite+aiosqlite": "sqlite+aiosqlite:///data/parley.db",
    "postgresql+asyncpg": "postgresql+asyncpg://user:password@host/parley",
}
"""By driver, an example."""
_SERVER_PARAMETERS = frozenset({"host", "port", "prepared_statement_cache_size", "ssl"})
"""Those of asyncpg's that make sense in an address; it takes no other spelling, such as libpq's sslmode."""


class SettingsError(Exception):
    """Settings that cannot be used. `lines` has one sentence a fault, each naming its variable; no secrets."""

    def __init__(self, lines: list[str]) -> None:
        super().__init__("; ".join(lines))
        self.lines = lines


class DatabaseSettings(BaseSettings):
    """What is needed to open the database, without a bot."""

    model_config = SettingsConfigDict(env_file=".env", env_ignore_empty=True, extra="ignore", frozen=True)

    database_url: str = "sqlite+aiosqlite:///data/parley.db"
    parley_secret: Annotated[tuple[SecretStr, ...], NoDecode, Commas] = ()
    """Seals the keys of servers and people: the first does, all open. None: a file beside the SQLite database has one."""

    @field_validator("parley_secret")
    @classmethod
    def _secret_is_hard_to_guess(cls, value: tuple[SecretStr, ...]) -> tuple[SecretStr, ...]:
        secrets = [secret.get_secret_value() for secret in value]
        if any(len(secret) < SHORTEST_PARLEY_SECRET or len(set(secret)) < FEWEST_SIGNS for secret in secrets):
            raise ValueError(
                f"each secret needs at least {SHORTEST_PARLEY_SECRET} characters, {FEWEST_SIGNS} of them different;"
                " `openssl rand -hex 32` makes a good one"
            )
        return value

    def sealing_secrets(self) -> tuple[str, ...]:
        return tuple(secret.get_secret_value() for secret in self.parley_secret)

    @field_validator("database_url")
    @classmethod
    def _database_is_known(cls, value: str) -> str:
        try:
            url = make_url(value)
            urlsplit(value)
        except (ArgumentError, ValueError):
            raise ValueError(f"must be a SQLAlchemy URL such as {_DATABASE_URLS['sqlite+aiosqlite']}") from None
        if url.drivername not in _DATABASE_URLS:
            raise ValueError(f"must begin with {' or '.join(f'{driver}://' for driver in _DATABASE_URLS)}")
        if (url.database or ":memory:").startswith((":memory:", "file:")):
            raise ValueError(f"names no database, as {_DATABASE_URLS[url.drivername]} does")
        unknown = set(url.query) - _SERVER_PARAMETERS
        if url.drivername == "postgresql+asyncpg" and unknown:
            known = ", ".join(sorted(_SERVER_PARAMETERS))
            raise ValueError(
                f"has a parameter {min(unknown)!r}, which is none of {known} (for encryption: ssl=require)"
            )
        return value


class Settings(DatabaseSettings):
    discord_token: SecretStr
    discord_api_url: Url = DISCORD_API_URL
    llm_provider: str | None = None
    llm_base_url: Url | None = None
    llm_model: str | None = None
    llm_models: Annotated[tuple[str, ...], NoDecode, Commas] = ()
    """Further ones that servers and people may choose (patterns: `gpt-5*`); the operator pays for them."""
    llm_api_keys: Annotated[tuple[SecretStr, ...], NoDecode, Commas] = ()
    shard_ids: Annotated[tuple[int, ...], NoDecode, Commas] = ()
    shard_count: int | None = Field(default=None, ge=1)
    operator_ids: Annotated[frozenset[int], NoDecode, Commas] = frozenset()
    """Who runs the bot; empty: whom Discord has as the owner of the application, or its team."""
    allowed_hosts: Annotated[tuple[str, ...], NoDecode, Commas] = ()
    """Names, addresses and ranges that the endpoints of servers and people may reach besides public addresses."""
    server_ids: Annotated[frozenset[int], NoDecode, Commas] = frozenset()
    blocked_user_ids: Annotated[frozenset[int], NoDecode, Commas] = frozenset()
    direct_messages: Annotated[DirectMessages | frozenset[int], NoDecode, BeforeValidator(_people)] = (
        DirectMessages.EVERYONE
    )
    transcription_base_url: Url | None = None
    transcription_model: str = "whisper-1"
    transcription_api_key: SecretStr | None = None
    log_format: LogFormat = LogFormat.CONSOLE
    log_level: LogLevel = LogLevel.INFO
    default_locale: str = "en-US"

    @field_validator("discord_token")
    @classmethod
    def _token_is_one_word(cls, value: SecretStr) -> SecretStr:
        if len(value.get_secret_value().split()) != 1:
            raise ValueError("must be the token alone, without spaces")
        return value

    @field_validator("llm_provider")
    @classmethod
    def _provider_exists(cls, value: str | None) -> str | None:
        if value is not None and value not in registry.NAMES:
            raise ValueError(f"must be one of {', '.join(registry.NAMES)}")
        return value

    @field_validator("allowed_hosts")
    @classmethod
    def _hosts_are_known(cls, value: tuple[str, ...]) -> tuple[str, ...]:
        AllowedHosts.of(value)
        return value

    @model_validator(mode="after")
    def _belong_together(self) -> Self:
        if self.shard_ids and self.shard_count is None:
            raise ValueError("SHARD_COUNT is missing: SHARD_IDS needs the number of all shards beside it")
        if self.shard_count is not None and not all(0 <= shard < self.shard_count for shard in self.shard_ids):
            raise ValueError(
                f"SHARD_IDS is not usable: with SHARD_COUNT={self.shard_count} they go from 0 to {self.shard_count - 1}"
            )
        if self.llm_provider is None and (self.llm_model or self.llm_base_url):
            given = "LLM_MODEL" if self.llm_model else "LLM_BASE_URL"
            raise ValueError(f"LLM_PROVIDER is missing: {given} needs it; one of {', '.join(registry.NAMES)}")
        if self.llm_provider is not None and self.llm_model is None:
            raise ValueError("LLM_MODEL is missing: the model's name as the provider calls it")
        if self.llm_provider and self.llm_provider in registry.NEEDS_BASE_URL and self.llm_base_url is None:
            raise ValueError(
                f"LLM_BASE_URL is missing: LLM_PROVIDER={self.llm_provider} needs the address of the server,"
                f" such as {registry.NEEDS_BASE_URL[self.llm_provider]}"
            )
        if self.llm_provider in registry.NEEDS_KEY and self.llm_base_url is None and not self.llm_api_keys:
            raise ValueError(f"LLM_API_KEYS is missing: LLM_PROVIDER={self.llm_provider} answers nothing without a key")
        return self

    def endpoints(self) -> tuple[Endpoint, ...]:
        """One endpoint a key, in the order given; a single one without a key where none is set."""
        keys: list[str | None] = [key.get_secret_value() for key in self.llm_api_keys]
        return tuple(Endpoint(base_url=self.llm_base_url, api_key=key) for key in keys or [None])

    def hosts(self) -> AllowedHosts:
        """ALLOWED_HOSTS"""
        return AllowedHosts.of(self.allowed_hosts)

    def secrets(self) -> tuple[str, ...]:
        """All that must never be printed."""
        urls = (
            self.database_url,
            self.discord_api_url,
            *(url for url in (self.llm_base_url, self.transcription_base_url) if url),
        )
        return (
            self.discord_token.get_secret_value(),
            *(key.get_secret_value() for key in self.llm_api_keys),
            *self.sealing_secrets(),
            *([key.get_secret_value()] if (key := self.transcription_api_key) else []),
            *(password for url in urls if (password := urlsplit(url).password)),
        )


_S = TypeVar("_S", bound=BaseSettings)


def load_settings(**overrides: Any) -> Settings:
    """Settings from the environment and `.env`; `overrides` win. Raises SettingsError."""
    return _load(Settings, overrides)


def load_database_settings() -> DatabaseSettings:
    """The same for commands that need a database and no bot."""
    return _load(DatabaseSettings, {})


def _load(kind: type[_S], overrides: Mapping[str, Any]) -> _S:
    try:
        return kind(**overrides)
    except ValidationError as error:
        raise SettingsError([_sentence(fault) for fault in error.errors(include_url=False)]) from None


_MISSING = {"discord_token": "the bot's token, from Discord's developer portal (your application → Bot → Reset Token)"}


def _sentence(fault: Any) -> str:
    # Faults of a list element have a second part in loc; faults of the whole (model validator) have none.
    field = str(fault["loc"][0]) if fault["loc"] else ""
    problem = fault["msg"].removeprefix("Value error, ")
    if not field:
        return str(problem)
    if fault["type"] == "missing":
        return f"{field.upper()} is missing: {_MISSING[field]}"
    if fault["type"] == "enum":
        problem = f"must be one of {fault['ctx']['expected'].replace(chr(39), '')}"
    if fault["type"] in ("int_parsing", "int_from_float", "int_type"):
        problem = "must be a whole number"
    if fault["type"] == "string_pattern_mismatch":
        problem = "must be an address that begins with http:// or https://"
    secret = field in ("discord_token", "llm_api_keys", "parley_secret", "transcription_api_key")
    given = "not usable" if secret else repr(without_password(fault["input"]))
    return f"{field.upper()} is {given}: {problem}"
