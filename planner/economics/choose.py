"""The economic rule: the processors that cost least over the rates that may come, with changes and late minutes.

    k* = argmin J(k),   J(k) = processor-minutes of the next 60 units + price × expected minutes over the target

The price of a late minute is steered so that the share of minutes within the target settles at the promise: it rises
with the debt, the late minutes beyond those that the promise allows. It is in proportion to the processors of the usual
rate. The minutes of J are those of the futures (planner.economics.futures), and those of the change itself: what past
changes cost, or the time that the pause and the backlog take. Fewer processors must have been enough for so long that
what they save pays for the change, and are weighed at the level of a quarter of an hour: a dip of some minutes is
noise. A unit is a minute, or less where changes pause for less (planner.economics.history).
"""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from itertools import pairwise
from math import exp, inf
from typing import Literal

import numpy as np

from planner.arrays import Floats
from planner.calibration.wait_correction import Correction
from planner.economics.costs import find_drain_seconds, roll
from planner.economics.futures import HORIZON, Futures, look_into_futures
from planner.economics.history import ChangeCost, History, Kept
from planner.economics.needs import FINE, Needs, Rung, climb, find_log
from planner.economics.steady import find_correction
from planner.situations.situation import Situation
from planner.targets.target import OUT_OF_REACH
from planner.topology.flow import order_acyclic
from planner.topology.network import index_topology

PRICE = 24.0
STEERED_OVER, MOST_STEERED = 480.0, 1.2
LEAST_PART_OF_LEVEL, BEYOND_PATHS = 0.7, 1.1
MOST_DRAIN = 60.0
SETTLING = 0.3
"""Units that a change costs beyond its drain."""
PATIENCE, LONGEST_PATIENCE = 0.6, 240.0
LEAST_GAIN = 0.6
"""The part of a change's price that it must gain beside, so that one processor more or fewer is not followed."""
Why = Literal["best", "no-gain", "patience", "settling"]


@dataclass(frozen=True, slots=True)
class EconomicTerms:
    """The question: the target, what it promises, the budget, and what a change costs if the owner knows it.

    `price`: the processor-minutes that a late minute counts for, in place of the promise.
    """

    target_seconds: float
    promise: float = 0.97
    k_max: int | None = None
    pause_seconds: float | None = None
    price: float | None = None


@dataclass(frozen=True, slots=True)
class Offer:
    """Processors with what they cost: processor-minutes of the horizon with late minutes at their price."""

    counts: tuple[int, ...]
    cost: float
    capacity: float

    @property
    def total(self) -> int:
        """The number of processors of all operators together."""
        return sum(self.counts)


@dataclass(frozen=True, slots=True)
class WeighedChoice:
    """The processors to run, with the reason, the price of a late minute, and the costs of what runs and of the others.

    `offers` are all processors that were weighed, the cheapest first; their costs are those of `horizon_minutes`.
    `correction` is that of modelled waits.
    """

    counts: tuple[int, ...]
    why: Why
    price: float
    kept: Kept
    change: ChangeCost
    running: Offer
    offers: Sequence[Offer]
    correction: Correction
    is_overloaded: bool
    horizon_minutes: float = HORIZON


def choose(
    situation: Situation, history: History, rates: Sequence[float], terms: EconomicTerms
) -> WeighedChoice | None:
    """The choice for the newest interval; None where no processors can be found for the target.

    `situation` is the load of steady intervals; `rates` are the external rates of the newest intervals, oldest first,
    which may reach further back than the history.
    """
    newest = history.intervals[-1]
    plain = Needs(situation, terms.target_seconds, terms.k_max)
    correction = find_correction(plain, history)
    needs = plain.correct(correction.factor)
    futures = look_into_futures(np.asarray(rates, dtype=float), history.step)
    rate_now = exp(futures.level.value)
    here = needs.measure(newest.counts, max(rate_now, 1e-9))
    rungs = climb(needs, LEAST_PART_OF_LEVEL * rate_now, BEYOND_PATHS * futures.find_highest())
    if not rungs:
        return None
    change = find_change(history, min(1.0, rate_now / here.saturation), terms)
    kept = history.find_kept(terms.promise)
    price = terms.price
    if price is None:
        usual = find_usual(needs, rungs, max(float(np.mean(rates)), rate_now))
        price = PRICE * usual * steer(kept.debt / history.unit_minutes, terms.promise)
    scales = Scales(situation, history, futures, change, price)
    rungs = [here, *(one for one in rungs if one.counts != here.counts)]
    offers = scales.weigh(rungs)
    finer = refine(needs, offers)
    if finer:
        offers += scales.weigh([here, *finer])[1:]
    running, ranked = offers[0], rank(offers)
    if ranked[0].total < here.total:
        running, ranked = scales.weigh_calmly([*rungs, *finer])
    is_overloaded = rate_now > here.saturation
    counts, why = decide(ranked[0], running, scales, here, is_overloaded=is_overloaded)
    running, *ranked = tell_in_minutes([running, *ranked], history.unit_minutes)
    horizon = HORIZON * history.unit_minutes
    return WeighedChoice(
        counts, why, price, kept, change, running, ranked, correction, is_overloaded, horizon
    )


def find_change(history: History, utilisation: float, terms: EconomicTerms) -> ChangeCost:
    """What a change costs, with the owner's word on its pause."""
    found = history.find_change_cost(utilisation)
    return found if terms.pause_seconds is None else replace(found, pause_seconds=terms.pause_seconds)


def tell_in_minutes(offers: Sequence[Offer], unit_minutes: float) -> list[Offer]:
    """The offers with costs in processor-minutes, where they were in processors times units."""
    return [replace(one, cost=one.cost * unit_minutes) for one in offers]


def rank(offers: Sequence[Offer]) -> list[Offer]:
    """The offers, the cheapest first."""
    return sorted(offers, key=lambda one: (one.cost, one.total))


def refine(needs: Needs, offers: Sequence[Offer]) -> list[Rung]:
    """The rungs between the best offer and its neighbours that the ladder left out."""
    known = {one.counts for one in offers}
    ranked = sorted(offers, key=lambda one: one.capacity)
    best = min(range(len(ranked)), key=lambda place: (ranked[place].cost, ranked[place].total))
    found: list[Rung] = []
    for low, high in pairwise(ranked[max(0, best - 1) : best + 2]):
        if high.total - low.total > 1 and low.capacity > 0.0:
            found += climb(needs, low.capacity * FINE, high.capacity / FINE, FINE)
    return list({one.counts: one for one in found if one.counts not in known}.values())


def find_usual(needs: Needs, rungs: Sequence[Rung], rate: float) -> int:
    """The number of processors for the usual rate."""
    found = next((one.total for one in rungs if one.capacity >= rate), None)
    if found is not None:
        return found
    try:
        return sum(needs.find(rate))
    except OUT_OF_REACH:
        return rungs[-1].total


def steer(debt: float, promise: float) -> float:
    """The factor of the price of a late minute: it grows with the debt in units."""
    steered = 2.0 * debt / ((1.0 - promise) * STEERED_OVER)
    return exp(min(max(steered, -MOST_STEERED), MOST_STEERED))


def decide(
    best: Offer, running: Offer, scales: "Scales", here: Rung, *, is_overloaded: bool
) -> tuple[tuple[int, ...], Why]:
    """The processors to run: the best, or those that run where a change is too soon or gains too little.

    An overload never waits: what it leaves grows without end.
    """
    least = LEAST_GAIN * scales.price * scales.change.late
    if best.counts == running.counts or running.cost - best.cost <= least:
        return running.counts, "no-gain"
    if not scales.history.since_change and len(scales.history.intervals) > 1 and not is_overloaded:
        return running.counts, "settling"
    is_calm = best.total < running.total and scales.find_drain(here, 0.0) == 0.0
    if is_calm and not scales.is_patient(best, running):
        return running.counts, "patience"
    return best.counts, "best"


@dataclass(frozen=True)
class Scales:
    """What weighs allocations: the futures, what a change costs, and the price of a late minute."""

    situation: Situation
    history: History
    futures: Futures
    change: ChangeCost
    price: float

    def weigh(self, rungs: Sequence[Rung]) -> list[Offer]:
        """The offers of allocations, of which the first is what runs."""
        rolled = np.empty(len(rungs))
        roll(
            self.futures.paths,
            self.futures.weights,
            self.futures.step,
            np.array([float(one.total) for one in rungs]),
            np.array([find_log(one.capacity) for one in rungs]),
            np.array([find_log(one.saturation) for one in rungs]),
            self.price,
            self.change.late,
            rolled,
        )
        offers = []
        for place, (one, cost) in enumerate(zip(rungs, rolled.tolist(), strict=True)):
            late = self.find_drain(one, self.change.pause_seconds if place else 0.0)
            if place:
                late = max(self.change.late, late + SETTLING)
            offers.append(Offer(one.counts, cost + self.price * min(late, MOST_DRAIN), one.capacity))
        return offers

    def weigh_calmly(self, rungs: Sequence[Rung]) -> tuple[Offer, list[Offer]]:
        """What runs, the first, and all that are no more at the level of a quarter of an hour, the cheapest first."""
        offers = replace(self, futures=self.futures.calm_down()).weigh(rungs)
        return offers[0], rank([one for one in offers if one.total <= offers[0].total])

    def find_drain(self, rung: Rung, pause_seconds: float) -> float:
        """The units until a pause is over and the backlog is worked off."""
        rate = exp(self.futures.level.value)
        full = np.array(rung.full)
        seconds = find_drain_seconds(self.gather(), pause_seconds, full, rate, self.history.target_seconds)
        return seconds / self.history.unit_seconds

    def gather(self) -> Floats:
        """The external tuples that wait beyond an ordinary queue, at each operator and those before it."""
        flow, newest = self.situation.flow, self.history.intervals[-1]
        visits = np.asarray(flow.visits, dtype=float)
        if newest.backlog is None:
            return np.zeros(len(visits))
        rates = visits * newest.rate
        services = np.asarray(self.situation.stations.service_rate, dtype=float)
        stretch = self.history.target_seconds / self.situation.find_lower_bound()
        ordinary = 2.0 * (stretch * rates / services + np.asarray(newest.counts))
        waits = np.maximum(0.0, np.asarray(newest.backlog) - ordinary) / np.where(visits > 0.0, visits, inf)
        network = index_topology(self.situation.topology)
        order, cyclic = order_acyclic(network)
        gathered = np.zeros(len(visits))
        so_far = 0.0
        for operator in (*order, *cyclic):
            so_far += float(waits[operator])
            gathered[operator] = so_far
        return gathered

    def is_patient(self, best: Offer, running: Offer) -> bool:
        """Whether the best would have been enough for so long that what it saves pays for the change."""
        step, since = self.history.step, self.history.since_change
        most = min(since, round(LONGEST_PATIENCE / step))
        carried = 0
        while carried < most and self.history.intervals[-1 - carried].rate <= best.capacity:
            carried += 1
        saved = (running.total - best.total) * carried * step
        return saved >= PATIENCE * self.price * self.change.late
