"""Heron's plans and metrics as a topology and loads: one load for each interval."""

from collections.abc import Sequence

from pydantic import JsonValue

from app.engines.answers import EngineAnswer, EngineReading, UnreadableAnswer
from app.engines.spouts_and_bolts.heron.components import HeronComponent, read_components
from app.engines.spouts_and_bolts.heron.documents import HeronAnswers, sort_documents
from app.engines.spouts_and_bolts.heron.graphs import build_graph
from app.engines.spouts_and_bolts.heron.loads import build_load
from app.engines.spouts_and_bolts.heron.measures import Measures, measure_metrics, measure_timelines
from app.engines.spouts_and_bolts.heron.notes import list_notes
from app.engines.spouts_and_bolts.heron.streams import find_arrivals, find_entries, find_external
from app.load.bodies.load import LoadBody

SEND = (
    "send the answers to /topologies/logicalplan, /topologies/physicalplan, and for every component "
    "/topologies/metricstimeline with __execute-count/<stream>, __execute-latency/<stream> and __emit-count/<stream> "
    "over several minutes"
)


def read(answers: Sequence[EngineAnswer]) -> EngineReading:
    """What the tracker says; raises UnreadableAnswer where it names no bolt, or nothing was measured."""
    found = sort_documents(answers)
    pointer = answers[0].pointer if answers else "#"
    timeline = measure_timelines(found.timelines)
    intervals = [*measure_metrics(found.metrics), *([timeline] if timeline else [])]
    if not intervals:
        raise UnreadableAnswer(pointer, f"{explain_nothing(found)}: {SEND}.")
    newest = max(intervals, key=count_measured)
    components = read_components(found, newest)
    arrivals = {
        name: find_arrivals(one, components, newest.buckets)
        for name, one in components.items()
        if one.is_bolt
    }
    entries = find_entries(components, arrivals)
    external, by_spouts = find_external(components, entries)
    graph = build_graph(components, entries, external)
    loads = [load for one in intervals if (load := load_interval(found, one, components)) is not None]
    if graph is None or not loads:
        raise UnreadableAnswer(pointer, f"the answers name no bolt, or no rate of one: {SEND}.")
    said = list_notes(components, arrivals, newest, by_spouts=by_spouts)
    unique = {(load.observed_at, load.window_seconds): load for load in loads}
    return EngineReading(graph, tuple(unique.values()), said, mark_topology(found, components))


def count_measured(measures: Measures) -> tuple[int, str]:
    """How many components an interval measured, and when it began: the newest complete one is the topology's."""
    begins_at = measures.begins_at.isoformat() if measures.begins_at else ""
    return len(measures.by_component), begins_at


def load_interval(
    found: HeronAnswers, measures: Measures, newest: dict[str, HeronComponent]
) -> LoadBody | None:
    """The load of one interval; None where it measured other bolts, or no rate."""
    components = read_components(found, measures)
    bolts = {name for name, one in components.items() if one.is_bolt}
    if measures.begins_at is None or bolts != {name for name, one in newest.items() if one.is_bolt}:
        return None
    arrivals = {name: find_arrivals(components[name], components, measures.buckets) for name in bolts}
    external, _ = find_external(components, find_entries(components, arrivals))
    if external is None:
        return None
    return build_load(components, arrivals, external, measures.begins_at, measures.seconds)


def explain_nothing(found: HeronAnswers) -> str:
    """Why the answers give no interval."""
    if found.timelines:
        return "the timeline has no complete minute"
    if found.metrics:
        return (
            "counts of all time give rates only between two samples with their times, and counts of an interval need "
            'it ("interval")'
        )
    return "no metrics of Heron's tracker are among the answers"


def mark_topology(found: HeronAnswers, components: dict[str, HeronComponent]) -> dict[str, JsonValue]:
    """Where the topology runs, and how many instances each bolt has: heron update needs it."""
    return {
        **{key: found.identity.get(key) for key in ("cluster", "role", "environ", "topology")},
        "instances": {name: len(one.instances) for name, one in components.items() if one.is_bolt},
        "spouts": {name: len(one.instances) for name, one in components.items() if not one.is_bolt},
    }
