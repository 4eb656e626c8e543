"""What is known of a model, under whatever name a host sells it."""

from __future__ import annotations

import pytest

from adapters.catalogue import Catalogue, CatalogueError, bare_name, read_rows, shipped
from adapters.contract import ModelInfo, Origin
from adapters.registry import NAMES

HEAD = "sellers,model,context_window,output_limit,vision,tools,reasoning,input_price,output_price"


def rows(*lines: str) -> list[object]:
    return list(read_rows("\n".join([HEAD, *lines]), "own.csv"))


def find(model: str, provider: str = "custom", base_url: str | None = None) -> ModelInfo:
    return Catalogue().find(Origin(provider, base_url, model))


@pytest.mark.parametrize(
    ("name", "bare"),
    [
        ("claude-opus-5", "claude-opus-5"),
        ("anthropic/claude-opus-5", "claude-opus-5"),
        ("eu.anthropic.claude-sonnet-4-5-20250929-v1:0", "claude-sonnet-4-5-20250929"),
        ("amazon.nova-pro-v1:0", "nova-pro"),
        ("anthropic.claude-3-5-sonnet-20241022-v2:0:200k", "claude-3-5-sonnet-20241022"),
        (
            "arn:aws:bedrock:us-east-1:1:inference-profile/us.meta.llama4-scout-17b-instruct-v1:0",
            "llama4-scout-17b-instruct",
        ),
        ("global.xai.grok-4.6", "grok-4.6"),
        ("minimax.minimax-m2", "minimax-m2"),
        ("models/gemini-3.5-flash", "gemini-3.5-flash"),
        ("accounts/fireworks/models/deepseek-v3p2", "deepseek-v3p2"),
        ("meta-llama/Llama-3.3-70B-Instruct:free", "llama-3.3-70b-instruct"),
        ("claude-opus-4-5@20251101", "claude-opus-4-5"),
        ("gpt-4.1-mini", "gpt-4.1-mini"),
        ("", ""),
    ],
)
def test_a_model_has_one_bare_name(name: str, bare: str) -> None:
    assert bare_name(name) == bare


def test_the_longest_pattern_counts() -> None:
    """A mini model is not the big one."""
    assert (find("gpt-4.1", "openai-chat").input_price, find("gpt-4.1-mini", "openai-responses").input_price) == (
        2,
        0.4,
    )


def test_a_price_is_the_sellers_own() -> None:
    """The model's size is the same everywhere, its price is not."""
    at_home, elsewhere = find("claude-opus-5", "anthropic"), find("anthropic/claude-opus-5", "openrouter")
    assert at_home.input_price == 5
    assert elsewhere.input_price is None
    assert elsewhere.context_window == at_home.context_window == 1_000_000


def test_an_unknown_model_is_unknown_and_no_error() -> None:
    assert find("a-model-of-my-own") == ModelInfo("a-model-of-my-own")


def test_the_operator_goes_before_the_provider_and_the_provider_before_the_shipped_rows() -> None:
    """Field by field: what one does not know, the next may."""
    catalogue = Catalogue(rows("*,gpt-4o*,1000,,no,,,,"))  # type: ignore[arg-type]
    catalogue.learn("openai-chat", None, [ModelInfo("gpt-4o", context_window=2000, output_limit=500, name="GPT 4o")])
    assert catalogue.find(Origin("openai-chat", None, "gpt-4o")) == ModelInfo(
        *("gpt-4o", "GPT 4o", 1000, 500, False, True, False, 2.5, 10.0)
    )
    assert catalogue.find(Origin("openai-chat", "http://elsewhere", "gpt-4o")).output_limit == 16384


def test_a_later_listing_replaces_the_earlier_one() -> None:
    catalogue = Catalogue()
    own = Origin("ollama", None, "a-model-of-my-own")
    catalogue.learn("ollama", None, [ModelInfo(own.model, vision=True)])
    catalogue.learn("ollama", None, [ModelInfo(own.model, tools=True)])
    assert catalogue.find(own) == ModelInfo(own.model, tools=True)
    catalogue.forget("ollama", None)
    assert catalogue.find(own) == ModelInfo(own.model)


@pytest.mark.parametrize(
    ("text", "fault"),
    [
        ("", "the first row must be"),
        ("model,price", "the first row must be"),
        (f"{HEAD}\n*,m,1", "own.csv, line 2: 3 fields instead of 9"),
        (
            f"# mine\n{HEAD}\n\n*,m,many,,,,,,",
            "own.csv, line 4: Expected `int | null`, got `str` - at `$.context_window`",
        ),
        (f"{HEAD}\n*,{'m' * 200_000},,,,,,,", "own.csv, line 2: field larger than field limit"),
        (f"{HEAD}\n*,m,,,maybe,,,,", "own.csv, line 2: 'maybe' is neither yes nor no"),
    ],
)
def test_a_file_that_is_no_catalogue_says_where(text: str, fault: str) -> None:
    with pytest.raises(CatalogueError) as caught:
        list(read_rows(text, "own.csv"))
    assert fault in str(caught.value)


def test_the_shipped_rows_are_sound() -> None:
    """Each seller is a provider, no row stands twice, and an answer fits into its window."""
    assert len({row.pattern for row in shipped()}) == len(shipped()) > 50
    for row in shipped():
        for seller in row.sellers:
            assert any(name == seller or name.startswith(seller.removesuffix("*")) for name in NAMES), row
        assert not row.info.output_limit or row.info.output_limit <= (row.info.context_window or 0), row
        assert (row.info.input_price is None) is (row.info.output_price is None), row
