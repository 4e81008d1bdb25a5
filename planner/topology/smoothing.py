"""Smoothing: one load from several measured intervals, so that scattered measurements do not scatter plans.

How fast one of k processors is, how keys spread over k instances, and how long tuples wait depend on k. So an average
takes these values from the intervals with the newest number of processors alone; an interval that does not tell its
number counts as one of them. What arrives does not depend on k, and is averaged over all intervals.
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from math import frexp, fsum, ldexp
from typing import TypeVar

from planner.errors import InvalidLoad
from planner.topology.shapes import Average, merge_histograms, merge_instances, merge_points
from planner.values import Diagnostic, Load, OperatorLoad, ServiceBucket
from planner.wording import join_names, write_counted

Item = TypeVar("Item")


def smooth_window(loads: Sequence[Load], size: int) -> tuple[Load, tuple[Diagnostic, ...]]:
    """The mean of the newest `size` intervals of `loads`, which are the oldest first (DRS, section IV-A)."""
    if size < 1:
        raise InvalidLoad(
            f"A window of {size} intervals smooths nothing: give a size of at least 1.", argument="size"
        )
    load, diagnostics = smooth_loads(loads[-size:], average_evenly, lambda count: [1.0] * count)
    if len(loads) < size:
        short = Diagnostic(
            "fewer-intervals",
            f"The load is smoothed over {write_counted(len(loads), 'interval')}, not {size}: no more were measured.",
        )
        diagnostics = (short, *diagnostics)
    return load, diagnostics


def smooth_ewma(loads: Sequence[Load], alpha: float) -> tuple[Load, tuple[Diagnostic, ...]]:
    """The exponentially weighted mean of the intervals: D = αD' + (1 − α)d from the oldest to the newest interval.

    d is an interval's value, D' the mean before it, and D = d at the first interval (DRS, section IV-A).
    """
    if not 0.0 <= alpha < 1.0:
        raise InvalidLoad(
            f"alpha is {alpha}: give the weight of older intervals, at least 0 (only the newest counts) and below 1.",
            argument="alpha",
        )

    def average_fading(values: Sequence[float]) -> float:
        smoothed = values[0]
        for value in values[1:]:
            smoothed = alpha * smoothed + (1.0 - alpha) * value
        return smoothed

    def weigh(count: int) -> Sequence[float]:
        weights = [(1.0 - alpha) * alpha**age for age in range(count - 1, -1, -1)]
        weights[0] = alpha ** (count - 1)
        return [weight / max(weights) for weight in weights]

    return smooth_loads(loads, average_fading, weigh)


def average_evenly(values: Sequence[float]) -> float:
    """The mean of the values, which may be as large as floats can be."""
    try:
        return fsum(values) / len(values)
    except OverflowError:
        return fsum([value / len(values) for value in values])


def smooth_loads(
    loads: Sequence[Load], average: Average, weigh: Callable[[int], Sequence[float]]
) -> tuple[Load, tuple[Diagnostic, ...]]:
    """The load with each measurement averaged over the intervals that have it; processors and backlogs are the newest.

    `weigh` gives the weights of so many intervals in the average, in proportion to the largest.
    """
    if not loads:
        raise InvalidLoad("There is no interval to smooth: post at least one snapshot.")
    merging = Merging(loads, average, weigh)
    names = dict.fromkeys(name for load in loads for name in load.operators)
    operators = {name: merging.merge_operator(name) for name in names}
    settled = [load for load in loads if is_settled(load, operators)]
    sojourns = [load.measured_sojourn_seconds for load in settled]
    sojourn = merging.merge("measured_sojourn_seconds", "", sojourns)
    completions = [load.measured_completion_seconds for load in settled]
    completion = merging.merge("measured_completion_seconds", "", completions)
    smoothed = Load(average([load.external_rate for load in loads]), operators, sojourn, completion)
    said = merging.describe_gaps() + find_rescales(loads, operators) + find_older_processors(loads, operators)
    return smoothed, said


@dataclass
class Merging:
    """Averages of measurements over intervals, and a record of the values that some intervals lack."""

    loads: Sequence[Load]
    average: Average
    weigh: Callable[[int], Sequence[float]]
    # number of intervals that have a value, and of those that could -> the fields and operators of such values
    gaps: dict[tuple[int, int], list[tuple[str, str]]] = field(default_factory=dict)

    def merge_operator(self, name: str) -> OperatorLoad:
        """The measurements of one operator averaged over the intervals, each field by itself."""
        measured = [load.operators.get(name, OperatorLoad()) for load in self.loads]
        running = next((one.processors for one in reversed(measured) if one.processors is not None), None)
        return OperatorLoad(
            service_rate=self.merge_alike("service_rate", name, measured),
            arrival_rate=self.merge_arrivals(name, [one.arrival_rate for one in measured]),
            arrival_scv=self.merge("arrival_scv", name, [one.arrival_scv for one in measured]),
            service_scv=self.merge_alike("service_scv", name, measured),
            processors=running,
            arrival_idc=self.merge_lists(
                "arrival_idc", name, [one.arrival_idc for one in measured], merge_points
            ),
            instances=self.merge_lists(
                "instances",
                name,
                [one.instances for one in pick_alike(measured, lambda one: bool(one.instances))],
                merge_instances,
            ),
            service_histogram=self.merge_lists(
                "service_histogram",
                name,
                [
                    one.service_histogram
                    for one in pick_alike(measured, lambda one: bool(one.service_histogram))
                ],
                self.weigh_histograms,
            ),
            measured_wait_seconds=self.merge_waits(name, measured, running),
            backlog_tuples=measured[-1].backlog_tuples,
            group_shares=self.merge_groups(name, [one.group_shares for one in measured]),
            is_unjudged=measured[-1].is_unjudged,
            exchange_seconds=measured[-1].exchange_seconds,
        )

    def merge(self, field: str, operator: str, values: Sequence[float | None]) -> float | None:
        """The average of a field's values over the intervals that have the value."""
        known = [value for value in values if value is not None]
        self.note_gap(field, operator, len(known), len(values))
        return self.average(known) if known else None

    def merge_alike(self, field: str, operator: str, measured: Sequence[OperatorLoad]) -> float | None:
        """The average of a field's values over the intervals with as many processors as the newest that has one."""
        alike = pick_alike(measured, lambda one: getattr(one, field) is not None)
        return self.merge(field, operator, [getattr(one, field) for one in alike])

    def note_gap(self, field: str, operator: str, known: int, intervals: int) -> None:
        if 0 < known < intervals:
            self.gaps.setdefault((known, intervals), []).append((field, operator))

    def merge_lists(
        self,
        field: str,
        operator: str,
        lists: Sequence[tuple[Item, ...]],
        merge: Callable[[Sequence[tuple[Item, ...]], Average], tuple[Item, ...]],
    ) -> tuple[Item, ...]:
        """The lists of one measurement, such as buckets or instances, merged over the intervals that have
        such a list.
        """
        known = [one for one in lists if one]
        self.note_gap(field, operator, len(known), len(lists))
        return merge(known, self.average) if known else ()

    def merge_groups(self, operator: str, shares: Sequence[tuple[float, ...]]) -> tuple[float, ...]:
        """The average share of each key group, over the intervals with as many groups as the newest that has any."""
        number = next((len(one) for one in reversed(shares) if one), 0)
        known = [one for one in shares if one and len(one) == number]
        self.note_gap("group_shares", operator, len(known), len(shares))
        return tuple([self.average(column) for column in zip(*known, strict=True)])

    def weigh_histograms(
        self, known: Sequence[tuple[ServiceBucket, ...]], _average: Average
    ) -> tuple[ServiceBucket, ...]:
        return merge_histograms(known, self.weigh(len(known)))

    def merge_waits(
        self, operator: str, measured: Sequence[OperatorLoad], running: int | None
    ) -> float | None:
        """The mean wait of a tuple at an operator over the intervals with the processors that run, W = D(λ·W)/D(λ),
        with D the average over intervals.

        An interval without a measured arrival rate λ takes the λ that the topology gives.
        """
        pairs = [pair for pair in zip(self.loads, measured, strict=True) if is_running(pair[1], running)]
        known = [(load, one, wait) for load, one in pairs if (wait := one.measured_wait_seconds) is not None]
        self.note_gap("measured_wait_seconds", operator, len(known), len(pairs))
        if not known:
            return None
        rates = [one.arrival_rate for _, one, _ in known]
        weights = [rate for rate in rates if rate is not None]
        if len(weights) < len(known):
            weights = [load.external_rate for load, _, _ in known]
        waits = [wait for _, _, wait in known]
        # Only ratios of the weights count: without their power of 2 none overflows.
        exponent = frexp(max(weights))[1]
        weights = [ldexp(weight, -exponent) for weight in weights]
        arrived = self.average(weights)
        if not arrived:
            return self.average(waits)
        return self.average([weight * wait for weight, wait in zip(weights, waits, strict=True)]) / arrived

    def merge_arrivals(self, operator: str, rates: Sequence[float | None]) -> float | None:
        """The average arrival rate of an operator; where intervals lack it, it is scaled with the external rate.

        λ = λ0·D(λ of k)/D(λ0 of k), with D the average over the intervals k that have the value: the visits λ/λ0 stay.
        """
        found = self.merge("arrival_rate", operator, rates)
        if found is None or None not in rates:
            return found
        pairs = zip(self.loads, rates, strict=True)
        beside = self.average([load.external_rate for load, rate in pairs if rate is not None])
        if not beside:
            return None
        return found * (self.average([load.external_rate for load in self.loads]) / beside)

    def describe_gaps(self) -> tuple[Diagnostic, ...]:
        """Diagnostics of the measurements that not all intervals have."""
        return tuple(
            describe_gap(intervals, known, gap) for (known, intervals), gap in sorted(self.gaps.items())
        )


def describe_gap(intervals: int, known: int, gap: Sequence[tuple[str, str]]) -> Diagnostic:
    """A diagnostic of the measurements that only `known` of the intervals have."""
    values = join_names([f"{field} of {operator}" if operator else field for field, operator in gap])
    scaled = (
        " (arrival rates in proportion to external_rate)" if any("arrival_rate" in one for one in gap) else ""
    )
    return Diagnostic(
        "intervals-missing",
        f"Some values are known in only {known} of the {intervals} intervals, over which they are smoothed{scaled}: "
        f"{values}.",
        tuple(dict.fromkeys(operator for _, operator in gap if operator)),
    )


def is_running(measured: OperatorLoad, processors: int | None) -> bool:
    """Whether an operator ran with so many processors in an interval, as far as is known."""
    return processors is None or measured.processors in (None, processors)


def pick_alike(
    measured: Sequence[OperatorLoad], is_known: Callable[[OperatorLoad], bool]
) -> list[OperatorLoad]:
    """The intervals of an operator, oldest first, with as many processors as the newest interval that has a value.

    So a value that is unknown since a rescale is still taken from before it.
    """
    known = [one for one in measured if is_known(one)]
    running = next((one.processors for one in reversed(measured) if one.processors is not None), None)
    if not any(is_running(one, running) for one in known):
        running = next((one.processors for one in reversed(known) if one.processors is not None), None)
    return [one for one in measured if is_running(one, running)]


def is_settled(load: Load, newest: Mapping[str, OperatorLoad]) -> bool:
    """Whether every operator ran in an interval with its newest number of processors, as far as is known."""
    return all(is_running(one, newest[name].processors) for name, one in load.operators.items())


def find_rescales(loads: Sequence[Load], newest: Mapping[str, OperatorLoad]) -> tuple[Diagnostic, ...]:
    """A diagnostic, in a tuple, where operators ran with other numbers of processors in some intervals."""
    rescaled = tuple(
        name
        for name, one in newest.items()
        if not all(is_running(load.operators.get(name, OperatorLoad()), one.processors) for load in loads)
    )
    if not rescaled:
        return ()
    detail = (
        f"The number of processors changed within the {len(loads)} intervals at {join_names(rescaled)}: how long "
        "services and waits take and how keys spread is taken from the intervals since then; rates are from all."
    )
    return (Diagnostic("intervals-rescaled", detail, rescaled),)


def find_older_processors(
    loads: Sequence[Load], operators: Mapping[str, OperatorLoad]
) -> tuple[Diagnostic, ...]:
    """A diagnostic where the newest interval lacks an operator's processors and an older interval has them."""
    newest = loads[-1].operators
    older = tuple(
        name
        for name, one in operators.items()
        if one.processors is not None and newest.get(name, OperatorLoad()).processors is None
    )
    if not older:
        return ()
    detail = (
        f"The newest interval has no number of running processors for {join_names(older)}: the newest interval that "
        "has one is used."
    )
    return (Diagnostic("processors-from-before", detail, older),)
