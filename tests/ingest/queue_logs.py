"""Logs under each kind of queueing: of one operator, from a plain simulation of its instances; of simulated visits."""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ingest.reading.records import Judged, Records, TupleKind
from planner.simulation.results import VisitLog
from tests.ingest.logs import START_NS
from tests.ingest.reference import NS

Column = NDArray[np.float64]
SERVICE = 0.01


@dataclass(frozen=True)
class QueueLog:
    """Times in seconds, in order of arrival, and the number of each tuple's instance."""

    arrived: Column
    started: Column
    finished: Column
    instance: NDArray[np.int64]

    def stretch(self, seconds: float) -> "QueueLog":
        """The same log, slower: it takes so long in all."""
        factor = seconds / float(self.arrived[-1])
        return replace(
            self,
            arrived=self.arrived * factor,
            started=self.started * factor,
            finished=self.finished * factor,
        )

    def pick(self, chosen: slice | NDArray[Any]) -> "QueueLog":
        return QueueLog(
            self.arrived[chosen], self.started[chosen], self.finished[chosen], self.instance[chosen]
        )

    def judge(self, *, tick_ns: int = 1000, sample_every: int = 1) -> Judged:
        """As a reader makes it of a file."""
        at, begun, done = (
            (times * NS).astype(np.int64) // tick_ns * tick_ns
            for times in (self.arrived, self.started, self.finished)
        )
        kinds = [
            TupleKind("t", "o", f"i{n}", None, sample_every, is_random=False)
            for n in range(int(self.instance.max()) + 1)
        ]
        roots = np.arange(len(at)).astype(np.uint64)
        columns = (self.instance.astype(np.int32), roots, START_NS + at, begun - at, done - begun)
        return Judged("log", 0, len(at), Records(kinds, *columns), [], {})


def judge_visits(visits: VisitLog, operators: Sequence[str]) -> Judged:
    """The raw log of a simulated topology, as a reader makes it of a file, with clocks of a microsecond."""
    pairs, kind = np.unique(np.stack([visits.operator, visits.instance]), axis=1, return_inverse=True)
    kinds = [
        TupleKind("t", operators[operator], f"i{one}", None, 1, is_random=False)
        for operator, one in pairs.T.tolist()
    ]
    at, begun, done = (
        np.round(times * 1e6).astype(np.int64) * 1000
        for times in (visits.arrived_seconds, visits.started_seconds, visits.finished_seconds)
    )
    columns = (
        kind.reshape(-1).astype(np.int32),
        visits.root.astype(np.uint64),
        START_NS + at,
        begun - at,
        done - begun,
    )
    return Judged("log", 0, len(at), Records(kinds, *columns), [], {})


def draw_arrivals(count: int, rate: float, seed: int, burst: int = 1) -> Column:
    """Poisson, one at a time or so many at the same time."""
    random = np.random.default_rng(seed)
    return np.repeat(np.cumsum(random.exponential(burst / rate, count // burst + 1)), burst)[:count]


def pick_by_key(chance: float, instances: int) -> int:
    return max(0, int(chance * (instances + 0.5) - 0.5))


def simulate_queues(  # each says what the log is like
    kind: str,
    instances: int,
    utilisation: float,
    *,
    count: int = 20_000,
    seed: int = 1,
    shape: float = 1.0,
    burst: int = 1,
    upstream: int = 1,
    alive: Sequence[tuple[float, Sequence[int]]] = (),
    halts: float = 0.0,
) -> QueueLog:
    """Gamma services of the shape (0: all equal); `alive` has the instances from each part of the log on.

    In turn, each of `upstream` sources has its own turn. By keys, the first instance gets half as much again as
    another. After a service an instance halts with the chance `halts`, for up to 30 services.
    """
    random = np.random.default_rng([seed, 1])
    arrived = draw_arrivals(count, instances * utilisation / SERVICE, seed, burst)
    services = random.gamma(shape, SERVICE / shape, count) if shape else np.full(count, SERVICE)
    stops = np.where(random.random(count) < halts, 30 * SERVICE * random.random(count), 0.0)
    source, chance = random.integers(0, upstream, count), random.random(count)
    phases = [(arrived[-1] * part, np.array(who)) for part, who in alive or [(0.0, range(instances))]]
    turn = random.integers(0, instances, upstream)
    free = np.zeros(1 + max(int(who.max()) for _, who in phases))
    started, chosen = np.zeros(count), np.zeros(count, dtype=np.int64)
    for n, at in enumerate(arrived.tolist()):
        who = next(found for begin, found in reversed(phases) if begin <= at)
        turn[source[n]] += 1
        if kind == "shared":
            place = int(np.argmin(np.maximum(free[who], at) + 1e-9 * free[who]))
        elif kind == "round-robin":
            place = turn[source[n]] % len(who)
        else:
            place = int(chance[n] * len(who)) if kind == "random" else pick_by_key(chance[n], len(who))
        chosen[n] = one = who[place]
        started[n] = max(at, free[one])
        free[one] = started[n] + services[n] + stops[n]
    return QueueLog(arrived, started, started + services, chosen)
