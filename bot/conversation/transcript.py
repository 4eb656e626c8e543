"""A person's message as the model reads it.

`told` is a function of that message alone, and of nothing that can change while it stands: so the next request repeats it to the
letter, and the provider has it cached. What does change (reactions, votes) is `changing`, for the newest turn only. The words of
others that hang on a message stand behind it, each line as a quotation under an addition of ours that says what it is: so none
of them can end its own mark. Files are not told of here (bot.attachments).
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence

from bot.conversation.history import Embed, Forwarded, PastMessage, Poll, Quote
from bot.conversation.people import label, quotation, safe_line, without_labels

LONGEST_QUOTE = 200
"""Code points of what a message replies to."""
LONGEST_TITLE = 300
"""Poll questions and answers, titles, names of stickers."""
LONGEST_EMBEDS = 4000
"""Code points of a message's embeds together. Discord allows 6,000 (bots fill them); a link's preview has a few hundred."""
MOST_REACTIONS = 10
"""Kinds of them that are told of a message."""


def told(message: PastMessage) -> str:
    """`Ada (12): text`, with what it replies to before the text, and what hangs on it behind. No blank at its end."""
    text = "\n".join(piece for piece in _pieces(message) if piece)
    return f"{label(message.author_name, message.author_id)}: {text}".rstrip()


def changing(messages: Iterable[PastMessage]) -> str:
    """Reactions and votes of these messages as they are now, a line each; empty where there are none.

    Meant for the question, what it replies to and our last answer; one that is given twice is told once.
    """
    once = {message.message_id: message for message in messages}
    return "\n".join(line for message in once.values() for line in _changing(message))


def _pieces(message: PastMessage) -> Iterator[str]:
    if message.is_bot:
        yield "(sent by a bot)"
    if message.quote is not None:
        yield _reply(message.quote)
    yield without_labels(message.text).strip()
    if message.stickers:
        yield f"({'sticker' if len(message.stickers) == 1 else 'stickers'}: {_listed(message.stickers)})"
    if message.poll is not None:
        yield _poll(message.poll)
    yield from _embeds(message.embeds)
    if message.forwarded is not None:
        yield from _forwarded(message.forwarded)


def _reply(quote: Quote) -> str:
    if quote.author_id is None:
        return "(in reply to a message that is gone)"
    whom = "you" if quote.is_me else label(quote.author_name, quote.author_id)
    begins = quotation(quote.text, LONGEST_QUOTE)
    return f"(in reply to {whom})" if begins == "“”" else f"(in reply to {whom}: {begins})"


def _poll(poll: Poll) -> str:
    return f"(poll: {quotation(poll.question, LONGEST_TITLE)}; to choose from: {_listed(poll.answers)})"


def _forwarded(forwarded: Forwarded) -> Iterator[str]:
    if words := _quoted(forwarded.text):
        yield f"(forwarded message, written by somebody unknown:)\n{words}"
    elif forwarded.attachments or not forwarded.embeds:
        yield "(forwarded message without text, of somebody unknown)"
    yield from _embeds(forwarded.embeds, "forwarded embed")


def _embeds(embeds: Sequence[Embed], kind: str = "embed") -> Iterator[str]:
    room = LONGEST_EMBEDS
    for embed in embeds:
        words = _quoted("\n".join(_embed_lines(embed)))
        if not words or room <= 0:
            continue
        if len(words) > room:
            words = words[: room - 1].rstrip() + "…"
        room -= len(words)
        yield f"({kind}:)\n{words}"


def _embed_lines(embed: Embed) -> Iterator[str]:
    yield from (line for line in (embed.author, embed.title, embed.url, embed.description) if line)
    yield from (f"{name}: {value}" for name, value in embed.fields)
    if embed.footer:
        yield embed.footer


def _quoted(words: str) -> str:
    """Every line a quotation, blank ones left out at both ends."""
    return "\n".join(f"> {line}".rstrip() for line in without_labels(words).strip().splitlines())


def _listed(texts: Iterable[str]) -> str:
    return ", ".join(quotation(text, LONGEST_TITLE) for text in texts)


def _changing(message: PastMessage) -> Iterator[str]:
    whose = "your message" if message.is_me else f"the message of {label(message.author_name, message.author_id)}"
    whose += f" {begins}" if (begins := quotation(message.text, 60)) != "“”" else ""
    if message.reactions:
        counts = (f"{safe_line(it.emoji, 40)} {it.count}" for it in message.reactions[:MOST_REACTIONS])
        yield f"Reactions to {whose}: {', '.join(counts)}."
    if (poll := message.poll) is not None and (poll.votes or poll.is_over):
        votes = (f"{quotation(text, 60)} {count}" for text, count in zip(poll.answers, poll.votes, strict=False))
        state = "The poll is over" if poll.is_over else "Votes so far"
        counted = f": {', '.join(votes)}" if poll.votes else ""
        yield f"{state} ({quotation(poll.question, 60)}){counted}."
