"""/v1/topologies/{name}/keda/{operator}: the processors that one operator should have now, for KEDA.

KEDA asks for every operator at the same moment. All operators of a topology share one read of the standing decision,
or one new decision where none stands, and no such request waits for a slot to compute.
"""

from asyncio import AbstractEventLoop, get_running_loop
from collections import OrderedDict
from dataclasses import dataclass, replace
from datetime import datetime
from hashlib import sha256
from typing import Annotated, Any, NamedTuple
from weakref import WeakKeyDictionary

from fastapi import APIRouter, Request
from pydantic import Field
from sqlalchemy import DateTime, Select, and_, bindparam, cast, func, select, true
from sqlalchemy.dialects.postgresql import JSONPATH
from sqlalchemy.orm import Session, sessionmaker

from app.database.shared_reads import SharedReads
from app.database.tables import Document, TopologyRevisionRow, TopologyRow
from app.database.versions import suggest_stored
from app.deciding.advised import find_wanted, keep_turn, read_wanted
from app.deciding.decisions.answers import name_counts
from app.deciding.decisions.gathering import GatheredDecision, gather_decision
from app.deciding.decisions.schemas import DecisionRequest
from app.deciding.decisions.service import compute_now
from app.deciding.documents import take_part
from app.deciding.policies.service import find_share
from app.deciding.standing import select_decided, select_waited_for
from app.load.measurements.freshness import DEFAULT_LIMIT_SECONDS, refuse_old
from app.load.measurements.snapshots import ENDED_AT, find_latest_end, select_newest
from app.settings import Settings
from app.web.callers.security import may_read
from app.web.fields import Answer, OperatorName, TopologyName
from app.web.overload.direct_route import DirectRoute
from app.web.problems.error_pointers import RefusedByPlanner
from app.web.problems.stored_data_errors import (
    NoPolicy,
    NoRecommendation,
    NoSnapshot,
    NoStoredPolicy,
    StaleSnapshots,
    StoredDataUnusable,
    UnknownOperator,
    UnknownTopology,
)
from app.web.routing import declare, find_settings
from planner.errors import PlannerError, suggest_name

UNKNOWN = (NoSnapshot, StoredDataUnusable, PlannerError, RefusedByPlanner)
READING_THREADS = 4
DECIDING_THREADS = 1
MOST_REMEMBERED = 1_000


class DecidedProcessors(NamedTuple):
    """A decision that was just made; `answer` holds the parts of it from which the numbers for KEDA follow."""

    action: str
    decided_for: datetime
    answer: Document


@dataclass(frozen=True)
class Standing:
    """The operators of a topology, with their processors by the standing decision. The processors are None if there is
    no such decision; an error says why the decision does not count.
    """

    operators: list[str]
    processors: dict[str, int] | StaleSnapshots | NoSnapshot | None


class ProcessorsNow:
    """Finds the number of processors that each operator of a topology should have now; each event loop has one such
    object.
    """

    def __init__(self, sessions: sessionmaker[Session], settings: Settings) -> None:
        self._sessions = sessions
        self._settings = settings
        self._standing = SharedReads(self._read_standing, READING_THREADS)
        self._decided = SharedReads(self._decide, DECIDING_THREADS)
        self._remembered: OrderedDict[bytes, DecidedProcessors] = OrderedDict()

    async def find(self, name: str, operator: str) -> int:
        """Returns the operator's processors in the standing decision on the newest snapshot, else in a new unstored
        decision.
        """
        standing = await self._standing.ask(name)
        if operator not in standing.operators:
            raise UnknownOperator(name, operator, suggest_name(operator, standing.operators))
        if isinstance(standing.processors, Exception):
            raise standing.processors
        return (standing.processors or await self._decided.ask(name))[operator]

    def _read_standing(self, name: str) -> Standing:
        with self._sessions() as session:
            row = session.execute(NOW, {"name": name, "latest_end": find_latest_end(session)}).one_or_none()
            if row is None:
                raise UnknownTopology(name, suggest_stored(session, TopologyRow.name, name))
            return read_standing(name, row)

    def _decide(self, name: str) -> dict[str, int]:
        """Returns the processors of every operator in a new decision; requests on equal stored data share one
        computation.
        """
        with self._sessions() as session:
            gathered = gather_decision(session, name, DecisionRequest(), self._settings)
            key = sha256(repr(gathered.question).encode()).digest()
            if key not in self._remembered:
                self._remembered[key] = decide_processors(gathered)
            self._remembered.move_to_end(key)
            while len(self._remembered) > MOST_REMEMBERED:
                self._remembered.popitem(last=False)
            decided, stored = self._remembered[key], gathered.found.stored
            wanted = find_wanted(session, stored, *decided)
            return keep_turn(wanted, decided.answer["processors"]["current"], find_share(session, stored))


def decide_processors(gathered: GatheredDecision) -> DecidedProcessors:
    """Computes a decision and returns the parts of it from which the numbers for KEDA follow."""
    decision = compute_now(gathered)[0].decision
    answer = {
        "processors": {
            "recommended": name_counts(decision.recommended),
            "current": name_counts(decision.current),
        },
        "cooldown_left_seconds": decision.cooldown_left_seconds,
        "policy": gathered.terms.model_dump(mode="json"),
    }
    return DecidedProcessors(decision.action, gathered.decided_for, answer)


def select_now() -> Select[Any]:
    """The newest snapshot of a topology, its standing decision, and the change for which that decision waits."""
    latest_end = bindparam("latest_end", type_=DateTime(timezone=True))
    newest = select_newest(latest_end, ENDED_AT).lateral("newest")
    recommended = take_part("processors", "recommended").label("recommended")
    limit = take_part("policy", "max_snapshot_age_seconds").label("limit_seconds")
    decided = select_decided(latest_end, recommended, limit)
    waited_for = select_waited_for(decided)
    names = func.jsonb_path_query_array(TopologyRevisionRow.definition, cast("$.operators[*].name", JSONPATH))
    return (
        select(names.label("operators"), newest.c.ended_at, *decided.c, *waited_for.c)
        .select_from(TopologyRow)
        .join(
            TopologyRevisionRow,
            and_(
                TopologyRevisionRow.topology_id == TopologyRow.id,
                TopologyRevisionRow.revision == TopologyRow.revision,
            ),
        )
        .outerjoin(newest, true())
        .outerjoin(decided, true())
        .outerjoin(waited_for, true())
        .where(TopologyRow.name == bindparam("name"))
    )


NOW = select_now()


def read_standing(name: str, row: Any) -> Standing:
    """Returns the processors by a row of NOW: those of the standing decision if it is on the newest snapshot."""
    if row.ended_at is None:
        return Standing(row.operators, NoSnapshot(name))
    if row.decided_for != row.ended_at:
        return Standing(row.operators, None)
    try:
        refuse_old(name, row.decided_for, row.limit_seconds or DEFAULT_LIMIT_SECONDS)
    except StaleSnapshots as error:
        return Standing(row.operators, error)
    return Standing(row.operators, read_wanted(row, row.recommended))


class KedaValue(Answer):
    """The processors of one operator; KEDA's metrics-api scaler reads `value`."""

    value: Annotated[int, Field(ge=1)]


router = APIRouter(prefix="/v1/topologies/{name}/keda", tags=["decisions"], route_class=DirectRoute)
_FINDERS: WeakKeyDictionary[AbstractEventLoop, ProcessorsNow] = WeakKeyDictionary()


@router.get(
    "/{operator:path}",
    **declare(
        may_read,
        "The processors of one operator, for KEDA",
        "unknown-topology",
        "unknown-operator",
        "no-recommendation",
    ),
)
async def get_processors(name: TopologyName, operator: OperatorName, request: Request) -> KedaValue:
    """An operator's processors in the newest decision, or in a new one if newer snapshots came; else 503."""
    try:
        return KedaValue(value=await find_processors_now(request).find(name, operator))
    except StaleSnapshots as stale:  # this call has no `at`
        why = str(replace(stale, takes_at=False))
        raise NoRecommendation(name, operator, why, "stale-snapshots") from stale
    except NoPolicy as error:  # this call takes no policy with it
        raise NoRecommendation(name, operator, str(NoStoredPolicy(name))) from error
    except UNKNOWN as error:
        raise NoRecommendation(name, operator, str(error)) from error


def find_processors_now(request: Request) -> ProcessorsNow:
    """Returns the ProcessorsNow of the request's event loop, and makes it at the first request."""
    loop = get_running_loop()
    finder = _FINDERS.get(loop)
    if finder is None:
        finder = _FINDERS[loop] = ProcessorsNow(request.app.state.session_factory, find_settings(request))
    return finder
