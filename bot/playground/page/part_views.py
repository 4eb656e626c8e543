"""What a message holds beside its text and is drawn as a simple block: a forward, a poll, stickers, Discord's own words.

Everything here is safe HTML: text of people goes through `markdown.py` or is escaped.
"""

from __future__ import annotations

from html import escape

from bot.playground.page.markdown import render
from bot.playground.page.mentions import NameOf
from bot.playground.standin.events import Json


def forwarded(message: Json) -> list[Json]:
    """The messages that this one forwards, as they were."""
    return [snapshot["message"] for snapshot in message.get("message_snapshots") or ()]


def parts_html(message: Json, name_of: NameOf) -> str:
    """Empty where there is nothing of the kind."""
    parts = [_forward_html(shown, name_of) for shown in forwarded(message)]
    if poll := message.get("poll"):
        parts.append(_poll_html(poll))
    parts += [_line(f"Sticker: {sticker['name']}") for sticker in message.get("sticker_items") or ()]
    return "".join(parts)


def system_html(message: Json, author: str, name_of: NameOf) -> str | None:
    """What Discord says by itself; None for a message that somebody wrote. `author` is the name that people see."""
    match message.get("type"):
        case 7:
            return _line(f"{author} joined the server.")
        case 18:
            return _line(f"{author} started a thread: {message.get('content') or ''}")
        case 21:
            first = message.get("referenced_message")
            return render(first.get("content") or "", name_of) if first else _line("The first message is gone.")
    return None


def _forward_html(shown: Json, name_of: NameOf) -> str:
    return f"<blockquote>{_line('Forwarded')}{render(shown.get('content') or '', name_of)}</blockquote>"


def _poll_html(poll: Json) -> str:
    counts = {entry["id"]: entry["count"] for entry in (poll.get("results") or {}).get("answer_counts", ())}
    rows = [
        f"<li>{escape(answer['poll_media'].get('text') or '')} · {counts.get(answer['answer_id'], 0)}</li>"
        for answer in poll["answers"]
    ]
    is_over = (poll.get("results") or {}).get("is_finalized")
    state = "The poll is over" if is_over else "Choose several" if poll["allow_multiselect"] else "Choose one"
    question = escape(poll["question"].get("text") or "")
    return f"<p><strong>{question}</strong></p><ul>{''.join(rows)}</ul>{_line(state)}"


def _line(text: str) -> str:
    return f"<p><em>{escape(text)}</em></p>"
