"""The simulated system: operators as stations, edges and entries as links, with all checks."""

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import NamedTuple

import numpy as np

from planner.arrays import Floats
from planner.errors import InvalidLoad, InvalidTopology, SimulationTooLarge, escape_pointer, suggest_name
from planner.queueing.instances.key_shares import KeyShares, order_name
from planner.queueing.instances.scaling import slow_down
from planner.queueing.queueings import KEYED, QUEUEINGS
from planner.simulation.laws import ServiceLaw, assume_law, check_law, describe_stretched, find_mean, simplify
from planner.topology.flow import describe_unreached, order_acyclic, settle_network
from planner.topology.loads import check_load, find_counts, take_configured
from planner.topology.network import Network, index_topology
from planner.values import SHARED, TUPLE, Diagnostic, Load, Operator, OperatorLoad, Topology
from planner.wording import join_names

OUTSIDE = -1
UNBOUNDED = -1
MOST_PROCESSORS = 1_000_000


class SimulatedStation(NamedTuple):
    """One simulated operator; `key_ends` are the cumulated shares of its instances, `capacity` is the places in each
    queue.

    `processors` are the tuples that are served at a time, `concurrency` by each instance. `is_by_tuple`: each tuple has
    a key of its own. `delay_seconds` pass after each service, and keep no processor busy.
    """

    name: str
    processors: int
    queueing: str
    law: ServiceLaw
    key_ends: tuple[float, ...] = ()
    capacity: int = UNBOUNDED
    concurrency: int = 1
    is_by_tuple: bool = False
    delay_seconds: float = 0.0

    @property
    def instances(self) -> int:
        """The number of processors as plans count them."""
        return self.processors // self.concurrency

    @property
    def queues(self) -> int:
        """The number of queues: one, or one for each instance."""
        return 1 if self.queueing == SHARED else self.instances


class Link(NamedTuple):
    """An edge, or an entry from OUTSIDE, in a simulation; it carries `mean` tuples per tuple of its source."""

    source: int
    target: int
    mean: float


class System(NamedTuple):
    """A system to simulate: stations in topology order, and links in the order of edges, then entries.

    `order` lists stations upstream first, and is empty if there is a loop.
    """

    stations: tuple[SimulatedStation, ...]
    links: tuple[Link, ...]
    visits: tuple[float, ...]
    order: tuple[int, ...]
    rate: float
    diagnostics: tuple[Diagnostic, ...]
    delayed: tuple[int, ...] = ()
    """The stations whose tuples pass a delay; the delays are the last stations, in this order."""

    @property
    def operators(self) -> tuple[SimulatedStation, ...]:
        """The stations that are operators."""
        return self.stations[: len(self.stations) - len(self.delayed)]


class Scenario(NamedTuple):
    """A system to simulate, the arrival times of its external tuples, and the seed of all other random numbers."""

    system: System
    arrivals: Floats
    seed: int


def build_system(
    topology: Topology,
    load: Load,
    processors: Mapping[str, int] | None,
    services: Mapping[str, ServiceLaw],
    capacities: Mapping[str, int],
) -> System:
    """The system of a topology under a load; raises errors with the pointer of the field to change."""
    network = index_topology(topology)
    visits = settle_network(network)
    load = take_configured(topology, load)
    check_load(network, load)
    check_names(services, network, "services")
    check_names(capacities, network, "capacities")
    for place, operator in enumerate(topology.operators):
        check_queueing(operator, f"/operators/{place}/queueing")
    counts = find_counts(topology, load, processors)
    pairs = zip(counts, topology.operators, strict=True)
    at_once = sum([count * operator.concurrency for count, operator in pairs])
    if at_once > MOST_PROCESSORS:  # checked before shares are computed for each processor
        raise SimulationTooLarge("processors", at_once, MOST_PROCESSORS, "processors")
    stations = tuple(
        build_station(operator, load.operators[operator.name], count, services, capacities)
        for operator, count in zip(topology.operators, counts, strict=True)
    )
    links = link_stations(topology, network)
    notes = describe_assumptions(topology, load, stations, services)
    if 0.0 in visits:
        notes = (describe_unreached(network, visits), *notes)
    order = sort_stations(network)
    return System(stations, links, tuple(visits), order, load.external_rate, (*network.diagnostics, *notes))


def check_names(given: Mapping[str, object], network: Network, argument: str) -> None:
    """Raise InvalidLoad if `given` names an operator that the topology does not have."""
    for name in given:
        if name not in network.places:
            raise InvalidLoad(
                f"{argument} contains operator {name!r}, which the topology does not have: remove it or correct the "
                f"name.{suggest_name(name, network.names)}",
                f"/{escape_pointer(name)}",
                argument,
            )


def check_queueing(operator: Operator, pointer: str) -> None:
    """Raise InvalidTopology if the operator has an unknown queueing."""
    if operator.queueing not in {None, *QUEUEINGS}:
        raise InvalidTopology(
            f"The queueing of operator {operator.name!r} is {operator.queueing!r}: use {', '.join(QUEUEINGS)}.",
            pointer,
        )


def build_station(
    operator: Operator,
    measured: OperatorLoad,
    count: int,
    services: Mapping[str, ServiceLaw],
    capacities: Mapping[str, int],
) -> SimulatedStation:
    """The simulated station of one operator, with its processors, its queue and its law of services."""
    name, pointer = operator.name, f"/{escape_pointer(operator.name)}"
    queueing = operator.queueing or SHARED
    law = services[name] if name in services else assume_law(measured)
    if operator.scaling is not None and name not in services:
        running, planned = (slow_down(operator.scaling, float(k)) for k in (measured.processors or 1, count))
        law = replace(law, mean_seconds=law.mean_seconds * running / planned)
    check_law(law, name, pointer)
    capacity = capacities.get(name, UNBOUNDED)
    if name in capacities and capacity < 0:
        raise InvalidLoad(
            f"The queue of operator {name!r} has {capacity} places: give at least 0.", pointer, "capacities"
        )
    ends = cumulate_shares(operator, measured, count) if queueing == KEYED else ()
    return SimulatedStation(
        name,
        count * operator.concurrency,
        queueing,
        simplify(law),
        ends,
        capacity,
        operator.concurrency,
        operator.keyed_by == TUPLE,
        operator.delay_seconds,
    )


def cumulate_shares(operator: Operator, measured: OperatorLoad, count: int) -> tuple[float, ...]:
    """The upper ends of the stretches of [0, 1) that hold the keys of each of an operator's `count` instances.

    Key groups are dealt out whole. Where their number is not known, shares measured at another number of instances are
    converted as in planner.queueing.instances.key_shares: the largest share by itself, the others by interpolation.
    """
    groups = operator.max_parallelism or len(measured.group_shares)
    if groups and count > 1 and len(measured.instances) != count:
        shares = deal_groups(operator, measured, groups, count)
    elif count == 1 or not measured.instances:
        shares = np.full(count, 1.0 / count)
    else:
        known = KeyShares(measured.instances)
        shares = known.shares
        if len(shares) != count:
            hottest, rest = known.find_hottest(count), shares[1:] if len(shares) > 1 else shares
            reached = np.append(0.0, np.cumsum(rest)) / rest.sum()
            ends = np.interp(np.linspace(0.0, len(rest), count), np.arange(len(reached)), reached)
            shares = np.append(hottest, np.diff(ends) * (1.0 - hottest))
    return tuple(np.cumsum(shares / shares.sum()).tolist())


def deal_groups(operator: Operator, measured: OperatorLoad, groups: int, count: int) -> Floats:
    """The share of each of `count` instances, to which the groups are dealt one after another.

    The simulation is the referee of planner.queueing.instances.key_shares, so it deals by itself. A group whose
    share is not measured has its part of what the instance that held it received.
    """

    def find_holder(group: int, instances: int) -> int:
        return (
            group % instances if operator.group_assignment == "round-robin" else group * instances // groups
        )

    known, weights = measured.instances, list(measured.group_shares)
    if len(weights) != groups:
        weights = [1.0] * groups
        if known:
            by_number = sorted(known, key=lambda one: order_name(one.instance))
            if len(known) > groups:
                by_number = [one for one in by_number if one in known[:groups]]
            held = [find_holder(group, len(by_number)) for group in range(groups)]
            sizes = Counter(held)
            weights = [by_number[holder].share / sizes[holder] for holder in held]
    shares = [0.0] * count
    for group, weight in enumerate(weights):
        shares[find_holder(group, count)] += weight
    return np.array(shares)


def link_stations(topology: Topology, network: Network) -> tuple[Link, ...]:
    """The links of a simulated system: all edges and entries that carry tuples."""
    edges = [
        Link(network.places[edge.source], network.places[edge.target], edge.selectivity)
        for edge in topology.edges
    ]
    entries = [Link(OUTSIDE, operator, share) for operator, share in enumerate(network.shares)]
    return tuple(link for link in (*edges, *entries) if link.mean > 0.0)


def sort_stations(network: Network) -> tuple[int, ...]:
    """The places of the stations, upstream stations first; empty if there is a loop."""
    order, rest = order_acyclic(network)
    return () if rest or any(network.loops) else tuple(order)


def describe_assumptions(
    topology: Topology, load: Load, stations: Sequence[SimulatedStation], services: Mapping[str, ServiceLaw]
) -> tuple[Diagnostic, ...]:
    """A diagnostic for each kind of value that a simulation assumes because it is not given."""
    several = [station for station in stations if station.instances > 1]
    stated = {operator.name for operator in topology.operators if operator.queueing}
    queues = [one.name for one in several if one.name not in stated]
    keyed = [(one, load.operators[one.name].instances) for one in several if one.queueing == KEYED]
    grouped = {name for name, one in load.operators.items() if one.group_shares}
    even = [one.name for one, known in keyed if not known and one.name not in grouped]
    grouped |= {one.name for one in topology.operators if one.max_parallelism}
    differing = [one.name for one, known in keyed if known and len(known) != one.instances]
    carried = [name for name in differing if name not in grouped]
    laws = [
        one.name
        for one in stations
        if one.name not in services
        and load.operators[one.name].service_scv is None
        and not load.operators[one.name].service_histogram
    ]
    found = (
        (queues, "queueing-assumed", "queueing is not given: one shared queue is simulated"),
        (even, "shares-assumed", "no shares of instances are measured: equal shares are simulated"),
        (
            carried,
            "shares-carried",
            "shares are measured at another number of instances: converted shares are simulated",
        ),
        (laws, "scv-assumed", "service_scv is not measured: exponential services (SCV 1) are simulated"),
    )
    assumed = tuple(
        Diagnostic(code, f"At {join_names(names)}: {detail}.", tuple(names))
        for names, code, detail in found
        if names
    )
    measured = {one.name: load.operators[one.name] for one in stations if one.name not in services}
    return assumed + describe_stretched(measured)


def find_busiest(station: SimulatedStation, rate: float) -> float:
    """The utilisation of the instance with the largest share, at `rate` tuples per second for the whole station."""
    share = 1.0 / station.processors
    if station.queueing == KEYED:
        parts = zip((0.0, *station.key_ends), station.key_ends, strict=False)
        share = max(high - low for low, high in parts) / station.concurrency
    return rate * share * find_mean(station.law)
