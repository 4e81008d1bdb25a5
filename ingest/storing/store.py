"""Replaces the windows of a run in Postgres, in one transaction.

Only the driver connects to Postgres: it makes the rows and copies them into temporary tables of one connection. So a
task that Spark repeats does not write twice, executors need neither password nor packages, and a killed run writes
nothing.

A run replaces stored windows of its own length:
1. for each topology in its log: with --date, every window of that day; without, on each UTC day, every window from
   the run's first to its last;
2. every window that an earlier run of the same paths and date wrote. Without --date, at least half of that run's time
   span must lie inside the new run's: a rotated log has the same path every day, and yesterday's windows must stay.

If a window lies at the end of one log and at the beginning of another, the window with more covered time is kept.
"""

from collections.abc import Iterable, Sequence
from datetime import UTC, datetime, timedelta

from psycopg import Connection, sql

from app.database.tables import OperatorSummaryRow, TopologySummaryRow, name_day
from ingest.request import Request, RunDiagnosticRow, Totals
from ingest.storing.runs import succeed_run
from ingest.storing.topologies import store_topology
from ingest.windows.discovery import Discovery
from ingest.windows.listing import Row
from ingest.windows.operator_windows import Summaries
from ingest.windows.snapshot_shapes import MOST_SCV

FULLER = """
SELECT s.topology, s.window_start, s.covered_seconds, w.covered_seconds
FROM staged_topologies s
JOIN topologies t ON t.name = s.topology
JOIN topology_summaries w ON w.topology_id = t.id AND w.window_start = s.window_start AND w.window_seconds = %s
WHERE s.covered_seconds < w.covered_seconds
ORDER BY s.topology, s.window_start
"""


def keep_fuller_windows(connection: Connection, request: Request) -> list[RunDiagnosticRow]:
    """Drops each window of this run that is stored with more covered time, and returns a note for each.

    Windows of earlier runs of the same paths are deleted before this. A run with a day covers the whole day.
    """
    if request.day is not None:
        return []
    notes = []
    for topology, start, covered, stored in connection.execute(FULLER, (request.window_seconds,)).fetchall():
        for staged in ("staged_operators", "staged_topologies"):
            connection.execute(
                f"DELETE FROM {staged} WHERE topology = %s AND window_start = %s",  # noqa: S608  # one of two names
                (topology, start),
            )
        detail = (
            f"The stored window from {start.isoformat()} is kept: it covers {stored:.3g} s, and the same window of "
            f"this run {covered:.3g} s."
        )
        notes.append(RunDiagnosticRow("fuller-window-kept", topology, detail))
    return notes


REPLACE_LOCK = 0x68676967  # held by a run while it replaces windows
PLACED = ("topology_id", "run_id", "window_seconds")
OPERATOR_COLUMNS = tuple(c.name for c in OperatorSummaryRow.__table__.columns if c.name not in PLACED)
TOPOLOGY_COLUMNS = tuple(c.name for c in TopologySummaryRow.__table__.columns if c.name not in PLACED)


class RunDoesNotAddUp(Exception):
    """The error that records were lost or counted twice between reading and writing: a defect, after which
    nothing is written.
    """


def stage_summaries(connection: Connection, summaries: Summaries, totals: Totals) -> None:
    """Copies the summaries into temporary tables, without changes or locks in shared tables."""
    texts = ("topology", "shapes")
    operators = summaries.operators
    stage_rows(connection, "staged_operators", "operator_summaries", OPERATOR_COLUMNS, operators, texts=texts)
    stage_rows(connection, "staged_topologies", "topology_summaries", TOPOLOGY_COLUMNS, summaries.topologies)
    row = connection.execute("SELECT coalesce(sum(tuples), 0) FROM staged_operators").fetchone()
    if row is None or row[0] != totals.accepted:
        raise RunDoesNotAddUp(
            f"The windows hold {row and row[0]} tuples, but {totals.accepted} were accepted "
            f"({totals.read} read − {totals.rejected} rejected − {totals.duplicates} duplicates)."
        )


def stage_rows(
    connection: Connection,
    staged: str,
    table: str,
    columns: Sequence[str],
    rows: Iterable[Row],
    *,
    texts: Sequence[str] = ("topology",),
) -> None:
    """Makes a temporary table of the rows, with these columns of the table and additional `texts`."""
    names = sql.SQL(", ").join(map(sql.Identifier, columns))
    text_names = sql.SQL(", ").join(map(sql.Identifier, texts))
    nothing = sql.SQL(", ").join(sql.SQL("''::text AS {}").format(sql.Identifier(text)) for text in texts)
    connection.execute(
        sql.SQL("CREATE TEMPORARY TABLE {} AS SELECT {}, {} FROM {} LIMIT 0").format(
            sql.Identifier(staged), nothing, names, sql.Identifier(table)
        )
    )
    copy = sql.SQL("COPY {} ({}, {}) FROM STDIN").format(sql.Identifier(staged), text_names, names)
    with connection.cursor().copy(copy) as sink:
        for row in rows:
            sink.write_row([row[name] for name in (*texts, *columns)])


def make_partitions(connection: Connection) -> None:
    """Makes a partition for each staged day, without blocking readers of other days."""
    days = connection.execute(
        "SELECT DISTINCT window_start::date FROM staged_operators ORDER BY 1"
    ).fetchall()
    for (day,) in days:
        name = name_day(day)
        with connection.transaction():
            connection.execute("SELECT pg_advisory_xact_lock(%s)", (REPLACE_LOCK,))
            if connection.execute("SELECT to_regclass(%s)", (name,)).fetchone() != (None,):
                continue
            bounds = (sql.Literal(f"{day}T00:00Z"), sql.Literal(f"{day + timedelta(days=1)}T00:00Z"))
            partition = sql.Identifier(name)
            connection.execute(
                sql.SQL("CREATE TABLE {} (LIKE operator_summaries INCLUDING ALL)").format(partition)
            )
            connection.execute(
                sql.SQL(
                    "ALTER TABLE operator_summaries ATTACH PARTITION {} FOR VALUES FROM ({}) TO ({})"
                ).format(partition, *bounds)
            )


def replace_windows(
    connection: Connection,
    run_id: int,
    request: Request,
    *,
    found: Sequence[Discovery],
    notes: Sequence[RunDiagnosticRow],
    totals: Totals,
    seconds: float,
) -> list[RunDiagnosticRow]:
    """Replaces the windows in one transaction: readers see either all old windows or all new ones."""
    make_partitions(connection)
    with connection.transaction():
        connection.execute("SELECT pg_advisory_xact_lock(%s)", (REPLACE_LOCK,))
        diagnostics = [*notes, *(note for one in found for note in store_topology(connection, one))]
        delete_same_requests(connection, run_id, request)
        diagnostics += keep_fuller_windows(connection, request)
        delete_spans(connection, request)
        insert_windows(connection, run_id, request)
        succeed_run(connection, run_id, totals, diagnostics, seconds)
    return diagnostics


def delete_same_requests(connection: Connection, run_id: int, request: Request) -> None:
    """Deletes the windows of earlier runs with the same request, since a corrected file may have fewer windows."""
    former = connection.execute(
        "WITH new AS (SELECT min(window_start) AS first, max(window_start) AS last FROM staged_operators)"
        " SELECT id, first_window_at, last_window_at FROM ingest_runs, new WHERE id <> %(run)s"
        " AND state = 'succeeded' AND windows > 0 AND paths = %(paths)s AND window_seconds = %(seconds)s"
        # A run without records has no span; least() and greatest() would ignore its nulls and take the former span.
        " AND day IS NOT DISTINCT FROM %(day)s AND (%(day)s::date IS NOT NULL OR new.first IS NOT NULL AND"
        " 2 * (least(new.last, last_window_at) - greatest(new.first, first_window_at) + %(length)s)"
        " >= last_window_at - first_window_at + %(length)s)",
        {
            "run": run_id,
            "paths": list(request.paths),
            "seconds": request.window_seconds,
            "day": request.day,
            "length": timedelta(seconds=request.window_seconds),
        },
    ).fetchall()
    for former_id, first, last in former:
        delete_windows(connection, sql.SQL("run_id = {}").format(former_id), first, last, request)


def delete_spans(connection: Connection, request: Request) -> None:
    """Deletes the stored windows that the run replaces, day by day, so that each statement reads one partition."""
    spans = connection.execute(
        "SELECT t.id, min(s.window_start), max(s.window_start) FROM staged_topologies s"
        " JOIN topologies t ON t.name = s.topology GROUP BY t.id, s.window_start::date"
    ).fetchall()
    for topology_id, first, last in spans:
        whole_day = request.day_bounds()
        begin, end = (whole_day[0], whole_day[1] - timedelta(microseconds=1)) if whole_day else (first, last)
        delete_windows(connection, sql.SQL("topology_id = {}").format(topology_id), begin, end, request)


def delete_windows(
    connection: Connection, which: sql.Composable, first: datetime, last: datetime, request: Request
) -> None:
    where = sql.SQL("{} AND window_start BETWEEN {} AND {} AND window_seconds = {}").format(
        which, first.astimezone(UTC), last.astimezone(UTC), request.window_seconds
    )
    connection.execute(sql.SQL("DELETE FROM operator_summaries WHERE {}").format(where))
    connection.execute(
        sql.SQL(
            "WITH gone AS (DELETE FROM topology_summaries WHERE {}"
            " RETURNING topology_id, window_start, window_seconds)"
            " DELETE FROM snapshots s USING gone WHERE s.topology_id = gone.topology_id"
            " AND s.observed_at = gone.window_start AND s.window_seconds = gone.window_seconds"
            " AND s.source = 'ingest'"
        ).format(where)
    )


def insert_windows(connection: Connection, run_id: int, request: Request) -> None:
    for table, staged, columns in (
        ("operator_summaries", "staged_operators", OPERATOR_COLUMNS),
        ("topology_summaries", "staged_topologies", TOPOLOGY_COLUMNS),
    ):
        names = sql.SQL(", ").join(map(sql.Identifier, columns))
        connection.execute(
            sql.SQL(
                "INSERT INTO {table} (topology_id, run_id, window_seconds, {names})"
                " SELECT t.id, {run}, {seconds}, {names} FROM {staged} s JOIN topologies t ON t.name = s.topology"
            ).format(
                table=sql.Identifier(table),
                staged=sql.Identifier(staged),
                names=names,
                run=run_id,
                seconds=request.window_seconds,
            )
        )
    connection.execute(INSERT_SNAPSHOTS, {"seconds": request.window_seconds, "most_scv": MOST_SCV})


# Posted snapshots of the same interval are kept. Operators that the topology lacks are left out, since the service
# refuses them, and so are null values; CASE stands for least(), which would turn a null SCV into MOST_SCV.
INSERT_SNAPSHOTS = """
INSERT INTO snapshots
    (topology_id, observed_at, window_seconds, covered_seconds, external_rate, measured_sojourn_seconds,
     measured_completion_seconds, operators, shapes, source)
SELECT t.id, w.window_start, %(seconds)s, w.covered_seconds, w.external_rate, w.mean_total_sojourn_seconds,
    w.mean_completion_seconds, o.operators, o.shapes, 'ingest'
FROM staged_topologies w
JOIN topologies t ON t.name = w.topology
JOIN (
    SELECT s.topology, s.window_start, jsonb_object_agg(s.operator, jsonb_strip_nulls(jsonb_build_object(
        'service_rate', s.service_rate, 'arrival_rate', s.arrival_rate,
        'arrival_scv', CASE WHEN s.arrival_scv > %(most_scv)s THEN %(most_scv)s ELSE s.arrival_scv END,
        'service_scv', CASE WHEN s.service_scv > %(most_scv)s THEN %(most_scv)s ELSE s.service_scv END,
        'processors', s.processors, 'processors_basis', s.processors_basis,
        'measured_wait_seconds', s.mean_wait_seconds))) AS operators,
        jsonb_object_agg(s.operator, jsonb_strip_nulls(s.shapes::jsonb)) FILTER (WHERE s.shapes IS NOT NULL) AS shapes
    FROM staged_operators s
    JOIN (
        SELECT name.name, operator ->> 'name' AS operator
        FROM topologies name
        JOIN topology_revisions r ON r.topology_id = name.id AND r.revision = name.revision,
        jsonb_array_elements(r.definition -> 'operators') AS operator
        WHERE name.name IN (SELECT topology FROM staged_topologies)
    ) known ON known.name = s.topology AND known.operator = s.operator
    GROUP BY s.topology, s.window_start
) o ON o.topology = w.topology AND o.window_start = w.window_start
ON CONFLICT (topology_id, observed_at, window_seconds) DO NOTHING
"""


def store_rejects(connection: Connection, run_id: int, rejects: Iterable[tuple[str, int, str, str]]) -> None:
    """Stores the lines that a run rejected, in the order given."""
    copy = "COPY rejected_lines (run_id, number, file, line, reason, text) FROM STDIN"
    with connection.transaction(), connection.cursor().copy(copy) as sink:
        for number, reject in enumerate(rejects, start=1):
            sink.write_row((run_id, number, *reject))
