"""Rules for messages that reach across fields, after `request_shapes` has held each field to its own.

https://docs.discord.com/developers/resources/message#embed-object-embed-limits, /components/reference. Names of error
codes as Discord sends them in a 50035.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from enum import IntEnum, IntFlag
from typing import Any

from bot.playground.standin.errors import EMPTY_MESSAGE, TOO_LARGE, TOO_MANY_FILES, V2_OVERFLOW, ApiError, invalid_form
from bot.playground.standin.request_shapes import FILES_LIMIT

EMBED_TOTAL_LIMIT = 6000
ROWS_LIMIT = 5
V2_TEXT_LIMIT = 4000
V2_COMPONENTS_LIMIT = 40
V2_BYTES_LIMIT = 10_170
"""UTF-8 bytes of all text displays plus 12 for each; beyond it Discord answers 500 (discord-api-docs #8554)."""
REQUEST_BYTES_LIMIT = 25 * 1024 * 1024


class MessageFlag(IntFlag):
    SUPPRESS_EMBEDS = 1 << 2
    HAS_THREAD = 1 << 5
    EPHEMERAL = 1 << 6
    LOADING = 1 << 7
    SUPPRESS_NOTIFICATIONS = 1 << 12
    IS_VOICE_MESSAGE = 1 << 13
    HAS_SNAPSHOT = 1 << 14
    IS_COMPONENTS_V2 = 1 << 15


SETTABLE_FLAGS = (
    MessageFlag.SUPPRESS_EMBEDS
    | MessageFlag.EPHEMERAL
    | MessageFlag.SUPPRESS_NOTIFICATIONS
    | MessageFlag.IS_COMPONENTS_V2
)


class ComponentType(IntEnum):
    ACTION_ROW = 1
    BUTTON = 2
    TEXT_DISPLAY = 10


class ButtonStyle(IntEnum):
    LINK = 5
    PREMIUM = 6


def check_message(body: Mapping[str, Any], *, earlier_flags: int = 0) -> None:
    """Raises ApiError where the parts of a message do not go together. `earlier_flags` are those of the edited message."""
    components = body.get("components") or []
    if (int(body.get("flags") or 0) | earlier_flags) & MessageFlag.IS_COMPONENTS_V2:
        _check_v2(body, components)
    else:
        _check_rows(components)
    _check_controls(components)
    _check_embed_total(body.get("embeds") or [])
    allowed = body.get("allowed_mentions") or {}
    for kind in ("users", "roles"):
        if kind in (allowed.get("parse") or []) and allowed.get(kind):
            message = f'parse:["{kind}"] and {kind}: [ids...] are mutually exclusive.'
            raise invalid_form("allowed_mentions", "MESSAGE_ALLOWED_MENTIONS_PARSE_EXCLUSIVE", message)


def check_not_empty(message: Mapping[str, Any]) -> None:
    """Raises 50006 unless there is something to see, in a request or in a message as an edit leaves it.

    With components V2 a file is seen only where a component shows it.
    """
    parts = [(message.get("content") or "").strip()]
    parts += [message.get(part) for part in ("components", "poll", "sticker_items", "snapshots")]
    if not (message.get("flags") or 0) & MessageFlag.IS_COMPONENTS_V2:
        parts.append(message.get("attachments"))
    if not any(parts) and not any(map(_is_visible, message.get("embeds") or ())):
        raise ApiError(EMPTY_MESSAGE)


def check_files(sizes: Iterable[int], limit: int, *, kept: int = 0) -> None:
    """`sizes` and `limit` in bytes, a size for each new file; `kept`: how many the message keeps beside them."""
    sizes = list(sizes)
    if len(sizes) + kept > FILES_LIMIT:
        raise ApiError(TOO_MANY_FILES)
    if any(size > limit for size in sizes):
        raise ApiError(TOO_LARGE)


def embed_length(embed: Mapping[str, Any]) -> int:
    """Code points that count against the total; blanks around a text are trimmed first."""
    texts = [embed.get("title"), embed.get("description")]
    texts += [(embed.get("footer") or {}).get("text"), (embed.get("author") or {}).get("name")]
    for field in embed.get("fields") or []:
        texts += [field["name"], field["value"]]
    return sum(len(text.strip()) for text in texts if text)


def _is_visible(embed: Mapping[str, Any]) -> bool:
    """A colour, a url or a time alone shows nothing."""
    media = [(embed.get(part) or {}).get("url") for part in ("image", "thumbnail")]
    return embed_length(embed) > 0 or any(media)


def walk_components(components: Iterable[dict[str, Any]]) -> Iterator[dict[str, Any]]:
    """Each component, parents before their children."""
    for component in components:
        yield component
        yield from walk_components(component.get("components") or [])
        if accessory := component.get("accessory"):
            yield from walk_components([accessory])


def _check_embed_total(embeds: list[dict[str, Any]]) -> None:
    if sum(map(embed_length, embeds)) > EMBED_TOTAL_LIMIT:
        message = f"Embed size exceeds maximum size of {EMBED_TOTAL_LIMIT}"
        raise invalid_form("embeds", "MAX_EMBED_SIZE_EXCEEDED", message)


def _check_rows(components: list[dict[str, Any]]) -> None:
    for index, component in enumerate(components):
        if component["type"] != ComponentType.ACTION_ROW:
            message = 'Value of field "type" must be one of (1,).'
            raise invalid_form(f"components.{index}.type", "UNION_TYPE_CHOICES", message)
    if len(components) > ROWS_LIMIT:
        raise invalid_form("components", "BASE_TYPE_MAX_LENGTH", f"Must be {ROWS_LIMIT} or fewer in length.")


def _check_v2(body: Mapping[str, Any], components: list[dict[str, Any]]) -> None:
    for field in ("content", "embeds"):
        if body.get(field):
            message = f"The '{field}' field cannot be used when using MessageFlags.IS_COMPONENTS_V2"
            raise invalid_form(field, "MESSAGE_CANNOT_USE_LEGACY_FIELDS_WITH_COMPONENTS_V2", message)
    everything = list(walk_components(components))
    if len(everything) > V2_COMPONENTS_LIMIT:
        message = f"Maximum number of components is {V2_COMPONENTS_LIMIT}"
        raise invalid_form("components", "COMPONENT_MAX_TOTAL", message)
    texts = [component["content"] for component in everything if component["type"] == ComponentType.TEXT_DISPLAY]
    if sum(map(len, texts)) > V2_TEXT_LIMIT:
        message = f"The total displayable text size exceeds maximum size of {V2_TEXT_LIMIT}"
        raise invalid_form("components", "COMPONENT_DISPLAYABLE_TEXT_SIZE_EXCEEDED", message)
    if sum(len(text.encode()) + 12 for text in texts) > V2_BYTES_LIMIT:
        raise ApiError(V2_OVERFLOW)


def _check_controls(components: list[dict[str, Any]]) -> None:
    seen: set[str] = set()
    for component in walk_components(components):
        if component["type"] == ComponentType.BUTTON:
            _check_button(component)
        if component["type"] == ComponentType.ACTION_ROW:
            kinds = [child["type"] for child in component["components"]]
            if len(kinds) > 1 and any(kind != ComponentType.BUTTON for kind in kinds):
                raise invalid_form(
                    "components", "COMPONENT_LAYOUT_WIDTH_EXCEEDED", "The specified component exceeds the maximum width"
                )
        custom_id = component.get("custom_id")
        if custom_id in seen:
            raise invalid_form(
                "components", "COMPONENT_CUSTOM_ID_DUPLICATED", "Component custom id cannot be duplicated"
            )
        if custom_id:
            seen.add(custom_id)


def _check_button(button: dict[str, Any]) -> None:
    needed = {ButtonStyle.LINK: "url", ButtonStyle.PREMIUM: "sku_id"}.get(button["style"], "custom_id")
    if not button.get(needed):
        raise invalid_form(f"components.{needed}", "BASE_TYPE_REQUIRED", "This field is required")
    if button.get("url") and needed != "url":
        raise invalid_form("components.url", "COMPONENT_BUTTON_URL", "A url is only for link buttons")
    if needed != "sku_id" and not (button.get("label") or button.get("emoji")):
        raise invalid_form("components.label", "BUTTON_COMPONENT_INVALID_LABEL", "A button needs a label or an emoji")
