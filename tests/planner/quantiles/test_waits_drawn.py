"""The waits that drawn tuples are timed under are those of the estimate."""

import numpy as np
import pytest

from planner.quantiles.waits import InstanceWaits, Wait, find_waits
from planner.queueing.erlang import waiting_probability
from planner.situations.situation import survey_load
from planner.values import IdcPoint, InstanceLoad, Load, Operator, OperatorLoad, Topology
from tests.planner.plan_cases import PAIR, load_pair

SHARES = (InstanceLoad("hot", 0.5), InstanceLoad("warm", 0.3), InstanceLoad("cold", 0.2))


def keyed(rate: float) -> tuple[Topology, Load]:
    load = Load(rate, {"a": OperatorLoad(10.0, processors=3, instances=SHARES)})
    return Topology((Operator("a", queueing="keyed"),)), load


def test_waits_of_shared_queues_are_erlangs():
    situation = survey_load(PAIR, load_pair(), "mmk")
    waits = find_waits(situation, [4, 5])
    assert waits is not None
    expected = [waiting_probability(10.0, 3.0, 4), waiting_probability(20.0, 5.0, 5)]
    for wait, mean, probability in zip(waits, situation.wait_seconds([4, 5]), expected, strict=True):
        assert isinstance(wait, Wait)
        assert list(wait) == pytest.approx([mean, probability])


def test_waits_of_an_overloaded_topology_are_none():
    assert find_waits(survey_load(PAIR, load_pair(), "mmk"), [1, 1]) is None


def test_instances_of_a_keyed_operator_have_waits_of_their_own():
    """Each is M/M/1: ρ of the tuples wait, 1/(μ − pₓλ) each."""
    situation = survey_load(*keyed(16.0), "mmk")
    found = find_waits(situation, [3])
    assert found is not None
    (wait,) = found
    assert isinstance(wait, InstanceWaits)
    rates = 16.0 * np.array([0.5, 0.3, 0.2])
    assert wait.ends.tolist() == pytest.approx([0.5, 0.8, 1.0])
    assert wait.probabilities == pytest.approx(rates / 10.0)
    assert wait.delays == pytest.approx(1.0 / (10.0 - rates))
    mean = np.sum(np.diff(wait.ends, prepend=0.0) * wait.delays * wait.probabilities)
    assert mean == pytest.approx(situation.wait_seconds([3])[0])


def test_more_instances_or_less_load_shorten_the_waits_at_every_key():
    three, five, light = (
        (find_waits(survey_load(*keyed(rate), "mmk"), [k]) or [])[0]
        for rate, k in ((16.0, 3), (16.0, 5), (12.0, 3))
    )
    assert three.is_longer_than(five)
    assert not five.is_longer_than(three)
    assert not light.is_longer_than(three)


def test_under_bursts_more_tuples_wait_at_a_shared_queue_and_the_mean_stays():
    idc = tuple(IdcPoint(0.1 * 2.0**octave, 1.0 + 3.0 * octave) for octave in range(8))
    topology = Topology((Operator("a", queueing="shared"),))
    load = Load(30.0, {"a": OperatorLoad(10.0, arrival_idc=idc)})
    situation = survey_load(topology, load, "ggk-whitt")
    for count in (4, 6, 12):
        (wait,) = find_waits(situation, [count]) or []
        assert isinstance(wait, Wait)
        assert wait.mean_seconds == situation.wait_seconds([count])[0]
        assert waiting_probability(30.0, 10.0, count) < wait.probability <= 3.0 / count


def test_calm_arrivals_wait_as_often_as_erlang_says():
    calm = tuple(IdcPoint(0.1 * 2.0**octave, 1.0) for octave in range(8))
    load = Load(30.0, {"a": OperatorLoad(10.0, arrival_idc=calm)})
    situation = survey_load(Topology((Operator("a", queueing="shared"),)), load, "ggk-whitt")
    (wait,) = find_waits(situation, [4]) or []
    assert isinstance(wait, Wait)
    assert wait.probability == pytest.approx(waiting_probability(30.0, 10.0, 4), rel=0.02)
