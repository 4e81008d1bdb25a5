"""Usages: what an instance takes, and the load of a node."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from planner.nodes.usage import NOTHING, Instance, Node, Usage, add_up, find_mean_usage, find_usages


def instance(operator: str, name: str, node: str, usage: Usage | None = None) -> Instance:
    return Instance(operator, name, 0.0, 1.0, node=node, usage=usage)


def test_an_instance_takes_what_its_operator_s_take_and_where_none_was_measured_what_all_take():
    nodes = [Node("a", Usage(0.6, 0.3, 0.1)), Node("b", Usage(0.2, 0.1))]
    seen = [
        instance("o", "1", "a", Usage(0.2, 0.1)),
        instance("o", "2", "a", Usage(0.4, 0.1)),
        instance("p", "1", "b"),
    ]
    found = find_usages({"o": 2, "p": 2}, seen, nodes)
    assert [found[name].usage.cpu for name in "op"] == pytest.approx([0.3, 0.8 / 4])
    assert [found[name].measured for name in "op"] == [2, 0]


PART = st.floats(0.0, 1.0)
USAGE = st.builds(Usage, PART, PART, PART)


@given(USAGE)
def test_the_load_of_a_node_is_its_scarcest_resource(usage: Usage):
    parts = sorted((usage.cpu, usage.memory, usage.io))
    assert usage.load == parts[-1]
    assert usage.part(4).load == pytest.approx(usage.load / 4)


@given(USAGE, USAGE)
def test_what_joins_a_node_and_leaves_it_again_changes_nothing_and_less_than_nothing_is_never_left(
    one: Usage, other: Usage
):
    back = one.plus(other).minus(other)
    assert (back.cpu, back.memory, back.io) == pytest.approx((one.cpu, one.memory, one.io), abs=1e-12)
    assert one.plus(other) == add_up([one, other])
    least = one.minus(other)
    assert min(least.cpu, least.memory, least.io) >= 0.0


def test_nothing_runs_and_nothing_is_divided_by_nothing():
    assert find_mean_usage({}, []) == NOTHING
    assert find_mean_usage(
        {"o": 3}, [Node("a", Usage(0.6, 0.3)), Node("b", Usage(0.3, 0.0))]
    ).cpu == pytest.approx(0.3)
