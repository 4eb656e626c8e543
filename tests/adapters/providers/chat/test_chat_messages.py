"""The conversation as Chat Completions wants it."""

from __future__ import annotations

from typing import Any

import msgspec
import pytest
from hypothesis import given
from hypothesis import strategies as st

from adapters.contract import (
    Endpoint,
    FilePart,
    FunctionCall,
    GenerationRequest,
    ImagePart,
    MalformedCall,
    Part,
    PromptMessage,
    Role,
    TextPart,
    ThoughtPart,
    ToolResult,
    text_message,
)
from adapters.providers.chat.adapter import OPENAI_CHAT, OpenAIChat
from adapters.providers.chat.custom import CUSTOM
from adapters.providers.chat.dialect import Dialect
from adapters.well_formed import BEGINNING

HOST = Endpoint("http://host/v1")
OWN = HOST.origin("custom", "m")
PNG = ImagePart("image/png", b"png")
PDF = FilePart("a.pdf", "application/pdf", b"pdf")
WAV = FilePart("a.wav", "audio/wav", b"wav")


def sent(*messages: PromptMessage, adapter: OpenAIChat = CUSTOM, **options: Any) -> list[dict[str, Any]]:
    http = adapter.build(GenerationRequest("m", messages, **options), HOST)
    conversation: list[dict[str, Any]] = msgspec.json.decode(http.body)["messages"]
    begun = bool(messages) and messages[0].role is Role.ASSISTANT
    return conversation[1:] if begun and conversation[0] == {"role": "user", "content": BEGINNING} else conversation


def user(*parts: Part, mark: bool = False) -> PromptMessage:
    return PromptMessage(Role.USER, parts, cache_mark=mark)


def model(*parts: Part, own: bool = True) -> PromptMessage:
    return PromptMessage(Role.ASSISTANT, parts, OWN if own else None)


def result(call_id: str, *content: TextPart | ImagePart | FilePart) -> ToolResult:
    return ToolResult(call_id, "get", content)


def called(call_id: str = "a", arguments: str = '{"x":1}', name: str = "get") -> dict[str, Any]:
    return {"id": call_id, "type": "function", "function": {"name": name, "arguments": arguments}}


def image(url: str) -> dict[str, Any]:
    return {"type": "image_url", "image_url": {"url": url}}


CALL = FunctionCall("a", "get", {"x": 1})

# ------------------------------------------------------------------------------------------------------ what people say


@pytest.mark.parametrize(
    ("parts", "content"),
    [
        ((TextPart("a"), TextPart("b")), "a\nb"),
        ((TextPart("look"), PNG), [{"type": "text", "text": "look"}, image("data:image/png;base64,cG5n")]),
        ((ImagePart("image/png", url="https://host/a.png"),), [image("https://host/a.png")]),
        ((TextPart(""), PNG), [image("data:image/png;base64,cG5n")]),
        ((ImagePart("image/png"),), "[picture: image/png]"),
        ((ImagePart("image/jpg; q=1", b"jpg"),), [image("data:image/jpeg;base64,anBn")]),
        ((ImagePart("image/tiff", b"tiff"),), "[picture: image/tiff]"),
        ((WAV,), [{"type": "input_audio", "input_audio": {"data": "d2F2", "format": "wav"}}]),
        ((PDF,), [{"type": "file", "file": {"filename": "a.pdf", "file_data": "data:application/pdf;base64,cGRm"}}]),
        ((TextPart("see"), FilePart("a.zip", "application/zip", b"12")), "see\n[file: a.zip, application/zip, 2 bytes]"),
    ],
)  # fmt: skip
def test_content_is_text_or_a_list_of_parts(parts: tuple[Part, ...], content: Any) -> None:
    """Text alone is a plain string, which every server takes; what the API has no part for is named."""
    assert sent(user(*parts), adapter=OPENAI_CHAT) == [{"role": "user", "content": content}]


def test_what_a_server_cannot_take_is_named() -> None:
    """As does one that was seen to refuse pictures."""
    assert sent(user(TextPart("see"), PDF)) == [
        {"role": "user", "content": "see\n[file: a.pdf, application/pdf, 3 bytes]"}
    ]
    seen = sent(user(TextPart("see"), PNG), dropped=frozenset({"image_url"}))
    assert seen == [{"role": "user", "content": "see\n[picture: image/png]"}]


def test_a_message_without_anything_in_it_is_not_sent() -> None:
    """Servers refuse empty ones."""
    assert sent(user(), user(TextPart("")), model(), model(ThoughtPart("hm")), user(TextPart("a"))) == [
        {"role": "user", "content": "a"}
    ]


# ------------------------------------------------------------------------------------------------------ calls and results


def test_each_call_is_followed_by_its_result() -> None:
    """In the order of the calls, whatever the order of the results; then what the person said."""
    calls = model(TextPart("wait"), CALL, FunctionCall("b", "put", {}))
    answer = user(result("b", TextPart("2")), result("a", TextPart("1")), TextPart("and?"))
    assert sent(user(TextPart("hi")), calls, answer) == [
        {"role": "user", "content": "hi"},
        {"role": "assistant", "content": "wait", "tool_calls": [called(), called("b", "{}", "put")]},
        {"role": "tool", "tool_call_id": "a", "content": "1"},
        {"role": "tool", "tool_call_id": "b", "content": "2"},
        {"role": "user", "content": "and?"},
    ]


def test_texts_around_a_call_stand_on_lines() -> None:
    """The call has a place of its own, beside the text."""
    said = sent(model(TextPart("I look."), CALL, TextPart("It "), TextPart("rains.")))[0]
    assert said["content"] == "I look.\nIt rains."


@pytest.mark.parametrize(
    "later",
    [
        (),
        (text_message(Role.USER, "never mind"),),
        (user(TextPart("hm")), model(TextPart("oh")), user(result("a", TextPart("too late")))),
    ],
)
def test_a_call_without_a_result_gets_one_that_says_so(later: tuple[PromptMessage, ...]) -> None:
    """The API refuses a conversation with an open call."""
    messages = sent(model(CALL), *later)
    assert messages[:2] == [
        {"role": "assistant", "content": None, "tool_calls": [called()]},
        {"role": "tool", "tool_call_id": "a", "content": "no result"},
    ]
    assert all(message["role"] != "tool" for message in messages[2:])


def test_a_result_without_a_call_is_told_in_words() -> None:
    """As is a second one for the same call; the API refuses both."""
    messages = sent(
        user(result("z", TextPart("5"))), model(CALL), user(result("a", TextPart("1")), result("a", TextPart("2")))
    )
    assert messages[0] == {"role": "user", "content": "[result of get: 5]"}
    assert messages[2:] == [
        {"role": "tool", "tool_call_id": "a", "content": "1"},
        {"role": "user", "content": "[result of get: 2]"},
    ]


def test_pictures_in_results_follow_in_a_message_of_the_users() -> None:
    """A tool's message holds text only."""
    messages = sent(model(CALL), user(result("a", TextPart("done "), PNG)))
    assert messages[1:] == [
        {"role": "tool", "tool_call_id": "a", "content": "done [picture: image/png]"},
        {"role": "user", "content": [{"type": "text", "text": "[pictures of get]"}, image("data:image/png;base64,cG5n")]},
    ]  # fmt: skip


def test_files_in_results_follow_too_where_the_server_takes_them() -> None:
    """Else their names in the tool's message are all that can be said."""
    told = {"role": "tool", "tool_call_id": "a", "content": "[file: a.pdf, application/pdf, 3 bytes]"}
    file = {"type": "file", "file": {"filename": "a.pdf", "file_data": "data:application/pdf;base64,cGRm"}}
    answered = (model(CALL), user(result("a", PDF)))
    assert sent(*answered, adapter=OPENAI_CHAT)[1:] == [
        told,
        {"role": "user", "content": [{"type": "text", "text": "[files of get]"}, file]},
    ]
    assert sent(*answered)[1:] == [told]


def test_a_result_that_is_told_stands_on_a_line_of_its_own() -> None:
    """Where it stood among the person's words, with or without pictures."""
    assert sent(user(result("z", TextPart("5")), TextPart("and?")))[0]["content"] == "[result of get: 5]\nand?"
    assert sent(user(TextPart("see"), PNG, result("z", TextPart("5"))))[0]["content"] == [
        {"type": "text", "text": "see"},
        image("data:image/png;base64,cG5n"),
        {"type": "text", "text": "[result of get: 5]"},
    ]


def test_a_broken_call_without_a_result_is_answered_with_its_problem() -> None:
    """The model must learn why nothing came of it."""
    broken = MalformedCall("a", "get", '{"x"', "the arguments are not valid JSON")
    assert sent(model(broken))[1]["content"] == "the arguments are not valid JSON"


def test_a_result_without_content_says_that_it_is_empty() -> None:
    """An empty message is refused by some servers."""
    assert sent(model(CALL), user(result("a")))[1]["content"] == "(empty)"


def test_a_broken_call_is_sent_with_arguments_that_can_be_read() -> None:
    """Its result tells what was wrong; servers that parse the text would refuse the request."""
    broken = MalformedCall("a", "no such\ntool", '{"x"', "cut")
    messages = sent(model(broken), user(result("a", TextPart("cut"))))
    assert messages[0]["tool_calls"] == [called("a", "{}", "no_such_tool")]
    assert sent(model(MalformedCall("a", "", "", "no name")))[0]["tool_calls"] == [called("a", "{}", "unknown")]


def test_where_tools_cannot_be_used_their_results_are_told_in_words() -> None:
    """A model that takes no tools gets no messages of that role either."""
    messages = sent(model(TextPart("wait"), CALL), user(result("a", TextPart("1"))), dropped=frozenset({"tools"}))
    assert messages == [
        {"role": "assistant", "content": "wait"},
        {"role": "user", "content": "[result of get: 1]"},
    ]


LONG = "call|" + "x" * 60


@pytest.mark.parametrize(
    ("call_id", "own", "kept"),
    [("call_1-a", False, True), (LONG, False, False), (LONG, True, True), ("functions.get:0", False, False),
     ("functions.get:0", True, True), ("", True, False), ("a\ud83d", True, False)],
)  # fmt: skip
def test_ids_are_the_models_own_or_ones_that_every_server_takes(call_id: str, own: bool, kept: bool) -> None:
    """OpenAI takes 40 characters; a server that made other ids itself gets them back. Call and result agree."""
    asked, answered = sent(model(FunctionCall(call_id, "get", {}), own=own), user(result(call_id, TextPart("1"))))
    made = asked["tool_calls"][0]["id"]
    assert answered == {"role": "tool", "tool_call_id": made, "content": "1"}
    assert (made == call_id) is kept
    assert kept or (len(made) <= 40 and made.startswith("call_"))


PARTS = st.sampled_from(
    [TextPart("t"), ThoughtPart("h"), CALL, FunctionCall("b", "put", {}), MalformedCall("c", "x", "{", "cut"), PNG,
     result("a", TextPart("1")), result("b", PNG), result("z", TextPart("?"))]
)  # fmt: skip
MESSAGES = st.lists(
    st.builds(PromptMessage, st.sampled_from(Role), st.lists(PARTS, max_size=4, unique_by=repr).map(tuple)), max_size=6
)
PICKY = OpenAIChat(Dialect("picky", "Picky", None, call_id_length=9, bridges_results=True))


@given(MESSAGES, st.sampled_from([CUSTOM, PICKY]))
def test_every_call_has_exactly_one_result_right_behind_it(messages: list[PromptMessage], adapter: OpenAIChat) -> None:
    """Whatever the history holds, and in whatever order."""
    open_calls: list[str] = []
    for message in sent(*messages, adapter=adapter):
        if message["role"] == "tool":
            open_calls.remove(message["tool_call_id"])
        else:
            assert open_calls == []
            open_calls = [call["id"] for call in message.get("tool_calls", ())]
    assert open_calls == []


# ------------------------------------------------------------------------------------------------- what goes back to whom

THOUGHTS = (ThoughtPart("hm "), ThoughtPart("hm", {"field": "reasoning"}))


def test_reasoning_goes_back_with_the_calls_that_came_of_it() -> None:
    """Under the name under which it came."""
    assert sent(model(ThoughtPart("hm"), CALL))[0] == {
        "role": "assistant",
        "content": None,
        "reasoning_content": "hm",
        "tool_calls": [called()],
    }
    assert sent(model(*THOUGHTS, CALL))[0]["reasoning"] == "hm hm"


def test_reasoning_of_an_answer_without_calls_stays_here() -> None:
    """Nobody wants it back: DeepSeek ignores it, templates drop it."""
    assert sent(model(*THOUGHTS, TextPart("a"))) == [{"role": "assistant", "content": "a"}]


def test_odd_fields_go_back_to_the_one_who_sent_them() -> None:
    """Signatures of thoughts, whole blocks of reasoning."""
    block = {"type": "reasoning.encrypted", "data": "x", "id": "rs", "index": 0, "format": "f"}
    signed = FunctionCall("a", "get", {"x": 1}, {"extra_content": {"google": {"thought_signature": "s"}}})
    (message, _) = sent(model(ThoughtPart("hm"), ThoughtPart("", {"reasoning_details": [block]}), signed))
    assert message["reasoning_details"] == [block]
    assert "reasoning_content" not in message
    assert message["tool_calls"] == [{**called(), "extra_content": {"google": {"thought_signature": "s"}}}]


def test_a_field_of_a_message_that_the_server_refused_is_left_out() -> None:
    """Strict servers answer 400 to one they do not know."""
    signed = FunctionCall("a", "get", {"x": 1}, {"extra_content": {"x": 1}})
    dropped = frozenset({"reasoning_content", "extra_content"})
    (message, _) = sent(model(ThoughtPart("hm"), signed), dropped=dropped)
    assert message == {"role": "assistant", "content": None, "tool_calls": [called()]}


def test_nothing_odd_goes_to_anybody_else() -> None:
    """Another provider, address or model gets text and calls only."""
    signed = FunctionCall("a", "get", {"x": 1}, {"extra_content": {"google": {"thought_signature": "s"}}})
    parts = (ThoughtPart("hm", {"reasoning_details": [{"type": "x"}]}), TextPart("b", {"id": "i"}), signed)
    for other in (
        None,
        HOST.origin("custom", "other"),
        HOST.origin("openrouter", "m"),
        Endpoint().origin("custom", "m"),
    ):
        (message, _) = sent(PromptMessage(Role.ASSISTANT, parts, other))
        assert message == {"role": "assistant", "content": "b", "tool_calls": [called()]}


# --------------------------------------------------------------------------------------------------- odd servers


def test_roles_alternate_where_they_must() -> None:
    """Text between paragraphs, parts one after the other."""
    messages = sent(
        user(TextPart("a")), user(TextPart("b")), user(PNG), model(TextPart("c")), model(TextPart("d")), adapter=PICKY
    )
    assert messages == [
        {"role": "user", "content": [{"type": "text", "text": "a\n\nb"}, image("data:image/png;base64,cG5n")]},
        {"role": "assistant", "content": "c\n\nd"},
    ]


def test_a_model_of_few_words_stands_between_a_result_and_the_person() -> None:
    """Mistral refuses a user's message right behind a tool's."""
    messages = sent(model(CALL), user(result("a", TextPart("1")), TextPart("and?")), adapter=PICKY)
    assert [message["role"] for message in messages] == ["assistant", "tool", "assistant", "user"]


MARKED = OpenAIChat(Dialect("marked", "Marked", None, cached_models=("m",)))


def test_places_for_the_prompt_cache_are_marked_the_last_four() -> None:
    """On the last part of the message, whoever speaks."""
    turns = [turn for number in range(5) for turn in (user(TextPart(str(number)), mark=True), model(TextPart("so")))]
    messages = sent(*turns, adapter=MARKED)[::2]
    mark = {"type": "ephemeral"}
    assert messages[0] == {"role": "user", "content": "0"}
    assert [message["content"] for message in messages[1:]] == [
        [{"type": "text", "text": str(number), "cache_control": mark}] for number in range(1, 5)
    ]
    (_, tool) = sent(model(CALL), user(result("a", TextPart("1")), mark=True), adapter=MARKED)
    assert tool["content"] == [{"type": "text", "text": "1", "cache_control": mark}]
    assert sent(user(TextPart("a"), mark=True)) == [{"role": "user", "content": "a"}]
