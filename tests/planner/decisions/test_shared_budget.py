"""Decisions about a fleet: together never more than the budget, within each owner's limits, and once alone as alone."""

from dataclasses import replace
from random import Random

import numpy as np
import pytest

from planner.decisions.case import DecisionQuestion
from planner.decisions.compose import compose_decision
from planner.decisions.policy import LastChange, MaxStep, Policy
from planner.decisions.shared_budget import FleetPart, SharedDecisions, decide_together
from planner.errors import BudgetTooSmall
from planner.fleet.common_peak import JointHistory
from planner.values import Load, Operator, OperatorLoad, Topology
from tests.planner.fleet.fleet_cases import make_situation


def make_part(
    name: str,
    rate: float,
    running: int,
    policy: Policy | None = None,
    *,
    seconds_ago: float = 60.0,
    **terms: float,
) -> FleetPart:
    """One operator, of which a processor serves 10/s; 6 processors meet the target at 40/s."""
    load = Load(rate, {"a": OperatorLoad(10.0)})
    question = DecisionQuestion(
        Topology((Operator("a"),), ()),
        load,
        [running],
        policy or Policy(t_max_seconds=0.12),
        LastChange(seconds_ago, rate),
        newest_rate=rate,
    )
    return FleetPart(name, question, **terms)  # type: ignore[arg-type]  # whole numbers where they must be


def count(shared: SharedDecisions) -> dict[str, int]:
    """The processors that each decision recommends, as it is made."""
    found = {
        name: compose_decision(question).decision.recommended.processors_total
        for name, question in shared.questions.items()
    }
    assert found == shared.totals
    return found


def test_what_a_cooldown_keeps_is_not_given_to_others():
    cooling = Policy(t_max_seconds=0.12, cooldown_seconds=600.0)
    parts = [make_part("a", 40.0, 9, cooling), make_part("b", 60.0, 6, priority=1)]
    assert count(decide_together(parts, 15)) == {"a": 9, "b": 6}
    assert count(decide_together(parts, 17)) == {"a": 9, "b": 8}
    free = [make_part("a", 40.0, 9, cooling, seconds_ago=900.0), parts[1]]
    assert count(decide_together(free, 15)) == {"a": 6, "b": 9}


def test_who_needs_what_a_cooldown_keeps_waits_where_there_is_no_other_way():
    cooling = Policy(t_max_seconds=0.12, cooldown_seconds=600.0)
    parts = [make_part("a", 40.0, 9, cooling), make_part("b", 60.0, 5)]
    shared = decide_together(parts, 14)
    assert count(shared) == {"a": 9, "b": 5}
    share = shared.questions["b"].share
    assert share is not None
    assert share.detail == "The processors that it needs are not given up yet."


def test_the_order_is_said_on_both_sides():
    shared = decide_together([make_part("a", 40.0, 9), make_part("b", 60.0, 6)], 15)
    assert shared.turns["b"].after == ("a",)
    said = [one.share.detail for one in shared.questions.values() if one.share]
    assert said[0].endswith("What it gives up goes to b.")
    assert said[1].endswith("It waits until a gave processors up.")


def test_what_a_common_peak_takes_is_left_for_targets():
    parts = [make_part("a", 40.0, 6), make_part("b", 40.0, 6)]
    assert sum(count(decide_together(parts, 20)).values()) == 20
    rates = 40.0 * np.tile([1.0, 1.5], 40)
    joint = JointHistory(("a", "b"), np.array([rates, rates]), 2, 0.95)
    shared = decide_together(parts, 20, joint=joint)
    assert shared.peak is not None
    assert shared.peak.processors >= 4
    assert sum(count(shared).values()) == 20 - shared.peak.processors
    late = decide_together([*parts, make_part("c", 60.0, 6)], 20, joint=joint)
    assert sum(count(late).values()) == 20, "targets may use what is kept for them"


def test_a_topology_that_cannot_be_surveyed_keeps_what_runs():
    broken = make_part("a", 40.0, 6)
    broken = replace(broken, question=replace(broken.question, load=Load(40.0, {})))
    shared = decide_together([broken, make_part("b", 40.0, 6)], 14)
    assert list(shared.held) == ["a"]
    assert count(shared) == {"b": 8}


@pytest.mark.parametrize("seed", range(40))
def test_together_they_keep_to_the_budget_and_each_to_its_owners_limits(seed: int):
    random = Random(seed)
    parts = []
    for number in range(random.choice([2, 3, 4])):
        situation = make_situation(random)
        floors = situation.stations.list_least_stable([int(one) for one in situation.stations.min_processors])
        least = situation.sum_sojourns(situation.wait_seconds([k + 2 for k in floors]))
        running = [
            min(k + random.choice([0, 1, 3]), int(most))
            for k, most in zip(floors, situation.stations.max_processors, strict=True)
        ]
        policy = Policy(
            t_max_seconds=random.choice([least, 1.3 * least]),
            k_max=random.choice([None, sum(floors) + 3]),
            cooldown_seconds=random.choice([0.0, 0.0, 600.0]),
            max_step=random.choice([None, MaxStep(1.5, 0.7)]),
            is_excluded=random.random() < 0.1,
            least_saving=random.choice([0.0, 0.3]),
        )
        question = DecisionQuestion(
            situation.topology,
            situation.load,
            running,
            policy,
            LastChange(60.0, situation.load.external_rate),
        )
        parts.append(FleetPart(f"t{number}", question, random.choice([1.0, 3.0]), random.choice([0, 1])))
    runs = {part.name: sum(part.question.running) for part in parts}
    budget = sum(runs.values()) + random.choice([-2, 0, 1, 4])
    try:
        shared = decide_together(parts, budget)
    except BudgetTooSmall as error:
        refused = error
    else:
        check(parts, runs, budget, shared)
        return
    assert refused.needed > budget


def check(parts: list[FleetPart], runs: dict[str, int], budget: int, shared: SharedDecisions) -> None:
    """That the decisions keep to the budget and to each owner's limits."""
    totals = count(shared)
    took = [name for name in totals if totals[name] > runs[name]]
    assert sum(totals.values()) <= budget or not took
    for part in parts:
        policy, question = part.question.policy, shared.questions[part.name]
        made = compose_decision(question).decision.recommended
        if policy.cooldown_seconds or policy.is_excluded:
            assert totals[part.name] == runs[part.name]
        for one, operator, now in zip(
            made.operators, question.topology.operators, question.running, strict=True
        ):
            assert operator.max_processors is None or one.processors <= operator.max_processors
            if policy.max_step is not None:
                assert one.processors <= max(now + 1, 1.5 * now)
        assert policy.k_max is None or totals[part.name] <= max(policy.k_max, runs[part.name])
