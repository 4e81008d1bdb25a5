"""Stores measured loads, each interval once, and lists the stored ones."""

from collections.abc import Mapping
from datetime import UTC, datetime
from typing import Any

from sqlalchemy import delete, null
from sqlalchemy.orm import Session, undefer

from app.database.tables import SnapshotRow
from app.database.upserts import upsert
from app.load.bodies.answers import DiagnosticAnswer
from app.load.measurements.snapshots import find_ahead, join_operators, select_snapshots, split_operators
from app.load.measurements.stored_topologies import StoredTopology, find_topology
from app.load.snapshots.schemas import SnapshotAnswer, SnapshotBody, SnapshotPage, StoredSnapshots
from app.settings import Settings
from app.web.paging import Page, lie_between
from app.web.problems.errors import InvalidRequest
from app.web.problems.stored_data_errors import AHEAD_OF_CLOCK, UnknownSnapshot, describe_ahead
from planner.errors import MOST_SUGGESTED, suggest_name
from planner.wording import write_seconds

KEY_COLUMNS = ["topology_id", "observed_at", "window_seconds"]
KEY = (SnapshotRow.observed_at, SnapshotRow.window_seconds)


REPLACED_COLUMNS = (
    "covered_seconds",
    "external_rate",
    "measured_sojourn_seconds",
    "measured_completion_seconds",
    "operators",
    "shapes",
    "nodes",
    "instances",
    "external_counts",
    "source",
    "stored_at",
)


def store_snapshots(
    session: Session, name: str, body: SnapshotBody | list[SnapshotBody], settings: Settings
) -> StoredSnapshots:
    """Stores all of the snapshots or none; a snapshot of a stored interval replaces it."""
    topology = find_topology(session, name)
    located = (
        {f"#/{position}": one for position, one in enumerate(body)} if isinstance(body, list) else {"#": body}
    )
    _refuse_unusable(topology, located, settings)
    # Within one list too, the later of two for the same interval replaces the earlier.
    intervals = {(one.observed_at, one.window_seconds): one for one in located.values()}
    rows = [_to_row(topology.id, one) for one in intervals.values()]
    new = sum(one.is_new for one in upsert(session, SnapshotRow, rows, KEY_COLUMNS, REPLACED_COLUMNS))
    found = StoredSnapshots(stored=new, replaced=len(located) - new)
    ahead_until = find_ahead(session, topology)
    if ahead_until is not None:
        found.diagnostics = [DiagnosticAnswer(code=AHEAD_OF_CLOCK, detail=describe_ahead(ahead_until))]
    return found


def _to_row(topology_id: int, one: SnapshotBody) -> dict[str, Any]:
    return {
        "topology_id": topology_id,
        "observed_at": one.observed_at,
        "window_seconds": one.window_seconds,
        "covered_seconds": one.covered_seconds,
        "external_rate": one.external_rate,
        "measured_sojourn_seconds": one.measured_sojourn_seconds,
        "measured_completion_seconds": one.measured_completion_seconds,
        **split_operators({key: load.model_dump(exclude_none=True) for key, load in one.operators.items()}),
        "nodes": _dump(one, "nodes"),
        "instances": _dump(one, "instances"),
        "external_counts": [span.model_dump() for span in one.external_counts] or null(),
        "source": "posted",
    }


def delete_snapshots(
    session: Session, name: str, observed_at: datetime, window_seconds: float | None
) -> None:
    """Deletes the snapshots that begin at a time, of one length or of any length; plans and decisions stay."""
    topology = find_topology(session, name)
    statement = delete(SnapshotRow).where(
        SnapshotRow.topology_id == topology.id, SnapshotRow.observed_at == observed_at
    )
    if window_seconds is not None:
        statement = statement.where(SnapshotRow.window_seconds == window_seconds)
    if not session.scalars(statement.returning(SnapshotRow.window_seconds)).all():
        raise UnknownSnapshot(name, observed_at)


def list_snapshots(
    session: Session, name: str, page: Page, since: datetime | None, until: datetime | None
) -> SnapshotPage:
    """A page of the snapshots that begin in [since, until), oldest first."""
    query = select_snapshots(find_topology(session, name)).options(
        undefer(SnapshotRow.shapes), undefer(SnapshotRow.external_counts)
    )
    query = query.where(*lie_between(SnapshotRow.observed_at, since, until))
    rows, following = page.read_rows(session.scalars, query, *KEY)
    return SnapshotPage(items=[_to_answer(row) for row in rows], next=following)


def _to_answer(row: SnapshotRow) -> SnapshotAnswer:
    names = SnapshotAnswer.model_fields.keys() - {"operators"}
    return SnapshotAnswer.model_validate(
        {name: getattr(row, name) for name in names}
        | {"external_counts": row.external_counts or []}
        | {"operators": join_operators(row.operators, row.shapes)}
    )


def _dump(snapshot: SnapshotBody, field: str) -> object:
    """The optional part `field` of a snapshot as it is stored; SQL's null, not JSON's null, if it was left out."""
    return snapshot.model_dump(include={field}, exclude_none=True).get(field, null())


def _refuse_unusable(topology: StoredTopology, sent: Mapping[str, SnapshotBody], settings: Settings) -> None:
    if len(sent) > settings.max_snapshots_per_request:
        limit = settings.max_snapshots_per_request
        raise InvalidRequest(
            (
                (
                    "#",
                    f"The request has {len(sent)} snapshots; at most {limit} are accepted at once: send parts.",
                ),
            )
        )
    known = {operator["name"] for operator in topology.definition["operators"]}
    errors = []
    now = datetime.now(UTC)
    for pointer, one in sent.items():
        lead = (one.observed_at - now).total_seconds()
        if lead > settings.max_snapshot_lead_seconds:
            detail = (
                f"This time is {write_seconds(lead)} ahead of the service's clock: send the beginning of the interval "
                f"in UTC, at most {write_seconds(settings.max_snapshot_lead_seconds)} ahead, or raise "
                "HEADGATE_MAX_SNAPSHOT_LEAD_SECONDS."
            )
            errors.append((f"{pointer}/observed_at", detail))
        located = [("operators", name) for name in one.operators.keys() - known]
        located += [("instances", name) for name in (one.instances or {}).keys() - known]
        for part, operator in located:
            escaped = operator.replace("~", "~0").replace("/", "~1")
            similar = suggest_name(operator, known) if len(errors) < MOST_SUGGESTED else ""
            detail = (
                f"Topology {topology.name!r} has no operator {operator!r}: correct the name, or add it first."
            )
            errors.append((f"{pointer}/{part}/{escaped}", detail + similar))
    if errors:
        raise InvalidRequest(tuple(errors[:100]))
