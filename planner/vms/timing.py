"""The timing of decisions about VMs, the observations that a decision may use, the interface of a policy, and errors.

ForecastError (planner.workloads.series)
├── InvalidMstSamples      an impossible throughput or number of VMs
├── TooFewMstSamples       fewer samples, or fewer different numbers of VMs, than the models need
├── InvalidQosTarget       a QoS target outside [0.5, 1)
└── UnknownVmPolicy        an unknown name of a scheduling policy
"""

from dataclasses import dataclass
from typing import Protocol

import numpy as np

from planner.arrays import Floats
from planner.errors import suggest_name
from planner.workloads.series import (
    ForecastError,
    InvalidForecastArgument,
    InvalidSchedule,
    Window,
    count_day_steps,
)


class InvalidMstSamples(InvalidForecastArgument):
    """A sample of the maximum sustainable throughput that no measurement can have given."""


class TooFewMstSamples(ForecastError):
    """Too few samples, or too few different numbers of VMs among them, to fit either model with its spread."""

    samples: int
    samples_needed: int
    vm_counts: int
    vm_counts_needed: int

    text = (
        "{self.samples} samples at {self.vm_counts} different numbers of VMs were given; the models of the "
        "maximum sustainable throughput need at least {self.samples_needed} samples at "
        "{self.vm_counts_needed} or more different numbers of VMs: measure more."
    )


class InvalidQosTarget(ForecastError):
    """The QoS target is a probability of at least one half and below 1."""

    qos_target: float
    pointer: str = ""

    text = "qos_target = {self.qos_target:.6g} must lie in [0.5, 1): 0.95 is usual."


class UnknownVmPolicy(ForecastError):
    """A scheduling policy of no known name."""

    policy: str
    known: tuple[str, ...]
    pointer: str = ""

    def __str__(self) -> str:
        known = ", ".join(self.known)
        similar = suggest_name(self.policy, self.known)
        return f"There is no policy {self.policy!r}; the known ones are {known}.{similar}"


@dataclass(frozen=True, slots=True)
class Timing:
    """Decide every `interval_steps` (S); new VMs are ready `startup_steps` (U) after they are asked for."""

    interval_steps: int = 10
    startup_steps: int = 2
    step_seconds: float = 60.0

    @property
    def day_steps(self) -> int:
        """The steps of a day."""
        return count_day_steps(self.step_seconds)


@dataclass(frozen=True, slots=True)
class Observed:
    """Every step up to the moment of a decision, oldest first.

    `vms`, `served_rates` and `saturated` may end one step before `rates`: the step that a decision is made for.
    """

    rates: Floats
    vms: Floats
    served_rates: Floats
    saturated: Floats


def observe_rates(rates: Floats) -> Observed:
    """The observation of rates alone, without a record of VMs."""
    nothing = np.zeros(0)
    return Observed(rates, nothing, nothing, nothing)


class VmPolicy(Protocol):
    """A policy that chooses the VMs of the next interval."""

    @property
    def reactive(self) -> bool:
        """Whether it decides when an interval begins, so that new VMs come late, instead of ahead of it."""
        ...

    def decide_vms(self, observed: Observed, window: Window) -> int:
        """The VMs to have in the window."""
        ...


def check_timing(timing: Timing) -> None:
    """Raise InvalidSchedule unless 0 ≤ U < S, as in the paper, and a step has a duration."""
    if not 0 <= timing.startup_steps < timing.interval_steps:
        raise InvalidSchedule(
            f"startup_steps = {timing.startup_steps} must be at least 0 and below interval_steps = "
            f"{timing.interval_steps}: an interval shorter than the start of a VM cannot be scheduled.",
            "/startup_steps",
        )
    if not timing.step_seconds > 0:
        raise InvalidSchedule(f"step_seconds = {timing.step_seconds:.6g} must be above 0.", "/step_seconds")


def check_max_vms(max_vms: int) -> None:
    """Raise InvalidSchedule unless at least one VM is allowed."""
    if max_vms < 1:
        raise InvalidSchedule(f"max_vms = {max_vms} must be at least 1.", "/max_vms")


def check_qos_target(qos_target: float) -> None:
    """Raise InvalidQosTarget unless ρ ∈ [0.5, 1)."""
    if not 0.5 <= qos_target < 1.0:
        raise InvalidQosTarget(qos_target)
