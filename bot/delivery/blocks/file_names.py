"""What the file is called that a long code block becomes.

Models name a file in the info string (`python title="app.py"`), in the line before the block (`**src/app.py**`, "Here is
app.py:"), or not at all. A name in the line before must fit the block's language, as sentences name other files and Node.js too.
Which names and extensions a language has, Pygments knows; a short table has what it does not know or knows otherwise.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from fnmatch import fnmatchcase
from functools import cache
from pathlib import PurePosixPath

LONGEST_NAME = 100

_OWN_PATTERNS: dict[str, Sequence[str]] = {
    "console": ("*.txt",),
    "env": ("*.env",),
    "jsonc": ("*.json", "*.jsonc"),
    "make": ("Makefile", "makefile", "*.mk", "*.mak"),
    "makefile": ("Makefile", "makefile", "*.mk", "*.mak"),
    "mermaid": ("*.mmd",),
    "plaintext": ("*.txt",),
    "r": ("*.r", "*.R"),
    "shell": ("*.sh", "*.bash"),
    "svelte": ("*.svelte",),
    "tsx": ("*.tsx",),
    "txt": ("*.txt", "*"),
    "text": ("*.txt", "*"),
    "vue": ("*.vue",),
}
"""Language → patterns of file names, the usual one first."""

_SETTING = re.compile(r"""\b(?:title|filename|file|name|path)\s*[=:]\s*(?:"([^"]+)"|'([^']+)'|([^\s"'{}]+))""")
_WORD = re.compile(r"[^\s`*\"'“”„«»()\[\]{}<>,;=]+")
_PATTERN = re.compile(r"\*(\.[\w.+-]+)")
_FILE = re.compile(r"[^.].*\.[A-Za-z][A-Za-z0-9_+-]{0,9}")
_PRODUCT = re.compile(r"[A-Z]\w*\.(?:js|io|ai|net)")
"""Node.js and its kind: named in sentences, and no file."""
_UNSAFE = re.compile(r"[^\w.+@-]+")


def file_name(info: str, line_before: str) -> str:
    """A safe name for the code of a block with this info string behind this line of prose. At most LONGEST_NAME characters."""
    language = _language(info)
    named = _safe(next(_names_in_info(info, language), "") or _name_in_line(line_before, language))
    usual = _usual_name(language)
    if named and not _is_file_name(named) and "." not in named:
        return _safe(f"{named}{PurePosixPath(usual).suffix}")  # a title
    return named or usual


class FileNames:
    """The names of one answer's files."""

    def __init__(self) -> None:
        self._taken: set[str] = set()

    def reserve(self, name: str) -> str:
        """This name, or where a file has it already one with a number: `app-2.py`."""
        stem, dot, extension = name.rpartition(".") if "." in name else (name, "", "")
        free, nr = name, 1
        while free.lower() in self._taken:
            nr += 1
            ending = f"-{nr}{dot}{extension}"
            free = stem[: LONGEST_NAME - len(ending)] + ending
        self._taken.add(free.lower())
        return free


def _language(info: str) -> str:
    """The first word of an info string where it is no file: `python`, `{.python}` and `python:app.py` say Python."""
    word = re.split(r"[\s,{}:=]", info.strip(" {."), maxsplit=1)[0].lower()
    return word if word in _patterns() or not _FILE.fullmatch(word) else ""


def _names_in_info(info: str, language: str) -> Iterator[str]:
    setting = _SETTING.search(info)
    if setting:
        yield next(filter(None, setting.groups()))
    for word in info.split():
        for part in (word, word.partition(":")[2]):
            if part.lower() != language and _is_file_name(_last_part(part)):
                yield part


def _name_in_line(line: str, language: str) -> str:
    """The one name of a file in a line that fits the language; none where there are several."""
    words = {_last_part(word.rstrip(".:!?…")) for word in _WORD.findall(line)}
    fitting = {
        word for word in words if _is_file_name(word) and _PRODUCT.fullmatch(word) is None and _fits(word, language)
    }
    return fitting.pop() if len(fitting) == 1 else ""


def _last_part(path: str) -> str:
    return re.split(r"[/\\]", path)[-1]


def _is_file_name(word: str) -> bool:
    if _FILE.fullmatch(word) is None:
        return word in _names_without_extension()
    return word[word.rindex(".") :].lower() in _extensions()


def _fits(name: str, language: str) -> bool:
    patterns = _patterns().get(language)
    return patterns is None or any(fnmatchcase(name, pattern) for pattern in patterns)


def _usual_name(language: str) -> str:
    patterns = _patterns().get(language, ())
    if patterns and "*" not in patterns[0]:
        return patterns[0]
    extension = next((found[1] for pattern in patterns if (found := _PATTERN.fullmatch(pattern))), ".txt")
    return f"code{extension}"


def _safe(name: str) -> str:
    """The last part of a path in characters that every system takes; never hidden, and empty only where nothing is left."""
    name = _UNSAFE.sub("_", _last_part(name.strip())).lstrip("._-")
    stem, dot, extension = name.rpartition(".")
    if len(name) > LONGEST_NAME and dot and len(extension) < LONGEST_NAME:
        return stem[: LONGEST_NAME - 1 - len(extension)] + dot + extension
    return name[:LONGEST_NAME]


@cache
def _patterns() -> dict[str, Sequence[str]]:
    # Pygments is large, and few answers hold a file.
    from pygments.lexers import get_all_lexers

    known = {alias: names for _, aliases, names, _ in get_all_lexers(plugins=False) for alias in aliases if names}
    return {**known, **_OWN_PATTERNS}


@cache
def _names_without_extension() -> frozenset[str]:
    names = (name for patterns in _patterns().values() for name in patterns)
    return frozenset(name for name in names if re.fullmatch(r"[A-Z][A-Za-z]+file", name))


@cache
def _extensions() -> frozenset[str]:
    patterns = (pattern for names in _patterns().values() for pattern in names)
    found = (_PATTERN.fullmatch(pattern) for pattern in patterns)
    more = {".csv", ".tsv", ".log", ".conf", ".cfg", ".svg", ".env", ".lock", ".mdx", ".ipynb", ".bat"}
    return frozenset({match[1].lower() for match in found if match} | more)
