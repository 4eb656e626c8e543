"""Settings: each fault is one line that names its variable and says what would be right, and holds no secret."""

import os
from collections.abc import Iterator
from pathlib import Path
from unittest import mock

import pytest
from pydantic import SecretStr

from adapters import registry
from adapters.contract import Endpoint
from bot.settings import DISCORD_API_URL, DirectMessages, LogLevel, SettingsError, load_database_settings, load_settings


@pytest.fixture(autouse=True)
def _no_environment(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    monkeypatch.chdir(tmp_path)  # no .env of the developer's
    with mock.patch.dict(os.environ, {}, clear=True):
        yield


def lines(**variables: str) -> list[str]:
    with mock.patch.dict(os.environ, variables, clear=True), pytest.raises(SettingsError) as caught:
        load_settings()
    return caught.value.lines


GOOD = {"DISCORD_TOKEN": "abc.def.ghi"}
PROVIDERS = ", ".join(registry.NAMES)


def test_a_token_is_all_that_is_needed() -> None:
    with mock.patch.dict(os.environ, GOOD, clear=True):
        settings = load_settings()
    assert settings.discord_api_url == DISCORD_API_URL
    assert settings.database_url == "sqlite+aiosqlite:///data/parley.db"
    assert settings.llm_provider is None
    assert settings.log_level is LogLevel.INFO


def test_everything_set_is_read(tmp_path: Path) -> None:
    (tmp_path / ".env").write_text(
        "DISCORD_TOKEN=t\nDISCORD_API_URL=http://127.0.0.1:1/api/v10/\nLLM_PROVIDER=custom\nLLM_MODEL=m\n"
        "LLM_BASE_URL=http://127.0.0.1:2/v1/\nLLM_API_KEYS=k1, k2,\nSHARD_IDS=0,2\nSHARD_COUNT=4\nLOG_LEVEL=debug\n"
    )
    settings = load_settings()
    assert settings.discord_token == SecretStr("t")
    assert settings.discord_api_url == "http://127.0.0.1:1/api/v10"
    assert settings.endpoints() == (
        Endpoint("http://127.0.0.1:2/v1", "k1"),
        Endpoint("http://127.0.0.1:2/v1", "k2"),
    )
    assert (settings.shard_ids, settings.shard_count) == ((0, 2), 4)
    assert settings.secrets() == ("t", "k1", "k2")


@pytest.mark.parametrize(
    ("given", "people"),
    [
        ("everyone", DirectMessages.EVERYONE),
        ("nobody", DirectMessages.NOBODY),
        ("12, 34", {12, 34}),
        ("", DirectMessages.EVERYONE),
    ],
)
def test_direct_messages_are_for_everyone_nobody_or_some(given: str, people: object) -> None:
    variables = {**GOOD, "DIRECT_MESSAGES": given, "SERVER_IDS": "1,2", "TRANSCRIPTION_API_KEY": "sk-hear"}
    with mock.patch.dict(os.environ, variables, clear=True):
        settings = load_settings()
    assert settings.direct_messages == people
    assert settings.server_ids == {1, 2}
    assert "sk-hear" in settings.secrets()


@pytest.mark.parametrize(
    "url",
    [
        "sqlite+aiosqlite:////var/lib/parley.db",
        "postgresql+asyncpg://me:p%40ss@db:5433/parley?ssl=require",
        "postgresql+asyncpg:///parley?host=/run/postgresql",
    ],
)
def test_a_database_is_a_file_or_on_a_server_and_needs_no_token(url: str) -> None:
    with mock.patch.dict(os.environ, {"DATABASE_URL": url}, clear=True):
        assert load_database_settings().database_url == url


def test_an_empty_variable_counts_as_not_set() -> None:
    assert lines(DISCORD_TOKEN="") == [
        "DISCORD_TOKEN is missing: the bot's token, from Discord's developer portal (your application → Bot → Reset Token)"
    ]


@pytest.mark.parametrize(
    ("variables", "line"),
    [
        ({"DISCORD_TOKEN": "Bot abc"}, "DISCORD_TOKEN is not usable: must be the token alone, without spaces"),
        ({"LOG_LEVEL": "loud"}, "LOG_LEVEL is 'loud': must be one of debug, info, warning or error"),
        (
            {"DIRECT_MESSAGES": "friends"},
            "DIRECT_MESSAGES is 'friends': must be everyone, nobody, or ids of people, comma separated",
        ),
        ({"SERVER_IDS": "Fans"}, "SERVER_IDS is 'Fans': must be a whole number"),
        (
            {"TRANSCRIPTION_BASE_URL": "127.0.0.1:8080"},
            "TRANSCRIPTION_BASE_URL is '127.0.0.1:8080': must be an address that begins with http:// or https://",
        ),
        ({"LLM_PROVIDER": "openai"}, f"LLM_PROVIDER is 'openai': must be one of {PROVIDERS}"),
        ({"LLM_MODEL": "m"}, f"LLM_PROVIDER is missing: LLM_MODEL needs it; one of {PROVIDERS}"),
        ({"LLM_PROVIDER": "openai-chat"}, "LLM_MODEL is missing: the model's name as the provider calls it"),
        (
            {"LLM_PROVIDER": "custom", "LLM_MODEL": "m"},
            "LLM_BASE_URL is missing: LLM_PROVIDER=custom needs the address of the server,"
            " such as http://127.0.0.1:8080/v1",
        ),
        (
            {"LLM_BASE_URL": "127.0.0.1:8080"},
            "LLM_BASE_URL is '127.0.0.1:8080': must be an address that begins with http:// or https://",
        ),
        (
            {"LLM_BASE_URL": "http://[::1"},
            "LLM_BASE_URL is 'http://[::1': must be an address such as http://127.0.0.1:8080/v1",
        ),
        (
            {"LLM_BASE_URL": "http://host:port"},
            "LLM_BASE_URL is 'http://host:port': must be an address such as http://127.0.0.1:8080/v1",
        ),
        (
            {"LLM_PROVIDER": "bedrock", "LLM_MODEL": "m"},
            "LLM_BASE_URL is missing: LLM_PROVIDER=bedrock needs the address of the server,"
            " such as https://bedrock-runtime.us-east-1.amazonaws.com",
        ),
        (
            {"LLM_BASE_URL": "http://a b/v1"},
            "LLM_BASE_URL is 'http://a b/v1': must be an address such as http://127.0.0.1:8080/v1",
        ),
        (
            {"LLM_BASE_URL": "http://host/v1"},
            f"LLM_PROVIDER is missing: LLM_BASE_URL needs it; one of {PROVIDERS}",
        ),
        ({"SHARD_COUNT": "two"}, "SHARD_COUNT is 'two': must be a whole number"),
        ({"SHARD_IDS": "0,x", "SHARD_COUNT": "2"}, "SHARD_IDS is 'x': must be a whole number"),
        (
            {"SHARD_IDS": "0,2", "SHARD_COUNT": "2"},
            "SHARD_IDS is not usable: with SHARD_COUNT=2 they go from 0 to 1",
        ),
        ({"SHARD_IDS": "0"}, "SHARD_COUNT is missing: SHARD_IDS needs the number of all shards beside it"),
        (
            {"DATABASE_URL": "parley.db"},
            "DATABASE_URL is 'parley.db': must be a SQLAlchemy URL such as sqlite+aiosqlite:///data/parley.db",
        ),
        (
            {"DATABASE_URL": "postgres://db/parley"},
            "DATABASE_URL is 'postgres://db/parley': must begin with sqlite+aiosqlite:// or postgresql+asyncpg://",
        ),
        (
            {"DATABASE_URL": "sqlite+aiosqlite://"},
            "DATABASE_URL is 'sqlite+aiosqlite://': names no database, as sqlite+aiosqlite:///data/parley.db does",
        ),
        (
            {"DATABASE_URL": "postgresql+asyncpg://db"},
            "DATABASE_URL is 'postgresql+asyncpg://db': names no database,"
            " as postgresql+asyncpg://user:password@host/parley does",
        ),
        (
            {"DATABASE_URL": "postgresql+asyncpg://db/parley?sslmode=require&password=hunter2"},
            "DATABASE_URL is 'postgresql+asyncpg://db/parley?sslmode=require&password=***': has a parameter 'password',"
            " which is none of host, port, prepared_statement_cache_size, ssl (for encryption: ssl=require)",
        ),
    ],
)
def test_a_fault_is_one_line(variables: dict[str, str], line: str) -> None:
    assert lines(**{**GOOD, **variables}) == [line]


@pytest.mark.parametrize("provider", registry.NAMES)
def test_where_a_provider_is_reached_and_by_which_key_is_told_at_start(provider: str) -> None:
    """Rather than under the first question; a proxy at another address may know the key itself."""
    chosen = {**GOOD, "LLM_PROVIDER": provider, "LLM_MODEL": "m"}
    for missing, needed in (("LLM_BASE_URL", registry.NEEDS_BASE_URL), ("LLM_API_KEYS", registry.NEEDS_KEY)):
        if provider in needed:
            (line,) = lines(**chosen)
            assert line.startswith(f"{missing} is missing: LLM_PROVIDER={provider} ")
    for more in ({"LLM_BASE_URL": "http://proxy/v1"}, {"LLM_API_KEYS": "k", "LLM_BASE_URL": "http://proxy/v1"}):
        with mock.patch.dict(os.environ, {**chosen, **more}, clear=True):
            assert load_settings().llm_provider == provider


def test_all_faults_are_told_at_once() -> None:
    told = lines(LOG_LEVEL="loud", SHARD_COUNT="0", LOG_FORMAT="xml")
    assert [line.split()[0] for line in told] == ["DISCORD_TOKEN", "SHARD_COUNT", "LOG_FORMAT", "LOG_LEVEL"]


def test_no_password_of_an_address_stands_in_a_fault_and_all_of_them_are_hidden_from_logs() -> None:
    told = lines(**GOOD, DATABASE_URL="postgresql://me:hunter2@db/parley", LLM_BASE_URL="ftp://me:at@hunter2@host/v1")
    assert "hunter2" not in " ".join(told)
    assert "//***@db/parley" in told[0]
    with mock.patch.dict(os.environ, {**GOOD, "DISCORD_API_URL": "http://me:hunter2@proxy"}, clear=True):
        assert "hunter2" in load_settings().secrets()


def test_no_secret_stands_in_a_fault() -> None:
    told = lines(DISCORD_TOKEN="my secret token", LLM_API_KEYS="sk-secret", LLM_MODEL="m", LOG_LEVEL="x")
    assert "secret" not in " ".join(told)
