"""`python -m adapters models`: which models a provider lists, and what is known of each; one JSON object a line.

The key comes from LLM_API_KEYS (the first one), never from the command line, where every user of the machine could read it.
"""

from __future__ import annotations

import argparse
import asyncio
import os
import re
import sys
from collections.abc import Sequence
from pathlib import Path
from urllib.parse import urlsplit

import msgspec

from adapters import registry
from adapters.catalogue import Catalogue, CatalogueError, Row, read_rows
from adapters.contract import Endpoint, ModelInfo, ProviderError
from adapters.transport import Transport

NOT_LISTED = 1
WRONG_USAGE = 2


def main(argv: Sequence[str]) -> int:
    """Arguments behind the word `models`. Exit status 0; 1 where the provider lists none, or an error; 2 for wrong usage."""
    arguments = _parser().parse_args(argv)
    wrong = _wrong_place(arguments.provider, arguments.base_url)
    if wrong:
        return _refuse(wrong, WRONG_USAGE)
    try:
        catalogue = Catalogue(_own_rows(arguments.catalogue))
    except CatalogueError as fault:
        return _refuse(str(fault), WRONG_USAGE)
    except OSError as fault:
        return _refuse(f"cannot read {arguments.catalogue}: {fault.strerror}", WRONG_USAGE)
    except UnicodeDecodeError:
        return _refuse(f"{arguments.catalogue} is not text in UTF-8", WRONG_USAGE)
    endpoint = Endpoint(arguments.base_url, os.environ.get("LLM_API_KEYS", "").partition(",")[0].strip() or None)
    found = asyncio.run(_list(arguments.provider, endpoint))
    if isinstance(found, str):
        return _refuse(found, NOT_LISTED)
    catalogue.learn(arguments.provider, arguments.base_url, found)
    for model in found:
        known = catalogue.find(endpoint.origin(arguments.provider, model.id))
        sys.stdout.write(msgspec.json.encode(known).decode() + "\n")
    sys.stdout.flush()
    return 0


async def _list(provider: str, endpoint: Endpoint) -> Sequence[ModelInfo] | str:
    """The models as the provider lists them, or why there are none."""
    adapter = registry.adapter(provider)
    async with Transport() as transport:
        found = await transport.models(adapter, endpoint)
    if isinstance(found, ProviderError):
        return f"{provider}: {found.reason}: {found.message}"
    if not found and adapter.list_models(endpoint) is None:
        return f"{provider} has no list of models there; the provider's own pages name them"
    return found or f"{provider}: the list of models is empty, or none"


def _wrong_place(provider: str, base_url: str | None) -> str | None:
    """What is wrong with the provider's name or address, if anything."""
    if provider not in registry.NAMES:
        return f"no provider {provider!r}; there are {', '.join(registry.NAMES)}"
    if base_url is None:
        example = registry.NEEDS_BASE_URL.get(provider)
        return example and f"{provider} needs --base-url, such as {example}"
    try:
        parts = urlsplit(base_url)
        good = (
            parts.scheme in ("http", "https") and parts.hostname and parts.port != 0 and not re.search(r"\s", base_url)
        )
    except ValueError:  # an unclosed bracket, a port that is no number
        good = False
    return None if good else "--base-url must be an address such as http://127.0.0.1:8080/v1"


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(prog="python -m adapters models", description=__doc__)
    parser.add_argument("--provider", required=True, metavar="NAME", help=", ".join(registry.NAMES))
    parser.add_argument("--base-url", metavar="URL", help="root of the API, where it is not the provider's own")
    parser.add_argument(
        "--catalogue", metavar="FILE", help="own rows, in the form of adapters/models.csv; they go before all else"
    )
    return parser


def _own_rows(path: str | None) -> Sequence[Row]:
    # Spreadsheets write a byte order mark.
    return tuple(read_rows(Path(path).read_text("utf-8-sig"), path)) if path else ()


def _refuse(reason: str, status: int) -> int:
    sys.stderr.write(f"models: {reason}\n")
    return status
