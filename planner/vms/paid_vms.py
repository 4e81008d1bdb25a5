"""Which VMs run because they are paid for, and what do they cost? They may be of several sizes.

A VM of a size serves as much as several VMs of the measured kind. So many VMs are bought at once that those that are
missing are there, as the cheapest mix of sizes with at least that many. Without sizes each VM costs 1.
"""

from dataclasses import dataclass
from itertools import groupby
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from planner.arrays import Floats


@dataclass(frozen=True, slots=True)
class VmPrices:
    """The cheapest mixes with at least 1, 2, ... VMs of the measured kind: how many VMs they are, and their hourly
    price.
    """

    vms: tuple[int, ...]
    hourly: tuple[float, ...]

    @property
    def costs(self) -> Floats:
        """The prices as multiples of the lowest price for one VM; all 0 if all VMs are free."""
        hourly = np.array(self.hourly)
        least = float((hourly / np.array(self.vms)).min())
        return hourly / least if least > 0.0 else hourly


def count_costs(prices: VmPrices | None, most: int) -> Floats:
    """Returns what 1, 2, ... `most` VMs cost, in VMs at the lowest price."""
    return np.arange(1.0, most + 1.0) if prices is None else prices.costs[:most]


class RunningVms(NamedTuple):
    """Steps from `begin` to `end` − 1 at which `vms` VMs run, for a `price` per step."""

    begin: int
    end: int
    vms: int
    price: float


class Bought(NamedTuple):
    """VMs that are paid for until the step `end`."""

    end: int
    vms: int
    price: float


class PaidVms:
    """The VMs that are paid for, each for a whole period from when it serves.

    A VM that is no longer wanted but still paid for stays, because that costs nothing; one that is wanted for longer is
    paid for another period. So all VMs that run are paid for, and none is paid for that does not run.
    """

    def __init__(self, period: int, prices: VmPrices | None = None) -> None:
        self.period, self.prices = period, prices
        self.bought: list[Bought] = []

    def buy(self, wanted: int, end: int) -> Bought:
        """Returns the cheapest mix with at least so many VMs, paid for until the step `end`."""
        if self.prices is None or wanted == 0:
            return Bought(end, wanted, float(wanted))
        place = min(wanted, len(self.prices.vms)) - 1
        return Bought(end, self.prices.vms[place], self.prices.hourly[place])

    def follow(self, start: int, end: int, wanted: int) -> list[RunningVms]:
        """Keeps at least `wanted` VMs from `start` to `end` − 1, and returns which run."""
        if self.period <= 1:
            one = self.buy(wanted, end)
            return [RunningVms(start, end, one.vms, one.price)]
        stretches = []
        while start < end:
            self.bought = [one for one in self.bought if one.end > start]
            missing = wanted - sum(one.vms for one in self.bought)
            if missing > 0:
                self.bought.append(self.buy(missing, start + self.period))
            until = min([end, *(one.end for one in self.bought)])
            running = sum(one.vms for one in self.bought)
            stretches.append(RunningVms(start, until, running, sum(one.price for one in self.bought)))
            start = until
        return stretches

    def remaining(self, step: int) -> Floats:
        """Returns for how many steps from `step` on each VM is still paid for."""
        return np.array(
            [one.end - step for one in self.bought if one.end > step for _ in range(one.vms)], dtype=float
        )


def keep_paid(
    wanted: Floats | NDArray[np.intp], period: int, prices: VmPrices | None = None
) -> tuple[Floats, Floats]:
    """Returns the VMs that run at each step and their price, if at least `wanted` are wanted and paid ones are kept."""
    running, price = np.zeros((2, len(wanted)))
    paid, start = PaidVms(period, prices), 0
    for count, stretch in groupby(np.asarray(wanted).tolist()):
        steps = len(list(stretch))
        for one in paid.follow(start, start + steps, int(count)):
            running[one.begin : one.end], price[one.begin : one.end] = one.vms, one.price
        start += steps
    return running, price
