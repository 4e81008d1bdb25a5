"""What is offered to each bolt, and how many tuples enter from outside.

The offered rate of a bolt is what its sources send. Counts of two pages compare only where they cover the same time:
executors that started at other times, or pages of other windows, say nothing of what waits between them. Storm
counts every 20th tuple of each executor (topology.stats.sample.rate), so that a count is known to ± 20 tuples.
"""

from collections.abc import Iterable, Mapping
from typing import NamedTuple

from app.engines.spouts_and_bolts.storm.components import Component
from app.engines.spouts_and_bolts.storm.flows import StreamFlow, flows_into
from app.engines.spouts_and_bolts.storm.totals import fits_capacity

USUAL_SAMPLE_RATE = 0.05
SAME_TIME = 0.05  # counts compare where they cover the same time to this part


class Offered(NamedTuple):
    """Tuples per second that reach a bolt; `basis`: "sent" by its sources, or "executed" by itself."""

    rate: float | None
    basis: str


def find_offered(
    bolt: Component, components: Mapping[str, Component], flows: Iterable[StreamFlow], step: float
) -> Offered:
    """What is offered to a bolt; `step` is how many tuples one sample stands for."""
    executed = bolt.executed_rate
    into = flows_into(flows, bolt.name)
    total = 0.0
    for flow in into:
        source = components[flow.link.source]
        if flow.sent is None or not cover_same_time(source, bolt):
            return Offered(executed, "executed")
        total += flow.sent
    if not into:
        return Offered(executed, "executed")
    ticks = [one.executed_rate or 0.0 for one in bolt.inputs or () if one.component not in components]
    total += sum(ticks)
    if executed is None:
        return Offered(total, "sent")
    noise = step * (
        (bolt.processors or 1) + sum([components[one.link.source].processors or 1 for one in into])
    )
    if total - executed > noise / (bolt.covered or 1.0):
        return Offered(total, "sent")
    return Offered(executed, "executed")


def cover_same_time(source: Component, target: Component) -> bool:
    """Whether the counts of two components cover the same time, and nothing contradicts that."""
    first, second = source.covered, target.covered
    if first is None or second is None or not (fits_capacity(source) and fits_capacity(target)):
        return False
    return abs(first - second) <= SAME_TIME * max(first, second)


def find_entry_rates(
    components: Mapping[str, Component], flows: Iterable[StreamFlow], offered: Mapping[str, Offered]
) -> dict[str, float | None]:
    """Tuples per second that reach each bolt from spouts, or from nobody that the pages show."""
    listed = list(flows)
    rates: dict[str, float | None] = {}
    for bolt in components.values():
        if bolt.kind != "bolt":
            continue
        into = flows_into(listed, bolt.name)
        outside = [flow for flow in into if components[flow.link.source].kind == "spout"]
        if not into:
            rates[bolt.name] = offered[bolt.name].rate
        elif outside:
            each = [flow.sent or flow.executed or flow.sent for flow in outside]
            alone = len(into) == len(outside) == 1
            known = [one for one in each if one is not None]
            full = sum(known) if len(known) == len(each) else None
            rates[bolt.name] = offered[bolt.name].rate if full is None and alone else full
    return rates


class External(NamedTuple):
    """Tuples per second that enter from outside; `basis`: what "spouts" emit, or what reaches the "entries"."""

    rate: float | None
    basis: str


def find_external(components: Mapping[str, Component], entries: Mapping[str, float | None]) -> External:
    """What the spouts emit; where that is unknown, or 0 while bolts work, what reaches the entries."""
    spouts = [one.emitted_rate for one in components.values() if one.kind == "spout"]
    emitted = sum([rate for rate in spouts if rate is not None])
    reached = [rate for rate in entries.values() if rate is not None]
    if spouts and None not in spouts and (emitted > 0.0 or not any(reached)):
        return External(emitted, "spouts")
    return External(sum(reached) if reached else None, "entries")
