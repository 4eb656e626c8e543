"""A model server that plays scripts over real HTTP in OpenAI's format: for `--provider demo`, and for tests.

A script is a list of steps; each request takes the script that `choose` gives for its last message. What a provider can
do wrong is a step too: refuse, break off, fall silent.
"""

from __future__ import annotations

import asyncio
import contextlib
import re
from collections.abc import Callable, Iterable, Sequence
from types import TracebackType
from typing import Any, Self, TypeAlias

import msgspec
from aiohttp import web


class Say(msgspec.Struct, frozen=True):
    """Text, in one delta."""

    text: str


class Think(msgspec.Struct, frozen=True):
    """Reasoning, in one delta."""

    text: str


class Pause(msgspec.Struct, frozen=True):
    seconds: float


class Until(msgspec.Struct, frozen=True):
    """Wait until a test says so."""

    event: asyncio.Event


class Refuse(msgspec.Struct, frozen=True):
    """An error answer instead of a stream; only as the first step."""

    status: int
    message: str
    code: str | None = None
    retry_after: float | None = None


class BreakOff(msgspec.Struct, frozen=True):
    """The connection is closed in the middle of the body."""


class End(msgspec.Struct, frozen=True):
    """Why the stream ends at the script's end, when not for `stop`."""

    finish_reason: str


Step: TypeAlias = Say | Think | Pause | Until | Refuse | BreakOff | End
Script: TypeAlias = Sequence[Step]


def spoken(text: str, pause: float = 0.0, size: int = 4) -> Script:
    """`text` in deltas of `size` characters with `pause` seconds between."""
    steps: list[Step] = []
    for at in range(0, len(text), size):
        steps += [Say(text[at : at + size]), Pause(pause)] if pause else [Say(text[at : at + size])]
    return steps


_BESIDE = re.compile(r"^\[(?:context|time)\b", re.MULTILINE)
"""Where begins what stands beside the newest message (bot.conversation.aside)."""


def question_in(content: str | list[dict[str, Any]]) -> str:
    """The people's own words in a request's last message."""
    said = content if isinstance(content, str) else "\n\n".join(part.get("text", "") for part in content)
    beside = _BESIDE.search(said)
    return (said[: beside.start()] if beside else said).rstrip()


class ScriptedProvider:
    """`async with ScriptedProvider(choose) as provider:` serves at `provider.base_url`.

    `choose` gets the last message's text. `requests` keeps each request's JSON body.
    """

    MODEL = "demo"

    def __init__(self, choose: Callable[[str], Script]) -> None:
        self._choose = choose
        self.requests: list[dict[str, Any]] = []
        self.prompt_tokens = 1
        """What it says that each request had."""
        self.asked = asyncio.Event()
        """Set with the first request."""
        self.client_left = asyncio.Event()
        """Set when a client left before its stream's end."""
        application = web.Application(client_max_size=64 * 1024 * 1024)
        application.router.add_post("/v1/chat/completions", self._answer)
        application.router.add_get("/v1/models", self._models)
        # handler_cancellation: a client that leaves ends its script, as it ends the work of a real model server.
        self._runner = web.AppRunner(application, access_log=None, shutdown_timeout=0.1, handler_cancellation=True)

    async def __aenter__(self) -> Self:
        await self._runner.setup()
        site = web.TCPSite(self._runner, "127.0.0.1", 0)
        await site.start()
        host, port = self._runner.addresses[0][:2]
        self.base_url = f"http://{host}:{port}/v1"
        return self

    async def __aexit__(
        self, _kind: type[BaseException] | None, _error: BaseException | None, _trace: TracebackType | None
    ) -> None:
        await self._runner.cleanup()

    async def _models(self, _request: web.Request) -> web.Response:
        return web.json_response({"object": "list", "data": [{"id": self.MODEL, "object": "model"}]})

    async def _answer(self, request: web.Request) -> web.StreamResponse:
        body = await request.json()
        self.requests.append(body)
        self.asked.set()
        script = self._choose(question_in(body["messages"][-1]["content"]))
        if script and isinstance(script[0], Refuse):
            return _refusal(script[0])
        response = web.StreamResponse(headers={"Content-Type": "text/event-stream"})
        await response.prepare(request)
        try:
            await self._play(script, request, response)
        except (ConnectionError, asyncio.CancelledError):
            self.client_left.set()
            raise
        return response

    async def _play(self, script: Iterable[Step], request: web.Request, response: web.StreamResponse) -> None:
        said, finish_reason = 0, "stop"
        for step in script:
            match step:
                case Say(text):
                    said += 1
                    await response.write(_event(delta={"content": text}))
                case Think(text):
                    await response.write(_event(delta={"reasoning_content": text}))
                case Pause(seconds):
                    await asyncio.sleep(seconds)
                case Until(event):
                    await event.wait()
                case BreakOff():
                    if request.transport is not None:
                        request.transport.close()
                    return
                case End():
                    finish_reason = step.finish_reason
                case Refuse():
                    raise ValueError("a refusal can only be the first step of a script")
        tokens = self.prompt_tokens
        usage = {"prompt_tokens": tokens, "completion_tokens": said, "total_tokens": tokens + said}
        await response.write(_event(finish_reason=finish_reason))
        await response.write(_event(choices=False, usage=usage) + b"data: [DONE]\n\n")
        with contextlib.suppress(ConnectionError):
            await response.write_eof()


def _refusal(refuse: Refuse) -> web.Response:
    headers = {"Retry-After": f"{refuse.retry_after:g}"} if refuse.retry_after is not None else {}
    error = {"message": refuse.message, "type": "error", "code": refuse.code}
    return web.json_response({"error": error}, status=refuse.status, headers=headers)


def _event(
    delta: dict[str, str] | None = None, finish_reason: str | None = None, *, choices: bool = True, **more: Any
) -> bytes:
    choice = {"index": 0, "delta": delta or {}, "finish_reason": finish_reason}
    chunk = {
        "id": "chatcmpl-demo",
        "object": "chat.completion.chunk",
        "created": 0,
        "model": ScriptedProvider.MODEL,
        "choices": [choice] if choices else [],
        **more,
    }
    return b"data: " + msgspec.json.encode(chunk) + b"\n\n"
