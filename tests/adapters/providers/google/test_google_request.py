"""What is sent to Gemini and to Vertex: addresses, options, tools, and what models differ in."""

from __future__ import annotations

from typing import Any

import msgspec
import pytest

from adapters.contract import (
    Effort,
    Endpoint,
    EndpointError,
    FunctionCall,
    GenerationRequest,
    HttpRequest,
    ModelInfo,
    NamedTool,
    PromptMessage,
    Reasoning,
    ResponseSchema,
    Role,
    TextPart,
    ToolChoice,
    ToolResult,
    ToolSpec,
    text_message,
)
from adapters.providers.google.adapter import GOOGLE, VERTEX

HI = (text_message(Role.USER, "hi"),)
SCHEMA = {
    "$schema": "https://json-schema.org/draft/2020-12/schema",
    "type": "object",
    "properties": {"x": {"const": 1}},
}
TOOL = ToolSpec("f", "Does it.", SCHEMA)
KEY = Endpoint(api_key="AIza-key")


def body_of(http: HttpRequest) -> Any:
    return msgspec.json.decode(http.body)


def body(model: str = "gemini-2.5-flash", **fields: Any) -> Any:
    return body_of(GOOGLE.build(GenerationRequest(model, HI, **fields), KEY))


def config(model: str = "gemini-2.5-flash", **fields: Any) -> Any:
    return body(model, **fields).get("generationConfig")


def test_a_request_asks_for_a_stream_of_events_and_keeps_the_key_out_of_the_address() -> None:
    """The key is a header and a secret."""
    http = GOOGLE.build(GenerationRequest("gemini-2.5-flash", HI, system="Be kind."), KEY)
    assert http.method == "POST"
    assert http.url == (
        "https://generativelanguage.googleapis.com/v1beta/models/gemini-2.5-flash:streamGenerateContent?alt=sse"
    )
    assert http.headers["x-goog-api-key"] == "AIza-key"
    assert http.secrets == ("AIza-key",)
    assert body_of(http) == {
        "systemInstruction": {"parts": [{"text": "Be kind."}]},
        "contents": [{"role": "user", "parts": [{"text": "hi"}]}],
    }


@pytest.mark.parametrize(
    ("base", "url"),
    [
        ("https://host", "https://host/v1beta/models/m"),
        ("https://host/", "https://host/v1beta/models/m"),
        ("https://host/v1beta", "https://host/v1beta/models/m"),
        ("https://host/v1beta/openai/", "https://host/v1beta/models/m"),
        ("https://host/v1beta/models", "https://host/v1beta/models/m"),
        ("https://host/v1beta/models/x:generateContent?key=k", "https://host/v1beta/models/m"),
        ("https://host/gateway/google/v1", "https://host/gateway/google/v1/models/m"),
    ],
)
def test_a_base_url_may_be_written_in_several_ways(base: str, url: str) -> None:
    """People paste what they find."""
    assert GOOGLE.build(GenerationRequest("m", HI), Endpoint(base)).url == f"{url}:streamGenerateContent?alt=sse"


@pytest.mark.parametrize(
    ("model", "path"),
    [
        ("models/m", "models/m"),
        ("google/m", "models/m"),
        ("tunedModels/mine", "tunedModels/mine"),
        ("m?key=x#y", "models/m%3Fkey%3Dx%23y"),
        ("../files", "models/..%2Ffiles"),
    ],
)
def test_a_models_name_is_a_path_and_nothing_else(model: str, path: str) -> None:
    """With or without its kind before it."""
    assert f"/v1beta/{path}:streamGenerateContent?alt=sse" in GOOGLE.build(GenerationRequest(model, HI), KEY).url


def test_options_have_their_own_names_and_what_nobody_asked_for_is_not_sent() -> None:
    """Five stop strings are the most."""
    assert config() is None
    assert config(
        temperature=0.5,
        top_p=0.9,
        top_k=40,
        max_output_tokens=100,
        stop=("1", "2", "3", "4", "5", "6"),
        seed=7,
        presence_penalty=0.1,
        frequency_penalty=0.2,
        parallel_tool_calls=False,
        cache_key="k",
    ) == {
        "temperature": 0.5,
        "topP": 0.9,
        "topK": 40,
        "maxOutputTokens": 100,
        "stopSequences": ["1", "2", "3", "4", "5"],
        "seed": 7,
        "presencePenalty": 0.1,
        "frequencyPenalty": 0.2,
    }


@pytest.mark.parametrize("dropped", ["topK", "generationConfig.topK", "generation_config.top_k", "top_k"])
def test_a_refused_option_is_left_out_in_any_spelling(dropped: str) -> None:
    """Google's errors speak in the spelling of its protocol buffers."""
    fields: dict[str, Any] = {"top_k": 4, "temperature": 1.0, "dropped": frozenset((dropped,))}
    assert config(**fields) == {"temperature": 1.0}


def test_penalties_are_left_out_together_and_an_empty_config_with_them() -> None:
    """The error does not say which of the two it saw."""
    fields: dict[str, Any] = {
        "presence_penalty": 0.1,
        "frequency_penalty": 0.2,
        "dropped": frozenset(("presencePenalty",)),
    }
    assert config(**fields) is None


@pytest.mark.parametrize(
    ("choice", "expected"),
    [
        (ToolChoice.AUTO, None),
        (ToolChoice.REQUIRED, {"mode": "ANY"}),
        (ToolChoice.NONE, {"mode": "NONE"}),
        (NamedTool("f"), {"mode": "ANY", "allowedFunctionNames": ["f"]}),
    ],
)
def test_tools_are_declared_by_their_json_schema(choice: ToolChoice | NamedTool, expected: Any) -> None:
    """A tool without parameters has none."""
    found = body(tools=(TOOL, ToolSpec("g", "No.", {"type": "object", "properties": {}})), tool_choice=choice)
    declared = {"type": "object", "properties": {"x": {"const": 1}}}
    assert found["tools"] == [
        {
            "functionDeclarations": [
                {"name": "f", "description": "Does it.", "parametersJsonSchema": declared},
                {"name": "g", "description": "No."},
            ]
        }
    ]
    assert found.get("toolConfig") == (expected and {"functionCallingConfig": expected})


def test_a_json_answer_is_asked_for_by_schema_or_without() -> None:
    """Models before Gemini 3 refuse it beside tools."""
    wanted = ResponseSchema(schema=SCHEMA)
    asked = {
        "responseMimeType": "application/json",
        "responseJsonSchema": {"type": "object", "properties": {"x": {"const": 1}}},
    }
    assert config(response_schema=wanted) == asked
    assert config(response_schema=ResponseSchema()) == {"responseMimeType": "application/json"}
    assert config(response_schema=wanted, tools=(TOOL,)) is None
    assert config("gemini-3-flash-preview", response_schema=wanted, tools=(TOOL,)) == asked


def test_a_tools_schema_is_sent_whatever_it_says_its_arguments_by() -> None:
    """Not by `properties` alone; one that says nothing of them is not sent."""
    schemas: list[dict[str, Any]] = [
        {"type": "object", "additionalProperties": {"type": "string"}},
        {"$ref": "#/$defs/x", "$defs": {"x": SCHEMA}},
        {"type": "object", "anyOf": [{"required": ["x"], "properties": {"x": {}}}]},
        {},
        {"type": "object", "title": "F", "properties": {}, "required": [], "additionalProperties": False},
    ]
    (offered,) = body(tools=tuple(ToolSpec(f"f{nr}", "", schema) for nr, schema in enumerate(schemas)))["tools"]
    assert [each.get("parametersJsonSchema") for each in offered["functionDeclarations"]] == [*schemas[:3], None, None]


def test_tools_that_a_model_refuses_are_left_out_with_the_choice_among_them() -> None:
    """A choice without tools is refused too. What was called before is told in words."""
    call, result = FunctionCall("a", "f", {"x": 1}), ToolResult("a", "f", (TextPart("7"),))
    request = GenerationRequest(
        "gemma-3-27b-it",
        (*HI, PromptMessage(Role.ASSISTANT, (TextPart("so"), call)), PromptMessage(Role.USER, (result,))),
        tools=(TOOL,),
        tool_choice=ToolChoice.REQUIRED,
        dropped=frozenset({"tools"}),
    )
    assert body_of(GOOGLE.build(request, KEY)) == {
        "contents": [
            {"role": "user", "parts": [{"text": "hi"}]},
            {"role": "model", "parts": [{"text": "so"}]},
            {"role": "user", "parts": [{"text": "[result of f: 7]"}]},
        ]
    }


@pytest.mark.parametrize(("model", "tools"), [("gemini-2.5-flash", (TOOL,)), ("gemma-3-27b-it", ())])
def test_a_json_answer_that_the_api_would_refuse_is_asked_for_in_words(model: str, tools: tuple[ToolSpec, ...]) -> None:
    """After what the system says."""
    found = body(model, system="Be kind.", response_schema=ResponseSchema(schema=SCHEMA), tools=tools)
    assert "generationConfig" not in found
    said = found["systemInstruction"]["parts"][0] if tools else found["contents"][0]["parts"][0]
    assert said["text"].startswith("Be kind.\n\n")
    assert '{"const":1}' in said["text"]


E = Effort


@pytest.mark.parametrize(
    ("model", "reasoning", "expected"),
    [
        ("gemini-2.5-flash", Reasoning(E.LOW), {"thinkingBudget": 1024, "includeThoughts": True}),
        ("gemini-2.5-flash", Reasoning(E.XHIGH), {"thinkingBudget": 24576, "includeThoughts": True}),
        ("gemini-2.5-flash", Reasoning(E.NONE), {"thinkingBudget": 0, "includeThoughts": False}),
        ("gemini-2.5-flash", Reasoning(), {"includeThoughts": True}),
        ("gemini-2.5-flash", Reasoning(budget_tokens=99_999), {"thinkingBudget": 24576, "includeThoughts": True}),
        ("gemini-2.5-flash", Reasoning(budget_tokens=-1), {"includeThoughts": True}),
        ("gemini-2.5-flash-lite", Reasoning(budget_tokens=10), {"thinkingBudget": 512, "includeThoughts": True}),
        ("gemini-2.5-pro", Reasoning(E.NONE), {"thinkingBudget": 128, "includeThoughts": False}),
        ("gemini-2.5-pro", Reasoning(E.XHIGH), {"thinkingBudget": 32768, "includeThoughts": True}),
        ("gemini-robotics-er-1.5-preview", Reasoning(E.LOW), None),
        ("gemini-2.0-flash", Reasoning(E.LOW), None),
        ("gemini-2.5-flash-image", Reasoning(E.LOW), None),
        ("gemini-3-flash-preview", Reasoning(E.NONE), {"thinkingLevel": "minimal", "includeThoughts": False}),
        ("gemini-3-flash-preview", Reasoning(E.MEDIUM), {"thinkingLevel": "medium", "includeThoughts": True}),
        ("gemini-3-flash-preview", Reasoning(), {"includeThoughts": True}),
        ("gemini-3-flash-preview", Reasoning(budget_tokens=8000), {"thinkingLevel": "medium", "includeThoughts": True}),
        ("gemini-3-flash-preview", Reasoning(budget_tokens=0), {"thinkingLevel": "minimal", "includeThoughts": False}),
        ("gemini-3-flash-preview", Reasoning(budget_tokens=10**6), {"thinkingLevel": "high", "includeThoughts": True}),
        ("gemini-3-pro-preview", Reasoning(E.MINIMAL), {"thinkingLevel": "low", "includeThoughts": True}),
        ("gemini-3-pro-preview", Reasoning(E.MEDIUM), {"thinkingLevel": "high", "includeThoughts": True}),
        ("gemini-3.1-pro-preview", Reasoning(E.MEDIUM), {"thinkingLevel": "medium", "includeThoughts": True}),
        ("models/gemini-flash-latest", Reasoning(E.HIGH), {"thinkingLevel": "high", "includeThoughts": True}),
        ("gemini-3.5-flash-lite", Reasoning(E.NONE), {"thinkingLevel": "minimal", "includeThoughts": False}),
        ("gemini-3.6-flash", Reasoning(E.MINIMAL), {"thinkingLevel": "minimal", "includeThoughts": True}),
        ("gemini-3.7-flash", Reasoning(E.NONE), {"thinkingLevel": "low", "includeThoughts": False}),
        ("gemini-3.8-flash", Reasoning(budget_tokens=100), {"thinkingLevel": "low", "includeThoughts": True}),
        ("gemini-flash-latest", Reasoning(E.MINIMAL), {"thinkingLevel": "low", "includeThoughts": True}),
        ("gemini-flash-lite-latest", Reasoning(E.MINIMAL), {"thinkingLevel": "minimal", "includeThoughts": True}),
        ("gemini-3-pro-image-preview", Reasoning(E.HIGH), {"includeThoughts": True}),
        ("gemma-3-27b-it", Reasoning(E.HIGH), None),
        ("gemma-4-31b-it", Reasoning(E.LOW), {"thinkingLevel": "minimal"}),
        ("gemma-4-31b-it", Reasoning(E.NONE), None),
        ("gemini-exp-1206", Reasoning(E.HIGH), None),
        ("tunedModels/mine", Reasoning(E.HIGH), None),
    ],
)
def test_how_much_a_model_shall_think(model: str, reasoning: Reasoning, expected: Any) -> None:
    """A budget up to 2.5, a level from 3 on, within what each takes; nothing for models that would refuse it."""
    assert (config(model, reasoning=reasoning) or {}).get("thinkingConfig") == expected


def test_a_model_that_takes_no_system_instruction_is_told_by_the_first_user() -> None:
    """Gemma up to its third version."""
    found = body("gemma-3n-e4b-it", system="Be kind.")
    assert "systemInstruction" not in found
    assert found["contents"] == [{"role": "user", "parts": [{"text": "Be kind."}, {"text": "\n\nhi"}]}]
    assert "systemInstruction" in body("gemma-4-31b-it", system="Be kind.")


# -------------------------------------------------------------------------------------------------------------- Vertex

PLACE = "https://europe-west4-aiplatform.googleapis.com/v1/projects/p/locations/europe-west4"
TOKEN = "ya29.abc"


@pytest.mark.parametrize(
    ("base", "model", "url"),
    [
        (PLACE, "gemini-2.5-flash", f"{PLACE}/publishers/google/models/gemini-2.5-flash"),
        (PLACE + "/", "google/gemini-2.5-flash", f"{PLACE}/publishers/google/models/gemini-2.5-flash"),
        (PLACE + "/publishers/google/models/x", "publishers/google/models/m", f"{PLACE}/publishers/google/models/m"),
        (PLACE, "endpoints/123", f"{PLACE}/endpoints/123"),
    ],
)
def test_a_model_of_vertex_stands_in_a_project(base: str, model: str, url: str) -> None:
    """Google's own ones by name, a tuned one by its endpoint."""
    http = VERTEX.build(GenerationRequest(model, HI), Endpoint(base, TOKEN))
    assert http.url == f"{url}:streamGenerateContent?alt=sse"
    assert http.headers["authorization"] == f"Bearer {TOKEN}"
    assert http.secrets == (TOKEN,)


@pytest.mark.parametrize("base", [None, "https://aiplatform.googleapis.com", "https://aiplatform.googleapis.com/v1/"])
def test_a_plain_api_key_needs_no_project(base: str | None) -> None:
    """Express mode."""
    http = VERTEX.build(GenerationRequest("m", HI), Endpoint(base, "AIza-key"))
    assert http.url == "https://aiplatform.googleapis.com/v1/publishers/google/models/m:streamGenerateContent?alt=sse"
    assert http.headers["x-goog-api-key"] == "AIza-key"
    assert "authorization" not in http.headers


@pytest.mark.parametrize("base", [None, "https://aiplatform.googleapis.com/v1"])
def test_any_other_key_needs_one_and_the_error_shows_how(base: str | None) -> None:
    """Before anything is sent."""
    with pytest.raises(EndpointError, match="projects/NAME/locations"):
        VERTEX.build(GenerationRequest("m", HI), Endpoint(base, TOKEN))


# ------------------------------------------------------------------------------------------------------------ listings


def test_the_gemini_api_lists_its_models() -> None:
    """Those that generate content, on one page."""
    http = GOOGLE.list_models(KEY)
    assert (http.method, http.url) == ("GET", "https://generativelanguage.googleapis.com/v1beta/models?pageSize=1000")
    assert http.headers["x-goog-api-key"] == "AIza-key"
    listed = {
        "models": [
            {
                "name": "models/gemini-2.5-flash",
                "displayName": "Gemini 2.5 Flash",
                "inputTokenLimit": 1048576,
                "outputTokenLimit": 65536,
                "supportedGenerationMethods": ["generateContent", "countTokens"],
                "thinking": True,
            },
            {"name": "models/text-embedding-004", "supportedGenerationMethods": ["embedContent"]},
            {"name": "models/odd", "inputTokenLimit": "many", "displayName": None},
            {"name": None},
            "x",
        ]
    }
    assert GOOGLE.read_models(msgspec.json.encode(listed)) == [
        ModelInfo("gemini-2.5-flash", "Gemini 2.5 Flash", 1048576, 65536, reasoning=True),
        ModelInfo("odd"),
    ]


def test_vertex_lists_what_its_publisher_has() -> None:
    """Outside of the project, in whose name it is asked; of all kinds, so only the families of this protocol are taken."""
    http = VERTEX.list_models(Endpoint(PLACE, TOKEN))
    assert http is not None
    assert http.url == "https://europe-west4-aiplatform.googleapis.com/v1beta1/publishers/google/models?pageSize=100"
    assert http.headers["x-goog-user-project"] == "p"
    assert VERTEX.list_models(Endpoint(api_key="AIza-key")) is None
    names = ("gemini-2.5-flash", "gemini-embedding-001", "imagen-4")
    listed = {"publisherModels": [{"name": f"publishers/google/models/{name}"} for name in names]}
    assert VERTEX.read_models(msgspec.json.encode(listed)) == [ModelInfo("gemini-2.5-flash")]


@pytest.mark.parametrize(
    "raw", [b"", b"<html>", b"[]", b"{}", b'{"models": 1, "publisherModels": [null, {"name": 3}]}']
)
def test_what_is_no_list_lists_nothing(raw: bytes) -> None:
    """A gateway's error page, an empty answer."""
    assert list(GOOGLE.read_models(raw)) == []
    assert list(VERTEX.read_models(raw)) == []


# -------------------------------------------------------------------------------------------------------------- errors


@pytest.mark.parametrize(
    ("status", "error", "reason", "param"),
    [
        (400, {"status": "INVALID_ARGUMENT", "message": "Thinking is not supported by this model."}, None, "generationConfig.thinkingConfig"),
        (400, {"status": "INVALID_ARGUMENT", "message": "Penalty is not enabled for models/gemini-2.5-pro"}, None, "presencePenalty"),
        (400, {"status": "INVALID_ARGUMENT", "message": "Please ensure that function call turn comes"}, "bad_request", None),
        (404, {"status": "NOT_FOUND", "message": "models/gemini-9 is not found for API version v1beta, or is not supported for generateContent."}, "model_not_found", None),
        (404, {"status": "NOT_FOUND", "message": "Publisher Model `projects/p/locations/l/publishers/google/models/x` was not found or your project does not have access to it."}, "model_not_found", None),
        (400, {"status": "INVALID_ARGUMENT", "message": "The input token count (1200000) exceeds the maximum number of tokens allowed (1048576)."}, "context_length", None),
        (401, {"status": "UNAUTHENTICATED", "message": "Request had invalid authentication credentials."}, "auth", None),
    ],
)  # fmt: skip
def test_refusals(status: int, error: dict[str, str], reason: str | None, param: str | None) -> None:
    """Also in a list, as the API answers where no stream of events was asked for."""
    for shape in ({"error": {"code": status, **error}}, [{"error": {"code": status, **error}}]):
        found = GOOGLE.classify(status, {}, msgspec.json.encode(shape))
        assert found.param == param
        assert reason in (None, found.reason)
