"""Heron's plans and metrics as a topology and loads, one load for each interval.

Heron counts a tuple once, at the sender, for any number of subscribers. Counts are not sampled; instances export them
once a minute, so that two counts over n minutes may differ by up to 1/n although nothing waits.
"""

from collections.abc import Mapping, Sequence

from pydantic import JsonValue

from app.engines.answers import EngineAnswer, EngineReading, UnreadableAnswer
from app.engines.diagnostics import Facts, Finding, Rule, Rules, find_diagnostics
from app.engines.numbers import find_mean
from app.engines.spouts_and_bolts.components import Completion
from app.engines.spouts_and_bolts.diagnostics import find_shared_diagnostics
from app.engines.spouts_and_bolts.flows import MeasuredInterval, Wiring, measure_interval
from app.engines.spouts_and_bolts.graph_and_load import build_graph, build_loads
from app.engines.spouts_and_bolts.heron.components import HeronComponent, read_components
from app.engines.spouts_and_bolts.heron.documents import IDENTITY, HeronAnswers, sort_documents
from app.engines.spouts_and_bolts.heron.measures import (
    BUCKET_SECONDS,
    Measures,
    measure_metrics,
    measure_timelines,
)
from planner.values import Diagnostic
from planner.wording import write_percent, write_seconds

SEND = (
    "send the answers to /topologies/logicalplan, /topologies/physicalplan, and for every component "
    "/topologies/metricstimeline with __execute-count/<stream>, __execute-latency/<stream> and __emit-count/<stream> "
    "over several minutes"
)
USUAL_BUCKETS = 10
HELD_BACK = 0.01


def read(answers: Sequence[EngineAnswer]) -> EngineReading:
    """The reading of a tracker's answers; raises UnreadableAnswer if they name no bolt, or nothing was measured."""
    found = sort_documents(answers)
    pointer = answers[0].pointer if answers else "#"
    timeline = measure_timelines(found.timelines)
    measures = [*measure_metrics(found.metrics), *([timeline] if timeline else [])]
    if not measures:
        raise UnreadableAnswer(pointer, f"{explain_nothing(found)}: {SEND}.")
    newest = max(measures, key=count_measured)
    interval = measure_components(read_components(found, newest), newest)
    names = {bolt.name for bolt in interval.bolts}
    intervals = [measure_components(read_components(found, one), one) for one in measures]
    loads = build_loads(one for one in intervals if {bolt.name for bolt in one.bolts} == names)
    graph = build_graph(interval)
    if graph is None or not loads:
        raise UnreadableAnswer(pointer, f"the answers name no bolt, or no rate of one: {SEND}.")
    return EngineReading(
        graph, loads, find_heron_diagnostics(interval, newest), mark_topology(found, interval)
    )


def count_measured(measures: Measures) -> tuple[int, str]:
    """The number of components that an interval measured, and when it began: a key that orders intervals."""
    begins_at = measures.begins_at.isoformat() if measures.begins_at else ""
    return len(measures.by_component), begins_at


def measure_components(
    components: Mapping[str, HeronComponent], measures: Measures
) -> MeasuredInterval[HeronComponent]:
    """The flows between the components in an interval, worked out from its measures."""

    def find_count_error(bolt: HeronComponent, _: list[HeronComponent]) -> float:
        return (bolt.executed_rate or 0.0) / (measures.buckets or USUAL_BUCKETS)

    spouts = [one for one in components.values() if not one.is_bolt]
    completed = [(one.acked_rate, one.complete_seconds) for one in spouts]
    seconds = find_mean((rate, latency) for rate, latency in completed if rate and latency)
    failed = sum([one.failed_rate or 0.0 for one in spouts]) * measures.seconds
    flows = tuple([flow for one in components.values() if one.is_bolt for flow in one.inputs])
    return measure_interval(
        components,
        Wiring(flows, complete=True),
        find_count_error,
        completion=Completion(seconds, failed),
        begins_at=measures.begins_at,
        seconds=measures.seconds,
    )


def explain_nothing(found: HeronAnswers) -> str:
    """The reason why the answers of Heron's tracker give no interval, and what to send."""
    if found.timelines:
        return "the timeline has no complete minute"
    if found.metrics:
        return (
            "all-time counts give rates only between two samples with their times; other counts need the length "
            'of their interval ("interval")'
        )
    return "the answers hold no metrics of Heron's tracker"


def mark_topology(found: HeronAnswers, interval: MeasuredInterval[HeronComponent]) -> dict[str, JsonValue]:
    """The names of the running topology, and the number of instances of each bolt: heron update needs them."""
    return {
        **{key: found.identity.get(key) for key in IDENTITY},
        "instances": {one.name: one.tasks for one in interval.bolts},
        "spouts": {one.name: one.tasks for one in interval.spouts},
    }


def find_heron_diagnostics(
    interval: MeasuredInterval[HeronComponent], measures: Measures
) -> tuple[Diagnostic, ...]:
    """All diagnostics of the newest interval of a Heron topology."""
    shared = find_shared_diagnostics(
        interval,
        processors="instances",
        count="__execute-count of an instance of the physical plan",
        latency="__execute-latency",
        graph="/topologies/logicalplan",
        emitted="__emit-count/<stream>",
    )
    held = find_diagnostics(BACK_PRESSURE_RULES, interval)
    return (*shared, *held, *find_diagnostics(INTERVAL_RULES, measures))


def _find_holding(interval: MeasuredInterval[HeronComponent]) -> Finding:
    return {
        bolt.name: f"{bolt.name} for {write_percent(bolt.back_pressure)} of the time"
        for bolt in interval.bolts
        if (bolt.back_pressure or 0.0) > HELD_BACK
    }


def _find_inexact(measures: Measures) -> Finding:
    if measures.buckets:
        return None
    error = BUCKET_SECONDS / measures.seconds
    return Facts(length=write_seconds(measures.seconds), error=write_percent(error))


BACK_PRESSURE_RULES: Rules[MeasuredInterval[HeronComponent]] = {
    "spouts-held-back": Rule(
        _find_holding,
        "Full queues stopped all spouts: {texts}. The measured rates are those that the topology accepted; the "
        "rate that would enter otherwise is higher, and unknown.",
    ),
}
INTERVAL_RULES: Rules[Measures] = {
    "interval-approximate": Rule(
        _find_inexact,
        "An interval of {length} holds whole minutes, up to one more than was asked for, so rates may be too high "
        "by up to {error}. Send /topologies/metricstimeline, which has no such error.",
    ),
}
