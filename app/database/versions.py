"""Documents with names and versions (profiles, VM catalogues): versions are added and never changed."""

from collections.abc import Callable, Iterable, Sequence
from typing import Annotated, TypeVar

from fastapi import Query
from pydantic import BaseModel
from sqlalchemy import ColumnElement, delete, func, or_, select
from sqlalchemy.orm import InstrumentedAttribute, Session, aliased

from app.database.tables import ProfileRow, VmCatalogueRow
from app.web.paging import Page
from planner.errors import LENGTHS_COMPARED, NAMES_COMPARED, suggest_name

Row = TypeVar("Row", ProfileRow, VmCatalogueRow)
A = TypeVar("A", bound=BaseModel)
Unknown = Callable[[str, int | None, str], Exception]
"""Makes the error of a missing version from the name, the version and a sentence about the stored versions."""
VersionQuery = Annotated[int | None, Query(ge=1, le=2**31 - 1, description="An older version.")]


def add_version(session: Session, row: Row) -> Row:
    """Stores the row as the next version of its name; a lock makes concurrent additions to a name wait."""
    row_type = type(row)
    session.scalar(
        select(func.pg_advisory_xact_lock(func.hashtextextended(f"{row_type.__tablename__}:{row.name}", 0)))
    )
    newest = session.scalar(select(func.max(row_type.version)).where(row_type.name == row.name))
    row.version = (newest or 0) + 1
    session.add(row)
    session.flush()
    session.refresh(row, ["created_at"])
    return row


def find_version(session: Session, row_type: type[Row], name: str, version: int | None = None) -> Row | None:
    """The row of a name with a version, or with the newest version if `version` is None; None if there is no
    such row.
    """
    query = select(row_type).where(row_type.name == name)
    if version is not None:
        query = query.where(row_type.version == version)
    return session.scalars(query.order_by(row_type.version.desc()).limit(1)).first()


def read_version(
    session: Session,
    row_type: type[Row],
    unknown: Unknown,
    name: str,
    version: int | None,
) -> Row:
    """The row of a name with a version; raises the error that `unknown` makes, with the stored versions or a
    similar name.
    """
    row = find_version(session, row_type, name, version)
    if row is None:
        raise unknown(name, version, tell_versions(session, row_type, name))
    return row


def answer_version(row: ProfileRow | VmCatalogueRow, answer: type[A]) -> A:
    """The row as an answer: its document, with the name, the version and the time at which it was stored."""
    fields = {name: getattr(row, name) for name in ("name", "version", "created_at", "created_by")}
    return answer.model_validate(row.definition | fields)


def find_newest_versions(session: Session, row_type: type[Row], names: Iterable[str]) -> Sequence[Row]:
    """The newest stored version of each of these names, in one query."""
    query = select(row_type).where(row_type.name.in_(list(names)), _is_newest(row_type))
    return session.scalars(query).all()


def tell_versions(session: Session, row_type: type[Row], name: str) -> str:
    """A sentence for the problem of a missing version: the versions of the name, or a similar name."""
    newest = find_version(session, row_type, name)
    if newest is not None:
        return f" It has the versions 1 to {newest.version}."
    return suggest_stored(session, row_type.name, name)


def list_newest(session: Session, row_type: type[Row], page: Page) -> tuple[Sequence[Row], str | None]:
    """A page of the newest versions, by name, and the address of the following page."""
    return page.read_rows(session.scalars, select(row_type).where(_is_newest(row_type)), row_type.name)


def _is_newest(row_type: type[Row]) -> ColumnElement[bool]:
    other = aliased(row_type)
    newest = select(func.max(other.version)).where(other.name == row_type.name).scalar_subquery()
    return row_type.version == newest


def delete_versions(session: Session, row_type: type[Row], unknown: Unknown, name: str) -> None:
    """Deletes all versions of a name; raises the error that `unknown` makes if there are none. Placements stay
    as stored.
    """
    found = session.scalars(delete(row_type).where(row_type.name == name).returning(row_type.version)).all()
    if not found:
        raise unknown(name, None, suggest_stored(session, row_type.name, name))


def suggest_stored(session: Session, column: InstrumentedAttribute[str], wrong: str) -> str:
    """` Did you mean 'clicks'?` if a stored name is similar, else an empty text.

    Of many names those are compared that begin or end as the wrong one: one slip leaves one half of a name whole.
    """
    alike = func.length(column).between(len(wrong) - LENGTHS_COMPARED, len(wrong) + LENGTHS_COMPARED)
    half = max(len(wrong) // 2, 1)
    is_close = or_(func.left(column, half) == wrong[:half], func.right(column, half) == wrong[-half:])
    names = (
        select(column).where(alike).group_by(column).order_by(is_close.desc(), column).limit(NAMES_COMPARED)
    )
    return suggest_name(wrong, session.scalars(names))
