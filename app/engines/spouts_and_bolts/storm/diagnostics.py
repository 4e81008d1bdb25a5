"""Diagnostics of Storm's pages: what is missing, coarse or contradictory, and what limits a rebalance."""

from app.engines.diagnostics import DiagnosticRule, Facts, Finding, find_diagnostics
from app.engines.numbers import read_count, read_number, read_text
from app.engines.spouts_and_bolts.diagnostics import find_shared_diagnostics
from app.engines.spouts_and_bolts.flows import FIELDS
from app.engines.spouts_and_bolts.storm import executor_diagnostics
from app.engines.spouts_and_bolts.storm.components import (
    TOLERANCE,
    StormComponent,
    counts_system_streams,
    find_longest_uptime,
)
from app.engines.spouts_and_bolts.storm.fields import ALL_TIME, CAPACITY_WINDOW, cover, read_uptime
from app.engines.spouts_and_bolts.storm.samples import MeasuredSample, find_own_time
from planner.values import Diagnostic
from planner.wording import join_names, write_count, write_number, write_percent, write_seconds

COARSE = 0.1  # the relative error of a mean of whole milliseconds from which on it is reported
LONG = 2.0
LONG_WINDOWS = frozenset({ALL_TIME, 10800.0, 86400.0})


def find_storm_diagnostics(measured: MeasuredSample) -> tuple[Diagnostic, ...]:
    """All diagnostics of the newest sample."""
    shared = find_shared_diagnostics(
        measured.interval,
        processors="executors",
        count="the count (executed) of one executor at least",
        latency="executeLatency",
        graph="/api/v1/topology/<id>/visualization",
        emitted="the component pages with outputStats",
    )
    rows = find_diagnostics(executor_diagnostics.RULES, measured.bolts)
    return (*rows, *shared, *find_diagnostics(RULES, measured))


def find_coarseness(bolt: StormComponent, step: float) -> float:
    """The relative standard error of a mean of zeros and ones: 1/√(samples × mean in ms); 0 from 1 ms on."""
    milliseconds = 1000.0 * (bolt.latency or 0.0)
    if not bolt.executed or not 0.0 < milliseconds < 1.0:
        return 0.0
    return float((bolt.executed / step * milliseconds) ** -0.5)


def _find_coarse(measured: MeasuredSample) -> Finding:
    return {
        bolt.name: f"{bolt.name} {write_seconds(bolt.latency)} ± {write_percent(error)}"
        for bolt in measured.bolts
        if (error := find_coarseness(bolt, measured.step)) > COARSE
    }


def _find_misfit_totals(measured: MeasuredSample) -> Finding:
    return {
        bolt.name: f"{bolt.name}: {write_count(int(bolt.executed or 0))} executed × {write_seconds(bolt.latency)} / "
        f"({write_seconds(bolt.covered)} × {bolt.processors} executors) = {write_number(bolt.mean_utilisation)} is the "
        f"mean utilisation; capacity, that of the busiest executor, is {write_number(bolt.capacity)}: {bolt.misfit}"
        for bolt in measured.bolts
        if bolt.misfit is not None
    }


def _list_differing(measured: MeasuredSample) -> list[str]:
    """Bolts whose executors and totals have executed different numbers of tuples."""
    found = []
    for bolt in measured.bolts:
        total = read_number(bolt.totals.get("executed"))
        if bolt.rows and total and bolt.executed is not None:
            apart = abs(total - bolt.executed)
            found += [bolt.name] if apart > TOLERANCE * max(total, bolt.executed) else []
    return found


def _find_long_windows(measured: MeasuredSample) -> Finding:
    long = {
        bolt.name: bolt.covered or 0.0
        for bolt in measured.bolts
        if bolt.window in LONG_WINDOWS and (bolt.covered or 0.0) > LONG * CAPACITY_WINDOW
    }
    return Facts(long, longest=write_seconds(max(long.values()))) if long else None


def _list_at_most(measured: MeasuredSample) -> list[str]:
    """Bolts with as many executors as tasks."""
    return [
        bolt.name
        for bolt in measured.bolts
        if bolt.max_parallelism and bolt.max_parallelism == bolt.processors
    ]


def _list_single_workers(measured: MeasuredSample) -> list[str]:
    """Bolts fed by a fields grouping of which one executor executes everything."""
    fields = [bolt for bolt in measured.bolts if measured.interval.list_groupings(bolt.name) == {FIELDS}]
    busy = {bolt.name: [row for row in bolt.rows if row.executed] for bolt in fields if len(bolt.rows) > 1}
    return [name for name, rows in busy.items() if len(rows) == 1]


def _find_other_executors(measured: MeasuredSample) -> Finding:
    page = measured.sample.topology
    total = read_count(page.body.get("executorsTotal")) if page else None
    others = (total or 0) - sum([one.processors or 0 for one in measured.interval.components.values()])
    return Facts(total=total, others=others) if others > 0 else None


def _find_states(measured: MeasuredSample) -> Finding:
    pages = [one for one in (measured.sample.topology, *measured.sample.components.values()) if one]
    states = [read_text(one.body.get("status", one.body.get("topologyStatus"))) for one in pages]
    found = sorted({state for state in states if state and state.upper() != "ACTIVE"})
    return Facts(states=join_names(found)) if found else None


def _find_restart(measured: MeasuredSample) -> Finding:
    """Executors that started within the window, after the topology."""
    page = measured.sample.topology
    uptime, longest = read_uptime(page.body) if page else None, find_longest_uptime(measured.sample)
    window = page.window if page else None
    usual, since = cover(window, uptime), cover(window, longest)
    if usual is None or since is None or since > usual * (1.0 - TOLERANCE):
        return None
    assumed = [name for name in measured.interval.components if name not in measured.sample.components]
    also = f", which is assumed for {join_names(assumed)} too: send their pages" if assumed else ""
    bolts = [bolt.name for bolt in measured.bolts if bolt.name in assumed]
    return Facts(bolts, longest=write_seconds(longest), uptime=write_seconds(uptime), also=also)


RULES: tuple[DiagnosticRule[MeasuredSample], ...] = (
    DiagnosticRule(
        "latency-below-resolution",
        lambda measured: [
            bolt.name
            for bolt in measured.bolts
            if bolt.executed and bolt.latency == 0.0 and bolt.service_seconds is not None
        ],
        "Every sampled service of {names} took 0 ms, by a clock of whole milliseconds. The upper bound of the mean, "
        "3 ms / number of samples (95%), is taken for it: the real service is faster.",
    ),
    DiagnosticRule(
        "latency-coarse",
        _find_coarse,
        "Mean services below a millisecond, by a clock of whole milliseconds: {texts} (one standard error).",
    ),
    DiagnosticRule(
        "numbers-disagree",
        _find_misfit_totals,
        "{texts}. Rates are executed / uptime: no number was corrected. Send the pages of these components too: they "
        "have the uptime of each executor.",
    ),
    DiagnosticRule(
        "uptime-assumed",
        lambda measured: [
            bolt.name
            for bolt in measured.bolts
            if any(row.uptime is None and row.covered for row in bolt.rows)
        ],
        "The uptime of executors of {names} is missing: the time that their counts cover is taken from executed × "
        "latency / capacity, which is exact to the last digits of these, else from the topology's uptime.",
    ),
    DiagnosticRule(
        "window-assumed",
        lambda measured: [
            bolt.name
            for bolt in measured.bolts
            if bolt.window is None and (bolt.covered or 0.0) > CAPACITY_WINDOW
        ],
        "The window of the counts of {names} is missing: all time is taken, which is what Storm answers where none is "
        "asked for. Ask with ?window=600.",
    ),
    DiagnosticRule(
        "window-long",
        _find_long_windows,
        "The counts of {names} are means over {longest}, and tell little of the present load. Ask with ?window=600.",
    ),
    DiagnosticRule(
        "executors-missing",
        lambda measured: [
            bolt.name
            for bolt in measured.bolts
            if bolt.rows and len(bolt.rows) < (bolt.listed_executors or 0)
        ],
        "Fewer executors of {names} reported than run: what the others executed is not counted. Ask again when all of "
        "them have sent a heartbeat.",
    ),
    DiagnosticRule(
        "pages-differ",
        _list_differing,
        "The executors of {names} executed another number of tuples than the row of totals states, by more than 5%: "
        "the pages are of different times or windows. The executors' numbers are used.",
    ),
    DiagnosticRule(
        "groupings-mixed",
        lambda measured: [
            bolt.name for bolt in measured.bolts if len(measured.interval.list_groupings(bolt.name)) > 1
        ],
        "{names} receive tuples by several groupings: the queueing of the largest stream is taken.",
    ),
    DiagnosticRule(
        "one-executor-works",
        _list_single_workers,
        "One executor of {names} executes everything: either all tuples have one key, or the grouping is global, which "
        "Storm's UI shows as fields too. More executors would be idle.",
    ),
    DiagnosticRule(
        "tasks-limit-executors",
        _list_at_most,
        "{names} have as many executors as tasks: a rebalance can take executors away and cannot add any. More tasks "
        "(setNumTasks) need the topology to be submitted anew.",
    ),
    DiagnosticRule(
        "tasks-unknown",
        lambda measured: [bolt.name for bolt in measured.bolts if bolt.max_parallelism is None],
        "The number of tasks of {names} is unknown: plans may give more than Storm can.",
    ),
    DiagnosticRule(
        "executors-left-out",
        _find_other_executors,
        "Of {total} executors, {others} are neither of a bolt nor of a spout in the answers: Storm's own, such as "
        "__acker, or components without a row. No operator stands for them.",
    ),
    DiagnosticRule(
        "completion-by-acks",
        lambda measured: measured.interval.completion.seconds is not None,
        "measured_completion_seconds is Storm's mean complete latency: from a spout's emit until the tree of the tuple "
        "is acknowledged, with the way of the acknowledgement through __acker and the spout.",
    ),
    DiagnosticRule(
        "topology-not-active",
        _find_states,
        "The topology is {states}, not ACTIVE: its counts are not those of the usual load.",
    ),
    DiagnosticRule(
        "executors-restarted",
        _find_restart,
        "No executor has been up for more than {longest}, and the topology for {uptime}: a rebalance or a crash "
        "started executors anew. Counts cover the time since then{also}.",
    ),
    DiagnosticRule(
        "pages-left-out",
        lambda measured: Facts(number=measured.nameless) if measured.nameless else None,
        "{number} component pages have no id: left out. Give the path of each answer.",
    ),
    DiagnosticRule(
        "system-streams-counted",
        lambda measured: counts_system_streams(measured.sample.topology),
        "The topology's page was asked with sys=true: its emitted and transferred count acks and metrics too, and are "
        "not used; those of component pages are.",
    ),
    DiagnosticRule(
        "time-by-uptime",
        lambda measured: measured.sample.at is None and find_own_time(measured.sample) is not None,
        "The answers have no time: it is the topology's launch, the second at the end of its id, plus its uptime.",
    ),
    DiagnosticRule(
        "samples-left-out",
        lambda measured: Facts(number=measured.left_out) if measured.left_out else None,
        "{number} samples have pages of other bolts than the newest complete one: left out. A page that comes again "
        "begins a new sample; send all pages of each.",
    ),
)
