"""Runs a planner call on the topology and the load of a request body."""

from collections.abc import Callable
from typing import TypeVar

from starlette.concurrency import run_in_threadpool

from app.load.bodies.calibrating import CalibratedLoad, calibrate_body
from app.load.bodies.request import Described
from app.load.bodies.topology import check_size
from app.serving.observability import time_planner
from app.settings import Settings
from app.web.error_pointers import pointing_into_body
from planner.values import Load, Topology

Request = TypeVar("Request", bound=Described)
Found = TypeVar("Found")
Answer = TypeVar("Answer")


async def run_described(
    call: str,
    compute: Callable[[Topology, Load, Request], Found],
    answer: Callable[[Found, CalibratedLoad], Answer],
    body: Request,
    settings: Settings,
) -> Answer:
    """What `compute` finds for the body's topology and load, as `answer` writes it; `call` names it in the metrics.

    Small topologies take less time than a change of thread does; large ones and long computations
    must not hold up the event loop.
    """
    check_size(body.topology, settings, "#/topology")

    def compute_answer() -> Answer:
        with time_planner(call), pointing_into_body():
            topology = body.topology.to_values()
            calibrated = calibrate_body(body, topology)
            found = compute(topology, calibrated.load, body)
        return answer(found, calibrated)

    if (
        not body.is_long
        and len(body.topology.operators) + len(body.topology.edges) <= settings.inline_operators
    ):
        return compute_answer()
    return await run_in_threadpool(compute_answer)
