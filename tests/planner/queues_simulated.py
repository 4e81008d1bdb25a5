"""Queues simulated tuple by tuple, without a formula: what a platform would measure. Plain Python, no planner code."""

from collections.abc import Sequence
from heapq import heapreplace

import numpy as np


class Stage:
    """One operator: servers that share a queue, or that each have their own, dealt to in turn."""

    def __init__(self, mean_service: float, servers: int, *, own: bool) -> None:
        self.mean_service, self.own, self.turn = mean_service, own, 0
        self.free = [0.0] * servers

    def resize(self, servers: int, now: float) -> None:
        """More or fewer servers; those that stay keep what they have to do."""
        kept = sorted(self.free)[:servers]
        self.free = kept + [now] * (servers - len(kept))

    def serve(self, arrivals: Sequence[float], services: Sequence[float]) -> list[float]:
        """When each tuple is done; arrivals in order."""
        done = []
        for arrival, service in zip(arrivals, services, strict=True):
            if self.own:
                self.turn = (self.turn + 1) % len(self.free)
                end = max(arrival, self.free[self.turn]) + service
                self.free[self.turn] = end
            else:
                end = max(arrival, self.free[0]) + service
                heapreplace(self.free, end)
            done.append(end)
        return done


class Chain:
    """Operators in a row under random arrivals; one interval after another, with what is left queued in between."""

    def __init__(
        self, mean_services: Sequence[float], servers: Sequence[int], *, own: bool, seed: int
    ) -> None:
        self.stages = [Stage(mean, k, own=own) for mean, k in zip(mean_services, servers, strict=True)]
        self.random = np.random.default_rng(seed)
        self.now = 0.0

    @property
    def servers(self) -> list[int]:
        """Of each operator."""
        return [len(stage.free) for stage in self.stages]

    def resize(self, servers: Sequence[int]) -> None:
        """What is decided runs at once."""
        for stage, count in zip(self.stages, servers, strict=True):
            if len(stage.free) != count:
                stage.free.sort()
                stage.resize(count, self.now)
                if not stage.own:
                    stage.free.sort()  # a sorted list is a heap

    def run(self, rate: float, seconds: float) -> tuple[float, float]:
        """Tuples/s that came in this interval, and their mean time from arrival to the end."""
        count = int(self.random.poisson(rate * seconds))
        arrivals = np.sort(self.random.uniform(self.now, self.now + seconds, count))
        self.now += seconds
        at, order = arrivals, np.arange(count)
        for stage in self.stages:
            services = self.random.exponential(stage.mean_service, count)
            done = np.array(stage.serve(at[order].tolist(), services.tolist()))
            at = np.empty(count)
            at[order] = done
            order = np.argsort(at, kind="stable")
        return count / seconds, float(np.mean(at - arrivals)) if count else 0.0


def draw_times(rng: np.random.Generator, mean: float, scv: float, count: int) -> np.ndarray:
    """Gamma variates of this mean and SCV; SCV 0: all equal."""
    return rng.gamma(1.0 / scv, mean * scv, count) if scv else np.full(count, mean)


def deal_in_turn(rng: np.random.Generator, count: int, k: int, senders: int) -> np.ndarray:
    """The instance of each tuple: a random sender sends it, and each sender deals its own tuples in turn."""
    sender, instances = rng.integers(senders, size=count), np.empty(count, np.int64)
    for one in range(senders):
        at = np.flatnonzero(sender == one)
        instances[at] = (np.arange(len(at)) + rng.integers(k)) % k
    return instances


def draw_bursts(
    rng: np.random.Generator, rate: float, size: float, spread: float, seconds: float
) -> np.ndarray:
    """Arrival times of random bursts of `size` tuples on average, each tuple some `spread` seconds after its burst."""
    bursts = rng.poisson(rate / size * seconds)
    sizes = rng.geometric(1.0 / size, bursts)
    starts = np.repeat(rng.uniform(0.0, seconds, bursts), sizes)
    return np.sort(starts + rng.exponential(spread, len(starts)))


def measure_dispersion(arrivals: np.ndarray, seconds: float) -> float:
    """Var N/E N of the arrivals in windows of this length."""
    counts = np.histogram(arrivals, np.arange(arrivals[0], arrivals[-1], seconds))[0]
    return float(counts.var() / counts.mean())


def wait_at_instances(arrivals: np.ndarray, services: np.ndarray, instances: np.ndarray) -> float:
    """The mean wait where each instance has one server and its own queue."""
    free = [0.0] * (int(instances.max()) + 1)
    waited = 0.0
    for arrival, service, at in zip(arrivals.tolist(), services.tolist(), instances.tolist(), strict=True):
        begin = max(arrival, free[at])
        waited += begin - arrival
        free[at] = begin + service
    return waited / len(arrivals)
