"""The measured intervals that a load was made of, each with what it did not measure filled in from the others."""

from collections.abc import Sequence
from dataclasses import dataclass, replace

from planner.values import Load, OperatorLoad, Topology

# Intervals times operators that are looked at, for some tenths of a second.
MOST_LOOKED_AT = 30_000


@dataclass(frozen=True, slots=True)
class Interval:
    """One measured interval, its weight among the others, and the seconds that it covers; None: not known."""

    load: Load
    weight: float = 1.0
    seconds: float | None = None


def limit_intervals(
    topology: Topology, intervals: Sequence[Interval], most_looked_at: int = MOST_LOOKED_AT
) -> Sequence[Interval]:
    """The newest intervals: as many as make `most_looked_at` with the operators of the topology, and at least one."""
    most = max(1, most_looked_at // max(1, len(topology.operators)))
    return intervals[-most:]


def fill_in(interval: Load, load: Load) -> Load:
    """The interval's load; what it did not measure of an operator is taken from `load`, made of the other intervals.

    Shares of instances are taken only where as many instances ran.
    """
    operators = {}
    for name, other in load.operators.items():
        one = interval.operators.get(name, OperatorLoad())
        instances = one.instances
        if not instances and one.processors == other.processors:
            instances = other.instances
        operators[name] = one._replace(
            service_rate=other.service_rate if one.service_rate is None else one.service_rate,
            arrival_scv=other.arrival_scv if one.arrival_scv is None else one.arrival_scv,
            service_scv=other.service_scv if one.service_scv is None else one.service_scv,
            is_scv_configured=other.is_scv_configured if one.service_scv is None else one.is_scv_configured,
            arrival_idc=one.arrival_idc or other.arrival_idc,
            instances=instances,
            wait_factor=other.wait_factor,
        )
    return replace(interval, operators=operators)
