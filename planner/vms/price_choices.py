"""How many VMs are the cheapest if unserved steps have a price? For one price, for many, and for a target.

VMs may be of several sizes: `costs` has what 1, 2, ... VMs cost, in VMs at the lowest price.
"""

import numpy as np
from numpy.typing import NDArray

from planner.arrays import Floats

Counts = NDArray[np.intp]

LEAST_PRICE, MOST_PRICE, HALVINGS = 1e-3, 1e9, 80


def choose_at_price(unserved: Floats, price: float, costs: Floats, paid: int = 0) -> Counts:
    """Returns for each interval the number m of VMs with the smallest cost of m + price · unserved share.

    `unserved` has a row for each interval, with the unserved share for every number of VMs. So many VMs as are `paid`
    for cost nothing, and are kept.
    """
    fresh = find_fresh_costs(costs, np.array(paid))
    cheapest = np.argmin(fresh + price * unserved, axis=1) + 1
    return np.asarray(np.maximum(cheapest, paid), dtype=np.intp)


def choose_everywhere(unserved: Floats, prices: Floats, costs: Floats, paid: Counts) -> Counts:
    """Returns the VMs that each price (columns) chooses by each row of expected shares of 1, 2, ... VMs.

    Those that are `paid` for cost nothing, and are kept.
    """
    fresh = find_fresh_costs(costs, paid) if paid.any() else costs
    cheapest = np.argmin(fresh + prices[:, None] * unserved[:, None, :], axis=2) + 1
    return np.asarray(np.maximum(cheapest, paid), dtype=np.intp)


def find_fresh_costs(costs: Floats, paid: Counts) -> Floats:
    """Returns what 1, 2, ... VMs cost beside those that are `paid` for, with a row for each number of these."""
    missing = np.maximum(np.arange(1, len(costs) + 1) - paid[..., None], 0)
    return np.asarray(np.concatenate(([0.0], costs))[missing], dtype=float)


def choose_for_target(unserved: Floats, allowed: float, costs: Floats) -> Counts:
    """Returns the VMs of each interval at the lowest common price at which the mean unserved share is at most
    `allowed`.

    `unserved` has a row for each interval, with the unserved share for every number of VMs. The choice is the dual of
    "the least cost over all intervals with that mean share". If the lowest price serves more than needed, single
    intervals get fewer VMs again, as long as the mean stays allowed. If no price is high enough, each interval gets the
    VMs that serve most.
    """
    low, high = LEAST_PRICE, MOST_PRICE
    for _ in range(HALVINGS):
        price = np.sqrt(low * high)
        if find_mean_share(unserved, choose_at_price(unserved, price, costs)) <= allowed:
            high = price
        else:
            low = price
    dear, cheap = choose_at_price(unserved, high, costs), choose_at_price(unserved, low, costs)
    if find_mean_share(unserved, dear) > allowed:
        return np.asarray(np.argmin(unserved, axis=1) + 1, dtype=np.intp)
    for interval in range(len(dear)):
        for fewer in range(int(cheap[interval]), int(dear[interval])):
            trial = dear.copy()
            trial[interval] = fewer
            if find_mean_share(unserved, trial) <= allowed:
                dear = trial
                break
    return dear


def find_mean_share(unserved: Floats, counts: Counts) -> float:
    """Returns the unserved share with the chosen VMs (`counts`), as the mean over the intervals."""
    return float(unserved[np.arange(len(counts)), counts - 1].mean())
