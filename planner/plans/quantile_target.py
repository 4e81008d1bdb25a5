"""min_processors for a quantile: the fewest processors with which a part of all external tuples is done in time.

    min Σ kᵢ   subject to   Q(k) ≤ T,   Q a quantile or the mean of total or completion time of drawn external tuples

The search (planner.plans.quantile_search) times every allocation on the same draw.
"""

from collections.abc import Sequence

from planner.errors import InvalidLoad
from planner.plans.drawn_waits import find_waits
from planner.plans.estimation import Situation, survey_load
from planner.plans.explanation import explain_plan
from planner.plans.optimal import min_processors
from planner.plans.quantile_search import DrawnTrial, Fewest, search_fewest
from planner.plans.spread import DEFAULT_ROOTS, DEFAULT_SEED, Drawn, draw_roots, know_errors, spread_times
from planner.plans.time_target import TimeTarget
from planner.quantiles.root_times import time_roots
from planner.quantiles.tuple_draw import Draw
from planner.values import DEFAULT_MODEL, SHARED, Diagnostic, Evidence, Load, Model, Plan, Spread, Topology

SHARED_MARGIN, OWN_MARGIN = 0.15, 0.2
"""With these nine of ten plans held a p99 in simulation, and with one processor fewer at most half (calm input)."""


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
    """The fewest processors found that meet the target, with a margin on waits; None: as choose_margin says.

    The answer has the target's quantile and those of `levels`.
    """
    if target.is_expected_sojourn:
        return min_processors(topology, load, target.seconds, model)
    situation = survey_load(topology, load, model, is_open=True)
    drawn = draw_roots(topology, load, roots, seed)
    margin = choose_margin(topology) if wait_margin is None else wait_margin
    found = search_fewest(DrawnTrial(situation, require_draw(drawn), target, margin))
    plan = explain_plan(situation, found.counts, objective="min-processors", optimal=found.is_fewest)
    asked = set(levels) if target.quantile is None else {*levels, target.quantile}
    total, completion = spread_counts(
        situation, drawn, found.counts, sorted(asked), seed, plan.estimate.evidence
    )
    spread = total if target.of == "total" else completion
    said = (*drawn.diagnostics, describe_target(target, found, spread, margin))
    estimate = plan.estimate._replace(
        total=total, completion=completion, diagnostics=plan.estimate.diagnostics + said
    )
    return plan._replace(estimate=estimate)


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
) -> tuple[Spread, Spread]:
    """Total and completion time of an allocation that keeps up."""
    waits = find_waits(situation, counts)
    assert waits is not None
    times = time_roots(require_draw(drawn), waits)
    return spread_times(drawn, times, levels, seed, know_errors(situation.topology, situation.load, evidence))


def describe_target(target: TimeTarget, found: Fewest, spread: Spread, margin: float) -> Diagnostic:
    """Says how the target was met, how sure that is, and whether fewer processors might meet it too."""
    seconds = spread.mean_seconds
    for one in spread.quantiles:
        if one.quantile == target.quantile:
            seconds = one.seconds
    known = (
        f" Simulations differ from such quantiles by {spread.known_error:.0%} on average."
        if spread.known_error
        else ""
    )
    if found.is_fewest:
        others = "no allocation of fewer processors is enough."
    elif found.is_tight:
        others = "one processor fewer at any operator is not enough; fewer in another split might be."
    else:
        others = "not every operator was tried with one processor fewer: there are too many to try."
    free = f" The plan keeps {margin:.0%} of what the target leaves for waits free." if margin else ""
    detail = (
        f"{target.measured[:1].upper()}{target.measured[1:]} is {seconds:.6g} s on {spread.roots:,} drawn external "
        f"tuples, for a target of {target.seconds:.6g} s.{known}{free} On this draw {others}"
    )
    return Diagnostic("target-on-a-draw", detail)
