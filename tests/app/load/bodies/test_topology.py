"""A described topology: its values, and the limits on its numbers."""

from typing import Any

import pytest

from app.load.bodies.topology import FPD, Graph, check_size
from app.settings import Settings
from app.web.problems.errors import InvalidRequest
from planner.values import Edge, Entry, Operator, Scaling


def test_every_field_of_the_graph_reaches_the_planner():
    topology = Graph.model_validate(FPD).to_values()
    assert topology.operators == (
        Operator("generator"),
        Operator("detector", stateful=True),
        Operator("reporter", min_processors=1, max_processors=8),
    )
    assert topology.edges[1] == Edge("detector", "detector", 0.1)
    assert topology.entries == (Entry("generator", 1.0),)


@pytest.mark.parametrize(
    ("limits", "field", "setting"),
    [
        ({"max_operators": 2}, "operators", "HEADGATE_MAX_OPERATORS"),
        ({"max_edges": 2}, "edges", "HEADGATE_MAX_EDGES"),
    ],
)
def test_a_graph_above_a_limit_is_refused_with_the_setting_to_raise(
    limits: dict[str, Any], field: str, setting: str
):
    graph = Graph.model_validate(FPD)
    with pytest.raises(InvalidRequest) as refused:
        check_size(graph, Settings(**limits), "#/topology")
    [(pointer, detail)] = refused.value.errors
    assert pointer == f"#/topology/{field}"
    assert detail == f"The topology has 3 {field}, but this service accepts at most 2: raise {setting}."


def test_a_graph_at_the_limits_is_taken():
    check_size(Graph.model_validate(FPD), Settings(max_operators=3, max_edges=3))


def test_the_owners_words_reach_the_planner():
    words = {"delay_seconds": 0.2, "concurrency": 8, "capacity_rate": 40.0, "keyed_by": "tuple"}
    [operator] = Graph.model_validate({"operators": [{"name": "a", **words}]}).to_values().operators
    assert {field: getattr(operator, field) for field in words} == words


@pytest.mark.parametrize(
    ("body", "expected"),
    [
        ({"kind": "linear"}, None),
        ({"kind": "power", "gamma": 0.1, "sigma": 0.3}, Scaling(gamma=0.1)),
        ({"kind": "usl", "sigma": 0.1, "kappa": 0.01, "gamma": 0.3}, Scaling(sigma=0.1, kappa=0.01)),
    ],
)
def test_scaling_reaches_the_planner_in_one_form(body: dict[str, Any], expected: Scaling | None):
    [operator] = Graph.model_validate({"operators": [{"name": "a", "scaling": body}]}).to_values().operators
    assert operator.scaling == expected
