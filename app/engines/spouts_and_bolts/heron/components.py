"""Spouts and bolts of Heron as measured in one interval."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import NamedTuple

from app.engines.numbers import add_known, divide, read_list, read_name, read_object, read_text
from app.engines.spouts_and_bolts.groupings import read_grouping
from app.engines.spouts_and_bolts.heron.documents import Document, HeronAnswers, list_instances
from app.engines.spouts_and_bolts.heron.measures import ByInstance, ByMetric, Measures

NANOSECONDS = 1e9
SOURCE_AND_STREAM = 3  # parts of __execute-count/<source>/<stream>
EXECUTED, EMITTED, LATENCY = "__execute-count", "__emit-count", "__execute-latency"
ACKED, FAILED, COMPLETE = "__ack-count", "__fail-count", "__complete-latency"
STREAM_MANAGER = "__stmgr__"
BACK_PRESSURE = "__time_spent_back_pressure_by_compid/"


class HeronInput(NamedTuple):
    """A stream that a bolt subscribes to."""

    source: str
    stream: str
    grouping: str | None


@dataclass(frozen=True)
class HeronComponent:
    """A spout or a bolt; None is what was not measured. Rates by instance are per second, `latency` is in seconds."""

    name: str
    is_bolt: bool
    instances: tuple[str, ...]
    inputs: tuple[HeronInput, ...]
    executed: Mapping[str, float | None]
    latency: float | None
    emitted: Mapping[str, float | None]
    executed_from: Mapping[tuple[str, str], float | None]
    acked_rate: float | None
    failed_rate: float | None
    complete_latency: float | None
    back_pressure: float | None

    @property
    def executed_rate(self) -> float | None:
        """Tuples per second that all instances executed; None where one does not say."""
        return add_known(self.executed.values())

    @property
    def emitted_rate(self) -> float | None:
        """Tuples per second emitted on all streams."""
        return add_known(self.emitted.values())


def read_components(answers: HeronAnswers, measures: Measures) -> dict[str, HeronComponent]:
    """Every spout and bolt of the plans; without plans, of the metrics."""
    found = {}
    for name, is_bolt, node in list_names(answers, measures):
        found[name] = read_component(name, node, answers, measures, is_bolt=is_bolt)
    return found


def list_names(answers: HeronAnswers, measures: Measures) -> Iterable[tuple[str, bool, Document]]:
    """Name, whether it is a bolt, and its part of the logical plan."""
    listed: dict[str, tuple[bool, Document]] = {}
    for plan in (answers.logical, answers.physical):
        for kind in ("spouts", "bolts"):
            for text, node in read_object(plan.get(kind)).items():
                name = read_name(text)
                if name is not None:
                    listed.setdefault(name, (kind == "bolts", read_object(node)))
    for name, metrics in measures.by_component.items():
        if name != STREAM_MANAGER and not listed.get(name):
            is_bolt = any(metric.startswith(EXECUTED) for metric in metrics)
            listed.setdefault(name, (is_bolt, {}))
    return [(name, is_bolt, node) for name, (is_bolt, node) in listed.items()]


def read_component(
    name: str, node: Document, answers: HeronAnswers, measures: Measures, *, is_bolt: bool
) -> HeronComponent:
    """One component; metrics of instances that the physical plan does not have any more are left out."""
    metrics = measures.of(name)
    planned = list_instances(answers.physical, name)
    seen = dict.fromkeys(one for by_instance in metrics.values() for one in by_instance)
    instances = tuple(planned or seen)
    inputs = read_inputs(node) or infer_inputs(metrics)
    scopes = choose_scopes(metrics, inputs)
    sources = {(one.source, one.stream) for one in inputs}
    return HeronComponent(
        name=name,
        is_bolt=is_bolt,
        instances=instances,
        inputs=inputs,
        executed={one: add_scopes(metrics, EXECUTED, scopes, one) for one in instances},
        latency=find_latency(metrics, scopes, instances),
        emitted={
            stream: add_instances(metrics.get(f"{EMITTED}/{stream}"), instances)
            for stream in list_streams(metrics, EMITTED)
        },
        executed_from={
            (source, stream): add_instances(metrics.get(f"{EXECUTED}/{source}/{stream}"), instances)
            for source, stream in sources
        },
        acked_rate=add_streams(metrics, ACKED, instances),
        failed_rate=add_streams(metrics, FAILED, instances),
        complete_latency=find_complete_latency(metrics, instances),
        back_pressure=find_back_pressure(measures.of(STREAM_MANAGER), instances),
    )


def read_inputs(node: Document) -> tuple[HeronInput, ...]:
    """The subscriptions of a bolt in the logical plan."""
    found = {}
    for listed in read_list(node.get("inputs")):
        one = read_object(listed)
        source, stream = read_name(one.get("component_name")), read_name(one.get("stream_name")) or "default"
        if source is not None:
            found[source, stream] = HeronInput(source, stream, read_grouping(read_text(one.get("grouping"))))
    return tuple(found.values())


def infer_inputs(metrics: ByMetric) -> tuple[HeronInput, ...]:
    """The subscriptions by the names of counts, __execute-count/<source>/<stream>; their groupings are unknown."""
    parts = [metric.split("/") for metric in metrics if metric.startswith(f"{EXECUTED}/")]
    return tuple([HeronInput(part[1], part[2], None) for part in parts if len(part) == SOURCE_AND_STREAM])


def choose_scopes(metrics: ByMetric, inputs: Iterable[HeronInput]) -> list[str]:
    """What counts of executed tuples add up to all of them: by source and stream, else by stream alone.

    Heron counts each tuple under both names.
    """
    full = [f"{one.source}/{one.stream}" for one in inputs]
    if full and all(f"{EXECUTED}/{scope}" in metrics for scope in full):
        return full
    return list_streams(metrics, EXECUTED)


def add_scopes(metrics: ByMetric, base: str, scopes: Iterable[str], instance: str) -> float | None:
    """The rate of one instance over these scopes; None where one is unknown."""
    return add_known([metrics.get(f"{base}/{scope}", {}).get(instance) for scope in scopes])


def add_instances(values: ByInstance | None, instances: Iterable[str]) -> float | None:
    """The rate of all instances; None where one is unknown."""
    return add_known([(values or {}).get(one) for one in instances])


def list_streams(metrics: ByMetric, base: str) -> list[str]:
    """The streams of a count that is kept by stream alone."""
    return [
        metric.partition("/")[2]
        for metric in metrics
        if metric.startswith(f"{base}/") and metric.count("/") == 1
    ]


def add_streams(metrics: ByMetric, base: str, instances: Iterable[str]) -> float | None:
    """The rate over all streams of a spout."""
    listed = list(instances)
    found = [metrics[f"{base}/{stream}"] for stream in list_streams(metrics, base)]
    return add_known([add_instances(values, listed) for values in found])


def find_latency(metrics: ByMetric, scopes: Iterable[str], instances: Iterable[str]) -> float | None:
    """Mean seconds of a service over instances and streams, by their counts; None where none was measured."""
    return weigh(metrics, [(f"{LATENCY}/{scope}", f"{EXECUTED}/{scope}") for scope in scopes], instances)


def find_complete_latency(metrics: ByMetric, instances: Iterable[str]) -> float | None:
    """Mean seconds until a spout's tuple is acknowledged; None where none was."""
    streams = list_streams(metrics, COMPLETE)
    return weigh(metrics, [(f"{COMPLETE}/{stream}", f"{ACKED}/{stream}") for stream in streams], instances)


def weigh(metrics: ByMetric, pairs: Iterable[tuple[str, str]], instances: Iterable[str]) -> float | None:
    """The mean of latencies by counts, in seconds; latencies of 0 and without a count are left out."""
    listed = list(instances)
    known = [
        (metrics.get(counts, {}).get(one, 0.0), metrics[latencies][one])
        for latencies, counts in pairs
        for one in listed
        if metrics.get(latencies, {}).get(one)
    ]
    mean = divide(sum([count * latency for count, latency in known]), sum([count for count, _ in known]))
    return None if mean is None else mean / NANOSECONDS


def find_back_pressure(metrics: ByMetric, instances: Iterable[str]) -> float | None:
    """The largest part of the time for which one instance held all spouts back; None where nothing says."""
    found = []
    for one in instances:
        spent = list(metrics.get(BACK_PRESSURE + one, {}).values())
        found += [min(sum(spent) / 1000.0, 1.0)] if spent else []
    return max(found, default=None)
