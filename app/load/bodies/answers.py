"""The answer of an estimate as JSON, with its diagnostics and the stored data that it was computed from."""

from typing import Annotated

from pydantic import Field, computed_field

from app.load.bodies.terms import KnownModel
from app.load.bodies.topology import QueueingName
from app.web.fields import Answer, UtcTime
from planner.placements.vm_acquisition import Purchase
from planner.situations.evidence_wording import describe_evidence
from planner.values import Estimate


class OperatorEstimateAnswer(Answer):
    """The estimate of one operator with its number of processors; a null time is infinite."""

    name: str
    arrival_rate: float
    service_rate: float
    processors: int
    utilisation: float
    wait_seconds: float | None
    sojourn_seconds: Annotated[float | None, Field(description="Wait + service + delay of one visit.")]
    visits: Annotated[float, Field(description="Visits per external tuple.")]
    queueing: QueueingName = "shared"
    hottest_share: Annotated[
        float | None, Field(description="keyed: the part of the arrivals that the busiest instance gets.")
    ] = None
    hottest_utilisation: Annotated[
        float | None, Field(description="keyed: the utilisation of the busiest instance.")
    ] = None
    groups: Annotated[int | None, Field(description="keyed: key groups or partitions, dealt out whole.")] = (
        None
    )
    next_useful_processors: Annotated[
        int | None, Field(description="The next count that serves more; null: none, or groups unknown.")
    ] = None
    concurrency: Annotated[
        int | None, Field(description="A service takes concurrency/service_rate; null: 1.")
    ] = None
    delay_seconds: float | None = None


class DiagnosticAnswer(Answer):
    """A fact about the input data that limits how far the answer can be trusted."""

    code: str
    detail: str
    operators: list[str] = []


class Basis(Answer):
    """The stored data that an answer was computed from."""

    topology: str
    revision: int
    snapshots: int
    first_observed_at: UtcTime
    last_observed_at: UtcTime


class QuantileAnswer(Answer):
    """A quantile: the time within which this part of all external tuples is done."""

    quantile: float
    seconds: float


class SpreadAnswer(Answer):
    """The distribution of a time over external tuples, from `roots` of them drawn at random."""

    mean_seconds: float
    quantiles: list[QuantileAnswer]
    method: str
    roots: int
    seed: int
    known_error: Annotated[
        float | None, Field(description="Relative error of the quantiles, against simulation.")
    ]


class CalibrationAnswer(Answer):
    """The factor by which measured waits of one operator correct modelled ones."""

    operator: str
    factor: Annotated[float, Field(description="Modelled waits are multiplied by this factor.")]
    measured_over_modelled: Annotated[
        float, Field(description="Over all intervals used, each at its own load and processors.")
    ]
    intervals: Annotated[int, Field(description="The number of measured intervals.")]
    first_observed_at: Annotated[
        UtcTime | None, Field(description="Begin of the oldest interval; null: not given.")
    ]
    last_observed_at: Annotated[UtcTime | None, Field(description="Begin of the newest interval.")]
    detail: str


class EvidenceAnswer(Answer):
    """The known error of E[T] for this kind of input."""

    kind: str
    known_error: Annotated[
        float | None, Field(description="Mean relative error of E[T] against simulations of this kind.")
    ]
    measured: list[str]
    assumed: list[str]

    @computed_field  # type: ignore[prop-decorator]  # as Pydantic documents it
    @property
    def detail(self) -> str:
        """How true E[T] is, in a sentence."""
        return describe_evidence(self.kind, self.known_error)


class EstimateAnswer(Answer):
    """E[T]: total time in operators, summed over every tuple that derives from one external tuple."""

    stable: Annotated[bool, Field(description="Whether every operator keeps up.")]
    expected_sojourn_seconds: Annotated[float | None, Field(description="E[T]; null = infinite.")]
    external_rate: float
    processors_total: int
    operators: list[OperatorEstimateAnswer]
    model: KnownModel
    unstable_operators: list[str] = []
    diagnostics: list[DiagnosticAnswer] = []
    total: Annotated[
        SpreadAnswer | None, Field(description="Total work-in-system time, if quantiles were asked for.")
    ] = None
    completion: Annotated[
        SpreadAnswer | None, Field(description="Time until the last derived tuple is finished.")
    ] = None
    evidence: EvidenceAnswer | None = None
    calibration: Annotated[
        list[CalibrationAnswer] | None,
        Field(description="null: no modelled wait was corrected by a measured one."),
    ] = None
    basis: Basis | None = None


def to_estimate_answer(estimate: Estimate) -> EstimateAnswer:
    """The planner's estimate as JSON."""
    return EstimateAnswer.model_validate(estimate._asdict())


class PurchaseAnswer(Answer):
    """The VMs that a rule of acquisition chooses."""

    vms: Annotated[dict[str, int], Field(description="The number of VMs of each size.")]
    slots: int
    hourly_price: float


def to_purchase_answer(bought: Purchase) -> PurchaseAnswer:
    """Returns the VMs to acquire as an answer: how many of each size, their slots and their price."""
    return PurchaseAnswer(
        vms={size.name: count for size, count in bought.counts},
        slots=bought.slots,
        hourly_price=bought.hourly_price,
    )
