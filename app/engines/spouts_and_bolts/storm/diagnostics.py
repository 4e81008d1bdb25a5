"""Diagnostics of Storm's pages: missing, coarse or contradictory numbers, and limits of a rebalance."""

from app.engines.diagnostics import Facts, Finding, Rule, Rules, find_diagnostics
from app.engines.numbers import add_known, read_count, read_number, read_text
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
        count="the count (executed) of at least one executor",
        latency="executeLatency",
        graph="/api/v1/topology/<id>/visualization",
        emitted="the component pages with outputStats",
    )
    rows = find_diagnostics(executor_diagnostics.RULES, measured.bolts)
    return (*rows, *shared, *find_diagnostics(RULES, measured))


def find_coarseness(bolt: StormComponent, step: float) -> float:
    """The relative standard error of a latency below 1 ms, which Storm takes from samples of 0 or 1 ms.

    It is 1/√(samples × mean in ms), and 0 for a latency of 1 ms or more.
    """
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
    """Bolts whose executors and row of totals state different numbers of executed tuples."""
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
    """Bolts behind a fields grouping of which one executor executes all tuples."""
    fields = [bolt for bolt in measured.bolts if measured.interval.list_groupings(bolt.name) == {FIELDS}]
    busy = {bolt.name: [row for row in bolt.rows if row.executed] for bolt in fields if len(bolt.rows) > 1}
    return [name for name, rows in busy.items() if len(rows) == 1]


def _find_other_executors(measured: MeasuredSample) -> Finding:
    page = measured.sample.topology
    total = read_count(page.body.get("executorsTotal")) if page else None
    known = add_known([one.processors for one in measured.interval.components.values()])
    if total is None or known is None or total <= known:
        return None
    return Facts(total=total, others=total - int(known))


def _find_states(measured: MeasuredSample) -> Finding:
    pages = [one for one in (measured.sample.topology, *measured.sample.components.values()) if one]
    states = [read_text(one.body.get("status", one.body.get("topologyStatus"))) for one in pages]
    found = sorted({state for state in states if state and state.upper() != "ACTIVE"})
    return Facts(states=join_names(found)) if found else None


def _find_restart(measured: MeasuredSample) -> Finding:
    """The executors that started within the window although the topology is older."""
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


RULES: Rules[MeasuredSample] = {
    "latency-below-resolution": Rule(
        lambda measured: [
            bolt.name
            for bolt in measured.bolts
            if bolt.executed and bolt.latency == 0.0 and bolt.service_seconds is not None
        ],
        "Every sampled service of {names} took 0 ms by Storm's clock of whole milliseconds. Their mean service "
        "time is set to its upper bound, 3 ms / number of samples (95%): the real service is faster.",
    ),
    "latency-coarse": Rule(
        _find_coarse,
        "Mean service times below a millisecond are uncertain, because Storm's clock has whole milliseconds: "
        "{texts} (one standard error).",
    ),
    "numbers-disagree": Rule(
        _find_misfit_totals,
        "{texts}. No number was corrected: rates are executed / uptime. Send the pages of these components too: "
        "they have the uptime of each executor.",
    ),
    "uptime-assumed": Rule(
        lambda measured: [
            bolt.name
            for bolt in measured.bolts
            if any(row.uptime is None and row.covered for row in bolt.rows)
        ],
        "The uptime of some executors of {names} is missing. The time that their counts cover is computed as "
        "executed × latency / capacity, which is exact up to rounding, or else is the topology's uptime.",
    ),
    "window-assumed": Rule(
        lambda measured: [
            bolt.name
            for bolt in measured.bolts
            if bolt.window is None and (bolt.covered or 0.0) > CAPACITY_WINDOW
        ],
        "The window of the counts of {names} is missing, so all time is assumed, which is Storm's default. Ask "
        "with ?window=600.",
    ),
    "window-long": Rule(
        _find_long_windows,
        "The counts of {names} are means over {longest}, which show little of the present load. Ask with "
        "?window=600.",
    ),
    "executors-missing": Rule(
        lambda measured: [
            bolt.name
            for bolt in measured.bolts
            if bolt.rows and len(bolt.rows) < (bolt.listed_executors or 0)
        ],
        "Some executors of {names} have not reported yet, and the tuples that they executed are not counted. Ask "
        "again when all of them have sent a heartbeat.",
    ),
    "pages-differ": Rule(
        _list_differing,
        "The executors of {names} state other numbers of executed tuples than the row of totals, by more than 5%: "
        "the pages are of different times or windows. The executors' numbers are used.",
    ),
    "groupings-mixed": Rule(
        lambda measured: [
            bolt.name for bolt in measured.bolts if len(measured.interval.list_groupings(bolt.name)) > 1
        ],
        "{names} receive tuples by several groupings: the queueing of the largest stream is used.",
    ),
    "one-executor-works": Rule(
        _list_single_workers,
        "One executor of {names} executes everything: either all tuples have the same key, or the grouping is "
        "global, which Storm's UI shows as fields too. More executors would be idle.",
    ),
    "tasks-limit-executors": Rule(
        _list_at_most,
        "{names} have as many executors as tasks, so a rebalance can only take executors away. To add executors, "
        "submit the topology again with more tasks (setNumTasks).",
    ),
    "tasks-unknown": Rule(
        lambda measured: [bolt.name for bolt in measured.bolts if bolt.max_parallelism is None],
        "The number of tasks of {names} is unknown: a plan may recommend more executors than Storm can start.",
    ),
    "executors-left-out": Rule(
        _find_other_executors,
        "{others} of {total} executors belong neither to a bolt nor to a spout in the answers: they are Storm's "
        "own, such as __acker, or of components without a row. They are not part of any operator.",
    ),
    "completion-by-acks": Rule(
        lambda measured: measured.interval.completion.seconds is not None,
        "The measured completion time is Storm's mean complete latency: the time from a spout's emit until the tuple "
        "and all tuples derived from it are acknowledged, including the way of the acknowledgement back to the "
        "spout.",
    ),
    "topology-not-active": Rule(
        _find_states,
        "The topology is {states}, not ACTIVE, so its counts do not show the usual load.",
    ),
    "executors-restarted": Rule(
        _find_restart,
        "The executors restarted at most {longest} ago, in a rebalance or after a crash, while the topology has "
        "been up for {uptime}. Counts cover the time since the restart{also}.",
    ),
    "pages-left-out": Rule(
        lambda measured: Facts(number=measured.nameless) if measured.nameless else None,
        "{number} component pages are left out, because they have no id. Give the path of each answer.",
    ),
    "system-streams-counted": Rule(
        lambda measured: counts_system_streams(measured.sample.topology),
        "The topology's page was asked with sys=true, so its emitted and transferred include acks and metrics: "
        "they are not used, but the counts of component pages are.",
    ),
    "time-by-uptime": Rule(
        lambda measured: measured.sample.at is None and find_own_time(measured.sample) is not None,
        "The answers have no time, so it is computed: the launch of the topology (the second at the end of its "
        "id) plus its uptime.",
    ),
    "samples-left-out": Rule(
        lambda measured: Facts(number=measured.left_out) if measured.left_out else None,
        "{number} samples are left out, because they have pages of other bolts than the newest complete sample. A "
        "page that comes again begins a new sample; send all pages of each sample.",
    ),
}
