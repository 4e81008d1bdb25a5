"""New jobs in a fleet."""

import pytest

from planner.fleet.admission import admit
from tests.planner.fleet.fleet_cases import make_member

OLD = [make_member("a", 40.0, 0.12), make_member("b", 40.0, None)]


@pytest.mark.parametrize(
    ("k_max", "priority", "admitted", "costs", "said"),
    [
        (30, 0, True, ["a", "b"], "There is room for new: every target that is met without is met with it."),
        (
            16,
            1,
            False,
            ["a", "b"],
            "There is room for new only at the cost of 1 target no longer met: a from ",
        ),
        (16, 0, False, ["a", "b"], "There is no room for new: E[T] is "),
        (14, 1, False, [], "There is no room for new: 14 processors in all are 1 too few"),
    ],
)
def test_a_new_job_is_admitted_where_no_target_breaks(
    *, k_max: int, priority: int, admitted: bool, costs: list[str], said: str
) -> None:
    found = admit(OLD, [make_member("new", 40.0, 0.12, priority=priority)], k_max)
    assert found.admitted is admitted
    assert found.detail.startswith(said), found.detail
    assert [one.before.member.name for one in found.costs] == costs
    assert all(one.after.seconds > one.before.seconds for one in found.costs)
