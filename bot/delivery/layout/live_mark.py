"""The mark at the end of an answer that is still being written.

It stands behind a space, or on a line of its own behind a code block: so it is in no code, and no URL, mention or emphasis
reads differently for it. A settled message gets none, as it never changes again.
"""

from __future__ import annotations

import re
from collections.abc import Sequence

import msgspec

from bot.delivery.layout.fences import segments
from bot.delivery.layout.measure import Measure
from bot.delivery.plan import MessagePlan, is_blank

LIVE_MARK = "▍"

_MAYBE_CLOSING_LINE = re.compile(r"[ \t>]*(?:`{3,}|~{3,})[ \t]*")


def with_live_mark(plans: Sequence[MessagePlan], measure: Measure) -> Sequence[MessagePlan]:
    """The plans, the last one with the mark behind its text where it is open, has text, and has room."""
    if not plans or plans[-1].settled or is_blank(plans[-1].content):
        return plans
    last = plans[-1]
    content = last.content + ("\n" if _ends_with_code_block(last.content) else " ") + LIVE_MARK
    if not measure.fits(content):
        return plans
    return [*plans[:-1], msgspec.structs.replace(last, content=content, text_length=last.model_length)]


def without_live_mark(plan: MessagePlan) -> MessagePlan:
    """The plan as with_live_mark took it; any other plan as it is."""
    text = plan.content.removesuffix(LIVE_MARK)[:-1]
    if plan.content[len(text) :] not in (f" {LIVE_MARK}", f"\n{LIVE_MARK}") or plan.text_length is None:
        return plan
    text_length = None if plan.text_length == len(text) else plan.text_length
    return msgspec.structs.replace(plan, content=text, text_length=text_length)


def _ends_with_code_block(content: str) -> bool:
    if not _MAYBE_CLOSING_LINE.fullmatch(content, content.rfind("\n") + 1):
        return False
    *_, last = segments(content)
    return last.fence is not None
