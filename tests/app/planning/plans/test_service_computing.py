"""Where a described topology is computed: small ones on the event loop, large ones in a thread."""

import asyncio
import threading
from typing import Any

import pytest

from app.load.bodies.load import FPD_LOAD
from app.load.bodies.terms import Described
from app.load.bodies.topology import FPD
from app.planning.plans.service import run_described
from app.settings import Settings
from app.web.problems.error_pointers import RefusedByPlanner
from app.web.problems.errors import InvalidRequest
from planner.errors import NoSteadyState

BODY = Described.model_validate({"topology": FPD, "load": FPD_LOAD})


def take_first(found: Any, _calibrated: Any) -> Any:
    return found


def name_thread(*_: Any) -> str:
    return threading.current_thread().name


@pytest.mark.parametrize(("most_inline", "is_inline"), [(6, True), (5, False)])
def test_three_operators_and_three_edges_are_computed_inline_up_to_the_setting(
    most_inline: int, *, is_inline: bool
):
    settings = Settings(inline_operators=most_inline)
    where = asyncio.run(run_described("estimate", name_thread, take_first, BODY, settings))
    assert (where == threading.main_thread().name) is is_inline


def test_the_computation_gets_the_body_and_its_values():
    def compute(topology: Any, load: Any, body: Described) -> tuple[int, float, bool]:
        return len(topology.operators), load.external_rate, body is BODY

    found = asyncio.run(run_described("estimate", compute, take_first, BODY, Settings()))
    assert found == (3, 320.0, True)


def test_a_topology_above_the_limit_is_not_computed():
    with pytest.raises(InvalidRequest, match="HEADGATE_MAX_OPERATORS"):
        asyncio.run(run_described("estimate", name_thread, take_first, BODY, Settings(max_operators=2)))


def test_a_planner_error_points_into_the_body():
    def refuse(*_: Any) -> None:
        raise NoSteadyState(("detector",), 1.5)

    with pytest.raises(RefusedByPlanner) as refused:
        asyncio.run(run_described("estimate", refuse, take_first, BODY, Settings()))
    assert refused.value.pointer == "/topology/edges"
