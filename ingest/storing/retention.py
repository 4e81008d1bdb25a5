"""Deletes old summaries, snapshots and runs: as whole partitions where all rows are old, else row by row."""

from dataclasses import dataclass
from datetime import UTC, date, datetime, timedelta

from psycopg import Connection, sql

from app.database.tables import name_day
from ingest.storing.store import REPLACE_LOCK


@dataclass(frozen=True, slots=True)
class Pruned:
    """The numbers of deleted days, windows, snapshots, runs and decisions to hold."""

    days: int
    windows: int
    snapshots: int
    runs: int
    holds: int


def prune(connection: Connection, older_than: timedelta, *, with_posted: bool = False) -> Pruned:
    """Deletes summaries, ingested snapshots and runs from before `now − older_than`.

    Posted snapshots and decisions are kept. `with_posted` also deletes posted snapshots, and decisions to hold without
    an outcome: a bridge adds one of each in every interval.
    """
    before = datetime.now(UTC) - older_than
    days = drop_partitions(connection, before.date())
    with connection.transaction():
        connection.execute("SELECT pg_advisory_xact_lock(%s)", (REPLACE_LOCK,))
        delete_orphans(connection)
        connection.execute("DELETE FROM operator_summaries WHERE window_start < %s", (before,))
        windows = connection.execute(
            "DELETE FROM topology_summaries WHERE window_start < %s", (before,)
        ).rowcount
        snapshots = connection.execute(
            "DELETE FROM snapshots WHERE (source = 'ingest' OR %s) AND observed_at < %s",
            (with_posted, before),
        ).rowcount
        holds = connection.execute(
            "DELETE FROM decisions WHERE %s AND action = 'hold' AND outcome IS NULL AND decided_for < %s"
            # Others of the same week may be stored as what differs from one that is stored whole.
            " AND (changed IS NOT NULL OR content IS NULL OR decided_for < date_trunc('week', %s, 'UTC'))",
            (with_posted, before, before),
        ).rowcount
        runs = connection.execute(
            "DELETE FROM ingest_runs WHERE state <> 'running' AND started_at < %s", (before,)
        ).rowcount
    return Pruned(days, windows, snapshots, runs, holds)


def drop_partitions(connection: Connection, before: date) -> int:
    """Drops the partitions of days before `before`, each in its own short transaction, since a drop locks the table."""
    names = connection.execute(
        "SELECT c.relname FROM pg_inherits i JOIN pg_class c ON c.oid = i.inhrelid"
        " WHERE i.inhparent = 'operator_summaries'::regclass AND c.relname < %s",
        (name_day(before),),
    ).fetchall()
    for (name,) in names:
        with connection.transaction():
            connection.execute("SET LOCAL lock_timeout = '30s'")
            connection.execute(sql.SQL("DROP TABLE {}").format(sql.Identifier(name)))
    return len(names)


def delete_orphans(connection: Connection) -> None:
    """Deletes the summaries of deleted topologies; summaries have no foreign key."""
    orphaned = connection.execute(
        "SELECT DISTINCT topology_id FROM topology_summaries s"
        " WHERE NOT EXISTS (SELECT FROM topologies t WHERE t.id = s.topology_id)"
    ).fetchall()
    for (topology_id,) in orphaned:
        for table in ("operator_summaries", "topology_summaries"):
            connection.execute(
                sql.SQL("DELETE FROM {} WHERE topology_id = {}").format(sql.Identifier(table), topology_id)
            )
