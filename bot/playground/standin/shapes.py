"""Rules for the shape of a request body, which name what is wrong the way Discord's 50035 does.

A rule looks at one value and gives back a tree of errors, or None. Lengths of text are in Unicode code points.
Discord ignores fields that it does not know; here they are errors, since such a field is a defect of the sender.
"""

from __future__ import annotations

from collections.abc import Mapping
from datetime import datetime
from typing import Any, Protocol
from urllib.parse import urlsplit

import msgspec

from bot.playground.standin.errors import INVALID_FORM_BODY, ApiError, ErrorTree, leaf

_LONGEST_ID = len(str(1 << 64))


class Rule(Protocol):
    def check(self, value: Any) -> ErrorTree | None: ...


class Anything(msgspec.Struct, frozen=True):
    def check(self, value: Any) -> ErrorTree | None:
        return None


class Text(msgspec.Struct, frozen=True):
    max: int | None = None
    min: int = 0

    def check(self, value: Any) -> ErrorTree | None:
        if not isinstance(value, str):
            return leaf("STRING_TYPE_CONVERT", f"Could not interpret {value!r} as string.")
        try:
            value.encode()
        except UnicodeEncodeError:
            # JSON can write half of a surrogate pair; it is no character, and Discord never gives one back.
            return leaf("STRING_TYPE_CONVERT", "Could not interpret a lone surrogate as a character.")
        return _check_length(len(value), self.min, self.max)


class Nonce(msgspec.Struct, frozen=True):
    """A number or a text."""

    max: int

    def check(self, value: Any) -> ErrorTree | None:
        is_number = isinstance(value, int) and not isinstance(value, bool)
        return None if is_number else Text(self.max).check(value)


class ChoiceValue(msgspec.Struct, frozen=True):
    """What a choice of a command's option stands for: a text, or a number."""

    max: int

    def check(self, value: Any) -> ErrorTree | None:
        is_number = isinstance(value, int | float) and not isinstance(value, bool)
        return None if is_number else Text(self.max, 1).check(value)


class Url(msgspec.Struct, frozen=True):
    max: int
    schemes: tuple[str, ...] = ("http", "https")

    def check(self, value: Any) -> ErrorTree | None:
        if wrong := Text(self.max).check(value):
            return wrong
        try:
            url = urlsplit(value)
        except ValueError:
            return leaf("URL_TYPE_INVALID_URL", "Not a well formed URL.")
        if url.scheme not in self.schemes:
            message = f'Scheme "{url.scheme}" is not supported. Scheme must be one of {self.schemes}.'
            return leaf("URL_TYPE_INVALID_SCHEME", message)
        return None if url.netloc else leaf("URL_TYPE_INVALID_URL", "Not a well formed URL.")


class Timestamp(msgspec.Struct, frozen=True):
    def check(self, value: Any) -> ErrorTree | None:
        if wrong := Text().check(value):
            return wrong
        try:
            datetime.fromisoformat(value)
        except ValueError:
            return leaf("DATETIME_TYPE_PARSE", f"Could not parse {value}. Should be ISO8601.")
        return None


class Unsupported(msgspec.Struct, frozen=True):
    """What Discord would take and the stand-in does not know how to show; it is said, lest a test believes in it."""

    what: str

    def check(self, value: Any) -> ErrorTree | None:
        return leaf("STANDIN_UNSUPPORTED", f"The stand-in does not support {self.what}") if value else None


class Integer(msgspec.Struct, frozen=True):
    min: int = -(1 << 63)
    max: int = (1 << 63) - 1

    def check(self, value: Any) -> ErrorTree | None:
        if not isinstance(value, int) or isinstance(value, bool):
            return leaf("NUMBER_TYPE_COERCE", f"Value {value!r} is not int.")
        if value < self.min:
            return leaf("NUMBER_TYPE_MIN", f"int value should be greater than or equal to {self.min}.")
        if value > self.max:
            return leaf("NUMBER_TYPE_MAX", f"int value should be less than or equal to {self.max}.")
        return None


class Boolean(msgspec.Struct, frozen=True):
    def check(self, value: Any) -> ErrorTree | None:
        return None if isinstance(value, bool) else leaf("BOOLEAN_TYPE_CONVERT", "Must be either true or false.")


class Snowflake(msgspec.Struct, frozen=True):
    """An id, as text or number; discord.py writes both."""

    def check(self, value: Any) -> ErrorTree | None:
        is_number = isinstance(value, int) and not isinstance(value, bool)
        is_numeral = isinstance(value, str) and value.isascii() and value.isdecimal() and len(value) <= _LONGEST_ID
        if (is_number or is_numeral) and 0 <= int(value) < 1 << 64:
            return None
        return leaf("NUMBER_TYPE_COERCE", f"Value {value!r} is not snowflake.")


class OneOf(msgspec.Struct, frozen=True):
    choices: frozenset[Any]

    def check(self, value: Any) -> ErrorTree | None:
        if isinstance(value, int | str) and not isinstance(value, bool) and value in self.choices:
            return None
        return leaf("BASE_TYPE_CHOICES", f"Value must be one of {sorted(self.choices)}.")


class Items(msgspec.Struct, frozen=True):
    of: Rule
    max: int | None = None
    min: int = 0

    def check(self, value: Any) -> ErrorTree | None:
        if not isinstance(value, list):
            return leaf("LIST_TYPE_CONVERT", "Only iterables may be used in a ListType")
        if wrong := _check_length(len(value), self.min, self.max):
            return wrong
        found = {str(index): error for index, item in enumerate(value) if (error := self.of.check(item))}
        return found or None


class Entries(msgspec.Struct, frozen=True):
    """An object with free keys, such as one entry for each locale."""

    of: Rule

    def check(self, value: Any) -> ErrorTree | None:
        if not isinstance(value, dict):
            return leaf("DICT_TYPE_CONVERT", "Only dictionaries may be used in a DictType")
        return {key: error for key, item in value.items() if (error := self.of.check(item))} or None


class Shape(msgspec.Struct, frozen=True):
    """An object with known fields. A field that is not required may also be null."""

    fields: Mapping[str, Rule]
    required: frozenset[str] = frozenset()

    def check(self, value: Any) -> ErrorTree | None:
        if not isinstance(value, dict):
            return leaf("MODEL_TYPE_CONVERT", "Only dictionaries may be used in a ModelType")
        found = {
            name: leaf("BASE_TYPE_REQUIRED", "This field is required")
            for name in sorted(self.required)
            if value.get(name) is None
        }
        for name, item in value.items():
            rule = self.fields.get(name)
            if rule is None:
                found[name] = leaf("UNKNOWN_FIELD", "This field is not known here")
            elif item is not None and (error := rule.check(item)):
                found[name] = error
        return found or None


class ByType(msgspec.Struct, frozen=True):
    """An object whose number in `type` says which shape it has."""

    shapes: Mapping[int, Rule]

    def check(self, value: Any) -> ErrorTree | None:
        kind = value.get("type") if isinstance(value, dict) else None
        if not isinstance(kind, int) or isinstance(kind, bool) or kind not in self.shapes:
            choices = ", ".join(map(str, sorted(self.shapes)))
            return {"type": leaf("UNION_TYPE_CHOICES", f'Value of field "type" must be one of ({choices},).')}
        return self.shapes[kind].check(value)


class Select(msgspec.Struct, frozen=True):
    """A component that offers options: its fields, and what must hold between them."""

    fields: Shape
    most: int
    """How many options there may be."""
    takes_all: bool = False
    """Whether as many as there are can be chosen where `max_values` is not said, and not just one."""

    def check(self, value: Any) -> ErrorTree | None:
        if errors := self.fields.check(value):
            return errors
        options = value.get("options")
        low, high = choice_bounds(value, takes_all=self.takes_all)
        if low > high:
            return {"min_values": leaf("NUMBER_TYPE_MAX", f"int value should be less than or equal to {high}.")}
        if options is None:
            return None
        if high > len(options):
            # As Discord says it: https://github.com/Rapptz/discord.py/issues/6984
            return {"options": leaf("BASE_TYPE_BAD_LENGTH", f"Must be between {high} and {self.most} in length.")}
        if sum(bool(option.get("default")) for option in options) > high:
            return {"options": leaf("SELECT_COMPONENT_TOO_MANY_DEFAULTS", f"At most {high} options may be preset")}
        values = [option["value"] for option in options]
        duplicated = leaf("SELECT_COMPONENT_OPTION_VALUE_DUPLICATED", "The specified option value is already used")
        found = {str(index): duplicated for index, given in enumerate(values) if given in values[:index]}
        return {"options": found} if found else None


def choice_bounds(component: Mapping[str, Any], *, takes_all: bool = False) -> tuple[int, int]:
    """How many options a person must and may choose."""
    low, high = component.get("min_values"), component.get("max_values")
    if high is None:
        high = len(component["options"]) if takes_all else 1
    return 1 if low is None else low, high


def require(rule: Rule, body: Any) -> None:
    """Raises ApiError 50035 with the tree of all that is wrong."""
    if errors := rule.check(body):
        raise ApiError(INVALID_FORM_BODY, errors)


def _check_length(length: int, minimum: int, maximum: int | None) -> ErrorTree | None:
    if length >= minimum and (maximum is None or length <= maximum):
        return None
    if maximum is None:
        return leaf("BASE_TYPE_MIN_LENGTH", f"Must be {minimum} or more in length.")
    if minimum == 0:
        return leaf("BASE_TYPE_MAX_LENGTH", f"Must be {maximum} or fewer in length.")
    return leaf("BASE_TYPE_BAD_LENGTH", f"Must be between {minimum} and {maximum} in length.")
