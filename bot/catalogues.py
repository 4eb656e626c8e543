"""The catalogues in `locales/`, kept whole (`make locales`), and judged (`make lint`).

`locales/en-US` is the source: who needs a new text adds an entry with its key (msgctxt) and its English (msgid) there. The other
locales follow: new messages come in empty, changed English makes a translation fuzzy, what is gone goes.
"""

from __future__ import annotations

import argparse
import ast
import json
import re
import string
import sys
from collections.abc import Iterator, Mapping, Sequence
from io import BytesIO
from pathlib import Path
from typing import Any

import msgspec
from babel.messages.catalog import Catalog, Message
from babel.messages.pofile import read_po, write_po

from bot.localization import LOCALES, SOURCE_LOCALE, forms_of

CODE = Path(__file__).parent
WIDTH = 120

_COMPUTED = r"[a-z0-9-]+"
"""What stands in a key for a part that the code computes."""
_KEY = re.compile(r"[a-z0-9]+(-[a-z0-9]+)+")
_NAME = re.compile(r"[-_'\w]{1,32}")
"""Of a command or option (https://docs.discord.com/developers/interactions/application-commands#application-command-object)."""


class Limit(msgspec.Struct, frozen=True):
    """What Discord lets the messages of some keys be."""

    keys: re.Pattern[str]
    most: int
    """Code points."""
    is_name: bool = False
    """Of a command or an option: no spaces, nothing but letters, and lower case where there is one."""


LIMITS = (
    Limit(
        re.compile(r"command-(?!.*-description$)(?!ask-about$|remember$|not-allowed$).+|.+-answer-name"),
        32,
        is_name=True,
    ),
    Limit(re.compile(r"command-(ask-about|remember)"), 32),
    Limit(re.compile(r"command-.+-description|setting-.+-description|setting-where|setting-reset"), 100),
    Limit(re.compile(r"choice-.+"), 100),
    Limit(re.compile(r".*modal-(title|label).*|ask-about-(title|label)"), 45),
    Limit(
        re.compile(r"button-.+|(proposal|memory)-(keep|on|off|add|server|discard)|forget-do|import-(take|leave)"), 80
    ),
)


def main(argv: list[str]) -> int:
    """Exit status: 0, 1 where something is amiss, 2 for wrong usage."""
    parser = argparse.ArgumentParser(prog="python -m bot.catalogues", description=__doc__)
    commands = parser.add_subparsers(dest="command", required=True)
    commands.add_parser("update", help="bring all locales up to date with the source")
    commands.add_parser("check", help="tell what is amiss; change nothing")
    for name, text in (("dump", "print what a translator needs, as JSON"), ("fill", "take a translator's JSON in")):
        command = commands.add_parser(name, help=text)
        command.add_argument("locale")
        if name == "fill":
            command.add_argument("file", type=Path)
    arguments = parser.parse_args(argv)
    if arguments.command == "update":
        _write({path: _text(made) for path, made in updated(LOCALES).items()})
    elif arguments.command == "dump":
        print(json.dumps(list(dumped(LOCALES, arguments.locale)), ensure_ascii=False, indent=1))
    elif arguments.command == "fill":
        given = json.loads(arguments.file.read_text("utf-8"))
        _write({path: _text(made) for path, made in filled(LOCALES, arguments.locale, given).items()})
    faults = list(problems(LOCALES, CODE))
    print(*faults, sep="\n", end="\n" if faults else "")
    return 1 if faults else 0


def updated(folder: Path) -> Mapping[Path, Catalog]:
    """All catalogues as they should be, translations as they are."""
    made: dict[Path, Catalog] = {}
    for source_path in sorted((folder / SOURCE_LOCALE).glob("*.po")):
        source = _read(source_path, SOURCE_LOCALE)
        made[source_path] = _source(source)
        for other in _others(folder):
            path = folder / other / source_path.name
            catalogue = _read(path, other) if path.exists() else Catalog(locale=other.replace("-", "_"))
            made[path] = _followed(catalogue, source, other)
    return made


def filled(folder: Path, locale: str, given: Mapping[str, Any]) -> Mapping[Path, Catalog]:
    """The catalogues of a locale, which may be new, with what a translator gave: by key, a text or the forms of one."""
    (folder / locale).mkdir(exist_ok=True)
    made = {path: catalogue for path, catalogue in updated(folder).items() if path.parent.name == locale}
    for catalogue in made.values():
        for message in _messages(catalogue):
            if (text := given.get(str(message.context))) is not None:
                forms = list(text) if isinstance(text, list) else [text]
                many = isinstance(message.id, tuple | list)
                message.string = (
                    tuple(forms * catalogue.num_plurals if len(forms) == 1 else forms) if many else forms[0]
                )
                message.flags.discard("fuzzy")
    return made


def dumped(folder: Path, locale: str) -> Iterator[Mapping[str, Any]]:
    """What is untranslated or fuzzy there."""
    have = {
        str(message.context): message
        for path in (folder / locale).glob("*.po")
        for message in _messages(_read(path, locale))
        if _is_done(message) and not message.fuzzy
    }
    plurals = Catalog(locale=locale.replace("-", "_"))
    for path in sorted((folder / SOURCE_LOCALE).glob("*.po")):
        for message in _messages(_read(path, SOURCE_LOCALE)):
            key = str(message.context)
            if key in have and have[key].id == message.id:
                continue
            told: dict[str, Any] = {"key": key, "english": message.id}
            if isinstance(message.id, tuple | list):
                told["forms"] = f"{plurals.num_plurals}: {plurals.plural_expr}"
            if message.auto_comments:
                told["comment"] = " ".join(message.auto_comments)
            if (limit := _limit(key)) is not None:
                told["most_characters"] = limit.most
                told["is_command_name"] = limit.is_name
            yield told


def problems(folder: Path, code: Path) -> Iterator[str]:
    """One line each."""
    source = {
        str(message.context): message
        for path in sorted((folder / SOURCE_LOCALE).glob("*.po"))
        for message in _messages(_read(path, SOURCE_LOCALE))
    }
    yield from _of_code(set(source), code)
    for path, catalogue in updated(folder).items():
        place = f"{path.parent.name}/{path.name}"
        if not path.exists() or path.read_text("utf-8") != _text(catalogue):
            yield f"{place}: not up to date (make locales)"
        for message in _messages(catalogue):
            for fault in _faults(message, source[str(message.context)], catalogue.num_plurals):
                yield f"{place}: {message.context}: {fault}"
    for locale in (SOURCE_LOCALE, *_others(folder)):
        yield from _doubles(folder / locale)


# ------------------------------------------------------------------------------------------------------ what the code says


def keys_in(code: Path) -> tuple[set[str], set[str]]:
    """Constants in the code that may be keys, and patterns for those that it computes."""
    constants: set[str] = set()
    patterns: set[str] = set()
    for path in sorted(code.rglob("*.py")):
        for node in ast.walk(ast.parse(path.read_text("utf-8"))):
            if isinstance(node, ast.Constant) and isinstance(node.value, str):
                constants.add(node.value)
            elif isinstance(node, ast.JoinedStr):
                patterns.add(_pattern(node))
    return constants, patterns


def _pattern(node: ast.JoinedStr) -> str:
    parts = (re.escape(str(part.value)) if isinstance(part, ast.Constant) else _COMPUTED for part in node.values)
    return "".join(parts)


def _of_code(keys: set[str], code: Path) -> Iterator[str]:
    constants, patterns = keys_in(code)
    computed = [re.compile(pattern) for pattern in patterns if re.search("[a-z]", pattern.replace(_COMPUTED, ""))]
    for key in sorted(keys - constants):
        if not any(pattern.fullmatch(key) for pattern in computed):
            yield f"{SOURCE_LOCALE}: {key}: the code never says it"
    for path in sorted(code.rglob("*.py")):
        for node in ast.walk(ast.parse(path.read_text("utf-8"))):
            if isinstance(node, ast.Call) and (told := _said(node)) is not None and told not in keys:
                yield f"{path.relative_to(code.parent)}:{node.lineno}: {told!r} is in no catalogue"


def _said(call: ast.Call) -> str | None:
    """The key in `words("key")` and `said(translator, "key")`."""
    name = call.func.id if isinstance(call.func, ast.Name) else getattr(call.func, "attr", "")
    nr = {"words": 0, "said": 1}.get(name)
    if nr is None or len(call.args) <= nr:
        return None
    argument = call.args[nr]
    said = str(argument.value) if isinstance(argument, ast.Constant) else ""
    return said if _KEY.fullmatch(said) else None


# ------------------------------------------------------------------------------------------------------------- catalogues


def _others(folder: Path) -> Sequence[str]:
    return [path.name for path in sorted(folder.iterdir()) if path.is_dir() and path.name != SOURCE_LOCALE]


def _read(path: Path, locale: str) -> Catalog:
    with path.open("rb") as file:
        return read_po(file, locale=locale.replace("-", "_"), abort_invalid=True)


def _messages(catalogue: Catalog) -> Iterator[Message]:
    return (message for message in catalogue if message.id)


def _source(source: Catalog) -> Catalog:
    made = Catalog(locale="en_US")
    for message in _messages(source):
        made.add(message.id, message.id, auto_comments=message.auto_comments, context=message.context)
    return made


def _followed(old: Catalog, source: Catalog, locale: str) -> Catalog:
    made = Catalog(locale=locale.replace("-", "_"))
    translated = {str(message.context): message for message in _messages(old)}
    for message in _messages(source):
        before = translated.get(str(message.context))
        text: Any = before.string if before is not None and _is_done(before) else None
        if before is None or isinstance(message.id, tuple | list) != isinstance(text, tuple | list):
            text = None
        is_old = text is not None and before is not None and (before.fuzzy or before.id != message.id)
        made.add(
            message.id,
            text,
            flags={"fuzzy"} if is_old else (),
            auto_comments=message.auto_comments,
            context=message.context,
        )
    return made


def _text(catalogue: Catalog) -> str:
    """As a file; the same for the same messages, whenever it is written."""
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


def _write(texts: Mapping[Path, str]) -> None:
    for path, text in texts.items():
        path.write_text(text, "utf-8")


def _is_done(message: Message) -> bool:
    return all(forms_of(message.string))


# ------------------------------------------------------------------------------------------------------------------ faults


def _faults(message: Message, source: Message, forms: int) -> Iterator[str]:
    if not _is_done(message):
        yield "not translated"
        return
    if message.fuzzy:
        yield "fuzzy: the English has changed"
        return
    texts = forms_of(message.string)
    if isinstance(message.id, tuple | list) and len(texts) != forms:
        yield f"{len(texts)} forms instead of {forms}"
    wanted = _placeholders(forms_of(source.id)[-1])
    for nr, text in enumerate(texts):
        found = _placeholders(text)
        # A form for few numbers may leave the number out: "one file".
        if found != wanted and not (nr < len(texts) - 1 and found == wanted - {"count"}):
            yield f"its placeholders are {sorted(found)} instead of {sorted(wanted)}"
    if (limit := _limit(str(message.context))) is not None:
        yield from _beyond(limit, texts)


def _placeholders(text: str) -> set[str]:
    try:
        return {name for _, name, _, _ in string.Formatter().parse(text) if name is not None}
    except ValueError:
        return {"(not readable: a single brace)"}


def _limit(key: str) -> Limit | None:
    return next((limit for limit in LIMITS if limit.keys.fullmatch(key)), None)


def _beyond(limit: Limit, texts: Sequence[str]) -> Iterator[str]:
    for text in texts:
        if len(text) > limit.most:
            yield f"{len(text)} characters; at most {limit.most}"
        if limit.is_name and (not _NAME.fullmatch(text) or text != text.lower()):
            yield f"{text!r} cannot be the name of a command"


def _doubles(folder: Path) -> Iterator[str]:
    seen: set[str] = set()
    for path in sorted(folder.glob("*.po")):
        for message in _messages(_read(path, folder.name)):
            if str(message.context) in seen:
                yield f"{folder.name}/{path.name}: {message.context}: is there twice"
            seen.add(str(message.context))


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
