"""What can go wrong in scheduling VMs, as in planner.errors.

ForecastError              a schedule of VMs cannot be made
├── InvalidMstSamples      a throughput or a number of VMs that cannot be
├── TooFewMstSamples       fewer samples, or fewer different numbers of VMs, than the models need
├── InvalidWorkload        times or rates that are no time series
├── WorkloadTooShort       fewer steps than the forecast's window
├── WorkloadTooSparse      too many of the steps are missing
├── ConstantWorkload       a series without variation: a stuck sensor forecasts nothing
├── InvalidQosTarget       a QoS target outside [0.5, 1)
├── InvalidSchedule        interval, start-up, horizon or VM bounds that contradict each other
└── UnknownPolicy          a scheduling policy of no known name
"""

from dataclasses import dataclass

from planner.errors import PlannerError, suggest_name


class ForecastError(PlannerError):
    """A schedule of VMs cannot be made."""


@dataclass(eq=False)
class InvalidMstSamples(ForecastError):
    """A sample of the maximum sustainable throughput that no measurement can have given."""

    detail: str
    pointer: str = ""

    def __str__(self) -> str:
        return self.detail


@dataclass(eq=False)
class TooFewMstSamples(ForecastError):
    """Too few samples, or too few different numbers of VMs among them, to fit either model with its spread."""

    samples: int
    samples_needed: int
    vm_counts: int
    vm_counts_needed: int

    def __str__(self) -> str:
        return (
            f"{self.samples} samples at {self.vm_counts} different numbers of VMs were given; the models of the "
            f"maximum sustainable throughput need at least {self.samples_needed} samples at "
            f"{self.vm_counts_needed} or more different numbers of VMs: measure more."
        )


@dataclass(eq=False)
class InvalidWorkload(ForecastError):
    """Times or rates that do not make a time series."""

    detail: str
    pointer: str = ""

    def __str__(self) -> str:
        return self.detail


@dataclass(eq=False)
class WorkloadTooShort(ForecastError):
    """The series is shorter than the window that the forecast is fitted on."""

    steps: int
    needed: int

    def __str__(self) -> str:
        return f"The workload has {self.steps} steps; this policy's forecast needs at least {self.needed}: send more."


@dataclass(eq=False)
class WorkloadTooSparse(ForecastError):
    """So many steps are missing that filling them in would invent the series."""

    missing_steps: int
    steps: int
    allowed_share: float

    def __str__(self) -> str:
        return (
            f"{self.missing_steps} of the workload's {self.steps} steps are missing; at most "
            f"{self.allowed_share:.0%} may be: send a fuller series, or a longer step."
        )


@dataclass(eq=False)
class ConstantWorkload(ForecastError):
    """Every measured rate is the same to the last digit."""

    rate: float
    steps: int

    def __str__(self) -> str:
        return (
            f"All {self.steps} rates are exactly {self.rate:.6g}, so there is no variation to forecast from (a stuck "
            "sensor?): send a measured series, or choose a policy without a forecast, such as mst+ua."
        )


@dataclass(eq=False)
class InvalidQosTarget(ForecastError):
    """The QoS target is a probability of at least one half and below 1."""

    qos_target: float
    pointer: str = ""

    def __str__(self) -> str:
        return f"qos_target = {self.qos_target:.6g} must lie in [0.5, 1): 0.95 is usual."


@dataclass(eq=False)
class InvalidSchedule(ForecastError):
    """Parameters of a schedule that contradict each other."""

    detail: str
    pointer: str = ""

    def __str__(self) -> str:
        return self.detail


@dataclass(eq=False)
class UnknownPolicy(ForecastError):
    """A scheduling policy of no known name."""

    policy: str
    known: tuple[str, ...]
    pointer: str = ""

    def __str__(self) -> str:
        known = ", ".join(self.known)
        similar = suggest_name(self.policy, self.known)
        return f"There is no policy {self.policy!r}; the known ones are {known}.{similar}"
