"""The exact share of a number of spare processors among the topologies of a fleet.

Topologies whose gains fall are on one board in greedy's order (pool). The others have chains (chains), and dynamic
programming over the sum of processors combines them with the board: so many on the chains, the rest on the board.
Only where chains have more than MOST_CHAINED processors together, they are combined along their convex hulls.
"""

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from planner.allocation.whole_groups import Options, Sums
from planner.arrays import Floats
from planner.fleet.claims import FleetClaim
from planner.fleet.shares.chains import Chain, draw_chain, list_hull_steps
from planner.fleet.shares.pool import Pool, weigh_lateness
from planner.fleet.shares.slot_chains import SlotChain

MOST_CHAINED = 4_000
"""Processors on all chains together: the work of combining them grows with the square, to some tenths of a second."""
MOST_FURTHER = 500
"""Processors beyond the needs on all chains together."""
LEAST_FURTHER = 8


@dataclass(frozen=True)
class Shared:
    """The processors of the operators of each topology; `optimal`: it is shown that no other share is better."""

    counts: list[list[int]]
    optimal: bool


@dataclass(frozen=True)
class ChainPart:
    """A chain from its place `first`, with the weighted value of each number of processors from there on."""

    chain: Chain | SlotChain
    first: int
    values: Floats
    is_whole: bool


@dataclass(frozen=True)
class Combined:
    """The least change of the values of all parts for some sums of processors, and how they are split."""

    used: Sequence[int]
    change: Floats
    sums: Sums | None
    steps: Sequence[tuple[int, int]] = ()
    """Without sums: part and processors of each step along the hulls."""

    def choose(self, at: int, parts: int) -> list[int]:
        """The processors that each part gets for the sum at this place."""
        if self.sums is not None:
            return self.sums.choose(self.used[at])
        chosen = [0] * parts
        for part, length in self.steps[:at]:
            chosen[part] += length
        return chosen


def share_lateness(claims: Sequence[FleetClaim], spare: int) -> Shared:
    """The share of processors beyond the floors with the least weighted lateness."""
    parts: dict[int, ChainPart] = {}
    for i in find_chained(claims):
        chain = draw(claims[i], min(claims[i].missing, spare))
        above = np.maximum(chain.seconds - (claims[i].limit_seconds or 0.0), 0.0)
        parts[i] = ChainPart(chain, 0, weigh_lateness(claims[i]) * above, is_whole=True)
    others = [claim for i, claim in enumerate(claims) if i not in parts]
    return share(parts, Pool.for_lateness(others) if others else None, spare)


def share_times(
    claims: Sequence[FleetClaim], starts: Sequence[Sequence[int]], spare: int, price: float = 0.0
) -> Shared:
    """The share of processors beyond `starts` with the least weighted E[T]; none that gains less than `price`."""
    chained = find_chained(claims, has_limits=True)
    parts: dict[int, ChainPart] = {}
    further = min(spare, max(MOST_FURTHER // max(len(chained), 1), LEAST_FURTHER))
    for i in chained:
        claim = claims[i]
        first = claim.measure(starts[i]) - claim.measure(claim.floors)
        chain = draw(claim, first + further)
        first = min(first, chain.most)
        values = claim.member.weight * chain.seconds[first:]
        parts[i] = ChainPart(chain, first, values, chain.is_whole or further == spare)
    at = [i for i in range(len(claims)) if i not in parts]
    pool = Pool.for_times([claims[i] for i in at], [starts[i] for i in at]) if at else None
    return share(parts, pool, spare, price)


def draw(claim: FleetClaim, most_more: int) -> Chain | SlotChain:
    """The chain of a topology, in slots where its threads share them."""
    if claim.member.footprint is None:
        return draw_chain(claim, most_more)
    return SlotChain.draw(claim, most_more)


def find_chained(claims: Sequence[FleetClaim], *, has_limits: bool = False) -> list[int]:
    """The places of the topologies that need a chain of their own: with stairs, with another waiting model than most,
    with threads that share slots, and, where it can bind, with a limit on all their processors.
    """
    models = Counter(claim.member.situation.stations.model for claim in claims)
    usual = max(models, key=lambda model: models[model])
    return [
        i
        for i, claim in enumerate(claims)
        if claim.member.situation.stations.grouped
        or claim.member.situation.stations.model != usual
        or claim.member.footprint is not None
        or (has_limits and claim.member.most is not None)
    ]


def share(by_place: dict[int, ChainPart], pool: Pool | None, spare: int, price: float = 0.0) -> Shared:
    """The best share between the board and the chains, which are at these places among all topologies.

    A processor that gains less than `price` stays unused.
    """
    parts = list(by_place.values())
    got = pool.take(spare) if pool else 0
    combined, is_exact = combine(parts, spare)
    back = pool.list_back(got if price else min(combined.used[-1], got))[0] if pool else np.empty(0)
    lost = np.concatenate([[0.0], np.cumsum(back)])
    cheap = int(np.searchsorted(back, price)) if price else 0
    used = np.asarray(combined.used)
    given = np.maximum(used - (spare - got), cheap)
    at = int(np.argmin(combined.change + lost[given] + price * (used - given)))
    if pool:
        pool.give_back(int(given[at]))
    chosen = combined.choose(at, len(parts))
    counts = pool.split() if pool else []
    for (place, one), more in zip(by_place.items(), chosen, strict=True):
        counts.insert(place, one.chain.split(one.first + more))
    is_whole = all(
        one.is_whole or more < len(one.values) - 1 for one, more in zip(parts, chosen, strict=True)
    )
    return Shared(counts, is_exact and is_whole and (pool is None or pool.is_shown()))


def combine(parts: Sequence[ChainPart], spare: int) -> tuple[Combined, bool]:
    """The best values of all chains together for each sum of processors up to `spare`; whether they are exact."""
    total = sum(len(one.values) - 1 for one in parts)
    if total > MOST_CHAINED:
        return combine_along_hulls(parts, spare), False
    sums = Sums.add_up([Options(list(range(len(one.values))), one.values.tolist(), []) for one in parts])
    change = sums.change[: spare + 1]
    return Combined(range(len(change)), change, sums), True


def combine_along_hulls(parts: Sequence[ChainPart], spare: int) -> Combined:
    """The values of all chains together after each step along their convex hulls, the steepest first."""
    steps = sorted(
        (step for place, one in enumerate(parts) for step in list_hull_steps(place, one.values)),
        key=lambda step: -step[0],
    )
    used = np.cumsum([0, *(length for _, _, length in steps)])
    change = -np.cumsum([0.0, *(slope * length for slope, _, length in steps)])
    kept = int(np.searchsorted(used, spare, side="right"))
    return Combined(
        used[:kept].tolist(), change[:kept], None, [(place, length) for _, place, length in steps]
    )
