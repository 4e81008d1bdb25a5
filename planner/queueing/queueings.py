"""Which queue a tuple joins, and how variable the arrivals at one instance are then.

| queueing    | one instance of k sees                                                                        |
|-------------|-----------------------------------------------------------------------------------------------|
| shared      | nothing of its own: all processors take from one queue                                        |
| round-robin | λ/k;  a' = 1 − w + w·a/k,  w = 1/(1 + 4(1 − ρ)²(v − 1)),  v = 1/Σ pᵤ²                          |
| random      | λ/k;  a' = 1 + (a − 1)/k                                                                      |
| keyed       | λ·pₓ; a' measured at the instance, else 1 + pₓ(a − 1)                                          |

pᵤ are the shares of the v upstream instances that each deal their tuples in turn by themselves: their streams are
superposed as in Whitt's QNA (1983). One instance receives what all k receive: there a' = a.
"""

from collections.abc import Mapping
from typing import Any, NamedTuple

from planner.values import SHARED, IdcPoint, InstanceLoad, Queueing

ROUND_ROBIN, RANDOM, KEYED = "round-robin", "random", "keyed"
QUEUEINGS: Mapping[Queueing, str] = {
    SHARED: "all processors take from one queue",
    ROUND_ROBIN: "each processor has a queue of its own, and senders deal tuples in turn",
    RANDOM: "each processor has a queue of its own, and a tuple goes to any of them",
    KEYED: "each processor has a queue of its own, and a tuple goes where its key belongs",
}
Real = Any  # a float or an array of floats
TINY = 1e-300


class Inflow(NamedTuple):
    """How tuples reach the processors of an operator: its queueing, its senders, and bursts as far as measured."""

    queueing: Queueing = SHARED
    senders: float = 1.0
    idc: tuple[IdcPoint, ...] = ()
    instances: tuple[InstanceLoad, ...] = ()


PLAIN = Inflow()
"""One queue, and no bursts known: the formulas of shared queues."""


def weigh_turns(free: Real, senders: Real) -> Real:
    """1 − w, the part of a superposition that is as random as Poisson; free = 1 − ρ."""
    apart = 4.0 * free * free * (senders - 1.0)
    return apart / (1.0 + apart)


def deal_in_turn(  # noqa: PLR0917 - one argument per symbol
    a: Real, s: Real, k: Real, free: Real, senders: Real, at: Any
) -> Real:
    """a' of one of k instances under round robin, no more than under random; k above 1, or a' = a.

    (a' + s)/(1 − ρ) must not rise with k. It would where s + a/k is below (1 − a/k)/8: there a' follows the line
    through 1 − ρ = 0 and the point from which on it falls, where 1 − w = (1 + √(1 − 8b))/4, b = (s + a/k)/(1 − a/k).
    """
    even = a / k
    mixed = weigh_turns(free, senders)
    a_instance = mixed + (1.0 - mixed) * even
    b = (s + even) / at.maximum(1.0 - even, TINY)
    turn = (1.0 + at.sqrt(at.maximum(1.0 - 8.0 * b, 0.0))) / 4.0
    where = at.sqrt(turn / (1.0 - turn) / at.maximum(senders - 1.0, TINY)) / 2.0
    line = ((s + even) + (1.0 - even) * turn) / where * free - s
    a_instance = at.where((b < 0.125) & (free < where), at.maximum(a_instance, line), a_instance)
    return at.where(k > 1, at.minimum(a_instance, split_at_random(a, k)), a)


def split_at_random(a: Real, k: Real) -> Real:
    """a' of one of k instances under a random split."""
    return 1.0 + (a - 1.0) / k
