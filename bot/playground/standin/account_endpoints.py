"""REST: the bot itself, its gateway, its DMs, its commands."""

from __future__ import annotations

from bot.playground.standin.backend import Backend
from bot.playground.standin.dispatches import application_flags
from bot.playground.standin.errors import UNKNOWN_USER, ApiError
from bot.playground.standin.events import CommandsRegistered
from bot.playground.standin.objects import application_object, own_user_object
from bot.playground.standin.request_shapes import COMMANDS, OPEN_DM
from bot.playground.standin.routing import ApiAnswer, ApiRequest, Endpoint
from bot.playground.standin.shapes import require

IDENTIFIES_A_DAY = 1000
MAX_CONCURRENCY = 16


def _get_me(backend: Backend, request: ApiRequest) -> ApiAnswer:
    return ApiAnswer(200, own_user_object(backend.world.bot))


def _get_application(backend: Backend, request: ApiRequest) -> ApiAnswer:
    world = backend.world
    owner = world.users[next(iter(world.guilds.values())).owner_id]
    flags = application_flags(backend.gateway.allowed_privileged)
    return ApiAnswer(200, application_object(world.bot, owner, sum(map(world.has_bot, world.guilds)), flags))


def _get_gateway(backend: Backend, request: ApiRequest) -> ApiAnswer:
    return ApiAnswer(200, {"url": backend.gateway.url})


def _get_gateway_for_bot(backend: Backend, request: ApiRequest) -> ApiAnswer:
    limit = {
        "total": IDENTIFIES_A_DAY,
        "remaining": max(0, IDENTIFIES_A_DAY - backend.gateway.identifies),
        "reset_after": 14_400_000,
        "max_concurrency": MAX_CONCURRENCY,
    }
    return ApiAnswer(200, {"url": backend.gateway.url, "shards": backend.shards, "session_start_limit": limit})


def _open_dm(backend: Backend, request: ApiRequest) -> ApiAnswer:
    require(OPEN_DM, request.body)
    user = backend.world.users.get(str(request.body["recipient_id"]))
    if user is None or user.id == backend.bot_id:
        raise ApiError(UNKNOWN_USER)
    return ApiAnswer(200, backend.world.channel_json(backend.world.open_dm(user).id))


def _get_commands(backend: Backend, request: ApiRequest) -> ApiAnswer:
    return ApiAnswer(200, backend.commands.get(request.params.get("guild_id")))


def _put_commands(backend: Backend, request: ApiRequest) -> ApiAnswer:
    require(COMMANDS, request.body)
    registered = backend.commands.overwrite(request.params.get("guild_id"), request.body)
    backend.world.tell(CommandsRegistered())
    return ApiAnswer(200, registered)


_COMMANDS = "/applications/{application_id}/commands"
_GUILD_COMMANDS = "/applications/{application_id}/guilds/{guild_id}/commands"

ENDPOINTS = (
    Endpoint("GET", "/users/@me", _get_me),
    Endpoint("GET", "/applications/@me", _get_application),
    Endpoint("GET", "/oauth2/applications/@me", _get_application),
    Endpoint("GET", "/gateway", _get_gateway),
    Endpoint("GET", "/gateway/bot", _get_gateway_for_bot),
    Endpoint("POST", "/users/@me/channels", _open_dm),
    Endpoint("GET", _COMMANDS, _get_commands),
    Endpoint("PUT", _COMMANDS, _put_commands),
    Endpoint("GET", _GUILD_COMMANDS, _get_commands),
    Endpoint("PUT", _GUILD_COMMANDS, _put_commands),
)
