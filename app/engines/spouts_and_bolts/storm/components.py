"""Spouts and bolts as measured: from a component's page where it was sent, else from its row on the topology's page."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Literal, NamedTuple

from pydantic import JsonValue

from app.engines.numbers import (
    add_known,
    divide,
    find_rate,
    read_count,
    read_name,
    read_number,
    read_object,
    read_text,
)
from app.engines.spouts_and_bolts.storm.executors import Executor, mean_latency, read_executors
from app.engines.spouts_and_bolts.storm.fields import (
    Page,
    cover,
    is_system,
    read_decimal,
    read_milliseconds,
    read_uptime,
    read_window,
)
from app.engines.spouts_and_bolts.storm.pages import StormPage, StormSample, list_rows

Kind = Literal["spout", "bolt"]


class StreamCount(NamedTuple):
    """What came in from, or went out on, one stream; `component` is "" for what went out. Rates are per second."""

    component: str
    stream: str
    executed_rate: float | None = None
    emitted_rate: float | None = None
    transferred_rate: float | None = None


@dataclass(frozen=True)
class Component:
    """A spout or a bolt; None is what the pages do not say.

    `outputs` of None: the component's page was not sent. `latency` is in seconds. `totals` is the row that sums the
    executors up; `completions` are tuples acknowledged and their mean seconds, by executor of a spout.
    """

    name: str
    kind: Kind
    executors: int | None
    tasks: int | None
    rows: tuple[Executor, ...]
    window: float | None
    covered: float | None
    executed: float | None
    executed_rate: float | None
    emitted_rate: float | None
    transferred_rate: float | None
    latency: float | None
    inputs: tuple[StreamCount, ...] | None = None
    outputs: tuple[StreamCount, ...] | None = None
    totals: Page = field(default_factory=dict)
    completions: tuple[tuple[float | None, float | None], ...] = ()

    @property
    def capacity(self) -> float | None:
        """That of the busiest executor, as Storm prints it."""
        return read_decimal(self.totals.get("capacity"))

    @property
    def acked(self) -> float | None:
        """Tuples that were acknowledged."""
        return read_number(self.totals.get("acked"))

    @property
    def failed(self) -> float | None:
        """Tuples that failed or timed out."""
        return read_number(self.totals.get("failed"))

    @property
    def complete_latency(self) -> float | None:
        """Mean seconds until the tree of a spout's tuple is acknowledged."""
        return read_milliseconds(self.totals.get("completeLatency"))

    @property
    def processors(self) -> int | None:
        """How many executors run."""
        return max(self.executors or 0, len(self.rows)) or None


def read_components(sample: StormSample) -> dict[str, Component]:
    """Every spout and bolt that the pages name, Storm's own left out."""
    rows = list_component_rows(sample.topology)
    longest = find_longest_uptime(sample)
    found = {}
    for name in dict.fromkeys([*rows, *sample.components, *sample.streams]):
        kind, row = rows.get(name, (None, {}))
        page = sample.components.get(name) or sample.streams.get(name)
        kind = read_kind(page) if page and kind is None else kind
        if kind:
            found[name] = read_component(name, kind, row, page, sample.topology, longest=longest)
    return found


def list_component_rows(topology: StormPage | None) -> dict[str, tuple[Kind | None, Page]]:
    """The rows of the topology's page by component."""
    rows: dict[str, tuple[Kind | None, Page]] = {}
    kinds: tuple[tuple[Kind, str], ...] = (("spout", "spoutId"), ("bolt", "boltId"))
    for kind, key in kinds:
        for row in list_rows(topology, f"{kind}s"):
            name = read_name(row.get(key)) or read_name(row.get("id"))
            if name and not is_system(name):
                rows.setdefault(name, (kind, row))
    return rows


def read_kind(page: StormPage) -> Kind | None:
    """Whether a page is that of a spout or of a bolt."""
    said = (read_text(page.body.get("componentType")) or "").lower()
    if said in {"spout", "bolt"}:
        return "spout" if said == "spout" else "bolt"
    if "spoutSummary" in page.body:
        return "spout"
    fields = {key for row in list_rows(page, "executorStats") for key in row}
    is_spout = "completeLatency" in fields and "executed" not in fields
    return "spout" if is_spout else "bolt"


def find_longest_uptime(sample: StormSample) -> float | None:
    """How long the executors have been up, at most: what their pages say, else the topology's uptime.

    A rebalance starts executors anew, and with them the counts, while the topology's uptime goes on.
    """
    rows = [row for page in sample.components.values() for row in list_rows(page, "executorStats")]
    known = [uptime for row in rows if (uptime := read_uptime(row)) is not None]
    topology = read_uptime(sample.topology.body) if sample.topology else None
    if topology is None or not known:
        return max(known, default=None) if topology is None else topology
    return min(topology, max(known))


def read_component(
    name: str,
    kind: Kind,
    row: Page,
    page: StormPage | None,
    topology: StormPage | None,
    *,
    longest: float | None,
) -> Component:
    """One component; what its executors say goes before the totals of its page, and these before the topology's."""
    source = page or topology
    window = source.window if source else None
    executors = read_executors(list_rows(page, "executorStats"), window, longest)
    head: Mapping[str, JsonValue] = {**row, **(page.body if page else {})}
    tasks = read_count(head.get("tasks")) or None
    covered = find_covered(executors) or cover(window, find_uptime(name, tasks, topology, longest))
    totals = choose_totals(row, page)
    outputs = read_streams(page, "outputStats", covered)
    emitted, transferred = sum_outputs(outputs)
    if not outputs and (page or not counts_system_streams(topology)):
        emitted, transferred = sum_sent(executors, totals, covered)
    executed = _sum_or_total(executors, "executed", totals)
    return Component(
        name=name,
        kind=kind,
        executors=read_count(head.get("executors")) or None,
        tasks=tasks,
        rows=executors,
        window=window,
        covered=covered,
        executed=executed,
        executed_rate=rate_of(executors, executed, covered),
        emitted_rate=emitted,
        transferred_rate=transferred,
        latency=find_latency(executors, totals),
        inputs=read_streams(page, "inputStats", covered),
        outputs=outputs,
        totals=totals,
        completions=read_completions(page),
    )


def find_uptime(
    name: str, tasks: int | None, topology: StormPage | None, longest: float | None
) -> float | None:
    """For how long the component ran: as its workers say, else as long as the longest-running executor."""
    started = worker_uptime(name, tasks, topology)
    return longest if started is None else started


def read_completions(page: StormPage | None) -> tuple[tuple[float | None, float | None], ...]:
    """What each executor of a spout says of completed tuples."""
    rows = list_rows(page, "executorStats")
    pairs = [(read_number(row.get("acked")), read_milliseconds(row.get("completeLatency"))) for row in rows]
    return tuple([pair for pair in pairs if pair[1] is not None])


def choose_totals(row: Page, page: StormPage | None) -> Page:
    """The totals of a component over its window: of its own page, else of the topology's page."""
    for field_name in ("boltStats", "spoutSummary"):
        for one in list_rows(page, field_name):
            if page and page.window is not None and read_window(one.get("window")) == page.window:
                return one
    return row


def counts_system_streams(topology: StormPage | None) -> bool:
    """Whether the topology's page was asked with sys=true: its counts then hold acks and metrics."""
    names = [read_text(row.get("boltId")) or "" for row in list_rows(topology, "bolts")]
    return any(is_system(name) for name in names)


def sum_outputs(outputs: tuple[StreamCount, ...] | None) -> tuple[float | None, float | None]:
    """Tuples per second emitted and transferred on the streams that are not Storm's own."""
    own = [one for one in outputs or () if not is_system(one.stream)]
    emitted = [one.emitted_rate for one in own if one.emitted_rate is not None]
    transferred = [one.transferred_rate for one in own if one.transferred_rate is not None]
    return (
        sum(emitted) if own and len(emitted) == len(own) else None,
        sum(transferred) if own and len(transferred) == len(own) else None,
    )


def sum_sent(
    rows: tuple[Executor, ...], totals: Page, covered: float | None
) -> tuple[float | None, float | None]:
    """Tuples per second emitted and transferred on all streams."""
    return (
        find_rate(_sum_or_total(rows, "emitted", totals), covered),
        find_rate(_sum_or_total(rows, "transferred", totals), covered),
    )


def worker_uptime(name: str, tasks: int | None, topology: StormPage | None) -> float | None:
    """How long the workers that run a component have been up, by tasks; None where the page does not list all."""
    workers = list_rows(topology, "workers")
    if topology is None or len(workers) != read_count(topology.body.get("workersTotal")):
        return None
    weighted = []
    for worker in workers:
        count, uptime = (
            read_count(read_object(worker.get("componentNumTasks")).get(name)),
            read_uptime(worker),
        )
        if count and uptime is not None:
            weighted.append((count, uptime))
    listed = sum(count for count, _ in weighted)
    return divide(sum(count * up for count, up in weighted), float(listed)) if listed == tasks else None


def find_covered(rows: tuple[Executor, ...]) -> float | None:
    """The seconds by which the sum of the executors' counts gives the sum of their rates."""
    executed = add_known([row.executed for row in rows])
    rate = add_known([row.executed_rate for row in rows])
    if executed and rate:
        return divide(executed, rate)
    covers = [row.covered for row in rows if row.covered is not None]
    return divide(sum(covers), float(len(covers)))


def rate_of(rows: tuple[Executor, ...], executed: float | None, covered: float | None) -> float | None:
    """Tuples per second that a component executed."""
    rate = add_known([row.executed_rate for row in rows])
    return rate if rate is not None else find_rate(executed, covered)


def find_latency(rows: tuple[Executor, ...], totals: Page) -> float | None:
    """Mean seconds of a service: of the executors, else of the totals."""
    latency = mean_latency(rows)
    return read_milliseconds(totals.get("executeLatency")) if latency is None else latency


def _sum_or_total(
    rows: tuple[Executor, ...], name: Literal["executed", "emitted", "transferred"], totals: Page
) -> float | None:
    summed = add_known([getattr(row, name) for row in rows])
    return summed if summed is not None else read_number(totals.get(name))


def read_streams(
    page: StormPage | None, field_name: str, covered: float | None
) -> tuple[StreamCount, ...] | None:
    """The streams of a component's page; None where the page does not list them."""
    if page is None or not isinstance(page.body.get(field_name), list):
        return None
    found: dict[tuple[str, str], StreamCount] = {}
    for row in list_rows(page, field_name):
        component = read_text(row.get("component")) or ""
        stream = read_text(row.get("stream")) or "default"
        counts = [
            find_rate(read_number(row.get(key)), covered) for key in ("executed", "emitted", "transferred")
        ]
        found.setdefault((component, stream), StreamCount(component, stream, *counts))
    return tuple(found.values())
