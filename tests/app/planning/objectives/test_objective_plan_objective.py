"""An objective is complete: requests with an example, and options that are fields of them."""

import pytest

from app.planning.objectives.objective import PlanObjective
from app.planning.plans.schemas import OBJECTIVES
from tests.app.planning.objectives.examples import LOAD, TOPOLOGY

EVERY = pytest.mark.parametrize("objective", OBJECTIVES, ids=lambda objective: objective.name)


@EVERY
def test_the_examples_of_both_requests_give_a_plan_of_this_objective(objective: PlanObjective):
    for request in (objective.request, objective.stored_request):
        [example] = request.model_json_schema()["examples"]
        plan = objective.plan(TOPOLOGY, LOAD, request.model_validate(example))
        assert plan.objective == objective.name


@EVERY
def test_every_option_is_a_field_of_both_requests(objective: PlanObjective):
    for option in objective.options:
        assert option.field in objective.request.model_fields
        assert option.field in objective.stored_request.model_fields
        assert all(flag.startswith("--") for flag in option.flags)


@EVERY
def test_every_required_term_is_an_option(objective: PlanObjective):
    required = {name for name, field in objective.request.model_fields.items() if field.is_required()}
    assert required - {"topology", "load"} <= {option.field for option in objective.options}


@EVERY
def test_the_call_is_the_name_with_underscores(objective: PlanObjective):
    assert objective.call.replace("_", "-") == objective.name
    assert objective.call.isidentifier()
