"""A limit on a quantile, or on completion: every allocation and every rate is timed on one draw.

Where it can be afforded, modelled waits are multiplied by what simulations say of them (planner.plans.wait_scale), of
the processors that are judged, under the measured load. The factor is the same at all rates that a gate is asked about.
"""

from collections.abc import Sequence
from dataclasses import dataclass, replace

from planner.gates.crossing import take_sign
from planner.plans.drawn_waits import find_waits
from planner.plans.estimation import Situation
from planner.plans.quantile_target import find_fewest_within, require_draw, spread_counts
from planner.plans.simulated_runs import make_simulator
from planner.plans.spread import DEFAULT_SEED, Drawn, check_resolved, describe_unresolved, draw_roots
from planner.plans.time_target import TimeTarget
from planner.plans.wait_scale import find_wait_scale, scale_waits
from planner.quantiles.root_times import time_roots
from planner.values import Diagnostic, Estimate, Load, Topology

TOLERANCE = 1e-4
"""Headroom is found to this part of itself: every rate that is tried takes some milliseconds."""


@dataclass(frozen=True, slots=True)
class DrawnLimit:
    """The target, and the external tuples drawn for it."""

    target: TimeTarget
    drawn: Drawn
    wait_scale: float = 1.0

    def settle(self, situation: Situation, counts: Sequence[int]) -> "DrawnLimit":
        """The limit with the wait_scale of these processors."""
        draw = require_draw(self.drawn)
        simulator = make_simulator(situation, self.target, counts, draw.roots, DEFAULT_SEED)
        if simulator is None or find_waits(situation, counts) is None:
            return replace(self, wait_scale=1.0)
        return replace(self, wait_scale=find_wait_scale(situation, draw, self.target, counts, simulator))

    def find_seconds(self, situation: Situation, counts: Sequence[int]) -> float | None:
        """What the target limits; None where an operator cannot keep up."""
        waits = find_waits(situation, counts)
        if waits is None:
            return None
        return self.target.measure(time_roots(require_draw(self.drawn), scale_waits(waits, self.wait_scale)))

    def is_met(self, situation: Situation, counts: Sequence[int]) -> bool:
        """Whether the target is met."""
        return self.find_margin(situation, counts) >= 0.0

    def find_margin(self, situation: Situation, counts: Sequence[int]) -> float:
        """1/seconds − 1/target, 0 or more where the target is met; smooth and nearly linear in the rate."""
        seconds = self.find_seconds(situation, counts)
        if seconds is None:
            return -1.0 / self.target.seconds
        if not seconds > 0.0:
            return 1.0
        return take_sign(1.0 / seconds - 1.0 / self.target.seconds, holds=seconds <= self.target.seconds)

    def find_fewest(self, situation: Situation) -> list[int]:
        """The fewest processors found that meet the target; raises QuantileUnreachable or BoundTooSmall."""
        return find_fewest_within(situation, self.drawn, self.target, DEFAULT_SEED).counts

    def add_spread(self, situation: Situation, counts: Sequence[int], answer: Estimate) -> Estimate:
        """The estimate with total and completion, and what is to say of the draw."""
        said = (*self.drawn.diagnostics, *self.describe_level(), self.describe())
        if not answer.stable:
            return answer._replace(diagnostics=answer.diagnostics + said)
        levels = [] if self.target.quantile is None else [self.target.quantile]
        total, completion = spread_counts(
            situation, self.drawn, counts, levels, DEFAULT_SEED, answer.evidence, self.wait_scale
        )
        return answer._replace(total=total, completion=completion, diagnostics=answer.diagnostics + said)

    def describe_level(self) -> tuple[Diagnostic, ...]:
        """Says where the draw hardly resolves the quantile."""
        levels = [] if self.target.quantile is None else [self.target.quantile]
        return describe_unresolved(levels, require_draw(self.drawn).roots)

    def describe(self) -> Diagnostic:
        """Says that the verdict rests on a draw."""
        scaled = (
            f" with waits that a simulation found to be {self.wait_scale:.3g} times as long as modelled"
            if self.wait_scale != 1.0
            else ""
        )
        detail = (
            f"{self.target.measured[:1].upper()}{self.target.measured[1:]} is that of "
            f"{require_draw(self.drawn).roots:,} external tuples drawn at random{scaled}; headroom_rate is found to "
            f"{TOLERANCE:.2%}."
        )
        return Diagnostic("target-on-a-draw", detail)


def draw_limit(topology: Topology, load: Load, target: TimeTarget | None) -> DrawnLimit | None:
    """The limit; None where there is no target, or one of E[T], which needs no draw."""
    if target is None or target.is_expected_sojourn:
        return None
    limit = DrawnLimit(target, draw_roots(topology, load))
    check_resolved(target.quantile, require_draw(limit.drawn).roots)
    return limit
