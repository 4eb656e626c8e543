"""What Bedrock's models take, by name, and the listing of them.

A model is named by its id, by the id of an inference profile (`us.`, `eu.`, `global.` before it) or by an ARN that holds one of
them; the ARN of an application's profile or of provisioned throughput tells no name, and such a model is sent nothing beyond
what every model takes. Facts: docs.aws.amazon.com/bedrock/latest/userguide, "Prompt caching", "Supported models and model
features"; docs.aws.amazon.com/nova/latest/nova2-userguide, "Extended thinking"; API reference, FoundationModelSummary.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Any, Final

import msgspec

from adapters.contract import ModelInfo
from adapters.wire.loose_json import read_json

_CLAUDE: Final = re.compile(r"anthropic\.claude|claude-(?:opus|sonnet|haiku|\d)")
_NOVA: Final = re.compile(r"amazon\.nova-(?:2-|pro|lite|micro|premier)")
_NOVA_2: Final = re.compile(r"amazon\.nova-2-")
_OPENAI: Final = re.compile(r"openai\.")
_NO_CACHE: Final = re.compile(r"claude-(?:3-(?:opus|sonnet|haiku)|3-5-sonnet-20240620|v2|instant)")
_NO_SYSTEM: Final = re.compile(r"amazon\.titan|mistral-7b|mixtral-8x7b|cohere\.command-(?:light-)?text|ai21\.j2")

_GEOGRAPHIES: Final = (("us-gov-", "us-gov."), ("us-", "us."), ("eu-", "eu."))
"""Beginnings of a region's name, and of the inference profiles there. Elsewhere they differ from model to model."""


class Traits(msgspec.Struct, frozen=True):
    claude: bool = False
    nova: bool = False
    nova_2: bool = False
    openai: bool = False
    caches: bool = False
    """Takes cachePoint blocks; other models refuse the request."""
    system: bool = True
    """Takes a system prompt; for the others it stands before the first question."""


def traits(model: str) -> Traits:
    """What the model of this name takes."""
    name = model.lower()
    claude, nova = bool(_CLAUDE.search(name)), bool(_NOVA.search(name))
    return Traits(
        claude=claude,
        nova=nova,
        nova_2=bool(_NOVA_2.search(name)),
        openai=bool(_OPENAI.search(name)),
        caches=(claude and not _NO_CACHE.search(name)) or nova,
        system=not _NO_SYSTEM.search(name),
    )


def read_models(body: bytes) -> Sequence[ModelInfo]:
    """The answer of ListFoundationModels; () where it is something else. Models that do not stream text are left out."""
    value = read_json(body)
    entries = value.get("modelSummaries") if isinstance(value, dict) else None
    models = [_read_model(entry) for entry in entries if isinstance(entry, dict)] if isinstance(entries, list) else []
    return [model for model in models if model is not None]


def _read_model(entry: dict[str, Any]) -> ModelInfo | None:
    model_id = entry.get("modelId")
    if not isinstance(model_id, str) or not model_id:
        return None
    made = entry.get("outputModalities")
    if entry.get("responseStreamingSupported") is False or (isinstance(made, list) and "TEXT" not in made):
        return None
    taken = entry.get("inputModalities")
    names = (entry.get("providerName"), entry.get("modelName"))
    return ModelInfo(
        id=_callable_id(model_id, entry),
        name=" ".join(name for name in names if isinstance(name, str) and name) or None,
        vision="IMAGE" in taken if isinstance(taken, list) else None,
    )


def _callable_id(model_id: str, entry: dict[str, Any]) -> str:
    """Newer models can only be asked through an inference profile, whose id is the model's with the geography before it."""
    ways, arn = entry.get("inferenceTypesSupported"), entry.get("modelArn")
    if not isinstance(ways, list) or ways != ["INFERENCE_PROFILE"] or not isinstance(arn, str):
        return model_id
    region = next(iter(arn.split(":")[3:4]), "")
    prefix = next((prefix for start, prefix in _GEOGRAPHIES if region.startswith(start)), "")
    return prefix + model_id
