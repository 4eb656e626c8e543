"""A setting in a person's hands, by its kind and never by its name: how its value is told, how it is given, and what is allowed.

A kind of bot.preferences.kinds has one class here, bound to a setting and a reader. What `text` writes, `read` takes for the same
value. What cannot be kept is a BadValue that says what would be right.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Mapping, Sequence
from decimal import Decimal
from enum import StrEnum
from typing import Any, ClassVar
from zoneinfo import ZoneInfo

import msgspec
from babel import Locale, UnknownLocaleError
from babel.numbers import NumberFormatError, format_decimal, parse_decimal

from bot.commands.language import own_name
from bot.delivery.foreign_text import as_code
from bot.localization import Words
from bot.preferences import Mention, Setting, kinds

NONE = "none"
"""Typed for an option of a command: there shall be nothing in it."""
MOST_CHOICES = 25
"""What a select of Discord's offers, or lets choose (https://docs.discord.com/developers/components/reference#string-select)."""
SHOWN = 15
"""Mentions of a list that are shown, so that all lists of a page fit into one embed."""
NOTHING = "–"
_EMPTY = "-"
"""Value of an option in a select that stands for an empty one, which Discord does not take."""
_COMMA = re.compile("[,，、،]")
_NUMBER = re.compile(r"[-+]?[\d.,\s'’]+", re.ASCII)
_PLAIN_NUMBER = re.compile(r"[-+]?\d+[.,]\d+", re.ASCII)
_ID = re.compile(r"<(#|@&|@!?)(\d{1,20})>|\b(\d{15,20})\b", re.ASCII)
_MARKS = {Mention.CHANNEL: "#", Mention.ROLE: "@&", Mention.PERSON: "@"}


class BadValue(ValueError):
    """`key` is a message of locales/."""

    def __init__(self, key: str, **arguments: str | int | float) -> None:
        super().__init__(key)
        self.key, self.arguments = key, arguments


class Input(StrEnum):
    """How a value is given in the panel."""

    CHOICE = "choice"
    """One of a few."""
    MENTIONS = "mentions"
    """Channels, roles or people, of Discord's own lists; with more than MOST_CHOICES in a form."""
    FORM = "form"
    """As text."""
    COMMAND = "command"
    """By a command of its own."""


class Choice(msgspec.Struct, frozen=True):
    value: str
    label: str


class Offer(msgspec.Struct, frozen=True):
    """What there is to choose from where the panel stands."""

    locales: tuple[str, ...] = ()
    personas: tuple[str, ...] = ()
    ids: Collection[int] | None = None
    """Of channels and roles that are still there; None: not known."""


class Option:
    """One setting for one reader."""

    input: ClassVar[Input] = Input.FORM
    longest: ClassVar[int] = 100
    """Code points that its form takes."""
    has_lines: ClassVar[bool] = False

    def __init__(self, setting: Setting, words: Words, offer: Offer) -> None:
        self.setting, self.kind, self.words, self.offer = setting, _any(setting.kind), words, offer

    @property
    def name(self) -> str:
        return self.words(f"setting-{_dashed(self.setting.name)}")

    @property
    def description(self) -> str:
        return self.words(f"setting-{_dashed(self.setting.name)}-description")

    @property
    def allowed(self) -> str:
        """A sentence."""
        rule = self.rule()
        return self.words(rule.key, **rule.arguments)

    @property
    def given_by(self) -> Input:
        return self.input

    @property
    def choices(self) -> Sequence[Choice]:
        """Where it is a choice."""
        return ()

    def rule(self) -> BadValue:
        """What is allowed, to be raised where something else was given."""
        raise NotImplementedError

    def shown(self, value: Any) -> str:
        """As Markdown, in one line."""
        raise NotImplementedError

    def text(self, value: Any) -> str:
        """What stands in its form, or is the value of its choice."""
        return str(value)

    def read(self, given: str) -> Any:
        """What was typed or chosen. None: as it was before anybody chose. Raises BadValue."""
        raise NotImplementedError


class _Chosen(Option):
    input = Input.CHOICE

    @property
    def given_by(self) -> Input:
        return Input.CHOICE if len(self.choices) <= MOST_CHOICES else Input.FORM

    def rule(self) -> BadValue:
        return BadValue("settings-allowed-one", choices=", ".join(choice.label for choice in self.choices))

    def shown(self, value: Any) -> str:
        text = self.text(value)
        return f"**{next((choice.label for choice in self.choices if choice.value == text), NOTHING)}**"

    def text(self, value: Any) -> str:
        return str(value) or _EMPTY

    def read(self, given: str) -> Any:
        typed = given.strip().casefold()
        for choice in self.choices:
            if choice.value.casefold() == typed:
                return "" if choice.value == _EMPTY else self._value(choice.value)
        raise self.rule()

    def _value(self, text: str) -> Any:
        return text


class _OneOf(_Chosen):
    @property
    def choices(self) -> Sequence[Choice]:
        return [Choice(value.value, self.words(f"choice-{_dashed(value.value)}")) for value in self.setting.type]

    def _value(self, text: str) -> Any:
        return self.setting.type(text)


class _Flag(_Chosen):
    @property
    def choices(self) -> Sequence[Choice]:
        return [Choice("true", self.words("choice-on")), Choice("false", self.words("choice-off"))]

    def text(self, value: Any) -> str:
        return "true" if value else "false"

    def _value(self, text: str) -> bool:
        return text == "true"


class _Locale(_Chosen):
    @property
    def choices(self) -> Sequence[Choice]:
        languages = (Choice(locale, own_name(locale)) for locale in self.offer.locales)
        return [Choice(_EMPTY, self.words("choice-as-discord")), *languages]

    def rule(self) -> BadValue:
        return BadValue("settings-allowed-locale")

    def shown(self, value: Any) -> str:
        if not value:
            return f"**{self.words('choice-as-discord')}**"
        try:
            return f"**{own_name(value)}**"
        except (UnknownLocaleError, ValueError):
            return as_code(value)


class _Persona(_Chosen):
    @property
    def choices(self) -> Sequence[Choice]:
        personas = (Choice(name, name) for name in self.offer.personas)
        return [Choice(_EMPTY, self.words("settings-parley")), *personas]

    def rule(self) -> BadValue:
        return BadValue("settings-allowed-persona")

    def shown(self, value: Any) -> str:
        return as_code(value) or f"**{self.words('settings-parley')}**"


class _Number(Option):
    longest = 30

    def rule(self) -> BadValue:
        key = "settings-allowed-number" if self.kind.whole else "settings-allowed-decimal"
        return BadValue(key, least=self.kind.least, most=self.kind.most)

    def shown(self, value: Any) -> str:
        return NOTHING if value is None else f"**{self.words.number(value)}**"

    def text(self, value: Any) -> str:
        if value is None:
            return ""
        locale = Locale.parse(self.words.locale, sep="-")
        return format_decimal(value, locale=locale, group_separator=False, decimal_quantization=False)

    def read(self, given: str) -> Any:
        if not given.strip():
            return None
        number = self._number(given.strip())
        if number is None or not self.kind.fits(value := self._value(number)):
            raise self.rule()
        return value

    def _number(self, given: str) -> Decimal | None:
        """As it is written in the reader's language, or anywhere; None for what is no number, or could be two."""
        if not _NUMBER.fullmatch(given):
            return None
        try:
            number = parse_decimal(given, locale=Locale.parse(self.words.locale, sep="-"), strict=True)
        except NumberFormatError:
            if not _PLAIN_NUMBER.fullmatch(given):
                return None
            number = Decimal(given.replace(",", "."))
        # Whole numbers have no point: who wrote 6.000 may well mean six thousand.
        exponent = number.as_tuple().exponent
        return None if self._is_whole and (not isinstance(exponent, int) or exponent < 0) else number

    @property
    def _is_whole(self) -> bool:
        return bool(self.kind.whole)

    def _value(self, number: Decimal) -> int | float:
        return int(number) if self._is_whole else float(number)


class _Seconds(_Number):
    def rule(self) -> BadValue:
        return BadValue("settings-allowed-seconds", most=self.kind.most)

    @property
    def _is_whole(self) -> bool:
        return False


class _Money(_Number):
    def rule(self) -> BadValue:
        return BadValue("settings-allowed-money", most=self.kind.most)

    def shown(self, value: Any) -> str:
        return f"**{self.words.money(Decimal(str(value)))}**"

    def read(self, given: str) -> Any:
        return super().read(given.strip().removeprefix("$").removesuffix("$").removesuffix("USD"))

    @property
    def _is_whole(self) -> bool:
        return False


class _Text(Option):
    longest = 4000
    has_lines = True

    def rule(self) -> BadValue:
        return BadValue("settings-allowed-text", most=self.kind.longest)

    def shown(self, value: Any) -> str:
        return as_code(value) or NOTHING

    def read(self, given: str) -> str:
        text = given.strip()
        if not self.kind.fits(text):
            raise self.rule()
        return text


class _Words(_Text):
    def rule(self) -> BadValue:
        return BadValue("settings-allowed-words", most=self.kind.most, longest=self.kind.longest)

    def shown(self, value: Any) -> str:
        return as_code(self.text(value)) or NOTHING

    def text(self, value: Any) -> str:
        return ", ".join(value)

    def read(self, given: str) -> Any:
        words = read_words(given)
        if not self.kind.fits(words):
            raise self.rule()
        return words


class _Ids(Option):
    input = Input.MENTIONS
    longest = 4000
    has_lines = True

    def rule(self) -> BadValue:
        return BadValue(f"settings-allowed-{self.kind.of}", most=self.kind.most)

    def shown(self, value: Any) -> str:
        shown = " ".join(f"<{_MARKS[self.kind.of]}{id_}>" for id_ in value[:SHOWN]) or NOTHING
        more = len(value) - SHOWN
        return shown if more <= 0 else f"{shown} {self.words('settings-and-more', count=more)}"

    def text(self, value: Any) -> str:
        return " ".join(map(str, value))

    def read(self, given: str) -> Any:
        found = [(match[1], int(match[2] or match[3])) for match in _ID.finditer(given)]
        mark = _MARKS[self.kind.of]
        ids = tuple(dict.fromkeys(id_ for kind, id_ in found if kind is None or kind.rstrip("!") == mark))
        nothing_read = not ids and given.strip()
        if nothing_read or not self.kind.fits(ids) or len(ids) < len({id_ for _, id_ in found}):
            raise self.rule()
        return ids


class _ChannelId(Option):
    input = Input.MENTIONS

    def rule(self) -> BadValue:
        return BadValue("settings-allowed-text-channel")

    def shown(self, value: Any) -> str:
        return f"<#{value}>" if value else NOTHING

    def text(self, value: Any) -> str:
        return str(value or "")

    def read(self, given: str) -> int | None:
        match = _ID.fullmatch(given.strip())
        if given.strip() and (match is None or match[1] not in (None, "#")):
            raise self.rule()
        return int(match[2] or match[3]) if match else None


class _TimeZone(Option):
    longest = 64

    def rule(self) -> BadValue:
        return BadValue("settings-allowed-time-zone")

    def shown(self, value: Any) -> str:
        return f"**{value}**"

    def read(self, given: str) -> str | None:
        if not given.strip():
            return None
        try:
            return ZoneInfo(given.strip()).key
        except (KeyError, ValueError, OSError):
            raise self.rule() from None


class _Model(Option):
    input = Input.COMMAND

    def rule(self) -> BadValue:
        return BadValue("settings-allowed-model", command=f"`/{self.words('command-model')}`")

    def shown(self, value: Any) -> str:
        return NOTHING if value is None else f"{as_code(value.model)} ({as_code(value.provider)})"

    def read(self, given: str) -> Any:
        raise self.rule()


_BY_KIND: Mapping[type[kinds.Kind], type[Option]] = {
    kinds.OneOf: _OneOf,
    kinds.Flag: _Flag,
    kinds.Number: _Number,
    kinds.Seconds: _Seconds,
    kinds.Money: _Money,
    kinds.Text: _Text,
    kinds.Words: _Words,
    kinds.Ids: _Ids,
    kinds.ChannelId: _ChannelId,
    kinds.TimeZone: _TimeZone,
    kinds.Locale: _Locale,
    kinds.Persona: _Persona,
    kinds.Model: _Model,
}


def option(setting: Setting, words: Words, offer: Offer | None = None) -> Option:
    """`offer`: without it, there are no languages and personas to choose from."""
    return _BY_KIND[type(setting.kind)](setting, words, offer or Offer())


def read_words(given: str) -> tuple[str, ...]:
    """Several words or phrases with commas between, each once."""
    return tuple(dict.fromkeys(filter(None, (" ".join(word.split()) for word in _COMMA.split(given)))))


def _dashed(name: str) -> str:
    return name.replace("_", "-")


def _any(kind: Any) -> Any:
    """A setting's kind is the one that its class here is for."""
    return kind
