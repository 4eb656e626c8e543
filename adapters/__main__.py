"""`python -m adapters decode | models`: what the adapters make of recorded bytes, and which models a provider lists."""

from __future__ import annotations

import os
import sys
from importlib import import_module

COMMANDS = {"decode": "adapters.decode_command", "models": "adapters.models_command"}
"""Imported when asked for: decoding needs no HTTP client."""


def main(argv: list[str]) -> int:
    """Exit status of the command; 2 where there is no such command, 1 where its output cannot be written."""
    if not argv or argv[0] not in COMMANDS:
        asked_for_help = bool(argv) and argv[0] in ("-h", "--help")
        print(
            f"usage: python -m adapters {{{','.join(COMMANDS)}}} ...", file=sys.stdout if asked_for_help else sys.stderr
        )
        return 0 if asked_for_help else 2
    try:
        status: int = import_module(COMMANDS[argv[0]]).main(argv[1:])
        sys.stdout.flush()
    except OSError as fault:
        # Else Python tries to write the rest once more at its end.
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        if isinstance(fault, BrokenPipeError):
            return 0  # whoever reads (`head`, a pager) has enough
        print(f"{argv[0]}: {fault.strerror}", file=sys.stderr)
        return 1
    except KeyboardInterrupt:
        return 130
    return status


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
