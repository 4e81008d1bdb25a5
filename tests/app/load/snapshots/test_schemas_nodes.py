"""Instances and nodes: measurements that contradict each other are refused."""

from typing import Any

import pytest
from pydantic import TypeAdapter, ValidationError

from app.load.snapshots.schemas import InstanceQueue, Instances

WAITING = {"name": "i-1", "queue_length": 3.0, "queue_capacity": 10.0}


@pytest.mark.parametrize(
    ("changes", "said"),
    [
        ({"queue_length": 10.5}, "queue_length is 10.5, above queue_capacity 10"),
        ({"cpu": 0.5}, "give cpu and memory together"),
        ({"memory": 0.5}, "give cpu and memory together"),
        ({"io": 0.5}, "give cpu and memory together"),
    ],
)
def test_a_contradiction_is_refused(changes: dict[str, Any], said: str):
    with pytest.raises(ValidationError, match=said):
        InstanceQueue.model_validate(WAITING | changes)


@pytest.mark.parametrize("changes", [{}, {"queue_length": 10.0}, {"cpu": 0.5, "memory": 0.5, "io": 1.0}])
def test_what_agrees_is_taken(changes: dict[str, Any]):
    assert InstanceQueue.model_validate(WAITING | changes).name == "i-1"


def test_two_instances_of_one_name_are_refused():
    with pytest.raises(ValidationError, match="two instances are named 'i-1'"):
        TypeAdapter(Instances).validate_python([WAITING, WAITING | {"queue_length": 0.0}])
