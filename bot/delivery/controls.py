"""The buttons of an answer: which ones stand when, and what their ids say.

An id alone tells what to do with which answer, so a button works as long as its message stands, whatever restarts in
between. It says nothing of who may press it: that is looked up when it is pressed. Words do the same as the stop button.
"""

from __future__ import annotations

import re
from enum import StrEnum

import msgspec

from adapters.contract import FinishReason
from bot.delivery.plan import Button, ButtonColour
from bot.localization import Words
from bot.preferences import ThoughtLog


class Action(StrEnum):
    STOP = "stop"
    REGENERATE = "regenerate"
    CONTINUE = "continue"
    THOUGHTS = "thoughts"
    DELETE = "delete"
    PREVIOUS = "previous"
    """Another version of the answer: the argument is its number."""
    NEXT = "next"
    PAGE = "page"
    """A page of the thoughts: the argument is its number, from 1."""


class Control(msgspec.Struct, frozen=True):
    """What a press asks for."""

    action: Action
    turn_id: str
    argument: int | None = None


TEMPLATE = re.compile(
    rf"parley:1:(?P<action>{'|'.join(Action)}):(?P<turn_id>[0-9A-Za-z_-]{{1,32}})(?::(?P<argument>[0-9]{{1,6}}))?"
)
"""Of a whole id (fullmatch), as discord.py's DynamicItem takes it. The number is the format's version: buttons of old
messages keep the old one."""


def custom_id(action: Action, turn_id: str, argument: int | None = None) -> str:
    """At most 100 code points. ValueError for what `parse` would not read back."""
    made = f"parley:1:{action}:{turn_id}" + ("" if argument is None else f":{argument}")
    if TEMPLATE.fullmatch(made) is None:
        raise ValueError(f"no button can be made of turn {turn_id!r} and argument {argument!r}")
    return made


def parse(made: str) -> Control | None:
    """None for everything that is not an id of ours, in this version of the format."""
    found = TEMPLATE.fullmatch(made)
    if found is None:
        return None
    argument = found["argument"]
    return Control(Action(found["action"]), found["turn_id"], None if argument is None else int(argument))


class AnswerState(msgspec.Struct, frozen=True):
    """What decides on the buttons of an answer that is over."""

    status: str
    """How the turn ended, in the words of bot.turn.machine.Status."""
    has_text: bool = True
    """Text of the model stands."""
    finish: FinishReason | None = None
    has_thoughts: bool = False
    thoughts: ThoughtLog = ThoughtLog.BUTTON
    """Where they are shown in this channel."""
    version_nr: int = 1
    version_count: int = 1


_BROKE_OFF_STATUS = frozenset({"error", "stopped", "superseded", "timeout"})
_BROKE_OFF_FINISH = frozenset({FinishReason.LENGTH, FinishReason.INCOMPLETE})


def broke_off(status: str, finish: FinishReason | None) -> bool:
    """Whether an answer that ended so may have a rest."""
    return status in _BROKE_OFF_STATUS or finish in _BROKE_OFF_FINISH


def live_buttons(turn_id: str, words: Words) -> tuple[Button, ...]:
    """While the model writes."""
    return (Button(custom_id(Action.STOP, turn_id), "⏹️", words("button-stop"), ButtonColour.RED),)


def final_buttons(turn_id: str, words: Words, state: AnswerState) -> tuple[Button, ...]:
    """Under an answer that is over. The arrows come first, so that five in a row do not part them."""
    buttons: list[Button] = []
    if state.version_count > 1:
        buttons += _arrows((Action.PREVIOUS, Action.NEXT), turn_id, state.version_nr, state.version_count)
    regenerate = custom_id(Action.REGENERATE, turn_id)
    if state.has_text:
        buttons.append(Button(regenerate, "🔁"))
    else:
        buttons.append(Button(regenerate, "🔁", words("button-retry"), ButtonColour.BLUE))
    if state.has_text and broke_off(state.status, state.finish):
        buttons.append(Button(custom_id(Action.CONTINUE, turn_id), "⏩", words("button-continue"), ButtonColour.BLUE))
    if state.has_thoughts and state.thoughts is not ThoughtLog.OFF:
        # Wherever else they are shown: there may be too little room or permission, and those that come after text are late.
        buttons.append(Button(custom_id(Action.THOUGHTS, turn_id), "💭"))
    buttons.append(Button(custom_id(Action.DELETE, turn_id), "🗑️"))
    return tuple(buttons)


def page_buttons(turn_id: str, page_nr: int, page_count: int) -> tuple[Button, ...]:
    """Under a page of thoughts; none where there is only one."""
    return _arrows((Action.PAGE, Action.PAGE), turn_id, page_nr, page_count) if page_count > 1 else ()


def _arrows(actions: tuple[Action, Action], turn_id: str, nr: int, count: int) -> tuple[Button, ...]:
    back, forth = actions
    return (
        Button(custom_id(back, turn_id, nr - 1), "◀️", disabled=nr <= 1),
        # Not an id that is read back, for it cannot be pressed; but each button of a message needs one of its own.
        Button(f"parley:1:position:{turn_id}", label=f"{nr}/{count}", disabled=True),
        Button(custom_id(forth, turn_id, nr + 1), "▶️", disabled=nr >= count),
    )


_LONGEST_STOP = 40
"""Code points; a longer message is no word to stop with, and is not looked at closely."""
_OUTER = re.compile(r"\A[\W_]+|[\W_]+\Z")


def is_stop_word(text: str, *readers: Words) -> bool:
    """Whether a whole message means "stop", in any of the readers' languages (`stop-words` of locales/).

    Case, and punctuation, emoji and white space around it do not matter. Mentions of the bot are the caller's to remove.
    """
    if len(text) > _LONGEST_STOP:
        return False
    said = _bare(text)
    return any(said == _bare(word) for words in readers for word in words("stop-words").split(",")) if said else False


def _bare(text: str) -> str:
    return _OUTER.sub("", text).casefold()
