"""What can go wrong in forecasting a workload, as in planner.errors.

ForecastError              a forecast or a schedule of VMs cannot be made
├── InvalidForecastArgument
│   ├── InvalidWorkload    times or rates that are no time series
│   └── InvalidSchedule    interval, start-up, horizon or VM bounds that contradict each other
├── WorkloadTooShort       fewer steps than the forecast's window
├── WorkloadTooSparse      too many of the steps are missing
├── ConstantWorkload       a series without variation: a stuck sensor forecasts nothing
└── planner.vms.errors     what throughput samples, QoS targets and policies add
"""

from planner.errors import PlannerError


class ForecastError(PlannerError):
    """A forecast or a schedule of VMs cannot be made."""


class InvalidForecastArgument(ForecastError):
    """An argument that no forecast can be made from; `pointer` is the JSON pointer of the part to change."""

    detail: str
    pointer: str = ""


class InvalidWorkload(InvalidForecastArgument):
    """Times or rates that do not make a time series."""


class WorkloadTooShort(ForecastError):
    """The series is shorter than the window that the forecast is fitted on."""

    steps: int
    needed: int

    text = (
        "The workload has {self.steps} steps; this policy's forecast needs at least {self.needed}: send more."
    )


class WorkloadTooSparse(ForecastError):
    """So many steps are missing that most of the series would be filled in."""

    missing_steps: int
    steps: int
    allowed_share: float

    text = (
        "{self.missing_steps:,} of the workload's {self.steps:,} steps are missing; at most "
        "{self.allowed_share:.0%} may be: send a fuller series, or a longer step."
    )


class ConstantWorkload(ForecastError):
    """All measured rates are equal to the last digit."""

    rate: float
    steps: int

    text = (
        "All {self.steps} rates are exactly {self.rate:.6g}, so there is no variation to forecast from (a stuck "
        "sensor?): send a measured series, or choose a policy without a forecast, such as mst+ua."
    )


class InvalidSchedule(InvalidForecastArgument):
    """Parameters of a schedule that contradict each other."""
