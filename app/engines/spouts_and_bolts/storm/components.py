"""Storm's spouts and bolts: from a component's page if it was sent, else from its row on the topology's page."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Literal

from app.engines.numbers import (
    add_known,
    divide,
    find_mean,
    find_rate,
    read_count,
    read_name,
    read_number,
    read_object,
    read_text,
)
from app.engines.spouts_and_bolts.components import Component, StreamCount
from app.engines.spouts_and_bolts.storm.fields import (
    CAPACITY_WINDOW,
    Executor,
    Page,
    cover,
    find_service_seconds,
    is_system,
    mean_latency,
    read_decimal,
    read_executors,
    read_uptime,
    read_window,
)
from app.engines.spouts_and_bolts.storm.pages import StormPage, StormSample, list_rows
from app.web.fields import MOST_PROCESSORS
from planner.wording import write_seconds

TOLERANCE = 0.05
UNEVEN = 1.5
ROUNDING = 0.001
LEAST_CAPACITY = 0.1


@dataclass(frozen=True, kw_only=True)
class StormComponent(Component):
    """A spout or a bolt; None: the pages do not give it.

    `rows` are its executors, and `listed_executors` the number of executors that the page states. `latency` is the
    mean by Storm's clock, in seconds. `totals` is the row that sums up the executors.
    """

    rows: tuple[Executor, ...]
    listed_executors: int | None
    window: float | None
    executed: float | None
    latency: float | None
    totals: Page

    @property
    def capacity(self) -> float | None:
        """The capacity of the busiest executor, as Storm prints it (StatsUtil, maxOr0)."""
        return read_decimal(self.totals.get("capacity"))

    @property
    def is_idle(self) -> bool:
        """Whether the component executed no tuple in the window."""
        return self.executed == 0.0

    @property
    def mean_utilisation(self) -> float | None:
        """The mean share of time in which executors were busy: executed × latency / (seconds covered × executors).

        None if the totals cover more than ten minutes. Totals do not hold the uptime of executors. A capacity far above
        this mean shows that the executors are uneven, or started later than assumed.
        """
        is_short = self.covered is not None and self.covered <= CAPACITY_WINDOW
        if (
            self.rows
            or not is_short
            or not self.processors
            or self.executed_rate is None
            or self.latency is None
        ):
            return None
        return self.executed_rate * self.latency / self.processors

    @property
    def misfit(self) -> str | None:
        """The reason why the mean utilisation and the largest capacity of a bolt contradict each other; None
        if they agree.
        """
        mean, capacity = self.mean_utilisation, self.capacity
        if mean is None or capacity is None:
            return None
        slack = TOLERANCE * max(mean, capacity) + ROUNDING
        if mean - capacity > slack:
            return "less than the mean, which is impossible: one of these numbers is wrong"
        if capacity - mean > slack and self.processors == 1:
            started = divide((self.executed or 0.0) * (self.latency or 0.0), capacity)
            return (
                f"the counts would fit if the executors had run for only {write_seconds(started)}, less than "
                "the topology"
            )
        if capacity > UNEVEN * mean + slack and capacity > LEAST_CAPACITY:
            return "far more than the mean: its executors are uneven, or started after the topology"
        return None

    @property
    def fits_capacity(self) -> bool:
        """Whether the capacity that Storm states agrees with the time that the counts are assumed to cover."""
        return self.misfit is None


def read_components(sample: StormSample, step: float) -> dict[str, StormComponent]:
    """Every spout and bolt on the pages, without Storm's own; one sampled tuple stands for `step` tuples."""
    rows = list_component_rows(sample.topology)
    found = {}
    for name in dict.fromkeys([*rows, *sample.components, *sample.streams]):
        page = sample.components.get(name) or sample.streams.get(name)
        is_bolt, row = rows.get(name) or (is_bolt_page(page), {})
        found[name] = read_component(name, row, page, sample, is_bolt=is_bolt, step=step)
    return found


def list_component_rows(topology: StormPage | None) -> dict[str, tuple[bool, Page]]:
    """The rows of the topology's page by component, and for each whether it is a bolt."""
    found: dict[str, tuple[bool, Page]] = {}
    for kind in ("spout", "bolt"):
        for row in list_rows(topology, f"{kind}s"):
            name = read_name(row.get(f"{kind}Id")) or read_name(row.get("id"))
            if name and not is_system(name):
                found.setdefault(name, (kind == "bolt", row))
    return found


def is_bolt_page(page: StormPage | None) -> bool:
    """Whether a page describes a bolt, not a spout."""
    kind = (read_text(page.body.get("componentType")) or "").lower() if page else ""
    if kind in {"spout", "bolt"}:
        return kind == "bolt"
    fields = {key for row in list_rows(page, "executorStats") for key in row}
    is_spout = "completeLatency" in fields and "executed" not in fields
    return not is_spout and (page is None or "spoutSummary" not in page.body)


def read_component(
    name: str, row: Page, page: StormPage | None, sample: StormSample, *, is_bolt: bool, step: float
) -> StormComponent:
    """One component, from its executors' numbers, else from the totals of its page, else from the topology's page."""
    source = page or sample.topology
    window, longest = source.window if source else None, find_longest_uptime(sample)
    rows = read_executors(list_rows(page, "executorStats"), window, longest)
    head = {**row, **(page.body if page else {})}
    listed, tasks = read_count(head.get("executors")) or None, read_count(head.get("tasks")) or None
    processors = max(listed or 0, len(rows)) or None
    covered = find_covered(rows)
    if not covered:
        started = find_worker_uptime(name, tasks, sample.topology)
        covered = cover(window, longest if started is None else started)
    totals, outputs = choose_totals(row, page), read_outputs(page, covered)
    may_sum = not outputs and (page or not counts_system_streams(sample.topology))
    sent = count_sent(rows, totals, covered) if may_sum else sum_outputs(outputs)
    executed, latency = _sum_or_total(rows, "executed", totals), mean_latency(rows, totals)
    rate = add_known([one.executed_rate for one in rows])
    return StormComponent(
        name=name,
        is_bolt=is_bolt,
        processors=processors,
        tasks=tasks,
        max_parallelism=find_most_executors(rows, tasks, processors),
        covered=covered,
        executed_rate=find_rate(executed, covered) if rate is None else rate,
        service_seconds=find_service_seconds(executed, latency, step),
        emitted_rate=sent.emitted_rate,
        transferred_rate=sent.transferred_rate,
        outputs=outputs,
        executed_from=read_inputs(page, covered),
        instances=tuple([(read_name(one.label) or "executor", one.executed_rate) for one in rows]),
        rows=rows,
        listed_executors=listed,
        window=window,
        executed=executed,
        latency=latency,
        totals=totals,
    )


def count_sent(rows: Sequence[Executor], totals: Page, covered: float | None) -> StreamCount:
    """The rates sent on all streams together, where no stream has a row of its own."""
    counts = [_sum_or_total(rows, "emitted", totals), _sum_or_total(rows, "transferred", totals)]
    return StreamCount(*[find_rate(count, covered) for count in counts])


def find_longest_uptime(sample: StormSample) -> float | None:
    """The longest uptime that an executor can have: the longest on the components' pages, else the topology's uptime.

    A rebalance restarts executors, and with them the counts, while the topology's uptime goes on.
    """
    rows = [row for page in sample.components.values() for row in list_rows(page, "executorStats")]
    known = [uptime for row in rows if (uptime := read_uptime(row)) is not None]
    topology = read_uptime(sample.topology.body) if sample.topology else None
    if topology is None or not known:
        return max(known, default=None) if topology is None else topology
    return min(topology, max(known))


def find_worker_uptime(name: str, tasks: int | None, topology: StormPage | None) -> float | None:
    """The uptime of the workers that run a component, found by their tasks; None if the page does not list all."""
    workers = list_rows(topology, "workers")
    if topology is None or len(workers) != read_count(topology.body.get("workersTotal")):
        return None
    listed = [
        (read_count(read_object(one.get("componentNumTasks")).get(name)), read_uptime(one)) for one in workers
    ]
    weighted = [(float(count), uptime) for count, uptime in listed if count and uptime is not None]
    return find_mean(weighted) if sum(count for count, _ in weighted) == tasks else None


def find_covered(rows: Sequence[Executor]) -> float | None:
    """The sum of the executors' counts divided by the sum of their rates, in seconds."""
    executed = add_known([row.executed for row in rows])
    rate = add_known([row.executed_rate for row in rows])
    if executed and rate:
        return divide(executed, rate)
    covers = [row.covered for row in rows if row.covered is not None]
    return divide(sum(covers), float(len(covers)))


def choose_totals(row: Page, page: StormPage | None) -> Page:
    """The totals of a component over its window: from its own page, else from the topology's page."""
    for field_name in ("boltStats", "spoutSummary"):
        for one in list_rows(page, field_name):
            if page and page.window is not None and read_window(one.get("window")) == page.window:
                return one
    return row


def counts_system_streams(topology: StormPage | None) -> bool:
    """Whether the topology's page was asked with sys=true: its counts then hold acks and metrics."""
    return any(is_system(read_text(row.get("boltId")) or "") for row in list_rows(topology, "bolts"))


def _sum_or_total(
    rows: Sequence[Executor], name: Literal["executed", "emitted", "transferred"], totals: Page
) -> float | None:
    summed = add_known([getattr(row, name) for row in rows])
    return summed if summed is not None else read_number(totals.get(name))


def list_streams(page: StormPage | None, field_name: str) -> dict[tuple[str, str], Page] | None:
    """The rows of a component's streams by component and stream; None where the page does not list them."""
    if page is None or not isinstance(page.body.get(field_name), list):
        return None
    found: dict[tuple[str, str], Page] = {}
    for row in list_rows(page, field_name):
        key = read_text(row.get("component")) or "", read_text(row.get("stream")) or "default"
        found.setdefault(key, row)
    return found


def read_inputs(page: StormPage | None, covered: float | None) -> dict[tuple[str, str], float | None] | None:
    """The tuples per second that a component executed, by source and stream; None if the page does not list them."""
    rows = list_streams(page, "inputStats")
    if rows is None:
        return None
    return {key: find_rate(read_number(row.get("executed")), covered) for key, row in rows.items()}


def read_outputs(page: StormPage | None, covered: float | None) -> dict[str, StreamCount] | None:
    """The tuples per second that a component emitted and transferred, by stream; None if the page does not
    list them.
    """
    rows = list_streams(page, "outputStats")
    if rows is None:
        return None
    return {
        stream: StreamCount(
            *[find_rate(read_number(row.get(key)), covered) for key in ("emitted", "transferred")]
        )
        for (_, stream), row in rows.items()
    }


def sum_outputs(outputs: Mapping[str, StreamCount] | None) -> StreamCount:
    """The tuples per second that a component emitted and transferred on all streams but Storm's own."""
    own = [count for stream, count in (outputs or {}).items() if not is_system(stream)]
    return StreamCount(
        add_known([one.emitted_rate for one in own]), add_known([one.transferred_rate for one in own])
    )


def find_most_executors(rows: Sequence[Executor], tasks: int | None, processors: int | None) -> int | None:
    """The number of tasks, the most executors that a rebalance can give, or the executors' tasks if the pages do
    not state it.

    None if the tasks contradict the executors.
    """
    by_rows = add_known([row.tasks for row in rows])
    most = tasks or (None if by_rows is None else int(by_rows))
    return most if most and (processors or 1) <= most <= MOST_PROCESSORS else None
