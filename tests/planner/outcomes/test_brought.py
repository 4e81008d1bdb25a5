"""Whether more processors served more is told from rates before and after, and of few intervals nothing is told."""

from dataclasses import replace

from planner.outcomes.brought import describe_futile_changes
from planner.outcomes.observed import LaterInterval, Observations, Promised, observe_outcome
from planner.outcomes.wording import describe_outcome

BEFORE = [{"score": 20.0, "parse": 50.0}, {"score": 20.4, "parse": 50.0}, {"score": 19.6, "parse": 50.0}]
AFTER = [{"score": 13.91, "parse": 50.0}] * 3
COUNTS = {"score": 6, "parse": 2, "write": 1}, {"score": 9, "parse": 4, "write": 1}


def test_an_operator_that_served_hardly_more_is_named() -> None:
    assert describe_futile_changes(*COUNTS, BEFORE, AFTER) == ("6 → 9 processors at score served 4.3% more.",)
    worse = [{"score": 12.0, "parse": 50.0}] * 3
    assert describe_futile_changes(*COUNTS, BEFORE, worse) == ("6 → 9 processors at score served 10% less.",)


def test_few_intervals_and_fewer_processors_say_nothing() -> None:
    assert describe_futile_changes(*COUNTS, BEFORE[:2], AFTER) == ()
    assert describe_futile_changes(*COUNTS, BEFORE, AFTER[:2]) == ()
    assert describe_futile_changes(*COUNTS[::-1], BEFORE, AFTER) == ()
    assert describe_futile_changes(*COUNTS, BEFORE, [{"score": 18.0, "parse": 45.0}] * 3) == ()


def test_the_outcome_says_it() -> None:
    promised = Promised(is_change=False, horizon_seconds=600.0, interval_seconds=60.0, expected_seconds=0.1)
    around = Observations([LaterInterval(0.0, 60.0, 9.0, 0.1, "same")])
    found = replace(
        observe_outcome(promised, around), futile=("6 → 9 processors at score served 4.3% more.",)
    )
    assert describe_outcome(promised, around, found).endswith("served 4.3% more.")
