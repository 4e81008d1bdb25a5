"""Workloads, throughput samples and VM schedules as JSON."""

from datetime import datetime
from typing import Annotated, Literal, Self

from pydantic import ConfigDict, Discriminator, Field, JsonValue, Tag, model_validator

from app.described.answers import DiagnosticAnswer
from app.http.fields import Answer, Body, PositiveRate, Rate, Seconds, UtcTime
from planner.vms import throughput as mst
from planner.vms.sigma_policies import HEADGATE
from planner.vms.timing import Timing
from planner.vms.vm_schedule import MOST_INTERVALS, VmQuestion
from planner.workloads import series as workload

MOST_POINTS, MOST_SAMPLES, MOST_VMS, MOST_STEPS = 50_000, 5_000, 1024, 1_000
MOST_READINGS = 10_000

# A measured number that cannot be is refused by the planner, which says what it is of.
Measured = Annotated[float, Field(ge=-1e15, le=1e15)]

SAMPLES: list[JsonValue] = [
    {"observed_at": f"2026-11-17T0{hour}:00:00Z", "vms": vms, "throughput": throughput}
    for hour, (vms, throughput) in enumerate(((3, 43.0), (4, 63.0), (6, 77.0), (8, 106.0), (24, 293.0)))
]
"""Of the example topology's VMs, in external tuples per second."""

SETTLING: JsonValue = {
    "observed_at": "2026-11-17T05:00:00Z",
    "vms": 12,
    "readings": [61.0, 118.0, 149.0, 152.0, 150.0, 151.0, 153.0],
    "convergence": {"k": 4, "n": 5, "tolerance": 0.05},
}
"""The readings of one measurement, from its start on."""

EXAMPLE_WORKLOAD: list[JsonValue] = [
    {"at": f"2026-11-18T00:0{minute}:00Z", "rate": rate}
    for minute, rate in enumerate((9.1, 9.6, 10.4, 11.9, 12.2))
]
EXAMPLE_SAMPLES: list[JsonValue] = [
    {"vms": vms, "throughput": throughput}
    for vms, throughput in ((3, 2.51), (3, 2.65), (4, 3.81), (6, 4.73), (8, 6.34), (8, 6.52), (24, 17.6))
]


class WorkloadPoint(Body):
    """The mean rate of one step; null where it was not measured."""

    at: UtcTime
    rate: Measured | None


class MstSampleBody(Body):
    """The throughput of some VMs: with `saturated`, all that they can; without, what they served with room left."""

    vms: Annotated[int, Field(ge=-MOST_VMS, le=10**6)]
    throughput: Measured
    saturated: bool = True


POLICY_HELP = (
    "`headgate`, or one of Imai et al.: `mst`, `mst+ua`, `mst+ol`, `mst+ua+ol`, and each with `;arma`, or their "
    "numbers 0 to 7. All but the first four need 100 steps of workload."
)
PolicyName = Annotated[str, Field(max_length=100, description=POLICY_HELP)]
QosTarget = Annotated[
    float | None, Field(description="In [0.5, 1). Left out: 0.95, and 0.9875 for `headgate`.")
]
StepSeconds = Annotated[
    float | None, Field(gt=0, le=1e9, description="Left out: the median distance of the workload's times.")
]
Horizon = Annotated[int, Field(ge=1, le=MOST_INTERVALS, description="Intervals to decide on.")]
MaxVms = Annotated[int, Field(ge=1, le=MOST_VMS)]


class Convergence(Body):
    """A throughput has settled when, of the last n readings, k lie within ±tolerance of the one before."""

    k: Annotated[int, Field(ge=1, le=MOST_READINGS)] = 4
    n: Annotated[int, Field(ge=2, le=MOST_READINGS)] = 5
    tolerance: Annotated[float, Field(ge=0, lt=1, description="A share: 0.05 is ±5%.")] = 0.05

    @model_validator(mode="after")
    def _can_be_met(self) -> Self:
        if self.k > self.n:
            raise ValueError(f"k = {self.k} of n = {self.n} readings cannot be: k lies in 1..n")
        return self


class StoredMstSample(Body):
    """A throughput with a time: the same (observed_at, vms) again replaces what was stored.

    Instead of `throughput`, the `readings` of one measurement: stored is the mean of the first n that have settled.
    """

    model_config = ConfigDict(json_schema_extra={"examples": SAMPLES[:1]})

    observed_at: UtcTime
    vms: Annotated[int, Field(ge=1, le=10**6)]
    throughput: PositiveRate | None = None
    readings: Annotated[
        list[Rate] | None,
        Field(min_length=1, max_length=MOST_READINGS, description="Throughputs in the order of time."),
    ] = None
    convergence: Annotated[
        Convergence, Field(description="When `readings` have settled. Left out: 4 of 5 within 5%.")
    ] = Convergence()
    saturated: Annotated[
        bool, Field(description="False: the VMs served this and had room left, so they sustain more.")
    ] = True

    @model_validator(mode="after")
    def _one_of_the_two(self) -> Self:
        if (self.throughput is None) == (self.readings is None):
            raise ValueError("send either `throughput` or the `readings` that it is to be found from")
        return self


def _tell_apart(sent: object) -> str:
    return "list" if isinstance(sent, list) else "one"


# Told apart by hand, so that what is wrong in one sample is not said of the list that it is not.
OneOrMoreSamples = Annotated[
    Annotated[StoredMstSample, Tag("one")]
    | Annotated[list[StoredMstSample], Field(min_length=1, max_length=MOST_SAMPLES), Tag("list")],
    Discriminator(_tell_apart),
]


class StoredMstSamples(Answer):
    """What became of the samples sent."""

    stored: Annotated[int, Field(description="Samples that are new.")]
    replaced: Annotated[int, Field(description="Samples that were known, and now hold what was sent.")]


class MstSampleAnswer(Answer):
    """A stored sample."""

    observed_at: UtcTime
    vms: int
    throughput: float
    saturated: bool


class MstSamplePage(Answer):
    """Samples, oldest first; `next` is the address of the following page."""

    items: list[MstSampleAnswer]
    next: str | None = None


class StoredVmForecastRequest(Body):
    """How many VMs a stored topology will need, by its snapshots' external rates and its throughput samples."""

    model_config = ConfigDict(json_schema_extra={"examples": [{"policy": "mst+ua", "max_vms": 64}]})

    policy: PolicyName = HEADGATE
    qos_target: QosTarget = None
    step_seconds: StepSeconds = None
    interval_seconds: Annotated[Seconds, Field(description="For how long a decision holds.")] = 600.0
    startup_seconds: Annotated[float, Field(ge=0, le=1e9, description="How long a VM takes to start.")] = (
        120.0
    )
    horizon: Horizon = 1
    max_vms: MaxVms = 128


class VmForecastRequest(Body):
    """How many VMs a workload will need, in the unit that its rates and the throughputs share."""

    model_config = ConfigDict(
        json_schema_extra={
            "examples": [{"workload": EXAMPLE_WORKLOAD, "mst_samples": EXAMPLE_SAMPLES, "policy": "mst+ua"}]
        }
    )

    workload: Annotated[list[WorkloadPoint], Field(max_length=MOST_POINTS, description="Oldest first.")]
    mst_samples: Annotated[list[MstSampleBody], Field(max_length=MOST_SAMPLES)]
    policy: PolicyName = HEADGATE
    qos_target: QosTarget = None
    step_seconds: StepSeconds = None
    interval_steps: Annotated[
        int, Field(ge=1, le=MOST_STEPS, description="For how long a decision holds.")
    ] = 10
    startup_steps: Annotated[int, Field(ge=0, le=MOST_STEPS, description="How long a VM takes to start.")] = 2
    horizon: Horizon = 1
    max_vms: MaxVms = 128

    def to_question(self) -> VmQuestion:
        """As the planner has it."""
        measurements = [workload.Measurement(point.at.timestamp(), point.rate) for point in self.workload]
        series = workload.regularise_workload(measurements, self.step_seconds)
        samples = [(one.saturated, mst.MstSample(one.vms, one.throughput)) for one in self.mst_samples]
        return VmQuestion(
            series,
            tuple(sample for saturated, sample in samples if saturated),
            self.policy,
            self.qos_target,
            Timing(self.interval_steps, self.startup_steps, series.step_seconds),
            self.horizon,
            self.max_vms,
            tuple(sample for saturated, sample in samples if not saturated),
        )


class VmIntervalAnswer(Answer):
    """One interval: its VMs, the rate that they cover with the target's probability, and what each doubt costs."""

    begins: datetime = Field(serialization_alias="from")
    ends: datetime = Field(serialization_alias="to")
    vms: int
    expected_rate: float
    covered_rate: float
    probability: float = Field(
        description="That they hold at the highest expected rate; with `headgate`, the share of steps they will."
    )
    meets_target: bool
    vms_for_mean: int = Field(description="Of `vms`, those that the expectation alone would take.")
    vms_for_model: int = Field(description="Those that not knowing the throughput exactly takes on top.")
    vms_for_forecast: int = Field(description="Those that not knowing the workload takes on top.")


class MstModelAnswer(Answer):
    """Model 1: 1/τ = w0 + w1/m + w2 m + w3 m². Model 2: τ = w0 + w1 m - w2 m². Trusted up to `peak_vms`."""

    form: str
    weights: list[float]
    sigma: float
    samples: int
    fewest_vms: int
    most_vms: int
    peak_vms: int


class WorkloadModelAnswer(Answer):
    """What forecast the workload."""

    kind: Literal["arma", "outlook", "last-rate"]
    ar: list[float] = []
    ma: list[float] = []
    mean: float | None = None
    innovation_variance: float | None = None
    aic: float | None = None


class VmForecastAnswer(Answer):
    """A schedule, and the models behind it."""

    policy: str
    qos_target: float
    intervals: list[VmIntervalAnswer]
    mst_model: MstModelAnswer
    workload_model: WorkloadModelAnswer
    diagnostics: list[DiagnosticAnswer]


class Residual(Answer):
    """One sample against the fit."""

    vms: int
    throughput: float
    fitted: float
    residual: float


class CurvePoint(Answer):
    """The fit at one number of VMs; it is trusted up to its maximum, and between the fewest and most measured."""

    vms: int
    throughput: float
    measured_between: bool


class MstModelPage(Answer):
    """The model of a topology's throughput: its fit, its samples, its residuals and where it is trusted."""

    model: MstModelAnswer
    residuals: list[Residual]
    curve: list[CurvePoint]
