"""The backlog, such as the lag after an outage: the processors that work it off within a time, as a fluid.

A tuple that waits at an operator is work for this operator and for all operators behind it. If B tuples wait, the work
of the operators solves the traffic equations C = B + GᵀC. An operator of capacity c and arrival rate λ finishes its
work after C/(c − λ), so finishing within t seconds needs c ≥ λ + C/t.
"""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from math import inf, isfinite

from planner.decisions.wording import Reason, give_reason
from planner.queueing.stations import NO_BOUND, Stations
from planner.situations.situation import Situation
from planner.topology.flow import order_acyclic, settle_network
from planner.topology.loads import MOST_PROCESSORS
from planner.topology.network import Network
from planner.wording import join_counts, write_number, write_seconds

# After a cooldown little of catch_up_seconds may be left. Planning for less than this part needs far too many
# processors.
LEAST_PART = 0.25
# If the bounds allow too few processors, catch_up_seconds is lengthened by at most this factor.
LONGEST = 1e15
# A goal of a backlog leaves it to its own processors within this time after their change.
OWN_BACKLOG_SECONDS = 900.0
ROUNDS = 30
ROUNDING = 1e-9


@dataclass(frozen=True, slots=True)
class CatchUpTerms:
    """The time within which the policy wants a backlog to be worked off (catch_up_seconds), and what remains of it.

    `left_seconds` remain of the time that an earlier decision promised; if none remain, a new promise begins.
    """

    within_seconds: float
    left_seconds: float | None = None

    @property
    def promised_seconds(self) -> float:
        """The seconds that remain of an earlier promise to work off the backlog, or all of catch_up_seconds for a new
        promise.
        """
        left = self.left_seconds
        return self.within_seconds if left is None or left <= 0.0 else min(self.within_seconds, left)

    @property
    def is_missed(self) -> bool:
        """Whether the time has passed within which an earlier decision promised to work off the backlog."""
        return self.left_seconds is not None and self.left_seconds <= 0.0

    def find_seconds(self) -> float:
        """The seconds to plan for: the rest of the promise, but at least the part LEAST_PART of catch_up_seconds."""
        return max(self.promised_seconds, LEAST_PART * self.within_seconds)


@dataclass(frozen=True)
class Backlog:
    """The tuples that wait at each operator (None: unknown), and the work that they make for each operator."""

    waiting: tuple[float | None, ...]
    work: tuple[float, ...]

    @property
    def tuples(self) -> float:
        """The number of all tuples known to wait."""
        return sum(one for one in self.waiting if one is not None)


@dataclass(frozen=True)
class CatchUp:
    """The processors that work off the backlog within `seconds`, which bounds may lengthen; None: no processors can."""

    floors: list[int]
    seconds: float | None
    is_bounded: bool
    asked_seconds: float

    @property
    def planned_seconds(self) -> float:
        """The seconds for working off the backlog, as a sentence about the processors names them."""
        return self.asked_seconds if self.seconds is None else self.seconds


@dataclass(frozen=True)
class CatchingUp:
    """The backlog, and the seconds to work it off with the running and with the recommended processors; None: never.

    `left_seconds` is the time that the policy allows for the backlog; None if the policy sets no time.
    """

    backlog_tuples: float
    operators: dict[str, float]
    left_seconds: float | None
    running_seconds: float | None
    recommended_seconds: float | None
    detail: str


def find_backlog(situation: Situation) -> Backlog | None:
    """Returns the tuples that wait and the work that they make; None if no tuple is known to wait."""
    waiting = tuple([situation.load.operators[name].backlog_tuples for name in situation.names])
    if not any(waiting):
        return None
    network = situation.flow.network
    work = settle_network(network._replace(shares=[one or 0.0 for one in waiting]))
    return Backlog(waiting, tuple(work))


def find_owed(situation: Situation, running: Sequence[int], seconds_ago: float) -> Backlog | None:
    """Returns the backlog after a change some time ago; None if it will be gone soon, as what its own pause left is.

    Another change would only leave as much again.
    """
    found = find_backlog(situation)
    left = None if found is None else find_seconds_left(situation, found, running)
    return None if left is not None and seconds_ago + left <= OWN_BACKLOG_SECONDS else found


def find_seconds_left(situation: Situation, backlog: Backlog, counts: Sequence[int]) -> float | None:
    """Returns the seconds after which these processors have worked off the whole backlog; None: never."""
    longest = 0.0
    for work, capacity, arriving in zip(
        backlog.work, situation.stations.list_capacities(counts), situation.flow.arrival_rates, strict=True
    ):
        if work > 0.0:
            spare = capacity - arriving
            longest = max(longest, work / spare if spare > 0.0 else inf)
    return longest if isfinite(longest) else None


def find_floors(situation: Situation, backlog: Backlog, seconds: float) -> list[int] | None:
    """Returns the fewest processors with which each operator works off its part of the backlog within `seconds`.

    Returns None if this needs more processors than can be planned. An operator whose bound is too low gets what
    serves the most, and the operators behind receive only what this operator can send.
    """
    stations, arriving = situation.stations, situation.flow.arrival_rates
    best = find_best(stations)
    most = stations.list_capacities(best)
    spare = [max(limit - rate, 0.0) * (1.0 - ROUNDING) for limit, rate in zip(most, arriving, strict=True)]
    found = limit_work(situation, backlog, seconds, spare)
    service = [float(mu) for mu in stations.service_rate]
    reaching = [min(rate, work * mu) for rate, work, mu in zip(found, backlog.work, service, strict=True)]
    rates = [min(rate + work, limit) for rate, work, limit in zip(arriving, reaching, most, strict=True)]
    if any(rate / mu > MOST_PROCESSORS for rate, mu in zip(rates, service, strict=True)):
        return None
    floors = replace(stations, arrival_rate=rates).list_least_stable()
    return [
        k if rate >= limit * (1.0 - ROUNDING) and k < NO_BOUND else min(floor, k)
        for floor, k, rate, limit in zip(floors, best, rates, most, strict=True)
    ]


def find_best(stations: Stations) -> list[int]:
    """The processors with which each operator serves as much as its bounds allow, and no more than that takes."""
    rows = zip(stations.list_shares(), stations.max_processors, strict=True)
    return [int(most) if shares is None else shares.find_best(int(most)) for shares, most in rows]


def limit_work(situation: Situation, backlog: Backlog, seconds: float, spare: Sequence[float]) -> list[float]:
    """Returns the work per second that reaches each operator within `seconds`.

    No operator sends more than its `spare` capacity allows. In cycles the values fall from round to round: after ROUNDS
    rounds they are slightly too large.
    """
    reaching = [work / seconds for work in backlog.work]
    if all(work <= most for work, most in zip(reaching, spare, strict=True)):
        return reaching
    network = situation.flow.network
    order, rest = order_acyclic(network)
    entering = [(one or 0.0) / seconds for one in backlog.waiting]
    for operator in order:
        loop, most = network.loops[operator], spare[operator]
        if loop:
            entering[operator] = min(entering[operator] / (1.0 - loop), entering[operator] + loop * most)
        reaching[operator] = min(reaching[operator], entering[operator])
        send_work(network, operator, min(reaching[operator], most), entering)
    for _ in range(ROUNDS if rest else 0):
        found = list(entering)
        for operator in rest:
            sent = min(reaching[operator], spare[operator])
            found[operator] += network.loops[operator] * sent
            send_work(network, operator, sent, found)
        for operator in rest:
            reaching[operator] = min(reaching[operator], found[operator])
    return reaching


def send_work(network: Network, operator: int, sent: float, entering: list[float]) -> None:
    """Adds the output of an operator to the input of the operators behind it."""
    selectivities = network.selectivities[operator]
    for i, target in enumerate(network.successors[operator]):
        entering[target] += selectivities[i] * sent


def plan_catch_up(
    situation: Situation, backlog: Backlog, seconds: float, k_max: int | None
) -> CatchUp | None:
    """Returns the processors that work off the backlog within `seconds`, or as soon as bounds allow; None: never."""

    def find_allowed(within: float) -> list[int] | None:
        floors = find_floors(situation, backlog, within)
        return None if floors is None or (k_max is not None and sum(floors) > k_max) else floors

    # Below the shortest service the floors stay the same.
    low = max(seconds, min(1.0 / float(mu) for mu in situation.stations.service_rate))
    floors = find_allowed(low)
    if floors is None:
        high = low * LONGEST
        floors = find_allowed(high)
        while floors is not None and high > 1.01 * low:
            middle = (low * high) ** 0.5
            found = find_allowed(middle)
            low, high, floors = (middle, high, floors) if found is None else (low, middle, found)
        low = high
    if floors is None:
        return None
    needed = find_seconds_left(situation, backlog, floors)
    if needed is not None and needed <= low * (1.0 + ROUNDING):
        needed = low
    return CatchUp(floors, needed, is_bounded=needed is None or needed > seconds, asked_seconds=seconds)


def lift_counts(
    wanted: Sequence[int], floors: Sequence[int], running: Sequence[int], k_max: int | None
) -> list[int]:
    """Each operator's largest of wanted, least (`floors`) and running processors; within k_max, floors go first."""
    counts = [max(three) for three in zip(wanted, floors, running, strict=True)]
    if k_max is None or sum(counts) <= max(k_max, sum(wanted)):
        return counts
    counts = list(floors)
    left = max(k_max, sum(wanted)) - sum(counts)
    above = [max(want - floor, 0) for want, floor in zip(wanted, floors, strict=True)]
    for i in sorted(range(len(counts)), key=lambda i: -above[i]):
        more = min(above[i], left)
        counts[i] += more
        left -= more
    return counts


def describe_needed(
    situation: Situation, backlog: Backlog, planned: CatchUp, running: Sequence[int]
) -> Reason:
    """The reason that names the processors for the backlog, for at most ten operators; too small ones come first."""
    pairs = list(zip(situation.names, planned.floors, strict=True))
    short = [pair for pair, runs in zip(pairs, running, strict=True) if pair[1] > runs]
    return give_reason(
        "catch-up",
        waiting=write_number(backlog.tuples),
        within=write_seconds(planned.planned_seconds),
        counts=join_counts(short or pairs, 10),
    )


def describe_bound(backlog: Backlog, planned: CatchUp | None, terms: CatchUpTerms) -> Reason:
    """Returns the reason that a bound, or the time of one service, makes catching up longer than the policy wants."""
    waiting = write_number(backlog.tuples)
    if planned is None or planned.seconds is None:
        return give_reason("catch-up-impossible", waiting=waiting)
    parts = {"seconds": write_seconds(planned.seconds), "left": write_seconds(terms.find_seconds())}
    return give_reason("catch-up-bounded", waiting=waiting, **parts)


def describe_catch_up(
    situation: Situation, running: Sequence[int], recommended: Sequence[int], terms: CatchUpTerms | None
) -> CatchingUp | None:
    """Returns what a decision says of the backlog, with sentences; None if no tuple is known to wait."""
    backlog = find_backlog(situation)
    if backlog is None:
        return None
    waiting = {name: one for name, one in zip(situation.names, backlog.waiting, strict=True) if one}
    now = find_seconds_left(situation, backlog, running)
    then = find_seconds_left(situation, backlog, recommended)
    left = None if terms is None else terms.promised_seconds
    detail = (
        f"{write_number(backlog.tuples)} tuples wait. At the present rate the processors that run work them off "
        f"{describe_seconds(now)}, the recommended ones {describe_seconds(then)}. E[T] is the time of tuples that "
        "arrive after those that wait now."
    )
    if terms is not None and terms.is_missed:
        detail += " The time that an earlier decision set is over, and tuples still wait: a new time begins."
    elif left is not None and terms is not None and left < terms.find_seconds():
        detail += (
            f" {write_seconds(left)} of the time that an earlier decision set are left. The recommended processors "
            f"take {write_seconds(terms.find_seconds())}, because a shorter time would need far too many."
        )
    if terms is None:
        detail += " The policy sets no time for working off what waits: no processors are added for that."
    return CatchingUp(backlog.tuples, waiting, left, now, then, detail)


def describe_seconds(seconds: float | None) -> str:
    """Returns a time as the end of a sentence: `within 12.5 s`, or `never` for None."""
    return "never" if seconds is None else f"within {write_seconds(seconds)}"
