"""The load in a log of visits, as the ingest would measure it, and the times of each root tuple."""

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np

from benchmarks.truth_cases import Case
from planner.arrays import Floats
from planner.simulation.results import VisitLog
from planner.values import IdcPoint, InstanceLoad, Load, OperatorLoad, ServiceBucket

WARM_UP = 0.1
LEAST_WINDOWS = 100
LEAST_ARRIVALS = 200
BUCKETS_PER_OCTAVE = 4
SHORTEST = 1e-9


class Measured(NamedTuple):
    """The measured load of a case, and the times of its root tuples after the warm-up."""

    load: Load
    total: Floats
    completion: Floats
    waits: Sequence[float]


def measure_visits(case: Case, log: VisitLog) -> Measured:
    """The load that the planner may know, and the true times."""
    roots = len(log.root_arrived_seconds)
    first = int(WARM_UP * roots)
    begin, end = float(log.root_arrived_seconds[first]), float(log.root_arrived_seconds[-1])
    order = np.argsort(log.operator, kind="stable")
    bounds = np.searchsorted(log.operator[order], np.arange(len(case.topology.operators) + 1))
    loads, waits = {}, []
    for number, operator in enumerate(case.topology.operators):
        visits = order[bounds[number] : bounds[number + 1]]
        visits = visits[(log.arrived_seconds[visits] >= begin) & (log.arrived_seconds[visits] < end)]
        loads[operator.name] = measure_operator(case.load.operators[operator.name], log, visits, begin, end)
        waits.append(float(np.mean(log.started_seconds[visits] - log.arrived_seconds[visits])))
    total = np.bincount(log.root, log.finished_seconds - log.arrived_seconds, roots)
    finished = log.root_arrived_seconds.copy()
    np.maximum.at(finished, log.root, log.finished_seconds)
    completion = finished - log.root_arrived_seconds
    load = Load((roots - first) / (end - begin), loads)
    return Measured(load, np.asarray(total[first:], np.float64), completion[first:], waits)


def measure_operator(
    known: OperatorLoad, log: VisitLog, visits: np.ndarray, begin: float, end: float
) -> OperatorLoad:
    """The load of one operator between two times."""
    services = log.finished_seconds[visits] - log.started_seconds[visits]
    arrived, mean = log.arrived_seconds[visits], float(services.mean())
    return OperatorLoad(
        service_rate=1.0 / mean,
        arrival_rate=len(visits) / (end - begin),
        arrival_scv=find_scv(np.diff(arrived)),
        service_scv=find_scv(services),
        processors=known.processors,
        arrival_idc=find_dispersion(arrived, mean, begin, end),
        instances=measure_instances(log.instance[visits], arrived, mean, begin, end),
        service_histogram=count_services(services),
    )


def find_scv(values: Floats) -> float:
    """Variance / mean²."""
    return float(values.var() / values.mean() ** 2)


def find_dispersion(arrived: Floats, shortest: float, begin: float, end: float) -> tuple[IdcPoint, ...]:
    """I(t) in windows from `shortest` up, each twice as long as that before, as far as there are 100 of them."""
    windows = int((end - begin) / shortest)
    if windows < LEAST_WINDOWS:
        return ()
    counts = np.bincount(((arrived - begin) / shortest).astype(np.int64), minlength=windows)[:windows].astype(
        float
    )
    points, seconds = [], shortest
    while len(counts) >= LEAST_WINDOWS:
        points.append(IdcPoint(seconds, float(counts.var(ddof=1) / counts.mean())))
        pairs = len(counts) // 2
        counts, seconds = counts[: 2 * pairs].reshape(pairs, 2).sum(axis=1), 2.0 * seconds
    return tuple(points)


def measure_instances(
    instance: np.ndarray, arrived: Floats, mean: float, begin: float, end: float
) -> tuple[InstanceLoad, ...]:
    """The instances of one operator, the largest share first."""
    order = np.argsort(instance, kind="stable")
    counts = np.bincount(instance)
    found = []
    for number, part in enumerate(np.split(arrived[order], np.cumsum(counts)[:-1])):
        share = len(part) / len(arrived)
        if len(part) < LEAST_ARRIVALS:
            found.append(InstanceLoad(f"{number}", share))
        else:
            idc = find_dispersion(part, mean, begin, end)
            found.append(InstanceLoad(f"{number}", share, find_scv(np.diff(part)), idc))
    return tuple(sorted(found, key=lambda one: -one.share))


def count_services(services: Floats) -> tuple[ServiceBucket, ...]:
    """Services in buckets of equal ratio, four to a factor of two; an empty one before each gap says where it ends."""
    places = np.ceil(np.log2(np.maximum(services, SHORTEST)) * BUCKETS_PER_OCTAVE).astype(np.int64)
    counts = dict(zip(*np.unique(places, return_counts=True), strict=True))
    edges = sorted({*counts, *(place - 1 for place in counts)})
    return tuple(
        ServiceBucket(2.0 ** (float(edge) / BUCKETS_PER_OCTAVE), int(counts.get(edge, 0))) for edge in edges
    )


def forget_inside(load: Load, entries: Sequence[str]) -> Load:
    """The load where only the arrivals at the entries were measured."""
    return Load(
        load.external_rate,
        {
            name: one._replace(instances=forget_instances(one))
            if name in entries
            else one._replace(arrival_scv=None, arrival_idc=(), instances=forget_instances(one))
            for name, one in load.operators.items()
        },
    )


def forget_instances(one: OperatorLoad) -> tuple[InstanceLoad, ...]:
    """The load with the shares of instances, without their arrivals."""
    return tuple(InstanceLoad(instance.instance, instance.share) for instance in one.instances)


def forget_bursts(load: Load) -> Load:
    """The load with the SCVs of single gaps alone, as before there was an index of dispersion."""
    return Load(
        load.external_rate,
        {
            name: one._replace(
                arrival_idc=(),
                instances=tuple(instance._replace(arrival_idc=()) for instance in one.instances),
            )
            for name, one in load.operators.items()
        },
    )
