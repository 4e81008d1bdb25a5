"""Ingest runs, the lines they rejected, and summaries per operator and per topology."""

import sqlalchemy as sa

from migrations import columns as of

revision = "2026_11_18_ingest"
down_revision = "2026_11_18"


QUANTILES = tuple(f"{name}_p{percent}_seconds" for name in ("wait", "sojourn") for percent in (50, 95, 99))


def upgrade() -> None:
    of.create_table(
        "ingest_runs",
        [
            of.number_rows(),
            *of.need(of.TEXT, "state"),
            *of.need(sa.ARRAY(of.TEXT), "paths"),
            *of.allow(sa.Date(), "day"),
            *of.need(of.INTEGER, "window_seconds"),
            of.stamp("started_at"),
            *of.allow(of.TIME, "finished_at"),
            *of.allow(of.NUMBER, "seconds"),
            *of.allow(of.BIG_INTEGER, "read", "accepted", "rejected", "duplicates", "windows"),
            *of.allow(of.TIME, "first_window_at", "last_window_at"),
            of.default(of.DOCUMENT, "reject_reasons", sa.text("'{}'")),
            of.default(of.DOCUMENT, "diagnostics", sa.text("'[]'")),
            *of.allow(of.TEXT, "error"),
        ],
        key=["id"],
        checks={
            "state": "state IN ('running', 'succeeded', 'failed', 'abandoned')",
            "adds_up": "state <> 'succeeded' OR read = accepted + rejected + duplicates",
        },
    )
    create_rejected_lines()
    create_operator_summaries()
    create_topology_summaries()


def create_rejected_lines() -> None:
    of.create_table(
        "rejected_lines",
        [
            *of.need(of.BIG_INTEGER, "run_id", "number"),
            *of.need(of.TEXT, "file"),
            *of.need(of.BIG_INTEGER, "line"),
            *of.need(of.TEXT, "reason", "text"),
        ],
        key=["run_id", "number"],
        parent=("run_id", "ingest_runs"),
    )


def create_operator_summaries() -> None:
    of.create_table(
        "operator_summaries",
        [
            *of.need(of.BIG_INTEGER, "topology_id"),
            *of.need(of.TIME, "window_start"),
            *of.need(of.TEXT, "operator"),
            *of.need(of.INTEGER, "window_seconds"),
            *of.need(of.BIG_INTEGER, "run_id", "tuples"),
            *of.need(of.NUMBER, "arrival_rate"),
            *of.allow(of.NUMBER, "arrival_scv", "service_rate", "service_scv"),
            *of.need(of.NUMBER, "mean_wait_seconds", "mean_sojourn_seconds", *QUANTILES),
            *of.need(of.INTEGER, "instances"),
            *of.need(of.DOCUMENT, "busy_fractions"),
            *of.need(of.NUMBER, "busy_spread"),
            *of.allow(of.NUMBER, "busy_skew"),
            *of.need(of.DOCUMENT, "upstream"),
        ],
        key=["topology_id", "window_start", "operator", "window_seconds"],
        postgresql_partition_by="RANGE (window_start)",
    )
    of.index_columns("operator_summaries", "topology_id", "operator", "window_start", name="operator")


def create_topology_summaries() -> None:
    of.create_table(
        "topology_summaries",
        [
            *of.need(of.BIG_INTEGER, "topology_id"),
            *of.need(of.TIME, "window_start"),
            *of.need(of.INTEGER, "window_seconds"),
            *of.need(of.BIG_INTEGER, "run_id"),
            *of.need(of.NUMBER, "external_rate"),
            *of.need(of.BIG_INTEGER, "root_tuples"),
            *of.allow(of.NUMBER, "mean_total_sojourn_seconds", "mean_completion_seconds"),
        ],
        key=["topology_id", "window_start", "window_seconds"],
    )


def downgrade() -> None:
    of.drop_tables("topology_summaries", "operator_summaries", "rejected_lines", "ingest_runs")
