"""Lists of measurements of several intervals merged into one: bursts, shares of instances, histograms of services."""

from collections.abc import Callable, Sequence

from planner.values import IdcPoint, InstanceLoad, ServiceBucket

Average = Callable[[Sequence[float]], float]
"""The average of values of several intervals, oldest first."""


def merge_points(measured: Sequence[tuple[IdcPoint, ...]], average: Average) -> tuple[IdcPoint, ...]:
    """The average index of dispersion at each length of window, over the intervals that have it."""
    found: dict[float, list[float]] = {}
    for points in measured:
        for point in points:
            found.setdefault(point.window_seconds, []).append(point.idc)
    return tuple([IdcPoint(length, average(found[length])) for length in sorted(found)])


def merge_instances(
    measured: Sequence[tuple[InstanceLoad, ...]], average: Average
) -> tuple[InstanceLoad, ...]:
    """The average share of each instance, 0 in an interval that has other instances alone; the shares add up to 1.

    Intervals without any instance are left out. SCVs and indices are averaged over the intervals that have them.
    """
    named = [{one.instance: one for one in instances} for instances in measured if instances]
    names = sorted({name for one in named for name in one})
    shares = {name: average([one[name].share if name in one else 0.0 for one in named]) for name in names}
    total = sum(shares.values())
    if not total:
        return ()
    merged = [
        merge_instance(name, shares[name] / total, [one[name] for one in named if name in one], average)
        for name in names
        if shares[name]
    ]
    return tuple(sorted(merged, key=lambda one: (-one.share, one.instance)))


def merge_instance(
    name: str, share: float, measured: Sequence[InstanceLoad], average: Average
) -> InstanceLoad:
    scvs = [one.arrival_scv for one in measured if one.arrival_scv is not None]
    points = merge_points([one.arrival_idc for one in measured], average)
    return InstanceLoad(name, share, average(scvs) if scvs else None, points)


def merge_histograms(
    measured: Sequence[tuple[ServiceBucket, ...]], weights: Sequence[float]
) -> tuple[ServiceBucket, ...]:
    """The histogram of service times over all intervals, each counted with its weight, rounded to whole services.

    Buckets of equal upper bounds are joined. Where bounds differ, the buckets of all intervals stay. With equal weights
    of 1 no service is lost.
    """
    found: dict[float, float] = {}
    for buckets, weight in zip(measured, weights, strict=True):
        for bucket in buckets if weight else ():
            found[bucket.upper_seconds] = found.get(bucket.upper_seconds, 0.0) + weight * bucket.services
    merged = [ServiceBucket(bound, round(found[bound])) for bound in sorted(found)]
    return tuple(merged) if any(bucket.services for bucket in merged) else ()
