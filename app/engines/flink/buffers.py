"""How long records wait in buffers on their way to a vertex: from the number of buffers that came, and of records.

A sender flushes each of its channels every τ seconds, if there is something (the buffer timeout, which a job may set
for itself, and which Flink does not show). With r records per second on a channel, buffers come at (1 − e^(−rτ))/τ: so
buffers per record tell rτ. A record waits τ/2 on average. Those that one sender flushes come together, so on average a
record also waits for half of the others: ρτ/2 at an instance that is busy for the part ρ, over the number of senders. A
record in each buffer means that it is sent at once.
"""

from math import exp

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
AT_ONCE = 0.8
"""From so many buffers per record on, records are sent at once, or too few come to tell."""
LARGEST_SCALED, STEPS = 1000.0, 60


def find_buffered(flows: JobFlows) -> dict[str, str]:
    """The operators before which records wait in buffers, each with the text of this time."""
    waits = {name: find_exchange_seconds(one.vertex.id, flows) for name, one in flows.operators.items()}
    return {name: f"{write_seconds(wait)} before {name}" for name, wait in waits.items() if wait}


def is_timeout_seen(flows: JobFlows) -> bool:
    """Whether buffers were counted, which tell more than the cluster's setting: a job may set its own."""
    return any(find_exchange_seconds(vertex, flows) is not None for vertex in flows.interval.activities)


def find_exchange_seconds(vertex: str, flows: JobFlows) -> float | None:
    """The mean seconds that a record waits because of the buffers before a vertex; None if the metrics do not tell."""
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
    part, per_channel = sum(buffers) / records, records / seconds / count_channels(vertex, flows)
    if part >= AT_ONCE:
        return 0.0
    senders = sum([interval.activities[one.vertex].vertex.parallelism for one in flows.shape.inputs[vertex]])
    together = (divide(counted.busy_ms, counted.time_ms) or 0.0) / senders
    return find_scaled(part) / per_channel / 2.0 * (1.0 + together)


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
