"""How well was a target kept, why were steps missed, and on which days?

A step is missed if its rate is not below the throughput of its VMs. Its cause is the first of these that applies:

    first-hours   it lies in the first six hours, when a forecast knows little
    max-vms       no more VMs were allowed
    scatter       the mean throughput of its VMs is above the rate: that of its interval was below the mean
    belief        the policy believed that the mean throughput of its VMs is above the rate, and it is not
    price         the policy expected to miss more of the interval than the target allows, and took that at its price
    jump          none of these: the rate was not expected
"""

from collections import Counter
from collections.abc import Mapping
from dataclasses import asdict, dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from planner.arrays import Floats
from planner.vms.replay import Capacity, ReplayedRun
from planner.vms.timing import Timing
from planner.wording import write_number
from planner.workloads.accuracy import bound_share

CAUSES = ("jump", "scatter", "belief", "price", "first-hours", "max-vms")
FIRST_HOURS = 6.0
DAY_MARGIN = 0.01
"""A day is listed if its served share is below the target by more than this."""
TARGET, NOTHING = "target", "nothing"
REASONS = {
    TARGET: "the target",
    NOTHING: "nothing, for no step was missed",
    "price": "the price of a missed step",
    "price-cap": "the highest price that the target is worth",
    "max-vms": "the largest number of VMs that is allowed",
    "jump": "rates that were not expected",
    "scatter": "throughputs below their mean",
    "belief": "mean throughputs lower than believed",
    "first-hours": "the first six hours, in which little is known",
}
"""What keeps VMs from serving more, and why steps are missed, in words."""

Places = NDArray[np.intp]


@dataclass(frozen=True, slots=True)
class BadDay:
    """A day of a run, counted from 1, that served too little, and the cause of most of its missed steps."""

    day: int
    served: float
    cause: str


@dataclass(frozen=True, slots=True)
class RunPromise:
    """How a run kept its target; shares lie between 0 and 1.

    `kept_so_far` is the served share of all steps, between `least_kept` and `most_kept` by the chance of so many
    intervals. `kept_with_demand` is the share of the steps whose rate is above 0. `expected` is the served share that
    the policy expected. `debt_steps` are the missed steps beyond the target's. `price` and `price_cap` are those of
    the last decision. `binding` says what kept the run from serving more. `hourly_price` is what
    the VMs cost in the mean, where their sizes have prices.
    """

    kept_so_far: float
    least_kept: float
    most_kept: float
    kept_with_demand: float | None
    expected: float | None
    debt_steps: float | None
    price: float | None
    price_cap: float | None
    binding: str
    misses: dict[str, int]
    days_below: tuple[BadDay, ...]
    hourly_price: float | None = None

    def to_document(self) -> dict[str, Any]:
        """Returns the fields as values that can be stored as JSON."""
        return asdict(self) | {"days_below": [asdict(day) for day in self.days_below]}


def write_debt(steps: float) -> str:
    """A debt in words: `3.75 missed steps more than the target allows`."""
    return (
        f"{write_number(abs(steps))} missed steps {'more' if steps > 0 else 'fewer'} than the target allows"
    )


def read_promise(document: Mapping[str, Any]) -> RunPromise:
    """Returns the promise of which `to_document` gave this document."""
    days = tuple(BadDay(**day) for day in document["days_below"])
    return RunPromise(**(dict(document) | {"days_below": days}))


def judge_run(
    run: ReplayedRun, rates: Floats, capacity: Capacity, timing: Timing, qos_target: float | None
) -> RunPromise:
    """Returns how a replayed run kept its target; a baseline has none (None)."""
    missed = run.throughputs <= rates
    served = 1.0 - float(missed.mean())
    least, most = bound_share(served, max(len(rates) // timing.interval_steps, 1))
    wanted = rates > 0.0
    causes = find_causes(run, rates, capacity, timing, 1.0 if qos_target is None else 1.0 - qos_target)
    counted = Counter(cause for cause in causes.tolist() if cause)
    misses = {cause: counted[cause] for cause in CAUSES}
    steered = run.last_price
    return RunPromise(
        served,
        least,
        most,
        1.0 - float(missed[wanted].mean()) if wanted.any() else None,
        None if np.isnan(run.expected_missed).any() else 1.0 - float(run.expected_missed.mean()),
        None if qos_target is None else float(missed.sum()) - (1.0 - qos_target) * len(rates),
        None if steered is None else steered.price,
        None if steered is None else steered.cap,
        find_binding(misses, len(rates), qos_target),
        misses,
        () if qos_target is None else find_bad_days(missed, causes, timing.day_steps, qos_target),
        run.hourly_price,
    )


def find_causes(
    run: ReplayedRun, rates: Floats, capacity: Capacity, timing: Timing, allowed: float
) -> NDArray[np.str_]:
    """Returns the cause of each missed step, and an empty text for each served step."""
    first = np.arange(len(rates)) * timing.step_seconds < FIRST_HOURS * 3600.0
    means = capacity.means[run.vms.astype(int) - 1]
    conditions = [
        run.throughputs > rates,
        first,
        run.vms >= capacity.max_vms,
        means > rates,
        run.believed > rates,
        run.expected_missed > allowed,
    ]
    names = ["", "first-hours", "max-vms", "scatter", "belief", "price"]
    return np.select(conditions, names, "jump")


def find_binding(misses: dict[str, int], steps: int, qos_target: float | None) -> str:
    """Returns what kept a run from serving more: its target if that is kept, otherwise the cause of most misses."""
    missed = sum(misses.values())
    if missed == 0:
        return NOTHING
    if qos_target is not None and missed <= (1.0 - qos_target) * steps:
        return TARGET
    return max(CAUSES, key=misses.__getitem__)


def find_bad_days(
    missed: NDArray[np.bool_], causes: NDArray[np.str_], day_steps: int, qos_target: float
) -> tuple[BadDay, ...]:
    """Returns the whole days that served less than the target by more than a point, each with its main cause."""
    found = []
    for day in range(len(missed) // day_steps):
        steps = slice(day * day_steps, (day + 1) * day_steps)
        served = 1.0 - float(missed[steps].mean())
        if served < qos_target - DAY_MARGIN:
            (cause, _), *_ = Counter(one for one in causes[steps].tolist() if one).most_common(1)
            found.append(BadDay(day + 1, served, cause))
    return tuple(found)
