"""What Heron's components send each other: arrival rates, entries and the external rate.

Heron counts a tuple once where it is emitted, whoever subscribes: each subscriber gets it once, and under an all
grouping once for each instance. Counts are not sampled; instances export them once a minute, so that two counts over n
minutes differ by up to 1/n though nothing waits.
"""

from collections.abc import Mapping
from typing import NamedTuple

from app.engines.numbers import add_known
from app.engines.spouts_and_bolts.groupings import ALL, ONE_COPY
from app.engines.spouts_and_bolts.heron.components import HeronComponent, HeronInput

USUAL_BUCKETS = 10


class HeronArrivals(NamedTuple):
    """Tuples per second that reach a bolt; `is_sent`: by what its sources emit, else by what it executed."""

    rate: float | None
    is_sent: bool


def find_sent(
    target: HeronComponent, one: HeronInput, components: Mapping[str, HeronComponent]
) -> float | None:
    """Tuples per second sent on a subscription; None where the counts do not tell."""
    source = components.get(one.source)
    emitted = source.emitted.get(one.stream) if source else None
    if emitted is None or one.grouping not in ONE_COPY | {ALL}:
        return None
    return emitted * len(target.instances) if one.grouping == ALL else emitted


def find_arrivals(
    bolt: HeronComponent, components: Mapping[str, HeronComponent], buckets: int
) -> HeronArrivals:
    """What reaches a bolt: what was sent, where that is more than what it executed by more than one export."""
    executed = bolt.executed_rate
    sent = add_known([find_sent(bolt, one, components) for one in bolt.inputs])
    if sent is None:
        return HeronArrivals(executed, is_sent=False)
    if executed is None or sent > executed * (1.0 + 1.0 / (buckets or USUAL_BUCKETS)):
        return HeronArrivals(sent, is_sent=True)
    return HeronArrivals(executed, is_sent=False)


def find_entries(
    components: Mapping[str, HeronComponent], arrivals: Mapping[str, HeronArrivals]
) -> dict[str, float | None]:
    """Tuples per second that reach each bolt from spouts, or from nobody that the plan shows."""
    rates: dict[str, float | None] = {}
    for bolt in components.values():
        inputs = [one for one in bolt.inputs if one.source in components]
        outside = [one for one in inputs if not components[one.source].is_bolt]
        if not bolt.is_bolt:
            continue
        if not inputs:
            rates[bolt.name] = arrivals[bolt.name].rate
        elif outside:
            each = [
                find_sent(bolt, one, components) or bolt.executed_from.get((one.source, one.stream))
                for one in outside
            ]
            alone = len(inputs) == len(outside) == 1
            full = add_known(each)
            rates[bolt.name] = arrivals[bolt.name].rate if full is None and alone else full
    return rates


def find_external(
    components: Mapping[str, HeronComponent], entries: Mapping[str, float | None]
) -> tuple[float | None, bool]:
    """What spouts emit, and True; else what reaches the entries, and False."""
    spouts = [one.emitted_rate for one in components.values() if not one.is_bolt]
    emitted = add_known(spouts)
    reached = [rate for rate in entries.values() if rate is not None]
    if emitted is not None and (emitted > 0.0 or not any(reached)):
        return emitted, True
    return (sum(reached) if reached else None), False
