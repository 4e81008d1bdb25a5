"""The gate's verdict before a deployment: whether processors carry a load within limits, and which ones would.

The gate judges the processors in the request. Without them it judges the running processors of the load. If the load
lacks some of these, it judges the best split of k_max (DRS, problem 6): the question then is whether any split would
do. The suggestion is the fewest processors that meet the target, else the best split of a budget.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from math import ceil, inf
from typing import Literal

from planner.allocation.allocate import allocate_budget
from planner.errors import BoundTooSmall, BudgetTooSmall, InvalidAllocation, TargetUnreachable
from planner.gates.checks import Check, Limits, fit_bounds, run_checks
from planner.gates.headroom import Choice, find_headroom, plan_counts
from planner.situations.disagreements import compare_sojourn
from planner.situations.keys import describe_next_useful
from planner.situations.situation import (
    NEAR_SATURATION,
    Situation,
    assess_counts,
    check_rate,
    scale_load,
    survey_load,
)
from planner.targets.drawn_target import make_target
from planner.topology.loads import find_counts
from planner.values import DEFAULT_MODEL, Diagnostic, Estimate, Load, Model, TimeTarget, Topology
from planner.wording import join_names, write_counted, write_numbers_apart

Origin = Literal["given", "running", "planned"]


@dataclass(frozen=True, slots=True)
class Suggestion:
    """The processors that would pass the gate; None if no number of processors does, with the reason in `detail`."""

    processors: Mapping[str, int] | None
    processors_total: int | None
    expected_sojourn_seconds: float | None
    detail: str


@dataclass(frozen=True, slots=True)
class Verdict:
    """The answer of a gate, with the checks and estimates behind it.

    `headroom_rate` is the largest external rate at which every check passes; None where no rate passes, or every rate.
    """

    passed: bool
    checks: tuple[Check, ...]
    binding_operator: str
    headroom_rate: float | None
    suggestion: Suggestion
    processors: Mapping[str, int]
    origin: Origin
    estimate: Estimate


def judge_capacity(
    topology: Topology,
    load: Load,
    processors: Mapping[str, int] | None = None,
    *,
    external_rate: float | None = None,
    limit: TimeTarget | None = None,
    k_max: int | None = None,
    model: Model = DEFAULT_MODEL,
    opened: Situation | None = None,  # the load without held-back bursts, if it is known (see open_up)
) -> Verdict:
    """Judges processors (left out: the running ones, or the best split of k_max) at a rate (left out: the load's)."""
    measured = survey_load(topology, load, model)
    rate = load.external_rate if external_rate is None else external_rate
    check_rate(measured, rate)
    choose, origin = find_choice(measured, processors, k_max)
    counts = choose(situation := scale_load(measured, rate))
    target = make_target(measured, limit)
    if target is not None and origin != "planned":  # planned: each rate has processors of its own
        target = target.settle(measured, counts)
    limits, answer = Limits(target, k_max), assess_counts(situation, counts)
    answer = answer if target is None else target.add_spread(situation, counts, answer)
    checks = run_checks(situation, counts, answer, limits)
    passed = all(check.passed for check in checks)
    headroom_rate = find_headroom(measured, choose, limits, start=rate)
    notes = describe_headroom(headroom_rate, measured, choose, limits)
    notes += describe_origin(measured, rate, origin) + list_useful(measured, answer, passed=passed)
    if origin == "running":
        notes += compare_measured(measured, counts, answer if situation is measured else None)
    at_limit = scale_load(measured, headroom_rate or rate) if passed and headroom_rate != inf else situation
    return Verdict(
        passed=passed,
        checks=checks,
        binding_operator=find_binding_operator(at_limit, choose(at_limit), limits),
        headroom_rate=None if headroom_rate == inf else headroom_rate,
        suggestion=suggest_counts(opened or open_up(measured, rate), counts, limits, passed=passed),
        processors=measured.name_counts(counts),
        origin=origin,
        estimate=answer._replace(diagnostics=answer.diagnostics + notes),
    )


def list_useful(measured: Situation, answer: Estimate, *, passed: bool) -> tuple[Diagnostic, ...]:
    """Returns which numbers of processors would serve more, where the gate fails and the estimate does not say it."""
    found = () if passed else describe_next_useful(measured.topology, measured.load, answer.operators)
    return tuple([note for note in found if note not in answer.diagnostics])


def open_up(measured: Situation, rate: float) -> Situation:
    """Returns the load at this rate for plans: unlike in the measurement, no operator holds bursts back."""
    return scale_load(
        survey_load(measured.topology, measured.load, measured.stations.model, is_open=True), rate
    )


def compare_measured(
    measured: Situation, counts: Sequence[int], answer: Estimate | None
) -> tuple[Diagnostic, ...]:
    """Returns a diagnostic if E[T] of the running processors was measured far from the model, at any judged rate.

    `answer` is the estimate under the measured load, where it is known already.
    """
    if measured.load.measured_sojourn_seconds is None:
        return ()
    return compare_sojourn(measured.topology, answer or assess_counts(measured, counts), measured.load)


def find_choice(
    situation: Situation, processors: Mapping[str, int] | None, k_max: int | None
) -> tuple[Choice, Origin]:
    """Returns the rule that chooses processors for a load, and where they come from.

    The rule gives always the same processors, or the best split of k_max at the rate of the load.
    """
    topology, load = situation.topology, situation.load
    if processors is not None:
        given = find_counts(topology, load, processors)
        return lambda _: given, "given"
    missing = [name for name in situation.names if load.operators[name].processors is None]
    if not missing:
        running = find_counts(topology, load, None)
        return lambda _: running, "running"
    if k_max is None:
        raise InvalidAllocation(
            f"No processors are given for {join_names(missing)}: give them, or a load with its processors, or a number "
            "of processors for all operators, whose best split is then judged."
        )
    return lambda scaled: plan_counts(scaled, k_max), "planned"


def find_binding_operator(situation: Situation, counts: Sequence[int], limits: Limits) -> str:
    """Returns the operator that limits the rate.

    This is the operator nearest to saturation, or under a target of time the one with the largest gain from one more
    processor.
    """
    stations = situation.stations
    if limits.target is not None and situation.load.external_rate:
        waits, gains = stations.find_next_gains(counts)
        if inf not in waits:
            return situation.names[max(range(len(counts)), key=gains.__getitem__)]
    rows = zip(situation.flow.visits, counts, stations.find_rates(counts), strict=True)
    busy = [visits / (count * mu) for visits, count, mu in rows]
    if stations.grouped and situation.load.external_rate:
        busy = stations.find_utilisations(counts)
    return situation.names[max(range(len(busy)), key=lambda i: busy[i])]


def list_failing(measured: Situation, choose: Choice, limits: Limits) -> list[str]:
    """What the checks say that fail even where nothing arrives."""
    idle = scale_load(measured, 0.0)
    counts = choose(idle)
    checks = run_checks(idle, counts, assess_counts(idle, counts), limits)
    return [check.detail for check in checks if not check.passed]


def describe_headroom(
    headroom_rate: float | None, measured: Situation, choose: Choice, limits: Limits
) -> tuple[Diagnostic, ...]:
    """Returns a diagnostic if the answer has no headroom rate, because no rate or every rate passes."""
    if headroom_rate is None:
        failing = list_failing(measured, choose, limits)
        detail = " ".join(["No rate passes, not even a rate of 0.", *failing])
        return (Diagnostic("no-headroom", detail),)
    if headroom_rate == inf:
        return (Diagnostic("endless-headroom", "No operator receives a tuple: no rate is too high."),)
    return ()


def describe_origin(measured: Situation, rate: float, origin: Origin) -> tuple[Diagnostic, ...]:
    """Diagnostics of what the verdict assumes beyond the measurements, such as another rate than the measured one."""
    said: tuple[Diagnostic, ...] = ()
    if rate == 0:
        said += (
            Diagnostic("nothing-arrives", "The checks are for a rate of 0: they say nothing about any load."),
        )
    judged, seen = write_numbers_apart(rate, measured.load.external_rate)
    if rate != measured.load.external_rate:
        detail = (
            f"The checks are for {judged} tuples/s, and {seen} were measured: service times, their variability and the "
            "paths of tuples are assumed to stay as measured."
        )
        said += (Diagnostic("rate-extrapolated", detail),)
    if rate < measured.load.external_rate:
        detail = (
            f"The checks are for {judged} tuples/s, below the {seen} measured: where they pass, the processors may "
            "still be too few for the measured load."
        )
        said += (Diagnostic("rate-below-measured", detail),)
    if origin == "planned":
        missing = tuple(name for name in measured.names if measured.load.operators[name].processors is None)
        detail = (
            f"Neither the request nor the load has the processors of {join_names(missing)}: the checks are for the "
            "best split of the processors allowed. Where they pass, such a split exists; whether it is deployed is not "
            "known."
        )
        said += (Diagnostic("processors-planned", detail, missing),)
    return said


def suggest_counts(
    situation: Situation,
    counts: Sequence[int],
    limits: Limits,
    *,
    passed: bool,
) -> Suggestion:
    """Returns the fewest processors that meet the target; without a target the best split of k_max.

    Without both, returns the best split of the present total, or of the processors that keep every operator below 95%
    utilisation if these are more.
    """
    try:
        found = find_sufficient_counts(situation, counts, limits)
    except (TargetUnreachable, BoundTooSmall) as error:
        return Suggestion(None, None, None, str(error))
    answer = assess_counts(situation, found)
    changes = [
        f"{name} {before} → {after}"
        for name, before, after in zip(situation.names, counts, found, strict=True)
        if before != after
    ]
    total, k_max = sum(found), limits.k_max
    over = f" ({total - k_max} more than allowed)" if k_max is not None and total > k_max else ""
    also = " too" if passed else ""
    detail = "No change would be better."
    if changes:
        detail = f"{write_counted(total, 'processor')}{over} would do{also}: {join_names(changes)}."
    elif misses_target(situation, found, limits):
        detail = "These processors miss the target, and no others were found that hold it."
    return Suggestion(situation.name_counts(found), total, answer.expected_sojourn_seconds, detail)


def misses_target(situation: Situation, counts: Sequence[int], limits: Limits) -> bool:
    """Whether the processors take longer than the target allows; a search for a quantile may end with such ones."""
    if limits.target is None:
        return False
    seconds = limits.target.find_seconds(situation, counts)
    return seconds is None or seconds > limits.target.seconds


def find_sufficient_counts(situation: Situation, counts: Sequence[int], limits: Limits) -> list[int]:
    """Returns the processors that a gate suggests; raises TargetUnreachable or BoundTooSmall if none are enough."""
    if limits.target is not None:
        return limits.target.find_fewest(situation)
    k_max = limits.k_max
    budget = k_max if k_max is not None else max(sum(counts), count_unhurried(situation))
    try:
        return allocate_budget(situation.stations, budget, situation.names).counts
    except BudgetTooSmall as error:
        return list(error.per_operator.values())


def count_unhurried(situation: Situation) -> int:
    """Returns the number of processors that keep every operator at or below 95% utilisation, within its bounds."""
    stations = situation.stations
    rates = zip(stations.arrival_rate, stations.service_rate, strict=True)
    least = stations.list_least_stable()
    wanted = [
        max(ceil(rate / mu / NEAR_SATURATION), floor) for (rate, mu), floor in zip(rates, least, strict=True)
    ]
    return sum(fit_bounds(situation, wanted))
