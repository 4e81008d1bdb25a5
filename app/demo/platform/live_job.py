"""The running job of the live demo: its compressed day, its incidents, and the pause of each change."""

import math
from collections.abc import Mapping

import numpy as np

from app.demo.platform.live_queues import LiveQueues, Served
from app.demo.platform.made_day import BEGIN_WITH, SERVICE_RATES, SERVICE_SCVS, TOPOLOGY
from planner.arrays import Floats
from planner.values import Load, OperatorLoad

STEP_SECONDS = 5
"""The length of a measured interval."""
DAY_SECONDS = 1440
"""A minute of the demo's day takes a second."""
BEGIN_AT = 480
"""A new live demo begins at eight o'clock."""
SLOW, SPIKE, LOST_AT = range(500, 740), range(1020, 1080), 1260
"""Seconds of the day in which `score` is slow, and the rate is raised, and at which a node with LOST is lost."""
SLOW_FACTOR, SPIKE_FACTOR = 0.6, 1.5
LOST = {"score": 4}
PAUSE_SECONDS = 2.0
SHORTEST_SECONDS = 1e-6


class LiveJob:
    """A job that serves tuple by tuple; time is in seconds since its beginning."""

    def __init__(self, seed: int, counts: Mapping[str, int] = BEGIN_WITH, begin_at: float = 0.0) -> None:
        self.draw = np.random.default_rng(seed)
        self.now = begin_at
        self.counts = dict(counts)
        self.stations = {
            one.name: LiveQueues(np.full(counts[one.name], begin_at), one.queueing != "keyed")
            for one in TOPOLOGY.operators
        }

    def change(self, counts: Mapping[str, int]) -> None:
        """Runs these processors from now on; every operator stands still for PAUSE_SECONDS."""
        self.counts = dict(counts)
        for name, station in self.stations.items():
            station.rescale(counts[name], self.now + PAUSE_SECONDS)

    def run(self, load_factor: float) -> Load:
        """Runs for STEP_SECONDS; returns what a platform would have measured."""
        begin, until = self.now, self.now + STEP_SECONDS
        self._lose_node(begin, until)
        rate = external_rate(begin) * load_factor
        external = np.sort(self.draw.uniform(begin, until, self.draw.poisson(rate * STEP_SECONDS)))
        arriving = {one.name: [external] if one.name == "parse" else [] for one in TOPOLOGY.operators}
        measured: dict[str, OperatorLoad] = {}
        in_operators = 0.0
        for name, station in self.stations.items():
            arrivals = np.concatenate([np.empty(0), *arriving[name]])
            served = station.serve(arrivals, until, service_rate(name, begin), SERVICE_SCVS[name], self.draw)
            for edge in TOPOLOGY.edges:
                if edge.source == name:
                    arriving[edge.target].append(self._derive(served.left_at, edge.selectivity))
            in_operators += float(served.sojourn_seconds.sum())
            measured[name] = measure_station(station, arrivals, served, self.counts[name])
        self.now = until
        entered = len(external)
        seconds = max(in_operators / entered, SHORTEST_SECONDS) if entered else None
        return Load(entered / STEP_SECONDS, measured, measured_sojourn_seconds=seconds)

    def _derive(self, left_at: Floats, selectivity: float) -> Floats:
        """Derived tuples: each tuple that left makes so many in the mean."""
        whole = math.floor(selectivity)
        made = whole + (self.draw.random(len(left_at)) < selectivity - whole)
        return np.repeat(left_at, made)

    def _lose_node(self, begin: float, until: float) -> None:
        """The processors of a lost node stop, once a day; those that are left take over what waits."""
        if not second_of_day(begin) <= LOST_AT < second_of_day(begin) + (until - begin):
            return
        for name, lost in LOST.items():
            self.counts[name] = max(1, self.counts[name] - lost)
            self.stations[name].rescale(self.counts[name], begin)


def second_of_day(now: float) -> float:
    """The second of the compressed day."""
    return (BEGIN_AT + now) % DAY_SECONDS


def external_rate(now: float) -> float:
    """The rate of external tuples at a time: a wave, and a spike."""
    second = second_of_day(now)
    wave = 180.0 + 60.0 * math.sin(2.0 * math.pi * (second / DAY_SECONDS - 0.25))
    return wave * (SPIKE_FACTOR if int(second) in SPIKE else 1.0)


def service_rate(name: str, now: float) -> float:
    """How many tuples a processor of an operator serves per second at a time."""
    is_slow = name == "score" and int(second_of_day(now)) in SLOW
    return SERVICE_RATES[name] * (SLOW_FACTOR if is_slow else 1.0)


def measure_station(station: LiveQueues, arrivals: Floats, served: Served, processors: int) -> OperatorLoad:
    """What a platform would measure of an operator in an interval."""
    seconds = served.service_seconds
    mean = float(seconds.mean()) if len(seconds) else None
    gaps = np.diff(np.sort(arrivals))
    return OperatorLoad(
        1.0 / mean if mean else None,
        arrival_rate=len(arrivals) / STEP_SECONDS,
        arrival_scv=float(gaps.var() / gaps.mean() ** 2) if len(gaps) > 1 and gaps.mean() > 0 else None,
        service_scv=float(seconds.var() / mean**2) if mean else None,
        processors=processors,
        backlog_tuples=float(station.waiting),
    )
