"""Records each run in the database: its start, its end, and whether its process was killed."""

import json
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import asdict

from psycopg import Connection
from sqlalchemy.engine import make_url

from ingest.request import Request, RunDiagnosticRow, Totals

RUN_LOCK = 0x72756E73  # "runs"; with a run's number it is the advisory lock that a running run holds
MOST_ERROR_CHARACTERS = 2000


@contextmanager
def connect(url: str) -> Iterator[Connection]:
    """A connection in UTC, which keepalives hold open while Spark computes."""
    address = make_url(url).set(drivername="postgresql").render_as_string(hide_password=False)
    with Connection.connect(
        address,
        autocommit=True,
        connect_timeout=10,
        application_name="headgate ingest",
        options="-c timezone=UTC",
        keepalives_idle=60,
    ) as connection:
        yield connection


def begin_run(connection: Connection, request: Request) -> int:
    """Records that a run has begun; the connection holds a lock for the run until the connection ends."""
    with connection.transaction():
        row = connection.execute(
            "INSERT INTO ingest_runs (state, paths, day, window_seconds) VALUES ('running', %s, %s, %s) RETURNING id",
            (list(request.paths), request.day, request.window_seconds),
        ).fetchone()
        assert row is not None
        # The lock comes before the commit, since a row in state running without its lock counts as abandoned.
        connection.execute("SELECT pg_advisory_lock(%s, %s)", (RUN_LOCK, lock_number(row[0])))
    return int(row[0])


def lock_number(run_id: int) -> int:
    return run_id % 2**31


def abandon_dead_runs(connection: Connection) -> int:
    """Marks the runs whose process was killed: Postgres released their locks when their connections ended."""
    return connection.execute(
        "UPDATE ingest_runs SET state = 'abandoned', finished_at = now(),"
        " error = 'The process ended without reporting an error; this run wrote no windows.'"
        " WHERE state = 'running' AND NOT EXISTS (SELECT FROM pg_locks WHERE locktype = 'advisory'"
        " AND database = (SELECT oid FROM pg_database WHERE datname = current_database())"
        " AND classid = %s AND objid = (ingest_runs.id %% 2147483648)::oid)",
        (RUN_LOCK,),
    ).rowcount


def succeed_run(
    connection: Connection,
    run_id: int,
    totals: Totals,
    diagnostics: Sequence[RunDiagnosticRow],
    seconds: float,
) -> None:
    """Records that a run succeeded, in the transaction that writes its windows, so that both are stored or neither."""
    connection.execute(
        "UPDATE ingest_runs SET state = 'succeeded', diagnostics = %s WHERE id = %s",
        (json.dumps([asdict(one) for one in diagnostics]), run_id),
    )
    connection.execute(
        "UPDATE ingest_runs SET (windows, first_window_at, last_window_at) ="
        " (SELECT count(*), min(window_start), max(window_start) FROM staged_operators) WHERE id = %s",
        (run_id,),
    )
    note_totals(connection, run_id, totals, seconds)


def note_totals(connection: Connection, run_id: int, totals: Totals, seconds: float) -> None:
    connection.execute(
        "UPDATE ingest_runs SET read = %s, accepted = %s, rejected = %s, duplicates = %s, reject_reasons = %s,"
        " seconds = %s, finished_at = now() WHERE id = %s",
        (
            totals.read,
            totals.accepted,
            totals.rejected,
            totals.duplicates,
            json.dumps(dict(totals.reject_reasons)),
            seconds,
            run_id,
        ),
    )


def fail_run(connection: Connection, run_id: int, error: str, seconds: float) -> None:
    connection.execute(
        "UPDATE ingest_runs SET state = 'failed', error = %s, seconds = %s, finished_at = now() WHERE id = %s",
        (error.replace("\x00", "")[:MOST_ERROR_CHARACTERS], seconds, run_id),
    )
