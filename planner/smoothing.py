"""One load out of several intervals: measurements scatter, and a plan should not (DRS, section IV-A)."""

from collections.abc import Callable, Sequence
from math import fsum

from planner.errors import InvalidLoad, join_names
from planner.values import Diagnostic, Load, OperatorLoad

Average = Callable[[Sequence[float]], float]


def smooth_window(loads: Sequence[Load], size: int) -> tuple[Load, tuple[Diagnostic, ...]]:
    """The mean of the newest `size` intervals, oldest first in `loads`: D = (1/w) Σ d (DRS, section IV-A)."""
    if size < 1:
        raise InvalidLoad(
            f"A window of {size} intervals holds nothing: give a size of at least 1.", "/smoothing/size"
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
            "/smoothing/alpha",
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
    gaps: dict[int, list[tuple[str, str]]] = {}  # intervals that had the value -> its field and operator

    def merge(field: str, operator: str, values: Sequence[float | None]) -> float | None:
        known = [value for value in values if value is not None]
        if known and len(known) < len(values):
            gaps.setdefault(len(known), []).append((field, operator))
        return average(known) if known else None

    operators = {
        name: merge_operator(name, [load.operators.get(name, OperatorLoad()) for load in loads], merge)
        for name in dict.fromkeys(name for load in loads for name in load.operators)
    }
    sojourn = merge("measured_sojourn_seconds", "", [load.measured_sojourn_seconds for load in loads])
    smoothed = Load(average([load.external_rate for load in loads]), operators, sojourn)
    return smoothed, tuple(describe_gap(len(loads), known, gap) for known, gap in sorted(gaps.items()))


def merge_operator(
    name: str,
    measured: Sequence[OperatorLoad],
    merge: Callable[[str, str, Sequence[float | None]], float | None],
) -> OperatorLoad:
    """One operator's measurements over the intervals, each field by itself."""
    return OperatorLoad(
        service_rate=merge("service_rate", name, [one.service_rate for one in measured]),
        arrival_rate=merge("arrival_rate", name, [one.arrival_rate for one in measured]),
        arrival_scv=merge("arrival_scv", name, [one.arrival_scv for one in measured]),
        service_scv=merge("service_scv", name, [one.service_scv for one in measured]),
        processors=next((one.processors for one in reversed(measured) if one.processors is not None), None),
    )


def describe_gap(intervals: int, known: int, gap: Sequence[tuple[str, str]]) -> Diagnostic:
    """Say which values rest on fewer intervals than the others."""
    values = join_names([f"{field} of {operator}" if operator else field for field, operator in gap])
    return Diagnostic(
        "intervals-missing",
        f"Measured in only {known} of the {intervals} intervals, and smoothed over those: {values}.",
        tuple(dict.fromkeys(operator for _, operator in gap if operator)),
    )
