"""Diagnostics that Storm and Heron share: rates and groupings that are unknown or limit what a plan can know."""

from app.engines.diagnostics import Facts, Finding, Rule, Rules, find_diagnostics
from app.engines.spouts_and_bolts.components import Component
from app.engines.spouts_and_bolts.flows import ALL, GLOBAL, QUEUEINGS, MeasuredInterval, StreamFlow
from planner.values import Diagnostic
from planner.wording import join_names, write_count, write_rate, write_seconds

Interval = MeasuredInterval[Component]


def find_shared_diagnostics(
    found: Interval, *, processors: str, count: str, latency: str, graph: str, emitted: str
) -> tuple[Diagnostic, ...]:
    """The diagnostics of a measured interval that Storm and Heron have in common.

    `processors` is the engine's word for processors. The other parameters name what the caller should send: the count
    of executed tuples, the latency, the graph with its groupings, and the counts of emitted tuples.
    """
    words = {"count": count, "latency": latency, "graph": graph, "emitted": emitted}
    return find_diagnostics(RULES, found, processors=processors, **words)


def _list_unfed(found: Interval) -> list[str]:
    return [bolt.name for bolt in found.bolts if not found.is_fed(bolt.name)]


def _list_by_executed(found: Interval, *, sent_is_known: bool) -> list[str]:
    """Bolts whose arrival rate is taken from what they executed, because what was sent to them is unknown or
    covers another time.
    """
    names = []
    for bolt in found.bolts:
        into = found.list_flows_into(bolt.name)
        if not found.offered[bolt.name].is_sent and any(found.has_unlike_counts(flow) for flow in into):
            names += [bolt.name] if sent_is_known == all(flow.sent is not None for flow in into) else []
    return names


def _find_assumed_selectivities(found: Interval) -> Finding:
    unknown = [flow for flow, selectivity in found.list_edges() if selectivity is None]
    edges = list(dict.fromkeys(f"{flow.source} -> {flow.target}" for flow in unknown))
    return Facts([flow.source for flow in unknown], edges=join_names(edges, 5)) if unknown else None


def _list_targets(flows: list[StreamFlow]) -> list[str]:
    return [flow.target for flow in flows]


def _find_custom_groupings(found: Interval) -> Finding:
    flows = [flow for flow in found.flows if flow.grouping is not None and flow.grouping not in QUEUEINGS]
    groupings = sorted({flow.grouping or "" for flow in flows})
    return Facts(_list_targets(flows), groupings=join_names(groupings)) if flows else None


def _find_spouts(found: Interval) -> Finding:
    known = [one.processors for one in found.spouts if one.processors is not None]
    spouts = join_names([one.name for one in found.spouts])
    number = write_count(sum(known)) if len(known) == len(found.spouts) else "an unknown number of"
    return Facts(spouts=spouts, number=number) if found.spouts else None


def _find_failures(found: Interval) -> Finding:
    completion = found.completion
    if not completion.failed:
        return None
    after = f" (after {write_seconds(completion.timeout)})" if completion.timeout else ""
    return Facts(number=write_count(max(1, round(completion.failed))), after=after)


RULES: Rules[Interval] = {
    "rate-unknown": Rule(
        lambda found: [bolt.name for bolt in found.bolts if bolt.executed_rate is None],
        "The rate at which {names} executed tuples is unknown: {count}, or the time that it covers, is missing. "
        "Some {processors} may not have reported yet: ask again later.",
    ),
    "processors-unknown": Rule(
        lambda found: [bolt.name for bolt in found.bolts if bolt.processors is None],
        "The number of {processors} of {names} is unknown: the answers do not state it.",
    ),
    "nothing-executed": Rule(
        lambda found: [bolt.name for bolt in found.bolts if bolt.is_idle],
        "{names} executed nothing in the interval, so the service rate is unknown. Ask again when tuples have come, or "
        "post a snapshot with the service rate.",
    ),
    "service-rate-unknown": Rule(
        lambda found: [
            bolt.name for bolt in found.bolts if not bolt.is_idle and bolt.service_seconds is None
        ],
        "The service rate of {names} is unknown, because {latency} is missing or has too few samples.",
    ),
    "edges-unknown": Rule(
        _list_unfed,
        "The answers do not show which components feed {names}, so each of them counts as an entry with its measured "
        "rate. E[T], utilisations and plans stay right; completion times, simulations and the effect of a saturated "
        "bolt on the bolts behind it do not. Send {graph}.",
    ),
    "selectivity-assumed": Rule(
        _find_assumed_selectivities,
        "Selectivity 1 is assumed for {edges}: the number of tuples sent there per executed tuple is unknown, "
        "because the source executed nothing or its counts are missing. Send {emitted}.",
    ),
    "grouping-unknown": Rule(
        lambda found: _list_targets([flow for flow in found.flows if flow.grouping is None]),
        "The groupings by which {names} receive tuples are unknown: send {graph}. Until then one queue for all "
        "{processors} is assumed, and real waits are longer than that with any grouping.",
    ),
    "grouping-all": Rule(
        lambda found: _list_targets([flow for flow in found.flows if flow.grouping == ALL]),
        "Each task of {names} receives a copy of every tuple (all grouping): the arrival rate counts these copies, and "
        "more {processors} do not reduce them. The completion time ends with the slowest copy.",
    ),
    "grouping-global": Rule(
        lambda found: _list_targets([flow for flow in found.flows if flow.grouping == GLOBAL]),
        "One task of {names} receives every tuple (global grouping), so more {processors} would be idle.",
    ),
    "grouping-custom": Rule(
        _find_custom_groupings,
        "{names} receive tuples by a grouping whose queueing is unknown ({groupings}): the sender's code may "
        "choose the instance. Set the operator's queueing in the topology; otherwise one queue is assumed.",
    ),
    "arrival-rate-by-executed": Rule(
        lambda found: _list_by_executed(found, sent_is_known=False),
        "The tuples sent to {names} are not counted, so the rate that {names} executed is taken as the arrival rate, "
        "which is too low while a backlog grows. Send {graph}, and {emitted} of the components that feed {names}.",
    ),
    "counts-of-different-times": Rule(
        lambda found: _list_by_executed(found, sent_is_known=True),
        "The counts of {names} cover another time than the counts of the components that feed them. So the rate that "
        "{names} executed is taken as the arrival rate, and a growing backlog would not be noticed.",
    ),
    "spouts-left-out": Rule(
        _find_spouts,
        "Spouts are left out of the operators: {spouts} with {number} {processors}. No engine measures how long a "
        "spout works on a tuple; the external rate is the rate at which spouts emit.",
    ),
    "external-rate-by-entries": Rule(
        lambda found: None if found.external.by_spouts else Facts(rate=write_rate(found.external.rate)),
        "The rate at which spouts emit is unknown, so the external rate is the rate of tuples that reach the "
        "entries, {rate}, and E[T] is per such tuple. Send {emitted} of the spouts.",
    ),
    "completion-not-measured": Rule(
        lambda found: bool(found.spouts) and found.completion.seconds is None,
        "The completion time is not measured: no tuple was acknowledged with a latency above 0. This is normal "
        "for spouts that emit without a message id, topologies without ackers, and ATMOST_ONCE.",
    ),
    "tuples-failed": Rule(
        _find_failures,
        "{number} tuples failed or timed out{after}: the complete latency leaves them out, so it is too low, and "
        "a spout that replays them emits more than the external load.",
    ),
}
