"""Plans of operators that deal out whole key groups, beside trying every allocation."""

from itertools import pairwise, product
from math import inf
from random import Random

import pytest

from planner.allocation import allocate
from planner.allocation.allocate import allocate_budget, allocate_target
from planner.allocation.whole_groups import Finished
from planner.queueing.instances.key_shares import ASSIGNMENTS
from planner.queueing.sojourns import expected_sojourn_seconds
from planner.situations.situation import Situation, survey_load
from planner.values import Edge, Entry, InstanceLoad, Load, Operator, OperatorLoad, Topology
from tests.planner.group_cases import KINDS, OBJECTIVES, draw_case

MOST = 24


def draw_operator(rng: Random, name: str) -> tuple[Operator, OperatorLoad]:
    """An operator, keyed with few groups or not, and its load: shares unmeasured, or measured and skewed."""
    queueing = rng.choice(["keyed", "keyed", "keyed", "shared", "round-robin"])
    groups = rng.choice([6, 7, 9, 12, 16, 20]) if queueing == "keyed" else None
    operator = Operator(
        name,
        queueing=queueing,
        max_parallelism=groups,
        min_processors=rng.choice([1, 1, 3]),
        max_processors=rng.choice([MOST, MOST, 10]),
        group_assignment=rng.choice(list(ASSIGNMENTS)),
    )
    measured = OperatorLoad(rng.uniform(10.0, 60.0), arrival_scv=rng.choice([0.5, 3.0]), service_scv=0.8)
    kind = rng.choice(["unmeasured", "instances", "groups"])
    if groups and kind == "groups":
        return operator, measured._replace(group_shares=tuple(rng.random() + 0.2 for _ in range(groups)))
    if groups and kind == "instances":
        shares = sorted([rng.random() + 0.2 for _ in range(rng.randint(2, groups))], reverse=True)
        instances = tuple(InstanceLoad(f"i-{place}", share) for place, share in enumerate(shares))
        return operator, measured._replace(instances=instances)
    return operator, measured


def draw_situation(seed: int) -> Situation:
    rng = Random(seed)
    drawn = [draw_operator(rng, f"o{place}") for place in range(rng.choice([1, 2, 2]))]
    edges = tuple(Edge(one[0].name, other[0].name) for one, other in pairwise(drawn))
    topology = Topology(tuple(operator for operator, _ in drawn), edges, (Entry("o0"),))
    load = Load(rng.uniform(20.0, 90.0), {operator.name: measured for operator, measured in drawn})
    return survey_load(topology, load, "ggk-whitt", is_open=True)


def try_all(situation: Situation) -> dict[int, float]:
    """The least E[T] of at most so many processors, by trying every allocation within the bounds."""
    stations = situation.stations
    tops = [min(int(most), MOST) for most in stations.max_processors]
    waits = [situation.wait_seconds([min(k, top) for top in tops]) for k in range(1, MOST + 1)]
    ranges = [range(int(least), top + 1) for least, top in zip(stations.min_processors, tops, strict=True)]
    best: dict[int, float] = {}
    for counts in product(*ranges):
        found = [waits[k - 1][i] for i, k in enumerate(counts)]
        if inf not in found:
            total = sum(counts)
            best[total] = min(best.get(total, inf), situation.sum_sojourns(found))
    least = inf
    for total in range(min(best, default=0), max(best, default=0) + 1):
        best[total] = least = min(least, best.get(total, inf))
    return {total: seconds for total, seconds in best.items() if seconds < inf}


def compare(seed: int) -> int:
    """The number of plans of a drawn topology that are not the best."""
    situation, wrong = draw_situation(seed), 0
    best = try_all(situation)
    if not best:
        return 0
    rate, stations = situation.load.external_rate, situation.stations
    for k_max in (min(best), min(best) + 1, min(best) + 4, min(best) + 9, max(best)):
        found = allocate_budget(stations, k_max, situation.names)
        seconds = expected_sojourn_seconds(stations, found.counts, rate)
        wrong += sum(found.counts) > k_max or not found.optimal
        wrong += seconds > best[min(k_max, max(best))] * (1.0 + 1e-9)
    for factor in (1.01, 1.2, 1.6):
        target = best[max(best)] * factor
        fewest = allocate_target(stations, target, rate, situation.names)
        wrong += sum(fewest.counts) != next(total for total in sorted(best) if best[total] <= target)
        wrong += not fewest.optimal or expected_sojourn_seconds(stations, fewest.counts, rate) > target
    return wrong


@pytest.mark.parametrize("start", range(0, 40, 10))
def test_plans_are_the_best_of_all_allocations(start: int):
    assert [compare(seed) for seed in range(start, start + 10)] == [0] * 10


def test_greedy_on_hulls_alone_is_not_the_best(monkeypatch: pytest.MonkeyPatch):
    """The drawn topologies would show an error: without the finish, some of their plans are not the best."""
    monkeypatch.setattr(
        allocate,
        "finish_budget",
        lambda board, _: Finished(list(board.list_counts()), is_shown=True),
    )
    assert sum(map(compare, range(40))) > 0


@pytest.mark.parametrize("objective", OBJECTIVES)
@pytest.mark.parametrize("kind", KINDS[:-1])
def test_no_plan_overloads_an_instance_that_gets_whole_groups(kind: str, objective: str):
    """A sample; `make bench BENCH=whole_groups` has 480 plans."""
    cases = [draw_case(seed, kind, objective) for seed in range(2 if objective == "quantile" else 8)]
    busy = [
        case.find_busiest(plan.processors["keyed"]) for case in cases if (plan := case.plan()) is not None
    ]
    assert busy
    assert max(busy) < 1.0


def test_one_more_processor_never_makes_the_best_split_slower():
    for seed in range(12):
        situation = draw_situation(seed)
        if not (best := try_all(situation)):
            continue
        rate, stations = situation.load.external_rate, situation.stations
        budgets = range(min(best), max(best) + 2)
        counts = [allocate_budget(stations, k_max, situation.names).counts for k_max in budgets]
        seconds = [expected_sojourn_seconds(stations, one, rate) for one in counts]
        assert all(later <= before * (1.0 + 1e-12) for before, later in pairwise(seconds))


def test_more_load_and_a_stricter_target_never_need_fewer():
    operator = Operator("a", queueing="keyed", max_parallelism=12)
    shares = tuple(1.0 / (place + 1.0) ** 0.5 for place in range(12))

    def count(rate: float, target: float) -> int:
        load = Load(rate, {"a": OperatorLoad(30.0, group_shares=shares)})
        situation = survey_load(Topology((operator,)), load, "ggk-whitt", is_open=True)
        return sum(allocate_target(situation.stations, target, rate, ("a",)).counts)

    by_rate = [count(rate, 0.2) for rate in range(10, 130, 4)]
    assert by_rate == sorted(by_rate)
    by_target = [count(100.0, target / 1000.0) for target in range(80, 400, 10)]
    assert by_target == sorted(by_target, reverse=True)
