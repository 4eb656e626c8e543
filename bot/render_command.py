"""`python -m bot render`: one reply's text → the Discord messages that would stand in the channel, as JSON."""

from __future__ import annotations

import argparse
import json
import sys
from pathlib import Path

from bot.delivery.layout.measure import Measure
from bot.delivery.layout.window import SMALLEST_LIMIT
from bot.delivery.plan import FilePlan, Table
from bot.delivery.table_picture import draw
from bot.delivery.text_flow import TextFlow
from bot.preferences import DEFAULTS


def _limit(value: str) -> int:
    number = int(value)
    if number < SMALLEST_LIMIT:
        raise argparse.ArgumentTypeError(f"the smallest limit is {SMALLEST_LIMIT}")
    return number


def _positive(value: str) -> int:
    number = int(value)
    if number < 1:
        raise argparse.ArgumentTypeError("must be 1 or more")
    return number


def _arguments() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(prog="python -m bot render", description=__doc__)
    parser.add_argument("--limit", type=_limit, default=2000, help="code points in a message")
    parser.add_argument("--stream", type=_positive, metavar="N", help="feed N characters at a time")
    parser.add_argument(
        "--result", action="store_true", help="the input is a JSON result of `adapters decode`: its text"
    )
    parser.add_argument("file", nargs="?", default="-", metavar="FILE | -")
    return parser


def _attachment(file: FilePlan) -> dict[str, str | int]:
    content = draw(file.content) if isinstance(file.content, Table) else file.content
    return {"filename": file.filename, "bytes": len(content)}


def main(argv: list[str]) -> int:
    """Arguments behind the word `render`. Exit status 0, or 2 for wrong usage or an input that cannot be read."""
    options = _arguments().parse_args(argv)
    try:
        data = sys.stdin.buffer.read() if options.file == "-" else Path(options.file).read_bytes()
        text = data.decode("utf-8")
        if options.result:
            text = json.loads(text)["text"]
    except (OSError, ValueError, KeyError) as problem:
        sys.stderr.write(f"render: {options.file}: {problem}\n")
        return 2
    flow = TextFlow(DEFAULTS, Measure(options.limit))
    step = options.stream or max(1, len(text))
    for at in range(0, len(text), step):
        flow.feed(text[at : at + step])
    messages = [
        {"content": plan.content, "attachments": [_attachment(file) for file in plan.files]} for plan in flow.close()
    ]
    sys.stdout.write(json.dumps({"messages": messages}) + "\n")
    return 0
