"""Resources of a snapshot: what was measured stays, io that was not is assumed and said."""

import pytest

from planner.nodes.usage import MeasuredInstance, Node, Usage, find_resources

NODES = [Node("a", Usage(0.6, 0.3, 0.2)), Node("b", Usage(0.2, 0.1, 0.4))]


def measure(name: str, node: str | None = "a", **parts: float) -> MeasuredInstance:
    return MeasuredInstance(name, 2.0, 10.0, node=node, **parts)


def test_what_was_measured_is_what_is_computed_with():
    seen = {"o": [MeasuredInstance("1", 2.0, 10.0, 0.7, "a", 0.2, 0.1, 0.05)]}
    found = find_resources({"o": 1}, NODES, seen)
    (one,) = found.all_instances
    assert (one.operator, one.name, one.queue_length, one.queue_capacity) == ("o", "1", 2.0, 10.0)
    assert (one.work, one.node, one.usage) == (0.7, "a", Usage(0.2, 0.1, 0.05))
    assert (found.usages["o"].usage, found.usages["o"].measured) == (Usage(0.2, 0.1, 0.05), 1)
    assert found.diagnostics == ()


def test_io_that_was_not_measured_is_the_mean_of_all_that_run_and_said():
    found = find_resources({"o": 2, "p": 1}, NODES, {"o": [measure("1", cpu=0.2, memory=0.1)]})
    (one,) = found.all_instances
    assert one.usage is not None
    assert one.usage.io == pytest.approx(0.6 / 3)
    assert [(said.code, said.operators) for said in found.diagnostics] == [("io-assumed", ("o",))]
    idle = [Node("a", Usage(0.6, 0.3)), Node("b", Usage(0.2, 0.1))]
    assert find_resources({"o": 2}, idle, {"o": [measure("1", cpu=0.2, memory=0.1)]}).diagnostics == ()


def test_an_instance_without_cpu_and_memory_has_no_usage_of_its_own():
    found = find_resources({"o": 2}, NODES, {"o": [measure("1")]})
    assert found.all_instances[0].usage is None
    assert found.usages["o"].measured == 0
    assert found.usages["o"].usage.cpu == pytest.approx(0.4)


def test_operators_that_do_not_run_are_left_out():
    found = find_resources({"o": 1}, NODES, {"gone": [measure("1", node="z")], "o": [measure("2")]})
    assert list(found.instances) == ["o"]
    assert found.diagnostics == ()


def test_nodes_that_instances_run_on_and_that_have_no_load_are_named_once():
    listed = [measure("1", node="z"), measure("2", node="y"), measure("3", node="z"), measure("4", node=None)]
    (said,) = find_resources({"o": 4}, NODES, {"o": listed}).diagnostics
    assert said.code == "missing-nodes"
    assert "y, z" in said.detail
