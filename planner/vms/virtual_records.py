"""Which price on unserved steps keeps a target? Records of what many prices would have served say it.

At each decision every pair of a mixture j (planner.workloads.likely_mixtures) and a price p chooses VMs of its own,

    m(j, p) = argmin m + p · F_j(m),   F_j(m) = expected unserved share with m VMs under the mixture j

which nobody runs. Once the rates of the interval are known, the record of the pair learns what they would have served:

    G ← d G + g(m),   C ← d C + m,   n ← d n + 1,   g(m) = mean over the steps of Pr[throughput of m VMs ≤ rate]

with a memory (d) of 14 days, or of 100 intervals where these are longer. G/n is the unserved share that this price
leads to, C/n its mean VMs.

The price of now is steered. With the target q, α = 1 − q, t steps so far and a debt D = missed steps − a t,

    a = α (1 − r · min(1, √(7 days/t)))     the share that may be missed, with a reserve r of 0.12 to 0.15
    a_t = a − D/day where D > 0, else a − D/(3 days)     the share for the coming interval, from 0.1 α to 3 α

and the price is the lowest with G/n ≤ a_t, but at most 8 to 12 times the usual price. Beyond that a missed step costs
more VMs than it is worth: a debt is paid back where it is cheap. The usual price is the lowest with G/n ≤ a; where that
rises after the first three hours, it follows within a day, for a sudden rise is mostly one of what no price would have
served. Reserve and cap are larger for low targets, where growth makes most of what is missed.
"""

from dataclasses import dataclass
from math import exp, log, sqrt

import numpy as np
from numpy.typing import NDArray

from planner.arrays import Floats
from planner.vms.price_choices import choose_everywhere
from planner.vms.timing import SteeredPrice

STEPS_PER_E = 4.0
PRICES: Floats = np.exp(np.arange(42) / STEPS_PER_E)
MEMORY_DAYS, LEAST_MEMORY = 14.0, 100.0
PRIOR_INTERVALS, PRIOR_UNSERVED, PRIOR_MOST = 60.0, 6.0 * 0.0125 * 7.0, 0.5
LEAST_RESERVE, MOST_RESERVE, RESERVE_SHARE, RESERVE_DAYS = 0.12, 0.15, 0.0125, 7.0
DEBT_DAYS, CREDIT_DAYS = 1.0, 3.0
LEAST_SHARE, MOST_SHARE = 0.1, 3.0
LEAST_FACTOR, MOST_FACTOR, FACTOR_SHARE = 8.0, 12.0, 1.0 / 30.0
USUAL_DAYS, FIRST_DAYS = 1.0, 0.125
MOST_PAID = 5_000


@dataclass(frozen=True, slots=True)
class StepsMissed:
    """How a run stands to its target: its steps, and those of them that were missed (unserved)."""

    steps: int = 0
    missed: float = 0.0


class VirtualRecords:
    """The discounted records of all prices (columns) under all mixtures (rows); `costs` are those of 1, 2, ... VMs."""

    def __init__(
        self, mixtures: int, day_intervals: float, first_vms: float, costs: Floats, paid_intervals: int = 1
    ) -> None:
        self.costs = costs
        self.first = FIRST_DAYS * day_intervals
        self.rise = min(1.0 / (USUAL_DAYS * day_intervals), 1.0)
        self.decay = exp(-1.0 / max(MEMORY_DAYS * day_intervals, LEAST_MEMORY))
        prior = PRIOR_INTERVALS * np.minimum(PRIOR_UNSERVED * first_vms / PRICES, PRIOR_MOST)
        self.unserved: Floats = np.tile(prior, (mixtures, 1))
        self.vms: Floats = np.zeros_like(self.unserved)
        self.intervals = PRIOR_INTERVALS
        # The VMs that each pair pays for, by the decision at which their period ends, and their sum.
        self._ending = np.zeros((min(paid_intervals, MOST_PAID), mixtures, len(PRICES)), dtype=np.int32)
        self._paid = np.zeros((mixtures, len(PRICES)), dtype=np.intp)
        self._decisions = 0
        self._settled = 0
        self._usual: Floats | None = None

    def choose(self, unserved: Floats) -> NDArray[np.intp]:
        """Returns the VMs of every pair in the next interval; those that it has paid for it keeps."""
        place = self._decisions % len(self._ending)
        self._decisions += 1
        self._paid -= self._ending[place]
        chosen = choose_everywhere(unserved, PRICES, self.costs, self._paid)
        self._ending[place] = chosen - self._paid
        self._paid = chosen
        return chosen.copy()

    def learn(self, choices: NDArray[np.intp], missed: Floats) -> None:
        """Learns from an interval: the VMs that each pair had chosen, and the share missed by 1, 2, ... VMs."""
        self.unserved = self.decay * self.unserved + missed[choices - 1]
        self.vms = self.decay * self.vms + self.costs[choices - 1]
        self.intervals = self.decay * self.intervals + 1.0

    def settle(self, usual: float) -> Floats:
        """Returns for each mixture the place of the price that usually keeps the share `usual`; it rises slowly
        after the first hours.

        Each decision must call it.
        """
        self._settled += 1
        now = np.array([find_place(shares, usual) for shares in self._find_falling()])
        before = now if self._usual is None else self._usual
        rise = self.rise if self._settled > self.first else 1.0
        self._usual = np.minimum(now, before + rise * (now - before))
        return self._usual

    def _find_falling(self) -> Floats:
        return np.asarray(np.minimum.accumulate(self.unserved, axis=1) / self.intervals, dtype=float)

    def steer(self, standing: StepsMissed, qos_target: float, day_steps: int) -> SteeredPrice:
        """Returns the price of now: of all mixtures that keep the allowed share, that of the fewest mean VMs."""
        usual = allow_usually(qos_target, standing.steps / day_steps)
        debt = standing.missed - usual * standing.steps
        days = DEBT_DAYS if debt > 0.0 else CREDIT_DAYS
        unserved = 1.0 - qos_target
        allowed = usual - debt / (days * day_steps)
        allowed = min(max(allowed, LEAST_SHARE * unserved), MOST_SHARE * unserved)
        falling, usually = self._find_falling(), self.settle(usual)
        highest = STEPS_PER_E * log(find_highest_factor(unserved))
        best = None
        for mixture, (shares, vms, most) in enumerate(zip(falling, self.vms, usually + highest, strict=True)):
            place = min(find_place(shares, allowed), most)
            before = min(int(place), len(vms) - 2)
            mean_vms = float(vms[before] + (place - before) * (vms[before + 1] - vms[before]))
            if best is None or mean_vms < best[0]:
                best = mean_vms, place, most, mixture
        assert best is not None
        price, cap = (exp(place / STEPS_PER_E) for place in best[1:3])
        return SteeredPrice(price, cap, best[3], allowed, debt)


def allow_usually(qos_target: float, days: float) -> float:
    """Returns the share of steps that may be missed in the long run, after so many days: with a reserve."""
    unserved = 1.0 - qos_target
    late = sqrt(RESERVE_DAYS / days) if days > RESERVE_DAYS else 1.0
    reserve = LEAST_RESERVE * sqrt(unserved / RESERVE_SHARE)
    return unserved * (1.0 - min(max(reserve, LEAST_RESERVE), MOST_RESERVE) * late)


def find_highest_factor(unserved: float) -> float:
    """Returns how many times the usual price may be paid, where this share may be unserved."""
    return min(max(LEAST_FACTOR * unserved / FACTOR_SHARE, LEAST_FACTOR), MOST_FACTOR)


def find_place(falling: Floats, allowed: float) -> float:
    """Returns the place among the prices at which a `falling` unserved share comes down to `allowed`, or between two
    prices.
    """
    if falling[-1] > allowed:
        return len(falling) - 1.0
    after = len(falling) - int(np.searchsorted(falling[::-1], allowed, side="right"))
    if after == 0:
        return 0.0
    return after - float((allowed - falling[after]) / (falling[after - 1] - falling[after]))
