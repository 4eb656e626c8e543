"""The end of a text that is still coming in: what would look broken for a moment and is better shown when it is whole.

A half mention shows as raw text, a lone `**` as stars, a lone `-` becomes a list item when a word follows, half a closing
fence is code. Each is held for at most some hundred characters, and only from being shown: the layout itself has all the
text. Where one thing is held, another may stand before it (`- **[the do`), so the end is looked at again.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from bot.delivery.layout.fences import segments

_ADDRESS = r"(?: [!-'*-;=?-~] | \([!-'*-;=?-~]{0,300}\) ){0,1000}+ (?: \([!-'*-;=?-~]{0,300} )?"
_LABEL = r"(?: [^\[\]\n] | \[[^\[\]\n]{0,100}\] ){0,300}+ (?: \[[^\[\]\n]{0,100} )?"
_HALF_GRAPHEME = re.compile(
    r"""
    (?=[\u200d\ud800-\udbff\U0001f1e6-\U0001f1ff\U0001f3f4]) (?:
        \u200d | [\ud800-\udbff]
      | \U0001f3f4[\U000e0020-\U000e007e]+                                          # a flag of a region
      | (?<![\U0001f1e6-\U0001f1ff])(?:[\U0001f1e6-\U0001f1ff]{2}){0,50}[\U0001f1e6-\U0001f1ff]       # or of a country
    )\Z
    """,
    re.VERBOSE,
)
_HALF_TOKEN = re.compile(
    rf"""
    (?=[<!\[h\\$&*_~|`]) (?:
        < (?: [@\#][!&]?\d{{0,20}} | /[\w\ -]{{0,100}}:?\d{{0,20}} | a?:?\w{{0,32}}:?\d{{0,20}} | t:-?\d{{0,13}}:?[A-Za-z]?
            | id:[a-z-]{{0,20}}:?\d{{0,20}} | https?:[^\s<>]{{0,1000}} )
      | !?\[{_LABEL} (?: \] (?: \([ \t]*<?{_ADDRESS} (?: [ \t]+ (?: "[^"\n]{{0,300}}"? | '[^'\n]{{0,300}}'? )?[ \t]* )? )? )?
      | (?<![^\W_])h(?: t | tt | ttp | ttps?:?/{{0,2}} )?
      | (?<!<)https?://{_ADDRESS}
      | &\#?\w{{0,10}}
      | (?<!\\) (?: (?<!\*)\*{{1,3}} | (?<!_)_{{1,3}} | (?<!~)~{{1,2}} | (?<!\|)\|{{1,2}}\s* | (?<!`)`{{1,8}}
                  | \\[(\[]? | \${{1,2}} )
    )\Z
    """,
    re.VERBOSE,
)
_HALF_LINE = re.compile(
    r"""
    (?: \A | (?<=\n) ) (?=[^\n])
    [ \t>]* (?: [-+*_=\#|:~` \t]{1,80} | \d{1,9}(?:[.)][ \t]*)? )? (?: \[[ xX]?\]?[ \t]* )?
    \Z
    """,
    re.VERBOSE,
)
"""The marks that begin a list item, heading, quote, fence or table's rule, without anything behind them."""
_HALF_CLOSING_LINE = re.compile(r"(?:\A|(?<=\n))[ \t>]*(?:`+|~+)[ \t]*\Z")

_REACHES = ((_HALF_LINE, 120), (_HALF_TOKEN, 1500), (_HALF_GRAPHEME, 100))
"""How many characters before the end each can begin."""
_MOST_IN_A_ROW = 8


def without_unfinished_end(text: str) -> str:
    """The text up to where a token begins that is not known to be whole; all of it where there is none."""
    parts = list(segments(text))
    if parts and parts[-1].is_open:
        code = parts.pop()
        end = min([len(text), *_begins(text, code.body, ((_HALF_CLOSING_LINE, 120), (_HALF_GRAPHEME, 100)))])
        if text[code.body : end].strip():
            return text[:end]
        text = text[: code.start]  # a block without code shows its language as code
    if not parts or parts[-1].fence is not None:
        return text
    for _ in range(_MOST_IN_A_ROW):
        begin = min(_begins(text, parts[-1].start, _REACHES), default=None)
        if begin is None:
            break
        text = text[:begin]
    return text


def _begins(text: str, floor: int, kinds: tuple[tuple[re.Pattern[str], int], ...]) -> Iterator[int]:
    for kind, reach in kinds:
        found = kind.search(text, max(floor, len(text) - reach))
        if found:
            yield found.start()
