"""The oracle, which knows the coming rates: the cheapest plan that keeps 97.5%, by dynamic programming.

It knows the true services and shares too, and counts what a change costs. It aims at 0.8 of the target, since minutes
scatter.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise

import numpy as np

from benchmarks.loop_platform import Job, Minute, Platform
from planner.economics.needs import Needs, climb
from planner.situations.situation import survey_load
from planner.values import DEFAULT_MODEL, InstanceLoad, Load, OperatorLoad

AIM, LATE_MINUTES, ALLOWED = 0.8, 2.0, 0.025
SPREAD = 0.05
BISECTIONS = 14


def find_true_needs(job: Job, seed: int, target_seconds: float, rate: float) -> Needs:
    """The needs of a job under its true services and shares of key groups."""
    size = 8
    platform = Platform(job, [size] * len(job.parts), seed)
    operators = {}
    for i, (part, visits) in enumerate(zip(job.parts, job.visits, strict=True)):
        ends = platform.shares[i]
        cuts = [ends[-(-len(ends) * (one + 1) // size) - 1] for one in range(size)]
        shares = sorted(np.diff([0.0, *cuts]).tolist(), reverse=True)
        operators[part.name] = OperatorLoad(
            1.0 / part.service,
            rate * visits,
            1.0,
            part.scv,
            size,
            instances=tuple(InstanceLoad(str(at), one) for at, one in enumerate(shares))
            if part.keyed
            else (),
        )
    situation = survey_load(job.topology, Load(rate, operators), DEFAULT_MODEL)
    return Needs(situation, target_seconds)


@dataclass
class Oracle:
    """The plan of the oracle, minute by minute."""

    plan: list[tuple[int, ...]]

    @classmethod
    def prepare(cls, job: Job, rates: Sequence[float], target_seconds: float, seed: int) -> "Oracle":
        """The cheapest plan for the coming rates."""
        needs = find_true_needs(job, seed, AIM * target_seconds, float(np.mean(rates)))
        low = max(0.8 * float(np.min(rates)), 0.02 * float(np.mean(rates)))
        rungs = climb(needs, low, float(np.max(rates)), 1.03)
        totals = np.array([one.total for one in rungs], dtype=float)
        capacities = np.log([max(one.capacity, 1e-9) for one in rungs])
        beyond = (np.log(np.maximum(rates, 1e-9))[:, None] - capacities) / SPREAD
        late = np.clip(0.5 + 0.5 * beyond, 0.0, 1.0)
        low_price, high_price = 0.1 * float(totals.min()), 1000.0 * float(totals.max())
        for _ in range(BISECTIONS):
            price = float(np.sqrt(low_price * high_price))
            plan = find_cheapest(totals + price * late, price * LATE_MINUTES)
            changes = sum(one != other for one, other in pairwise(plan))
            share = (sum(late[at, one] for at, one in enumerate(plan)) + LATE_MINUTES * changes) / len(plan)
            low_price, high_price = (price, high_price) if share > ALLOWED else (low_price, price)
        plan = find_cheapest(totals + high_price * late, high_price * LATE_MINUTES)
        return cls([rungs[place].counts for place in plan])

    def __call__(self, minutes: Sequence[Minute]) -> tuple[int, ...]:
        """The processors to run in the next minute."""
        return self.plan[min(len(minutes), len(self.plan) - 1)]


def find_cheapest(costs: "np.ndarray[tuple[int, int], np.dtype[np.float64]]", change: float) -> list[int]:
    """The cheapest choice of a column in each row, where another column than in the row before costs `change`."""
    ahead = costs[-1].copy()
    follow = []
    for row in costs[-2::-1]:
        best = int(np.argmin(ahead))
        moves = ahead[best] + change < ahead
        follow.append(np.where(moves, best, np.arange(len(ahead))))
        ahead = row + np.where(moves, ahead[best] + change, ahead)
    at = int(np.argmin(ahead))
    chosen = [at]
    for step in reversed(follow):
        at = int(step[at])
        chosen.append(at)
    return chosen
