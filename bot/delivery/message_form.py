"""One answer's messages as requests, and what they go without.

Whatever carries the request (the channel, a webhook, an interaction), Discord refuses the same things in it: a button that it
does not know, an embed, a file too large. Each is done without at most once, and stays away if that helped.
"""

from __future__ import annotations

from enum import Flag, auto
from typing import Any, TypeAlias

import discord
import msgspec
from discord.http import MultipartParameters, handle_message_parameters

from bot.delivery import payloads
from bot.delivery.outcome import Fate
from bot.delivery.payloads import NOBODY, PEOPLE
from bot.delivery.plan import Create, Edit, FilePlan, MessagePlan
from bot.delivery.refusals import Code, refused_fields
from bot.delivery.uploads import TooLarge, Uploads, size_only
from bot.preferences import Style


class _Part(Flag):
    """What a message can do without, when Discord does not take it as it is."""

    NONE = 0
    BUTTONS = auto()
    EMBED = auto()
    FILES = auto()


_NAMED = {"components": _Part.BUTTONS, "embeds": _Part.EMBED, "attachments": _Part.FILES, "files": _Part.FILES}
"""Fields of the request, as a form error names them ("In components.0.components.0.emoji.name: Invalid emoji")."""

WentWithout: TypeAlias = tuple[_Part, frozenset[FilePlan]]


class MessageForm:
    def __init__(
        self,
        style: Style = Style.PLAIN,
        *,
        link_previews: bool = False,
        mention_users: bool = False,
        words_too_large: TooLarge = size_only,
    ) -> None:
        """`words_too_large` stands in place of a file that Discord does not take."""
        self._style = style
        self._link_previews = link_previews
        self._new_mentions = PEOPLE if mention_users else NOBODY
        self._uploads = Uploads(style, words_too_large)
        self._without = _Part.NONE
        """What Discord refused in this answer; it is not tried with it again."""

    async def parameters(
        self, operation: Create | Edit, file_limit: int, *, ephemeral: bool = False, **others: Any
    ) -> MultipartParameters:
        """Use as a context manager: leaving it closes the files. `file_limit`: in bytes. `others`: of the way that it goes."""
        plan = self._stripped(operation.plan)
        plan, uploads = await self._uploads.of(plan, file_limit)
        files = uploads if self._carries_files(operation) else None
        is_new = isinstance(operation, Create)
        return handle_message_parameters(
            **payloads.body(plan, files, self._style, edit=not is_new),
            flags=self._flags(plan, operation.slot, ephemeral=ephemeral),
            allowed_mentions=self._new_mentions if is_new else NOBODY,
            **others,
        )

    @property
    def went_without(self) -> WentWithout:
        return self._without, self._uploads.refused

    def take_back(self, went_without: WentWithout) -> None:
        """It was refused without that too, so that was not the fault."""
        self._without, self._uploads.refused = went_without

    def mend(self, operation: Create | Edit, error: discord.HTTPException, fate: Fate) -> bool:
        """Whether there is something that the next try does without."""
        return self._mend_files(operation, error) or (fate is Fate.REFUSED and self._mend_parts(operation, error))

    def _mend_files(self, operation: Create | Edit, error: discord.HTTPException) -> bool:
        """Files of that size are not taken, whatever the server says about itself; or none are (ATTACH_FILES)."""
        if not (operation.plan.files and self._carries_files(operation)):
            return False
        if error.status == 413 or error.code == Code.TOO_LARGE:
            return self._uploads.refuse_largest(operation.plan)
        return error.code == Code.NO_PERMISSION and self._uploads.refuse_all()

    def _mend_parts(self, operation: Create | Edit, error: discord.HTTPException) -> bool:
        """Without what Discord names, as far as the message has it; else with nothing but its text."""
        has = self._parts(operation)
        named = _Part.NONE
        for field in refused_fields(error):
            named |= _NAMED.get(field, _Part.NONE)
        bad = named & has or has
        self._without |= bad & ~_Part.FILES
        if bad & _Part.FILES:
            self._uploads.refused |= set(operation.plan.files)
        return bool(bad)

    def _parts(self, operation: Create | Edit) -> _Part:
        """What it was sent with."""
        plan = operation.plan
        has = _Part.BUTTONS if plan.buttons else _Part.NONE
        has |= _Part.EMBED if plan.embed else _Part.NONE
        files = self._carries_files(operation) and self._uploads.sends(plan.files)
        return has & ~self._without | (_Part.FILES if files else _Part.NONE)

    def _carries_files(self, operation: Create | Edit) -> bool:
        # Components name the files of the very request.
        return isinstance(operation, Create) or operation.files_changed or self._style is Style.COMPONENTS

    def _stripped(self, plan: MessagePlan) -> MessagePlan:
        if self._without & _Part.BUTTONS:
            plan = msgspec.structs.replace(plan, buttons=())
        return payloads.without_embed(plan, self._style) if self._without & _Part.EMBED else plan

    def _flags(self, plan: MessagePlan, slot: int, *, ephemeral: bool) -> discord.MessageFlags:
        # An embed of ours is suppressed together with the previews; in the other styles there are none.
        quiet = not self._link_previews and self._style is Style.PLAIN and plan.embed is None
        return discord.MessageFlags(suppress_embeds=quiet, suppress_notifications=slot > 0, ephemeral=ephemeral)
