"""What owners say of operators that are not queues of busy threads: E[T] is near the simulated one, plans use it."""

import pytest

from planner.errors import InvalidTopology
from planner.plans.optimal import min_processors
from planner.quantiles.spread import add_spread
from planner.simulation.simulate import simulate
from planner.situations.situation import estimate
from planner.topology.flow import check_topology
from planner.values import Edge, IdcPoint, InstanceLoad, Load, Operator, OperatorLoad, ServiceBucket, Topology

SKEWED = tuple(InstanceLoad(f"count-{i}", share) for i, share in enumerate((0.4, 0.25, 0.2, 0.15)))


@pytest.mark.parametrize("queueing", ["shared", "round-robin", "random", "keyed"])
@pytest.mark.parametrize(("concurrency", "count", "rate"), [(4, 3, 100.0), (16, 2, 290.0)])
def test_several_at_a_time_are_near_the_simulation(
    queueing: str, concurrency: int, count: int, rate: float
) -> None:
    operator = Operator("a", queueing=queueing, concurrency=concurrency, delay_seconds=0.01)
    topology, load = Topology((operator,)), Load(rate, {"a": OperatorLoad(10.0, service_scv=1.0)})
    modelled = estimate(topology, load, {"a": count})
    simulated = simulate(topology, load, {"a": count}, roots=150_000)
    assert modelled.expected_sojourn_seconds == pytest.approx(simulated.total.mean_seconds, rel=0.04)
    [one], [seen] = modelled.operators, simulated.operators
    assert one.utilisation == pytest.approx(seen.utilisation, rel=0.02)
    assert seen.processors == count
    assert one.wait_seconds is not None
    assert (one.concurrency, one.delay_seconds) == (concurrency, 0.01)
    service = concurrency / one.service_rate
    assert one.sojourn_seconds == pytest.approx(one.wait_seconds + service + 0.01)


def test_a_shared_queue_with_several_at_a_time_is_one_with_as_many_processors() -> None:
    load = Load(100.0, {"a": OperatorLoad(10.0)})
    several = estimate(Topology((Operator("a", queueing="shared", concurrency=4),)), load, {"a": 3})
    single = estimate(Topology((Operator("a", queueing="shared"),)), load, {"a": 12})
    assert several.expected_sojourn_seconds == pytest.approx(single.expected_sojourn_seconds, rel=1e-9)


@pytest.mark.parametrize("instances", [(), SKEWED])
@pytest.mark.parametrize("keyed_by", ["root", "tuple"])
def test_word_count_is_near_the_simulation(keyed_by: str, instances: tuple[InstanceLoad, ...]) -> None:
    topology = Topology(
        (Operator("split", queueing="round-robin"), Operator("count", queueing="keyed", keyed_by=keyed_by)),
        (Edge("split", "count", 8.0),),
    )
    calm = (IdcPoint(0.005, 1.0), IdcPoint(1.0, 1.0))
    loads = {
        "split": OperatorLoad(100.0, arrival_scv=1.0, service_scv=1.0, arrival_idc=calm),
        "count": OperatorLoad(240.0, service_scv=1.0, instances=instances),
    }
    load, processors = Load(50.0, loads), {"split": 2, "count": 4}
    modelled = estimate(topology, load, processors).expected_sojourn_seconds
    simulated = simulate(topology, load, processors, roots=60_000)
    assert modelled == pytest.approx(simulated.total.mean_seconds, rel=0.05)


def test_words_replace_what_busy_time_says() -> None:
    """An asynchronous lookup of 100 ms, ten at a time, of which engines measure 0.09 ms of busy time."""
    said = Operator("lookup", queueing="round-robin", capacity_rate=100.0, concurrency=10)
    busy = OperatorLoad(11_000.0, service_histogram=(ServiceBucket(1e-4, 9),))
    load = Load(250.0, {"lookup": busy})
    assert min_processors(Topology((Operator("lookup", queueing="round-robin"),)), load, 0.2).processors == {
        "lookup": 1
    }
    plan = min_processors(Topology((said,)), load, 0.2)
    assert plan.processors == {"lookup": 3}
    assert plan.lower_bound_seconds == pytest.approx(0.1)
    [one] = plan.estimate.operators
    assert (one.service_rate, one.concurrency) == (100.0, 10)


def test_a_delay_is_in_every_time_and_costs_no_processor() -> None:
    load = Load(50.0, {"a": OperatorLoad(30.0), "b": OperatorLoad(40.0)})
    edges = (Edge("a", "b", 2.0),)
    plain = Topology((Operator("a"), Operator("b")), edges)
    late = Topology((Operator("a"), Operator("b", delay_seconds=0.25)), edges)
    plan, delayed = min_processors(plain, load, 0.12), min_processors(late, load, 0.62)
    assert delayed.processors == plan.processors
    assert delayed.lower_bound_seconds == pytest.approx(plan.lower_bound_seconds + 0.5)
    late_by = (delayed.estimate.expected_sojourn_seconds or 0.0) - (
        plan.estimate.expected_sojourn_seconds or 0.0
    )
    assert late_by == pytest.approx(0.5)
    totals = []
    for topology in (plain, late):
        answer = estimate(topology, load, plan.processors)
        spread = add_spread(topology, load, answer, (0.5,), roots=2000).total
        assert spread is not None
        totals.append(spread.mean_seconds)
    assert totals[1] - totals[0] == pytest.approx(0.5, abs=0.01)


@pytest.mark.parametrize(
    ("operator", "field"),
    [
        (Operator("a", delay_seconds=-1.0), "delay_seconds"),
        (Operator("a", capacity_rate=0.0), "capacity_rate"),
        (Operator("a", concurrency=0), "concurrency"),
        (Operator("a", delay_seconds=float("nan")), "delay_seconds"),
    ],
)
def test_words_that_cannot_be_computed_with_are_refused(operator: Operator, field: str) -> None:
    with pytest.raises(InvalidTopology, match=field) as refused:
        check_topology(Topology((operator,)))
    assert refused.value.pointer == f"/operators/0/{field}"
