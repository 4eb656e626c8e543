"""How names of models are suggested, and what somebody meant who typed one."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from bot.commands.model_names import LONGEST_VALUE, MOST_SUGGESTED, Place, Typed, labels, near, read, suggestions

ROUTER = Place("openrouter", "", ("openai/gpt-5", "qwen/qwen3:free", "meta/llama-4"))
OPENAI = Place("openai-chat", "", ("gpt-5", "gpt-5-mini", "o3"))
HOME, AWAY = (Place("custom", f"https://{host}/v1", ("qwen3", "gpt-oss")) for host in ("home.example", "away.example"))
PLACES = [ROUTER, OPENAI, HOME, AWAY]


def test_one_place_needs_no_name_and_several_of_one_provider_have_that_of_their_host() -> None:
    assert suggestions([OPENAI], "") == ["gpt-5", "gpt-5-mini", "o3"]
    assert list(labels(PLACES)) == ["openrouter", "openai-chat", "custom@home.example", "custom@away.example"]
    twice = [HOME, Place("custom", "https://home.example/v2"), Place("custom", "")]
    assert read(twice, "custom@home.example 2: new") == Typed("new", twice[1])
    assert list(labels(twice)) == ["custom@home.example", "custom@home.example 2", "custom"]


@pytest.mark.parametrize(
    ("typed", "suggested"),
    [
        ("GPT-5", ["openrouter: openai/gpt-5", "openai-chat: gpt-5", "openai-chat: gpt-5-mini"]),
        ("mini", ["openai-chat: gpt-5-mini"]),
        ("qwen", ["openrouter: qwen/qwen3:free", "custom@home.example: qwen3", "custom@away.example: qwen3"]),
        ("openai", ["openrouter: openai/gpt-5", "openai-chat: gpt-5", "openai-chat: gpt-5-mini", "openai-chat: o3"]),
        ("openai-chat: o", ["openai-chat: o3"]),
        ("oss", ["custom@home.example: gpt-oss", "custom@away.example: gpt-oss"]),
        ("lla", ["openrouter: meta/llama-4"]),
        ("nothing", []),
    ],
)
def test_what_begins_so_comes_before_what_only_holds_it(typed: str, suggested: list[str]) -> None:
    assert suggestions(PLACES, typed) == suggested


def test_at_most_as_many_and_as_long_as_discord_takes() -> None:
    many = Place("openrouter", "", (*tuple(f"m{nr}" for nr in range(99)), "m" * 101))
    assert len(suggestions([many], "m")) == MOST_SUGGESTED
    assert suggestions([many], "m" * 50) == []


@pytest.mark.parametrize(
    ("typed", "meant"),
    [
        ("openai-chat: gpt-5", Typed("gpt-5", OPENAI)),
        ("OpenAI-Chat:  gpt-6 ", Typed("gpt-6", OPENAI)),
        ("custom@away.example: qwen3", Typed("qwen3", AWAY)),
        ("custom: qwen3", Typed("qwen3", provider="custom")),
        ("mistral: large", Typed("large", provider="mistral")),
        ("o3", Typed("o3", OPENAI)),
        ("qwen/qwen3:free", Typed("qwen/qwen3:free", ROUTER)),
        ("qwen3", Typed("qwen3")),
        ("new", Typed("new")),
    ],
)
def test_a_name_is_of_the_place_that_is_named_or_of_the_only_one_that_has_it(typed: str, meant: Typed) -> None:
    assert read(PLACES, typed) == meant


def test_where_there_is_one_place_every_name_is_of_it() -> None:
    assert read([OPENAI], "gpt-7") == Typed("gpt-7", OPENAI)
    assert read([OPENAI], "a: b") == Typed("a: b", OPENAI)
    assert read([], "gpt-7") == Typed("gpt-7")


_names = st.text(st.characters(codec="ascii", categories=["L", "N", "P", "S"]), min_size=1, max_size=30)


@given(st.lists(st.builds(Place, st.sampled_from(["openrouter", "groq"]), st.just(""), st.tuples(_names))))
def test_every_suggestion_means_the_model_that_it_shows(found: list[Place]) -> None:
    places = list({place.provider: place for place in found}.values())
    meant = [read(places, value) for value in suggestions(places, "")]
    assert {(it.place, it.name) for it in meant} == {(place, name) for place in places for name in place.names}


def test_names_that_are_spelled_alike_are_near() -> None:
    assert near(OPENAI, "gpt5-mini")[0] == "gpt-5-mini"
    assert near(OPENAI, "zzz") == []
    assert LONGEST_VALUE == 100
