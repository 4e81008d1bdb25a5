"""A request knows its bounds, totals add up, and neither needs a database."""

import subprocess
import sys
from datetime import UTC, date, datetime
from pathlib import Path

from ingest.request import Request, Totals

LOADED = """
import sys
import ingest.reading.blocks, ingest.rollup
print(*sorted({"psycopg", "sqlalchemy", "app", "pandas"} & set(sys.modules)))
"""


def test_a_day_begins_and_ends_at_midnight_in_utc():
    request = Request(("log",), date(2026, 12, 31), 90, 0.05)
    assert request.day_bounds() == (datetime(2026, 12, 31, tzinfo=UTC), datetime(2027, 1, 1, tzinfo=UTC))
    assert request.window_ns == 90 * 10**9
    assert Request(("log",), None, 90, 0.05).day_bounds() is None


def test_what_was_read_is_accepted_rejected_or_a_duplicate():
    assert Totals(read=10, rejected=3, duplicates=2, reject_reasons={"torn": 3}).accepted == 5


def test_what_workers_import_needs_no_database():
    """Executors need not have what only the driver uses, and no worker spends time on loading it."""
    loaded = subprocess.run(
        [sys.executable, "-c", LOADED],
        cwd=Path(__file__).parents[2],
        capture_output=True,
        text=True,
        check=True,
    )
    assert loaded.stdout.split() == []
