"""Drawn waits as simulations have them."""

import numpy as np
import pytest

from planner.quantiles.simulator import make_simulator
from planner.quantiles.spread import draw_roots
from planner.quantiles.waits import InstanceWaits, Wait, find_waits, stretch_waits
from planner.situations.situation import survey_load
from planner.targets.drawn_target import DrawnTarget
from planner.values import Load, Operator, OperatorLoad, TimeTarget, Topology
from tests.planner.plan_cases import PAIR, load_pair

TARGET = TimeTarget("completion", 1.0, 0.99)


def find_both(topology: Topology, load: Load, counts: list[int]) -> tuple[float, float, float]:
    """The stretch, the time drawn with it, and the simulated one."""
    situation = survey_load(topology, load, "ggk-whitt", is_open=True)
    drawn = draw_roots(situation)
    simulator = make_simulator(situation, TARGET, 100_000, 1)
    waits = find_waits(situation, counts)
    assert simulator is not None
    assert waits is not None
    runs = simulator.run(counts)
    target = DrawnTarget(TARGET, drawn)
    stretch = target.find_stretch(waits, runs)
    return stretch, target.measure(stretch_waits(waits, stretch)), runs.mean_seconds


def test_batches_at_a_shared_queue_wait_longer_than_modelled():
    factor, drawn, simulated = find_both(PAIR, load_pair(), [4, 5])
    assert factor > 1.05
    assert drawn <= simulated
    assert drawn == pytest.approx(simulated, rel=0.002)


def test_an_exact_model_is_left_alone_but_for_chance():
    one, load = Topology((Operator("a"),)), Load(5.0, {"a": OperatorLoad(10.0)})
    assert find_both(one, load, [1])[0] == pytest.approx(1.0, abs=0.06)


def test_waits_are_multiplied_and_as_many_tuples_wait():
    instances = InstanceWaits.prepare(np.array([0.6, 0.4]), np.array([2.0, 1.0]), np.array([0.5, 0.25]))
    plain, keyed = stretch_waits([Wait(2.0, 0.5), instances], 3.0)
    assert plain == Wait(6.0, 0.5)
    assert isinstance(keyed, InstanceWaits)
    assert keyed.delays.tolist() == [12.0, 12.0]
    assert keyed.probabilities.tolist() == [0.5, 0.25]
