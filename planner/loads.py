"""Whether a measured load fits the topology it is said to come from."""

from math import inf

from planner.errors import InvalidLoad, escape_pointer, join_names
from planner.graph import Network
from planner.values import Load, OperatorLoad


def check_load(network: Network, load: Load) -> None:
    """Raise InvalidLoad where the load names strangers, leaves operators out, or holds what is no rate."""
    check_number(load.external_rate, "external_rate")
    check_number(load.measured_sojourn_seconds, "measured_sojourn_seconds")
    for name, measured in load.operators.items():
        if name not in network.index:
            raise InvalidLoad(
                f"The load has operator {name!r}, which the topology does not have: remove it or correct "
                "the name.",
                f"/operators/{escape_pointer(name)}",
            )
        check_measured(name, measured, external_rate=load.external_rate)
    missing = [
        name
        for name in network.names
        if name not in load.operators or load.operators[name].service_rate is None
    ]
    if missing:
        raise InvalidLoad(
            f"No service_rate is given for {join_names(missing)}: every operator of the topology needs one.",
            "/operators",
        )


def check_measured(name: str, measured: OperatorLoad, *, external_rate: float) -> None:
    """What was measured at one operator is finite, and not negative; a service rate is more than 0."""
    service_rate = measured.service_rate
    arrival_rate = measured.arrival_rate
    if service_rate is not None and not 0.0 < service_rate < inf:
        raise InvalidLoad(
            f"service_rate of operator {name!r} is {service_rate}: give a finite number above 0.",
            f"/operators/{escape_pointer(name)}/service_rate",
        )
    check_number(arrival_rate, "arrival_rate", name)
    if arrival_rate and not external_rate:
        raise InvalidLoad(
            f"Operator {name!r} receives {arrival_rate:.6g} tuples/s while external_rate is 0: give the rate "
            "at which the stream enters, or leave the arrival_rate out.",
            f"/operators/{escape_pointer(name)}/arrival_rate",
        )
    check_number(measured.arrival_scv, "arrival_scv", name)
    check_number(measured.service_scv, "service_scv", name)


def check_number(value: float | None, field: str, operator: str | None = None) -> None:
    """A measured value is finite and not negative, or was not measured; NaN fails the comparison too."""
    if value is None or 0.0 <= value < inf:
        return
    of, prefix = (
        (f" of operator {operator!r}", f"/operators/{escape_pointer(operator)}") if operator else ("", "")
    )
    raise InvalidLoad(f"{field}{of} is {value}: give a finite number of at least 0.", f"{prefix}/{field}")
