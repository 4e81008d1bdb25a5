"""Windows at the end of one log and the beginning of another, each with a part: the larger part is kept."""

from psycopg import Connection

from ingest.request import Request, RunDiagnosticRow

FULLER = """
SELECT s.topology, s.window_start, s.covered_seconds, w.covered_seconds
FROM staged_topologies s
JOIN topologies t ON t.name = s.topology
JOIN topology_summaries w ON w.topology_id = t.id AND w.window_start = s.window_start AND w.window_seconds = %s
WHERE s.covered_seconds < w.covered_seconds
ORDER BY s.topology, s.window_start
"""


def keep_fuller_windows(connection: Connection, request: Request) -> list[RunDiagnosticRow]:
    """Removes each window that is stored with more covered time than in this run, and returns a note for each.

    Windows of an earlier run of the same paths are deleted before. A run with a day holds the whole day.
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
            f"The window from {start.isoformat()} on stays as it was stored: {stored:.4g} s of it are covered there, "
            f"{covered:.4g} s here."
        )
        notes.append(RunDiagnosticRow("fuller-window-kept", topology, detail))
    return notes
