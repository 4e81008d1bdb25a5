"""How tuples reach each operator: the streams with their senders and batches, and the queues that these streams form.

The instances upstream deal tuples in turn. Their number is taken from the load; where it is not measured, it is the
number that gives a utilisation of 75%. It does not follow the counts of an estimate or a plan: so an operator's wait
depends on its own processors alone, and one more processor never lengthens any wait. Upstream can send at most the
capacity of the running processors, because bursts were measured under that capacity; where the load names no running
processors, there is no bound.
"""

from collections.abc import Container, Mapping, Sequence
from dataclasses import replace
from math import inf

import numpy as np

from planner.arrays import Floats
from planner.queueing.bursts.carried_bursts import carry_bursts, is_calm, passes_scv_on
from planner.queueing.instances.key_shares import find_groups
from planner.queueing.instances.scaling import find_peak, slow_down
from planner.queueing.queueings import ERLANG, KEYED, EmittedBatch, Inflow, Station, Stream
from planner.queueing.stations import NO_BOUND, Stations
from planner.topology.flow import settle_topology
from planner.topology.network import NO_WORDS, OWN_WORDS, Network, find_shares
from planner.values import (
    SHARED,
    TUPLE,
    IdcPoint,
    Load,
    Model,
    Operator,
    OperatorLoad,
    Queueing,
    Topology,
)


def build_stations(
    topology: Topology, load: Load, arrival_rates: Sequence[float], model: Model, *, is_open: bool = False
) -> Stations:
    """The operators of a topology as queues under a load; an SCV that is neither measured nor configured is 1.

    With `is_open`, the queues are as if no operator held bursts back, which a plan must be ready for.
    """
    operators = topology.operators
    measured = [load.operators[operator.name] for operator in operators]
    inflows = find_inflows(topology, load, arrival_rates, is_open=is_open)
    service_rates = [one.service_rate for one in measured if one.service_rate is not None]
    delays = [one.exchange_seconds for one in measured]
    if any(operator[OWN_WORDS] != NO_WORDS for operator in operators):
        delays = list_delays(operators, service_rates, delays)
        rows = zip(operators, measured, service_rates, strict=True)
        service_rates = [one.concurrency * find_alone(one, seen, rate) for one, seen, rate in rows]
    return Stations(
        arrival_rates,
        service_rates,
        [1.0 if one.arrival_scv is None else one.arrival_scv for one in measured],
        [1.0 if one.service_scv is None else one.service_scv for one in measured],
        [operator.min_processors for operator in operators],
        list_ceilings(topology, inflows),
        model,
        inflows,
        list_factors(measured),
        delays if any(delays) else None,
    )


def find_alone(operator: Operator, measured: OperatorLoad, service_rate: float) -> float:
    """The service rate of one processor alone, from the rate measured with those that run (unknown: one)."""
    if operator.scaling is None:
        return service_rate
    return service_rate / float(slow_down(operator.scaling, float(measured.processors or 1)))


def list_delays(
    operators: Sequence[Operator], service_rates: Sequence[float], exchanges: Sequence[float]
) -> list[float]:
    """The seconds that each visit takes beyond its wait and one service at the rate of an instance, on the way too.

    An instance that serves c tuples at a time serves one of them in c/(cμ), with cμ the rate of the instance.
    """
    rows = zip(operators, service_rates, exchanges, strict=True)
    return [way + one.delay_seconds + (1.0 - 1.0 / one.concurrency) / rate for one, rate, way in rows]


def list_ceilings(topology: Topology, inflows: Sequence[Inflow] | None) -> list[int]:
    """The most processors of each operator: its bounds, and as many as it has groups."""
    ceilings = [NO_BOUND if one.ceiling is None else one.ceiling for one in topology.operators]
    for i, one in enumerate(topology.operators):
        if one.scaling is not None:
            ceilings[i] = min(ceilings[i], find_peak(one.scaling) or NO_BOUND)
    if inflows is None:
        return ceilings
    groups = [inflow.groups for inflow in inflows]
    return [
        most if one is None else min(most, one.number) for most, one in zip(ceilings, groups, strict=True)
    ]


def list_factors(measured: Sequence[OperatorLoad]) -> list[float] | None:
    """The factor of each operator's modelled wait that calibration found; None where no operator was calibrated."""
    factors = [1.0 if one.wait_factor is None else one.wait_factor for one in measured]
    return factors if any(factor != 1.0 for factor in factors) else None


def requeue(topology: Topology, names: Container[str], queueing: Queueing) -> Topology:
    """A copy of the topology in which the operators `names` have the queueing `queueing`."""
    operators = [
        operator._replace(queueing=queueing) if operator.name in names else operator
        for operator in topology.operators
    ]
    return replace(topology, operators=tuple(operators))


def find_inflows(
    topology: Topology, load: Load, arrival_rates: Sequence[float], *, is_open: bool = False
) -> list[Inflow] | None:
    """How tuples reach each operator, in topology order; None if Erlang's formulas hold for all operators.

    With `is_open`, the inflows are as if no operator held bursts back: bursts inside a topology were measured behind
    bottlenecks that a plan removes.
    """
    if is_erlang(topology, load):
        return None
    stations = find_stations(topology, load, arrival_rates)
    may_burst = (
        bool(load.external_idc)
        or any(one.measured.arrival_idc or one.measured.instances for one in stations.values())
        or carries_scv(topology, load)
    )
    # the capacity upstream matters only for bursts
    is_unbounded = is_open or not may_burst or is_calm(stations, load)
    capacities = dict.fromkeys(stations, inf) if is_unbounded else find_capacities(stations)
    together = find_root_batches(topology)
    carried = carry_bursts(topology, load, stations, is_open=is_open) if may_burst else {}
    return [
        make_inflow(station, carried.get(name), capacities[name], together.get(name, 1.0), is_open=is_open)
        for name, station in stations.items()
    ]


def make_inflow(
    station: Station,
    carried: tuple[IdcPoint, ...] | None,
    capacity: float,
    root_batch: float,
    *,
    is_open: bool,
) -> Inflow:
    """How tuples reach one operator; ERLANG for a shared queue without bursts. Carried bursts replace measured ones."""
    queueing = station.operator.queueing or SHARED
    idc = station.measured.arrival_idc if carried is None else carried
    is_plain = station.operator.concurrency == 1 and station.operator.scaling is None
    if queueing == SHARED and not idc and is_plain:
        return ERLANG
    is_keyed = queueing == KEYED
    is_by_tuple = is_keyed and station.operator.keyed_by == TUPLE
    return Inflow(
        queueing,
        count_senders(station.streams),
        idc,
        station.measured.instances if is_keyed else (),
        capacity,
        find_batches(station),
        root_batch if is_keyed and not is_by_tuple else 1.0,
        is_open and bool(idc),
        station.measured.processors or inf,
        find_groups(station.operator, station.measured) if is_keyed else None,
        station.operator.concurrency,
        is_by_tuple,
        station.operator.scaling,
    )


USUAL_UTILISATION = 0.75
MOST_SWEEPS = 30
MOST_INVERTED = 400
CLOSE, CHANCE = 1e-9, 0.05
"""The relative excess over the rates of edges that counts as an external stream: CLOSE at entries, CHANCE elsewhere,
where measured rates scatter by chance."""


def is_erlang(topology: Topology, load: Load) -> bool:
    """Whether all operators have a shared queue, processors serve one tuple at a time, and no bursts are measured."""
    measured = load.operators
    if any(point.idc != 1.0 for point in load.external_idc):
        return False
    if carries_scv(topology, load):
        return False
    for operator in topology.operators:  # a plain loop, because every plan runs it
        queueing = operator.queueing
        if (queueing is not None and queueing != SHARED) or measured[operator.name].arrival_idc:
            return False
        if operator.concurrency > 1 or operator.scaling is not None:
            return False
    return True


def carries_scv(topology: Topology, load: Load) -> bool:
    """Whether the SCV of an entry goes on through the topology; how it does depends on the rate.

    It does only where a topology says how tuples queue. Any other is DRS's model: an SCV not given is 1, and a plan is
    the best by the E[T] of estimates, which it cannot be if it is ready for bursts that are held back now.
    """
    is_known = any(one.arrival_scv not in {None, 1.0} for one in load.operators.values())
    is_stated = is_known and any(operator.queueing is not None for operator in topology.operators)
    return is_stated and passes_scv_on(topology, load)


def find_stations(topology: Topology, load: Load, arrival_rates: Sequence[float]) -> dict[str, Station]:
    """The operators by name, each with the streams that reach it: one for each edge, and the rest from outside."""
    stations = {}
    for operator, rate in zip(topology.operators, arrival_rates, strict=True):
        measured = load.operators[operator.name]
        served = (measured.service_rate or 1.0) * operator.concurrency
        usual = max(rate / served / USUAL_UTILISATION, 1.0)
        stations[operator.name] = Station(operator, measured, rate, float(measured.processors or usual), [])
    for edge in topology.edges:
        source = stations[edge.source]
        rate = source.arrival_rate * edge.selectivity
        if rate > 0.0:
            stream = Stream(edge.source, rate, source.processors, edge.selectivity)
            stations[edge.target].streams.append(stream)
    shares, _ = find_shares(topology, {name: place for place, name in enumerate(stations)})
    for station, share in zip(stations.values(), shares, strict=True):
        outside = station.arrival_rate - sum([stream.rate for stream in station.streams])
        if outside > (CLOSE if share else CHANCE) * station.arrival_rate:
            station.streams.append(Stream(None, outside, 1.0))
    return stations


def count_senders(streams: Sequence[Stream]) -> float:
    """The number v = 1/Σ pᵤ² of equal senders that would deal tuples out as evenly as the instances that send them.

    pᵤ is the part of the tuples that instance u sends.
    """
    total = sum([stream.rate for stream in streams])
    if total <= 0.0:
        return 1.0
    return max(1.0, 1.0 / sum([(stream.rate / total) ** 2 / stream.senders for stream in streams]))


def find_batches(station: Station) -> tuple[EmittedBatch, ...]:
    """The streams into an operator that bring more than one tuple at a time."""
    return tuple(
        [
            EmittedBatch(stream.rate / station.arrival_rate, stream.selectivity)
            for stream in station.streams
            if stream.source is not None and stream.selectivity > 1.0 and station.arrival_rate > 0.0
        ]
    )


def find_capacities(stations: Mapping[str, Station]) -> dict[str, float]:
    """The largest rate that can reach each operator in tuples per second: Σ selectivity × the rate of each source."""
    sent = {name: station.capacity for name, station in stations.items()}
    received: dict[str, float] = {}
    for _ in range(MOST_SWEEPS):
        before = dict(sent)
        for name, station in stations.items():
            arriving = [
                inf if stream.source is None else stream.selectivity * sent[stream.source]
                for stream in station.streams
            ]
            received[name] = sum(arriving) if arriving else inf
            sent[name] = min(station.capacity, received[name])
        if sent == before:
            break
    return received


def find_root_batches(topology: Topology) -> Mapping[str, float]:
    """For a tuple at each operator, the mean number C of tuples there that derive from the same external tuple.

    C = E[c²]/E[c], where c tuples at the operator derive from one external tuple. With the selectivities G, M = (I −
    Gᵀ)⁻¹ and v = Me, Var c = diag(M D Mᵀ), Djj = Σᵢ vᵢfᵢⱼ(1 − fᵢⱼ), and fᵢⱼ the fraction of a selectivity beyond whole
    tuples. Above MOST_INVERTED operators the result is empty: the matrices would be too large.
    """
    size = len(topology.operators)
    if size > MOST_INVERTED or KEYED not in [operator.queueing for operator in topology.operators]:
        return {}
    network = settle_topology(topology)[0]
    gains = list_gains(network)
    inverse = np.linalg.inv(np.eye(size) - gains.T)
    shares = np.array(network.shares)
    visits = inverse @ shares
    rests, entry_rests = gains - np.floor(gains), shares - np.floor(shares)
    spread = visits @ (rests * (1.0 - rests)) + entry_rests * (1.0 - entry_rests)
    variance = (inverse**2) @ spread
    with np.errstate(divide="ignore", invalid="ignore"):
        together = np.where(visits > 0.0, (variance + visits**2) / visits, 1.0)
    return dict(zip(network.names, together.tolist(), strict=True))


def list_gains(network: Network) -> Floats:
    """The matrix of selectivities: entry [i, j] is how many tuples operator i sends to j per input tuple on average."""
    gains = np.diag(np.array(network.loops, np.float64))
    for i, targets in enumerate(network.successors):
        for j, selectivity in zip(targets, network.selectivities[i], strict=True):
            gains[i, j] += selectivity
    return gains
