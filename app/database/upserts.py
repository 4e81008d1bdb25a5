"""Stores rows in place of those with the same key."""

from collections.abc import Sequence
from typing import Any

from sqlalchemy import Boolean, Row, literal_column
from sqlalchemy.dialects.postgresql import insert
from sqlalchemy.orm import InstrumentedAttribute, Session

from app.database.tables import Base


def upsert(
    session: Session,
    table: type[Base],
    rows: Sequence[dict[str, Any]],
    key: Sequence[str],
    replaced: Sequence[str],
    *also: InstrumentedAttribute[Any],
) -> Sequence[Row[Any]]:
    """Stores rows; one with the key of a stored row replaces the columns `replaced` of it.

    Returns a row for each: whether it `is_new`, and its columns `also`.
    """
    statement = insert(table).values(rows)
    # xmax is 0 in a row that this statement inserted, and names the transaction where it replaced one.
    is_new = literal_column("xmax = 0", Boolean).label("is_new")
    changed = {column: statement.excluded[column] for column in replaced}
    return session.execute(
        statement.on_conflict_do_update(index_elements=key, set_=changed).returning(is_new, *also)
    ).all()
