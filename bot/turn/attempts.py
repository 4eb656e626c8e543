"""Whom to ask: the provider, its model, and which of its keys is next."""

from __future__ import annotations

import itertools
from collections.abc import Sequence

from adapters.contract import Endpoint, StreamAdapter


class ModelChoice:
    """One model at one provider, and the provider's endpoints (one a key), taken in turn."""

    def __init__(self, adapter: StreamAdapter, model: str, endpoints: Sequence[Endpoint]) -> None:
        self.adapter = adapter
        self.model = model
        self.endpoints = tuple(endpoints)
        self._turns = itertools.cycle(self.endpoints)

    def next_endpoint(self) -> Endpoint:
        return next(self._turns)
