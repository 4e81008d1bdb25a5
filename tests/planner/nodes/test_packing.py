"""Nodes that are filled and emptied: everything has a place, and no node is fuller than it may be."""

from collections import defaultdict

import pytest
from hypothesis import given
from hypothesis import strategies as st

from planner.nodes.advice import Thresholds, advise_nodes
from planner.nodes.packing import Wanted, empty_nodes, fill_new_nodes, fill_nodes, list_loads
from planner.nodes.usage import NOTHING, Instance, Node, Usage, add_up, has_room

FULLEST = Usage(0.9, 0.9, 0.9)

USAGE = st.builds(Usage, st.floats(0.0, 0.4), st.floats(0.0, 0.4), st.floats(0.0, 0.1))

WANTED = st.lists(st.tuples(st.integers(1, 9), USAGE), max_size=4).map(
    lambda all_of_them: [Wanted(f"o{i}", count, usage) for i, (count, usage) in enumerate(all_of_them)]
)

NODES = st.lists(USAGE, min_size=1, max_size=6).map(
    lambda usages: [Node(f"n{i}", usage) for i, usage in enumerate(usages)]
)


def instance(operator: str, name: str, node: str, usage: Usage | None = None) -> Instance:
    return Instance(operator, name, 0.0, 1.0, node=node, usage=usage)


@given(NODES, WANTED)
def test_every_new_instance_has_a_place_and_every_node_its_limits(nodes: list[Node], wanted: list[Wanted]):
    usages = {one.operator: one.usage for one in wanted}
    use, left = fill_nodes(nodes, FULLEST, wanted)
    new_nodes = fill_new_nodes(left, FULLEST)
    placed = defaultdict[str, int](int)
    for counts in (*use.values(), *new_nodes):
        for operator, count in counts.items():
            placed[operator] += count
    assert placed == {one.operator: one.instances for one in wanted}
    started = {node.name: node.usage for node in nodes}
    for name, counts in use.items():
        taken = [
            started[name],
            *(usages[operator].part(1) for operator, n in counts.items() for _ in range(n)),
        ]
        assert add_up(taken).load <= 0.9 + 1e-8
    for counts in new_nodes:
        assert (
            add_up([usages[operator] for operator, n in counts.items() for _ in range(n)]).load <= 0.9 + 1e-8
        )
    for one in left:  # none would have fitted where it was not put
        for node in nodes:
            here = [usages[operator] for operator, n in use.get(node.name, {}).items() for _ in range(n)]
            assert not has_room(add_up([node.usage, *here]), one.usage.plus(Usage(1e-8, 1e-8, 1e-8)), FULLEST)


@given(st.lists(st.lists(USAGE, max_size=4), min_size=1, max_size=6), st.floats(0.2, 1.0))
def test_every_instance_of_an_emptied_node_has_room_elsewhere(holding: list[list[Usage]], most: float):
    everyone = [
        instance("o", f"{i}-{j}", f"n{i}", usage)
        for i, usages in enumerate(holding)
        for j, usage in enumerate(usages)
    ]
    nodes = [Node(f"n{i}", add_up(usages)) for i, usages in enumerate(holding)]
    loads = list_loads(nodes, everyone, len(everyone))
    found = empty_nodes(nodes, loads, FULLEST, most)
    assert len(found.nodes) < len(nodes)
    where = {one.name: one.node for one in everyone}
    usages = {one.name: one.usage or NOTHING for one in everyone}
    after = {node.name: node.usage for node in nodes}
    by_node = iter(found.relocations)
    for released in found.nodes:  # in their order, each step within the limits
        for _ in [name for name, node in where.items() if node == released]:
            move = next(by_node)
            assert move.instance is not None
            assert (where[move.instance], move.source) == (released, released)
            after[move.target] = after[move.target].plus(usages[move.instance])
            assert after[move.target].load <= 0.9 + 1e-8
            where[move.instance] = move.target
        del after[released]
    assert next(by_node, None) is None
    assert set(where.values()).isdisjoint(found.nodes)
    if found.nodes:
        assert sum(usage.load for usage in after.values()) / len(after) < most


def test_as_many_are_emptied_as_can_be():
    nodes = [Node(f"n{i}", Usage(0.1, 0.05)) for i in range(6)] + [Node("busy", Usage(0.5, 0.4))]
    found = advise_nodes(nodes, Thresholds())
    assert (found.advice, found.release) == ("scale_in", ("n0", "n1", "n2", "n3", "n4"))
    # Four fill the busy one to its limit, the fifth goes to the sixth.
    assert [one.target for one in found.relocations] == ["busy"] * 4 + ["n5"]
    strict = advise_nodes(nodes, Thresholds(fullest=Usage(0.55, 0.9, 0.9)))
    assert strict.release == ("n0", "n1", "n2", "n3")
    # However often one would have moved on the way, it moves once.
    assert [(one.source, one.target) for one in strict.relocations] == [(f"n{i}", "n4") for i in range(4)]
    stuck = advise_nodes(nodes, Thresholds(fullest=Usage(0.15, 0.09, 0.9)))
    assert (stuck.advice, stuck.release) == ("scale_in", ())
    assert "eq. 22" in stuck.reason


def test_rounding_refuses_no_instance():
    nodes = [Node("a", Usage(0.4, 0.0)), Node("b", Usage(0.5, 0.0))]
    parts = [instance("o", str(i), "a", Usage(0.05, 0.0)) for i in range(8)]
    assert empty_nodes(nodes, list_loads(nodes, parts, 8), FULLEST, 1.0).nodes == ("a",)


def test_emptying_stops_before_the_next_advice_is_to_scale_out():
    nodes = [Node("a", Usage(0.2, 0.0)), Node("b", Usage(0.2, 0.0)), Node("c", Usage(0.5, 0.0))]
    thresholds = Thresholds(scale_in_load=0.4, scale_out_load=0.44, scale_in_skewness=0.1)
    found = advise_nodes(nodes, thresholds)
    assert found.release == ()
    assert "scale_out_load" in found.reason


def test_a_large_instance_stays_where_two_small_ones_can_go():
    nodes = [Node("a", Usage(0.4, 0.1)), Node("b", Usage(0.5, 0.1)), Node("c", Usage(0.6, 0.1))]
    whole = [instance("o", "1", "a", Usage(0.4, 0.1))]
    assert empty_nodes(nodes[:1] + nodes[2:], list_loads(nodes, whole, 1), FULLEST, 1.0).nodes == ()
    halves = [instance("o", name, "a", Usage(0.2, 0.05)) for name in "12"]
    found = empty_nodes(nodes, list_loads(nodes, halves, 9), FULLEST, 1.0)
    assert found.nodes == ("a",)
    assert found.measured
    assert {(one.instance, one.target) for one in found.relocations} == {("1", "c"), ("2", "b")}


def test_what_is_not_named_moves_in_parts_of_mean_size_and_what_is_not_measured_in_equal_parts():
    nodes = [Node("a", Usage(0.2, 0.1)), Node("b", Usage(0.4, 0.1))]
    unnamed = list_loads(nodes, [], 6)
    assert [len(unnamed[name]) for name in "ab"] == [2, 4]
    named = [instance("o", name, "a") for name in "123"] + [instance("o", "4", "b")]
    loads = list_loads(nodes, named, 4)
    assert [one.usage.cpu for one in loads["a"]] == pytest.approx([0.2 / 3] * 3)
    assert not empty_nodes(nodes, loads, FULLEST, 1.0).measured
    # All are named and measured: what else the node has in use stays behind.
    measured = [instance("o", "1", "a", Usage(0.05, 0.0)), instance("o", "2", "b", Usage(0.1, 0.0))]
    assert [len(list_loads(nodes, measured, 2)[name]) for name in "ab"] == [1, 1]
    assert [len(list_loads(nodes, measured, 4)[name]) for name in "ab"] == [2, 3]
