"""The workload that is forecast: the one in the body, or a stored topology's."""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime

from sqlalchemy.orm import Session

from app.database.stored_topologies import StoredTopology, find_topology
from app.database.tables import PolicyRow
from app.forecasts.workload.schemas import WorkloadForecastRequest
from app.load.bodies.answers import DiagnosticAnswer
from app.load.bodies.series import MOST_POINTS, to_workload
from app.load.measurements.freshness import describe_end
from app.load.measurements.series import read_rates_since, read_workload, refuse_endless
from app.web.errors import InvalidRequest
from app.web.stored_data_errors import NoSnapshot
from planner.workloads.series import Workload


@dataclass(frozen=True)
class GatheredWorkload:
    """A workload, the diagnostics about its age, and the rates that came after it; None: not measured."""

    workload: Workload
    diagnostics: Sequence[DiagnosticAnswer] = ()
    came: Sequence[float | None] = ()


@dataclass(frozen=True)
class GatheredHistory:
    """A workload whose forecasts are judged, and the quantile that the policy asks for; None: there is no policy."""

    workload: Workload
    quantile: float | None


def gather_described(body: WorkloadForecastRequest) -> GatheredWorkload:
    """The workload in the body."""
    return GatheredWorkload(to_workload(body.workload, body.step_seconds))


def gather_stored(
    session: Session, name: str, needed: int | None, steps: int, as_of: datetime | None
) -> GatheredWorkload:
    """The external rates of a topology's snapshots, `needed` of them; as of a past time with what came since."""
    topology = find_topology(session, name)
    workload = read_known(session, topology, as_of, needed)
    refuse_endless(workload, steps)
    came = [] if as_of is None else read_rates_since(session, topology, workload, as_of, steps)
    age = describe_end(session, topology, workload.end_seconds, as_of)
    return GatheredWorkload(workload, age, came)


def gather_history(session: Session, name: str, as_of: datetime | None) -> GatheredHistory:
    """The external rates whose forecasts are to be judged."""
    topology = find_topology(session, name)
    workload = read_known(session, topology, as_of)
    policy = session.get(PolicyRow, topology.id)
    return GatheredHistory(workload, None if policy is None else policy.policy.get("qos_target"))


def read_known(
    session: Session, topology: StoredTopology, as_of: datetime | None, needed: int | None = None
) -> Workload:
    """The external rates known at a time; refuses a time at which none was known."""
    try:
        return read_workload(session, topology, ended_by=as_of, most=MOST_POINTS, needed=needed)
    except NoSnapshot:
        if as_of is None:
            raise
        detail = "No snapshot had ended by then: ask for a later time, or leave it out for now."
        raise InvalidRequest((("#/as_of", detail),)) from None
