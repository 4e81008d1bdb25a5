"""The load of a topology as it would be without the instances of one node."""

from collections import Counter
from dataclasses import replace

from app.load.measurements.load import Gathered
from app.web.problems.errors import InvalidRequest
from planner.errors import suggest_name
from planner.values import Load

POINTER = "#/failing_node"


def lose_node(found: Gathered, node: str | None) -> Load:
    """The gathered load, with fewer processors that run where the newest snapshot names instances on the node.

    Raises InvalidRequest if it names none there, or if an operator would have no processor left.
    """
    if node is None:
        return found.load
    listed = [
        (operator, one.get("node"))
        for operator, instances in (found.newest.instances or {}).items()
        for one in instances
    ]
    lost = Counter(operator for operator, its_node in listed if its_node == node)
    if not lost:
        raise InvalidRequest(((POINTER, describe_unknown(node, sorted({one for _, one in listed if one}))),))
    left = {}
    for operator, many in lost.items():
        before = found.load.operators[operator]
        runs = (
            sum(1 for name, _ in listed if name == operator)
            if before.processors is None
            else before.processors
        )
        if runs <= many:
            detail = (
                f"Every processor of {operator!r} runs on node {node!r}: without this node nothing serves its tuples. "
                "Let it run on two nodes, or try another node."
            )
            raise InvalidRequest(((POINTER, detail),))
        left[operator] = before._replace(processors=runs - many)
    return replace(found.load, operators={**found.load.operators, **left})


def describe_unknown(node: str, known: list[str]) -> str:
    """A sentence on a node that the newest snapshot does not name, and on those that it names."""
    if not known:
        return (
            "The newest snapshot does not say on which node an instance runs: send `instances` with `node`."
        )
    return f"The newest snapshot has no instance on a node {node!r}.{suggest_name(node, known)}"
