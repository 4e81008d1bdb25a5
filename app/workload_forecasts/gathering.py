"""The workload that is forecast: the one in the body, or a stored topology's."""

from collections.abc import Sequence
from dataclasses import dataclass

from sqlalchemy.orm import Session

from app.described.answers import DiagnosticAnswer
from app.described.series import MOST_POINTS, to_workload
from app.measured.freshness import describe_end
from app.measured.series import read_workload
from app.storage.stored_topologies import find_topology
from app.workload_forecasts.schemas import WorkloadForecastRequest
from planner.workloads.series import Workload


@dataclass(frozen=True)
class GatheredWorkload:
    """A workload, and the diagnostics about its age."""

    workload: Workload
    diagnostics: Sequence[DiagnosticAnswer] = ()


def gather_described(body: WorkloadForecastRequest) -> GatheredWorkload:
    """The workload in the body."""
    return GatheredWorkload(to_workload(body.workload, body.step_seconds))


def gather_stored(session: Session, name: str, window_steps: int) -> GatheredWorkload:
    """The external rates of a topology's snapshots."""
    topology = find_topology(session, name)
    workload = read_workload(session, topology, most=MOST_POINTS, needed=window_steps)
    return GatheredWorkload(workload, describe_end(session, topology, workload.end_seconds))
