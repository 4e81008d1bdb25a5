"""Makes loads from a range of Prometheus: one for each time with enough measurements, so that no two loads overlap."""

from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import UTC, datetime
from math import isfinite
from typing import Literal

from app.engines.numbers import divide, find_service_rate
from app.engines.prometheus.moments import (
    Moment,
    Values,
    find_changes,
    find_external,
    find_sources,
    list_operators,
)
from app.load.bodies.load import WIDEST_BUCKET, LoadBody, OperatorLoadBody, ServiceBucketBody
from app.web.fields import MOST_PROCESSORS
from planner.topology.loads import MOST, MOST_DISPERSION

SATURATED = 0.95
"""An operator that is busy for this part of its time or more may have tuples waiting: it may serve less than it is
offered.
"""
MOST_WINDOWS_DIFFER = 1.1
"""Windows that differ by more than this factor cover different times."""

Reason = Literal[
    "instances-changed",
    "start-not-seen",
    "two-jobs",
    "windows-differ",
    "external-rate-unknown",
    "window-unknown",
    "overlapping-windows",
]
"""The reason why a time gives no load: the code of its diagnostic."""
PASSING: frozenset[Reason] = frozenset({"instances-changed", "two-jobs"})
"""Reasons that pass one window after a rescale or a start."""


@dataclass(slots=True)
class LeftTimes:
    """The times that give no load, by reason, with the saturated operators, and whether the job is one chain or
    rescales could not be seen.
    """

    times: dict[Reason, list[float]] = field(default_factory=lambda: defaultdict(list))
    saturated: set[str] = field(default_factory=set)
    chained: bool = False
    unchecked: bool = False

    @property
    def will_pass(self) -> bool:
        """Whether the same queries will give a load at a later time, because the reasons for leaving times out pass."""
        reasons = set(self.times) - {"start-not-seen"}
        return bool(reasons) and reasons <= PASSING


@dataclass(slots=True)
class ReadLoads:
    """The loads, oldest first, and the times that were left out; `sources` are Flink's sources, each with whether it
    only waits for its input.
    """

    loads: list[LoadBody]
    sources: Mapping[str, bool]
    left: LeftTimes


def make_loads(moments: Sequence[Moment], *, is_asked: bool) -> ReadLoads:
    """Makes a load for each time at which the external rate is known and no operator was rescaled.

    `is_asked` tells whether Prometheus was asked for instances that did not change.
    """
    sources, left = find_sources(moments), LeftTimes()
    operators = list_operators(moments)
    sent = [moment.find(name, "sent_rate") for moment in moments for name in sources]
    left.chained = not any(sent) and 0.0 in sent
    changes = find_changes(moments, is_asked=is_asked)
    left.unchecked = changes is None
    usable: list[Moment] = []
    for moment in [] if left.chained else moments:
        if not any(map(_has_rate, moment.operators.values())):
            continue
        reason = _find_reason(moment, sources, operators) or (changes or {}).get(moment.at)
        if reason is None:
            usable.append(moment)
        else:
            left.times[reason].append(moment.at)
    kept = _drop_overlapping(usable, left)
    shown = [name for name in operators if not sources.get(name, False)]
    return ReadLoads([_make_load(moment, sources, operators, shown, left) for moment in kept], sources, left)


def _has_rate(values: Values) -> bool:
    """Whether anything was measured for an operator; a time without any measurement is a gap."""
    return any(values.get(role) is not None for role in ("arrival_rate", "served_rate", "service_rate"))


def _find_reason(moment: Moment, sources: Mapping[str, bool], operators: Sequence[str]) -> Reason | None:
    """The reason why the measurements of a time give no load; None if they give one."""
    if not 1.0 <= moment.window < moment.at:
        return "window-unknown"
    if moment.window > MOST_WINDOWS_DIFFER * min(moment.windows):
        return "windows-differ"
    if len(moment.jobs) > 1:
        return "two-jobs"
    return "external-rate-unknown" if find_external(moment, sources, operators) is None else None


def _drop_overlapping(moments: Iterable[Moment], left: LeftTimes) -> list[Moment]:
    """The newest moment, and of the earlier ones each that ends before the next chosen moment begins."""
    kept: list[Moment] = []
    for moment in sorted(moments, key=lambda one: -one.at):
        if not kept or moment.at <= kept[-1].at - kept[-1].window + 0.5:
            kept.append(moment)
        else:
            left.times["overlapping-windows"].append(moment.at)
    return kept[::-1]


def _make_load(
    moment: Moment,
    sources: Mapping[str, bool],
    operators: Sequence[str],
    shown: Sequence[str],
    left: LeftTimes,
) -> LoadBody:
    saturated = {name for name in shown if _is_saturated(moment, name)}
    left.saturated |= saturated
    return LoadBody(
        observed_at=datetime.fromtimestamp(moment.at - moment.window, UTC),
        window_seconds=moment.window,
        external_rate=find_external(moment, sources, operators) or 0.0,
        measured_sojourn_seconds=moment.total.get("sojourn_seconds"),
        operators={
            name: _measure(moment, name, keeps_up=not saturated, is_source=name in sources)
            for name in shown
            if name in moment.operators
        },
    )


def _is_saturated(moment: Moment, name: str) -> bool:
    busy, processors = moment.find(name, "busy_processors"), moment.find(name, "processors")
    return busy is not None and processors is not None and busy >= SATURATED * processors > 0.0


def _measure(moment: Moment, name: str, *, keeps_up: bool, is_source: bool) -> OperatorLoadBody:
    """The load of one operator; `keeps_up` tells that every operator serves all that it is offered."""
    served = moment.find(name, "sent_rate" if is_source else "served_rate")
    busy, processors = moment.find(name, "busy_processors"), _read_processors(moment.find(name, "processors"))
    arrived = moment.find(name, "arrival_rate")
    if arrived is None and keeps_up and busy is not None and processors is not None:
        arrived = served
    blocked = divide(moment.find(name, "back_pressured_processors"), processors)
    return OperatorLoadBody(
        service_rate=_find_service_rate(moment, name, served if served is not None else arrived, busy),
        arrival_rate=arrived,
        served_rate=served,
        processors=processors,
        service_scv=_read_scv(moment.find(name, "service_scv")),
        service_histogram=_list_buckets(moment, name),
        backlog_tuples=moment.find(name, "backlog_tuples"),
        measured_wait_seconds=moment.find(name, "wait_seconds"),
        back_pressured_share=None if blocked is None else min(blocked, 1.0),
    )


def _read_scv(value: float | None) -> float | None:
    """An SCV; None if it is larger than any can be."""
    return None if value is None or value > MOST_DISPERSION else value


def _list_buckets(moment: Moment, name: str) -> list[ServiceBucketBody]:
    """The histogram of services from cumulative buckets; empty where nothing was served, or a bucket is too wide.

    What is above the last bound that is a number counts in one more bucket, up to twice that bound.
    """
    counted = sorted(moment.buckets.get(name, {}).items())
    found: list[ServiceBucketBody] = []
    low = below = 0.0
    for upper, reached in counted:
        bound = upper if isfinite(upper) else 2.0 * low
        count = round(max(reached - below, 0.0) * moment.window)
        if not low < bound <= MOST or (not isfinite(upper) and not count):
            continue
        if count and low and bound > WIDEST_BUCKET * low:
            return []
        found.append(ServiceBucketBody(upper_seconds=bound, count=count))
        low, below = bound, max(reached, below)
    return found if any(one.count for one in found) else []


def _find_service_rate(moment: Moment, name: str, served: float | None, busy: float | None) -> float | None:
    """The service rate of an operator: measured directly, or 1 / the mean service time, or tuples per second of busy
    time.
    """
    given = find_service_rate(moment.find(name, "service_rate"), 1.0)
    return (
        given
        or find_service_rate(1.0, moment.find(name, "service_seconds"))
        or find_service_rate(served, busy)
    )


def _read_processors(value: float | None) -> int | None:
    """The number of processors; None if it is not whole, which happens when a mean covers a change of the number."""
    if value is None or value != int(value) or not 1 <= value <= MOST_PROCESSORS:
        return None
    return int(value)
