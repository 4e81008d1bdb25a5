"""Suggestions pass, and where none is made no processors would."""

from collections.abc import Sequence
from dataclasses import dataclass

from hypothesis import given, settings
from hypothesis import strategies as st

from planner.gates.checks import Limits, fit_bounds
from planner.gates.verdict import count_unhurried, judge_capacity, suggest_counts
from planner.situations.situation import Situation, assess_counts, survey_load
from planner.targets.target import SojournTarget
from planner.values import Load, Model, Operator, OperatorLoad, Topology
from tests.planner.gate_cases import FPD, cases, measure, within

MODELS = st.sampled_from(["mmk", "ggk", "ggk-whitt"])


@given(cases(), MODELS, st.floats(0.05, 5.0), st.integers(1, 40))
@settings(max_examples=100)
def test_what_it_suggests_passes_and_where_it_suggests_nothing_nothing_does(
    case: tuple[Topology, Load], model: Model, t_max_seconds: float, k_max: int
):
    topology, load = case
    verdict = judge_capacity(topology, load, limit=within(t_max_seconds), model=model)
    suggested = verdict.suggestion.processors
    if suggested is not None:
        assert judge_capacity(topology, load, suggested, limit=within(t_max_seconds), model=model).passed
        fewest = verdict.suggestion.processors_total or 0
        again = judge_capacity(
            topology, load, suggested, limit=within(t_max_seconds), k_max=k_max, model=model
        )
        assert again.passed == (fewest <= k_max)
        assert not verdict.passed or fewest <= sum(verdict.processors.values())
    else:
        most = {operator.name: operator.max_processors or 10**6 for operator in topology.operators}
        below = t_max_seconds * (1.0 - 1e-9)  # at T_L itself a wait that rounds to 0 would pass
        assert not judge_capacity(topology, load, most, limit=within(below), model=model).passed


@given(cases())
@settings(max_examples=60)
def test_unhurried_processors_are_the_fewest_at_ninety_five_percent(case: tuple[Topology, Load]):
    topology, load = case
    free = Topology(tuple(Operator(one.name) for one in topology.operators), topology.edges, topology.entries)
    situation = survey_load(free, load, "mmk")
    fewest = []
    for rate, mu in zip(situation.stations.arrival_rate, situation.stations.service_rate, strict=True):
        k = 1
        while rate > 0.95 * k * mu * (1.0 + 1e-12):
            k += 1
        fewest.append(k)
    assert count_unhurried(situation) == sum(fewest)


def test_counts_are_moved_to_within_the_bounds():
    topology = Topology((Operator("a", min_processors=3), Operator("b", max_processors=4), Operator("c")))
    situation = survey_load(topology, Load(1.0, {name: OperatorLoad(9.0) for name in "abc"}), "mmk")
    assert fit_bounds(situation, [1, 9, 7]) == [3, 4, 7]


def test_without_a_limit_as_many_as_run_are_split_best_and_the_sentence_says_what_changes():
    situation = survey_load(FPD, measure(), "mmk")
    found = suggest_counts(situation, [16, 13, 3], Limits(None, None), passed=True)
    assert found.processors_total == 32
    answer = assess_counts(situation, list((found.processors or {}).values()))
    assert answer.expected_sojourn_seconds == found.expected_sojourn_seconds
    assert "32 processors would do too: generator 16 → " in found.detail
    again = suggest_counts(situation, list((found.processors or {}).values()), Limits(None, 32), passed=True)
    assert again.detail == "No change would be better."


@dataclass(frozen=True)
class Unreached(SojournTarget):
    """A target whose search ends with processors that miss it, as a search for a quantile may."""

    found: tuple[int, ...] = (16, 13, 3)

    def settle(self, _situation: Situation, _counts: Sequence[int]) -> "Unreached":
        return self

    def find_fewest(self, _situation: Situation) -> list[int]:
        return list(self.found)


def test_where_even_the_best_processors_found_miss_the_target_the_sentence_says_so():
    situation = survey_load(FPD, measure(), "mmk")
    for seconds, said in ((1e-6, "These processors miss the target"), (1e6, "No change would be better.")):
        target = Unreached(seconds)
        found = suggest_counts(situation, list(target.found), Limits(target, None), passed=False)
        assert found.detail.startswith(said)
