"""What a person gives as an option, what is kept of it, and how it is told."""

from __future__ import annotations

from typing import Any

import msgspec
import pytest

from bot.commands import options
from bot.commands.options import BadValue, Option
from bot.commands.settings import TOPICS, Topic, told
from bot.localization import Translator

WORDS = options.words("trigger_words", "trigger_words", most=3, longest=10)
CHANNELS = options.mentions("channels", "channel_ids", "#", most=3)
ROLES = options.mentions("roles", "role_ids", "@&")
PEOPLE = options.mentions("blocked", "blocked_user_ids", "@", most=200)
TEXT = options.text("note", "note", 1000)
ZONE = options.time_zone("time_zone", "time_zone")
ID, OTHER = 123456789012345678, 123456789012345679


@pytest.mark.parametrize(
    ("option", "given", "kept"),
    [
        (WORDS, "Parley, old friend ,, parley", ("Parley", "old friend", "parley")),
        (WORDS, "小助手、パーレイ，파를리", ("小助手", "パーレイ", "파를리")),
        (WORDS, "none", ()),
        (WORDS, " NONE ", ()),
        (WORDS, "Parley, Parley", ("Parley",)),
        (CHANNELS, f"<#{ID}> and <#{OTHER}>", (ID, OTHER)),
        (CHANNELS, f"{ID},{ID}", (ID,)),
        (CHANNELS, "none", ()),
        (ROLES, f"<@&{ID}>", (ID,)),
        (PEOPLE, f"<@{ID}><@!{OTHER}>", (ID, OTHER)),
        (PEOPLE, " ".join(f"<@{ID + nr}>" for nr in range(200)), tuple(ID + nr for nr in range(200))),
        (TEXT, "Be kind.", "Be kind."),
        (TEXT, "None", ""),
        (ZONE, " Europe/Berlin ", "Europe/Berlin"),
        (ZONE, "none", "UTC"),
    ],
)
def test_what_is_given_is_kept(option: Option, given: str, kept: Any) -> None:
    assert option.read(given) == kept


@pytest.mark.parametrize(
    ("option", "given", "key"),
    [
        (WORDS, "one, two, three, four", "setting-too-many-words"),
        (WORDS, "a" * 11, "setting-too-many-words"),
        (CHANNELS, "#general", "setting-no-mentions-channels"),
        (CHANNELS, f"<@{ID}>", "setting-no-mentions-channels"),
        (CHANNELS, f"<#{ID}> <@&{OTHER}>", "setting-no-mentions-channels"),
        (CHANNELS, " ".join(f"<#{ID + nr}>" for nr in range(4)), "setting-no-mentions-channels"),
        (ROLES, "@everyone", "setting-no-mentions-roles"),
        (PEOPLE, "Bo", "setting-no-mentions-people"),
        (ZONE, "Berlin", "setting-no-time-zone"),
        (ZONE, "../../etc/passwd", "setting-no-time-zone"),
        (ZONE, "/etc/localtime", "setting-no-time-zone"),
        (ZONE, " ", "setting-no-time-zone"),
        (ZONE, "Europe", "setting-no-time-zone"),
    ],
)
@pytest.mark.parametrize("locale", ["en-US", "de"])
def test_what_cannot_be_kept_is_refused_with_what_would_be_right(
    option: Option, given: str, key: str, locale: str
) -> None:
    with pytest.raises(BadValue) as error:
        option.read(given)
    assert error.value.key == key
    told = Translator("en-US").say(locale)(key, **error.value.arguments)
    assert key not in told
    assert "{" not in told


def test_a_long_list_is_told_as_far_as_it_can_be_read() -> None:
    words = Translator("en-US").say("en-US")
    assert CHANNELS.show((), words) == "–"
    assert CHANNELS.show((ID,), words) == f"<#{ID}>"
    assert PEOPLE.show(range(ID, ID + 200), words).endswith(f"<@{ID + 14}> and 185 more")


@pytest.mark.parametrize("locale", ["en-US", "de"])
@pytest.mark.parametrize("topic", TOPICS, ids=lambda topic: topic.name)
def test_what_is_told_of_a_topic_fits_into_a_message_whatever_was_chosen(topic: Topic, locale: str) -> None:
    words = Translator("en-US").say(locale)
    ids, texts = (
        tuple(range(10**19 - 200, 10**19)),
        {"prompt": "word " * 800, "zone": "America/Argentina/ComodRivadavia"},
    )
    of_type = {tuple[int, ...]: ids, tuple[str, ...]: ("w" * 50,) * 20, str: texts["prompt"], bool: True, float: 10.0}
    fields = {field.name: field for field in msgspec.structs.fields(topic.preferences)}
    longest = {
        option.field: texts["zone"] if option.name == "time_zone" else of_type[fields[option.field].type]
        for option in topic.options
        if fields[option.field].type in of_type
    }
    preferences = msgspec.structs.replace(topic.preferences(), **longest)
    assert len("\n".join(told(topic, preferences, set(fields), words))) < 1900, "with room for a warning"
