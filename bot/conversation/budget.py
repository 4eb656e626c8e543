"""How much a prompt may hold, where the conversation begins, and how to shorten what must stay.

Two things shorten a prompt, and they are kept apart for the sake of prompt caches, which know a prompt by its beginning. The
conversation's own beginning moves rarely and far (`new_beginning`): from the upper mark down to the lower one, for good. What one
question takes more than others, for its own length or what it replies to, is made room for in that request alone (`squeezed`).
"""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence

import msgspec

from adapters.contract import FilePart, ImagePart, ModelInfo, Part, PromptMessage, TextPart
from bot.conversation.prompt import LEFT_OUT, MEDIUM_LEFT_OUT

UNKNOWN_WINDOW = 8_192
"""Tokens of a model of which nothing is known. Small local servers have this much; the known ones are in the catalogue."""
MOST_TOKENS = 128_000
"""However large the window is: each question pays for all of the prompt."""
OUTPUT_RESERVE = 8_192
"""Tokens kept free for an answer, where nobody says how long it may be."""
_OUTPUT_SHARE = 1 / 4
_ASKED_OUTPUT_SHARE = 1 / 2
"""Of the window, where somebody chose the answer's length."""
_MARGIN = 0.05
"""Of the window: counts are estimates."""

UPPER_MARK = 0.75
"""Of what the settings leave free: more than this and the conversation's beginning moves. The rest is for the question."""
LOWER_MARK = 0.6
"""Of the upper mark, in tokens as in messages: so much stays when it moves."""
NEAR_LIMIT = 0.8
"""Of the upper mark: time to make a summary."""

LEAST_QUESTION = 200
"""Tokens of the question that are sent however long the settings are."""

_FENCED = re.compile(r"\A\n?\[[^\n]*\]\n(?P<marks>`{3,}+|~{3,}+)[^\n]*\n[\s\S]*\n(?P=marks)\Z")
"""A file's text under its note (bot.attachments.notes)."""

Count = Callable[[PromptMessage], int]


def prompt_budget(info: ModelInfo, max_output_tokens: int | None = None) -> int:
    """Tokens of the whole prompt: the window without the answer and a margin."""
    window = info.context_window or UNKNOWN_WINDOW
    if max_output_tokens is not None:
        reserve = min(max_output_tokens, int(window * _ASKED_OUTPUT_SHARE))
    else:
        reserve = min(info.output_limit or OUTPUT_RESERVE, OUTPUT_RESERVE, int(window * _OUTPUT_SHARE))
    return min(int(window * (1 - _MARGIN)) - reserve, MOST_TOKENS)


class Unit(msgspec.Struct, frozen=True):
    """Messages that come and go together: a question and its answer, with the calls and results between."""

    tokens: int
    message_count: int = 1


def new_beginning(units: Sequence[Unit], upper_mark: int, most_messages: int) -> int:
    """How many of the oldest units go for good; the newest one never does. 0: all stay."""
    tokens = sum(unit.tokens for unit in units)
    messages = sum(unit.message_count for unit in units)
    if tokens <= upper_mark and messages <= most_messages:
        return 0
    for nr, unit in enumerate(units[:-1]):
        if tokens <= upper_mark * LOWER_MARK and messages <= most_messages * LOWER_MARK:
            return nr
        tokens -= unit.tokens
        messages -= unit.message_count
    return max(len(units) - 1, 0)


def is_near(units: Sequence[Unit], upper_mark: int, most_messages: int) -> bool:
    """Whether the beginning will move before long."""
    tokens = sum(unit.tokens for unit in units)
    messages = sum(unit.message_count for unit in units)
    return tokens > upper_mark * NEAR_LIMIT or messages > most_messages * NEAR_LIMIT


def squeezed(sizes: Sequence[int], room: int) -> int:
    """How many of the oldest must be left out for the rest to fit into the room; all, where not even the newest fits."""
    total = sum(sizes)
    for nr, size in enumerate(sizes):
        if total <= room:
            return nr
        total -= size
    return len(sizes)


def shortened(messages: Sequence[PromptMessage], most: int, count: Count) -> tuple[PromptMessage, ...]:
    """The messages within `most` tokens, as far as this can be: pictures and files go first, the last of them before the others, then
    the middle of the longest texts. Calls and their results stay as they are."""
    out = list(messages)
    places = [(at, nr) for at, message in enumerate(out) for nr, part in enumerate(message.parts) if _is_medium(part)]
    while places and _tokens(out, count) > most:
        at, nr = places.pop()
        parts, note = out[at].parts, TextPart(f"\n{MEDIUM_LEFT_OUT}")
        out[at] = msgspec.structs.replace(out[at], parts=(*parts[:nr], note, *parts[nr + 1 :]))
    if _tokens(out, count) <= most:
        return tuple(out)
    # The largest cap under which all fits, found by halving: texts do not have the same number of tokens everywhere.
    low, high = 0, max((len(part.text) for it in out for part in it.parts if isinstance(part, TextPart)), default=0)
    while low < high:
        middle = (low + high + 1) // 2
        if _tokens([_capped(message, middle) for message in out], count) <= most:
            low = middle
        else:
            high = middle - 1
    return tuple(_capped(message, low) for message in out)


def end_of(text: str, most: int, count: Callable[[str], int]) -> str:
    """As much of its end as `most` tokens hold, behind a mark where something is missing."""
    while text != "…" and (tokens := count(text)) > most:
        text = "…" + text[len(text) - int(len(text) * 0.98 * most / tokens) + 1 :]
    return text


def without_middle(text: str, most: int) -> str:
    """Beginning and end of the text, at most `most` code points of it, and a mark where something is missing.

    The end begins on the mark's line: what stood within a line, or in a quotation, must not come to stand at a line's beginning, where
    labels and notes are. Of a fence that cannot keep both its ends nothing stays, for what was in it would stand outside.
    """
    if len(text) <= most:
        return text
    head = (most + 1) // 2
    tail = most - head
    if (fence := _FENCED.search(text)) and (head < fence.end("marks") or tail < len(fence["marks"])):
        head, tail = min(most, fence.start("marks")), 0
    mark = LEFT_OUT.format(count=len(text) - head - tail)
    end = f" {text[len(text) - tail :]}" if tail else ""
    return "\n".join(filter(None, (text[:head], f"{mark}{end}")))


def _tokens(messages: Sequence[PromptMessage], count: Count) -> int:
    return sum(map(count, messages))


def _capped(message: PromptMessage, most: int) -> PromptMessage:
    parts = tuple(
        TextPart(without_middle(part.text, most)) if isinstance(part, TextPart) and len(part.text) > most else part
        for part in message.parts
    )
    return msgspec.structs.replace(message, parts=parts)


def _is_medium(part: Part) -> bool:
    return isinstance(part, ImagePart | FilePart)
