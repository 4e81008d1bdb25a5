"""min_processors for a target of drawn times: the fewest processors with which a part of all tuples is done in time.

The search (planner.targets.drawn_target) times every allocation on the same draw.
"""

from collections.abc import Sequence
from dataclasses import replace

from planner.plans.explanation import explain_plan
from planner.plans.optimal import min_processors
from planner.quantiles.simulator import RUNS
from planner.quantiles.spread import DEFAULT_ROOTS, DEFAULT_SEED, describe_unresolved
from planner.situations.situation import survey_load
from planner.targets.drawn_target import FewestFound, draw_target
from planner.values import DEFAULT_MODEL, Diagnostic, Load, Model, Plan, Spread, TimeTarget, Topology
from planner.wording import write_factor, write_percent, write_seconds, write_seconds_apart


def min_processors_within(
    topology: Topology,
    load: Load,
    limit: TimeTarget,
    model: Model = DEFAULT_MODEL,
    *,
    reserve: float | None = None,
    levels: Sequence[float] = (),
    roots: int = DEFAULT_ROOTS,
    seed: int = DEFAULT_SEED,
) -> Plan:
    """Plans the fewest processors found with which a given part of tuples is done in the time of the limit.

    The answer has the quantile of the limit and those of `levels`. With a `reserve` of None, the plan is checked by
    simulation if possible.
    """
    if limit.is_expected_sojourn:
        return min_processors(topology, load, limit.seconds, model)
    situation = survey_load(topology, load, model, is_open=True)
    target = draw_target(situation, limit, roots, seed)
    found = target.search_fewest(situation, reserve)
    target = replace(target, stretch=found.stretch)
    plan = explain_plan(situation, found.counts, objective="min-processors", optimal=found.is_fewest)
    asked = sorted({*levels, *target.levels})
    total, completion = target.spread(situation, found.counts, asked, plan.estimate.evidence)
    notes = (
        *target.drawn.diagnostics,
        *describe_unresolved(asked, target.draw.roots),
        describe_target(limit, found, total if limit.of == "total" else completion),
    )
    estimate = plan.estimate._replace(
        total=total, completion=completion, diagnostics=plan.estimate.diagnostics + notes
    )
    return plan._replace(estimate=estimate)


def describe_target(limit: TimeTarget, found: FewestFound, spread: Spread) -> Diagnostic:
    """A diagnostic on how the target was met, how sure that is, and whether fewer processors might meet it too."""
    seconds = spread.mean_seconds
    for one in spread.quantiles:
        if one.quantile == limit.quantile:
            seconds = one.seconds
    drawn, allowed = write_seconds_apart(seconds, limit.seconds)
    detail = (
        f"{limit.title} is {drawn} on {spread.roots:,} drawn external tuples, for a target of {allowed}."
        f"{describe_safety(found, limit, spread)}{describe_others(found)}"
    )
    return Diagnostic("target-on-a-draw", detail)


def describe_safety(found: FewestFound, limit: TimeTarget, spread: Spread) -> str:
    """Returns sentences on the simulations that checked a plan, or on the reserve that replaces them."""
    if found.runs is None:
        known = spread.known_error
        error = (
            f" Simulations differ from such quantiles by {write_percent(known)} on average." if known else ""
        )
        free = (
            f" The plan keeps {write_percent(found.reserve)} of the wait that the target allows in reserve."
        )
        return error + (free if found.reserve else "")
    note = (
        f" In {RUNS} simulations of {found.runs.roots // RUNS:,} external tuples it is "
        f"{write_seconds(found.runs.mean_seconds)} on average"
    )
    if found.stretch != 1.0:
        note += f"; drawn waits are stretched to {write_factor(found.stretch)} the modelled ones to show that"
    if found.runs.bound_seconds <= limit.seconds:
        return f"{note}."
    return f"{note}. No allocation that was simulated is sure to hold the target: allow a longer time."


def describe_others(found: FewestFound) -> str:
    """Returns a sentence on plans with fewer processors; empty if the target is not sure to hold."""
    place = "On this draw" if found.runs is None else "In simulation"
    if found.is_fewest:
        return f" {place} no allocation of fewer processors is enough."
    if found.is_tight:
        return (
            f" {place} one processor fewer is not enough in the splits that were tried, the best ones by the model; in "
            "another split it might be."
        )
    return ""
