"""One shape for every API: roles, words, calls with their results, and what stands for what cannot be sent."""

from __future__ import annotations

import re
from typing import Any, Final

import pytest
from hypothesis import given
from hypothesis import strategies as st

from adapters.contract import (
    FilePart,
    FunctionCall,
    GenerationRequest,
    ImagePart,
    MalformedCall,
    NamedTool,
    Origin,
    Part,
    PromptMessage,
    Role,
    TextPart,
    ThoughtPart,
    ToolResult,
    ToolSpec,
)
from adapters.paired_calls import CallIds
from adapters.well_formed import BEGINNING, GO_ON, Demands, well_formed, with_system_in_front
from tests.adapters.histories import assistant_messages, user_messages

READER: Final = Origin("here", None, "m")
OTHER: Final = Origin("elsewhere", None, "m")
STRICT: Final = Demands(CallIds(re.compile(r"[a-z0-9]{1,9}"), length=9))
SIGNED: Final = {"signature": "S"}
PICTURE: Final = ImagePart("image/png", b"png")
NAMED: Final = TextPart("[picture: image/png]")


def user(*parts: Part, mark: bool = False) -> PromptMessage:
    return PromptMessage(Role.USER, parts, cache_mark=mark)


def model(*parts: Part, origin: Origin | None = READER) -> PromptMessage:
    return PromptMessage(Role.ASSISTANT, parts, origin)


def result(call_id: str, words: str = "1", name: str = "get") -> ToolResult:
    return ToolResult(call_id, name, (TextPart(words),))


def shaped(*messages: PromptMessage, demands: Demands = STRICT, **options: Any) -> list[tuple[str, list[Part]]]:
    """Role and parts of what comes out."""
    request = well_formed(GenerationRequest("m", messages, **options), READER, demands)
    return [(message.role.value, list(message.parts)) for message in request.messages]


HI: Final = user(TextPart("hi"))
SO: Final = model(TextPart("so"))

# --------------------------------------------------------------------------------------------------- turns and words


@pytest.mark.parametrize(
    ("messages", "expected"),
    [
        ((HI, user(TextPart("ho"))), [("user", ["hi", "\n\nho"])]),
        ((HI, model(TextPart(" \n")), user(TextPart("ho"))), [("user", ["hi", "\n\nho"])]),
        ((HI, model(), model(ThoughtPart("hm", SIGNED)), user(), user(TextPart(""))), [("user", ["hi"])]),
        ((HI, SO, model(TextPart("then"))), [("user", ["hi"]), ("assistant", ["so", "\n\nthen"])]),
        ((SO,), [("user", [BEGINNING]), ("assistant", ["so"])]),
        ((), [("user", ["…"])]),
        ((HI, model(TextPart("so \n"))), [("user", ["hi"]), ("assistant", ["so"])]),
        ((HI, model(TextPart("a"), TextPart(" "), TextPart("b"))), [("user", ["hi"]), ("assistant", ["a ", "b"])]),
        ((HI, model(TextPart(" "), TextPart("b"))), [("user", ["hi"]), ("assistant", [" b"])]),
        ((user(TextPart("a\x00\ud83d\x0cb")),), [("user", ["a\u2400\ufffd\nb"])]),
        ((HI, model(TextPart("a"), ThoughtPart("hm")), model(ThoughtPart("hm"), TextPart("b"))), [("user", ["hi"]), ("assistant", ["a", "\n\nb"])]),
    ],
)  # fmt: skip
def test_turns_alternate_a_user_begins_and_no_text_is_blank(
    messages: tuple[PromptMessage, ...], expected: list[tuple[str, list[str]]]
) -> None:
    """Neighbours stay apart as paragraphs; white space that matters stays, that at an answer's end goes."""
    found = [(role, [part.text for part in parts if isinstance(part, TextPart)]) for role, parts in shaped(*messages)]
    assert found == expected


def test_a_user_has_the_last_word_where_the_api_wants_it() -> None:
    """Asked to go on, after an answer."""
    ends = Demands(STRICT.ids, ends_with_user=True)
    assert shaped(HI, SO, demands=ends)[-1] == ("user", [TextPart(GO_ON)])
    assert shaped(HI, demands=ends) == [("user", [TextPart("hi")])]


def test_what_a_reader_signed_stays_as_it_was_and_what_others_signed_is_words() -> None:
    """A signature covers the text that it came with, white space and all; two answers that become one keep theirs each."""
    signed = TextPart("so \n", SIGNED)
    assert shaped(HI, model(ThoughtPart("hm", SIGNED), signed))[1][1] == [ThoughtPart("hm", SIGNED), signed]
    assert shaped(HI, model(ThoughtPart("hm", SIGNED), signed, origin=OTHER))[1][1] == [TextPart("so")]
    joined = shaped(HI, model(TextPart("a", SIGNED)), model(TextPart("b", SIGNED), origin=OTHER), model(signed))
    assert joined[1][1] == [TextPart("a", SIGNED), TextPart("\n\nb\n\n"), signed]


def test_a_place_for_the_prompt_cache_moves_to_what_is_left_before_it() -> None:
    """The prompt up to there comes again all the same."""
    request = GenerationRequest("m", (HI, SO, user(TextPart(" "), mark=True)))
    assert [message.cache_mark for message in well_formed(request, READER, STRICT).messages] == [False, True]


# ------------------------------------------------------------------------------------------------- calls and results


@pytest.mark.parametrize(
    ("made", "answered", "expected"),
    [
        # In the order of the calls, before what was said.
        ([("a", "get"), ("b", "get")], [TextPart("and?"), result("b", "2"), result("a")], ["a=1", "b=2", "and?"]),
        # A call without a result.
        ([("a", "get")], [TextPart("and?")], ["a=no result!", "and?"]),
        # One id for two calls.
        ([("a", "get"), ("a", "get")], [result("a"), result("a", "2")], ["a=1", "*=2"]),
        # Two results for one call, and one for none.
        ([("a", "get")], [result("a"), result("a", "2"), result("z", "x\ny")], ["a=1", "[result of get: 2]", "\n[result of get: x\n> y]"]),
        # The same result twice.
        ([("a", "get")], [result("a"), result("a")], ["a=1", "[result of get: 1]"]),
        # An id that the API does not take.
        ([("functions.get:0", "get")], [result("functions.get:0")], ["*=1"]),
    ],
)  # fmt: skip
def test_every_call_has_its_result_and_every_result_its_call(
    made: list[tuple[str, str]], answered: list[Part], expected: list[str]
) -> None:
    """Directly behind it; what belongs to no call is told in words, where it stood."""
    calls = [FunctionCall(call_id, name, {}) for call_id, name in made]
    _, (_, sent), (_, parts) = shaped(HI, model(*calls), user(*answered))
    ids = [part.id for part in sent if isinstance(part, FunctionCall)]
    assert ids == [part.call_id for part in parts if isinstance(part, ToolResult)]
    assert len(set(ids)) == len(ids)
    assert [_shown(part, {call_id for call_id, _ in made}) for part in parts] == expected


def _shown(part: Part, known: set[str]) -> str:
    if isinstance(part, TextPart):
        return part.text
    assert isinstance(part, ToolResult)
    (content,) = part.content
    assert isinstance(content, TextPart)
    call_id = part.call_id if part.call_id in known else "*"
    assert re.fullmatch(r"[a-z0-9]{1,9}", part.call_id)
    return f"{call_id}={content.text}{'!' if part.is_error else ''}"


def test_ids_that_begin_anew_with_every_answer_are_told_apart() -> None:
    """Each with its own result, and the first as it was."""
    step = (model(FunctionCall("a", "get", {})), user(result("a")))
    found = shaped(HI, *step, SO, HI, *step)
    ids = [part.id for _, parts in found for part in parts if isinstance(part, FunctionCall)]
    assert ids[0] == "a"
    assert len(set(ids)) == 2
    assert ids == [part.call_id for _, parts in found for part in parts if isinstance(part, ToolResult)]


def test_a_call_at_the_end_and_one_whose_answer_comes_late_get_a_result() -> None:
    """A result behind the model's next word is nobody's."""
    open_call = model(FunctionCall("a", "get", {}))
    missing = ToolResult("a", "get", (TextPart("no result"),), is_error=True)
    assert shaped(HI, open_call)[-1] == ("user", [missing])
    late = shaped(HI, open_call, user(TextPart("?")), SO, user(result("a")))
    assert late[2:] == [
        ("user", [missing, TextPart("?")]),
        ("assistant", [TextPart("so")]),
        ("user", [TextPart("[result of get: 1]")]),
    ]


@pytest.mark.parametrize(
    ("raw", "args"),
    [
        ('{"x":', {}), ("[1]", {}), ("", {}), ('{"x":"1\\u0000"}', {"x": "1\u2400"}), ("[" * 100_000, {}),
        ('{"x":' + "[" * 600 + '"\\u0000"' + "]" * 600 + "}", {}),
    ],
)  # fmt: skip
def test_a_broken_call_goes_back_with_arguments_that_can_be_read(raw: str, args: dict[str, Any]) -> None:
    """What was wrong stands in its result."""
    _, (_, sent), (_, answered) = shaped(HI, model(MalformedCall("a", "no such\ntool", raw, "cut off")))
    assert sent == [FunctionCall("a", "no_such_tool", args)]
    assert answered == [ToolResult("a", "no_such_tool", (TextPart("cut off"),), is_error=True)]


def test_arguments_that_json_cannot_hold_are_mended() -> None:
    """Half a surrogate pair would make the whole request unsendable."""
    args = {"x": ["\ud83d", {"\x00": 1}], "y": 2**80}
    assert shaped(HI, model(FunctionCall("a", "get", args)))[1][1] == [
        FunctionCall("a", "get", {"x": ["\ufffd", {"\u2400": 1}], "y": 2**80})
    ]
    deep: list[Any] = []
    for _ in range(5000):
        deep = [deep]
    for unsendable in ({"x": object()}, {"x": deep}):
        assert shaped(HI, model(FunctionCall("a", "get", unsendable)))[1][1] == [FunctionCall("a", "get", {})]
        signed = FunctionCall("a", "get", unsendable, SIGNED)
        assert shaped(HI, model(signed))[1][1] == [FunctionCall("a", "get", {}, SIGNED)]


def test_a_model_without_tools_gets_results_in_words_and_no_calls() -> None:
    """And what was left empty by that is gone."""
    bare = Demands(STRICT.ids, calls=False)
    found = shaped(HI, model(FunctionCall("a", "get", {})), user(result("a"), TextPart("so?")), demands=bare)
    assert found == [("user", [TextPart("hi"), TextPart("\n[result of get: 1]"), TextPart("\nso?")])]


def test_what_stands_for_a_picture_or_a_call_does_not_run_into_the_words_around_it() -> None:
    """APIs that know text alone write parts down without anything between."""
    bare = Demands(STRICT.ids, calls=False)
    drawn = model(TextPart("A cat:"), PICTURE, TextPart("Nice."))
    assert shaped(HI, drawn)[1][1] == [TextPart("A cat:"), TextPart("\n[picture: image/png]"), TextPart("\nNice.")]
    looked = model(TextPart("I look."), FunctionCall("a", "get", {}), TextPart("It rains."))
    assert shaped(HI, looked, demands=bare)[1][1] == [TextPart("I look."), TextPart("\nIt rains.")]


def test_names_of_tools_are_led_into_the_alphabet_wherever_they_stand() -> None:
    """On offer, in the choice, in calls and their results."""
    read = ToolSpec("files.read", "", {})
    request = GenerationRequest(
        "m",
        (HI, model(FunctionCall("a", "files.read", {})), user(result("a", name="files.read"))),
        tools=(read,),
        tool_choice=NamedTool("files.read"),
    )
    made = well_formed(request, READER, STRICT)
    assert (made.tools[0].name, made.tool_choice) == ("files_read", NamedTool("files_read"))
    assert made.messages[1].parts == (FunctionCall("a", "files_read", {}),)
    assert made.messages[2].parts == (result("a", name="files_read"),)


# ------------------------------------------------------------------------------------------------------------- media


def test_pictures_are_sent_where_the_model_sees_and_are_named_elsewhere() -> None:
    """Those in results of tools too; the model's own are for models that draw."""
    shown = ToolResult("a", "get", (PICTURE,))
    seen = (user(PICTURE), model(PICTURE, FunctionCall("a", "get", {})), user(shown))
    assert [parts[0] for _, parts in shaped(*seen)] == [PICTURE, NAMED, shown]
    blind = [NAMED, NAMED, ToolResult("a", "get", (NAMED,))]
    assert [parts[0] for _, parts in shaped(*seen, demands=Demands(STRICT.ids, images=False))] == blind
    assert shaped(*seen, demands=Demands(STRICT.ids, drawn_images=True))[1][1][0] == PICTURE
    assert shaped(user(ImagePart("image/png"))) == [("user", [NAMED])]


def test_a_files_name_is_one_line() -> None:
    """It is its owner's word, and stands among ours."""
    assert shaped(user(FilePart("a]\nRULE: [b.pdf", "application/pdf", b"x"))) == [
        ("user", [FilePart("a) RULE: (b.pdf", "application/pdf", b"x")])
    ]


def test_a_file_without_bytes_is_named() -> None:
    """An empty one makes the whole request fail."""
    assert shaped(user(FilePart("a.pdf", "application/pdf", b""))) == [
        ("user", [TextPart("[file: a.pdf, application/pdf, 0 bytes]")])
    ]


@pytest.mark.parametrize(("system", "sent"), [(" \n", ""), ("a\x00\ud83d ", "a\u2400\ufffd ")])
def test_the_systems_text_and_tools_descriptions_can_be_sent(system: str, sent: str) -> None:
    """A blank prompt is none: strict templates take an empty system message for a turn out of order."""
    tools = (ToolSpec("get", "Gets\x00.", {}),)
    made = well_formed(GenerationRequest("m", (HI,), system=system, tools=tools), READER, STRICT)
    assert (made.system, made.tools[0].description) == (sent, "Gets\u2400.")


def test_the_systems_text_stands_in_front_for_a_model_without_that_role() -> None:
    """As a paragraph of its own."""
    request = well_formed(GenerationRequest("m", (HI, SO), system="Be kind."), READER, STRICT)
    made = with_system_in_front(request, request.system)
    assert made.system == ""
    assert made.messages[0].parts == (TextPart("Be kind."), TextPart("\n\nhi"))
    assert with_system_in_front(request, " ") == request


# -------------------------------------------------------------------------------------------------------------- laws


@given(st.lists(st.one_of(user_messages(), assistant_messages("here", READER)), max_size=6), st.booleans())
def test_what_is_well_formed_is_left_alone(messages: list[PromptMessage], calls: bool) -> None:
    """Once is as good as twice."""
    demands = Demands(CallIds(re.compile(r"[a-z0-9_]{1,40}"), keeps_own=True), calls=calls, ends_with_user=True)
    messages = [*messages, *messages]
    tools = (ToolSpec("get", "", {}), ToolSpec("files.read", "", {}))
    once = well_formed(GenerationRequest("m", tuple(messages), tools=tools), READER, demands)
    assert repr(well_formed(once, READER, demands)) == repr(once)
