"""The stand-in's rules without a socket: permissions, mentions, shapes and limits of messages, rate limits, ids."""

from __future__ import annotations

import copy
from collections.abc import Iterator
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from bot.playground.standin.clock import Snowflakes, snowflake_time
from bot.playground.standin.commands import CommandRegistry, CommandType, Context, Reach
from bot.playground.standin.config import WorldConfig, build_world
from bot.playground.standin.errors import ApiError
from bot.playground.standin.interactions import Interactions, InteractionType
from bot.playground.standin.mentions import WEBHOOK_KINDS, Mentions, find_mentions
from bot.playground.standin.permissions import (
    EVERYTHING,
    NOTHING,
    Overwrite,
    OverwriteTarget,
    Permission,
    base_permissions,
    channel_permissions,
)
from bot.playground.standin.rate_limits import WINDOWS_KEPT, BucketRule, RateLimiter
from bot.playground.standin.recent import keep_recent
from bot.playground.standin.request_shapes import MESSAGE_CREATE
from bot.playground.standin.shapes import require
from bot.playground.standin.validation import check_message, check_not_empty
from bot.playground.standin.world import Change, Draft
from tests.playground.standin_dialogue import MovedClock

P = Permission
VIEW_AND_SEND = P.VIEW_CHANNEL | P.SEND_MESSAGES


def everyone(allow: Permission = NOTHING, deny: Permission = NOTHING) -> Overwrite:
    return Overwrite("guild", OverwriteTarget.ROLE, allow, deny)


def role(allow: Permission = NOTHING, deny: Permission = NOTHING, role_id: str = "role") -> Overwrite:
    return Overwrite(role_id, OverwriteTarget.ROLE, allow, deny)


def member(allow: Permission = NOTHING, deny: Permission = NOTHING) -> Overwrite:
    return Overwrite("member", OverwriteTarget.MEMBER, allow, deny)


@pytest.mark.parametrize(
    ("base", "overwrites", "expected"),
    [
        (VIEW_AND_SEND, [], VIEW_AND_SEND),
        (VIEW_AND_SEND, [everyone(deny=P.SEND_MESSAGES)], P.VIEW_CHANNEL),
        (VIEW_AND_SEND, [everyone(deny=P.SEND_MESSAGES), role(allow=P.SEND_MESSAGES)], VIEW_AND_SEND),
        (VIEW_AND_SEND, [role(allow=P.SEND_MESSAGES), member(deny=P.SEND_MESSAGES)], P.VIEW_CHANNEL),
        (VIEW_AND_SEND, [role(deny=P.SEND_MESSAGES), role(P.SEND_MESSAGES, role_id="second")], VIEW_AND_SEND),
        (VIEW_AND_SEND, [role(deny=P.SEND_MESSAGES, role_id="not mine")], VIEW_AND_SEND),
        (VIEW_AND_SEND, [everyone(deny=P.VIEW_CHANNEL)], NOTHING),
        (VIEW_AND_SEND | P.ATTACH_FILES, [member(deny=P.SEND_MESSAGES)], P.VIEW_CHANNEL),
        (EVERYTHING, [everyone(deny=EVERYTHING)], EVERYTHING),
    ],
    ids=[
        "no overwrite",
        "everyone denies",
        "role beats everyone",
        "member beats role",
        "an allowing role beats a denying one",
        "another's role",
        "unseen means nothing",
        "no sending means no files",
        "administrators pass",
    ],
)
def test_overwrites_apply_from_general_to_special(
    base: Permission, overwrites: list[Overwrite], expected: Permission
) -> None:
    allowed = channel_permissions(
        base, overwrites, guild_id="guild", role_ids=("role", "second"), user_id="member", in_thread=False
    )
    assert allowed == expected


def test_in_a_thread_another_permission_lets_one_send() -> None:
    base = P.VIEW_CHANNEL | P.SEND_MESSAGES_IN_THREADS | P.ATTACH_FILES
    place: dict[str, Any] = {"guild_id": "guild", "role_ids": (), "user_id": "member"}
    assert channel_permissions(base, [], in_thread=True, **place) == base
    assert not channel_permissions(base, [], in_thread=False, **place) & P.ATTACH_FILES


def test_roles_unite_and_owner_and_administrators_have_all() -> None:
    assert base_permissions([P.VIEW_CHANNEL, P.SEND_MESSAGES], is_owner=False) == VIEW_AND_SEND
    assert base_permissions([P.ADMINISTRATOR], is_owner=False) == EVERYTHING
    assert base_permissions([], is_owner=True) == EVERYTHING


@pytest.mark.parametrize(
    ("content", "allowed", "expected"),
    [
        ("<@1> <@!2> <@9> <@1>", None, Mentions(("1", "2"))),
        ("<@&5> @everyone", None, Mentions((), ("5",), True)),
        ("<@1> <@&5> @here", {"parse": []}, Mentions()),
        ("<@1> <@2>", {"parse": [], "users": [2]}, Mentions(("2",))),
        ("<@1> <@&5>", {"parse": ["roles"]}, Mentions((), ("5",))),
        ("`@everyone`s", {"parse": ["users"]}, Mentions()),
    ],
)
def test_allowed_mentions_decide_who_counts_as_mentioned(
    content: str, allowed: dict[str, Any] | None, expected: Mentions
) -> None:
    assert find_mentions(content, allowed, users={"1", "2"}, roles={"5"}) == expected


def test_webhooks_mention_only_users_when_they_do_not_say_it() -> None:
    found = find_mentions("<@1> <@&5> @everyone", None, users={"1"}, roles={"5"}, default_kinds=WEBHOOK_KINDS)
    assert found == Mentions(("1",))


def row(*buttons: dict[str, Any]) -> dict[str, Any]:
    return {"type": 1, "components": list(buttons)}


def button(custom_id: str, label: str = "ok") -> dict[str, Any]:
    return {"type": 2, "style": 1, "custom_id": custom_id, "label": label}


def rows(count: int, width: int = 1) -> list[dict[str, Any]]:
    return [row(*(button(f"{r}.{b}") for b in range(width))) for r in range(count)]


def text(length: int) -> dict[str, Any]:
    return {"type": 10, "content": "y" * length}


V2 = 1 << 15


def select(*values: str) -> dict[str, Any]:
    return {"type": 3, "custom_id": "pick", "options": [{"label": "l", "value": value} for value in values]}


def refusal_of(body: dict[str, Any]) -> ApiError | None:
    try:
        require(MESSAGE_CREATE, body)
        check_message(body)
        check_not_empty(body)
    except ApiError as refusal:
        return refusal
    return None


@pytest.mark.parametrize(
    "body",
    [
        {"content": "x" * 2000},
        {"content": "x", "embeds": [{"title": "t" * 256, "description": "d" * 4096}]},
        {"embeds": [{"description": "d" * 3000}, {"description": "d" * 3000}]},
        {"embeds": [{"fields": [{"name": "n" * 256, "value": "v" * 25}] * 21}]},
        {"embeds": [{"description": "d"}] * 10},
        {"content": "x", "components": rows(5, 5)},
        {"content": "x", "components": [row(button("c" * 100, "l" * 80))]},
        {"flags": V2, "components": [text(2000), text(2000)]},
        {"flags": V2, "components": [text(1)] * 40},
        {"content": "x", "allowed_mentions": {"parse": ["roles"], "users": ["1"]}},
        {"embeds": [{"title": "t", "url": "https://example.org/", "timestamp": "2026-01-02T03:04:05.678Z"}]},
        {"embeds": [{"image": {"url": "attachment://a.png"}}]},
        {"content": "x", "components": [row({"type": 2, "style": 5, "label": "l", "url": "discord://-/settings"})]},
        {"content": "x", "components": [row({**select("a", "b"), "min_values": 2, "max_values": 2})]},
    ],
)
def test_a_message_at_its_limits_is_taken(body: dict[str, Any]) -> None:
    assert refusal_of(body) is None


@pytest.mark.parametrize(
    ("body", "where", "code"),
    [
        ({"content": "x" * 2001}, "content", "BASE_TYPE_MAX_LENGTH"),
        ({"embeds": [{"title": "t" * 257}]}, "embeds.0.title", "BASE_TYPE_MAX_LENGTH"),
        ({"embeds": [{"description": "d" * 4097}]}, "embeds.0.description", "BASE_TYPE_MAX_LENGTH"),
        ({"embeds": [{"fields": [{"name": "n"}]}]}, "embeds.0.fields.0.value", "BASE_TYPE_REQUIRED"),
        (
            {"embeds": [{"fields": [{"name": "n" * 257, "value": "v"}]}]},
            "embeds.0.fields.0.name",
            "BASE_TYPE_BAD_LENGTH",
        ),
        (
            {"embeds": [{"fields": [{"name": "n", "value": "v" * 1025}]}]},
            "embeds.0.fields.0.value",
            "BASE_TYPE_BAD_LENGTH",
        ),
        ({"embeds": [{"fields": [{"name": "n", "value": "v"}] * 26}]}, "embeds.0.fields", "BASE_TYPE_MAX_LENGTH"),
        ({"embeds": [{"footer": {"text": "f" * 2049}}]}, "embeds.0.footer.text", "BASE_TYPE_MAX_LENGTH"),
        ({"embeds": [{"author": {"name": "a" * 257}}]}, "embeds.0.author.name", "BASE_TYPE_MAX_LENGTH"),
        ({"embeds": [{"description": "d" * 3000}] * 2 + [{"title": "t"}]}, "embeds", "MAX_EMBED_SIZE_EXCEEDED"),
        ({"embeds": [{"description": "d"}] * 11}, "embeds", "BASE_TYPE_MAX_LENGTH"),
        ({"content": "x", "components": rows(6)}, "components", "BASE_TYPE_MAX_LENGTH"),
        ({"content": "x", "components": rows(1, 6)}, "components.0.components", "BASE_TYPE_BAD_LENGTH"),
        (
            {"content": "x", "components": [row(button("c" * 101))]},
            "components.0.components.0.custom_id",
            "BASE_TYPE_BAD_LENGTH",
        ),
        (
            {"content": "x", "components": [row(button("c", "l" * 81))]},
            "components.0.components.0.label",
            "BASE_TYPE_MAX_LENGTH",
        ),
        (
            {"content": "x", "components": [row(button("c"), button("c"))]},
            "components",
            "COMPONENT_CUSTOM_ID_DUPLICATED",
        ),
        ({"content": "x", "components": [text(5)]}, "components.0.type", "UNION_TYPE_CHOICES"),
        ({"content": "x", "components": [{"type": 99}]}, "components.0.type", "UNION_TYPE_CHOICES"),
        (
            {"flags": V2, "content": "x", "components": [text(1)]},
            "content",
            "MESSAGE_CANNOT_USE_LEGACY_FIELDS_WITH_COMPONENTS_V2",
        ),
        (
            {"flags": V2, "components": [text(2000), text(2001)]},
            "components",
            "COMPONENT_DISPLAYABLE_TEXT_SIZE_EXCEEDED",
        ),
        (
            {"flags": V2, "components": [{"type": 17, "components": [text(1)] * 40}]},
            "components",
            "COMPONENT_MAX_TOTAL",
        ),
        (
            {"content": "x", "allowed_mentions": {"parse": ["users"], "users": ["1"]}},
            "allowed_mentions",
            "MESSAGE_ALLOWED_MENTIONS_PARSE_EXCLUSIVE",
        ),
        ({"content": "x", "allowed_mentions": {"parse": ["all"]}}, "allowed_mentions.parse.0", "BASE_TYPE_CHOICES"),
        ({"content": "x", "allowed_mentions": {"parse": [{}]}}, "allowed_mentions.parse.0", "BASE_TYPE_CHOICES"),
        ({"content": "x", "nonce": [1]}, "nonce", "STRING_TYPE_CONVERT"),
        ({"embeds": [{"title": "t", "url": "example.org"}]}, "embeds.0.url", "URL_TYPE_INVALID_SCHEME"),
        ({"embeds": [{"title": "t", "url": ""}]}, "embeds.0.url", "URL_TYPE_INVALID_SCHEME"),
        ({"embeds": [{"title": "t", "url": "attachment://a.png"}]}, "embeds.0.url", "URL_TYPE_INVALID_SCHEME"),
        ({"embeds": [{"title": "t", "url": "https://"}]}, "embeds.0.url", "URL_TYPE_INVALID_URL"),
        ({"embeds": [{"title": "t", "url": "https://[x"}]}, "embeds.0.url", "URL_TYPE_INVALID_URL"),
        ({"embeds": [{"image": {"url": "file:///etc/passwd"}}]}, "embeds.0.image.url", "URL_TYPE_INVALID_SCHEME"),
        (
            {"embeds": [{"footer": {"text": "f", "icon_url": "data:x"}}]},
            "embeds.0.footer.icon_url",
            "URL_TYPE_INVALID_SCHEME",
        ),
        ({"embeds": [{"title": "t", "timestamp": "yesterday"}]}, "embeds.0.timestamp", "DATETIME_TYPE_PARSE"),
        (
            {"content": "x", "components": [row({"type": 2, "style": 5, "label": "l", "url": "javascript:x"})]},
            "components.0.components.0.url",
            "URL_TYPE_INVALID_SCHEME",
        ),
        (
            {"content": "x", "components": [row(select("a", "b", "a"))]},
            "components.0.components.0.options.2",
            "SELECT_COMPONENT_OPTION_VALUE_DUPLICATED",
        ),
        (
            {"content": "x", "components": [row({**select("a", "b"), "min_values": 2})]},
            "components.0.components.0.min_values",
            "NUMBER_TYPE_MAX",
        ),
    ],
)
def test_a_message_beyond_a_limit_is_refused_where_it_is_wrong(body: dict[str, Any], where: str, code: str) -> None:
    refusal = refusal_of(body)
    assert refusal is not None
    tree: Any = refusal.body["errors"]
    for key in where.split("."):
        tree = tree[key]
    assert tree["_errors"][0]["code"] == code
    assert refusal.kind.code == 50035


def test_components_v2_have_a_limit_in_bytes_beside_that_in_characters() -> None:
    check_message({"flags": V2, "components": [{"type": 10, "content": "字" * 3386}]})
    with pytest.raises(ApiError) as refused:
        check_message({"flags": V2, "components": [{"type": 10, "content": "字" * 3387}]})
    assert refused.value.kind.status == 500


@pytest.mark.parametrize(
    "body",
    [
        {},
        {"content": None},
        {"content": " \n"},
        {"embeds": [], "attachments": []},
        {"embeds": [{}]},
        {"embeds": [{"title": " ", "color": 5, "url": "https://example.org/", "timestamp": "2026-01-02"}]},
        {"embeds": [{"image": None, "footer": {"text": ""}}]},
    ],
)
def test_a_message_without_anything_to_see_is_empty(body: dict[str, Any]) -> None:
    with pytest.raises(ApiError) as refused:
        check_not_empty(body)
    assert refused.value.kind.code == 50006


@given(st.lists(st.floats(0, 4), max_size=60), st.integers(1, 5), st.sampled_from([0.25, 1.0, 5.0]))
def test_no_window_ever_takes_more_than_its_limit(pauses: list[float], limit: int, seconds: float) -> None:
    time, rule = MovedClock(), BucketRule("some", limit, seconds)
    limiter = RateLimiter(time.clock(), {"some": rule})
    opened, taken = float("-inf"), 0
    for pause in pauses:
        time.seconds += pause
        now = time.clock().now()
        verdict = limiter.take(rule, "channel")
        assert verdict is not None
        if now >= opened + seconds:
            opened, taken = now, 0
        taken += verdict.allowed
        assert taken <= limit
        assert verdict.allowed or taken == limit, "nothing is refused while the window has room"
        assert verdict.remaining == limit - taken
        assert verdict.reset_after == pytest.approx(opened + seconds - now)


def test_interactions_are_forgotten_with_their_token() -> None:
    time = MovedClock()
    world = build_world(WorldConfig(), time.clock())
    interactions = Interactions(world, time.clock())
    ada, channel = next(iter(world.users)), next(iter(world.channels))
    for _ in range(3):
        last = interactions.start(InteractionType.COMMAND, ada, channel, owners={})
        time.seconds += 10 * 60
    assert len(interactions) == 2, "the first is older than 15 minutes when the third starts"
    assert interactions.fail_if_late(last)


def test_the_last_message_of_a_channel_is_one_that_all_can_see() -> None:
    world = build_world(WorldConfig(), MovedClock().clock())
    ada, general, random = next(iter(world.users)), *list(world.channels)[:2]
    assert world.channel_json(general)["last_message_id"] is None
    seen = world.create_message(ada, general, Draft(content="seen"))["id"]
    world.create_message(ada, random, Draft(content="elsewhere"))
    world.create_message(ada, general, Draft(content="hidden", ephemeral_to=ada))
    assert world.channel_json(general)["last_message_id"] == seen
    world.delete_message(seen)
    assert world.channel_json(general)["last_message_id"] is None


def test_windows_that_have_ended_are_forgotten() -> None:
    time, rule = MovedClock(), BucketRule("some", 1, 5.0)
    limiter = RateLimiter(time.clock(), {"some": rule})
    for channel in range(3 * WINDOWS_KEPT):
        time.seconds += 1.0
        limiter.take(rule, str(channel))
    assert limiter.windows <= WINDOWS_KEPT
    again = limiter.take(rule, str(3 * WINDOWS_KEPT - 1))
    assert again is not None
    assert not again.allowed, "a window that is open is kept"


@given(st.lists(st.integers(), max_size=200), st.integers(1, 20))
def test_a_record_keeps_what_is_recent(items: list[int], kept: int) -> None:
    record: list[int] = []
    for count, item in enumerate(items, 1):
        keep_recent(record, item, kept)
        assert record == items[:count][-len(record) :]
        assert min(count, kept) <= len(record) <= 2 * kept


_JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False) | st.text(max_size=5),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=5), inner, max_size=3),
    max_leaves=5,
)
_SOUND: dict[str, Any] = {
    "content": "x",
    "tts": False,
    "nonce": "n",
    "flags": 0,
    "embeds": [
        {
            "title": "t",
            "url": "https://example.org/",
            "fields": [{"name": "n", "value": "v"}],
            "timestamp": "2026-01-02",
        }
    ],
    "allowed_mentions": {"parse": ["users"], "users": [], "replied_user": True},
    "components": [
        {"type": 1, "components": [{"type": 2, "style": 1, "label": "l", "custom_id": "a"}]},
        {"type": 1, "components": [{"type": 3, "custom_id": "b", "options": [{"label": "l", "value": "v"}]}]},
    ],
    "attachments": [{"id": 0, "filename": "f"}],
    "message_reference": {"message_id": "1", "fail_if_not_exists": True},
}


def places(value: Any, path: tuple[str | int, ...] = ()) -> Iterator[tuple[str | int, ...]]:
    yield path
    inside = value.items() if isinstance(value, dict) else enumerate(value) if isinstance(value, list) else ()
    for key, item in inside:
        yield from places(item, (*path, key))


def replaced(value: Any, path: tuple[str | int, ...], by: Any) -> Any:
    if not path:
        return by
    changed = copy.copy(value)
    changed[path[0]] = replaced(value[path[0]], path[1:], by)
    return changed


@given(st.sampled_from(list(places(_SOUND))), _JSON)
def test_whatever_stands_in_a_field_is_taken_or_refused_by_name(path: tuple[str | int, ...], value: Any) -> None:
    assert refusal_of(_SOUND) is None
    refusal = refusal_of(replaced(_SOUND, path, value))
    assert refusal is None or 400 <= refusal.kind.status < 500


def test_a_bucket_that_the_numbers_leave_out_does_not_limit() -> None:
    assert RateLimiter(MovedClock().clock(), {}).take(BucketRule("some", 1, 1.0), "x") is None


@given(st.lists(st.floats(0, 10), min_size=1, max_size=50))
def test_ids_rise_and_tell_their_time(pauses: list[float]) -> None:
    time = MovedClock()
    snowflakes = Snowflakes(time.clock())
    ids = []
    for pause in pauses:
        time.seconds += pause
        ids.append(int(snowflakes.next()))
        assert snowflake_time(str(ids[-1])) == pytest.approx(time.clock().wall(), abs=0.002)
    assert ids == sorted(set(ids))


@pytest.mark.parametrize(
    ("command", "where"),
    [
        ({"name": "Ask", "description": "d"}, "0.name"),
        ({"name": "a b", "description": "d"}, "0.name"),
        ({"name": "ask", "description": ""}, "0.description"),
        ({"name": "Quote", "type": 3, "description": "d"}, "0.options"),
        (
            {"name": "ask", "description": "d", "options": [{"type": 3, "name": "q", "description": "d"}] * 2},
            "0.options",
        ),
    ],
)
def test_a_command_that_discord_would_not_register_is_refused(command: dict[str, Any], where: str) -> None:
    with pytest.raises(ApiError) as refused:
        CommandRegistry("1", lambda: "2").overwrite(None, [command])
    tree: Any = refused.value.body["errors"]
    for key in where.split("."):
        tree = tree[key]
    assert tree["_errors"]


def test_a_guild_sees_its_own_commands_and_the_global_ones() -> None:
    ids = iter("123456789")
    registry = CommandRegistry("app", lambda: next(ids))
    registry.overwrite(None, [{"name": "ask", "description": "d"}])
    registry.overwrite("guild", [{"name": "here", "description": "d"}])
    assert registry.find("ask", CommandType.SLASH, Reach("guild"))["name"] == "ask"
    assert registry.find("here", CommandType.SLASH, Reach("guild"))["guild_id"] == "guild"
    with pytest.raises(LookupError, match="there are: ask"):
        registry.find("here", CommandType.SLASH, Reach(None, Context.BOT_DM))


def test_what_the_world_gives_out_cannot_be_changed_from_outside() -> None:
    world = build_world(WorldConfig(), MovedClock().clock())
    channel = next(channel for channel in world.channels.values())
    message = world.create_message(world.bot.id, channel.id, Draft(content="one"))
    message["content"] = "changed"
    world.messages(channel.id)[0]["embeds"].append({})
    assert (world.message(message["id"])["content"], world.message(message["id"])["embeds"]) == ("one", [])
    world.edit_message(message["id"], Change(content="two"))
    assert world.message(message["id"])["content"] == "two"


def test_the_configured_world_has_its_guild_channels_people_and_bot() -> None:
    config = WorldConfig(guild="Lab", guild_locale="de", channels=("eins",), people=("Eva",), bot="Helfer")
    world = build_world(config, MovedClock().clock())
    (guild,) = world.guilds.values()
    assert (guild.name, guild.locale) == ("Lab", "de")
    assert [channel.name for channel in world.channels.values()] == ["eins"]
    assert {user.username for user in world.users.values()} == {"Helfer", "eva"}
