"""Whether processors carry a load within limits: what a deployment asks before it goes out.

Judged are the processors given; else those that the load says are running; else, where the load does not say so
for every operator, the best split of k_max (DRS, problem 6): then the question is whether any split would do.
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from math import inf
from typing import Literal

from planner.allocation.allocate import allocate_budget
from planner.errors import BoundTooSmall, BudgetTooSmall, InvalidAllocation, join_names
from planner.gates.headroom import check_rate, find_largest_rate, scale_load
from planner.gates.suggestion import Suggestion, suggest_counts
from planner.plans.estimation import (
    Situation,
    assess_counts,
    find_counts,
    survey_load,
)
from planner.plans.sojourn_disagreement import compare_sojourn
from planner.queueing.sojourn import sum_services
from planner.queueing.stations import NO_BOUND
from planner.queueing.waiting import least_stable_processors
from planner.values import DEFAULT_MODEL, Diagnostic, Estimate, Load, Model, Topology

Choice = Callable[[Situation], list[int]]
Origin = Literal["given", "running", "planned"]


@dataclass(frozen=True, slots=True)
class Check:
    """One thing that must hold; a value of None is infinite."""

    name: Literal["stability", "bounds", "budget", "latency"]
    passed: bool
    value: float | None
    limit: float
    detail: str


@dataclass(frozen=True, slots=True)
class Verdict:
    """What the gate says, and what it stands on.

    `headroom_rate` is the largest external rate at which every check passes; None where none does, or any.
    """

    passed: bool
    checks: tuple[Check, ...]
    binding_operator: str
    headroom_rate: float | None
    suggestion: Suggestion
    processors: Mapping[str, int]
    origin: Origin
    estimate: Estimate


@dataclass(frozen=True, slots=True)
class Limits:
    """What was asked for."""

    t_max_seconds: float | None
    k_max: int | None


def judge_capacity(
    topology: Topology,
    load: Load,
    processors: Mapping[str, int] | None = None,
    *,
    external_rate: float | None = None,
    t_max_seconds: float | None = None,
    k_max: int | None = None,
    model: Model = DEFAULT_MODEL,
) -> Verdict:
    """The verdict at `external_rate`, or at the load's own."""
    limits = Limits(t_max_seconds, k_max)
    measured = survey_load(topology, load, model)
    rate = load.external_rate if external_rate is None else external_rate
    check_rate(measured, rate)
    choose, origin = find_choice(measured, processors, k_max)
    situation = scale_load(measured, rate)
    counts = choose(situation)
    answer = assess_counts(situation, counts)
    checks = run_checks(situation, counts, answer, limits)
    passed = all(check.passed for check in checks)
    headroom_rate = find_headroom(measured, choose, limits, start=rate)
    said = describe_headroom(headroom_rate) + describe_origin(measured, rate, origin)
    if origin == "running" and situation is measured:
        said += compare_sojourn(topology, answer, load)
    if passed and headroom_rate not in (None, inf):
        situation = scale_load(measured, headroom_rate or 0.0)
    return Verdict(
        passed=passed,
        checks=checks,
        binding_operator=find_binding_operator(situation, choose(situation), limits),
        headroom_rate=None if headroom_rate == inf else headroom_rate,
        suggestion=suggest_counts(scale_load(measured, rate), counts, t_max_seconds, k_max, passed=passed),
        processors=dict(zip(measured.names, counts, strict=True)),
        origin=origin,
        estimate=replace(answer, diagnostics=answer.diagnostics + said),
    )


def find_choice(
    situation: Situation, processors: Mapping[str, int] | None, k_max: int | None
) -> tuple[Choice, Origin]:
    """How processors follow from a situation: always the same, or the best split of k_max at that rate."""
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
            f"No processors are given for {join_names(missing)}: give them, or a load that says what runs, "
            "or k_max, whose best split is then judged."
        )
    return lambda scaled: plan_counts(scaled, k_max), "planned"


def plan_counts(situation: Situation, k_max: int) -> list[int]:
    """The best split of k_max; where it does not go round, the least that would, as far as bounds allow."""
    try:
        counts: list[int] = allocate_budget(situation.stations, k_max, situation.names).counts.tolist()
    except BudgetTooSmall as error:
        return list(error.per_operator.values())
    except BoundTooSmall:
        stations = situation.stations
        rows = zip(
            stations.arrival_rate,
            stations.service_rate,
            stations.min_processors,
            stations.max_processors,
            strict=True,
        )
        return [
            int(min(max(least_stable_processors(rate, mu), least), most)) for rate, mu, least, most in rows
        ]
    return counts


def run_checks(
    situation: Situation, counts: Sequence[int], answer: Estimate, limits: Limits
) -> tuple[Check, ...]:
    """Every check that was asked for; stability always, bounds where the topology has any."""
    checks = [check_stability(answer)]
    if any(
        operator.min_processors > 1 or operator.max_processors is not None
        for operator in situation.topology.operators
    ):
        checks.append(check_bounds(situation, counts))
    if limits.k_max is not None:
        total = sum(counts)
        relation = f"{total - limits.k_max} more than" if total > limits.k_max else "within"
        detail = f"{total} processors are {relation} k_max = {limits.k_max}."
        checks.append(Check("budget", total <= limits.k_max, float(total), float(limits.k_max), detail))
    if limits.t_max_seconds is not None:
        checks.append(check_latency(answer, limits.t_max_seconds))
    return tuple(checks)


def check_stability(answer: Estimate) -> Check:
    """Whether every operator keeps up: ρ < 1 everywhere."""
    busiest = max(answer.operators, key=lambda one: one.utilisation)
    if answer.stable:
        detail = f"Every operator keeps up; {busiest.name} is busiest at {busiest.utilisation:.1%}."
    else:
        detail = (
            f"{join_names(answer.unstable_operators)} cannot keep up: {busiest.name} would need "
            f"{busiest.utilisation:.1%} of its {busiest.processors} processors."
        )
    return Check("stability", answer.stable, busiest.utilisation, 1.0, detail)


def check_bounds(situation: Situation, counts: Sequence[int]) -> Check:
    """Whether every operator has what its min_processors and max_processors allow."""
    outside = list_outside(situation, counts)
    detail = (
        f"Outside their min_processors or max_processors: {join_names(outside)}."
        if outside
        else "Every operator is within its min_processors and max_processors."
    )
    return Check("bounds", not outside, float(len(outside)), 0.0, detail)


def list_outside(situation: Situation, counts: Sequence[int]) -> list[str]:
    """The operators with fewer or more processors than their bounds allow."""
    return [
        operator.name
        for operator, count in zip(situation.topology.operators, counts, strict=True)
        if not operator.min_processors <= count <= (operator.max_processors or NO_BOUND)
    ]


def check_latency(answer: Estimate, t_max_seconds: float) -> Check:
    """Whether E[T] ≤ t_max_seconds."""
    expected = answer.expected_sojourn_seconds
    passed = expected is not None and expected <= t_max_seconds
    found = "infinite" if expected is None else f"{expected:.6g} s"
    relation = "within" if passed else "above"
    detail = f"E[T] is {found}, {relation} t_max_seconds = {t_max_seconds:.6g}."
    return Check("latency", passed, expected, t_max_seconds, detail)


def find_headroom(measured: Situation, choose: Choice, limits: Limits, start: float) -> float | None:
    """The largest external rate at which every check passes; inf where no rate is too large."""

    def holds(rate: float) -> bool:
        situation = scale_load(measured, rate)
        return is_met(situation, choose(situation), limits)

    ceiling = find_ceiling(measured, choose(scale_load(measured, 0.0)))
    if limits.k_max is not None:
        work = sum_services(measured.flow.visits, measured.stations.service_rate)
        ceiling = max(ceiling, limits.k_max / work) if work else inf
    return find_largest_rate(holds, start, ceiling * (1.0 + 1e-9))


def find_ceiling(situation: Situation, counts: Sequence[int]) -> float:
    """min kᵢμᵢ/vᵢ: at and above it some operator cannot keep up."""
    rows = zip(counts, situation.stations.service_rate, situation.flow.visits, strict=True)
    return min((count * mu / visits for count, mu, visits in rows if visits), default=inf)


def is_met(situation: Situation, counts: Sequence[int], limits: Limits) -> bool:
    """What `run_checks` finds, without words."""
    if limits.k_max is not None and sum(counts) > limits.k_max:
        return False
    if list_outside(situation, counts):
        return False
    waits = situation.wait_seconds(counts)
    return inf not in waits and (
        limits.t_max_seconds is None or situation.sum_sojourns(waits) <= limits.t_max_seconds
    )


def find_binding_operator(situation: Situation, counts: Sequence[int], limits: Limits) -> str:
    """The operator that gives way first: nearest to saturation, or under a latency limit the one that one more
    processor would relieve most.
    """
    stations = situation.stations
    if limits.t_max_seconds is not None and situation.load.external_rate:
        waits, gains, _ = stations.queues.find_gains(counts)
        if inf not in waits:
            return situation.names[max(range(len(counts)), key=gains.__getitem__)]
    rows = zip(situation.flow.visits, counts, stations.service_rate, strict=True)
    busy = [visits / (count * mu) for visits, count, mu in rows]
    return situation.names[max(range(len(busy)), key=lambda i: busy[i])]


def describe_headroom(headroom_rate: float | None) -> tuple[Diagnostic, ...]:
    """What a missing number means."""
    if headroom_rate is None:
        detail = "There is no headroom: some check fails at any external rate, however small."
        return (Diagnostic("no-headroom", detail),)
    if headroom_rate == inf:
        return (Diagnostic("endless-headroom", "No operator receives anything, whatever the external rate."),)
    return ()


def describe_origin(measured: Situation, rate: float, origin: Origin) -> tuple[Diagnostic, ...]:
    """What the verdict assumes beyond what was measured."""
    said: tuple[Diagnostic, ...] = ()
    if rate == 0:
        said += (Diagnostic("nothing-arrives", "Judged at 0 tuples/s: a pass says nothing of any load."),)
    if rate != measured.load.external_rate:
        detail = (
            f"Judged at {rate:.6g} tuples/s, measured at {measured.load.external_rate:.6g}: visits, service rates and "
            "SCVs are taken to stay what they are."
        )
        said += (Diagnostic("rate-extrapolated", detail),)
    if rate < measured.load.external_rate:
        detail = (
            f"Judged at {rate:.6g} tuples/s, below the {measured.load.external_rate:.6g} measured: a pass does not say "
            "that the load of now is carried. A multiple of the measured rate is a rate_factor, not an external_rate."
        )
        said += (Diagnostic("rate-below-measured", detail),)
    if origin == "planned":
        missing = tuple(name for name in measured.names if measured.load.operators[name].processors is None)
        detail = (
            f"Neither the request nor the load says how many processors {join_names(missing)} would have: judged is "
            "the best split of k_max, so that a pass means that it can be done, not that it will be deployed so."
        )
        said += (Diagnostic("processors-planned", detail, missing),)
    return said
