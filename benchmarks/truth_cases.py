"""Topologies drawn at random for simulations: their graphs, loads, arrivals and queueing.

3 to 8 operators at 1 to 12 processors, each used 40% to 90%; splits, joins, forks (selectivity above 1) and loops;
100 external tuples a second, calm (Poisson or even) or in bursts (MMPP); services with SCVs from 0 to 4.
"""

from collections.abc import Mapping
from math import exp, log
from typing import NamedTuple

import numpy as np

from planner.errors import NoSteadyState
from planner.simulation.arrivals import ArrivalLaw
from planner.simulation.laws import ServiceLaw
from planner.topology.flow import solve_visits
from planner.values import Edge, Entry, InstanceLoad, Load, Operator, OperatorLoad, Topology

QUEUEINGS = ("shared", "round-robin", "random", "keyed")
RATE = 100.0
KEYS = 1000
LOOPS = 0.2
HOTTEST = 0.93
"""Keyed operators with a hottest instance above this utilisation are drawn again: simulations would be too long."""

Random = np.random.Generator


class Case(NamedTuple):
    """A drawn topology with its arrivals; `load` has the true values, not measured ones."""

    seed: int
    topology: Topology
    load: Load
    arrivals: ArrivalLaw
    services: Mapping[str, ServiceLaw]
    has_loop: bool

    @property
    def input(self) -> str:
        """Whether tuples arrive in bursts."""
        return "bursty" if self.arrivals.kind == "mmpp" else "calm"


def draw_case(seed: int, *, bursty: bool) -> Case:
    """The case of this seed."""
    random = np.random.default_rng([seed, bursty])
    edges = draw_edges(random, int(random.integers(3, 9)))
    names = sorted({edge.source for edge in edges} | {edge.target for edge in edges})
    has_loop = random.random() < LOOPS
    if has_loop:
        later, earlier = sorted(random.choice(len(names), 2, replace=False))[::-1]
        edges.append(Edge(names[later], names[earlier], float(random.uniform(0.05, 0.25))))
    topology = Topology(tuple(Operator(name) for name in names), tuple(edges), (Entry(names[0]),))
    visits = find_visits(topology)
    if not visits or max(visits) > 12.0 or min(visits) < 0.05:  # a run long enough would take too long
        return draw_case(seed + 1_000_000_000, bursty=bursty)
    measured, services = {}, {}
    for name, count in zip(names, visits, strict=True):
        processors = int(random.integers(1, 13))
        mu = RATE * count / processors / random.uniform(0.4, 0.9)
        services[name] = law = draw_service(random, 1.0 / mu)
        measured[name] = OperatorLoad(service_rate=mu, service_scv=law.scv, processors=processors)
    return Case(
        seed, topology, Load(RATE, measured), draw_arrivals(random, bursty=bursty), services, has_loop
    )


def find_visits(topology: Topology) -> list[float]:
    """Visits of a root to each operator; none where a loop through forks grows for ever."""
    try:
        return list(solve_visits(topology))
    except NoSteadyState:
        return []


def draw_edges(random: Random, size: int) -> list[Edge]:
    """A graph without loops in which the first operator reaches all others."""
    pairs = []
    for target in range(1, size):
        sources = {int(random.integers(max(0, target - 3), target))}
        if random.random() < 0.35:
            sources.add(int(random.integers(0, target)))
        pairs += [(source, target) for source in sorted(sources)]
    edges = []
    for source in range(size):
        targets = [target for start, target in pairs if start == source]
        selectivities = draw_selectivities(random, len(targets))
        edges += [
            Edge(f"o{source}", f"o{target}", q) for target, q in zip(targets, selectivities, strict=True)
        ]
    return edges


def draw_selectivities(random: Random, size: int) -> list[float]:
    """The edges of an operator: tuples are split among its targets, multiplied, thinned, or sent to all targets."""
    selectivities = [1.0] * size
    chance = random.random()
    if size > 1 and chance < 0.6:
        return [max(0.1, float(part)) for part in random.dirichlet(np.full(size, 3.0))]
    if size and chance < 0.8:
        choices = (1.5, 2.0, 2.5, 3.0, float(random.uniform(0.3, 1.0)))
        selectivities[0] = choices[int(random.integers(len(choices)))]
    return selectivities


def draw_service(random: Random, mean: float) -> ServiceLaw:
    """The law of the service times of an operator, drawn at random."""
    kind = ("gamma", "lognormal", "deterministic", "exponential")[int(random.integers(4))]
    scv = {"deterministic": 0.0, "exponential": 1.0}.get(kind, float(random.uniform(0.05, 4.0)))
    return ServiceLaw(kind, mean, scv)


def draw_arrivals(random: Random, *, bursty: bool) -> ArrivalLaw:
    """Bursts of 0.1 to 10 s that take 10% to 30% of the time, at 2 to 5 times the mean rate; or calm."""
    if not bursty:
        return ArrivalLaw("poisson" if random.random() < 0.7 else "deterministic")
    share = float(random.uniform(0.1, 0.3))
    ratio = float(random.uniform(2.0, min(5.0, 1.0 / share)))
    return ArrivalLaw("mmpp", ratio, share, exp(random.uniform(log(0.1), log(10.0))))


def queue_case(case: Case, queueing: str) -> Case:
    """The case with this queueing at every operator; keyed: with shares of hashed keys."""
    topology = Topology(
        tuple(operator._replace(queueing=queueing) for operator in case.topology.operators),
        case.topology.edges,
        case.topology.entries,
    )
    load = case.load
    if queueing == "keyed":
        random = np.random.default_rng([case.seed, 7])
        load = Load(load.external_rate, hash_keys(case, random))
    return case._replace(topology=topology, load=load)


def hash_keys(case: Case, random: Random) -> dict[str, OperatorLoad]:
    """The loads with the shares that each instance has of 1,000 keys, whose frequencies follow Zipf's law."""
    frequencies = 1.0 / np.arange(1, KEYS + 1) ** random.uniform(0.0, 1.0)
    frequencies /= frequencies.sum()
    visits = dict(zip(case.load.operators, solve_visits(case.topology), strict=True))
    loads = {}
    for name, measured in case.load.operators.items():
        assert measured.processors
        assert measured.service_rate
        offered = RATE * visits[name] / measured.service_rate
        even = np.full(measured.processors, 1.0 / measured.processors)
        for _ in range(100):
            instances = random.integers(0, measured.processors, KEYS)
            shares = np.bincount(instances, frequencies, measured.processors)
            if shares.max() * offered < HOTTEST:
                break
        else:
            shares = even
        loads[name] = measured._replace(instances=name_instances(shares))
    return loads


def name_instances(shares: np.ndarray) -> tuple[InstanceLoad, ...]:
    """Instances with these shares, the largest first."""
    order = np.argsort(-shares)
    return tuple(InstanceLoad(f"{number}", float(shares[place])) for number, place in enumerate(order))
