"""One sample of Storm's pages, with all that its counts give."""

import re
from collections.abc import Mapping
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta

from app.engines.numbers import read_number, read_object, read_text
from app.engines.spouts_and_bolts.storm.completion import Completion, find_completion
from app.engines.spouts_and_bolts.storm.components import Component, read_components
from app.engines.spouts_and_bolts.storm.fields import Page, cover, read_uptime
from app.engines.spouts_and_bolts.storm.flows import StreamFlow, Wiring, measure_flows, read_wiring
from app.engines.spouts_and_bolts.storm.loads import CountedInterval, build_load
from app.engines.spouts_and_bolts.storm.pages import StormSample
from app.engines.spouts_and_bolts.storm.rates import (
    External,
    Offered,
    find_entry_rates,
    find_external,
    find_offered,
)
from app.load.bodies.load import LoadBody

USUAL_SAMPLE_RATE = 0.05
FIRST_LAUNCH, LAST_LAUNCH = 1_000_000_000.0, 10_000_000_000.0  # epoch seconds in the id of a topology


@dataclass(frozen=True)
class MeasuredSample:
    """One sample; `step` is how many tuples one sampled tuple stands for."""

    sample: StormSample
    components: dict[str, Component]
    wiring: Wiring
    flows: tuple[StreamFlow, ...]
    offered: dict[str, Offered]
    entries: dict[str, float | None]
    external: External
    completion: Completion
    step: float

    @property
    def bolts(self) -> dict[str, Component]:
        """The bolts by name."""
        return {name: one for name, one in self.components.items() if one.kind == "bolt"}

    @property
    def seconds(self) -> float | None:
        """How long the counts were taken: the longest of a bolt, else by the topology's page."""
        covers = [one.covered for one in self.bolts.values() if one.covered]
        page = self.sample.topology
        own = cover(page.window, read_uptime(page.body)) if page else None
        return max(covers, default=own)

    @property
    def ends_at(self) -> datetime | None:
        """When the pages came; else when the topology was launched, by its id, and its uptime."""
        return self.sample.at or find_own_time(self.sample)


def measure_sample(sample: StormSample, graph: Mapping[str, Page]) -> MeasuredSample:
    """What the pages of one sample give; `graph` is the answer of /visualization."""
    components = read_components(sample)
    wiring = read_wiring(components, graph)
    flows = measure_flows(components, wiring)
    step = find_step(sample)
    bolts = [one for one in components.values() if one.kind == "bolt"]
    offered = {bolt.name: find_offered(bolt, components, flows, step) for bolt in bolts}
    entries = find_entry_rates(components, flows, offered)
    external = find_external(components, entries)
    completion = find_completion(sample.topology, components)
    return MeasuredSample(sample, components, wiring, flows, offered, entries, external, completion, step)


def find_step(sample: StormSample) -> float:
    """How many tuples one sampled tuple stands for: 1 / topology.stats.sample.rate, cut to a whole number."""
    configuration = read_object(sample.topology.body.get("configuration")) if sample.topology else {}
    rate = read_number(configuration.get("topology.stats.sample.rate"))
    return float(int(1.0 / rate)) if rate is not None and 1e-6 <= rate <= 1.0 else 1.0 / USUAL_SAMPLE_RATE


def find_own_time(sample: StormSample) -> datetime | None:
    """The time by Storm's own clock: ids of topologies end in the second of their launch (name-1-1446571009)."""
    page = sample.topology
    found = re.search(r"-(\d{10})$", read_text(page.body.get("id")) or "") if page else None
    uptime = read_uptime(page.body) if page else None
    if found is None or uptime is None or not FIRST_LAUNCH <= float(found[1]) + uptime <= LAST_LAUNCH:
        return None
    return datetime.fromtimestamp(0, UTC) + timedelta(seconds=float(found[1]) + uptime)


def load_sample(measured: MeasuredSample) -> LoadBody | None:
    """The load of a sample; None where its time, its length or its rates are unknown."""
    ends_at, seconds, external = measured.ends_at, measured.seconds, measured.external.rate
    if ends_at is None or not seconds or external is None:
        return None
    return build_load(
        measured.bolts,
        measured.offered,
        CountedInterval(ends_at, seconds),
        external=external,
        completion=measured.completion.seconds,
        step=measured.step,
    )
