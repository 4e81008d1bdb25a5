"""How bursts of the external stream travel to operators whose own bursts are not measured.

At each length of time t the count of arrivals at an operator has a part that follows the count of the source, with
amplitude g, and a local part of dispersion L. So streams that were split and join again keep their bursts. λ0 and I0
are the rate and the index of dispersion of the source; a, s, k and ρ are those of a queue; w is the part of the
variability of arrivals that departures keep; φ and Φ are the density and the distribution function of the normal law:

    I(t) = g²·λ0·I0(t)/λ + L(t)
    leaving:  √w·g and w·L + (1 − w)(1 + (s − 1)/√k),   w = w*((1 − ρ)²λt/(ρ(I + s)))       (Whitt and You 2018)
    w*(x) = ((x² + 2x − 1)(2Φ(√x) − 1) + 2φ(√x)√x(1 + x) − x²)/(2x)
    an edge of selectivity q = n + f:  q·g and q·L + f(1 − f)/q, the L of several edges weighted by their rates

Where each processor has a queue, that queue sees λ/k and 1 + (I − 1)/k. Beside simulations the result is as good as
measuring bursts at each operator (docs/how-true-is-et.md).
"""

from collections.abc import Mapping, Sequence
from math import ceil, floor, inf, log2
from typing import NamedTuple

import numpy as np

from planner.arrays import Floats
from planner.queueing.bursts.counted_bursts import find_fastest, grow
from planner.queueing.queueings import Station
from planner.special import ndtr
from planner.topology.flow import order_acyclic, settle_topology
from planner.topology.network import Network
from planner.values import SHARED, IdcPoint, Load, OperatorLoad, Topology

MOST_SWEEPS = 30
MOST_OCTAVES = 60
LARGEST_X = 200.0
MOST_OUTSIDE = 0.5
SHORTEST_GAPS, GAP_OCTAVES = 0.1, 18
LEAST_BURSTY = 2.0
"""An index of dispersion below this value means calm input: it is measured with an error of some tenths."""
LEAST_PART = 1e-9  # of the external stream; an operator that receives less of it says nothing of its bursts


class Part(NamedTuple):
    """The variability of arrivals at an operator: the amplitude of the source's count, and a local dispersion."""

    amplitude: Floats
    local: Floats


class Source(NamedTuple):
    """The external stream: its rate, lengths of time, and the dispersion of its arrivals at each length.

    `is_stated`: the dispersion is that of independent gaps with the SCV of an entry.
    """

    rate: float
    seconds: Floats
    idc: Floats
    is_stated: bool = False


def carry_bursts(
    topology: Topology, load: Load, stations: Mapping[str, Station], *, is_open: bool = False
) -> dict[str, tuple[IdcPoint, ...]]:
    """The index of dispersion I(t) of operators without a measured one, carried on from the external stream.

    The result is empty if no source has a measured I(t). With `is_open`, I(t) is found for all operators that others
    feed, as if bursts passed through each operator unchanged; the result is then at least the measured I(t).
    """
    unknown = [
        name
        for name, one in stations.items()
        if one.arrival_rate and (not one.measured.arrival_idc or (is_open and is_fed(one)))
    ]
    network = settle_topology(topology)[0]
    shares = dict(zip(network.names, network.shares, strict=True))
    source = find_source(load, stations, shares, unknown)
    if source is None or not unknown:
        return {}
    first, rest = order_acyclic(network)
    parts: dict[str, Part] = {}
    for _ in range(MOST_SWEEPS if rest or has_loops(network) else 1):
        before = dict(parts)
        for i in first + rest:
            name = network.names[i]
            parts[name] = arrive(stations, name, shares[name], parts, source, is_open=is_open)
        if before and all(np.allclose(before[name].local, parts[name].local, rtol=1e-6) for name in parts):
            break
    return {
        name: tuple(
            map(IdcPoint, source.seconds.tolist(), find_idc(stations[name], parts[name], source).tolist())
        )
        for name in unknown
        if not source.is_stated or stations[name].measured.arrival_scv is None
    }


def is_calm(stations: Mapping[str, Station], load: Load) -> bool:
    """Whether bursts are measured at all entries and the external stream has none.

    Then bursts inside the topology come from services and batches, and no capacity upstream limits them.
    """
    entries = [one for one in stations.values() if any(stream.source is None for stream in one.streams)]
    measured = [one.measured.arrival_idc or load.external_idc for one in entries]
    levels = [point.idc for points in measured for point in points]
    return all(measured) and max(levels, default=inf) < LEAST_BURSTY


def is_fed(station: Station) -> bool:
    """Whether another operator sends tuples to the operator of this station."""
    return any(stream.source is not None for stream in station.streams)


def has_loops(network: Network) -> bool:
    """Whether some operator of the network sends tuples to itself."""
    return any(network.loops)


def find_source(
    load: Load, stations: Mapping[str, Station], shares: Mapping[str, float], unknown: Sequence[str]
) -> Source | None:
    """The external stream with its bursts, from the operator with measured bursts that receives most of the stream.

    Most of its arrivals must come from outside; arrivals through a loop vary like the stream. If there is no such
    operator, the bursts are those counted of the stream itself, or else follow from an entry's stated SCV of gaps.
    """
    fed = [
        one
        for name, one in stations.items()
        if shares[name] and one.arrival_rate and find_outside(one) >= MOST_OUTSIDE * one.arrival_rate
    ]
    entries = [one for one in fed if one.measured.arrival_idc]
    is_stated = not entries and not load.external_idc
    if is_stated:
        entries = [one for one in fed if states_scv(one.measured)]
    if not load.external_rate or not (entries or load.external_idc):
        return None
    points, part, rest = load.external_idc, 1.0, 0.0
    if entries:
        entry = max(entries, key=find_outside)
        points = list_points(entry) if is_stated else entry.measured.arrival_idc
        part = entry.arrival_rate / load.external_rate
        rest = round_rest(shares[entry.operator.name])
    if part < LEAST_PART:
        return None
    shortest = (
        min([1.0 / stations[name].service_rate for name in unknown], default=points[0].window_seconds) / 2
    )
    begin = min(points[0].window_seconds, shortest)
    octaves = min(max(ceil(log2(points[-1].window_seconds / begin)), 1), MOST_OCTAVES)
    seconds = points[-1].window_seconds * 2.0 ** -np.arange(octaves, -1, -1.0)
    windows, levels = zip(*points, strict=True)
    seen = np.interp(np.log(seconds), np.log(windows), levels)
    return Source(load.external_rate, seconds, np.maximum((seen - rest) / part, 0.0), is_stated)


def states_scv(measured: OperatorLoad) -> bool:
    """Whether the SCV of an operator's arrivals is known, and is not that of arrivals at random."""
    return measured.arrival_scv not in (None, 1.0)


def passes_scv_on(topology: Topology, load: Load) -> bool:
    """Whether the SCV of gaps is known at an operator where tuples enter, and unknown at one that others feed."""
    stated = [name for name, one in load.operators.items() if states_scv(one)]
    fed = {edge.target for edge in topology.edges if edge.source != edge.target}
    entries = {entry.operator for entry in topology.entries} or load.operators.keys() - fed
    return not entries.isdisjoint(stated) and any(load.operators[name].arrival_scv is None for name in fed)


def list_points(entry: Station) -> tuple[IdcPoint, ...]:
    """I(t) of independent gaps with the SCV of arrivals at an entry, from a tenth of a gap to 10,000 gaps."""
    excess = (entry.measured.arrival_scv or 0.0) - 1.0
    windows = SHORTEST_GAPS * 2.0 ** np.arange(0.0, GAP_OCTAVES) / entry.arrival_rate
    levels = 1.0 + excess * grow(find_fastest(excess, entry.arrival_rate) * windows)
    return tuple(map(IdcPoint, windows.tolist(), levels.tolist()))


def find_outside(station: Station) -> float:
    """Tuples per second that an operator receives from outside."""
    return sum([stream.rate for stream in station.streams if stream.source is None])


def arrive(
    stations: Mapping[str, Station],
    name: str,
    share: float,
    parts: Mapping[str, Part],
    source: Source,
    *,
    is_open: bool = False,
) -> Part:
    """The variability of the arrivals at an operator from all its streams; measured bursts replace the carried ones."""
    station = stations[name]
    size = len(source.seconds)
    amplitude, local, total = np.full(size, share), np.zeros(size), 0.0
    for stream in station.streams:
        total += stream.rate
        if stream.source is None:
            local += stream.rate * (round_rest(share) if share else 1.0)
        elif stream.source in parts:
            left = (
                parts[stream.source]
                if is_open
                else depart(stations[stream.source], parts[stream.source], source)
            )
            amplitude = amplitude + stream.selectivity * left.amplitude
            local += stream.rate * (stream.selectivity * left.local + round_rest(stream.selectivity))
    part = Part(amplitude, local / total if total else local + 1.0)
    if not station.measured.arrival_idc:
        return part
    windows, levels = zip(*station.measured.arrival_idc, strict=True)
    seen = np.interp(np.log(source.seconds), np.log(windows), levels)
    common = amplitude**2 * source.rate * source.idc / station.arrival_rate if station.arrival_rate else 0.0
    least = (
        part.local if is_open else 0.0
    )  # bursts that are held back now may come, and bursts that begin here remain
    return Part(amplitude, np.maximum(seen - common, least))


def find_idc(station: Station, part: Part, source: Source) -> Floats:
    """The index of dispersion I(t) of the arrivals at an operator, joined from its two parts."""
    if not station.arrival_rate:
        return np.ones(len(source.seconds))
    return np.asarray(part.amplitude**2 * source.rate * source.idc / station.arrival_rate + part.local)


def depart(station: Station, part: Part, source: Source) -> Part:
    """The variability of an operator's departures, from the variability `part` of its arrivals and its services."""
    s = 1.0 if station.measured.service_scv is None else station.measured.service_scv
    is_shared = (station.operator.queueing or SHARED) == SHARED
    servers = station.processors if is_shared else 1.0
    rho = min(station.arrival_rate / station.service_rate / station.processors, 0.999)
    if rho <= 0.0:
        return part
    idc = find_idc(station, part, source)
    seen = idc if is_shared else 1.0 + (idc - 1.0) / station.processors
    rate = station.arrival_rate * servers / station.processors
    kept = keep((1.0 - rho) ** 2 * rate * source.seconds / (rho * np.maximum(seen + s, 0.05)))
    served = max(1.0 + (s - 1.0) / servers**0.5, 0.0)
    return Part(part.amplitude * np.sqrt(kept), kept * part.local + (1.0 - kept) * served)


def keep(x: Floats) -> Floats:
    """The part w*(x) of the variability of arrivals that departures still have; x is the scaled length of time."""
    small = np.clip(x, 1e-9, LARGEST_X)
    root = np.sqrt(small)
    density = np.exp(-small / 2.0) / np.sqrt(2.0 * np.pi)
    curve = (small * small + 2.0 * small - 1.0) * (2.0 * ndtr(root) - 1.0)
    exact = (curve + 2.0 * density * root * (1.0 + small) - small * small) / (2.0 * small)
    return np.where(x > LARGEST_X, 1.0 - 0.5 / np.maximum(x, LARGEST_X), np.clip(exact, 0.0, 1.0))


def round_rest(selectivity: float) -> float:
    """The dispersion f(1 − f)/q that rounding a selectivity q = n + f to whole tuples adds to a stream."""
    rest = selectivity - floor(selectivity)
    return rest * (1.0 - rest) / selectivity
