"""Heron's metrics as rates and means by component, metric and instance.

A bucket holds the exports of 60 s: counts are sums, latencies are means in nanoseconds; "nan" is a mean over nothing.

An answer for an interval holds every bucket that overlaps it, so it covers up to a minute more. An interval of 0 or
less means all time: the tracker then gives its own clock, in epoch seconds, as `interval` (tmetrics-collector.cpp).

Buckets of a timeline have the time when they began; the newest is still being filled, and is left out.
"""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
from itertools import pairwise
from statistics import median

from pydantic import JsonValue

from app.engines.numbers import (
    find_growth,
    find_mean,
    find_rate,
    read_name,
    read_number,
    read_object,
)
from app.engines.spouts_and_bolts.heron.documents import MetricsAnswer, TimelineAnswer
from app.web.fields import move_time

BUCKET_SECONDS = 60.0
SHORTEST_BUCKET = 1.0
LONGEST_INTERVAL = 1e9  # an interval that long is the second of the epoch: all time
MEANS = ("__execute-latency", "__complete-latency", "__process-latency", "__fail-latency")
"""Metrics that are means rather than sums."""
COUNT_OF = {"__execute-latency": "__execute-count", "__complete-latency": "__ack-count"}
EPOCH = datetime.fromtimestamp(0, UTC)

Series = dict[tuple[str, str], dict[float, float]]
"""Values by metric and instance, then by the second of the epoch."""
ByInstance = dict[str, float]
ByMetric = dict[str, ByInstance]


@dataclass
class Measures:
    """Rates per second and means of one interval, by component, metric and instance.

    `buckets` is the number of complete minutes that were counted, 0 if it is not known.
    """

    begins_at: datetime | None = None
    seconds: float = 0.0
    buckets: int = 0
    by_component: dict[str, ByMetric] = field(default_factory=dict)

    def of(self, component: str) -> ByMetric:
        """The metrics of a component by name; empty if none was measured."""
        return self.by_component.setdefault(component, {})

    def put(self, component: str, metric: str, instance: str, value: float | None) -> None:
        """Stores the value of a metric for one instance of a component, if the value is known."""
        if value is not None:
            self.of(component).setdefault(metric, {})[instance] = value


def read_values(values: Mapping[str, JsonValue]) -> Iterable[tuple[str, str, JsonValue]]:
    """The metric, the instance and the value of each entry in an answer."""
    for metric, by_instance in values.items():
        for instance, value in read_object(by_instance).items():
            name = read_name(instance)
            if name is not None:
                yield metric, name, value


def measure_timelines(timelines: Iterable[TimelineAnswer]) -> Measures | None:
    """The measures of the complete buckets of all timelines; None if there are none."""
    listed = list(timelines)
    table = tabulate(listed)
    every = [points for series in table.values() for points in series.values()]
    length = find_length(every)
    newest = max((at for points in every for at in points), default=0.0)
    ends = max((one.ends for one in listed if one.ends is not None), default=newest)
    complete = sorted({at for points in every for at in points if at + length <= ends})
    begins_at = move_time(EPOCH, complete[0]) if complete else None
    if begins_at is None:
        return None
    counted = max(len([at for at in points if at + length <= ends]) for points in every)
    found = Measures(begins_at, complete[-1] - complete[0] + length, counted)
    for component, series in table.items():
        for (metric, instance), points in series.items():
            starts = [at for at in points if at + length <= ends]
            found.put(component, metric, instance, combine(series, metric, instance, starts, length))
    return found


def tabulate(timelines: Iterable[TimelineAnswer]) -> dict[str, Series]:
    """The points of all timelines by component, metric and instance; a later point replaces an earlier one."""
    table: dict[str, Series] = {}
    for one in timelines:
        series = table.setdefault(one.component, {})
        for metric, instance, points in read_values(one.values):
            row = series.setdefault((metric, instance), {})
            for text, value in read_object(points).items():
                at, number = read_number(text), read_number(value)
                if at is not None and number is not None:
                    row[at] = number
    return table


def find_length(every: Iterable[Mapping[float, float]]) -> float:
    """The length of a bucket in seconds: the median gap between the times of a series, else a minute."""
    gaps = [after - before for points in every for before, after in pairwise(sorted(points))]
    return max(median(gaps), SHORTEST_BUCKET) if gaps else BUCKET_SECONDS


def combine(series: Series, metric: str, instance: str, starts: list[float], length: float) -> float | None:
    """The value of a metric over the buckets that begin at `starts`: a rate, or a mean weighted by the count
    of each bucket.
    """
    points = series[metric, instance]
    if not metric.startswith(MEANS):
        return find_rate(sum([points[at] for at in starts]), length * len(starts))
    base, _, scope = metric.partition("/")
    counts = series.get((f"{COUNT_OF.get(base, base)}/{scope}", instance), {})
    weights = [counts.get(at, 0.0) for at in starts]
    if not any(weights):
        weights = [1.0] * len(starts)
    return find_mean(zip(weights, [points[at] for at in starts], strict=True))


def measure_metrics(answers: Iterable[MetricsAnswer]) -> list[Measures]:
    """The measures of each sample of /metrics; counts since the start of the topology need two samples for one
    interval.
    """
    samples = split_answers(answers)
    short = [[one for one in sample if not is_cumulative(one)] for sample in samples]
    long = [[one for one in sample if is_cumulative(one)] for sample in samples]
    found = [measure_interval(sample) for sample in short if sample]
    found += [
        measure_growth(before, after) for before, after in pairwise([sample for sample in long if sample])
    ]
    return [one for one in found if one is not None]


def is_cumulative(answer: MetricsAnswer) -> bool:
    """Whether the counts of an answer begin at the start of the topology."""
    return answer.interval is not None and not 0.0 < answer.interval < LONGEST_INTERVAL


def split_answers(answers: Iterable[MetricsAnswer]) -> list[list[MetricsAnswer]]:
    """Divides the answers into samples: a component whose metric comes a second time begins the next sample."""
    samples: list[list[MetricsAnswer]] = []
    seen: set[tuple[str, str]] = set()
    for answer in answers:
        keys = {(answer.component, metric) for metric in answer.values}
        if not samples or keys & seen:
            samples.append([])
            seen = set()
        samples[-1].append(answer)
        seen |= keys
    return samples


def measure_interval(answers: list[MetricsAnswer]) -> Measures | None:
    """The rates and means that a sample gives for the last `interval` seconds before it."""
    seconds = max((one.interval for one in answers if one.interval), default=None)
    ends_at = max((one.at for one in answers if one.at), default=None)
    begins_at = move_time(ends_at, -seconds) if ends_at and seconds else None
    if begins_at is None or seconds is None:
        return None
    found = Measures(begins_at, seconds)
    for one in answers:
        for metric, instance, value in read_values(one.values):
            number = read_number(value)
            number = number if metric.startswith(MEANS) else find_rate(number, one.interval)
            found.put(one.component, metric, instance, number)
    return found


def measure_growth(before: list[MetricsAnswer], after: list[MetricsAnswer]) -> Measures | None:
    """The rates from the growth of counts between two samples; means since the start of the topology are left out."""
    first = max((one.at for one in before if one.at), default=None)
    last = max((one.at for one in after if one.at), default=None)
    if first is None or last is None or last - first < timedelta(seconds=1):
        return None
    found = Measures(first, (last - first).total_seconds())
    old = {
        (one.component, metric, instance): read_number(value)
        for one in before
        for metric, instance, value in read_values(one.values)
    }
    for one in after:
        for metric, instance, value in read_values(one.values):
            number = read_number(value)
            if not metric.startswith(MEANS):
                grown = find_growth(old.get((one.component, metric, instance)), number)
                number = find_rate(grown, found.seconds)
            found.put(one.component, metric, instance, number)
    return found
