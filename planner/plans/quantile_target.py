"""min_processors for a quantile: the fewest processors with which a part of all external tuples is done in time.

    min Σ kᵢ   subject to   Q(k) ≤ T,   Q a quantile or the mean of total or completion time of drawn external tuples

The search (planner.plans.quantile_search) times every allocation on the same draw.
"""

from collections.abc import Sequence
from typing import NamedTuple

from planner.errors import InvalidLoad
from planner.plans.drawn_waits import find_waits
from planner.plans.estimation import Situation, survey_load
from planner.plans.explanation import explain_plan
from planner.plans.optimal import min_processors
from planner.plans.quantile_search import DrawnTrial, find_aim, search_fewest
from planner.plans.simulated_runs import RUNS, Runs, make_simulator
from planner.plans.simulated_search import SimulatedTrial, search_simulated
from planner.plans.spread import (
    DEFAULT_ROOTS,
    DEFAULT_SEED,
    Drawn,
    check_resolved,
    describe_unresolved,
    draw_roots,
    know_errors,
    spread_times,
)
from planner.plans.time_target import TimeTarget
from planner.plans.wait_scale import find_wait_scale, scale_waits
from planner.quantiles.root_times import time_roots
from planner.quantiles.tuple_draw import Draw
from planner.values import DEFAULT_MODEL, SHARED, Diagnostic, Evidence, Load, Model, Plan, Spread, Topology

SHARED_MARGIN, OWN_MARGIN = 0.15, 0.2
"""Where plans are not simulated. With these nine of ten held a p99, and with one processor fewer most did too."""
LADDER_ROOTS = 20_000


def min_processors_within(
    topology: Topology,
    load: Load,
    target: TimeTarget,
    model: Model = DEFAULT_MODEL,
    *,
    wait_margin: float | None = None,
    levels: Sequence[float] = (),
    roots: int = DEFAULT_ROOTS,
    seed: int = DEFAULT_SEED,
) -> Plan:
    """The fewest processors found that meet the target; None: checked by simulation, else by choose_margin.

    The answer has the target's quantile and those of `levels`.
    """
    if target.is_expected_sojourn:
        return min_processors(topology, load, target.seconds, model)
    situation = survey_load(topology, load, model, is_open=True)
    drawn = draw_roots(topology, load, roots, seed)
    check_resolved(target.quantile, require_draw(drawn).roots)
    found = find_fewest_within(situation, drawn, target, seed, wait_margin)
    plan = explain_plan(situation, found.counts, objective="min-processors", optimal=found.is_fewest)
    asked = set(levels) if target.quantile is None else {*levels, target.quantile}
    total, completion = spread_counts(
        situation, drawn, found.counts, sorted(asked), seed, plan.estimate.evidence, found.wait_scale
    )
    spread = total if target.of == "total" else completion
    rare = describe_unresolved(sorted(asked), require_draw(drawn).roots)
    said = (*drawn.diagnostics, *rare, describe_target(target, found, spread))
    estimate = plan.estimate._replace(
        total=total, completion=completion, diagnostics=plan.estimate.diagnostics + said
    )
    return plan._replace(estimate=estimate)


class Enough(NamedTuple):
    """The processors of a plan, what the search says of them, and what they rest on: a margin on waits, or simulations.

    `wait_scale` is what simulations say of modelled waits.
    """

    counts: list[int]
    is_tight: bool
    is_fewest: bool
    margin: float = 0.0
    runs: Runs | None = None
    wait_scale: float = 1.0


def find_fewest_within(
    situation: Situation, drawn: Drawn, target: TimeTarget, seed: int, wait_margin: float | None = None
) -> Enough:
    """The fewest processors found; raises QuantileUnreachable."""
    draw = require_draw(drawn)
    margin = choose_margin(situation.topology) if wait_margin is None else wait_margin
    trial = DrawnTrial(situation, draw, target, margin)
    simulator = (
        make_simulator(situation, target, trial.floors, draw.roots, seed) if wait_margin is None else None
    )
    if simulator is None:
        return Enough(*search_fewest(trial), margin)
    find_aim(trial)
    coarse = draw_roots(situation.topology, situation.load, min(draw.roots, LADDER_ROOTS), seed)
    ladder = DrawnTrial(situation, require_draw(coarse), target)
    found = search_simulated(SimulatedTrial(ladder, simulator))
    scale = find_wait_scale(situation, draw, target, found.counts, simulator)
    return Enough(*found, runs=simulator.run(found.counts), wait_scale=scale)


def choose_margin(topology: Topology) -> float:
    """The part of what a target leaves for waits that a plan keeps free, because modelled waits err."""
    own = any(one.queueing not in {None, SHARED} for one in topology.operators)
    return OWN_MARGIN if own else SHARED_MARGIN


def require_draw(drawn: Drawn) -> Draw:
    """The draw; raises InvalidLoad where there is none."""
    if drawn.draw is None:
        raise InvalidLoad(drawn.diagnostics[0].detail, argument="target")
    return drawn.draw


def spread_counts(  # noqa: PLR0917 - what was drawn, what is timed on it, and what is known of it
    situation: Situation,
    drawn: Drawn,
    counts: Sequence[int],
    levels: Sequence[float],
    seed: int,
    evidence: Evidence | None,
    wait_scale: float = 1.0,
) -> tuple[Spread, Spread]:
    """Total and completion time of an allocation that keeps up."""
    waits = find_waits(situation, counts)
    assert waits is not None
    times = time_roots(require_draw(drawn), scale_waits(waits, wait_scale))
    return spread_times(drawn, times, levels, seed, know_errors(situation.topology, situation.load, evidence))


def describe_target(target: TimeTarget, found: Enough, spread: Spread) -> Diagnostic:
    """Says how the target was met, how sure that is, and whether fewer processors might meet it too."""
    seconds = spread.mean_seconds
    for one in spread.quantiles:
        if one.quantile == target.quantile:
            seconds = one.seconds
    detail = (
        f"{target.measured[:1].upper()}{target.measured[1:]} is {seconds:.6g} s on {spread.roots:,} drawn external "
        f"tuples, for a target of {target.seconds:.6g} s.{describe_safety(found, target, spread)} "
        f"{describe_others(found)}"
    )
    return Diagnostic("target-on-a-draw", detail)


def describe_safety(found: Enough, target: TimeTarget, spread: Spread) -> str:
    """Sentences on the simulations, or on the margin."""
    if found.runs is None:
        known = spread.known_error
        error = f" Simulations differ from such quantiles by {known:.0%} on average." if known else ""
        free = f" The plan keeps {found.margin:.0%} of what the target leaves for waits free."
        return error + (free if found.margin else "")
    said = (
        f" In {RUNS} simulations of {found.runs.roots // RUNS:,} external tuples it is {found.runs.mean_seconds:.6g} s "
        "on average"
    )
    scale = found.wait_scale
    said += (
        "."
        if scale == 1.0
        else f"; drawn waits are {scale:.3g} times as long as modelled ones, to show that."
    )
    if found.runs.bound_seconds <= target.seconds:
        return said
    return f"{said} They are not sure to hold the target: simulate longer before you rely on it."


def describe_others(found: Enough) -> str:
    """A sentence about allocations of fewer processors."""
    if found.is_fewest:
        return "On this draw no allocation of fewer processors is enough."
    if found.runs is not None:
        return "Fewer processors in another split might be enough."
    if found.is_tight:
        return (
            "On this draw one processor fewer at any operator is not enough; fewer in another split might be."
        )
    return "On this draw not every operator was tried with one processor fewer: there are too many to try."
