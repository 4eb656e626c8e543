"""Options that a model refuses, left out: `temperature` where only one value is allowed, `max_tokens` where it has a new name.

A provider that answers 400 or 422 and names an option of the request gets the same request once more without it. The name
is in the provider's own spelling (ProviderError.param), so this needs no list of options: what matters is whether leaving it
out changes the body that the adapter builds. Bounded per request, and remembered per model, so that the next request begins
where this one ended. It is only done before the model has said a word; after that an error is an error.
"""

from __future__ import annotations

from collections import OrderedDict
from typing import Final

import msgspec

from adapters.contract import (
    Endpoint,
    ErrorReason,
    GenerationRequest,
    HttpRequest,
    Origin,
    ProviderError,
    StreamAdapter,
)

MAX_DROPS: Final = 4
"""Options that one request may find out: each costs a round trip, and a model that refuses more is the wrong one."""

MAX_MODELS: Final = 512
"""Models remembered, the ones used last."""

_REASONS: Final = frozenset((ErrorReason.BAD_REQUEST, ErrorReason.MODEL_UNSUPPORTED))

_THE_QUESTION: Final = frozenset(("model", "messages", "input", "contents", "prompt", "system", "instructions"))
"""What the request is about. Without it the answer would be one to another question."""


class Degradation:
    """What is known of the models of one process. No clock, no socket: it looks at requests and errors only."""

    def __init__(self) -> None:
        self._dropped: OrderedDict[Origin, frozenset[str]] = OrderedDict()

    def begin(self, adapter: StreamAdapter, request: GenerationRequest, endpoint: Endpoint) -> GenerationRequest:
        """The request without what its model refused before."""
        origin = endpoint.origin(adapter.name, request.model)
        known = self._dropped.get(origin)
        if not known:
            return request
        self._dropped.move_to_end(origin)
        return msgspec.structs.replace(request, dropped=request.dropped | known)

    def narrower(
        self,
        adapter: StreamAdapter,
        request: GenerationRequest,
        endpoint: Endpoint,
        sent: HttpRequest,
        error: ProviderError,
    ) -> GenerationRequest | None:
        """The request to send instead; None where the error is about something else, or nothing is left to leave out."""
        name = error.param
        if name is None or error.reason not in _REASONS or name.partition(".")[0] in _THE_QUESTION:
            return None
        known = self._dropped.get(endpoint.origin(adapter.name, request.model), frozenset())
        if len(request.dropped - known) >= MAX_DROPS:
            return None
        less = msgspec.structs.replace(request, dropped=request.dropped | {name})
        return None if adapter.build(less, endpoint).body == sent.body else less

    def remember(self, adapter: StreamAdapter, request: GenerationRequest, endpoint: Endpoint) -> None:
        """The model took this request."""
        if not request.dropped:
            return
        origin = endpoint.origin(adapter.name, request.model)
        # Another request may have found out something else meanwhile.
        self._dropped[origin] = self._dropped.get(origin, frozenset()) | request.dropped
        self._dropped.move_to_end(origin)
        if len(self._dropped) > MAX_MODELS:
            self._dropped.popitem(last=False)
