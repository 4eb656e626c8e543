"""A conversation in Gemini's form: roles, calls and their answers, media, and signatures that find their part again."""

from __future__ import annotations

from typing import Any

import msgspec
import pytest

from adapters.contract import (
    Endpoint,
    FilePart,
    FunctionCall,
    GenerationRequest,
    ImagePart,
    MalformedCall,
    Origin,
    Part,
    PromptMessage,
    Role,
    TextPart,
    ThoughtPart,
    ToolResult,
    text_message,
)
from adapters.providers.google.adapter import GOOGLE, VERTEX
from adapters.providers.google.contents import FOREIGN_CALL
from adapters.providers.google.decoder import GoogleDecoder
from adapters.record import TurnRecord
from adapters.well_formed import BEGINNING, GO_ON
from tests.adapters.cuts import run
from tests.adapters.providers.google.google_bodies import STOPPED, call, parts, text, thought

NEW, OLD = "gemini-3-flash-preview", "gemini-2.5-flash"
KEY = Endpoint(api_key="AIza-key")


def user(*said: Part) -> PromptMessage:
    return PromptMessage(Role.USER, said)


def model(*said: Part, origin: Origin | None = None) -> PromptMessage:
    return PromptMessage(Role.ASSISTANT, said, origin)


HI = text_message(Role.USER, "hi")


def contents(*messages: PromptMessage, name: str = OLD) -> Any:
    return msgspec.json.decode(GOOGLE.build(GenerationRequest(name, messages), KEY).body)["contents"]


def result(call_id: str, *content: TextPart | ImagePart | FilePart, failed: bool = False) -> ToolResult:
    return ToolResult(call_id, "f", content or (TextPart(f"of {call_id}"),), failed)


def response(output: str, key: str = "output", **more: Any) -> Any:
    return {"functionResponse": {"name": "f", "response": {key: output}, **more}}


A, B = FunctionCall("a", "f", {"x": 1}), FunctionCall("b", "f", {})

# --------------------------------------------------------------------------------------------------------------- roles


def test_neighbours_of_one_role_become_one_content() -> None:
    """In busy channels several people speak before the model does."""
    found = contents(HI, text_message(Role.USER, "hello"), model(TextPart("yes?")), model(TextPart("…")), HI)
    assert found == [
        {"role": "user", "parts": [{"text": "hi"}, {"text": "\n\nhello"}]},
        {"role": "model", "parts": [{"text": "yes?"}, {"text": "\n\n…"}]},
        {"role": "user", "parts": [{"text": "hi"}]},
    ]


def test_what_is_empty_is_not_sent() -> None:
    """An empty part is refused, and so is a content without parts."""
    assert contents(HI, model(TextPart(""), ThoughtPart("hm")), user(TextPart("")), HI) == [
        {"role": "user", "parts": [{"text": "hi"}, {"text": "\n\nhi"}]}
    ]


def test_a_conversation_begins_with_a_user() -> None:
    """Older messages may have been left out."""
    assert contents(model(TextPart("a")), HI)[0] == {"role": "user", "parts": [{"text": BEGINNING}]}


@pytest.mark.parametrize(
    ("name", "takes"),
    [
        ("gemini-2.5-flash", True),
        ("gemini-3.5-flash", True),
        ("gemini-3.5-flash-lite", False),
        ("gemini-3.6-flash", False),
        ("models/gemini-flash-latest", False),
        ("gemini-4-argon", False),
        ("gemma-4-31b-it", True),
        ("tunedModels/mine", True),
    ],
)
def test_newer_models_take_no_conversation_that_ends_with_the_model(name: str, *, takes: bool) -> None:
    """Then the user asks it to go on."""
    found = contents(HI, model(TextPart("a")), name=name)
    assert found[1] == {"role": "model", "parts": [{"text": "a"}]}
    assert found[2:] == ([] if takes else [{"role": "user", "parts": [{"text": GO_ON}]}])
    assert contents(HI, model(TextPart("a")), HI, name=name)[2:] == [{"role": "user", "parts": [{"text": "hi"}]}]


# --------------------------------------------------------------------------------------------------------------- calls


def test_every_call_is_answered_in_its_order_in_one_content_and_nothing_else_stands_there() -> None:
    """Results come in any order, with words of users among them."""
    found = contents(HI, model(A, B), user(TextPart("and?"), result("b"), result("a", failed=True)), HI)
    assert found[1:] == [
        {
            "role": "model",
            "parts": [{"functionCall": {"name": "f", "args": {"x": 1}}}, {"functionCall": {"name": "f", "args": {}}}],
        },
        {"role": "user", "parts": [response("of a", "error"), response("of b")]},
        {"role": "user", "parts": [{"text": "and?"}, {"text": "\nhi"}]},
    ]


@pytest.mark.parametrize("after", [(), (HI,), (user(result("b")),), (model(TextPart("x")), HI)])
def test_a_call_without_a_result_is_answered_all_the_same(after: tuple[PromptMessage, ...]) -> None:
    """The turn was stopped before the tool had run; the API refuses a call without an answer."""
    found = contents(HI, model(A), *after)
    assert found[2]["parts"] == [response("no result", "error")]


def test_results_in_a_later_message_of_the_users_are_found() -> None:
    """Somebody spoke while the tool ran."""
    found = contents(HI, model(A), HI, user(result("a")))
    assert found[2:] == [{"role": "user", "parts": [response("of a")]}, {"role": "user", "parts": [{"text": "hi"}]}]


def test_a_result_without_its_call_is_told_in_words() -> None:
    """The call's message was left out."""
    assert contents(user(result("a"))) == [{"role": "user", "parts": [{"text": "[result of f: of a]"}]}]


def test_a_malformed_call_is_sent_without_arguments_and_gets_its_answer() -> None:
    """The API takes an object only; the model reads in the answer what was wrong."""
    broken = MalformedCall("a", "", '{"x', "cut off")
    found = contents(HI, model(broken), user(result("a", failed=True)))
    assert found[1]["parts"] == [{"functionCall": {"name": "unknown", "args": {}}}]
    assert found[2]["parts"][0]["functionResponse"] == {"name": "unknown", "response": {"error": "of a"}}


def test_steps_alternate() -> None:
    """Call, answer, call, answer, word."""
    found = contents(HI, model(A), user(result("a")), model(B), user(result("b")), model(TextPart("done")), HI)
    assert [each["role"] for each in found] == ["user", "model", "user", "model", "user", "model", "user"]


def test_calls_have_ids_where_the_api_knows_them() -> None:
    """Gemini 3 on its own API. Vertex refuses the field, unless it gave one itself."""
    found = contents(HI, model(A), user(result("a")), name=NEW)
    assert found[1]["parts"][0]["functionCall"] == {"id": "a", "name": "f", "args": {"x": 1}}
    assert found[2]["parts"][0]["functionResponse"]["id"] == "a"
    request = GenerationRequest(NEW, (HI, model(A), user(result("a"))))
    sent = VERTEX.build(request, Endpoint(api_key="AIza-key")).body
    assert b'"id"' not in sent


# --------------------------------------------------------------------------------------------------------------- media


@pytest.mark.parametrize(
    ("part", "expected"),
    [
        (ImagePart("image/png", b"abc"), {"inlineData": {"mimeType": "image/png", "data": "YWJj"}}),
        (ImagePart("image/jpg", b"abc"), {"inlineData": {"mimeType": "image/jpeg", "data": "YWJj"}}),
        (ImagePart("image/png", url="https://host/x.png"), {"fileData": {"mimeType": "image/png", "fileUri": "https://host/x.png"}}),
        (ImagePart("image/gif", b"abc"), {"text": "[picture: image/gif]"}),
        (FilePart("x.pdf", "application/pdf", b"abc"), {"inlineData": {"mimeType": "application/pdf", "data": "YWJj"}}),
        (FilePart("x.mp3", "audio/mpeg", b"abc"), {"inlineData": {"mimeType": "audio/mpeg", "data": "YWJj"}}),
        (FilePart("x.py", "text/x-python; charset=utf-8", b"abc"), {"inlineData": {"mimeType": "text/plain", "data": "YWJj"}}),
        (FilePart("x.json", "application/json", b"abc"), {"inlineData": {"mimeType": "text/plain", "data": "YWJj"}}),
        (FilePart("x.zip", "application/zip", b"abc"), {"text": "[file: x.zip, application/zip, 3 bytes]"}),
    ],
)  # fmt: skip
def test_media(part: Part, expected: Any) -> None:
    """What the API takes is sent as such, the rest is named."""
    assert contents(user(part)) == [{"role": "user", "parts": [expected]}]


def test_a_picture_of_a_tool_stands_inside_its_answer_or_after_it() -> None:
    """Inside from Gemini 3 on; never beside the answers, where the API counts parts."""
    messages = (HI, model(A), user(result("a", TextPart("see"), ImagePart("image/png", b"abc"))))
    picture = {"inlineData": {"mimeType": "image/png", "data": "YWJj"}}
    assert contents(*messages, name=NEW)[2:] == [{"role": "user", "parts": [response("see", id="a", parts=[picture])]}]
    assert contents(*messages, name=OLD)[2:] == [
        {"role": "user", "parts": [response("see")]},
        {"role": "user", "parts": [{"text": "[from the tool f]"}, picture]},
    ]


def test_a_models_own_picture_goes_back_to_models_that_draw() -> None:
    """For others it is named."""
    drawn = model(ImagePart("image/png", b"abc"))
    assert "inlineData" in contents(HI, drawn, HI, name="gemini-2.5-flash-image")[1]["parts"][0]
    assert contents(HI, drawn, HI)[1]["parts"] == [{"text": "[picture: image/png]"}]


# ---------------------------------------------------------------------------------------------------------- signatures


def recorded(name: str, *pieces: bytes, endpoint: Endpoint = KEY, provider: str = "google") -> PromptMessage:
    record = TurnRecord()
    record.add(run(GoogleDecoder(), [*pieces, STOPPED]))
    return record.message(endpoint.origin(provider, name))


CODE = {"executableCode": {"language": "PYTHON", "code": "1", "id": "x"}, "thoughtSignature": "S5"}
TURN = (
    thought("not signed "),
    thought("signed", thoughtSignature="S1"),
    text("Let me "),
    text("look", thoughtSignature="S2"),
    parts(CODE),
    text("…"),
    text("", thoughtSignature="S3"),
    call(signature="S4", name="f", id="i", args={"x": 1}),
    call(name="f", id="j"),
)


def test_a_turn_goes_back_as_it_came() -> None:
    """Every signature on the part it came with, and parts with and without one apart; thoughts only where they are signed."""
    said = recorded(NEW, *TURN)
    (first, second) = [part for part in said.parts if isinstance(part, FunctionCall)]
    found = contents(HI, said, user(result(first.id), result(second.id)), name=NEW)
    assert found[1]["parts"] == [
        {"text": "signed", "thought": True, "thoughtSignature": "S1"},
        {"text": "Let me "},
        {"text": "look", "thoughtSignature": "S2"},
        CODE,
        {"text": "…"},
        {"text": "", "thoughtSignature": "S3"},
        {"functionCall": {"id": "i", "name": "f", "args": {"x": 1}}, "thoughtSignature": "S4"},
        {"functionCall": {"id": "j", "name": "f", "args": {}}},
    ]
    assert found[2]["parts"] == [response("of i", id="i"), response("of j", id="j")]


@pytest.mark.parametrize(
    "origin",
    [
        None,
        KEY.origin("vertex", NEW),
        KEY.origin("google", OLD),
        Endpoint("https://gateway/v1beta", "k").origin("google", NEW),
    ],
)
def test_another_origin_gets_text_and_calls_only(origin: Origin | None) -> None:
    """Nothing opaque, no thoughts; the first call gets the word for calls that the API did not make."""
    said = msgspec.structs.replace(recorded(NEW, *TURN), origin=origin)
    found = contents(HI, said, user(result("i"), result("j")), name=NEW)
    assert found[1]["parts"] == [
        {"text": "Let me look"},
        {"text": "…"},
        {"functionCall": {"id": "i", "name": "f", "args": {"x": 1}}, "thoughtSignature": FOREIGN_CALL},
        {"functionCall": {"id": "j", "name": "f", "args": {}}},
    ]


def test_a_turn_of_vertex_goes_back_without_ids_that_it_did_not_give() -> None:
    """Its calls have a signature and mostly no id."""
    endpoint = Endpoint(api_key="AIza-key")
    said = recorded(OLD, call(signature="S", name="f"), provider="vertex", endpoint=endpoint)
    (made,) = said.parts
    assert isinstance(made, FunctionCall)
    request = GenerationRequest(OLD, (HI, said, user(result(made.id))))
    found = msgspec.json.decode(VERTEX.build(request, endpoint).body)["contents"]
    assert found[1]["parts"] == [{"functionCall": {"name": "f", "args": {}}, "thoughtSignature": "S"}]
    assert found[2]["parts"] == [response(f"of {made.id}")]


def test_the_first_call_of_every_step_has_a_signature_for_gemini_3() -> None:
    """Older models know nothing of it; parallel calls share one."""
    steps = (
        HI,
        model(A),
        user(result("a")),
        model(TextPart("x")),
        HI,
        model(A, B),
        user(result("a"), result("b")),
        model(A),
    )

    def signed(name: str) -> list[list[bool]]:
        spoken = (each["parts"] for each in contents(*steps, name=name) if each["role"] == "model")
        return [["thoughtSignature" in part for part in said] for said in spoken]

    assert signed(NEW) == [[True], [False], [True, False], [True]]
    assert signed(OLD) == [[False], [False], [False, False], [False]]


def test_models_of_gemini_3_that_draw_get_a_signature_on_all_that_they_check() -> None:
    """Every picture, and what comes first of a content after the thoughts; the word where there is none of their own."""
    name, picture = "gemini-3-pro-image-preview", ImagePart("image/png", b"abc")
    own = recorded(name, thought("hm", thoughtSignature="S0"), text("so", thoughtSignature="S1"), text("."))
    found = contents(HI, own, HI, model(TextPart("a"), TextPart("b"), picture), HI, model(picture), HI, name=name)
    assert [[part.get("thoughtSignature") for part in each["parts"]] for each in found if each["role"] == "model"] == [
        ["S0", "S1", None],
        [FOREIGN_CALL, None, FOREIGN_CALL],
        [FOREIGN_CALL],
    ]
    older = contents(HI, model(TextPart("a"), picture), HI, name="gemini-2.5-flash-image")
    assert not any("thoughtSignature" in part for each in older for part in each["parts"])


def test_the_next_request_extends_the_one_before() -> None:
    """So that the provider's prompt cache finds its beginning again."""
    history: tuple[PromptMessage, ...] = (HI, model(TextPart("x"), A), user(result("a")), model(TextPart("y")))
    said = recorded(NEW, *TURN)
    rounds = [(HI, said, user(result("i"), result("j"))), (recorded(NEW, text("z")), HI), (model(B), user(result("b")))]
    for added in rounds:
        longer = (*history, *added)
        before, after = contents(*history, name=NEW), contents(*longer, name=NEW)
        assert after[: len(before)] == before
        history = longer
