"""`python -m bot.catalogues`: update, check, dump, fill."""

from __future__ import annotations

import argparse
import json
import sys
from pathlib import Path

from bot.catalogues.faults import problems
from bot.catalogues.files import dumped, filled, misfits, updated, write
from bot.localization import LOCALES

CODE = Path(__file__).parent.parent


def main(argv: list[str], folder: Path = LOCALES, code: Path = CODE) -> int:
    """Exit status: 0, 1 where something is amiss, 2 for wrong usage."""
    arguments = _parser().parse_args(argv)
    if arguments.command == "dump":
        print(json.dumps(list(dumped(folder, arguments.locale)), ensure_ascii=False, indent=1))
        return 0
    faults: list[str] = []
    if arguments.command == "update":
        write(folder, updated(folder))
    elif arguments.command == "fill":
        given = json.loads(arguments.file.read_text("utf-8"))
        faults += misfits(folder, arguments.locale, given)
        write(folder, filled(folder, arguments.locale, given))
    faults += problems(folder, code)
    print(*faults, sep="\n", end="\n" if faults else "")
    return 1 if faults else 0


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(prog="python -m bot.catalogues", description="The catalogues in locales/.")
    commands = parser.add_subparsers(dest="command", required=True)
    commands.add_parser("update", help="bring all locales up to date with the English one")
    commands.add_parser("check", help="tell what is amiss; change nothing")
    dump = commands.add_parser("dump", help="print as JSON what is not translated, with all that a translator needs")
    fill = commands.add_parser("fill", help="take in a translator's JSON: by key a text, or a list of plural forms")
    for command in (dump, fill):
        command.add_argument("locale", help="as Discord names it: pt-BR")
    fill.add_argument("file", type=Path)
    return parser


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
