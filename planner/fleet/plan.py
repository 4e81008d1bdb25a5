"""One budget for many topologies, in three steps.

1. Every topology keeps its floors, so that it keeps up within its bounds; a budget below their sum is refused.
2. Every target is met with the fewest processors, if the budget is enough. Else targets of a higher priority come
   first, and within the first priority that is short the weighted lateness Σ w·(E[T] − limit)⁺/limit is the least;
   targets of lower priorities have only what is left.
3. What is left goes where it shortens the weighted time Σ w·E[T] most, as long as a processor gains the price.

Lateness is relative to the limit, so that a target of 50 ms and one of 5 s count alike; a convex function of a convex
chain of gains that fall, so that greedy is exact (sharing).
"""

from collections.abc import Sequence
from dataclasses import dataclass
from math import inf

from planner.errors import BudgetTooSmall, PlannerError
from planner.fleet.claims import FleetClaim, Member, make_claim
from planner.fleet.shares.sharing import share_lateness, share_times
from planner.fleet.shares.slot_chains import settle_needs
from planner.fleet.wording import Takers, describe_loss


@dataclass(frozen=True)
class Share:
    """What a topology gets: processors of its operators, E[T] with them, and whether it is within the target (None:
    there is no target).

    `needed` are the processors that the target takes. One processor more at `next_operator` changes E[T] by
    `one_more_seconds`; None: no operator may have one more, or none would shorten a wait. `lost` says in a sentence
    what the topology lost, and to whom.
    """

    member: Member
    counts: list[int]
    seconds: float
    meets: bool | None
    needed: int
    one_more_seconds: float | None
    next_operator: str | None
    lost: str | None

    @property
    def total(self) -> int:
        """The processors of the topology."""
        return sum(self.counts)

    @property
    def slots(self) -> int:
        """What these processors take of the budget."""
        return self.member.measure(self.counts)


@dataclass(frozen=True)
class FleetPlan:
    """The share of every topology that can keep up; `fits`: every target is met.

    `needed` is the least budget with which every target is met that some number of processors meets. `held` are
    topologies that cannot keep up within their bounds, with the reasons: they keep what runs.
    """

    fits: bool
    needed: int
    shares: list[Share]
    held: list[tuple[Member, PlannerError]]
    unused: int
    optimal: bool


def plan_fleet(
    members: Sequence[Member],
    k_max: int,
    price: float = 0.0,
    taken: int = 0,
    reserve: int = 0,
    *,
    unit: str = "processor",
) -> FleetPlan:
    """The best share of `k_max` processors or slots (`unit`); raises BudgetTooSmall where some could not keep up.

    `price` is the weighted seconds that a processor must save so that it is used beyond what targets need. `taken` of
    the budget run at topologies that are not planned. `reserve` processors are used for targets alone.
    """
    claims, held = make_claims(members)
    budget = k_max - taken - sum(member.measure(member.running or ()) for member, _ in held)
    per_topology = {claim.member.name: claim.measure(claim.floors) for claim in claims}
    floors = sum(per_topology.values())
    if budget < floors:
        raise BudgetTooSmall(k_max, floors + k_max - budget, per_topology, unit)
    spare = budget - floors
    needed = sum(claim.missing for claim in claims)
    if needed <= spare:
        counts, optimal = [claim.needs for claim in claims], True
    else:
        counts, optimal = share_by_priority(claims, spare)
    left = max(budget - measure_all(claims, counts) - reserve, 0)
    shares_slots = any(claim.member.footprint for claim in claims)  # which may have room without any left
    if shares_slots or (left and claims):
        shared = share_times(claims, counts, left, price)
        counts, optimal = shared.counts, optimal and shared.optimal
    shares = describe_shares(claims, counts)
    return FleetPlan(
        fits=all(share.meets is not False for share in shares) and not held,
        needed=needed + floors + k_max - budget,
        shares=shares,
        held=held,
        unused=budget - measure_all(claims, counts),
        optimal=optimal,
    )


def measure_all(claims: Sequence[FleetClaim], counts: Sequence[Sequence[int]]) -> int:
    """What these processors of all topologies take of the budget."""
    return sum(claim.measure(found) for claim, found in zip(claims, counts, strict=True))


def make_claims(members: Sequence[Member]) -> tuple[list[FleetClaim], list[tuple[Member, PlannerError]]]:
    """The claims of the topologies that can keep up, and the others with what keeps them from it."""
    claims, held = [], []
    for member in members:
        try:
            claims.append(settle_needs(make_claim(member)))
        except PlannerError as error:
            held.append((member, error))
    return claims, held


def share_by_priority(claims: Sequence[FleetClaim], spare: int) -> tuple[list[list[int]], bool]:
    """The processors of each topology where targets do not fit: those of a higher priority come first."""
    counts, optimal = [claim.floors for claim in claims], True
    for priority in sorted({claim.member.priority for claim in claims}, reverse=True):
        places = [i for i, claim in enumerate(claims) if claim.member.priority == priority and claim.missing]
        group = [claims[i] for i in places]
        if sum(claim.missing for claim in group) <= spare:
            found = [claim.needs for claim in group]
        else:
            shared = share_lateness(group, spare)
            found, optimal = shared.counts, optimal and shared.optimal
        for i, one in zip(places, found, strict=True):
            counts[i] = one
            spare -= claims[i].measure(one) - claims[i].measure(claims[i].floors)
    return counts, optimal


def describe_shares(claims: Sequence[FleetClaim], counts: Sequence[list[int]]) -> list[Share]:
    """What every topology gets, and what it lost."""
    takers, shares = Takers(claims, counts), []
    for claim, found in zip(claims, counts, strict=True):
        member, seconds = claim.member, claim.find_seconds(found)
        target = member.t_max_seconds
        more, operator = find_next(claim, found)
        is_met = None if target is None else seconds <= target
        shares.append(
            Share(
                member,
                found,
                seconds,
                is_met,
                sum(claim.needs),
                more,
                operator,
                describe_loss(claim, sum(found), seconds, takers) if is_met is False else None,
            )
        )
    return shares


def find_next(claim: FleetClaim, counts: Sequence[int]) -> tuple[float | None, str | None]:
    """By how much the best single processor more changes E[T], and at which operator."""
    situation = claim.member.situation
    stations = situation.stations
    gains = stations.queues.find_gains(counts)[1]
    allowed = claim.member.most is None or sum(counts) < claim.member.most
    open_to = [i for i, k in enumerate(counts) if allowed and k < stations.max_processors[i]]
    best = max(open_to, key=lambda i: (gains[i], -i), default=None)
    if best is None or not 0.0 < gains[best] < inf:
        return None, None
    return -float(gains[best]) / claim.rate, situation.names[best]
