"""Shares between chains and the board, with and without dynamic programming."""

import numpy as np
import pytest

from planner.errors import BudgetTooSmall
from planner.fleet.plan import plan_fleet
from planner.fleet.shares import sharing
from planner.fleet.shares.chains import list_hull_steps
from tests.planner.fleet.fleet_cases import make_fleet


def test_hull_steps_skip_numbers_that_gain_less_than_later_ones() -> None:
    values = np.array([10.0, 9.0, 5.0, 4.0, 4.0])
    assert list_hull_steps(7, values) == [(2.5, 7, 2), (1.0, 7, 1)]


def test_shares_along_hulls_are_never_called_optimal_and_never_better(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    compared = 0
    for seed in range(14):
        fleet, k_max = make_fleet(seed, has_groups=True)
        try:
            exact = plan_fleet(fleet.members, k_max + 2)
        except BudgetTooSmall:
            continue
        with monkeypatch.context() as patch:
            patch.setattr(sharing, "MOST_CHAINED", 0)
            coarse = plan_fleet(fleet.members, k_max + 2)
        best = fleet.judge([share.seconds for share in exact.shares])
        found = fleet.judge([share.seconds for share in coarse.shares])
        assert found >= tuple(one * (1.0 - 1e-9) for one in best)
        compared += not coarse.optimal
    assert compared > 4
