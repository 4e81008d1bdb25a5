"""Small systems to simulate, and their exact waits."""

import itertools
from collections.abc import Sequence
from math import factorial

import numpy as np

from planner.arrays import Floats
from planner.simulation.results import Simulation, VisitLog
from planner.simulation.simulate import simulate
from planner.values import Edge, Entry, Load, Operator, OperatorLoad, Topology

UNREACHED = 10**9
"""A capacity that is never reached: it makes the simulation go event by event."""
BY_EVENTS = {"a": UNREACHED}


def build_one(queueing: str | None = None, loop: float = 0.0) -> Topology:
    """One operator, whose tuples return with a probability."""
    edges = (Edge("a", "a", loop),) if loop else ()
    return Topology((Operator("a", queueing=queueing),), edges, (Entry("a"),))


def load_one(rate: float, service_rate: float = 1.0, service_scv: float | None = 1.0) -> Load:
    return Load(rate, {"a": OperatorLoad(service_rate, service_scv=service_scv)})


def simulate_one(rate: float, processors: int = 1, queueing: str | None = None, **more: object) -> Simulation:
    """One operator with exponential services of mean 1 unless `services` say more."""
    return simulate(build_one(queueing), load_one(rate), {"a": processors}, **{"roots": 500_000, **more})  # type: ignore[arg-type]


def build_row(queueings: Sequence[str], selectivity: float = 1.0) -> Topology:
    """Operators a, b, c ... in a row."""
    names = [chr(ord("a") + place) for place in range(len(queueings))]
    edges = tuple(Edge(one, other, selectivity) for one, other in itertools.pairwise(names))
    return Topology(
        tuple(Operator(name, queueing=one) for name, one in zip(names, queueings, strict=True)), edges
    )


def build_mixed() -> tuple[Topology, Load, dict[str, int]]:
    """Six operators with every kind of queue and of service, splits, forks, joins and two entries, each busy to 75%."""
    queueings = {
        "a": "shared",
        "b": "round-robin",
        "c": "keyed",
        "d": "random",
        "e": "round-robin",
        "f": "shared",
    }
    edges = (
        *(Edge("a", "b", 0.6), Edge("a", "c", 1.7), Edge("b", "d", 2.0), Edge("c", "d", 0.5)),
        *(Edge("c", "e"), Edge("d", "f", 0.3), Edge("e", "f")),
    )
    operators = tuple(Operator(name, queueing=one) for name, one in queueings.items())
    topology = Topology(operators, edges, (Entry("a"), Entry("b", 0.5)))
    processors = {"a": 2, "b": 3, "c": 4, "d": 5, "e": 3, "f": 4}
    visits = {"a": 1.0, "b": 1.1, "c": 1.7, "d": 3.05, "e": 1.7, "f": 2.615}
    scvs = {"a": 1.0, "b": 0.5, "c": None, "d": 2.0, "e": 0.0, "f": 1.0}
    load = Load(
        10.0,
        {
            name: OperatorLoad(10.0 * visits[name] / processors[name] / 0.75, service_scv=scvs[name])
            for name in visits
        },
    )
    return topology, load, processors


def sort_log(log: VisitLog) -> list[Floats]:
    """The columns with visits that begin at one moment in an order of their own."""
    order = np.lexsort((log.started_seconds, log.root, log.instance, log.operator, log.arrived_seconds))
    return [column[order].astype(np.float64) for column in log[:6]]


def wait_of_erlang(offered: float, servers: int) -> float:
    """W of M/M/k in mean services: C(k, A)/(k − A)."""
    last = offered**servers / factorial(servers) * servers / (servers - offered)
    waiting = last / (sum(offered**n / factorial(n) for n in range(servers)) + last)
    return waiting / (servers - offered)


def wait_of_pollaczek(rate: float, scv: float) -> float:
    """W of M/G/1 with a mean service of 1: ρ(1 + s)/(2(1 − ρ))."""
    return rate * (1.0 + scv) / (2.0 * (1.0 - rate))
