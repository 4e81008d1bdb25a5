"""Arrival times of roots: a Poisson process, equal or gamma gaps, bursts (MMPP), or counts per interval.

A root is one tuple of the external stream.
"""

import math
from dataclasses import dataclass

import numpy as np

from planner.arrays import Floats
from planner.errors import InvalidLoad
from planner.wording import write_number

KINDS = ("poisson", "deterministic", "gamma", "mmpp", "series")
MOST_CYCLES = 10_000_000


@dataclass(frozen=True, slots=True)
class ArrivalLaw:
    """The law of arrivals; the mean rate is the external rate of the load, except for a series, which has its own.

    mmpp: in bursts the rate is `burst_ratio` times the mean rate; bursts take `burst_share` of the time and last
    `mean_burst_seconds` on average, and bursts and the time between them are exponentially distributed.
    series: `counts` are the roots in each interval. gamma: the gaps are independent and have the SCV `scv`.
    """

    kind: str = "poisson"
    burst_ratio: float = 1.0
    burst_share: float = 0.0
    mean_burst_seconds: float = 0.0
    counts: tuple[int, ...] = ()
    interval_seconds: float = 1.0
    scv: float = 1.0


def check_arrivals(law: ArrivalLaw, rate: float, roots: int) -> None:
    """Raise InvalidLoad, with the pointer of the field to change, unless arrivals can be drawn by the law."""
    if law.kind not in KINDS:
        refuse_arrivals(f"No law of arrivals is called {law.kind!r}: use {', '.join(KINDS)}.", "/kind")
    if law.kind == "series":
        check_series(law)
    elif not rate > 0.0:
        raise InvalidLoad("external_rate is 0, so no tuple arrives: give a rate above 0.", "/external_rate")
    if law.kind == "gamma" and not 0.0 < law.scv < math.inf:
        refuse_arrivals(f"scv is {law.scv}: give a finite number above 0.", "/scv")
    if law.kind == "mmpp":
        check_bursts(law, rate, roots)


def check_series(law: ArrivalLaw) -> None:
    """Raise InvalidLoad unless a series has counts of at least 0, some count above 0, and intervals with a length."""
    if not 0.0 < law.interval_seconds < math.inf:
        refuse_arrivals(
            f"interval_seconds is {law.interval_seconds}: give a finite number above 0.", "/interval_seconds"
        )
    for place, count in enumerate(law.counts):
        if count < 0:
            refuse_arrivals(f"Interval {place} has {count} roots: give at least 0.", f"/counts/{place}")
    if not any(law.counts):
        refuse_arrivals("The series has no root in any interval: give at least one count above 0.", "/counts")


def check_bursts(law: ArrivalLaw, rate: float, roots: int) -> None:
    """Raise InvalidLoad unless a law of bursts has a rate of at least 0 between bursts, and bursts have a length."""
    if not 0.0 < law.burst_share < 1.0:
        refuse_arrivals(
            f"burst_share is {law.burst_share}: give the share of time in bursts, between 0 and 1.",
            "/burst_share",
        )
    if not (law.burst_ratio >= 1.0 and law.burst_ratio * law.burst_share <= 1.0 + 1e-12):
        refuse_arrivals(
            f"burst_ratio is {law.burst_ratio}: give at least 1, and at most 1/burst_share = "
            f"{write_number(1.0 / law.burst_share)}, at which nothing arrives between bursts.",
            "/burst_ratio",
        )
    shortest = law.burst_share * roots / rate / MOST_CYCLES
    if not shortest <= law.mean_burst_seconds < math.inf or not law.mean_burst_seconds:
        refuse_arrivals(
            f"mean_burst_seconds is {law.mean_burst_seconds}: give a finite number above 0 (and at least "
            f"{write_number(shortest)}; shorter bursts are far shorter than the gaps between roots).",
            "/mean_burst_seconds",
        )


def refuse_arrivals(detail: str, pointer: str) -> None:
    """Raise InvalidLoad about the argument `arrivals`, with a detail and the pointer of the part to change."""
    raise InvalidLoad(detail, pointer, "arrivals")


def draw_arrivals(law: ArrivalLaw, rate: float, roots: int, random: np.random.Generator) -> Floats:
    """Draws the arrival times of roots in seconds, in rising order; fewer than `roots` if a series has fewer."""
    if law.kind == "deterministic":
        return np.arange(1.0, roots + 1.0) / rate
    if law.kind == "gamma":
        return np.cumsum(random.gamma(1.0 / law.scv, law.scv / rate, roots))
    if law.kind == "mmpp":
        return draw_bursts(law, rate, roots, random)
    if law.kind == "series":
        return draw_series(law, roots, random)
    return np.cumsum(random.exponential(1.0 / rate, roots))


def draw_bursts(law: ArrivalLaw, rate: float, roots: int, random: np.random.Generator) -> Floats:
    """Arrival times of a Markov-modulated Poisson process: a Poisson process of rate 1 on a clock that is faster in
    bursts.

    The first phase is a burst with probability `burst_share`, so that the process is stationary from the start.
    """
    low = max(0.0, rate * (1.0 - law.burst_ratio * law.burst_share) / (1.0 - law.burst_share))
    cycle = law.mean_burst_seconds / law.burst_share
    means = np.array([cycle - law.mean_burst_seconds, law.mean_burst_seconds])
    rates = np.array([low, law.burst_ratio * rate])
    if random.random() < law.burst_share:
        means, rates = means[::-1], rates[::-1]
    wanted = np.cumsum(random.exponential(1.0, roots))
    time, work = np.zeros(1), np.zeros(1)
    while work[-1] < wanted[-1]:
        count = int((wanted[-1] - work[-1]) / rate / cycle) + 10
        lengths = random.exponential(means, (count, 2))
        time = np.append(time, time[-1] + np.cumsum(lengths))
        work = np.append(work, work[-1] + np.cumsum(lengths * rates))
    return np.interp(wanted, work, time)


def draw_series(law: ArrivalLaw, roots: int, random: np.random.Generator) -> Floats:
    """The arrival times of a series: the counted number of roots at random times within each interval, at
    most `roots`.
    """
    counts = np.asarray(law.counts, np.int64)
    ends = np.cumsum(counts)
    last = int(np.searchsorted(ends, roots))  # later intervals are not needed
    is_cut = last < len(counts) and ends[last] > roots
    whole = counts[: last if is_cut else last + 1]
    begins = np.repeat(np.arange(len(whole), dtype=np.float64), whole)
    places = np.sort(begins + random.random(len(begins)))
    if is_cut:
        kept = roots - len(places)
        places = np.append(places, last + draw_earliest(int(counts[last]), kept, random))
    return places * law.interval_seconds


def draw_earliest(count: int, kept: int, random: np.random.Generator) -> Floats:
    """The `kept` smallest of `count` uniform numbers between 0 and 1, without drawing the others.

    The i-th smallest of n is S_i/S_(n+1), with S_i the sum of i exponential numbers.
    """
    sums: Floats = np.cumsum(random.exponential(1.0, kept))
    return sums / float(sums[-1] + random.gamma(count + 1.0 - kept))


ARRIVALS, SERVICES, CHOICES, COPIES, EVENTS = range(5)


def check_seed(seed: int) -> None:
    """Raise InvalidLoad for a seed below 0."""
    if seed < 0:
        raise InvalidLoad(f"seed is {seed}: give a whole number of at least 0.", "", "seed")


def make_random(seed: int, purpose: int, place: int = 0) -> np.random.Generator:
    """A separate source of random numbers for each purpose and station or link, which changes elsewhere do
    not change.
    """
    return np.random.Generator(np.random.SFC64(np.random.SeedSequence((seed, purpose, place))))
