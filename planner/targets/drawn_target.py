"""A target of a quantile, or of a mean, of drawn times: every allocation and every rate is timed on one draw.

    min Σ kᵢ   subject to   Q(k) ≤ T,   Q a quantile or the mean of total or completion time of drawn external tuples

kᵢ are the processors of operator i, and T is the limit. Modelled waits err. Where simulations are quick enough, the
processors are therefore simulated (planner.quantiles.simulated_search), and drawn waits are stretched to show the times
of the simulations, equally at all external rates. Elsewhere a part of the time that the target leaves for waits is kept
free, the reserve.
"""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import NamedTuple

from planner.errors import InvalidLoad
from planner.quantiles.draw import Draw
from planner.quantiles.search import DrawnTrial, find_aim, search_fewest
from planner.quantiles.simulated_search import SimulatedTrial, search_simulated
from planner.quantiles.simulator import Runs, make_simulator
from planner.quantiles.spread import (
    DEFAULT_ROOTS,
    DEFAULT_SEED,
    Drawn,
    check_resolved,
    describe_unresolved,
    draw_roots,
    spread_waits,
)
from planner.quantiles.times import measure_times, time_roots
from planner.quantiles.waits import AnyWait, find_stretch, find_waits, stretch_waits
from planner.situations.evidence import find_quantile_errors
from planner.situations.situation import Situation
from planner.targets.target import SojournTarget, Target
from planner.values import SHARED, Diagnostic, Estimate, Evidence, Spread, TimeTarget, Topology
from planner.wording import write_factor, write_percent

SHARED_RESERVE, OWN_RESERVE = 0.15, 0.2
"""Where plans are not simulated. With these nine of ten held a p99, and with one processor fewer most did too."""
LADDER_ROOTS = 10_000
TOLERANCE = 1e-4
"""Headroom is found to this part of itself: every rate that is tried takes some milliseconds."""


class FewestFound(NamedTuple):
    """The fewest processors that a search found, a diagnostic of the search, and the reserve or simulations behind
    them.
    """

    counts: list[int]
    is_tight: bool
    is_fewest: bool
    reserve: float = 0.0
    runs: Runs | None = None
    stretch: float = 1.0


@dataclass(frozen=True, slots=True)
class DrawnTarget:
    """A target on drawn times: its limit, the external tuples drawn to check it, and the factor of their waits."""

    target: TimeTarget
    drawn: Drawn
    stretch: float = 1.0
    field = "target"
    tolerance = TOLERANCE

    @property
    def seconds(self) -> float:
        """The longest time that the target allows, in seconds."""
        return self.target.seconds

    @property
    def title(self) -> str:
        """The name of the time that the target limits, for the start of a sentence."""
        return self.target.title

    @property
    def draw(self) -> Draw:
        """All drawn tuples of the target; draw_target refuses a situation that cannot be drawn."""
        assert self.drawn.draw is not None
        return self.drawn.draw

    @property
    def levels(self) -> list[float]:
        """The level of the quantile that the target limits, in a list; empty if the target limits a mean."""
        return [] if self.target.quantile is None else [self.target.quantile]

    def settle(self, situation: Situation, counts: Sequence[int]) -> "DrawnTarget":
        """The target with the factor of waits that simulations of these processors show; 1 where simulation is
        impossible.
        """
        simulator = make_simulator(situation, self.target, self.draw.roots, self.drawn.seed)
        waits = None if simulator is None else find_waits(situation, counts)
        if simulator is None or waits is None:
            return replace(self, stretch=1.0)
        return replace(self, stretch=self.find_stretch(waits, simulator.run(counts)))

    def find_stretch(self, waits: Sequence[AnyWait], runs: Runs) -> float:
        """The factor of waits with which the drawn tuples take as long as in the simulations `runs`."""
        return find_stretch(self.measure, waits, runs.mean_seconds, runs.error_seconds)

    def measure(self, waits: Sequence[AnyWait]) -> float:
        """The time in seconds that the target limits, under the given waits at the operators."""
        return measure_times(self.target, time_roots(self.draw, waits))

    def find_seconds(self, situation: Situation, counts: Sequence[int]) -> float | None:
        """The limited time with these processors in seconds; None where an operator cannot keep up."""
        waits = find_waits(situation, counts)
        return None if waits is None else self.measure(stretch_waits(waits, self.stretch))

    def find_fewest(self, situation: Situation) -> list[int]:
        """The fewest processors found that meet the target; raises QuantileUnreachable or BoundTooSmall."""
        return self.search_fewest(situation).counts

    def search_fewest(self, situation: Situation, reserve: float | None = None) -> FewestFound:
        """The fewest processors found that meet the target, checked by simulation if `reserve` is None and there is
        time.
        """
        free = choose_reserve(situation.topology) if reserve is None else reserve
        trial = DrawnTrial(situation, self.draw, self.target, free)
        simulator = None
        if reserve is None:
            simulator = make_simulator(situation, self.target, self.draw.roots, self.drawn.seed)
        coarse = draw_roots(situation, min(self.draw.roots, LADDER_ROOTS), self.drawn.seed)
        ladder = DrawnTrial(situation, require_draw(coarse), self.target)
        if simulator is None:
            return FewestFound(*search_fewest(trial, ladder), free)
        find_aim(trial)
        found = search_simulated(SimulatedTrial(ladder, simulator))
        waits, runs = find_waits(situation, found.counts), simulator.run(found.counts)
        assert waits is not None  # what is found keeps up
        return FewestFound(*found, runs=runs, stretch=self.find_stretch(waits, runs))

    def spread(
        self,
        situation: Situation,
        counts: Sequence[int],
        levels: Sequence[float],
        evidence: Evidence | None,
    ) -> tuple[Spread, Spread]:
        """Total and completion time of drawn tuples, with processors that keep up."""
        waits = find_waits(situation, counts)
        assert waits is not None
        known_errors = find_quantile_errors(situation.topology, counts, evidence)
        return spread_waits(self.drawn, stretch_waits(waits, self.stretch), levels, known_errors)

    def add_spread(self, situation: Situation, counts: Sequence[int], answer: Estimate) -> Estimate:
        """The estimate with the spread of total and completion time, and with diagnostics of the draw."""
        notes = (*self.drawn.diagnostics, *describe_unresolved(self.levels, self.draw.roots), self.describe())
        answer = answer._replace(diagnostics=answer.diagnostics + notes)
        if not answer.stable:
            return answer
        total, completion = self.spread(situation, counts, self.levels, answer.evidence)
        return answer._replace(total=total, completion=completion)

    def describe(self) -> Diagnostic:
        """A diagnostic that the verdict rests on tuples drawn at random."""
        scaled = ""
        if self.stretch != 1.0:
            scaled = (
                f" with waits that simulations found to be {write_factor(self.stretch)} as long as modelled"
            )
        detail = (
            f"{self.title} is that of {self.draw.roots:,} external tuples drawn at random{scaled}. The headroom is "
            f"exact to {write_percent(TOLERANCE)}."
        )
        return Diagnostic("target-on-a-draw", detail)


def make_target(situation: Situation, limit: TimeTarget | None) -> Target | None:
    """The target of a limit on a time, with drawn tuples where it needs them; None if there is no limit."""
    if limit is None:
        return None
    if limit.is_expected_sojourn:
        return SojournTarget(limit.seconds)
    return draw_target(situation, limit)


def draw_target(
    situation: Situation, limit: TimeTarget, roots: int = DEFAULT_ROOTS, seed: int = DEFAULT_SEED
) -> DrawnTarget:
    """The target of a limit with its drawn tuples; raises InvalidLoad where too few tuples can be drawn for it."""
    drawn = draw_roots(situation, roots, seed)
    check_resolved(limit.quantile, require_draw(drawn).roots)
    return DrawnTarget(limit, drawn)


def require_draw(drawn: Drawn) -> Draw:
    """The drawn tuples of a situation; raises InvalidLoad where there are none."""
    if drawn.draw is None:
        raise InvalidLoad(drawn.diagnostics[0].detail, argument="target")
    return drawn.draw


def choose_reserve(topology: Topology) -> float:
    """The part of what a target leaves for waits that a plan keeps free, because modelled waits err."""
    has_own_queues = any(one.queueing not in {None, SHARED} for one in topology.operators)
    return OWN_RESERVE if has_own_queues else SHARED_RESERVE
