"""How variable services are where no snapshot says it: from waits, queues and E[T] of the newest snapshots."""

from collections.abc import Sequence
from datetime import datetime

from sqlalchemy import select
from sqlalchemy.orm import Session

from app.database.tables import SnapshotRow
from app.load.measurements.snapshots import COVERED_SECONDS, IS_WHOLE, KEY, Documents, ended, read_operator
from app.load.measurements.stored_topologies import StoredTopology
from planner.calibration.estimated_scvs import estimate_scvs, list_unknown
from planner.calibration.modelled_waits import Interval
from planner.values import Load, Model, OperatorLoad, Topology

MOST_INTERVALS = 60
FLINK, SOURCE = "flink", "Source"
"""Between two vertices of Flink, what was sent and not yet taken waits in the queue. The lag of a source, as that of
Kafka's consumers, also holds what is taken and not yet committed."""


def estimate_services(
    session: Session,
    stored: StoredTopology,
    topology: Topology,
    load: Load,
    model: Model,
    ended_by: datetime | None,
) -> Load:
    """The load with the SCVs of services that the newest snapshots tell by their waits, queues or E[T]."""
    if not list_unknown(topology, load):
        return load
    columns = COVERED_SECONDS, SnapshotRow.external_rate, SnapshotRow.measured_sojourn_seconds
    query = select(*columns, SnapshotRow.operators).where(
        SnapshotRow.topology_id == stored.id, IS_WHOLE, *ended(session, ended_by)
    )
    rows = session.execute(query.order_by(*[one.desc() for one in KEY]).limit(MOST_INTERVALS)).all()
    intervals = [
        Interval(Load(rate, read_waits(operators), total), seconds=seconds)
        for seconds, rate, total, operators in rows[::-1]
    ]
    return estimate_scvs(topology, load, intervals, model, list_queued(stored, topology))


def list_queued(stored: StoredTopology, topology: Topology) -> Sequence[str]:
    """The operators whose backlog is the number of tuples in their own queues."""
    names = [one.name for one in topology.operators]
    return [name for name in names if not name.startswith(SOURCE)] if stored.engine == FLINK else []


def read_waits(operators: Documents) -> dict[str, OperatorLoad]:
    """The rates, waits and queues of the operators of a snapshot."""
    return {
        name: read_operator(one)._replace(
            measured_wait_seconds=one.get("measured_wait_seconds"),
            backlog_tuples=one.get("backlog_tuples"),
            exchange_seconds=one.get("exchange_seconds") or 0.0,
        )
        for name, one in operators.items()
    }
