"""What a forecast of VMs is made from: the workload and the throughput samples, in the body or stored."""

from collections.abc import Sequence
from dataclasses import dataclass

from sqlalchemy.orm import Session

from app.database.stored_topologies import find_topology
from app.forecasts.vms.schemas import StoredVmForecastRequest, VmForecastRequest
from app.load.bodies.answers import DiagnosticAnswer
from app.load.bodies.series import MOST_POINTS, take_bounds, take_saturated, to_workload
from app.load.measurements.freshness import describe_end
from app.load.measurements.series import find_newest_samples, read_workload
from planner.vms.throughput import MstSample
from planner.workloads.series import Workload


@dataclass(frozen=True)
class GatheredSeries:
    """A workload, measured maximum throughputs, lower bounds of them, and diagnostics about their age."""

    workload: Workload
    samples: tuple[MstSample, ...]
    bounds: tuple[MstSample, ...]
    diagnostics: Sequence[DiagnosticAnswer] = ()


def gather_described(body: VmForecastRequest) -> GatheredSeries:
    """The workload and the samples in the body."""
    workload = to_workload(body.workload, body.step_seconds)
    return GatheredSeries(workload, take_saturated(body.mst_samples), take_bounds(body.mst_samples))


def gather_stored(session: Session, name: str, body: StoredVmForecastRequest) -> GatheredSeries:
    """The external rates and the throughput samples of a stored topology."""
    topology = find_topology(session, name)
    workload = read_workload(session, topology, step_seconds=body.step_seconds, most=MOST_POINTS)
    rows = find_newest_samples(session, topology.id)
    age = describe_end(session, topology, workload.end_seconds)
    return GatheredSeries(workload, take_saturated(rows), take_bounds(rows), age)
