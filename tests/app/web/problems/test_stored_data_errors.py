"""Errors about stored data say what is missing and what to do; addresses in them can be used as they stand."""

from datetime import UTC, datetime
from uuid import UUID

import pytest

from app.web.problems.errors import ServiceError
from app.web.problems.stored_data_errors import (
    NoPolicy,
    NoSnapshot,
    StaleSnapshots,
    UnknownDecision,
    UnknownPlan,
    UnknownProfile,
    UnknownRevision,
    UnknownTopology,
    find_address,
)

ID = UUID(int=7)


@pytest.mark.parametrize(
    ("name", "address"),
    [
        ("fpd", "/v1/topologies/fpd"),
        ("a b?", "/v1/topologies/a%20b%3F"),
        ("ядро", "/v1/topologies/%D1%8F%D0%B4%D1%80%D0%BE"),
        ("\ud800", "/v1/topologies/%3F"),
    ],
)
def test_an_address_holds_the_name_escaped(name: str, address: str):
    assert find_address(name) == address


@pytest.mark.parametrize(
    ("error", "parts"),
    [
        (UnknownTopology("fdp", " Did you mean 'fpd'?"), ["'fdp'", "POST it", "Did you mean 'fpd'?"]),
        (UnknownRevision("fpd", 9, 3), ["no revision 9", "1 to 3"]),
        (UnknownPlan(ID), ["No plan", str(ID), "GET /v1/topologies/NAME/plans"]),
        (UnknownProfile("parse", 4), ["No profile", "'parse' in version 4", "GET /v1/profiles"]),
        (NoSnapshot("a b"), ["to /v1/topologies/a%20b/snapshots"]),
        (NoPolicy("fpd"), ["PUT one to /v1/topologies/fpd/policy"]),
        (UnknownDecision(ID), [str(ID)]),
        (UnknownDecision("fpd"), ["POST to /v1/topologies/fpd/decisions"]),
    ],
)
def test_an_error_names_what_is_missing_and_what_to_do(error: ServiceError, parts: list[str]):
    for part in parts:
        assert part in str(error)


def test_a_stale_snapshot_is_answered_with_its_age_and_a_time_to_decide_for():
    error = StaleSnapshots("fpd", datetime(2026, 11, 17, tzinfo=UTC), 93_600, 900, takes_at=True)
    assert "2026-11-17T00:00:00Z, which is 26 h ago" in str(error)
    assert "the limit is 15 min" in str(error)
    assert '"at": "2026-11-17T00:00:00Z"' in str(error)
