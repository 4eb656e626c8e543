"""How many tokens a model makes of a text or picture: counted with one vocabulary, and corrected by what providers report.

The vocabulary is OpenAI's o200k. Other models have others, many of them not public, and what they count differs by a factor that
depends on the language more than on the words. So the counter learns that factor for each model from the input tokens that
its answers report. Too few tokens counted cost an answer, too many only some history: it rises fast and sinks slowly.
Counting takes about a microsecond for a hundred characters, in time linear in the text, so that nothing needs to be cached.
"""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Iterable
from io import BytesIO
from math import ceil

import msgspec
import toktok
from PIL import Image

from adapters.contract import FilePart, ImagePart, Origin, Part, PromptMessage, TextPart, ThoughtPart, ToolResult

_VOCABULARY = "o200k_base"

_EXACT = frozenset(("openai-chat", "openai-responses"))
"""Providers that at their own address have models with this vocabulary."""
FIRST_FACTOR = 1.25
"""Of all other models, until they are heard. Measured against o200k, the public vocabularies of Llama 3, DeepSeek 3, Qwen 3, Mistral,
GLM 4, Kimi 2 and Gemma 3 make 1.0 to 1.2 times the tokens of English, German and code, and 1.1 to 1.5 times of chat with its ids."""
LEAST_FACTOR, MOST_FACTOR = 0.5, 4.0
"""The same make 0.7 to 3.4 times the tokens of Chinese, Japanese, Russian, Hindi and Thai."""
_RISING, _SINKING = 0.5, 0.1
LEAST_LEARNED = 300
"""Tokens: below, what servers put around the messages weighs too much."""
MOST_MODELS = 512

MESSAGE = 5
"""Tokens around each message; OpenAI's count is 3 to 4 (https://cookbook.openai.com/examples/how_to_count_tokens_with_tiktoken)."""

_PIXELS = 750
"""A token at Anthropic (its page "Vision": width × height / 750), which counts most of those that say how they count."""
_LEAST_PICTURE = 258
"""Gemini's least (https://ai.google.dev/gemini-api/docs/tokens)."""
_UNKNOWN_PICTURE = 1600
"""The most at Anthropic."""
_FILE_BYTES = 3
"""Bytes of a document to a token, a guess on the safe side."""


class TokenCounter:
    """One for the bot. The first count loads the vocabulary, some 250 ms and 60 MB: `load()` in a thread does so before."""

    def __init__(self) -> None:
        self._factors: OrderedDict[Origin, float] = OrderedDict()

    @staticmethod
    def load() -> None:
        _count([""])

    def count(self, text: str, origin: Origin) -> int:
        return self.count_all([text], origin)

    def count_all(self, texts: Iterable[str], origin: Origin) -> int:
        """Of the texts together; cheaper than one by one."""
        return ceil(sum(_count(texts)) * self.factor(origin))

    def count_message(self, message: PromptMessage, origin: Origin) -> int:
        """Pictures and files with it, and what stands around it."""
        parts = list(_flat(message.parts))
        texts = self.count_all((text for part in parts if (text := _text(part))), origin)
        return MESSAGE + texts + sum(_of_media(part) for part in parts if isinstance(part, ImagePart | FilePart))

    def factor(self, origin: Origin) -> float:
        is_exact = origin.provider in _EXACT and origin.base_url is None
        return self._factors.get(origin, 1.0 if is_exact else FIRST_FACTOR)

    def learn(self, origin: Origin, plain: int, actual: int) -> None:
        """`plain`: what this counter said of a request, divided by the factor that it had then: meanwhile, others may have taught it.
        `actual`: the input tokens that the provider counted."""
        known, seen = self.factor(origin), actual / max(plain, 1)
        # What is less than any vocabulary makes of a text was counted without what the server had cached (Ollama does so).
        if plain < LEAST_LEARNED or seen < LEAST_FACTOR:
            return
        weight = _RISING if seen > known else _SINKING
        self._factors[origin] = min(known + weight * (seen - known), MOST_FACTOR)
        self._factors.move_to_end(origin)
        if len(self._factors) > MOST_MODELS:
            self._factors.popitem(last=False)


def _count(texts: Iterable[str]) -> list[int]:
    """Half a surrogate pair, which JSON may hold and UTF-8 not, counts as another sign."""
    whole = [text.encode("utf-8", "replace").decode() for text in texts]
    counts: list[int] = toktok.batch_count(whole, _VOCABULARY, threads=1)
    return counts


def _flat(parts: Iterable[Part]) -> Iterable[Part]:
    for part in parts:
        yield part
        if isinstance(part, ToolResult):
            yield from part.content


def _text(part: Part) -> str:
    match part:
        case TextPart() | ThoughtPart():
            return part.text
        case ImagePart() | FilePart():
            return ""
        case ToolResult():
            return f"{part.name} {part.call_id}"
        case _:
            return msgspec.json.encode(part).decode()


def _of_media(part: ImagePart | FilePart) -> int:
    if isinstance(part, FilePart):
        return len(part.data) // _FILE_BYTES
    size = _size(part.data)
    return max(ceil(size[0] * size[1] / _PIXELS), _LEAST_PICTURE) if size else _UNKNOWN_PICTURE


def _size(data: bytes) -> tuple[int, int] | None:
    """Width and height from the header alone."""
    if not data:
        return None
    try:
        with Image.open(BytesIO(data)) as picture:
            return picture.size
    except (OSError, ValueError, SyntaxError, Image.DecompressionBombError):
        return None
