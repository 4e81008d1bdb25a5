"""The observed outcome of a decision: when its recommended processors ran, and whether E[T] kept its limit.

All times are seconds since the end of the decision's data. With s the beginning of the first interval whose processors
are the recommended ones (s = 0 for a decision to hold) and H the decision's horizon:

    e = max(H, s + l) if s < H else s + H         the end of the judged time; l is the length of an interval
    measured = Σ E[T]_i·λ_i·l_i / Σ λ_i·l_i       over the intervals i that begin in [s, e), l_i seconds long

`kept` by a target: every E[T]_i is at most the target. Without a target: `measured` is at most the promised E[T], plus
its known error. It is unknown unless the intervals cover [s, e); only a missed target is known earlier. The formulas
are our own: docs/decisions/what-became-of-a-decision.md.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Literal, NamedTuple

Match = Literal["same", "part", "other", "unknown"]
State = Literal["applied", "held", "partly-applied", "not-applied", "waiting", "unknown"]
LimitSource = Literal["target", "promise"]

USUAL_ERROR = 0.15
"""The relative error of an estimated E[T] that is taken where no error of the estimate is known."""
LARGEST_HOLE = 0.5
"""A time without measurements is a gap if it is longer than this part of the shortest interval, where the interval
before the decision counts too.
"""
LONGEST_SEARCH_SECONDS = 86_400.0
"""A change that was not seen to run within this time counts as not applied."""
USUAL_DELAY_INTERVALS = 2.0
"""The number of intervals after a change in which snapshots may still show the processors from before the change."""
LEAST_DELAY_SECONDS = 60.0
"""The shortest time that a change is given to show in snapshots, however short the intervals are."""
ROUNDING_SECONDS, ROUNDING = 1e-6, 1e-12


class LaterInterval(NamedTuple):
    """A measured interval after a decision; `match` says whether the recommended processors ran in it."""

    begin_seconds: float
    seconds: float
    external_rate: float
    sojourn_seconds: float | None
    match: Match


@dataclass(frozen=True, slots=True)
class Promised:
    """What a decision promised about E[T]; `is_change`: the decision recommends other processors than ran.

    An `expected_seconds` of None stands for an unbounded E[T]. `interval_seconds` is the length of the newest interval
    that the decision used.
    """

    is_change: bool
    horizon_seconds: float
    interval_seconds: float
    expected_seconds: float | None
    target_seconds: float | None = None
    known_error: float | None = None
    holds_up_to_rate: float | None = None

    def find_end(self, begin: float) -> float:
        """Returns the end of the time in which a decision is judged, if its processors run from `begin` on.

        The end is the end of the horizon, or a whole horizon after `begin` if the processors came after the horizon.
        """
        if begin >= self.horizon_seconds:
            return begin + self.horizon_seconds
        return max(self.horizon_seconds, begin + self.interval_seconds)

    @property
    def limit_seconds(self) -> float | None:
        """The limit by which E[T] is judged: the target, else the promised E[T] plus the known
        error of such promises.
        """
        if self.target_seconds is not None or self.expected_seconds is None:
            return self.target_seconds
        return self.expected_seconds * (1.0 + self.error)

    @property
    def error(self) -> float:
        """The part by which E[T] may be above the promised one: its known error, else the usual one."""
        return USUAL_ERROR if self.known_error is None else self.known_error

    @property
    def limit_source(self) -> LimitSource | None:
        """Whether the limit of E[T] comes from a target or from the promise; None if there is no limit."""
        if self.target_seconds is not None:
            return "target"
        return None if self.expected_seconds is None else "promise"


@dataclass(frozen=True, slots=True)
class Observations:
    """The intervals that begin after the decision's data, oldest first, and the time at which the next change was
    decided.

    Before the first interval with the recommended processors, `later` may leave out intervals with other processors.
    `measured_until_seconds`: the end of the newest interval of the topology.
    """

    later: Sequence[LaterInterval]
    superseded_seconds: float | None = None
    measured_until_seconds: float | None = None


@dataclass(frozen=True, slots=True)
class ObservedOutcome:
    """The outcome of a decision as snapshots show it, judged from `begin_seconds` to `end_seconds`; None: unknown.

    `futile`: sentences on operators that served hardly more with their new processors.
    """

    state: State
    begin_seconds: float | None = None
    end_seconds: float | None = None
    measured_seconds: float | None = None
    worst_seconds: float | None = None
    intervals: int = 0
    missed: int = 0
    missed_beyond_rate: int | None = None
    is_over: bool = False
    cut_seconds: float | None = None
    is_complete: bool = False
    kept: bool | None = None
    futile: tuple[str, ...] = ()


def compare_processors(
    current: Mapping[str, int], recommended: Mapping[str, int], seen: Mapping[str, int | None]
) -> Match:
    """Returns whether the `seen` processors are the recommended ones.

    `part` means that only some operators changed from the `current` processors to the recommended ones.
    """
    wrong = [name for name, count in recommended.items() if seen.get(name) not in {None, count}]
    if wrong:
        changed = [name for name, count in recommended.items() if current.get(name) != count]
        return "part" if any(seen.get(name) == recommended[name] for name in changed) else "other"
    return "same" if all(seen.get(name) is not None for name in recommended) else "unknown"


def observe_outcome(promised: Promised, observations: Observations) -> ObservedOutcome:
    """Returns when the recommended processors ran, E[T] since then, and whether the decision kept its promise."""
    if promised.is_change:
        begin = find_first(observations)
        if begin is None:
            return ObservedOutcome(name_unapplied(observations))
        return follow(promised, observations, begin, "applied")
    end = promised.find_end(0.0)
    known = [one.match for one in observations.later if is_within(one, 0.0, end)]
    over = is_over(observations, end)
    if not known and not over:
        return ObservedOutcome("waiting", 0.0, end)
    if all(match == "unknown" for match in known):
        return ObservedOutcome("unknown", 0.0, end, is_over=over)
    return follow(promised, observations, 0.0, "held")


def find_first(observations: Observations) -> float | None:
    """Returns the beginning of the first interval with the recommended processors; None: they were not seen.

    Intervals after the next change was decided do not count.
    """
    return min(
        (one.begin_seconds for one in list_searched(observations) if one.match == "same"), default=None
    )


def list_searched(observations: Observations) -> list[LaterInterval]:
    """Returns the intervals in which the recommended processors are looked for: until the next change, or for a day."""
    end = LONGEST_SEARCH_SECONDS
    if observations.superseded_seconds is not None:
        end = min(end, observations.superseded_seconds)
    return [one for one in observations.later if one.begin_seconds < end]


def name_unapplied(observations: Observations) -> State:
    """Returns the state of a recommended change whose processors no interval shows."""
    searched = list_searched(observations)
    until = observations.measured_until_seconds
    is_late = until is not None and until >= LONGEST_SEARCH_SECONDS
    has_ended = is_late or observations.superseded_seconds is not None
    if not searched:
        return "unknown" if has_ended else "waiting"
    if max(searched, key=lambda one: one.begin_seconds).match == "part":
        return "partly-applied"
    if any(one.match == "unknown" for one in searched):
        return "unknown"
    return "not-applied" if has_ended else "waiting"


def follow(promised: Promised, observations: Observations, begin: float, state: State) -> ObservedOutcome:
    """Returns the outcome from `begin` to the end of the horizon, or to the first interval with other processors."""
    end = promised.find_end(begin)
    horizon = [one for one in observations.later if is_within(one, begin, end)]
    cut = min((one.begin_seconds for one in horizon if one.match in {"other", "part"}), default=None)
    counted = [
        one
        for one in horizon
        if one.match == "same"
        and one.sojourn_seconds is not None
        and (cut is None or one.begin_seconds < cut)
    ]
    shortest = min([promised.interval_seconds, *(one.seconds for one in counted)])
    complete = cut is None and covers(counted, begin, end, LARGEST_HOLE * shortest)
    measured = weigh_sojourns(counted)
    missed = list_missed(counted, promised.limit_seconds)
    holds = promised.holds_up_to_rate
    return ObservedOutcome(
        state,
        begin,
        end,
        measured,
        max((one.sojourn_seconds for one in counted if one.sojourn_seconds is not None), default=None),
        len(counted),
        len(missed),
        None if holds is None else sum(one.external_rate > holds for one in missed),
        is_over(observations, end),
        cut,
        complete,
        judge_kept(promised, measured, missed, is_complete=complete),
    )


def is_within(interval: LaterInterval, begin: float, end: float) -> bool:
    """Returns whether the interval begins at `begin` or later, and before `end`."""
    return begin <= interval.begin_seconds < end - ROUNDING_SECONDS


def is_over(observations: Observations, end: float) -> bool:
    """Returns whether the topology was measured until the time `end` or later."""
    return (
        observations.measured_until_seconds is not None
        and observations.measured_until_seconds >= end - ROUNDING_SECONDS
    )


def covers(intervals: Sequence[LaterInterval], begin: float, end: float, hole: float) -> bool:
    """Returns whether the intervals cover the time from `begin` to `end` without a hole that is longer than `hole`."""
    reached = begin
    for one in sorted(intervals):
        if one.begin_seconds > reached + hole:
            return False
        reached = max(reached, one.begin_seconds + one.seconds)
    return bool(intervals) and end - reached <= hole


def weigh_sojourns(intervals: Sequence[LaterInterval]) -> float | None:
    """The mean E[T] per external tuple over the intervals; if no tuple came, all intervals have the same weight."""
    known = [(one.sojourn_seconds, one) for one in intervals if one.sojourn_seconds is not None]
    if not known:
        return None
    tuples = sum(one.external_rate * one.seconds for _, one in known)
    if tuples > 0.0:
        return sum(sojourn * one.external_rate * one.seconds for sojourn, one in known) / tuples
    return sum(sojourn for sojourn, _ in known) / len(known)


def list_missed(intervals: Sequence[LaterInterval], limit: float | None) -> list[LaterInterval]:
    """Returns the intervals whose E[T] is above the limit; None as a limit means that there is no limit."""
    if limit is None:
        return []
    return [one for one in intervals if one.sojourn_seconds is not None and one.sojourn_seconds > limit]


def judge_kept(
    promised: Promised, measured: float | None, missed: Sequence[LaterInterval], *, is_complete: bool
) -> bool | None:
    """Returns whether E[T] stayed within the limit over the whole horizon; None: this is unknown, or not known yet."""
    limit = promised.limit_seconds
    if limit is None:
        return None
    if promised.limit_source == "target":
        if missed:
            return False
        return True if is_complete else None
    # A mean of times that all are at the limit is above it by rounding.
    return measured <= limit * (1.0 + ROUNDING) if is_complete and measured is not None else None
