"""What must hold for measured bursts, shares of instances and histograms of services, and how to correct them."""

from collections.abc import Sequence
from typing import TYPE_CHECKING

from planner import values

if TYPE_CHECKING:
    from app.load.bodies.load import IdcPointBody, InstanceLoadBody, ServiceBucketBody

SHARES_TOLERANCE = 0.01
WIDEST_BUCKET = 10.0  # a wider bucket says too little of the services in it


def check_idc(points: "list[IdcPointBody]") -> "list[IdcPointBody]":
    """Two lengths of window or more, each once; the answer is in their order."""
    lengths = {point.window_seconds for point in points}
    if len(lengths) < len(points):
        raise ValueError("has a window_seconds twice: give each length once")
    if len(points) == 1:
        raise ValueError(
            "has one window_seconds: how bursts grow with time needs two lengths or more; else give arrival_scv alone"
        )
    return sorted(points, key=lambda point: point.window_seconds)


def check_shares(instances: "list[InstanceLoadBody]") -> "list[InstanceLoadBody]":
    """Each instance once, and shares that add up to 1."""
    if len({one.instance for one in instances}) < len(instances):
        raise ValueError("has an instance twice: give each once")
    total = sum(one.share for one in instances)
    if instances and abs(total - 1.0) > SHARES_TOLERANCE:
        raise ValueError(
            f"the shares add up to {total:.4g}, not to 1: give all instances, each with its part of the arrivals"
        )
    return instances


def check_histogram(buckets: "list[ServiceBucketBody]") -> "list[ServiceBucketBody]":
    """Upper bounds that rise, some service, and no bucket with services that is wider than a factor of ten."""
    previous = 0.0
    for bucket in buckets:
        if bucket.upper_seconds <= previous:
            raise ValueError(
                f"upper_seconds must rise from bucket to bucket: {bucket.upper_seconds:g} does not"
            )
        if bucket.count and previous and bucket.upper_seconds > WIDEST_BUCKET * previous:
            raise ValueError(
                f"has a gap: the bucket up to {bucket.upper_seconds:g} s begins at {previous:g} s. Give the buckets in "
                "between too, with a count of 0 where there were no services"
            )
        previous = bucket.upper_seconds
    if buckets and not any(bucket.count for bucket in buckets):
        raise ValueError("has no service in any bucket: leave it out")
    return buckets


def list_points(points: "Sequence[IdcPointBody]") -> tuple[values.IdcPoint, ...]:
    """The points as the planner's values."""
    return tuple([values.IdcPoint(point.window_seconds, point.idc) for point in points])
