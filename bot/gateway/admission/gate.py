"""May this person ask that here? The one gate that every entrance goes through: messages, commands, buttons, modals, autocomplete.

First what the operator lays down, then the server, then whether Discord would take our answer, and last what is counted: cool-down,
quotas, answers to bots in a row. The counting looks and counts without waiting in between, so that two questions at once do not both
find the last one free; and it counts only who is admitted and asks for an answer.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from datetime import UTC, datetime, timedelta
from enum import StrEnum

import discord
import msgspec
import structlog

from bot.delivery.refused_sends import RefusedSends
from bot.delivery.told_lately import ToldLately
from bot.gateway.admission.asked_lately import AskedLately
from bot.gateway.admission.loop_guard import LoopGuard
from bot.gateway.admission.visits import Entrance, Place, Visit, place_of
from bot.localization import Words
from bot.preferences import ADMISSION_DEFAULTS, AdmissionPreferences, Bots, Location, OperatorLimits
from bot.store import Preferences, TurnJournal
from bot.turn.budgets import Budgets, InForce

log = structlog.get_logger()

TELL_EVERY = 600.0
"""Seconds after which somebody whose messages are not answered in a server is told the same reason again."""
LOG_EVERY = 3600.0
"""Seconds after which the log has the same reason for the same channel again."""
MOST_TOLD = 10_000


class Refusal(StrEnum):
    """The words for each are `refusal-…` in locales/."""

    BLOCKED = "blocked"
    SERVER_CLOSED = "server_closed"
    """Not one of the servers that the operator wants to serve."""
    NO_DIRECT_MESSAGES = "no_direct_messages"
    CHANNEL_CLOSED = "channel_closed"
    ROLE_MISSING = "role_missing"
    COOLDOWN = "cooldown"
    HOURLY_QUOTA = "hourly_quota"
    DAILY_QUOTA = "daily_quota"
    BUDGET_PERSON = "budget_person"
    """What may be used of models is used up: by this person, in this channel, by this server, or of what the operator gives away."""
    BUDGET_CHANNEL = "budget_channel"
    BUDGET_SERVER = "budget_server"
    BUDGET_OPERATOR = "budget_operator"
    BOTS = "bots"
    """Bots are not answered there, or were too often in a row."""
    PLACE_UNKNOWN = "place_unknown"
    """Discord has not told us about this server or thread (an outage of the server, as a rule): nothing is known of
    what we may do there."""
    CANNOT_SEND = "cannot_send"
    """Discord would refuse our answer (50013), so the model is not asked for one that nobody would see."""
    TIMED_OUT = "timed_out"
    """The same, as somebody gave us a time-out."""
    SENDS_REFUSED = "sends_refused"
    """The same, as far as the last try tells."""


_QUOTAS: Sequence[tuple[Refusal, Callable[[AdmissionPreferences], int], float]] = (
    (Refusal.HOURLY_QUOTA, lambda admission: admission.questions_per_hour, 3600.0),
    (Refusal.DAILY_QUOTA, lambda admission: admission.questions_per_day, 86_400.0),
)
"""Reason, limit (0: none), and the seconds for which it holds."""


class OperatorRules(msgspec.Struct, frozen=True):
    """Whom the bot serves at all. Nobody passes these."""

    server_ids: frozenset[int] = frozenset()
    """Empty: all."""
    blocked_user_ids: frozenset[int] = frozenset()
    direct_messages_from: frozenset[int] | None = None
    """Who may ask outside of servers. None: everybody; empty: nobody."""


class Refused(msgspec.Struct, frozen=True):
    reason: Refusal
    retry_after: float | None = None
    """Seconds after which it would be admitted, where that is known."""
    is_told: bool = False
    """The person should hear of it. False where nobody waits for an answer, or they heard it a moment ago."""

    def text(self, words: Words) -> str:
        text = words(f"refusal-{self.reason.replace('_', '-')}")
        if self.retry_after is None:
            return text
        then = discord.utils.utcnow() + timedelta(seconds=self.retry_after)
        return f"{text} {words('refusal-until', when=discord.utils.format_dt(then, 'R'))}"


class Gate:
    """It outlives a client that broke, as what it counts should."""

    def __init__(
        self,
        preferences: Preferences,
        journal: TurnJournal,
        budgets: Budgets,
        rules: OperatorRules,
        refused_sends: RefusedSends,
    ) -> None:
        self._preferences = preferences
        self._journal = journal
        self._budgets = budgets
        self._rules = rules
        self._refused_sends = refused_sends
        self._asked = AskedLately()
        self._bots = LoopGuard()
        self._told = ToldLately(TELL_EVERY, MOST_TOLD)
        self._logged = ToldLately(LOG_EVERY, MOST_TOLD)

    async def refusal(self, visit: Visit, now: float) -> Refused | None:
        """Why not; None: admitted, and counted where it asks. `now` in seconds of any monotonic clock, never falling."""
        if visit.own_data:
            return None
        wait = None
        reason = _by_operator(self._rules, visit)
        if reason is None:
            admission = await self._admission(visit.location)
            reason = _by_server(admission, visit) or self._by_place(visit, now)
            if reason is None and visit.asks:
                reason, wait = await self._count(visit, admission, now)
        if reason is None:
            return None
        if not self._logged.is_again((visit.location.channel_id, reason), now):
            log.info("refused", why=reason, entrance=visit.entrance, channel=visit.location.channel_id)
        return Refused(reason, wait, self._is_told(visit, reason, now))

    def person_spoke(self, channel_id: int) -> None:
        """To be called for every message of a person, whomever it is for: bots may be answered again."""
        self._bots.person_spoke(channel_id)

    async def _admission(self, location: Location) -> AdmissionPreferences:
        return await self._preferences.admission(location) if location.guild_id is not None else ADMISSION_DEFAULTS

    def _by_place(self, visit: Visit, now: float) -> Refusal | None:
        # Where an app is that people installed for themselves, nothing is known of the place, and interactions are answered.
        if not visit.asks or not (visit.place.is_known or visit.entrance is Entrance.MESSAGE):
            return None
        return self._why_unwritable(visit, now)

    def _why_unwritable(self, visit: Visit, now: float) -> Refusal | None:
        refused = self._refused_sends.is_refused(visit.location.channel_id, now)
        return _of_place(visit.place) or (Refusal.SENDS_REFUSED if refused else None)

    async def _count(
        self, visit: Visit, admission: AdmissionPreferences, now: float
    ) -> tuple[Refusal | None, float | None]:
        """With the seconds to wait. Whoever passes has asked."""
        most_of_bots = await self._most_answers_to_bots(visit.location) if visit.is_bot else 0
        quotas = [(why, most, seconds) for why, limit, seconds in _QUOTAS if (most := limit(admission)) > 0]
        if visit.manages_server:
            quotas, cooldown = [], 0.0
        else:
            cooldown = float(admission.cooldown_seconds)
        recorded = [await self._recorded(visit, seconds) for _, _, seconds in quotas]

        look = await self._budgets.look(msgspec.structs.replace(visit.location, person_id=visit.user_id))

        # From here on nothing is awaited.
        channel_id, who = visit.location.channel_id, (visit.location.guild_id, visit.user_id)
        if visit.is_bot and self._bots.answers_in_a_row(channel_id) >= most_of_bots:
            return Refusal.BOTS, None
        if cooldown and (last := self._asked.times_since(who, now - cooldown)):
            return Refusal.COOLDOWN, last[-1] + cooldown - now
        for (why, most, seconds), count in zip(quotas, recorded, strict=True):
            times = self._asked.times_since(who, now - seconds)
            if max(count, len(times)) >= most:
                return why, times[-most] + seconds - now if len(times) >= most else None
        if budget := look.reached():
            until = (budget.ends - datetime.now(UTC)).total_seconds()
            return _of_budget(budget), until if budget.is_used_up else None
        if quotas or cooldown:
            self._asked.asked(who, now, keep=max([most for _, most, _ in quotas], default=1))
        if visit.is_bot:
            self._bots.bot_answered(channel_id)
        else:
            self._bots.person_spoke(channel_id)
        return None, None

    async def _recorded(self, visit: Visit, seconds: float) -> int:
        """Questions that the journal knows of: also those from before this process, and of others."""
        since = datetime.now(UTC) - timedelta(seconds=seconds)
        return await self._journal.asked_since(visit.user_id, visit.location.guild_id, since)

    async def _most_answers_to_bots(self, location: Location) -> int:
        conversation = await self._preferences.conversation(location)
        return conversation.bot_turns if conversation.bots is Bots.MENTIONS else 0

    def _is_told(self, visit: Visit, reason: Refusal, now: float) -> bool:
        if visit.is_bot or visit.entrance is Entrance.AUTOCOMPLETE:
            return False
        if visit.entrance is not Entrance.MESSAGE:
            return True  # only they see it
        if not visit.is_addressed or self._why_unwritable(visit, now) is not None:
            return False
        return not self._told.is_again((visit.user_id, visit.location.guild_id, reason), now)


def _by_operator(rules: OperatorRules, visit: Visit) -> Refusal | None:
    if visit.user_id in rules.blocked_user_ids:
        return Refusal.BLOCKED
    if visit.location.guild_id is not None:
        served = not rules.server_ids or visit.location.guild_id in rules.server_ids
        return None if served else Refusal.SERVER_CLOSED
    welcome = rules.direct_messages_from is None or visit.user_id in rules.direct_messages_from
    return None if welcome else Refusal.NO_DIRECT_MESSAGES


def _by_server(admission: AdmissionPreferences, visit: Visit) -> Refusal | None:
    if visit.user_id in admission.blocked_user_ids:
        return Refusal.BLOCKED
    if visit.manages_server:
        return None
    # A thread belongs to its channel, and may be named by itself.
    channels = {visit.location.channel_id, visit.location.parent_id}
    if channels & set(admission.closed_channel_ids):
        return Refusal.CHANNEL_CLOSED
    if admission.channel_ids and not channels & set(admission.channel_ids):
        return Refusal.CHANNEL_CLOSED
    if admission.role_ids and not visit.role_ids & set(admission.role_ids):
        return Refusal.ROLE_MISSING
    return None


def _of_budget(reached: InForce) -> Refusal:
    if reached.limit.topic is OperatorLimits:
        return Refusal.BUDGET_OPERATOR
    return Refusal(f"budget_{reached.limit.subject}")


def _of_place(place: Place) -> Refusal | None:
    if not place.is_known:
        return Refusal.PLACE_UNKNOWN
    if place.is_timed_out:
        return Refusal.TIMED_OUT
    return None if place.may_write else Refusal.CANNOT_SEND


def refusal(channel: object, guild: discord.Guild | None) -> Refusal | None:
    """Whether we may write there, whoever asks."""
    return _of_place(place_of(channel, guild))


def may_steer(user_id: int, permissions: discord.Permissions, asker_id: int | None) -> bool:
    """Stop, delete, repeat or continue an answer: for who asked, and for those who may manage messages there."""
    return user_id == asker_id or permissions.manage_messages


def may_manage(permissions: discord.Permissions) -> bool:
    """Change how the bot behaves in a server."""
    return permissions.manage_guild
