"""Storm's pages as a topology and loads, one load for each sample and its window."""

from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import replace

from pydantic import JsonValue

from app.engines.answers import EngineAnswer, EngineReading, UnreadableAnswer
from app.engines.numbers import read_count, read_number, read_text
from app.engines.spouts_and_bolts.graph_and_load import build_graph, build_loads
from app.engines.spouts_and_bolts.storm.components import StormComponent
from app.engines.spouts_and_bolts.storm.diagnostics import find_storm_diagnostics
from app.engines.spouts_and_bolts.storm.fields import read_uptime
from app.engines.spouts_and_bolts.storm.pages import StormSample, sort_answers
from app.engines.spouts_and_bolts.storm.samples import MeasuredSample, find_own_time, measure_sample

SEND = (
    "send the answers to GET /api/v1/topology/<id>?window=600, "
    "/api/v1/topology/<id>/component/<component>?window=600 of every component, and "
    "/api/v1/topology/<id>/visualization"
)


def read(answers: Sequence[EngineAnswer]) -> EngineReading:
    """The reading of Storm's pages; raises UnreadableAnswer if they name no bolt, or measure none.

    The topology is that of the newest of the samples with the most bolts; samples of other bolts are left out.
    """
    pages = sort_answers(answers)
    pointer = answers[0].pointer if answers else "#"
    if not pages.samples:
        raise UnreadableAnswer(pointer, f"no page of Storm's UI is among the answers: {SEND}.")
    refuse_two_topologies(pages.samples, pointer)
    measured = [measure_sample(sample, pages.graph) for sample in pages.samples]
    newest = max(reversed(measured), key=lambda one: len(one.bolts))
    names = {bolt.name for bolt in newest.bolts}
    whole = [one.interval for one in measured if {bolt.name for bolt in one.bolts} == names]
    graph, loads = build_graph(newest.interval), build_loads(whole)
    if graph is None or not loads:
        raise UnreadableAnswer(pointer, f"{explain_nothing(newest)}: {SEND}.")
    newest = replace(newest, nameless=pages.nameless, left_out=len(measured) - len(whole))
    return EngineReading(graph, loads, find_storm_diagnostics(newest), mark_sample(newest))


def refuse_two_topologies(samples: Iterable[StormSample], pointer: str) -> None:
    """Raises UnreadableAnswer if the pages belong to several topologies."""
    pages = [page for one in samples for page in (one.topology, *one.components.values()) if page]
    ids = list(dict.fromkeys([page.topology_id for page in pages if page.topology_id]))
    if len(ids) > 1:
        detail = f"the pages belong to several topologies, {', '.join(ids)[:200]}: send the pages of one."
        raise UnreadableAnswer(pointer, detail)


def explain_nothing(newest: MeasuredSample) -> str:
    """The reason why Storm's pages give no load, and what to send."""
    if not newest.bolts:
        return "the pages name no bolt"
    if newest.sample.at is None and find_own_time(newest.sample) is None:
        return 'the time of the pages is unknown: give "at" with each answer'
    return (
        "no rate can be computed: either the counts (executed, emitted) or the time that they cover "
        "(window, uptimeSeconds or uptime) are missing"
    )


def mark_sample(measured: MeasuredSample) -> dict[str, JsonValue]:
    """The marks of a Storm topology, which a rebalance needs: its names, executors, tasks and workers."""
    page, pages = measured.sample.topology, measured.sample.components.values()
    body = page.body if page else {}
    names = [read_text(one.body.get("name")) for one in pages]
    ids = [one.topology_id for one in (page, *pages) if one and one.topology_id]
    return {
        "topology_id": ids[0] if ids else None,
        "topology_name": read_text(body.get("name")) or next((one for one in names if one), None),
        "status": read_text(body.get("status")),
        "storm_version": read_text(body.get("stormVersion")),
        "uptime_seconds": read_uptime(body),
        "message_timeout_seconds": read_number(body.get("msgTimeout")),
        "workers": read_count(body.get("workersTotal")),
        "executors": {bolt.name: bolt.processors for bolt in measured.bolts},
        "tasks": {bolt.name: bolt.max_parallelism for bolt in measured.bolts},
        "places": {bolt.name: count_places(bolt) for bolt in measured.bolts if bolt.rows},
        "spouts": {
            one.name: {"executors": one.processors, "tasks": one.tasks, "emitted_rate": one.emitted_rate}
            for one in measured.interval.spouts
        },
    }


def count_places(bolt: StormComponent) -> dict[str, JsonValue] | None:
    """The number of a bolt's executors on each worker (host:port); None if the page does not show it."""
    return dict(Counter([row.place for row in bolt.rows if row.place is not None])) or None
