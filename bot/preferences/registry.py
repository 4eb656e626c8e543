"""All settings there are, read off the lines of topics.py."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from types import MappingProxyType
from typing import Annotated, Any, get_args, get_origin, get_type_hints

import msgspec

from bot.preferences.kinds import In, Kind, Page, Scope
from bot.preferences.topics import (
    AdmissionPreferences,
    ConversationPreferences,
    DeliveryPreferences,
    LanguagePreferences,
    LimitPreferences,
    ModelPreferences,
    OperatorLimits,
    ServerCapabilities,
)


class Topic(msgspec.Struct, frozen=True):
    """Settings that are read together."""

    name: str
    """As the store has it."""
    of: type[msgspec.Struct]
    page: Page
    scopes: frozenset[Scope]


class Setting(msgspec.Struct, frozen=True):
    name: str
    """The field's; unique among all settings."""
    topic: Topic
    type: Any
    kind: Kind
    default: Any
    page: Page
    scopes: frozenset[Scope]

    def converted(self, value: Any) -> Any:
        """A value as it is, or as JSON has it, for this setting. Raises msgspec.ValidationError for one that cannot be chosen."""
        value = msgspec.convert(msgspec.to_builtins(value), self.type)
        if not self.kind.fits(value):
            raise msgspec.ValidationError(f"{self.name} cannot be chosen so")
        return value


_EVERYWHERE = frozenset({Scope.GLOBAL, Scope.SERVER, Scope.CHANNEL})

TOPICS = (
    Topic("conversation", ConversationPreferences, Page.BEHAVIOUR, _EVERYWHERE),
    Topic("model", ModelPreferences, Page.MODELS, _EVERYWHERE),
    Topic("delivery", DeliveryPreferences, Page.DELIVERY, _EVERYWHERE),
    Topic("server_capabilities", ServerCapabilities, Page.TOOLS, _EVERYWHERE),
    Topic("admission", AdmissionPreferences, Page.LIMITS, frozenset({Scope.SERVER})),
    Topic("limits", LimitPreferences, Page.LIMITS, frozenset({Scope.SERVER})),
    Topic("operator_limits", OperatorLimits, Page.LIMITS, frozenset({Scope.GLOBAL})),
    Topic("language", LanguagePreferences, Page.LANGUAGE, _EVERYWHERE),
)


def _settings_of(topic: Topic) -> Iterator[Setting]:
    hints = get_type_hints(topic.of, include_extras=True)
    for field in msgspec.structs.fields(topic.of):
        type_, *notes = get_args(hints[field.name]) if get_origin(hints[field.name]) is Annotated else (None,)
        kinds = [note for note in notes if not isinstance(note, In)]
        assert len(kinds) == 1, f"{topic.of.__name__}.{field.name} needs one kind"
        place = next((note for note in notes if isinstance(note, In)), In())
        yield Setting(
            name=field.name,
            topic=topic,
            type=type_,
            kind=kinds[0],
            default=field.default,
            page=place.page or topic.page,
            scopes=place.scopes or topic.scopes,
        )


SETTINGS: Mapping[str, Setting] = MappingProxyType(
    {setting.name: setting for topic in TOPICS for setting in _settings_of(topic)}
)
"""By name, in the order of the panel."""

TOPIC_OF: Mapping[type[msgspec.Struct], Topic] = MappingProxyType({topic.of: topic for topic in TOPICS})
