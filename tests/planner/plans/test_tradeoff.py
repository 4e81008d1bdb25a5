"""β weighs processors against waiting tuples: beside brute force."""

from math import fsum

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from planner.errors import InvalidLoad
from planner.plans.tradeoff import tradeoff
from planner.values import Entry, Load, Operator, OperatorLoad, Topology

ALONE = Topology((Operator("a"),), entries=(Entry("a"),))


def count_tuples(arrival_rate: float, service_rate: float, k: int) -> float:
    """Es-Stream's eq. 18 with p0 as its eq. 15 has it, term by term."""
    load = arrival_rate / service_rate
    terms = [1.0]
    for n in range(1, k + 1):
        terms.append(terms[-1] * load / n)
    tail = terms[k] / (1.0 - load / k)
    p0 = 1.0 / (fsum(terms[:k]) + tail)
    return tail * p0 * (load / k) / (1.0 - load / k) + load


def test_k_is_that_of_brute_force_at_thousands_of_operators():
    generator = np.random.default_rng(20261118)
    for _ in range(40):
        beta = float(generator.uniform(0.001, 0.999))
        rates = {
            f"o{i}": (float(a), float(m)) for i, (a, m) in enumerate(generator.uniform(0.1, 9.0, (60, 2)))
        }
        topology = Topology(tuple(map(Operator, rates)), entries=tuple(map(Entry, rates)))
        load = Load(1.0, {name: OperatorLoad(mu, arrival_rate=rate) for name, (rate, mu) in rates.items()})
        chosen = tradeoff(topology, load, beta).processors
        for name, (rate, mu) in rates.items():
            least = int(rate / mu) + 1
            costs = {
                k: beta * k + (1.0 - beta) * count_tuples(rate, mu, k) for k in range(least, least + 120)
            }
            assert costs[chosen[name]] <= min(costs.values()) * (1.0 + 1e-12)


@given(st.floats(0.1, 200.0), st.floats(0.5, 20.0))
@settings(max_examples=60)
def test_a_cheaper_processor_is_never_fewer_of_them(arrival_rate: float, service_rate: float):
    load = Load(arrival_rate, {"a": OperatorLoad(service_rate)})
    found = [tradeoff(ALONE, load, beta).processors["a"] for beta in (0.99, 0.7, 0.4, 0.1, 1e-3, 1e-9)]
    assert found == sorted(found)


def test_towards_one_it_is_the_least_stable_and_towards_zero_nothing_waits():
    load = Load(37.0, {"a": OperatorLoad(4.0)})
    assert tradeoff(ALONE, load, 1.0 - 1e-12).processors["a"] == 10
    calm = tradeoff(ALONE, load, 1e-15)
    assert (calm.estimate.operators[0].wait_seconds or 0.0) * 37.0 < 1e-14
    for beta in (0.0, 1.0, -0.1, float("nan")):
        with pytest.raises(InvalidLoad):
            tradeoff(ALONE, load, beta)


def test_bounds_hold():
    bounded = Topology((Operator("a", min_processors=20),), entries=(Entry("a"),))
    assert tradeoff(bounded, Load(37.0, {"a": OperatorLoad(4.0)}), 0.5).processors["a"] == 20
    bounded = Topology((Operator("a", max_processors=10),), entries=(Entry("a"),))
    plan = tradeoff(bounded, Load(37.0, {"a": OperatorLoad(4.0)}), 0.01)
    assert plan.processors["a"] == 10
    assert plan.estimate.stable
