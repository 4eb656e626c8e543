"""docs/settings.md, made from the list of settings: what there is, what is allowed, and who may choose it."""

from __future__ import annotations

from collections.abc import Iterator

from bot.commands.options import Option, option
from bot.commands.setting_panel import settings_of
from bot.localization import SOURCE_LOCALE, Translator, Words
from bot.preferences import Page, Scope

_HEAD = """\
# What can be chosen

<!-- Made by `python -m bot settings > docs/settings.md` from bot/preferences/topics.py. -->

`/settings` shows all of this on one panel, a page at a time, and changes it; `/capabilities` and `/limits` open it at one page. Some have
a shorter way too: `/model`, `/think`, `/language`, `/prompt`, `/persona use`. The nearest choice counts: of this table, the lowest
row in which somebody chose. Without any it is the default.

| for | means | chosen by |
|---|---|---|
| everywhere | all servers of this bot | who runs it |
| server | all channels of a server | who may manage the server |
| channel | one channel or thread; a thread follows its channel | who may manage the server; in direct messages the person |
| person | wherever they ask | themselves |

Each change is kept with who made it (the last 200 of a server, a channel, a person): *History* in the panel shows them, *Undo last change*
takes the last one back.
"""
_SCOPES = {Scope.GLOBAL: "everywhere", Scope.SERVER: "server", Scope.CHANNEL: "channel", Scope.PERSON: "person"}


def settings_page(translator: Translator) -> str:
    """As Markdown, in the source's language."""
    words = translator.say(SOURCE_LOCALE)
    return "\n".join([_HEAD, *(line for page in Page for line in _page(page, words))])


def _page(page: Page, words: Words) -> Iterator[str]:
    settings = settings_of(page)
    if not settings:
        return
    yield f"## {words(f'settings-page-{page}')}\n"
    yield "| setting | | allowed | default | for |\n|---|---|---|---|---|"
    for setting in settings:
        shown = option(setting, words)
        scopes = ", ".join(_SCOPES[scope] for scope in Scope if scope in setting.scopes)
        cells = (f"**{shown.name}** (`{setting.name}`)", shown.description, shown.allowed, _default(shown), scopes)
        yield f"| {' | '.join(cells)} |"
    yield ""


def _default(shown: Option) -> str:
    return shown.shown(shown.setting.default).replace("**", "")
