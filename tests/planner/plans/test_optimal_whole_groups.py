"""128 key groups at 1,500 tuples/s, of which one processor serves 33.3/s: 46 would be enough, were groups divisible."""

import pytest

from planner.plans.optimal import min_processors
from planner.simulation.simulate import simulate
from planner.situations.situation import estimate
from planner.values import Edge, InstanceLoad, Load, Operator, OperatorLoad, Topology

GROUPS, RATE, SERVED = 128, 1500.0, 33.3
TOPOLOGY = Topology(
    (
        Operator("source", queueing="round-robin"),
        Operator("keyed", queueing="keyed", max_parallelism=GROUPS, group_assignment="contiguous"),
    ),
    (Edge("source", "keyed"),),
)
EVEN = tuple([InstanceLoad(f"keyed-{place}", 1.0 / GROUPS) for place in range(GROUPS)])
LOAD = Load(
    RATE,
    {
        "source": OperatorLoad(400.0, RATE, 1.0, 1.0, 6),
        "keyed": OperatorLoad(SERVED, RATE, None, 1.0, GROUPS, instances=EVEN),
    },
)


def test_the_planned_number_holds_when_groups_are_dealt_out_whole():
    plan = min_processors(TOPOLOGY, LOAD, 0.5)
    assert (
        plan.processors["keyed"] == 64
    )  # two groups each; of 59, ten hold three, which is more than one serves
    seen = simulate(TOPOLOGY, LOAD, plan.processors, roots=200_000)
    assert plan.estimate.expected_sojourn_seconds == pytest.approx(seen.total.mean_seconds, rel=0.05)
    assert seen.total.mean_seconds <= 0.5


@pytest.mark.parametrize("count", [46, 59])
def test_fewer_are_said_to_be_overloaded_and_are(count: int):
    counts = {"source": 6, "keyed": count}
    assert not estimate(TOPOLOGY, LOAD, counts).stable
    short, long = (
        simulate(TOPOLOGY, LOAD, counts, roots=roots).total.mean_seconds for roots in (50_000, 400_000)
    )
    assert long > 3.0 * short  # the queue of the busiest grows without end
