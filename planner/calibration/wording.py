"""Calibrations in words: what was measured, how much of it is kept, and what was left as modelled."""

from collections.abc import Sequence

from planner.calibration.calibrate import WaitCalibration
from planner.calibration.modelled_waits import Gap
from planner.calibration.shrunk_ratio import LARGEST, SMALLEST
from planner.values import Diagnostic, Topology
from planner.wording import join_names

MOST_NAMED = 20
REASONS: dict[Gap, str] = {
    "not-measured": "its wait is not measured",
    "processors-unknown": "the measured intervals do not say how many processors ran",
    "nothing-arrives": "nothing arrives",
    "unstable": "by the model it could not keep up",
    "hardly-any-wait": "by the model hardly any tuple waits",
}


def describe_calibration(one: WaitCalibration) -> str:
    """One factor in a sentence or two."""
    assert one.factor is not None
    assert one.ratio is not None
    what = "What the measured total leaves for waits" if one.is_of_total else "The measured wait"
    times = "one interval" if one.intervals == 1 else f"{one.intervals} intervals"
    scatter = "" if one.scatter is None else f", scattered by {one.scatter:.0%}"
    said = f"{what} is {one.ratio:.3g} times the modelled one in {times}{scatter}"
    said += f"; {one.shrinkage or 0.0:.0%} of the difference is kept, the rest may be chance."
    if one.is_bounded:
        said += f" No factor is above {LARGEST:g} or below 1/{1.0 / SMALLEST:g}: the difference has another cause."
    return said


def describe_calibrations(
    topology: Topology, calibrations: Sequence[WaitCalibration]
) -> tuple[Diagnostic, ...]:
    """A diagnostic of the factors, and one of operators that were measured in vain; none where nothing is measured."""
    factors = [one for one in calibrations if one.factor is not None]
    vain = [one for one in calibrations if one.gap not in {None, "not-measured"}]
    said: tuple[Diagnostic, ...] = ()
    if factors:
        names = tuple([one.operator for one in factors])
        said += (Diagnostic("waits-calibrated", describe_factors(topology, factors), names),)
    if vain:
        detail = f"Measured waits correct nothing at {join_gaps(vain)}: there the wait stays as modelled."
        said += (Diagnostic("waits-not-calibrated", detail, tuple([one.operator for one in vain])),)
    return said


def describe_factors(topology: Topology, factors: Sequence[WaitCalibration]) -> str:
    """The factors, and at which operators they hold for about as many processors as run only."""
    listed = join_some([f"{one.operator} {one.factor:.3g}" for one in factors])
    said = f"Modelled waits are multiplied by what measured ones say of them: {listed}."
    assumed = {operator.name for operator in topology.operators if operator.queueing is None}
    unsure = [one.operator for one in factors if one.operator in assumed]
    if unsure:
        said += (
            f" The queueing of {join_names(unsure)} is not said: if it is not shared, the factor is right only near "
            "the processors that were measured."
        )
    return said


def join_gaps(vain: Sequence[WaitCalibration]) -> str:
    """The operators, each with its reason."""
    return join_some([f"{one.operator} ({REASONS[one.gap]})" for one in vain if one.gap])


def join_some(listed: Sequence[str]) -> str:
    """At most MOST_NAMED of them, and how many more there are."""
    more = len(listed) - MOST_NAMED
    return ", ".join(listed[:MOST_NAMED]) + (f" and {more} more" if more > 0 else "")
