"""Keys out of texts: no error message, log line or notice may show one.

Two nets. The values that a request really carried are known and taken out wherever they stand; and whatever looks like a
key of a well-known maker goes too, because a provider may echo a key that belongs to somebody else's configuration.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from typing import Final
from urllib.parse import quote

HIDDEN: Final = "***"

_LONG_ENOUGH: Final = 8
"""From here on a secret is taken out even inside a word; local servers are given keys like `x` or `test`."""

_KEY_SHAPES: Final = re.compile(
    r"""
      \b (?: sk | pk | rk | gsk | xai | hf | pplx | nvapi | r8 | fw | csk | tgp ) [-_] [\w*.-]{6,}   # OpenAI and its likes
    | \b AIza [\w-]{10,}                                                      # Google
    | \b ya29\. [\w.-]{10,}                                                   # Google access tokens
    | \b (?: AKIA | ASIA ) [A-Z0-9]{12,}                                      # Amazon
    | \b eyJ [\w-]{10,} \. [\w-]{5,} (?: \. [\w-]* )?                         # JSON web tokens
    | \b Bearer \s+ [^\s"',;]+
    | (?<= [?&;] ) (?: api[-_]? )? key= [^\s&"'<>]+                           # ?key=… in an address
    | (?<= :// ) [^\s/@]+ : [^\s/@]+ (?= @ )                                  # user:password@host
    """,
    re.VERBOSE | re.IGNORECASE,
)


def scrub(text: str, secrets: Iterable[str] = ()) -> str:
    """The text with every secret, and everything that looks like a key, replaced by `***`."""
    for secret in secrets:
        for form in {secret, quote(secret, safe="")} - {""}:
            if len(form) >= _LONG_ENOUGH:
                text = text.replace(form, HIDDEN)
            else:
                text = re.sub(rf"(?<!\w){re.escape(form)}(?!\w)", HIDDEN, text)
    return _KEY_SHAPES.sub(HIDDEN, text)
