"""The waits that drawn tuples are timed under: of each operator by itself, keyed ones instance by instance."""

from collections.abc import Sequence
from math import inf

import numpy as np

from planner.plans.estimation import Situation
from planner.quantiles.waits import AnyWait, InstanceWaits, Wait
from planner.queueing.instance_queues import wait_at_all
from planner.queueing.queueings import KEYED


def find_waits(situation: Situation, counts: Sequence[int]) -> list[AnyWait] | None:
    """The wait at each operator; None where one cannot keep up."""
    waits = situation.wait_seconds(counts)
    if inf in waits:
        return None
    found: list[AnyWait] = [
        Wait(*pair) for pair in zip(waits, situation.waiting_probability(counts), strict=True)
    ]
    for operator, inflow in enumerate(situation.stations.inflows or ()):
        if inflow.queueing == KEYED and inflow.instances and not found[operator].is_none:
            found[operator] = find_instance_waits(situation, operator, counts[operator])
    return found


def find_instance_waits(situation: Situation, operator: int, count: int) -> InstanceWaits:
    """The waits at the instances of a keyed operator with measured shares, the busiest first."""
    queues = situation.stations.prepare_others([operator])
    counts = np.array([count], np.int64)
    k = counts.astype(np.float64)
    singles = queues.list_singles(counts, k)
    seen, _ = queues.see_singles(singles)
    row = singles.row
    waits = queues.wait_at_singles(singles, k) * queues.factor[row] / queues.service_rate[row]
    probability = wait_at_all(seen, queues.service_scv[row], singles.share * queues.high[row])
    return InstanceWaits.prepare(singles.part, waits, probability)
