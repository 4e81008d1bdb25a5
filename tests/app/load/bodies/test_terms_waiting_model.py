"""The models that a request may name are the planner's."""

import pytest
from pydantic import TypeAdapter, ValidationError

from app.load.bodies.terms import ModelName
from planner.queueing.waiting_models import WAITING_MODELS

NAME = TypeAdapter(ModelName)


@pytest.mark.parametrize("name", WAITING_MODELS)
def test_every_model_of_the_planner_can_be_named_and_is_described(name: str):
    assert NAME.validate_python(name) == name
    assert f"`{name}`" in NAME.json_schema()["description"]


def test_another_model_cannot():
    with pytest.raises(ValidationError, match="mmk"):
        NAME.validate_python("oracle")
