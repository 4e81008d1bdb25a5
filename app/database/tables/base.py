"""The base class of all tables: it names constraints, and gives the SQL type for each Python type."""

from contextvars import ContextVar
from datetime import datetime
from functools import partial
from typing import Annotated, Any
from uuid import UUID

from sqlalchemy import DateTime, Double, ForeignKey, MetaData, Text, Uuid, func
from sqlalchemy.dialects.postgresql import JSONB
from sqlalchemy.orm import DeclarativeBase, mapped_column

# Pydantic types check the content of JSONB columns when it is written and read; the tables do not.
Document = dict[str, Any]
TopologyKey = Annotated[int, mapped_column(ForeignKey("topologies.id", ondelete="CASCADE"), primary_key=True)]
"""The topology as the primary key, or the first part of it; the row is deleted with its topology."""
caller: ContextVar[str | None] = ContextVar("caller", default=None)
"""The name of the key with which the current request came; app/database/connections/transactions.py sets it."""
CreatedBy = Annotated[str | None, mapped_column(default=partial(caller.get, None))]
"""The name of the key with which the row was stored; null: without keys, by a command, or by an older version."""
StoredTime = Annotated[datetime, mapped_column(server_default=func.now())]
"""The time at which the row was inserted."""


class Base(DeclarativeBase):
    """The base class of all tables; it gives every constraint a name, because migrations need names."""

    metadata = MetaData(
        naming_convention={
            "ix": "ix_%(column_0_label)s",
            "uq": "uq_%(table_name)s_%(column_0_N_name)s",
            "ck": "ck_%(table_name)s_%(constraint_name)s",
            "fk": "fk_%(table_name)s_%(column_0_name)s",
            "pk": "pk_%(table_name)s",
        }
    )
    type_annotation_map = {  # noqa: RUF012 -- SQLAlchemy reads it from the class
        datetime: DateTime(timezone=True),
        str: Text,
        float: Double,
        Document: JSONB,
        UUID: Uuid,
    }
