"""A decision as JSON: a promise whose end no calendar has is answered without a time."""

from datetime import UTC, datetime

import pytest

from app.deciding.decisions.answers import to_catching_up
from planner.decisions.case import DecisionQuestion
from planner.decisions.compose import compose_decision
from planner.decisions.policy import Policy
from planner.values import Entry, Load, Operator, OperatorLoad, Topology

END = datetime(2026, 11, 18, tzinfo=UTC)


@pytest.mark.parametrize(
    ("within", "found"), [(90.0, datetime(2026, 11, 18, 0, 1, 30, tzinfo=UTC)), (1e12, None), (1e300, None)]
)
def test_the_end_of_catching_up_beyond_the_calendar_is_unknown(within: float, found: datetime | None):
    topology = Topology((Operator("a"),), (), (Entry("a", 1.0),))
    load = Load(1.0, {"a": OperatorLoad(service_rate=4.0, processors=1, backlog_tuples=100.0)})
    policy = Policy(t_max_seconds=1.0, catch_up_seconds=within)
    answer = to_catching_up(compose_decision(DecisionQuestion(topology, load, [1], policy)), END)
    assert answer is not None
    assert (answer.left_seconds, answer.finished_by) == (within, found)
