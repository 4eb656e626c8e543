"""Whom to ask: the provider, its model, and which of its keys is next."""

from __future__ import annotations

import itertools
from collections.abc import Sequence
from fnmatch import fnmatchcase

from adapters.contract import Endpoint, StreamAdapter


class ModelChoice:
    """One model at one provider, and the provider's endpoints (one a key), taken in turn.

    `offered`: patterns of the names of further models that may be chosen instead.
    """

    def __init__(
        self, adapter: StreamAdapter, model: str, endpoints: Sequence[Endpoint], offered: Sequence[str] = ()
    ) -> None:
        self.adapter = adapter
        self.model = model
        self._offered = tuple(offered)
        self.endpoints = tuple(endpoints)
        self._turns = itertools.cycle(self.endpoints)

    def offers(self, name: str) -> bool:
        return name == self.model or any(fnmatchcase(name, pattern) for pattern in self._offered)

    def next_endpoint(self) -> Endpoint:
        return next(self._turns)
