"""The waits that drawn tuples are timed under: of each operator by itself, keyed ones instance by instance."""

from collections.abc import Sequence
from math import inf

import numpy as np

from planner.plans.estimation import Situation
from planner.quantiles.waits import AnyWait, InstanceWaits, Wait
from planner.queueing.erlang import wait_at_all
from planner.queueing.queueings import KEYED
from planner.values import SHARED


def find_waits(situation: Situation, counts: Sequence[int]) -> list[AnyWait] | None:
    """The wait at each operator; None where one cannot keep up."""
    waits = situation.wait_seconds(counts)
    if inf in waits:
        return None
    found: list[AnyWait] = [
        Wait(*pair) for pair in zip(waits, situation.waiting_probability(counts), strict=True)
    ]
    for operator, inflow in enumerate(situation.stations.inflows or ()):
        wait, count = found[operator], counts[operator]
        if wait.is_none:
            continue
        if inflow.queueing == KEYED and inflow.instances:
            found[operator] = find_instance_waits(situation, operator, count)
        elif inflow.queueing == SHARED and inflow.idc and isinstance(wait, Wait):
            found[operator] = find_bursty_wait(situation, operator, count, wait)
    return found


def find_bursty_wait(situation: Situation, operator: int, count: int, wait: Wait) -> Wait:
    """The wait at a shared queue under bursts: more tuples wait than Erlang C says, because they come together.

    Those that wait, wait for (a* + s)/(2(kμ − λ)) on average, as at one server k times as fast, and no more than the
    part ρ of tuples waits.
    """
    queues = situation.stations.prepare_others([operator])
    k = np.array([count], np.float64)
    slack = ((k - queues.high) - queues.low)[0]
    lasting = queues.see_pooled(k).lasting
    delay = (lasting[0] + queues.service_scv[0]) / (2.0 * slack * queues.service_rate[0]) * queues.factor[0]
    together = min(wait.mean_seconds / delay, queues.high[0] / count)
    return Wait(wait.mean_seconds, float(max(wait.probability, together)))


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
