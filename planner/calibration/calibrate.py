"""The factors by which measured waits correct modelled ones, operator by operator.

Each measured wait is compared with the wait modelled from the rates, SCVs and processors of its own interval, under the
queueing of the topology. Only the wait is scaled, never the service. If the total time and some waits are measured, the
operators without a measured wait share one factor (planner.calibration.modelled_waits.see_rest).
"""

from collections.abc import Sequence
from dataclasses import dataclass, replace

from planner.calibration.modelled_waits import (
    Gap,
    Interval,
    ModelledInterval,
    model_intervals,
    see_rest,
    see_wait,
)
from planner.calibration.shrunk_ratio import LARGEST, SMALLEST, SeenWait, shrink_ratio
from planner.values import Diagnostic, Load, Model, Topology
from planner.wording import join_names, write_factor, write_percent


@dataclass(frozen=True, slots=True)
class WaitCalibration:
    """The calibration of one operator by its measured waits; without a factor, `gap` is the reason.

    `ratio` is measured over modelled wait before it was shrunk, `shrinkage` the part of its logarithm that is kept,
    `scatter` the relative deviation of the intervals from the ratio. `first` and `last` are the places of the oldest
    and the newest interval used. `is_of_total`: the factor was computed from the total time less the measured waits.
    """

    operator: str
    factor: float | None = None
    ratio: float | None = None
    intervals: int = 0
    first: int = 0
    last: int = 0
    scatter: float | None = None
    shrinkage: float | None = None
    is_bounded: bool = False
    is_of_total: bool = False
    gap: Gap | None = None


def calibrate(
    topology: Topology, load: Load, intervals: Sequence[Interval], model: Model
) -> tuple[WaitCalibration, ...]:
    """One calibration per operator from the newest intervals; `load` fills in the values that an interval lacks.

    `intervals` are in order of time, the oldest first.
    """
    if not any(is_measured(one.load) for one in intervals):
        return tuple([WaitCalibration(one.name, gap="not-measured") for one in topology.operators])
    modelled = model_intervals(topology, load, intervals, model)
    found = [
        calibrate_operator(operator.name, place, modelled)
        for place, operator in enumerate(topology.operators)
    ]
    return share_rest(found, modelled)


def is_measured(load: Load) -> bool:
    """Whether the wait of any operator is measured."""
    return any(one.measured_wait_seconds is not None for one in load.operators.values())


def calibrate_operator(name: str, operator: int, modelled: Sequence[ModelledInterval]) -> WaitCalibration:
    """The calibration of one operator by its own measured waits, or with the reason why it has none."""
    looked = [see_wait(one, operator) for one in modelled]
    seen = [one for one in looked if isinstance(one, SeenWait)]
    if not seen:
        gaps: list[Gap] = [one for one in looked if not isinstance(one, SeenWait) and one != "not-measured"]
        return WaitCalibration(name, gap=gaps[-1] if gaps else "not-measured")
    return describe_ratio(name, seen, is_of_total=False)


def describe_ratio(name: str, seen: Sequence[SeenWait], *, is_of_total: bool) -> WaitCalibration:
    """The calibration of an operator from the intervals in which its measured and modelled waits are known."""
    found = shrink_ratio(seen)
    return WaitCalibration(
        name,
        found.factor,
        found.ratio,
        len(seen),
        seen[0].place,
        seen[-1].place,
        found.scatter,
        found.shrinkage,
        found.is_bounded,
        is_of_total,
    )


def share_rest(
    found: Sequence[WaitCalibration], modelled: Sequence[ModelledInterval]
) -> tuple[WaitCalibration, ...]:
    """The calibrations, where operators without a measured wait share one factor from a measured total time."""
    others = [place for place, one in enumerate(found) if one.gap == "not-measured"]
    looked = [see_rest(one, others) for one in modelled] if others else []
    seen = [one for one in looked if one is not None]
    if not seen:
        return tuple(found)
    shared = describe_ratio("", seen, is_of_total=True)
    return tuple(
        [replace(shared, operator=one.operator) if one.gap == "not-measured" else one for one in found]
    )


def apply_factors(load: Load, calibrations: Sequence[WaitCalibration]) -> Load:
    """The load in which each calibrated operator has the factor of its modelled wait."""
    factors = {one.operator: one.factor for one in calibrations if one.factor is not None}
    if not factors:
        return load
    operators = {
        name: one._replace(wait_factor=factors[name]) if name in factors else one
        for name, one in load.operators.items()
    }
    return replace(load, operators=operators)


REASONS: dict[Gap, str] = {
    "not-measured": "its wait is not measured",
    "processors-unknown": "the measured intervals do not have its number of processors",
    "nothing-arrives": "nothing arrives",
    "unstable": "by the model it could not keep up",
    "hardly-any-wait": "by the model hardly any tuple waits",
}


def describe_calibration(one: WaitCalibration) -> str:
    """Sentences on the factor of one operator: how it was found, and how much it is trusted."""
    assert one.factor is not None
    assert one.ratio is not None
    what = "The rest of the measured total time" if one.is_of_total else "The measured wait"
    times = "one interval" if one.intervals == 1 else f"{one.intervals} intervals"
    scatter = "" if one.scatter is None else f", scattered by {write_percent(one.scatter)}"
    text = f"{what} is {write_factor(one.ratio)} the modelled one in {times}{scatter}"
    text += f"; {write_percent(one.shrinkage or 0.0)} of the difference is kept, the rest may be chance."
    if one.is_bounded:
        text += f" No factor is above {LARGEST:g} or below 1/{1.0 / SMALLEST:g}: the difference has another cause."
    return text


def describe_calibrations(
    topology: Topology, calibrations: Sequence[WaitCalibration]
) -> tuple[Diagnostic, ...]:
    """Diagnostics: one for the factors, and one for operators whose measured waits gave no factor."""
    factors = [one for one in calibrations if one.factor is not None]
    vain = [one for one in calibrations if one.gap not in {None, "not-measured"}]
    said: tuple[Diagnostic, ...] = ()
    if factors:
        names = tuple([one.operator for one in factors])
        said += (Diagnostic("waits-calibrated", describe_factors(topology, factors), names),)
    if vain:
        detail = f"Modelled waits are not corrected by measured waits at {join_gaps(vain)}."
        said += (Diagnostic("waits-not-calibrated", detail, tuple([one.operator for one in vain])),)
    return said


def describe_factors(topology: Topology, factors: Sequence[WaitCalibration]) -> str:
    """Sentences on the factors, and on operators whose factor holds only near the running number of processors."""
    listed = join_names([f"{one.operator} {one.factor:.3g}" for one in factors])
    said = f"Modelled waits are multiplied by factors from measured waits: {listed}."
    assumed = {operator.name for operator in topology.operators if operator.queueing is None}
    unsure = [one.operator for one in factors if one.operator in assumed]
    if unsure:
        said += (
            f" The queueing of {join_names(unsure)} is not stated: if it is not shared, the factor is right only near "
            "the processors that were measured."
        )
    return said


def join_gaps(vain: Sequence[WaitCalibration]) -> str:
    """A list of the operators without a factor, each with its reason."""
    return join_names([f"{one.operator} ({REASONS[one.gap]})" for one in vain if one.gap])
