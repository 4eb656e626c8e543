"""`python -m adapters decode`: what the adapters make of recorded bytes."""

from __future__ import annotations

import sys

from adapters.decode_command import main

if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
