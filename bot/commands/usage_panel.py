"""What `/usage` shows: sums, limits, who and what used most. Plain values in, an embed and its items out.

What is pressed says in its id whose usage is looked at and when, so that it goes on working after a restart.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from datetime import date, timedelta
from decimal import Decimal
from enum import StrEnum
from itertools import accumulate
from typing import Any, TypeAlias

import discord
import msgspec
from discord import ui

from bot.localization import Words
from bot.store.usage import Totals

Items: TypeAlias = Sequence[ui.Item[ui.View]]

PICTURE = "usage.png"
"""The attachment that stands in the embed."""
SQUARES = "🟦🟧🟩🟪🟨🟥⬜"
"""One a model, in the colours of the picture (usage_plot.COLOURS); the last is that of all others."""
MOST_MODELS = len(SQUARES) - 1
TOP = 5
"""People, channels or servers that are named."""
_BAR_PIECES = 10
_LONGEST_FIELD = 1024
"""https://docs.discord.com/developers/resources/message#embed-object-embed-limits"""
_LONGEST_ALT_TEXT = 1024
"""https://docs.discord.com/developers/resources/message#attachment-object"""


class Whose(StrEnum):
    ME = "me"
    HERE = "here"
    """This channel, with its threads."""
    SERVER = "server"
    EVERYTHING = "everything"
    """For who runs the bot."""


class Period(StrEnum):
    """Days and months are those of UTC."""

    TODAY = "today"
    SEVEN = "7-days"
    THIRTY = "30-days"
    MONTH = "this-month"
    LAST_MONTH = "last-month"


class Deed(StrEnum):
    WHOSE = "whose"
    """Which is chosen; so is the next."""
    PERIOD = "period"
    CSV = "csv"


class Control(msgspec.Struct, frozen=True):
    """What a press asks for, and where it was pressed."""

    deed: Deed
    owner_id: int
    """Whom the panel was shown to."""
    whose: Whose
    period: Period

    @property
    def custom_id(self) -> str:
        return f"parley:usage:{self.deed}:{self.owner_id}:{self.whose}:{self.period}"

    def now(self, deed: Deed) -> Control:
        """The same panel, pressed elsewhere."""
        return msgspec.structs.replace(self, deed=deed)


TEMPLATE = re.compile(
    rf"parley:usage:(?P<deed>{'|'.join(Deed)}):(?P<owner>[0-9]{{1,20}}):(?P<whose>{'|'.join(Whose)})"
    rf":(?P<period>{'|'.join(Period)})"
)


def read(match: re.Match[str]) -> Control:
    """Of TEMPLATE."""
    return Control(Deed(match["deed"]), int(match["owner"]), Whose(match["whose"]), Period(match["period"]))


class Span(msgspec.Struct, frozen=True):
    """Days, both included."""

    first: date
    last: date

    @property
    def days(self) -> Sequence[date]:
        return [self.first + timedelta(days=nr) for nr in range((self.last - self.first).days + 1)]


def span_of(period: Period, today: date) -> Span:
    first_of_month = today.replace(day=1)
    last_of_previous = first_of_month - timedelta(days=1)
    match period:
        case Period.TODAY:
            return Span(today, today)
        case Period.SEVEN:
            return Span(today - timedelta(days=6), today)
        case Period.THIRTY:
            return Span(today - timedelta(days=29), today)
        case Period.MONTH:
            return Span(first_of_month, today)
        case Period.LAST_MONTH:
            return Span(last_of_previous.replace(day=1), last_of_previous)


class Line(msgspec.Struct, frozen=True):
    """One of those who or what used most."""

    what: str
    """As it stands in the embed."""
    totals: Totals


class Share(msgspec.Struct, frozen=True):
    """How much of a limit is used."""

    setting: str
    """The limit's name in bot.preferences."""
    used: Decimal
    most: Decimal
    """Tokens or US dollars."""
    is_money: bool


class Series(msgspec.Struct, frozen=True):
    """One model's tokens."""

    name: str
    square_nr: int
    """In SQUARES."""
    tokens: Sequence[int]
    """Of each day."""


class Plot(msgspec.Struct, frozen=True):
    title: str
    days: Sequence[date]
    series: Sequence[Series]
    """The first stands at the bottom."""

    @property
    def by_day(self) -> Sequence[Sequence[int]]:
        """The tokens of each series, day by day."""
        return list(zip(*(each.tokens for each in self.series), strict=True))


class Report(msgspec.Struct, frozen=True):
    """What a panel shows, to whom."""

    at: Control
    span: Span
    is_own: bool
    """Only what the reader used themselves."""
    offered: Sequence[Whose]
    """That the reader can choose between."""
    total: Totals
    shares: Sequence[Share] = ()
    models: Sequence[Line] = ()
    tops: Mapping[str, Sequence[Line]] = {}
    """By the end of the title's key."""

    @property
    def is_empty(self) -> bool:
        return not self.total.calls


def dollars(nano: int) -> Decimal:
    return Decimal(nano).scaleb(-9)


def panel(report: Report, words: Words) -> tuple[discord.Embed, Items]:
    """With a picture, where anything was used: PICTURE is to be attached."""
    title = "own-here" if report.is_own and report.at.whose is Whose.HERE else report.at.whose
    lines = [words("usage-span", first=words.date(report.span.first), last=words.date(report.span.last))]
    lines += [words("usage-nothing")] if report.is_empty else _totals(report.total, words)
    embed = discord.Embed(title=words(f"usage-title-{title}"), description="\n".join(lines))
    _field(embed, words("usage-top-limits"), [_share(share, words) for share in report.shares])
    _field(embed, words("usage-top-models"), [_line(line, words) for line in report.models])
    for name, top in report.tops.items():
        _field(embed, words(f"usage-top-{name}"), [_line(line, words) for line in top])
    if not report.is_empty:
        embed.set_image(url=f"attachment://{PICTURE}")
    return embed, list(_items(report, words))


def alt_text(plot: Plot, words: Words) -> str:
    """The picture's numbers in short."""
    sums = [(sum(tokens), day) for day, tokens in zip(plot.days, plot.by_day, strict=True)]
    most, day = max(sums)
    return words(
        "usage-alt-text",
        title=plot.title,
        first=words.date(plot.days[0]),
        last=words.date(plot.days[-1]),
        models="; ".join(f"{series.name}: {words.number(sum(series.tokens))}" for series in plot.series),
        day=words.date(day),
        most=most,
    )[:_LONGEST_ALT_TEXT]


def _totals(total: Totals, words: Words) -> Iterator[str]:
    yield words("usage-requests", count=total.calls)
    yield words("usage-read", tokens=total.input_tokens, cached=total.cached_tokens)
    yield words("usage-written", tokens=total.output_tokens, thinking=total.reasoning_tokens)
    yield words("usage-cost", cost=_cost(total, words))
    if 0 < total.unpriced_calls < total.calls:
        yield words("usage-unpriced", count=total.unpriced_calls)
    if total.estimated_calls:
        yield words("usage-estimated", count=total.estimated_calls)


def _cost(totals: Totals, words: Words) -> str:
    is_unknown = totals.calls and totals.unpriced_calls == totals.calls
    return words("usage-cost-unknown") if is_unknown else words.money(dollars(totals.cost_nano))


def _share(share: Share, words: Words) -> str:
    part = float(share.used / share.most)
    filled = min(int(part * _BAR_PIECES), _BAR_PIECES)
    shown = words.money if share.is_money else words.number
    told = words(
        "usage-share",
        limit=words(f"setting-{share.setting.replace('_', '-')}"),
        used=shown(share.used),
        most=shown(share.most),
        percent=words.percent(part),
    )
    return f"{'▰' * filled}{'▱' * (_BAR_PIECES - filled)} {told}"


def _line(line: Line, words: Words) -> str:
    return words("usage-line", what=line.what, count=line.totals.tokens, cost=_cost(line.totals, words))


def _field(embed: discord.Embed, name: str, lines: Sequence[str]) -> None:
    """With as many lines as fit."""
    sizes = accumulate(len(line) + 1 for line in lines)
    if shown := [line for line, size in zip(lines, sizes, strict=True) if size <= _LONGEST_FIELD + 1]:
        embed.add_field(name=name, value="\n".join(shown), inline=False)


def _items(report: Report, words: Words) -> Iterator[ui.Item[ui.View]]:
    at = report.at
    if len(report.offered) > 1:
        yield _select(at.now(Deed.WHOSE), at.whose, report.offered, words)
    yield _select(at.now(Deed.PERIOD), at.period, list(Period), words)
    if not report.is_empty:
        yield ui.Button(custom_id=at.now(Deed.CSV).custom_id, label=words("usage-csv"))


def _select(control: Control, chosen: StrEnum, offered: Sequence[Any], words: Words) -> ui.Item[ui.View]:
    options = [
        discord.SelectOption(value=each.value, label=words(f"usage-{control.deed}-{each}"), default=each is chosen)
        for each in offered
    ]
    return ui.Select(custom_id=control.custom_id, options=options)
