"""What is sent to Anthropic's Messages API."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import pairwise
from typing import Any

import msgspec
import pytest
from hypothesis import given
from hypothesis import strategies as st

from adapters.contract import (
    Effort,
    Endpoint,
    FilePart,
    FunctionCall,
    GenerationRequest,
    ImagePart,
    MalformedCall,
    NamedTool,
    Part,
    PromptMessage,
    Reasoning,
    ResponseSchema,
    Role,
    TextPart,
    ThoughtPart,
    ToolChoice,
    ToolResult,
    ToolSpec,
    text_message,
)
from adapters.providers.anthropic.adapter import ANTHROPIC
from adapters.providers.anthropic.decoder import AnthropicDecoder
from adapters.record import TurnRecord
from adapters.well_formed import BEGINNING
from tests.adapters.providers.anthropic.anthropic_bodies import (
    STOP,
    block,
    call,
    delta,
    end,
    event,
    finish,
    start,
    text,
    thought,
)

ENDPOINT = Endpoint(api_key="sk-ant-key")
OLD = "claude-sonnet-4-5"
NEW = "claude-opus-4-8"
HI = text_message(Role.USER, "hi")
GET = ToolSpec("get", "Gets.", {"type": "object", "properties": {"x": {"type": "integer"}}})


def user(*parts: Part, mark: bool = False) -> PromptMessage:
    return PromptMessage(Role.USER, parts, cache_mark=mark)


def assistant(*parts: Part, model: str = OLD, mark: bool = False) -> PromptMessage:
    return PromptMessage(Role.ASSISTANT, parts, ENDPOINT.origin("anthropic", model), mark)


def said(content: str) -> dict[str, Any]:
    return {"type": "text", "text": content}


def body(*messages: PromptMessage, model: str = OLD, **options: Any) -> Any:
    request = GenerationRequest(model, messages or (HI,), **options)
    return msgspec.json.decode(ANTHROPIC.build(request, ENDPOINT).body)


def turns(*messages: PromptMessage, **options: Any) -> list[tuple[str, Any]]:
    return [(turn["role"], turn["content"]) for turn in body(*messages, **options)["messages"]]


# --------------------------------------------------------------------------------------------------- the whole of it


def test_a_request_as_the_reference_documents_it() -> None:
    """The key is in a header, never in the address."""
    request = GenerationRequest(
        OLD,
        (HI, assistant(TextPart("yes?")), text_message(Role.USER, "🐟")),
        system="Be kind.",
        tools=(GET,),
        max_output_tokens=100,
        temperature=0.5,
        top_k=40,
        stop=("END", "  "),
    )
    http = ANTHROPIC.build(request, ENDPOINT)
    assert (http.method, http.url, http.secrets) == ("POST", "https://api.anthropic.com/v1/messages", ("sk-ant-key",))
    assert http.headers == {
        "x-api-key": "sk-ant-key",
        "anthropic-version": "2023-06-01",
        "content-type": "application/json",
        "accept": "text/event-stream",
    }
    assert msgspec.json.decode(http.body) == {
        "model": OLD,
        "max_tokens": 100,
        "system": [said("Be kind.")],
        "messages": [
            {"role": "user", "content": [said("hi")]},
            {"role": "assistant", "content": [said("yes?")]},
            {"role": "user", "content": [said("🐟")]},
        ],
        "tools": [
            {
                "name": "get",
                "description": "Gets.",
                "input_schema": {"type": "object", "properties": {"x": {"type": "integer"}}},
            }
        ],
        "temperature": 0.5,
        "top_k": 40,
        "stop_sequences": ["END"],
        "stream": True,
    }


def test_what_nobody_asked_for_is_not_sent() -> None:
    """Only the limit must be there."""
    assert sorted(body()) == ["max_tokens", "messages", "model", "stream"]


def test_options_that_the_api_does_not_have_or_the_model_refused_are_left_out() -> None:
    """Silently; `dropped` has their own names."""
    options: dict[str, Any] = {"seed": 1, "frequency_penalty": 1.0, "presence_penalty": 1.0, "cache_key": None}
    assert sorted(body(**options)) == ["max_tokens", "messages", "model", "stream"]
    dropped = frozenset({"temperature", "output_config.effort", "tools"})
    found = body(temperature=1.0, tools=(GET,), model=NEW, reasoning=Reasoning(Effort.LOW), dropped=dropped)
    assert sorted(found) == ["max_tokens", "messages", "model", "output_config", "stream", "thinking"]
    assert found["output_config"] == {}


@pytest.mark.parametrize(
    ("base", "expected"),
    [
        (None, "https://api.anthropic.com/v1/"),
        ("https://api.anthropic.com", "https://api.anthropic.com/v1/"),
        ("https://api.anthropic.com/v1/", "https://api.anthropic.com/v1/"),
        ("http://localhost:8080/v1/messages", "http://localhost:8080/v1/"),
        ("https://host/anthropic", "https://host/anthropic/v1/"),
    ],
)
def test_a_base_url_may_be_written_in_several_ways(base: str | None, expected: str) -> None:
    """People paste what they find; the listing is beside it."""
    endpoint = Endpoint(base)
    assert ANTHROPIC.build(GenerationRequest("m", (HI,)), endpoint).url == expected + "messages"
    listing = ANTHROPIC.list_models(endpoint)
    assert listing is not None
    assert (listing.method, listing.url) == ("GET", expected + "models?limit=1000")


# ------------------------------------------------------------------------------------------------------ conversation


@pytest.mark.parametrize(
    ("messages", "expected"),
    [
        ((user(TextPart("a")), user(TextPart("b"))), [("user", [said("a"), said("\n\nb")])]),
        ((user(TextPart("a"), TextPart(" \n"), TextPart("")),), [("user", [said("a")])]),
        ((HI, assistant(TextPart("  ")), user(TextPart("b"))), [("user", [said("hi"), said("\n\nb")])]),
        ((HI, assistant(TextPart("yes \n"))), [("user", [said("hi")]), ("assistant", [said("yes")])]),
        (
            (assistant(TextPart("a")), HI),
            [("user", [said(BEGINNING)]), ("assistant", [said("a")]), ("user", [said("hi")])],
        ),
        ((user(TextPart("")),), [("user", [said("…")])]),
    ],
)
def test_roles_alternate_and_no_text_is_blank(
    messages: tuple[PromptMessage, ...], expected: list[tuple[str, Any]]
) -> None:
    """The user begins; a last word of the assistant ends without white space."""
    assert turns(*messages) == expected


def test_the_user_has_the_last_word_where_the_model_wants_it() -> None:
    """Models from 4.6 on refuse to go on in the assistant's message, and so does thinking."""
    asked = (HI, assistant(TextPart("yes")))
    assert turns(*asked, model=NEW)[-1] == ("user", [said("Go on.")])
    assert turns(*asked, reasoning=Reasoning(Effort.LOW))[-1] == ("user", [said("Go on.")])
    assert turns(*asked)[-1] == ("assistant", [said("yes")])


@pytest.mark.parametrize(
    ("part", "expected"),
    [
        (ImagePart("image/png", b"\x89PNG"), {"type": "image", "source": {"type": "base64", "media_type": "image/png", "data": "iVBORw=="}}),
        (ImagePart("image/png", url="https://host/a.png"), {"type": "image", "source": {"type": "url", "url": "https://host/a.png"}}),
        (ImagePart("image/jpg", b"\x89PNG"), {"type": "image", "source": {"type": "base64", "media_type": "image/jpeg", "data": "iVBORw=="}}),
        (ImagePart("image/bmp", b"BM"), said("[picture: image/bmp]")),
        (FilePart("a.pdf", "application/pdf", b"%PDF"),
         {"type": "document", "title": "a.pdf", "source": {"type": "base64", "media_type": "application/pdf", "data": "JVBERg=="}}),
        (FilePart("a.txt", "text/plain; charset=utf-8", "é".encode()),
         {"type": "document", "title": "a.txt", "source": {"type": "text", "media_type": "text/plain", "data": "é"}}),
        (FilePart("a.json", "application/json", b"{}"),
         {"type": "document", "title": "a.json", "source": {"type": "text", "media_type": "text/plain", "data": "{}"}}),
        (FilePart("a.txt", "text/plain", b"\xff"), said("[file: a.txt, text/plain, 1 bytes]")),
        (FilePart("a.txt", "text/plain", b""), said("[file: a.txt, text/plain, 0 bytes]")),
        (FilePart("a.mp3", "audio/mpeg", b"ID3"), said("[file: a.mp3, audio/mpeg, 3 bytes]")),
    ],
)  # fmt: skip
def test_pictures_and_documents(part: Part, expected: dict[str, Any]) -> None:
    """What the API does not take is named in words."""
    assert turns(user(part)) == [("user", [expected])]


def test_results_stand_first_and_answer_all_calls_of_the_message_before() -> None:
    """A call without a result gets one that says so; a result without a call is told in words."""
    conversation = (
        HI,
        assistant(TextPart("Let me see."), FunctionCall("a", "get", {"x": 1}), MalformedCall("b", "put", '{"y', "cut")),
        user(
            TextPart("and?"),
            ToolResult("b", "put", (TextPart("cut"),), is_error=True),
            ToolResult("zzz", "get", (TextPart("?"),)),
        ),
    )
    assert turns(*conversation, tools=(GET,))[1:] == [
        (
            "assistant",
            [
                said("Let me see."),
                {"type": "tool_use", "id": "a", "name": "get", "input": {"x": 1}},
                {"type": "tool_use", "id": "b", "name": "put", "input": {}},
            ],
        ),
        (
            "user",
            [
                {"type": "tool_result", "tool_use_id": "a", "content": [said("no result")], "is_error": True},
                {"type": "tool_result", "tool_use_id": "b", "content": [said("cut")], "is_error": True},
                said("and?"),
                said("\n[result of get: ?]"),
            ],
        ),
    ]


def test_a_last_call_is_answered_too_and_results_may_come_in_several_messages() -> None:
    """Whatever is missing at the end of the history."""
    asked = (HI, assistant(FunctionCall("a", "get", {}), FunctionCall("b", "get", {})))
    missing = {"type": "tool_result", "tool_use_id": "b", "content": [said("no result")], "is_error": True}
    found = {"type": "tool_result", "tool_use_id": "b", "content": [said("2")]}
    first = {"type": "tool_result", "tool_use_id": "a"}
    assert turns(*asked, user(ToolResult("a", "get", ())))[-1] == ("user", [first, missing])
    apart = (*asked, user(ToolResult("a", "get", ()), TextPart("so")), user(ToolResult("b", "get", (TextPart("2"),))))
    assert turns(*apart)[-1] == ("user", [first, found, said("so")])
    assert [block["content"] for block in turns(*asked)[-1][1]] == [[said("no result")]] * 2


def test_ids_and_names_are_brought_into_the_api_s_alphabet() -> None:
    """Calls of other providers have any ids, and use them twice."""
    once = (
        assistant(FunctionCall("functions.get:0", "a b", {})),
        user(ToolResult("functions.get:0", "a b", (TextPart("1"),))),
    )
    again = (
        assistant(FunctionCall("functions.get:0", "", {})),
        user(ToolResult("functions.get:0", "", (TextPart("2"),))),
    )
    found = [block for _, blocks in turns(HI, *once, *again) for block in blocks]
    calls = [block for block in found if block["type"] == "tool_use"]
    results = [block for block in found if block["type"] == "tool_result"]
    assert [each["id"] for each in calls] == [each["tool_use_id"] for each in results]
    assert len({each["id"] for each in calls}) == 2
    assert all(each["id"].replace("_", "").isalnum() for each in calls)
    assert [each["name"] for each in calls] == ["a_b", "unknown"]
    assert [each["content"] for each in results] == [[said("1")], [said("2")]]


def test_a_result_may_hold_a_picture_unless_it_failed() -> None:
    """All content of a failed result must be text."""
    picture = ImagePart("image/png", b"\x89PNG")
    asked = (HI, assistant(FunctionCall("a", "get", {})))
    (good,) = turns(*asked, user(ToolResult("a", "get", (picture,))))[-1][1]
    assert good["content"][0]["type"] == "image"
    (bad,) = turns(*asked, user(ToolResult("a", "get", (picture,), is_error=True)))[-1][1]
    assert bad["content"] == [said("[picture: image/png]")]


def test_half_a_surrogate_pair_does_not_break_the_request() -> None:
    """A person's client may send one, and JSON cannot hold it."""
    assert turns(text_message(Role.USER, "a\ud83d")) == [("user", [said("a\ufffd")])]


# ------------------------------------------------------------------------------------- what the provider wants back

SEARCH = {"type": "server_tool_use", "id": "srvtoolu_1", "name": "web_search", "input": {"query": "cats"}}
RESULT = {"type": "web_search_tool_result", "tool_use_id": "srvtoolu_1", "content": [{"encrypted_content": "ENC"}]}


def blocks_of(*values: dict[str, Any], first: int) -> bytes:
    return b"".join(
        event("content_block_start", index=index, content_block=value) + end(index)
        for index, value in enumerate(values, first)
    )


TURN = (
    start(),
    thought("Hm.", "SIG", 0),
    block(1, "redacted_thinking", data="RED"),
    end(1),
    text("Let me look.", 2),
    blocks_of(SEARCH, RESULT, first=3),
    block(5, "text", text="", citations=[]),
    delta(5, "text_delta", text="Cats purr."),
    delta(5, "citations_delta", citation={"cited_text": "purr"}),
    end(5),
    text("So:", 6),
    call(7, "get", '{"x":', "1}", caller={"type": "direct"}),
    finish("tool_use"),
    STOP,
)


def answered(*turn: bytes, model: str = OLD) -> PromptMessage:
    record = TurnRecord()
    decoder = AnthropicDecoder()
    for part in turn:
        record.add(decoder.feed(part))
    record.add(decoder.close())
    return record.message(ENDPOINT.origin("anthropic", model))


def test_the_model_s_message_goes_back_as_it_came() -> None:
    """Block for block, in order, so that the signatures hold."""
    follow_up = (HI, answered(*TURN), user(ToolResult("toolu_1", "get", (TextPart("42"),))))
    found = body(*follow_up, tools=(GET,), reasoning=Reasoning(Effort.LOW))
    assert found["thinking"] == {"type": "enabled", "budget_tokens": 2048}
    assert [turn["role"] for turn in found["messages"]] == ["user", "assistant", "user"]
    assert found["messages"][1]["content"] == [
        {"type": "thinking", "thinking": "Hm.", "signature": "SIG"},
        {"type": "redacted_thinking", "data": "RED"},
        said("Let me look."),
        SEARCH,
        RESULT,
        {"type": "text", "text": "Cats purr.", "citations": [{"cited_text": "purr"}]},
        said("So:"),
        {"type": "tool_use", "id": "toolu_1", "name": "get", "input": {"x": 1}, "caller": {"type": "direct"}},
    ]
    assert found["messages"][2]["content"] == [
        {"type": "tool_result", "tool_use_id": "toolu_1", "content": [said("42")]}
    ]


@pytest.mark.parametrize("options", [{"model": NEW}, {"dropped": frozenset({"thinking"})}])
def test_thoughts_go_back_to_their_model_only_and_only_where_it_may_think(options: dict[str, Any]) -> None:
    """Another model could not check the signature."""
    content = turns(HI, answered(*TURN), user(ToolResult("toolu_1", "get", ())), **options)[1][1]
    assert not [block for block in content if "thinking" in block["type"]]


def test_another_origin_gets_text_and_calls_alone() -> None:
    """Nothing opaque: it means nothing there."""
    other = msgspec.structs.replace(answered(*TURN), origin=Endpoint("http://other").origin("anthropic", OLD))
    content = turns(HI, other, user(ToolResult("toolu_1", "get", ())))[1][1]
    assert content == [
        said("Let me look."),
        said("Cats purr."),
        said("So:"),
        {"type": "tool_use", "id": "toolu_1", "name": "get", "input": {"x": 1}},
    ]


def test_a_thought_without_a_signature_stays_out() -> None:
    """It was cut, or is none of the API's."""
    cut = answered(start(), block(0, "thinking"), delta(0, "thinking_delta", thinking="Hm"), finish("max_tokens"))
    loose = assistant(ThoughtPart("Hm"), TextPart("a"))
    assert turns(HI, loose, HI)[1] == ("assistant", [said("a")])
    assert isinstance(cut.parts[0], ThoughtPart)


@pytest.mark.parametrize(
    "opaque", [{"type": "thinking", "signature": "s"}, {"type": "redacted_thinking", "data": "RED"}]
)
def test_no_message_ends_with_a_thought(opaque: dict[str, Any]) -> None:
    """The API refuses the request: it is left from an answer that broke off behind it, or before a tool's result."""
    thinking = ThoughtPart("", opaque)
    assert turns(HI, assistant(thinking, TextPart("a"), thinking, thinking), HI)[1][1] == [
        {"thinking": "", **opaque} if opaque["type"] == "thinking" else opaque,
        said("a"),
    ]
    assert turns(HI, assistant(thinking), HI) == [("user", [said("hi"), said("\n\nhi")])]
    assert turns(HI, assistant(TextPart("a"), thinking, TextPart("", SEARCH)), HI)[1][1] == [said("a")]
    assert turns(HI, assistant(TextPart("a"), thinking))[-1] == ("assistant", [said("a")])


def test_a_malformed_call_keeps_what_its_block_said_too() -> None:
    """A caller of the provider's waits for its result."""
    caller = {"caller": {"type": "code_execution_20250825", "tool_id": "srvtoolu_1"}}
    message = assistant(MalformedCall("a", "get", '{"x', "cut", caller))
    use = {"type": "tool_use", "id": "a", "name": "get", "input": {}}
    assert turns(HI, message)[1][1] == [{**use, **caller}]
    assert turns(HI, message, model=NEW)[1][1] == [use]


def test_a_model_without_tools_is_told_of_results_in_words() -> None:
    """A call in the history would need the definitions that the model refused."""
    results = user(ToolResult("a", "get", (TextPart("42"), ImagePart("image/png", b"x"))), TextPart("so?"))
    picture = {"type": "image", "source": {"type": "base64", "media_type": "image/png", "data": "eA=="}}
    history = (HI, assistant(TextPart("hm"), FunctionCall("a", "get", {})), results)
    assert turns(*history, tools=(GET,), dropped=frozenset({"tools"})) == [
        ("user", [said("hi")]),
        ("assistant", [said("hm")]),
        ("user", [said("[result of get: 42\n> [picture: image/png]]"), picture, said("so?")]),
    ]


def test_a_paused_turn_goes_back_as_it_is_and_goes_on() -> None:
    """The tool under way has no result yet, which is refused anywhere but at the end."""
    paused = answered(start(), text("Looking."), blocks_of(SEARCH, first=1), finish("pause_turn"), STOP)
    assert turns(HI, paused) == [("user", [said("hi")]), ("assistant", [said("Looking."), SEARCH])]
    assert turns(HI, paused, HI)[1] == ("assistant", [said("Looking.")])


@pytest.mark.parametrize("odd", [["a"], {"a": 1}, 7, None])
def test_odd_ids_of_a_server_s_tools_do_not_break_the_request(odd: object) -> None:
    """The blocks are kept as they came, whatever that was."""
    turn = answered(
        start(), text("a"), blocks_of({**SEARCH, "id": odd}, {**RESULT, "tool_use_id": odd}, first=1), finish(), STOP
    )
    assert turns(HI, turn, HI)[1][1] == [said("a"), {**RESULT, "tool_use_id": odd}]


def test_work_goes_on_in_its_container() -> None:
    """Only while the answer to a call from there is given."""
    ending = event("message_delta", delta={"stop_reason": "tool_use", "container": {"id": "container_1"}})
    called = answered(start(), call(0, "get", "{}"), ending, STOP)
    results = user(ToolResult("toolu_1", "get", ()))
    assert body(HI, called, results)["container"] == "container_1"
    assert "container" not in body(HI, called, results, HI)
    assert "container" not in body(HI, called, results, assistant(TextPart("a")), HI)


def test_each_request_of_a_conversation_goes_on_with_the_one_before() -> None:
    """The prompt cache, and the check of signatures, want the beginning unchanged."""
    conversation = (
        HI,
        answered(*TURN),
        user(ToolResult("toolu_1", "get", (TextPart("42"),))),
        assistant(TextPart("It is 42.")),
        HI,
    )
    longest = turns(*conversation)
    for length in (1, 3, 5):
        assert turns(*conversation[:length]) == longest[:length]


# ------------------------------------------------------------------------------------------------------------- caches


def marks(found: Any) -> list[str]:
    """Where the marks stand."""
    places = [f"tool {tool['name']}" for tool in found.get("tools", ()) if "cache_control" in tool]
    places += ["system" for entry in found.get("system", ()) if "cache_control" in entry]
    places += [f"message {nr}" for nr, turn in enumerate(found["messages"]) if "cache_control" in turn["content"][-1]]
    return places


def test_marks_stand_on_tools_system_and_the_last_marked_messages() -> None:
    """Four at most."""
    conversation = [
        message
        for nr in range(4)
        for message in (user(TextPart(f"q{nr}"), mark=True), assistant(TextPart(f"a{nr}"), mark=True))
    ][:-1]
    options: dict[str, Any] = {"system": "Be kind.", "tools": (GET, ToolSpec("put", "", {}))}
    assert marks(body(*conversation, **options)) == ["tool put", "system", "message 5", "message 6"]
    assert marks(body(*conversation)) == ["message 3", "message 4", "message 5", "message 6"]
    assert marks(body(HI, cache_key="channel", **options)) == ["tool put", "system"]
    assert marks(body(HI, **options)) == []
    assert marks(body(*conversation, dropped=frozenset({"cache_control"}), **options)) == []


def test_a_mark_never_stands_on_what_cannot_carry_one() -> None:
    """Neither on a thought, which the API refuses, nor on a block of its own tools."""
    thinking = ThoughtPart("", {"type": "thinking", "signature": "s"})
    message = assistant(TextPart("a"), thinking, TextPart("", SEARCH), TextPart("", RESULT), mark=True)
    assert turns(HI, message, HI)[1][1] == [
        {"type": "text", "text": "a", "cache_control": {"type": "ephemeral"}},
        {"type": "thinking", "thinking": "", "signature": "s"},
        SEARCH,
        RESULT,
    ]


# ----------------------------------------------------------------------------------------------------------- thinking


@pytest.mark.parametrize(
    ("model", "reasoning", "expected"),
    [
        ("claude-3-5-haiku-20241022", Reasoning(Effort.HIGH), {"max_tokens": 8192}),
        ("claude-3-haiku-20240307", None, {"max_tokens": 4096}),
        ("claude-3-7-sonnet-20250219", Reasoning(Effort.MINIMAL), {"max_tokens": 9216, "thinking": {"type": "enabled", "budget_tokens": 1024}}),
        ("claude-sonnet-4-20250514", Reasoning(Effort.MEDIUM), {"max_tokens": 16384, "thinking": {"type": "enabled", "budget_tokens": 8192}}),
        ("claude-opus-4-1-20250805", Reasoning(Effort.XHIGH), {"max_tokens": 32000, "thinking": {"type": "enabled", "budget_tokens": 30976}}),
        ("claude-haiku-4-5@20251001", Reasoning(budget_tokens=300), {"max_tokens": 8492, "thinking": {"type": "enabled", "budget_tokens": 1024}}),
        ("claude-sonnet-4-5", Reasoning(Effort.NONE), {"max_tokens": 8192}),
        ("claude-sonnet-4-5", Reasoning(), {"max_tokens": 8192}),
        ("claude-sonnet-4-6", Reasoning(Effort.HIGH), {"max_tokens": 32768, "thinking": {"type": "adaptive"}, "output_config": {"effort": "high"}}),
        ("claude-opus-4-6", Reasoning(Effort.XHIGH), {"max_tokens": 32768, "thinking": {"type": "adaptive"}, "output_config": {"effort": "max"}}),
        ("claude-opus-4-6", Reasoning(budget_tokens=2000), {"max_tokens": 32768, "thinking": {"type": "adaptive"}, "output_config": {"effort": "low"}}),
        ("claude-opus-4-7", None, {"max_tokens": 8192}),
        ("anthropic/claude-opus-4.7", Reasoning(Effort.XHIGH),
         {"max_tokens": 32768, "thinking": {"type": "adaptive", "display": "summarized"}, "output_config": {"effort": "xhigh"}}),
        ("claude-opus-4-8", Reasoning(Effort.NONE), {"max_tokens": 8192}),
        ("claude-opus-5", None, {"max_tokens": 32768}),
        ("claude-sonnet-5", Reasoning(Effort.NONE), {"max_tokens": 8192, "thinking": {"type": "disabled"}}),
        ("claude-sonnet-5-5", Reasoning(Effort.NONE), {"max_tokens": 8192, "thinking": {"type": "between_tools"}}),
        ("claude-opus-5-5", Reasoning(Effort.NONE), {"max_tokens": 32768, "output_config": {"effort": "low"}}),
        ("claude-fable-5", Reasoning(Effort.NONE), {"max_tokens": 32768, "output_config": {"effort": "low"}}),
        ("glm-4.7", Reasoning(Effort.NONE), {"max_tokens": 8192, "thinking": {"type": "disabled"}}),
        ("glm-4.7", Reasoning(Effort.LOW), {"max_tokens": 10240, "thinking": {"type": "enabled", "budget_tokens": 2048}}),
    ],
)  # fmt: skip
def test_thinking_is_asked_for_as_the_model_takes_it(model: str, reasoning: Reasoning | None, expected: Any) -> None:
    """A budget until Claude 4.5, an effort from 4.6 on; nothing where the model cannot."""
    found = body(model=model, reasoning=reasoning)
    assert {key: found[key] for key in ("max_tokens", "thinking", "output_config") if key in found} == expected


@pytest.mark.parametrize(("limit", "budget"), [(4000, 2976), (2048, 1024), (2047, None), (100, None)])
def test_the_budget_leaves_room_for_the_answer(limit: int, budget: int | None) -> None:
    """The limit bounds both; where there is no room, there is no thinking."""
    found = body(max_output_tokens=limit, reasoning=Reasoning(Effort.HIGH))
    assert found["max_tokens"] == limit
    assert found.get("thinking", {}).get("budget_tokens") == budget


def test_a_limit_above_the_model_s_own_is_lowered() -> None:
    """The API refuses more."""
    assert body(model="claude-3-5-sonnet-latest", max_output_tokens=50_000)["max_tokens"] == 8192
    assert body(model="claude-opus-4-1-20250805", max_output_tokens=50_000)["max_tokens"] == 32_000
    assert body(model="claude-sonnet-4-20250514", max_output_tokens=70_000)["max_tokens"] == 64_000
    assert body(model="claude-opus-4-6", max_output_tokens=100_000)["max_tokens"] == 100_000
    assert body(model="some-other", max_output_tokens=50_000)["max_tokens"] == 50_000


def test_thinking_does_not_begin_between_a_call_and_its_answer() -> None:
    """With a budget, the message with the call must start with a thought; one of another model has none to show."""
    foreign = msgspec.structs.replace(answered(*TURN), origin=None)
    results = user(ToolResult("toolu_1", "get", ()))
    assert "thinking" not in body(HI, foreign, results, reasoning=Reasoning(Effort.LOW))
    assert "thinking" in body(HI, foreign, results, HI, assistant(TextPart("a")), HI, reasoning=Reasoning(Effort.LOW))
    assert "thinking" in body(HI, foreign, results, model=NEW, reasoning=Reasoning(Effort.LOW))


@pytest.mark.parametrize(
    ("model", "options", "expected"),
    [
        (OLD, {"temperature": 1.5, "top_p": 0.9, "top_k": 5}, {"temperature": 1.0, "top_k": 5}),
        (OLD, {"top_p": 0.9}, {"top_p": 0.9}),
        ("some-other", {"temperature": 1.5}, {"temperature": 1.5}),
        (OLD, {"temperature": 0.5, "top_k": 5, "reasoning": Reasoning(Effort.LOW)}, {}),
        ("claude-sonnet-4-6", {"temperature": 0.5}, {"temperature": 0.5}),
        ("claude-opus-4-7", {"temperature": 0.5, "top_p": 0.9, "top_k": 5}, {}),
        ("claude-sonnet-5", {"temperature": 0.5}, {}),
    ],
)
def test_sampling_is_sent_where_the_model_takes_it(model: str, options: dict[str, Any], expected: Any) -> None:
    """Never with thinking, and not to models from 4.7 on."""
    found = body(model=model, **options)
    assert {key: found[key] for key in ("temperature", "top_p", "top_k") if key in found} == expected


# -------------------------------------------------------------------------------------------------------------- tools


@pytest.mark.parametrize(
    ("options", "expected"),
    [
        ({}, None),
        ({"tool_choice": ToolChoice.NONE}, {"type": "none"}),
        ({"tool_choice": ToolChoice.REQUIRED}, {"type": "any"}),
        ({"tool_choice": NamedTool("get")}, {"type": "tool", "name": "get"}),
        ({"parallel_tool_calls": False}, {"type": "auto", "disable_parallel_tool_use": True}),
        ({"parallel_tool_calls": False, "tool_choice": ToolChoice.REQUIRED}, {"type": "any", "disable_parallel_tool_use": True}),
        ({"parallel_tool_calls": False, "tool_choice": ToolChoice.NONE}, {"type": "none"}),
        ({"tool_choice": ToolChoice.REQUIRED, "reasoning": Reasoning(Effort.LOW)}, None),
        ({"tool_choice": NamedTool("get"), "reasoning": Reasoning(Effort.LOW), "model": NEW}, None),
        ({"tool_choice": ToolChoice.REQUIRED, "model": "claude-opus-5-5"}, None),
    ],
)  # fmt: skip
def test_the_choice_of_a_tool(options: dict[str, Any], expected: Any) -> None:
    """A model that thinks cannot be forced."""
    assert body(tools=(GET,), **options).get("tool_choice") == expected


def test_a_forced_tool_turns_unasked_thinking_off() -> None:
    """Where nobody asked for thoughts, the tool is what was asked for."""
    found = body(tools=(GET,), tool_choice=ToolChoice.REQUIRED, model="claude-opus-5")
    assert (found["thinking"], found["tool_choice"]) == ({"type": "disabled"}, {"type": "any"})


def test_tools_that_only_the_history_tells_of_are_defined_and_not_to_be_called() -> None:
    """The API wants a definition where the conversation has calls."""
    found = body(HI, assistant(FunctionCall("a", "get", {})), user(ToolResult("a", "get", ())))
    assert found["tools"] == [{"name": "get", "input_schema": {"type": "object"}}]
    assert found["tool_choice"] == {"type": "none"}


# -------------------------------------------------------------------------------------------------- structured output


def test_a_wanted_shape_is_an_option_where_the_model_takes_one_and_else_a_sentence() -> None:
    """From 4.5 on, unless it was refused; JSON of any shape has no option."""
    wanted = ResponseSchema(schema={"type": "object"})
    form = {"type": "json_schema", "schema": {"type": "object", "additionalProperties": False}}
    assert body(response_schema=wanted)["output_config"] == {"format": form}
    both = body(response_schema=wanted, model=NEW, reasoning=Reasoning(Effort.LOW))
    assert both["output_config"] == {"effort": "low", "format": form}
    (told,) = body(response_schema=wanted, model="claude-sonnet-4-0", system="Be kind.")["system"]
    assert told["text"].startswith("Be kind.\n\nAnswer with one JSON value of this JSON Schema")
    (told,) = body(response_schema=wanted, dropped=frozenset({"output_config.format"}))["system"]
    assert '{"type":"object"}' in told["text"]
    (told,) = body(response_schema=ResponseSchema())["system"]
    assert told["text"] == "Answer with one JSON value and nothing else."


# ------------------------------------------------------------------------------------------------------------------ laws

ANY_PART = st.sampled_from(
    [
        TextPart(""),
        TextPart("a "),
        TextPart("b", {"type": "text", "citations": []}),
        TextPart("", SEARCH),
        TextPart("c", RESULT),
        ThoughtPart("t", {"type": "thinking", "signature": "s"}),
        ThoughtPart("", {"type": "redacted_thinking", "data": "RED"}),
        ThoughtPart("t"),
        FunctionCall("c1", "f", {}),
        MalformedCall("c2", "", "x", "y"),
        ToolResult("c1", "f", (TextPart("ok"),)),
        ToolResult("c2", "f", ()),
        ImagePart("image/png", b"x"),
        FilePart("a", "text/plain", b"x"),
    ]
)
MESSAGES = st.lists(
    st.builds(
        lambda role, parts, mark: PromptMessage(role, tuple(parts), ENDPOINT.origin("anthropic", OLD), mark),
        st.sampled_from(Role),
        st.lists(ANY_PART, max_size=4),
        st.booleans(),
    ),
    max_size=6,
)


@given(MESSAGES, st.sampled_from([OLD, NEW]), st.sampled_from([None, Reasoning(Effort.LOW)]), st.booleans())
def test_whatever_the_history_the_api_takes_it(
    messages: Sequence[PromptMessage], model: str, reasoning: Reasoning | None, tools: bool
) -> None:
    """A user begins, no model speaks twice in a row, no block is blank, and results answer exactly the calls before them."""
    out = turns(*messages, model=model, reasoning=reasoning, dropped=frozenset() if tools else frozenset({"tools"}))
    roles = [role for role, _ in out]
    assert roles[0] == "user"
    assert ("assistant", "assistant") not in pairwise(roles)
    calls: list[str] = []
    seen: list[str] = []
    for role, content in out:
        assert content
        assert all(block["text"].strip() for block in content if block["type"] == "text")
        answered = [block["tool_use_id"] for block in content if block["type"] == "tool_result"]
        assert answered == calls
        assert all(block["type"] == "tool_result" for block in content[: len(answered)])
        calls = [block["id"] for block in content if block["type"] == "tool_use"]
        seen += calls
        assert not calls or role == "assistant"
        assert "thinking" not in content[-1]["type"]
    assert not calls
    assert len(seen) == len(set(seen))
    assert tools or not seen
