"""When are VMs decided on and paid for, what may a decision know, and how does a policy decide? Errors are here too.

ForecastError (planner.workloads.series)
├── InvalidMstSamples      an impossible throughput or number of VMs
├── TooFewMstSamples       fewer samples, or fewer different numbers of VMs, than the models need
├── InvalidQosTarget       a QoS target outside [0.5, 1)
└── UnknownVmPolicy        an unknown name of a scheduling policy
"""

from collections.abc import Sequence
from dataclasses import dataclass, field
from math import ceil
from typing import NamedTuple, Protocol

import numpy as np

from planner.arrays import Floats
from planner.errors import suggest_name
from planner.vms.paid_vms import PaidVms, VmPrices
from planner.wording import write_counted, write_seconds
from planner.workloads.series import (
    ForecastError,
    InvalidForecastArgument,
    InvalidSchedule,
    Window,
    count_day_steps,
)

MOST_BILLING_SECONDS = 31 * 86_400.0
JUDGED_SECONDS = 7 * 86_400.0
"""Of a shorter run chance decides whether it keeps a target."""
JUDGED_MISSES = 10
"""Where a target allows fewer missed steps, chance decides too."""


class InvalidMstSamples(InvalidForecastArgument):
    """A sample of the maximum sustainable throughput has values that no measurement can have given."""


class TooFewMstSamples(ForecastError):
    """There are too few samples, or too few different numbers of VMs among them, to fit a throughput model with its
    spread.
    """

    samples: int
    samples_needed: int
    vm_counts: int
    vm_counts_needed: int

    def __str__(self) -> str:
        were_given = "was given" if self.samples == 1 else "were given"
        return (
            f"{write_counted(self.samples, 'sample')} at {write_counted(self.vm_counts, 'different number')} of VMs "
            f"{were_given}; the models of the maximum sustainable throughput need at least {self.samples_needed} "
            f"samples at {self.vm_counts_needed} or more different numbers of VMs: measure more."
        )


class InvalidQosTarget(ForecastError):
    """The QoS target is not a probability of at least one half and below 1."""

    qos_target: float
    pointer: str = ""

    text = "The QoS target is {self.qos_target:.6g}: it must be at least 0.5 and below 1, such as 0.95."


class UnknownVmPolicy(ForecastError):
    """A request names a scheduling policy that does not exist."""

    policy: str
    known: tuple[str, ...]
    pointer: str = ""

    def __str__(self) -> str:
        known = ", ".join(self.known)
        similar = suggest_name(self.policy, self.known)
        return f"There is no policy {self.policy!r}; the known ones are {known}.{similar}"


@dataclass(frozen=True, slots=True)
class Timing:
    """The lengths of a schedule in steps.

    A decision holds for `interval_steps` (S in Imai et al.); a new VM takes `startup_steps` (U) to start. A start may
    take longer than an interval: several decisions are then under way at once. A VM is paid for whole periods of
    `billing_seconds` from when it serves; None: for what it serves. `prices` are those of several sizes of VMs, where
    there are such.
    """

    interval_steps: int = 10
    startup_steps: int = 2
    step_seconds: float = 60.0
    billing_seconds: float | None = None
    prices: VmPrices | None = None

    @property
    def billing_steps(self) -> int:
        """The steps for which a VM is paid at once, at least 1."""
        return 1 if self.billing_seconds is None else max(ceil(self.billing_seconds / self.step_seconds), 1)

    @property
    def day_steps(self) -> int:
        """The number of steps in a day."""
        return count_day_steps(self.step_seconds)

    @property
    def lead_steps(self) -> int:
        """How many steps before its interval a decision is made; one, if VMs start at once."""
        return max(self.startup_steps, 1)


@dataclass(frozen=True, slots=True)
class Observed:
    """The values that a decision on VMs may know: one number for each past step, oldest first.

    `saturated` is 1 where the VMs were too few. `vms`, `served_rates` and `saturated` may end one step before `rates`:
    the decision is then made at the beginning of the last step. `paid` has for each VM that is paid for how many steps
    after the last of `rates` it still is.
    """

    rates: Floats
    vms: Floats
    served_rates: Floats
    saturated: Floats
    paid: Floats = field(default_factory=lambda: np.zeros(0))


def observe_rates(rates: Floats) -> Observed:
    """Returns the known values of a decision if only rates are known, and no record of VMs."""
    nothing = np.zeros(0)
    return Observed(rates, nothing, nothing, nothing)


@dataclass(frozen=True, slots=True)
class SteeredPrice:
    """The price of an unserved interval, as a number of VMs, and what led to it.

    `mixture` is the place of the mixture that the decision uses. `cap` is the highest price that the target is worth.
    `debt_steps` are the missed steps beyond what may be missed; below 0 they are still allowed. `allowed` is the
    share of steps that may be missed in the coming interval.
    """

    price: float
    cap: float
    mixture: int
    allowed: float
    debt_steps: float

    @property
    def capped(self) -> bool:
        """Whether the price would be higher without its cap."""
        return self.price >= self.cap


@dataclass(frozen=True, slots=True)
class Belief:
    """What a policy believed at its last decision.

    `throughput` is the mean throughput of the VMs that it chose, `missed` the expected share of unserved steps; None if
    the policy does not compute it. `price` is the price that chose the VMs, if one did.
    """

    throughput: float
    missed: float | None = None
    price: SteeredPrice | None = None


class RecordedStep(NamedTuple):
    """A past step of a caller: the VMs that ran, whether they were too few, and the rate that they served, if known."""

    vms: int
    saturated: bool
    served_rate: float | None = None


def observe_record(rates: Floats, record: Sequence[RecordedStep], timing: Timing) -> Observed:
    """Returns the known values of a decision: the rates, and the caller's record of the newest steps."""
    offered, paid = rates[len(rates) - len(record) :], PaidVms(timing.billing_steps, timing.prices)
    served = [
        one.served_rate if one.served_rate is not None else (0.0 if one.saturated else rate)
        for one, rate in zip(record, offered, strict=True)
    ]
    for step, one in enumerate(record):
        paid.follow(step, step + 1, one.vms)
    return Observed(
        rates,
        np.array([one.vms for one in record], dtype=float),
        np.array(served, dtype=float),
        np.array([one.saturated for one in record], dtype=float),
        paid.remaining(len(record)),
    )


class VmPolicy(Protocol):
    """A policy that chooses the VMs of the next interval from the rates and VMs so far."""

    @property
    def reactive(self) -> bool:
        """Whether the policy decides only when an interval begins, so that new VMs are ready late."""
        ...

    def decide_vms(self, observed: Observed, window: Window) -> int:
        """Returns the number of VMs that the coming interval (`window`) needs, from the steps observed so far."""
        ...

    def believe(self, vms: int) -> Belief:
        """Returns what the policy believed at its last decision of `vms` VMs."""
        ...


def check_timing(timing: Timing) -> None:
    """Raises InvalidSchedule unless an interval has a step, a start does not end before it begins, and a step is longer
    than 0 s.
    """
    if timing.interval_steps < 1:
        raise InvalidSchedule(
            f"A decision holds for {write_counted(timing.interval_steps, 'step')}: give at least 1.",
            "/interval_steps",
        )
    if timing.startup_steps < 0:
        raise InvalidSchedule(
            f"A VM takes {timing.startup_steps} steps to start: give at least 0.", "/startup_steps"
        )
    if not timing.step_seconds > 0:
        raise InvalidSchedule(
            f"The step is {timing.step_seconds:.6g} s: give a step above 0 s.", "/step_seconds"
        )
    if timing.billing_seconds is not None and not 0.0 < timing.billing_seconds <= MOST_BILLING_SECONDS:
        raise InvalidSchedule(
            f"VMs are paid for {write_seconds(timing.billing_seconds)} at once: give a time above 0 s, and of at most "
            "31 days.",
            "/billing_seconds",
        )


def check_max_vms(max_vms: int) -> None:
    """Raises InvalidSchedule unless at least one VM is allowed."""
    if max_vms < 1:
        raise InvalidSchedule(f"max_vms is {max_vms}: allow at least 1 VM.", "/max_vms")


def check_qos_target(qos_target: float) -> None:
    """Raises InvalidQosTarget unless the target is at least one half and below 1."""
    if not 0.5 <= qos_target < 1.0:
        raise InvalidQosTarget(qos_target)


def is_judgeable(steps: int, step_seconds: float, qos_target: float | None) -> bool:
    """Returns whether a run is so long that chance does not decide whether it keeps its target (None: it has none)."""
    enough = qos_target is None or (1.0 - qos_target) * steps >= JUDGED_MISSES * (1.0 - 1e-9)
    return enough and steps * step_seconds >= JUDGED_SECONDS
