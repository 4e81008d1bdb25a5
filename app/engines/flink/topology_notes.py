"""Diagnostics of a Flink job's topology: gaps in the measurements of its edges, exchanges and entries."""

from collections.abc import Callable, Iterator

from app.engines.diagnostics import DiagnosticRule, Facts
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
from planner.wording import join_names


def find_saturated_takers(flows: JobFlows) -> Iterator[Facts]:
    """Senders to several vertices of which one has no idle time left: it may be sent more than it took."""
    names = flows.shape.names
    for sender in flows.interval.activities:
        takers = flows.shape.list_takers(sender)
        busy = [names[vertex] for vertex in takers if flows.is_saturated(vertex)]
        if len(takers) > 1 and busy:
            yield Facts(busy, sender=names[sender], count=len(takers))


def find_shared_takers(flows: JobFlows) -> Iterator[Facts]:
    """Vertices whose several senders also send to other vertices, so that the part of each sender is not counted."""
    shape = flows.shape
    for vertex, inputs in shape.inputs.items():
        forked = [shape.names[one.vertex] for one in inputs if len(shape.list_takers(one.vertex)) > 1]
        if len(inputs) > 1 and len(forked) > 1:
            yield Facts([shape.names[vertex]], senders=join_names(forked))


def find_exchanges(holds: Callable[[str, list[str]], bool]) -> Callable[[JobFlows], list[Facts]]:
    """A condition on the exchange by which most records reach an operator, and on the queueings of all its inputs."""

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
    """The entries at which no records were counted."""
    rates = find_entry_rates(flows)
    empty = [flows.shape.names[vertex] for vertex, rate in rates.items() if rate <= 0.0]
    return Facts(empty) if empty or find_total(flows) <= 0.0 else None


TOPOLOGY_RULES: tuple[DiagnosticRule[JobFlows], ...] = (
    DiagnosticRule(
        "split-assumed",
        lambda flows: list(find_saturated_takers(flows)),
        "{sender} sends to {count} vertices, and Flink does not count the records to each. {names} had no idle "
        "time left, so it was sent more than it took: all records of {sender} are assumed, unless the vertices "
        "that receive them divide them.",
    ),
    DiagnosticRule(
        "split-assumed",
        lambda flows: list(find_shared_takers(flows)),
        "{senders} send to {names} and to other vertices, and Flink does not count the records to each. The "
        "records of each sender to {names} are assumed to be in proportion to all that it sends.",
    ),
    DiagnosticRule(
        "exchange-unknown",
        find_exchanges(lambda exchange, _: exchange not in QUEUEINGS),
        "The exchange {exchange} before {names} is not known to this reader: round-robin is assumed.",
    ),
    DiagnosticRule(
        "mixed-exchanges",
        find_exchanges(lambda _, queueings: len(set(queueings)) > 1),
        "{names} has inputs with different exchanges: its queueing follows the input with the most records, "
        "{exchange}.",
    ),
    DiagnosticRule(
        "broadcast",
        find_exchanges(lambda exchange, _: exchange == BROADCAST),
        "Every subtask of {names} gets every record, so more subtasks do not make it faster. Its processors are "
        "kept as they are if all its inputs are broadcast.",
    ),
    DiagnosticRule(
        "one-subtask-takes-all",
        find_exchanges(lambda exchange, _: exchange == ONE_TAKES_ALL),
        "Only the first subtask of {names} gets records, so its max_parallelism is set to 1.",
    ),
    DiagnosticRule(
        "selectivity-assumed",
        lambda flows: [
            Facts(ends, source=ends[0], target=ends[1])
            for edge in list_edges(flows.shape)
            if flows.find_selectivity(edge) is None
            for ends in ([flows.shape.names[end] for end in edge],)
        ],
        "How many records {source} sends to {target} for each record that it serves is not measured: 1 is "
        "assumed.",
    ),
    DiagnosticRule(
        "entries-assumed",
        find_empty_entries,
        "No records were counted at {names}: the share of these entries is set to almost 0, or to an equal part "
        "if no entry had any.",
    ),
)
