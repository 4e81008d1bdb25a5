"""Suggestions pass, and where none is made no processors would."""

from hypothesis import given, settings
from hypothesis import strategies as st

from planner.gates.verdict import judge_capacity
from planner.values import Load, Model, Topology
from tests.planner.gate_cases import cases

MODELS = st.sampled_from(["mmk", "ggk", "ggk-whitt"])


@given(cases(), MODELS, st.floats(0.05, 5.0), st.integers(1, 40))
@settings(max_examples=100)
def test_what_it_suggests_passes_and_where_it_suggests_nothing_nothing_does(
    case: tuple[Topology, Load], model: Model, t_max_seconds: float, k_max: int
):
    topology, load = case
    verdict = judge_capacity(topology, load, t_max_seconds=t_max_seconds, model=model)
    suggested = verdict.suggestion.processors
    if suggested is not None:
        assert judge_capacity(topology, load, suggested, t_max_seconds=t_max_seconds, model=model).passed
        fewest = verdict.suggestion.processors_total or 0
        again = judge_capacity(
            topology, load, suggested, t_max_seconds=t_max_seconds, k_max=k_max, model=model
        )
        assert again.passed == (fewest <= k_max)
        assert not verdict.passed or fewest <= sum(verdict.processors.values())
    else:
        most = {operator.name: operator.max_processors or 10**6 for operator in topology.operators}
        below = t_max_seconds * (1.0 - 1e-9)  # at T_L itself a wait that rounds to 0 would pass
        assert not judge_capacity(topology, load, most, t_max_seconds=below, model=model).passed
