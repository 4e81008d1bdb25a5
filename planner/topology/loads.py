"""How a measured load is checked against its topology, and where processors and SCVs of services come from."""

from collections.abc import Mapping, Sequence
from dataclasses import replace

from planner.errors import InvalidAllocation, InvalidLoad, escape_pointer, suggest_name
from planner.topology.network import Network
from planner.topology.service_scvs import measure_buckets
from planner.values import (
    Diagnostic,
    IdcPoint,
    InstanceLoad,
    Load,
    OperatorLoad,
    ScvEstimate,
    ServiceBucket,
    Topology,
)
from planner.wording import join_names, write_number, write_rate

SMALLEST, MOST = 1e-15, 1e15
"""The smallest rate or time above 0 and the largest: between them no formula of the planner overflows."""
MOST_DISPERSION = 1e9
"""The largest SCV and index of dispersion."""
MOST_PROCESSORS = 1_000_000_000  # up to here the formulas are exact to 1e-11


def check_load(network: Network, load: Load) -> None:
    """Raise InvalidLoad for unknown or missing operators, and for values that cannot be rates."""
    check_number(load.external_rate, "external_rate", least=SMALLEST)
    check_number(load.measured_sojourn_seconds, "measured_sojourn_seconds")
    check_number(load.measured_completion_seconds, "measured_completion_seconds")
    for name, measured in load.operators.items():
        if name not in network.places:
            raise InvalidLoad(
                f"The load has operator {name!r}, which the topology does not have: remove it or correct "
                f"the name.{suggest_name(name, network.names)}",
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
    """Raise InvalidLoad unless the values of one operator are finite and not negative, and its service rate above 0."""
    service_rate = measured.service_rate
    arrival_rate = measured.arrival_rate
    if service_rate is not None and not SMALLEST <= service_rate <= MOST:
        raise InvalidLoad(
            f"service_rate of operator {name!r} is {service_rate}: give a number from {SMALLEST:g} to {MOST:g}.",
            f"/operators/{escape_pointer(name)}/service_rate",
        )
    check_number(arrival_rate, "arrival_rate", name, least=SMALLEST)
    if arrival_rate and not external_rate:
        raise InvalidLoad(
            f"Operator {name!r} receives {write_number(arrival_rate)} tuples/s while external_rate is 0: give the rate "
            "at which the stream enters, or leave the arrival_rate out.",
            f"/operators/{escape_pointer(name)}/arrival_rate",
        )
    check_number(measured.arrival_scv, "arrival_scv", name, most=MOST_DISPERSION)
    check_number(measured.service_scv, "service_scv", name, most=MOST_DISPERSION)
    check_number(measured.measured_wait_seconds, "measured_wait_seconds", name)
    check_number(measured.wait_factor, "wait_factor", name, least=SMALLEST)
    check_number(measured.backlog_tuples, "backlog_tuples", name)
    if measured.arrival_idc:
        check_points(measured.arrival_idc, f"operator {name!r}", f"/operators/{escape_pointer(name)}")
    if measured.instances:
        check_instances(name, measured.instances)
    if measured.service_histogram:
        check_histogram(name, measured.service_histogram)
    if measured.processors is not None and not 1 <= measured.processors <= MOST_PROCESSORS:
        raise InvalidLoad(
            f"Operator {name!r} has {measured.processors} processors: give between 1 and {MOST_PROCESSORS}.",
            f"/operators/{escape_pointer(name)}/processors",
        )


def check_points(points: Sequence[IdcPoint], owner: str, prefix: str) -> None:
    """Raise InvalidLoad unless the windows of an index of dispersion and its values are numbers that can be used."""
    for place, (seconds, idc) in enumerate(points):
        if not (SMALLEST <= seconds <= MOST and 0.0 <= idc <= MOST_DISPERSION):
            raise InvalidLoad(
                f"arrival_idc of {owner} has the index {idc} in windows of {seconds} seconds: give an index from 0 to "
                f"{MOST_DISPERSION:g}, and windows from {SMALLEST:g} to {MOST:g} seconds.",
                f"{prefix}/arrival_idc/{place}",
            )


def check_instances(name: str, instances: Sequence[InstanceLoad]) -> None:
    """Raise InvalidLoad unless the shares of instances are not negative and one is above 0."""
    for place, one in enumerate(instances):
        prefix = f"/operators/{escape_pointer(name)}/instances/{place}"
        if not (one.share == 0.0 or SMALLEST <= one.share <= MOST):
            raise InvalidLoad(
                f"share of instance {one.instance!r} of operator {name!r} is {one.share}: give 0, or a number from "
                f"{SMALLEST:g} to {MOST:g}.",
                f"{prefix}/share",
            )
        check_points(one.arrival_idc, f"instance {one.instance!r} of operator {name!r}", prefix)
    if not any(one.share for one in instances):
        raise InvalidLoad(
            f"No instance of operator {name!r} has a share above 0: give the shares, or leave the instances out.",
            f"/operators/{escape_pointer(name)}/instances",
        )


def check_histogram(name: str, buckets: Sequence[ServiceBucket]) -> None:
    """Raise InvalidLoad unless the buckets of service times are positive times, and some service is counted."""
    if all(SMALLEST <= one.upper_seconds <= MOST for one in buckets) and any(one.services for one in buckets):
        return
    raise InvalidLoad(
        f"service_histogram of operator {name!r} counts no service, or has a bucket outside of {SMALLEST:g} to "
        f"{MOST:g} seconds: give buckets of times between them, with at least one service.",
        f"/operators/{escape_pointer(name)}/service_histogram",
    )


def check_number(
    value: float | None, field: str, operator: str | None = None, least: float = 0.0, most: float = MOST
) -> None:
    """Raise InvalidLoad unless the value is None, 0, or from `least` to `most`; NaN is refused too."""
    if value is None or value == 0.0 or least <= value <= most:
        return
    of, prefix = (
        (f" of operator {operator!r}", f"/operators/{escape_pointer(operator)}") if operator else ("", "")
    )
    raise InvalidLoad(
        f"{field}{of} is {value}: give 0, or a number from {least:g} to {most:g}.",
        f"{prefix}/{field}",
    )


def check_offered_load(name: str, arrival_rate: float, measured: OperatorLoad) -> None:
    """Raise InvalidLoad where λ/μ, the mean number of busy processors, is above MOST_PROCESSORS."""
    assert measured.service_rate is not None  # check_load ran before
    if arrival_rate > MOST_PROCESSORS * measured.service_rate:
        raise InvalidLoad(
            f"Operator {name!r} receives {write_number(arrival_rate)} tuples/s at a service_rate of "
            f"{write_rate(measured.service_rate)}: that keeps more than {MOST_PROCESSORS:,} processors busy, "
            "more than can be planned. Check the units.",
            f"/operators/{escape_pointer(name)}/service_rate",
        )


def find_counts(topology: Topology, load: Load, processors: Mapping[str, int] | None) -> list[int]:
    """The processors of each operator in topology order: `processors` if given, else those that run by the load."""
    names = [operator.name for operator in topology.operators]
    if processors is None:
        found = {name: measured.processors for name, measured in load.operators.items()}
    else:
        found = dict(processors)
        for name in found.keys() - set(names):
            raise InvalidAllocation(
                f"Processors are given for {name!r}, which the topology does not have: remove it or "
                f"correct the name.{suggest_name(name, names)}",
                f"/{escape_pointer(name)}",
            )
    missing = [name for name in names if found.get(name) is None]
    if missing:
        raise InvalidAllocation(
            f"No processors are given for {join_names(missing)}: give them, or a load with the running processors."
        )
    return [check_count(name, found[name]) for name in names]


def check_count(name: str, count: int | None) -> int:
    """The number of processors `count` of an operator; raises InvalidAllocation unless it is from 1 to MOST_PROCESSORS.

    The formulas are exact up to MOST_PROCESSORS.
    """
    if count is None or not 1 <= count <= MOST_PROCESSORS:
        raise InvalidAllocation(
            f"Operator {name!r} is given {count} processors: give between 1 and {MOST_PROCESSORS}.",
            f"/{escape_pointer(name)}",
        )
    return count


def take_configured(topology: Topology, load: Load) -> Load:
    """The load with an SCV of services wherever one is known, and with the topology's capacity_rate.

    Engines such as Flink measure how long services take on average, and not how they vary. A measured SCV wins, then
    that of a measured histogram, then what the topology says. A capacity_rate is said where busy time tells nothing, so
    it replaces the measured service rate and histogram.
    """
    load = take_histograms(load)
    configured = {
        operator.name: operator.service_scv
        for operator in topology.operators
        if operator.service_scv is not None
    }
    unmeasured = {
        name: one._replace(service_scv=configured[name], is_scv_configured=True)
        for name, one in load.operators.items()
        if name in configured and one.service_scv is None
    }
    for operator in topology.operators:
        if operator.capacity_rate is not None:
            one = unmeasured.get(operator.name) or load.operators.get(operator.name, OperatorLoad())
            rate = operator.capacity_rate / operator.concurrency
            unmeasured[operator.name] = one._replace(service_rate=rate, service_histogram=())
    return replace(load, operators={**load.operators, **unmeasured}) if unmeasured else load


def take_histograms(load: Load) -> Load:
    """The load with the SCVs of services that histograms of their times show."""
    found = {
        name: estimate
        for name, one in load.operators.items()
        if one.service_histogram
        and one.service_scv is None
        and (estimate := measure_buckets(one.service_histogram)) is not None
    }
    return estimate_services(load, found) if found else load


def estimate_services(load: Load, found: Mapping[str, ScvEstimate]) -> Load:
    """The load with estimated SCVs of the services of these operators."""
    estimated = {
        name: load.operators[name]._replace(service_scv=min(one.scv, MOST_DISPERSION), scv_estimate=one)
        for name, one in found.items()
    }
    return replace(load, operators={**load.operators, **estimated})


def keep_unjudged(topology: Topology, load: Load) -> tuple[Topology, tuple[Diagnostic, ...]]:
    """The topology in which operators that busy time cannot judge keep the processors that run; and a diagnostic.

    An operator of which the owner states `capacity_rate` or `concurrency` is judged by that.
    """
    floors = {
        one.name: measured.processors
        for one in topology.operators
        if (measured := load.operators.get(one.name)) is not None
        and measured.is_unjudged
        and measured.processors
        and one.capacity_rate is None
        and one.concurrency == 1
    }
    if not floors:
        return topology, ()
    operators = [
        one._replace(
            min_processors=max(
                one.min_processors, min(floors.get(one.name, 1), one.ceiling or MOST_PROCESSORS)
            )
        )
        for one in topology.operators
    ]
    detail = (
        f"How much {join_names(list(floors))} can serve does not show in busy time, so no fewer processors are planned "
        "there than run. State concurrency or capacity_rate, and delay_seconds, of such an operator in the topology."
    )
    return replace(topology, operators=tuple(operators)), (
        Diagnostic("capacity-unjudged", detail, tuple(floors)),
    )
