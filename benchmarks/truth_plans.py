"""Plans beside simulations: does a plan for a target hold it."""

from typing import NamedTuple

import numpy as np

from benchmarks.truth_cases import Case, draw_case, queue_case
from benchmarks.truth_estimates import simulate_case
from planner.plans.optimal import min_processors
from planner.values import Load, Plan

SLACK = (1.15, 1.6)
"""Targets are so many times T_L, the time in service, within which no plan could be."""
FAR = 1.2


class Trial(NamedTuple):
    """One plan under round robin, and what it gave."""

    over: float
    is_said: bool
    more_processors: int


def try_plans(seed: int, count: int) -> dict[str, list[Trial]]:
    """Fewest processors for a target of E[T], simulated."""
    return {
        kind: [try_plan(draw_case(seed + number, bursty=bursty)) for number in range(count)]
        for kind, bursty in (("calm", False), ("bursty", True))
    }


def try_plan(case: Case) -> Trial:
    """Measure what runs, plan, simulate the plan."""
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
    """T_L = Σ vᵢ/μᵢ."""
    return (
        sum((one.arrival_rate or 0.0) / (one.service_rate or 1.0) for one in load.operators.values())
        / load.external_rate
    )


def says_bursty(plan: Plan) -> bool:
    """Whether the plan warns that bursts may break it."""
    return any(said.code == "bursty" for said in plan.estimate.diagnostics)


def print_plans(trials: dict[str, list[Trial]]) -> None:
    """How far over the target plans end."""
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
