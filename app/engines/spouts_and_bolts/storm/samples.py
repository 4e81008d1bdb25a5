"""One sample of Storm's pages, with the components, flows and times from its counts.

Storm counts every 20th tuple of each executor (topology.stats.sample.rate), so that a count is exact to ± 20 tuples.
"""

import re
from collections.abc import Mapping
from dataclasses import dataclass
from datetime import UTC, datetime

from app.engines.numbers import (
    find_mean,
    read_name,
    read_number,
    read_object,
    read_objects,
    read_text,
)
from app.engines.spouts_and_bolts.components import Completion
from app.engines.spouts_and_bolts.flows import (
    MeasuredInterval,
    StreamFlow,
    Wiring,
    measure_interval,
    read_grouping,
)
from app.engines.spouts_and_bolts.storm.components import StormComponent, read_components
from app.engines.spouts_and_bolts.storm.fields import (
    Page,
    cover,
    is_system,
    read_milliseconds,
    read_uptime,
    read_window,
)
from app.engines.spouts_and_bolts.storm.pages import StormPage, StormSample, list_rows
from app.web.fields import move_time

USUAL_SAMPLE_RATE = 0.05
FIRST_LAUNCH, LAST_LAUNCH = 1_000_000_000.0, 10_000_000_000.0  # epoch seconds in the id of a topology


@dataclass(frozen=True)
class MeasuredSample:
    """A sample of Storm's pages with its measured interval; one sampled tuple stands for `step` tuples.

    `nameless` is the number of pages without a name, `left_out` the number of samples with pages of other bolts.
    """

    sample: StormSample
    interval: MeasuredInterval[StormComponent]
    step: float
    nameless: int = 0
    left_out: int = 0

    @property
    def bolts(self) -> list[StormComponent]:
        """The components of the sample that are bolts."""
        return self.interval.bolts


def measure_sample(sample: StormSample, graph: Mapping[str, Page]) -> MeasuredSample:
    """Measures the pages of one sample; `graph` is the answer of /visualization."""
    step = find_step(sample)
    components = read_components(sample, step)

    def find_count_error(bolt: StormComponent, sources: list[StormComponent]) -> float:
        return step * sum([one.processors or 1 for one in (bolt, *sources)]) / (bolt.covered or 1.0)

    seconds, ends_at = find_seconds(sample, components), sample.at or find_own_time(sample)
    interval = measure_interval(
        components,
        read_wiring(components, graph),
        find_count_error,
        completion=find_completion(sample, components),
        begins_at=None if ends_at is None or seconds is None else move_time(ends_at, -seconds),
        seconds=seconds,
    )
    return MeasuredSample(sample, interval, step)


def find_step(sample: StormSample) -> float:
    """The number of tuples that one sampled tuple stands for: 1 / topology.stats.sample.rate, rounded down."""
    configuration = read_object(sample.topology.body.get("configuration")) if sample.topology else {}
    rate = read_number(configuration.get("topology.stats.sample.rate"))
    return float(int(1.0 / rate)) if rate is not None and 1e-6 <= rate <= 1.0 else 1.0 / USUAL_SAMPLE_RATE


def find_seconds(sample: StormSample, components: Mapping[str, StormComponent]) -> float | None:
    """The seconds that the counts of a sample cover: the longest of any bolt, else from the topology's page."""
    covers = [one.covered for one in components.values() if one.is_bolt and one.covered]
    page = sample.topology
    return max(covers, default=cover(page.window, read_uptime(page.body)) if page else None)


def find_own_time(sample: StormSample) -> datetime | None:
    """The time of a sample by Storm's own clock: launch + uptime (ids end with the second of launch:
    name-1-1446571009).
    """
    page = sample.topology
    found = re.search(r"-(\d{10})$", read_text(page.body.get("id")) or "") if page else None
    uptime = read_uptime(page.body) if page else None
    if found is None or uptime is None or not FIRST_LAUNCH <= float(found[1]) + uptime <= LAST_LAUNCH:
        return None
    return datetime.fromtimestamp(float(found[1]) + uptime, UTC)


def read_wiring(components: Mapping[str, StormComponent], graph: Mapping[str, Page]) -> Wiring:
    """The subscriptions: from /visualization if it was sent, else from the streams that reached each bolt."""
    bolts = {name: one for name, one in components.items() if one.is_bolt}
    flows: dict[tuple[str, str, str], StreamFlow] = {}
    for target, node in graph.items():
        for one in read_objects(node.get(":inputs", node.get("inputs"))):
            source = read_name(one.get(":component", one.get("component")))
            stream = read_text(one.get(":stream", one.get("stream"))) or "default"
            grouping = read_grouping(read_text(one.get(":grouping", one.get("grouping"))))
            if source and source in components and target in bolts and not is_system(stream):
                flows[source, stream, target] = StreamFlow(source, stream, target, grouping)
    for name, bolt in bolts.items():
        for source, stream in bolt.executed_from or ():
            if source in components and not is_system(stream) and name not in graph:
                flows.setdefault((source, stream, name), StreamFlow(source, stream, name, None))
    complete = all(name in graph or bolt.executed_from is not None for name, bolt in bolts.items())
    return Wiring(tuple(flows.values()), complete)


def find_completion(sample: StormSample, components: Mapping[str, StormComponent]) -> Completion:
    """The mean complete latency of the spouts or their executors, else from the topology's row of the window.

    It is weighted by the acknowledged tuples. A latency of 0 counts as not measured: tuples without a message id, or
    without ackers, are acknowledged at once.
    """
    spouts = [one for one in components.values() if not one.is_bolt]
    totals, row = [one.totals for one in spouts], find_window_row(sample.topology)
    pages = [sample.components.get(one.name) for one in spouts]
    executors = [executor for page in pages for executor in list_rows(page, "executorStats")]
    means = [mean_complete_latency(rows) for rows in (totals, executors, [row])]
    failed = read_number(row.get("failed")) or sum([read_number(one.get("failed")) or 0.0 for one in totals])
    timeout = read_number(sample.topology.body.get("msgTimeout")) if sample.topology else None
    return Completion(next((mean for mean in means if mean is not None), None), failed, timeout)


def find_window_row(topology: StormPage | None) -> Page:
    """The row of the topology's statistics for the window of the page."""
    for row in list_rows(topology, "topologyStats"):
        if topology and topology.window is not None and read_window(row.get("window")) == topology.window:
            return row
    return {}


def mean_complete_latency(rows: list[Page]) -> float | None:
    """The mean in seconds over all tuples that were acknowledged with a latency above 0."""
    pairs = [(read_number(row.get("acked")), read_milliseconds(row.get("completeLatency"))) for row in rows]
    return find_mean([(count, latency) for count, latency in pairs if count and latency])
