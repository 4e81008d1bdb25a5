"""What can go wrong in scheduling VMs, as in planner.errors.

ForecastError (planner.workloads.errors)
├── InvalidMstSamples      a throughput or a number of VMs that cannot be
├── TooFewMstSamples       fewer samples, or fewer different numbers of VMs, than the models need
├── InvalidQosTarget       a QoS target outside [0.5, 1)
└── UnknownVmPolicy        a scheduling policy of no known name
"""

from planner.errors import suggest_name
from planner.workloads.errors import ForecastError, InvalidForecastArgument


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
