"""Sentences on what topologies lost, and to whom."""

import pytest

from planner.fleet.plan import plan_fleet
from tests.planner.fleet.fleet_cases import make_member

ABOVE = "Topologies of a higher priority have those processors: a."
BESIDE = "At b the same processors lower the weighted lateness at least as much."
NOTHING = "The budget holds only what topologies need to keep up."


@pytest.mark.parametrize(
    ("priorities", "weights", "k_max", "ends"),
    [
        ((1, 0), (1.0, 1.0), 20, [None, ABOVE]),
        ((0, 0), (1.0, 9.0), 19, [BESIDE, NOTHING]),
        ((0, 0), (1.0, 1.0), 18, [NOTHING, NOTHING]),
    ],
)
def test_a_loss_names_who_has_the_processors(
    priorities: tuple[int, int], weights: tuple[float, float], k_max: int, ends: list[str | None]
) -> None:
    rows = zip("ab", priorities, weights, strict=True)
    members = [make_member(name, 80.0, 0.12, priority=one, weight=weight) for name, one, weight in rows]
    plan = plan_fleet(members, k_max)
    said = [share.lost for share in plan.shares]
    assert [one and one.split("it. ")[1] for one in said] == ends
    assert said[1] is not None
    assert "above the target of 120 ms; " in said[1]


def test_a_target_that_nothing_meets_says_so() -> None:
    plan = plan_fleet([make_member("a", 80.0, 0.09)], 12)
    assert plan.shares[0].lost == (
        "E[T] is 103 ms, above the target of 90 ms: no number of processors meets it. Ask for a longer time, or make "
        "operators faster."
    )
