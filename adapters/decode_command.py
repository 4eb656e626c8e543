"""`python -m adapters decode`: one raw response body in, one JSON object out. Its face is fixed: scripts read it."""

from __future__ import annotations

import argparse
import sys
from collections.abc import Iterator, Sequence
from email.utils import formatdate
from pathlib import Path
from typing import Any, Final, NoReturn

import msgspec

from adapters import registry
from adapters.contract import (
    Closing,
    DoneChunk,
    ErrorChunk,
    ErrorReason,
    FinishReason,
    FunctionCall,
    FunctionCallChunk,
    GeneratedImage,
    GenerationRequest,
    MalformedCall,
    ProcessedChunk,
    ProviderError,
    StreamAdapter,
    TextChunk,
    ThoughtLogEntry,
    ToolSpec,
    Usage,
)
from adapters.errors import error_of

WRONG_USAGE: Final = 2

_BROKEN_OFF: Final = frozenset(
    (ErrorReason.TRUNCATED_STREAM, ErrorReason.CONNECTION, ErrorReason.IDLE, ErrorReason.TOTAL)
)


class _Result:
    """Gathers the chunks of one stream."""

    def __init__(self) -> None:
        self.text: list[str] = []
        self.thinking: list[str] = []
        self.calls: list[FunctionCall] = []
        self.malformed: list[MalformedCall] = []
        self.images: list[GeneratedImage] = []
        self.usage = Usage()
        self.serving_provider: str | None = None
        self.error: ProviderError | None = None
        self.finish = "error"
        self.provider_finish_reason: str | None = None

    def add(self, chunks: Sequence[ProcessedChunk]) -> None:
        for chunk in chunks:
            match chunk:
                case FunctionCallChunk():
                    self._add_call(chunk.call)
                case DoneChunk():
                    self.finish = chunk.finish
                    self._close(chunk.closing)
                case ErrorChunk():
                    self._fail(chunk)
                case TextChunk():
                    for thought in chunk.thoughts:
                        self._think(thought)
                    self.text.append(chunk.content)
                    self.images.extend(chunk.images)

    def _think(self, thought: ThoughtLogEntry) -> None:
        if thought.takes_back:
            self.thinking.extend(self.text)
            self.text.clear()
        self.thinking.append(thought.text)

    def _add_call(self, call: FunctionCall | MalformedCall) -> None:
        if isinstance(call, FunctionCall):
            self.calls.append(call)
        else:
            self.malformed.append(call)

    def _fail(self, chunk: ErrorChunk) -> None:
        self.error = chunk.error
        broken = chunk.finish is FinishReason.INCOMPLETE and chunk.error.reason not in _BROKEN_OFF
        self.finish = "error" if broken else chunk.finish
        self._close(chunk.closing)

    def _close(self, closing: Closing) -> None:
        self.provider_finish_reason = closing.provider_finish_reason
        self.usage = closing.usage or self.usage
        self.serving_provider = closing.serving_provider

    def to_json(self) -> dict[str, Any]:
        return {
            "text": "".join(self.text),
            "thinking": "".join(self.thinking),
            "tool_calls": [{"id": call.id, "name": call.name, "arguments": call.args} for call in self.calls],
            "malformed_tool_calls": [_fields(call, _MALFORMED_FIELDS) for call in self.malformed],
            "finish": self.finish,
            "provider_finish_reason": self.provider_finish_reason,
            "usage": self.usage,
            "serving_provider": self.serving_provider,
            "images": [_image(image) for image in self.images],
            "error": self.error and _fields(self.error, _ERROR_FIELDS),
        }


_MALFORMED_FIELDS: Final = ("id", "name", "raw_arguments", "problem")
_ERROR_FIELDS: Final = ("type", "reason", "code", "message", "retryable", "rotate_key", "retry_after")


def _fields(value: object, names: Sequence[str]) -> dict[str, Any]:
    return {name: getattr(value, name) for name in names}


def _image(image: GeneratedImage) -> dict[str, Any]:
    if image.url is not None:
        return {"media_type": image.media_type, "url": image.url}
    return {"media_type": image.media_type, "bytes": len(image.data)}


def decode(
    adapter: StreamAdapter,
    body: bytes,
    *,
    status: int = 200,
    headers: dict[str, str] | None = None,
    tools: Sequence[ToolSpec] = (),
    text_tools: bool = False,
    split: int = 0,
    reset: bool = False,
) -> dict[str, Any]:
    """The result of one body. `tools` were offered, `text_tools` recovers calls of them from the text; `split` > 0 feeds so many
    bytes at a time; `reset` ends it with a lost connection."""
    result = _Result()
    if not 200 <= status < 300:
        result.add([ErrorChunk(adapter.classify(status, headers or {}, body))])
        return result.to_json()
    request = GenerationRequest(model="", messages=(), tools=tuple(tools), text_tool_calls=text_tools)
    decoder = adapter.open(request)
    for piece in _pieces(body, split):
        result.add(decoder.feed(piece))
    lost = error_of(ErrorReason.CONNECTION, "the connection was lost")
    result.add(decoder.fail(lost) if reset else decoder.close())
    return result.to_json()


def _pieces(body: bytes, split: int) -> Iterator[bytes]:
    if not split:
        yield body
        return
    for start in range(0, len(body), split):
        yield body[start : start + split]


def main(argv: Sequence[str]) -> int:
    """Arguments behind the word `decode`. Exit status 0; 2 for wrong usage."""
    arguments = _parser().parse_args(argv)
    try:
        adapter = registry.adapter(arguments.provider)
    except KeyError as unknown:
        _refuse(unknown.args[0])
    tools = _read_tools(arguments.tools) if arguments.tools else ()
    if arguments.text_tools and not tools:
        sys.stderr.write("decode: --text-tools without --tools recovers nothing: only offered tools can be called\n")
    body = sys.stdin.buffer.read() if arguments.file == "-" else _read(arguments.file)
    result = decode(
        adapter,
        body,
        status=arguments.status,
        headers={"date": formatdate(usegmt=True), **dict(arguments.header)},
        tools=tools,
        text_tools=arguments.text_tools,
        split=arguments.split,
        reset=arguments.cut == "reset",
    )
    sys.stdout.write(msgspec.json.encode(result).decode() + "\n")
    sys.stdout.flush()
    return 0


def _parser() -> argparse.ArgumentParser:
    command = argparse.ArgumentParser(
        prog="python -m adapters decode", description="One raw response body to one JSON result."
    )
    command.add_argument("--provider", required=True, metavar="NAME", help=", ".join(registry.NAMES))
    command.add_argument("--tools", metavar="FILE", help="the tools that were offered, a JSON list in OpenAI form")
    command.add_argument("--text-tools", action="store_true", help="recover calls of these tools written as text")
    command.add_argument("--status", type=int, default=200, metavar="N", help="HTTP status of the answer (200)")
    command.add_argument(
        "--header", type=_header, action="append", default=[], metavar="'Name: value'", help="of the answer"
    )
    command.add_argument("--split", type=_positive, default=0, metavar="N", help="feed N bytes at a time")
    command.add_argument("--cut", choices=("eof", "reset"), default="eof", help="how the body ends (eof)")
    command.add_argument("file", nargs="?", default="-", metavar="FILE", help="the body; - is standard input")
    return command


def _header(text: str) -> tuple[str, str]:
    name, colon, value = text.partition(":")
    if not colon or not name.strip():
        raise argparse.ArgumentTypeError(f"{text!r} is not of the form 'Name: value'")
    return name.strip().lower(), value.strip()


def _positive(text: str) -> int:
    if not text.isdecimal() or int(text) < 1:
        raise argparse.ArgumentTypeError(f"{text!r} is not a number above 0")
    return int(text)


def _read(path: str) -> bytes:
    try:
        return Path(path).read_bytes()
    except OSError as fault:
        _refuse(f"cannot read {path}: {fault.strerror}")


class _OfferedFunction(msgspec.Struct):
    name: str
    description: str = ""
    parameters: dict[str, Any] = {}


class _OfferedTool(msgspec.Struct):
    function: _OfferedFunction


def _read_tools(path: str) -> Sequence[ToolSpec]:
    try:
        tools = msgspec.json.decode(_read(path), type=list[_OfferedTool])
    except msgspec.ValidationError as fault:
        _refuse(f"{path} is not a list of tools in OpenAI form: {fault}")
    except msgspec.MsgspecError as fault:
        _refuse(f"{path} is not JSON: {fault}")
    return [ToolSpec(tool.function.name, tool.function.description, tool.function.parameters) for tool in tools]


def _refuse(reason: str) -> NoReturn:
    sys.stderr.write(f"decode: {reason}\n")
    sys.exit(WRONG_USAGE)
