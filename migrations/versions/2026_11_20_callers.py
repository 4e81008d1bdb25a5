"""Who stored what: the name of the key beside it, an audit of changes, and answers by Idempotency-Key."""

import sqlalchemy as sa
from alembic import op

from migrations import columns as of

revision = "2026_11_20_callers"
down_revision = "2026_11_20_signed_out_tickets"

STORED = (
    *("topology_revisions", "plans", "placements", "decisions"),
    *("backtests", "simulations", "profiles", "vm_catalogues"),
)
COUNTED = ("at", "address", "key", "client", "status")


def upgrade() -> None:
    for table in STORED:
        op.add_column(table, sa.Column("created_by", of.TEXT, nullable=True))
    of.create_table(
        "audit",
        [
            of.number_rows(),
            *of.need(of.TIME, "at"),
            *of.allow(of.TEXT, "key", "client"),
            *of.need(of.TEXT, "method", "address"),
            *of.allow(of.TEXT, "name"),
            *of.need(sa.SmallInteger(), "status"),
            of.default(of.BOOLEAN, "is_counted", sa.false()),
            of.default(of.INTEGER, "count", sa.text("1")),
        ],
        key=["id"],
    )
    of.index_columns("audit", "at", "id")
    op.create_index(
        "uq_audit_counted",
        "audit",
        list(COUNTED),
        unique=True,
        postgresql_where=sa.text("is_counted"),
        postgresql_nulls_not_distinct=True,
    )
    of.create_table(
        "repeated_requests",
        [
            *of.need(of.TEXT, "caller", "key"),
            *of.need(sa.LargeBinary(), "digest"),
            *of.need(sa.SmallInteger(), "status"),
            *of.need(of.DOCUMENT, "headers"),
            *of.need(sa.LargeBinary(), "body"),
            of.stamp("created_at"),
        ],
        key=["caller", "key"],
    )
    of.index_columns("repeated_requests", "created_at")


def downgrade() -> None:
    of.drop_tables("repeated_requests", "audit")
    for table in STORED:
        op.drop_column(table, "created_by")
