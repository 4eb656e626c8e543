"""The conversation in Gemini's form: a list of contents, each with a role and parts.

The content after one with calls must hold exactly one functionResponse for each, in their order, and nothing else
(https://ai.google.dev/gemini-api/docs/function-calling); what a user says after them is a content of its own. Signatures go back
on the part they came with. Where Gemini 3 demands one that it did not make, because another model made the call or said the
words, it takes a documented word instead.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any, Final

from adapters.contract import (
    FilePart,
    FunctionCall,
    ImagePart,
    Part,
    PromptMessage,
    Role,
    TextPart,
    ThoughtPart,
    ToolResult,
)
from adapters.in_words import in_words
from adapters.paired_calls import CallIds
from adapters.providers.body import base64_text, media_type_of, on_lines
from adapters.providers.google.models import Model
from adapters.providers.google.opaque import text_parts

FOREIGN_CALL: Final = "skip_thought_signature_validator"
"""https://ai.google.dev/gemini-api/docs/thought-signatures: for what the API did not make itself."""

CALL_IDS: Final = CallIds(re.compile(r"[!-~]{1,128}"))

_TEXT_TYPES: Final = frozenset(
    f"application/{name}" for name in ("json", "xml", "yaml", "x-yaml", "toml", "javascript", "x-javascript", "sql")
)
_TAKEN: Final = frozenset(("application/pdf", *(f"image/{name}" for name in ("png", "jpeg", "webp", "heic", "heif"))))
"""And all of audio and video (https://ai.google.dev/gemini-api/docs/image-understanding, …/document-processing)."""
_IN_RESULTS: Final = frozenset(("image/png", "image/jpeg", "image/webp", "application/pdf", "text/plain"))
"""What Gemini 3 takes inside a functionResponse."""

_Json = dict[str, Any]


def contents(messages: Iterable[PromptMessage], model: Model, *, ids: bool) -> list[_Json]:
    """The `contents` of a request, of well-formed messages. `ids`: the API's calls have ids, so that calls of other origins may
    have some too."""
    history = _Contents(model, ids=ids)
    for message in messages:
        if message.role is Role.USER:
            history.hear(message.parts)
        else:
            history.speak(message.parts)
    return history.finish()


class _Contents:
    def __init__(self, model: Model, *, ids: bool) -> None:
        self._model = model
        self._ids = ids
        self._out: list[_Json] = []
        self._calls: dict[str, FunctionCall] = {}
        """The calls of the last content, which is a model's, by their ids."""

    def hear(self, parts: Sequence[Part]) -> None:
        """All that tools and users said up to the model's next word."""
        after: list[_Json] = []
        answers = [self._response(part, after) for part in parts if isinstance(part, ToolResult)]
        self._calls = {}
        if answers:
            self._out.append({"role": "user", "parts": answers})
        self._say("user", [*after, *(piece for part in parts for piece in _user_part(part))])

    def speak(self, parts: Sequence[Part]) -> None:
        """What the model said."""
        self._say("model", [piece for part in parts for piece in self._model_part(part)])

    def finish(self) -> list[_Json]:
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

    def _model_part(self, part: Part) -> Iterator[_Json]:
        if isinstance(part, TextPart):
            yield from text_parts(part.text, part.opaque)
        elif isinstance(part, ThoughtPart):
            if part.opaque:
                yield from text_parts(part.text, part.opaque, thought=True)
        elif isinstance(part, FunctionCall):
            self._calls[part.id] = part
            signature = (part.opaque or {}).get("thoughtSignature")
            call = {"functionCall": {**self._id(part), "name": part.name, "args": part.args}}
            yield {**call, "thoughtSignature": signature} if signature else call
        elif isinstance(part, ImagePart):
            yield _blob(part)

    def _id(self, call: FunctionCall) -> _Json:
        """Of its own calls the id that the API gave, if it did. Vertex refuses the field where it gives none itself."""
        given = call.opaque.get("id") if call.opaque else None
        made = call.id if not call.opaque and self._ids and self._model.signs_calls else None
        return {"id": given or made} if given or made else {}

    def _response(self, result: ToolResult, after: list[_Json]) -> _Json:
        """A call's answer. Media that cannot stand inside it go to `after`."""
        response: _Json = {
            **self._id(self._calls[result.call_id]),
            "name": result.name,
            "response": {"error" if result.is_error else "output": _text(result)},
        }
        inside: list[_Json] = []
        for piece in (piece for part in _media(result) for piece in _user_part(part)):
            if self._model.signs_calls and piece.get("inlineData", {}).get("mimeType") in _IN_RESULTS:
                inside.append(piece)
            else:
                after.extend(({"text": f"[from the tool {result.name}]"}, piece))
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


def _media(result: ToolResult) -> Sequence[Part]:
    return [part for part in result.content if not isinstance(part, TextPart)]


def _text(result: ToolResult) -> str:
    return on_lines(part.text for part in result.content if isinstance(part, TextPart))


def _media_type(name: str) -> str | None:
    """As what the API takes data of this type; None where it does not. Text is text: many of its names are refused."""
    name = media_type_of(name)
    if name.startswith("text/") or name in _TEXT_TYPES:
        return "text/plain"
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
