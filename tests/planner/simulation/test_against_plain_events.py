"""planner.simulation and the plain simulator agree on drawn topologies of all kinds, within both intervals."""

from collections.abc import Callable, Iterator
from math import sqrt
from random import Random
from statistics import mean, stdev

import pytest

from planner.simulation.arrivals import ArrivalLaw
from planner.simulation.laws import ServiceLaw
from planner.simulation.simulate import simulate
from planner.values import Edge, Entry, InstanceLoad, Load, Operator, OperatorLoad, Topology
from tests.planner.simulation.plain_events import run_plainly
from tests.planner.simulation.plain_laws import (
    Service,
    always,
    deterministic,
    gamma,
    lognormal,
    mmpp,
    poisson,
    series,
)

RATE = 10.0
ROOTS = 9_000
BATCHES = 15
STUDENT = 2.145  # 95% of 15 batches
COUNTS = (12, 3, 9, 16)

ARRIVALS: dict[str, tuple[ArrivalLaw, Callable[[Random], Iterator[float]]]] = {
    "poisson": (ArrivalLaw(), lambda random: poisson(RATE, random)),
    "even": (ArrivalLaw("deterministic"), lambda _random: deterministic(RATE)),
    "bursts": (ArrivalLaw("mmpp", 2.5, 0.2, 0.3), lambda random: mmpp(RATE, 2.5, 0.2, 0.3, random)),
    "series": (ArrivalLaw("series", counts=COUNTS * 20_000), lambda random: series(COUNTS, 1.0, random)),
}
SERVICES: tuple[Callable[[float], tuple[ServiceLaw, Service]], ...] = (
    lambda mean: (ServiceLaw("exponential", mean), gamma(mean, 1.0)),
    lambda mean: (ServiceLaw("deterministic", mean), always(mean)),
    lambda mean: (ServiceLaw("gamma", mean, 0.5), gamma(mean, 0.5)),
    lambda mean: (ServiceLaw("lognormal", mean, 2.0), lognormal(mean, 2.0)),
)
QUEUEINGS = ("shared", "round-robin", "random", "keyed")


def draw_topology(random: Random, *, loop: bool) -> tuple[Topology, dict[str, float]]:
    """A graph of three to five operators, each with a queueing of its own, and the visits to each."""
    names = "abcde"[: random.randint(3, 5)]
    edges, visits = [], dict.fromkeys(names, 0.0)
    visits["a"] = 1.0
    for place, name in enumerate(names[1:], 1):
        for source in {random.choice(names[:place]), names[place - 1]}:
            edges.append(Edge(source, name, random.choice([0.4, 0.7, 1.0, 1.5, 2.0]) / place**0.5))
            visits[name] += visits[source] * edges[-1].selectivity
    if loop:  # of its own, so that visits stay easy: each is made 1/(1 − 0.2) times
        last = names[-1]
        edges.append(Edge(last, last, 0.2))
        visits[last] /= 0.8
    operators = tuple(Operator(name, queueing=random.choice(QUEUEINGS)) for name in names)
    return Topology(operators, tuple(edges), (Entry("a"),)), visits


def find_interval(times: list[float]) -> tuple[float, float]:
    """Mean and half width, by batch means."""
    size = len(times) // BATCHES
    means = [mean(times[place * size : (place + 1) * size]) for place in range(BATCHES)]
    return mean(means), STUDENT * stdev(means) / sqrt(BATCHES)


def share_out(processors: dict[str, int]) -> dict[str, list[float]]:
    """The first instance gets 40%, the others the rest."""
    return {
        name: [0.4, *[0.6 / (count - 1)] * (count - 1)] for name, count in processors.items() if count > 1
    }


def describe_load(mean_seconds: float, shares: list[float]) -> OperatorLoad:
    instances = tuple(InstanceLoad(str(place), share) for place, share in enumerate(shares))
    return OperatorLoad(1.0 / mean_seconds, instances=instances)


@pytest.mark.parametrize("seed", range(10))
def test_both_simulators_tell_the_same_times(seed: int):
    """The intervals of both reach each other; some cases have small queues, others a loop."""
    random = Random(seed)
    topology, visits = draw_topology(random, loop=seed % 2 == 1)
    law, arrive = ARRIVALS[list(ARRIVALS)[seed % 4]]
    processors = {name: random.randint(1, 4) for name in visits}
    means = {name: processors[name] / (RATE * visits[name]) * random.uniform(0.4, 0.7) for name in visits}
    services = {name: random.choice(SERVICES)(seconds) for name, seconds in means.items()}
    is_tight = seed in {0, 2, 6}  # not with loops: full queues would wait for each other in a circle
    capacities = {"b": 4, "c": 3} if is_tight else {}
    shares = share_out(processors)
    loads = {name: describe_load(means[name], shares.get(name, [1.0])) for name in visits}
    fast = simulate(
        topology,
        Load(RATE, loads),
        processors,
        roots=60_000,
        arrivals=law,
        services={name: one for name, (one, _) in services.items()},
        capacities=capacities,
    )
    roots, _ = run_plainly(
        topology,
        processors,
        arrive(random),
        {name: one for name, (_, one) in services.items()},
        random,
        roots=ROOTS,
        capacities=capacities,
        shares=shares,
    )
    measured = roots[ROOTS // 10 :]
    for theirs, ours in (
        (fast.total, [root.total for root in measured]),
        (fast.completion, [root.finished - root.arrived for root in measured]),
    ):
        plain, half_width = find_interval(ours)
        assert theirs.half_width_seconds is not None
        assert abs(theirs.mean_seconds - plain) <= half_width + theirs.half_width_seconds
