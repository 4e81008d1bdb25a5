"""The operators of all topologies whose gains fall, on one board: greedy over the whole fleet at once.

The sum of weighted times is separable by operator: with weight c of a topology, its external rate λ0, and an
operator's arrival rate λ and wait W(k), it is Σ (c/λ0)·λW(k) and constants. So a factor c/λ0 of waits turns the
waiting tuples of an operator, of which greedy's board compares the gains, into weighted seconds of the fleet.

Lateness, c·(E[T] − limit)⁺, falls like E[T] until the processor that meets the limit: that last processor gains less,
and is kept beside the board. It is taken in the order of gains like any other: its topology has all others before.
"""

from collections.abc import Sequence
from dataclasses import dataclass, field
from math import inf

import numpy as np

from planner.allocation.greedy_arrays import ArrayBoard
from planner.allocation.greedy_state import apply_steps, is_state_falling, order_last
from planner.arrays import Counts, Floats, Indices
from planner.fleet.claims import FleetClaim
from planner.queueing.queueings import ERLANG, Inflow
from planner.queueing.stations import NO_BOUND, Stations

MOST_EACH, MOST_TIMES = 200, 4
"""At most so many processors more for each operator, and so many times those that it starts with, on average: where
each processor has a queue, gains never vanish, and a budget may be any number.
"""


@dataclass(frozen=True)
class Lasts:
    """The last processor of each topology that meets its limit: its operator on the board, and what it gains."""

    places: Indices
    gains: Floats

    @classmethod
    def none(cls) -> "Lasts":
        """No last processors, where all E[T] counts."""
        return cls(np.empty(0, np.intp), np.empty(0))


@dataclass
class Pool:
    """The board of a fleet, with the processors of greedy's order that are taken; `back` are those given back last."""

    claims: Sequence[FleetClaim]
    board: ArrayBoard
    lasts: Lasts
    first_total: int
    taken: list[int] = field(default_factory=list)
    """The places among `lasts` that are taken."""
    is_cut: bool = False

    @classmethod
    def for_times(cls, claims: Sequence[FleetClaim], starts: Sequence[Sequence[int]]) -> "Pool":
        """The board on which processors beyond `starts` shorten the weighted E[T] of each topology."""
        scales = [claim.member.weight / claim.rate for claim in claims]
        board = set_fleet_board(claims, scales, starts, None)
        return cls(claims, board, Lasts.none(), board.total)

    @classmethod
    def for_lateness(cls, claims: Sequence[FleetClaim]) -> "Pool":
        """The board on which processors beyond the floors, up to the needs, lower the weighted lateness."""
        scales = [weigh_lateness(claim) / claim.rate for claim in claims]
        starts, ends = [claim.floors for claim in claims], [list(claim.needs) for claim in claims]
        lasts = find_lasts(claims, scales, ends)
        board = set_fleet_board(claims, scales, starts, ends)
        return cls(claims, board, lasts, board.total)

    def take(self, spare: int) -> int:
        """Takes the best `spare` processors, or all that gain anything; returns how many.

        Beyond MOST_EACH and MOST_TIMES none are taken, and the answer is not called the best.
        """
        board, lasts = self.board, self.lasts
        most = MOST_EACH * len(board.floors) + MOST_TIMES * self.first_total
        is_more, spare = spare > most, min(spare, most)
        board.approach_total(self.first_total + spare)
        settle_total(board, self.first_total + spare)
        got = board.total - self.first_total
        self.taken = np.argsort(-lasts.gains, kind="stable").tolist()
        self.give_back(max(got + len(self.taken) - spare, 0))
        self.is_cut = is_more and self.count() == spare
        return self.count()

    def count(self) -> int:
        """The processors taken so far."""
        return self.board.total - self.first_total + len(self.taken)

    def list_back(self, most: int) -> tuple[Floats, Counts]:
        """What the processors gain that would be given back first, ascending, and which are on the board (1) or last
        ones (0).
        """
        logs = self.list_board_back(most)
        last = self.lasts.gains[self.taken[::-1]]
        gains = np.concatenate([last, np.exp(logs)])
        kinds = np.concatenate([np.zeros(len(last), np.int64), np.ones(len(logs), np.int64)])
        order = np.argsort(gains, kind="stable")[:most]
        return gains[order], kinds[order]

    def list_board_back(self, most: int) -> Floats:
        """The ln gains of the processors on the board that would be given back first."""
        state, total, found = self.board.begin(), self.board.total, [np.empty(0)]
        while state is not None and most > 0:
            operators, logs = order_last(state, most)
            if not operators.size:
                break
            apply_steps(state, operators, -1)
            found.append(logs)
            most -= len(logs)
        settle_total(self.board, total)
        return np.concatenate(found)

    def give_back(self, number: int) -> None:
        """Gives back the processors that gain least."""
        if not number:
            return
        on_board = int(self.list_back(number)[1].sum())
        settle_total(self.board, self.board.total - on_board)
        del self.taken[len(self.taken) - (number - on_board) :]

    def is_shown(self) -> bool:
        """Whether all processors were taken and gains around the answer fall, so that no other split is better."""
        return not self.is_cut and (self.board.state is None or is_state_falling(self.board.state))

    def split(self) -> list[list[int]]:
        """The processors of the operators of each topology."""
        counts = self.board.list_counts()
        for at in self.taken:
            counts[int(self.lasts.places[at])] += 1
        found, first = [], 0
        for claim in self.claims:
            size = len(claim.floors)
            found.append(counts[first : first + size])
            first += size
        return found


def settle_total(board: ArrayBoard, total: int) -> None:
    """Takes or gives back processors in greedy's order up to `total`, or as far as they gain anything."""
    while (left := total - board.total) and board.step(left):
        pass


def weigh_lateness(claim: FleetClaim) -> float:
    """The weight of a second of E[T] above the target: lateness counts relative to the target, so that topologies with
    short and with long targets compare.
    """
    return claim.member.weight / (claim.member.t_max_seconds or inf)


def find_lasts(claims: Sequence[FleetClaim], scales: Sequence[float], ends: list[list[int]]) -> Lasts:
    """The last processor of each topology; it is taken out of `ends`, the most processors on the board."""
    places, gains, first = [], [], 0
    for claim, scale, counts in zip(claims, scales, ends, strict=True):
        if claim.missing:
            previous = claim.member.situation.stations.queues.find_gains(counts)[2]
            movable = [i for i, floor in enumerate(claim.floors) if counts[i] > floor]
            at = min(movable, key=lambda i: (previous[i], -i))
            counts[at] -= 1
            above = claim.find_seconds(counts) - (claim.limit_seconds or 0.0)
            places.append(first + at)
            gains.append(scale * claim.rate * max(min(above, previous[at] / claim.rate), 0.0))
        first += len(counts)
    return Lasts(np.array(places, np.intp), np.array(gains, np.float64))


def set_fleet_board(
    claims: Sequence[FleetClaim],
    scales: Sequence[float],
    starts: Sequence[Sequence[int]],
    ends: Sequence[Sequence[int]] | None,
) -> ArrayBoard:
    """The board of all operators, each topology's waits scaled, from `starts` up to `ends` (None: to their bounds)."""
    all_stations = [claim.member.situation.stations for claim in claims]
    least = np.array([count for one in starts for count in one], np.int64)
    if ends is None:
        most = np.concatenate([np.asarray(one.max_processors, np.int64) for one in all_stations])
    else:
        most = np.array([count for one in ends for count in one], np.int64)
    joined = join_stations(all_stations, scales)
    return ArrayBoard(joined.arrays, least, np.minimum(most, NO_BOUND))


def join_stations(parts: Sequence[Stations], scales: Sequence[float]) -> Stations:
    """The operators of several topologies with one waiting model as queues side by side, their waits scaled."""
    inflows: list[Inflow] | None = None
    if any(one.inflows is not None for one in parts):
        inflows = [inflow for one in parts for inflow in one.inflows or [ERLANG] * len(one)]
    factors = [
        scale * factor
        for one, scale in zip(parts, scales, strict=True)
        for factor in (one.wait_factors or [1.0] * len(one))
    ]

    def join(columns: Sequence[Sequence[float] | Floats]) -> Floats:
        return np.concatenate([np.asarray(one, np.float64) for one in columns])

    return Stations(
        join([one.arrival_rate for one in parts]),
        join([one.service_rate for one in parts]),
        join([one.arrival_scv for one in parts]),
        join([one.service_scv for one in parts]),
        np.concatenate([np.asarray(one.min_processors, np.int64) for one in parts]),
        np.concatenate([np.asarray(one.max_processors, np.int64) for one in parts]),
        parts[0].model,
        inflows,
        factors,
    )
