"""A platform of its own physics for the loop: it runs a job minute by minute, with the pauses of changes, and measures.

Services of each operator drift by 5%, measured values have noise, and key groups are of unequal size. At a change the
job (or only the changed operators) stands still, tuples wait, and the backlog is worked off afterwards.
"""

from collections.abc import Sequence
from dataclasses import dataclass, field
from math import exp, log, sqrt

import numpy as np

from benchmarks.loop_physics import COUNTED, DEALT, KEYED, count_gaps, serve
from planner.arrays import Floats
from planner.values import Edge, InstanceLoad, Load, Operator, OperatorLoad, Topology

MINUTE = 60.0
GROUPS = 128
SERVICE_NOISE, METRIC_NOISE = 0.05, 0.03
HALF_LIFE = 15.0
"""Minutes after which half of a drift of a service is forgotten."""
CHANGE_DELAY = 5.0
"""Seconds between a decision and the pause of its change."""
SHORTEST_PAUSE, LONGEST_PAUSE = 3.0, 30.0
"""Seconds; like the delay, they are shorter where time is compressed."""
FEWEST_GAPS = 30.0


@dataclass(frozen=True)
class Part:
    """One operator of a job: its mean service in seconds, the SCV of services, and whether it is keyed."""

    name: str
    service: float
    scv: float = 1.0
    keyed: bool = False


@dataclass(frozen=True)
class Job:
    """A job: operators in order, edges with selectivities, how long a change stops it, and whether it stops whole.

    `minute` is the length of its minutes in seconds: less than 60 where time is compressed.
    """

    name: str
    parts: tuple[Part, ...]
    edges: tuple[tuple[int, int, float], ...]
    pause: float = 12.0
    stops_whole: bool = True
    skew: float = 0.3
    minute: float = MINUTE

    @property
    def visits(self) -> list[float]:
        """The visits of an external tuple to each operator."""
        found = [1.0] + [0.0] * (len(self.parts) - 1)
        for source, target, selectivity in self.edges:
            found[target] += found[source] * selectivity
        return found

    @property
    def least_seconds(self) -> float:
        """T_L, the time of an external tuple without waits."""
        return sum(v * one.service for v, one in zip(self.visits, self.parts, strict=True))

    @property
    def topology(self) -> Topology:
        """The job as a topology of the planner."""
        operators = tuple(
            Operator(
                one.name,
                queueing="keyed" if one.keyed else "round-robin",
                max_parallelism=GROUPS if one.keyed else None,
            )
            for one in self.parts
        )
        names = [one.name for one in self.parts]
        return Topology(operators, tuple(Edge(names[a], names[b], s) for a, b, s in self.edges))


JOBS = (
    Job(
        "row",
        (Part("parse", 0.06), Part("score", 0.15, 0.6, keyed=True), Part("sink", 0.05, 1.5)),
        ((0, 1, 1.0), (1, 2, 1.0)),
    ),
    Job(
        "diamond",
        (
            Part("read", 0.04),
            Part("left", 0.12),
            Part("right", 0.2, 0.5),
            Part("join", 0.05, 1.0, keyed=True),
            Part("store", 0.04),
        ),
        ((0, 1, 0.6), (0, 2, 0.4), (1, 3, 1.0), (2, 3, 1.0), (3, 4, 1.0)),
        pause=20.0,
        skew=0.2,
    ),
    Job(
        "fan",
        (Part("frames", 0.1, 0.5), Part("features", 0.04), Part("match", 0.06, 1.0), Part("report", 0.05)),
        ((0, 1, 2.5), (1, 2, 0.6), (2, 3, 0.4)),
        pause=6.0,
        stops_whole=False,
    ),
)
FAST_JOB = Job(
    "fast",
    (Part("parse", 0.02), Part("score", 0.03, 0.6, keyed=True), Part("write", 0.01)),
    ((0, 1, 1.0), (1, 2, 1.0)),
    pause=1.5,
    minute=5.0,
)
"""A job of which a minute is five seconds long."""


@dataclass(frozen=True)
class Minute:
    """What a controller sees of one minute: the load as measured, and what truly happened.

    `seconds`: the true mean time of a tuple; `paused`: the seconds of pauses; `length`: those of the minute itself,
    which is shorter where time is compressed.
    """

    load: Load
    counts: tuple[int, ...]
    seconds: float
    paused: float
    length: float = MINUTE


@dataclass
class Platform:
    """A running job; all random numbers come from the seed."""

    job: Job
    counts: list[int]
    seed: int = 1
    now: float = 0.0
    minutes: list[Minute] = field(default_factory=list)

    def __post_init__(self) -> None:
        """Starts the job with empty queues."""
        self.random = np.random.default_rng(self.seed)
        size = len(self.job.parts)
        self.free = [np.zeros(k) for k in self.counts]
        self.turns = [np.zeros(1, np.int64) for _ in range(size)]
        self.queues = [(np.empty(0), np.empty(0)) for _ in range(size)]
        self.flying: list[list[tuple[Floats, Floats]]] = [[] for _ in range(size)]
        self.drift = np.zeros(size)
        self.last = [0.0] * size
        self.shares = [self.deal_groups() for _ in range(size)]
        self.pauses = np.random.default_rng(self.seed + 1)

    def deal_groups(self) -> Floats:
        """The sums of the shares of the key groups, up to each group."""
        shares = np.exp(self.job.skew * self.random.standard_normal(GROUPS))
        return np.cumsum(shares / shares.sum())

    def run_minute(self, rate: float, wanted: Sequence[int] | None = None) -> Minute:
        """Runs one minute at an external rate; first, the change to the processors `wanted` begins."""
        size = len(self.job.parts)
        keep = 0.5 ** (1.0 / HALF_LIFE)
        self.drift = keep * self.drift + sqrt(1.0 - keep**2) * SERVICE_NOISE * self.random.standard_normal(
            size
        )
        self.sums = np.zeros((size, COUNTED))
        self.loads = [np.zeros(k) for k in self.counts]
        minute = self.job.minute
        end, paused = self.now + minute, 0.0
        number = self.random.poisson(rate * minute)
        outside = self.now + minute * np.sort(self.random.random(number))
        begin = self.now
        if wanted is not None and list(wanted) != self.counts:
            middle = self.now + CHANGE_DELAY * minute / MINUTE
            self.run_until(outside[outside < middle], middle)
            begin = middle
            paused = self.change(list(wanted), middle)
        self.run_until(outside[outside >= begin], end)
        self.now = end
        found = Minute(self.measure(rate), tuple(self.counts), self.find_seconds(), paused, minute)
        self.minutes.append(found)
        return found

    def change(self, wanted: list[int], at: float) -> float:
        """Rescales the job at a time; returns the seconds of the pause."""
        fast, drawn = self.job.minute / MINUTE, self.job.pause * exp(0.35 * self.pauses.standard_normal())
        pause = min(max(drawn, SHORTEST_PAUSE * fast), LONGEST_PAUSE * fast)
        for i, count in enumerate(wanted):
            if count == self.counts[i] and not self.job.stops_whole:
                continue
            self.free[i] = np.full(count, at + pause)
            self.turns[i][0] = 0
            self.loads[i] = np.zeros(count)
        self.counts = wanted
        return pause

    def run_until(self, outside: Floats, until: float) -> None:
        """Runs all operators, upstream first, up to a time."""
        for i, part in enumerate(self.job.parts):
            coming = list(self.flying[i])
            if i == 0:
                coming.append((outside, self.random.random(len(outside))))
            times = np.concatenate([one[0] for one in coming]) if coming else np.empty(0)
            keys = np.concatenate([one[1] for one in coming]) if coming else np.empty(0)
            now = times < until
            self.flying[i] = [(times[~now], keys[~now])]
            order = np.argsort(times[now], kind="stable")
            times, keys = times[now][order], keys[now][order]
            self.last[i] = count_gaps(times, self.last[i], self.sums[i])
            times = np.concatenate([self.queues[i][0], times])
            keys = np.concatenate([self.queues[i][1], keys])
            left, waits = np.empty(len(times)), np.empty(len(times), np.int64)
            mean, sigma = part.service * exp(self.drift[i]), sqrt(log(1.0 + part.scv))
            started, waiting = serve(
                times,
                keys,
                KEYED if part.keyed else DEALT,
                self.shares[i],
                self.free[i],
                self.turns[i],
                until,
                mean,
                sigma,
                self.random.standard_normal(len(times)),
                left,
                waits,
                self.sums[i],
                self.loads[i],
            )
            rest = waits[:waiting]
            self.queues[i] = times[rest], keys[rest]
            self.send(i, left[:started])

    def send(self, i: int, left: Floats) -> None:
        """Sends what leaves an operator to those behind it."""
        for source, target, selectivity in self.job.edges:
            if source == i:
                whole = int(selectivity)
                copies = whole + (self.random.random(len(left)) < selectivity - whole)
                times = np.repeat(left, copies)
                self.flying[target].append((times, self.random.random(len(times))))

    def find_seconds(self) -> float:
        """The true mean time of an external tuple in this minute; while nothing is finished, the age of what waits."""
        total = 0.0
        for i, visits in enumerate(self.job.visits):
            count, sojourns = self.sums[i, 0], self.sums[i, 1]
            waiting = self.queues[i][0]
            if count:
                total += visits * sojourns / count
            elif len(waiting):
                total += visits * float(self.now + self.job.minute - waiting.mean())
        return total

    def measure(self, rate: float) -> Load:
        """The load of this minute as metrics show it, with noise."""

        def blur(value: float) -> float:
            return float(value * exp(METRIC_NOISE * self.random.standard_normal()))

        operators = {}
        external = blur(max(self.sums[0, 4] / self.job.minute, 1e-9))
        for i, part in enumerate(self.job.parts):
            count, _, service, squares, arrivals, gaps, gap_squares = self.sums[i]
            mean = service / count if count else 0.0
            scv = (squares / count / mean**2 - 1.0) if count > FEWEST_GAPS else None
            gap = gaps / arrivals if arrivals else 0.0
            instances: tuple[InstanceLoad, ...] = ()
            if part.keyed and self.counts[i] > 1 and count > FEWEST_GAPS:
                shares = sorted(self.loads[i] / self.loads[i].sum(), reverse=True)
                instances = tuple(InstanceLoad(str(at), float(one)) for at, one in enumerate(shares))
            operators[part.name] = OperatorLoad(
                service_rate=blur(1.0 / mean) if count else None,
                arrival_rate=blur(arrivals / self.job.minute) if arrivals else None,
                arrival_scv=gap_squares / arrivals / gap**2 - 1.0 if arrivals > FEWEST_GAPS else None,
                service_scv=scv,
                processors=self.counts[i],
                instances=instances,
                backlog_tuples=float(len(self.queues[i][0])),
            )
        del rate
        return Load(external, operators, blur(self.find_seconds()) or None)
