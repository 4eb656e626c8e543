"""What is amiss: in the catalogues, and between them and the code. One line each."""

from __future__ import annotations

import string
from collections.abc import Iterator, Mapping
from pathlib import Path

from babel.messages.catalog import Message

from bot.catalogues import code_keys
from bot.catalogues.files import is_done, is_plural, locales, messages, read, stale, text_of, updated
from bot.catalogues.limits import limit_of
from bot.localization import SOURCE_LOCALE, forms_of


def problems(folder: Path, code: Path) -> Iterator[str]:
    source = {
        str(message.context): message
        for path in sorted((folder / SOURCE_LOCALE).glob("*.po"))
        for message in messages(read(path))
    }
    yield from _of_code(source, code)
    for path, catalogue in updated(folder).items():
        place = f"{path.parent.name}/{path.name}"
        if not path.exists() or path.read_text("utf-8") != text_of(catalogue):
            yield f"{place}: not up to date (make locales)"
        for message in messages(catalogue):
            for fault in _of_message(message, source[str(message.context)], catalogue.num_plurals):
                yield f"{place}: {message.context}: {fault}"
    for path in stale(folder):
        yield f"{path.parent.name}/{path.name}: {SOURCE_LOCALE} has no such file (make locales)"
    for locale in locales(folder):
        yield from _doubles(folder / locale)


def _of_code(source: Mapping[str, Message], code: Path) -> Iterator[str]:
    said = code_keys.read(code)
    for key in sorted(source):
        if not said.may_say(key):
            yield f"{SOURCE_LOCALE}: {key}: the code never says it"
    for saying in said.sayings:
        if missing := [key for key in saying.keys if key not in source]:
            yield f"{saying.place}: {missing[0]!r} is in no catalogue"
        elif saying.arguments is not None:
            wanted = set[str]().union(*(_wanted(source[key]) for key in saying.keys))
            if saying.arguments != wanted:
                yield f"{saying.place}: filled with {sorted(saying.arguments)} instead of {sorted(wanted)}"


def _wanted(message: Message) -> set[str]:
    """What a message is filled with."""
    return _placeholders(forms_of(message.id)[-1]) | ({"count"} if is_plural(message) else set())


def _of_message(message: Message, source: Message, forms: int) -> Iterator[str]:
    if not is_done(message):
        yield "not translated"
        return
    if message.fuzzy:
        yield "fuzzy: the English has changed"
        return
    texts = forms_of(message.string)
    if is_plural(message) and len(texts) != forms:
        yield f"{len(texts)} forms instead of {forms}"
    wanted = _placeholders(forms_of(source.id)[-1])
    limit = limit_of(str(message.context))
    for nr, text in enumerate(texts):
        found = _placeholders(text)
        # A form for few numbers may leave the number out: "one file".
        if found != wanted and not (nr < len(texts) - 1 and found == wanted - {"count"}):
            yield f"its placeholders are {sorted(found)} instead of {sorted(wanted)}"
        if limit is not None:
            yield from limit.faults(text.replace("{{", "{").replace("}}", "}"))


def _placeholders(text: str) -> set[str]:
    """With what else stands between their braces, so that a translation cannot ask for other forms than the source."""
    try:
        parts = list(string.Formatter().parse(text))
    except ValueError:
        return {"(not readable: a single brace)"}
    return {
        name + (f"!{conversion}" if conversion else "") + (f":{form}" if form else "")
        for _, name, form, conversion in parts
        if name is not None
    }


def _doubles(folder: Path) -> Iterator[str]:
    seen: set[str] = set()
    for path in sorted(folder.glob("*.po")):
        for message in messages(read(path)):
            if str(message.context) in seen:
                yield f"{folder.name}/{path.name}: {message.context}: is there twice"
            seen.add(str(message.context))
