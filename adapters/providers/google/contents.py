"""The conversation in Gemini's form: a list of contents, each with a role and parts.

The API refuses a request in which a call has no answer: the content after one with calls must hold exactly one functionResponse
for each, in their order, and nothing else (https://ai.google.dev/gemini-api/docs/function-calling). So results are looked up by
call; a result without its call is told in words. Signatures go back on the part they came with. Where Gemini 3 demands one that
it did not make, because another model made the call or said the words, it takes a documented word instead.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from itertools import groupby
from typing import Any, Final

from adapters.contract import (
    FilePart,
    FunctionCall,
    ImagePart,
    MalformedCall,
    Origin,
    Part,
    PromptMessage,
    Role,
    TextPart,
    ThoughtPart,
    ToolResult,
)
from adapters.providers.body import GO_ON, NO_RESULT, base64_text, in_words
from adapters.providers.google.models import Model
from adapters.providers.google.opaque import text_parts

FOREIGN_CALL: Final = "skip_thought_signature_validator"
"""https://ai.google.dev/gemini-api/docs/thought-signatures: for what the API did not make itself."""

UNNAMED: Final = "unknown"
BEGINNING: Final = "[the beginning of this conversation is left out]"
"""A conversation must begin with a user, and a call must follow one."""

_TEXT_TYPES: Final = frozenset(
    f"application/{name}" for name in ("json", "xml", "yaml", "x-yaml", "toml", "javascript", "x-javascript", "sql")
)
_TAKEN: Final = frozenset(("application/pdf", *(f"image/{name}" for name in ("png", "jpeg", "webp", "heic", "heif"))))
"""And all of audio and video (https://ai.google.dev/gemini-api/docs/image-understanding, …/document-processing)."""
_IN_RESULTS: Final = frozenset(("image/png", "image/jpeg", "image/webp", "application/pdf", "text/plain"))
"""What Gemini 3 takes inside a functionResponse."""

_Json = dict[str, Any]


def contents(messages: Iterable[PromptMessage], model: Model, own: Origin, *, ids: bool, calls: bool) -> list[_Json]:
    """The `contents` of a request. `ids`: the API's calls have ids, so that calls of other origins may have some too. `calls`:
    the model takes calls; else only their results are told, in words."""
    history = _Contents(model, own, ids=ids, calls=calls)
    for role, run in groupby(messages, key=lambda message: message.role):
        if role is Role.USER:
            history.hear([part for message in run for part in message.parts])
        else:
            for message in run:
                history.speak(message)
    return history.finish()


class _Contents:
    def __init__(self, model: Model, own: Origin, *, ids: bool, calls: bool) -> None:
        self._model = model
        self._own = own
        self._ids = ids
        self._takes_calls = calls
        self._out: list[_Json] = []
        self._calls: list[tuple[FunctionCall | MalformedCall, bool]] = []
        """The calls of the last content, which is a model's; whether they are of the own origin."""

    def hear(self, parts: Sequence[Part]) -> None:
        """All that users and tools said up to the model's next word."""
        after = self._answer([part for part in parts if isinstance(part, ToolResult)])
        self._say("user", [*after, *(piece for part in parts for piece in _user_part(part))])

    def speak(self, message: PromptMessage) -> None:
        """A message of a model's."""
        own = message.origin is not None and message.origin == self._own
        for part in message.parts:
            if isinstance(part, FunctionCall | MalformedCall):
                if not self._takes_calls:
                    continue
                self._calls.append((part, own))
            self._say("model", list(self._model_part(part, own=own)))

    def finish(self) -> list[_Json]:
        self._answer([])
        if self._out and self._out[0]["role"] == "model":
            self._out.insert(0, {"role": "user", "parts": [{"text": BEGINNING}]})
        if self._out and self._out[-1]["role"] == "model" and self._model.ends_with_user:
            self._out.append({"role": "user", "parts": [{"text": GO_ON}]})
        if self._model.signs_calls:
            _sign_foreign_calls(self._out)
        if self._model.signs_pictures:
            _sign_foreign_pictures(self._out)
        return self._out

    # ------------------------------------------------------------------------------------------------------- parts

    def _say(self, role: str, parts: list[_Json]) -> None:
        """Roles alternate; only the answers to calls stay a content of their own."""
        if not parts:
            return
        last = self._out[-1] if self._out else None
        if last is not None and last["role"] == role and not _is_answer(last):
            last["parts"].extend(parts)
        else:
            self._out.append({"role": role, "parts": parts})

    def _model_part(self, part: Part, *, own: bool) -> Iterator[_Json]:
        opaque = getattr(part, "opaque", None) if own else None
        if isinstance(part, TextPart):
            yield from text_parts(part.text, opaque)
        elif isinstance(part, ThoughtPart):
            if opaque:
                yield from text_parts(part.text, opaque, thought=True)
        elif isinstance(part, FunctionCall | MalformedCall):
            yield self._call(part, own=own)
        elif isinstance(part, ImagePart) and self._model.draws:
            yield _blob(part)
        elif isinstance(part, ImagePart | FilePart):
            yield {"text": in_words(part).text}

    def _call(self, call: FunctionCall | MalformedCall, *, own: bool) -> _Json:
        # Arguments that are no JSON cannot be sent at all: the API takes an object.
        args = dict(call.args) if isinstance(call, FunctionCall) else {}
        part: _Json = {"functionCall": {**self._id(call, own=own), "name": call.name or UNNAMED, "args": args}}
        signature = call.opaque.get("thoughtSignature") if own and call.opaque else None
        return {**part, "thoughtSignature": signature} if signature else part

    def _id(self, call: FunctionCall | MalformedCall, *, own: bool) -> _Json:
        """Of its own calls the id that the API gave, if it did. Vertex refuses the field where it gives none itself."""
        call_id = (call.opaque or {}).get("id") if own else call.id if self._ids and self._model.signs_calls else None
        return {"id": call_id} if call_id else {}

    # ----------------------------------------------------------------------------------------------------- answers

    def _answer(self, results: Sequence[ToolResult]) -> list[_Json]:
        """Answer the open calls. Gives what must stand in the content after: media, and results whose call is unknown."""
        waiting = list(results)
        answers: list[_Json] = []
        after: list[_Json] = []
        for call, own in self._calls:
            result = next((each for each in waiting if each.call_id == call.id), None)
            if result is not None:
                waiting.remove(result)
            answers.append(self._response(call, result, after, own=own))
        self._calls = []
        if answers:
            self._out.append({"role": "user", "parts": answers})
        for orphan in waiting:
            after.append({"text": f"[result of the tool {orphan.name}] {_text(orphan)}"})
            after.extend(piece for part in _media(orphan) for piece in _user_part(part))
        return after

    def _response(
        self, call: FunctionCall | MalformedCall, result: ToolResult | None, after: list[_Json], *, own: bool
    ) -> _Json:
        """A call's answer. Media that cannot stand inside it go to `after`."""
        failed = result is None or result.is_error
        text = NO_RESULT if result is None else _text(result)
        response: _Json = {
            **self._id(call, own=own),
            "name": call.name or UNNAMED,
            "response": {"error" if failed else "output": text},
        }
        inside: list[_Json] = []
        for piece in (piece for part in _media(result) for piece in _user_part(part)):
            if self._model.signs_calls and piece.get("inlineData", {}).get("mimeType") in _IN_RESULTS:
                inside.append(piece)
            else:
                after.extend(({"text": f"[from the tool {call.name}]"}, piece))
        if inside:
            response["parts"] = inside
        return {"functionResponse": response}


def _sign_foreign_calls(out: Sequence[Mapping[str, Any]]) -> None:
    """The first call of every step needs a signature. The API looks at those since a user's last words only; the others get the
    word too, or the beginning of the conversation would change with every turn, and Google's cache would not know it again."""
    for content in out:
        first = next((part for part in content["parts"] if "functionCall" in part), None)
        if first is not None:
            first.setdefault("thoughtSignature", FOREIGN_CALL)


def _sign_foreign_pictures(out: Sequence[Mapping[str, Any]]) -> None:
    """Every picture needs a signature, and so does what comes first after the thoughts."""
    for content in out:
        if content["role"] == "model":
            said = [part for part in content["parts"] if not part.get("thought")]
            for position, part in enumerate(said):
                if position == 0 or "inlineData" in part or "fileData" in part:
                    part.setdefault("thoughtSignature", FOREIGN_CALL)


def _is_answer(content: Mapping[str, Any]) -> bool:
    return "functionResponse" in content["parts"][0]


def _user_part(part: Part) -> Iterator[_Json]:
    """What a user may say; results are answers and stand elsewhere."""
    if isinstance(part, ImagePart):
        yield _blob(part)
    elif isinstance(part, FilePart):
        media_type = _media_type(part.media_type)
        yield {"text": in_words(part).text} if media_type is None else _inline(media_type, part.data)
    elif isinstance(part, TextPart) and part.text:
        yield {"text": part.text}


def _media(result: ToolResult | None) -> Sequence[Part]:
    return [part for part in result.content if not isinstance(part, TextPart)] if result is not None else ()


def _text(result: ToolResult) -> str:
    return "".join(part.text for part in result.content if isinstance(part, TextPart))


def _media_type(name: str) -> str | None:
    """As what the API takes data of this type; None where it does not. Text is text: many of its names are refused."""
    name = name.partition(";")[0].strip().lower()
    if name.startswith("text/") or name in _TEXT_TYPES:
        return "text/plain"
    if name == "image/jpg":
        return "image/jpeg"
    return name if name in _TAKEN or name.startswith(("audio/", "video/")) else None


def _blob(part: ImagePart) -> _Json:
    media_type = _media_type(part.media_type)
    if media_type is not None and part.data:
        return _inline(media_type, part.data)
    if part.url is None or part.data:
        return {"text": in_words(part).text}
    return {"fileData": {"mimeType": part.media_type, "fileUri": part.url}}


def _inline(media_type: str, data: bytes) -> _Json:
    return {"inlineData": {"mimeType": media_type, "data": base64_text(data)}}
