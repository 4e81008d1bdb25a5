"""Stores and finds answers (plans, placements, decisions); cancels or deletes jobs."""

from collections.abc import Callable, Sequence
from datetime import datetime
from typing import Any, Protocol, TypeVar
from uuid import UUID, uuid4

from sqlalchemy import ColumnElement, delete, func, select, update
from sqlalchemy.orm import InstrumentedAttribute, Session

from app.database.stored_topologies import find_topology
from app.database.tables import DecisionRow, JobColumns, PlacementRow, PlanRow
from app.web.fields import Answer
from app.web.paging import Page
from app.web.stored_data_errors import Unlisted

Row = TypeVar("Row", PlanRow, PlacementRow, DecisionRow)


class StoredAnswer(Protocol):
    """An answer that has an id and a time once it is stored."""

    id: UUID | None
    created_at: datetime | None

    def model_dump(self, *, mode: str, exclude: set[str]) -> dict[str, Any]: ...


A = TypeVar("A", bound=StoredAnswer)
B = TypeVar("B", bound=Answer)


def store_answer(session: Session, row: PlanRow | PlacementRow, answer: A) -> A:
    """Stores the row with the answer, and gives the answer the row's id and time."""
    answer.id = row.id = uuid4()
    row.answer = answer.model_dump(mode="json", exclude={"id", "created_at"})
    session.add(row)
    session.flush()
    session.refresh(row, ["created_at"])
    answer.created_at = row.created_at
    return answer


def read_answer(
    session: Session,
    row_type: type[Row],
    answer_type: type[B],
    unknown: Callable[[UUID], Exception],
    answer_id: UUID,
) -> B:
    """The answer with this id; raises `unknown` where none is stored."""
    row = session.get(row_type, answer_id)
    if row is None:
        raise unknown(answer_id)
    return answer_type.model_validate(row.answer | {"id": row.id, "created_at": row.created_at})


def list_answers(
    session: Session,
    row_type: type[Row],
    name: str,
    page: Page,
    *columns: InstrumentedAttribute[Any] | ColumnElement[Any],
) -> tuple[Sequence[Any], str | None]:
    """A page of the answers about a topology, newest first: their ids, times and these columns."""
    stored = find_topology(session, name)
    query = select(row_type.id, row_type.created_at, *columns).where(row_type.topology_id == stored.id)
    return page.read_rows(session.execute, query, row_type.created_at, row_type.id, newest_first=True)


UNFINISHED = ("queued", "running")


def cancel_or_delete(session: Session, row: type[JobColumns], job_id: UUID, unknown: type[Unlisted]) -> bool:
    """True: it was not finished and is cancelled now, which keeps its row. False: it was finished and is deleted."""
    of_id = row.id == job_id
    state = session.scalar(select(row.state).where(of_id).with_for_update())
    if state is None:
        raise unknown(job_id)
    if state not in UNFINISHED:
        session.execute(delete(row).where(of_id))
        return False
    session.execute(update(row).where(of_id).values(state="cancelled", finished_at=func.now()))
    return True
