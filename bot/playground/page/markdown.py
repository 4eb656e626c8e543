"""Discord's dialect of Markdown → safe HTML, as Discord's client would show it.

markdown-it is the engine; the rules are Discord's (`blocks.py`, `spans.py`), because the client is no CommonMark
parser: what it does not know (tables, `####`, rules, images, HTML) must stay the characters it is. The facts are those of
https://docs.discord.com/developers/reference#message-formatting and of the client's visible behaviour.
"""

from __future__ import annotations

from collections.abc import Sequence

from markdown_it import MarkdownIt
from markdown_it.common.utils import escapeHtml
from markdown_it.renderer import RendererHTML
from markdown_it.token import Token
from markdown_it.utils import EnvType, OptionsDict

from bot.playground.page.blocks import use_discord_blocks
from bot.playground.page.highlighting import highlighted_html
from bot.playground.page.mentions import NameOf
from bot.playground.page.spans import use_discord_spans


class _Renderer(RendererHTML):
    def text(self, tokens: Sequence[Token], idx: int, options: OptionsDict, env: EnvType) -> str:
        return escapeHtml(tokens[idx].content).replace("\n", "<br>")

    def fence(self, tokens: Sequence[Token], idx: int, options: OptionsDict, env: EnvType) -> str:
        token = tokens[idx]
        return f"<pre{self.renderAttrs(token)}><code>{highlighted_html(token.content, token.info)}</code></pre>"


def _discord_markdown() -> MarkdownIt:
    md = MarkdownIt("zero", {"html": False}, renderer_cls=_Renderer)
    use_discord_blocks(md)
    use_discord_spans(md)
    return md


_MARKDOWN = _discord_markdown()


def render(text: str, name_of: NameOf) -> str:
    """The HTML of a message's content, an embed's description or a field's value. Never raises."""
    return str(_MARKDOWN.render(text, _env(name_of))).strip()


def render_inline(text: str, name_of: NameOf) -> str:
    """The HTML of a text that Discord shows without blocks: an embed's title, a field's name."""
    return str(_MARKDOWN.renderInline(text, _env(name_of)))


def _env(name_of: NameOf) -> EnvType:
    return {"name_of": name_of, "quoted": False, "depth": 0}
