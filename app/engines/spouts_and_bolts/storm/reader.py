"""Storm's pages as a topology and loads: one load for each sample, of the window that was asked for."""

from collections.abc import Iterable, Sequence

from app.engines.answers import EngineAnswer, EngineReading, UnreadableAnswer
from app.engines.diagnostics import say
from app.engines.spouts_and_bolts.storm.checks import check_sample
from app.engines.spouts_and_bolts.storm.graphs import build_graph
from app.engines.spouts_and_bolts.storm.marks import mark_sample
from app.engines.spouts_and_bolts.storm.pages import StormSample, sort_answers
from app.engines.spouts_and_bolts.storm.samples import MeasuredSample, load_sample, measure_sample
from app.load.bodies.load import LoadBody
from app.load.bodies.topology import Graph
from planner.values import Diagnostic

SEND = (
    "send the answers to GET /api/v1/topology/<id>?window=600, "
    "/api/v1/topology/<id>/component/<component>?window=600 of every component, and "
    "/api/v1/topology/<id>/visualization"
)


def read(answers: Sequence[EngineAnswer]) -> EngineReading:
    """What the pages say; raises UnreadableAnswer where they name no bolt, or nothing was measured of any.

    The newest of the samples that name the most bolts is the topology; samples of other bolts are left out.
    """
    pages = sort_answers(answers)
    pointer = answers[0].pointer if answers else "#"
    if not pages.samples:
        raise UnreadableAnswer(pointer, f"no page of Storm's UI is among the answers: {SEND}.")
    refuse_two_topologies(pages.samples, pointer)
    measured = [measure_sample(sample, pages.graph) for sample in pages.samples]
    newest = max(reversed(measured), key=lambda one: len(one.bolts))
    graph = build_graph(newest.components, newest.flows, newest.entries, newest.external.rate)
    whole = [one for one in measured if one.bolts.keys() == newest.bolts.keys()]
    loads = [load for one in whole if (load := load_sample(one)) is not None]
    if graph is None or not loads:
        raise UnreadableAnswer(pointer, f"{explain_nothing(newest, graph)}: {SEND}.")
    said = (*check_sample(newest, pages), *say_left_out(len(measured) - len(whole)))
    return EngineReading(graph, drop_repeated(loads), said, mark_sample(newest))


def say_left_out(samples: int) -> tuple[Diagnostic, ...]:
    """A diagnostic where samples were left out."""
    if not samples:
        return ()
    detail = (
        f"{samples} samples have pages of other bolts than the newest complete one: left out. A page that comes again "
        "begins a new sample; send all pages of each."
    )
    return (say("samples-left-out", detail),)


def refuse_two_topologies(samples: Iterable[StormSample], pointer: str) -> None:
    """Raise UnreadableAnswer if the pages are those of several topologies."""
    ids = {
        page.topology_id: None
        for sample in samples
        for page in (sample.topology, *sample.components.values())
        if page and page.topology_id
    }
    if len(ids) > 1:
        raise UnreadableAnswer(
            pointer, f"the pages are those of several topologies, {', '.join(ids)[:200]}: send those of one."
        )


def explain_nothing(newest: MeasuredSample, graph: Graph | None) -> str:
    """Why the pages give no load."""
    if graph is None:
        return "the pages name no bolt"
    if newest.ends_at is None:
        return 'nothing says when the pages came: give "at" with each answer'
    return (
        "no rate can be computed: either the counts (executed, emitted) or the time that they cover "
        "(window, uptimeSeconds or uptime) are missing"
    )


def drop_repeated(loads: Iterable[LoadBody]) -> tuple[LoadBody, ...]:
    """One load for each interval: the last one."""
    return tuple({(load.observed_at, load.window_seconds): load for load in loads}.values())
