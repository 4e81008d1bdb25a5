"""The published profiles and topologies that the tests of placement share."""

import json
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest

from planner.placements.profiles import Profile, ProfilePoint
from planner.placements.vm_acquisition import Market, VmSize
from planner.values import Edge, Operator, Topology

GOLDEN = Path(__file__).parents[2] / "golden"


@dataclass(frozen=True)
class Example:
    """A topology with the profile of each of its tasks."""

    topology: Topology
    profiles: dict[str, Profile]


@pytest.fixture(scope="session")
def published() -> dict[str, Any]:
    """Shukla and Simmhan's profiles, micro- and application DAGs and printed numbers."""
    document: dict[str, Any] = json.loads((GOLDEN / "model_driven_scheduling.json").read_text("utf-8"))
    return document


@pytest.fixture(scope="session")
def computed() -> dict[str, Any]:
    """What this planner answers for them: a baseline against drift, not a published number."""
    document: dict[str, Any] = json.loads((GOLDEN / "placements.json").read_text("utf-8"))
    return document


@pytest.fixture(scope="session")
def profiles(published: dict[str, Any]) -> dict[str, Profile]:
    """The five tasks."""
    return {
        task: Profile(task, tuple(ProfilePoint(**point) for point in points))
        for task, points in published["profiles"].items()
    }


@pytest.fixture(scope="session")
def example(published: dict[str, Any], profiles: dict[str, Profile]) -> Callable[[str], Example]:
    """A topology by its name."""

    def find(name: str) -> Example:
        described = published["topologies"][name]
        edges = tuple(Edge(source, target) for source, target in described["edges"])
        operators = dict.fromkeys(end for edge in edges for end in (edge.source, edge.target))
        return Example(
            Topology(tuple(Operator(operator) for operator in operators), edges),
            {task: profiles[profile] for task, profile in described["profiles"].items()},
        )

    return find


@pytest.fixture(scope="session")
def market(published: dict[str, Any]) -> Market:
    """The three D-series sizes, bought by the paper's rule."""
    return Market(sizes=tuple(VmSize(**size) for size in published["vm_sizes"]))
