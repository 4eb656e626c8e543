"""What stands under a version of an answer: put together when it ends, kept with it, and put together again when it is shown
anew, in the words and the look of then."""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial

import msgspec

from adapters.contract import ErrorReason, FinishReason
from bot.delivery import payloads
from bot.delivery.answer import MEASURES, Answer
from bot.delivery.controls import Action, AnswerState, broke_off, custom_id, final_buttons
from bot.delivery.footer import Footer, footer_lines, with_ending
from bot.delivery.foreign_text import as_words
from bot.delivery.plan import Button, EmbedPlan, MessagePlan
from bot.delivery.webhook_sender import Voice
from bot.localization import Words
from bot.persona import Persona
from bot.preferences import DeliveryPreferences
from bot.store import StoredVersion, VersionEnd

EDITED = "notice-question-edited"
"""Of an answer to what the question was before: then to ask for another is offered even where buttons are not wanted."""

_NOT_FOR_THE_QUESTION = frozenset(
    {
        ErrorReason.AUTH,
        ErrorReason.PERMISSION,
        ErrorReason.QUOTA,
        ErrorReason.QUOTA_WINDOW,
        ErrorReason.RATE_LIMIT,
        ErrorReason.OVERLOADED,
        ErrorReason.MODEL_NOT_FOUND,
    }
)
"""Why an answer failed that any other question would have failed of too. A local server that a picture brought down looks like
one that cannot be reached, and so that is not among them."""


class Facts(msgspec.Struct, frozen=True, omit_defaults=True):
    """What a version's ending says. The journal keeps it as JSON."""

    footer: Footer
    status: str
    finish: FinishReason | None = None
    embed: EmbedPlan | None = None
    line: str = ""
    """A line of ours in place of an embed."""
    thinking_seconds: float = 0.0
    heading: str = ""
    """What stands before the text, but for the name of who speaks."""
    spoken_as: str = ""
    """See Look."""
    is_greeting: bool = False
    """No model wrote it, so nothing is told of one, and there is nothing to ask it for."""
    reason: ErrorReason | None = None
    """Of an error of the provider's."""

    @property
    def may_be_refused(self) -> bool:
        """What was asked may be why it failed."""
        return self.reason not in _NOT_FOR_THE_QUESTION

    def encoded(self) -> str:
        return msgspec.json.encode(self).decode()


def decoded(facts: str) -> Facts:
    """Of a version whose facts cannot be read (the process died under it, or another version wrote it) the ending says only that
    it ended."""
    try:
        return msgspec.json.decode(facts, type=Facts)
    except (msgspec.DecodeError, msgspec.ValidationError):
        return Facts(Footer("", 0.0, ("notice-incomplete",)), "error")


class Look(msgspec.Struct, frozen=True):
    """Whose eyes an answer is for."""

    turn_id: str
    words: Words
    preferences: DeliveryPreferences
    may_embed: bool
    version_nr: int = 1
    version_count: int = 1
    persona: Persona | None = None
    """Who speaks; None: Parley itself."""
    voice: Voice | None = None
    """By which it speaks under its own name."""
    heading: str = ""
    """Markdown lines above the text, but for the name of who speaks."""

    @property
    def spoken_as(self) -> str:
        """The name of the author of its messages at Discord, which they keep; empty: the bot itself."""
        return self.voice.name if self.voice is not None else ""

    @property
    def above(self) -> str:
        """All Markdown lines above the text."""
        if self.persona is None or self.voice is not None:
            return self.heading
        return f"{self.heading}**{as_words(self.persona.name)}**\n"


def ended(
    plans: Sequence[MessagePlan], facts: Facts, look: Look, *, has_text: bool, has_thoughts: bool
) -> Sequence[MessagePlan]:
    """The answer's messages with lines, embed and buttons of ours under the last one. `has_text`: of the model."""
    style = look.preferences.style
    tells = facts.footer.notices or (has_text and not facts.is_greeting)
    lines = footer_lines(facts.footer, look.words, look.preferences.footer) if tells else ""
    done = with_ending(
        plans,
        "\n".join(line for line in (facts.line, lines) if line),
        facts.embed,
        may_embed=look.may_embed,
        fits=MEASURES[style].fits,
        embed_fits=partial(payloads.fits, style=style),
    )
    if not done:
        return done
    buttons = _buttons(facts, look, has_text=has_text, has_thoughts=has_thoughts)
    return [*done[:-1], msgspec.structs.replace(done[-1], buttons=buttons)]


def _buttons(facts: Facts, look: Look, *, has_text: bool, has_thoughts: bool) -> tuple[Button, ...]:
    wanted = look.preferences.buttons
    if not wanted and EDITED not in facts.footer.notices:
        return ()
    state = AnswerState(
        status=facts.status,
        has_text=has_text,
        finish=facts.finish,
        has_thoughts=has_thoughts,
        thoughts=look.preferences.thoughts,
        version_nr=look.version_nr,
        version_count=look.version_count,
    )
    buttons = final_buttons(look.turn_id, look.words, state)
    if wanted and not facts.is_greeting:
        return buttons
    only = custom_id(Action.DELETE if facts.is_greeting else Action.REGENERATE, look.turn_id)
    return tuple(button for button in buttons if button.custom_id == only)


def noticed(version: StoredVersion, notice: str) -> StoredVersion:
    """The same, with one more notice under it."""
    facts = decoded(version.facts)
    footer = msgspec.structs.replace(facts.footer, notices=(*facts.footer.notices, notice))
    return msgspec.structs.replace(version, facts=msgspec.structs.replace(facts, footer=footer).encoded())


def said_beforehand(greeting: str, persona: str) -> VersionEnd:
    """The version that a persona's greeting is."""
    facts = Facts(Footer("", 0.0), "completed", is_greeting=True)
    return VersionEnd(status=facts.status, text=greeting, persona=persona, facts=facts.encoded())


def can_go_on(version: StoredVersion) -> bool:
    """Whether there is a beginning, and a rest to ask for."""
    facts = decoded(version.facts)
    return bool(version.text.strip()) and broke_off(facts.status, facts.finish)


def end_of(version: StoredVersion, spoken_as: str) -> VersionEnd:
    """How it ended, as it was recorded, for a version that stands under this name (see Look) from now on."""
    end = VersionEnd(**{name: getattr(version, name) for name in VersionEnd.__struct_fields__})
    facts = msgspec.structs.replace(decoded(version.facts), spoken_as=spoken_as)
    return msgspec.structs.replace(end, facts=facts.encoded())


def kept(version: StoredVersion, look: Look) -> Answer:
    """A version that the journal keeps, as it looks when it is over."""
    facts = decoded(version.facts)

    def ending(plans: Sequence[MessagePlan], *, has_text: bool, blocked: bool) -> Sequence[MessagePlan]:
        return ended(plans, facts, look, has_text=has_text, has_thoughts=bool(version.thoughts.strip()))

    answer = Answer(look.preferences, look.words, ending, heading=look.above)
    answer.resume(version.text, version.thoughts, facts.thinking_seconds)
    return answer
