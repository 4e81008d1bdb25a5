"""The measured load of a topology as JSON, with bursts, shares of instances and histograms of services."""

from collections.abc import Sequence
from typing import Annotated

from pydantic import AfterValidator, Field, JsonValue, ValidationInfo, field_validator

from app.web.fields import (
    Body,
    MeasuredTime,
    OperatorName,
    Period,
    PositiveRate,
    Processors,
    ProcessorsBasis,
    Rate,
    Scv,
    Seconds,
    Share,
    show_example,
)
from planner import values
from planner.queueing.bursts.counted_bursts import Span, find_idc

SHARES_TOLERANCE = 0.01
WIDEST_BUCKET = 10.0  # a wider bucket says too little of the services in it


def check_idc(points: "list[IdcPointBody]") -> "list[IdcPointBody]":
    """The indices of dispersion, sorted by window; refuses fewer than two windows, or two windows of one length."""
    lengths = {point.window_seconds for point in points}
    if len(lengths) < len(points):
        raise ValueError("has the same window_seconds twice: give each length once")
    if len(points) == 1:
        raise ValueError(
            "has only one window_seconds: the growth of bursts with time needs two lengths or more; otherwise "
            "give arrival_scv alone"
        )
    return sorted(points, key=lambda point: point.window_seconds)


def check_shares(instances: "list[InstanceLoadBody]") -> "list[InstanceLoadBody]":
    """The measured instances of an operator; refuses two with one name, and shares that do not add up to 1."""
    if len({one.instance for one in instances}) < len(instances):
        raise ValueError("has the same instance twice: give each once")
    total = sum(one.share for one in instances)
    if instances and abs(total - 1.0) > SHARES_TOLERANCE:
        raise ValueError(
            f"the shares add up to {total:.4g}, not to 1: give all instances, each with its share of the arrivals"
        )
    return instances


def check_groups(shares: list[float]) -> list[float]:
    """The measured shares of groups; refuses shares that do not add up to 1."""
    total = sum(shares)
    if shares and abs(total - 1.0) > SHARES_TOLERANCE:
        raise ValueError(
            f"the shares add up to {total:.4g}, not to 1: give all groups or partitions, each with its share"
        )
    return shares


def check_histogram(buckets: "list[ServiceBucketBody]") -> "list[ServiceBucketBody]":
    """The buckets of service times; refuses upper bounds that do not rise, no service, or a bucket wider than
    a factor of ten.
    """
    previous = 0.0
    for bucket in buckets:
        if bucket.upper_seconds <= previous:
            raise ValueError(
                f"upper_seconds must rise from bucket to bucket: {bucket.upper_seconds:g} does not"
            )
        if bucket.count and previous and bucket.upper_seconds > WIDEST_BUCKET * previous:
            raise ValueError(
                f"has a gap: the bucket up to {bucket.upper_seconds:g} s begins at {previous:g} s. Give the "
                "buckets in between too, with a count of 0 if they had no services"
            )
        previous = bucket.upper_seconds
    if buckets and not any(bucket.count for bucket in buckets):
        raise ValueError("has no service in any bucket: leave it out")
    return buckets


def list_points(points: "Sequence[IdcPointBody]") -> tuple[values.IdcPoint, ...]:
    """The points of an index of dispersion as values of the planner."""
    return tuple([values.IdcPoint(point.window_seconds, point.idc) for point in points])


FPD_MEASURED: dict[str, JsonValue] = {
    "generator": {"service_rate": 80.0, "arrival_scv": 1.0, "service_scv": 1.3, "processors": 6},
    "detector": {"arrival_rate": 1422.2, "service_rate": 130.0, "processors": 13},
    "reporter": {"service_rate": 40.0, "processors": 3},
}
FPD_LOAD: dict[str, JsonValue] = {
    "observed_at": "2026-11-18T00:00:00Z",
    "window_seconds": 60,
    "external_rate": 320.0,
    "measured_sojourn_seconds": 0.41,
    "operators": FPD_MEASURED,
}
PAIR_LOAD: dict[str, JsonValue] = {
    "external_rate": 100.0,
    "operators": {
        "parse": {"service_rate": 40.0, "arrival_scv": 1.2, "service_scv": 0.8, "processors": 4},
        "store": {"service_rate": 30.0, "arrival_scv": 1.1, "service_scv": 1.0, "processors": 5},
    },
}
PAIR_PROCESSORS: dict[str, JsonValue] = {"parse": 4, "store": 5}


class IdcPointBody(Body):
    """The index of dispersion of arrivals in windows of one length."""

    window_seconds: Seconds
    idc: Annotated[
        float, Field(ge=0, le=1e9, description="Variance / mean of the arrivals in such a window.")
    ]


ArrivalIdc = Annotated[
    list[IdcPointBody],
    Field(
        max_length=100,
        description="Bursts, at two lengths of window or more; best doubling, from 1/service_rate.",
    ),
    AfterValidator(check_idc),
]


class InstanceLoadBody(Body):
    """The measurements of one instance of an operator."""

    instance: OperatorName
    share: Annotated[Share, Field(description="The instance's share of the arrivals.")]
    arrival_scv: Scv | None = None
    arrival_idc: ArrivalIdc = []

    def to_values(self) -> values.InstanceLoad:
        """The measurements of the instance as a value of the planner."""
        return values.InstanceLoad(self.instance, self.share, self.arrival_scv, list_points(self.arrival_idc))


class ServiceBucketBody(Body):
    """Services that took at most upper_seconds, and longer than the bucket before."""

    upper_seconds: Seconds
    count: Annotated[int, Field(ge=0, le=2**53)]


class OperatorLoadBody(Body):
    """The measurements of one operator; what was not measured may be left out."""

    service_rate: Annotated[
        PositiveRate | None,
        Field(
            description="Tuples per second that ONE processor serves; a plan needs it; null if nothing was served."
        ),
    ] = None
    arrival_rate: Annotated[Rate | None, Field(description="Left out: computed from the flow.")] = None
    arrival_scv: Annotated[
        Scv | None, Field(description="SCV of the times between arrivals; left out: 1.")
    ] = None
    service_scv: Annotated[Scv | None, Field(description="SCV of the service times; left out: 1.")] = None
    processors: Annotated[Processors | None, Field(description="The number of running processors.")] = None
    processors_basis: ProcessorsBasis | None = None
    arrival_idc: ArrivalIdc = []
    instances: Annotated[
        list[InstanceLoadBody],
        Field(max_length=10_000, description="All instances, or none; their shares add up to 1."),
        AfterValidator(check_shares),
    ] = []
    group_shares: Annotated[
        list[Annotated[float, Field(ge=0, le=1)]],
        Field(max_length=32_768, description="Shares of key groups or partitions in their order; sum 1."),
        AfterValidator(check_groups),
    ] = []
    service_histogram: Annotated[
        list[ServiceBucketBody],
        Field(
            max_length=1000,
            description="In order; empty buckets are needed if a bucket would be too wide otherwise.",
        ),
        AfterValidator(check_histogram),
    ] = []
    measured_wait_seconds: Annotated[
        float | None, Field(ge=0, le=1e15, description="Mean time from arrival to the start of service.")
    ] = None
    served_rate: Annotated[
        Rate | None,
        Field(description="Served per second; below arrival_rate while a backlog grows."),
    ] = None
    backlog_tuples: Annotated[
        float | None,
        Field(
            ge=0,
            le=1e15,
            description="Tuples that wait at the end, such as the lag in Kafka.",
        ),
    ] = None
    exchange_seconds: Annotated[
        float | None, Field(ge=0, le=1e15, description="Mean time in buffers before it.")
    ] = None
    unjudged: Annotated[bool | None, Field(description="Busy time does not show its capacity.")] = None
    back_pressured_share: Annotated[
        float | None,
        Field(
            ge=0,
            le=1,
            description="Part of the time that operators behind it blocked it.",
        ),
    ] = None

    def to_values(self) -> values.OperatorLoad:
        """The operator's load as a value of the planner."""
        one = values.OperatorLoad(
            self.service_rate, self.arrival_rate, self.arrival_scv, self.service_scv, self.processors
        )
        listed = self.arrival_idc, self.instances, self.group_shares, self.service_histogram
        others = self.measured_wait_seconds, self.backlog_tuples
        if not any((*listed, self.unjudged, self.exchange_seconds)) and others == (None, None):
            return one
        by_share = sorted(self.instances, key=lambda instance: (-instance.share, instance.instance))
        return one._replace(
            arrival_idc=list_points(self.arrival_idc),
            instances=tuple([instance.to_values() for instance in by_share]),
            service_histogram=tuple(
                [
                    values.ServiceBucket(bucket.upper_seconds, bucket.count)
                    for bucket in self.service_histogram
                ]
            ),
            measured_wait_seconds=self.measured_wait_seconds,
            backlog_tuples=self.backlog_tuples,
            group_shares=tuple(self.group_shares),
            is_unjudged=bool(self.unjudged),
            exchange_seconds=self.exchange_seconds or 0.0,
        )


class CountedSpan(Body):
    """Tuples that entered from outside in a length of time."""

    seconds: Period
    tuples: Annotated[float, Field(ge=0, le=1e15)]

    def to_values(self) -> Span:
        """The span as a value of the planner."""
        return Span(self.seconds, self.tuples)


class LoadBody(Body):
    """The measured load of a topology."""

    model_config = show_example(FPD_LOAD)

    observed_at: Annotated[MeasuredTime | None, Field(description="Beginning of the interval.")] = None
    window_seconds: Annotated[Period, Field(description="Its length.")] = 60.0
    covered_seconds: Annotated[
        Period | None,
        Field(description="The measured part of it; rates are per second of this part. Left out: all."),
    ] = None
    external_rate: Annotated[Rate, Field(description="Tuples per second that enter from outside.")]
    measured_sojourn_seconds: Annotated[
        float | None, Field(ge=0, le=1e15, description="Measured total time per external tuple.")
    ] = None
    measured_completion_seconds: Annotated[
        float | None,
        Field(
            ge=0,
            le=1e15,
            description="Measured time until the last derived tuple is finished.",
        ),
    ] = None
    external_counts: Annotated[
        list[CountedSpan],
        Field(max_length=3600, description="Successive spans, which show bursts."),
    ] = []
    operators: dict[OperatorName, OperatorLoadBody]

    @field_validator("covered_seconds")
    @classmethod
    def refuse_more_than_the_window(cls, covered: float | None, info: ValidationInfo) -> float | None:
        """The covered seconds of a load; refuses more than `window_seconds`."""
        window = info.data.get("window_seconds")
        if covered is not None and window is not None and covered > window:
            raise ValueError(f"must be at most window_seconds, which is {window:g}")
        return covered

    def to_values(self) -> values.Load:
        """The load of the topology as a value of the planner."""
        return values.Load(
            self.external_rate,
            {name: one.to_values() for name, one in self.operators.items()},
            self.measured_sojourn_seconds,
            self.measured_completion_seconds,
            find_idc([[one.to_values() for one in self.external_counts]]) if self.external_counts else (),
        )
