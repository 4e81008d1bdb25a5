"""Plans where processors slow each other down: equal to brute force, near the simulation, never beyond the peak."""

import pytest

from planner.errors import BoundTooSmall, PlannerError
from planner.gates.verdict import judge_capacity
from planner.plans.optimal import min_latency, min_processors
from planner.simulation.simulate import simulate
from planner.situations.situation import estimate, survey_load
from planner.situations.throttle import throttle_flow
from planner.values import Edge, Load, Operator, OperatorLoad, Scaling, TimeTarget, Topology

KINDS = [Scaling(gamma=0.2), Scaling(sigma=0.05), Scaling(sigma=0.02, kappa=0.004)]
MEASURED = {"a": OperatorLoad(10.0, processors=4), "b": OperatorLoad(20.0)}


def build(scaling: Scaling | None, queueing: str = "shared", groups: int | None = None) -> Topology:
    bent = Operator("a", queueing=queueing, scaling=scaling, max_parallelism=groups)
    return Topology((bent, Operator("b", queueing="round-robin")), (Edge("a", "b"),))


@pytest.mark.parametrize("queueing", ["shared", "round-robin", "keyed"])
@pytest.mark.parametrize("scaling", KINDS)
def test_e_t_is_near_the_simulation(scaling: Scaling, queueing: str) -> None:
    topology, load = build(scaling, queueing), Load(40.0, MEASURED)
    for count in (6, 12):
        modelled = estimate(topology, load, {"a": count, "b": 4})
        seen = simulate(topology, load, {"a": count, "b": 4}, roots=60_000)
        one, other = modelled.operators[0], seen.operators[0]
        assert one.utilisation == pytest.approx(other.utilisation, rel=0.03)
        assert one.sojourn_seconds == pytest.approx(other.sojourn_seconds, rel=0.05)
        assert [note.operators for note in modelled.diagnostics if note.code == "capacity-bends"] == [("a",)]


def test_at_the_processors_that_run_everything_is_as_measured() -> None:
    counts = {"a": 4, "b": 2}
    load = Load(30.0, MEASURED)
    straight, *bent = (estimate(build(one), load, counts) for one in (None, *KINDS))
    for answer in bent:
        assert answer.expected_sojourn_seconds == pytest.approx(straight.expected_sojourn_seconds)
        assert answer.operators[0].service_rate == pytest.approx(10.0)
        assert answer.operators[0].wait_seconds == pytest.approx(straight.operators[0].wait_seconds)


@pytest.mark.parametrize(("queueing", "groups"), [("shared", None), ("keyed", None), ("keyed", 18)])
@pytest.mark.parametrize("scaling", KINDS)
def test_plans_equal_brute_force_and_grow_with_the_load(
    scaling: Scaling, queueing: str, groups: int | None
) -> None:
    topology, total, before = build(scaling, queueing, groups), 26, 0
    for rate in (5.0, 20.0, 40.0, 60.0):
        load = Load(rate, MEASURED)
        splits = {
            (a, b): estimate(topology, load, {"a": a, "b": b}).expected_sojourn_seconds
            for a in range(1, (groups or 17) + 1)
            for b in (total - a, 4)
        }
        known = {split: seconds for split, seconds in splits.items() if seconds is not None}
        plan = min_latency(topology, load, total)
        best = min(seconds for (a, b), seconds in known.items() if a + b <= total)
        assert plan.estimate.expected_sojourn_seconds is not None
        assert plan.estimate.expected_sojourn_seconds <= best * (1.0 + 1e-9)
        fewest = min_processors(topology, load, 1.5)
        assert fewest.estimate.processors_total >= before, "more load never means fewer processors"
        before = fewest.estimate.processors_total
        enough = [a + 4 for (a, b), seconds in known.items() if b == 4 and seconds <= 1.5]
        assert fewest.estimate.processors_total <= min(enough)


def test_no_plan_passes_the_peak_and_a_load_above_it_is_refused_with_what_is_served() -> None:
    topology = build(Scaling(sigma=0.02, kappa=0.004))
    plan = min_latency(topology, Load(60.0, MEASURED), 100)
    assert plan.processors["a"] <= 16
    with pytest.raises(BoundTooSmall, match="slow each other down") as refused:
        min_processors(topology, Load(900.0, MEASURED), 5.0)
    assert refused.value.most_served is not None
    most = refused.value.most_served
    assert min_processors(topology, Load(0.99 * most, MEASURED), 50.0).processors["a"] <= 16
    with pytest.raises(PlannerError):
        min_processors(topology, Load(1.01 * most, MEASURED), 50.0)
    throttled, names = throttle_flow(survey_load(topology, Load(900.0, MEASURED), "ggk-whitt"))
    assert names == ("a",)
    assert throttled.flow.arrival_rates[1] == pytest.approx(most)


def test_a_gate_judges_what_bent_capacity_carries() -> None:
    topology, load, counts = build(KINDS[0]), Load(40.0, MEASURED), {"a": 12, "b": 8}
    verdict = judge_capacity(topology, load, counts, limit=TimeTarget("total", 0.5))
    assert verdict.passed
    assert verdict.headroom_rate is not None
    at_limit = estimate(topology, Load(verdict.headroom_rate, MEASURED), counts)
    assert at_limit.expected_sojourn_seconds == pytest.approx(0.5, rel=1e-6)
    assert verdict.headroom_rate < 12 * 8.1
