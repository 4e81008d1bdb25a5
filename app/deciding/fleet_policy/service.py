"""Stores and finds the policy of the fleet; there is at most one."""

from sqlalchemy.orm import Session

from app.database.tables import FleetPolicyRow
from app.database.upserts import upsert
from app.deciding.fleet_policy.schemas import FleetPolicyAnswer, FleetPolicyBody
from app.deciding.fleet_turns import store_shares
from app.web.problems.fleet_errors import NoStoredFleetPolicy

ONLY = 1
"""The id of the one row."""


def store_policy(session: Session, body: FleetPolicyBody) -> tuple[FleetPolicyAnswer, bool]:
    """Creates or replaces the policy; returns it, and whether it was created."""
    document = body.model_dump(mode="json")
    row, replaced = {"id": ONLY, "policy": document}, ["policy", "updated_at"]
    (kept,) = upsert(session, FleetPolicyRow, [row], ["id"], replaced, FleetPolicyRow.updated_at)
    answer = FleetPolicyAnswer.model_validate(document | {"updated_at": kept.updated_at}, strict=False)
    return answer, kept.is_new


def find_policy(session: Session) -> FleetPolicyAnswer:
    """Returns the policy with its defaults; raises NoStoredFleetPolicy."""
    row = read_row(session)
    return FleetPolicyAnswer.model_validate(row.policy | {"updated_at": row.updated_at}, strict=False)


def delete_policy(session: Session) -> None:
    """Deletes the policy: each topology is decided about alone again."""
    session.delete(read_row(session))
    store_shares(session, [])
    session.flush()


def read_row(session: Session) -> FleetPolicyRow:
    """The stored row; raises NoStoredFleetPolicy."""
    row = session.get(FleetPolicyRow, ONLY)
    if row is None:
        raise NoStoredFleetPolicy
    return row
