"""The pages of Storm's UI, recognised among the answers and grouped into samples.

Storm 1.x answers /metrics with counts of every component by stream, which stand in for the stream tables of component
pages. Latencies of that page are unweighted means over executors, so the topology's page is used for them.

Storm 2.x answers the same path with the topology's page. Source: topology-metrics-page of storm.ui.core, Storm 1.2.4.
"""

import re
from collections.abc import Iterable, Iterator, Sequence
from datetime import datetime
from typing import NamedTuple
from urllib.parse import unquote

from pydantic import JsonValue

from app.engines.answers import EngineAnswer, read_parameters, sort_by_time
from app.engines.numbers import read_name, read_object, read_objects, read_text
from app.engines.spouts_and_bolts.storm.fields import Page, is_system, read_window

MOST_DEPTH = 3
STREAMS = "\n/metrics"
"""In place of a component's name; no name has a line break."""
COMPONENT_FIELDS = frozenset({"executorStats", "boltStats", "spoutSummary", "inputStats", "componentType"})
TOPOLOGY_FIELDS = frozenset({"bolts", "spouts", "topologyStats"})
NAME_FIELDS = ("id", "boltId", "spoutId", "componentId", "component")
IN_PATH = re.compile(r"/topology/(?P<topology>[^/?]+)(?:/component/(?P<component>[^/?]+))?")


class StormPage(NamedTuple):
    """One page of Storm's UI; `name` is the component, "" for the page of the topology."""

    name: str
    body: Page
    window: float | None
    at: datetime | None
    topology_id: str | None


class StormSample(NamedTuple):
    """One sample of Storm: the topology's page and the pages of components.

    `streams` are pages with stream counts alone, for components without a page of their own.
    """

    topology: StormPage | None
    components: dict[str, StormPage]
    at: datetime | None
    streams: dict[str, StormPage]


class StormAnswers(NamedTuple):
    """All samples of Storm's pages, the oldest first; `graph` is the newest answer of /visualization, by component."""

    samples: list[StormSample]
    graph: dict[str, Page]
    nameless: int


def sort_answers(answers: Sequence[EngineAnswer]) -> StormAnswers:
    """The pages among the answers, grouped into samples."""
    pages: list[StormPage] = []
    graph: dict[str, Page] = {}
    nameless = 0
    for answer in sort_by_time(answers):
        for body in unfold(answer.body):
            if is_graph(body):
                graph = {name: read_object(one) for name, one in body.items() if read_name(name)}
                continue
            page = read_page(body, answer)
            nameless += page is None
            pages += [page] if page else []
    return StormAnswers(list(split_samples(pages)), graph, nameless)


def unfold(body: JsonValue, depth: int = 0) -> Iterator[Page]:
    """Yields the pages in a body: the body, or the pages in its lists and objects."""
    if isinstance(body, dict) and (
        not (COMPONENT_FIELDS | TOPOLOGY_FIELDS).isdisjoint(body) or is_graph(body)
    ):
        yield body
    elif depth < MOST_DEPTH and isinstance(body, dict | list):
        for one in body.values() if isinstance(body, dict) else body:
            yield from unfold(one, depth + 1)


def is_graph(body: Page) -> bool:
    """Whether an object is an answer of /visualization: components with their inputs."""
    return bool(body) and all(
        isinstance(one, dict) and not {":inputs", ":type", "inputs"}.isdisjoint(one) for one in body.values()
    )


def read_page(body: Page, answer: EngineAnswer) -> StormPage | None:
    """A page with the name of its component; None if a component's page has no name."""
    path = IN_PATH.search(answer.path)
    window = read_window(body.get("window")) or read_window(read_parameters(answer.path).get("window"))
    in_path = unquote(path["topology"]) if path else None
    if COMPONENT_FIELDS.isdisjoint(body):
        name = STREAMS if is_stream_page(body) else ""
        return StormPage(name, body, window, answer.at, read_text(body.get("id")) or in_path)
    known = [read_name(body.get(key)) for key in NAME_FIELDS]
    known += [read_name(unquote(path["component"]))] if path and path["component"] else []
    identity = read_text(body.get("topologyId")) or in_path
    return next((StormPage(one, body, window, answer.at, identity) for one in known if one), None)


def split_samples(pages: Iterable[StormPage]) -> Iterator[StormSample]:
    """The pages as samples, without Storm's own components: a page that comes again begins the next sample."""
    current: dict[str, StormPage] = {}
    for page in pages:
        if page.name in current:
            yield make_sample(current)
            current = {}
        if not is_system(page.name):
            current[page.name] = page
    if current:
        yield make_sample(current)


def make_sample(pages: dict[str, StormPage]) -> StormSample:
    """The sample of these pages, at the time of the topology's page, else of the last component's page.

    A component's page without a window gets the window of the topology's page.
    """
    topology, counted = pages.get(""), pages.pop(STREAMS, None)
    times = [page.at for page in (*pages.values(), *([counted] if counted else [])) if page.at is not None]
    at = topology.at if topology else None
    usual = topology.window if topology else None
    components = {name: page._replace(window=page.window or usual) for name, page in pages.items() if name}
    streams = read_stream_page(counted._replace(window=counted.window or usual)) if counted else {}
    return StormSample(topology, components, at or max(times, default=None), streams)


def list_rows(page: StormPage | None, field: str) -> list[Page]:
    """The objects in a list of a page; an empty list if the page lacks it."""
    return read_objects(page.body.get(field)) if page else []


def is_stream_page(body: Page) -> bool:
    """Whether a document gives each component lists of counts by stream, as /metrics of Storm 1.x does."""
    rows = [row for field in ("spouts", "bolts") for row in read_objects(body.get(field))]
    return bool(rows) and all(isinstance(row.get("emitted"), list) for row in rows)


def read_stream_page(counted: StormPage) -> dict[str, StormPage]:
    """A page for each component, with inputStats and outputStats alone."""
    pages: dict[str, StormPage] = {}
    for kind in ("spout", "bolt"):
        for row in list_rows(counted, f"{kind}s"):
            name = read_name(row.get("id"))
            if name is None or is_system(name):
                continue
            body: dict[str, JsonValue] = {"id": name, "componentType": kind}
            body["outputStats"] = join_counts(row, ("emitted", "transferred"))
            if kind == "bolt":
                body["inputStats"] = join_counts(row, ("executed",))
            pages.setdefault(name, counted._replace(name=name, body=body, topology_id=None))
    return pages


def join_counts(row: Page, fields: tuple[str, ...]) -> list[JsonValue]:
    """The counts of each stream as one row, joined from one list of {"component_id", "stream_id", "value"} for
    each field.
    """
    found: dict[tuple[str, str], dict[str, JsonValue]] = {}
    for field in fields:
        for one in read_objects(row.get(field)):
            component, stream = [read_name(one.get(key)) or "" for key in ("component_id", "stream_id")]
            joined = found.setdefault((component, stream), {"component": component, "stream": stream})
            joined.setdefault(field, one.get("value"))
    return list(found.values())
