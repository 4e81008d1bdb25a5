"""Judges topologies in a body and stored ones by their gates."""

from sqlalchemy.orm import Session
from starlette.concurrency import run_in_threadpool

from app.load.bodies.topology import check_size
from app.load.measurements.freshness import add_basis, describe_age, find_limit, refuse_old
from app.load.measurements.load import gather
from app.load.measurements.snapshots import find_end
from app.planning.gates.answers import judge, judge_described
from app.planning.gates.schemas import GateAnswer, GateRequest, GateTerms, StoredGateRequest, to_gate_answer
from app.settings import Settings
from app.web.observability import time_planner
from app.web.problems.error_pointers import STORED, blaming_what_is_stored, pointing_into_body


async def judge_in_thread(body: GateRequest, settings: Settings) -> GateAnswer:
    """Computes the verdict in a thread: its headroom takes about sixty estimates, too long for the event loop."""
    check_size(body.topology, settings, "#/topology")

    def compute() -> GateAnswer:
        with time_planner("judge_capacity"), pointing_into_body(locate_rate(body)):
            return judge_described(body)

    return await run_in_threadpool(compute)


def judge_stored(session: Session, name: str, body: StoredGateRequest, settings: Settings) -> GateAnswer:
    """Returns the verdict on a stored topology under its measured load; refuses a load that is too old."""
    found = gather(session, name, body, settings)
    limit = body.max_snapshot_age_seconds or find_limit(session, found.stored)
    refuse_old(name, find_end(found.newest), limit, ahead_until=found.ahead_until)
    aged = describe_age(session, found)
    with time_planner("judge_capacity"), blaming_what_is_stored(name, STORED | locate_rate(body)):
        verdict = judge(found.topology, found.load, body, body.model)
    return add_basis(to_gate_answer(verdict), found, aged)


def locate_rate(terms: GateTerms) -> dict[str, str | None]:
    """Returns the JSON pointer to the field of the body that gives the rate."""
    return {"external_rate": "/external_rate" if terms.rate_factor is None else "/rate_factor"}
