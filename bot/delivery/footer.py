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
    plans: Sequence[MessagePlan], lines: str, embed: EmbedPlan | None, *, may_embed: bool = True, limit: int = 2000
) -> Sequence[MessagePlan]:
    """The answer's messages with our lines and embed under the last one, or in one more where there is no room.

    `may_embed`: else Discord drops embeds without a word, so ours becomes lines too.
    """
    if embed is not None and not may_embed:
        lines, embed = f"{_as_text(embed)}\n{lines}".strip(), None
    if plans and len(plans[-1].content) + 1 + len(lines) <= limit:
        last = plans[-1]
        content = f"{last.content}\n{lines}" if lines else last.content
        return [*plans[:-1], MessagePlan(content, text_length=len(last.content), embed=embed)]
    return [*plans, MessagePlan(lines[:limit], text_length=0, embed=embed)]


def embed_alone(embed: EmbedPlan, *, may_embed: bool) -> MessagePlan:
    """A message of nothing but this."""
    (plan,) = with_ending([], "", embed, may_embed=may_embed)
    return plan


def _as_text(embed: EmbedPlan) -> str:
    texts = [f"**{embed.title}**", embed.description, embed.footer and f"-# {embed.footer}"]
    return "\n".join(text for text in texts if text)
