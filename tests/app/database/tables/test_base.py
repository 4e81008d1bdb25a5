"""Every constraint has a name, and times have a zone."""

from sqlalchemy import DateTime

from app.database.tables import Base


def test_migrations_can_name_every_constraint():
    for table in Base.metadata.tables.values():
        for constraint in table.constraints:
            assert constraint.name, (table.name, constraint)


def test_every_time_has_a_zone():
    columns = [column for table in Base.metadata.tables.values() for column in table.columns]
    kinds = [column.type.timezone for column in columns if isinstance(column.type, DateTime)]
    assert len(kinds) > 20
    assert all(kinds)
