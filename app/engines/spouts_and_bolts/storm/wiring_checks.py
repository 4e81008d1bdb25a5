"""What is unknown of edges and groupings, and what groupings mean for a plan."""

from app.engines.diagnostics import say
from app.engines.spouts_and_bolts.groupings import ALL, FIELDS, GLOBAL, QUEUEINGS
from app.engines.spouts_and_bolts.storm.components import Component
from app.engines.spouts_and_bolts.storm.flows import StreamFlow, flows_into
from app.engines.spouts_and_bolts.storm.graphs import find_selectivity
from app.engines.spouts_and_bolts.storm.rates import cover_same_time
from app.engines.spouts_and_bolts.storm.row_checks import join_some
from app.engines.spouts_and_bolts.storm.samples import MeasuredSample
from planner.values import Diagnostic
from planner.wording import join_names

EVEN = 0.05


def check_wiring(measured: MeasuredSample) -> list[Diagnostic]:
    """All diagnostics of edges and groupings."""
    return [
        *check_edges(measured),
        *check_selectivities(measured),
        *check_groupings(measured),
        *check_instances(measured),
        *check_arrivals(measured),
        *check_external(measured),
    ]


def check_edges(measured: MeasuredSample) -> list[Diagnostic]:
    """Bolts that nobody is seen to feed."""
    names = [name for name in measured.bolts if not flows_into(measured.flows, name)]
    if not names:
        return []
    detail = (
        f"Who feeds {join_names(names)} is not in the answers: each is taken as an entry with the rate that was "
        "measured. E[T], utilisations and plans are those of the real graph; completion times, simulations and what "
        "would follow a saturated bolt are not. Send /api/v1/topology/<id>/visualization, or the component pages with "
        "their inputStats."
    )
    return [say("edges-unknown", detail, names)]


def check_selectivities(measured: MeasuredSample) -> list[Diagnostic]:
    """Edges whose selectivity was not measured."""
    parts = measured.components
    unknown = [
        flow.link
        for flow in measured.flows
        if parts[flow.link.source].kind == "bolt"
        and find_selectivity(parts[flow.link.source], parts[flow.link.target], flow) is None
    ]
    if not unknown:
        return []
    texts = [f"{link.source} -> {link.target}" for link in unknown]
    detail = (
        f"Selectivity 1 is taken for {join_some(texts)}: what the source sends there per tuple that it executes is "
        "unknown, because it executed nothing, or its page with outputStats is missing."
    )
    return [say("selectivity-assumed", detail, list(dict.fromkeys(link.source for link in unknown)))]


def check_groupings(measured: MeasuredSample) -> list[Diagnostic]:
    """Groupings that are unknown, or need a word."""
    said = []
    by_grouping: dict[str | None, list[str]] = {}
    for flow in measured.flows:
        if flow.link.target not in by_grouping.setdefault(flow.link.grouping, []):
            by_grouping[flow.link.grouping].append(flow.link.target)
    for grouping, text in NOTES.items():
        if grouping in by_grouping:
            names = by_grouping[grouping]
            code = "grouping-unknown" if grouping is None else f"grouping-{grouping.replace('_', '-')}"
            said.append(say(code, text.format(names=join_names(names)), names))
    for grouping, names in by_grouping.items():
        if grouping is not None and grouping not in QUEUEINGS:
            detail = (
                f"{join_names(names)} get tuples by the grouping {grouping!r}: the sender's code chooses the instance, "
                "so that the queues are unknown. Set the operator's queueing by hand; without it, one queue is assumed."
            )
            said.append(say("grouping-custom", detail, names))
    mixed = [
        name
        for name in measured.bolts
        if len({f.link.grouping for f in flows_into(measured.flows, name)}) > 1
    ]
    if mixed:
        detail = f"{join_names(mixed)} get tuples by several groupings: the queueing of the largest stream is taken."
        said.append(say("groupings-mixed", detail, mixed))
    return said


NOTES: dict[str | None, str] = {
    None: (
        "The grouping of what {names} get is unknown: send /api/v1/topology/<id>/visualization. Until then one queue "
        "for all executors is assumed, which is too good for any grouping."
    ),
    ALL: (
        "{names} get every tuple once for each task (all grouping): the arrival rate counts the copies, and more "
        "executors share the tasks without fewer copies. The completion time waits for the slowest copy."
    ),
    GLOBAL: "{names} get every tuple at one task (global grouping): more executors would be idle.",
}


def check_instances(measured: MeasuredSample) -> list[Diagnostic]:
    """A fields grouping of which one executor gets all: a global grouping, or one key."""
    names = []
    for name, bolt in measured.bolts.items():
        groupings = {flow.link.grouping for flow in flows_into(measured.flows, name)}
        busy = [row for row in bolt.rows if row.executed]
        if groupings == {FIELDS} and len(bolt.rows) > 1 and len(busy) == 1:
            names.append(name)
    if not names:
        return []
    detail = (
        f"One executor of {join_names(names)} executes everything: either all tuples have one key, or the grouping "
        "is global, which Storm's UI shows as fields too. More executors would be idle."
    )
    return [say("one-executor-works", detail, names)]


def check_arrivals(measured: MeasuredSample) -> list[Diagnostic]:
    """Bolts whose arrival rate is what they executed, because what was sent to them cannot be told."""
    unknown: list[str] = []
    apart: list[str] = []
    for name, bolt in measured.bolts.items():
        into = flows_into(measured.flows, name)
        if measured.offered[name].basis == "executed" and any(
            not comparable(measured, bolt, flow) for flow in into
        ):
            sent = [flow.sent for flow in into]
            (unknown if None in sent else apart).append(name)
    said = []
    if unknown:
        detail = (
            f"What was sent to {join_names(unknown)} is unknown: what they executed is taken as their arrival rate, "
            "which is too low where a backlog grows. Send the pages of the components that feed them."
        )
        said.append(say("arrival-rate-by-executed", detail, unknown))
    if apart:
        detail = (
            f"The counts of {join_names(apart)} cover another time than those of what feeds them: what they executed "
            "is taken as their arrival rate, and whether a backlog grows cannot be told."
        )
        said.append(say("counts-of-different-times", detail, apart))
    return said


def comparable(measured: MeasuredSample, bolt: Component, flow: StreamFlow) -> bool:
    """Whether what a source sent can be compared with what a bolt executed."""
    return flow.sent is not None and cover_same_time(measured.components[flow.link.source], bolt)


def check_external(measured: MeasuredSample) -> list[Diagnostic]:
    """The external rate where the spouts do not give it."""
    if measured.external.basis == "spouts":
        return []
    rate = measured.external.rate or 0.0
    detail = (
        "What the spouts emit is not in the answers, or counts Storm's own streams too (sys=true): the external rate "
        f"is what reached the entries, {rate:.6g} tuples per second. E[T] is per such tuple. Send the topology's page "
        "without sys."
    )
    return [say("external-rate-by-entries", detail)]
