"""The throttled flow: operators that cannot keep up at max_processors pass on only as much as they serve.

    λ = λ0·e + Gᵀ min(λ, c),   c = max_processors × μ             (after Es-Stream, section V-B: upstream first)

λ are the arrival rates, λ0 the external rate, e the shares of the entries, G the selectivities, and μ the service
rates. The right side is concave and grows with λ, so Newton's iteration from the flow without limits falls to the only
solution: each round fixes the output of the operators above their capacity, and later rounds only release some.
"""

from collections.abc import Sequence
from dataclasses import replace

from planner.arrays import Floats
from planner.queueing.erlang import STABILITY_MARGIN
from planner.queueing.stations import NO_BOUND, Stations
from planner.situations.situation import Situation
from planner.topology.flow import settle_network
from planner.topology.network import Network
from planner.values import Diagnostic
from planner.wording import join_names


def throttle_flow(situation: Situation) -> tuple[Situation, tuple[str, ...]]:
    """The situation with the throttled arrival rates, and the operators that cannot keep up even at max_processors.

    A measured rate is scaled by the same factor as the derived rate of its operator.
    """
    stations, external_rate = situation.stations, situation.load.external_rate
    capacities = [
        most * mu if most < NO_BOUND else float("inf")
        for most, mu in zip(stations.max_processors, stations.service_rate, strict=True)
    ]
    for i in stations.grouped:
        capacities[i] = find_most_served(situation, i)
    if not any(list_over(stations.arrival_rate, capacities)):
        return situation, ()
    network = situation.flow.network
    network = network._replace(shares=[share * external_rate for share in network.shares])
    derived = settle_network(network)
    # A measured rate is `factor` times the derived one; the limit of the derived rate is divided by it.
    factors = [
        rate / free if free else 1.0 for rate, free in zip(stations.arrival_rate, derived, strict=True)
    ]
    limits = [
        most / factor if factor else float("inf") for most, factor in zip(capacities, factors, strict=True)
    ]
    settled = settle_throttled(network, derived, limits)
    rates = [rate * factor for rate, factor in zip(settled, factors, strict=True)]
    throttled = tuple(
        name for name, over in zip(situation.names, list_over(rates, capacities), strict=True) if over
    )
    flow = situation.flow._replace(arrival_rates=rates, visits=[rate / external_rate for rate in rates])
    return situation._replace(flow=flow, stations=replace(stations, arrival_rate=rates)), throttled


def find_most_served(situation: Situation, place: int) -> float:
    """The most tuples per second that an operator with whole groups or bent capacity can serve within its bounds."""
    stations = situation.stations
    inflow = (stations.inflows or ())[place]
    least, most = int(stations.min_processors[place]), int(stations.max_processors[place])
    if inflow.groups is None:  # up to the peak of bent capacity more serve more, and bounds end there
        return float("inf") if most >= NO_BOUND else serve_most(stations, place, most)
    return max([serve_most(stations, place, k) for k in range(least, most + 1)], default=0.0)


def serve_most(stations: Stations, place: int, count: int) -> float:
    """The tuples per second that an operator can serve with so many processors."""
    counts = [1] * len(stations)
    counts[place] = count
    return stations.list_capacities(counts)[place]


def settle_throttled(network: Network, rates: list[float], limits: Sequence[float]) -> list[float]:
    """The arrival rates if each operator passes on at most `limits` tuples per second times its selectivities."""
    over = list_over(rates, limits)
    while True:
        rates = settle_network(cut_outputs(network, over, limits))
        still = [was and now for was, now in zip(over, list_over(rates, limits), strict=True)]
        if still == over:
            return rates
        over = still


def list_over(rates: Sequence[float] | Floats, limits: Sequence[float]) -> list[bool]:
    """Flags of the operators that cannot keep up at their limit, by the margin of planner.queueing.erlang.is_stable."""
    return [rate >= limit * (1.0 - STABILITY_MARGIN) for rate, limit in zip(rates, limits, strict=True)]


def cut_outputs(network: Network, over: Sequence[bool], limits: Sequence[float]) -> Network:
    """The network in which operators above their limit are replaced by sources of a known rate."""
    shares, loops = list(network.shares), list(network.loops)
    successors, selectivities = list(network.successors), list(network.selectivities)
    fan_in = list(network.fan_in)
    for operator, is_over in enumerate(over):
        if not is_over:
            continue
        shares[operator] += limits[operator] * loops[operator]
        loops[operator] = 0.0
        for target, selectivity in zip(successors[operator], selectivities[operator], strict=True):
            shares[target] += limits[operator] * selectivity
            fan_in[target] -= 1
        successors[operator], selectivities[operator] = [], []
    return network._replace(
        shares=shares,
        loops=loops,
        successors=successors,
        selectivities=selectivities,
        fan_in=fan_in,
    )


def describe_throttled(throttled: Sequence[str]) -> tuple[Diagnostic, ...]:
    """A diagnostic that names the operators that cannot keep up at max_processors."""
    if not throttled:
        return ()
    detail = (
        f"Even with all processors that their bounds allow, these operators cannot keep up: {join_names(throttled)}. "
        "Queues grow there, and operators downstream receive only served tuples. Raise the bounds, or lower the load."
    )
    return (Diagnostic("throttled", detail, tuple(throttled)),)
