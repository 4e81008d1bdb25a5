"""How long records wait in buffers on their way to a vertex: from the number of buffers that came, and of records.

A sender flushes each of its channels every τ seconds, if there is something (the buffer timeout, which a job may set
for itself, and which Flink does not show). With r records per second on a channel, buffers come at (1 − e^(−rτ))/τ: so
buffers per record tell rτ. A record waits τ/2 on average. Those that one sender flushes come together, so on average a
record also waits for half of the others: ρτ/2 at an instance that is busy for the part ρ, over the number of senders. A
record in each buffer means that it is sent at once.
"""

from math import exp
from typing import NamedTuple

from app.engines.flink.counters import read_metric_counters, subtract_counters
from app.engines.flink.graph import JobFlows
from app.engines.numbers import divide
from planner.wording import write_seconds

OF_BUFFERS = (
    "Shuffle.Netty.Input.numBuffersInLocal",
    "Shuffle.Netty.Input.numBuffersInRemote",
    "numRecordsIn",
    "accumulateBusyTimeMs",
    "accumulateIdleTimeMs",
    "accumulateBackPressuredTimeMs",
)
FORWARD = "FORWARD"
LEAST_RECORDS = 100.0
AT_ONCE, OFTEN, TELLING = 0.8, 10.0, 0.6
"""From so many buffers per record on, and so many records per second on a channel, records are sent at once; below the
part TELLING of the buffers that a timeout of 0 would make, there is a timeout.
"""
LARGEST_SCALED, STEPS = 1000.0, 60


def find_buffered(flows: JobFlows) -> dict[str, str]:
    """The operators before which records wait in buffers, each with the text of this time."""
    waits = {name: find_exchange_seconds(one.vertex.id, flows) for name, one in flows.operators.items()}
    return {name: f"{write_seconds(wait)} before {name}" for name, wait in waits.items() if wait}


def is_timeout_seen(flows: JobFlows) -> bool:
    """Whether buffers were counted, which tell more than the cluster's setting: a job may set its own."""
    return find_timeout(flows) is not None


class SeenBuffers(NamedTuple):
    """What the buffers of a vertex show: buffers per record, records per second on a channel, and its busy part."""

    part: float
    per_channel: float
    busy: float


def see_buffers(vertex: str, flows: JobFlows) -> SeenBuffers | None:
    """The buffers that came to a vertex in an interval; None if they were not counted, or hardly any record came."""
    interval, parallelism = flows.interval, flows.interval.activities[vertex].vertex.parallelism
    later = interval.later.metrics.get(vertex)
    earlier = interval.earlier.metrics.get(vertex) if interval.earlier else None
    if later is None or earlier is None or not flows.shape.inputs[vertex]:
        return None
    counted = subtract_counters(read_metric_counters(later.values), read_metric_counters(earlier.values))
    buffers = [later.values.get(name, 0.0) - earlier.values.get(name, 0.0) for name in OF_BUFFERS[:2]]
    seconds, records = counted.find_seconds(parallelism), counted.records_in
    if not seconds or records is None or records < LEAST_RECORDS or sum(buffers) <= 0.0:
        return None
    busy = divide(counted.busy_ms, counted.time_ms) or 0.0
    return SeenBuffers(sum(buffers) / records, records / seconds / count_channels(vertex, flows), busy)


def find_timeout(flows: JobFlows) -> float | None:
    """The buffer timeout of a job: of the vertex where buffers are the fewest beside those of a timeout of 0.

    With a timeout of 0, records that come while an instance is busy share a buffer too, but at least the part 1 − ρ
    finds it idle. The timeout is 0 if records come often and each in a buffer of its own; None if nothing tells it.
    """
    seen = [
        found for vertex in flows.interval.activities if (found := see_buffers(vertex, flows)) is not None
    ]
    if not seen:
        return None
    one = min(seen, key=lambda each: each.part / max(1.0 - each.busy, 0.01))
    if one.part < TELLING * (1.0 - one.busy):
        return find_scaled(one.part) / one.per_channel
    return 0.0 if any(each.part >= AT_ONCE and each.per_channel >= OFTEN for each in seen) else None


def find_exchange_seconds(vertex: str, flows: JobFlows) -> float | None:
    """The mean seconds that a record waits because of the buffers before a vertex; None if the metrics do not tell."""
    timeout, seen = find_timeout(flows), see_buffers(vertex, flows)
    if not timeout or seen is None:
        return None if seen is None else timeout
    senders = sum(
        [flows.interval.activities[one.vertex].vertex.parallelism for one in flows.shape.inputs[vertex]]
    )
    return timeout / 2.0 * (1.0 + seen.busy / senders)


def count_channels(vertex: str, flows: JobFlows) -> int:
    """The channels from the subtasks of all senders to those of a vertex."""
    activities = flows.interval.activities
    parallelism = activities[vertex].vertex.parallelism
    return sum(
        [
            max(activities[one.vertex].vertex.parallelism, parallelism)
            if one.ship_strategy == FORWARD
            else activities[one.vertex].vertex.parallelism * parallelism
            for one in flows.shape.inputs[vertex]
        ]
    )


def find_scaled(part: float) -> float:
    """The rτ at which a buffer comes for so large a part of the records: (1 − e^(−rτ))/rτ = part."""
    low, high = 0.0, LARGEST_SCALED
    for _ in range(STEPS):
        middle = (low + high) / 2.0
        low, high = (middle, high) if (1.0 - exp(-middle)) / middle > part else (low, middle)
    return low
