"""The tables that migrations write: the SQL of each kind of column and constraint, under its final name."""

import io

from alembic.operations import Operations
from alembic.runtime.migration import MigrationContext

from app.database.tables import Base
from migrations import columns as of


def write_sql(**constraints: object) -> str:
    """The SQL of a table `parts` with a column of each kind, and of its index; white space is folded."""
    written = io.StringIO()
    options = {"as_sql": True, "output_buffer": written, "target_metadata": Base.metadata}
    with Operations.context(MigrationContext.configure(dialect_name="postgresql", opts=options)):
        columns = [
            *of.need(of.BIG_INTEGER, "topology_id", "number"),
            *of.allow(of.NUMBER, "rate"),
            of.default(of.TEXT, "source", "posted"),
            of.stamp("stored_at"),
        ]
        of.create_table("parts", columns, key=["topology_id"], **constraints)  # type: ignore[arg-type]  # as given
        of.index_columns("parts", "rate", "source")
        of.drop_tables("parts")
    return " ".join(written.getvalue().split())


def test_a_column_is_null_or_not_and_has_the_default_that_it_was_given():
    assert write_sql().startswith(
        "CREATE TABLE parts ( topology_id BIGINT NOT NULL, number BIGINT NOT NULL, rate DOUBLE PRECISION, "
        "source TEXT DEFAULT 'posted' NOT NULL, stored_at TIMESTAMP WITH TIME ZONE DEFAULT now() NOT NULL, "
        "CONSTRAINT pk_parts PRIMARY KEY (topology_id) );"
    )


def test_constraints_are_named_by_their_table():
    sql = write_sql(parent=of.OF_TOPOLOGY, unique="number", checks={"rate": "rate > 0"})
    assert (
        "CONSTRAINT fk_parts_topology_id FOREIGN KEY(topology_id) REFERENCES topologies (id) ON DELETE CASCADE, "
        "CONSTRAINT uq_parts_number UNIQUE (number), CONSTRAINT ck_parts_rate CHECK (rate > 0)"
    ) in sql


def test_an_index_is_named_by_its_columns():
    assert write_sql().endswith(
        "CREATE INDEX ix_parts_rate_source ON parts (rate, source); DROP TABLE parts;"
    )
