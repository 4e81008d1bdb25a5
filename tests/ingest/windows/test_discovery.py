"""A topology as counted flows show it, and where it differs from a posted one."""

import pytest

from ingest.windows.discovery import (
    LEAST_TUPLES,
    Known,
    SeenEdge,
    SeenEntry,
    SeenFlow,
    compare_topologies,
    discover_topologies,
    find_unlogged,
)

FLOWS = [
    SeenFlow("t", "a", None, 300),
    SeenFlow("t", "b", None, 100),
    SeenFlow("t", "b", "a", 200),
    SeenFlow("t", "b", "b", 100),
]
POSTED = Known(frozenset("ab"), {("a", "b"): 200 / 300, ("b", "b"): 0.25})


def test_selectivities_and_shares_are_ratios_of_counts():
    found, other = discover_topologies([*FLOWS, SeenFlow("u", "x", None, 7)])
    assert (found.name, other.name) == ("t", "u")
    assert found.operators == ("a", "b")
    assert found.edges == (SeenEdge("a", "b", 200 / 300), SeenEdge("b", "b", 100 / 400))
    assert found.entries == (SeenEntry("a", 0.75), SeenEntry("b", 0.25))
    assert find_unlogged(found) == []


def test_flow_into_an_operator_is_what_its_inputs_send():
    """input(j) = λ0·share(j) + Σᵢ input(i)·selectivity(i→j): the discovered numbers solve the traffic equations."""
    (found,) = discover_topologies(FLOWS)
    external = sum(flow.weight for flow in FLOWS if flow.from_operator is None)
    for name in found.operators:
        outside = sum(external * entry.share for entry in found.entries if entry.operator == name)
        inside = sum(found.inputs[e.source] * e.selectivity for e in found.edges if e.target == name)
        assert outside + inside == pytest.approx(found.inputs[name])


def test_an_operator_that_logged_nothing_is_left_out_and_named():
    (found,) = discover_topologies([*FLOWS, SeenFlow("t", "b", "ghost", 50)])
    assert found.unlogged == ("ghost",)
    assert "ghost" not in found.operators
    assert {edge.source for edge in found.edges} == {"a", "b"}
    (note,) = find_unlogged(found)
    assert (note.code, "ghost" in note.detail) == ("unlogged-operators", True)


def test_a_topology_that_equals_the_posted_one_has_no_difference():
    (found,) = discover_topologies(FLOWS)
    assert compare_topologies(found, POSTED) == []


@pytest.mark.parametrize(
    ("flow", "code", "named"),
    [
        (SeenFlow("t", "c", None, 9), "unknown-operators", "c"),
        (SeenFlow("t", "a", "b", 9), "unknown-edges", "b → a"),
        (SeenFlow("t", "b", "a", 200), "selectivity-differs", "a → b is 1.33, posted as 0.667"),
    ],
)
def test_each_difference_has_its_code(flow: SeenFlow, code: str, named: str):
    (found,) = discover_topologies([*FLOWS, flow])
    notes = {note.code: note.detail for note in compare_topologies(found, POSTED)}
    assert named in notes[code]


def test_a_selectivity_of_few_tuples_is_not_compared():
    flows = [SeenFlow("t", "a", None, LEAST_TUPLES - 1), SeenFlow("t", "b", "a", 1)]
    posted = Known(frozenset("ab"), {("a", "b"): 5.0})
    assert compare_topologies(discover_topologies(flows)[0], posted) == []
