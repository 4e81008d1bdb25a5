"""Plans beside simulations: whether a plan keeps its target."""

from typing import NamedTuple

import numpy as np

from benchmarks.truth_cases import Case, draw_case, queue_case
from benchmarks.truth_estimates import simulate_case
from planner.errors import TargetUnreachable
from planner.plans.optimal import min_processors
from planner.plans.quantile import min_processors_within
from planner.values import Load, Plan, TimeTarget

SLACK = (1.15, 1.6)
"""Targets as multiples of T_L, the total service time, which is the shortest possible E[T]."""
FAR = 1.2
LEVEL = 0.99
QUANTILE_FACTORS = (0.9, 1.0, 1.1, 1.25, 1.5, 2.0)


class Trial(NamedTuple):
    """A plan with round-robin queueing, and the simulated E[T]."""

    over: float
    is_said: bool
    more_processors: int


def try_plans(seed: int, count: int) -> dict[str, list[Trial]]:
    """Simulates plans with the fewest processors for a target of E[T]."""
    return {
        kind: [try_plan(draw_case(seed + number, bursty=bursty)) for number in range(count)]
        for kind, bursty in (("calm", False), ("bursty", True))
    }


def try_plan(case: Case) -> Trial:
    """Measures a case, plans for a target, and simulates the plan."""
    case = queue_case(case, "round-robin")
    load = simulate_case(case).load
    slack = float(np.random.default_rng([case.seed, 3]).uniform(*SLACK))
    target = slack * find_service_time(load)
    plan = min_processors(case.topology, load, target)
    after = simulate_case(case, dict(plan.processors))
    running = sum(one.processors or 0 for one in load.operators.values())
    over = float(after.total.mean()) / target
    return Trial(over, says_bursty(plan), sum(plan.processors.values()) - running)


def find_service_time(load: Load) -> float:
    """The total service time per external tuple, T_L = Σ vᵢ/μᵢ."""
    return (
        sum((one.arrival_rate or 0.0) / (one.service_rate or 1.0) for one in load.operators.values())
        / load.external_rate
    )


def says_bursty(plan: Plan) -> bool:
    """Whether the plan warns that bursts may break it."""
    return any(said.code == "bursty" for said in plan.estimate.diagnostics)


def print_plans(trials: dict[str, list[Trial]]) -> None:
    """Prints by how much plans miss their targets."""
    print(
        "\nmin-processors under round robin, targets of 1.15 to 1.6 times the time in service: simulated E[T]"
    )
    print(
        f"{'':12}{'plans':>7}{'over by > 20%':>15}{'not said bursty':>17}{'over':>7}{'mean':>9}{'worst':>9}"
    )
    for kind, found in trials.items():
        far = [one for one in found if one.over > FAR]
        overs = [one.over for one in found]
        row = (len(found), len(far), sum(not one.is_said for one in far), sum(over > 1.0 for over in overs))
        print(
            f"{kind:12}{row[0]:>7}{row[1]:>15}{row[2]:>17}{row[3]:>7}{np.mean(overs):>9.1%}{max(overs):>9.1%}"
        )


class QuantileTrial(NamedTuple):
    """A plan for p99 of the completion time, with its simulated p99, and that with one processor fewer."""

    over: float
    fewer_over: float | None


def try_quantile_plans(seed: int, count: int) -> dict[str, list[QuantileTrial]]:
    """Simulates plans with the fewest processors for p99 of the completion time under calm arrivals."""
    return {
        queueing: [
            try_quantile_plan(draw_case(seed + number, bursty=False), queueing) for number in range(count)
        ]
        for queueing in ("shared", "round-robin")
    }


def try_quantile_plan(case: Case, queueing: str) -> QuantileTrial:
    """A target somewhat below the present p99, or above it if no plan could keep a lower one."""
    case = queue_case(case, queueing)
    before = simulate_case(case)
    for factor in QUANTILE_FACTORS:
        target = TimeTarget("completion", factor * float(np.quantile(before.completion, LEVEL)), LEVEL)
        try:
            plan = min_processors_within(case.topology, before.load, target)
        except TargetUnreachable:
            continue
        break
    over = find_over(case, dict(plan.processors), target)
    fewer = drop_one(plan)
    return QuantileTrial(over, None if fewer is None else find_over(case, fewer, target))


def find_over(case: Case, processors: dict[str, int], target: TimeTarget) -> float:
    """The simulated quantile in units of the target."""
    return float(np.quantile(simulate_case(case, processors).completion, LEVEL)) / target.seconds


def drop_one(plan: Plan) -> dict[str, int] | None:
    """The plan without the processor whose loss costs least; None if each processor is needed for the load."""
    costs = {
        effect.operator: effect.one_fewer_seconds
        for effect in plan.explanation
        if effect.one_fewer_seconds is not None and plan.processors[effect.operator] > 1
    }
    if not costs:
        return None
    cheapest = min(costs, key=lambda name: costs[name])
    return {name: count - (name == cheapest) for name, count in plan.processors.items()}


def print_quantile_plans(trials: dict[str, list[QuantileTrial]]) -> None:
    """Prints how often plans keep their targets, and whether one processor fewer would have kept them too."""
    print("\nmin-processors for a p99 of completion, calm: simulated p99 / target")
    print(f"{'':12}{'plans':>7}{'held':>6}{'within 5%':>11}{'mean':>8}{'worst':>8}{'one fewer fails':>17}")
    for queueing, found in trials.items():
        overs = [one.over for one in found]
        fewer = [one.fewer_over is None or one.fewer_over > 1.0 for one in found]
        held, nearly = (sum(over <= limit for over in overs) for limit in (1.0, 1.05))
        print(
            f"{queueing:12}{len(found):>7}{held:>6}{nearly:>11}{np.mean(overs):>8.1%}{max(overs):>8.1%}"
            f"{sum(fewer):>17}"
        )
