"""The diagnostics of Flink's reader as tables: each with its code, its condition and its sentence."""

from collections.abc import Callable, Iterator
from dataclasses import replace
from typing import NamedTuple

from app.engines.diagnostics import Facts, Rule, Rules, find_diagnostics
from app.engines.flink.buffers import is_timeout_seen
from app.engines.flink.documents import FlinkCluster, to_line
from app.engines.flink.graph import (
    BROADCAST,
    ONE_TAKES_ALL,
    QUEUEINGS,
    JobFlows,
    find_entry_rates,
    find_strategy,
    find_total,
    list_edges,
)
from app.engines.flink.intervals import LEAST_SECONDS, JobIntervals
from app.engines.flink.load_notes import LOAD_RULES
from app.engines.flink.samples import AskedJob
from app.engines.flink.tracing import find_rest
from app.engines.flink.unjudged import UNJUDGED_RULES
from planner.values import Diagnostic
from planner.wording import join_names, write_seconds

OLD_SECONDS = 5.0
BUFFER_TIMEOUTS = ("execution.buffer-timeout.interval", "execution.buffer-timeout")
DEFAULT_BUFFER_TIMEOUT = "100 ms"


class JobNotes(NamedTuple):
    """The values from which the diagnostics of a reading are found; `age_seconds` is the age of the newest metrics."""

    asked: AskedJob
    intervals: JobIntervals
    flows: JobFlows
    age_seconds: float | None
    has_load: bool
    slots_used: int


def list_notes(notes: JobNotes) -> tuple[Diagnostic, ...]:
    """All diagnostics of one reading of Flink's answers, without repeats, each on one line."""
    found = [note for rules in (UNMOVED_RULES, SAMPLE_RULES) for note in find_diagnostics(rules, notes)]
    found += [
        note
        for rules in (SHARED_TAKER_RULES, TOPOLOGY_RULES)
        for note in find_diagnostics(rules, notes.flows)
    ]
    if notes.intervals.measured:
        found += find_diagnostics(LOAD_RULES, notes.flows) + find_diagnostics(UNJUDGED_RULES, notes.flows)
    cluster = notes.asked.cluster
    if is_timeout_seen(notes.flows):
        cluster = cluster._replace(options=None)  # the buffers tell what the job itself has set
    found += find_diagnostics(CLUSTER_RULES, (cluster, notes.slots_used))
    return tuple(dict.fromkeys(replace(note, detail=to_line(note.detail)) for note in found))


def find_age(seconds: float | None, *, is_only: bool) -> Facts | None:
    """The age of the newest metrics if it is large: the tasks have run for longer than they counted.

    One sample cannot tell this age from the time that the tasks took to start. Of several samples, the youngest
    counts as new.
    """
    if seconds is None or seconds < OLD_SECONDS:
        return None
    return Facts(
        age=write_seconds(seconds), start=", or its tasks took that long to start" if is_only else ""
    )


UNMOVED_RULES: Rules[JobNotes] = {
    "stale-metrics": Rule(
        lambda n: n.intervals.unmoved > 0,
        "Two samples have the same counters, because Flink answered with metrics that it had fetched before. Each "
        "answer starts a new fetch, at most one in metrics.fetcher.update-interval (10 s by default): take the "
        "next sample after this time.",
    ),
}
SAMPLE_RULES: Rules[JobNotes] = {
    "other-job": Rule(
        lambda n: (
            n.asked.other_jobs > 0 and Facts(jobs=n.asked.other_jobs + 1, newest=n.asked.samples[-1].job.id)
        ),
        "The answers belong to {jobs} jobs; only the newest job, {newest}, is read. A job that was restarted has a "
        "new id, and its counters begin at 0.",
    ),
    "job-not-running": Rule(
        lambda n: n.asked.early > 0 and Facts(early=n.asked.early),
        "{early} of the job's documents are left out: the job did not run yet, or some of its vertices are missing.",
    ),
    "stale-metrics": Rule(
        lambda n: [Facts(name=name) for name in n.intervals.stale],
        "A sample is left out: the counters of {name} cover more time than {name} has run, so they are from before "
        "its restart.",
    ),
    "samples-too-close": Rule(
        lambda n: n.intervals.too_close > 0 and Facts(least=write_seconds(LEAST_SECONDS)),
        "A sample is left out: its metrics are less than {least} newer than the metrics of the sample before, which "
        "is too short for rates.",
    ),
    "interval-discarded": Rule(
        lambda n: [Facts(reset=reset) for reset in n.intervals.resets],
        "Between two samples {reset}. The counters of the two samples cannot be subtracted, so this interval gives no "
        "load; the next interval will.",
    ),
    "metrics-old": Rule(
        lambda n: find_age(n.age_seconds, is_only=len(n.asked.samples) == 1),
        "The newest metrics are {age} older than the answer that holds them{start}: Flink answers with the "
        "metrics that it fetched last, and then starts a new fetch.",
    ),
    "no-load": Rule(
        lambda n: not n.has_load,
        "The answers give no load: send two samples of the running job.",
    ),
    "averages-since-start": Rule(
        lambda n: n.intervals.is_since_start and Facts(time=write_seconds(n.flows.interval.seconds)),
        "There is only one sample, so rates are averages over the {time} since the tasks started, including their "
        "warm-up. Send two samples, some time apart, to get the present rates.",
    ),
}


def find_buffer_timeout(use: tuple[FlinkCluster, int]) -> Facts | None:
    """The cluster's buffer timeout, unless it is 0."""
    options = use[0].options
    if options is None:
        return None
    given = [options[key] for key in BUFFER_TIMEOUTS if key in options]
    timeout = given[0] if given else f"{DEFAULT_BUFFER_TIMEOUT} (the default)"
    return None if timeout.removesuffix("ms").strip() == "0" else Facts(timeout=timeout)


CLUSTER_RULES: Rules[tuple[FlinkCluster, int]] = {
    "buffer-timeout": Rule(
        find_buffer_timeout,
        "The cluster's buffer timeout is {timeout}, unless the job sets its own. Below some thousand records per "
        "second each hop to another task adds about half of this time, which E[T] does not count.",
    ),
    "no-free-slots": Rule(
        lambda use: use[0].slots_available == 0 and Facts(slots=use[0].slots_total or use[1]),
        "All {slots} slots are taken. If a change needs more slots, Flink accepts it without an error and runs "
        "fewer processors.",
    ),
}


def find_saturated_takers(flows: JobFlows, *, is_told: bool) -> Iterator[Facts]:
    """The senders to several vertices of which one had no idle time left: this vertex may be sent more than it took.

    `is_told`: those where the vertices with idle time tell how much it is sent.
    """
    names = flows.shape.names
    for sender in flows.interval.activities:
        takers = flows.shape.list_takers(sender)
        busy = [names[vertex] for vertex in takers if flows.is_saturated(vertex)]
        if len(takers) > 1 and busy and (find_rest(sender, takers, flows) is not None) == is_told:
            yield Facts(busy, sender=names[sender], count=len(takers))


def find_shared_takers(flows: JobFlows) -> Iterator[Facts]:
    """Vertices whose several senders also send to other vertices, so that the part of each sender is not counted."""
    shape = flows.shape
    for vertex, inputs in shape.inputs.items():
        forked = [shape.names[one.vertex] for one in inputs if len(shape.list_takers(one.vertex)) > 1]
        if len(inputs) > 1 and len(forked) > 1:
            yield Facts([shape.names[vertex]], senders=join_names(forked))


def find_exchanges(holds: Callable[[str, list[str]], bool]) -> Callable[[JobFlows], list[Facts]]:
    """Makes a condition that finds the operators for whose exchanges `holds` is true."""

    def find(flows: JobFlows) -> list[Facts]:
        shape = flows.shape
        exchanges = {vertex: find_strategy(vertex, flows) for vertex in shape.inputs if shape.has(vertex)}
        return [
            Facts([shape.names[vertex]], exchange=exchange or "(none)")
            for vertex, exchange in exchanges.items()
            if holds(exchange, [QUEUEINGS.get(one.ship_strategy, "") for one in shape.inputs[vertex]])
        ]

    return find


def find_empty_entries(flows: JobFlows) -> Facts | None:
    """The source operators at which no records were counted in the interval."""
    rates = find_entry_rates(flows)
    empty = [flows.shape.names[vertex] for vertex, rate in rates.items() if rate <= 0.0]
    return Facts(empty) if empty or find_total(flows) <= 0.0 else None


SHARED_TAKER_RULES: Rules[JobFlows] = {
    "split-assumed": Rule(
        lambda flows: list(find_shared_takers(flows)),
        "{senders} send to {names} and to other vertices, and Flink does not count the records to each. The "
        "records of each sender to {names} are assumed to be in proportion to all that it sends.",
    ),
}
TOPOLOGY_RULES: Rules[JobFlows] = {
    "split-assumed": Rule(
        lambda flows: list(find_saturated_takers(flows, is_told=False)),
        "{sender} sends to {count} vertices, and Flink does not count the records to each. {names} had no idle time "
        "left and may be sent more than it took: it is assumed to be sent all records of {sender}, unless the "
        "receiving vertices divide the records among them.",
    ),
    "split-computed": Rule(
        lambda flows: list(find_saturated_takers(flows, is_told=True)),
        "{sender} sends to {count} vertices, and Flink does not count the records to each. {names} had no idle time "
        "left; the other vertices had, and took only a part of what {sender} sends, so {names} is sent the rest.",
    ),
    "exchange-unknown": Rule(
        find_exchanges(lambda exchange, _: exchange not in QUEUEINGS),
        "Headgate does not know the exchange {exchange} before {names}: round-robin is assumed.",
    ),
    "mixed-exchanges": Rule(
        find_exchanges(lambda _, queueings: len(set(queueings)) > 1),
        "The inputs of {names} have different exchanges: the queueing of {names} follows the input with the most "
        "records, {exchange}.",
    ),
    "broadcast": Rule(
        find_exchanges(lambda exchange, _: exchange == BROADCAST),
        "Every subtask of {names} gets every record, so more subtasks do not make {names} faster. If all inputs of "
        "{names} are broadcast, its number of processors is kept.",
    ),
    "one-subtask-takes-all": Rule(
        find_exchanges(lambda exchange, _: exchange == ONE_TAKES_ALL),
        "Only the first subtask of {names} gets records, so plans give {names} one processor.",
    ),
    "selectivity-assumed": Rule(
        lambda flows: [
            Facts(ends, source=ends[0], target=ends[1])
            for edge in list_edges(flows.shape)
            if flows.find_selectivity(edge) is None
            for ends in ([flows.shape.names[end] for end in edge],)
        ],
        "How many records {source} sends to {target} for each record that {source} serves is not measured: 1 is "
        "assumed.",
    ),
    "entries-assumed": Rule(
        find_empty_entries,
        "No records were counted at the entry {names}. Its share of the external rate is set to almost 0, or to an "
        "equal part if no entry had any records.",
    ),
}
