"""Stores and finds the policy of the fleet; there is at most one."""

from sqlalchemy import Boolean, func, literal_column
from sqlalchemy.dialects.postgresql import insert
from sqlalchemy.orm import Session

from app.database.tables import FleetPolicyRow
from app.deciding.fleet_policy.schemas import FleetPolicyAnswer, FleetPolicyBody
from app.web.problems.fleet_errors import NoStoredFleetPolicy

ONLY = 1
"""The id of the one row."""


def store_policy(session: Session, body: FleetPolicyBody) -> tuple[FleetPolicyAnswer, bool]:
    """Creates or replaces the policy; returns it, and whether it was created."""
    document = body.model_dump(mode="json")
    statement = insert(FleetPolicyRow).values(id=ONLY, policy=document)
    # Postgres sets xmax, the transaction that replaced a row, in an updated row only.
    updated_at, is_new = session.execute(
        statement.on_conflict_do_update(
            index_elements=["id"], set_={"policy": document, "updated_at": func.now()}
        ).returning(FleetPolicyRow.updated_at, literal_column("xmax = 0", Boolean))
    ).one()
    return FleetPolicyAnswer.model_validate(document | {"updated_at": updated_at}, strict=False), is_new


def find_policy(session: Session) -> FleetPolicyAnswer:
    """Returns the policy with its defaults; raises NoStoredFleetPolicy."""
    row = read_row(session)
    return FleetPolicyAnswer.model_validate(row.policy | {"updated_at": row.updated_at}, strict=False)


def delete_policy(session: Session) -> None:
    """Deletes the policy: each topology is decided about alone again."""
    session.delete(read_row(session))
    session.flush()


def read_row(session: Session) -> FleetPolicyRow:
    """The stored row; raises NoStoredFleetPolicy."""
    row = session.get(FleetPolicyRow, ONLY)
    if row is None:
        raise NoStoredFleetPolicy
    return row
