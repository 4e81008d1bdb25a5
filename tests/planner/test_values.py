"""Values: they do not change after they are made, and their defaults are known to the planner."""

from dataclasses import FrozenInstanceError

import pytest

from planner.queueing.waiting_models import WAITING_MODELS
from planner.values import DEFAULT_MODEL, Load, Operator, Topology


def test_values_do_not_change():
    topology, operator = Topology((Operator("a"),)), Operator("a")
    with pytest.raises(FrozenInstanceError):
        topology.operators = ()  # type: ignore[misc]  # what the test is about
    with pytest.raises(AttributeError):
        operator.name = "b"  # type: ignore[misc]  # what the test is about
    assert Load(1.0, {}) == Load(1.0, {})


def test_the_default_model_is_a_waiting_model():
    assert DEFAULT_MODEL in WAITING_MODELS
