"""Wanted messages against shown ones → the next operation. Desired state, not commands.

Nothing here remembers what was tried: a call that failed or was refused comes out as the same comparison made again.
Slots are filled in order, so the answer's parts stand in the channel in theirs.
"""

from __future__ import annotations

from collections.abc import Sequence

import msgspec

from bot.delivery.plan import Create, Delete, Edit, MessagePlan, Operation


class Shown(msgspec.Struct, frozen=True):
    """A message of ours as it stands in the channel."""

    message_id: int
    plan: MessagePlan


class Board:
    """What one answer shows: a message a slot, and messages that must go.

    `standing` are messages of an earlier version that this one continues or overwrites; `surplus` the ids of those that it
    has no use for. Surplus goes first, so that nothing new stands below what is about to vanish.
    """

    def __init__(self, standing: Sequence[Shown] = (), surplus: Sequence[int] = ()) -> None:
        self._shown: list[Shown] = list(standing)
        self._surplus: list[int] = list(surplus)
        self._abandoned: dict[int, Shown] = {}
        """By slot: they go once their text stands elsewhere."""
        self._generation = 0
        self._same = 0
        """So many slots from the start are settled and already as wanted: they are not compared again."""

    @property
    def shown(self) -> Sequence[Shown]:
        return self._shown

    def next_operation(self, wanted: Sequence[MessagePlan], *, final: bool) -> Operation | None:
        """The first difference; None where the channel shows what is wanted.

        Before the final state nothing is deleted for being too much: a preview may shrink for a moment and grow again.
        """
        if self._surplus:
            return Delete(self._surplus[0])
        for slot, old in self._abandoned.items():
            if slot < len(self._shown):
                return Delete(old.message_id)
        while self._same < min(len(wanted), len(self._shown)):
            plan, shown = wanted[self._same], self._shown[self._same]
            if not (plan.settled and looks_alike(plan, shown.plan)):
                break
            self._same += 1
        for slot in range(self._same, len(wanted)):
            if slot >= len(self._shown):
                return Create(slot, wanted[slot], self._generation)
            if not looks_alike(wanted[slot], self._shown[slot].plan):
                return self._edit(slot, wanted[slot])
        if final and len(self._shown) > len(wanted):
            return Delete(self._shown[-1].message_id)
        return Delete(next(iter(self._abandoned.values())).message_id) if final and self._abandoned else None

    def created(self, operation: Create, message_id: int) -> None:
        if operation.slot != len(self._shown):
            raise ValueError(f"slot {operation.slot} was created while {len(self._shown)} messages stand")
        self._shown.append(Shown(message_id, operation.plan))

    def edited(self, operation: Edit) -> None:
        self._shown[operation.slot] = Shown(operation.message_id, operation.plan)

    def deleted(self, message_id: int) -> None:
        """A message is gone: by us, or already before we came."""
        self._surplus = [surplus for surplus in self._surplus if surplus != message_id]
        self._abandoned = {slot: old for slot, old in self._abandoned.items() if old.message_id != message_id}
        if self._shown and self._shown[-1].message_id == message_id:
            self._shown.pop()
            self._same = min(self._same, len(self._shown))
            self._generation += 1

    def compare_anew(self) -> None:
        """What was settled is not: the text begins again, or its final state adds to messages that were settled."""
        self._same = 0

    def abandon_from(self, slot: int) -> None:
        """Messages that Discord lets us edit no more: new ones take their place, then these are deleted.

        All later slots go with them, since new messages stand at the channel's end.
        """
        self._abandoned |= dict(enumerate(self._shown[slot:], start=slot))
        del self._shown[slot:]
        self._same = min(self._same, slot)
        self._generation += 1

    def take_back_abandoned(self) -> None:
        """No new ones can be posted: those that have no successor yet stand again for their slots."""
        for slot in sorted(self._abandoned):
            if slot == len(self._shown):
                self._shown.append(self._abandoned.pop(slot))

    def _edit(self, slot: int, plan: MessagePlan) -> Edit:
        shown = self._shown[slot]
        return Edit(slot, shown.message_id, plan, files_changed=plan.files != shown.plan.files)


def looks_alike(one: MessagePlan, other: MessagePlan) -> bool:
    """Whether a reader can tell them apart."""
    # Discord trims outer white space, so a difference in it alone cannot be seen and would be edited for ever.
    return (one.content.strip(), one.embed, one.files, one.buttons) == (
        other.content.strip(),
        other.embed,
        other.files,
        other.buttons,
    )
