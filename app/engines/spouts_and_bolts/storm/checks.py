"""What a reader of Storm's numbers must know: numbers that contradict each other, and numbers that are missing."""

from app.engines.diagnostics import say
from app.engines.numbers import read_count, read_text
from app.engines.spouts_and_bolts.storm.components import counts_system_streams, find_longest_uptime
from app.engines.spouts_and_bolts.storm.fields import cover, read_uptime
from app.engines.spouts_and_bolts.storm.graphs import count_tasks
from app.engines.spouts_and_bolts.storm.pages import StormAnswers
from app.engines.spouts_and_bolts.storm.rate_checks import check_rates
from app.engines.spouts_and_bolts.storm.row_checks import check_rows
from app.engines.spouts_and_bolts.storm.samples import MeasuredSample
from app.engines.spouts_and_bolts.storm.totals import TOLERANCE
from app.engines.spouts_and_bolts.storm.wiring_checks import check_wiring
from planner.values import Diagnostic
from planner.wording import join_names


def check_sample(measured: MeasuredSample, pages: StormAnswers) -> tuple[Diagnostic, ...]:
    """All diagnostics of the newest sample."""
    bolts = list(measured.bolts.values())
    return (
        *check_rows(bolts),
        *check_rates(bolts, measured.step),
        *check_wiring(measured),
        *check_tasks(measured),
        *check_executor_count(measured),
        *check_completion(measured),
        *check_state(measured),
        *check_starts(measured),
        *check_pages(measured, pages),
    )


def check_tasks(measured: MeasuredSample) -> list[Diagnostic]:
    """Bolts that a rebalance cannot give more executors, and bolts whose limit is unknown."""
    tasks = {name: count_tasks(bolt) for name, bolt in measured.bolts.items()}
    full = [name for name, bolt in measured.bolts.items() if tasks[name] == bolt.processors and tasks[name]]
    unknown = [name for name, most in tasks.items() if most is None]
    said = []
    if full:
        detail = (
            f"{join_names(full)} have as many executors as tasks: a rebalance can take executors away and cannot add "
            "any. More tasks (setNumTasks) need the topology to be submitted anew."
        )
        said.append(say("tasks-limit-executors", detail, full))
    if unknown:
        detail = (
            f"The number of tasks of {join_names(unknown)} is unknown: plans may give more than Storm can."
        )
        said.append(say("tasks-unknown", detail, unknown))
    return said


def check_executor_count(measured: MeasuredSample) -> list[Diagnostic]:
    """Executors of spouts and of Storm itself, which are no operators and yet use the machines."""
    page = measured.sample.topology
    total = read_count(page.body.get("executorsTotal")) if page else None
    spouts = [one for one in measured.components.values() if one.kind == "spout"]
    of_spouts = sum([one.processors or 0 for one in spouts])
    of_bolts = sum([one.processors or 0 for one in measured.bolts.values()])
    own = total - of_bolts - of_spouts if total is not None else 0
    said = []
    if spouts:
        detail = (
            f"Spouts are no operators: {join_names([one.name for one in spouts])} with {of_spouts} executors. Storm "
            "does not measure nextTuple; external tuples are those that spouts emit."
        )
        said.append(say("spouts-left-out", detail))
    if own > 0:
        detail = (
            f"Of {total} executors, {own} are neither of a bolt nor of a spout in the answers: Storm's own, such as "
            "__acker, or components without a row. No operator stands for them."
        )
        said.append(say("executors-left-out", detail))
    return said


def check_completion(measured: MeasuredSample) -> list[Diagnostic]:
    """Complete latency that was not measured, or leaves out tuples that failed."""
    said = []
    completion = measured.completion
    if completion.seconds is None and any(one.kind == "spout" for one in measured.components.values()):
        detail = (
            "The completion time was not measured: no tuple was acknowledged with a latency above 0. Spouts that emit "
            "without a message id, and topologies without ackers, have none."
        )
        said.append(say("completion-not-measured", detail))
    elif completion.seconds is not None:
        detail = (
            "measured_completion_seconds is Storm's mean complete latency: from a spout's emit until the tree of the "
            "tuple is acknowledged, with the way of the acknowledgement through __acker and the spout."
        )
        said.append(say("completion-by-acks", detail))
    if completion.failed:
        timeout = f" (after {completion.timeout:g} s)" if completion.timeout else ""
        detail = (
            f"{completion.failed:.0f} tuples failed or timed out{timeout}: the complete latency leaves them out and is "
            "too low; a spout that replays them emits more than the external load."
        )
        said.append(say("tuples-failed", detail))
    return said


def check_state(measured: MeasuredSample) -> list[Diagnostic]:
    """A topology that is not running as usual."""
    pages = [one for one in (measured.sample.topology, *measured.sample.components.values()) if one]
    states = [read_text(one.body.get("status", one.body.get("topologyStatus"))) for one in pages]
    found = sorted({state for state in states if state and state.upper() != "ACTIVE"})
    if not found:
        return []
    detail = f"The topology is {join_names(found)}, not ACTIVE: its counts are not those of the usual load."
    return [say("topology-not-active", detail)]


def check_starts(measured: MeasuredSample) -> list[Diagnostic]:
    """Executors that started within the window, after the topology: counts cover the time since then."""
    page = measured.sample.topology
    uptime, longest = read_uptime(page.body) if page else None, find_longest_uptime(measured.sample)
    window = page.window if page else None
    usual, since = cover(window, uptime), cover(window, longest)
    if usual is None or since is None or since > usual * (1.0 - TOLERANCE):
        return []
    names = [name for name in measured.components if name not in measured.sample.components]
    assumed = f", which is assumed of {join_names(names)} too: send their pages" if names else ""
    detail = (
        f"No executor has been up for more than {longest:.0f} s, and the topology for {uptime:.0f} s: a rebalance or a "
        f"crash started executors anew. Counts cover the time since then{assumed}."
    )
    return [say("executors-restarted", detail, [name for name in names if name in measured.bolts])]


def check_pages(measured: MeasuredSample, pages: StormAnswers) -> list[Diagnostic]:
    """Pages that could not be used, and counts that hold Storm's own streams."""
    said = []
    if pages.nameless:
        detail = f"{pages.nameless} component pages have no id: left out. Give the path of each answer."
        said.append(say("pages-left-out", detail))
    if counts_system_streams(measured.sample.topology):
        detail = (
            "The topology's page was asked with sys=true: its emitted and transferred count acks and metrics too, and "
            "are not used; those of component pages are."
        )
        said.append(say("system-streams-counted", detail))
    if measured.sample.at is None and measured.ends_at is not None:
        detail = "When the pages came is not said: the launch, the second at the end of the id, and uptime give it."
        said.append(say("time-by-uptime", detail))
    return said
