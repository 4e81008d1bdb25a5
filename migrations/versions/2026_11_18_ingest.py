"""Ingest runs, the lines they rejected, and summaries per operator and per topology."""

import sqlalchemy as sa
from alembic import op
from sqlalchemy.dialects import postgresql

revision = "2026_11_18_ingest"
down_revision = "2026_11_18"
branch_labels = None
depends_on = None


def upgrade() -> None:
    time = sa.DateTime(timezone=True)
    op.create_table(
        "ingest_runs",
        sa.Column("id", sa.BigInteger(), sa.Identity(always=True), nullable=False),
        sa.Column("state", sa.Text(), nullable=False),
        sa.Column("paths", sa.ARRAY(sa.Text()), nullable=False),
        sa.Column("day", sa.Date(), nullable=True),
        sa.Column("window_seconds", sa.Integer(), nullable=False),
        sa.Column("started_at", time, server_default=sa.func.now(), nullable=False),
        sa.Column("finished_at", time, nullable=True),
        sa.Column("seconds", sa.Double(), nullable=True),
        *(
            sa.Column(name, sa.BigInteger(), nullable=True)
            for name in ("read", "accepted", "rejected", "duplicates", "windows")
        ),
        sa.Column("first_window_at", time, nullable=True),
        sa.Column("last_window_at", time, nullable=True),
        sa.Column("reject_reasons", postgresql.JSONB(), server_default=sa.text("'{}'"), nullable=False),
        sa.Column("diagnostics", postgresql.JSONB(), server_default=sa.text("'[]'"), nullable=False),
        sa.Column("error", sa.Text(), nullable=True),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_ingest_runs")),
        sa.CheckConstraint(
            "state IN ('running', 'succeeded', 'failed', 'abandoned')", name=op.f("ck_ingest_runs_state")
        ),
        sa.CheckConstraint(
            "state <> 'succeeded' OR read = accepted + rejected + duplicates",
            name=op.f("ck_ingest_runs_adds_up"),
        ),
    )
    create_rejected_lines()
    create_operator_summaries(time)
    create_topology_summaries(time)


def create_rejected_lines() -> None:
    op.create_table(
        "rejected_lines",
        sa.Column("run_id", sa.BigInteger(), nullable=False),
        sa.Column("number", sa.BigInteger(), autoincrement=False, nullable=False),
        sa.Column("file", sa.Text(), nullable=False),
        sa.Column("line", sa.BigInteger(), nullable=False),
        sa.Column("reason", sa.Text(), nullable=False),
        sa.Column("text", sa.Text(), nullable=False),
        sa.PrimaryKeyConstraint("run_id", "number", name=op.f("pk_rejected_lines")),
        sa.ForeignKeyConstraint(
            ["run_id"], ["ingest_runs.id"], name=op.f("fk_rejected_lines_run_id"), ondelete="CASCADE"
        ),
    )


def create_operator_summaries(time: sa.DateTime) -> None:
    needed = (
        "mean_wait_seconds",
        "mean_sojourn_seconds",
        *(f"{name}_p{percent}_seconds" for name in ("wait", "sojourn") for percent in (50, 95, 99)),
    )
    op.create_table(
        "operator_summaries",
        sa.Column("topology_id", sa.BigInteger(), autoincrement=False, nullable=False),
        sa.Column("window_start", time, nullable=False),
        sa.Column("operator", sa.Text(), nullable=False),
        sa.Column("window_seconds", sa.Integer(), autoincrement=False, nullable=False),
        sa.Column("run_id", sa.BigInteger(), nullable=False),
        sa.Column("tuples", sa.BigInteger(), nullable=False),
        sa.Column("arrival_rate", sa.Double(), nullable=False),
        sa.Column("arrival_scv", sa.Double(), nullable=True),
        sa.Column("service_rate", sa.Double(), nullable=True),
        sa.Column("service_scv", sa.Double(), nullable=True),
        *(sa.Column(name, sa.Double(), nullable=False) for name in needed),
        sa.Column("instances", sa.Integer(), nullable=False),
        sa.Column("busy_fractions", postgresql.JSONB(), nullable=False),
        sa.Column("busy_spread", sa.Double(), nullable=False),
        sa.Column("busy_skew", sa.Double(), nullable=True),
        sa.Column("upstream", postgresql.JSONB(), nullable=False),
        sa.PrimaryKeyConstraint(
            "topology_id", "window_start", "operator", "window_seconds", name=op.f("pk_operator_summaries")
        ),
        postgresql_partition_by="RANGE (window_start)",
    )
    op.create_index(
        "ix_operator_summaries_operator", "operator_summaries", ["topology_id", "operator", "window_start"]
    )


def create_topology_summaries(time: sa.DateTime) -> None:
    op.create_table(
        "topology_summaries",
        sa.Column("topology_id", sa.BigInteger(), autoincrement=False, nullable=False),
        sa.Column("window_start", time, nullable=False),
        sa.Column("window_seconds", sa.Integer(), autoincrement=False, nullable=False),
        sa.Column("run_id", sa.BigInteger(), nullable=False),
        sa.Column("external_rate", sa.Double(), nullable=False),
        sa.Column("root_tuples", sa.BigInteger(), nullable=False),
        sa.Column("mean_total_sojourn_seconds", sa.Double(), nullable=True),
        sa.Column("mean_completion_seconds", sa.Double(), nullable=True),
        sa.PrimaryKeyConstraint(
            "topology_id", "window_start", "window_seconds", name=op.f("pk_topology_summaries")
        ),
    )


def downgrade() -> None:
    for table in ("topology_summaries", "operator_summaries", "rejected_lines", "ingest_runs"):
        op.drop_table(table)
