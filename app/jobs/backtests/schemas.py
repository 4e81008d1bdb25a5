"""Backtests as JSON: the request, the stored job, its state and its results."""

from datetime import datetime
from typing import Annotated, Literal

from pydantic import Field, JsonValue

from app.jobs.states import JobAnswer
from app.load.bodies import series
from app.load.bodies.answers import DiagnosticAnswer
from app.web.fields import (
    Answer,
    Body,
    MeasuredNumber,
    NextPage,
    OperatorName,
    TopologyName,
    UtcTime,
    show_example,
)
from planner.vms import throughput as mst
from planner.vms.backtest import BacktestSetup
from planner.vms.price_policy import DEFAULT_QOS_TARGET
from planner.vms.sigma_policies import ALL_POLICIES, BASELINES
from planner.vms.timing import Timing

MOST_SEEDS = 50
Vms = Annotated[int, Field(ge=1, le=10**6)]

# The rates and the samples that are stored for a topology.
EXAMPLE: JsonValue = {"topology": "fpd", "policies": ["mst+ua", "headgate"], "seeds": 2}


class BacktestRequest(Body):
    """A workload to replay, the throughputs of the application, and the policies to try.

    Every schedule is judged by all samples; policies are trained only on those at `train_vms`. Send `workload`, or
    the `topology` whose snapshots are the workload.
    """

    model_config = show_example(EXAMPLE)

    workload: series.WorkloadPoints | None = None
    topology: Annotated[
        TopologyName | None, Field(description="The stored topology whose external rates are the workload.")
    ] = None
    since: Annotated[UtcTime | None, Field(description="With `topology`: snapshots from this time on.")] = (
        None
    )
    until: Annotated[UtcTime | None, Field(description="With `topology`: snapshots before this time.")] = None
    workload_name: Annotated[
        OperatorName | None,
        Field(description="The name in the rows; left out: the topology's name, or `workload`."),
    ] = None
    app: Annotated[OperatorName, Field(description="The application of the samples, for the rows.")] = "app"
    mst_samples: Annotated[
        list[series.MstSampleBody] | None,
        Field(
            max_length=series.MOST_SAMPLES,
            description="Left out: the saturated samples stored for `topology`.",
        ),
    ] = None
    policies: Annotated[
        Annotated[list[Annotated[str, Field(max_length=100)]], Field(max_length=100)] | Literal["all"],
        Field(
            description=f"`all` are {', '.join(ALL_POLICIES)}; beside them there are {' and '.join(BASELINES)}."
        ),
    ] = "all"
    seeds: Annotated[int, Field(ge=1, le=MOST_SEEDS, description="The number of runs of each policy.")] = 5
    train_vms: Annotated[
        list[Vms] | None,
        Field(
            min_length=1,
            max_length=1000,
            description="Numbers of VMs whose samples train the policies. Left out: all measured numbers.",
        ),
    ] = None
    scale_peak: Annotated[
        MeasuredNumber | None,
        Field(
            description="Scale the workload to this maximum. Left out: the workload has the unit of the samples.",
        ),
    ] = None
    max_vms: series.MaxVms = 128
    step_seconds: series.StepSeconds = None
    interval_steps: series.IntervalSteps = 10
    startup_steps: series.StartupSteps = 2
    billing_seconds: series.BillingSeconds = None
    vm_sizes: series.VmSizes = []
    qos_target: Annotated[
        series.QosTargetNumber,
        Field(description="The QoS target of the policies of Imai et al., in [0.5, 1)."),
    ] = 0.95
    headgate_qos_target: Annotated[
        series.QosTargetNumber, Field(description="The QoS target of `headgate`, in [0.5, 1).")
    ] = DEFAULT_QOS_TARGET


class BacktestTerms(Answer):
    """The parameters of a backtest, which are stored and answered in the same form."""

    workload_name: str
    app: str
    start_at: datetime
    step_seconds: float
    policies: list[str]
    seeds: int
    train_vms: list[int]
    scale_peak: float | None
    max_vms: int
    interval_steps: int
    startup_steps: int
    billing_seconds: float | None = None
    vm_sizes: list[series.VmSizeBody] = []
    qos_target: float
    headgate_qos_target: float


class BacktestJob(BacktestTerms):
    """A stored backtest with all inputs of its computation, so that its result never changes."""

    rates: list[float]
    samples: list[tuple[int, float]]
    diagnostics: list[DiagnosticAnswer] = []

    def to_setup(self) -> BacktestSetup:
        """Returns the job as the setup that the planner replays."""
        return BacktestSetup(
            workload=self.workload_name,
            app=self.app,
            rates=tuple(self.rates),
            samples=tuple(mst.MstSample(vms, throughput) for vms, throughput in self.samples),
            train_vms=tuple(self.train_vms),
            scale_peak=self.scale_peak,
            max_vms=self.max_vms,
            timing=Timing(
                self.interval_steps,
                self.startup_steps,
                self.step_seconds,
                self.billing_seconds,
                series.to_prices(self.vm_sizes, self.max_vms),
            ),
            qos_target=self.qos_target,
            headgate_qos_target=self.headgate_qos_target,
        )


class BacktestParametersAnswer(BacktestTerms):
    """The parameters of a backtest, without the workload and the samples."""

    steps: int


class BadDayAnswer(Answer):
    """A day of a run, counted from 1, its served share, and the cause of most of its missed steps."""

    day: int
    served: float
    cause: str


class BacktestRunAnswer(Answer):
    """The result of one policy replayed with one seed."""

    policy: str
    workload: str
    app: str
    seed: int
    qos_percent: float = Field(
        description="The share of steps in which the throughput was above the workload."
    )
    cost_to_truth: float = Field(
        description="VM steps, or with `vm_sizes` prices, / those of the schedule that knows the workload."
    )
    cost_to_static: float = Field(description="VM steps / VM steps of a constant schedule for the peak.")
    max_backlog: float = Field(description="The largest backlog, in the workload's rate × seconds.")
    qos_target: float | None = Field(description="The QoS target of the policy; null for a baseline.")
    judgeable: bool = Field(
        description="Whether the run is a week long and the target allows 10 missed steps; else chance decides."
    )
    kept: bool | None = Field(description="Whether `qos_percent` reaches the target; null for a baseline.")
    expected: float | None = Field(None, description="The served share that the policy expected.")
    kept_so_far: float | None = Field(None, description="The served share of all steps.")
    least_kept: float | None = Field(None, description="`kept_so_far` less what chance may do (95%).")
    most_kept: float | None = None
    kept_with_demand: float | None = Field(None, description="The served share where the rate is above 0.")
    debt_steps: float | None = Field(None, description="Missed steps beyond those that the target allows.")
    price: float | None = Field(None, description="The last price of an unserved interval, in VMs.")
    price_cap: float | None = None
    binding: str | None = Field(None, description="`target`, `nothing`, or the cause of most missed steps.")
    misses: dict[str, int] | None = Field(None, description="Missed steps by cause.")
    hourly_price: float | None = Field(None, description="What the VMs cost in the mean, with `vm_sizes`.")
    days_below: list[BadDayAnswer] | None = Field(
        None, description="The days more than a point below the target."
    )


class PolicySummaryAnswer(Answer):
    """The means of a policy's runs so far, and their standard deviations over the seeds (with n − 1).

    A deviation is null for a single run.
    """

    policy: str
    seeds: int
    qos_target_percent: Annotated[
        float | None, Field(description="The QoS target of the policy; null for a baseline.")
    ] = None
    meets_target: Annotated[
        bool | None, Field(description="Whether `qos_percent` reaches the target; null for a baseline.")
    ] = None
    qos_percent: float
    qos_percent_deviation: float | None
    cost_to_truth: float
    cost_to_truth_deviation: float | None
    cost_to_static: float
    cost_to_static_deviation: float | None
    max_backlog: float
    max_backlog_deviation: float | None


class BacktestSummaryAnswer(JobAnswer):
    """The state of a backtest."""

    parameters: BacktestParametersAnswer


class BacktestAnswer(BacktestSummaryAnswer):
    """A backtest with its results so far, which a restart keeps."""

    rows: list[BacktestRunAnswer]
    summary: list[PolicySummaryAnswer]
    diagnostics: list[DiagnosticAnswer]


class BacktestPage(Answer):
    """Backtests, newest first, without their rows."""

    items: list[BacktestSummaryAnswer]
    next: NextPage = None


class RunTraceAnswer(Answer):
    """Every step of a run from `start_at` on; all rates have the unit of the samples."""

    policy: str
    workload: str
    app: str
    seed: int
    qos_percent: float
    cost_to_truth: float
    start_at: datetime
    step_seconds: float
    workload_rates: list[float]
    capacities: list[float]
    vms: list[int]
    truth_vms: list[int]
    backlogs: list[float]
