"""Did more processors serve more? Service rates before and after a change tell by how much capacity grew."""

from collections.abc import Mapping, Sequence
from statistics import median

from planner.queueing.instances.scaling import describe_futile, judge_change

Rates = Mapping[str, float]
"""The service rate of one processor, by operator."""
LEAST_INTERVALS = 3
"""The fewest intervals before a change, and after it, whose rates are compared."""


def describe_futile_changes(
    current: Mapping[str, int],
    recommended: Mapping[str, int],
    before: Sequence[Rates],
    after: Sequence[Rates],
) -> tuple[str, ...]:
    """A sentence for each operator that got more processors and served hardly more; rates are of one interval each."""
    said = []
    for name, count in recommended.items():
        rates, later = ([one[name] for one in listed if name in one] for listed in (before, after))
        if min(len(rates), len(later)) < LEAST_INTERVALS:
            continue
        futile = judge_change(current.get(name, count), median(rates), count, median(later))
        said += [] if futile is None else [describe_futile(name, futile)]
    return tuple(said)
