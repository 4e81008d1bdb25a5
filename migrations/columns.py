"""Tables as the migrations write them: columns of one type, and constraints under their final names."""

from collections.abc import Mapping, Sequence
from typing import Any

import sqlalchemy as sa
from alembic import op
from sqlalchemy.dialects import postgresql
from sqlalchemy.types import TypeEngine

TIME = sa.DateTime(timezone=True)
DOCUMENT = postgresql.JSONB()
NUMBER: sa.Double[float] = sa.Double()
INTEGER = sa.Integer()
BIG_INTEGER = sa.BigInteger()
TEXT = sa.Text()
UUID = sa.Uuid()
BOOLEAN = sa.Boolean()


def need(kind: TypeEngine[Any], *names: str) -> list[sa.Column[Any]]:
    """Columns of this type that are never null, and never numbered by the database."""
    return [sa.Column(name, kind, autoincrement=False, nullable=False) for name in names]


def allow(kind: TypeEngine[Any], *names: str) -> list[sa.Column[Any]]:
    """Columns of this type that may be null."""
    return [sa.Column(name, kind, nullable=True) for name in names]


def default(kind: TypeEngine[Any], name: str, value: Any) -> sa.Column[Any]:
    """A column that is never null and has a default: a text, or an expression in SQL."""
    return sa.Column(name, kind, server_default=value, nullable=False)


def stamp(name: str) -> sa.Column[Any]:
    """A column for a time; by default the time of the insert."""
    return default(TIME, name, sa.func.now())


def number_rows() -> sa.Column[Any]:
    """An `id` that the database counts up, and that no insert may choose."""
    return sa.Column("id", BIG_INTEGER, sa.Identity(always=True), nullable=False)


def create_table(
    table: str,
    columns: Sequence[sa.Column[Any]],
    key: Sequence[str],
    *,
    parent: tuple[str, str] | None = None,
    unique: str | None = None,
    checks: Mapping[str, str] | None = None,
    **options: Any,
) -> None:
    """The table with its primary key and its checks; a row is deleted with its row of `parent` (column and table)."""
    constraints: list[sa.Constraint] = [sa.PrimaryKeyConstraint(*key, name=op.f(f"pk_{table}"))]
    if parent is not None:
        column, owner = parent
        reference = op.f(f"fk_{table}_{column}")
        constraints.append(
            sa.ForeignKeyConstraint([column], [f"{owner}.id"], name=reference, ondelete="CASCADE")
        )
    if unique is not None:
        constraints.append(sa.UniqueConstraint(unique, name=op.f(f"uq_{table}_{unique}")))
    for name, rule in (checks or {}).items():
        constraints.append(sa.CheckConstraint(rule, name=op.f(f"ck_{table}_{name}")))
    op.create_table(table, *columns, *constraints, **options)


OF_TOPOLOGY = ("topology_id", "topologies")


def create_answers(table: str, *own: sa.Column[Any], checks: Mapping[str, str] | None = None) -> None:
    """A table of stored answers about a topology, such as plans."""
    columns = [*need(UUID, "id"), *need(BIG_INTEGER, "topology_id"), *need(INTEGER, "revision"), *own]
    create_table(table, [*columns, stamp("created_at")], ["id"], parent=OF_TOPOLOGY, checks=checks)


def index_columns(table: str, *columns: str, name: str | None = None) -> None:
    """An index that is named by its table and `name`, or by all its columns."""
    op.create_index(f"ix_{table}_{name or '_'.join(columns)}", table, list(columns))


def drop_tables(*tables: str) -> None:
    """Drops the tables in this order."""
    for table in tables:
        op.drop_table(table)
