"""Simulations inside plans: near what is exact, the same each time, and none where they cannot tell."""

from dataclasses import replace
from math import log

import numpy as np
import pytest

from planner.quantiles.simulator import LONGEST, RUNS, make_simulator
from planner.situations.situation import Situation, survey_load
from planner.values import Edge, IdcPoint, Load, Operator, OperatorLoad, TimeTarget, Topology
from tests.planner.plan_cases import PAIR, load_pair

ONE, TARGET = Topology((Operator("a"),)), TimeTarget("completion", 1.0, 0.99)
ONE_LOAD = Load(6.0, {"a": OperatorLoad(10.0)})


def survey(topology: Topology, load: Load) -> Situation:
    return survey_load(topology, load, "ggk-whitt", is_open=True)


def test_one_server_takes_the_exact_time():
    """M/M/1 at λ = 6, μ = 10: sojourns are exponential with mean 1/4."""
    for target, exact in ((TARGET, log(100.0) / 4.0), (TimeTarget("total", 1.0), 0.25)):
        simulator = make_simulator(survey(ONE, ONE_LOAD), target, 100_000, 1)
        assert simulator is not None
        found = simulator.run([1])
        assert found.roots == 800_000
        assert found.mean_seconds == pytest.approx(exact, rel=0.03)
        assert abs(found.mean_seconds - exact) < 3.0 * found.error_seconds
        assert found.bound_seconds == pytest.approx(found.mean_seconds + found.error_seconds)


def test_the_bound_is_the_mean_of_the_longest_runs_and_a_longer_run_rarely_exceeds_it():
    simulator = make_simulator(survey(ONE, ONE_LOAD), TARGET, 10_000, 1)
    assert simulator is not None
    seconds = sorted([simulator.run_once([1], number)[0] for number in range(RUNS)])
    assert simulator.run([1]).bound_seconds == pytest.approx(sum(seconds[-3:]) / 3.0)
    bound = simulator.run([1]).bound_seconds
    assert simulator.holds([1], bound)
    assert not simulator.holds([1], 0.999 * bound)
    rng = np.random.default_rng(1)
    runs, further = rng.normal(size=(100_000, RUNS)), rng.normal(scale=0.5, size=100_000)
    held = np.sort(runs, axis=1)[:, -LONGEST:].mean(axis=1) >= further
    assert held.mean() == pytest.approx(0.9, abs=0.03)


def test_runs_tell_the_mean_wait_at_each_operator():
    """M/M/1 at λ = 6, μ = 10 waits 0.15 s."""
    simulator = make_simulator(survey(ONE, ONE_LOAD), TARGET, 100_000, 1)
    assert simulator is not None
    assert simulator.look_at_waits([1], 2) == [pytest.approx(0.15, rel=0.1)]


def test_runs_are_the_same_each_time_and_differ_by_seed():
    first, again, other = (make_simulator(survey(ONE, ONE_LOAD), TARGET, 10_000, seed) for seed in (1, 1, 2))
    assert first is not None
    assert again is not None
    assert other is not None
    assert first.run([1]) == again.run([1]) != other.run([1])


def test_where_tuples_return_runs_are_shorter():
    loop = replace(PAIR, edges=(*PAIR.edges, Edge("b/c~d", "a", 0.1)))
    straight, returning = (
        make_simulator(survey(one, load_pair()), TARGET, 100_000, 1) for one in (PAIR, loop)
    )
    assert straight is not None
    assert returning is not None
    assert returning.roots < straight.roots
    assert straight.roots * RUNS == 800_000


def test_what_cannot_be_simulated_soon_or_well_is_not():
    assert make_simulator(survey(ONE, replace(ONE_LOAD, external_rate=0.0)), TARGET, 100_000, 1) is None
    calibrated = Load(6.0, {"a": OperatorLoad(10.0, wait_factor=1.5)})
    assert make_simulator(survey(ONE, calibrated), TARGET, 100_000, 1) is None
    assert make_simulator(survey(ONE, ONE_LOAD), TARGET, 4_000, 1) is None
    many_processors = Topology((Operator("a", min_processors=600),))
    assert make_simulator(survey(many_processors, ONE_LOAD), TARGET, 100_000, 1) is None
    many = replace(PAIR, edges=(Edge("a", "b/c~d", 100.0),))
    load = load_pair(external_rate=0.2)
    assert make_simulator(survey(many, load), TARGET, 100_000, 1) is None


@pytest.mark.parametrize(("seconds", "is_simulated"), [(0.5, True), (500.0, False)])
def test_bursts_are_simulated_where_a_run_has_enough_of_them(seconds: float, *, is_simulated: bool):
    """I(t) of a Poisson process whose rate keeps its level for `seconds`."""
    points = tuple(IdcPoint(t, 1.0 + 8.0 * t / (t + seconds)) for t in [0.1 * 2.0**n for n in range(16)])
    load = Load(6.0, {"a": OperatorLoad(10.0, arrival_idc=points)})
    assert (make_simulator(survey(ONE, load), TARGET, 100_000, 1) is not None) == is_simulated
