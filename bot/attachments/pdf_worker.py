"""The text of a PDF, in a process of its own: pages come out as soon as they are read, so that a time limit costs only the rest.

Run as a script with two numbers: pages and characters at most. The file comes by standard input; by standard output come lines of
JSON: `{"pages": 3}`, `{"locked": true}` or `{"broken": true}`, then `{"text": …}` for each page in order. It imports nothing of Parley, is given no
environment, writes no files, and takes no more memory and time than said here, however the file was made.
"""

from __future__ import annotations

import json
import os
import sys
from io import BytesIO

MEMORY = 768 * 1024 * 1024
"""Bytes of address space. A plain file of 25 MB takes a quarter of it."""
CPU_SECONDS = 20
NICENESS = 10
MOST_OF_PAGE = 200_000
"""Code points, some fifty times what fits on paper."""


def main(most_pages: int, most_characters: int) -> None:
    _limit()
    from pypdf import PdfReader

    try:
        reader = PdfReader(BytesIO(sys.stdin.buffer.read()))
        # Many files are locked against changes only, and open without a password.
        locked = reader.is_encrypted and not reader.decrypt("")
        pages = 0 if locked else len(reader.pages)
    except MemoryError:
        raise
    except Exception:
        # pypdf raises what it likes for a file that is none.
        _tell({"broken": True})
        return
    _tell({"locked": True} if locked else {"pages": pages})
    for number in range(min(pages, most_pages)):
        try:
            text = reader.pages[number].extract_text()
        except MemoryError:
            raise
        except Exception:
            text = ""  # the other pages may be whole
        _tell({"text": text[:MOST_OF_PAGE]})
        most_characters -= len(text)
        if most_characters < 0:
            break


def _limit() -> None:
    if sys.platform == "win32":
        return
    import resource

    os.nice(NICENESS)
    for what, most in (
        (resource.RLIMIT_AS, MEMORY),
        (resource.RLIMIT_CPU, CPU_SECONDS),
        (resource.RLIMIT_FSIZE, 0),
        (resource.RLIMIT_CORE, 0),
    ):
        _, hard = resource.getrlimit(what)
        most = most if hard == resource.RLIM_INFINITY else min(most, hard)
        resource.setrlimit(what, (most, most))


def _tell(line: dict[str, object]) -> None:
    # Half a surrogate pair, which broken fonts give, stands escaped and so passes.
    sys.stdout.write(json.dumps(line) + "\n")
    sys.stdout.flush()


if __name__ == "__main__":
    main(*map(int, sys.argv[1:]))
