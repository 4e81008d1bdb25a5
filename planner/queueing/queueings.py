"""The queueing of an operator: the queue that a tuple joins, and the variability of arrivals at one instance.

| queueing    | one instance of k sees                                                                              |
|-------------|-----------------------------------------------------------------------------------------------------|
| shared      | nothing of its own: all processors take from one queue                                              |
| round-robin | λ/k;  I(t)/k + (1 − 1/v)²(1 − 1/k)·(1 − e^−y)/y,  y = 6λt/(v(k + 1)),  v = 1/Σ pᵤ²                   |
| random      | λ/k;  1 + (I(t) − 1)/k                                                                              |
| keyed       | λ·pₓ; measured at the instance, else C + pₓ(I(t) − C)                                                |

λ is the operator's arrival rate, μ the service rate of a processor, ρ the utilisation, and pₓ the share of instance x.
I(t) is the index of dispersion of the operator's arrivals; where only the SCV of gaps is measured, the SCV is taken for
I(t) at every t. Dealing in turn leaves a k-th of the operator's variability at an instance, and the rounding of each of
the v instances upstream that deal by themselves (pᵤ is their share of λ): the variance of a place in a round of k, (k²
− 1)/12, seen anew after about a round. C = E[c²]/E[c], where c tuples derive from one root, that is, from one external
tuple: with keys all of them go to the same instance.

Tuples that arrive together wait for each other; an edge of selectivity n + f sends n tuples, or n + 1 in a part f of
the cases:

    W grows by (b − 1)/(2kμ),   b = E[B²]/E[B] of the batches B that reach one queue        (M^X/G/1; Erlang's k = 1)
    times ρ where k > 1 processors share the queue: an idle one takes the next of the batch

Dealt in turn over k instances a batch of B brings ⌊B/k⌋ or ⌈B/k⌉ tuples to each; at random b = 1 + (b' − 1)/k, with b'
before dealing; keyed, all go to one instance, but where each tuple has its own key b = 1 + pₓ(b' − 1).

An instance that serves c tuples at a time is c servers at one queue. Its W is that of one server c times as fast, times
C(c, cρ)/ρ with Erlang's C (Allen and Cunneen): with free servers fewer tuples wait.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from math import inf
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from planner.arrays import Floats, Indices
from planner.queueing.instances.key_shares import KeyGroups
from planner.values import SHARED, IdcPoint, InstanceLoad, Operator, OperatorLoad, Queueing, Scaling

ROUND_ROBIN, RANDOM, KEYED = "round-robin", "random", "keyed"
QUEUEINGS: Mapping[Queueing, str] = {
    SHARED: "all processors take from one queue",
    ROUND_ROBIN: "each processor has a queue of its own, and senders deal tuples in turn",
    RANDOM: "each processor has a queue of its own, and a tuple goes to any of them",
    KEYED: "each processor has a queue of its own, and a tuple goes where its key belongs",
}
USUAL_LENGTH = 3.0
LEAST_ROUNDS = 1e-9
Real = Any  # a float or an array of floats
Flags = NDArray[np.bool_]


class EmittedBatch(NamedTuple):
    """A part of an operator's arrivals that comes in batches: one tuple upstream emits `selectivity` tuples."""

    part: float
    selectivity: float


class Inflow(NamedTuple):
    """How tuples reach the processors of an operator: its queueing, bursts, batches and senders.

    `senders` is the number of equal senders; `capacity` is the largest rate that operators upstream can send;
    `root_batch` is the mean batch from one external tuple; `running` is the number of running processors. `is_open`
    marks a plan, which counts bursts at operators with hardly any load too. `groups` are key groups that are dealt out
    whole. An instance serves `concurrency` tuples at a time. `is_by_tuple`: each tuple has a key of its own.
    `scaling` says how much slower processors are as more run.
    """

    queueing: Queueing = SHARED
    senders: float = 1.0
    idc: tuple[IdcPoint, ...] = ()
    instances: tuple[InstanceLoad, ...] = ()
    capacity: float = inf
    batches: tuple[EmittedBatch, ...] = ()
    root_batch: float = 1.0
    is_open: bool = False
    running: float = inf
    groups: KeyGroups | None = None
    concurrency: int = 1
    is_by_tuple: bool = False
    scaling: Scaling | None = None


ERLANG = Inflow()
"""One queue, and no bursts known: the formulas of shared queues."""


def forget_variability(inflow: Inflow) -> Inflow:
    """The inflow for a waiting model without SCVs: no bursts, no batches, and instances by their shares alone."""
    instances = tuple([InstanceLoad(one.instance, one.share) for one in inflow.instances])
    return Inflow(
        inflow.queueing,
        inflow.senders,
        instances=instances,
        groups=inflow.groups,
        concurrency=inflow.concurrency,
        scaling=inflow.scaling,
    )


def deal_in_turn(a: Real, k: Real, senders: Real, offered: Real, at: Any) -> Real:
    """The variability of arrivals at one of k instances under round robin; `a` is the SCV before, `offered` is λ/μ.

    Rounding counts over a time of 3/μ, which errs least over utilisations of 60% to 90%: the busier a queue, the longer
    the stretch of its arrivals that matters.
    """
    return a / k + find_rounding(k, senders, USUAL_LENGTH * offered, at)


def find_rounding(k: Real, senders: Real, arrivals: Real, at: Any) -> Real:
    """The variability that each sender's rounding adds at an instance over `arrivals` tuples; 0 for one sender."""
    y = 6.0 * arrivals / (senders * (k + 1.0))
    fresh = at.where(y > LEAST_ROUNDS, -at.expm1(-y) / at.maximum(y, LEAST_ROUNDS), 1.0)
    return (1.0 - 1.0 / senders) ** 2 * (1.0 - 1.0 / k) * fresh


@dataclass(frozen=True)
class Batches:
    """The batches into each operator, in rows of one length: part of the arrivals, whole tuples and fraction."""

    part: Floats
    whole: Floats
    rest: Floats

    @classmethod
    def prepare(cls, batches: Sequence[Sequence[EmittedBatch]]) -> "Batches":
        """The batches of all operators as rows of one length, filled up with parts of 0."""
        most = max([len(row) for row in batches], default=0)
        part, selectivity = np.zeros((len(batches), most)), np.ones((len(batches), most))
        for i, row in enumerate(batches):
            for j, one in enumerate(row):
                part[i, j], selectivity[i, j] = one
        whole = np.floor(selectivity)
        return cls(part, whole, selectivity - whole)

    def select(self, chosen: Indices) -> "Batches":
        """The batches of the operators `chosen`."""
        return Batches(self.part[chosen], self.whole[chosen], self.rest[chosen])

    @property
    def is_any(self) -> bool:
        """Whether some operator receives batches."""
        return bool(self.part.any())

    def weigh(self, squares: Floats) -> Floats:
        """The mean batch that an arriving tuple shares a queue with, less 1, from mean squares of batches at one queue.

        Σ part·(E[Z²]/E[B] − 1) over the edges: B is a batch, Z its tuples at one queue, and `squares` is E[Z²].
        """
        mean = self.whole + self.rest
        return np.asarray((self.part * (squares / mean - 1.0)).sum(axis=1))

    def find_whole(self) -> Floats:
        """The mean batch of an arriving tuple less 1, where all tuples of a batch go to one queue."""
        square, next_square = self.whole**2, (self.whole + 1.0) ** 2
        return self.weigh(square * (1.0 - self.rest) + next_square * self.rest)

    def find_dealt(self, k: Floats) -> Floats:
        """The mean batch of a tuple at one of k instances less 1, where a batch is dealt to the instances in turn."""
        number = k[:, None]
        squares = [square_of_dealt(self.whole, number), square_of_dealt(self.whole + 1.0, number)]
        return self.weigh(squares[0] * (1.0 - self.rest) + squares[1] * self.rest)

    def find_at_one(self, k: Floats, share: Floats, is_dealt: Flags, is_spread: Flags) -> Floats:
        """The mean batch of a tuple at an instance less 1: of one dealt in turn, of one of which each tuple comes with
        the chance `share`, or of a whole one.
        """
        whole = self.find_whole()
        return np.where(is_dealt, self.find_dealt(k), np.where(is_spread, whole * share, whole))


def square_of_dealt(batch: Real, k: Real) -> Real:
    """The sum of squares of the tuples that k instances get of a batch dealt in turn: each ⌊batch/k⌋ or one more."""
    each = batch // k
    more = batch - each * k
    return more * (each + 1.0) ** 2 + (k - more) * each**2


class Stream(NamedTuple):
    """The stream to an operator from another one, or from outside (None): tuples per second and sending instances."""

    source: str | None
    rate: float
    senders: float
    selectivity: float = 1.0


class Station(NamedTuple):
    """An operator under its load: the streams that reach it, and its running processors or a usual number."""

    operator: Operator
    measured: OperatorLoad
    arrival_rate: float
    processors: float
    streams: list[Stream]

    @property
    def service_rate(self) -> float:
        """Services per second of one processor; the load of every plan has this rate."""
        return (self.measured.service_rate or 1.0) * self.operator.concurrency

    @property
    def capacity(self) -> float:
        """Tuples per second that the running processors can serve; inf where their number is not measured."""
        return (self.measured.processors or inf) * self.service_rate
