"""Named documents, which are profiles and VM catalogues: versions are added and never changed."""

from collections.abc import Iterable, Sequence
from typing import TypeVar

from sqlalchemy import ColumnElement, delete, func, select
from sqlalchemy.orm import Session, aliased

from app.http.pages import Page
from app.storage.similar_names import suggest_stored
from app.tables import ProfileRow, VmCatalogueRow

Row = TypeVar("Row", ProfileRow, VmCatalogueRow)


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
    """The version asked for, or the newest."""
    query = select(row_type).where(row_type.name == name)
    if version is not None:
        query = query.where(row_type.version == version)
    return session.scalars(query.order_by(row_type.version.desc()).limit(1)).first()


def find_newest_versions(session: Session, row_type: type[Row], names: Iterable[str]) -> Sequence[Row]:
    """The newest version of each of these names that is stored, in one query."""
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


def delete_versions(session: Session, row_type: type[Row], name: str) -> bool:
    """Deletes all versions of a name, and returns whether there were any; stored placements stay as they are."""
    found = session.scalars(delete(row_type).where(row_type.name == name).returning(row_type.version)).all()
    return bool(found)
