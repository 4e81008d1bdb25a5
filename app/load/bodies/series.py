"""Workloads and throughput samples in the body of a request."""

from collections.abc import Iterable, Sequence
from typing import Annotated, Protocol

from pydantic import Field

from app.web.fields import Body, MeasuredNumber, OperatorName, UtcTime
from planner.placements import vm_acquisition
from planner.placements.vm_acquisition import tabulate_prices
from planner.vms.paid_vms import VmPrices
from planner.vms.throughput import MstSample
from planner.vms.timing import MOST_BILLING_SECONDS
from planner.workloads.series import Measurement, Workload, regularise_workload

MOST_SLOTS = 1024
MOST_POINTS, MOST_SAMPLES, MOST_VMS, MOST_STEPS = 50_000, 5_000, 1024, 2_000

SERIES_PROBLEMS = (
    "invalid-mst-samples",
    "too-few-mst-samples",
    "invalid-workload",
    "workload-too-short",
    "workload-too-sparse",
    "constant-workload",
)
"""The problems of a call whose body has a workload and throughput samples."""

# The planner refuses all outside [0.5, 1), and its message says how to write 95%.
QosTargetNumber = Annotated[float, Field(ge=0, le=100)]


class WorkloadPoint(Body):
    """The mean rate of one step; null where it was not measured."""

    at: UtcTime
    rate: MeasuredNumber | None


class MstSampleBody(Body):
    """A throughput of some VMs. `saturated`: it is the most that they can serve; otherwise they had room left."""

    vms: Annotated[int, Field(ge=-MOST_VMS, le=10**6)]
    throughput: MeasuredNumber
    saturated: bool = True


WorkloadPoints = Annotated[list[WorkloadPoint], Field(max_length=MOST_POINTS, description="Oldest first.")]
StepSeconds = Annotated[
    float | None,
    Field(ge=1e-3, le=1e9, description="Left out: the median distance of the workload's times."),
]
IntervalSteps = Annotated[
    int, Field(ge=1, le=MOST_STEPS, description="The number of steps for which a decision holds.")
]
StartupSteps = Annotated[
    int,
    Field(ge=0, le=MOST_STEPS, description="The steps that a VM takes to start, also more than an interval."),
]
BillingSeconds = Annotated[
    float | None,
    Field(
        ge=1,
        le=MOST_BILLING_SECONDS,
        description="A VM is paid for this long at once. Left out: by the second.",
    ),
]
MaxVms = Annotated[int, Field(ge=1, le=MOST_VMS, description="The most VMs that can be scheduled.")]


class VmSizeBody(Body):
    """A VM size that can be acquired."""

    name: OperatorName
    slots: Annotated[
        int,
        Field(
            ge=0,
            le=MOST_SLOTS,
            description="The slots of the VM; profiles and samples are of one slot.",
        ),
    ]
    hourly_price: Annotated[
        MeasuredNumber | None, Field(description="The price, in one currency for all sizes; must be given.")
    ] = None

    def to_values(self) -> vm_acquisition.VmSize:
        """Returns the VM size as a value of the planner."""
        return vm_acquisition.VmSize(self.name, self.slots, self.hourly_price)


VmSizes = Annotated[
    list[VmSizeBody],
    Field(
        max_length=100,
        description="Sizes to buy the cheapest mix of; `vms` are then slots. Left out: one size.",
    ),
]


def to_prices(sizes: Sequence[VmSizeBody], max_vms: int) -> VmPrices | None:
    """Returns what up to `max_vms` slots cost in the cheapest mix of the sizes; None: there are no sizes."""
    return tabulate_prices([size.to_values() for size in sizes], max_vms) if sizes else None


def to_workload(points: Sequence[WorkloadPoint], step_seconds: float | None) -> Workload:
    """The points of a workload as a series with one rate per step."""
    measured = [Measurement(point.at.timestamp(), point.rate) for point in points]
    return regularise_workload(measured, step_seconds)


class Throughput(Protocol):
    """A throughput sample, in a request's body or in the database."""

    @property
    def vms(self) -> int: ...
    @property
    def throughput(self) -> float: ...
    @property
    def saturated(self) -> bool: ...


def take_saturated(samples: Iterable[Throughput]) -> tuple[MstSample, ...]:
    """Of some throughput samples, those that measure the maximum sustainable throughput."""
    return tuple(MstSample(one.vms, one.throughput) for one in samples if one.saturated)


def take_bounds(samples: Iterable[Throughput]) -> tuple[MstSample, ...]:
    """Of some throughput samples, those of VMs with room left: the maximum is at least as high as theirs."""
    return tuple(MstSample(one.vms, one.throughput) for one in samples if not one.saturated)
