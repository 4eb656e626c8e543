"""What a stand-in is made of: its world at the start, its address, its limits, its time."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

from bot.playground.standin.clock import Clock
from bot.playground.standin.permissions import MEMBER_DEFAULT, Permission
from bot.playground.standin.rate_limits import DEFAULT_BUCKETS, BucketRule
from bot.playground.standin.records import FILE_BYTES_LIMIT
from bot.playground.standin.world import World


@dataclass(frozen=True)
class WorldConfig:
    """One guild with these channels and people. The first person owns it."""

    guild: str = "Playground"
    guild_locale: str = "en-US"
    channels: tuple[str, ...] = ("general", "random", "help")
    people: tuple[str, ...] = ("Ada", "Bo", "Chi")
    bot: str = "Parley"
    bot_permissions: Permission = MEMBER_DEFAULT
    file_limit: int = FILE_BYTES_LIMIT
    """Bytes that one file may have in the guild."""


@dataclass(frozen=True)
class StandinConfig:
    world: WorldConfig = WorldConfig()
    host: str = "127.0.0.1"
    port: int = 0
    """0 takes any free port."""
    token: str | None = None
    """The bot's; None makes a random one for each stand-in."""
    shards: int = 1
    """How many the gateway recommends."""
    buckets: Mapping[str, BucketRule] = field(default_factory=lambda: DEFAULT_BUCKETS)
    clock: Clock = field(default_factory=Clock)


def build_world(config: WorldConfig, clock: Clock) -> World:
    world = World(clock, config.bot)
    people = [world.add_user(name) for name in config.people]
    guild = world.add_guild(config.guild, people[0], locale=config.guild_locale, file_limit=config.file_limit)
    for person in people:
        world.join(person, guild)
    role = world.add_role(guild, config.bot, config.bot_permissions)
    world.join(world.bot, guild, role)
    for name in config.channels:
        world.add_channel(guild, name)
    return world
