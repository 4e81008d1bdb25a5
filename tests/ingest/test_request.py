"""A request knows its bounds, totals add up, and neither needs a database."""

import subprocess
import sys
from argparse import ArgumentTypeError
from datetime import UTC, date, datetime
from pathlib import Path

import pytest

from ingest.request import Request, Totals, read_most_records

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


@pytest.mark.parametrize("given", ["many", "9999", "1e6", "-20000", "²0000", "20_000", "9" * 19])
def test_records_in_memory_are_a_whole_number_that_leaves_room_to_work(given: str):
    with pytest.raises(ArgumentTypeError, match="must be a whole number of 10000 or more"):
        read_most_records(given)
    assert read_most_records("10000") == 10_000
