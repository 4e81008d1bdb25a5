"""Laws in plain Python: when roots arrive, and how long services take."""

from collections.abc import Callable, Iterator, Sequence
from itertools import count
from math import exp, log, log1p, sqrt
from random import Random

Service = Callable[[Random], float]
"""Draws the seconds of one service."""


def poisson(rate: float, random: Random) -> Iterator[float]:
    """The times of roots that arrive at random, `rate` of them a second."""
    now = 0.0
    while True:
        yield (now := now + random.expovariate(rate))


def deterministic(rate: float) -> Iterator[float]:
    """The times of roots that arrive at equal distances."""
    return (number / rate for number in count(1))


def mmpp(rate: float, ratio: float, share: float, burst_seconds: float, random: Random) -> Iterator[float]:
    """At random, `ratio` times the mean rate in bursts, which are `share` of the time, and fewer between them."""
    rates = (rate * (1.0 - ratio * share) / (1.0 - share), rate * ratio)
    lengths = (burst_seconds * (1.0 - share) / share, burst_seconds)
    now, bursting = 0.0, random.random() < share
    while True:
        change = now + random.expovariate(1.0 / lengths[bursting])
        while rates[bursting] and (now := now + random.expovariate(rates[bursting])) < change:
            yield now
        now, bursting = change, not bursting


def series(counts: Sequence[int], interval_seconds: float, random: Random) -> Iterator[float]:
    """As many roots in each interval as are counted in it, at random moments; at the end from the beginning again."""
    for number in count():
        moments = sorted(random.random() for _ in range(counts[number % len(counts)]))
        yield from ((number + moment) * interval_seconds for moment in moments)


def always(mean: float) -> Service:
    """Services that all take equally long."""
    return lambda _random: mean


def gamma(mean: float, scv: float) -> Service:
    """Services of a given mean and SCV; exponential where the SCV is 1."""
    return lambda random: random.gammavariate(1.0 / scv, mean * scv)


def lognormal(mean: float, scv: float) -> Service:
    """Services of a given mean and SCV, with a longer tail than gamma's."""
    spread = log1p(scv)
    return lambda random: exp(random.gauss(log(mean) - spread / 2.0, sqrt(spread)))
