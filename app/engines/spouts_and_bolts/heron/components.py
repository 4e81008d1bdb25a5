"""Heron's spouts and bolts as measured in one interval."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import NamedTuple

from app.engines.numbers import add_known, find_mean, read_name, read_object, read_objects, read_text
from app.engines.spouts_and_bolts.components import Component, StreamCount
from app.engines.spouts_and_bolts.flows import ALL, StreamFlow, read_grouping
from app.engines.spouts_and_bolts.heron.documents import Document, HeronAnswers, list_instances
from app.engines.spouts_and_bolts.heron.measures import ByMetric, Measures

NANOSECONDS = 1e9
SOURCE_AND_STREAM = 3  # parts of __execute-count/<source>/<stream>
EXECUTED, EMITTED, LATENCY = "__execute-count", "__emit-count", "__execute-latency"
ACKED, FAILED, COMPLETE = "__ack-count", "__fail-count", "__complete-latency"
STREAM_MANAGER = "__stmgr__"
BACK_PRESSURE = "__time_spent_back_pressure_by_compid/"
UNKNOWN = "unknown"
"""The grouping if the logical plan is missing."""


@dataclass(frozen=True, kw_only=True)
class HeronComponent(Component):
    """A spout or a bolt; None: not measured.

    `back_pressure` is the largest part of the time for which one instance held all spouts back.
    """

    inputs: tuple[StreamFlow, ...]
    acked_rate: float | None
    failed_rate: float | None
    complete_seconds: float | None
    back_pressure: float | None


def read_components(answers: HeronAnswers, measures: Measures) -> dict[str, HeronComponent]:
    """Every spout and bolt of the plans; if there are no plans, of the metrics."""
    return {
        name: read_component(name, node, answers, measures, is_bolt=is_bolt)
        for name, (is_bolt, node) in list_names(answers, measures).items()
    }


def list_names(answers: HeronAnswers, measures: Measures) -> Mapping[str, tuple[bool, Document]]:
    """The name of each component, with whether it is a bolt, and its entry in the logical plan."""
    listed: dict[str, tuple[bool, Document]] = {}
    for plan in (answers.logical, answers.physical):
        for kind in ("spouts", "bolts"):
            for text, node in read_object(plan.get(kind)).items():
                name = read_name(text)
                if name is not None:
                    listed.setdefault(name, (kind == "bolts", read_object(node)))
    for name, metrics in measures.by_component.items():
        if name != STREAM_MANAGER:
            is_bolt = any(metric.startswith(EXECUTED) for metric in metrics)
            listed.setdefault(name, (is_bolt, {}))
    return listed


class InstanceMetrics(NamedTuple):
    """The metrics of all instances of one component."""

    metrics: ByMetric
    instances: tuple[str, ...]

    def add(self, metric: str) -> float | None:
        """The sum of a metric's rate over all instances; None if the rate of any instance is unknown."""
        return add_known([self.metrics.get(metric, {}).get(one) for one in self.instances])

    def list_streams(self, base: str) -> list[str]:
        """The names of a count that Heron keeps for each stream, not for each source and stream."""
        names = [
            metric for metric in self.metrics if metric.startswith(f"{base}/") and metric.count("/") == 1
        ]
        return [name.partition("/")[2] for name in names]

    def add_streams(self, base: str) -> float | None:
        """The rate of a count over all instances and streams; None if a part is unknown."""
        return add_known([self.add(f"{base}/{stream}") for stream in self.list_streams(base)])

    def choose_scopes(self, inputs: Iterable[StreamFlow]) -> list[str]:
        """The names whose counts add up to all executed tuples: by source and stream, else by stream alone.

        Heron counts each tuple under both names.
        """
        full = [f"{one.source}/{one.stream}" for one in inputs]
        if full and all(f"{EXECUTED}/{scope}" in self.metrics for scope in full):
            return full
        return self.list_streams(EXECUTED)

    def find_mean_seconds(self, latency: str, count: str, scopes: Iterable[str]) -> float | None:
        """The mean latency by the counts; latencies of 0 and without a count are left out."""
        mean = find_mean(
            (self.metrics.get(f"{count}/{scope}", {}).get(one, 0.0), nanoseconds)
            for scope in scopes
            for one in self.instances
            if (nanoseconds := self.metrics.get(f"{latency}/{scope}", {}).get(one))
        )
        return None if mean is None else mean / NANOSECONDS


def read_component(
    name: str, node: Document, answers: HeronAnswers, measures: Measures, *, is_bolt: bool
) -> HeronComponent:
    """One component, without metrics of instances that are no longer in the physical plan."""
    metrics = measures.of(name)
    seen = dict.fromkeys(one for by_instance in metrics.values() for one in by_instance)
    instances = tuple(list_instances(answers.physical, name) or seen)
    inputs = read_inputs(name, node) or infer_inputs(name, metrics)
    found = InstanceMetrics(metrics, instances)
    scopes = found.choose_scopes(inputs)
    counts = [metrics.get(f"{EXECUTED}/{scope}", {}) for scope in scopes]
    executed = [(one, add_known([count.get(one) for count in counts])) for one in instances]
    is_copied = any(one.grouping == ALL for one in inputs)
    return HeronComponent(
        name=name,
        is_bolt=is_bolt,
        processors=len(instances) or None,
        tasks=len(instances) or None,
        # Under an all grouping a further instance gets a copy of the stream: more of them never help.
        max_parallelism=len(instances) or None if is_copied else None,
        covered=measures.seconds,
        executed_rate=add_known([rate for _, rate in executed]),
        service_seconds=found.find_mean_seconds(LATENCY, EXECUTED, scopes),
        emitted_rate=found.add_streams(EMITTED),
        outputs={one: StreamCount(found.add(f"{EMITTED}/{one}")) for one in found.list_streams(EMITTED)},
        executed_from={one[:2]: found.add(f"{EXECUTED}/{one.source}/{one.stream}") for one in inputs},
        instances=tuple(executed),
        inputs=inputs,
        acked_rate=found.add_streams(ACKED),
        failed_rate=found.add_streams(FAILED),
        complete_seconds=found.find_mean_seconds(COMPLETE, ACKED, found.list_streams(COMPLETE)),
        back_pressure=find_back_pressure(measures.of(STREAM_MANAGER), instances),
    )


def read_inputs(target: str, node: Document) -> tuple[StreamFlow, ...]:
    """The subscriptions of a bolt in the logical plan."""
    found = {}
    for one in read_objects(node.get("inputs")):
        source, stream = read_name(one.get("component_name")), read_name(one.get("stream_name")) or "default"
        if source is not None:
            grouping = read_grouping(read_text(one.get("grouping"))) or UNKNOWN
            found[source, stream] = StreamFlow(source, stream, target, grouping)
    return tuple(found.values())


def infer_inputs(target: str, metrics: ByMetric) -> tuple[StreamFlow, ...]:
    """The subscriptions, from the names of counts, __execute-count/<source>/<stream>; their groupings are unknown."""
    parts = [metric.split("/") for metric in metrics if metric.startswith(f"{EXECUTED}/")]
    return tuple(
        [StreamFlow(one[1], one[2], target, UNKNOWN) for one in parts if len(one) == SOURCE_AND_STREAM]
    )


def find_back_pressure(metrics: ByMetric, instances: Iterable[str]) -> float | None:
    """The largest part of the time for which one instance held all spouts back; None if it was not measured."""
    found = []
    for one in instances:
        spent = list(metrics.get(BACK_PRESSURE + one, {}).values())
        found += [min(sum(spent) / 1000.0, 1.0)] if spent else []
    return max(found, default=None)
