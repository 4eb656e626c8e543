"""Keys out of texts: no error message, log line or notice may show one.

Two nets. The values that a request really carried are known and taken out wherever they stand: as they are, as an address,
JSON, HTML or base64 spells them, cut off, or masked (`sk-…abcd`). And whatever looks like a key of a well-known maker goes
too, because a provider may echo a key that belongs to somebody else's configuration. Rather a word too many than a key.
"""

from __future__ import annotations

import html
import json
import re
from base64 import b64encode
from collections.abc import Iterable, Iterator
from functools import cache, lru_cache
from typing import Final
from urllib.parse import quote, quote_plus

HIDDEN: Final = "***"

_LONG_ENOUGH: Final = 8
"""From here on a secret is taken out even inside a word; local servers are given keys like `x` or `test`."""

_NO_CHANCE: Final = 24
"""Characters in a row that a text has in common with a secret, which are no chance."""

_TAIL: Final = r"[\w*.…-]{5,}[\w*…-]"
_PROSE: Final = r"(?:tokens?|auth\w*|schemes?|keys?|realm|credentials?|header|format|prefix|is|in|or|and|was|must|not)\b(?![.=_-]\w)"
_IN_ADDRESS: Final = (
    r"(?:(?:api|subscription|access|x-goog-api|ocp-apim-subscription)?[-_]?key|(?:access|auth|refresh|id)?_?token"
    r"|client_secret|sig|signature|x-amz-(?:signature|credential|security-token)|password)"
)

_START: Final = r"(?: (?<! [a-z0-9_] ) | (?<= \\[nrt] ) )"
"""Where a key may begin: not inside a word. Chinese has no spaces between words, and JSON in JSON writes a line's end as `\n`."""

_KEY_SHAPES: Final = rf"""
      -----BEGIN\ [A-Z ]{{0,30}}PRIVATE\ KEY----- (?s:.*?) (?: -----END\ [A-Z ]{{0,30}}PRIVATE\ KEY----- | \Z )
    | {_START} (?: sk | pk | rk ) [-_] {_TAIL}                                # OpenAI and its likes, DeepSeek, Anthropic, OpenRouter
    | {_START} (?: gsk | hf | r8 | fw | tgp | github_pat | gh[opsur] ) _ {_TAIL}    # Groq, Hugging Face, Replicate, Fireworks, …
    | {_START} (?: xai | pplx | csk ) - (?: [a-z0-9]{{16,}} | \w{{0,16}} (?: [*.]{{2,}} | … ) \w{{0,16}} )    # xAI, Perplexity, Cerebras
    | {_START} nvapi- [\w-]{{10,}}                                            # NVIDIA
    | {_START} AIza [\w-]{{10,}} | {_START} AQ \. [\w-]{{20,}} | {_START} GOCSPX- [\w-]{{8,}}   # Google
    | {_START} ya29 \. [\w.-]{{8,}} | {_START} 1//0 [\w-]{{20,}}                    # Google's access and refresh tokens
    | {_START} (?: AKIA | ASIA ) [A-Z0-9]{{12,}} | {_START} (?: ABSK | bedrock-api-key- ) [a-z0-9+/=]{{10,}}   # Amazon
    | {_START} eyJ [\w-]{{10,}} \. [\w-]{{5,}} (?: \. [\w-]* )?               # JSON web tokens
    | {_START} [MNO] [\w-]{{23,27}} \. [\w-]{{6}} \. [\w-]{{27,}}             # Discord
    | {_START} (?: Bearer | Basic ) (?: \s | %20 )+ (?! {_PROSE} ) [^\s"'`,;<>)]+
    | (?: (?<= [?&;] ) | (?<= u0026 ) | (?<= %26 ) | (?<= %3F ) ) {_IN_ADDRESS} (?: = | %3D ) [^\s&"'<>\\]+
    | (?<= :// ) [^\s/@:"']{{0,256}} : [^\s/@"']{{1,256}} (?= @ )       # user:password@host
    | (?<= :// ) [\w.~%+-]{{8,256}} (?= @ )
    | {_START} (?: x-amz-security-token | signature | secret_?(?:access_?)?key | client_secret | private_key )
      ["']? \s{{0,4}} [:=] \s{{0,4}} ["']? [\w+/=.~-]{{16,}}
    """
_NAMED: Final = (
    # "Incorrect API key provided: abcd1234…", "api-key: 0123…": what looks made by a machine, after the word that says so.
    r"((?:(?:api|access|subscription|auth)[ _-]?(?:key|token)|密钥|令牌)[\w ]{0,20}[\"'`]?\s{0,4}(?:[:=：]|\bis\b)?\s{0,4}[\"'`(]?)"
    r"((?=[\w./+=~-]{0,80}[0-9])(?=[\w./+=~-]{0,80}[A-Za-z])[\w./+=~-]{20,}|[\w.-]{0,16}(?:\*{2,}|…|\.{3,})[\w-]{0,16}(?<![.…]))"
)
_MASKED: Final = re.compile(r"([\w.+/=-]{0,64}?)(\*{2,}|\.{3,}|…+|[xX]{4,})([\w+/=-]{0,64})")


@cache
def _key_shapes() -> re.Pattern[str]:
    return re.compile(_KEY_SHAPES, re.VERBOSE | re.IGNORECASE)


@cache
def _named() -> re.Pattern[str]:
    return re.compile(_NAMED, re.IGNORECASE)


def scrub(text: str, secrets: Iterable[str] = ()) -> str:
    """The text with every secret, and everything that looks like a key, replaced by `***`."""
    for secret in secrets:
        if secret:
            text = _without(text, secret)
    return _named().sub(rf"\1{HIDDEN}", _key_shapes().sub(HIDDEN, text))


def _without(text: str, secret: str) -> str:
    if len(secret) < _LONG_ENOUGH:
        for form in {secret, quote(secret, safe="")}:
            text = re.sub(rf"(?<!\w){re.escape(form)}(?!\w)", HIDDEN, text)
        return text
    for form in _forms(secret):
        text = _without_pieces(text.replace(form, HIDDEN), form)
    return _without_masked(text, secret)


@lru_cache(maxsize=64)
def _forms(secret: str) -> tuple[str, ...]:
    """How a text may spell it, the longest first."""
    forms = {secret, secret.strip(), html.escape(secret)}
    for coded in (quote(secret, safe=""), quote(secret), quote_plus(secret)):
        forms |= {coded, re.sub(r"%[0-9A-F]{2}", lambda byte: byte[0].lower(), coded)}
    for ascii_only in (True, False):
        escaped = json.dumps(secret, ensure_ascii=ascii_only)[1:-1]
        forms |= {escaped, escaped.replace("/", "\\/"), json.dumps(escaped)[1:-1]}
    forms |= set(_base64_forms(secret.encode("utf-8", "surrogatepass")))
    return tuple(sorted((form for form in forms if len(form) >= _LONG_ENOUGH), key=len, reverse=True))


def _base64_forms(secret: bytes) -> Iterator[str]:
    """What of a base64 text comes from the secret alone, at each of the three places where it may begin in one."""
    for before in range(3):
        coded = b64encode(bytes(before) + secret).decode("ascii")
        start = (0, 2, 3)[before]
        rest = (before + len(secret)) % 3
        core = coded[start : len(coded) - (0, 3, 2)[rest]]
        if len(core) >= _LONG_ENOUGH:
            yield core
            yield core.replace("+", "-").replace("/", "_")


def _without_pieces(text: str, form: str) -> str:
    """Without what is left of a secret that was cut off, or of which another rule has already hidden a part."""
    head = form[:_LONG_ENOUGH]
    place = text.find(head)
    while place >= 0:
        end = place + _run(text[place:], form)
        if end - place >= min(len(form) / 2, _NO_CHANCE) or text[end:].strip(" .…*\"'") == "":
            text = text[:place] + HIDDEN + text[end:]
            end = place + len(HIDDEN)
        place = text.find(head, end)
    place = text.find(HIDDEN)
    while place >= 0:
        end = place + len(HIDDEN)
        begins = form.find(text[end : end + _LONG_ENOUGH]) if len(text) - end >= _LONG_ENOUGH else -1
        if begins >= 0:
            text = text[:end] + text[end + _run(text[end:], form[begins:]) :]
        place = text.find(HIDDEN, end)
    return text


def _run(text: str, form: str) -> int:
    """How many characters both begin with alike."""
    length = min(len(text), len(form))
    return next((at for at in range(length) if text[at] != form[at]), length)


def _without_masked(text: str, secret: str) -> str:
    """Without a secret of which somebody shows the ends only (`sk-…abcd`)."""

    def masked(found: re.Match[str]) -> str:
        before, _, after = found.groups()
        shown = len(before) + len(after)
        ours = secret.startswith(before) and secret.endswith(after) and shown >= 3
        return HIDDEN if ours and (before or len(after) >= 4) else found[0]

    return _MASKED.sub(masked, text)
