"""Learns how capacity bends from service rates that were measured while other numbers of processors ran.

The logarithm of the rate of one of k processors, with the candidates of planner.queueing.instances.scaling:

    log μ(k) = level − loss(k),   loss(k) = γ·log k + log(1 + σ(k − 1) + κk(k − 1))

The level is free for each revision of a topology, as other code has another speed, and for each change of processors:
only intervals just before a change and just after it are compared. An operator that becomes slow for an hour, and
therefore gets more processors, would otherwise look as if the processors had made it slow.

Each candidate (γ, σ, κ, of which one or two are 0, or all: linear) has a weight: its prior times
exp(−½ Σ residual²/variance). The prior is LINEAR for no bend, so that chance bends nothing. Of the bent candidates the
middle one is taken, by what they lose at TWICE the most processors that were measured: a mean of candidates would lie
beyond all measurements where one of them has a peak.
"""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import lru_cache
from itertools import groupby
from math import inf, log
from statistics import median
from typing import NamedTuple

import numpy as np

from planner.arrays import Floats
from planner.queueing.instances.scaling import LEAST_APART, FutileChange, describe_futile, judge_change
from planner.values import Diagnostic, Scaling
from planner.wording import join_names, write_counted, write_percent, write_rate

LEAST_INTERVALS = 3
"""The fewest intervals of one number of processors that count."""
USUAL_SCATTER = 0.02
"""The scatter of single measured rates that is taken at least; intervals may agree by chance."""
SERVICE_SCV = 1.0
"""Services are taken to vary like exponential ones: the mean of n of them scatters by 1/√n."""
MEDIAN_NOISE = 1.5
"""The variance of the middle of some rates over that of their mean."""
LEVEL_NOISE = 0.005
"""The deviation of a rate that more intervals do not average out, as data change from hour to hour."""
LINEAR, POWER, SERIAL, MIXED, PEAKED = 0.5, 0.2, 0.13, 0.13, 0.04
"""The prior weights of no bend, of γ alone, of σ alone, of γ with σ, and of κ."""
MOST_DOUBT = 0.2
"""Up to this weight of no bend, a bend counts as seen; and from one minus this on, a peak."""
TWICE = 2.0
MOST_SHOWN = 2
"""The rates of so many newest changes are named as evidence."""


class SeenRate(NamedTuple):
    """The service rate of one processor in one interval, in which so many ran by a revision of the topology.

    Rates with one number of `change` are compared with each other: they are of the time around one change. The rate is
    the mean of so many services.
    """

    processors: int
    service_rate: float
    revision: int = 1
    change: int = 0
    services: float = inf


class SeenCapacity(NamedTuple):
    """The middle service rate of one of so many processors, over the intervals around one change in a revision."""

    revision: int
    change: int
    processors: int
    service_rate: float
    intervals: int
    deviation: float


@dataclass(frozen=True, slots=True)
class LearnedScaling:
    """How capacity bends, and the rates that show it, the oldest revision first.

    `kept` is the part of its speed with the most processors measured that one keeps with twice as many: likely least,
    middle and most.
    """

    scaling: Scaling
    seen: tuple[SeenCapacity, ...]
    kept: tuple[float, float, float]


def learn_scaling(rates: Iterable[SeenRate], revision: int = 1) -> LearnedScaling | None:
    """The scaling that measured rates show for the current revision of a topology; None where they show no bend.

    Of earlier revisions in which a change was futile nothing is taken: other code may be the cure.
    """
    listed = sum_up(rates)
    past = {one.revision for one in listed} - {revision}
    cured = {one for one in past if find_futile(listed, one) is not None}
    seen = tuple([one for one in listed if one.revision not in cured])
    if not is_telling(seen):
        return None
    candidates, weights = weigh_candidates(seen)
    if weights[0] > MOST_DOUBT:
        return None
    is_peaked = candidates[:, 2] > 0.0
    if weights[is_peaked].sum() <= 1.0 - MOST_DOUBT:
        weights = np.where(is_peaked, 0.0, weights)
    weights[0] = 0.0
    most = max(one.processors for one in seen)
    lost = find_losses(candidates, TWICE * most) - find_losses(candidates, float(most))
    order = np.argsort(lost, kind="stable")
    parts = np.cumsum(weights[order]) / weights.sum()
    likely = [int(order[np.searchsorted(parts, part)]) for part in (0.9, 0.5, 0.1)]
    gamma, sigma, kappa = (float(one) for one in candidates[likely[1]])
    futile = find_futile(seen, revision)
    scaling = Scaling(gamma, sigma, kappa, is_learned=True, futile=futile)
    low, middle, high = (float(np.exp(-lost[place])) for place in likely)
    return LearnedScaling(scaling, seen, (low, middle, high))


def sum_up(rates: Iterable[SeenRate]) -> tuple[SeenCapacity, ...]:
    """The middle rate by revision, change and number of processors, where enough intervals have them."""
    found = []
    for (revision, change, processors), group in groupby(sorted(rates, key=tell_apart), key=tell_apart):
        alike = list(group)
        logs = [log(one.service_rate) for one in alike]
        if len(logs) < LEAST_INTERVALS:
            continue
        middle = median(logs)
        by_chance = sum([SERVICE_SCV / one.services for one in alike]) / len(alike)
        scatter = max(1.4826 * median(abs(one - middle) for one in logs), USUAL_SCATTER, by_chance**0.5)
        deviation = (MEDIAN_NOISE * scatter**2 / len(logs) + LEVEL_NOISE**2) ** 0.5
        found.append(SeenCapacity(revision, change, processors, float(np.exp(middle)), len(logs), deviation))
    return tuple(found)


def tell_apart(one: SeenRate) -> tuple[int, int, int]:
    """What rates are summed up by."""
    return one.revision, one.change, one.processors


def find_level(one: SeenCapacity) -> tuple[int, int]:
    """The rates with one level are compared with each other."""
    return one.revision, one.change


def is_telling(seen: Sequence[SeenCapacity]) -> bool:
    """Whether a change was between numbers of processors that are far enough apart to show a bend."""
    by_level = [[one.processors for one in group] for _, group in groupby(seen, key=find_level)]
    return any(max(counts) >= LEAST_APART * min(counts) for counts in by_level)


@lru_cache(maxsize=1)
def list_candidates() -> tuple[Floats, Floats]:
    """The candidates γ, σ, κ, the first of them linear, and their prior weights."""
    gammas = np.geomspace(0.01, 0.8, 45)
    sigmas, kappas = np.geomspace(0.001, 0.5, 45), np.geomspace(1e-5, 0.01, 20)
    mixed = np.array([(gamma, sigma, 0.0) for gamma in gammas[::3] for sigma in sigmas[::3]])
    peaked = np.array([(0.0, sigma, kappa) for sigma in (0.0, *sigmas) for kappa in kappas])
    parts = [
        (np.zeros((1, 3)), LINEAR),
        (np.column_stack([gammas, 0.0 * gammas, 0.0 * gammas]), POWER),
        (np.column_stack([0.0 * sigmas, sigmas, 0.0 * sigmas]), SERIAL),
        (mixed, MIXED),
        (peaked, PEAKED),
    ]
    priors = [np.full(len(part), weight / len(part)) for part, weight in parts]
    return np.concatenate([part for part, _ in parts]), np.concatenate(priors)


def find_losses(candidates: Floats, k: float | Floats) -> Floats:
    """By how much the logarithm of the rate of one of k processors is less than that of one alone, by candidate."""
    gamma, sigma, kappa = (candidates[:, place] for place in range(3))
    if isinstance(k, np.ndarray):
        gamma, sigma, kappa = gamma[:, None], sigma[:, None], kappa[:, None]
    lost: Floats = gamma * np.log(k) + np.log1p(sigma * (k - 1.0) + kappa * k * (k - 1.0))
    return lost


def weigh_candidates(seen: Sequence[SeenCapacity]) -> tuple[Floats, Floats]:
    """The candidates, and the weight of each by what was seen; the weights sum to 1."""
    candidates, priors = list_candidates()
    counts = np.array([one.processors for one in seen], np.float64)
    logs = np.log([one.service_rate for one in seen]) + find_losses(candidates, counts)
    trust = np.array([one.deviation for one in seen]) ** -2.0
    levels = [find_level(one) for one in seen]
    distance = np.zeros(len(candidates))
    for level in dict.fromkeys(levels):
        at = np.array([one == level for one in levels])
        rest = logs[:, at] - (logs[:, at] @ trust[at] / trust[at].sum())[:, None]
        distance += rest**2 @ trust[at]
    weights = priors * np.exp(-0.5 * (distance - distance.min()))
    return candidates, weights / weights.sum()


def find_futile(seen: Sequence[SeenCapacity], revision: int) -> FutileChange | None:
    """The first change to more processors in a revision that brought nothing, if there is one."""
    newest = [one for one in seen if one.revision == revision]
    for place, one in enumerate(newest):
        for other in newest[place + 1 :]:
            if other.change != one.change:
                break
            found = judge_change(one.processors, one.service_rate, other.processors, other.service_rate)
            if found is not None:
                return found
    return None


def describe_learned(name: str, learned: LearnedScaling) -> Diagnostic:
    """A diagnostic of how the capacity of an operator bends, with the rates that show it."""
    changes = list(dict.fromkeys(find_level(one) for one in learned.seen))[-MOST_SHOWN:]
    shown = [one for one in learned.seen if find_level(one) in changes]
    rates = [
        f"{write_rate(one.service_rate)} with {one.processors} ({write_counted(one.intervals, 'interval')})"
        for one in (shown if len(shown) > 1 else learned.seen)
    ]
    low, middle, high = (write_percent(part) for part in learned.kept)
    most = max(one.processors for one in learned.seen)
    detail = (
        f"Processors of {name} are slower as more run, by stored snapshots: one served {join_names(rates)}. With "
        f"{2 * most}, one would keep {middle} of its speed with {most} (likely {low} to {high})."
    )
    if (futile := learned.scaling.futile) is not None:
        detail += f" {describe_futile(name, futile)} No plan gives more than {futile[0]}."
    return Diagnostic("capacity-learned", f"{detail} The topology's scaling would replace this.", (name,))
