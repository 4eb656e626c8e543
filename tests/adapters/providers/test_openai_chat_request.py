"""What is sent to servers of the Chat Completions protocol."""

from __future__ import annotations

from typing import Any

import msgspec
import pytest

from adapters.contract import Endpoint, EndpointError, GenerationRequest, HttpRequest, Role, text_message
from adapters.providers.custom import CUSTOM
from adapters.providers.openai_chat import OPENAI_CHAT

REQUEST = GenerationRequest(
    model="m",
    system="Be kind.",
    messages=(text_message(Role.USER, "hi"), text_message(Role.ASSISTANT, "yes?"), text_message(Role.USER, "🐟")),
    max_output_tokens=100,
    temperature=0.5,
)


def body_of(http: HttpRequest) -> Any:
    return msgspec.json.decode(http.body)


def test_a_request_holds_the_conversation_and_asks_for_a_stream_with_usage() -> None:
    """The whole body, as the reference documents it."""
    http = OPENAI_CHAT.build(REQUEST, Endpoint(api_key="sk-key"))
    assert (http.method, http.url) == ("POST", "https://api.openai.com/v1/chat/completions")
    assert http.headers["authorization"] == "Bearer sk-key"
    assert http.secrets == ("sk-key",)
    assert body_of(http) == {
        "model": "m",
        "messages": [
            {"role": "system", "content": "Be kind."},
            {"role": "user", "content": "hi"},
            {"role": "assistant", "content": "yes?"},
            {"role": "user", "content": "🐟"},
        ],
        "stream": True,
        "stream_options": {"include_usage": True},
        "max_completion_tokens": 100,
        "temperature": 0.5,
    }


def test_what_nobody_asked_for_is_not_sent() -> None:
    """Models differ in what they take; no key, no limit, no temperature, no system message."""
    http = CUSTOM.build(GenerationRequest("m", (text_message(Role.USER, "hi"),)), Endpoint("http://localhost:8080/v1"))
    assert "authorization" not in http.headers
    assert http.secrets == ()
    assert sorted(body_of(http)) == ["messages", "model", "stream", "stream_options"]
    assert body_of(http)["messages"] == [{"role": "user", "content": "hi"}]


def test_a_custom_server_is_given_the_older_name_of_the_limit() -> None:
    """`max_tokens` is the one that all servers know."""
    body = body_of(CUSTOM.build(REQUEST, Endpoint("http://localhost/v1")))
    assert body["max_tokens"] == 100
    assert "max_completion_tokens" not in body


@pytest.mark.parametrize(
    "base", ["http://host/v1", "http://host/v1/", "http://host/v1/chat/completions", "http://host/v1/chat/completions/"]
)
def test_a_base_url_may_be_written_in_several_ways(base: str) -> None:
    """People paste what they find."""
    assert CUSTOM.build(REQUEST, Endpoint(base)).url == "http://host/v1/chat/completions"


def test_a_custom_server_needs_an_address() -> None:
    """The error says so before anything is sent."""
    with pytest.raises(EndpointError, match="base URL"):
        CUSTOM.build(REQUEST, Endpoint(api_key="k"))


def test_a_key_shows_in_no_representation() -> None:
    """Neither the endpoint nor the request prints it."""
    endpoint = Endpoint(api_key="sk-key")
    assert "sk-key" not in repr(endpoint)
    assert "sk-key" not in repr(OPENAI_CHAT.build(REQUEST, endpoint))
