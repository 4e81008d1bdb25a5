"""Operators in a row, each instance with a queue of its own, dealt to in turn: simulated apart from Headgate."""

from collections.abc import Iterable
from itertools import product

import numpy as np
from numpy.typing import NDArray

from tests.engines.flink_jobs import Operator

Times = NDArray[np.float64]


def find_mean_seconds(
    operators: tuple[Operator, ...], counts: tuple[int, ...], rate: float, tuples: int = 60_000
) -> float:
    """Mean time of a tuple in all operators; Poisson arrivals, exponential services, each sender deals in turn."""
    random = np.random.default_rng(1)
    entered = np.cumsum(random.exponential(1.0 / rate, tuples))
    arrived, senders, born = entered, np.zeros(tuples, dtype=np.int64), entered
    for operator, count in zip(operators, counts, strict=True):
        receivers = np.empty(len(arrived), dtype=np.int64)
        for sender in np.unique(senders):
            (its,) = np.nonzero(senders == sender)
            receivers[its] = (np.arange(len(its)) + random.integers(count)) % count
        left = np.empty_like(arrived)
        for receiver in range(count):
            (its,) = np.nonzero(receivers == receiver)
            left[its] = _serve(arrived[its], random.exponential(operator.service_seconds, len(its)))
        order = np.argsort(left)
        arrived, senders, born = left[order], receivers[order], born[order]
    return float(np.mean(arrived - born))


def _serve(arrived: Times, services: Times) -> Times:
    """When each tuple leaves one server, first come first served: max over earlier arrivals of arrival + work since."""
    work = np.cumsum(services)
    return work + np.maximum.accumulate(arrived - (work - services))


def find_fewest(
    operators: tuple[Operator, ...], rate: float, t_max_seconds: float, most: int
) -> tuple[int, ...]:
    """The fewest processors with which tuples take at most t_max_seconds: all counts tried, the smallest sums first."""
    for total in range(len(operators), most + 1):
        fitting = [
            (seconds, counts)
            for counts in _list_counts(operators, rate, total)
            if (seconds := find_mean_seconds(operators, counts, rate)) <= t_max_seconds
        ]
        if fitting:
            return min(fitting)[1]
    raise AssertionError(f"more than {most} processors are needed")


def _list_counts(operators: tuple[Operator, ...], rate: float, total: int) -> Iterable[tuple[int, ...]]:
    """All counts of this sum that keep up with the rate."""
    least = [int(rate * one.service_seconds) + 1 for one in operators]
    ranges = [range(one, total + 1) for one in least]
    return (counts for counts in product(*ranges) if sum(counts) == total)
