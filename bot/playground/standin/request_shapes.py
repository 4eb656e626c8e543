"""The shapes of the request bodies that the stand-in takes, with their limits.

https://docs.discord.com/developers/resources/message, /components/reference, /interactions/receiving-and-responding,
/interactions/application-commands, /resources/channel. What one field allows stands here; rules across fields are in
`validation`.
"""

from __future__ import annotations

from bot.playground.standin.shapes import (
    Anything,
    Boolean,
    ByType,
    ChoiceValue,
    Entries,
    Integer,
    Items,
    Nonce,
    OneOf,
    Rule,
    Select,
    Shape,
    Snowflake,
    Text,
    Timestamp,
    Unsupported,
    Url,
)

CONTENT_LIMIT = 2000
"""Code points (Discord staff in discord-api-docs #1315); the OpenAPI file's 4000 is what people with Nitro may send."""
EMBEDS_LIMIT = 10
FILES_LIMIT = 10

_SENT_BACK_ICON: dict[str, Rule] = {"proxy_icon_url": Anything()}

_MEDIA_SCHEMES = ("http", "https", "attachment")
_MEDIA_URL = Url(2048, _MEDIA_SCHEMES)

EMBED_MEDIA = Shape({"url": _MEDIA_URL, **dict.fromkeys(("proxy_url", "height", "width", "placeholder"), Anything())})
EMBED = Shape(
    {
        "type": Text(),
        "url": Url(2048),
        "title": Text(256),
        "color": Integer(0, 0xFFFFFF),
        "timestamp": Timestamp(),
        "description": Text(4096),
        "author": Shape(
            {"name": Text(256), "url": Url(2048), "icon_url": _MEDIA_URL, **_SENT_BACK_ICON}, frozenset({"name"})
        ),
        "image": EMBED_MEDIA,
        "thumbnail": EMBED_MEDIA,
        "footer": Shape({"text": Text(2048), "icon_url": _MEDIA_URL, **_SENT_BACK_ICON}),
        "fields": Items(
            Shape({"name": Text(256, 1), "value": Text(1024, 1), "inline": Boolean()}, frozenset({"name", "value"})),
            max=25,
        ),
        "provider": Anything(),
        "video": Anything(),
        "flags": Integer(),
    }
)

ALLOWED_MENTIONS = Shape(
    {
        "parse": Items(OneOf(frozenset({"users", "roles", "everyone"}))),
        "users": Items(Snowflake(), max=100),
        "roles": Items(Snowflake(), max=100),
        "replied_user": Boolean(),
    }
)

CUSTOM_ID = Text(100, 1)
TYPE_AND_ID: dict[str, Rule] = {"type": Integer(), "id": Integer(0, (1 << 31) - 1)}
_EMOJI = Shape({"id": Snowflake(), "name": Text(), "animated": Boolean()})

BUTTON = Shape(
    {
        **TYPE_AND_ID,
        "style": Integer(1, 6),
        "label": Text(80),
        "emoji": _EMOJI,
        "custom_id": CUSTOM_ID,
        "url": Url(512, ("http", "https", "discord")),
        "sku_id": Snowflake(),
        "disabled": Boolean(),
    },
    frozenset({"style"}),
)
_SELECT_OPTION = Shape(
    {"label": Text(100, 1), "value": Text(100, 1), "description": Text(100), "emoji": _EMOJI, "default": Boolean()},
    frozenset({"label", "value"}),
)
_SELECT: dict[str, Rule] = {
    **TYPE_AND_ID,
    "custom_id": CUSTOM_ID,
    "placeholder": Text(150),
    "min_values": Integer(0, 25),
    "max_values": Integer(1, 25),
    "disabled": Boolean(),
    "required": Boolean(),
}
_CHOSEN_BY_ID: dict[str, Rule] = {
    **_SELECT,
    "channel_types": Items(Integer()),
    "default_values": Items(
        Shape({"id": Snowflake(), "type": OneOf(frozenset({"user", "role", "channel"}))}, frozenset({"id", "type"})),
        max=25,
    ),
}
SELECTS: dict[int, Rule] = {
    3: Select(
        Shape({**_SELECT, "options": Items(_SELECT_OPTION, max=25, min=1)}, frozenset({"custom_id", "options"})), 25
    ),
    **dict.fromkeys((5, 6, 7, 8), Select(Shape(_CHOSEN_BY_ID, frozenset({"custom_id"})), 25)),
}
"""By component type: strings, users, roles, users and roles, channels."""
ACTION_ROW = Shape(
    {**TYPE_AND_ID, "components": Items(ByType({2: BUTTON, **SELECTS}), max=5, min=1)},
    frozenset({"components"}),
)
_MEDIA = Shape({"url": _MEDIA_URL}, frozenset({"url"}))
TEXT_DISPLAY = Shape({**TYPE_AND_ID, "content": Text(4000, 1)}, frozenset({"content"}))
THUMBNAIL = Shape(
    {**TYPE_AND_ID, "media": _MEDIA, "description": Text(1024), "spoiler": Boolean()}, frozenset({"media"})
)
SECTION = Shape(
    {
        **TYPE_AND_ID,
        "components": Items(ByType({10: TEXT_DISPLAY}), max=3, min=1),
        "accessory": ByType({2: BUTTON, 11: THUMBNAIL}),
    },
    frozenset({"components", "accessory"}),
)
_GALLERY_ITEM = Shape({"media": _MEDIA, "description": Text(1024), "spoiler": Boolean()}, frozenset({"media"}))
GALLERY = Shape({**TYPE_AND_ID, "items": Items(_GALLERY_ITEM, max=10, min=1)}, frozenset({"items"}))
_UPLOADED = Shape({"url": Url(2048, ("attachment",))}, frozenset({"url"}))
FILE = Shape({**TYPE_AND_ID, "file": _UPLOADED, "spoiler": Boolean()}, frozenset({"file"}))
SEPARATOR = Shape({**TYPE_AND_ID, "divider": Boolean(), "spacing": Integer(1, 2)})
_INSIDE_CONTAINER: dict[int, Rule] = {1: ACTION_ROW, 9: SECTION, 10: TEXT_DISPLAY, 12: GALLERY, 13: FILE, 14: SEPARATOR}
CONTAINER = Shape(
    {
        **TYPE_AND_ID,
        "components": Items(ByType(_INSIDE_CONTAINER), min=1),
        "accent_color": Integer(0, 0xFFFFFF),
        "spoiler": Boolean(),
    },
    frozenset({"components"}),
)
MESSAGE_COMPONENT = ByType({**_INSIDE_CONTAINER, 17: CONTAINER})

# An edit names the files to keep, and discord.py then sends the whole object back.
_SENT_BACK = ("size", "url", "proxy_url", "content_type", "height", "width", "is_spoiler", "spoiler", "flags")
_ATTACHMENT: dict[str, Rule] = {
    "id": Snowflake(),
    "filename": Text(1024, 1),
    "description": Text(1024),
    "title": Text(1024),
    **dict.fromkeys(_SENT_BACK, Anything()),
}
_BODY: dict[str, Rule] = {
    "content": Text(CONTENT_LIMIT),
    "embeds": Items(EMBED, max=EMBEDS_LIMIT),
    "allowed_mentions": ALLOWED_MENTIONS,
    "components": Items(MESSAGE_COMPONENT, max=40),
    "flags": Integer(0),
    "attachments": Items(
        Shape(_ATTACHMENT, frozenset({"id"})),
        max=FILES_LIMIT,
    ),
}
# discord.py repeats `tts` in edits, where Discord has no such field and ignores it.
MESSAGE_EDIT = Shape({**_BODY, "tts": Boolean()})
_POLL = Unsupported("polls")
INTERACTION_MESSAGE = Shape({**_BODY, "tts": Boolean(), "poll": _POLL})
FOLLOW_UP = Shape({**_BODY, "tts": Boolean(), "poll": _POLL, "thread_name": Text(100)})
MESSAGE_CREATE = Shape(
    {
        **_BODY,
        "tts": Boolean(),
        "poll": _POLL,
        "sticker_ids": Unsupported("stickers"),
        "nonce": Nonce(25),
        "enforce_nonce": Boolean(),
        "message_reference": Shape(
            {
                "message_id": Snowflake(),
                "channel_id": Snowflake(),
                "guild_id": Snowflake(),
                "fail_if_not_exists": Boolean(),
                "type": Integer(0, 0),
            },
            frozenset({"message_id"}),
        ),
    }
)

WEBHOOK_MESSAGE = Shape(
    {
        **_BODY,
        "tts": Boolean(),
        "poll": _POLL,
        "username": Text(80, 1),
        "avatar_url": Url(2048),
        "thread_name": Unsupported("posts by webhooks"),
        "applied_tags": Unsupported("tags of posts"),
    }
)
_WEBHOOK: dict[str, Rule] = {"name": Text(80, 1), "avatar": Text()}
WEBHOOK_CREATE = Shape(_WEBHOOK, frozenset({"name"}))
WEBHOOK_EDIT = Shape({**_WEBHOOK, "channel_id": Unsupported("webhooks that move")})
EMOJI_CREATE = Shape({"name": Text(32, 2), "image": Text()}, frozenset({"name", "image"}))

REACTIONS_QUERY = Shape(dict.fromkeys(("limit", "after", "type"), Snowflake()))
HISTORY_QUERY = Shape(dict.fromkeys(("limit", "before", "after", "around"), Snowflake()))
"""The numerals of a query; how many messages are too many is the endpoint's."""

_THREAD: dict[str, Rule] = {
    "name": Text(100, 1),
    "auto_archive_duration": OneOf(frozenset({60, 1440, 4320, 10080})),
    "rate_limit_per_user": Integer(0, 21600),
}
THREAD_FROM_MESSAGE = Shape(_THREAD, frozenset({"name"}))
THREAD_ALONE = Shape({**_THREAD, "type": OneOf(frozenset({10, 11, 12})), "invitable": Boolean()}, frozenset({"name"}))
THREAD_EDIT = Shape({**_THREAD, **dict.fromkeys(("archived", "locked", "invitable"), Boolean())})
OPEN_DM = Shape({"recipient_id": Snowflake()}, frozenset({"recipient_id"}))

_CHOICE = Shape(
    {"name": Text(100, 1), "name_localizations": Entries(Text(100, 1)), "value": ChoiceValue(100)},
    frozenset({"name", "value"}),
)
CHOICES = Shape({"choices": Items(_CHOICE, max=25)})
INTERACTION_CALLBACK = Shape({"type": OneOf(frozenset({4, 5, 6, 7, 8, 9})), "data": Anything()}, frozenset({"type"}))

_OPTION_FIELDS: dict[str, Rule] = {
    "type": Integer(1, 11),
    "name": Text(32, 1),
    "name_localizations": Entries(Text(32, 1)),
    "description": Text(100, 1),
    "description_localizations": Entries(Text(100, 1)),
    "required": Boolean(),
    "choices": Items(_CHOICE, max=25),
    "channel_types": Items(Integer()),
    "min_value": Anything(),
    "max_value": Anything(),
    "min_length": Integer(0, 6000),
    "max_length": Integer(1, 6000),
    "autocomplete": Boolean(),
}
_OPTION_REQUIRED = frozenset({"type", "name", "description"})
_VALUE_OPTION = Shape(_OPTION_FIELDS, _OPTION_REQUIRED)
_SUBCOMMAND = Shape({**_OPTION_FIELDS, "options": Items(_VALUE_OPTION, max=25)}, _OPTION_REQUIRED)
_SUBCOMMAND_OR_GROUP = Shape({**_OPTION_FIELDS, "options": Items(_SUBCOMMAND, max=25)}, _OPTION_REQUIRED)
COMMAND = Shape(
    {
        "id": Snowflake(),
        "type": Integer(1, 4),
        "name": Text(32, 1),
        "name_localizations": Entries(Text(32, 1)),
        "description": Text(100),
        "description_localizations": Entries(Text(100, 1)),
        "options": Items(_SUBCOMMAND_OR_GROUP, max=25),
        "default_member_permissions": Anything(),
        "dm_permission": Boolean(),
        "contexts": Items(Integer(0, 2)),
        "integration_types": Items(Integer(0, 1)),
        "nsfw": Boolean(),
        "handler": Integer(),
    },
    frozenset({"name"}),
)
COMMANDS = Items(COMMAND, max=130)
