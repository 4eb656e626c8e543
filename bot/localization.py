"""Words for people: Fluent files in `locales/<locale>/*.ftl`; en-US is the source.

A person's locale is answered with the nearest there is: the same locale, another of the same language, the default,
the source. Never an error for an unknown locale.
"""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

from fluent.runtime import FluentBundle, FluentResource

SOURCE_LOCALE = "en-US"
LOCALES = Path(__file__).parent.parent / "locales"


class Translator:
    """All locales, read once. Raises ValueError for a default locale that there is no folder for."""

    def __init__(self, default_locale: str = SOURCE_LOCALE, folder: Path = LOCALES) -> None:
        self._bundles = {path.name: _bundle(path) for path in sorted(folder.iterdir()) if path.is_dir()}
        if default_locale not in self._bundles:
            raise ValueError(f"there is no locale {default_locale!r}; there are {', '.join(self._bundles)}")
        self._default = default_locale

    @property
    def locales(self) -> tuple[str, ...]:
        return tuple(self._bundles)

    def nearest(self, locale: str | None) -> str:
        """The locale whose words are used for somebody who wishes `locale` (a BCP 47 tag, or None)."""
        if locale in self._bundles:
            return str(locale)
        language = (locale or "").partition("-")[0].lower()
        alike = [name for name in self._bundles if name.partition("-")[0].lower() == language]
        return alike[0] if alike else self._default

    def text(self, locale: str | None, key: str, **arguments: str | int | float) -> str:
        """The message `key`, in the nearest locale that has it. Raises KeyError where even the source has it not."""
        for name in (self.nearest(locale), self._default, SOURCE_LOCALE):
            bundle = self._bundles[name]
            if bundle.has_message(key) and (pattern := bundle.get_message(key).value) is not None:
                formatted, faults = bundle.format_pattern(pattern, arguments)
                if not faults:
                    return str(formatted)
        raise KeyError(key)

    def say(self, locale: str | None) -> Words:
        """The same, bound to one reader."""
        return Words(self, locale)


class Words:
    """A translator for one reader: `words("key", name=value)`."""

    def __init__(self, translator: Translator, locale: str | None) -> None:
        self._translator = translator
        self._locale = locale

    def __call__(self, key: str, **arguments: str | int | float) -> str:
        return self._translator.text(self._locale, key, **arguments)


def _bundle(folder: Path) -> FluentBundle:
    # Isolation marks (U+2068, U+2069) around every value would be counted, copied and searched by people in Discord.
    bundle = FluentBundle([folder.name], use_isolating=False)
    for path in sorted(folder.glob("*.ftl")):
        bundle.add_resource(FluentResource(path.read_text(encoding="utf-8")))
    return bundle


def messages(folder: Path) -> Mapping[str, str]:
    """Message id → its raw pattern, of one locale's folder; for checks that translations are complete."""
    from fluent.syntax import FluentParser, FluentSerializer
    from fluent.syntax.ast import Message

    found: dict[str, str] = {}
    for path in sorted(folder.glob("*.ftl")):
        for entry in FluentParser().parse(path.read_text(encoding="utf-8")).body:
            if isinstance(entry, Message):
                found[entry.id.name] = FluentSerializer().serialize_entry(entry)
    return found
