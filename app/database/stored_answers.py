"""Stores and finds answers: plans and placements."""

from collections.abc import Callable, Sequence
from datetime import datetime
from typing import Any, Protocol, TypeVar
from uuid import UUID, uuid4

from sqlalchemy import ColumnElement, select
from sqlalchemy.orm import InstrumentedAttribute, Session

from app.database.tables import PlacementRow, PlanRow
from app.web.fields import Answer
from app.web.paging import Page

Row = TypeVar("Row", PlanRow, PlacementRow)


class StoredAnswer(Protocol):
    """An answer, such as a plan, that gets an id and a time when it is stored."""

    id: UUID | None
    created_at: datetime | None
    created_by: str | None

    def model_dump(self, *, mode: str, exclude: set[str]) -> dict[str, Any]: ...


A = TypeVar("A", bound=StoredAnswer)
B = TypeVar("B", bound=Answer)


def store_answer(session: Session, row: PlanRow | PlacementRow, answer: A) -> A:
    """Stores an answer in its row; returns the answer with the id and the time of the row."""
    answer.id = row.id = uuid4()
    row.answer = answer.model_dump(mode="json", exclude={"id", "created_at", "created_by"})
    session.add(row)
    session.flush()
    session.refresh(row, ["created_at"])
    answer.created_at, answer.created_by = row.created_at, row.created_by
    return answer


def read_answer(
    session: Session,
    row_type: type[Row],
    answer_type: type[B],
    unknown: Callable[[UUID], Exception],
    answer_id: UUID,
) -> B:
    """The stored answer with this id; raises the error that `unknown` makes if there is none."""
    row = session.get(row_type, answer_id)
    if row is None:
        raise unknown(answer_id)
    stamps = {"id": row.id, "created_at": row.created_at, "created_by": row.created_by}
    return answer_type.model_validate(row.answer | stamps)


def list_answers(
    session: Session,
    row_type: type[Row],
    topology_id: int,
    page: Page,
    *columns: InstrumentedAttribute[Any] | ColumnElement[Any],
) -> tuple[Sequence[Any], str | None]:
    """A page of the answers about a topology, newest first: their ids, times and the listed columns."""
    query = select(row_type.id, row_type.created_at, *columns).where(row_type.topology_id == topology_id)
    return page.read_rows(session.execute, query, row_type.created_at, row_type.id, newest_first=True)
