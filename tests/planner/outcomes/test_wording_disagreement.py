"""Reports and snapshots that contradict each other are named; those that go together are not."""

from dataclasses import replace

import pytest

from planner.outcomes.observed import ObservedOutcome, Promised, State
from planner.outcomes.wording import ReportedOutcome, find_disagreements

PROMISED = Promised(
    is_change=True, horizon_seconds=120.0, interval_seconds=60.0, expected_seconds=0.2, target_seconds=0.22
)


def name(observed: ObservedOutcome, reported: ReportedOutcome) -> list[str]:
    return [one.code for one in find_disagreements(PROMISED, observed, reported)]


@pytest.mark.parametrize(
    ("seen", "reported", "is_named"),
    [
        ("applied", "applied", False),
        ("applied", "rolled-back", False),
        ("applied", "refused", True),
        ("applied", "failed", True),
        ("not-applied", "applied", True),
        ("not-applied", "rolled-back", True),
        ("not-applied", "refused", False),
        ("waiting", "applied", False),
        ("partly-applied", "applied", False),
        ("unknown", "applied", False),
        ("held", "applied", False),
    ],
)
def test_what_ran_by_one_and_not_by_the_other_is_named(seen: State, reported: str, is_named: bool):  # noqa: FBT001
    begin = 0.0 if seen == "applied" else None
    assert name(ObservedOutcome(seen, begin), ReportedOutcome(reported)) == ["report-disagrees"] * is_named


def test_a_part_that_was_reported_as_such_is_no_contradiction():
    assert name(ObservedOutcome("not-applied"), ReportedOutcome("applied", ran_others=True)) == []


@pytest.mark.parametrize(
    ("reported_at", "said"),
    [(0.0, ""), (120.0, ""), (180.0, ""), (181.0, "61 s before"), (-1.0, "2.02 min after")],
)
def test_times_that_are_intervals_apart_are_named(reported_at: float, said: str):
    seen = ObservedOutcome("applied", 120.0)
    found = find_disagreements(PROMISED, seen, ReportedOutcome("applied", reported_at))
    assert [one.code for one in found] == ["report-time-disagrees"] * bool(said)
    assert all(said in one.detail for one in found)


def test_verdicts_that_differ_are_named_with_what_each_compared():
    seen = ObservedOutcome("applied", 0.0, kept=False)
    (found,) = find_disagreements(
        PROMISED, seen, ReportedOutcome("applied", 0.0, measured_seconds=0.225, kept=True)
    )
    assert found.code == "report-verdict-disagrees"
    for part in (
        "an E[T] of 225 ms: at most 15% above the expected 200 ms, the most that",
        "above its limit of 220 ms",
    ):
        assert part in found.detail
    known = replace(PROMISED, known_error=0.02)
    kept = ObservedOutcome("applied", 0.0, kept=True)
    (found,) = find_disagreements(
        known, kept, ReportedOutcome("applied", 0.0, measured_seconds=0.21, kept=False)
    )
    assert (
        "an E[T] of 210 ms: more than 2% above the expected 200 ms, the most that counts as kept."
        in found.detail
    )
    assert name(seen, ReportedOutcome("applied", 0.0, kept=False)) == []
    assert name(seen, ReportedOutcome("applied", 0.0)) == []
