"""Which errors make a request be sent again without an option, and what is remembered of it."""

from __future__ import annotations

import msgspec
import pytest

from adapters.contract import Endpoint, ErrorReason, GenerationRequest, ProviderError, Role, text_message
from adapters.degradation import MAX_DROPS, MAX_MODELS, Degradation
from adapters.providers.chat.custom import CUSTOM

PLACE = Endpoint("http://localhost:1/v1")
REQUEST = GenerationRequest("m", (text_message(Role.USER, "hi"),), temperature=0.5, max_output_tokens=9)


def narrower(
    name: str | None, request: GenerationRequest = REQUEST, reason: ErrorReason = ErrorReason.BAD_REQUEST
) -> GenerationRequest | None:
    error = ProviderError(reason, "no", param=name)
    return Degradation().narrower(CUSTOM, request, PLACE, CUSTOM.build(request, PLACE), error)


@pytest.mark.parametrize("reason", [ErrorReason.BAD_REQUEST, ErrorReason.MODEL_UNSUPPORTED])
def test_an_option_of_the_request_is_left_out(reason: ErrorReason) -> None:
    less = narrower("temperature", reason=reason)
    assert less is not None
    assert less.dropped == {"temperature"}
    assert b"temperature" not in CUSTOM.build(less, PLACE).body


@pytest.mark.parametrize(
    ("name", "reason"),
    [
        (None, ErrorReason.BAD_REQUEST),
        ("top_p", ErrorReason.BAD_REQUEST),  # was not in the request: leaving it out changes nothing
        ("no.such.thing", ErrorReason.BAD_REQUEST),
        ("", ErrorReason.BAD_REQUEST),
        ("messages", ErrorReason.BAD_REQUEST),
        ("model", ErrorReason.MODEL_UNSUPPORTED),
        ("temperature", ErrorReason.AUTH),
        ("temperature", ErrorReason.CONTEXT_LENGTH),
        ("temperature", ErrorReason.SERVER),
    ],
)
def test_other_errors_stand(name: str | None, reason: ErrorReason) -> None:
    """The same request again would only cost another round trip; another question would get another answer."""
    assert narrower(name, reason=reason) is None


def test_a_model_without_a_system_role_gets_that_text_in_front_of_the_first_question() -> None:
    """Said another way, as without it the answer would be one to another question."""
    less = narrower("system_role", msgspec.structs.replace(REQUEST, system="Be kind."))
    assert less is not None
    sent = msgspec.json.decode(CUSTOM.build(less, PLACE).body)
    assert sent["messages"] == [{"role": "user", "content": "Be kind.\n\nhi"}]
    assert narrower("system_role") is None


def test_a_request_is_not_stripped_bare() -> None:
    worn = msgspec.structs.replace(REQUEST, dropped=frozenset(f"option{nr}" for nr in range(MAX_DROPS)))
    assert narrower("temperature", worn) is None


def test_what_a_model_refused_is_remembered_for_it_alone() -> None:
    """Other models, and the same name at another address, are other models."""
    known = Degradation()
    known.remember(CUSTOM, msgspec.structs.replace(REQUEST, dropped=frozenset({"seed"})), PLACE)
    assert known.begin(CUSTOM, REQUEST, PLACE).dropped == {"seed"}
    assert known.begin(CUSTOM, msgspec.structs.replace(REQUEST, model="n"), PLACE).dropped == frozenset()
    assert known.begin(CUSTOM, REQUEST, Endpoint("http://localhost:2/v1")).dropped == frozenset()


def test_what_two_requests_at_a_time_found_out_is_remembered_of_both() -> None:
    known = Degradation()
    for name in ("seed", "temperature", "seed"):
        known.remember(CUSTOM, msgspec.structs.replace(REQUEST, dropped=frozenset({name})), PLACE)
    assert known.begin(CUSTOM, REQUEST, PLACE).dropped == {"seed", "temperature"}


def test_what_is_known_costs_no_round_trip_and_so_does_not_count() -> None:
    """However much a model refuses, each request may find out some more."""
    known = Degradation()
    many = frozenset(f"option{nr}" for nr in range(MAX_DROPS))
    known.remember(CUSTOM, msgspec.structs.replace(REQUEST, dropped=many), PLACE)
    begun = known.begin(CUSTOM, REQUEST, PLACE)
    error = ProviderError(ErrorReason.BAD_REQUEST, "no", param="temperature")
    less = known.narrower(CUSTOM, begun, PLACE, CUSTOM.build(begun, PLACE), error)
    assert less is not None
    assert less.dropped == many | {"temperature"}


def test_the_memory_is_bounded_and_keeps_what_is_in_use() -> None:
    known = Degradation()
    models = [
        msgspec.structs.replace(REQUEST, model=f"m{nr}", dropped=frozenset({"seed"})) for nr in range(MAX_MODELS + 1)
    ]
    for request in models[:-1]:
        known.remember(CUSTOM, request, PLACE)
    first = msgspec.structs.replace(models[0], dropped=frozenset())
    second = msgspec.structs.replace(models[1], dropped=frozenset())
    assert known.begin(CUSTOM, first, PLACE).dropped
    known.remember(CUSTOM, models[-1], PLACE)
    assert known.begin(CUSTOM, first, PLACE).dropped
    assert not known.begin(CUSTOM, second, PLACE).dropped
