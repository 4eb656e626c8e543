"""What `/usage` shows, read from the ledger (bot.store.usage) and the limits in force (bot.turn.budgets)."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import AsyncIterator, Callable, Mapping, Sequence
from datetime import date
from decimal import Decimal
from typing import TypeAlias, TypedDict

from bot.commands.usage_panel import MOST_MODELS, SQUARES, TOP, Line, Plot, Series, Share, Span, Whose, dollars
from bot.delivery.foreign_text import as_code, one_line
from bot.localization import Words
from bot.preferences import Location
from bot.store.usage import Dimension, Ledger, Parts, UsageRow
from bot.turn.budgets import Budgets, InForce, Subject
from bot.turn.models import Payer

Naming: TypeAlias = Mapping[Dimension, Callable[[int], str]]
"""How those who used most are named in an embed, by their ids."""


class Where(TypedDict, total=False):
    """Which uses are meant; without any, all."""

    guild_id: int
    channel_id: int
    user_id: int


_TOPS: Mapping[Whose, Sequence[tuple[str, Dimension]]] = {
    Whose.ME: (),
    Whose.HERE: (("people", Dimension.USER),),
    Whose.SERVER: (("people", Dimension.USER), ("channels", Dimension.CHANNEL)),
    Whose.EVERYTHING: (("servers", Dimension.GUILD), ("people", Dimension.USER)),
}
_SUBJECTS = {
    Whose.ME: Subject.PERSON,
    Whose.HERE: Subject.CHANNEL,
    Whose.SERVER: Subject.SERVER,
    Whose.EVERYTHING: Subject.EVERYBODY,
}
_LONGEST_NAME = 60
"""Code points."""


async def shares(budgets: Budgets, whose: Whose, location: Location) -> Sequence[Share]:
    """Of the limits of these that are set. `location`: with who is there."""
    # What the operator pays for is held by all limits there are.
    limits = await budgets.in_force(location, Payer.OPERATOR)
    return [_share(each) for each in limits if each.limit.subject is _SUBJECTS[whose]]


def _share(found: InForce) -> Share:
    in_units = dollars if found.limit.is_money else Decimal
    return Share(found.limit.setting, in_units(found.used), in_units(found.most), found.limit.is_money)


async def top_models(ledger: Ledger, span: Span, where: Where) -> Sequence[Line]:
    """With the square of the colour that each has in the picture."""
    models = await _most_used(ledger, span, where)
    return [
        Line(f"{square} {as_code(name, _LONGEST_NAME)}", totals)
        for square, name, (_, totals) in zip(SQUARES, _names(models), models, strict=False)
    ]


async def tops(ledger: Ledger, whose: Whose, span: Span, where: Where, naming: Naming) -> Mapping[str, Sequence[Line]]:
    """Who used most, and where."""
    found = {}
    for title, dimension in _TOPS[whose]:
        most = await ledger.by(dimension, span.first, span.last, **where)
        found[title] = [Line(naming[dimension](key[-1]), totals) for key, totals in most[:TOP]]
    return found


async def plot(ledger: Ledger, span: Span, where: Where, words: Words) -> Plot:
    rows = await ledger.by(Dimension.DAY_AND_MODEL, span.first, span.last, **where)
    models = await _most_used(ledger, span, where)
    squares = {key: nr for nr, (key, _) in enumerate(models)}
    names = [one_line(name, _LONGEST_NAME) for name in _names(models)]
    tokens: dict[int, dict[date, int]] = defaultdict(lambda: dict.fromkeys(span.days, 0))
    for (day, *key), totals in rows:
        tokens[squares.get(tuple(key), MOST_MODELS)][day] += totals.tokens
    series = [
        Series(names[nr] if nr < len(names) else words("usage-others"), nr, list(of_days.values()))
        for nr, of_days in sorted(tokens.items())
    ]
    return Plot(words("usage-plot-title"), span.days, series)


async def _most_used(ledger: Ledger, span: Span, where: Where) -> Parts:
    """Models, by their tokens: those are what the picture shows, and a price is not always known."""
    models = await ledger.by(Dimension.MODEL, span.first, span.last, **where)
    return sorted(models, key=lambda part: -part[1].tokens)[:MOST_MODELS]


def _names(models: Parts) -> Sequence[str]:
    """Of those that several providers have, with the provider."""
    several = Counter(model for (_, model), _ in models)
    return [f"{model} ({provider})" if several[model] > 1 else model for (provider, model), _ in models]


async def newest_first(ledger: Ledger, span: Span, where: Where) -> AsyncIterator[Sequence[UsageRow]]:
    for day in reversed(span.days):
        async for page in ledger.rows(day, day, **where):
            yield page
