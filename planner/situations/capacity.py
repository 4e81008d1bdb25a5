"""Capacity that bends, in answers: how much slower each processor is, and where more would serve less."""

from collections.abc import Sequence

from planner.queueing.instances.scaling import find_peak
from planner.queueing.stations import Stations
from planner.values import Diagnostic, OperatorEstimate, Topology
from planner.wording import write_counted, write_rate


def describe_scaling(
    topology: Topology, stations: Stations, answers: Sequence[OperatorEstimate]
) -> tuple[Diagnostic, ...]:
    """A diagnostic for each operator whose processors slow each other down."""
    rows = zip(topology.operators, stations.service_rate, answers, strict=True)
    said = []
    for operator, alone, one in rows:
        if operator.scaling is None:
            continue
        source = "what its snapshots show" if operator.scaling.is_learned else "its scaling in the topology"
        detail = (
            f"By {source}, one of {write_counted(one.processors, 'processor')} of {one.name} serves "
            f"{write_rate(one.service_rate)}, and one alone {write_rate(float(alone))}."
        )
        peak = find_peak(operator.scaling)
        if peak is not None:
            detail += f" More than {peak} would serve less, and no plan gives more."
        said.append(Diagnostic("capacity-bends", detail, (one.name,)))
    return tuple(said)
