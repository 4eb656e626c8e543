"""The small line under an answer: who answered, how long it took, and what the reader should know about it."""

from __future__ import annotations

from collections.abc import Sequence

import msgspec

from bot.delivery.plan import EmbedPlan, MessagePlan
from bot.localization import Words


class Footer(msgspec.Struct, frozen=True):
    model: str
    seconds: float
    """From the question's arrival to the answer's end."""
    notices: tuple[str, ...] = ()
    """Message keys of locales/, such as `notice-length`; each is a sentence of its own before the line."""


def footer_lines(footer: Footer, words: Words) -> str:
    """Discord's subtext (`-#`), one line a notice and one for model and time."""
    # The model's name is an operator's or provider's text: no Markdown of it may work, and no line may end.
    model = " ".join(footer.model.replace("`", "'").split())[:100]
    line = words("footer-answered", model=f"`{model}`", seconds=f"{footer.seconds:.1f}")
    return "\n".join(f"-# {text}" for text in (*(words(key) for key in footer.notices), line))


def with_ending(
    plans: Sequence[MessagePlan], lines: str, embed: EmbedPlan | None, limit: int = 2000
) -> Sequence[MessagePlan]:
    """The answer's messages with our lines and embed under the last one, or in one more where there is no room."""
    if plans and len(plans[-1].content) + 1 + len(lines) <= limit:
        last = plans[-1]
        closed = MessagePlan(f"{last.content}\n{lines}", text_length=len(last.content), embed=embed)
        return [*plans[:-1], closed]
    return [*plans, MessagePlan(lines, text_length=0, embed=embed)]
