"""Plans for keyed operators whose measured instances held several groups each: how busy the busiest truly gets."""

import pytest

from tests.planner.group_cases import draw_case

CASES, MOST_OVERLOADED = 60, 2


@pytest.mark.parametrize("objective", ["latency", "processors"])
def test_groups_that_nobody_told_apart_seldom_overload_an_instance(objective: str):
    busy = []
    for seed in range(CASES):
        case = draw_case(seed, "fewer instances", objective)
        plan = case.plan()
        if plan is not None:
            busy.append(case.find_busiest(plan.processors["keyed"]))
    assert len(busy) > CASES // 2
    assert sum(one >= 1.0 for one in busy) <= MOST_OVERLOADED
    assert max(busy) < 1.25
