"""Where k_max is too small for all that comes, its split serves the most of it, and more load takes no fewer."""

from collections.abc import Sequence

from hypothesis import given, settings
from hypothesis import strategies as st

from planner.allocation.served import find_served
from planner.decisions.compose import Decision
from planner.decisions.policy import Policy
from planner.situations.situation import survey_load
from planner.values import DEFAULT_MODEL, Edge, Entry, Load, Operator, OperatorLoad, Topology
from tests.planner.decisions.asked import decide
from tests.planner.decisions.measured_windows import codes, total

NAMES = ("a", "b", "c")
RATES = (10.0, 25.0, 7.0)


def chain(bounds: Sequence[tuple[int, int | None]]) -> Topology:
    operators = [Operator(name, False, *bound) for name, bound in zip(NAMES, bounds, strict=True)]  # noqa: FBT003
    return Topology(tuple(operators), (Edge("a", "b", 2.0), Edge("b", "c", 0.3)), (Entry("a"),))


def measure(rate: float) -> Load:
    return Load(rate, {name: OperatorLoad(mu) for name, mu in zip(NAMES, RATES, strict=True)})


FREE = chain([(1, None)] * 3)


def ask(rate: float, running: tuple[int, int, int], k_max: int = 20, **terms: float) -> Decision:
    return decide(FREE, measure(rate), running, Policy(t_max_seconds=1.0, k_max=k_max, **terms))  # type: ignore[arg-type]


def test_an_overload_beyond_the_budget_takes_all_of_the_budget():
    within, beyond = ask(60.0, (1, 1, 1)), ask(600.0, (1, 1, 1))
    assert (beyond.action, total(beyond)) == ("scale_up", 20)
    assert total(within) <= 20
    assert codes(beyond) == ["most-served", "k_max"]
    assert "are too few for 600/s" in beyond.reasons[0].detail
    assert beyond.recommended.expected_sojourn_seconds is None


def test_what_runs_stays_where_another_split_serves_little_more_and_where_the_budget_is_smaller():
    best = ask(600.0, (1, 1, 1))
    one, other, third = (operator.processors for operator in best.recommended.operators)
    assert ask(600.0, (one, other, third)).action == "hold"
    assert ask(600.0, (one - 3, other + 3, third)).action == "rebalance"
    assert ask(600.0, (20, 20, 20)).action == "hold"
    assert ask(600.0, (1, 1, 1), cooldown_seconds=60.0).action == "scale_up"


def test_another_split_of_as_many_must_serve_more_by_least_gain():
    stations, best = survey_load(FREE, measure(600.0), DEFAULT_MODEL).stations, ask(600.0, (1, 1, 1), 100)
    counts = [one.processors for one in best.recommended.operators]
    moved = [(counts[0] - 1, counts[1] + 1, counts[2]), (counts[0], counts[1] - 1, counts[2] + 1)]
    near = max(moved, key=lambda one: find_served(stations, one))
    gain = find_served(stations, counts) / find_served(stations, near) - 1.0
    assert 0.0 < gain < 0.2
    assert ask(600.0, near, 100, least_gain=1.01 * gain).action == "hold"
    assert ask(600.0, near, 100, least_gain=0.99 * gain).action == "rebalance"


@settings(max_examples=60, deadline=None)
@given(st.floats(1.0, 600.0), st.floats(0.0, 600.0), st.tuples(*[st.integers(1, 4)] * 3))
def test_more_load_never_takes_fewer_up_to_the_budget_and_beyond(
    rate: float, more: float, running: tuple[int, int, int]
):
    policy = Policy(t_max_seconds=0.5, k_max=20)
    few, many = (decide(FREE, measure(20.0), running, policy, newest_rate=one) for one in (rate, rate + more))
    assert total(few) <= total(many) <= 20
