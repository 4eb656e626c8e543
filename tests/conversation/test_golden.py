"""The exact request of each of our conversations, in readable form: tests/conversation/golden/.

Whoever means to change what a model gets rewrites them with `python -m tests.conversation.test_golden` and reads the difference.
"""

from __future__ import annotations

from collections.abc import Iterator
from hashlib import sha256
from pathlib import Path

import pytest

from adapters.contract import GenerationRequest, ImagePart, Part, TextPart
from bot.conversation.build import Built
from tests.conversation.conversations import CONVERSATIONS

GOLDEN = Path(__file__).parent / "golden"


def readable(built: Built) -> str:
    return "\n".join((*_request(built.request), "", *_findings(built), ""))


def _request(request: GenerationRequest) -> Iterator[str]:
    yield f"model {request.model}, cache key {request.cache_key}"
    yield from ("", "=== system", request.system)
    for message in request.messages:
        yield from ("", f"=== {message.role}{' (cache mark)' if message.cache_mark else ''}")
        for nr, part in enumerate(message.parts):
            yield from (*(("--- next part",) if nr else ()), _part(part))


def _part(part: Part) -> str:
    if isinstance(part, ImagePart):
        return f"<{part.media_type}, {len(part.data)} bytes, sha256 {sha256(part.data).hexdigest()[:12]}>"
    assert isinstance(part, TextPart)
    return part.text


def _findings(built: Built) -> Iterator[str]:
    yield "=== found"
    if built.starts_after is not None:
        yield f"begins after {built.starts_after} from now on; {len(built.dropped)} messages before it are dropped"
    yield f"cut: {built.cut}, near the limit: {built.near_limit}"
    yield from (f"problem: {problem.key}, {problem.name}" for problem in built.problems)


@pytest.mark.parametrize("name", CONVERSATIONS)
def test_the_request_is_to_the_letter_what_it_was(name: str) -> None:
    assert readable(CONVERSATIONS[name]()) == (GOLDEN / f"{name}.txt").read_text("utf-8")


def test_there_is_no_golden_request_without_its_conversation() -> None:
    assert {path.stem for path in GOLDEN.iterdir()} == set(CONVERSATIONS)


if __name__ == "__main__":
    for conversation, made in CONVERSATIONS.items():
        (GOLDEN / f"{conversation}.txt").write_text(readable(made()), "utf-8")
