"""What holds for all tests."""

from __future__ import annotations

from hypothesis import HealthCheck, settings

from tests.databases import database_kind, database_url, empty_url, postgres

__all__ = ["database_kind", "database_url", "empty_url", "postgres"]

# No test depends on how fast the machine is, so neither do hypothesis's examples.
settings.register_profile("parley", deadline=None, suppress_health_check=[HealthCheck.too_slow])
settings.load_profile("parley")
