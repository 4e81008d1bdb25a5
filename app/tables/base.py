"""What every table shares: names of constraints, and which SQL type stands for which Python type."""

from datetime import datetime
from typing import Any
from uuid import UUID

from sqlalchemy import DateTime, Double, MetaData, Text, Uuid
from sqlalchemy.dialects.postgresql import JSONB
from sqlalchemy.orm import DeclarativeBase

# What a JSONB column holds is checked by the Pydantic types on its way in and out, not here.
Document = dict[str, Any]


class Base(DeclarativeBase):
    """Names every constraint, so that migrations can speak of them."""

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
