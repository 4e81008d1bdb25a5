"""How tuples reach the processors of each operator: senders, bursts as measured, and bursts carried on from a source.

Whoever deals tuples in turn are the instances of the operators upstream: as many as run, by the load, else as many as
a utilisation of 75% takes. They do not follow the counts that an estimate or a plan asks about: an operator's wait
depends on its own processors alone, and one processor more never lengthens any wait.

Bursts of an operator that were not measured follow from those upstream (Whitt's QNA 1983, at each length of time t),
where the bursts of some operator fed from outside are measured:

    split by q:  1 − q + q·I       q tuples each:  q·I          (in between: q·I + f(1 − f)/q, f = q − ⌊q⌋)
    departures:  (1 − h)·I + h·(1 + (max(s, 0.2) − 1)/√k),   h = ρ²/(1 + t·kμ(1 − ρ)²): for long t it is I
    joined:      1 − w + w·Σ pⱼIⱼ,  w = 1/(1 + 4(1 − ρ)²(1/Σ pⱼ² − 1))
"""

from collections.abc import Mapping, Sequence
from math import floor
from typing import NamedTuple

import numpy as np

from planner.arrays import Floats
from planner.queueing.queueings import PLAIN, Inflow, weigh_turns
from planner.values import SHARED, IdcPoint, Load, Operator, OperatorLoad, Topology

USUAL_UTILISATION = 0.75
MOST_SWEEPS = 20
CLOSE = 1e-9


class Stream(NamedTuple):
    """Tuples per second from one operator (None: from outside), and the instances that send them."""

    source: str | None
    rate: float
    senders: float
    selectivity: float = 1.0


class Station(NamedTuple):
    """An operator under its load, with as many processors as run, or as usually would."""

    operator: Operator
    measured: OperatorLoad
    arrival_rate: float
    processors: float

    @property
    def free(self) -> float:
        """1 − ρ, at least 1%."""
        mu = self.measured.service_rate or 1.0
        return max(1.0 - self.arrival_rate / mu / self.processors, 0.01)


def find_inflows(topology: Topology, load: Load, arrival_rates: Sequence[float]) -> list[Inflow] | None:
    """The inflow of each operator in topology order; None where all have one queue and nothing is known of bursts."""
    operators = topology.operators
    is_plain = all(operator.queueing in {None, SHARED} for operator in operators)
    if is_plain and not any(load.operators[operator.name].arrival_idc for operator in operators):
        return None
    stations = find_stations(topology, load, arrival_rates)
    streams = find_streams(topology, stations)
    carried = carry_bursts(stations, streams)
    return [
        make_inflow(station, count_senders(streams[name]), carried.get(name, ()))
        for name, station in stations.items()
    ]


def make_inflow(station: Station, senders: float, carried: tuple[IdcPoint, ...]) -> Inflow:
    """One operator's inflow, PLAIN where that is all that is known."""
    queueing = station.operator.queueing or SHARED
    idc = station.measured.arrival_idc or carried
    if queueing == SHARED:
        return Inflow(idc=idc) if idc else PLAIN
    return Inflow(queueing, senders, idc, station.measured.instances)


def find_stations(topology: Topology, load: Load, arrival_rates: Sequence[float]) -> dict[str, Station]:
    """The operators by name."""
    stations = {}
    for operator, rate in zip(topology.operators, arrival_rates, strict=True):
        measured = load.operators[operator.name]
        usual = max(rate / (measured.service_rate or 1.0) / USUAL_UTILISATION, 1.0)
        stations[operator.name] = Station(operator, measured, rate, float(measured.processors or usual))
    return stations


def find_streams(topology: Topology, stations: Mapping[str, Station]) -> dict[str, list[Stream]]:
    """What reaches each operator: its edges, and from outside what these do not bring."""
    streams: dict[str, list[Stream]] = {name: [] for name in stations}
    for edge in topology.edges:
        source = stations[edge.source]
        rate = source.arrival_rate * edge.selectivity
        if rate > 0.0:
            streams[edge.target].append(Stream(edge.source, rate, source.processors, edge.selectivity))
    for name, station in stations.items():
        outside = station.arrival_rate - sum([stream.rate for stream in streams[name]])
        if outside > CLOSE * station.arrival_rate:
            streams[name].append(Stream(None, outside, 1.0))
    return streams


def count_senders(streams: Sequence[Stream]) -> float:
    """v = 1/Σ pᵤ² over all instances that send."""
    total = sum([stream.rate for stream in streams])
    if total <= 0.0:
        return 1.0
    return max(1.0, 1.0 / sum([(stream.rate / total) ** 2 / stream.senders for stream in streams]))


def carry_bursts(
    stations: Mapping[str, Station], streams: Mapping[str, Sequence[Stream]]
) -> dict[str, tuple[IdcPoint, ...]]:
    """I(t) of the operators of whose arrivals nothing is measured, where a source's bursts are; else nothing."""
    sources = [name for name, found in streams.items() if any(stream.source is None for stream in found)]
    measured = [stations[name].measured.arrival_idc for name in sources]
    windows = sorted({point.window_seconds for points in measured for point in points})
    unknown = [
        name
        for name, station in stations.items()
        if not station.measured.arrival_idc and station.measured.arrival_scv is None and streams[name]
    ]
    if not windows or not unknown:
        return {}
    seconds = np.array(windows)
    known = {name: read_dispersion(station.measured, seconds) for name, station in stations.items()}
    for _ in range(MOST_SWEEPS):
        before = {name: known[name] for name in unknown}
        for name in unknown:
            known[name] = join_streams(stations, streams[name], known, seconds, stations[name].free)
        if all(np.allclose(before[name], known[name], rtol=1e-6) for name in unknown):
            break
    return {
        name: tuple(map(IdcPoint, windows, known[name].tolist()))
        for name in unknown
        if len(windows) > 1 and any(stream.source is not None for stream in streams[name])
    }


def read_dispersion(measured: OperatorLoad, seconds: Floats) -> Floats:
    """I(t) as measured, else the SCV of single gaps, else 1."""
    if measured.arrival_idc:
        windows, levels = zip(*measured.arrival_idc, strict=True)
        return np.asarray(np.interp(np.log(seconds), np.log(windows), levels))
    return np.full(len(seconds), 1.0 if measured.arrival_scv is None else measured.arrival_scv)


def join_streams(
    stations: Mapping[str, Station],
    streams: Sequence[Stream],
    known: Mapping[str, Floats],
    seconds: Floats,
    free: float,
) -> Floats:
    """I(t) of several streams together."""
    total = sum([stream.rate for stream in streams])
    joined, squares = np.zeros(len(seconds)), 0.0
    for stream in streams:
        part = stream.rate / total
        squares += part * part
        if stream.source is None:
            joined += part
        else:
            left = depart(stations[stream.source], known[stream.source], seconds)
            joined += part * split(left, stream.selectivity)
    mixed = weigh_turns(free, max(1.0 / squares, 1.0))
    return np.asarray(mixed + (1.0 - mixed) * joined)


def depart(station: Station, arriving: Floats, seconds: Floats) -> Floats:
    """I(t) of what leaves an operator."""
    service_scv = 1.0 if station.measured.service_scv is None else station.measured.service_scv
    served = 1.0 + (max(service_scv, 0.2) - 1.0) / station.processors**0.5
    capacity = station.processors * (station.measured.service_rate or 1.0)
    weight = (1.0 - station.free) ** 2 / (1.0 + seconds * capacity * station.free**2)
    return np.asarray((1.0 - weight) * arriving + weight * served)


def split(leaving: Floats, selectivity: float) -> Floats:
    """I(t) on an edge that sends ⌊q⌋ tuples for each, and one more with the probability of the rest."""
    rest = selectivity - floor(selectivity)
    return np.asarray(selectivity * leaving + rest * (1.0 - rest) / selectivity)
