"""The catalogues' files: brought up to date with the English ones, given to translators, and taken back from them.

A translation goes with its key, in whichever file that stands. New messages come in empty, changed English makes a translation fuzzy,
what is gone goes. The same messages always make the same bytes.
"""

from __future__ import annotations

import gettext
from collections.abc import Iterator, Mapping, Sequence
from io import BytesIO
from pathlib import Path
from typing import Any

from babel.messages.catalog import Catalog, Message
from babel.messages.pofile import read_po, write_po

from bot.catalogues.limits import limit_of
from bot.localization import SOURCE_LOCALE, forms_of

WIDTH = 120
_NUMBERS = (*range(30), 100, 101, 102, 1_000_000)
"""Which a translator is shown beside the plural forms that they take."""


def locales(folder: Path) -> Sequence[str]:
    """The source first."""
    others = (path.name for path in sorted(folder.iterdir()) if path.is_dir() and path.name != SOURCE_LOCALE)
    return [SOURCE_LOCALE, *others]


def read(path: Path) -> Catalog:
    """Raises PoFileError."""
    with path.open("rb") as file:
        return read_po(file, locale=_babel_name(path.parent.name), abort_invalid=True)


def messages(catalogue: Catalog) -> Iterator[Message]:
    return (message for message in catalogue if message.id)


def is_plural(message: Message) -> bool:
    return isinstance(message.id, tuple | list)


def is_done(message: Message) -> bool:
    return all(forms_of(message.string))


def updated(folder: Path) -> Mapping[Path, Catalog]:
    """All catalogues as they should be, with the translations that there are."""
    sources = _sources(folder)
    made: dict[Path, Catalog] = {}
    for locale in locales(folder):
        have = _by_key(folder, locale)
        for source_path, source in sources.items():
            path = folder / locale / source_path.name
            made[path] = _english(source) if locale == SOURCE_LOCALE else _followed(source, have, locale)
    return made


def filled(folder: Path, locale: str, given: Mapping[str, Any]) -> Mapping[Path, Catalog]:
    """The catalogues of a locale, which may be new, with what a translator gave, as far as it fits."""
    have = _by_key(folder, locale)
    made: dict[Path, Catalog] = {}
    for source_path, source in _sources(folder).items():
        path = folder / locale / source_path.name
        made[path] = _followed(source, have, locale)
        for message in messages(made[path]):
            forms = _forms(given.get(str(message.context)))
            if forms and _misfit(forms, message, made[path]) is None:
                message.string = forms if is_plural(message) else forms[0]
                message.flags.discard("fuzzy")
    return made


def misfits(folder: Path, locale: str, given: Mapping[str, Any]) -> Iterator[str]:
    """What of a translator's texts cannot be taken, a line each."""
    plurals = Catalog(locale=_babel_name(locale))
    known = _by_key(folder, SOURCE_LOCALE)
    for key, text in given.items():
        if key not in known:
            yield f"{locale}: {key}: there is no such message"
        elif (fault := _misfit(_forms(text), known[key], plurals)) is not None:
            yield f"{locale}: {key}: {fault}"


def dumped(folder: Path, locale: str) -> Iterator[Mapping[str, Any]]:
    """What is not translated there, or is, but from English that has changed."""
    have = _by_key(folder, locale)
    plurals = Catalog(locale=_babel_name(locale))
    for source in _sources(folder).values():
        comment = ""
        for message in messages(source):
            # A comment stands above the first of the messages that it is about.
            comment = " ".join(message.auto_comments) or comment
            key = str(message.context)
            old = have.get(key)
            if old is not None and is_done(old):
                if not old.fuzzy and old.id == message.id:
                    continue
                yield {**_told(message, comment, plurals), "was": old.string}
            else:
                yield _told(message, comment, plurals)


def write(folder: Path, made: Mapping[Path, Catalog]) -> None:
    """Files of these locales that the source has not are deleted."""
    for path, catalogue in made.items():
        path.parent.mkdir(exist_ok=True)
        path.write_text(text_of(catalogue), "utf-8")
    for path in stale(folder):
        if path.parent in {kept.parent for kept in made}:
            path.unlink()


def stale(folder: Path) -> Iterator[Path]:
    for locale in locales(folder):
        for path in sorted((folder / locale).glob("*.po")):
            if not (folder / SOURCE_LOCALE / path.name).exists():
                yield path


def text_of(catalogue: Catalog) -> str:
    """As a file."""
    out = BytesIO()
    write_po(out, catalogue, width=WIDTH, omit_header=True)
    header = [
        ("Language", str(catalogue.locale)),
        ("MIME-Version", "1.0"),
        ("Content-Type", "text/plain; charset=utf-8"),
        ("Content-Transfer-Encoding", "8bit"),
        ("Plural-Forms", catalogue.plural_forms),
    ]
    lines = ['msgid ""', 'msgstr ""', *(f'"{name}: {value}\\n"' for name, value in header)]
    return "\n".join(lines) + "\n\n" + out.getvalue().decode("utf-8").strip("\n") + "\n"


# ---------------------------------------------------------------------------------------------------------------- inside


def _babel_name(locale: str) -> str:
    return locale.replace("-", "_")


def _sources(folder: Path) -> Mapping[Path, Catalog]:
    return {path: read(path) for path in sorted((folder / SOURCE_LOCALE).glob("*.po"))}


def _by_key(folder: Path, locale: str) -> Mapping[str, Message]:
    files = sorted((folder / locale).glob("*.po"))
    return {str(message.context): message for path in files for message in messages(read(path))}


def _english(source: Catalog) -> Catalog:
    made = Catalog(locale=_babel_name(SOURCE_LOCALE))
    for message in messages(source):
        made.add(message.id, message.id, auto_comments=message.auto_comments, context=message.context)
    return made


def _followed(source: Catalog, have: Mapping[str, Message], locale: str) -> Catalog:
    made = Catalog(locale=_babel_name(locale))
    for message in messages(source):
        text: Any = None
        flags: set[str] = set()
        old = have.get(str(message.context))
        if old is not None and is_done(old) and is_plural(old) == is_plural(message):
            text = old.string
            flags = {"fuzzy"} if old.fuzzy or old.id != message.id else set()
        made.add(message.id, text, flags=flags, auto_comments=message.auto_comments, context=message.context)
    return made


def _told(message: Message, comment: str, plurals: Catalog) -> dict[str, Any]:
    told: dict[str, Any] = {"key": str(message.context), "english": message.id}
    if is_plural(message):
        form_of = gettext.c2py(plurals.plural_expr)
        told["forms"] = [
            "for " + ", ".join(str(number) for number in _NUMBERS if form_of(number) == nr) + " …"
            for nr in range(plurals.num_plurals)
        ]
    if comment:
        told["comment"] = comment
    if (limit := limit_of(str(message.context))) is not None:
        told["most_characters"] = limit.most
        if limit.is_name:
            told["is_command_name"] = "lower case, no spaces; letters, digits, - and _ only"
    return told


def _forms(given: Any) -> tuple[Any, ...]:
    return tuple(given) if isinstance(given, list) else () if given is None else (given,)


def _misfit(forms: tuple[Any, ...], message: Message, catalogue: Catalog) -> str | None:
    if not forms or not all(isinstance(form, str) and form for form in forms):
        return "neither a text nor a list of texts"
    wanted = catalogue.num_plurals if is_plural(message) else 1
    return None if len(forms) == wanted else f"{len(forms)} forms instead of {wanted}"
