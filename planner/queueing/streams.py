"""The streams that reach each operator: who sends, in which batches, and how much can be sent at most.

The instances upstream deal tuples in turn: as many as run by the load, else as many as a utilisation of 75% needs.
Their number does not follow the counts of an estimate or a plan: an operator's wait depends on its own processors
alone, and one processor more never lengthens any wait. The capacity upstream is the capacity of the running
processors, because bursts were measured under it; it has no bound where the load has no running processors.
"""

from collections.abc import Mapping, Sequence
from math import inf

import numpy as np

from planner.arrays import Floats
from planner.queueing.queueings import KEYED, EmittedBatch, Station, Stream
from planner.topology.flow import settle_topology
from planner.topology.network import Network, find_shares
from planner.values import SHARED, Load, Topology

USUAL_UTILISATION = 0.75
MOST_SWEEPS = 30
MOST_INVERTED = 400
CLOSE, CHANCE = 1e-9, 0.05
"""Where the external stream does not enter, so much more than edges bring is the chance of measured rates."""


def is_erlang(topology: Topology, load: Load) -> bool:
    """Whether all operators have one queue, and nothing is known of bursts."""
    measured = load.operators
    for operator in topology.operators:  # plain, since every plan asks
        queueing = operator.queueing
        if (queueing is not None and queueing != SHARED) or measured[operator.name].arrival_idc:
            return False
    return True


def find_stations(topology: Topology, load: Load, arrival_rates: Sequence[float]) -> dict[str, Station]:
    """The operators by name, with the streams that reach them: of edges, and from outside what these do not bring."""
    stations = {}
    for operator, rate in zip(topology.operators, arrival_rates, strict=True):
        measured = load.operators[operator.name]
        usual = max(rate / (measured.service_rate or 1.0) / USUAL_UTILISATION, 1.0)
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
    """v = 1/Σ pᵤ² over all instances that send."""
    total = sum([stream.rate for stream in streams])
    if total <= 0.0:
        return 1.0
    return max(1.0, 1.0 / sum([(stream.rate / total) ** 2 / stream.senders for stream in streams]))


def find_batches(station: Station) -> tuple[EmittedBatch, ...]:
    """The streams of which more than one tuple comes at a time."""
    return tuple(
        [
            EmittedBatch(stream.rate / station.arrival_rate, stream.selectivity)
            for stream in station.streams
            if stream.source is not None and stream.selectivity > 1.0
        ]
    )


def find_capacities(stations: Mapping[str, Station]) -> dict[str, float]:
    """Tuples per second that can reach each operator: Σ selectivity × what its source can send."""
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
    """C = E[c²]/E[c] of each operator, c the tuples that derive there from one root.

    With M = (I − Gᵀ)⁻¹ and v = Me, Var c = diag(M D Mᵀ), Djj = Σᵢ vᵢfᵢⱼ(1 − fᵢⱼ), f the rests of the selectivities.
    Where there are more than MOST_INVERTED operators, none is known.
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
    """G[i, j] = selectivity(i → j)."""
    gains = np.diag(np.array(network.loops, np.float64))
    for i, targets in enumerate(network.successors):
        for j, selectivity in zip(targets, network.selectivities[i], strict=True):
            gains[i, j] += selectivity
    return gains
