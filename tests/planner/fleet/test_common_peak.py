"""The reserve for the common peak is for the quantile of the sum, which is less than the quantiles added up."""

import numpy as np
import pytest

from planner.arrays import Floats
from planner.fleet.claims import Member
from planner.fleet.common_peak import JointHistory, count_needed, find_common_peak
from planner.situations.situation import survey_load
from planner.values import DEFAULT_MODEL, Load, Operator, OperatorLoad, Topology

STEPS = np.arange(400)


def make_member(name: str, rate: float, service_rate: float = 10.0) -> Member:
    """One operator with a target of 120 ms."""
    load = Load(rate, {"a": OperatorLoad(service_rate)})
    situation = survey_load(Topology((Operator("a"),), ()), load, DEFAULT_MODEL, is_open=True)
    return Member(name, situation, 1.2 / service_rate)


def wave(shift: float) -> Floats:
    """A rate between 50 and 150."""
    return np.asarray(100.0 + 50.0 * np.sin(2.0 * np.pi * (STEPS / 100.0 + shift)))


PAIR = [make_member("a", 100.0), make_member("b", 100.0)]


def test_what_peaks_by_turns_needs_no_reserve_and_what_peaks_together_all_of_it():
    apart = find_common_peak(PAIR, JointHistory(("a", "b"), np.array([wave(0.0), wave(0.5)]), 20, 0.95))
    assert apart.processors == 0
    assert apart.factor == pytest.approx(1.0)
    assert apart.added_up is not None
    assert apart.added_up > 10
    together = find_common_peak(PAIR, JointHistory(("a", "b"), np.array([wave(0.0), wave(0.0)]), 20, 0.95))
    assert together.processors == together.added_up == apart.added_up
    assert together.detail.startswith(f"{together.processors} processors are kept for the common peak")


def test_the_factor_is_the_quantile_of_the_growth_of_the_work():
    random = np.random.default_rng(5)
    rates = random.gamma(20.0, 5.0, (2, 400))
    members = [make_member("a", 100.0, 10.0), make_member("b", 100.0, 40.0)]
    found = find_common_peak(members, JointHistory(("a", "b"), rates, 5, 0.9))
    work = rates[0] / 10.0 + rates[1] / 40.0
    growth = [work[t + 1 : t + 6].max() / work[t] for t in range(395)]
    assert found.factor == pytest.approx(np.quantile(growth, 0.9))
    scaled = {one.name: found.factor or 1.0 for one in members}
    assert found.processors == count_needed(members, scaled) - count_needed(members, {})


def test_a_higher_quantile_never_takes_less():
    rates = np.random.default_rng(6).gamma(20.0, 5.0, (2, 400))
    found = [
        find_common_peak(PAIR, JointHistory(("a", "b"), rates, 5, q)).processors
        for q in (0.5, 0.8, 0.95, 0.99)
    ]
    assert found == sorted(found)
    assert found[0] < found[-1]


def test_steps_that_one_lacks_do_not_count():
    rates = np.array([wave(0.0), wave(0.5)])
    holes = rates.copy()
    holes[0, 10:60] = np.nan
    kept = np.delete(rates, np.arange(10, 60), axis=1)
    with_holes, without = (
        find_common_peak(PAIR, JointHistory(("a", "b"), one, 20, 0.95)) for one in (holes, kept)
    )
    assert with_holes == without


def test_a_short_history_gives_no_reserve_and_says_so():
    found = find_common_peak(PAIR, JointHistory(("a", "b"), np.ones((2, 40)), 20, 0.95))
    assert (found.processors, found.factor, found.added_up) == (0, None, None)
    assert "takes 50 intervals" in found.detail
