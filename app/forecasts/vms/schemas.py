"""Requests and answers of VM forecasts as JSON."""

from datetime import datetime
from typing import Annotated

from pydantic import Field, JsonValue

from app.forecasts.workload.schemas import WorkloadModelAnswer
from app.load.bodies import series
from app.load.bodies.answers import DiagnosticAnswer, PurchaseAnswer
from app.load.throughput_samples.schemas import ThroughputFitAnswer
from app.web.fields import YEAR_SECONDS, Answer, Body, Period, show_example
from planner.vms.sigma_policies import HEADGATE
from planner.vms.vm_schedule import MOST_INTERVALS

EXAMPLE_WORKLOAD: list[JsonValue] = [
    {"at": f"2026-11-18T00:0{minute}:00Z", "rate": rate}
    for minute, rate in enumerate((9.1, 9.6, 10.4, 11.9, 12.2))
]
EXAMPLE_SAMPLES: list[JsonValue] = [
    {"vms": vms, "throughput": throughput}
    for vms, throughput in ((3, 2.51), (3, 2.65), (4, 3.81), (6, 4.73), (8, 6.34), (8, 6.52), (24, 17.6))
]

POLICY_HELP = (
    "`headgate`, or a policy of Imai et al.: `mst`, `mst+ua`, `mst+ol`, `mst+ua+ol`, and each with `;arma`, or their "
    "numbers 0 to 7. All but the first four need 100 steps of workload."
)
PolicyName = Annotated[str, Field(max_length=100, description=POLICY_HELP)]
QosTarget = Annotated[
    series.QosTargetNumber | None,
    Field(description="In [0.5, 1). Left out: 0.95, and 0.9875 for `headgate`."),
]
Horizon = Annotated[int, Field(ge=1, le=MOST_INTERVALS, description="How many intervals the schedule has.")]


class RecordedStepBody(Body):
    """A past step: the VMs that ran, and whether they were too few for its rate."""

    vms: Annotated[int, Field(ge=1, le=1_000_000)]
    saturated: bool
    served_rate: Annotated[
        float | None, Field(ge=0, le=1e15, description="What was served; else it is not known.")
    ] = None


Record = Annotated[
    list[RecordedStepBody],
    Field(
        max_length=series.MOST_POINTS,
        description="The newest steps, oldest first; the last one is the workload's last. With it `headgate` follows "
        "what was missed; without it the answer is a forecast, not a promise.",
    ),
]


class StoredVmForecastRequest(Body):
    """How many VMs a stored topology will need, by its snapshots' external rates and its throughput samples."""

    model_config = show_example({"policy": "mst+ua", "max_vms": 64})

    policy: PolicyName = HEADGATE
    qos_target: QosTarget = None
    step_seconds: series.StepSeconds = None
    interval_seconds: Annotated[Period, Field(description="The time between two decisions.")] = 600.0
    startup_seconds: Annotated[
        float, Field(ge=0, le=YEAR_SECONDS, description="The time that a VM takes to start.")
    ] = 120.0
    horizon: Horizon = 1
    max_vms: series.MaxVms = 128
    billing_seconds: series.BillingSeconds = None
    vm_sizes: series.VmSizes = []
    record: Record = []


class VmForecastRequest(Body):
    """How many VMs a workload will need; rates and throughputs have the same unit."""

    model_config = show_example(
        {"workload": EXAMPLE_WORKLOAD, "mst_samples": EXAMPLE_SAMPLES, "policy": "mst+ua"}
    )

    workload: series.WorkloadPoints
    mst_samples: Annotated[list[series.MstSampleBody], Field(max_length=series.MOST_SAMPLES)]
    policy: PolicyName = HEADGATE
    qos_target: QosTarget = None
    step_seconds: series.StepSeconds = None
    interval_steps: series.IntervalSteps = 10
    startup_steps: series.StartupSteps = 2
    horizon: Horizon = 1
    max_vms: series.MaxVms = 128
    billing_seconds: series.BillingSeconds = None
    vm_sizes: series.VmSizes = []
    record: Record = []


class KeptAnswer(Answer):
    """How the recorded steps kept the target; the same in every row, so that a row can be read alone."""

    kept_so_far: float | None = Field(None, description="The served share of the steps in `record`.")
    binding: str | None = Field(
        None, description="What keeps the schedule from more: `target`, `price`, `price-cap` or `max-vms`."
    )
    judgeable: bool = Field(
        default=False, description="Whether `record` is a week long and the target allows 10 missed steps."
    )


class VmIntervalAnswer(KeptAnswer):
    """The VMs of one interval, the rate that they serve with the probability of the target, and the parts of `vms`."""

    begins: datetime = Field(serialization_alias="from")
    ends: datetime = Field(serialization_alias="to")
    vms: int
    expected_rate: float
    covered_rate: float
    probability: float = Field(
        description="The probability that the VMs serve the interval's highest rate; with `headgate`, the "
        "share of served steps."
    )
    meets_target: bool = Field(
        description="With `headgate`: whether all intervals together meet the target; otherwise whether this one does."
    )
    qos_target: float
    expected: float = Field(description="The same number as `probability`.")
    kept: bool = Field(description="Whether this interval alone reaches `qos_target`.")
    vms_for_mean: int = Field(description="The part of `vms` that the expected rate alone needs.")
    vms_for_model: int = Field(description="VMs added because the throughput is not known exactly.")
    vms_for_forecast: int = Field(description="VMs added because the workload is not known exactly.")
    mix: PurchaseAnswer | None = Field(
        None, description="The cheapest mix of `vm_sizes` with at least `vms` slots."
    )


class VmForecastAnswer(KeptAnswer):
    """How many VMs each coming interval needs, and the models behind the numbers."""

    policy: str
    qos_target: float
    expected: float = Field(
        description="The mean `probability` of the intervals; with `headgate`, the expected share of served steps."
    )
    kept: bool = Field(description="Whether the schedule as a whole is expected to keep `qos_target`.")
    least_kept: float | None = Field(None, description="`kept_so_far` less what chance may do (95%).")
    most_kept: float | None = None
    debt_steps: float | None = Field(None, description="Missed steps beyond those that the target allows.")
    price: float | None = Field(None, description="The price of an unserved interval, in VMs.")
    price_cap: float | None = None
    verdict: str = Field(description="The verdict on the whole schedule, as a sentence.")
    intervals: list[VmIntervalAnswer]
    mst_model: ThroughputFitAnswer
    workload_model: WorkloadModelAnswer
    diagnostics: list[DiagnosticAnswer]
