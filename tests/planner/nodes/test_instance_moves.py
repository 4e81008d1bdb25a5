"""Moves on a deployment: what stays local is a count of pairs, and each move stands on those before."""

from itertools import product
from statistics import fmean

import pytest
from hypothesis import given
from hypothesis import strategies as st

from planner.nodes.instance_moves import Deployment, deviate
from planner.nodes.usage import Instance, Node, Usage

FULLEST = Usage(0.9, 0.9, 0.9)
SMALL = Usage(0.1, 0.05)
NAMES = ("n0", "n1", "n2")
WHERE = st.lists(st.sampled_from(NAMES), min_size=1, max_size=4)


def deploy(sources: list[str], targets: list[str | None], load: float = 0.3) -> Deployment:
    instances = [Instance("a", str(i), 0.0, 1.0, node=node, usage=SMALL) for i, node in enumerate(sources)]
    instances += [Instance("b", str(i), 0.0, 1.0, node=node, usage=SMALL) for i, node in enumerate(targets)]
    nodes = [Node(name, Usage(load, load)) for name in NAMES]
    return Deployment(nodes, instances, {"a": SMALL, "b": SMALL}, {("a", "b"): 60.0}, FULLEST)


@given(WHERE, WHERE)
def test_the_local_rate_is_the_share_of_pairs_that_are_on_one_node(sources: list[str], targets: list[str]):
    found = deploy(sources, [*targets]).local_rate(("a", "b"))
    assert found == pytest.approx(60.0 * fmean(one == other for one, other in product(sources, targets)))


@given(WHERE, WHERE, st.sampled_from(NAMES))
def test_a_move_and_its_return_leave_everything_as_it_was(sources: list[str], targets: list[str], to: str):
    deployment = deploy(sources, [*targets])
    before = (deployment.local_rate(("a", "b")), deployment.deviation(), dict(deployment.where))
    instance = deployment.placed[0]
    there = deployment.move(instance, to, (0.0, 0.0))
    back = deployment.move(instance, there.source, (0.0, 0.0))
    assert (there.source, there.target, back.source, back.target) == (sources[0], to, to, sources[0])
    after = (deployment.local_rate(("a", "b")), deployment.deviation(), dict(deployment.where))
    assert after[0] == pytest.approx(before[0])
    assert after[1] == pytest.approx(before[1], abs=1e-9)
    assert after[2] == before[2]
    assert there.node_deviation_after == pytest.approx(back.node_deviation_before)


def test_room_is_on_other_nodes_within_their_limits_and_the_freest_comes_first():
    nodes = [
        Node("here", Usage(0.1, 0.1)),
        Node("full", Usage(0.85, 0.1)),
        Node("free", Usage(0.2, 0.2)),
        Node("some", Usage(0.5, 0.2)),
    ]
    one = Instance("a", "1", 0.0, 1.0, node="here", usage=SMALL)
    assert Deployment(nodes, [one], {}, {}, FULLEST).find_room(one) == ["free", "some"]


def test_an_edge_with_an_instance_of_unknown_place_has_no_local_rate():
    assert deploy(["n0"], ["n1"]).edge_rates == {("a", "b"): 60.0}
    assert deploy(["n0"], ["n1", None]).edge_rates == {}
    assert deploy(["n0"], ["elsewhere"]).edge_rates == {}


@given(st.lists(st.floats(0.0, 100.0), min_size=1, max_size=9))
def test_deviation_is_eq_4(values: list[float]):
    mean = fmean(values)
    assert deviate(values) == pytest.approx(fmean(abs(value - mean) for value in values), abs=1e-9)
