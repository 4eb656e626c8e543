"""Whom people's words go to, as it is told to them: the real host, and nothing that is secret."""

import pytest

from adapters.contract import Endpoint
from adapters.registry import adapter
from bot.preferences import ModelPreferences
from bot.turn.models import Account, ModelChoice, NoModel, Payer
from bot.turn.recipients import Recipients, recipients

CLAUDE = "anthropic.claude-sonnet-4-v1:0"


def choice(provider: str, endpoint: Endpoint) -> ModelChoice:
    account = Account(Payer.OPERATOR, 0, provider)
    return ModelChoice(adapter(provider), CLAUDE, (endpoint,), account, ModelPreferences())


@pytest.mark.parametrize(
    ("provider", "address", "host"),
    [
        ("anthropic", None, "api.anthropic.com"),
        ("openai-chat", None, "api.openai.com"),
        ("google", None, "generativelanguage.googleapis.com"),
        ("openrouter", None, "openrouter.ai"),
        ("ollama", None, "localhost"),
        ("custom", "https://ada:secret@Models.example:8443/v1?key=secret", "models.example"),
        ("bedrock", "https://bedrock-runtime.eu-central-1.amazonaws.com", "bedrock-runtime.eu-central-1.amazonaws.com"),
    ],
)
def test_the_host_is_the_one_that_requests_go_to(provider: str, address: str | None, host: str) -> None:
    assert recipients(choice(provider, Endpoint(address, "sk-secret")), None) == Recipients(
        provider=provider, provider_host=host
    )


def test_an_endpoint_of_which_no_request_can_be_made_is_told_by_its_address() -> None:
    proxied = choice("bedrock", Endpoint("https://proxy.example/aws"))
    assert recipients(proxied, None).provider_host == "proxy.example"


def test_without_a_model_only_speech_goes_anywhere() -> None:
    assert recipients(NoModel(), None) == Recipients()
    assert recipients(NoModel(), "https://user:secret@speech.example/v1") == Recipients(speech_host="speech.example")
