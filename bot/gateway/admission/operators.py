"""Who runs this bot: those whom the environment names, else whom Discord has as the owner of the application, or its team."""

from __future__ import annotations

from collections.abc import Set

import discord


def is_operator(client: discord.Client, user_id: int, named: Set[int] = frozenset()) -> bool:
    """`named`: by OPERATOR_IDS. Of a team, those who may administrate or develop the application."""
    if named:
        return user_id in named
    application = client.application
    if application is None:
        return False
    if application.team is None:
        return application.owner.id == user_id
    may = (discord.TeamMemberRole.admin, discord.TeamMemberRole.developer)
    return user_id == application.team.owner_id or any(
        member.id == user_id and member.role in may and member.membership_state is discord.TeamMembershipState.accepted
        for member in application.team.members
    )
