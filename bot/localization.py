"""Words for people: gettext catalogues in `locales/<locale>/*.po`; en-US is the source.

The code says a key (`msgctxt`), which it often makes itself (`error-{reason}`); the English stands beside it in every catalogue
(`msgid`), so that translators' tools show it. A message that has plurals takes its form from the argument `count`.

A person's locale is answered with the nearest there is: the same locale, one of the same language and script, the default, the
source. Never an error for an unknown locale, nor for a translation that cannot be filled in.
"""

from __future__ import annotations

import gettext
from collections.abc import Callable, Iterable, Iterator, Mapping, Set
from datetime import date, datetime, timedelta
from decimal import Decimal
from functools import cache
from pathlib import Path
from typing import Any, TypeAlias

import msgspec
import structlog
from babel import Locale, UnknownLocaleError
from babel.core import get_global
from babel.dates import format_date, format_datetime, format_timedelta
from babel.lists import format_list
from babel.messages.pofile import read_po
from babel.numbers import format_currency, format_decimal, format_percent

log = structlog.get_logger()

SOURCE_LOCALE = "en-US"
LOCALES = Path(__file__).parent.parent / "locales"

Argument: TypeAlias = str | int | float


class _Catalogue(msgspec.Struct, frozen=True):
    locale: Locale
    form_of: Callable[[int], int]
    """Which of a message's forms goes with a number."""
    messages: Mapping[str, tuple[str, ...]]
    """By key; one form, or as many as the language has."""

    def said(self, key: str, arguments: Mapping[str, Argument]) -> str | None:
        """None where it is not there. Raises what str.format does."""
        forms = self.messages.get(key)
        if forms is None:
            return None
        form = forms[0] if len(forms) == 1 else forms[self.form_of(_whole(arguments.get("count", 0)))]
        return form.format(**{name: _shown(value, self.locale) for name, value in arguments.items()})


class Translator:
    """All locales. Raises ValueError for a default locale that there is no folder for."""

    def __init__(self, default_locale: str = SOURCE_LOCALE, folder: Path = LOCALES) -> None:
        self._catalogues = {path.name: _read(path) for path in sorted(folder.iterdir()) if path.is_dir()}
        if default_locale not in self._catalogues:
            raise ValueError(f"there is no locale {default_locale!r}; there are {', '.join(self._catalogues)}")
        self._default = default_locale
        self._nearest: dict[str, str | None] = {}
        self._faulty: set[tuple[str, str]] = set()

    @property
    def locales(self) -> tuple[str, ...]:
        return tuple(self._catalogues)

    @property
    def keys(self) -> Set[str]:
        """Of all messages, as the source has them."""
        return self._catalogues[SOURCE_LOCALE].messages.keys()

    def nearest(self, locale: str | None) -> str:
        """The locale whose words are used for somebody who wishes `locale` (a BCP 47 tag, or None)."""
        return self._available(locale) or self._default

    def text(self, locale: str | None, key: str, **arguments: Argument) -> str:
        """The message `key`, in the nearest locale that has it; with open braces where even the source cannot be filled in.

        Raises KeyError where the source has it not.
        """
        for name in dict.fromkeys((self.nearest(locale), self._default, SOURCE_LOCALE)):
            try:
                said = self._catalogues[name].said(key, arguments)
            except (LookupError, ValueError, TypeError, AttributeError) as fault:
                self._note_fault(name, key, fault)
                continue
            if said is not None:
                return said
        return self._catalogues[SOURCE_LOCALE].messages[key][-1]

    def say(self, *wishes: str | None) -> Words:
        """The same, bound to one reader: in the first of these locales that there is, or one near it."""
        return Words(self, next(filter(None, map(self._available, wishes)), self._default))

    def _available(self, locale: str | None) -> str | None:
        """The locale itself, or the nearest of the same language; None where there is none."""
        if locale in self._catalogues:
            return locale
        wished = (locale or "")[:35]  # of what a tag may have (RFC 5646 §4.4.1), so that what is remembered is small
        if wished not in self._nearest:
            if len(self._nearest) > 1000:
                self._nearest.clear()
            self._nearest[wished] = _nearest(wished, self._catalogues)
        return self._nearest[wished]

    def _note_fault(self, locale: str, key: str, fault: Exception) -> None:
        if (locale, key) not in self._faulty:
            self._faulty.add((locale, key))
            log.error("message_not_filled_in", locale=locale, key=key, fault=repr(fault))


class Words:
    """A translator for one reader: `words("key", name=value)`. Numbers among the arguments are written as in their language; text stays
    as it is."""

    def __init__(self, translator: Translator, locale: str) -> None:
        self._translator = translator
        self.locale = locale
        """One that there is."""
        self._babel = _babel(locale)

    def __call__(self, key: str, **arguments: Argument) -> str:
        return self._translator.text(self.locale, key, **arguments)

    def number(self, value: float | Decimal, digits: int | None = None) -> str:
        """`digits` behind the point; without it as many as there are, up to three."""
        form = None if digits is None else "#,##0." + "0" * digits if digits else "#,##0"
        return format_decimal(value, format=form, locale=self._babel)

    def percent(self, part: float) -> str:
        """Of 1."""
        return format_percent(part, locale=self._babel)

    def money(self, dollars: Decimal) -> str:
        """US dollars; parts of a cent where there is not even one."""
        form = None if dollars == 0 or abs(dollars) >= Decimal("0.01") else "¤#,##0.0000"
        return format_currency(dollars, "USD", format=form, locale=self._babel, currency_digits=form is None)

    def date(self, day: date) -> str:
        """The day; of a moment, in its own zone."""
        return format_date(day, format="medium", locale=self._babel)

    def moment(self, moment: datetime) -> str:
        """Day and time, in the moment's own zone."""
        return format_datetime(moment, format="short", tzinfo=moment.tzinfo, locale=self._babel)

    def duration(self, seconds: float) -> str:
        """In its largest unit: "3 minutes"."""
        return format_timedelta(timedelta(seconds=seconds), threshold=1, locale=self._babel)

    def list(self, items: Iterable[str]) -> str:
        return format_list(list(items), locale=self._babel)


@cache
def _read(folder: Path) -> _Catalogue:
    """Once in a process."""
    locale = _babel(folder.name)
    messages: dict[str, tuple[str, ...]] = {}
    plural = "0"
    for path in sorted(folder.glob("*.po")):
        with path.open("rb") as file:
            catalogue = read_po(file, locale=locale, abort_invalid=True)
        plural = catalogue.plural_expr
        for message in catalogue:
            if message.context and not message.fuzzy and all(forms := forms_of(message.string)):
                messages[message.context] = forms
    return _Catalogue(locale, gettext.c2py(plural), messages)


def forms_of(text: Any) -> tuple[str, ...]:
    """Of a text of Babel's catalogues: one, or those of its plural; empty where it is not translated."""
    return tuple(form or "" for form in (text if isinstance(text, tuple | list) else (text,)))


def _babel(locale: str) -> Locale:
    return Locale.parse(locale, sep="-")


def _whole(count: Argument) -> int:
    return abs(int(count)) if isinstance(count, int | float) else 0


def _shown(value: Argument, locale: Locale) -> str:
    return value if isinstance(value, str) else format_decimal(value, locale=locale)


def _nearest(wished: str, available: Iterable[str]) -> str | None:
    """By CLDR: what it inherits from (es-MX → es-419), else what its language usually is (pt → pt-BR), in the same script."""
    try:
        locale = _babel(wished)
    except (UnknownLocaleError, ValueError, TypeError):
        return None
    alike = {
        str(known): name
        for name in available
        if (known := _babel(name)).language == locale.language and _script(known) == _script(locale)
    }
    for ancestor in _ancestors(str(locale)):
        if ancestor in alike:
            return alike[ancestor]
    usual = get_global("likely_subtags").get(locale.language, "").rpartition("_")[2]
    by_territory = {str(known).rpartition("_")[2]: name for known, name in alike.items()}
    return by_territory.get(usual) or next(iter(alike.values()), None)


def _script(locale: Locale) -> str:
    if locale.script:
        return str(locale.script)
    likely = get_global("likely_subtags")
    full = likely.get(f"{locale.language}_{locale.territory}") or likely.get(locale.language, "")
    parts = full.split("_")
    return parts[1] if len(parts) == 3 else ""


def _ancestors(locale: str) -> Iterator[str]:
    exceptions = get_global("parent_exceptions")
    while locale and locale != "root":
        yield locale
        locale = exceptions.get(locale) or locale.rpartition("_")[0]
