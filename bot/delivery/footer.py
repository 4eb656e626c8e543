"""The small lines under an answer: who answered, how long it took, and what the reader should know about it."""

from __future__ import annotations

import math
import re
from collections.abc import Callable, Iterator, Sequence

import msgspec

from adapters.contract import Usage
from bot.delivery.foreign_text import as_code, as_words
from bot.delivery.layout.fences import Segment, segments
from bot.delivery.layout.inline_marks import inline_marks
from bot.delivery.layout.measure import PLAIN
from bot.delivery.plan import EmbedPlan, MessagePlan, is_blank
from bot.localization import Words
from bot.preferences import FooterDetail

_STOPPED = "notice-stopped"
_ENDLESS_QUOTE = re.compile(r"^[ \t]*>>>[ \t]", re.MULTILINE)
"""Discord quotes all that follows in the message."""


class Footer(msgspec.Struct, frozen=True):
    model: str
    seconds: float
    """From the question's arrival to the answer's end."""
    notices: tuple[str, ...] = ()
    """Message keys of locales/, such as `notice-length`; each is a sentence of its own before the line."""
    remarks: tuple[str, ...] = ()
    """The same, already in words."""
    provider: str = ""
    """By our name for it, such as `openrouter`."""
    serving_provider: str | None = None
    """The host behind a router, by its own name."""
    usage: Usage | None = None
    tool_count: int = 0
    """Calls of tools that ran."""
    fallback: str | None = None
    """The model that was asked first, where another answered."""
    stopped_by: str | None = None
    """A person's display name, as it is."""


def footer_lines(footer: Footer, words: Words, detail: FooterDetail = FooterDetail.SHORT) -> str:
    """Discord's subtext (`-#`): a line for each notice, and one for model, time and the rest as far as `detail` goes."""
    facts = " · ".join(fact for fact in _facts(footer, words, detail) if fact)
    return "\n".join(f"-# {line}" for line in (*_notices(footer, words), facts) if line)


def file_too_large(words: Words, filename: str, size: int, limit: int) -> str:
    """The line in place of a file that Discord does not take; both sizes in bytes, limit 0 where it takes none at all.

    In Discord's megabytes of 2**20 bytes, rounded such that the size never looks as if it were within the limit.
    """
    if limit <= 0:
        return "-# " + words("notice-no-files-here", name=as_code(filename))
    shown = {"size": math.ceil(size / 2**20 * 10) / 10, "limit": math.floor(limit / 2**20 * 10) / 10}
    return "-# " + words("notice-file-too-large", name=as_code(filename), **shown)


def _notices(footer: Footer, words: Words) -> Iterator[str]:
    if footer.fallback:
        yield words("notice-fallback", asked=as_code(footer.fallback), model=as_code(footer.model))
    person = as_words(footer.stopped_by or "")
    if person:
        yield words("notice-stopped-by", name=person)
    yield from (words(key) for key in footer.notices if not (person and key == _STOPPED))
    yield from footer.remarks


def _facts(footer: Footer, words: Words, detail: FooterDetail) -> Iterator[str]:
    if detail is FooterDetail.OFF:
        return
    yield as_code(footer.model)
    if detail is FooterDetail.FULL and footer.provider:
        yield _provider(footer, words)
    yield words("footer-seconds", seconds=words.number(footer.seconds, digits=1))
    if detail is FooterDetail.FULL:
        if footer.usage is not None:
            yield _tokens(footer.usage, words)
        if footer.tool_count:
            yield words("footer-tools", count=footer.tool_count)


def _provider(footer: Footer, words: Words) -> str:
    provider, host = as_words(footer.provider), as_words(footer.serving_provider or "")
    if host:
        return words("footer-provider-via", provider=provider, host=host)
    return words("footer-provider", provider=provider)


def _tokens(usage: Usage, words: Words) -> str:
    if usage.input_tokens is None and usage.output_tokens is None:
        return ""
    read = "?" if usage.input_tokens is None else usage.input_tokens
    written = "?" if usage.output_tokens is None else usage.output_tokens
    if usage.reasoning_tokens:
        return words("footer-tokens-thinking", read=read, written=written, thinking=usage.reasoning_tokens)
    return words("footer-tokens", read=read, written=written)


# ------------------------------------------------------------------------------------------------------- where it goes


def with_ending(
    plans: Sequence[MessagePlan],
    lines: str,
    embed: EmbedPlan | None,
    *,
    may_embed: bool = True,
    fits: Callable[[str], bool] = PLAIN.fits,
    embed_fits: Callable[[MessagePlan], bool] = lambda _: True,
) -> Sequence[MessagePlan]:
    """The answer's messages with our lines and embed under the last one, or in more messages where that does not do.

    `may_embed`: else Discord drops embeds without a word, so ours becomes lines too.
    `fits`: whether a text can be that of one message, in the answer's style.
    `embed_fits`: whether a message can have this text and this embed: their lengths are counted together in some styles.
    Files and buttons of the plans stay where they are.
    """
    if embed is not None and not may_embed:
        lines, embed = f"{embed.in_words()}\n{lines}".strip(), None
    ended = list(plans)
    if plans and fits(_joined(plans[-1].content, lines)) and _stays_apart(plans[-1].content, lines):
        ended[-1] = _under(plans[-1], lines)
    else:
        ended += [MessagePlan(text, text_length=0) for text in _messages(lines, fits)]
    if embed is None:
        return ended
    if ended and ended[-1].embed is None:
        with_both = msgspec.structs.replace(_under(ended[-1], ""), embed=embed)
        if embed_fits(with_both):
            return [*ended[:-1], with_both]
    return [*ended, MessagePlan("", text_length=0, embed=embed)]


def embed_alone(embed: EmbedPlan, *, may_embed: bool) -> MessagePlan:
    """A message of nothing but this. As lines it is small text from beginning to end, so that no later question there takes it
    for an answer (bot.gateway.reading.history)."""
    if may_embed:
        return MessagePlan("", text_length=0, embed=embed)
    lines = (f"**{embed.title}**", *embed.description.splitlines(), embed.footer)
    return MessagePlan("\n".join(f"-# {line}" for line in lines if line), text_length=0)


def _under(plan: MessagePlan, lines: str) -> MessagePlan:
    """Ours may change while the answer stands, so a message that carries it is not settled."""
    length = 0 if is_blank(plan.content) else plan.model_length
    return msgspec.structs.replace(plan, content=_joined(plan.content, lines), text_length=length, settled=False)


def _joined(content: str, lines: str) -> str:
    return lines if is_blank(content) else f"{content}\n{lines}" if lines else content


def _stays_apart(content: str, lines: str) -> bool:
    """Whether no mark of the text reaches into our lines: an open fence, a quote without end, a lone back-tick that would
    pair with one of ours."""
    text, border = f"{content}\n{lines}", len(content)
    for part in segments(text):
        if part.start >= border:
            break
        if part.fence is not None:
            if part.end > border:
                return False
        elif _ENDLESS_QUOTE.search(text, part.start, min(part.end, border)) or _pairs_across(text, part, border):
            return False
    return True


def _pairs_across(text: str, prose: Segment, border: int) -> bool:
    if prose.end <= border:
        return False
    marks = inline_marks(text, [prose])
    spans = ((span.start, span.end or 0) for span in marks.spans)
    return any(start < border < end for start, end in (*marks.atoms, *spans))


def _messages(lines: str, fits: Callable[[str], bool]) -> Iterator[str]:
    """Our lines alone: as many messages as they need, cut at line ends."""
    message = ""
    for line in lines.splitlines():
        longer = f"{message}\n{line}" if message else line
        if fits(longer):
            message = longer
            continue
        if message:
            yield message
        message = line
        while not fits(message):
            message = message[: len(message) * 3 // 4]
    if message:
        yield message
