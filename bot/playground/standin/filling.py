"""What a person chooses in a select and writes in a modal → the data of the interaction.

Discord's client lets through only what a component allows, and its server looks again. So here what is not offered is a
LookupError, as for a button that is not there, and too few, too many or a text of a wrong length is a 50035.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any, TypeAlias

from bot.playground.standin.errors import INVALID_FORM_BODY, ApiError, invalid_form
from bot.playground.standin.events import Json
from bot.playground.standin.modal_shapes import SELECT_TYPES, length_bounds
from bot.playground.standin.records import Channel, Role, User
from bot.playground.standin.resolved import File, Resolved
from bot.playground.standin.shapes import Anything, Items, Text, choice_bounds
from bot.playground.standin.world import World

Choice: TypeAlias = str | User | Role | Channel
"""An option's value, or who or what was chosen, also by id."""
FieldValue: TypeAlias = str | bool | Sequence[Choice | File] | None
"""Of a text, a checkbox, whatever takes several, and a radio group without a choice."""

_STRING_SELECT, _CHECKBOX_GROUP = 3, 22
_FIELDS_WITH_OPTIONS = frozenset({3, 21, _CHECKBOX_GROUP})


class Filling:
    """`place` is where the person acts: the people, roles and channels of its guild can be chosen."""

    def __init__(self, world: World, resolved: Resolved, place: Channel) -> None:
        self._world = world
        self._resolved = resolved
        self._place = place

    def chosen(self, select: Json, choices: Sequence[Choice]) -> Json:
        """`values` and `resolved` of a select in a message. Raises LookupError, ApiError 50035."""
        # discord.py writes `required` there too, where it means nothing.
        values = self._choose({**select, "required": True}, choices)
        kinds: Json = {kind: {} for kind in _RESOLVED.get(select["type"], ())}
        resolved = kinds | self._resolved.field().get("resolved", {})
        return {"values": values, "resolved": resolved} if resolved else {"values": values}

    def modal(self, modal: Json, values: Mapping[str, FieldValue]) -> Json:
        """The data of a submitted modal. A field that `values` leaves out stays as it is preset, whatever it needs.

        Raises LookupError for fields and options that the modal does not have; ApiError 50035.
        """
        missing = set(values)

        def filled(component: Json) -> Json:
            answer: Json = {"type": component["type"], "id": component.get("id") or 0}
            if "components" in component:
                return {**answer, "components": [filled(child) for child in component["components"]]}
            if "component" in component:
                return {**answer, "component": filled(component["component"])}
            custom_id = component.get("custom_id")
            if custom_id is None:
                return answer
            missing.discard(custom_id)
            given = self._given(component, values[custom_id]) if custom_id in values else _preset(component)
            return {**answer, "custom_id": custom_id, **given}

        components = [filled(part) for part in modal["components"]]
        if missing:
            raise LookupError(f"the modal has no {sorted(missing)}")
        return {"custom_id": modal["custom_id"], "components": components, **self._resolved.field()}

    def _given(self, field: Json, value: Any) -> Json:
        match field["type"]:
            case 4:
                return {"value": _text(field, value or "")}
            case 19:
                _check_count(field, value)
                return {"values": [self._resolved.value(file) for file in value]}
            case 21:
                _check_offered(field, [value] if value else [])
                _check_count(field, [value] if value else [])
                return {"value": value or None}
            case 23:
                return {"value": bool(value)}
        return {"values": self._choose(field, value)}

    def _choose(self, component: Json, choices: Sequence[Choice]) -> list[str]:
        if component["type"] in _FIELDS_WITH_OPTIONS:
            _check_offered(component, choices)
            values = [str(choice) for choice in choices]
        else:
            found = [self._find(component, choice) for choice in choices]
            values = [self._resolved.value(thing) for thing in found]
        _check_count(component, values)
        return values

    def _find(self, select: Json, choice: Choice) -> User | Role | Channel:
        choice_id = choice if isinstance(choice, str) else choice.id
        for kind in _CHOSEN[select["type"]]:
            if (thing := kind(self._world, self._place, choice_id)) is not None and _fits(select, thing):
                return thing
        raise LookupError(f"{select['custom_id']!r} does not offer {choice_id!r}")


def _user(world: World, place: Channel, user_id: str) -> User | None:
    in_dm = (place.recipient_id, world.bot.id, *place.people)
    is_there = user_id in in_dm if place.guild_id is None else (place.guild_id, user_id) in world.members
    return world.users.get(user_id) if is_there else None


def _role(world: World, place: Channel, role_id: str) -> Role | None:
    role = world.roles.get(role_id)
    return role if role and role.guild_id == place.guild_id else None


def _channel(world: World, place: Channel, channel_id: str) -> Channel | None:
    channel = world.channels.get(channel_id)
    return channel if channel and place.guild_id and channel.guild_id == place.guild_id else None


_Finder: TypeAlias = Callable[[World, Channel, str], User | Role | Channel | None]
_CHOSEN: Mapping[int, tuple[_Finder, ...]] = {5: (_user,), 6: (_role,), 7: (_user, _role), 8: (_channel,)}
"""What the selects that are not of strings choose, by their type."""
_RESOLVED: Mapping[int, tuple[str, ...]] = {5: ("users",), 6: ("roles",), 8: ("channels",)}
"""What their data resolves, also where nothing has been chosen."""


def _fits(select: Json, thing: User | Role | Channel) -> bool:
    kinds = select.get("channel_types")
    return not kinds or not isinstance(thing, Channel) or thing.type in kinds


def _text(text_input: Json, value: str) -> str:
    if not value:
        if text_input.get("required", True):
            raise invalid_form(text_input["custom_id"], "BASE_TYPE_REQUIRED", "This field is required")
        return value
    low, high = length_bounds(text_input)
    if wrong := Text(high, low).check(value):
        raise ApiError(INVALID_FORM_BODY, {text_input["custom_id"]: wrong})
    return value


def _check_offered(component: Json, choices: Sequence[object]) -> None:
    offered = [option["value"] for option in component["options"]]
    if odd := [choice for choice in choices if choice not in offered]:
        raise LookupError(f"{component['custom_id']!r} does not offer {odd}; it has {offered}")


def _check_count(component: Json, choices: Sequence[object]) -> None:
    """An optional field of a modal may be left empty, whatever it takes otherwise."""
    low, high = choice_bounds(component, takes_all=component["type"] == _CHECKBOX_GROUP)
    if not choices and component.get("required") is False:
        return
    if wrong := Items(Anything(), high, low).check(list(choices)):
        raise ApiError(INVALID_FORM_BODY, {component["custom_id"]: wrong})


def _preset(field: Json) -> Json:
    preset = [option["value"] for option in field.get("options") or () if option.get("default")]
    match field["type"]:
        case 4:
            return {"value": field.get("value") or ""}
        case 21:
            return {"value": preset[0] if preset else None}
        case 23:
            return {"value": bool(field.get("default"))}
    if field["type"] in SELECT_TYPES and field["type"] != _STRING_SELECT:
        return {"values": [str(value["id"]) for value in field.get("default_values") or ()]}
    return {"values": preset}
