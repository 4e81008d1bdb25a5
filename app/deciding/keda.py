"""/v1/topologies/{name}/keda/{operator}: the processors that one operator should have now, for KEDA."""

from typing import Annotated

from fastapi import APIRouter
from pydantic import Field
from sqlalchemy.orm import Session

from app.database.transactions import SessionDep
from app.deciding.decisions.answers import to_decision_answer
from app.deciding.decisions.gathering import gather_decision
from app.deciding.decisions.schemas import DecisionAnswer, DecisionRequest
from app.deciding.decisions.service import compute_now
from app.deciding.standing import find_last_change, find_standing, read_counts
from app.load.measurements.freshness import refuse_old
from app.load.measurements.snapshots import find_end, find_newest
from app.load.measurements.stored_topologies import StoredTopology, find_topology
from app.settings import Settings
from app.web.admission import computes
from app.web.error_pointers import RefusedByPlanner
from app.web.fields import Answer, OperatorName, TopologyName
from app.web.routing import SettingsDep, StrictJsonRoute, declare
from app.web.security import may_read
from app.web.stored_data_errors import (
    NoPolicy,
    NoRecommendation,
    NoSnapshot,
    NoStoredPolicy,
    StaleSnapshots,
    StoredDataUnusable,
    UnknownOperator,
)
from planner.decisions.policy import bound_topology
from planner.errors import PlannerError, suggest_name

UNKNOWN = (NoSnapshot, StoredDataUnusable, PlannerError, RefusedByPlanner)


def find_processors(session: Session, name: str, operator: str, settings: Settings) -> int:
    """The processors that the operator should have by the newest data; nothing is stored."""
    stored = find_topology(session, name)
    operators = [one["name"] for one in stored.definition["operators"]]
    if operator not in operators:
        raise UnknownOperator(name, operator, suggest_name(operator, operators))
    try:
        decision = find_standing_decision(session, stored) or decide_now(session, name, settings)
    except StaleSnapshots as stale:  # this call has no `at`
        raise StaleSnapshots(name, stale.ended_at, stale.age_seconds, stale.limit_seconds) from stale
    except NoPolicy as error:  # this call takes no policy with it
        raise NoRecommendation(name, operator, str(NoStoredPolicy(name))) from error
    except UNKNOWN as error:
        raise NoRecommendation(name, operator, str(error)) from error
    return find_wanted(session, stored, decision)[operator]


def decide_now(session: Session, name: str, settings: Settings) -> DecisionAnswer:
    """A new decision on the newest snapshots, which is not stored, because a GET changes nothing."""
    gathered = gather_decision(session, name, DecisionRequest(), settings)
    return to_decision_answer(gathered, *compute_now(gathered))


def find_wanted(session: Session, stored: StoredTopology, decision: DecisionAnswer) -> dict[str, int]:
    """The recommended processors; during a cooldown, the processors since the change that began it.

    A decision to hold recommends the measured number. Shortly after a change that is still the number from before it,
    which would undo the change. The change may be older than the bounds; the present bounds apply.
    """
    wanted = decision.processors.recommended
    if decision.action != "hold" or decision.cooldown_left_seconds <= 0.0:
        return wanted
    last = find_last_change(session, stored, decision.decided_for)
    since = wanted | {name: count for name, count in read_counts(last).items() if name in wanted}
    for one in bound_topology(stored.to_values(), decision.policy.to_value()).operators:
        most = since[one.name] if one.ceiling is None else min(since[one.name], one.ceiling)
        since[one.name] = max(most, one.min_processors)
    return since


def find_standing_decision(session: Session, stored: StoredTopology) -> DecisionAnswer | None:
    """The standing decision on the newest snapshot, None if there is none; raises if that snapshot is too old."""
    newest = find_newest(session, stored, 1)
    if not newest:
        raise NoSnapshot(stored.name)
    row = find_standing(session, stored)
    if row is None or row.decided_for != find_end(newest[0]):
        return None
    answer = DecisionAnswer.model_validate(row.answer)
    refuse_old(stored.name, row.decided_for, answer.policy.max_snapshot_age_seconds)
    return answer


class KedaValue(Answer):
    """The processors of one operator; KEDA's metrics-api scaler reads `value`."""

    value: Annotated[int, Field(ge=1)]


router = APIRouter(prefix="/v1/topologies/{name}/keda", tags=["decisions"], route_class=StrictJsonRoute)


@router.get(
    "/{operator:path}",
    **declare(
        may_read,
        "The processors of one operator, for KEDA",
        "unknown-topology",
        "unknown-operator",
        "stale-snapshots",
        "no-recommendation",
    ),
)
@computes
def get_processors(
    name: TopologyName, operator: OperatorName, session: SessionDep, settings: SettingsDep
) -> KedaValue:
    """The processors in the newest decision, or in a new one if newer snapshots came; 503 if none can be made."""
    return KedaValue(value=find_processors(session, name, operator, settings))
