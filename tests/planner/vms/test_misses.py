"""Why steps were missed: each cause where it is the cause, and what a run says of its target."""

from pathlib import Path

import numpy as np
import pytest

from planner.vms.misses import CAUSES, REASONS, find_binding, judge_run, read_promise, write_debt
from planner.vms.replay import Capacity, ReplayedRun, Score
from planner.vms.timing import SteeredPrice, Timing

STATIC = Path(__file__).parents[3] / "app" / "pages" / "dashboard" / "static"
DAY = 24
HOURLY = Timing(interval_steps=2, startup_steps=1, step_seconds=3600.0)
CAPACITY = Capacity(np.array([10.0, 20.0, 30.0]), np.zeros(3))


def make_run(days: int = 2) -> tuple[ReplayedRun, np.ndarray]:
    """A run of 2 VMs that serve 20 of 15, and were believed to serve 20 and to miss nothing."""
    steps = DAY * days
    columns = [np.full(steps, value) for value in (2.0, 20.0, 0.0, 20.0, 0.0)]
    vms, throughputs, backlogs, believed, expected = columns
    price = SteeredPrice(30.0, 120.0, 1, 0.04, -1.0)
    return (
        ReplayedRun(vms, throughputs, backlogs, Score(0, 0, 0, 0), believed, expected, price),
        np.full(steps, 15.0),
    )


def test_each_missed_step_has_the_first_cause_that_applies() -> None:
    run, rates = make_run()
    rates[3] = 25.0  # in the first six hours
    run.vms[8], run.throughputs[8], rates[8] = 3.0, 30.0, 40.0
    run.throughputs[10] = 12.0  # below its mean
    run.believed[12], rates[12] = 26.0, 25.0
    run.expected_missed[14], rates[14] = 0.2, 25.0
    rates[16] = rates[17] = 25.0
    judged = judge_run(run, rates, CAPACITY, HOURLY, 0.95)
    assert judged.misses == {
        "jump": 2,
        "scatter": 1,
        "belief": 1,
        "price": 1,
        "first-hours": 1,
        "max-vms": 1,
    }
    assert judged.binding == "jump"
    assert judged.kept_so_far == pytest.approx(41 / 48)
    assert judged.least_kept < 41 / 48 < judged.most_kept
    assert judged.debt_steps == pytest.approx(7 - 0.05 * 48)
    (bad,) = judged.days_below
    assert (bad.day, bad.cause) == (1, "jump")
    assert bad.served == pytest.approx(17 / 24)
    assert judged.expected == pytest.approx(1.0 - 0.2 / 48)
    assert (judged.price, judged.price_cap) == (30.0, 120.0)
    assert read_promise(judged.to_document()) == judged


def test_steps_without_demand_are_served_but_do_not_count_as_demand() -> None:
    run, rates = make_run()
    rates[:36], rates[40] = 0.0, 25.0
    judged = judge_run(run, rates, CAPACITY, HOURLY, 0.95)
    assert judged.kept_so_far == pytest.approx(47 / 48)
    assert judged.kept_with_demand == pytest.approx(11 / 12)
    assert judge_run(run, 0.0 * rates, CAPACITY, HOURLY, 0.95).kept_with_demand is None


def test_what_keeps_a_run_from_serving_more_is_its_target_once_that_is_kept() -> None:
    misses = {"jump": 1, "scatter": 0, "belief": 0, "price": 3, "first-hours": 0, "max-vms": 0}
    assert find_binding(misses, 1000, 0.99) == "target"
    assert find_binding(misses, 100, 0.99) == "price"
    assert find_binding(misses, 100, None) == "price"
    assert find_binding(dict.fromkeys(misses, 0), 100, 0.99) == "nothing"


def test_a_run_that_says_nothing_of_its_beliefs_is_judged_without_them() -> None:
    run, rates = make_run()
    run.believed[:], run.expected_missed[:] = np.nan, np.nan
    rates[20] = 25.0
    judged = judge_run(run, rates, CAPACITY, HOURLY, None)
    assert judged.misses["jump"] == 1
    assert judged.expected is None
    assert judged.debt_steps is None
    assert judged.days_below == ()


def test_the_page_has_the_same_words_for_each_reason() -> None:
    written = (STATIC / "kept.js").read_text()
    assert set(CAUSES) < set(REASONS)
    for words in REASONS.values():
        assert f'"{words}"' in written
    assert write_debt(-2.5) == "2.5 missed steps fewer than the target allows"
    assert write_debt(0.25) == "0.25 missed steps more than the target allows"
