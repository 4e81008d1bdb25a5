"""What is hot or cold, and what would come of placing one instance anew."""

from dataclasses import replace
from statistics import fmean

import pytest
from hypothesis import given
from hypothesis import strategies as st

from planner.nodes.instance_moves import Deployment
from planner.nodes.streams import Spot, find_hot_and_cold
from planner.nodes.usage import NOTHING, Instance, Node, Usage, has_room

FULLEST = Usage(0.9, 0.9, 0.9)
SMALL = Usage(0.1, 0.1)


def queue(operator: str, name: str, length: float, node: str | None = None) -> Instance:
    return Instance(operator, name, length, 100.0, node=node, usage=SMALL if node else None)


def find(
    instances: list[Instance], edges: dict[tuple[str, str], float], nodes: dict[str, Usage]
) -> dict[str, Spot]:
    placed = [Node(name, usage) for name, usage in nodes.items()]
    usages = dict.fromkeys([one.operator for one in instances], SMALL)
    deployment = Deployment(placed, instances, usages, edges, FULLEST)
    return {spot.kind: spot for spot in find_hot_and_cold(instances, edges, deployment)}


def test_the_fullest_is_hot_the_emptiest_cold():
    queues = [queue("count", f"c{i}", length) for i, length in enumerate((10.0, 90.0, 50.0))]
    spots = find(queues, {("a", "count"): 9.0, ("count", "b"): 2.0}, {})
    assert {kind: spot.name for kind, spot in spots.items()} == {
        "hot-instance": "count/c1",
        "cold-instance": "count/c0",
        "hot-edge": "a → count",
        "cold-edge": "count → b",
    }
    assert all(spot.move is None for spot in spots.values())  # the nodes of the instances are not known
    assert find([queue("count", "a", 5.0), queue("count", "b", 5.0)], {}, {}) == {}


def test_work_and_full_queues_are_not_compared_with_each_other():
    """c0 keeps 3 processors busy and c1's work is not known: its full queue is no 1 processor."""
    known = replace(queue("count", "c0", 10.0), work=3.0)
    spots = find([known, queue("count", "c1", 100.0)], {}, {})
    assert {kind: (spot.name, spot.weight) for kind, spot in spots.items()} == {
        "hot-instance": ("count/c1", 1.0),
        "cold-instance": ("count/c0", 0.1),
    }
    spots = find([known, replace(queue("count", "c1", 100.0), work=1.0)], {}, {})
    assert {kind: (spot.name, spot.weight) for kind, spot in spots.items()} == {
        "hot-instance": ("count/c0", 3.0),
        "cold-instance": ("count/c1", 1.0),
    }


BUSY = {"n0": Usage(0.8, 0.3), "n1": Usage(0.3, 0.3), "n2": Usage(0.2, 0.2)}


def test_a_hot_instance_goes_to_those_that_feed_it_where_no_sibling_is_and_there_is_room():
    instances = [
        queue("feed", "f0", 20.0, "n1"),
        queue("count", "c0", 80.0, "n0"),
        queue("count", "c1", 20.0, "n2"),
    ]
    move = find(instances, {("feed", "count"): 60.0}, BUSY)["hot-instance"].move
    assert move is not None
    # n2 is freer, but has a sibling.
    assert (move.operator, move.instance, move.source, move.target) == ("count", "c0", "n0", "n1")
    assert [(one.source, one.target, one.local_rate_before, one.local_rate_after) for one in move.edges] == [
        ("feed", "count", 0.0, 30.0)
    ]
    assert (move.queue_deviation_before, move.queue_deviation_after) == (30.0, 0.0)
    loads = [0.7, 0.4, 0.2]
    assert move.node_deviation_after == pytest.approx(fmean(abs(one - fmean(loads)) for one in loads))
    assert move.node_deviation_after < move.node_deviation_before
    full = BUSY | {"n1": Usage(0.3, 0.85)}
    beside = find(instances, {("feed", "count"): 60.0}, full)["hot-instance"].move
    assert beside is not None
    assert beside.target == "n2"
    nowhere = find(instances, {("feed", "count"): 60.0}, full | {"n2": Usage(0.75, 0.1)})["hot-instance"]
    assert nowhere.move is None
    assert "send it fewer tuples" in nowhere.suggestion


def test_a_node_with_an_upstream_instance_comes_before_a_freer_node_without_one():
    """Mc-Stream's Algorithm 3, first rule."""
    instances = [
        queue("feed", "f0", 20.0, "n1"),
        queue("count", "c0", 80.0, "n0"),
        queue("count", "c1", 20.0, "n2"),
    ]
    nodes = BUSY | {"n3": Usage(0.1, 0.1)}
    fed, unfed = (
        find(instances, {edge: 60.0}, nodes)["hot-instance"].move for edge in (("feed", "count"), ("a", "b"))
    )
    assert fed is not None
    assert unfed is not None
    assert (fed.target, unfed.target) == ("n1", "n3")


def test_the_ends_of_a_hot_edge_come_together_and_a_cold_instance_joins_a_sibling():
    instances = [
        queue("feed", "f0", 50.0, "n0"),
        queue("feed", "f1", 50.0, "n0"),
        queue("count", "c0", 50.0, "n1"),
        queue("count", "c1", 90.0, "n2"),
        queue("count", "c2", 10.0, "n1"),
        queue("count", "c3", 10.5, "n2"),
    ]
    nodes = dict.fromkeys(("n0", "n1", "n2"), Usage(0.4, 0.4))
    spots = find(instances, {("feed", "count"): 80.0, ("count", "out"): 8.0}, nodes)
    edge, cold = spots["hot-edge"].move, spots["cold-instance"].move
    assert edge is not None
    # One of feed beside two of count, or one of count beside both of feed: the same, so the first.
    assert (edge.instance, edge.source, edge.target) == ("f0", "n0", "n1")
    assert edge.edges[0].local_rate_after == pytest.approx(20.0)
    assert "20 tuples/s more of feed → count" in spots["hot-edge"].suggestion
    assert cold is not None
    assert (cold.instance, cold.source) == ("c2", "n1")
    assert cold.target in {"n0", "n2"}
    assert cold.queue_deviation_before == cold.queue_deviation_after


PLACED = st.lists(
    st.tuples(st.sampled_from(["a", "b"]), st.floats(0.0, 100.0), st.sampled_from(["n0", "n1", "n2"])),
    min_size=2,
    max_size=9,
)


@given(PLACED, st.lists(st.floats(0.1, 0.8), min_size=3, max_size=3))
def test_moves_keep_limits_and_what_is_said_of_edges_is_what_a_count_of_pairs_finds(
    placed: list[tuple[str, float, str]], loads: list[float]
):
    instances = [queue(operator, str(i), length, node) for i, (operator, length, node) in enumerate(placed)]
    edges = {("a", "b"): 60.0, ("b", "out"): 6.0}
    usages = {f"n{i}": Usage(load, load) for i, load in enumerate(loads)}
    where = {one.name: one.node for one in instances}

    def local() -> float:
        pairs = [
            (one, other)
            for one in instances
            for other in instances
            if (one.operator, other.operator) == ("a", "b")
        ]
        return 60.0 * fmean(where[one.name] == where[other.name] for one, other in pairs)

    for spot in find(instances, edges, usages).values():
        if spot.move is None:
            continue
        move = spot.move
        before = local() if move.edges else None
        assert where[move.instance] == move.source != move.target
        where[move.instance] = move.target
        usages[move.source] = usages[move.source].minus(SMALL)
        usages[move.target] = usages[move.target].plus(SMALL)
        assert has_room(usages[move.target], NOTHING, FULLEST)
        if spot.kind == "hot-edge":
            assert move.edges[0].local_rate_after > move.edges[0].local_rate_before
        for shift in move.edges:
            assert shift.local_rate_before == pytest.approx(before)
            assert shift.local_rate_after == pytest.approx(local())
