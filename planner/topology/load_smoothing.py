"""Smoothing: one load from several measured intervals, so that scattered measurements do not scatter plans."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from math import fsum

from planner.errors import InvalidLoad, join_names
from planner.values import Diagnostic, Load, OperatorLoad

Average = Callable[[Sequence[float]], float]


def smooth_window(loads: Sequence[Load], size: int) -> tuple[Load, tuple[Diagnostic, ...]]:
    """The mean of the newest `size` intervals, oldest first in `loads`: D = (1/w) Σ d (DRS, section IV-A)."""
    if size < 1:
        raise InvalidLoad(
            f"A window of {size} intervals holds nothing: give a size of at least 1.", argument="size"
        )
    load, diagnostics = smooth_loads(loads[-size:], average_evenly)
    if len(loads) < size:
        short = Diagnostic(
            "fewer-intervals",
            f"Smoothed over {len(loads)} intervals: there are no more of the {size} asked for.",
        )
        diagnostics = (short, *diagnostics)
    return load, diagnostics


def smooth_ewma(loads: Sequence[Load], alpha: float) -> tuple[Load, tuple[Diagnostic, ...]]:
    """D = αD' + (1 − α)d from the oldest interval to the newest, D = d at the first (DRS, section IV-A)."""
    if not 0.0 <= alpha < 1.0:
        raise InvalidLoad(
            f"alpha = {alpha} is no weight of the past: give at least 0 (only the newest) and less than 1.",
            argument="alpha",
        )

    def average_fading(values: Sequence[float]) -> float:
        smoothed = values[0]
        for value in values[1:]:
            smoothed = alpha * smoothed + (1.0 - alpha) * value
        return smoothed

    return smooth_loads(loads, average_fading)


def average_evenly(values: Sequence[float]) -> float:
    """The arithmetic mean."""
    return fsum(values) / len(values)


def smooth_loads(loads: Sequence[Load], average: Average) -> tuple[Load, tuple[Diagnostic, ...]]:
    """Average each measurement over the intervals that have it; processors are the newest known."""
    if not loads:
        raise InvalidLoad("There is no interval to smooth: post at least one snapshot.")
    merging = Merging(loads, average)
    names = dict.fromkeys(name for load in loads for name in load.operators)
    operators = {name: merging.merge_operator(name) for name in names}
    sojourn = merging.merge("measured_sojourn_seconds", "", [load.measured_sojourn_seconds for load in loads])
    smoothed = Load(average([load.external_rate for load in loads]), operators, sojourn)
    return smoothed, merging.describe_gaps() + find_older_processors(loads, operators)


@dataclass
class Merging:
    """Averages over intervals, and a record of the values that some intervals lack."""

    loads: Sequence[Load]
    average: Average
    # number of intervals that have a value -> the fields and operators of such values
    gaps: dict[int, list[tuple[str, str]]] = field(default_factory=dict)

    def merge_operator(self, name: str) -> OperatorLoad:
        """One operator's measurements over the intervals, each field by itself."""
        measured = [load.operators.get(name, OperatorLoad()) for load in self.loads]
        newest_first = reversed(measured)
        return OperatorLoad(
            service_rate=self.merge("service_rate", name, [one.service_rate for one in measured]),
            arrival_rate=self.merge_arrivals(name, [one.arrival_rate for one in measured]),
            arrival_scv=self.merge("arrival_scv", name, [one.arrival_scv for one in measured]),
            service_scv=self.merge("service_scv", name, [one.service_scv for one in measured]),
            processors=next((one.processors for one in newest_first if one.processors is not None), None),
        )

    def merge(self, field: str, operator: str, values: Sequence[float | None]) -> float | None:
        """The average over the intervals that have the value."""
        known = [value for value in values if value is not None]
        if known and len(known) < len(values):
            self.gaps.setdefault(len(known), []).append((field, operator))
        return self.average(known) if known else None

    def merge_arrivals(self, operator: str, rates: Sequence[float | None]) -> float | None:
        """As merge; where intervals lack the value, it is scaled with the external rate to keep the visits λ/λ0.

        λ = λ0·D(λ of k)/D(λ0 of k), over the intervals k that have the value.
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
        """Diagnostics of the values that not all intervals have."""
        return tuple(describe_gap(len(self.loads), known, gap) for known, gap in sorted(self.gaps.items()))


def describe_gap(intervals: int, known: int, gap: Sequence[tuple[str, str]]) -> Diagnostic:
    """A diagnostic of the values that only `known` of the intervals have."""
    values = join_names([f"{field} of {operator}" if operator else field for field, operator in gap])
    scaled = (
        " (arrival rates in proportion to external_rate)" if any("arrival_rate" in one for one in gap) else ""
    )
    return Diagnostic(
        "intervals-missing",
        f"Measured in only {known} of the {intervals} intervals, and smoothed over those{scaled}: {values}.",
        tuple(dict.fromkeys(operator for _, operator in gap if operator)),
    )


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
        f"The newest interval does not say how many processors run at {join_names(older)}: an older interval that "
        "does is used."
    )
    return (Diagnostic("processors-from-before", detail, older),)
