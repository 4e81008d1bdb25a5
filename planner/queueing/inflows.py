"""A topology under a load as queues: rates, SCVs, bounds, and how tuples reach the processors of each operator."""

from collections.abc import Container, Mapping, Sequence
from dataclasses import replace
from math import inf

from planner.queueing.carried_bursts import carry_bursts
from planner.queueing.queueings import ERLANG, KEYED, Inflow, Station
from planner.queueing.stations import NO_BOUND, Stations
from planner.queueing.streams import (
    count_senders,
    find_batches,
    find_capacities,
    find_root_batches,
    find_stations,
    is_erlang,
)
from planner.values import SHARED, IdcPoint, Load, Model, OperatorLoad, Queueing, Topology

LEAST_BURSTY = 2.0
"""An index of dispersion below is one of calm input: it is measured with an error of some tenths."""


def build_stations(
    topology: Topology, load: Load, arrival_rates: Sequence[float], model: Model, *, is_open: bool = False
) -> Stations:
    """The operators as queues; an SCV that is neither measured nor configured is 1.

    `is_open`: as if no operator held bursts back, which is what a plan has to be ready for.
    """
    operators = topology.operators
    measured = [load.operators[operator.name] for operator in operators]
    ceilings = [operator.ceiling for operator in operators]
    return Stations(
        arrival_rates,
        [one.service_rate for one in measured if one.service_rate is not None],
        [1.0 if one.arrival_scv is None else one.arrival_scv for one in measured],
        [1.0 if one.service_scv is None else one.service_scv for one in measured],
        [operator.min_processors for operator in operators],
        [NO_BOUND if ceiling is None else ceiling for ceiling in ceilings],
        model,
        find_inflows(topology, load, arrival_rates, is_open=is_open),
        list_factors(measured),
    )


def list_factors(measured: Sequence[OperatorLoad]) -> list[float] | None:
    """The factors of modelled waits that calibration found; None: nothing was calibrated."""
    factors = [1.0 if one.wait_factor is None else one.wait_factor for one in measured]
    return factors if any(factor != 1.0 for factor in factors) else None


def requeue(topology: Topology, names: Container[str], queueing: Queueing) -> Topology:
    """The topology with another queueing at the operators `names`."""
    operators = [
        operator._replace(queueing=queueing) if operator.name in names else operator
        for operator in topology.operators
    ]
    return replace(topology, operators=tuple(operators))


def find_inflows(
    topology: Topology, load: Load, arrival_rates: Sequence[float], *, is_open: bool = False
) -> list[Inflow] | None:
    """The inflow of each operator in topology order; None where all are plain.

    `is_open`: as if no operator held bursts back. Bursts inside were measured behind bottlenecks that a plan removes.
    """
    if is_erlang(topology, load):
        return None
    stations = find_stations(topology, load, arrival_rates)
    may_burst = any(one.measured.arrival_idc or one.measured.instances for one in stations.values())
    # what upstream can send only bounds bursts
    is_unbounded = is_open or not may_burst or is_calm(stations)
    capacities = dict.fromkeys(stations, inf) if is_unbounded else find_capacities(stations)
    together = find_root_batches(topology)
    carried = carry_bursts(topology, load, stations, is_open=is_open) if may_burst else {}
    return [
        make_inflow(station, carried.get(name), capacities[name], together.get(name, 1.0), is_open=is_open)
        for name, station in stations.items()
    ]


def is_calm(stations: Mapping[str, Station]) -> bool:
    """Whether bursts are measured at all entries, and none comes from outside.

    What varies inside is then the work of services and of batches there, which no capacity bounds.
    """
    entries = [one for one in stations.values() if any(stream.source is None for stream in one.streams)]
    levels = [point.idc for one in entries for point in one.measured.arrival_idc]
    return all(one.measured.arrival_idc for one in entries) and max(levels, default=inf) < LEAST_BURSTY


def make_inflow(
    station: Station,
    carried: tuple[IdcPoint, ...] | None,
    capacity: float,
    root_batch: float,
    *,
    is_open: bool,
) -> Inflow:
    """The inflow of one operator, ERLANG where that is all that is known; carried bursts replace measured ones."""
    queueing = station.operator.queueing or SHARED
    idc = station.measured.arrival_idc if carried is None else carried
    if queueing == SHARED and not idc:
        return ERLANG
    is_keyed = queueing == KEYED
    return Inflow(
        queueing,
        count_senders(station.streams),
        idc,
        station.measured.instances if is_keyed else (),
        capacity,
        find_batches(station),
        root_batch if is_keyed else 1.0,
        is_open and bool(idc),
        station.measured.processors or inf,
    )
